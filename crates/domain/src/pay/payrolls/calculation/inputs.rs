//! The inputs of a paycheck.
//!
//! [`PaycheckInputs`] are read from the records (`snapshot`), passed to the rules, and stored with the result, so that a paycheck can be
//! explained after the records have changed. They consist of the rules' own types; values that borrow tables are looked up again
//! ([`PaycheckInputs::employee`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use rules::Amount;
use rules::compensation::{self, FlsaStatus};
use rules::payment::{Split, SplitBy};
use rules::payroll::benefits::{Benefit, BenefitToDate};
use rules::payroll::garnishment::{
    EarlierPay, Garnishment, GarnishmentLaw, ManualReason, MinimumWages, Remittance, remittance,
};
use rules::payroll::{
    AfterDeath, Employee, FicaExemption, FixedPay, Job, OtherTaxes, Overtime, Payment, Payroll,
    StateIncomeTax, StateTax, StateTaxTables, Taxpayer, YearToDate,
};
use rules::taxes::{Circumstances, Due, Opened, Situation, StateIncome, ToDate, wages_key};
use rules::withholding::federal::W4;
use rules::withholding::state::Answer;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::tables::PayrollTables;
use crate::pay::minimum_wages::FEDERAL_MINIMUM_WAGE;
use crate::pay::payrolls::entry::entered::{FixedKind, TimeOffKind};
use crate::pay::payrolls::is_zero;
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::paid::time_off::LeaveInput;
use crate::pay::payrolls::paid::time_off::Requested;

/// The format in which inputs are stored.
pub const FORMAT: u8 = 1;

/// The inputs of a paycheck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaycheckInputs {
    /// [`FORMAT`]
    pub format: u8,
    /// version of what was entered for the employee; 0 if nothing was
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entry: i64,
    /// jobs, the primary one first
    pub jobs: Vec<Job>,
    /// lines of pay entered as amounts
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedInput>,
    /// lines of the company's own earning types
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomInput>,
    /// kinds of paid time off of the primary job, in the order of its lines
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<TimeOffKind>,
    /// holiday hours that the company's policy pays if no other hours are entered, in millionths
    #[serde(default, skip_serializing_if = "is_zero")]
    pub holiday_hours: i64,
    /// approved time off requests, paid if no other hours are entered
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<Requested>,
    /// the paycheck's effects on time off balances
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<LeaveInput>,
    /// reimbursed expenses
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reimbursements: Vec<Amount>,
    /// expenses reimbursed with every regular payroll
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurring: Vec<RecurringInput>,
    /// Form W-4
    pub w4: W4,
    /// whether an amount is added to the wages of a nonresident alien for income tax withholding
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nonresident_alien: bool,
    /// why the pay is exempt from Social Security and Medicare tax
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fica_exemption: Option<FicaExemption>,
    /// whether the employer is a section 501(c)(3) organization, which pays no federal unemployment tax
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub charitable_employer: bool,
    /// when wages are paid after the employee's death; `None` for a living employee
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_death: Option<AfterDeath>,
    /// income tax of the work and home states
    pub state: StateInputs,
    /// where the employee lives and works, for state and local taxes
    #[serde(default)]
    pub circumstances: Circumstances,
    /// year-to-date sums of state and local taxes, by code
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taxed_before: BTreeMap<String, ToDate>,
    /// year-to-date sums of these taxes before the first payroll, if opening balances have only totals
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
    /// partner-supplied amounts of taxes that cannot be calculated, by code
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub supplied_taxes: BTreeMap<String, Amount>,
    /// date of birth, for an employee with benefits or with a tax exemption that depends on age
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth_date: Option<Date>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// whether catch-up contributions have to be Roth contributions
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub roth_catch_up: bool,
    /// benefits, in the order of enrollment
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits: Vec<Benefit<Uuid>>,
    /// deductions and contributions of benefits earlier in the year
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits_to_date: Vec<BenefitToDate<Uuid>>,
    /// garnishments
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub garnishments: Vec<GarnishmentInput>,
    /// pay of earlier payrolls of the same pay period, for garnishments
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub earlier: EarlierPay,
    /// the facts that garnishment law depends on, for an employee with garnishments
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garnishment_facts: Option<GarnishmentFacts>,
    /// the facts that overtime law depends on, for an employee whose workweeks are known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overtime: Option<OvertimeFacts>,
    /// wages and taxes earlier in the year
    pub year_to_date: YearToDate,
    /// how net pay is divided among bank accounts; `None` for a check
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentInput>,
    /// warnings found while the records were read
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

fn is_nothing(earlier: &EarlierPay) -> bool {
    *earlier == EarlierPay::default()
}

/// A line of pay entered as an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedInput {
    /// which line
    pub name: FixedKind,
    /// kind, job and amount
    pub pay: FixedPay,
}

/// A line of pay of one of the company's own earning types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomInput {
    /// the earning type's name
    pub name: String,
    /// kind, job and amount
    pub pay: FixedPay,
}

