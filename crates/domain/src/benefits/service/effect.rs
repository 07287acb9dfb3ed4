//! What a plan means for the next payrolls: the benefit before and after it, payroll by payroll.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::amount::MAX_AMOUNT;
use rules::explain::NoTrace;
use rules::payroll::benefits::{
    Benefit, BenefitElection, BenefitToDate, Contribution, Limits, Line, Pay, Standing, calculate,
};
use rules::{Amount, Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits::payroll;
use crate::benefits::shapes;
use crate::benefits::shapes::PayPeriodInput;
use crate::error::Error;
use crate::field::Field;
use crate::pay::{compensations, pay_schedules};
use crate::people::employees;
use crate::people::employees::Employee;

/// Pay periods of an outlook at the most.
const PERIODS: usize = 60;
/// Days after the last change on which payrolls are still told.
const AFTERWARDS: i64 = 45;

/// A pay period to come.
#[derive(Debug, Clone, Copy)]
struct Period {
    end: Date,
    check_date: Date,
}

/// What a caller says of the payrolls to come.
pub(super) struct Outlook {
    gross: Option<Amount>,
    /// where the caller names none, those of the company's pay schedule count
    periods: Option<Vec<Period>>,
}

impl Outlook {
    /// Reads it.
    pub fn read(gross: &Field<Amount>, periods: &Field<Vec<PayPeriodInput>>, checks: &mut Checks) -> Self {
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
        let sent = periods.given();
        let periods = sent.into_iter().flatten().enumerate().filter_map(|(place, sent)| {
            let mut own = Checks::new();
            let day = |key: &str, text: &String| check::date(key, text);
            let end = sent.end_date.required("end_date", &mut own, day);
            let check_date = sent.check_date.optional("check_date", &mut own, day);
            if let Err(found) = own.finish() {
                let at_place = serde_json::json!({ "index": place });
                checks.push(Violation::nested("pay_periods", found).with_metadata(at_place));
            }
            end.map(|end| Period { end, check_date: check_date.unwrap_or(end) })
        });
        let mut periods: Vec<_> = periods.collect();
        periods.sort_by_key(|period| (period.check_date, period.end));
        Self { gross, periods: sent.map(|_| periods) }
    }

    /// The pay periods in the order of payment: those that were named, or else those of the pay schedule that end
    /// from today on, until some days after the last day that the plan speaks of.
    fn periods(&self, tx: &mut Tx<'_>, caller: &Caller, last: Date) -> Result<Vec<Period>, Error> {
        if let Some(named) = &self.periods {
            return Ok(named.clone());
        }
        let Some(schedule) = pay_schedules::rows::of_employees(tx, caller.company)? else {
            return Ok(Vec::new());
        };
        let today = caller.today(tx);
        let beyond = last.max(today).checked_add(AFTERWARDS.days()).unwrap_or(last);
        let schedule = schedule.periods();
        let periods = schedule.periods(today, beyond).take(PERIODS);
        Ok(periods.map(|p| Period { end: p.end, check_date: p.check_date }).collect())
    }
}

/// The benefit in each payroll to come, as its records are and as they would be with `after` in their place; `last` is
/// the last day that the plan speaks of.
pub(super) fn of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    (benefit, after, last): (Uuid, &[Benefit<Uuid>], Date),
    outlook: &Outlook,
) -> Result<Vec<shapes::PlannedPayroll>, Error> {
    let before = payroll::of_employee(tx, caller.company, employee.id)?;
    let others = before.iter().filter(|b| b.company_benefit != benefit);
    let mut with_plan: Vec<_> = others.chain(after).cloned().collect();
    payroll::in_order_of_enrolment(&mut with_plan);
    let periods = outlook.periods(tx, caller, last)?;
    let year = periods.first().map(|period| period.check_date.year());
    let taken = match year {
        Some(year) => payroll::year_to_date(tx, caller.company, employee.id, year)?,
        None => Vec::new(),
    };
    let pay = employees::rows::birth_date(tx, caller.company, employee)?;
    let jobs = compensations::rows::of_employee(tx, caller.company, employee.id)?;
    let known: Vec<Uuid> = before.iter().map(|b| b.record).collect();
    let mut sides = [Side::new(&before, taken.clone(), year), Side::new(&with_plan, taken, year)];
    let told = periods.iter().map(|period| {
        let current = jobs.primary().and_then(|job| jobs.current(job.id, period.end));
        let facts = Pay {
            period_end: period.end,
            check_date: period.check_date,
            gross: outlook.gross.unwrap_or(Amount::ZERO),
            periods_per_year: 0,
            annual_salary: current.and_then(|c| rules::compensation::annualised(&c.terms(), None)),
            birth_date: pay,
            two_percent_shareholder: false,
            room: outlook.gross.unwrap_or(MAX_AMOUNT),
        };
        let [(before, before_terms), (after, after_terms)] =
            sides.each_mut().map(|side| side.on(benefit, &facts, outlook.gross.is_some(), &known));
        shapes::PlannedPayroll {
            pay_period_end_date: period.end.to_string(),
            check_date: period.check_date.to_string(),
            changed: before_terms != after_terms || before.is_other_than(&after),
            before,
            after,
        }
    });
    Ok(told.collect())
}

