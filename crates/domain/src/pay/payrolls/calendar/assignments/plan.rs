//! Plans which schedule each employee would follow from which day on, and what changes as a result.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Violation;
use rules::days::Days;
use rules::payroll::assignment::{AssignmentType, Basis, Followed, Ground, Newcomer, is_paid_in};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations::rows as compensations;
use crate::pay::compensations::rows::Pay;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::schedule_spans::{ScheduleSpan, Settings};
use crate::pay::payrolls::calendar::assignments::EmployeeChange;
use crate::pay::payrolls::calendar::regular::{Touched, in_the_way};
use crate::pay::payrolls::record::{inputs, rows};
use crate::people::departments::rows as departments;
use crate::people::employment::{self, Employment};
use crate::records::IdRange;

/// When a company gets several schedules for the first time, it is assumed to have followed the previous one for this many days before
/// today: longer than the longest pay period.
const BACK: i64 = 366;
/// Maximum number of employees moved at once.
const MOST_MOVED: usize = 20_000;

store::statements! {
    PEOPLE = "SELECT id, first_name, last_name, onboarded_at IS NOT NULL FROM employees WHERE company_id = $1 ORDER BY id";
    PERSON = "SELECT id, first_name, last_name, onboarded_at IS NOT NULL FROM employees WHERE company_id = $1 AND id = $2";
}

/// The planned moves, and what they are based on.
pub(super) struct Plan {
    ground: Ground<Uuid>,
    /// the spans of all employees without their own, before and after; not stored yet in a company that is about to get several
    /// schedules for the first time
    base: Sides,
    stored_base: Vec<ScheduleSpan>,
    /// the employees whose own spans would change
    moves: Vec<Move>,
}

/// Stretches before and after.
#[derive(Debug, Clone, Default)]
pub(super) struct Sides {
    pub before: Vec<ScheduleSpan>,
    pub after: Vec<ScheduleSpan>,
}

impl Sides {
    /// Returns the spans that only one side has.
    fn differing_spans(&self) -> impl Iterator<Item = &ScheduleSpan> {
        let gone = self.before.iter().filter(|one| !self.after.contains(one));
        gone.chain(self.after.iter().filter(|one| !self.before.contains(one)))
    }

    /// Returns the first span that is not in `before`.
    fn first_new(&self) -> Option<&ScheduleSpan> {
        self.after.iter().find(|one| !self.before.contains(one))
    }
}

/// An employee whose spans change.
struct Move {
    person: AssignedEmployee,
    /// the employee's own spans
    own: Sides,
    /// the own spans, preceded by the company-wide ones
    effective: Sides,
}

#[derive(Debug, Clone)]
struct AssignedEmployee {
    id: Uuid,
    first_name: String,
    last_name: String,
    onboarded: bool,
}

fn read_person(row: &Row<'_>) -> Result<AssignedEmployee, store::Error> {
    let mut next = Cursor::new(row, "employees", 0);
    Ok(AssignedEmployee {
        id: next.read_plain("id")?,
        first_name: next.read_plain("first_name")?,
        last_name: next.read_plain("last_name")?,
        onboarded: next.read_plain("onboarded_at")?,
    })
}

/// The facts that determine employees' schedules.
struct Facts<'p> {
    settings: &'p Settings,
    choices: &'p BTreeMap<Uuid, Uuid>,
    pay: HashMap<Uuid, Pay>,
    departments: HashMap<Uuid, Uuid>,
    employments: HashMap<Uuid, Employment>,
}

/// Returns a schedule to follow from now on, if there is one.
fn from_now(schedule: Option<Uuid>) -> Vec<(Date, Uuid)> {
    schedule.map(|id| (Date::MIN, id)).into_iter().collect()
}

