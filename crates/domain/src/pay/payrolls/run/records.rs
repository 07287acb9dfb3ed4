//! The records of several members of a payroll, read with one statement for each table.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::FicaExemption;
use rules::payroll::benefits::{Benefit, BenefitToDate, Group};
use rules::places::GivenFor;
use serde_json::{Map, Value};
use store::Tx;
use uuid::Uuid;

use crate::benefits::{self, high_earners, other_companies};
use crate::error::Error;
use crate::pay::compensations::rows as pay;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::calendar::last_wages;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::entry::granted::Grants;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::same_period::EarlierInPeriod;
use crate::pay::payrolls::facts::{late_premiums, sources, year_to_date};
use crate::pay::payrolls::record::inputs;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::paycheck_inputs::{GarnishmentInput, RecurringInput};
use crate::pay::payrolls::record::sums::Sums;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::run::workweeks;
use crate::pay::payrolls::run::workweeks::PaidWeeks;
use crate::pay::payrolls::warnings::{back_pay, left_unpaid, owed};
use crate::pay::time_off;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::people::employment::Employment;
use crate::people::payment_methods::payable::{self, Payable};
use crate::people::{addresses, employees, employment};
use crate::records::IdRange;
use crate::withholding::taxes;
use crate::withholding::taxes::rows::FederalTaxes;

/// Records by employee id.
type ByEmployee<T> = HashMap<Uuid, T>;

/// Decisions about catch-up contributions, and amounts of benefits at another company and in the month.
type OfTheYear = (ByEmployee<bool>, ByEmployee<Vec<BenefitToDate<Uuid>>>);

/// The records of some members, from which the inputs of their paychecks are made.
pub struct MemberRecords {
    /// the members, in order of their ids
    pub(in crate::pay::payrolls) members: Vec<Member>,
    pub(in crate::pay::payrolls) jobs: ByEmployee<Pay>,
    pub(in crate::pay::payrolls) entries: ByEmployee<Input>,
    pub(in crate::pay::payrolls) works: ByEmployee<Vec<WorkAddress>>,
    pub(in crate::pay::payrolls) homes: ByEmployee<Vec<HomeAddress>>,
    pub(in crate::pay::payrolls) w4s: ByEmployee<FederalTaxes>,
    pub(in crate::pay::payrolls) answers: ByEmployee<StoredAnswers>,
    pub(in crate::pay::payrolls) plans: ByEmployee<Payable>,
    pub(in crate::pay::payrolls) benefits: ByEmployee<Vec<Benefit<Uuid>>>,
    /// decisions for the year about catch-up contributions
    pub(in crate::pay::payrolls) high_earners: ByEmployee<bool>,
    /// year-to-date amounts of benefits at another company, and month-to-date amounts of benefits with a monthly limit
    pub(in crate::pay::payrolls) elsewhere: ByEmployee<Vec<BenefitToDate<Uuid>>>,
    pub(in crate::pay::payrolls) births: ByEmployee<Date>,
    /// members whose Social Security number is not on file
    pub(in crate::pay::payrolls) without_ssn: HashSet<Uuid>,
    pub(in crate::pay::payrolls) employments: ByEmployee<Employment>,
    pub(in crate::pay::payrolls) garnishments: ByEmployee<Vec<GarnishmentInput>>,
    pub(in crate::pay::payrolls) leave: ByEmployee<Vec<time_off::payroll::EmployeePolicy>>,
    pub(in crate::pay::payrolls) recurring: ByEmployee<Vec<RecurringInput>>,
    pub(in crate::pay::payrolls) paid_weeks: ByEmployee<PaidWeeks>,
    /// warnings about days of earlier payrolls that were not paid, or were paid on terms or for an employment that have since changed
    pub(in crate::pay::payrolls) owed: ByEmployee<Vec<Warning>>,
    /// warnings about amounts that earlier payrolls left unpaid
    pub(in crate::pay::payrolls) left_unpaid: ByEmployee<Vec<Warning>>,
    /// warnings about last wages that are paid too late
    pub(in crate::pay::payrolls) late_last_wages: ByEmployee<Vec<Warning>>,
    pub(in crate::pay::payrolls) sums: ByEmployee<Sums>,
    /// premiums of pay periods that were paid before their record was entered, by record
    pub(in crate::pay::payrolls) late_premiums: HashMap<Uuid, Amount>,
    /// results of earlier payrolls of the same pay period
    pub(in crate::pay::payrolls) same_period: ByEmployee<EarlierInPeriod>,
    pub(in crate::pay::payrolls) grants: Grants,
}