/// One course of events: the records, and what they have taken by the payroll at hand.
struct Side<'b> {
    benefits: &'b [Benefit<Uuid>],
    taken: Vec<BenefitToDate<Uuid>>,
    year: Option<i16>,
}

impl<'b> Side<'b> {
    fn new(benefits: &'b [Benefit<Uuid>], taken: Vec<BenefitToDate<Uuid>>, year: Option<i16>) -> Self {
        Self { benefits, taken, year }
    }

    /// The benefit in the next payroll, and the amounts that it goes by where it counts.
    fn on(
        &mut self,
        benefit: Uuid,
        pay: &Pay,
        gross_known: bool,
        known: &[Uuid],
    ) -> (shapes::BenefitOnPayroll, Option<&'b BenefitElection>) {
        if self.year != Some(pay.check_date.year()) {
            (self.taken, self.year) = (Vec::new(), Some(pay.check_date.year()));
        }
        let lines = calculate(self.benefits, pay, &self.taken, Limits::built_in(), &mut NoTrace);
        self.taken.extend(lines.iter().map(|line| BenefitToDate {
            company_benefit: line.company_benefit,
            code: line.kind.code,
            deduction: line.employee_deduction,
            contribution: line.company_contribution,
        }));
        let line = lines.iter().find(|line| line.company_benefit == benefit);
        let benefits: &'b [Benefit<Uuid>] = self.benefits;
        let mut records = benefits.iter().filter(|b| b.company_benefit == benefit);
        let of_day = records.find(|b| b.window.contains(pay.period_end));
        let standing = of_day.map_or(Standing::NotInWindow, |b| b.standing(pay.period_end));
        let tellable = |by_gross: bool| gross_known || !by_gross;
        let by_gross = of_day.is_some_and(|b| b.terms.deduct_as_percentage);
        let matched = of_day.is_some_and(|b| {
            !matches!(b.terms.contribution, Contribution::Amount(_)) || (b.terms.elective && by_gross)
        });
        let amount = |of: fn(&Line<Uuid>) -> Amount, by_gross: bool| {
            let told = line.map_or(Amount::ZERO, of).to_text(2);
            if line.is_none() || tellable(by_gross) { Some(told) } else { None }
        };
        let applies = standing == Standing::Applies;
        let told = shapes::BenefitOnPayroll {
            applies,
            why: standing.as_str(),
            employee_benefit_uuid: of_day.map(|b| b.record).filter(|record| known.contains(record)),
            employee_deduction: amount(|line| line.employee_deduction, by_gross),
            company_contribution: amount(|line| line.company_contribution, matched),
        };
        (told, of_day.filter(|_| applies).map(|b| &b.terms))
    }
}

impl shapes::BenefitOnPayroll {
    /// Whether a paycheck would come out otherwise; another record with the same outcome makes no difference.
    fn is_other_than(&self, other: &Self) -> bool {
        let outcome =
            |told: &Self| (told.applies, told.employee_deduction.clone(), told.company_contribution.clone());
        outcome(self) != outcome(other)
    }
}