impl Facts<'_> {
    /// Returns the schedules an employee is to follow, and from which days.
    fn schedules_to_follow(&self, person: Uuid, today: Date) -> Vec<(Date, Uuid)> {
        let everybodys = self.settings.default;
        match self.settings.kind {
            AssignmentType::Single => from_now(everybodys),
            AssignmentType::ByEmployee => from_now(self.choices.get(&person).copied().or(everybodys)),
            AssignmentType::ByDepartment => {
                let chosen = self.departments.get(&person).and_then(|id| self.choices.get(id));
                from_now(chosen.copied().or(everybodys))
            }
            AssignmentType::HourlySalaried => self.by_pay(person, today),
        }
    }

    /// Returns the schedules by the pay basis of the primary job today and on later days.
    fn by_pay(&self, person: Uuid, today: Date) -> Vec<(Date, Uuid)> {
        let schedule = |basis: Option<Basis>| match basis {
            Some(Basis::Hourly) => self.settings.hourly,
            Some(Basis::Salaried) => self.settings.salaried,
            None => self.settings.default,
        };
        let pay = self.pay.get(&person);
        let job = pay.and_then(|pay| Some((pay, pay.primary_job()?)));
        let Some((pay, job)) = job else {
            return from_now(schedule(None));
        };
        let mut ahead: Vec<_> = pay.of_job(job.id).iter().filter(|one| one.effective_date > today).collect();
        ahead.sort_by_key(|one| one.effective_date);
        let mut ahead = ahead.into_iter();
        let first = pay.compensation_on(job.id, today).or_else(|| ahead.next());
        let mut found = from_now(schedule(first.and_then(|one| Basis::from_terms(&one.pay_terms()))));
        for one in ahead {
            found.extend(schedule(Basis::from_terms(&one.pay_terms())).map(|id| (one.effective_date, id)));
        }
        found
    }

    /// Returns the start day of somebody who is not working now.
    fn newcomer_start(&self, person: &AssignedEmployee, today: Date) -> Option<Newcomer> {
        let hired = self.pay.get(&person.id).and_then(compensations::start_date);
        if is_new(person, hired, today) {
            return Some(Newcomer { starts: hired.unwrap_or(today), left: None });
        }
        let held = self.employments.get(&person.id).filter(|held| held.was_away(today))?;
        let left = held.terminations.last()?.effective_date;
        Some(Newcomer { starts: held.latest_rehire()?.effective_date, left: Some(left) })
    }
}

/// Whether somebody was never paid: not onboarded, or not hired by today.
fn is_new(person: &AssignedEmployee, hired: Option<Date>, today: Date) -> bool {
    !person.onboarded || hired.is_none_or(|day| day > today)
}

impl Plan {
    /// Plans the changes in a company with these settings.
    pub fn of_company(
        tx: &mut Tx<'_>,
        caller: &Caller,
        settings: &Settings,
        choices: &BTreeMap<Uuid, Uuid>,
    ) -> Result<Self, Error> {
        let held = schedule_spans::spans_by_employee(tx, caller.company)?;
        let mut plan = Self::start_plan(tx, caller, settings, held.get(&caller.company))?;
        let people = match settings.kind.follows_records() {
            true => tx.try_query(PEOPLE, params![caller.company], read_person)?,
            false => {
                let mut ids: BTreeSet<Uuid> = held.keys().chain(choices.keys()).copied().collect();
                ids.remove(&caller.company);
                find_people(tx, caller.company, &ids)?
            }
        };
        plan.add_people(tx, caller, (settings, choices), &held, people, None)?;
        if plan.moves.len() > MOST_MOVED {
            let why = format!(
                "type would move {} employees at once; at most {MOST_MOVED} can be moved: assign by_employee in parts",
                plan.moves.len()
            );
            return Err(Violation::invalid("type", why).into());
        }
        Ok(plan)
    }