/// An expense reimbursed with every regular payroll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecurringInput {
    /// the recurring reimbursement
    pub id: Uuid,
    /// what it is for
    pub description: String,
    /// dollars
    pub amount: Amount,
}

/// The inputs of the income taxes of the work and home states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateInputs {
    /// the work state, two letters; empty for an employee without a work address
    pub state: String,
    /// answers to the questions of the state's certificate, by key
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, Answer>,
    /// answers for the other states in which the employee works or lives
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elsewhere: BTreeMap<String, BTreeMap<String, Answer>>,
    /// the amount supplied by the partner for the work state
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied: Option<Amount>,
}

/// A garnishment and what its line on the paycheck shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentInput {
    /// the garnishment's description
    pub name: String,
    /// why the service cannot pay the agency, if so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<ManualReason>,
    /// whether an electronic payment cannot name the case
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub payment_information_missing: bool,
    /// two-letter code of the state that issued a support order
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuing_state: Option<String>,
    /// what the employee still owes of what was overpaid, if the deduction pays that back
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub still_owed: Option<Amount>,
    /// the garnishment
    pub garnishment: Garnishment<Uuid>,
}

/// The facts that garnishment law depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentFacts {
    /// minimum wages at the work location
    pub minimum_wages: MinimumWages,
    /// keys of uncertain figures that the operator has confirmed
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confirmed: BTreeSet<String>,
}

/// The facts that overtime law depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OvertimeFacts {
    /// first day of any one workweek
    pub first_day: Date,
    /// state minimum wage, dollars per hour
    pub minimum_wage: Amount,
    /// whether the state's rule applies; otherwise the federal one does
    pub of_state: bool,
    /// the last day of the workweek that continues after the pay period, if the payroll in which it ends has paid
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_until: Option<Date>,
}

/// How net pay is divided among bank accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentInput {
    /// unit of the splits
    pub by: SplitBy,
    /// the splits, by bank account
    pub splits: Vec<Split<Uuid>>,
}

impl GarnishmentInput {
    /// Whether it is child support.
    pub fn is_child_support(&self) -> bool {
        self.garnishment.terms.is_child_support()
    }

    /// Returns the two-letter code of the state that issued a support order.
    pub fn issuer(&self) -> Option<&str> {
        self.issuing_state.as_deref()
    }

    /// Returns why the employer has to pay the agency manually, if that is the case.
    pub fn manual_reason(&self, off_cycle: bool) -> Option<ManualReason> {
        self.garnishment.terms.child_support.as_ref()?;
        match remittance(self.manual, off_cycle) {
            Remittance::Automatic if self.payment_information_missing => Some(ManualReason::Information),
            other => other.reason(),
        }
    }
}

impl StateInputs {
    /// Determines how the income tax of each state is calculated.
    fn taxes<'t>(
        &self,
        (payroll, tables): (&Payroll<'_>, &'t PayrollTables),
        circumstances: &Circumstances,
        situation: &Situation,
    ) -> Vec<StateIncomeTax<'t>> {
        let confirmed = &circumstances.confirmed;
        let tax = |state: &str| self.tax((payroll, tables), circumstances, state);
        let bases = tables.held.tax_bases.on(payroll.check_date);
        let treatments = |state: &str| bases.of_state_income(state, confirmed.contains(&wages_key(state)));
        if situation.states().is_empty() {
            return vec![StateIncomeTax {
                treatments: treatments(&self.state),
                ..StateIncomeTax::of_one(tax(&self.state))
            }];
        }
        let of_state = |income: &StateIncome| StateIncomeTax {
            tax: match income.withheld {
                true => tax(&income.state),
                false => tax(&income.state).not_withheld(),
            },
            share: income.share,
            credits: income.credits.clone(),
            treatments: treatments(&income.state),
            why: income.why.clone(),
        };
        situation.states().iter().map(of_state).collect()
    }

    fn tax<'t>(
        &self,
        (payroll, tables): (&Payroll<'_>, &'t PayrollTables),
        circumstances: &Circumstances,
        state: &str,
    ) -> StateTax<'t> {
        let of_work = state == self.state;
        let supplied = self.supplied.filter(|_| of_work);
        if state.is_empty() {
            let reason = "the employee has no work address".to_owned();
            return match supplied {
                Some(amount) => StateTax::Supplied { state: String::new(), amount },
                None => StateTax::Missing { state: String::new(), reason },
            };
        }
        let of_state = StateTaxTables {
            formulas: &tables.held.state_withholding,
            certificates: tables.held.state_certificates.of(payroll.check_date.year()),
            supplemental: &tables.held.supplemental_rates,
            local: &tables.held.local_taxes,
            confirmed: &circumstances.confirmed,
        };
        let terms = tables.terms_of_state(payroll, state);
        let answers = if of_work { Some(&self.answers) } else { self.elsewhere.get(state) };
        let answer = |key: &str| answers?.get(key).cloned();
        let taxpayer = Taxpayer { state, home: Some(&circumstances.home) };
        StateTax::find(of_state, &terms, taxpayer, answer, supplied)
    }
}

