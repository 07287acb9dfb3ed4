//! What a stored paycheck keeps for returns.
//!
//! Wages and taxes are those of its lines. What benefits add to Form W-2 and exempt from federal unemployment tax follows from their type:
//! 26 USC 125, 129, 3306(b)(5); General Instructions for Forms W-2 and W-3, box 12.

use std::collections::{BTreeMap, BTreeSet};

use returns::Payment;
use returns::payment::{Exempt, Imputed, Lack, LocalTaxed, StateTaxed, Taxed};
use rules::Amount;
use rules::payroll::FixedKind as RulesKind;
use rules::payroll::benefits::{BenefitType, kind};
use rules::taxes::Level;
use rules::taxes::book::{
    ADDITIONAL_MEDICARE, FEDERAL_INCOME, FUTA, MEDICARE, SOCIAL_SECURITY, state_of_income_tax,
};

use crate::error::Error;
use crate::pay::external_payrolls::items::{self, Item};
use crate::pay::external_payrolls::numbers::{self, OVERTIME};
use crate::pay::external_payrolls::rows::ExternalPayroll;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::lines::{Earning, StoredPaycheck};
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::taxes::TaxPaid;

/// Amounts of a benefit, in cents.
#[derive(Debug, Clone, Copy, Default)]
struct Shares {
    deduction: i64,
    contribution: i64,
    imputed: i64,
}

fn cents_of(amount: Amount) -> i64 {
    amount.cents_half_up()
}

/// Returns what a paycheck keeps, of what it paid.
///
/// # Errors
/// The stored paycheck can't be read.
pub fn of_paycheck(
    payroll: &Payroll,
    outcome: &Outcome,
    (paid, inputs): (&Paid, &PaycheckInputs),
) -> Result<Payment, Error> {
    let state = inputs.circumstances.covering_state();
    let paycheck = StoredPaycheck { outcome, paid, inputs: Some(inputs) };
    let tips = [FixedKind::CashTips, FixedKind::PaycheckTips].map(Earning::Fixed);
    let earnings = paycheck.earning_lines();
    let of_tips =
        || earnings.iter().filter(|line| tips.contains(&line.of.earning) && line.amount != Amount::ZERO);
    let occupation = |job: usize| paid.jobs.get(job)?.tipped_occupation.clone();
    let mut payment = Payment {
        paycheck: format!("{}/{}", payroll.id, outcome.employee),
        pay_date: payroll.check_date,
        tips: cents_of(of_tips().map(|line| line.amount).sum()),
        tipped_occupations: of_tips().filter_map(|line| occupation(line.of.job)).collect(),
        ..Payment::default()
    };
    fill_payment(&mut payment, paid, state);
    Ok(payment)
}

/// Fills in what follows from the stored lines; `state` is that whose unemployment insurance covers the work, if it is known.
fn fill_payment(payment: &mut Payment, paid: &Paid, state: Option<&str>) {
    for tax in &paid.taxes {
        add_tax(payment, tax, state);
    }
    for line in &paid.uncollected {
        match line.code.as_str() {
            "A" => payment.uncollected.social_security += cents_of(line.amount),
            _ => payment.uncollected.medicare += cents_of(line.amount),
        }
    }
    for line in &paid.benefits {
        let [deduction, contribution, imputed] =
            [line.deduction, line.contribution, line.imputed].map(cents_of);
        add_benefit(payment, line.code, Shares { deduction, contribution, imputed });
    }
    payment.overtime_premium = cents_of(paid.jobs.iter().map(|job| job.flsa_premium).sum());
}

/// Returns what another provider told of a payment. What it did not tell is lacking, and forms with it are incomplete.
pub fn of_external(payroll: &ExternalPayroll, item: &Item) -> Payment {
    let mut payment = Payment {
        paycheck: payroll.id.to_string(),
        pay_date: payroll.check_date,
        lacks: lacks_of(item),
        ..Payment::default()
    };
    let state = item.taxes.iter().find_map(|line| line.id.code.strip_suffix("_SUI").map(str::to_owned));
    for tax in of_item(item) {
        add_tax(&mut payment, &tax, state.as_deref());
    }
    payment.tips = if payment.lacks.contains(&Lack::Tips) { 0 } else { cents_of(tips_of(item)) };
    for line in &item.benefits {
        let [deduction, contribution] = [line.deduction, line.contribution].map(cents_of);
        add_benefit(&mut payment, line.code, Shares { deduction, contribution, imputed: 0 });
    }
    payment
}

