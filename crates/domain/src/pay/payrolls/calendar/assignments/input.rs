//! The requested assignment, and its validation.

use std::collections::{BTreeMap, BTreeSet};

use rules::payroll::assignment::AssignmentType;
use rules::{Checks, Named, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{self, Patch, as_is};
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::schedule_spans::Settings;
use crate::people::departments::rows as departments;
use crate::people::employees::Employee;
use crate::records::id_of;

/// Maximum number of employees, or departments, in one request.
const AT_ONCE: usize = 1_000;
/// Maximum number of employees with a schedule of their own in one company.
const MOST_CHOICES: usize = 20_000;

/// Assigns pay schedules.
#[derive(Debug, Clone, Default)]
pub struct Assign {
    /// the name of an [`AssignmentType`]
    pub r#type: Patch<AssignmentType>,
    /// the schedule of hourly employees
    pub hourly_pay_schedule_uuid: Patch<String>,
    /// the schedule of salaried employees
    pub salaried_pay_schedule_uuid: Patch<String>,
    /// the schedule of all other employees
    pub default_pay_schedule_uuid: Patch<String>,
    /// whether choices for others stay as they are
    pub partial_assignment: Patch<bool>,
    /// choices for employees
    pub employees: Patch<Vec<EmployeeChoice>>,
    /// choices for departments
    pub departments: Patch<Vec<DepartmentChoice>>,
}

/// A schedule for an employee.
#[derive(Debug, Clone, Default)]
pub struct EmployeeChoice {
    /// the employee
    pub employee_uuid: Patch<String>,
    /// the schedule
    pub pay_schedule_uuid: Patch<String>,
}

/// A schedule for the employees of a department.
#[derive(Debug, Clone, Default)]
pub struct DepartmentChoice {
    /// the department
    pub department_uuid: Patch<String>,
    /// the schedule
    pub pay_schedule_uuid: Patch<String>,
}

/// The validated request.
#[derive(Debug)]
pub(super) struct NewAssignments {
    pub settings: Settings,
    pub choices: BTreeMap<Uuid, Uuid>,
}

impl NewAssignments {
    /// Returns the schedule of the whole company.
    pub fn company_wide_schedule(&self, tx: &mut Tx<'_>, caller: &Caller) -> Result<Schedule, Error> {
        let found = match self.settings.default {
            Some(id) => Schedule::find(tx, caller.company, id)?,
            None => None,
        };
        found.ok_or_else(|| Error::internal("the validated schedule is missing"))
    }
}

impl Assign {
    /// Validates the request.
    ///
    /// # Errors
    /// Every violation; a store error.
    pub(super) fn validate_request(&self, tx: &mut Tx<'_>, caller: &Caller) -> Result<NewAssignments, Error> {
        let mut checks = Checks::new();
        let kind = self.r#type.required("type", &mut checks, as_is);
        checks.finish()?;
        let kind = kind.ok_or_else(|| Error::internal("the validated type is missing"))?;
        let mut reading = Reading {
            known: schedules::of_company(tx, caller.company)?,
            before: schedule_spans::assignment_settings(tx, caller.company)?,
            kind,
            checks: Checks::new(),
        };
        reading.refuse_of_other_types(self);
        let partial =
            self.partial_assignment.optional("partial_assignment", &mut reading.checks, as_is) == Some(true);
        let default = reading.default(&self.default_pay_schedule_uuid, partial);
        let (hourly, salaried) = match kind {
            AssignmentType::HourlySalaried => (
                reading.required_schedule("hourly_pay_schedule_uuid", &self.hourly_pay_schedule_uuid),
                reading.required_schedule("salaried_pay_schedule_uuid", &self.salaried_pay_schedule_uuid),
            ),
            _ => (None, None),
        };
        let named = match kind {
            AssignmentType::ByEmployee => {
                reading.read_employee_choices(tx, caller, &self.employees, partial)?
            }
            AssignmentType::ByDepartment => {
                reading.read_department_choices(tx, caller, &self.departments, partial)?
            }
            _ => BTreeMap::new(),
        };
        let mut choices = match partial && reading.before.kind == kind {
            true => schedule_spans::chosen_schedules(tx, caller.company)?,
            false => BTreeMap::new(),
        };
        choices.extend(named);
        reading.checks.require(choices.len() <= MOST_CHOICES, || {
            let why =
                format!("employees must leave at most {MOST_CHOICES} employees with a schedule of their own");
            Violation::invalid("employees", why)
        });
        reading.checks.finish()?;
        // Employees whose pay is not known yet follow the salaried schedule, unless a default is given.
        let default = default.or(salaried);
        Ok(NewAssignments { settings: Settings { kind, default, hourly, salaried }, choices })
    }
}

/// A request being validated.
struct Reading {
    known: Vec<Schedule>,
    before: Settings,
    kind: AssignmentType,
    checks: Checks,
}

impl Reading {
    /// Refuses fields that belong to another type.
    fn refuse_of_other_types(&mut self, sent: &Assign) {
        let checks = &mut self.checks;
        patch::refuse_null("partial_assignment", &sent.partial_assignment, checks);
        patch::refuse_null("employees", &sent.employees, checks);
        patch::refuse_null("departments", &sent.departments, checks);
        if self.kind != AssignmentType::HourlySalaried {
            patch::refuse_null("hourly_pay_schedule_uuid", &sent.hourly_pay_schedule_uuid, checks);
            patch::refuse_null("salaried_pay_schedule_uuid", &sent.salaried_pay_schedule_uuid, checks);
        }
        use AssignmentType::{ByDepartment, ByEmployee, HourlySalaried};
        let is_sent = |field: &Patch<String>| !matches!(field, Patch::Absent | Patch::Null);
        let partial = !matches!(&sent.partial_assignment, Patch::Absent | Patch::Null | Patch::Value(false));
        let employees = !matches!(&sent.employees, Patch::Absent | Patch::Null)
            && sent.employees.value().is_none_or(|list| !list.is_empty());
        let departments = !matches!(&sent.departments, Patch::Absent | Patch::Null)
            && sent.departments.value().is_none_or(|list| !list.is_empty());
        let of: [(&str, bool, &[AssignmentType]); 5] = [
            ("hourly_pay_schedule_uuid", is_sent(&sent.hourly_pay_schedule_uuid), &[HourlySalaried]),
            ("salaried_pay_schedule_uuid", is_sent(&sent.salaried_pay_schedule_uuid), &[HourlySalaried]),
            ("partial_assignment", partial, &[ByEmployee, ByDepartment]),
            ("employees", employees, &[ByEmployee]),
            ("departments", departments, &[ByDepartment]),
        ];
        for (key, _, types) in of.into_iter().filter(|(_, sent, types)| *sent && !types.contains(&self.kind))
        {
            let types: Vec<_> = types.iter().map(|one| one.as_str()).collect();
            let why = format!(
                "{key} must be left out: it belongs to type {}, not to {}",
                types.join(" or "),
                self.kind.as_str()
            );
            self.checks.push(Violation::invalid(key, why));
        }
    }

    /// Returns the default schedule. A partial assignment of the same type keeps the earlier one if none is given.
    fn default(&mut self, field: &Patch<String>, partial: bool) -> Option<Uuid> {
        let kept = self.before.default.filter(|_| partial && self.before.kind == self.kind);
        match self.kind {
            AssignmentType::HourlySalaried => self.optional_schedule("default_pay_schedule_uuid", field),
            _ if kept.is_some() => self.optional_schedule("default_pay_schedule_uuid", field).or(kept),
            _ => self.required_schedule("default_pay_schedule_uuid", field),
        }
    }

    fn required_schedule(&mut self, key: &str, field: &Patch<String>) -> Option<Uuid> {
        let id = field.required(key, &mut self.checks, |_, id| Ok(id_of(id)));
        self.of_company(key, id)
    }

    fn optional_schedule(&mut self, key: &str, field: &Patch<String>) -> Option<Uuid> {
        patch::refuse_null(key, field, &mut self.checks);
        let id = field.optional(key, &mut self.checks, |_, id| Ok(id_of(id)));
        self.of_company(key, id)
    }

    fn of_company(&mut self, key: &str, id: Option<Uuid>) -> Option<Uuid> {
        let id = id?;
        let known = self.known.iter().any(|one| one.id == id && one.active);
        self.checks.require(known, || {
            Violation::invalid(
                key,
                format!("{key} must be the uuid of an active pay schedule of the company"),
            )
        });
        Some(id).filter(|_| known)
    }

    /// Returns the named employees with their schedules.
    fn read_employee_choices(
        &mut self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        list: &Patch<Vec<EmployeeChoice>>,
        partial: bool,
    ) -> Result<BTreeMap<Uuid, Uuid>, Error> {
        self.refuse_nobody("employees", list, partial);
        let list = patch::check_items("employees", list, AT_ONCE, &mut self.checks);
        let list = list.iter().map(|one| (&one.employee_uuid, &one.pay_schedule_uuid));
        self.read_choices(("employee_uuid", "an employee"), list, |id| {
            Ok(Employee::find(tx, caller.company, id)?.is_some())
        })
    }

    /// Returns the named departments with their schedules.
    fn read_department_choices(
        &mut self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        list: &Patch<Vec<DepartmentChoice>>,
        partial: bool,
    ) -> Result<BTreeMap<Uuid, Uuid>, Error> {
        self.refuse_nobody("departments", list, partial);
        let known = departments::of_company(tx, caller.company)?;
        let list = patch::check_items("departments", list, AT_ONCE, &mut self.checks);
        let list = list.iter().map(|one| (&one.department_uuid, &one.pay_schedule_uuid));
        self.read_choices(("department_uuid", "a department"), list, |id| {
            Ok(known.iter().any(|one| one.id == id))
        })
    }

    /// Returns the schedules chosen for employees or departments of the company; each of these must exist and be named once.
    fn read_choices<'a>(
        &mut self,
        (key, what): (&str, &str),
        list: impl Iterator<Item = (&'a Patch<String>, &'a Patch<String>)>,
        mut is_known: impl FnMut(Uuid) -> Result<bool, Error>,
    ) -> Result<BTreeMap<Uuid, Uuid>, Error> {
        let (mut found, mut seen) = (BTreeMap::new(), BTreeSet::new());
        for (id, schedule) in list {
            let id = id.required(key, &mut self.checks, |_, id| Ok(id_of(id)));
            let schedule = self.required_schedule("pay_schedule_uuid", schedule);
            let Some(id) = id else { continue };
            if !is_known(id)? {
                let why = format!("{key} must be the uuid of {what} of the company; {id} is not");
                self.checks.push(Violation::invalid(key, why));
            } else if !seen.insert(id) {
                self.checks.push(Violation::invalid(key, format!("{key} must not name {id} twice")));
            }
            found.extend(schedule.map(|schedule| (id, schedule)));
        }
        Ok(found)
    }

    /// Refuses an empty list in a partial assignment.
    fn refuse_nobody<T>(&mut self, key: &str, list: &Patch<Vec<T>>, partial: bool) {
        let nobody = match list {
            Patch::Absent | Patch::Null => true,
            Patch::Value(list) => list.is_empty(),
            Patch::Invalid(_) => false,
        };
        self.checks.require(!(partial && nobody), || {
            Violation::invalid(key, format!("{key} must name at least one, where partial_assignment is true"))
        });
    }
}
