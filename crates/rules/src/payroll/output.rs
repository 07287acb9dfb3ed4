//! Results: paychecks and payroll totals.

use jiff::civil::Date;

use super::benefits::{Lacking, Line};
use super::collection::Uncollected;
use super::exemption::FicaExemption;
use super::garnishment::{Deduction, NotApplied};
use super::other_taxes::OtherTax;
use super::state_taxes::StateTaxLine;
use crate::Named;
use crate::amount::Amount;
use crate::taxes::book::code_of_income_tax;
use crate::taxes::{EnteredBy, Payer, TaxId};

/// A paycheck. `K` identifies benefits and garnishments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paycheck<K> {
    /// Pay by job, in the order of the input.
    pub jobs: Vec<JobPay>,
    /// Gross wages, including adjustments, fixed lines and both kinds of tips.
    pub gross: Amount,
    /// Cash tips, which are part of `gross` but not paid out.
    pub cash_tips: Amount,
    /// Employee and employer taxes.
    pub taxes: Taxes,
    /// Income tax of each state, in the order of the input; `taxes` has their sum.
    pub state_taxes: Vec<StateTaxLine>,
    /// State and local taxes other than income tax, in the order of the situation's dues.
    pub other_taxes: Vec<OtherTax>,
    /// Taxable wages of each tax, for the year-to-date sums.
    pub taxable: TaxableWages,
    /// Social Security and Medicare tax on tips that the pay did not cover.
    pub uncollected: Uncollected,
    /// Garnishments, in the order of the input.
    pub garnishments: Vec<Deduction<K>>,
    /// Applicable benefits, in the order of the input.
    pub benefits: Vec<Line<K>>,
    /// `gross` less taxes, garnishments, benefits and cash tips; never negative
    pub net: Amount,
    /// Reimbursed expenses.
    pub reimbursements: Amount,
    /// Amount paid: `net` plus `reimbursements`.
    pub check_amount: Amount,
    /// Cents by split of the employee's payment.
    pub splits: Vec<i64>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

impl<K> Paycheck<K> {
    /// Returns the sum of the employee's taxes. `None` on overflow.
    pub fn taxes_of_employee(&self) -> Option<Amount> {
        self.with_others(self.taxes.of_employee()?, true)
    }

    /// Returns the sum of the employer's taxes. `None` on overflow.
    pub fn taxes_of_employer(&self) -> Option<Amount> {
        self.with_others(self.taxes.of_employer()?, false)
    }

    fn with_others(&self, taxes: Amount, of_employee: bool) -> Option<Amount> {
        let others = self.other_taxes.iter().filter(|tax| tax.of_employee == of_employee);
        others.map(|tax| tax.sums.amount).try_fold(taxes, Amount::checked_add)
    }
}

/// Pay of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobPay {
    /// Prorated salary.
    pub salary: Amount,
    /// Regular pay.
    pub regular: Amount,
    /// Overtime pay.
    pub overtime: Amount,
    /// Double overtime pay.
    pub double_overtime: Amount,
    /// Pay by time off line.
    pub time_off: Vec<Amount>,
    /// Minimum wage adjustment.
    pub make_up: Amount,
    /// Overtime premium that a bonus or commission adds to earlier workweeks.
    pub recalculated: Amount,
    /// The part of overtime and double overtime pay that the federal law requires beyond the regular rate (29 USC 207(a)): half the regular
    /// rate of the hours above 40 of each workweek, or of the hours entered as overtime where workweeks are not known. It is what the
    /// deduction for qualified overtime compensation rests on (26 USC 225(c)). A premium for bonuses of earlier workweeks is not in it.
    pub flsa_premium: Amount,
    /// Regular, overtime and double overtime hours, as classified, of the hours whose workweek is known.
    pub hours: [Amount; 3],
}

