//! The lines of a paycheck: amounts, hours, time off and expenses, as entered and as paid.

use domain::access::tokens::Caller;
use domain::pay::compensations::rows::{Job, Pay};
use domain::pay::earning_types::rows::EarningType;
use domain::pay::payrolls::record::earned::Earned;
use domain::pay::payrolls::record::entered::{Entered, TimeOff};
use domain::pay::payrolls::record::hours::Hours;
use domain::pay::payrolls::record::kinds::{
    FixedKind, HourlyKind, RECALCULATED_PREMIUM, REIMBURSEMENT, TimeOffKind, multiplier_number,
};
use domain::pay::payrolls::record::paycheck::Paid;
use domain::pay::payrolls::record::paycheck_inputs::RecurringInput;
use domain::pay::payrolls::record::payroll;
use domain::version::{ApiVersion, Change};
use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::amount::dollars_text;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::days::Days;
use uuid::Uuid;

use super::paycheck::{
    AmountOfWorkweek, FixedCompensation, HourlyCompensation, HoursEntry, HoursOfWorkweek, PaidTimeOff,
    Reimbursement, Workweek,
};

/// The employee whose lines are serialized.
pub(super) struct Lines<'l> {
    pub(super) payroll: &'l payroll::Payroll,
    pub(super) pay: &'l Pay,
    pub(super) entered: &'l Entered,
    pub(super) paid: Option<&'l Paid>,
    pub(super) make_ups: &'l [Amount],
    pub(super) unused: &'l [(TimeOffKind, Amount)],
    pub(super) recurring: &'l [RecurringInput],
    pub(super) earning_types: &'l [EarningType],
    pub(super) salaried: &'l [(Uuid, Amount)],
    pub(super) workweeks: &'l [Days],
}

