//! What a paycheck is calculated from.
//!
//! [`Payroll`] is the same for everybody, [`Employee`] is one of its employees. Whoever calls has read everything
//! at one moment and checked it; nothing here is checked again but that sums stay within what an amount can hold.
//! Jobs, lines and orders are told apart by their place in the lists, and the result ([`super::Paycheck`]) has its
//! lists in the same order.
//!
//! What an employee's records say (jobs, fixed pay, the Form W-4, answers to a state's certificate, benefits,
//! garnishments, year-to-date wages, payment splits) serialises with serde: amounts as exact decimal text, enums by
//! name. [`Payroll`], [`Employee`] and [`StateTax`] borrow tables and do not.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::benefits::{Benefit, BenefitToDate, Limits};
use super::garnishment::{Garnishment, StateLimit};
use super::output::Paycheck;
use super::taxes::PayrollTaxes;
use crate::amount::Amount;
use crate::compensation::PayTerms;
use crate::named::serde_by_name;
use crate::payment::{Split, SplitBy};
use crate::withholding::federal::{FederalTables, PayFrequency, W4};
use crate::withholding::state::formula::{Claims, Formula, Formulas, Unusable};
use crate::withholding::state::{Answer, StateTables};

/// What all employees of a payroll have in common.
#[derive(Debug, Clone, Copy)]
pub struct Payroll<'t> {
    /// first day of the pay period
    pub start: Date,
    /// last day of the pay period, not before the first
    pub end: Date,
    /// the day of payment, whose year decides on figures and wage bases
    pub check_date: Date,
    /// how often the pay schedule pays, by which a yearly salary is divided
    pub frequency: PayFrequency,
    /// as how often wages are paid where income tax is withheld; the schedule's, unless the payroll says otherwise
    pub withholding_period: PayFrequency,
    /// whether federal income tax is withheld at the flat rates for supplemental wages
    pub fixed_withholding_rate: bool,
    /// whether benefits and deductions that nobody ordered are left out
    pub skip_regular_deductions: bool,
    /// whether salaries are paid; those of a period are paid once, by its regular payroll
    pub pays_salaries: bool,
    /// the federal withholding tables of the year
    pub federal: &'t FederalTables,
    /// the rates of the year
    pub taxes: &'t PayrollTaxes,
    /// what the law lets go into benefits in a year
    pub benefit_limits: &'t Limits,
    /// the federal minimum wage on the pay date, dollars an hour, from which the earnings that no creditor may
    /// take are counted
    pub federal_minimum_wage: Amount,
}

/// One employee of a payroll. `K` names records of benefits and garnishments.
#[derive(Debug, Clone)]
pub struct Employee<'a, K> {
    /// at least one
    pub jobs: Vec<Job>,
    /// bonuses, commissions, tips and the like
    pub fixed: Vec<FixedPay>,
    /// expenses that are paid back: no wages, not taxed
    pub reimbursements: Vec<Amount>,
    /// the certificate for federal income tax
    pub w4: W4,
    /// income tax of the state of work
    pub state: StateTax<'a>,
    /// records of benefits, in the order of enrolment
    pub benefits: Vec<Benefit<K>>,
    /// what each benefit took and gave before in the year of the pay date
    pub benefits_to_date: Vec<BenefitToDate<K>>,
    /// day of birth, for limits and costs that depend on age
    pub birth_date: Option<Date>,
    /// yearly salary, for coverage in salaries
    pub annual_salary: Option<Amount>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// garnishments in any order
    pub garnishments: Vec<Garnishment<K>>,
    /// how much support orders may take in the state of work
    pub support_limits: &'a StateLimit,
    /// what counts of the payrolls paid before in the year of the pay date
    pub year_to_date: YearToDate,
    /// how net pay is divided among bank accounts; `None` for a check
    pub payment: Option<Payment>,
}

/// A job with what was done in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// first day of work
    pub hired: Date,
    /// last day of work, where there is one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Date>,
    /// the terms of pay, in the order of their days, at least one. Before the first day of the first, the first
    /// counts.
    pub compensations: Vec<Compensation>,
    /// the hours worked, over stretches of days that do not overlap: one for the period or one for each workweek
    pub worked: Vec<Worked>,
    /// hours paid without work, in lines that the caller tells apart
    pub time_off: Vec<TimeOff>,
}

/// Terms of pay from a day on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compensation {
    /// first day
    pub effective: Date,
    /// rate, unit and status
    pub terms: PayTerms,
    /// what pay is adjusted to, in the order of days; empty without the adjustment
    pub floors: Vec<Floor>,
}

/// The minimum wage that pay by the hour is adjusted to, from a day on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// first day
    pub from: Date,
    /// dollars an hour: the highest of the minimum wages that were chosen
    pub minimum_wage: Amount,
    /// dollars an hour that tips may cover, by the authority of that minimum wage
    pub tip_credit: Amount,
}

