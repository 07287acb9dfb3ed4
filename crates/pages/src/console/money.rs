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
use super::show::{Dates, Pages, plain_words};
use crate::money::dollars_of;
use domain::money::bank::settings;
use domain::money::deposits::{self, DepositState, TaxDeposit};
use domain::money::files::pickup;
use domain::money::funding::cases::{self, RecoveryCase};
use domain::money::ledger::purpose::Purpose;
use domain::money::ledger::rows::{self, Batch, EntryState};
use domain::money::manual_payments::manual_taxes::{self, ByHand};
use domain::money::views::list::{self, Transaction, TransactionFilter, TransactionStatus};
use domain::money::views::open_items;
use domain::paging::Page;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;
use jiff::civil::Date;
use rules::{Amount, Named};

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/money", get(show_money))
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

async fn show_money(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::page_number(&query);
    access::show_page(&app, request, For::Company(company, "ach_transactions:read"), move |tx, visit| {
        let found = list::list_transactions(
            tx,
            &visit.caller,
            &TransactionFilter::default(),
            Pages::rows_of_page(page),
        )?;
        let cases = cases::list_cases(tx, &visit.caller, FIRST)?;
        let dates = visit.frame.dates;
        let total = found.paging.map_or(0, |(.., total)| total);
        let (made, _) = deposits::of_company(tx, company, (DEPOSITS, 0))?;
        let today = visit.caller.today(tx);
        let takes_part = !made.is_empty() || deposits::left_out(tx, company, today)?.is_none();
        let mut deposits = Vec::with_capacity(made.len());
        for one in made {
            let one = open_items::of_deposit(tx, company, one)?;
            deposits.push(tax_deposit_line(one, dates, today));
        }
        let by_hand =
            if takes_part { manual_taxes::list_manual_taxes(tx, &visit.caller)? } else { Vec::new() };
        frame::render_page(&MoneyPage {
            frame: &visit.frame,
            company,
            bank: settings::find_settings(tx)?.is_some(),
            not_taken: pickup::count_failed_pickups(tx)?,
            cases: cases.items.into_iter().map(|one| recovery_case_line(one, dates)).collect(),
            blocked: cases::are_payrolls_blocked(tx, company)?,
            held: rows::held_of(tx, company)?.into_iter().map(|one| waiting_batch_line(one, dates)).collect(),
            deposits,
            by_hand: by_hand.into_iter().map(|one| manual_payment_line(one, dates)).collect(),
            lines: found.items.into_iter().map(|one| transaction_line(one, dates)).collect(),
            pages: Pages::of_total(page, total, &[]),
        })
    })
    .await
}

fn recovery_case_line(one: RecoveryCase, dates: Dates) -> Case {
    let dollars = |cents| dollars_of(&Amount::from_cents(cents).to_text(2));
    Case {
        id: one.id,
        payroll: (one.purpose == Purpose::Payroll).then_some(one.payroll),
        check_date: dates.format_day(one.check_date),
        state: plain_words(one.status.as_str()),
        mood: match one.status {
            cases::CaseStatus::Recovered => "good",
            cases::CaseStatus::Open | cases::CaseStatus::Lost => "bad",
            cases::CaseStatus::RedebitInitiated | cases::CaseStatus::WireInitiated => "plain",
        },
        code: one.code,
        debited_on: dates.format_day(one.debited_on),
        outstanding: dollars(one.outstanding_cents),
        total: dollars(one.event_cents),
        tries: one.tries,
    }
}

fn waiting_batch_line(one: Batch, dates: Dates) -> Held {
    Held {
        payroll: (one.purpose == Purpose::Payroll).then_some(one.payroll),
        kind: one.kind.transaction_type(one.purpose),
        check_date: dates.format_day(one.check_date),
        why: one.reason.unwrap_or_default(),
        amount: dollars_of(&Amount::from_cents(one.cents).to_text(2)),
    }
}

fn tax_deposit_line(one: TaxDeposit, dates: Dates, today: Date) -> Deposited {
    let settles = one.settles_on.filter(|_| one.state == DepositState::Sent);
    let is_final = settles.is_some_and(|day| list::is_final(day, today));
    let late = open_items::is_late(&one, today);
    let note = match settles {
        Some(day) if is_final => format!("settled on {}, and was not returned", dates.format_day(day)),
        Some(day) => format!("the bank has it; it settles on {}", dates.format_day(day)),
        None => one.reason.or(late.then(|| "the bank does not have it".to_owned())).unwrap_or_default(),
    };
    Deposited {
        id: one.id,
        form: one.form.as_str(),
        days: if one.first_day == one.last_day {
            dates.format_day(one.last_day)
        } else {
            format!("{} to {}", dates.format_day(one.first_day), dates.format_day(one.last_day))
        },
        due: dates.format_day(one.due),
        state: match one.state {
            _ if is_final => "Paid".to_owned(),
            _ if late => "Late".to_owned(),
            state => plain_words(state.as_str()),
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

fn manual_payment_line(one: ByHand, dates: Dates) -> Due {
    Due {
        agency: one.agency,
        tax: one.tax,
        due: one.due.map_or_else(|| "Not known".to_owned(), |day| dates.format_day(day)),
        why: one.why,
        amount: dollars_of(&Amount::from_cents(one.cents).to_text(2)),
    }
}

fn transaction_line(one: Transaction, dates: Dates) -> Line {
    let Transaction { entry, kind, status, purpose, payment_date, .. } = one;
    let what = match entry.state {
        EntryState::Sent | EntryState::Returned => None,
        EntryState::Held | EntryState::Replaced | EntryState::PaidByEmployer | EntryState::Reversed => {
            Some(plain_words(entry.state.as_str()))
        }
    };
    let code = entry.code.map(|code| format!("returned: {code}"));
    Line {
        id: entry.id,
        payroll: (purpose == Purpose::Payroll).then_some(entry.payroll),
        kind: kind.transaction_type(purpose),
        name: entry.name,
        amount: dollars_of(&Amount::from_cents(entry.cents).to_text(2)),
        date: dates.format_day(payment_date),
        state: plain_words(status.into()),
        mood: match status {
            TransactionStatus::Successful => "good",
            TransactionStatus::Failed => "bad",
            TransactionStatus::Unsubmitted | TransactionStatus::Submitted => "plain",
        },
        note: what.into_iter().chain(code).collect::<Vec<_>>().join(", "),
    }
}
