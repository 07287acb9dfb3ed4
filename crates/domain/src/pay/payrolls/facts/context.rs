//! The data shared by all employees of a payroll, read once at the start of a calculation.

use crate::pay::payrolls::calendar::submitted;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::sync::Arc;

use jiff::civil::Date;
use rules::Amount;
use rules::company::LegalForm;
use rules::payroll::garnishment;
use rules::payroll::garnishment::{MinimumWages, WageBasis};
use rules::taxes::Circumstances;
use store::Tx;
use uuid::Uuid;

use crate::company::{locations, taxes as company_taxes};
use crate::error::Error;
use crate::pay::earning_types;
use crate::pay::minimum_wages;
use crate::pay::minimum_wages::table::MinimumWage;
use crate::pay::minimum_wages::{Place, Table};
use crate::pay::payrolls::facts::circumstances;
use crate::pay::payrolls::facts::exclusions::Excluded;
use crate::pay::payrolls::facts::same_period::SamePeriod;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::paycheck_inputs::GarnishmentFacts;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::record::{settings, texts, workweek};
use crate::platform::law::how_to_get;
use crate::platform::reference::Dataset as _;
use crate::platform::reference::Vintage;

/// The data shared by all employees of a payroll.
pub struct Context {
    pub(in crate::pay::payrolls) company: Uuid,
    /// the payroll
    pub payroll: Payroll,
    pub(in crate::pay::payrolls) table: Arc<Vintage<Table>>,
    /// the legal tables
    pub tables: PayrollTables,
    pub(in crate::pay::payrolls) places: HashMap<Uuid, Place>,
    /// minimum wages for everybody at each location, and, by `None`, for employees without one
    minimum_wages: HashMap<Option<Uuid>, PlaceWages>,
    pub(in crate::pay::payrolls) employer: circumstances::Employer,
    /// keys of figures in doubt in the tables of garnishments that the operator has confirmed
    confirmed_of_garnishments: BTreeSet<String>,
    /// the company's legal form, on which some exemptions depend
    pub(in crate::pay::payrolls) legal_form: LegalForm,
    /// a day on which the company's workweeks begin
    pub(in crate::pay::payrolls) workweek: Date,
    /// the company's earning types that do not count toward the regular rate
    pub(in crate::pay::payrolls) left_out: Vec<Uuid>,
    /// the earning types that benefits exclude from percentages
    pub(in crate::pay::payrolls) excluded: Excluded,
    /// earlier regular payrolls of the same schedule, which some employees may have missed
    pub(in crate::pay::payrolls) before: Vec<submitted::Submitted>,
    /// other payrolls of the same pay period
    pub(in crate::pay::payrolls) same_period: SamePeriod,
    /// whether premiums that earlier paychecks did not deduct are recovered
    pub(in crate::pay::payrolls) recovers_premiums: bool,
}

/// The minimum wages that apply to everybody at a work location: looked up once for a payroll, because most of its employees share one.
pub(in crate::pay::payrolls) struct PlaceWages {
    on_check_date: MinimumWages,
    /// on the first day of the pay period
    at_start: MinimumWages,
    /// on the last day of the pay period
    pub(in crate::pay::payrolls) at_end: MinimumWages,
    /// warning if one that limits garnishments is from an earlier year
    overdue: Option<Warning>,
}

/// A work location, if there is one.
#[derive(Clone, Copy)]
pub(in crate::pay::payrolls) struct Workplace<'c> {
    pub(in crate::pay::payrolls) place: Option<&'c Place>,
    pub(in crate::pay::payrolls) wages: &'c PlaceWages,
}

impl PlaceWages {
    /// Returns a warning if a minimum wage that limits garnishments is from an earlier year.
    pub(in crate::pay::payrolls) fn overdue(&self) -> Option<Warning> {
        self.overdue.clone()
    }
}

