//! How employees are told: the record with its jobs, pay and addresses. A page of employees is read in one stretch
//! per table, because what belongs to an employee lies in the order of employees.

use jiff::civil::Date;
use store::Tx;

use super::rows;
use super::rows::Employee;
use super::service;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::pay::compensations;
use crate::pay::compensations::rows::Pay;
use crate::people::addresses;
use crate::people::employees::shapes;
use crate::people::forms;
use crate::records::version_text;
use rules::Named;

/// What is told beyond the record itself.
#[derive(Debug, Default, Clone, Copy)]
pub struct Include {
    /// every compensation of a job, not only the current one
    pub all_compensations: bool,
    /// every home address
    pub all_home_addresses: bool,
    /// the home address in force
    pub current_home_address: bool,
    /// the name of the company
    pub company_name: bool,
    /// the (always empty) list of custom fields
    pub custom_fields: bool,
    /// the (never sent) portal invitation
    pub portal_invitations: bool,
}

/// Employees with what belongs to them.
pub fn employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employees: Vec<Employee>,
    include: Include,
) -> Result<Vec<shapes::Employee>, Error> {
    let today = caller.today(tx);
    let mut pay = compensations::rows::of_employees(tx, caller.company, employees.iter().map(|e| e.id))?;
    let company_name = match include.company_name {
        true => companies::find(tx, caller.company)?.map(|company| company.name),
        false => None,
    };
    let mut told = Vec::with_capacity(employees.len());
    for employee in employees {
        let birth = rows::birth_date(tx, caller.company, &employee)?;
        let homes = match include.all_home_addresses || include.current_home_address {
            true => addresses::service::home_addresses(tx, caller, employee.id)?,
            false => Vec::new(),
        };
        let pay = pay.remove(&employee.id).unwrap_or_default();
        let mut one = record(caller, employee, birth, &pay, today, include);
        one.company_name.clone_from(&company_name);
        if include.current_home_address {
            one.current_home_address = homes.iter().find(|home| home.active).cloned();
        }
        if include.all_home_addresses {
            one.all_home_addresses = Some(homes);
        }
        told.push(one);
    }
    Ok(told)
}

/// An employee that was created just now.
pub fn new_employee(caller: &Caller, employee: Employee, birth: Option<Date>) -> shapes::Employee {
    record(caller, employee, birth, &Pay::default(), Date::MIN, Include::default())
}

fn record(
    caller: &Caller,
    employee: Employee,
    birth: Option<Date>,
    pay: &Pay,
    today: Date,
    include: Include,
) -> shapes::Employee {
    let primary = pay.jobs.iter().find(|job| job.is_primary);
    let current = primary.and_then(|job| pay.current(job.id, today));
    let jobs = pay.jobs.iter();
    let jobs = jobs
        .map(|job| compensations::view::job(caller, job, pay, today, include.all_compensations))
        .collect();
    let flsa = current.filter(|_| caller.scopes.contains("compensations:read"));
    shapes::Employee {
        uuid: employee.id,
        company_uuid: caller.company,
        version: version_text(service::TABLE, employee.id, employee.version),
        onboarded: employee.onboarded_at.is_some(),
        onboarding_status: employee.status.as_str(),
        onboarding_documents_config: forms::service::documents_config(
            caller.company,
            employee.id,
            employee.i9_document,
        ),
        has_ssn: employee.ssn.is_some(),
        date_of_birth: birth.map(|day| day.to_string()),
        title: primary.and_then(|job| job.title.clone()),
        hired_at: primary.map(|job| job.hire_date.to_string()),
        two_percent_shareholder: primary.map(|job| job.two_percent_shareholder),
        flsa_status: flsa.map(|pay| pay.flsa_status.as_str()),
        jobs,
        first_name: employee.first_name,
        middle_initial: employee.middle_initial,
        last_name: employee.last_name,
        preferred_first_name: employee.preferred_first_name,
        email: employee.email,
        work_email: employee.work_email,
        phone: employee.phone,
        employee_code: employee.employee_code,
        payment_method: employee.payment_method,
        manager_uuid: None,
        department: None,
        department_uuid: None,
        current_employment_status: None,
        terminated: false,
        historical: false,
        ssn: "",
        eligible_paid_time_off: [],
        terminations: [],
        garnishments: [],
        company_name: None,
        current_home_address: None,
        all_home_addresses: None,
        custom_fields: include.custom_fields.then_some([]),
        partner_portal_invitation_sent: include.portal_invitations.then_some(false),
    }
}
