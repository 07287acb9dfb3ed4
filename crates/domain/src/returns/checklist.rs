//! What an employer and its accountant look at first before a year is filed: each point with its figures, and whether they agree.

use jiff::civil::{Date, date};
use returns::format_dollars;
use returns::reconcile::{Comparison, Verdict};
use returns::w2::MoneyBox;
use rules::Amount;
use rules::days::Days;
use rules::payroll::taxes::PayrollTaxes;
use rules::taxes::book::state_of_income_tax;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::calendar::DueReturn;
use super::figures::{PaidPerson, YearFigures};
use super::forms::content::{FormOf, TaxFormKind};
use super::forms::rows::{self, State};
use super::readiness::{Missing, Subject};
use crate::error::Error;
use crate::pay::payrolls::record::rows as payrolls;
use crate::platform::law::Tables;

/// Codes of box 12 that are compared with what the administrators of the plans have.
const OF_PLANS: [&str; 10] = ["D", "E", "F", "S", "AA", "BB", "EE", "W", "DD", "Y"];
/// Deferrals that lower box 1, and not box 5.
const BEFORE_TAXES: [&str; 4] = ["D", "E", "F", "S"];

/// How a point stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ChecklistState {
    /// its figures agree, or nothing is to be done
    #[strum(serialize = "agrees")]
    Agrees,
    /// a person compares the figures with what is known elsewhere
    #[strum(serialize = "compare")]
    Compare,
    /// something is missing, late or contradicts something else
    #[strum(serialize = "missing")]
    Missing,
}

/// A point of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// its key
    pub key: &'static str,
    /// what is looked at
    pub title: &'static str,
    /// how it stands
    pub state: ChecklistState,
    /// its figures, in words
    pub figures: Vec<String>,
}

impl Check {
    fn new(key: &'static str, title: &'static str, state: ChecklistState, figures: Vec<String>) -> Self {
        Self { key, title, state, figures }
    }
}

/// Returns the points of a year in which there was a payroll, or of which something is closed; nothing for another one.
pub fn of_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    (year, returns, missing): (&YearFigures, &[DueReturn], &[Missing]),
    today: Date,
) -> Result<Vec<Check>, Error> {
    let tables = Tables::read(tx)?;
    let days = Days { first: date(year.year, 1, 1), last: date(year.year, 12, 31) };
    // Of a payroll all of whose paychecks are voided nobody is left, and what was closed before is to be looked at all the same.
    let is_empty = year.people.is_empty()
        && returns.iter().all(|one| one.closed.is_none())
        && payrolls::processed_payrolls(tx, company, days)?.is_empty();
    let Some(taxes) = tables.payroll_taxes.taxes_of_year(year.year).filter(|_| !is_empty) else {
        return Ok(Vec::new());
    };
    Ok(vec![
        compared_check(
            "statements",
            "Forms W-2 and W-3, and the returns of withheld taxes",
            &year.comparisons,
        ),
        with_books(year),
        wage_bridge_check(year, taxes),
        turn_of_the_year(tx, company, year.year)?,
        imputed_income_check(year),
        benefit_plans_check(year),
        tips_and_overtime(year, missing),
        state_wages_check(year),
        unemployment_check(year, taxes),
        identities_check(missing),
        of_others(year),
        receipts_check(returns, today),
    ])
}

fn compared_check<'c>(
    key: &'static str,
    title: &'static str,
    all: impl IntoIterator<Item = &'c Comparison>,
) -> Check {
    let (mut state, mut figures) = (ChecklistState::Agrees, Vec::new());
    for one in all {
        let [left, right] = [one.left, one.right].map(format_dollars);
        let why = match &one.verdict {
            Verdict::Equal => String::new(),
            Verdict::Explained(why) => format!(": {why}"),
            Verdict::Blocker(why) => {
                state = ChecklistState::Missing;
                format!(": {why}")
            }
        };
        figures.push(format!("{} {left}, {} {right}{why}", one.left_name, one.right_name));
    }
    Check::new(key, title, state, figures)
}

fn with_books(year: &YearFigures) -> Check {
    let of_quarters = year.quarters.iter().flat_map(|one| &one.comparisons);
    let of_year = year.form_944.iter().flat_map(|one| &one.comparisons);
    compared_check("books", "Returns of withheld taxes, the books and deposits", of_quarters.chain(of_year))
}

