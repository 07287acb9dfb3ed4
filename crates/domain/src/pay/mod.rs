//! Pay: compensations, minimum wages, pay schedules, payrolls, and what follows from them.

pub mod books;
pub mod checks;
pub mod compensations;
pub mod digests;
pub mod earning_types;
pub mod external_payrolls;
pub mod holiday_pay;
pub mod low_wages;
pub mod minimum_wages;
pub mod pay_schedules;
pub mod payroll_batches;
pub mod payrolls;
pub mod reimbursements;
pub mod reports;
pub mod time_off;
pub mod time_sheets;
