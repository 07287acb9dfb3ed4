//! The tables of law, each with its name, its built-in text and its reader.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use returns::deadlines::Deadlines;
use returns::efw2::Layouts;
use returns::state_wages::StateReports;
use returns::state_withholding::WithholdingReturns;
use rules::Named as _;
use rules::contractor_pay::ContractorPayTable;
use rules::dated::{Dated, FROM, Undated};
use rules::deposits::types::{DepositType, DepositTypes};
use rules::final_pay::FinalPayTable;
use rules::lump_sum::LumpSumRules;
use rules::new_hire::NewHireTable;
use rules::new_hire_file::NewHireFileTable;
use rules::payroll::benefits::roth_catch_up::RothThresholds;
use rules::payroll::benefits::{Limit, Limits};
use rules::payroll::garnishment::{
    EmployerFee, EmployerFees, GarnishmentLimit, GarnishmentLimits, LevyExemptions, StateLimit, SupportLimits,
};
use rules::payroll::taxes::{FutaCreditReductions, PayrollTaxYears};
use rules::salary_level::{SalaryLevel, SalaryLevels};
use rules::taxes::{
    BaseTable, CityCredits, LocalTaxes, NonresidentTable, OhioCreditRow, OhioCreditTable, PennsylvaniaPlace,
    PennsylvaniaTable, ReciprocityTable, StatePrograms, SupplementalRate, SupplementalTable, Tax, TaxTable,
    UnemploymentTable,
};
use rules::time_off::SickLeaveTable;
use rules::wage_hour::{FluctuatingWorkweekBars, OvertimeRules};
use rules::withholding::TableError;
use rules::withholding::federal::FederalWithholding;
use rules::withholding::state::formula::Formulas;
use rules::withholding::state::{StateCertificate, StateCertificates};

use super::Law;
use super::merge::Layout;
use crate::platform::law::pennsylvania::LARGEST;
use crate::platform::reference::source::text_file;
use crate::platform::reference::{Faults, Request, Vintage};

/// A table of law.
pub trait LawTable: Sized + Send + Sync + 'static {
    /// Its name on the command line and in the store.
    const KIND: &'static str;
    /// The date of the built-in text.
    const VINTAGE: &'static str;
    /// The built-in text.
    const FILE: &'static str;
    /// The layout of its files.
    const LAYOUT: Layout;

    /// Cache of the opened built-in table.
    fn built_in_vintage() -> &'static OnceLock<Arc<Vintage<Law<Self>>>>;

    /// Reads a whole table.
    ///
    /// # Errors
    /// What is wrong, with its location in the file.
    fn read(text: &str) -> Result<Self, TableError>;

    /// The rows by their names in a report, with all their contents.
    fn entries(&self) -> BTreeMap<String, String>;

    /// Reads a file of the table, as text in the layout of the built-in one.
    ///
    /// # Errors
    /// What cannot be read.
    fn file(request: &Request<'_>) -> Result<String, Faults> {
        Ok(text_file(request, LARGEST)?)
    }
}

fn named_entry(name: impl Into<String>, held: &dyn Debug) -> (String, String) {
    (name.into(), format!("{held:?}"))
}

/// Implements what is the same for every table.
macro_rules! law_table {
    ($table:ty: $kind:literal of $vintage:literal, $layout:expr, $read:expr, $entries:expr $(, $file:path)?) => {
        impl LawTable for $table {
            const KIND: &'static str = $kind;
            const VINTAGE: &'static str = $vintage;
            const FILE: &'static str = Self::FILE;
            const LAYOUT: Layout = $layout;

            fn built_in_vintage() -> &'static OnceLock<Arc<Vintage<Law<Self>>>> {
                static CELL: OnceLock<Arc<Vintage<Law<$table>>>> = OnceLock::new();
                &CELL
            }

            fn read(text: &str) -> Result<Self, TableError> {
                $read(text)
            }

            fn entries(&self) -> BTreeMap<String, String> {
                let entries: fn(&Self) -> BTreeMap<String, String> = $entries;
                entries(self)
            }

            $(fn file(request: &Request<'_>) -> Result<String, Faults> {
                $file(request)
            })?
        }
    };
}

