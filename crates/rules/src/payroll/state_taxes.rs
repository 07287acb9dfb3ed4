//! State income tax on a paycheck: of the state where the employee lives and works, or of each state that may tax a part of
//! the pay ([`crate::taxes::residence`]).

use super::input::StateTax;
use super::proration::PeriodsPaid;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::ratio::Ratio;
use crate::taxes::{
    BaseTable, Share, StateCredit, SupplementalMethod, SupplementalPay, SupplementalRate, SupplementalRates,
    Treatments,
};
use crate::withholding::state::formula::{Claims, Formula, Wages};

/// Figure of the income tax of all states together.
const FIGURE: &str = "state_income_tax";
/// Figure of the federal income tax, of which a state takes a share.
const FEDERAL: &str = "federal_income_tax";
/// Figure of the county tax withheld with the state's tax on supplemental wages.
const OF_COUNTY: &str = "county_tax_on_supplemental_wages";
/// Figure of the tax on supplemental wages.
const ON_SUPPLEMENTAL: &str = "tax_on_supplemental_wages";

/// Income tax of a state on a part of the pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateIncomeTax<'a> {
    /// How it is determined.
    pub tax: StateTax<'a>,
    /// The share of the wages on which it is withheld.
    pub share: Share,
    /// Credits for the tax of states earlier in the list.
    pub credits: Vec<StateCredit>,
    /// Which benefits count as its wages, where that differs from the federal wages.
    pub treatments: Option<Treatments>,
    /// Why the state's tax is withheld, as a sentence; empty for an employee who lives and works in one state.
    pub why: String,
}

impl<'a> StateIncomeTax<'a> {
    /// Creates the tax of the only state; benefits whose treatment is in doubt count as they do for federal wages.
    pub fn of_one(tax: StateTax<'a>) -> Self {
        let treatments = BaseTable::built_in().of_state_income(tax.state(), false);
        Self { tax, share: Share::ALL, credits: Vec::new(), treatments, why: String::new() }
    }
}

/// A state's income tax on a paycheck.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateTaxLine {
    /// Two-letter code; empty without a work address.
    pub state: String,
    /// Wages on which it is withheld.
    pub wages: Amount,
    /// The tax, limited to the remaining pay.
    pub amount: Amount,
}

/// What the formulas of states need besides the wages.
pub(super) struct Basis {
    pub gross: Amount,
    pub federal_income_tax: Amount,
    /// Additional federal withholding that Form W-4 asks for, per pay period.
    pub federal_additional: Amount,
    pub fica: Amount,
    pub fica_before: Amount,
    /// Bonuses among the wages.
    pub bonuses: Amount,
    /// Annual salary, if known.
    pub annual_salary: Option<Amount>,
    /// The pay periods paid.
    pub periods: PeriodsPaid,
}

