//! What is not paid, and what is owed: pay that did not reach somebody, paydays that were missed, payments that are held, liabilities, and what
//! employees owe; and pay that can still be taken back. Each line has the one action that settles it.

use std::collections::BTreeMap;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use rules::days::Days;
use rules::{Amount, Category, Named, Violation};
use store::Tx;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::agencies;
use super::frame;
use super::frame::Frame;
use super::show::{Dates, plain_words};
use crate::money::dollars_of;
use domain::Error;
use domain::access::tokens::Caller;
use domain::money::batches::held;
use domain::money::batches::repayments::{self, PayAgain};
use domain::money::batches::reversals::{self, ReversePayment};
use domain::money::funding::{self, Funding, Mode, UpdatePrefunding};
use domain::money::ledger::purpose::Purpose;
use domain::money::ledger::rows::{Batch, Entry, EntryState};
use domain::money::manual_payments::manual_taxes;
use domain::money::views::list::{self, Transaction};
use domain::patch::Patch;
use domain::pay::books::Account;
use domain::pay::books::liabilities::{self, Liability, RecordPayment};
use domain::pay::payrolls::calendar::missed;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::people::employees::Employee;
use domain::records::id_of;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;

/// Scope for seeing the page.
const SEE: &str = "company_reports:read";
/// Scope for paying somebody in another way.
const PAY: &str = "payrolls:run";
/// Scope for recording a payment.
const RECORD: &str = "company_reports:write";
/// Scope for having credits wait for more.
const FUND: &str = "company_payment_configs:write";
/// Maximum of payments shown that can be taken back.
const REVERSIBLE: i64 = 100;
/// Why pay is taken back, as in the interface, with what it means.
const REASONS: &[(&str, &str)] = &[
    ("paid_twice", "It was paid twice"),
    ("wrong_amount", "The amount was wrong"),
    ("wrong_account", "It went to the wrong account"),
    ("not_owed", "It was not owed"),
];

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/owed", get(show_owed))
        .route("/console/companies/{company}/owed/check", post(by_check))
        .route("/console/companies/{company}/owed/prefunding", post(save_prefunding))
        .route("/console/companies/{company}/owed/record", post(record_tax_payment))
        .route("/console/companies/{company}/owed/release", post(release_batches))
        .route("/console/companies/{company}/owed/reverse", post(reverse_payment))
}

/// Pay, or support, that did not arrive.
struct Unpaid {
    id: Uuid,
    /// its payroll; none for payments of contractors
    payroll: Option<Uuid>,
    name: String,
    kind: &'static str,
    check_date: String,
    why: String,
    amount: String,
}

/// Payments that are held together.
struct Held {
    kind: &'static str,
    check_date: String,
    why: String,
    amount: String,
}

/// Pay that the bank has, and that can still be taken back.
struct Reversible {
    id: Uuid,
    name: String,
    check_date: String,
    amount: String,
}

/// A regular payroll that nobody has submitted by its deadline.
struct Missed {
    payroll: Uuid,
    check_date: String,
    days: String,
}

/// A liability, or what an employee owes.
struct Owed {
    id: Uuid,
    name: String,
    /// whom it is owed to
    payee: String,
    account: String,
    days: String,
    /// dollars
    amount: String,
    /// the amount of the payment that settles it
    payment: String,
}

/// What credits wait for now, and what the visitor may have them wait for.
struct Prefunding {
    now: &'static str,
    days: i64,
    /// words of the interface, with what they mean; only what is no less than now
    choices: Vec<(&'static str, &'static str)>,
}

impl Prefunding {
    fn from_funding(Funding { mode, days }: Funding) -> Self {
        let at_least = Mode::ALL.iter().filter(|other| **other >= mode);
        Self {
            now: waits_for(mode),
            days,
            choices: at_least.map(|one| (one.as_str(), waits_for(*one))).collect(),
        }
    }
}

const fn waits_for(mode: Mode) -> &'static str {
    match mode {
        Mode::None => "nothing: pay is sent together with the debit",
        Mode::Debit => "the debit of the company's account to settle",
        Mode::Wire => "a wire of the company to arrive",
    }
}

#[derive(Template)]
#[template(path = "console/owed.html")]
struct OwedPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    unpaid: Vec<Unpaid>,
    missed: Vec<Missed>,
    held: Vec<Held>,
    owed: Vec<Owed>,
    by_employees: Vec<Owed>,
    reversible: Vec<Reversible>,
    /// why pay is reversed, with what it means
    reasons: &'static [(&'static str, &'static str)],
    prefunding: Prefunding,
    may_pay: bool,
    may_record: bool,
    may_fund: bool,
    /// whether something is held by a limit, which the visitor may have applied again
    may_release: bool,
    /// what was just done
    done: &'static str,
}