impl Lines<'_> {
    /// The jobs held during the pay period.
    fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.pay.jobs.iter().filter(|job| job.hire_date <= self.payroll.end)
    }

    /// Amounts: those entered, the adjustment to the minimum wage, and, while lines can be entered, all others with an
    /// amount of zero.
    pub(super) fn fixed_compensations(&self, caller: &Caller) -> Vec<FixedCompensation> {
        let processed = self.payroll.is_processed();
        let mut lines = Vec::new();
        let mut push = |name: &str, amount: Amount, job: Uuid, parts: &[(Amount, Earned)]| {
            let earned = parts.first().map_or_else(Earned::default, |(_, earned)| *earned);
            let day = |day: Option<Date>| day.filter(|_| !earned.is_part).map(|day| day.to_string());
            lines.push(FixedCompensation {
                name: name.to_owned(),
                amount: dollars_text(amount),
                job_uuid: job,
                discretionary: earned.discretionary,
                earned_from: day(earned.from),
                earned_to: day(earned.to),
                breakdowns: self.amounts_of_workweeks(parts),
            });
        };
        for (index, job) in self.jobs().enumerate() {
            for kind in FixedKind::ALL.iter().copied() {
                let adjustment = kind == FixedKind::MinimumWageAdjustment;
                let amount =
                    if adjustment { self.make_up(index) } else { self.entered.fixed_amount(job.id, kind) };
                let adjusted = self.is_adjusted(job.id);
                let empty = !processed && if adjustment { adjusted } else { job.is_primary };
                if amount > Amount::ZERO || empty {
                    let parts: Vec<_> =
                        self.entered.fixed_of(job.id, kind).map(|line| (line.amount, line.earned)).collect();
                    push(kind.as_str(), amount, job.id, &parts);
                }
            }
            let recalculated = self
                .paid
                .and_then(|paid| paid.jobs.get(index))
                .map_or(Amount::ZERO, |paid| paid.recalculated);
            if recalculated > Amount::ZERO {
                push(RECALCULATED_PREMIUM, recalculated, job.id, &[]);
            }
            let entered = self.entered.custom.iter().filter(|line| line.job == job.id);
            let mut told: Vec<Uuid> = Vec::new();
            for line in entered.clone() {
                if told.contains(&line.earning_type) {
                    continue;
                }
                told.push(line.earning_type);
                let parts: Vec<_> = self
                    .entered
                    .custom_of(job.id, line.earning_type)
                    .map(|part| (part.amount, part.earned))
                    .collect();
                push(&line.name, parts.iter().map(|(amount, _)| *amount).sum(), job.id, &parts);
            }
            let mut own = self.earning_types.iter().filter(|_| !processed && job.is_primary);
            while let Some(one) = own.find(|one| entered.clone().all(|line| line.earning_type != one.id)) {
                push(&one.name, Amount::ZERO, job.id, &[]);
            }
        }
        if !caller.version.includes_change(Change::ReimbursementsApart)
            && let Some(job) = self.pay.primary_job()
        {
            // Recurring reimbursements cannot be entered in the older line.
            let sum: Amount = self.entered.reimbursements.iter().map(|one| one.amount).sum();
            if sum > Amount::ZERO || !processed {
                push(REIMBURSEMENT, sum, job.id, &[]);
            }
        }
        lines
    }

    /// The adjustment of a job's pay to the minimum wage: as calculated, or according to the current entries.
    fn make_up(&self, index: usize) -> Amount {
        match self.paid {
            Some(paid) => paid.jobs.get(index).map_or(Amount::ZERO, |job| job.make_up),
            None => self.make_ups.get(index).copied().unwrap_or_default(),
        }
    }

    /// Whether one of the job's compensations in force during the pay period is adjusted to the minimum wage.
    fn is_adjusted(&self, job: Uuid) -> bool {
        let last = self.pay.compensation_on(job, self.payroll.end).map(|current| current.id);
        let first = self.pay.compensation_on(job, self.payroll.start).map(|current| current.id);
        let counts = |id: Uuid, from: Date| {
            Some(id) == last || Some(id) == first || (self.payroll.start..=self.payroll.end).contains(&from)
        };
        self.pay
            .of_job(job)
            .iter()
            .any(|one| one.adjust_for_minimum_wage && counts(one.id, one.effective_date))
    }

    /// The hours that the salary of a job represents if none are entered.
    fn of_salary(&self, job: Uuid, kind: HourlyKind) -> Option<Amount> {
        let is_open = kind == HourlyKind::Regular && self.entered.hours_of_job(job, kind) == Amount::ZERO;
        let found = self.salaried.iter().find(|(of, _)| is_open && *of == job);
        found.map(|(_, hours)| *hours)
    }

    /// The hours of each job, with the pay for them.
    pub(super) fn hourly_compensations(&self) -> Vec<HourlyCompensation> {
        let processed = self.payroll.is_processed();
        let mut lines = Vec::new();
        for (index, job) in self.jobs().enumerate() {
            let Some(current) = self.pay.compensation_on(job.id, self.payroll.end) else { continue };
            let (unit, flsa) = (current.pay_terms().unit, current.pay_terms().flsa);
            let of_job = self.paid.and_then(|paid| paid.jobs.get(index));
            let by_hours = unit == PaymentUnit::Hour || self.of_salary(job.id, HourlyKind::Regular).is_some();
            let overtime = matches!(flsa, FlsaStatus::Nonexempt | FlsaStatus::SalariedNonexempt);
            for (line, kind) in HourlyKind::ALL.iter().copied().enumerate() {
                let hours = match of_job {
                    Some(paid) => self.entered.hours_paid(job.id, kind, paid),
                    None => self.entered.hours_of_job(job.id, kind),
                };
                let regular = kind == HourlyKind::Regular;
                let amount =
                    of_job.map(|paid| paid.hourly[line] + if regular { paid.salary } else { Amount::ZERO });
                let offered = if regular { by_hours } else { overtime };
                let something = hours > Amount::ZERO || amount.is_some_and(|amount| amount > Amount::ZERO);
                if !something && (processed || !offered) {
                    continue;
                }
                lines.push(HourlyCompensation {
                    name: kind.as_str(),
                    hours: self.of_salary(job.id, kind).unwrap_or(hours).to_text(3),
                    workweeks: workweek_answers(&self.entered.hours_by_workweek(job.id, kind, None)),
                    breakdowns: self.hours_of_workweeks(job.id, kind, hours),
                    entries: hours_entries(&self.entered.by_day_and_place(job.id, kind)),
                    amount: amount.map(dollars_text),
                    job_uuid: job.id,
                    compensation_multiplier: multiplier_number(kind.multiplier_tenths()),
                    flsa_status: flsa.as_str(),
                });
            }
        }
        lines
    }

    /// The hours of each workweek, where they add up to those of the line.
    fn hours_of_workweeks(&self, job: Uuid, kind: HourlyKind, hours: Amount) -> Vec<HoursOfWorkweek> {
        let weeks = self.entered.hours_by_workweek(job, kind, self.workweeks.first().map(|week| week.first));
        if weeks.iter().map(|(_, hours)| *hours).sum::<Amount>() != hours {
            return Vec::new();
        }
        let part = |(start, hours): (Date, Amount)| HoursOfWorkweek {
            start_date: start.to_string(),
            end_date: last_day(start).to_string(),
            hours: hours.to_text(3),
        };
        self.of_every_workweek(weeks).into_iter().map(part).collect()
    }

    /// The amount of each workweek, where it was entered so.
    fn amounts_of_workweeks(&self, parts: &[(Amount, Earned)]) -> Vec<AmountOfWorkweek> {
        let divided = parts.iter().filter(|(_, earned)| earned.is_part);
        let weeks: Vec<_> = divided.filter_map(|(amount, earned)| Some((earned.from?, *amount))).collect();
        let part = |(start, amount): (Date, Amount)| AmountOfWorkweek {
            start_date: start.to_string(),
            end_date: last_day(start).to_string(),
            amount: dollars_text(amount),
        };
        self.of_every_workweek(weeks).into_iter().map(part).collect()
    }

    /// The parts of a line, with a part of zero for every other workweek of the payroll; empty for a line that is not divided.
    fn of_every_workweek(&self, mut parts: Vec<(Date, Amount)>) -> Vec<(Date, Amount)> {
        if parts.is_empty() {
            return parts;
        }
        for Days { first: start, .. } in self.workweeks {
            if parts.iter().all(|(held, _)| held != start) {
                parts.push((*start, Amount::ZERO));
            }
        }
        parts.sort_by_key(|(start, _)| *start);
        parts
    }

    /// Hours of paid time off; while lines can be entered, every kind.
    pub(super) fn time_off(&self, version: ApiVersion) -> Vec<PaidTimeOff> {
        let processed = self.payroll.is_processed();
        let hours = |hours: Amount| hours.to_text(3);
        let lines = TimeOffKind::ALL.iter().copied().filter_map(|kind| {
            let line = self.entered.time_off.iter().find(|line| line.kind == kind);
            // The payout under the policy or the law of the work state, if none is entered.
            let due = match self.paid {
                Some(paid) => paid.leave.iter().find(|one| one.kind == kind).map(|one| one.paid_out),
                None => self.unused.iter().find(|(of, _)| *of == kind).map(|(_, hours)| *hours),
            };
            let paid_out = line.and_then(|line| line.paid_out).or(due.filter(|hours| *hours > Amount::ZERO));
            // Leave without pay is a line only where it is entered.
            let is_shown = !processed && kind != TimeOffKind::Unpaid;
            if !is_shown && line.is_none() && paid_out.is_none() {
                return None;
            }
            Some(PaidTimeOff {
                name: kind.as_str(),
                hours: hours(line.map_or(Amount::ZERO, TimeOff::hours_taken)),
                final_payout_unused_hours_input: match paid_out {
                    Some(paid_out) => Some(Some(hours(paid_out))),
                    // The typed clients of the older versions reject null.
                    None => version.includes_change(Change::UnusedHoursAsNull).then_some(None),
                },
            })
        });
        lines.collect()
    }

    pub(super) fn reimbursements(&self) -> Vec<Reimbursement> {
        let lines = self.entered.reimbursements.iter().map(|one| Reimbursement {
            amount: dollars_text(one.amount),
            description: one.description.clone(),
            uuid: one.id,
            recurring: false,
        });
        let recurring = self.recurring.iter().map(|one| Reimbursement {
            amount: one.amount.to_text(2),
            description: Some(one.description.clone()),
            uuid: one.id,
            recurring: true,
        });
        lines.chain(recurring).collect()
    }
}

/// The last day of the workweek from a day on.
fn last_day(start: Date) -> Date {
    start.saturating_add(6.days())
}

fn workweek_answers(weeks: &[(Date, Amount)]) -> Vec<Workweek> {
    let lines = weeks.iter();
    lines.map(|(start, hours)| Workweek { start_date: start.to_string(), hours: hours.to_text(3) }).collect()
}

fn hours_entries(lines: &[&Hours]) -> Vec<HoursEntry> {
    let entry = |line: &&Hours| HoursEntry {
        date: line.date.map(|day| day.to_string()),
        workweek_start: line.week.map(|day| day.to_string()),
        location_uuid: line.location,
        hours: line.hours.to_text(3),
    };
    lines.iter().map(entry).collect()
}