/// Calculates the states' income tax. `wages` are the taxable wages of each state, in the order of `states`.
pub(super) fn calculate_taxes<T: Trace>(
    trace: &mut T,
    states: &[StateIncomeTax<'_>],
    basis: &Basis,
    wages: &[Amount],
) -> Option<Vec<StateTaxLine>> {
    let mut lines: Vec<StateTaxLine> = Vec::with_capacity(states.len());
    if let [state] = states
        && state.share.is_all()
        && state.why.is_empty()
    {
        let wages = *wages.first()?;
        let amount = of_state(trace, &state.tax, wages, basis)?;
        lines.push(StateTaxLine { state: state.tax.state().to_owned(), wages, amount });
        return Some(lines);
    }
    trace.open_figure();
    for (state, wages) in states.iter().zip(wages) {
        let line = state_tax_on_share(trace, state, &lines, basis, *wages)?;
        lines.push(line);
    }
    let all = lines.iter().try_fold(Amount::ZERO, |sum, line| sum.checked_add(line.amount))?;
    trace.close_figure(|| {
        let step = Step::new(FIGURE, Operation::Sum, all);
        lines.iter().fold(step, |step, line| step.input(format!("income_tax_{}", line.state), line.amount))
    });
    Some(lines)
}

/// Calculates the tax of one of several states on its share of the wages, less credits for the tax of others on the same wages.
fn state_tax_on_share<T: Trace>(
    trace: &mut T,
    state: &StateIncomeTax<'_>,
    before: &[StateTaxLine],
    basis: &Basis,
    whole: Amount,
) -> Option<StateTaxLine> {
    let share = |amount: Amount| scale_amount(amount, state.share);
    let wages = share(whole)?;
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new("wages_of_the_state", Operation::Product, wages)
            .input("state_taxable_wages", whole)
            .ratio("share", state.share.part, state.share.of)
            .rounded("0.01", Rounding::HalfUp)
    });
    let part = Basis {
        gross: share(basis.gross)?,
        federal_income_tax: share(basis.federal_income_tax)?,
        fica: share(basis.fica)?,
        fica_before: share(basis.fica_before)?,
        bonuses: share(basis.bonuses)?,
        ..*basis
    };
    let tax = of_state(trace, &state.tax, wages, &part)?;
    let by_formula =
        tax.checked_sub(basis.periods.amount_for_all(state.tax.additional_withholding())?)?.max(Amount::ZERO);
    let mut left = tax;
    let mut credited = Vec::with_capacity(state.credits.len());
    for StateCredit { place, theirs, own } in &state.credits {
        let other = before.get(*place)?;
        // A credit is for the same wages, so it is limited to the state's own tax on them.
        let (of_theirs, of_own) = (scale_amount(other.amount, *theirs)?, scale_amount(by_formula, *own)?);
        let credit = of_theirs.min(of_own);
        left = left.checked_sub(credit.min(left))?;
        let name = format!("income_tax_{}_on_the_same_wages", other.state);
        trace.add_leaf(|| {
            Step::new(name.clone(), Operation::Least, credit)
                .input("their_tax_on_the_same_wages", of_theirs)
                .input("own_tax_on_the_same_wages", of_own)
        });
        credited.push((name, credit));
    }
    let code = state.tax.state();
    trace.close_figure(|| {
        let step = Step::new(format!("income_tax_{code}"), Operation::Remaining, left).input("tax", tax);
        let step = credited.iter().fold(step, |step, (name, credit)| step.input(name.clone(), *credit));
        step.note(state.why.clone())
    });
    Some(StateTaxLine { state: code.to_owned(), wages, amount: left })
}

/// Returns a share of an amount, to the cent.
fn scale_amount(amount: Amount, share: Share) -> Option<Amount> {
    if share.is_all() {
        return Some(amount);
    }
    let part = i128::from(amount.millionths()).checked_mul(share.part.into())?;
    Amount::from_cents_ratio(part, i128::from(share.of) * 10_000, Rounding::HalfUp)
}

fn of_state<T: Trace>(trace: &mut T, state: &StateTax<'_>, taxable: Amount, basis: &Basis) -> Option<Amount> {
    let (tax, note, code) = match state {
        StateTax::Formula { formula, claims, of_bonuses: Some(rates) }
            if basis.bonuses > Amount::ZERO && !claims.is_exempt() =>
        {
            return with_bonuses(trace, (formula, claims), rates, taxable, basis);
        }
        StateTax::Formula { formula, claims, .. } => {
            return by_formula(trace, (formula, claims), taxable, basis);
        }
        StateTax::Supplemental { formula, claims, .. } if claims.is_exempt() => {
            (Amount::ZERO, NoteOf::Exempt, &formula.state)
        }
        StateTax::Supplemental { rates, claims, .. } => {
            return supplemental_tax(trace, (rates, claims.highest_county_percent()), taxable, basis);
        }
        StateTax::NoTax { state } => (Amount::ZERO, NoteOf::NoTax, state),
        StateTax::NotWithheld { state, .. } => (Amount::ZERO, NoteOf::NotWithheld, state),
        StateTax::Supplied { state, amount } => (*amount, NoteOf::Supplied, state),
        StateTax::Missing { state, reason } => (Amount::ZERO, NoteOf::Missing(reason), state),
    };
    trace.add_leaf(|| {
        let step = Step::new(FIGURE, Operation::Given, tax).input("state", code.clone());
        match note {
            NoteOf::Exempt => step.note("The certificate claims exemption from withholding."),
            NoteOf::NoTax => step.note("The state taxes no wages."),
            NoteOf::NotWithheld => step.note("Nothing is withheld for the state."),
            NoteOf::Supplied => step.note("The amount was supplied."),
            NoteOf::Missing(reason) => step.note(format!("Not withheld: {reason}.")),
        }
    });
    Some(tax)
}

