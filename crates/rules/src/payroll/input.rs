//! Inputs of a paycheck.
//!
//! [`Payroll`] is common to all employees; [`Employee`] is one of them. The caller reads and validates the
//! inputs; only overflow is checked here. Jobs, lines and orders are identified by their index, and the lists
//! of the result ([`super::Paycheck`]) have the same order.
//!
//! The inputs that come from an employee's records (jobs, fixed pay, Form W-4, answers to a state's
//! certificate, benefits, garnishments, year-to-date wages, payment splits) implement serde: amounts as exact
//! decimal text, enums by name. [`Payroll`], [`Employee`] and [`StateTax`] borrow tables and do not.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::benefits::{Benefit, BenefitToDate, Limits};
use super::exemption::FicaExemption;
use super::garnishment::{Garnishment, GarnishmentLaw, StateLimit};
use super::other_taxes::OtherTaxes;
use super::output::Paycheck;
use super::state_taxes::StateIncomeTax;
use super::taxes::PayrollTaxes;
use crate::amount::Amount;
use crate::compensation::PayTerms;
use crate::named::serde_by_name;
use crate::payment::{Split, SplitBy};
use crate::taxes::{SupplementalRates, SupplementalTable, supplemental_key};
use crate::wage_hour::{OvertimeRule, OvertimeRules};
use crate::withholding::federal::{FederalTables, PayFrequency, W4};
use crate::withholding::state::formula::{Claims, Formula, Formulas, Unusable};
use crate::withholding::state::{Answer, StateTables};

/// Inputs common to all employees of a payroll.
#[derive(Debug, Clone, Copy)]
pub struct Payroll<'t> {
    /// First day of the pay period.
    pub start: Date,
    /// Last day of the pay period, not before the first.
    pub end: Date,
    /// Pay date; its year determines rates and wage bases.
    pub check_date: Date,
    /// Frequency of the pay schedule, by which yearly salaries are divided.
    pub frequency: PayFrequency,
    /// Pay frequency for income tax withholding; the schedule's unless overridden.
    pub withholding_period: PayFrequency,
    /// Whether federal income tax is withheld at the flat rates for supplemental wages.
    pub fixed_withholding_rate: bool,
    /// Whether benefits and voluntary deductions are skipped.
    pub skip_regular_deductions: bool,
    /// Whether salaries are paid; only the regular payroll of a period pays them.
    pub pays_salaries: bool,
    /// Federal withholding tables of the year.
    pub federal: &'t FederalTables,
    /// Payroll tax rates of the year.
    pub taxes: &'t PayrollTaxes,
    /// Legal limits of benefits.
    pub benefit_limits: &'t Limits,
}

/// An employee of a payroll. `K` identifies benefits and garnishments.
#[derive(Debug, Clone)]
pub struct Employee<'a, K> {
    /// Jobs, at least one.
    pub jobs: Vec<Job>,
    /// Fixed pay: bonuses, commissions, tips and the like.
    pub fixed: Vec<FixedPay>,
    /// Expense reimbursements: not wages, not taxed.
    pub reimbursements: Vec<Amount>,
    /// Form W-4
    pub w4: W4,
    /// Whether the employee is a nonresident alien to whose wages an amount is added for income tax withholding.
    pub nonresident_alien: bool,
    /// Why the pay is free of Social Security and Medicare tax, if it is.
    pub fica_exemption: Option<FicaExemption>,
    /// Income tax of the states; one whose tax another credits comes before it.
    pub states: Vec<StateIncomeTax<'a>>,
    /// Taxes of states and places beside income tax.
    pub other_taxes: OtherTaxes,
    /// Benefits, in the order of enrollment.
    pub benefits: Vec<Benefit<K>>,
    /// Deductions and contributions of each benefit earlier in the year of the pay date.
    pub benefits_to_date: Vec<BenefitToDate<K>>,
    /// Date of birth, for age-dependent limits and costs.
    pub birth_date: Option<Date>,
    /// Yearly salary, for coverage in multiples of the salary.
    pub annual_salary: Option<Amount>,
    /// Whether the employee is a more-than-2 % shareholder of an S corporation.
    pub two_percent_shareholder: bool,
    /// Whether catch-up contributions have to be Roth contributions.
    pub roth_catch_up: bool,
    /// Garnishments, in any order.
    pub garnishments: Vec<Garnishment<K>>,
    /// Support limits of the work state.
    pub support_limits: &'a StateLimit,
    /// The law on other garnishments at the place of work.
    pub garnishment_law: GarnishmentLaw<'a>,
    /// Year-to-date wages and taxes of the year of the pay date.
    pub year_to_date: YearToDate,
    /// Direct deposit splits; `None` for a check.
    pub payment: Option<Payment>,
    /// The law on overtime, for hours whose workweek is known.
    pub overtime: Overtime<'a>,
}