impl Context {
    /// Reads the context.
    pub fn read(
        tx: &mut Tx<'_>,
        company: Uuid,
        payroll: Payroll,
        tables: PayrollTables,
    ) -> Result<Self, Error> {
        let places = locations::rows::of_company(tx, company)?.into_iter();
        let places: HashMap<_, _> = places.map(|place| (place.id, Place::of_location(&place))).collect();
        let employer = circumstances::Employer::read(tx, company, payroll.check_date, &places, &tables.held)?;
        let held = &tables.held;
        let keys =
            garnishment::keys_in_doubt(&held.garnishment_limits, &held.levy_exemptions, &held.employer_fees);
        let confirmed_of_garnishments = keys.intersection(employer.confirmed_figures()).cloned().collect();
        let before = submitted::submitted_before(tx, company, &payroll)?;
        let legal_form = company_taxes::federal::legal_form(tx, company)?;
        let table = minimum_wages::service::table(tx)?;
        let wages = |place: Option<&Place>| {
            let overdue = place.and_then(|place| table.overdue_of_everybody(place, payroll.check_date));
            PlaceWages {
                on_check_date: table.of_everybody(place, payroll.check_date),
                at_start: table.of_everybody(place, payroll.start),
                at_end: table.of_everybody(place, payroll.end),
                overdue: overdue.map(|row| not_renewed(row, payroll.check_date)),
            }
        };
        let minimum_wages = places.iter().map(|(id, place)| (Some(*id), wages(Some(place))));
        let minimum_wages = minimum_wages.chain([(None, wages(None))]).collect();
        let workweek = workweek::first_day(tx, company, &payroll)?;
        let types = earning_types::rows::of_company(tx, company)?.into_iter();
        let left_out = types.filter(|one| !one.counts_in_regular_rate).map(|one| one.id).collect();
        let excluded = Excluded::read_excluded_earnings(tx, company)?;
        let same_period = SamePeriod::read_for_payroll(tx, company, &payroll)?;
        let recovers_premiums = settings::of_company(tx, company)?.recover_missed_premiums;
        Ok(Self {
            company,
            payroll,
            table,
            tables,
            places,
            minimum_wages,
            employer,
            confirmed_of_garnishments,
            legal_form,
            workweek,
            left_out,
            excluded,
            before,
            same_period,
            recovers_premiums,
        })
    }

    pub(in crate::pay::payrolls) fn workplace_at(&self, location: Option<Uuid>) -> Workplace<'_> {
        let place = location.and_then(|id| self.places.get(&id));
        Workplace { place, wages: &self.minimum_wages[&location.filter(|_| place.is_some())] }
    }

    /// Returns the minimum wage that applies to everybody at a location on a day.
    pub(in crate::pay::payrolls) fn least_wage(
        &self,
        (location, place): (Uuid, &Place),
        day: Date,
    ) -> Amount {
        // The terms of nearly everybody hold from the first day of the pay period on.
        match self.minimum_wages.get(&Some(location)).filter(|_| day == self.payroll.start) {
            Some(wages) => wages.at_start.wage_for_basis(WageBasis::Local),
            None => self.table.general_minimum_wage(place, day),
        }
    }

    pub(in crate::pay::payrolls) fn garnishment_facts(&self, wages: &PlaceWages) -> GarnishmentFacts {
        GarnishmentFacts {
            minimum_wages: wages.on_check_date,
            confirmed: self.confirmed_of_garnishments.clone(),
        }
    }

    pub(in crate::pay::payrolls) fn circumstances_of(
        &self,
        person: &circumstances::PersonFacts<'_>,
    ) -> Circumstances {
        circumstances::find_circumstances(&self.employer, &self.places, &self.payroll, person)
    }
}

/// Warns that a minimum wage of an earlier year was used on a day.
pub(in crate::pay::payrolls) fn not_renewed(row: &MinimumWage, day: Date) -> Warning {
    let (whose, since) = (row.authority_and_place(), row.effective_date);
    let remedy = how_to_get(Table::KIND);
    let values: [(&str, &dyn Display); 4] =
        [("whose", &whose), ("day", &day), ("since", &since), ("remedy", &remedy)];
    texts::MINIMUM_WAGE_NOT_RENEWED.to_warning(&values)
}
