//! How payrolls and paychecks are told.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::payroll::MINIMUM_WAGE_ADJUSTMENT;
use serde_json::Value;
use uuid::Uuid;

use super::entered::{Entered, FIXED, HOURLY, REIMBURSEMENT, TIME_OFF, multiple};
use super::facts::GarnishmentFacts;
use super::members::Member;
use super::paid::{Outcome, Paid};
use super::rows::{InputRow, Payroll};
use super::shapes;
use super::shapes::{EmployeeCompensation, Money};
use super::totals::StoredTotals;
use super::{TABLE, deadline, earliest_check_date};
use crate::access::tokens::Caller;
use crate::pay::compensations::rows::{Job, Pay};
use crate::records::version_text;
use crate::version::Change;

/// What is told beside the payroll itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Include {
    /// benefits of each paycheck
    pub benefits: bool,
    /// deductions of each paycheck
    pub deductions: bool,
    /// taxes of each paycheck and of all together
    pub taxes: bool,
    /// taxes of all together, as numbers
    pub payroll_taxes: bool,
    /// whether it is in time
    pub status: bool,
    /// sums
    pub totals: bool,
    /// blockers
    pub blockers: bool,
    /// reversals
    pub reversals: bool,
}

impl Include {
    /// The words of a list of payrolls.
    pub const OF_LIST: [&'static str; 5] =
        ["taxes", "payroll_status_meta", "totals", "risk_blockers", "reversals"];
    /// The words of a single payroll.
    pub const OF_ONE: [&'static str; 8] = [
        "benefits",
        "deductions",
        "taxes",
        "payroll_status_meta",
        "totals",
        "risk_blockers",
        "reversals",
        "payroll_taxes",
    ];

    /// Reads the words.
    pub fn of(words: &[&str]) -> Self {
        let named = |word: &str| words.contains(&word);
        Self {
            benefits: named("benefits"),
            deductions: named("deductions"),
            taxes: named("taxes"),
            payroll_taxes: named("payroll_taxes"),
            status: named("payroll_status_meta"),
            totals: named("totals"),
            blockers: named("risk_blockers"),
            reversals: named("reversals"),
        }
    }
}

/// A payroll without its employees.
pub fn payroll(caller: &Caller, now: Timestamp, one: &Payroll, include: Include) -> shapes::Payroll {
    let text = caller.version.has(Change::AmountsAsText);
    let renamed = caller.version.has(Change::AutoPayroll);
    let sums =
        (include.totals || include.taxes || include.payroll_taxes).then(|| StoredTotals::read(&one.totals));
    let taxes = sums.as_ref().map_or(&[] as &[_], |sums| sums.taxes.as_slice());
    let company_taxes = taxes.iter().map(|(name, employer, amount)| {
        serde_json::json!({ "name": name, "employer": employer, "amount": Amount::from_millionths(*amount).to_text(2) })
    });
    let payroll_taxes = taxes.iter().map(|(name, employer, amount)| shapes::Tax {
        name: name.clone(),
        employer: *employer,
        amount: Money { amount: Amount::from_millionths(*amount), text },
    });
    let day = |moment: Timestamp| moment.to_zoned(caller.zone.clone()).date().to_string();
    shapes::Payroll {
        payroll_deadline: moment(deadline(one.check_date)),
        check_date: one.check_date.to_string(),
        processed: one.is_processed(),
        processed_date: one.processed_at.map(day),
        calculated_at: one.calculated_at.map(moment),
        uuid: one.id,
        payroll_uuid: one.id,
        company_uuid: caller.company,
        off_cycle: one.off_cycle,
        off_cycle_reason: one.off_cycle_reason.clone(),
        auto_pilot: (!renamed).then_some(one.auto),
        auto_payroll: renamed.then_some(one.auto),
        external: false,
        final_termination_payroll: one.off_cycle_reason.as_deref() == Some("Dismissed employee"),
        withholding_pay_period: one.withholding_pay_period.as_str(),
        skip_regular_deductions: one.skip_regular_deductions,
        fixed_withholding_rate: one.fixed_withholding_rate,
        is_check_only_payroll: one.check_only,
        pay_period: shapes::Period {
            start_date: one.start.to_string(),
            end_date: one.end.to_string(),
            pay_schedule_uuid: one.pay_schedule,
        },
        payroll_status_meta: include.status.then(|| status(caller, now, one)),
        totals: if include.totals { sums.as_ref().and_then(|sums| sums.totals.clone()) } else { None },
        company_taxes: include.taxes.then(|| company_taxes.collect()),
        payroll_taxes: include.payroll_taxes.then(|| payroll_taxes.collect()),
        created_at: moment(one.created_at),
        submission_blockers: include.blockers.then_some([]),
        credit_blockers: include.blockers.then_some([]),
        reversal_payroll_uuids: include.reversals.then_some([]),
        processing_request: one.request.map(|request| shapes::ProcessingRequest {
            status: request.as_str(),
            errors: serde_json::from_str(&one.request_errors).unwrap_or(Value::Array(Vec::new())),
        }),
        partner_owned_disbursement: None,
        fixed_compensation_types: None,
        employee_compensations: None,
    }
}

fn status(caller: &Caller, now: Timestamp, one: &Payroll) -> shapes::StatusMeta {
    let late = one.submitted_at.unwrap_or(now) > deadline(one.initial_check_date) && !one.check_only;
    let expected = if one.submitted_at.is_none() && late {
        earliest_check_date(now, now.to_zoned(caller.zone.clone()).date())
    } else {
        one.check_date
    };
    // From this version on nobody is told when an off-cycle payroll was to be paid.
    let told = !(one.off_cycle && caller.version.has(Change::OffCycleDatesUntold));
    shapes::StatusMeta {
        cancellable: is_cancellable(now, one),
        expected_check_date: expected.to_string(),
        initial_check_date: told.then(|| one.initial_check_date.to_string()),
        expected_debit_time: moment(deadline(expected)),
        payroll_late: told.then_some(late),
        initial_debit_cutoff_time: moment(deadline(one.initial_check_date)),
    }
}

/// Whether a payroll can still be taken back.
pub fn is_cancellable(now: Timestamp, one: &Payroll) -> bool {
    one.is_processed() && one.paid_at.is_none() && now < deadline(one.check_date)
}

/// A moment to the millisecond.
pub fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The version of what was entered for an employee.
pub fn input_version(payroll: Uuid, employee: Uuid, number: i64) -> String {
    let both = Uuid::from_u128(payroll.as_u128() ^ employee.as_u128());
    version_text(TABLE, both, number)
}

/// Everything about an employee of a payroll that is told.
pub struct Told<'t> {
    /// the payroll
    pub payroll: &'t Payroll,
    /// who it is
    pub member: &'t Member,
    /// what was entered
    pub input: Option<&'t InputRow>,
    /// jobs and pay
    pub pay: &'t Pay,
    /// what a calculation came to
    pub outcome: Option<&'t Outcome>,
    /// garnishments, before a calculation
    pub garnishments: &'t [GarnishmentFacts],
}