impl MemberRecords {
    /// Reads the records of members, who are in order of their ids; `None` without members, and for a payroll that is skipped.
    pub fn read(tx: &mut Tx<'_>, context: &Context, members: &[Member]) -> Result<Option<Self>, Error> {
        let members = if context.payroll.skipped { &[] } else { members };
        let (Some(first), Some(last)) = (members.first(), members.last()) else { return Ok(None) };
        let (company, bounds) = (context.company, IdRange { first: first.id, last: last.id });
        let ids: Vec<Uuid> = members.iter().map(|member| member.id).collect();
        let entries = inputs::inputs_between(tx, company, context.payroll.id, bounds)?;
        let entries = by_employee(entries, |row| row.employee);
        let w4s = by_employee(taxes::rows::federal_between(tx, company, bounds)?, |form| form.employee);
        let benefits = benefits_in_force(tx, context, bounds)?;
        let (high_earners, elsewhere) = of_the_year(tx, context, bounds, &benefits)?;
        let mut grants =
            Grants::of_payroll(tx, company, &context.payroll)?.with_earlier_payrolls(&context.before);
        grants.read_employees(tx, company, bounds)?;
        let same_period = context.same_period.results_between(tx, company, bounds)?;
        let garnished = same_period.values().flat_map(EarlierInPeriod::withheld_garnishments).collect();
        pay::announce_pay_queries(tx, company, ids.iter().copied())?;
        back_pay::announce_back_pay_query(tx, company, &context.before, bounds)?;
        let jobs = pay::of_employees(tx, company, ids.iter().copied())?;
        // Announced with the jobs.
        let back_pay =
            back_pay::back_pay_owed(tx, company, (&context.before, &context.tables), bounds, &jobs)?;
        let employments = employment::rows::employments_of_employees(tx, company, bounds)?;
        let of_members = (&jobs, &employments);
        let sums = year_to_date::of_employees(tx, company, &ids, context.payroll.check_date.year())?;
        Ok(Some(Self {
            members: members.to_vec(),
            late_last_wages: last_wages::of_members(tx, company, &context.payroll, of_members)?,
            owed: owed::earlier_pay_warnings(
                tx,
                context,
                bounds,
                owed::People { back_pay, jobs: &jobs, employments: &employments },
            )?,
            jobs,
            works: group_by_employee(addresses::rows::work_between(tx, company, bounds)?, |work| {
                work.employee
            }),
            homes: group_by_employee(addresses::rows::homes_between(tx, company, bounds)?, |home| {
                home.employee
            }),
            answers: answers_between(tx, company, bounds)?,
            plans: payable::payables_of_employees(tx, company, bounds)?,
            births: birth_dates(tx, company, bounds, (&benefits, &w4s))?,
            without_ssn: employees::rows::without_ssn(tx, company, bounds)?,
            employments,
            garnishments: sources::garnishments_and(&garnished, tx, company, bounds)?,
            leave: time_off::payroll::held_or_left(tx, company, bounds, context.payroll.end)?,
            recurring: sources::recurring_reimbursements(tx, company, &context.payroll, bounds)?,
            paid_weeks: workweeks::paid_before(tx, context, &ids, &entries, bounds)?,
            left_unpaid: left_unpaid::left_unpaid_warnings(
                tx,
                company,
                &context.before,
                bounds,
                grants.days_left_unpaid(),
            )?,
            late_premiums: late_premiums::missed_premiums(tx, context, bounds, &benefits, &sums)?,
            sums,
            same_period,
            high_earners,
            elsewhere,
            entries,
            w4s,
            benefits,
            grants,
        }))
    }
}

