//! Reading what paychecks are calculated from.
//!
//! Members of a payroll are read in stretches of [`AT_ONCE`], and what belongs to a stretch in one statement per table.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::civil::Date;
use rules::Named;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::payment::Split;
use rules::withholding::federal::{FilingStatus, W4};
use store::Tx;
use uuid::Uuid;

use super::entered::Entered;
use super::facts::{
    BenefitFacts, Facts, GarnishmentFacts, JobFacts, PayFacts, PaymentFacts, SplitFacts, StateFacts, W4Facts,
};
use super::members::Member;
use super::rows;
use super::rows::Payroll;
use super::shapes::Warning;
use super::sums::Sums;
use super::{sources, sums};
use crate::company::locations;
use crate::error::Error;
use crate::pay::compensations::rows as pay;
use crate::pay::compensations::rows::Pay;
use crate::pay::compensations::service::adjustment;
use crate::pay::minimum_wages;
use crate::pay::minimum_wages::{Place, Table};
use crate::people::payment_methods::plan::Plan;
use crate::people::payment_methods::rows::DIRECT_DEPOSIT;
use crate::people::{addresses, employees, payment_methods};
use crate::withholding::taxes;

/// Employees read at once.
pub const AT_ONCE: i64 = 500;

/// What is the same for all employees of a payroll.
pub struct Context {
    company: Uuid,
    /// the payroll
    pub payroll: Payroll,
    table: Arc<Table>,
    places: HashMap<Uuid, Place>,
    /// processed calculations, the newest first
    before: Vec<Uuid>,
}

impl Context {
    /// Reads it.
    ///
    /// # Errors
    /// A store error.
    pub fn read(tx: &mut Tx<'_>, company: Uuid, payroll: Payroll) -> Result<Self, Error> {
        let places = locations::rows::of_company(tx, company)?.into_iter();
        let places =
            places.map(|place| (place.id, Place::of(&place.state, &place.city, &place.zip))).collect();
        let before = rows::processed_runs(tx, company)?;
        Ok(Self { company, payroll, table: minimum_wages::service::table(tx)?, places, before })
    }
}

