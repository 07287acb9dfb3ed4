//! The effect of a plan on coming payrolls: the benefit without and with it, payroll by payroll.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::amount::MAX_AMOUNT;
use rules::explain::NoTrace;
use rules::payroll::benefits::roth_catch_up::RothThresholds;
use rules::payroll::benefits::{
    Benefit, BenefitElection, BenefitToDate, Contribution, Limits, Line, Pay, PayParts, Standing,
    calculate_benefits,
};
use rules::{Amount, Checks, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits::commands::PayPeriod;
use crate::benefits::{high_earners, other_companies, payroll};
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::compensations;
use crate::pay::pay_schedules::schedule_spans;
use crate::people::employees;
use crate::people::employees::Employee;
use crate::platform::law;
use crate::records::IdRange;

/// Maximum number of pay periods.
const PERIODS: usize = 60;
/// Number of days after the last change whose payrolls are included.
const AFTERWARDS: i64 = 45;

/// A coming payroll, without and with the plan.
#[derive(Debug, Clone)]
pub struct PlannedPayroll {
    /// last day of the pay period, on which the benefit must be in force
    pub period_end: Date,
    /// check date
    pub check_date: Date,
    /// whether the plan makes a difference
    pub changed: bool,
    /// without the plan
    pub before: BenefitOnPayroll,
    /// with the plan
    pub after: BenefitOnPayroll,
}

/// The benefit in a coming payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenefitOnPayroll {
    /// whether it applies, or why not
    pub standing: Standing,
    /// the existing record in force
    pub record: Option<Uuid>,
    /// `None` if it depends on unknown gross pay
    pub employee_deduction: Option<Amount>,
    /// `None` if it depends on unknown gross pay
    pub company_contribution: Option<Amount>,
}

/// A coming pay period.
#[derive(Debug, Clone, Copy)]
struct Period {
    end: Date,
    check_date: Date,
}

/// What processed payrolls tell about an employee.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// pay periods that are paid: the pay schedule and the last day
    pub paid: BTreeSet<(Uuid, Date)>,
    /// Social Security wages of each year
    pub social_security_wages: BTreeMap<i16, Amount>,
}

/// What the caller assumes of coming payrolls.
pub(super) struct Outlook {
    gross: Option<Amount>,
    /// by default those of the employee's pay schedule
    periods: Option<Vec<Period>>,
}

impl Outlook {
    /// Reads it.
    pub fn read(gross: &Patch<Amount>, periods: &Patch<Vec<PayPeriod>>, checks: &mut Checks) -> Self {
        let gross = gross.optional("gross_pay", checks, |key, amount| {
            let fine = (Amount::ZERO..=MAX_AMOUNT).contains(amount);
            let message = format!("{key} must be an amount from 0.00 to {MAX_AMOUNT}");
            if fine { Ok(*amount) } else { Err(Violation::invalid(key, message)) }
        });
        periods.optional("pay_periods", checks, |key, periods| {
            let fine = periods.len() <= PERIODS;
            let message = format!("{key} must have at most {PERIODS} pay periods");
            if fine { Ok(()) } else { Err(Violation::invalid(key, message)) }
        });
        let sent = periods.value();
        let periods = sent.into_iter().flatten().enumerate().filter_map(|(place, sent)| {
            let mut own = Checks::new();
            let end = sent.end_date.required("end_date", &mut own, as_is);
            let check_date = sent.check_date.optional("check_date", &mut own, as_is);
            if let Err(found) = own.finish() {
                let at_index = serde_json::json!({ "index": place });
                checks.push(Violation::nested("pay_periods", found).with_metadata(at_index));
            }
            end.map(|end| Period { end, check_date: check_date.unwrap_or(end) })
        });
        let mut periods: Vec<_> = periods.collect();
        periods.sort_by_key(|period| (period.check_date, period.end));
        Self { gross, periods: sent.map(|_| periods) }
    }