/// From box 1 to box 5, and who is above the limits.
fn wage_bridge_check(year: &YearFigures, taxes: &PayrollTaxes) -> Check {
    let w3 = &year.w3;
    let deferred: i64 = BEFORE_TAXES.iter().map(|code| w3.code(code)).sum();
    let of_income_alone: i64 = year.people.iter().map(|one| one.shareholder_health).sum();
    let (wages, medicare) = (w3.amount(MoneyBox::Wages), w3.amount(MoneyBox::MedicareWages));
    let left = medicare - (wages + deferred - of_income_alone);
    let above = |limit: Amount| {
        let cents = limit.cents_half_up();
        year.people.iter().filter(|one| one.medicare_wages > cents).count()
    };
    let capped = w3.amount(MoneyBox::SocialSecurityWages) + w3.amount(MoneyBox::SocialSecurityTips);
    let figures = vec![
        format!(
            "box 1 {}, deferrals before taxes {}, health insurance of shareholders {}, box 5 {}: {} are left, such as wages after a death",
            format_dollars(wages),
            format_dollars(deferred),
            format_dollars(of_income_alone),
            format_dollars(medicare),
            format_dollars(left)
        ),
        format!(
            "boxes 3 and 7 {}, above the wage base {}",
            format_dollars(capped),
            format_dollars(medicare - capped)
        ),
        format!("people above the wage base: {}", above(taxes.social_security_base)),
        format!("people with Additional Medicare tax: {}", above(taxes.additional_medicare_threshold)),
    ];
    let state = if left == 0 { ChecklistState::Agrees } else { ChecklistState::Compare };
    Check::new("bridge", "From box 1 to boxes 3 and 5", state, figures)
}

/// Pay of one year for days of another, and what changed after a close.
fn turn_of_the_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Check, Error> {
    let before = payrolls::processed_payrolls(
        tx,
        company,
        Days { first: date(year, 1, 1), last: date(year, 12, 31) },
    )?;
    let after = payrolls::processed_payrolls(
        tx,
        company,
        Days { first: date(year + 1, 1, 1), last: date(year + 1, 12, 31) },
    )?;
    let of_last_year = before.iter().filter(|one| one.start.year() < year).count();
    let of_this_year = after.iter().filter(|one| one.start.year() <= year).count();
    let open = rows::list_corrections(tx, company, true)?;
    let open = open.iter().filter(|one| one.day.year() == year).count();
    let figures = vec![
        format!("payrolls with days of {} that are wages of {year}: {of_last_year}", year - 1),
        format!("payrolls with days of {year} that are wages of {}: {of_this_year}", year + 1),
        format!("changes of closed periods that nobody has settled: {open}"),
    ];
    let state = match (open, of_last_year + of_this_year) {
        (0, 0) => ChecklistState::Agrees,
        (0, _) => ChecklistState::Compare,
        _ => ChecklistState::Missing,
    };
    Ok(Check::new(
        "turn_of_the_year",
        "Pay around the turn of the year, and what changed since",
        state,
        figures,
    ))
}

fn sum_of_people(people: &[PaidPerson], of: fn(&PaidPerson) -> i64) -> i64 {
    people.iter().map(of).sum()
}

fn imputed_income_check(year: &YearFigures) -> Check {
    let life = year.w3.code("C");
    let health = sum_of_people(&year.people, |one| one.shareholder_health);
    let other = sum_of_people(&year.people, |one| one.other_imputed);
    let figures = vec![
        format!("group-term life insurance (code C): {}", format_dollars(life)),
        format!("health insurance of shareholders: {}", format_dollars(health)),
        format!("other, such as cars and gifts: {}", format_dollars(other)),
    ];
    // What nobody entered is not known here either.
    Check::new("imputed_income", "Benefits that are wages", ChecklistState::Compare, figures)
}

fn benefit_plans_check(year: &YearFigures) -> Check {
    let codes = OF_PLANS.iter().filter(|code| year.w3.code(code) != 0);
    let figures: Vec<String> =
        codes.map(|code| format!("code {code}: {}", format_dollars(year.w3.code(code)))).collect();
    let state = if figures.is_empty() { ChecklistState::Agrees } else { ChecklistState::Compare };
    Check::new("plans", "Box 12, and what the administrators of the plans have", state, figures)
}