    /// Plans the changes for an employee whose records have changed. The employee does not leave a pay period for which data was entered.
    pub fn of_employee(
        tx: &mut Tx<'_>,
        caller: &Caller,
        settings: &Settings,
        employee: Uuid,
    ) -> Result<Self, Error> {
        let choices = schedule_spans::chosen_schedules(tx, caller.company)?;
        let (base, own) = schedule_spans::company_and_own_spans(tx, caller.company, employee)?;
        let mut plan = Self::start_plan(tx, caller, settings, Some(&base))?;
        let follows = schedule_spans::of_employee(tx, caller.company, employee, caller.today(tx))?;
        let entered = match follows {
            Some(follows) => entered_until(tx, caller.company, follows.schedule.id, employee)?,
            None => None,
        };
        let held = BTreeMap::from([(employee, own)]);
        let people = find_people(tx, caller.company, &BTreeSet::from([employee]))?;
        plan.add_people(tx, caller, (settings, &choices), &held, people, entered)?;
        Ok(plan)
    }

    /// Starts a plan with the spans of all employees without their own.
    fn start_plan(
        tx: &mut Tx<'_>,
        caller: &Caller,
        settings: &Settings,
        held: Option<&Vec<ScheduleSpan>>,
    ) -> Result<Self, Error> {
        let today = caller.today(tx);
        let back = today.saturating_sub(BACK.days());
        let (settled, transitions) = rows::last_submitted_days(tx, caller.company, back)?;
        let has_paid = !settled.is_empty() || !transitions.is_empty();
        let settled: HashMap<Uuid, Date> = settled.into_iter().collect();
        let mut known = HashMap::new();
        for one in schedules::of_company(tx, caller.company)? {
            let settled_until = settled.get(&one.id).copied();
            known.insert(one.id, Followed { periods: one.pay_periods()?, settled_until });
        }
        let transitions = transitions.into_iter().collect();
        let ground = Ground { today, has_paid, schedules: known, transitions };
        let stored_base = held.cloned().unwrap_or_default();
        let mut before = stored_base.clone();
        if before.is_empty()
            && let Some(everybodys) = schedules::default_of(tx, caller.company)?
        {
            let others = rows::last_end_of_others(tx, caller.company, everybodys.id)?;
            let first_day = others.map_or(back, |end| end.saturating_add(1.day()).max(back));
            before.push(ScheduleSpan { schedule: everybodys.id, first_day, before: None, unpaid_from: None });
        }
        let after = match (settings.default, before.first()) {
            (Some(everybodys), Some(first)) if !has_paid => {
                vec![ScheduleSpan { schedule: everybodys, before: None, unpaid_from: None, ..*first }]
            }
            (Some(everybodys), Some(_)) => ground.plan_assignments(&before, &[(Date::MIN, everybodys)], None),
            _ => before.clone(),
        };
        Ok(Self { ground, base: Sides { before, after }, stored_base, moves: Vec::new() })
    }

    /// Adds the given people whose spans would change.
    fn add_people(
        &mut self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        (settings, choices): (&Settings, &BTreeMap<Uuid, Uuid>),
        held: &BTreeMap<Uuid, Vec<ScheduleSpan>>,
        people: Vec<AssignedEmployee>,
        entered_until: Option<Date>,
    ) -> Result<(), Error> {
        let (Some(first), Some(last)) = (people.first(), people.last()) else { return Ok(()) };
        let bounds = IdRange { first: first.id, last: last.id };
        let departments = match settings.kind {
            AssignmentType::ByDepartment => departments::list_members(tx, caller.company)?,
            _ => Vec::new(),
        };
        let facts = Facts {
            settings,
            choices,
            pay: compensations::of_employees(tx, caller.company, people.iter().map(|one| one.id))?,
            departments: departments.into_iter().map(|one| (one.employee, one.department)).collect(),
            employments: employment::rows::employments_of_employees(tx, caller.company, bounds)?,
        };
        for person in people {
            let own = held.get(&person.id).cloned().unwrap_or_default();
            if let Some(moved) = self.plan_move(&facts, person, own, entered_until) {
                self.moves.push(moved);
            }
        }
        Ok(())
    }