/// Calculates the tax by a state's formula. For several pay periods, or part of one, multiplies the tax of one. `None` on overflow.
fn by_formula<T: Trace>(
    trace: &mut T,
    (formula, claims): (&Formula, &Claims),
    taxable: Amount,
    basis: &Basis,
) -> Option<Amount> {
    let periods = basis.periods;
    let wages = Wages {
        taxable: periods.amount_for_each(taxable)?,
        gross: periods.amount_for_each(basis.gross)?,
        federal_income_tax: periods.amount_for_each(basis.federal_income_tax)?,
        federal_additional: basis.federal_additional,
        fica: periods.amount_for_each(basis.fica)?,
        fica_before: basis.fica_before,
    };
    if periods.is_one() {
        return formula.withhold_state_tax(trace, claims, &wages, periods.frequency);
    }
    let (number, of) = periods.number();
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new("state_taxable_wages_of_a_pay_period", Operation::Product, wages.taxable)
            .input("state_taxable_wages", taxable)
            .ratio("part_of_the_pay_periods", of, number)
            .rounded("0.01", Rounding::HalfUp)
    });
    trace.open_figure();
    let tax = formula.withhold_state_tax(trace, claims, &wages, periods.frequency)?;
    trace.close_figure(|| Step::new("tax_of_a_pay_period", Operation::Sum, tax).input(FIGURE, tax));
    let all = periods.amount_for_all(tax)?;
    trace.close_figure(|| {
        Step::new(FIGURE, Operation::Product, all)
            .input("tax_of_a_pay_period", tax)
            .ratio("pay_periods", number, of)
            .rounded("0.01", Rounding::HalfUp)
    });
    Some(all)
}