/// Reads the facts of the year other than sums of payrolls, if anybody has benefits: decisions about catch-up contributions, amounts of
/// benefits at another company, and the month's amounts of benefits with a monthly limit.
fn of_the_year(
    tx: &mut Tx<'_>,
    context: &Context,
    bounds: IdRange,
    benefits: &ByEmployee<Vec<Benefit<Uuid>>>,
) -> Result<OfTheYear, Error> {
    if benefits.is_empty() {
        return Ok((HashMap::new(), HashMap::new()));
    }
    let (company, year) = (context.company, context.payroll.check_date.year());
    let decided = high_earners::decisions_for_employees(tx, company, bounds, year)?.into_iter().collect();
    let mut elsewhere: ByEmployee<Vec<BenefitToDate<Uuid>>> = HashMap::new();
    for (employee, taken) in other_companies::contributions_of_employees(tx, company, bounds, year)? {
        elsewhere.entry(employee).or_default().push(taken);
    }
    let of_month = |one: &Benefit<Uuid>| !Group::of_month(one.kind.code).is_empty();
    if benefits.values().flatten().any(of_month) {
        let paid = (context.payroll.check_date, context.payroll.id);
        for (employee, taken) in benefits::payroll::of_month(tx, company, bounds, paid)? {
            elsewhere.entry(employee).or_default().push(taken);
        }
    }
    Ok((decided, elsewhere))
}

/// Reads the benefits in force on the last day of the pay period, by employee.
fn benefits_in_force(
    tx: &mut Tx<'_>,
    context: &Context,
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<Benefit<Uuid>>>, Error> {
    let mut benefits = sources::active_benefits(tx, context.company, bounds)?;
    benefits.values_mut().for_each(|held| held.retain(|one| one.window.contains(context.payroll.end)));
    benefits.retain(|_, held| !held.is_empty());
    Ok(benefits)
}

/// An employee's stored answers.
#[derive(Debug, Default)]
pub(in crate::pay::payrolls) struct StoredAnswers {
    /// by state
    pub(in crate::pay::payrolls) by_state: BTreeMap<String, Map<String, Value>>,
    /// the addresses for which those about places were given
    pub(in crate::pay::payrolls) given_for: GivenFor,
}

/// Reads the answers of the employees between two (both included).
fn answers_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
) -> Result<HashMap<Uuid, StoredAnswers>, Error> {
    let mut answers: HashMap<Uuid, StoredAnswers> = HashMap::new();
    for row in taxes::rows::states_between(tx, company, bounds)? {
        let of_employee = answers.entry(row.employee).or_default();
        of_employee.given_for.0.extend(row.given_for.unwrap_or_default().0);
        of_employee.by_state.insert(row.state, row.answers);
    }
    Ok(answers)
}

fn by_employee<T>(rows: Vec<T>, employee: impl Fn(&T) -> Uuid) -> HashMap<Uuid, T> {
    rows.into_iter().map(|row| (employee(&row), row)).collect()
}

fn group_by_employee<T>(rows: Vec<T>, employee: impl Fn(&T) -> Uuid) -> HashMap<Uuid, Vec<T>> {
    let mut found: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        found.entry(employee(&row)).or_default().push(row);
    }
    found
}

/// Reads the birth dates of employees with benefits, and of those whose tax exemption depends on age.
fn birth_dates(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
    (benefits, w4s): (&ByEmployee<Vec<Benefit<Uuid>>>, &ByEmployee<FederalTaxes>),
) -> Result<ByEmployee<Date>, Error> {
    let depends =
        |form: &FederalTaxes| form.settings.fica_exemption.is_some_and(FicaExemption::depends_on_age);
    employees::rows::birth_dates_between(tx, company, bounds, |id| {
        benefits.contains_key(&id) || w4s.get(&id).is_some_and(depends)
    })
}