    /// Returns the change for one employee, if any.
    fn plan_move(
        &self,
        facts: &Facts<'_>,
        person: AssignedEmployee,
        own: Vec<ScheduleSpan>,
        entered_until: Option<Date>,
    ) -> Option<Move> {
        let today = self.ground.today;
        if facts.employments.get(&person.id).is_some_and(|held| held.has_left(today)) {
            return None;
        }
        let mut wanted = facts.schedules_to_follow(person.id, today);
        if let (Some(until), Some((day, _))) = (entered_until, wanted.first_mut()) {
            *day = until.saturating_add(1.day());
        }
        let newcomer = facts.newcomer_start(&person, today);
        let is_new = newcomer.is_some_and(|one| one.left.is_none());
        let base = if self.ground.has_paid { &self.base.before } else { &self.base.after };
        let anew = is_new || !self.ground.has_paid;
        let mut held = if anew { base.clone() } else { schedule_spans::effective_spans(base, &own) };
        // Who was never paid leaves no schedule: no days of another are left to be paid.
        if let (false, None, Some((_, first))) = (self.ground.has_paid, entered_until, wanted.first()) {
            held.iter_mut().for_each(|one| one.schedule = *first);
        }
        let planned = self.ground.plan_assignments(&held, &wanted, newcomer);
        let after = self.own_of(planned);
        if own == after {
            return None;
        }
        let effective = Sides {
            before: schedule_spans::effective_spans(&self.base.before, &own),
            after: schedule_spans::effective_spans(&self.base.after, &after),
        };
        Some(Move { person, own: Sides { before: own, after }, effective })
    }

    /// Returns the part of an employee's spans that is their own: without the company-wide ones, except the last shared one if
    /// everybody else moves on from it.
    fn own_of(&self, planned: Vec<ScheduleSpan>) -> Vec<ScheduleSpan> {
        if planned == self.base.after {
            return Vec::new();
        }
        let shared = planned.iter().zip(&self.base.after).take_while(|(one, other)| one == other).count();
        let kept = shared
            .checked_sub(1)
            .filter(|_| self.base.after.len() > shared)
            .map(|place| ScheduleSpan { before: None, unpaid_from: None, ..planned[place] });
        kept.into_iter().chain(planned[shared..].iter().copied()).collect()
    }

    /// Returns how many employees' own spans would change.
    pub fn count_moves(&self) -> usize {
        self.moves.len()
    }