async fn show_owed(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let done = match query.text_value("done") {
        Some("check") => "It is paid by check: print it with the checks of the payroll.",
        Some("contractor") => "It is paid by check: write one, and hand it to the contractor.",
        Some("prefunding") => "It holds for payrolls that are submitted from now on.",
        Some("released") => "The limit is applied again with the next file.",
        Some("reversed") => "It is taken back with the next file. Tell the person whom it was paid to.",
        Some("recorded") => "The payment is recorded.",
        _ => "",
    };
    access::show_page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let dates = visit.frame.dates;
        let today = visit.caller.today(tx);
        let unpaid = list::unpaid_transactions(tx, &visit.caller)?;
        let missed = missed::of_company(tx, &visit.caller)?;
        let held = held::list_held_payments(tx, &visit.caller)?;
        let reversible = if visit.has_scope(PAY) {
            list::reversible_transactions(tx, &visit.caller, REVERSIBLE)?
        } else {
            Vec::new()
        };
        let (by_employees, owed): (Vec<_>, Vec<_>) = liabilities::list_liabilities(tx, company, today, true)?
            .into_iter()
            .partition(|one| one.account == Account::EmployeeReceivables);
        let mut names = debtor_names(tx, &visit.caller, &by_employees)?;
        names.extend(payee_names(tx, &owed)?);
        frame::render_page(&OwedPage {
            frame: &visit.frame,
            company,
            unpaid: unpaid.into_iter().map(|one| not_paid(one, dates)).collect(),
            missed: missed.into_iter().map(|one| of_payday(&one, dates)).collect(),
            may_release: visit.has_scope(PAY) && held.iter().any(Batch::is_held_by_limit),
            held: held.into_iter().map(|one| held_together(one, dates)).collect(),
            reversible: reversible.into_iter().map(|one| taken_back(one, dates)).collect(),
            reasons: REASONS,
            owed: owed.into_iter().map(|one| liability_line(one, dates, &names)).collect(),
            by_employees: by_employees.into_iter().map(|one| liability_line(one, dates, &names)).collect(),
            prefunding: Prefunding::from_funding(funding::of_company(tx, company)?),
            may_pay: visit.has_scope(PAY),
            may_record: visit.has_scope(RECORD),
            may_fund: visit.has_scope(FUND),
            done,
        })
    })
    .await
}

/// Returns the names of the employees who owe something.
fn debtor_names(
    tx: &mut Tx<'_>,
    caller: &Caller,
    owed: &[Liability],
) -> Result<BTreeMap<String, String>, Error> {
    let mut names = BTreeMap::new();
    for one in owed {
        let found = Employee::find(tx, caller.company, id_of(&one.agency))?;
        let name = found.map(|one| format!("{} {}", one.first_name, one.last_name));
        names.insert(one.agency.clone(), name.unwrap_or_else(|| "A former employee".to_owned()));
    }
    Ok(names)
}

/// Returns the names of the agencies that are owed something and that the books have by a code.
fn payee_names(tx: &mut Tx<'_>, owed: &[Liability]) -> Result<BTreeMap<String, String>, Error> {
    let mut names = BTreeMap::new();
    for one in owed {
        if !names.contains_key(&one.agency)
            && let Some(name) = agencies::agency_name(tx, &one.agency)?
        {
            names.insert(one.agency.clone(), name);
        }
    }
    Ok(names)
}

fn not_paid(one: Transaction, dates: Dates) -> Unpaid {
    let Transaction { entry, kind, purpose, check_date, .. } = one;
    let why = match (&entry.code, entry.state) {
        (Some(code), _) => format!("returned by the bank: {code}"),
        (None, EntryState::Held) => "held: there is no account to pay".to_owned(),
        (None, state) => plain_words(state.as_str()),
    };
    Unpaid {
        id: entry.id,
        payroll: (purpose == Purpose::Payroll).then_some(entry.payroll),
        name: entry.name,
        kind: kind.transaction_type(purpose),
        check_date: dates.format_day(check_date),
        why,
        amount: format_dollars(entry.cents),
    }
}