/// The taxes of an item as lines of a paycheck, as far as they are told: within a payment wages fill the wage base before tips.
pub(super) fn of_item(item: &Item) -> Vec<TaxPaid> {
    let earned: Amount = item.earnings.iter().map(|line| line.amount).sum();
    let exempt = item
        .benefits
        .iter()
        .filter(|line| BenefitType::find_by_code(line.code).is_some_and(|one| one.deduction_lowers().futa));
    let of_futa = earned - exempt.map(|line| line.deduction).sum::<Amount>();
    let all = wages_of(item, MEDICARE).unwrap_or_default();
    let told = |line: &items::TaxLine| {
        let taxable = line.taxable.unwrap_or_default();
        let of_code = TaxPaid::reported_by_code(line.id.clone(), line.amount);
        match line.id.code.as_str() {
            SOCIAL_SECURITY => {
                let wages = taxable.min((all - tips_of(item)).max(Amount::ZERO));
                TaxPaid { subject: taxable, taxable, tips: taxable - wages, ..of_code }
            }
            FUTA if line.taxable.is_some() => TaxPaid { subject: of_futa.max(taxable), taxable, ..of_code },
            _ => TaxPaid { subject: taxable, taxable, ..of_code },
        }
    };
    item.taxes.iter().map(told).collect()
}

/// Wages that a tax of the employee was calculated on; of the employer if it alone pays it.
fn wages_of(item: &Item, code: &str) -> Option<Amount> {
    item.taxes.iter().filter(|line| line.id.code == code).find_map(|line| line.taxable)
}

/// Tips among the earnings.
fn tips_of(item: &Item) -> Amount {
    let is_tip = |line: &&items::Earning| {
        let kind = numbers::pay_type(line.id).map(|one| one.kind);
        !line.own && matches!(kind, Some(RulesKind::PaycheckTips | RulesKind::CashTips))
    };
    item.earnings.iter().filter(is_tip).map(|line| line.amount).sum()
}

/// What an item does not tell of what the forms need.
fn lacks_of(item: &Item) -> BTreeSet<Lack> {
    let tells = |code: &str| wages_of(item, code).is_some();
    let is_of_state = |line: &&items::TaxLine| state_of_income_tax(&line.id.code).is_some();
    let tells_states = item.taxes.iter().filter(is_of_state).all(|line| line.taxable.is_some());
    let has_overtime =
        item.earnings.iter().any(|line| !line.own && !line.amount.is_zero() && OVERTIME.contains(&line.id));
    let lacks = [
        (Lack::FederalIncomeWages, tells(FEDERAL_INCOME)),
        // An item that tells no wages at all says nothing of states either.
        (Lack::StateWages, tells_states && tells(FEDERAL_INCOME)),
        (Lack::Tips, tells(SOCIAL_SECURITY) && tells(MEDICARE)),
        (Lack::ExemptPayments, tells(FUTA)),
        (Lack::OvertimePremium, tells(FEDERAL_INCOME) && !has_overtime),
    ];
    lacks.into_iter().filter(|(_, is_told)| !is_told).map(|(lack, _)| lack).collect()
}

fn add_tax(payment: &mut Payment, tax: &TaxPaid, state: Option<&str>) {
    let [subject, taxable, tips, amount] = [tax.subject, tax.taxable, tax.tips, tax.amount].map(cents_of);
    let taxed = Taxed { wages: taxable, tax: amount };
    match (tax.id.code.as_str(), tax.is_of_employer()) {
        (FEDERAL_INCOME, _) => payment.federal_income = taxed,
        (SOCIAL_SECURITY, of_employer) => {
            let of = &mut payment.social_security;
            (of.wages, of.tips) = (taxable - tips, tips);
            *(if of_employer { &mut of.employer } else { &mut of.employee }) = amount;
        }
        (MEDICARE, of_employer) => {
            let of = &mut payment.medicare;
            of.wages = taxable;
            *(if of_employer { &mut of.employer } else { &mut of.employee }) = amount;
        }
        (ADDITIONAL_MEDICARE, _) => payment.additional_medicare = taxed,
        (FUTA, _) => {
            (payment.futa.subject, payment.futa.tax) = (subject, amount);
            match state {
                _ if taxable == 0 => {}
                Some(state) => *payment.futa.by_state.entry(state.to_owned()).or_default() += taxable,
                None => payment.futa.without_state += taxable,
            }
        }
        (_, true) => {}
        (code, false) => match (state_of_income_tax(code), tax.jurisdiction.level) {
            (Some(state), _) => payment.states.push(StateTaxed { state: state.to_owned(), taxed }),
            // Contributions to a state's insurance are told in box 14a.
            (None, Level::Country | Level::State) => {
                *payment.other.entry(tax.label.clone()).or_default() += amount;
            }
            (None, _) => payment.localities.push(LocalTaxed {
                state: tax.jurisdiction.state.clone(),
                locality: tax.label.clone(),
                taxed,
            }),
        },
    }
}

