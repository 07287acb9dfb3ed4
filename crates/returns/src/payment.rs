//! What a paycheck keeps for returns.
//!
//! The figures are those of the day on which the paycheck was calculated: calculating old paychecks anew under later rules would
//! change what was filed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A payment of wages to a person: a paycheck, a payment that another provider made, or the reversal of one, whose amounts are
/// negative. All amounts are cents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payment {
    /// the paycheck, or the external payroll, as the caller identifies it
    pub paycheck: String,
    /// the day on which it was paid, which decides quarter and year
    pub pay_date: Date,
    /// federal income tax: box 1 of Form W-2, lines 2 and 3 of Form 941
    pub federal_income: Taxed,
    /// Social Security
    pub social_security: SocialSecurity,
    /// Medicare
    pub medicare: Medicare,
    /// Additional Medicare tax: wages above the threshold of the year, and what was withheld
    pub additional_medicare: Taxed,
    /// federal unemployment tax
    pub futa: Futa,
    /// states' income taxes; also a state that levies none, where its wages are reported
    pub states: Vec<StateTaxed>,
    /// local income taxes
    pub localities: Vec<LocalTaxed>,
    /// tips that the employee reported or that were paid on a paycheck, as opposed to service charges (box 12, code TP)
    pub tips: i64,
    /// codes of the occupations in which they were earned, as far as they are known (box 14b)
    pub tipped_occupations: BTreeSet<String>,
    /// the premium of overtime that section 7 of the FLSA asks for: of hours above 40 in a workweek, the part above the regular rate
    /// (box 12, code TT)
    pub overtime_premium: i64,
    /// amounts by code of box 12, without A, B, C, TP and TT, which follow from other figures
    pub box_12: BTreeMap<String, i64>,
    /// dependent care benefits (box 10)
    pub dependent_care: i64,
    /// imputed income by kind
    pub imputed: BTreeMap<Imputed, i64>,
    /// Social Security and Medicare tax that could not be withheld from tips
    pub uncollected: Uncollected,
    /// further amounts for box 14a, by the text that describes them
    pub other: BTreeMap<String, i64>,
    /// figures that are not known
    pub lacks: BTreeSet<Lack>,
}

/// Wages and the tax on them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taxed {
    /// taxable wages
    pub wages: i64,
    /// tax withheld
    pub tax: i64,
}

/// Social Security of a payment. Wages and tips fill the wage base of the year in the order in which they were paid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SocialSecurity {
    /// taxable wages without tips
    pub wages: i64,
    /// taxable tips
    pub tips: i64,
    /// withheld from the employee
    pub employee: i64,
    /// booked for the employer
    pub employer: i64,
}

/// Medicare of a payment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Medicare {
    /// taxable wages and tips
    pub wages: i64,
    /// withheld from the employee
    pub employee: i64,
    /// booked for the employer
    pub employer: i64,
}

/// Federal unemployment tax of a payment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Futa {
    /// wages that are not exempt, without regard to the wage base
    pub subject: i64,
    /// exempt payments by kind (line 4 of Form 940)
    pub exempt: BTreeMap<Exempt, i64>,
    /// wages within the wage base, by the state whose unemployment insurance covers the work
    pub by_state: BTreeMap<String, i64>,
    /// wages within the wage base for which that state is not known: Form 940 can't be closed with them
    pub without_state: i64,
    /// booked tax
    pub tax: i64,
}

/// Income tax of a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTaxed {
    /// two-letter code
    pub state: String,
    /// taxable wages (box 16) and tax withheld (box 17)
    pub taxed: Taxed,
}

/// Income tax of a locality.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalTaxed {
    /// its state
    pub state: String,
    /// name as printed in box 20
    pub locality: String,
    /// taxable wages (box 18) and tax withheld (box 19)
    pub taxed: Taxed,
}

/// Social Security and Medicare tax that could not be withheld from tips (codes A and B of box 12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncollected {
    /// Social Security (A)
    pub social_security: i64,
    /// Medicare (B), without Additional Medicare
    pub medicare: i64,
}

/// Kinds of payments that are exempt from federal unemployment tax, as Form 940 asks for them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Exempt {
    /// 4a: fringe benefits, such as those of a cafeteria plan
    #[strum(serialize = "fringe_benefits")]
    FringeBenefits,
    /// 4b: group-term life insurance
    #[strum(serialize = "group_term_life")]
    GroupTermLife,
    /// 4c: the employer's contributions to retirement plans
    #[strum(serialize = "retirement")]
    Retirement,
    /// 4d: dependent care
    #[strum(serialize = "dependent_care")]
    DependentCare,
    /// 4e: other
    #[strum(serialize = "other")]
    Other,
}