fn tips_and_overtime(year: &YearFigures, missing: &[Missing]) -> Check {
    let (tips, premium) = (year.w3.code("TP"), year.w3.code("TT"));
    let without = missing.iter().filter(|one| one.subject == Subject::TippedOccupation).count();
    let figures = vec![
        format!(
            "tips (code TP): {}; of them in box 7: {}",
            format_dollars(tips),
            format_dollars(year.w3.amount(MoneyBox::SocialSecurityTips))
        ),
        format!("people with tips and without an occupation: {without}"),
        format!("premium of overtime (code TT): {}", format_dollars(premium)),
    ];
    let state = match (without, tips, premium) {
        (0, 0, 0) => ChecklistState::Agrees,
        (0, ..) => ChecklistState::Compare,
        _ => ChecklistState::Missing,
    };
    Check::new("tips_and_overtime", "Tips and overtime", state, figures)
}

/// Boxes 16 and 17 of the Forms W-2 against what the quarters come to.
fn state_wages_check(year: &YearFigures) -> Check {
    let (mut state, mut figures) = (ChecklistState::Agrees, Vec::new());
    for (code, of_w3) in &year.w3.states {
        let of_state =
            year.other_taxes.iter().filter(|tax| state_of_income_tax(&tax.id.code) == Some(code.as_str()));
        let (wages, tax, lacks) = of_state.fold((0, 0, false), |(wages, tax, lacks), one| {
            (wages + one.taxable, tax + one.amount, lacks || one.lacks_wages)
        });
        if (wages, tax) != (of_w3.wages, of_w3.tax) || lacks {
            state = ChecklistState::Missing;
        }
        figures.push(format!(
            "{code}: box 16 {}, its quarters {}; box 17 {}, its quarters {}",
            format_dollars(of_w3.wages),
            format_dollars(wages),
            format_dollars(of_w3.tax),
            format_dollars(tax)
        ));
    }
    Check::new("states", "States: boxes 16 and 17, and the returns of the quarters", state, figures)
}

fn unemployment_check(year: &YearFigures, taxes: &PayrollTaxes) -> Check {
    let of = FormOf { kind: TaxFormKind::F940, year: year.year, quarter: None };
    let mut figures: Vec<String> = year.blockers_of(of).map(|one| one.why.clone()).collect();
    let state = if figures.is_empty() { ChecklistState::Agrees } else { ChecklistState::Missing };
    if let Some(form) = &year.form_940 {
        let most = taxes.futa_base.cents_half_up() * i64::try_from(year.people.len()).unwrap_or(i64::MAX);
        let taxable = form.states.iter().map(|one| one.wages).sum();
        figures.insert(
            0,
            format!(
                "taxable wages {}, at most {} of {} people",
                format_dollars(taxable),
                format_dollars(most),
                year.people.len()
            ),
        );
    }
    Check::new("unemployment", "Form 940: wage base, credit reductions, exempt payments", state, figures)
}

fn identities_check(missing: &[Missing]) -> Check {
    let of = |subject| missing.iter().filter(|one| one.subject == subject).count();
    let (numbers, homes) = (of(Subject::Ssn), of(Subject::HomeAddress));
    let figures = vec![
        format!("people without a Social Security number: {numbers}"),
        format!("people without a home address: {homes}"),
    ];
    // Whether names are those of the cards, only the cards say.
    let state = if numbers + homes > 0 { ChecklistState::Missing } else { ChecklistState::Compare };
    Check::new("identities", "Names and numbers as on the cards, and addresses", state, figures)
}

fn of_others(year: &YearFigures) -> Check {
    let incomplete = year.people.iter().filter(|one| one.is_incomplete).count();
    let figures = vec![format!("people of whom earlier pay is not known enough: {incomplete}")];
    let state = if incomplete == 0 { ChecklistState::Agrees } else { ChecklistState::Missing };
    Check::new("earlier_provider", "What came from the provider before", state, figures)
}

fn receipts_check(returns: &[DueReturn], today: Date) -> Check {
    let (mut state, mut figures) = (ChecklistState::Agrees, Vec::new());
    for one in returns {
        let quarter = one.quarter.map(|quarter| format!(", quarter {quarter}")).unwrap_or_default();
        let filed = one.closed.as_ref().filter(|form| form.state == State::Filed);
        let said = match filed {
            Some(form) => format!("filed, {}", form.receipt.as_deref().unwrap_or_default()),
            None => format!("not filed, due {}", one.due),
        };
        state = match filed {
            Some(_) => state,
            None if one.due < today => ChecklistState::Missing,
            None if state == ChecklistState::Agrees => ChecklistState::Compare,
            None => state,
        };
        figures.push(format!("Form {}{quarter}: {said}", one.form_code));
    }
    Check::new("receipts", "Who signs and uploads, and the receipts", state, figures)
}