/// Calculates the tax on supplemental wages at the state's rates, rounding each part once.
fn supplemental_tax<T: Trace>(
    trace: &mut T,
    (rates, county): (&SupplementalRates<'_>, Option<Amount>),
    taxable: Amount,
    basis: &Basis,
) -> Option<Amount> {
    let annual = match basis.annual_salary {
        Some(annual) => annual,
        None => {
            let (part, of) = basis.periods.of_year(1);
            basis.gross.mul_ratio(of, part, Rounding::Down)?
        }
    };
    let any = rates.find_rate(SupplementalPay::Any, annual)?;
    let parts = match any.method {
        SupplementalMethod::FederalShare => {
            vec![("share_of_federal_income_tax", FEDERAL, any, basis.federal_income_tax)]
        }
        _ if rates.tells_bonuses_apart() => {
            let bonuses = basis.bonuses.min(taxable);
            let bonus = rates.find_rate(SupplementalPay::Bonus, annual)?;
            let others = taxable.checked_sub(bonuses)?;
            vec![("tax_on_bonuses", "bonuses", bonus, bonuses), (ON_SUPPLEMENTAL, "other_wages", any, others)]
        }
        _ => vec![(ON_SUPPLEMENTAL, "state_taxable_wages", any, taxable)],
    };
    trace.open_figure();
    let (mut tax, mut worked) = (Amount::ZERO, Vec::with_capacity(parts.len()));
    for (figure, name, rate, wages) in parts {
        let part = at_rate(trace, (figure, name), rate, wages)?;
        tax = tax.checked_add(part)?;
        worked.push((figure, part));
    }
    if let Some(percent) = county {
        let part = Ratio::from_amount(taxable).percent(percent)?.to_cents(Rounding::HalfUp)?;
        tax = tax.checked_add(part)?;
        worked.push((OF_COUNTY, part));
        trace.add_leaf(|| {
            Step::new(OF_COUNTY, Operation::Product, part)
                .input("state_taxable_wages", taxable)
                .ratio("rate", percent.millionths(), 100_000_000)
                .rounded("0.01", Rounding::HalfUp)
                .note("The highest rate of the county is added to the state's.")
        });
    }
    trace.close_figure(|| {
        let step = Step::new(FIGURE, Operation::Sum, tax).input("state", rates.state().to_owned());
        worked.iter().fold(step, |step, (figure, part)| step.input(*figure, *part))
    });
    Some(tax)
}

/// Calculates the tax on wages at a state's rate, and explains it as `figure`.
fn at_rate<T: Trace>(
    trace: &mut T,
    (figure, name): (&'static str, &'static str),
    rate: &SupplementalRate,
    wages: Amount,
) -> Option<Amount> {
    let exact = Ratio::from_amount(wages).percent(rate.percent)?;
    let (tax, unit) = match rate.in_dollars {
        true => (exact.to_dollars(Rounding::HalfUp)?, "1"),
        false => (exact.to_cents(Rounding::HalfUp)?, "0.01"),
    };
    trace.add_leaf(|| {
        let step = Step::new(figure, Operation::Product, tax)
            .input(name, wages)
            .ratio("rate", rate.percent.millionths(), 100_000_000)
            .rounded(unit, Rounding::HalfUp)
            .source(rate.source.clone());
        if rate.note.is_empty() { step } else { step.note(rate.note.clone()) }
    });
    Some(tax)
}

/// Calculates the tax of a state in which bonuses bear its rate even where they are paid together with regular wages.
fn with_bonuses<T: Trace>(
    trace: &mut T,
    formula: (&Formula, &Claims),
    rates: &SupplementalRates<'_>,
    taxable: Amount,
    basis: &Basis,
) -> Option<Amount> {
    let bonuses = basis.bonuses.min(taxable);
    let regular = Basis { gross: basis.gross.checked_sub(bonuses)?, bonuses: Amount::ZERO, ..*basis };
    let wages = taxable.checked_sub(bonuses)?;
    let rate = rates.find_rate(SupplementalPay::Bonus, basis.annual_salary.unwrap_or_default())?;
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new("regular_wages", Operation::Difference, wages)
            .input("state_taxable_wages", taxable)
            .input("bonuses", bonuses)
    });
    trace.open_figure();
    let on_wages = by_formula(trace, formula, wages, &regular)?;
    trace
        .close_figure(|| Step::new("tax_on_regular_wages", Operation::Sum, on_wages).input(FIGURE, on_wages));
    let on_bonuses = at_rate(trace, ("tax_on_bonuses", "bonuses"), rate, bonuses)?;
    let tax = on_wages.checked_add(on_bonuses)?;
    trace.close_figure(|| {
        Step::new(FIGURE, Operation::Sum, tax)
            .input("state", rates.state().to_owned())
            .input("tax_on_regular_wages", on_wages)
            .input("tax_on_bonuses", on_bonuses)
    });
    Some(tax)
}

/// Why a state's tax is not calculated by a formula.
enum NoteOf<'e> {
    Exempt,
    NoTax,
    NotWithheld,
    Supplied,
    Missing(&'e str),
}

#[cfg(test)]
#[path = "state_taxes_tests.rs"]
mod tests;
