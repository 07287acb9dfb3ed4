//! Explains a paycheck: recalculates it from its stored inputs and compares the result with what was paid.
//!
//! The paid amounts never change. If today's rules give a different result, or cannot read what an earlier version stored, the explanation
//! gives the lines as they were paid, and says so.

use rules::Amount;
use rules::explain::{Node, Operation, Recorder, Step, Trace};
use rules::payroll::benefits::BenefitType;
use rules::payroll::calculate_paycheck;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits::service::may_see_of_pay;
use crate::error::Error;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::runs::RulesUsed;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::record::{paycheck, results, runs};
use crate::pay::payrolls::service::details;
use crate::pay::payrolls::views::concealed;

/// The explanation of a paycheck.
#[derive(Debug)]
pub struct Explanation {
    /// the payroll
    pub payroll: Payroll,
    /// the result of the calculation
    pub outcome: Outcome,
    /// each figure with the figures it was calculated from
    pub figures: Vec<Node>,
    /// warnings
    pub warnings: Vec<Warning>,
    /// the rules it was calculated with
    pub rules: RulesUsed,
    /// the reason, if the figures are only the paid lines, without steps
    pub note: Option<String>,
}

/// Why a paycheck cannot be reproduced by today's rules.
enum Differs {
    /// they give a different net pay, or different lines
    InFigures(Amount),
    /// they cannot be applied
    Unreadable(&'static str),
}

/// Returns the explanation of an employee's paycheck in a calculated payroll.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error, also for lines that cannot be read.
pub fn paycheck_of(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Explanation, Error> {
    let (payroll, outcome) = find_calculated(tx, caller, id, employee)?;
    let rules = match payroll.run {
        Some(run) => runs::rules_used(tx, caller.company, run)?,
        None => RulesUsed::default(),
    };
    let paid = outcome.read_paycheck()?;
    let (mut figures, note) = match replay_paycheck(tx, &rules, &payroll, &outcome, &paid)? {
        Ok(figures) => (figures, None),
        Err(differs) => (as_paid(&outcome, &paid), Some(explanation_note(&rules, &outcome, &differs))),
    };
    let hidden: Vec<Uuid> = hidden_benefits(&paid, caller).collect();
    if !hidden.is_empty() {
        concealed::conceal_benefits(&mut figures, &hidden);
    }
    Ok(Explanation { figures, warnings: paid.warnings, payroll, outcome, rules, note })
}

/// Returns the payroll and the result of its calculation for an employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_calculated(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    employee: Uuid,
) -> Result<(Payroll, Outcome), Error> {
    let payroll = details::find_payroll(tx, caller, id)?;
    let run = payroll.run.ok_or(Error::NotFound)?;
    let outcome = results::find_outcome(tx, caller.company, run, employee)?.ok_or(Error::NotFound)?;
    Ok((payroll, outcome))
}

/// Returns the figures of a paycheck as today's rules calculate them from its inputs, if every line equals the paid one: with today's
/// tables, or else with those in force when it was calculated.
fn replay_paycheck(
    tx: &mut Tx<'_>,
    rules: &RulesUsed,
    payroll: &Payroll,
    outcome: &Outcome,
    paid: &Paid,
) -> Result<Result<Vec<Node>, Differs>, Error> {
    // The warnings show whether tables of an earlier year were used; they are compared like the lines.
    let tables = PayrollTables::read_for_check_date(tx, payroll.check_date, true)?;
    let differs = match tables {
        Ok(tables) => match replay_with(&tables, payroll, outcome, paid) {
            Ok(figures) => return Ok(Ok(figures)),
            Err(differs) => differs,
        },
        Err(_) => Differs::Unreadable("has no tax tables for the year"),
    };
    let used = PayrollTables::read_used_tables(tx, payroll.check_date, &rules.tables)?;
    let by_used = used.and_then(|tables| replay_with(&tables, payroll, outcome, paid).ok());
    Ok(by_used.ok_or(differs))
}

fn replay_with(
    tables: &PayrollTables,
    payroll: &Payroll,
    outcome: &Outcome,
    paid: &Paid,
) -> Result<Vec<Node>, Differs> {
    let inputs =
        outcome.readable_inputs(payroll.id).ok_or(Differs::Unreadable("cannot read the stored inputs"))?;
    let terms = tables.terms_of(payroll);
    let mut recorder = Recorder::default();
    let paid_to = inputs.to_rules_employee(&terms, tables);
    let again = calculate_paycheck(&mut recorder, &terms, &paid_to)
        .ok_or(Differs::Unreadable("cannot calculate the paycheck"))?;
    let mut lines =
        paycheck::to_stored_paycheck(&again, &inputs, &paid_to.other_taxes.situation, payroll.off_cycle);
    lines.warnings.extend(inputs.warnings.iter().cloned());
    // The year is that of the earlier paychecks, which are not calculated again.
    for tax in &mut lines.taxes {
        let held = paid.taxes.iter().find(|held| held.id == tax.id);
        tax.year_to_date = held.map_or(Amount::ZERO, |held| held.year_to_date);
    }
    let keys = |paid: &Paid| paid.warnings.iter().map(|one| one.key.clone()).collect::<Vec<_>>();
    // The wording of a warning may have been improved since; its key identifies it.
    if keys(&lines) == keys(paid) {
        lines.warnings.clone_from(&paid.warnings);
    }
    // `unworked` repeats the warnings, and paychecks from earlier versions of the program lack it.
    lines.unworked.clone_from(&paid.unworked);
    let sums = (again.gross, again.net, again.check_amount);
    if sums == (outcome.gross, outcome.net, outcome.check_amount) && lines == *paid {
        Ok(recorder.finish())
    } else {
        Err(Differs::InFigures(again.net))
    }
}

/// Explains why the figures are only the paid lines.
fn explanation_note(rules: &RulesUsed, outcome: &Outcome, differs: &Differs) -> String {
    let by = match rules.version {
        Some(version) => format!("version {version} of the rules"),
        None => "an earlier version of the rules".to_owned(),
    };
    let today = match differs {
        Differs::InFigures(net) if *net == outcome.net => {
            "gives the same net pay with other lines".to_owned()
        }
        Differs::InFigures(net) => format!("gives a net pay of {}", net.to_text(2)),
        Differs::Unreadable(why) => (*why).to_owned(),
    };
    let now = rules::VERSION;
    let present = match rules.version {
        Some(version) if version == i64::from(now) => "the same version with the tables of today".to_owned(),
        _ => format!("version {now}, of today,"),
    };
    format!("These are the lines that were paid. They were calculated by {by}; {present} {today}.")
}

/// Returns the benefits that the caller may not see.
fn hidden_benefits(paid: &Paid, caller: &Caller) -> impl Iterator<Item = Uuid> {
    let is_seen = |code| BenefitType::find_by_code(code).is_some_and(|kind| may_see_of_pay(caller, kind));
    paid.benefits.iter().filter(move |line| !is_seen(line.code)).map(|line| line.record)
}

/// Returns the paid lines, each as a figure without steps.
fn as_paid(outcome: &Outcome, paid: &Paid) -> Vec<Node> {
    let mut recorder = Recorder::default();
    let given = |figure: String, value: Amount| Step::new(figure, Operation::Given, value);
    recorder.open_figure();
    for (place, job) in (1..).zip(&paid.jobs) {
        let [regular, overtime, double] = job.hourly;
        let time_off = job.time_off.iter().copied().sum();
        let lines = [
            ("salary", job.salary),
            ("regular_pay", regular),
            ("overtime_pay", overtime),
            ("double_overtime_pay", double),
            ("time_off_pay", time_off),
            ("minimum_wage_adjustment", job.make_up),
            ("recalculated_overtime_premium", job.recalculated),
        ];
        for (name, value) in lines.into_iter().filter(|(_, value)| *value != Amount::ZERO) {
            recorder.add_leaf(|| given(format!("{name}_of_job_{place}"), value));
        }
    }
    recorder.close_figure(|| Step::new("gross_pay", Operation::Given, outcome.gross));
    for tax in paid.taxes.iter().filter(|tax| tax.amount != Amount::ZERO) {
        let label = &tax.label;
        let figure = if tax.is_of_employer() { format!("Employer {label}") } else { label.clone() };
        recorder.add_leaf(|| given(figure, tax.amount).input("code", tax.id.code.clone()));
    }
    for line in &paid.benefits {
        let id = line.record;
        recorder.add_leaf(|| {
            given(format!("employee_deduction:{id}"), line.deduction).input("benefit", line.name.clone())
        });
        recorder.add_leaf(|| {
            given(format!("company_contribution:{id}"), line.contribution).input("benefit", line.name.clone())
        });
    }
    for line in &paid.deductions {
        recorder.add_leaf(|| {
            given(format!("garnishment:{}", line.id), line.amount).input("garnishment", line.name.clone())
        });
        if line.fee != Amount::ZERO {
            recorder.add_leaf(|| {
                given(format!("employer_fee:{}", line.id), line.fee).input("garnishment", line.name.clone())
            });
        }
    }
    for (name, value) in [("cash_tips", paid.cash_tips), ("reimbursements", paid.reimbursements)] {
        if value != Amount::ZERO {
            recorder.add_leaf(|| given(name.to_owned(), value));
        }
    }
    recorder.add_leaf(|| Step::new("net_pay", Operation::Given, outcome.net));
    recorder.add_leaf(|| Step::new("check_amount", Operation::Given, outcome.check_amount));
    recorder.finish()
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