/// The law on overtime at the place of work, and how the employer's workweeks lie.
#[derive(Debug, Clone, Copy)]
pub struct Overtime<'a> {
    /// First day of some workweek; the others begin seven days apart.
    pub first_day: Date,
    /// Law of the place of work.
    pub rule: &'a OvertimeRule,
    /// Minimum wage of the state, in dollars per hour, by which some states count.
    pub minimum_wage: Amount,
}

impl Overtime<'static> {
    /// Federal law, for workweeks from Sunday to Saturday.
    pub fn federal() -> Self {
        Self {
            first_day: Date::constant(2026, 1, 4),
            rule: OvertimeRules::built_in().of("US"),
            minimum_wage: Amount::ZERO,
        }
    }
}

/// A job with the hours worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// First day of work.
    pub hired: Date,
    /// Last day of work, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Date>,
    /// First and last day between leaving and coming back, where both lie in one pay period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<(Date, Date)>,
    /// Compensations by effective date, at least one; the first also applies before its effective date.
    pub compensations: Vec<Compensation>,
    /// Hours worked, in non-overlapping ranges of days: paid as they were entered.
    pub worked: Vec<Worked>,
    /// Hours whose workweek is known, by day or within one workweek each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_week: Vec<Worked>,
    /// Hours of the same workweeks that other payrolls have paid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paid_before: Vec<Worked>,
    /// Whether overtime at the rate in effect was agreed before the work (29 USC 207(g)(2)).
    #[serde(default, skip_serializing_if = "is_false")]
    pub agreed_overtime_rate: bool,
    /// Whether a salary is for whatever hours a workweek has (29 CFR 778.114).
    #[serde(default, skip_serializing_if = "is_false")]
    pub fluctuating_workweek: bool,
    /// Paid time off, by line.
    pub time_off: Vec<TimeOff>,
}

/// Pay terms from an effective date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compensation {
    /// Effective date.
    pub effective: Date,
    /// Pay terms.
    pub terms: PayTerms,
    /// Minimum wages for the adjustment, by effective date; empty without the adjustment.
    pub floors: Vec<Floor>,
}

/// Minimum wage of hourly pay from an effective date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// Effective date.
    pub from: Date,
    /// Dollars per hour: the highest applicable minimum wage.
    pub minimum_wage: Amount,
    /// Maximum tip credit in dollars per hour.
    pub tip_credit: Amount,
}

/// Hours worked in a range of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worked {
    /// First day.
    pub from: Date,
    /// Last day.
    pub until: Date,
    /// Regular hours.
    pub regular: Amount,
    /// Overtime hours, at 1.5 times the rate.
    pub overtime: Amount,
    /// Double overtime hours, at twice the rate.
    pub double_overtime: Amount,
}

/// Paid time off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOff {
    /// Hours taken: included in a salary, added to hourly pay.
    pub hours: Amount,
    /// Unused hours paid out on termination.
    pub paid_out: Amount,
}

/// A fixed line of pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedPay {
    /// Kind.
    pub kind: FixedKind,
    /// Index in [`Employee::jobs`].
    pub job: usize,
    /// Dollars.
    pub amount: Amount,
    /// Whether 29 USC 207(e) leaves it out of the regular rate: discretionary bonuses, gifts and the like.
    #[serde(default, skip_serializing_if = "is_false")]
    pub excluded: bool,
    /// First and last day of the time that it was earned in; `None` for the workweeks that the payroll settles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earned: Option<(Date, Date)>,
}

