//! Rows of terminations and rehires.

use std::collections::{BTreeSet, HashMap};

use jiff::civil::Date;
use rules::Named;
use rules::days::Days;
use rules::employment::{self, Again, Departure, Span};
use rules::final_pay::Separation;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, rows_of};

store::record! {
    /// A termination.
    #[derive(Debug, Clone)]
    pub struct Termination in "terminations" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// last day of work
            pub effective_date: Date,
            /// whether the final wages are paid by an off-cycle payroll instead of the regular one
            pub run_termination_payroll: bool,
            /// the reason; `None` if not given
            pub separation: Option<Separation> as text,
            /// the new employer, if known
            pub new_employer: Option<String>,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// A rehire.
    #[derive(Debug, Clone)]
    pub struct Rehire in "rehires" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// first day back at work
            pub effective_date: Date,
            /// one of the company's locations
            pub work_location: Uuid = "work_location_id",
            /// whether the rehire is reported to the state as a new hire
            pub file_new_hire_report: bool,
            /// the employment type, such as `full_time`
            pub employment_status: Option<String>,
            /// whether the employee owns more than 2 % of an S corporation
            pub two_percent_shareholder: Option<bool>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Termination, Rehire;
    BY_ID = store::text!(Termination::SELECT, " AND id = $2");
    TERMINATIONS_BETWEEN = store::text!(Termination::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, effective_date, id");
    REHIRES_BETWEEN = store::text!(Rehire::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, effective_date, id");
    LEAVE_BETWEEN = "SELECT employee_id FROM terminations WHERE company_id = $1 AND effective_date BETWEEN $2 AND $3 \
                     AND employee_id IN ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    WHO_LEAVES = "SELECT employee_id FROM terminations WHERE company_id = $1 AND id = $2";
    WHO_RETURNS = "SELECT employee_id FROM rehires WHERE company_id = $1 AND id = $2";
    PAID_APART = store::text!(Termination::SELECT, " AND run_termination_payroll = true ORDER BY effective_date, id");
    FORGET_TERMINATIONS = "DELETE FROM terminations WHERE company_id = $1 AND employee_id = $2";
    FORGET_REHIRES = "DELETE FROM rehires WHERE company_id = $1 AND employee_id = $2";
}

/// Employment types of rehires, with their names in employee records.
const WORKING_TIMES: [(&str, &str); 5] = [
    ("full_time", "full_time"),
    ("part_time", "part_time_under_twenty_hours"),
    ("part_time_eligible", "part_time_twenty_plus_hours"),
    ("variable", "variable"),
    ("seasonal", "seasonal"),
];

/// The terminations and rehires of an employee, by date.
#[derive(Debug, Clone, Default)]
pub struct Employment {
    /// terminations
    pub terminations: Vec<Termination>,
    /// rehires
    pub rehires: Vec<Rehire>,
}

impl Employment {
    /// Returns the termination of the current employment, whether or not it has taken effect. Until a rehire takes effect, this is the
    /// termination of the previous employment.
    pub fn current_termination(&self, today: Date) -> Option<&Termination> {
        let back = |day: Date| {
            self.rehires.iter().any(|rehire| rehire.effective_date > day && rehire.effective_date <= today)
        };
        self.terminations.last().filter(|last| !back(last.effective_date))
    }

    /// Whether the employee has left, which is the case from the day after the last day of work.
    pub fn is_terminated(&self, today: Date) -> bool {
        self.current_termination(today).is_some_and(|last| last.is_active(today))
    }

    /// Returns the day on which the employee died, if the employment ended with the death.
    pub fn date_of_death(&self) -> Option<Date> {
        let last = self.terminations.last().filter(|last| last.separation == Some(Separation::Death))?;
        self.latest_rehire().is_none().then_some(last.effective_date)
    }

    /// Returns the rehire after the last termination, whether or not it has taken effect.
    pub fn latest_rehire(&self) -> Option<&Rehire> {
        let left = self.terminations.last()?.effective_date;
        self.rehires.last().filter(|rehire| rehire.effective_date > left)
    }

    /// Returns the employment type, as named in employee records, of the last rehire that has taken effect; `None` if it has none.
    pub fn working_time(&self, today: Date) -> Option<&'static str> {
        let back = self.rehires.iter().rev().find(|rehire| rehire.effective_date <= today)?;
        WORKING_TIMES
            .iter()
            .find(|(word, _)| back.employment_status.as_deref() == Some(word))
            .map(|(_, told)| *told)
    }

    /// Returns the first day back of a rehired employee, and what must be provided again since then, given the first hire date.
    pub fn asked_again(&self, hired: Date, today: Date) -> Option<(Date, Vec<Again>)> {
        let back = self.rehires.iter().rev().find(|rehire| rehire.effective_date <= today)?.effective_date;
        let left = self.terminations.iter().rev().find(|one| one.effective_date < back)?.effective_date;
        Some((back, employment::required_on_rehire(hired, left, back)))
    }

    /// Whether the employee has left and no rehire is planned.
    pub fn has_left(&self, today: Date) -> bool {
        let returns = |last: &Termination| {
            self.rehires.iter().any(|rehire| rehire.effective_date > last.effective_date)
        };
        self.current_termination(today).is_some_and(|last| last.is_active(today) && !returns(last))
    }

    /// Whether a day, past or future, is after the employee's last day of work and before any rehire.
    pub fn was_away(&self, day: Date) -> bool {
        let left = self.terminations.iter().rev().find(|one| one.effective_date < day);
        let back = |left: Date| {
            self.rehires.iter().any(|rehire| rehire.effective_date > left && rehire.effective_date <= day)
        };
        left.is_some_and(|one| !back(one.effective_date))
    }

    /// Returns the periods of employment, given the first hire date.
    pub fn employment_spans(&self, hired: Date) -> Vec<Span> {
        let departures = self.terminations.iter().map(Termination::departure);
        let returns: Vec<Date> = self.rehires.iter().map(|one| one.effective_date).collect();
        employment::employment_spans(hired, &departures.collect::<Vec<_>>(), &returns)
    }
}

impl Termination {
    /// Returns the end of employment that it records.
    pub fn departure(&self) -> Departure {
        Departure { last_day: self.effective_date, paid_apart: self.run_termination_payroll }
    }

    /// Whether it has taken effect, that is, the last day of work is over.
    pub fn is_active(&self, today: Date) -> bool {
        self.effective_date < today
    }

    /// Whether it can be canceled: until the day before the last day of work, unless it requests a separate payroll.
    pub fn is_cancelable(&self, today: Date) -> bool {
        !self.run_termination_payroll && self.effective_date > today
    }
}

/// Returns the terminations and rehires of an employee.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Employment, Error> {
    Ok(employments_of_employees(tx, company, IdRange::only(employee))?.remove(&employee).unwrap_or_default())
}

