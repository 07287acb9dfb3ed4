//! The console at `/console`: the records and the activity of the service, and a few actions.
//!
//! Under `stipend dev` it is open to anyone at the machine; elsewhere an administrator signs in and sees the companies
//! that they administer, according to their role. Both are decided in [`access`], in the transaction in which the page
//! is read, and nothing but the resulting `Caller` reaches a use case: a page can show another company's record as
//! little as the API can.
//!
//! | module | page |
//! |---|---|
//! | `companies` | the companies, and where the onboarding of each stands |
//! | `overview` | a company: late and coming payrolls, what needs attention, past payrolls |
//! | `employees` | a company's employees, and one of them with the steps of onboarding |
//! | `contractors` | a company's contractors, and one of them with the steps of onboarding |
//! | `benefits` | deductions and contributions of an employee's benefits on each day of a year, as a chart and a table |
//! | `garnishments`, `order_facts`, `order_help` | an employee's garnishments: what they have taken beside what the law allows, with explanations of an order's fields in English and Spanish |
//! | `salary` | an employee's salary estimates, and the report of one |
//! | `taxes` | the state and local taxes in the tables |
//! | `time_off` | policies of paid time off, and ending one |
//! | `payrolls`, `paycheck` | payrolls, and how every figure of a paycheck was calculated, as a tree |
//! | `money` | the payments of a company, and their statuses |
//! | `owed`, `agencies` | what is not paid, and what is owed, to agencies by their names |
//! | `tax_returns` | the returns of a year: figures, deadlines, closing and filing |
//! | `reports` | reports with a chart and as CSV, and the checks of a payroll |
//! | `events` | events, and every delivery attempt; redelivery |
//! | `webhooks` | the subscriptions to a company's events; replaying a period |
//! | `audit` | who did what |
//! | `applications` | which applications a company is connected to, and ending that |
//! | `account` | an administrator's own sessions, and ending them |
//! | `jobs` | background jobs that failed permanently; retrying them |
//! | `requests` | API requests and responses, kept by `journal` only under `dev` |
//! | `clock` | the test clock, and what falls due next |
//! | `design` | the design system, only under `dev` |
//! | `picture` | bars and waterfalls of money, for the pages above |
//! | `data` | which vintages of reference data are in use |
//!
//! A page is one function of a transaction and a [`access::PageContext`], and a template in `templates/console`;
//! [`frame`] has what all of them share. Forms are posted, carry the token of the cookie, and answer with a redirect.
//! No page has a script. Texts are in English, because they are for engineers and operators, as the API's messages are;
//! the fields of an order are explained in Spanish, too, for those who enter them.

mod access;
mod account;
mod agencies;
mod applications;
mod audit;
mod benefits;
mod clock;
mod companies;
mod contractors;
mod data;
mod design;
mod employees;
mod events;
mod frame;
mod garnishments;
mod jobs;
mod money;
mod order_facts;
mod order_help;
mod overview;
mod owed;
mod paycheck;
mod payrolls;
pub(crate) mod picture;
mod places;
mod reports;
mod requests;
mod salary;
mod show;
mod sign_in;
mod tax_returns;
mod taxes;
mod time_off;
mod webhooks;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::response::Redirect;
use axum::routing::get;

use self::show::plain_words;
use crate::money::dollars_of;
use interface::app::App;

/// Maximum bytes of a form.
const LARGEST: usize = 16 << 10;
/// Rows per page of a list.
const ROWS: i64 = 25;

/// The pages; `dev` adds those that only a developer's own service has.
pub fn routes(dev: bool) -> Router<App> {
    let router = Router::new()
        .route("/console", get(companies::list_companies))
        .route("/console/", get(async || Redirect::to("/console")))
        .merge(sign_in::routes())
        .merge(account::routes())
        .merge(applications::routes())
        .merge(overview::routes())
        .merge(employees::routes())
        .merge(contractors::routes())
        .merge(benefits::routes())
        .merge(garnishments::routes())
        .merge(salary::routes())
        .merge(payrolls::routes())
        .merge(places::routes())
        .merge(paycheck::routes())
        .merge(money::routes())
        .merge(owed::routes())
        .merge(tax_returns::routes())
        .merge(reports::routes())
        .merge(taxes::routes())
        .merge(time_off::routes())
        .merge(events::routes())
        .merge(webhooks::routes())
        .merge(audit::routes())
        .merge(jobs::routes())
        .merge(data::routes())
        .merge(requests::routes());
    let router = if dev { router.merge(clock::routes()).merge(design::routes()) } else { router };
    router.layer(DefaultBodyLimit::max(LARGEST))
}
