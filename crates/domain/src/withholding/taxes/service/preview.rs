//! What a Form W-4 would withhold, before it is saved.

use rules::compensation::annualized_pay;
use rules::withholding::federal::{DependentCredits, PayFrequency, W4, withhold_income_tax};
use rules::{Amount, Rounding};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations;
use crate::platform::law;

/// What would be withheld from a paycheck today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preview {
    /// gross pay; an hourly employee is assumed to work full time
    pub gross: Amount,
    /// pay frequency
    pub frequency: PayFrequency,
    /// whether the frequency is assumed
    pub frequency_is_assumed: bool,
    /// federal income tax
    pub withheld: Amount,
    /// year of the tables: an earlier one if those of this year are not available yet
    pub tables_of: i16,
}

/// Returns what step 3 of Form W-4 multiplies today; `None` if no table says so.
pub fn dependent_credits(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<DependentCredits>, Error> {
    let today = caller.today(tx);
    Ok(law::federal_withholding(tx)?.dependent_credits(today.year()))
}

/// What `w4` would withhold from the pay of the primary job; `None` if the pay is unknown, or commissions only.
pub fn federal_preview(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    w4: &W4,
) -> Result<Option<Preview>, Error> {
    let today = caller.today(tx);
    let pay = compensations::rows::of_employee(tx, caller.company, employee)?;
    let primary = pay.primary_job().and_then(|job| pay.compensation_on(job.id, today));
    let Some(terms) = primary.map(|pay| pay.pay_terms()).filter(|terms| terms.rate > Amount::ZERO) else {
        return Ok(None);
    };
    let frequency = PayFrequency::EveryOtherWeek;
    let periods = frequency.periods_per_year();
    let gross =
        annualized_pay(&terms, Some(periods)).and_then(|year| year.mul_ratio(1, periods, Rounding::HalfUp));
    let held = law::federal_withholding(tx)?;
    let tables = held.iter().filter(|of_year| of_year.year <= today.year()).last();
    Ok(gross.zip(tables).and_then(|(gross, tables)| {
        let gross = gross.round_to_cents(Rounding::HalfUp);
        let withheld = withhold_income_tax(tables, w4, gross, frequency)?;
        Some(Preview { gross, frequency, frequency_is_assumed: true, withheld, tables_of: tables.year })
    }))
}