/// Adds what a benefit of a type means for Form W-2 and for federal unemployment tax.
fn add_benefit(payment: &mut Payment, code: i64, shares: Shares) {
    let Shares { deduction, contribution, imputed } = shares;
    let both = deduction + contribution;
    let told = match code {
        kind::TRADITIONAL_401K => Some(("D", deduction)),
        kind::TRADITIONAL_403B => Some(("E", deduction)),
        kind::SARSEP => Some(("F", deduction)),
        kind::SIMPLE_IRA => Some(("S", deduction)),
        kind::ROTH_401K => Some(("AA", deduction)),
        kind::ROTH_403B => Some(("BB", deduction)),
        kind::HSA => Some(("W", both)),
        // Both shares of major medical cover; stand-alone dental and vision plans do not count.
        kind::MEDICAL => Some(("DD", both)),
        _ => None,
    };
    let add = |sums: &mut BTreeMap<String, i64>, (code, amount): (&str, i64)| {
        *sums.entry(code.to_owned()).or_default() += amount;
    };
    if let Some(told) = told {
        add(&mut payment.box_12, told);
    }
    if code == kind::DEPENDENT_CARE_FSA {
        payment.dependent_care += both;
    }
    // Health insurance is income of more-than-2 % shareholders alone.
    let of_shareholder = imputed != 0 && matches!(code, kind::MEDICAL | kind::DENTAL | kind::VISION);
    if imputed != 0 {
        let kind = match code {
            kind::GROUP_TERM_LIFE => Imputed::GroupTermLife,
            _ if of_shareholder => Imputed::ShareholderHealth,
            _ => Imputed::Other,
        };
        *payment.imputed.entry(kind).or_default() += imputed;
    }
    let Some(of_type) = BenefitType::find_by_code(code) else { return };
    let exempt = match (code, of_type.marks.retirement, of_type.marks.imputed) {
        (kind::GROUP_TERM_LIFE, ..) => Some((Exempt::GroupTermLife, contribution)),
        (kind::DEPENDENT_CARE_FSA, ..) => Some((Exempt::DependentCare, both)),
        // Deferrals remain wages of unemployment tax; what the employer adds is none.
        (_, true, _) => Some((Exempt::Retirement, contribution)),
        (_, _, true) => None,
        // Their own part is paid of wages after taxes.
        _ if of_shareholder => Some((Exempt::FringeBenefits, contribution)),
        _ if of_type.deduction_lowers().futa => Some((Exempt::FringeBenefits, both)),
        _ => Some((Exempt::Other, contribution)),
    };
    if let Some((kind, amount)) = exempt.filter(|(_, amount)| *amount != 0) {
        *payment.futa.exempt.entry(kind).or_default() += amount;
    }
}

#[cfg(test)]
mod tests {
    use rules::taxes::{Jurisdiction, TaxId};

    use super::*;
    use crate::pay::payrolls::record::paycheck::{BenefitPaid, JobPaid};

    fn tax(id: TaxId, [subject, taxable, tips, amount]: [i64; 4]) -> TaxPaid {
        let reported = TaxPaid::from_reported_amount(
            id,
            "as shown".to_owned(),
            Jurisdiction::country(),
            Amount::from_cents(amount),
        );
        let [subject, taxable, tips] = [subject, taxable, tips].map(Amount::from_cents);
        TaxPaid { subject, taxable, tips, ..reported }
    }

    fn benefit(code: i64, deduction: i64, contribution: i64) -> BenefitPaid {
        BenefitPaid {
            company_benefit: uuid::Uuid::nil(),
            record: uuid::Uuid::nil(),
            code,
            name: String::new(),
            deduction: Amount::from_cents(deduction),
            contribution: Amount::from_cents(contribution),
            imputed: Amount::ZERO,
        }
    }

    fn of(paid: &Paid) -> Payment {
        let mut payment = Payment::default();
        fill_payment(&mut payment, paid, Some("OR"));
        payment
    }