impl Told<'_> {
    /// The answer.
    pub fn tell(&self, caller: &Caller, include: Include) -> EmployeeCompensation {
        let text = caller.version.has(Change::AmountsAsText);
        let money = |amount: Amount| Money { amount, text };
        let entered = self.input.map(|input| Entered::read(&input.inputs)).unwrap_or_default();
        let paid = self.outcome.map(Outcome::paid);
        let method = if self.payroll.check_only {
            "Check".to_owned()
        } else {
            entered.payment_method.clone().unwrap_or_else(|| self.member.payment_method.clone())
        };
        let by_default = !self.payroll.off_cycle && caller.version.has(Change::DeductionsByDefault);
        let benefits = paid.iter().flat_map(|paid| &paid.benefits).map(|one| shapes::Benefit {
            name: one.name.clone(),
            employee_deduction: money(Amount::from_millionths(one.deduction)),
            company_contribution: money(Amount::from_millionths(one.contribution)),
            imputed: one.imputed > 0,
        });
        let taxes =
            paid.iter().flat_map(|paid| &paid.taxes).filter(|tax| tax.2 != 0).map(|tax| shapes::Tax {
                name: tax.0.clone(),
                employer: tax.1,
                amount: money(Amount::from_millionths(tax.2)),
            });
        let processed = self.payroll.is_processed();
        EmployeeCompensation {
            employee_uuid: self.member.id,
            excluded: self.input.is_some_and(|input| input.excluded),
            first_name: self.member.first_name.clone(),
            preferred_first_name: self.member.preferred_first_name.clone(),
            last_name: self.member.last_name.clone(),
            gross_pay: self.outcome.map(|outcome| money(outcome.gross)),
            net_pay: self.outcome.map(|outcome| money(outcome.net)),
            check_amount: self.outcome.map(|outcome| money(outcome.check_amount)),
            payment_method: method,
            memo: entered.memo.clone(),
            fixed_compensations: self.fixed(caller, &entered, paid.as_ref()),
            hourly_compensations: self.hourly(&entered, paid.as_ref()),
            paid_time_off: time_off(&entered, processed),
            reimbursements: entered
                .reimbursements
                .iter()
                .map(|one| shapes::Reimbursement {
                    amount: dollars(one.amount),
                    description: one.description.clone(),
                    uuid: one.id,
                    recurring: false,
                })
                .collect(),
            deductions: (include.deductions || by_default)
                .then(|| deductions(self.garnishments, paid.as_ref(), text, self.payroll.off_cycle)),
            taxes: include.taxes.then(|| taxes.collect()),
            benefits: include.benefits.then(|| benefits.collect()),
            payment_splits: paid
                .iter()
                .flat_map(|paid| &paid.splits)
                .map(|(account, cents)| shapes::PaymentSplit {
                    bank_account_uuid: *account,
                    amount: Amount::from_cents(*cents).to_text(2),
                })
                .collect(),
            warnings: paid.as_ref().map(|paid| paid.warnings.clone()).unwrap_or_default(),
            version: (!processed).then(|| {
                let number = self.input.map_or(0, |input| input.version);
                input_version(self.payroll.id, self.member.id, number)
            }),
        }
    }

    /// The jobs that the pay period meets.
    fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.pay.jobs.iter().filter(|job| job.hire_date <= self.payroll.end)
    }

    /// Amounts: those that were entered, what brings pay up to the minimum wage, and where lines can be entered the
    /// others with nothing in them.
    fn fixed(
        &self,
        caller: &Caller,
        entered: &Entered,
        paid: Option<&Paid>,
    ) -> Vec<shapes::FixedCompensation> {
        let processed = self.payroll.is_processed();
        let mut lines = Vec::new();
        let mut push = |name: &str, amount: i64, job: Uuid| {
            lines.push(shapes::FixedCompensation {
                name: name.to_owned(),
                amount: dollars(amount),
                job_uuid: job,
            });
        };
        for (place, job) in self.jobs().enumerate() {
            for (kind, name) in FIXED.into_iter().enumerate() {
                let adjustment = name == MINIMUM_WAGE_ADJUSTMENT;
                let amount = if adjustment {
                    paid.and_then(|paid| paid.jobs.get(place)).map_or(0, |job| job.make_up)
                } else {
                    entered.amount(job.id, kind).millionths()
                };
                let adjusted = self.is_adjusted(job.id);
                let empty = !processed && if adjustment { adjusted } else { job.is_primary };
                if amount > 0 || empty {
                    push(name, amount, job.id);
                }
            }
        }
        if !caller.version.has(Change::ReimbursementsApart)
            && let Some(job) = self.pay.primary()
        {
            let sum = entered.reimbursements.iter().map(|one| one.amount).sum();
            if sum > 0 || !processed {
                push(REIMBURSEMENT, sum, job.id);
            }
        }
        lines
    }

    /// Whether a compensation of the job that meets the pay period is adjusted to the minimum wage.
    fn is_adjusted(&self, job: Uuid) -> bool {
        let last = self.pay.current(job, self.payroll.end).map(|current| current.id);
        let first = self.pay.current(job, self.payroll.start).map(|current| current.id);
        let counts = |id: Uuid, from: Date| {
            Some(id) == last || Some(id) == first || (self.payroll.start..=self.payroll.end).contains(&from)
        };
        self.pay
            .of_job(job)
            .iter()
            .any(|one| one.adjust_for_minimum_wage && counts(one.id, one.effective_date))
    }

    /// Hours of each job that is paid by them, and what a salary comes to.
    fn hourly(&self, entered: &Entered, paid: Option<&Paid>) -> Vec<shapes::HourlyCompensation> {
        let processed = self.payroll.is_processed();
        let mut lines = Vec::new();
        for (place, job) in self.jobs().enumerate() {
            let Some(current) = self.pay.current(job.id, self.payroll.end) else { continue };
            let (unit, flsa) = (current.payment_unit, current.flsa_status);
            let of_job = paid.and_then(|paid| paid.jobs.get(place));
            let by_hours = unit == PaymentUnit::Hour;
            let overtime = matches!(flsa, FlsaStatus::Nonexempt | FlsaStatus::SalariedNonexempt);
            for (kind, (name, tenths)) in HOURLY.into_iter().enumerate() {
                let hours = entered.hours(job.id, kind);
                let amount = of_job.map(|paid| paid.hourly[kind] + if kind == 0 { paid.salary } else { 0 });
                let offered = if kind == 0 { by_hours } else { overtime };
                let something = hours > Amount::ZERO || amount.is_some_and(|amount| amount > 0);
                if !something && (processed || !offered) {
                    continue;
                }
                lines.push(shapes::HourlyCompensation {
                    name,
                    hours: hours.to_text(3),
                    workweeks: workweeks(&entered.weeks(job.id, kind)),
                    amount: amount.map(dollars),
                    job_uuid: job.id,
                    compensation_multiplier: multiple(tenths),
                    flsa_status: flsa.as_str(),
                });
            }
        }
        lines
    }
}