    /// The pay periods in the order of payment: the given ones, or else those of the pay schedule that end between today
    /// and some days after the last day of the plan, and are not `paid` yet.
    fn coming_periods(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        (employee, paid): (Uuid, &BTreeSet<(Uuid, Date)>),
        last: Date,
    ) -> Result<Vec<Period>, Error> {
        if let Some(named) = &self.periods {
            return Ok(named.clone());
        }
        let today = caller.today(tx);
        let beyond = last.max(today).checked_add(AFTERWARDS.days()).unwrap_or(last);
        let mut found = Vec::new();
        let mut day = today;
        while found.len() < PERIODS && day <= beyond {
            let Some(follows) = schedule_spans::of_employee(tx, caller.company, employee, day)? else {
                break;
            };
            let until = follows.until.unwrap_or(Date::MAX);
            let schedule = follows.schedule.pay_periods()?;
            // The last days with a schedule may be a part of a pay period.
            let periods = schedule.periods(day, beyond.min(until));
            let periods = periods.map(|p| Period { end: p.end.min(until), check_date: p.check_date });
            let unpaid = periods.filter(|p| !paid.contains(&(follows.schedule.id, p.end)));
            found.extend(unpaid.take(PERIODS - found.len()));
            if until >= beyond {
                break;
            }
            day = until.saturating_add(1.day());
        }
        Ok(found)
    }
}

/// The benefit in each coming payroll, with its existing records and with `after` in their place; `last` is the last day
/// of the plan.
pub(super) fn effect_on_coming_payrolls(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    (benefit, after, last): (Uuid, &[Benefit<Uuid>], Date),
    (outlook, history): (&Outlook, &History),
) -> Result<Vec<PlannedPayroll>, Error> {
    let before = payroll::of_employee(tx, caller.company, employee.id)?;
    let others = before.iter().filter(|b| b.company_benefit != benefit);
    let mut with_plan: Vec<_> = others.chain(after).cloned().collect();
    payroll::sort_by_enrollment(&mut with_plan);
    let periods = outlook.coming_periods(tx, caller, (employee.id, &history.paid), last)?;
    let birth_date = employees::rows::birth_date(tx, caller.company, employee)?;
    let jobs = compensations::rows::of_employee(tx, caller.company, employee.id)?;
    let known: Vec<Uuid> = before.iter().map(|b| b.record).collect();
    let stored = Stored::read_stored(tx, caller, employee.id, (&periods, history))?;
    let limits = law::benefit_limits(tx)?;
    let mut sides = [&before, &with_plan].map(|benefits| Projection {
        benefits,
        taken: Vec::new(),
        paid_in: None,
        stored: &stored,
        limits: &limits,
    });
    // What was paid before the plan is not looked at.
    let mut paid = (None, Amount::ZERO);
    let payrolls = periods.iter().map(|period| {
        let of_year = Some(period.check_date.year());
        let paid_in_year = if paid.0 == of_year { paid.1 } else { Amount::ZERO };
        let gross = outlook.gross.unwrap_or(Amount::ZERO);
        paid = (of_year, paid_in_year.checked_add(gross).unwrap_or(MAX_AMOUNT));
        let current = jobs.primary_job().and_then(|job| jobs.compensation_on(job.id, period.end));
        let facts = Pay {
            period_end: period.end,
            check_date: period.check_date,
            gross,
            parts: PayParts::default(),
            paid_in_year,
            periods_per_year: 0,
            annual_salary: current.and_then(|c| rules::compensation::annualized_pay(&c.pay_terms(), None)),
            birth_date,
            two_percent_shareholder: false,
            roth_catch_up: stored.roth_catch_up.contains(&period.check_date.year()),
            of_period: true,
            room: outlook.gross.unwrap_or(MAX_AMOUNT),
        };
        let [(before, before_terms), (after, after_terms)] = sides
            .each_mut()
            .map(|side| side.benefit_on_next_payroll(benefit, &facts, outlook.gross.is_some(), &known));
        PlannedPayroll {
            period_end: period.end,
            check_date: period.check_date,
            changed: before_terms != after_terms || before.differs_from(&after),
            before,
            after,
        }
    });
    Ok(payrolls.collect())
}

/// What is stored of the years and months in which the payrolls of a plan are paid.
#[derive(Debug, Default)]
struct Stored {
    /// what counts towards limits of a year: processed payrolls, opening balances, and benefits at another company
    years: BTreeMap<i16, Vec<BenefitToDate<Uuid>>>,
    /// what counts towards limits of a month
    months: BTreeMap<(i16, i8), Vec<BenefitToDate<Uuid>>>,
    /// years in which catch-up contributions have to be Roth contributions
    roth_catch_up: BTreeSet<i16>,
}