    /// Returns the change for each employee, in the order of employees.
    pub fn employee_changes(self, tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<EmployeeChange>, Error> {
        let known: HashMap<_, _> =
            schedules::of_company(tx, caller.company)?.into_iter().map(|one| (one.id, one)).collect();
        let mut concerned: BTreeMap<Uuid, (AssignedEmployee, Sides)> = BTreeMap::new();
        if self.base.before != self.base.after {
            let held = schedule_spans::spans_by_employee(tx, caller.company)?;
            let people = tx.try_query(PEOPLE, params![caller.company], read_person)?;
            let others = people.into_iter().filter(|one| !held.contains_key(&one.id));
            concerned.extend(others.map(|one| (one.id, (one, self.base.clone()))));
        }
        concerned.extend(self.moves.into_iter().map(|one| (one.person.id, (one.person, one.effective))));
        let mut found = Vec::new();
        for (id, (person, sides)) in concerned {
            let Some(last) = sides.after.last() else { continue };
            // A withdrawn move leaves everything as it is, so the pay period in its place is shown.
            let gone = sides.before.iter().find(|one| !sides.after.contains(one));
            let (schedule, day, transition) = match (sides.first_new(), gone) {
                (Some(new), _) => {
                    let last = new.first_day.saturating_sub(1.day());
                    let unpaid = new.unpaid_from.map(|first| Days { first, last });
                    (new.schedule, new.first_day, unpaid)
                }
                (None, Some(gone)) => (last.schedule, gone.first_day, None),
                (None, None) => continue,
            };
            if !follows_another(&sides, self.ground.today) {
                continue;
            }
            let Some(schedule) = known.get(&schedule) else { continue };
            found.push(EmployeeChange {
                employee: id,
                first_name: person.first_name,
                last_name: person.last_name,
                first: schedule.pay_periods()?.period_of(day),
                schedule: schedule.clone(),
                transition,
            });
        }
        Ok(found)
    }

    /// Refuses moves that would remove somebody from an open payroll in which data was entered for them.
    pub fn refuse_in_the_way(&self, tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
        let sides: HashMap<Uuid, &Sides> =
            self.moves.iter().map(|one| (one.person.id, &one.effective)).collect();
        let everybody_moves = self.base.before != self.base.after;
        let held = if everybody_moves {
            schedule_spans::spans_by_employee(tx, caller.company)?
        } else {
            BTreeMap::new()
        };
        for (schedule, since) in self.affected_schedules() {
            for one in rows::open_of_schedule(tx, caller.company, schedule)? {
                if one.inputs == 0 || one.end < since {
                    continue;
                }
                let all = IdRange::ALL;
                for entry in inputs::inputs_between(tx, caller.company, one.id, all)? {
                    let base = Some(&self.base).filter(|_| !held.contains_key(&entry.employee));
                    let Some(sides) = sides.get(&entry.employee).copied().or(base) else { continue };
                    let days = Days { first: one.start, last: one.end };
                    let paid = |spans: &[ScheduleSpan]| is_paid_in(spans, schedule, days);
                    if paid(&sides.before) && !paid(&sides.after) {
                        return Err(in_the_way(
                            &one,
                            "data was entered in it for an employee who would leave it",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the schedules whose payrolls would have different members, and from which day on.
    fn affected_schedules(&self) -> Touched {
        let mut found = Touched::new();
        let all = self.moves.iter().map(|one| &one.effective).chain([&self.base]);
        for span in all.flat_map(Sides::differing_spans) {
            for schedule in [Some(span.schedule), span.before].into_iter().flatten() {
                let since = found.entry(schedule).or_insert(span.first_day);
                *since = (*since).min(span.unpaid_from.unwrap_or(span.first_day));
            }
        }
        found
    }

    /// Stores the spans. Returns the schedules whose payrolls have different members, and from which day on.
    pub fn store_spans(&self, tx: &mut Tx<'_>, caller: &Caller) -> Result<Touched, Error> {
        let company = caller.company;
        schedule_spans::replace_spans(tx, company, company, (&self.stored_base, &self.base.after))?;
        for one in &self.moves {
            schedule_spans::replace_spans(tx, company, one.person.id, (&one.own.before, &one.own.after))?;
        }
        Ok(self.affected_schedules())
    }
}

/// Whether somebody would follow another schedule than before, now or later.
fn follows_another(sides: &Sides, today: Date) -> bool {
    let course = |spans: &[ScheduleSpan]| -> Vec<(Uuid, Date)> {
        let begun = spans.iter().rposition(|one| one.first_day <= today).unwrap_or(0);
        let ahead = spans.iter().enumerate().skip(begun);
        ahead
            .map(|(place, one)| (one.schedule, if place == begun { Date::MIN } else { one.first_day }))
            .collect()
    };
    course(&sides.before) != course(&sides.after)
}

/// Returns the people with these ids, in the order of the ids.
fn find_people(tx: &mut Tx<'_>, company: Uuid, ids: &BTreeSet<Uuid>) -> Result<Vec<AssignedEmployee>, Error> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(tx.try_find(PERSON, params![company, id], read_person)?);
    }
    Ok(found)
}

/// Returns the last day of the open payrolls of a schedule in which data was entered for an employee.
fn entered_until(
    tx: &mut Tx<'_>,
    company: Uuid,
    schedule: Uuid,
    employee: Uuid,
) -> Result<Option<Date>, Error> {
    let mut last = None;
    for one in rows::open_of_schedule(tx, company, schedule)? {
        if one.inputs > 0 && inputs::Input::find(tx, company, one.id, employee)?.is_some() {
            last = last.max(Some(one.end));
        }
    }
    Ok(last)
}
