//! An employee as the rules expect it, made of the inputs of a paycheck and of the tables of its payroll.

use std::sync::Arc;

use rules::Amount;
use rules::compensation;
use rules::payment::Split;
use rules::payroll::garnishment::{GarnishmentLaw, MinimumWages};
use rules::payroll::{
    Employee, OtherTaxes, Overtime, Payment, Payroll, StateIncomeTax, StateTax, StateTaxTables, Taxpayer,
};
use rules::taxes::{Circumstances, Due, Situation, StateIncome, ToDate, wages_key};
use uuid::Uuid;

use crate::pay::minimum_wages::FEDERAL_MINIMUM_WAGE;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::paycheck_inputs::{PaycheckInputs, PaymentInput, StateInputs};

impl PaycheckInputs {
    /// Returns the expenses reimbursed in this payroll, followed by the recurring ones.
    fn reimbursed_amounts(&self) -> Vec<Amount> {
        self.reimbursements.iter().copied().chain(self.recurring.iter().map(|one| one.amount)).collect()
    }

    /// Returns the employee in a payroll, as the rules expect it.
    pub fn to_rules_employee<'t>(
        &self,
        payroll: &Payroll<'_>,
        tables: &'t PayrollTables,
    ) -> Employee<'t, Uuid> {
        let last_day = payroll.end;
        let primary = self.jobs.first().and_then(|job| {
            rules::effective::active_record(&job.compensations, last_day, |compensation| {
                compensation.effective
            })
        });
        let periods_per_year = payroll.frequency.periods_per_year();
        let other_taxes = self.other_taxes(payroll, tables);
        let annual = primary.and_then(|pay| compensation::annualized_pay(&pay.terms, Some(periods_per_year)));
        Employee {
            jobs: self.jobs.clone(),
            fixed: self
                .fixed
                .iter()
                .map(|line| line.pay)
                .chain(self.custom.iter().map(|line| line.pay))
                .collect(),
            reimbursements: self.reimbursed_amounts(),
            w4: self.w4,
            nonresident_alien: self.nonresident_alien,
            fica_exemption: self.fica_exemption,
            charitable_employer: self.charitable_employer,
            after_death: self.after_death,
            states: self.state.state_income_taxes(
                (payroll, tables),
                &self.circumstances,
                &other_taxes.situation,
            ),
            other_taxes,
            benefits: self.benefits.clone(),
            benefits_to_date: self.benefits_to_date.clone(),
            birth_date: self.birth_date,
            annual_salary: annual,
            two_percent_shareholder: self.two_percent_shareholder,
            roth_catch_up: self.roth_catch_up,
            garnishments: self.garnishments.iter().map(|one| one.garnishment.clone()).collect(),
            support_limits: tables.held.support_limits.limits_of_state(&self.state.state, payroll.check_date),
            garnishment_law: self.garnishment_law(payroll, tables),
            earlier: self.earlier,
            year_to_date: self.year_to_date,
            payment: self.payment.as_ref().map(PaymentInput::to_rules_payment),
            overtime: self.overtime_law(payroll, tables),
        }
    }

    /// Returns overtime law, with the employer's workweeks.
    fn overtime_law<'t>(&self, payroll: &Payroll<'_>, tables: &'t PayrollTables) -> Overtime<'t> {
        let rules = tables.held.overtime_rules.edition_on(payroll.end);
        match &self.overtime {
            Some(facts) => Overtime {
                first_day: facts.first_day,
                rule: rules.rule_of_state(if facts.of_state { &self.state.state } else { "US" }),
                minimum_wage: facts.minimum_wage,
                settled_until: facts.settled_until,
            },
            None => Overtime::federal_law(),
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
        let mut situation = tables.situation_in(&self.circumstances, payroll);
        if !self.supplied_taxes.is_empty() {
            situation = Arc::new(situation.with_supplied(&self.supplied_taxes));
        }
        let counted = |due: &Due| {
            let here = self.taxed_before.get(&due.code).cloned().unwrap_or_default();
            match &self.opened {
                // Paychecks of another year count toward the pay period and its weeks, not toward the year.
                Some(opened) => ToDate { year: opened.opening_amounts(due).year, ..here },
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

impl StateInputs {
    /// Determines how the income tax of each state is calculated.
    fn state_income_taxes<'t>(
        &self,
        (payroll, tables): (&Payroll<'_>, &'t PayrollTables),
        circumstances: &Circumstances,
        situation: &Situation,
    ) -> Vec<StateIncomeTax<'t>> {
        let confirmed = &circumstances.confirmed;
        let tax = |state: &str| self.state_income_tax((payroll, tables), circumstances, state);
        let bases = tables.held.tax_bases.edition_on(payroll.check_date);
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

    fn state_income_tax<'t>(
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
            certificates: tables.held.state_certificates.certificates_of_year(payroll.check_date.year()),
            supplemental: &tables.held.supplemental_rates,
            local: &tables.held.local_taxes,
            confirmed: &circumstances.confirmed,
        };
        let terms = tables.terms_of_state(payroll, state);
        let answers = if of_work { Some(&self.answers) } else { self.elsewhere.get(state) };
        let answer = |key: &str| answers?.get(key).cloned();
        let taxpayer = Taxpayer { state, home: Some(&circumstances.home) };
        StateTax::find_state_tax(of_state, &terms, taxpayer, answer, supplied)
    }
}

impl PaymentInput {
    /// Returns the splits by the index of their account, as the rules expect them.
    fn to_rules_payment(&self) -> Payment {
        let splits = self.splits.iter().enumerate();
        let splits = splits.map(|(index, split)| Split {
            account: index,
            priority: split.priority,
            amount: split.amount,
        });
        Payment { by: self.by, splits: splits.collect() }
    }
}
