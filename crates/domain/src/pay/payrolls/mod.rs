//! Payrolls: what a company pays its employees for a period.
//!
//! A payroll is prepared, calculated, submitted, processed and paid. A calculation first notes the state it starts from, then writes its
//! results in small units of work under an id of its own. A final unit of work checks whether anything has changed in the meantime and
//! points the payroll to that id. Processed payrolls are numbered in order: a paycheck builds on the year-to-date sums of the payroll
//! before it.
//!
//! Its rooms stand in the order in which they import each other: each imports only those before it, which `tests/areas.rs` keeps.
//!
//! | room | what it holds |
//! |---|---|
//! | `record` | what is stored: payrolls with what was entered, results of calculations, sums of years, totals |
//! | `calendar` | which payrolls exist, for which days, and who is in them |
//! | `entry` | what is entered for an employee, and hours off that are paid without an entry |
//! | `facts` | what is known of an employee on the days of a payroll: places, employments, earlier pay, balances |
//! | `warnings` | warnings about facts, entries and days that were paid before |
//! | `run` | calculating paychecks of what is known, and what changed meanwhile |
//! | `service` | payrolls as callers list, create and fill them, and what blocks them |
//! | `closing` | submitting, processing, paying, reversing and cancelling |
//! | `views` | payrolls and paychecks as they are shown |

pub mod calendar;
pub mod closing;
pub mod entry;
pub mod facts;
pub mod record;
pub mod run;
pub mod service;
pub mod views;
mod warnings;

/// Returns all SQL statements of payrolls.
pub fn sql_statements() -> Vec<store::Sql> {
    [
        record::rows::ALL,
        record::inputs::ALL,
        calendar::members::ALL,
        calendar::missed::ALL,
        calendar::submitted::ALL,
        facts::circumstances::headcount::ALL,
        warnings::unpaid_days::ALL,
        warnings::late_employment::ALL,
        views::outside::ALL,
        warnings::back_pay::ALL,
        warnings::owed::ALL,
        record::results::ALL,
        record::runs::ALL,
        calendar::assignments::STATEMENTS,
        facts::late_premiums::ALL,
        facts::year_to_date::ALL,
        closing::processing::credit_reductions::ALL,
        facts::opening::ALL,
        run::changes::ALL,
        closing::processing::disbursements::ALL,
        calendar::dismissals::ALL,
        run::prior_provider::ALL,
        closing::recovery::ALL,
        closing::reversals::ALL,
        record::settings::ALL,
        facts::same_period::ALL,
        run::since_calculated::ALL,
        views::stubs::ALL,
        run::workweeks::ALL,
    ]
    .concat()
}
