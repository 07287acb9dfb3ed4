//! The receipt of a submitted payroll: who submitted it, the checks to hand out, pay stubs, and a file for a spreadsheet.

use jiff::Timestamp;
use store::Tx;
use uuid::Uuid;

use super::super::super::{Outcome, stubs};
use super::course::all_people;
use super::{find_payroll, frame_of, redirect_elsewhere};
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::access::applications;
use domain::access::users::rows as users;
use domain::language::{Language, fill_placeholders};
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::pay::payrolls::views::stub;
use domain::pay::reports::table::{Cell, Table};
use domain::people::flows::session::Visitor;
use domain::people::forms::pdf as layout;
use domain::platform::audit;
use rules::Amount;

/// The columns of the file.
const COLUMNS: [&str; 8] = [
    "last_name",
    "first_name",
    "gross_pay",
    "employee_taxes_and_deductions",
    "net_pay",
    "reimbursements",
    "paid_out",
    "payment_method",
];

/// What the page of a submitted payroll has beside its sums.
pub struct Receipt {
    /// who submitted it, and when
    pub submitted: String,
    /// a name and an amount of each check
    pub checks: Vec<(String, String)>,
    /// the file for a spreadsheet
    pub file: String,
}

impl Receipt {
    /// The receipt; `None` for a payroll that was not submitted, or was skipped.
    pub fn of(
        tx: &mut Tx<'_>,
        visitor: &Visitor,
        t: &'static Texts,
        one: &Payroll,
    ) -> Result<Option<Self>, Error> {
        let Some(at) = one.submitted_at.filter(|_| one.is_processed() && !one.skipped) else {
            return Ok(None);
        };
        let mut checks = Vec::new();
        all_people(tx, visitor, one, |person| {
            let Some((outcome, paid)) = &person.outcome else { return };
            if !paid.goes_to_accounts() && outcome.check_amount > Amount::ZERO {
                checks.push((name(person), format_amount(outcome.check_amount)));
            }
        })?;
        let local = at.to_zoned(visitor.caller.zone.clone());
        let moment = format!("{}, {}", t.format_day(local.date()), local.strftime("%-I:%M %p %Z"));
        let submitted = match submitter(tx, visitor.caller.company, t, (one.id, at))? {
            Some(who) => fill_placeholders(t.employer.submitted_by, &[("who", &who), ("moment", &moment)]),
            None => fill_placeholders(t.employer.submitted_at, &[("moment", &moment)]),
        };
        Ok(Some(Self { submitted, checks, file: format!("{}/receipt.csv", super::payroll_path(one.id)) }))
    }
}

fn name(person: &PayrollEmployee) -> String {
    format!("{} {}", person.member.first_name, person.member.last_name)
}

/// Who submitted a payroll, in words; `None` if the audit log does not tell any more.
fn submitter(
    tx: &mut Tx<'_>,
    company: Uuid,
    t: &'static Texts,
    (payroll, at): (Uuid, Timestamp),
) -> Result<Option<String>, Error> {
    let Some(entry) = audit::find_action(tx, company, payroll, "submitted", at)? else { return Ok(None) };
    Ok(match entry.actor_kind.as_str() {
        "application" => {
            applications::find_application(tx, &entry.actor.to_string())?.map(|found| found.name)
        }
        "user" => users::find_user(tx, entry.actor)?.map(|found| found.email),
        "employer" => Some(t.employer.by_employer.to_owned()),
        _ => Some(t.employer.by_service.to_owned()),
    })
}

/// The file: a row for each person who is paid.
pub fn file(tx: &mut Tx<'_>, visitor: &Visitor, payroll: Uuid) -> Result<Outcome, Error> {
    let Some(one) = submitted(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
    let mut table = Table::new("receipt", &COLUMNS);
    all_people(tx, visitor, &one, |person| {
        let Some((outcome, paid)) = &person.outcome else { return };
        let taken = outcome.gross.millionths() - outcome.net.millionths();
        let beside = outcome.check_amount.millionths() - outcome.net.millionths();
        let method = if paid.goes_to_accounts() { "Direct Deposit" } else { "Check" };
        table.rows.push(vec![
            Cell::from_text(&person.member.last_name),
            Cell::from_text(&person.member.first_name),
            Cell::Amount(outcome.gross),
            Cell::Amount(Amount::from_millionths(taken)),
            Cell::Amount(outcome.net),
            Cell::Amount(Amount::from_millionths(beside.max(0))),
            Cell::Amount(outcome.check_amount),
            Cell::from_text(method),
        ]);
    })?;
    table.add_totals();
    Ok(Outcome::File(stubs::Kind::Csv, table.to_csv()?))
}

/// The pay stub of a person as PDF.
pub fn stub_file(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (payroll, employee): (Uuid, Uuid),
) -> Result<Outcome, Error> {
    if submitted(tx, visitor, payroll)?.is_none() {
        return redirect_elsewhere(tx, visitor);
    }
    let held = stub::pay_stub(tx, &visitor.caller, payroll, employee, language)?;
    Ok(Outcome::File(stubs::Kind::Pdf, layout::render_pdf(&held.document)))
}

/// A processed payroll of the company, if the visitor's link includes payrolls.
fn submitted(tx: &mut Tx<'_>, visitor: &Visitor, payroll: Uuid) -> Result<Option<Payroll>, Error> {
    let Some(one) = find_payroll(tx, visitor, payroll)?.filter(Payroll::is_processed) else {
        return Ok(None);
    };
    let language = visitor.language.unwrap_or(Language::English);
    Ok(frame_of(tx, visitor, language, (&one, false))?.map(|_| one))
}