impl JobPay {
    /// Returns the total.
    pub fn total_pay(&self) -> Option<Amount> {
        let lines = [self.regular, self.overtime, self.double_overtime, self.make_up, self.recalculated];
        let all = lines.into_iter().chain(self.time_off.iter().copied());
        all.into_iter().try_fold(self.salary, Amount::checked_add)
    }
}

/// Taxes of a paycheck. Employee taxes are limited to available pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taxes {
    /// Federal income tax.
    pub federal_income: Amount,
    /// Employee Social Security tax.
    pub social_security: Amount,
    /// Employee Medicare tax.
    pub medicare: Amount,
    /// Employee additional Medicare tax.
    pub additional_medicare: Amount,
    /// Income tax of all states.
    pub state_income: Amount,
    /// Employer Social Security tax.
    pub employer_social_security: Amount,
    /// Employer Medicare tax.
    pub employer_medicare: Amount,
    /// Employer federal unemployment tax.
    pub futa: Amount,
}

/// Taxable wages of a paycheck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaxableWages {
    /// For federal income tax.
    pub federal_income: Amount,
    /// For Social Security, up to the wage base.
    pub social_security: Amount,
    /// The part of `social_security` that is tips: wages other than tips fill the wage base first.
    pub social_security_tips: Amount,
    /// For Medicare. They are subject to Social Security, too.
    pub medicare: Amount,
    /// For additional Medicare, above the threshold.
    pub additional_medicare: Amount,
    /// For federal unemployment tax, up to the wage base.
    pub futa: Amount,
    /// Subject to federal unemployment tax, whatever the wage base.
    pub futa_subject: Amount,
    /// For the income tax of states that follow the federal wages, including retirement deferrals if one of them counts them.
    pub state_income: Amount,
    /// The part of `federal_income` taxed at the flat rates.
    pub supplemental: Amount,
}

/// Totals of the paychecks of a payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Gross pay.
    pub gross: Amount,
    /// Net pay.
    pub net: Amount,
    /// Amount paid to employees.
    pub check_amount: Amount,
    /// Reimbursed expenses.
    pub reimbursements: Amount,
    /// Cash tips.
    pub cash_tips: Amount,
    /// Employee taxes.
    pub employee_taxes: Amount,
    /// Employer taxes.
    pub employer_taxes: Amount,
    /// Employee benefit deductions.
    pub benefit_deductions: Amount,
    /// Company benefit contributions.
    pub benefit_contributions: Amount,
    /// Imputed income.
    pub imputed_income: Amount,
    /// Child support.
    pub child_support: Amount,
    /// Other garnishments.
    pub other_garnishments: Amount,
    /// Fees that employers keep for processing garnishments.
    pub garnishment_fees: Amount,
}

impl Totals {
    /// Adds a paycheck. `None` on overflow.
    pub fn add_paycheck<K>(self, paycheck: &Paycheck<K>) -> Option<Self> {
        let mut totals = Self {
            gross: self.gross.checked_add(paycheck.gross)?,
            net: self.net.checked_add(paycheck.net)?,
            check_amount: self.check_amount.checked_add(paycheck.check_amount)?,
            reimbursements: self.reimbursements.checked_add(paycheck.reimbursements)?,
            cash_tips: self.cash_tips.checked_add(paycheck.cash_tips)?,
            employee_taxes: self.employee_taxes.checked_add(paycheck.taxes_of_employee()?)?,
            employer_taxes: self.employer_taxes.checked_add(paycheck.taxes_of_employer()?)?,
            ..self
        };
        for line in &paycheck.benefits {
            totals.benefit_deductions = totals.benefit_deductions.checked_add(line.employee_deduction)?;
            totals.benefit_contributions =
                totals.benefit_contributions.checked_add(line.company_contribution)?;
            totals.imputed_income = totals.imputed_income.checked_add(line.imputed_income)?;
        }
        for taken in &paycheck.garnishments {
            let support = taken.current_support.checked_add(taken.arrears)?;
            totals.child_support = totals.child_support.checked_add(support)?;
            totals.other_garnishments =
                totals.other_garnishments.checked_add(taken.amount.checked_sub(support)?)?;
            totals.garnishment_fees = totals.garnishment_fees.checked_add(taken.fee)?;
        }
        Some(totals)
    }