fn workweeks(weeks: &[(Date, Amount)]) -> Vec<shapes::Workweek> {
    let told = weeks.iter();
    told.map(|(start, hours)| shapes::Workweek { start_date: start.to_string(), hours: hours.to_text(3) })
        .collect()
}

fn time_off(entered: &Entered, processed: bool) -> Vec<shapes::PaidTimeOff> {
    let lines = TIME_OFF.into_iter().enumerate().filter_map(|(kind, name)| {
        let line = entered.time_off.iter().find(|line| line.kind == kind);
        if processed && line.is_none() {
            return None;
        }
        let hours = |millionths: i64| Amount::from_millionths(millionths).to_text(3);
        Some(shapes::PaidTimeOff {
            name,
            hours: hours(line.map_or(0, |line| line.hours)),
            final_payout_unused_hours_input: line
                .filter(|line| line.paid_out > 0)
                .map(|line| hours(line.paid_out)),
        })
    });
    lines.collect()
}

fn deductions(
    garnishments: &[GarnishmentFacts],
    paid: Option<&Paid>,
    text: bool,
    off_cycle: bool,
) -> Vec<shapes::Deduction> {
    let money = |amount: i64| Money { amount: Amount::from_millionths(amount), text };
    let remittance = |support: bool, manual: Option<&String>| {
        let who = if manual.is_some() { "manual" } else { "automatic" };
        support.then(|| who.to_owned())
    };
    match paid {
        Some(paid) => paid
            .deductions
            .iter()
            .map(|one| shapes::Deduction {
                name: one.name.clone(),
                amount: money(one.amount),
                amount_type: "fixed",
                uuid: one.id,
                remittance: remittance(one.support, one.manual.as_ref()),
                remittance_reason: one.manual.clone(),
            })
            .collect(),
        None => garnishments
            .iter()
            .map(|one| {
                let manual = one.manual(off_cycle);
                shapes::Deduction {
                    name: one.name.clone(),
                    amount: money(one.amount),
                    amount_type: if one.percent { "percent" } else { "fixed" },
                    uuid: one.id,
                    remittance: remittance(one.is_child_support(), manual.as_ref()),
                    remittance_reason: manual,
                }
            })
            .collect(),
    }
}

fn dollars(millionths: i64) -> String {
    Amount::from_millionths(millionths).to_text(2)
}