impl Stored {
    fn read_stored(
        tx: &mut Tx<'_>,
        caller: &Caller,
        employee: Uuid,
        (periods, history): (&[Period], &History),
    ) -> Result<Self, Error> {
        let (mut stored, bounds) = (Self::default(), IdRange::only(employee));
        let thresholds = law::in_force::<RothThresholds>(tx)?;
        for day in periods.iter().map(|period| period.check_date) {
            let (year, month) = (day.year(), (day.year(), day.month()));
            if let Entry::Vacant(of_year) = stored.years.entry(year) {
                let mut taken = payroll::year_to_date(tx, caller.company, employee, year)?;
                taken.extend(payroll::opening_balances(tx, caller.company, employee, year)?);
                let elsewhere =
                    other_companies::contributions_of_employees(tx, caller.company, bounds, year)?;
                taken.extend(elsewhere.into_iter().map(|(_, taken)| taken));
                of_year.insert(taken);
                let wages = history.social_security_wages.get(&(year - 1)).copied().unwrap_or_default();
                let decided = high_earners::decision_for_year(tx, caller.company, employee, year)?;
                if decided.unwrap_or_else(|| thresholds.requires_roth(year, wages)) {
                    stored.roth_catch_up.insert(year);
                }
            }
            if let Entry::Vacant(of_month) = stored.months.entry(month) {
                let taken = payroll::of_month(tx, caller.company, bounds, (day, Uuid::nil()))?;
                of_month.insert(taken.into_iter().map(|(_, taken)| taken).collect());
            }
        }
        Ok(stored)
    }
}

/// A sequence of payrolls with the same records, and the deductions and contributions of the year to date.
struct Projection<'b> {
    benefits: &'b [Benefit<Uuid>],
    taken: Vec<BenefitToDate<Uuid>>,
    /// year and month of the previous payroll
    paid_in: Option<(i16, i8)>,
    stored: &'b Stored,
    limits: &'b Limits,
}

impl<'b> Projection<'b> {
    /// Begins a payroll that is paid in a year and month: what is stored of them counts from its first payroll on.
    fn begin_payroll(&mut self, (year, month): (i16, i8)) {
        if self.paid_in == Some((year, month)) {
            return;
        }
        if self.paid_in.is_none_or(|(before, _)| before != year) {
            self.taken = self.stored.years.get(&year).cloned().unwrap_or_default();
        }
        self.taken.iter_mut().for_each(|taken| taken.in_month = Amount::ZERO);
        self.taken.extend(self.stored.months.get(&(year, month)).into_iter().flatten().cloned());
        self.paid_in = Some((year, month));
    }

    /// The benefit in the next payroll, with its amounts if it applies.
    fn benefit_on_next_payroll(
        &mut self,
        benefit: Uuid,
        pay: &Pay,
        gross_known: bool,
        known: &[Uuid],
    ) -> (BenefitOnPayroll, Option<&'b BenefitElection>) {
        self.begin_payroll((pay.check_date.year(), pay.check_date.month()));
        let lines = calculate_benefits(self.benefits, pay, &self.taken, self.limits, &mut NoTrace);
        self.taken.extend(lines.iter().map(BenefitToDate::from));
        let line = lines.iter().find(|line| line.company_benefit == benefit);
        let benefits: &'b [Benefit<Uuid>] = self.benefits;
        let mut records = benefits.iter().filter(|b| b.company_benefit == benefit);
        let of_day = records.find(|b| b.window.contains(pay.period_end));
        let standing = of_day.map_or(Standing::NotInWindow, |b| b.standing_on(pay.period_end));
        let by_gross = of_day.is_some_and(|b| b.terms.deduct_as_percentage);
        let matched = of_day.is_some_and(|b| {
            !matches!(b.terms.contribution, Contribution::Amount(_)) || (b.terms.elective && by_gross)
        });
        let amount = |of: fn(&Line<Uuid>) -> Amount, by_gross: bool| match line {
            Some(_) if by_gross && !gross_known => None,
            line => Some(line.map_or(Amount::ZERO, of)),
        };
        let on_payroll = BenefitOnPayroll {
            standing,
            record: of_day.map(|b| b.record).filter(|record| known.contains(record)),
            employee_deduction: amount(|line| line.employee_deduction, by_gross),
            company_contribution: amount(|line| line.company_contribution, matched),
        };
        (on_payroll, of_day.filter(|_| standing == Standing::Applies).map(|b| &b.terms))
    }
}

impl BenefitOnPayroll {
    /// Whether the benefit applies.
    pub fn applies(&self) -> bool {
        self.standing == Standing::Applies
    }

    /// Whether a paycheck would differ; another record with the same result makes no difference.
    fn differs_from(&self, other: &Self) -> bool {
        let outcome = |one: &Self| (one.applies(), one.employee_deduction, one.company_contribution);
        outcome(self) != outcome(other)
    }
}