    #[test]
    fn social_security_wages_are_kept_apart_from_tips_and_taxes_by_payer() {
        let paid = Paid {
            taxes: vec![
                tax(TaxId::of_employee(FEDERAL_INCOME), [55_000, 55_000, 0, 3_000]),
                tax(TaxId::of_employee(SOCIAL_SECURITY), [58_706, 58_706, 54_000, 3_640]),
                tax(TaxId::of_employee(MEDICARE), [58_706, 58_706, 0, 851]),
                tax(TaxId::of_employer(SOCIAL_SECURITY), [58_706, 58_706, 54_000, 3_639]),
                tax(TaxId::of_employer(MEDICARE), [58_706, 58_706, 0, 852]),
                tax(TaxId::of_employer(FUTA), [58_706, 10_000, 0, 60]),
                tax(TaxId::of_employee("OR_INCOME"), [55_000, 55_000, 0, 2_000]),
            ],
            ..Paid::default()
        };
        let payment = of(&paid);
        assert_eq!((payment.social_security.wages, payment.social_security.tips), (4_706, 54_000));
        assert_eq!((payment.social_security.employee, payment.social_security.employer), (3_640, 3_639));
        assert_eq!((payment.medicare.employee, payment.medicare.employer), (851, 852));
        assert_eq!(payment.federal_income, Taxed { wages: 55_000, tax: 3_000 });
        assert_eq!(payment.futa.by_state, [("OR".to_owned(), 10_000)].into());
        assert_eq!((payment.futa.subject, payment.futa.tax), (58_706, 60));
        assert_eq!(payment.states.len(), 1);
        assert_eq!(payment.states[0].taxed, Taxed { wages: 55_000, tax: 2_000 });
    }

    #[test]
    fn unemployment_wages_without_a_known_state_are_counted_and_belong_to_no_state() {
        let paid =
            Paid { taxes: vec![tax(TaxId::of_employer(FUTA), [58_706, 10_000, 0, 60])], ..Paid::default() };
        let mut payment = Payment::default();
        fill_payment(&mut payment, &paid, None);
        assert!(payment.futa.by_state.is_empty());
        assert_eq!((payment.futa.without_state, payment.futa_wages()), (10_000, 10_000));
        assert_eq!(payment.reversal_on("r", payment.pay_date).futa_wages(), -10_000);
    }

    #[test]
    fn benefits_become_codes_of_box_12_and_exempt_payments() {
        let paid = Paid {
            benefits: vec![
                benefit(kind::MEDICAL, 7_200, 21_000),
                benefit(kind::TRADITIONAL_401K, 20_000, 10_000),
                benefit(kind::HSA, 500, 700),
                benefit(kind::DENTAL, 300, 0),
                benefit(kind::DEPENDENT_CARE_FSA, 1_000, 0),
            ],
            ..Paid::default()
        };
        let payment = of(&paid);
        let codes = [("D", 20_000), ("DD", 28_200), ("W", 1_200)];
        assert_eq!(payment.box_12, codes.map(|(code, cents)| (code.to_owned(), cents)).into());
        assert_eq!(payment.dependent_care, 1_000);
        let exempt = [
            (Exempt::FringeBenefits, 28_200 + 1_200 + 300),
            (Exempt::Retirement, 10_000),
            (Exempt::DependentCare, 1_000),
        ];
        assert_eq!(payment.futa.exempt, exempt.into());
    }

    #[test]
    fn health_insurance_of_a_shareholder_is_told_in_box_14_and_its_own_part_is_not_exempt() {
        let medical =
            BenefitPaid { imputed: Amount::from_cents(21_000), ..benefit(kind::MEDICAL, 7_200, 21_000) };
        let life = BenefitPaid { imputed: Amount::from_cents(900), ..benefit(kind::GROUP_TERM_LIFE, 0, 900) };
        let payment = of(&Paid { benefits: vec![medical, life], ..Paid::default() });
        let imputed = [(Imputed::GroupTermLife, 900), (Imputed::ShareholderHealth, 21_000)];
        assert_eq!(payment.imputed, imputed.into());
        let exempt = [(Exempt::FringeBenefits, 21_000), (Exempt::GroupTermLife, 900)];
        assert_eq!(payment.futa.exempt, exempt.into());
    }

    #[test]
    fn the_premium_of_overtime_is_that_of_all_jobs() {
        let job = |premium: i64| JobPaid { flsa_premium: Amount::from_cents(premium), ..JobPaid::default() };
        let payment = of(&Paid { jobs: vec![job(1_250), job(300)], ..Paid::default() });
        assert_eq!(payment.overtime_premium, 1_550);
        assert!(payment.lacks.is_empty());
    }
}