impl Exempt {
    /// The box of Form 940 that is ticked.
    pub fn box_number(self) -> &'static str {
        match self {
            Self::FringeBenefits => "4a",
            Self::GroupTermLife => "4b",
            Self::Retirement => "4c",
            Self::DependentCare => "4d",
            Self::Other => "4e",
        }
    }
}

/// Kinds of imputed income.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Imputed {
    /// group-term life insurance above 50,000 dollars (code C)
    #[strum(serialize = "group_term_life")]
    GroupTermLife,
    /// health insurance of a shareholder with more than two percent of an S corporation (box 14a)
    #[strum(serialize = "shareholder_health")]
    ShareholderHealth,
    /// anything else, which is only part of the wages
    #[strum(serialize = "other")]
    Other,
}

/// A figure that is not known of a payment.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    VariantArray,
    IntoStaticStr,
    EnumString,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// wages for federal income tax
    #[strum(serialize = "federal_income_wages")]
    FederalIncomeWages,
    /// wages of states and localities
    #[strum(serialize = "state_wages")]
    StateWages,
    /// which part of Social Security wages is tips
    #[strum(serialize = "tips")]
    Tips,
    /// payments that are exempt from federal unemployment tax
    #[strum(serialize = "exempt_payments")]
    ExemptPayments,
    /// amounts of benefits by code of box 12
    #[strum(serialize = "benefits")]
    Benefits,
    /// the premium of overtime under section 7 of the FLSA
    #[strum(serialize = "overtime_premium")]
    OvertimePremium,
}

impl Payment {
    /// Social Security, Medicare and Additional Medicare tax withheld from the employee.
    pub fn employee_fica_withheld(&self) -> i64 {
        self.social_security.employee + self.medicare.employee + self.additional_medicare.tax
    }

    /// The employer's Social Security and Medicare tax, as booked.
    pub fn of_employer(&self) -> i64 {
        self.social_security.employer + self.medicare.employer
    }

    /// All taxes of Form 941, as booked: what the employer owes for the pay date.
    pub fn tax_liability(&self) -> i64 {
        self.federal_income.tax + self.employee_fica_withheld() + self.of_employer()
    }

    /// Payments that are exempt from federal unemployment tax.
    pub fn futa_exempt_payments(&self) -> i64 {
        self.futa.exempt.values().sum()
    }

    /// Wages within the wage base of federal unemployment tax.
    pub fn futa_wages(&self) -> i64 {
        self.futa.by_state.values().sum::<i64>() + self.futa.without_state
    }

    /// The reversal of the payment on a day: every amount with the opposite sign.
    #[must_use]
    pub fn reversal_on(&self, paycheck: impl Into<String>, pay_date: Date) -> Self {
        let taxed = |one: Taxed| Taxed { wages: -one.wages, tax: -one.tax };
        let SocialSecurity { wages, tips, employee, employer } = self.social_security;
        let Medicare { wages: medicare, employee: of_employee, employer: of_employer } = self.medicare;
        let futa = &self.futa;
        let state = |one: &StateTaxed| StateTaxed { taxed: taxed(one.taxed), ..one.clone() };
        let locality = |one: &LocalTaxed| LocalTaxed { taxed: taxed(one.taxed), ..one.clone() };
        Self {
            paycheck: paycheck.into(),
            pay_date,
            federal_income: taxed(self.federal_income),
            social_security: SocialSecurity {
                wages: -wages,
                tips: -tips,
                employee: -employee,
                employer: -employer,
            },
            medicare: Medicare { wages: -medicare, employee: -of_employee, employer: -of_employer },
            additional_medicare: taxed(self.additional_medicare),
            futa: Futa {
                subject: -futa.subject,
                exempt: negate_amounts(&futa.exempt),
                by_state: negate_amounts(&futa.by_state),
                without_state: -futa.without_state,
                tax: -futa.tax,
            },
            states: self.states.iter().map(state).collect(),
            localities: self.localities.iter().map(locality).collect(),
            tips: -self.tips,
            tipped_occupations: self.tipped_occupations.clone(),
            overtime_premium: -self.overtime_premium,
            box_12: negate_amounts(&self.box_12),
            dependent_care: -self.dependent_care,
            imputed: negate_amounts(&self.imputed),
            uncollected: Uncollected {
                social_security: -self.uncollected.social_security,
                medicare: -self.uncollected.medicare,
            },
            other: negate_amounts(&self.other),
            lacks: self.lacks.clone(),
        }
    }
}

fn negate_amounts<K: Ord + Clone>(amounts: &BTreeMap<K, i64>) -> BTreeMap<K, i64> {
    amounts.iter().map(|(key, cents)| (key.clone(), -cents)).collect()
}
