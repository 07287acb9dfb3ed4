//! A company's payments: the content of files for the operator's bank, and the status of each payment. Returned debits
//! come first.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::show::{Dates, Pages, words};
use crate::money::dollars_of;
use domain::money::bank::settings;
use domain::money::deposits::{self, State as DepositState, TaxDeposit};
use domain::money::files::pickup;
use domain::money::funding::cases::{self, RecoveryCase};
use domain::money::ledger::purpose::Purpose;
use domain::money::ledger::rows::{self, Batch, EntryState};
use domain::money::manual_payments::manual_taxes::{self, ByHand};
use domain::money::views::list::{self, Filter, Status, Transaction};
use domain::money::views::open_items;
use domain::paging::Page;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;
use jiff::civil::Date;
use rules::{Amount, Named};

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/money", get(show))
}

/// Maximum of recovery cases shown.
const FIRST: Page = Page::Part { page: 1, per: 100 };

/// Maximum of tax deposits shown.
const DEPOSITS: i64 = 100;

struct Line {
    id: Uuid,
    /// `None` for a payment of a tax deposit
    payroll: Option<Uuid>,
    kind: &'static str,
    name: String,
    amount: String,
    date: String,
    state: String,
    mood: &'static str,
    /// the return reason, or other details of its status
    note: String,
}

/// A returned debit.
struct Case {
    id: Uuid,
    /// `None` if the debit was for a tax deposit
    payroll: Option<Uuid>,
    check_date: String,
    state: String,
    mood: &'static str,
    code: String,
    debited_on: String,
    outstanding: String,
    total: String,
    /// how often it was presented again
    tries: i64,
}

/// A tax deposit.
struct Deposited {
    id: Uuid,
    form: &'static str,
    /// its check dates
    days: String,
    due: String,
    state: String,
    mood: &'static str,
    note: String,
    amount: String,
}

/// Held payments.
struct Held {
    /// `None` for payments of a tax deposit
    payroll: Option<Uuid>,
    kind: &'static str,
    check_date: String,
    why: String,
    amount: String,
}

/// A tax that is not deposited by the service.
struct Due {
    agency: String,
    tax: String,
    due: String,
    /// why it is paid by hand
    why: String,
    amount: String,
}

#[derive(Template)]
#[template(path = "console/money.html")]
struct MoneyPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    /// whether files are created at all
    bank: bool,
    /// files that the operator's command has not taken, of any company
    not_taken: i64,
    /// the first returned debits
    cases: Vec<Case>,
    /// whether payrolls are blocked until they are recovered
    blocked: bool,
    /// payments that are held until the operator acts
    held: Vec<Held>,
    /// the newest tax deposits
    deposits: Vec<Deposited>,
    /// taxes that are paid by hand, while others are deposited
    by_hand: Vec<Due>,
    lines: Vec<Line>,
    pages: Pages,
}

async fn show(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::asked(&query);
    access::page(&app, request, For::Company(company, "ach_transactions:read"), move |tx, visit| {
        let found = list::transactions(tx, &visit.caller, &Filter::default(), Pages::rows(page))?;
        let cases = cases::list(tx, &visit.caller, FIRST)?;
        let dates = visit.frame.dates;
        let total = found.paging.map_or(0, |(.., total)| total);
        let (made, _) = deposits::of_company(tx, company, (DEPOSITS, 0))?;
        let today = visit.caller.today(tx);
        let takes_part = !made.is_empty() || deposits::left_out(tx, company, today)?.is_none();
        let mut deposits = Vec::with_capacity(made.len());
        for one in made {
            let one = open_items::of_deposit(tx, company, one)?;
            deposits.push(deposited(one, dates, today));
        }
        let by_hand = if takes_part { manual_taxes::list(tx, &visit.caller)? } else { Vec::new() };
        frame::render(&MoneyPage {
            frame: &visit.frame,
            company,
            bank: settings::find(tx)?.is_some(),
            not_taken: pickup::failed(tx)?,
            cases: cases.items.into_iter().map(|one| case(one, dates)).collect(),
            blocked: cases::block(tx, company)?,
            held: rows::held_of(tx, company)?.into_iter().map(|one| held(one, dates)).collect(),
            deposits,
            by_hand: by_hand.into_iter().map(|one| due(one, dates)).collect(),
            lines: found.items.into_iter().map(|one| line(one, dates)).collect(),
            pages: Pages::of(page, total, &[]),
        })
    })
    .await
}