impl FixedPay {
    /// Pay that counts towards the regular rate of the workweeks that the payroll settles.
    pub const fn new(kind: FixedKind, job: usize, amount: Amount) -> Self {
        Self { kind, job, amount, excluded: false, earned: None }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Kinds of fixed pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FixedKind {
    /// Tips paid with the check.
    #[strum(serialize = "paycheck_tips")]
    PaycheckTips,
    /// Tips the employee already has: wages, but not paid again.
    #[strum(serialize = "cash_tips")]
    CashTips,
    /// Adjustment of a previous calculation; ignored, because it is recalculated.
    #[strum(serialize = "minimum_wage_adjustment")]
    MinimumWageAdjustment,
    /// A bonus.
    #[strum(serialize = "bonus")]
    Bonus,
    /// Commission, correction or any other wages.
    #[strum(serialize = "earnings")]
    Earnings,
    /// Regular wages told as an amount, because another provider has paid them.
    #[strum(serialize = "wages")]
    Wages,
}

serde_by_name!(FixedKind);

/// Name of the minimum wage adjustment line.
pub const MINIMUM_WAGE_ADJUSTMENT: &str = "Minimum Wage Adjustment";

impl FixedKind {
    /// Returns the kind of a line by name, case-insensitive.
    pub fn of_name(name: &str) -> Self {
        let named = [
            ("Paycheck Tips", Self::PaycheckTips),
            ("Cash Tips", Self::CashTips),
            (MINIMUM_WAGE_ADJUSTMENT, Self::MinimumWageAdjustment),
            ("Bonus", Self::Bonus),
        ];
        let found = named.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or(Self::Earnings, |(_, kind)| kind)
    }

    /// Whether the line is tips.
    pub fn is_tips(self) -> bool {
        matches!(self, Self::PaycheckTips | Self::CashTips)
    }

    /// Whether the line is supplemental wages. Tips and overtime are treated as regular wages, as 26 CFR
    /// 31.3402(g)-1(a)(1)(iv) and (v) let an employer.
    pub fn is_supplemental(self) -> bool {
        matches!(self, Self::Bonus | Self::Earnings)
    }
}

/// The tables that decide how the income tax of a state is determined.
#[derive(Debug, Clone, Copy)]
pub struct StateTaxTables<'a, 'c> {
    /// Formulas for regular wages.
    pub formulas: &'a Formulas,
    /// Certificates.
    pub certificates: &'c StateTables,
    /// Rates for supplemental wages.
    pub supplemental: &'a SupplementalTable,
    /// Keys of figures in doubt that the operator has confirmed.
    pub confirmed: &'c BTreeSet<String>,
}

impl StateTaxTables<'static, 'static> {
    /// Returns the built-in tables, of which nothing in doubt is confirmed.
    pub fn built_in() -> Self {
        static NOTHING: BTreeSet<String> = BTreeSet::new();
        Self {
            formulas: Formulas::built_in(),
            certificates: StateTables::built_in(),
            supplemental: SupplementalTable::built_in(),
            confirmed: &NOTHING,
        }
    }
}

impl<'a> StateTaxTables<'a, '_> {
    /// The state's rates, where income tax is withheld at the rates for supplemental wages and they may be used.
    fn supplemental_rates(&self, payroll: &Payroll<'_>, state: &str) -> Option<SupplementalRates<'a>> {
        let rates =
            self.supplemental.of(state, payroll.check_date).filter(|_| payroll.fixed_withholding_rate)?;
        let counts = rates.confidence().is_enough() || self.confirmed.contains(&supplemental_key(state));
        counts.then_some(rates)
    }
}

/// How the income tax of a state is determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateTax<'a> {
    /// By the state's formula.
    Formula {
        /// Formula for the pay date and the withholding period.
        formula: &'a Formula,
        /// The employee's certificate.
        claims: Claims,
    },
    /// On supplemental wages by the state's rate for them.
    Supplemental {
        /// The formula for regular wages.
        formula: &'a Formula,
        /// The state's rates.
        rates: SupplementalRates<'a>,
        /// Percent of the county that is withheld with the state's tax (Maryland).
        county: Option<Amount>,
        /// Whether the certificate claims exemption.
        exempt: bool,
    },
    /// The state does not tax wages.
    NoTax {
        /// Two-letter code.
        state: String,
    },
    /// Nothing is withheld for the state, though it taxes wages.
    NotWithheld {
        /// Two-letter code.
        state: String,
        /// The formula for the pay date, with the employee's certificate: local taxes may rest on wages after its
        /// exemptions. `None` without a usable one.
        formula: Option<(&'a Formula, Claims)>,
    },
    /// Amount supplied by the partner.
    Supplied {
        /// Two-letter code.
        state: String,
        /// Dollars for the pay period.
        amount: Amount,
    },
    /// No applicable formula; nothing is withheld, with a warning.
    Missing {
        /// Two-letter code.
        state: String,
        /// Reason, for people.
        reason: String,
    },
}

impl<'a> StateTax<'a> {
    /// The same state where nothing is withheld for it.
    pub fn not_withheld(self) -> Self {
        let state = self.state().to_owned();
        let formula = match self {
            Self::Formula { formula, claims } => Some((formula, claims)),
            _ => None,
        };
        Self::NotWithheld { state, formula }
    }

    /// Two-letter code; empty without a work address.
    pub fn state(&self) -> &str {
        match self {
            Self::Formula { formula, .. } | Self::Supplemental { formula, .. } => &formula.state,
            Self::NoTax { state }
            | Self::NotWithheld { state, .. }
            | Self::Supplied { state, .. }
            | Self::Missing { state, .. } => state,
        }
    }

    /// Whether retirement deferrals are wages of the state.
    pub fn counts_deferrals(&self) -> bool {
        match self {
            Self::Formula { formula, .. } | Self::Supplemental { formula, .. } => {
                formula.retirement_deferrals_are_wages
            }
            _ => false,
        }
    }

    /// Determines the income tax of a state: none in a state that does not tax wages, the supplied amount if
    /// there is one, otherwise by the state's rate for supplemental wages or its formula if applicable. A rate in doubt
    /// counts if the operator has confirmed it.
    ///
    /// `answer` returns the employee's answer to the question with a key of the state's certificate.
    pub fn find(
        tables: StateTaxTables<'a, '_>,
        payroll: &Payroll<'_>,
        state: &str,
        answer: impl Fn(&str) -> Option<Answer>,
        supplied: Option<Amount>,
    ) -> Self {
        let certificate = tables.certificates.get(state);
        let state = state.to_owned();
        if certificate.is_some_and(|certificate| !certificate.wage_tax) {
            return Self::NoTax { state };
        }
        if let Some(amount) = supplied {
            return Self::Supplied { state, amount };
        }
        let found = tables.formulas.find(
            &state,
            payroll.check_date,
            (payroll.start, payroll.end),
            payroll.withholding_period,
        );
        let claims = found.and_then(|formula| {
            let certificate = certificate.ok_or(Unusable::NotHeld)?;
            Ok((formula, formula.claims(certificate, answer)?))
        });
        match claims {
            Ok((formula, claims)) => match tables.supplemental_rates(payroll, &state) {
                Some(rates) => {
                    let (county, exempt) = (formula.local_percent(&claims), claims.is_exempt());
                    Self::Supplemental { formula, rates, county, exempt }
                }
                None => Self::Formula { formula, claims },
            },
            Err(why) => Self::Missing { state, reason: why.to_string() },
        }
    }
}

/// Year-to-date wages and taxes, in the year of the pay date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct YearToDate {
    /// Social Security wages
    pub social_security_wages: Amount,
    /// Medicare wages
    pub medicare_wages: Amount,
    /// Federal unemployment (FUTA) wages.
    pub futa_wages: Amount,
    /// Supplemental wages, on and off cycle.
    pub supplemental_wages: Amount,
    /// Social Security and Medicare taxes withheld
    pub fica_withheld: Amount,
    /// Social Security tax on tips that pay did not reach for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncollected_social_security: Amount,
    /// Medicare tax on tips that pay did not reach for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncollected_medicare: Amount,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

impl YearToDate {
    /// Adds a paycheck. `None` on overflow.
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
            uncollected_social_security: self
                .uncollected_social_security
                .checked_add(paycheck.uncollected.social_security)?,
            uncollected_medicare: self.uncollected_medicare.checked_add(paycheck.uncollected.medicare)?,
        })
    }
}

/// Direct deposit splits of net pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// Unit of the splits.
    pub by: SplitBy,
    /// Validated splits; the account is an index chosen by the caller.
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
            health_insurance_premium: some,
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
        assert_eq!(FixedKind::of_name("Bonus"), FixedKind::Bonus);
        assert_eq!(FixedKind::of_name("Commission"), FixedKind::Earnings);
        assert!(FixedKind::CashTips.is_tips() && !FixedKind::Earnings.is_tips());
    }
}