/// What the paychecks of some members, in order of their ids, are calculated from, with the sums of the payrolls
/// before. Members who were left out are not among them.
///
/// # Errors
/// A store error.
pub fn facts(
    tx: &mut Tx<'_>,
    context: &Context,
    members: &[Member],
) -> Result<Vec<(Uuid, Facts, Sums)>, Error> {
    let (Some(first), Some(last)) = (members.first(), members.last()) else { return Ok(Vec::new()) };
    let (company, bounds) = (context.company, (first.id, last.id));
    let ids = members.iter().map(|member| member.id);
    let mut jobs = pay::of_employees(tx, company, ids)?;
    let inputs =
        by_employee(rows::inputs_between(tx, company, context.payroll.id, bounds)?, |row| row.employee);
    let works = grouped(addresses::rows::work_between(tx, company, bounds)?, |work| work.employee);
    let w4s = by_employee(taxes::rows::federal_between(tx, company, bounds)?, |form| form.employee);
    let answered = taxes::rows::states_between(tx, company, bounds)?.into_iter();
    let mut answers: HashMap<(Uuid, String), _> =
        answered.map(|row| ((row.employee, row.state), row.answers)).collect();
    let plans: HashMap<Uuid, _> =
        payment_methods::rows::plans_between(tx, company, bounds)?.into_iter().collect();
    let mut benefits = sources::benefits(tx, company, bounds)?;
    benefits.values_mut().for_each(|held| held.retain(|one| one.window.contains(context.payroll.end)));
    benefits.retain(|_, held| !held.is_empty());
    let births = employees::rows::birth_dates_between(tx, company, bounds, |id| benefits.contains_key(&id))?;
    let garnishments = sources::garnishments(tx, company, bounds)?;
    let employees: Vec<Uuid> = members.iter().map(|member| member.id).collect();
    let sums = sums::after(tx, company, &context.before, &employees)?;

    let mut made = Vec::with_capacity(members.len());
    for member in members {
        let input = inputs.get(&member.id);
        if input.is_some_and(|input| input.excluded) {
            continue;
        }
        let entered = input.map(|input| Entered::read(&input.inputs)).unwrap_or_default();
        let held = jobs.remove(&member.id).unwrap_or_default();
        let sums = sums.get(&member.id).cloned().unwrap_or_default();
        let work = works.get(&member.id).map_or(&[] as &[_], Vec::as_slice);
        let work = rules::effective::active(work, context.payroll.end, |work| work.effective_date);
        let place = work.and_then(|work| context.places.get(&work.location));
        let state = place.map(|place| place.state.clone()).unwrap_or_default();
        let mut facts = Facts {
            jobs: Vec::with_capacity(held.jobs.len()),
            reimbursements: entered.reimbursements.iter().map(|one| one.amount).collect(),
            w4: w4s.get(&member.id).map_or_else(no_certificate, |form| W4Facts::of(&form.w4)),
            state: StateFacts {
                answers: answers.remove(&(member.id, state.clone())).unwrap_or_default(),
                supplied: entered.state_income_tax,
                state,
            },
            born: births.get(&member.id).copied(),
            shareholder: held.primary().is_some_and(|job| job.two_percent_shareholder),
            benefits: benefits
                .get(&member.id)
                .map(|list| list.iter().map(BenefitFacts::of).collect())
                .unwrap_or_default(),
            benefits_taken: Vec::new(),
            garnishments: garnishments.get(&member.id).cloned().unwrap_or_default(),
            before: [0; 5],
            payment: None,
            warnings: Vec::new(),
            fixed: Vec::new(),
            time_off: entered.time_off.clone(),
        };
        add_jobs(context, &mut facts, &held, &entered, place);
        // Lines of jobs that have not begun stand aside.
        let begun: Vec<Uuid> = facts.jobs.iter().map(|job| job.id).collect();
        facts.fixed = entered.fixed.iter().filter(|line| begun.contains(&line.job)).copied().collect();
        add_sums(&mut facts, &sums, &entered, context.payroll.check_date.year());
        facts.payment = payment(context, member, &entered, plans.get(&member.id));
        made.push((member.id, facts, sums));
    }
    Ok(made)
}

/// How net pay is divided; `None` for a check.
fn payment(
    context: &Context,
    member: &Member,
    entered: &Entered,
    plan: Option<&Plan>,
) -> Option<PaymentFacts> {
    let method = entered.payment_method.as_deref().unwrap_or(&member.payment_method);
    let plan = plan.filter(|_| method == DIRECT_DEPOSIT && !context.payroll.check_only)?;
    let split = |s: &Split<Uuid>| SplitFacts { account: s.account, priority: s.priority, amount: s.amount };
    Some(PaymentFacts { by: plan.by.as_str().to_owned(), splits: plan.splits.iter().map(split).collect() })
}

fn by_employee<T>(rows: Vec<T>, employee: impl Fn(&T) -> Uuid) -> HashMap<Uuid, T> {
    rows.into_iter().map(|row| (employee(&row), row)).collect()
}

fn grouped<T>(rows: Vec<T>, employee: impl Fn(&T) -> Uuid) -> HashMap<Uuid, Vec<T>> {
    let mut found: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        found.entry(employee(&row)).or_default().push(row);
    }
    found
}

/// Nobody who gave no certificate is exempt: the form counts as if it were single without any adjustment
/// (26 CFR 31.3402(f)(2)-1(a)(4)).
fn no_certificate() -> W4Facts {
    let zero = rules::Amount::ZERO;
    W4Facts::of(&W4::Rev2020 {
        filing_status: FilingStatus::Single,
        two_jobs: false,
        dependents_amount: zero,
        other_income: zero,
        deductions: zero,
        extra_withholding: zero,
    })
}