impl PaycheckInputs {
    /// Whether the employee owns the company and is paid by the paycheck.
    pub fn is_owner(&self) -> bool {
        let last = self.jobs.first().and_then(|job| job.compensations.last());
        last.is_some_and(|compensation| compensation.terms.flsa == FlsaStatus::Owner)
    }

    /// Returns the expenses reimbursed in this payroll, followed by the recurring ones.
    fn reimbursed(&self) -> Vec<Amount> {
        self.reimbursements.iter().copied().chain(self.recurring.iter().map(|one| one.amount)).collect()
    }

    /// Returns the employee in a payroll, as the rules expect it.
    pub fn employee<'t>(&self, payroll: &Payroll<'_>, tables: &'t PayrollTables) -> Employee<'t, Uuid> {
        let last_day = payroll.end;
        let primary = self.jobs.first().and_then(|job| {
            rules::effective::active(&job.compensations, last_day, |compensation| compensation.effective)
        });
        let periods_per_year = payroll.frequency.periods_per_year();
        let other_taxes = self.other_taxes(payroll, tables);
        let annual = primary.and_then(|pay| compensation::annualised(&pay.terms, Some(periods_per_year)));
        Employee {
            jobs: self.jobs.clone(),
            fixed: self
                .fixed
                .iter()
                .map(|line| line.pay)
                .chain(self.custom.iter().map(|line| line.pay))
                .collect(),
            reimbursements: self.reimbursed(),
            w4: self.w4,
            nonresident_alien: self.nonresident_alien,
            fica_exemption: self.fica_exemption,
            charitable_employer: self.charitable_employer,
            after_death: self.after_death,
            states: self.state.taxes((payroll, tables), &self.circumstances, &other_taxes.situation),
            other_taxes,
            benefits: self.benefits.clone(),
            benefits_to_date: self.benefits_to_date.clone(),
            birth_date: self.birth_date,
            annual_salary: annual,
            two_percent_shareholder: self.two_percent_shareholder,
            roth_catch_up: self.roth_catch_up,
            garnishments: self.garnishments.iter().map(|one| one.garnishment.clone()).collect(),
            support_limits: tables.held.support_limits.of(&self.state.state, payroll.check_date),
            garnishment_law: self.garnishment_law(payroll, tables),
            earlier: self.earlier,
            year_to_date: self.year_to_date,
            payment: self.payment.as_ref().map(PaymentInput::payment),
            overtime: self.overtime(payroll, tables),
        }
    }

    /// Returns overtime law, with the employer's workweeks.
    fn overtime<'t>(&self, payroll: &Payroll<'_>, tables: &'t PayrollTables) -> Overtime<'t> {
        let rules = tables.held.overtime_rules.on(payroll.end);
        match &self.overtime {
            Some(facts) => Overtime {
                first_day: facts.first_day,
                rule: rules.of(if facts.of_state { &self.state.state } else { "US" }),
                minimum_wage: facts.minimum_wage,
                settled_until: facts.settled_until,
            },
            None => Overtime::federal(),
        }
    }
}

impl PaycheckInputs {
    /// Returns garnishment law for orders other than support. Inputs of earlier versions have no minimum wages.
    fn garnishment_law<'t>(&self, payroll: &Payroll<'_>, tables: &'t PayrollTables) -> GarnishmentLaw<'t> {
        let facts = self.garnishment_facts.as_ref();
        GarnishmentLaw {
            state: self.state.state.clone(),
            check_date: payroll.check_date,
            limits: &tables.held.garnishment_limits,
            levy_exemptions: &tables.held.levy_exemptions,
            fees: &tables.held.employer_fees,
            minimum_wages: facts
                .map_or(MinimumWages::of_country(FEDERAL_MINIMUM_WAGE), |facts| facts.minimum_wages),
            confirmed: facts.map(|facts| facts.confirmed.clone()).unwrap_or_default(),
        }
    }

    /// Returns the state and local taxes that are due, with their earlier sums.
    fn other_taxes(&self, payroll: &Payroll<'_>, tables: &PayrollTables) -> OtherTaxes {
        let mut situation = tables.situation(&self.circumstances, payroll);
        if !self.supplied_taxes.is_empty() {
            situation = Arc::new(situation.with_supplied(&self.supplied_taxes));
        }
        let counted = |due: &Due| {
            let here = self.taxed_before.get(&due.code).cloned().unwrap_or_default();
            match &self.opened {
                // Paychecks of another year count toward the pay period and its weeks, not toward the year.
                Some(opened) => ToDate { year: opened.of(due).year, ..here },
                None => here,
            }
        };
        let before = match (self.taxed_before.is_empty(), &self.opened) {
            (true, None) => Vec::new(),
            _ => situation.to_dates(counted),
        };
        OtherTaxes { situation, before, hours: None }
    }
}

impl PaymentInput {
    /// Returns the splits by the index of their account, as the rules expect them.
    fn payment(&self) -> Payment {
        let splits = self.splits.iter().enumerate();
        let splits = splits.map(|(index, split)| Split {
            account: index,
            priority: split.priority,
            amount: split.amount,
        });
        Payment { by: self.by, splits: splits.collect() }
    }
}
