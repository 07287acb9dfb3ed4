//! Query strings of operations on payrolls.

use domain::patch::Patch;
use domain::pay::payrolls::calendar::members::MemberKey;
use domain::pay::payrolls::calendar::periods::Kinds;
use domain::pay::payrolls::service;
use jiff::civil::Date;

use crate::named::Enum;
use crate::query::Choice;
use crate::sort::Sort;
use crate::{names, query};

names! {
    /// Regular or transition pay periods.
    PeriodType { Regular = "regular", Transition = "transition" }

    /// Whether a payroll is processed.
    ProcessingStatus { Processed = "processed", Unprocessed = "unprocessed" }

    /// Regular, off-cycle, or external payrolls.
    PayrollType { Regular = "regular", OffCycle = "off_cycle", External = "external" }

    /// Which dates a list's range applies to, other than those of pay periods.
    DateFilter { CheckDate = "check_date" }

    /// The order of a list.
    SortOrder { Ascending = "asc", Descending = "desc" }

    /// What a list of payrolls may include.
    ListInclude {
        Taxes = "taxes",
        Status = "payroll_status_meta",
        Totals = "totals",
        Blockers = "risk_blockers",
        Reversals = "reversals",
    }

    /// What a payroll may include.
    PayrollInclude {
        Benefits = "benefits",
        Deductions = "deductions",
        Taxes = "taxes",
        Status = "payroll_status_meta",
        Totals = "totals",
        Blockers = "risk_blockers",
        Reversals = "reversals",
        PayrollTaxes = "payroll_taxes",
    }
}

query! {
    /// The year of a request.
    OfYear {
        /// calendar year, from 2020 to 2100; defaults to this year
        year: Patch<i64>,
    }

    /// Which pay periods are listed.
    ListPayPeriods {
        /// YYYY-MM-DD: the first day; defaults to six months back
        start_date: Option<Date>,
        /// YYYY-MM-DD: the last day, at most three months ahead; defaults to today
        end_date: Option<Date>,
        /// regular, transition, or both separated by a comma; defaults to regular
        payroll_types: Vec<Enum<PeriodType>>,
    }

    /// Which payrolls are listed, and what is included.
    ListPayrolls {
        /// processed, unprocessed, or both separated by a comma; defaults to processed
        processing_statuses: Vec<Enum<ProcessingStatus>>,
        /// regular, off_cycle and external (listed by external_payrolls), separated by commas; defaults to regular
        payroll_types: Vec<Enum<PayrollType>>,
        /// An older form of processing_statuses
        processed: Option<bool>,
        /// An older form of payroll_types
        include_off_cycle: bool,
        /// taxes, payroll_status_meta, totals, risk_blockers and reversals, separated by commas
        include: Vec<Enum<ListInclude>>,
        /// YYYY-MM-DD: the first day; defaults to six months back
        start_date: Option<Date>,
        /// YYYY-MM-DD: the last day, at most three months ahead; defaults to today
        end_date: Option<Date>,
        /// check_date: the range applies to check dates instead of pay periods
        date_filter_by: Choice<DateFilter>,
        /// asc (the default) or desc
        sort_order: Choice<SortOrder>,
        ..page {
            "Number of the page, from 1",
            "Rows on a page, 1 to 100; 25 when only page is given, and always from version 2026-06-15 on"
        }
    }

    /// What is included with a payroll, and which of its employees.
    GetPayroll {
        /// benefits, deductions, taxes, payroll_status_meta, totals, risk_blockers, reversals and payroll_taxes, separated
        /// by commas
        include: Vec<Enum<PayrollInclude>>,
        /// first_name and last_name, separated by a comma, each with :asc or :desc; defaults to the order of creation
        sort_by: Sort<MemberKey>,
        ..page { "Number of the page of employees, from 1", "Employees on a page, 1 to 100; 25 when left out" }
    }

    /// Which employees of a prepared payroll are shown.
    PrepareQuery {
        /// first_name and last_name, separated by a comma, each with :asc or :desc; defaults to the order of creation
        sort_by: Sort<MemberKey>,
        ..page { "Number of the page of employees, from 1", "Employees on a page, 1 to 100; 25 when left out" }
    }

    /// Which pay stubs are listed.
    ListPayStubs {
        ..page
    }

    /// The status of the response to a deletion.
    DeletePayroll {
        /// true: the answer is 202 instead of 204
        r#async: bool,
    }
}

impl ListPayPeriods {
    /// Which are listed.
    pub fn kinds(&self) -> Kinds {
        let asked = |kind| self.payroll_types.contains(&Enum(kind));
        Kinds {
            regular: self.payroll_types.is_empty() || asked(PeriodType::Regular),
            transition: asked(PeriodType::Transition),
        }
    }
}

impl From<ListPayrolls> for service::ListPayrolls {
    fn from(query: ListPayrolls) -> Self {
        let (statuses, types) = (&query.processing_statuses, &query.payroll_types);
        let processed = chosen_value(statuses, ProcessingStatus::Processed, ProcessingStatus::Unprocessed);
        let off_cycle = chosen_value(types, PayrollType::OffCycle, PayrollType::Regular);
        // The older parameters are used if the newer ones are omitted.
        let everything = query.include_off_cycle.then_some(None);
        Self {
            processed: processed.unwrap_or(Some(query.processed.unwrap_or(true))),
            off_cycle: off_cycle.or(everything).unwrap_or(Some(false)),
            here: *types != [Enum(PayrollType::External)],
            external: types.contains(&Enum(PayrollType::External)),
            start: query.start_date,
            end: query.end_date,
            by_check_date: query.date_filter_by.first().is_some(),
            descending: query.sort_order.first() == Some(SortOrder::Descending),
        }
    }
}

/// Which of two values a parameter names: both (`Some(None)`), the first or not; `None` if it is omitted.
fn chosen_value<T: Copy + PartialEq>(named: &[Enum<T>], yes: T, no: T) -> Option<Option<bool>> {
    let both = named.contains(&Enum(yes)) && named.contains(&Enum(no));
    (!named.is_empty()).then(|| if both { None } else { Some(named.contains(&Enum(yes))) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_mean_both_one_means_itself_and_none_nothing() {
        let either = |named: &[Enum<ProcessingStatus>]| {
            super::chosen_value(named, ProcessingStatus::Processed, ProcessingStatus::Unprocessed)
        };
        let (yes, no) = (Enum(ProcessingStatus::Processed), Enum(ProcessingStatus::Unprocessed));
        assert_eq!(either(&[]), None);
        assert_eq!(either(&[yes]), Some(Some(true)));
        assert_eq!(either(&[no]), Some(Some(false)));
        assert_eq!(either(&[no, yes]), Some(None));
    }
}