law_table!(FederalWithholding: "federal-withholding" of "2026-11-21", Layout::Years, Self::parse, |table| {
    table.iter().map(|of| named_entry(of.year.to_string(), of)).collect()
});

law_table!(
    PayrollTaxYears: "payroll-taxes" of "2026-11-29",
    Layout::Rows { replaced_by: &["year"], names: &["tax"] },
    Self::parse,
    |table| table.iter().map(|of| named_entry(of.year.to_string(), of)).collect()
);

law_table!(
    FutaCreditReductions: "futa-credit-reductions" of "2026-11-29",
    Layout::Rows { replaced_by: &["year"], names: &["state"] },
    Self::parse,
    |table| table.iter().map(|(year, state, percent)| named_entry(format!("{year} {state}"), &percent)).collect()
);

law_table!(Formulas: "state-withholding" of "2026-11-29", Layout::States, Self::parse, |table| {
    table.iter().map(|of| named_entry(format!("{} from {}", of.state, of.from), of)).collect()
});

law_table!(StateCertificates: "state-certificates" of "2026-11-26", Layout::States, Self::parse, |table| {
    let states = |(year, states)| {
        let states: &rules::withholding::state::StateTables = states;
        let of = move |state: &Arc<StateCertificate>| named_entry(format!("{year} {}", state.code), state);
        states.iter().map(of).collect::<Vec<_>>()
    };
    table.iter().flat_map(states).collect()
});

law_table!(
    SupportLimits: "support-limits" of "2026-11-21",
    Layout::Rows { replaced_by: &["state", "from"], names: &["state", "allocation"] },
    Self::parse,
    |table| {
        let name = |of: &StateLimit| match of.from {
            Some(day) => format!("{} from {day}", of.state),
            None => of.state.clone(),
        };
        table.iter().map(|of| named_entry(name(of), of)).collect()
    }
);

law_table!(
    Limits: "benefit-limits" of "2026-11-29",
    Layout::Rows { replaced_by: &["year"], names: &["group", "option", "counts", "catch_up_age"] },
    |text| Self::parse(text).map_err(TableError::new),
    |table| {
        let name = |of: &Limit| {
            let option = of.option.map_or_else(String::new, |option| format!(" {}", option.as_str()));
            format!("{} {}{option}", of.year, of.group.as_str())
        };
        table.iter().map(|of| named_entry(name(of), of)).collect()
    }
);

law_table!(
    GarnishmentLimits: "garnishment-limits" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", "kind", "from"], names: &["state", "kind", "rule", "section"] },
    Self::parse,
    |table| {
        let name = |of: &GarnishmentLimit| {
            let from = of.from.map_or_else(String::new, |day| format!(" from {day}"));
            let up_to = of.gross_up_to.map_or_else(String::new, |most| format!(" up to {most}"));
            let hours = of.gross_up_to_hours.map_or_else(String::new, |most| format!(" up to {most} hours"));
            format!("{} {}{from}{up_to}{hours}", of.state, of.kind.as_str())
        };
        table.iter().map(|of| named_entry(name(of), of)).collect()
    }
);

law_table!(
    LevyExemptions: "levy-exemptions" of "2026-11-25",
    Layout::Rows { replaced_by: &["year"], names: &["filing_status"] },
    Self::parse,
    |table| table.iter().map(|of| named_entry(format!("{} {}", of.year, of.filing_status.as_str()), of)).collect()
);

law_table!(
    EmployerFees: "employer-fees" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", "kind", "from"], names: &["state", "kind", "section"] },
    Self::parse,
    |table| {
        let name = |of: &EmployerFee| {
            let from = of.from.map_or_else(String::new, |day| format!(" from {day}"));
            format!("{} {}{from}", of.state, of.kind.as_str())
        };
        table.iter().map(|of| named_entry(name(of), of)).collect()
    }
);