    /// Adds the totals of two parts of a payroll. `None` on overflow.
    pub fn add_totals(self, other: Self) -> Option<Self> {
        Some(Self {
            gross: self.gross.checked_add(other.gross)?,
            net: self.net.checked_add(other.net)?,
            check_amount: self.check_amount.checked_add(other.check_amount)?,
            reimbursements: self.reimbursements.checked_add(other.reimbursements)?,
            cash_tips: self.cash_tips.checked_add(other.cash_tips)?,
            employee_taxes: self.employee_taxes.checked_add(other.employee_taxes)?,
            employer_taxes: self.employer_taxes.checked_add(other.employer_taxes)?,
            benefit_deductions: self.benefit_deductions.checked_add(other.benefit_deductions)?,
            benefit_contributions: self.benefit_contributions.checked_add(other.benefit_contributions)?,
            imputed_income: self.imputed_income.checked_add(other.imputed_income)?,
            child_support: self.child_support.checked_add(other.child_support)?,
            other_garnishments: self.other_garnishments.checked_add(other.other_garnishments)?,
            garnishment_fees: self.garnishment_fees.checked_add(other.garnishment_fees)?,
        })
    }
}

/// A warning about a paycheck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// `state_tax_not_withheld`: no applicable formula for the state's income tax, so nothing was withheld.
    StateTaxNotWithheld {
        /// Two-letter code.
        state: String,
        /// Reason, for people.
        reason: String,
    },
    /// `county_not_known`: the home's county, whose tax is part of the state's, is not known; the state's rate for that was withheld.
    CountyNotKnown {
        /// Two-letter code.
        state: String,
        /// The rate, in percent.
        percent: Amount,
    },
    /// `tax_not_worked_out`: a tax is due because of an address or a setting, but cannot be calculated.
    TaxNotWorkedOut {
        /// Stable code.
        code: String,
        /// Name, as a pay stub would print it.
        name: String,
        /// Whether the employer would pay it.
        employer: bool,
        /// Reason and remedy, for people.
        why: String,
        /// Who can enter what is missing.
        entered_by: Option<EnteredBy>,
    },
    /// `supplied_tax_not_used`: an amount was supplied for a tax that is calculated or not due.
    SuppliedTaxNotUsed {
        /// Its code.
        code: String,
    },
    /// `fica_exemption_not_applied`: an age-dependent exemption does not apply.
    ExemptionNotApplied {
        /// The exemption.
        exemption: FicaExemption,
        /// Whether the date of birth is known, in which case the age is too high.
        born: bool,
    },
    /// `nonresident_alien_amounts_missing`: the federal table has no amounts to add to a nonresident alien's wages.
    NonresidentAmountsMissing {
        /// Year of the table.
        year: i16,
    },
    /// `taxes_not_collected`: pay does not cover all taxes.
    TaxesNotCollected {
        /// The uncollected amount.
        amount: Amount,
    },
    /// `garnishment_limit_not_applied`: a limit of a garnishment would apply if it were known or confirmed.
    GarnishmentLimit(NotApplied),
    /// `overtime_below_law`: less overtime was entered than the law requires.
    OvertimeBelowLaw {
        /// First day of the workweek.
        week: Date,
        /// Overtime and double time hours entered.
        entered: Amount,
        /// Hours that the law requires.
        due: Amount,
        /// Section of the law.
        section: String,
    },
    /// `overtime_not_recalculated`: the hours of some workweeks in which a bonus was earned are not known.
    WorkweeksNotKnown {
        /// Workweeks whose hours are known.
        known: usize,
        /// Workweeks in which the bonus was earned.
        count: usize,
    },
    /// `medical_premium_not_deducted`: less was deducted for health insurance than the premiums named in support orders.
    MedicalPremium {
        /// Premiums named in the orders, for the pay period.
        ordered: Amount,
        /// Amount deducted for health insurance in the pay period.
        deducted: Amount,
    },
    /// `premiums_missed`: earlier paychecks did not deduct all premiums, and this one does not recover the rest.
    PremiumsMissed {
        /// What is still open.
        amount: Amount,
        /// The company's names of the benefits.
        of: Vec<String>,
    },
    /// A benefit took less than was elected, or imputed less than the law requires. Its key names what is missing.
    Benefit(Lacking),
    /// `deductions_cut`: pay does not cover a deduction.
    DeductionsCut {
        /// The amount not deducted.
        amount: Amount,
    },
}