/// Returns the terminations and rehires of a range of employees (ends included); omits employees without any.
pub fn employments_of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, Employment>, Error> {
    let mut found: HashMap<Uuid, Employment> = HashMap::new();
    for one in tx.try_query(TERMINATIONS_BETWEEN, params![company, first, last], Termination::read)? {
        found.entry(one.employee).or_default().terminations.push(one);
    }
    if found.is_empty() {
        return Ok(found);
    }
    for one in tx.try_query(REHIRES_BETWEEN, params![company, first, last], Rehire::read)? {
        found.entry(one.employee).or_default().rehires.push(one);
    }
    Ok(found)
}

/// Announces the queries of [`employments_of_employees`] (see [`Tx::announce`]).
pub fn announce_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<(), Error> {
    tx.announce_query(TERMINATIONS_BETWEEN, params![company, first, last])?;
    Ok(tx.announce_query(REHIRES_BETWEEN, params![company, first, last])?)
}

/// Returns those of `employees` whose last day of work is in a range of days (ends included).
pub fn leave_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first, last }: Days,
    employees: &[Uuid],
) -> Result<BTreeSet<Uuid>, Error> {
    let read = |row: &Row<'_>| Cursor::new(row, Termination::TABLE, 0).read_plain("employee_id");
    Ok(rows_of(tx, LEAVE_BETWEEN, params![company, first, last], employees, read)?.into_iter().collect())
}

/// Returns the employee of the termination with this id.
pub fn who_leaves(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(WHO_LEAVES, params![company, id], |row| {
        Cursor::new(row, Termination::TABLE, 0).read_plain("employee_id")
    })?)
}

/// Returns the employee of the rehire with this id.
pub fn who_returns(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(WHO_RETURNS, params![company, id], |row| {
        Cursor::new(row, Rehire::TABLE, 0).read_plain("employee_id")
    })?)
}

/// Returns the terminations of a company that request a separate payroll, by last day of work.
pub fn paid_apart(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Termination>, Error> {
    Ok(tx.try_query(PAID_APART, params![company], Termination::read)?)
}

/// Returns a termination of the company.
pub fn find_termination(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Termination>, Error> {
    Ok(tx.try_find(BY_ID, params![company, id], Termination::read)?)
}

/// Deletes the records of an employee who is being deleted.
pub fn delete_employment_records(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_TERMINATIONS, FORGET_REHIRES] {
        let _as_many_as_there_were = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}