fn case(one: RecoveryCase, dates: Dates) -> Case {
    let dollars = |cents| dollars_of(&Amount::from_cents(cents).to_text(2));
    Case {
        id: one.id,
        payroll: (one.purpose == Purpose::Payroll).then_some(one.payroll),
        check_date: dates.day(one.check_date),
        state: words(one.status.as_str()),
        mood: match one.status {
            cases::Status::Recovered => "good",
            cases::Status::Open | cases::Status::Lost => "bad",
            cases::Status::RedebitInitiated | cases::Status::WireInitiated => "plain",
        },
        code: one.code,
        debited_on: dates.day(one.debited_on),
        outstanding: dollars(one.outstanding_cents),
        total: dollars(one.event_cents),
        tries: one.tries,
    }
}

fn held(one: Batch, dates: Dates) -> Held {
    Held {
        payroll: (one.purpose == Purpose::Payroll).then_some(one.payroll),
        kind: one.kind.transaction_type(one.purpose),
        check_date: dates.day(one.check_date),
        why: one.reason.unwrap_or_default(),
        amount: dollars_of(&Amount::from_cents(one.cents).to_text(2)),
    }
}

fn deposited(one: TaxDeposit, dates: Dates, today: Date) -> Deposited {
    let settles = one.settles_on.filter(|_| one.state == DepositState::Sent);
    let is_final = settles.is_some_and(|day| list::is_final(day, today));
    let late = open_items::is_late(&one, today);
    let note = match settles {
        Some(day) if is_final => format!("settled on {}, and was not returned", dates.day(day)),
        Some(day) => format!("the bank has it; it settles on {}", dates.day(day)),
        None => one.reason.or(late.then(|| "the bank does not have it".to_owned())).unwrap_or_default(),
    };
    Deposited {
        id: one.id,
        form: one.form.as_str(),
        days: if one.first_day == one.last_day {
            dates.day(one.last_day)
        } else {
            format!("{} to {}", dates.day(one.first_day), dates.day(one.last_day))
        },
        due: dates.day(one.due),
        state: match one.state {
            _ if is_final => "Paid".to_owned(),
            _ if late => "Late".to_owned(),
            state => words(state.as_str()),
        },
        mood: match one.state {
            _ if late => "bad",
            DepositState::Sent if is_final => "good",
            DepositState::Returned | DepositState::Manual => "bad",
            DepositState::Scheduled | DepositState::Staged | DepositState::Sent | DepositState::Canceled => {
                "plain"
            }
        },
        note,
        amount: dollars_of(&Amount::from_cents(one.cents).to_text(2)),
    }
}

fn due(one: ByHand, dates: Dates) -> Due {
    Due {
        agency: one.agency,
        tax: one.tax,
        due: one.due.map_or_else(|| "Not known".to_owned(), |day| dates.day(day)),
        why: one.why,
        amount: dollars_of(&Amount::from_cents(one.cents).to_text(2)),
    }
}

fn line(one: Transaction, dates: Dates) -> Line {
    let Transaction { entry, kind, status, purpose, payment_date, .. } = one;
    let what = match entry.state {
        EntryState::Sent | EntryState::Returned => None,
        EntryState::Held | EntryState::Replaced | EntryState::PaidByEmployer | EntryState::Reversed => {
            Some(words(entry.state.as_str()))
        }
    };
    let code = entry.code.map(|code| format!("returned: {code}"));
    Line {
        id: entry.id,
        payroll: (purpose == Purpose::Payroll).then_some(entry.payroll),
        kind: kind.transaction_type(purpose),
        name: entry.name,
        amount: dollars_of(&Amount::from_cents(entry.cents).to_text(2)),
        date: dates.day(payment_date),
        state: words(status.into()),
        mood: match status {
            Status::Successful => "good",
            Status::Failed => "bad",
            Status::Unsubmitted | Status::Submitted => "plain",
        },
        note: what.into_iter().chain(code).collect::<Vec<_>>().join(", "),
    }
}
