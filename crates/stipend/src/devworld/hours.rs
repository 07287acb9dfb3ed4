//! Hours and tips of the demo world's employees, entered as a partner would.

use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::world::parse_input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::paging::Page;
use domain::pay::payrolls::service as payrolls;
use interface::pay::payrolls::wire::{PreparePayroll, UpdatePayroll};

/// An employee's hours and tips in a pay period, in addition to a salary.
pub(super) struct Worked {
    pub(super) employee: Uuid,
    /// of the primary job
    pub(super) hours: u16,
    /// dollars
    pub(super) tips: u16,
}

/// Enters them in an open payroll.
///
/// # Errors
/// A store error; a violation would be a bug in the demo world.
pub(super) fn enter_hours(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: Uuid,
    worked: &[Worked],
) -> Result<(), Error> {
    let named: Vec<_> = worked.iter().map(|one| one.employee).collect();
    let prepare = parse_input::<PreparePayroll>(&json!({ "employee_uuids": named }))?.into();
    let (found, _) = payrolls::prepare_payroll(tx, caller, payroll, &prepare, &[], Page::Whole)?;
    let lines: Vec<Value> = worked
        .iter()
        .map(|one| {
            let entered = found.employees.iter().find(|found| found.member.id == one.employee);
            let mut line = json!({
                "employee_uuid": one.employee,
                "version": entered.map(|one| one.employee_version(payroll)),
                "hourly_compensations": [{ "name": "Regular Hours", "hours": one.hours.to_string() }],
            });
            if one.tips > 0 {
                let tips = json!([{ "name": "Paycheck Tips", "amount": one.tips.to_string() }]);
                line["fixed_compensations"] = tips;
            }
            line
        })
        .collect();
    let update = parse_input::<UpdatePayroll>(&json!({ "employee_compensations": lines }))?.into();
    payrolls::update_payroll(tx, caller, payroll, &update).map(drop)
}