law_table!(
    Dated<OvertimeRules>: "overtime-rules" of "2026-11-26",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state", "section"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<BaseTable>: "tax-bases" of "2026-12-01",
    Layout::Rows { replaced_by: &["base", "item", FROM], names: &["base", "item"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<NonresidentTable>: "residents-and-nonresidents" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<FinalPayTable>: "final-pay" of "2026-11-29",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<SickLeaveTable>: "sick-leave" of "2026-11-29",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<NewHireTable>: "new-hire-reporting" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state", "directory", "website"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<FluctuatingWorkweekBars>: "fluctuating-workweek" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<LumpSumRules>: "lump-sum-reporting" of "2026-11-29",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<CityCredits>: "city-credits" of "2026-11-29",
    Layout::Rows { replaced_by: &["home", "work", FROM], names: &["home", "work"] },
    Self::parse_table,
    rows_of
);

law_table!(
    ContractorPayTable: "contractor-pay" of "2026-11-29",
    Layout::Rows { replaced_by: &["figure", "from"], names: &["figure"] },
    Self::parse,
    |table| table.rows().collect()
);

law_table!(
    ReciprocityTable: "reciprocity" of "2026-11-29",
    Layout::Rows {
        replaced_by: &["work_state", "residence_state"],
        names: &["work_state", "residence_state", "kind", "form"],
    },
    |text| Self::parse(text).map_err(TableError::from),
    |table| table.iter().map(|row| named_entry(format!("{} {}", row.work, row.residence), row)).collect()
);

law_table!(
    SupplementalTable: "supplemental-rates" of "2026-11-30",
    Layout::Rows {
        replaced_by: &["state", "effective_from"],
        names: &["state", "pay", "annual_wages_from", "method", "round_to", "with_wages"],
    },
    |text| Self::parse(text).map_err(TableError::from),
    |table| {
        let name = |of: &SupplementalRate| {
            format!("{} {} above {} from {}", of.state, of.pay.as_str(), of.annual_wages_from, of.from)
        };
        table.iter().map(|row| named_entry(name(row), row)).collect()
    }
);

law_table!(
    OhioCreditTable: "ohio-credits" of "2026-12-01",
    Layout::Rows { replaced_by: &["place"], names: &["place", "city"] },
    |text| Self::parse(text).map_err(TableError::from),
    |table| {
        let from = |row: &OhioCreditRow| row.from.map_or_else(String::new, |day| format!(" from {day}"));
        table.iter().map(|(place, row)| named_entry(format!("{place}{}", from(row)), row)).collect()
    }
);

law_table!(
    SalaryLevels: "salary-levels" of "2026-11-29",
    Layout::Rows { replaced_by: &["state", "counties", "from"], names: &["state", "counties"] },
    Self::parse,
    |table| {
        let name = |of: &SalaryLevel| format!("{} {} from {}", of.state, of.counties.join(" "), of.from);
        table.iter().map(|of| named_entry(name(of), of)).collect()
    }
);

law_table!(
    RothThresholds: "roth-catch-up" of "2026-11-29",
    Layout::Rows { replaced_by: &["year"], names: &["year"] },
    Self::parse,
    |table| table.iter().map(|of| named_entry(of.year.to_string(), of)).collect()
);

law_table!(
    DepositTypes: "deposit-codes" of "2026-11-30",
    Layout::Rows {
        replaced_by: &["authority", "form", "tax", "from"],
        names: &["authority", "form", "period_day", "tax"],
    },
    Self::parse,
    |table| {
        let name = |of: &DepositType| {
            format!("{} Form {} {} from {}", of.authority, of.form_number(), of.tax, of.from)
        };
        table.iter().map(|of| named_entry(name(of), of)).collect()
    }
);

law_table!(
    Dated<Deadlines>: "return-deadlines" of "2026-11-30",
    Layout::Rows { replaced_by: &["return", "if_deposited", FROM], names: &["return", "period", "if_deposited"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<StateReports>: "state-wage-reports" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Dated<WithholdingReturns>: "state-withholding-returns" of "2026-12-01",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state", "form", "period"] },
    Self::parse_table,
    rows_of
);

law_table!(
    Layouts: "efw2-layouts" of "2026-11-30",
    Layout::Rows {
        replaced_by: &["year"],
        names: &["record", "field", "from", "to", "kind", "required", "sum_of"],
    },
    Self::of_fields,
    |table| {
        let records = |of: &returns::efw2::Layout| {
            let year = of.year;
            let entries = returns::efw2::layout::RECORDS.map(|record| named_entry(format!("{year} {record}"), &of.record_fields(record)));
            entries.into_iter().collect::<Vec<_>>()
        };
        table.iter().flat_map(records).collect()
    }
);

law_table!(
    Dated<NewHireFileTable>: "new-hire-files" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", FROM], names: &["state"] },
    Self::parse_table,
    rows_of
);

fn rows_of<T: Undated>(table: &Dated<T>) -> BTreeMap<String, String> {
    table.rows().map(|(name, cells)| (name.to_owned(), cells.to_owned())).collect()
}

/// The columns that say which tax a row is about, and not its figures.
const OF_TAX: &[&str] = &[
    "code",
    "state",
    "level",
    "place",
    "name",
    "payer",
    "applies",
    "class",
    "filing",
    "election",
    "size_from",
    "size_to",
    "payroll_above",
    "payroll_to",
    "method",
    "per",
    "wage_base_per",
    "cap_per",
    "floor_per",
    "base",
    "tips",
    "rounding",
    "options",
];

fn tax_entries(table: &TaxTable) -> BTreeMap<String, String> {
    let name = |tax: &Tax| {
        let from = tax.from.map_or_else(String::new, |day| format!(" from {day}"));
        let of = (&tax.class, tax.filing, &tax.election, tax.sizes, tax.payroll);
        match of == (&String::new(), None, &String::new(), (None, None), (None, None)) {
            true => format!("{}{from}", tax.code),
            false => format!("{}{from} {of:?}", tax.code),
        }
    };
    table.iter().map(|tax| named_entry(name(tax), tax)).collect()
}

law_table!(
    StatePrograms: "state-programs" of "2026-11-30",
    Layout::Rows { replaced_by: &["code", "effective_from"], names: OF_TAX },
    |text| Self::parse(text).map_err(TableError::from),
    |table| tax_entries(table)
);

law_table!(
    LocalTaxes: "local-taxes" of "2026-12-01",
    Layout::Rows { replaced_by: &["code", "effective_from"], names: OF_TAX },
    |text| Self::parse(text).map_err(TableError::from),
    |table| tax_entries(table)
);

law_table!(
    UnemploymentTable: "unemployment-insurance" of "2026-11-30",
    Layout::Rows { replaced_by: &["state", "effective_from"], names: &["state", "base"] },
    |text| Self::parse(text).map_err(TableError::from),
    |table| table.iter().map(|row| named_entry(format!("{} from {}", row.state, row.from), row)).collect()
);

law_table!(
    PennsylvaniaTable: "pennsylvania-register" of "2026-11-22",
    Layout::Rows { replaced_by: &["psd"], names: &["psd", "effective_from"] },
    |text| Self::parse(text).map_err(TableError::from),
    |table| {
        let name = |of: &PennsylvaniaPlace| {
            let from = of.dates.0.map_or_else(String::new, |day| format!(" from {day}"));
            format!("{} {}{from}", of.psd, of.municipality)
        };
        table.iter().map(|of| named_entry(name(of), of)).collect()
    },
    super::pennsylvania::convert_file
);