fn held_together(one: Batch, dates: Dates) -> Held {
    Held {
        kind: one.kind.transaction_type(one.purpose),
        check_date: dates.format_day(one.check_date),
        amount: format_dollars(one.cents),
        why: one.reason.unwrap_or_default(),
    }
}

fn taken_back(one: Transaction, dates: Dates) -> Reversible {
    let Transaction { entry, check_date, .. } = one;
    Reversible {
        id: entry.id,
        name: entry.name,
        check_date: dates.format_day(check_date),
        amount: format_dollars(entry.cents),
    }
}

fn of_payday(one: &Payroll, dates: Dates) -> Missed {
    Missed {
        payroll: one.id,
        check_date: dates.format_day(one.initial_check_date),
        days: format!("{} to {}", dates.format_day(one.start), dates.format_day(one.end)),
    }
}

fn liability_line(one: Liability, dates: Dates, names: &BTreeMap<String, String>) -> Owed {
    let balance = one.balance();
    // Its name is that of the contractor.
    let payee = if one.account == Account::ContractorsPayable { String::new() } else { one.agency };
    let Days { first, last } = one.check_dates;
    Owed {
        id: one.id,
        payee: names.get(&payee).cloned().unwrap_or(payee),
        account: plain_words(one.account.as_str()),
        days: if first == last {
            dates.format_day(last)
        } else {
            format!("{} to {}", dates.format_day(first), dates.format_day(last))
        },
        amount: format_dollars(balance.abs()),
        payment: Amount::from_cents(balance).to_text(2),
        name: one.name,
    }
}

fn format_dollars(cents: i64) -> String {
    dollars_of(&Amount::from_cents(cents).to_text(2))
}

async fn by_check(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, PAY), move |tx, visit, form| {
        let by_check = PayAgain { by_check: Patch::Value(true), ..PayAgain::default() };
        let id = id_of(form.get("payment").unwrap_or_default());
        repayments::as_told(tx, &visit.caller, id, &by_check)?;
        // The service prints checks of payrolls alone.
        let of_contractor = Entry::find(tx, company, id)?.is_some_and(|entry| entry.contractor.is_some());
        let done = if of_contractor { "contractor" } else { "check" };
        Ok(format!("/console/companies/{company}/owed?done={done}"))
    })
    .await
}

async fn save_prefunding(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, FUND), move |tx, visit, form| {
        let text = |key: &str| form.get(key).map(str::trim).filter(|text| !text.is_empty());
        let days = match text("days").map(str::parse) {
            None => Patch::Absent,
            Some(Ok(days)) => Patch::Value(days),
            Some(Err(_)) => {
                let message = "days must be a whole number".to_owned();
                return Err(Violation::new("days", Category::InvalidAttributeValue, message).into());
            }
        };
        let waits =
            text("credits_wait_for").map_or(Patch::Absent, |word| Patch::Value(word.to_owned()).named());
        funding::update_funding(tx, &visit.caller, &UpdatePrefunding { credits_wait_for: waits, days })?;
        Ok(format!("/console/companies/{company}/owed?done=prefunding"))
    })
    .await
}

async fn release_batches(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, PAY), move |tx, visit, _| {
        held::release_held_payments(tx, &visit.caller)?;
        Ok(format!("/console/companies/{company}/owed?done=released"))
    })
    .await
}

async fn reverse_payment(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, PAY), move |tx, visit, form| {
        let text = |key: &str| match form.get(key).unwrap_or_default().trim() {
            "" => Patch::Absent,
            text => Patch::Value(text.to_owned()),
        };
        let why = ReversePayment { category: text("category").named(), reason: text("reason") };
        let id = id_of(form.get("payment").unwrap_or_default());
        reversals::as_told(tx, &visit.caller, id, &why)?;
        Ok(format!("/console/companies/{company}/owed?done=reversed"))
    })
    .await
}

async fn record_tax_payment(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    request: Request,
) -> Response {
    access::submit_form(&app, request, For::Company(company, RECORD), move |tx, visit, form| {
        let amount = Amount::parse(form.get("amount").unwrap_or_default()).unwrap_or_default();
        let paid = RecordPayment {
            liability_uuid: Patch::Value(form.get("liability").unwrap_or_default().to_owned()),
            amount: Patch::Value(amount),
            paid_on: Patch::Value(visit.caller.today(tx)),
            ..RecordPayment::default()
        };
        manual_taxes::record_payment(tx, &visit.caller, &paid)?;
        Ok(format!("/console/companies/{company}/owed?done=recorded"))
    })
    .await
}