/// Hours worked in a stretch of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worked {
    /// first day
    pub from: Date,
    /// last day
    pub until: Date,
    /// hours at the rate
    pub regular: Amount,
    /// hours at one and a half times the rate
    pub overtime: Amount,
    /// hours at twice the rate
    pub double_overtime: Amount,
}

/// Hours that are paid without work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOff {
    /// hours taken: within a salary, on top of hourly pay
    pub hours: Amount,
    /// hours not taken and paid out at the end of employment
    pub paid_out: Amount,
}

/// A line of pay that is an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedPay {
    /// what it is
    pub kind: FixedKind,
    /// place of the job in [`Employee::jobs`]
    pub job: usize,
    /// dollars
    pub amount: Amount,
}

/// What the rules tell apart among lines of pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FixedKind {
    /// tips paid with the check
    #[strum(serialize = "paycheck_tips")]
    PaycheckTips,
    /// tips that the employee has already: wages, but not paid again
    #[strum(serialize = "cash_tips")]
    CashTips,
    /// the line that a calculation before this one made; it is made anew, so that it does not count
    #[strum(serialize = "minimum_wage_adjustment")]
    MinimumWageAdjustment,
    /// bonus, commission, correction and any other wages
    #[strum(serialize = "earnings")]
    Earnings,
}

serde_by_name!(FixedKind);

/// The name of the line that brings pay up to the minimum wage.
pub const MINIMUM_WAGE_ADJUSTMENT: &str = "Minimum Wage Adjustment";

impl FixedKind {
    /// What a line of that name is; upper and lower case do not matter.
    pub fn of_name(name: &str) -> Self {
        let named = [
            ("Paycheck Tips", Self::PaycheckTips),
            ("Cash Tips", Self::CashTips),
            (MINIMUM_WAGE_ADJUSTMENT, Self::MinimumWageAdjustment),
        ];
        let found = named.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or(Self::Earnings, |(_, kind)| kind)
    }

    /// Whether the line is tips.
    pub fn is_tips(self) -> bool {
        matches!(self, Self::PaycheckTips | Self::CashTips)
    }
}

/// How the income tax of the state of work is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateTax<'a> {
    /// by the state's formula
    Formula {
        /// the formula for the pay date and the withholding period
        formula: &'a Formula,
        /// what the employee's certificate says
        claims: Claims,
    },
    /// the state taxes no wages
    NoTax {
        /// two letters
        state: String,
    },
    /// the amount that the partner supplied
    Supplied {
        /// two letters
        state: String,
        /// dollars for the pay period
        amount: Amount,
    },
    /// no rule that may be used is held; nothing is withheld, and the paycheck says so
    Missing {
        /// two letters
        state: String,
        /// for people: why
        reason: String,
    },
}

impl<'a> StateTax<'a> {
    /// How the income tax of a state is found in a payroll: not at all in a state without a tax on wages, as supplied
    /// where the partner did, and else by the state's formula, if one may be used.
    ///
    /// `answer` gives what the employee answered to the question of a key of the state's certificate.
    pub fn find(
        (formulas, certificates): (&'a Formulas, &StateTables),
        payroll: &Payroll<'_>,
        state: &str,
        answer: impl Fn(&str) -> Option<Answer>,
        supplied: Option<Amount>,
    ) -> Self {
        let certificate = certificates.get(state);
        let state = state.to_owned();
        if certificate.is_some_and(|certificate| !certificate.wage_tax) {
            return Self::NoTax { state };
        }
        if let Some(amount) = supplied {
            return Self::Supplied { state, amount };
        }
        let found = formulas.find(&state, payroll.check_date, payroll.start, payroll.withholding_period);
        let claims = found.and_then(|formula| {
            let certificate = certificate.ok_or(Unusable::NotHeld)?;
            Ok((formula, formula.claims(certificate, answer)?))
        });
        match claims {
            Ok((formula, claims)) => Self::Formula { formula, claims },
            Err(why) => Self::Missing { state, reason: why.to_string() },
        }
    }
}

/// What was paid and withheld before, in the year of the pay date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct YearToDate {
    /// wages that counted for Social Security
    pub social_security_wages: Amount,
    /// wages that counted for Medicare
    pub medicare_wages: Amount,
    /// wages that counted for federal unemployment tax
    pub futa_wages: Amount,
    /// wages from which income tax was withheld at the flat rates
    pub supplemental_wages: Amount,
    /// Social Security and Medicare taxes withheld
    pub fica_withheld: Amount,
}