impl Warning {
    /// Machine-readable key.
    pub fn key(&self) -> &'static str {
        match self {
            Self::StateTaxNotWithheld { .. } => "state_tax_not_withheld",
            Self::CountyNotKnown { .. } => "county_not_known",
            Self::TaxNotWorkedOut { .. } => "tax_not_worked_out",
            Self::SuppliedTaxNotUsed { .. } => "supplied_tax_not_used",
            Self::ExemptionNotApplied { .. } => "fica_exemption_not_applied",
            Self::NonresidentAmountsMissing { .. } => "nonresident_alien_amounts_missing",
            Self::TaxesNotCollected { .. } => "taxes_not_collected",
            Self::GarnishmentLimit(_) => "garnishment_limit_not_applied",
            Self::OvertimeBelowLaw { .. } => "overtime_below_law",
            Self::WorkweeksNotKnown { .. } => "overtime_not_recalculated",
            Self::MedicalPremium { .. } => "medical_premium_not_deducted",
            Self::PremiumsMissed { .. } => "premiums_missed",
            Self::Benefit(what) => what.as_str(),
            Self::DeductionsCut { .. } => "deductions_cut",
        }
    }

    /// Returns a tax that was not calculated, with its name.
    pub fn uncalculated_tax(&self) -> Option<(TaxId, String)> {
        match self {
            Self::TaxNotWorkedOut { code, name, employer, .. } => {
                let payer = if *employer { Payer::Employer } else { Payer::Employee };
                Some((TaxId::new(code.clone(), payer), name.clone()))
            }
            Self::StateTaxNotWithheld { state, .. } => {
                let name = match state.as_str() {
                    "" => "State income tax".to_owned(),
                    state => format!("{state} income tax"),
                };
                Some((TaxId::of_employee(code_of_income_tax(state)), name))
            }
            _ => None,
        }
    }

    /// Whether it concerns only what the employer owes, and nothing on the paycheck.
    pub fn is_of_employer(&self) -> bool {
        matches!(self, Self::TaxNotWorkedOut { employer: true, .. })
    }

    /// Message for people.
    pub fn message(&self) -> String {
        match self {
            Self::StateTaxNotWithheld { state, reason } if state.is_empty() => {
                format!("no state income tax was withheld: {reason}; supply the amount if one is due")
            }
            Self::StateTaxNotWithheld { state, reason } => {
                format!("no income tax of {state} was withheld: {reason}; supply the amount if one is due")
            }
            Self::CountyNotKnown { state, percent } => format!(
                "the address does not tell the county of the home in {state}; its tax was withheld at {}, the rate for that: correct \
                 the home address, set its county by hand, or answer the local rate",
                percent.to_text(2)
            ),
            Self::TaxNotWorkedOut { name, why, .. } => format!("{name} was not worked out: {why}"),
            Self::SuppliedTaxNotUsed { code } => format!(
                "the amount supplied for {code} was not used: the tax is calculated by the service, or is not due; remove the amount"
            ),
            Self::ExemptionNotApplied { exemption, born } => format!(
                "Social Security and Medicare tax were withheld although {} is set: {}",
                exemption.section(),
                match born {
                    true => "the employee is past the age at which it ends; remove the exemption",
                    false => "the date of birth, which decides, is missing: enter it with the employee",
                }
            ),
            Self::NonresidentAmountsMissing { year } => format!(
                "the federal table of {year} has no amounts to add to the wages of nonresident aliens, and none was \
                 added"
            ),
            Self::TaxesNotCollected { amount } => {
                format!("pay is insufficient for all of the employee's taxes: {amount} was not withheld")
            }
            Self::GarnishmentLimit(limit) => message_of_limit(limit),
            Self::OvertimeBelowLaw { week, entered, due, section } => format!(
                "{} hours of overtime were entered for the workweek of {week}, but the law requires {} ({section}): enter the \
                 missing hours, or all hours of each day as regular hours",
                entered.to_text(2),
                due.to_text(2)
            ),
            Self::WorkweeksNotKnown { known, count } => format!(
                "a bonus or commission was earned in {count} workweeks, and the hours of {known} of them were entered by day or \
                 workweek; the overtime premium of the others was not recalculated (29 CFR 778.209): pay the difference \
                 as a correction"
            ),
            Self::MedicalPremium { ordered, deducted } => format!(
                "support orders require {} of health insurance premiums (National Medical Support Notice), and {} was deducted for \
                 them: enroll the employee in the plan of the notice with that deduction, or remove the premium from the order",
                ordered.to_text(2),
                deducted.to_text(2)
            ),
            Self::PremiumsMissed { amount, of } => format!(
                "premiums of {} of earlier pay periods were not deducted ({}) and are still open: paychecks recover them if \
                 the payroll settings say so; if they are settled in another way, enter a new record of the benefit",
                amount.to_text(2),
                of.join(", ")
            ),
            Self::Benefit(what) => what.message().to_owned(),
            Self::DeductionsCut { amount } => {
                format!("pay is insufficient for all deductions: {amount} was not deducted")
            }
        }
    }
}

