//! Jobs and compensations within an employee. A copy of `interface::pay::compensations::wire`, to be removed together
//! with the shapes of employees.

use jiff::civil::Date;

use super::rows::{Compensation, Job, Pay};
use super::service::{COMPENSATIONS, JOBS};
use crate::access::tokens::Caller;
use crate::pay::compensations::shapes;
use crate::records::version_text;
use rules::Named;

/// A job with its pay: the current compensation, or every one. Without compensations:read the pay is left out.
pub fn job(caller: &Caller, job: &Job, pay: &Pay, today: Date, all: bool) -> shapes::Job {
    let may_see_pay = caller.scopes.contains("compensations:read");
    let current = if may_see_pay { pay.current(job.id, today) } else { None };
    let shown = if all { pay.of_job(job.id) } else { current.map_or(&[] as &[_], std::slice::from_ref) };
    shapes::Job {
        uuid: job.id,
        version: version_text(JOBS, job.id, job.version),
        employee_uuid: job.employee,
        hire_date: job.hire_date.to_string(),
        title: job.title.clone(),
        primary: job.is_primary,
        rate: current.map(|c| c.rate.to_text(2)),
        payment_unit: current.map(|c| c.payment_unit.as_str()),
        current_compensation_uuid: current.map(|c| c.id),
        two_percent_shareholder: job.two_percent_shareholder,
        state_wc_covered: job.state_wc_covered,
        state_wc_class_code: job.state_wc_class_code.clone(),
        compensations: may_see_pay.then(|| shown.iter().map(|c| compensation(job, c)).collect()),
    }
}

fn compensation(job: &Job, c: &Compensation) -> shapes::Compensation {
    shapes::Compensation {
        uuid: c.id,
        version: version_text(COMPENSATIONS, c.id, c.version),
        job_uuid: c.job,
        employee_uuid: c.employee,
        rate: c.rate.to_text(2),
        payment_unit: c.payment_unit.as_str(),
        flsa_status: c.flsa_status.as_str(),
        effective_date: c.effective_date.to_string(),
        title: c.title.clone().or_else(|| job.title.clone()),
        adjust_for_minimum_wage: c.adjust_for_minimum_wage,
        minimum_wages: c
            .minimum_wages
            .iter()
            .map(|chosen| shapes::ChosenWage {
                uuid: chosen.rule,
                wage: chosen.wage.to_text(2),
                effective_date: chosen.effective_date.to_string(),
            })
            .collect(),
    }
}