impl YearToDate {
    /// What counts after a paycheck, for the next one of the year. `None` beyond what an amount can hold.
    pub fn after<K>(self, paycheck: &Paycheck<K>) -> Option<Self> {
        let (taxable, taxes) = (&paycheck.taxable, &paycheck.taxes);
        let fica =
            taxes.social_security.checked_add(taxes.medicare)?.checked_add(taxes.additional_medicare)?;
        Some(Self {
            social_security_wages: self.social_security_wages.checked_add(taxable.social_security)?,
            medicare_wages: self.medicare_wages.checked_add(taxable.medicare)?,
            futa_wages: self.futa_wages.checked_add(taxable.futa)?,
            supplemental_wages: self.supplemental_wages.checked_add(taxable.supplemental)?,
            fica_withheld: self.fica_withheld.checked_add(fica)?,
        })
    }
}

/// Net pay divided among bank accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// what the splits count
    pub by: SplitBy,
    /// checked splits; the account is the caller's own number
    pub splits: Vec<Split<usize>>,
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;

    use super::*;
    use crate::payroll::benefits::{Contribution, Tier};
    use crate::payroll::garnishment::{ChildSupport, IncomeWithholdingOrder, WithheldToDate};
    use crate::payroll::sample::{Chance, benefit, every_garnishment};
    use crate::withholding::federal::FilingStatus;

    fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(input: &T) {
        let json = serde_json::to_string(input).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), input, "{json}");
    }

    #[test]
    fn inputs_survive_json() {
        let orders = every_garnishment();
        for seed in 0..500 {
            let employee = Chance(seed).employee(&orders);
            round_trip(&employee.jobs);
            round_trip(&employee.fixed);
            round_trip(&employee.reimbursements);
            round_trip(&employee.w4);
            round_trip(&employee.benefits);
            round_trip(&employee.garnishments);
            round_trip(&employee.support_limits.clone());
            round_trip(&employee.year_to_date);
            round_trip(&employee.payment);
        }
    }

    #[test]
    fn inputs_that_samples_do_not_have_survive_json() {
        let amount = Amount::from_millionths(1_234_567);
        let some = Some(amount);
        let order = IncomeWithholdingOrder {
            current_support: some,
            arrears: some,
            medical_support: some,
            arrears_over_12_weeks: Some(true),
            supports_other_family: Some(false),
            received_on: Some(Date::MAX),
        };
        round_trip(&ChildSupport { payment_period: PayFrequency::TwicePerMonth, order });
        round_trip(&WithheldToDate { times: 3, year: amount, total: amount });
        round_trip(&BenefitToDate {
            company_benefit: 7,
            code: 5,
            deduction: Amount::ZERO,
            contribution: amount,
        });
        let tier = Tier { rate: Amount::from_cents(5_000), threshold: Amount::from_cents(600) };
        for contribution in [Contribution::Percentage(amount), Contribution::Tiered(vec![tier])] {
            round_trip(&contribution);
        }
        round_trip(&vec![
            Answer::Text("Single".to_owned()),
            Answer::Bool(false),
            Answer::Number(amount),
            Answer::Currency(Amount::from_cents(5)),
            Answer::Date(Date::MIN),
        ]);
    }

    #[test]
    fn names_and_amounts_in_json_are_text_and_absent_values_are_left_out() {
        let w4 = W4::Pre2020 {
            filing_status: FilingStatus::Single,
            allowances: 2,
            additional_withholding: Amount::from_cents(1_250),
        };
        let expected =
            r#"{"pre_2020_w4":{"filing_status":"Single","allowances":2,"additional_withholding":"12.5"}}"#;
        assert_eq!(serde_json::to_string(&w4).unwrap(), expected);
        let benefit = benefit(1, 5, "3.5", true);
        let json = serde_json::to_value(&benefit).unwrap();
        assert_eq!(json["kind"], 5);
        assert_eq!(json["terms"]["contribution"], serde_json::json!({ "amount": "10" }));
        assert!(json["terms"].get("limit_option").is_none());
        let unknown = serde_json::to_string(&benefit).unwrap().replace(r#""kind":5"#, r#""kind":4"#);
        let error = serde_json::from_str::<Benefit<u32>>(&unknown).unwrap_err().to_string();
        assert!(error.starts_with("unknown type of benefit 4"), "{error}");
    }

    #[test]
    fn a_line_is_recognised_by_its_name_in_any_case() {
        assert_eq!(FixedKind::of_name("paycheck tips"), FixedKind::PaycheckTips);
        assert_eq!(FixedKind::of_name("Cash Tips"), FixedKind::CashTips);
        assert_eq!(FixedKind::of_name("minimum wage adjustment"), FixedKind::MinimumWageAdjustment);
        assert_eq!(FixedKind::of_name("Bonus"), FixedKind::Earnings);
        assert!(FixedKind::CashTips.is_tips() && !FixedKind::Earnings.is_tips());
    }
}