fn add_jobs(context: &Context, facts: &mut Facts, held: &Pay, entered: &Entered, place: Option<&Place>) {
    let Payroll { start, end, .. } = context.payroll;
    for job in held.jobs.iter().filter(|job| job.hire_date <= end) {
        let mut list: Vec<PayFacts> = Vec::new();
        for one in held.of_job(job.id) {
            let mut floors = Vec::new();
            if one.adjust_for_minimum_wage
                && let Some(place) = place
            {
                floors =
                    floors_of(&context.table, place, &adjustment::rules_of(&one.minimum_wages), (start, end));
                if floors.is_empty() {
                    facts.warnings.push(Warning {
                        key: "minimum_wage_not_found".to_owned(),
                        message: "the minimum wages that were chosen do not hold at the place of work; pay was not \
                                  adjusted to them"
                            .to_owned(),
                    });
                }
            }
            list.push(PayFacts {
                from: one.effective_date,
                rate: one.rate.millionths(),
                unit: PaymentUnit::ALL.iter().position(|unit| *unit == one.payment_unit).unwrap_or(0),
                flsa: FlsaStatus::ALL.iter().position(|flsa| *flsa == one.flsa_status).unwrap_or(0),
                floors,
            });
        }
        list.sort_by_key(|pay| pay.from);
        // What counts before the period and after it does not matter here.
        let counts = list.iter().rposition(|pay| pay.from <= start).unwrap_or(0);
        list.drain(..counts);
        let within = list.iter().position(|pay| pay.from > end).unwrap_or(list.len()).max(1);
        list.truncate(within);
        let mut by_week: BTreeMap<Option<Date>, [i64; 3]> = BTreeMap::new();
        for line in entered.hourly.iter().filter(|line| line.job == job.id) {
            by_week.entry(line.week).or_default()[line.kind] += line.hours;
        }
        facts.jobs.push(JobFacts {
            id: job.id,
            hired: job.hire_date,
            pay: list,
            hours: by_week.remove(&None),
            weeks: by_week.into_iter().filter_map(|(week, hours)| Some((week?, hours))).collect(),
        });
    }
}

/// The highest of the chosen minimum wages on each day on which it may change, with the tip credit that goes with it.
fn floors_of(
    table: &Table,
    place: &Place,
    chosen: &[Uuid],
    (start, end): (Date, Date),
) -> Vec<(Date, i64, i64)> {
    let mut floors: Vec<(Date, i64, i64)> = Vec::new();
    for day in std::iter::once(start).chain(table.days_of_change(place, start, end)) {
        let in_force = chosen.iter().filter_map(|rule| table.rule_at(*rule, place, day));
        let Some(highest) = in_force.max_by_key(|row| row.wage) else { continue };
        let credit = table.tip_credit(highest.authority, place, day).min(highest.wage);
        let floor = (day, highest.wage.millionths(), credit.millionths());
        if floors.last().is_none_or(|last| (last.1, last.2) != (floor.1, floor.2)) {
            floors.push(floor);
        }
    }
    floors
}

fn add_sums(facts: &mut Facts, sums: &Sums, entered: &Entered, year: i16) {
    let of_year = sums.years.get(&year).cloned().unwrap_or_default();
    facts.before = [
        of_year.social_security_wages,
        of_year.medicare_wages,
        of_year.futa_wages,
        of_year.supplemental_wages,
        of_year.fica_withheld,
    ];
    let taken = of_year.benefits.iter();
    facts.benefits_taken = taken.map(|(id, (code, took, gave))| (*id, *code, *took, *gave)).collect();
    for one in &mut facts.garnishments {
        let so_far = sums.garnishment(one.id, year);
        one.so_far = (so_far.times, so_far.year.millionths(), so_far.total.millionths());
        override_amount(one, entered);
    }
}

fn override_amount(one: &mut GarnishmentFacts, entered: &Entered) {
    if let Some(other) = entered.deductions.iter().find(|other| other.id == one.id) {
        (one.amount, one.percent) = (other.amount, other.percent);
    }
}