/// Message for people about a limit of a garnishment.
fn message_of_limit(limit: &NotApplied) -> String {
    match limit {
        NotApplied::Unconfirmed { key, section, instead } => format!(
            "the limit in {section} is not confirmed and was not applied; {instead}: check the figure against the law, and have \
             the operator confirm {key}"
        ),
        NotApplied::Fee { state, key: Some(key) } => format!(
            "the fee that an employer may take for a garnishment in {state} is not confirmed, and none was taken: check \
             the figure against the law, and have the operator confirm {key}"
        ),
        NotApplied::Fee { state, key: None } => format!(
            "the fee that an employer may take for this kind of garnishment is unknown for {}, and none was taken",
            if state.is_empty() { "an address without a state" } else { state }
        ),
        NotApplied::HoursOfFee => "the hours that the salary paid for are not known, and the fee for a garnishment leaves the minimum wage of 40 \
                                   hours a week: enter the hours, or take no fee"
            .to_owned(),
        NotApplied::EarlierYear { year, used } => format!(
            "the amounts of {year} that are exempt from a federal tax levy are missing; those of {used} were used"
        ),
        NotApplied::YearNotHeld { year } => format!(
            "the amounts of {year} that are exempt from a federal tax levy are missing, and nothing was taken for it"
        ),
        NotApplied::NoStateLimit { state } => format!(
            "no limit of the tax levies of {} is known; the limit of creditors (15 USC 1673(a)) was used: check the levy's notice",
            if state.is_empty() { "an address without a state" } else { state }
        ),
    }
}

impl Taxes {
    /// Returns the sum of employee taxes.
    pub fn of_employee(&self) -> Option<Amount> {
        let taxes = [self.social_security, self.medicare, self.additional_medicare, self.state_income];
        taxes.into_iter().try_fold(self.federal_income, Amount::checked_add)
    }

    /// Returns the sum of employer taxes.
    pub fn of_employer(&self) -> Option<Amount> {
        self.employer_social_security.checked_add(self.employer_medicare)?.checked_add(self.futa)
    }
}
