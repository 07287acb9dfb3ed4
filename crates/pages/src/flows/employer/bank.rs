//! The bank account that payroll is paid from. If a signatory is on file, changing it requires the last four digits of
//! that person's Social Security number.

use askama::Template;
use rules::payment::AccountType;
use rules::{Named, Violation};
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Form, Kind, LAST_FOUR, Problems, unplaced_messages};
use super::super::frame::Frame;
use super::super::payment::type_name;
use super::super::plain::render_template;
use super::super::review::Fact;
use super::{records, with_own};
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::banks::commands::CreateAccount;
use domain::company::banks::rows::Verification;
use domain::company::banks::service;
use domain::company::banks::service::AccountDetails;
use domain::patch::Patch;
use domain::people::flows::confirmation;
use domain::people::flows::confirmation::Standing;
use domain::people::flows::session::Visitor;

/// The field in which an account number is repeated.
const ACCOUNT_AGAIN: &str = "account_number_again";

#[derive(Template)]
#[template(path = "flow/bank.html")]
struct BankPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    /// the current account, in words, and its status
    account: Option<(String, &'static str)>,
    /// what is asked before a change, with its field; no field if no answer is accepted
    gate: Option<(&'static str, Option<Control>)>,
    /// the fields of a new account, if they are shown
    fields: Vec<Control>,
    refused: bool,
    summary: Vec<String>,
}

impl BankPage<'_> {
    /// Every control of the page, for the list of problems.
    fn all_controls(&self) -> Vec<Control> {
        let gate = self.gate.iter().filter_map(|(_, control)| control.clone());
        gate.chain(self.fields.iter().cloned()).collect()
    }
}

fn current_account(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<AccountDetails>, Error> {
    Ok(service::list_accounts(tx, &visitor.caller)?.into_iter().next())
}

pub fn render_bank(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let held = current_account(tx, visitor)?;
    let gate = identity_check(confirmation::confirmation_standing(tx, visitor)?, t, &problems);
    let (action, _) = records::current_action(entered);
    let opens = gate.is_none() && (held.is_none() || matches!(action, "change" | "add"));
    let entered = entered.filter(|_| action == "add");
    let fields = if opens { account_controls(t, entered, &problems) } else { Vec::new() };
    let asked = gate.iter().filter_map(|(_, control)| control.clone());
    let shown: Vec<_> = asked.chain(fields.iter().cloned()).collect();
    render_template(&BankPage {
        frame,
        t,
        account: held.as_ref().map(|held| (account_line(t, held), verification_text(t, held))),
        gate,
        fields,
        refused: !problems.is_empty(),
        summary: unplaced_messages(&problems, &shown, t),
    })
}

fn account_line(t: &Texts, held: &AccountDetails) -> String {
    let kind = type_name(t, held.account.account_type);
    format!("{kind} · {} · {}", held.routing_number, held.hidden_account_number)
}

fn verification_text(t: &Texts, held: &AccountDetails) -> &'static str {
    match held.account.verification {
        Verification::Verified => t.employer.bank_verified,
        Verification::AwaitingDeposits | Verification::Ready => t.employer.bank_unverified,
    }
}

fn identity_check(
    standing: Standing,
    t: &Texts,
    problems: &Problems,
) -> Option<(&'static str, Option<Control>)> {
    let e = t.employer;
    match standing {
        // Without a signatory on file there is nothing to ask.
        Standing::Confirmed | Standing::NoNumber => None,
        Standing::Asked => {
            let control = Control::text_line(LAST_FOUR, e.confirm_last_four, "off").with_keyboard("numeric");
            Some((e.confirm_text, Some(control.with_problem(problems, t.confirm_wrong))))
        }
        Standing::Locked => Some((e.confirm_locked, None)),
    }
}

/// The current account, for the review.
pub fn bank_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let held = current_account(tx, visitor)?;
    let told =
        held.as_ref().map(|held| format!("{} · {}", account_line(t, held), verification_text(t, held)));
    Ok(vec![Fact::new(t.employer.bank, told, t)])
}

fn account_controls(t: &Texts, entered: Option<&Form>, problems: &Problems) -> Vec<Control> {
    let e = t.employer;
    let types = AccountType::ALL
        .iter()
        .map(|one| Choice { value: one.as_str().to_owned(), label: type_name(t, *one).to_owned() })
        .collect();
    let number = |name: &str, label: &str, wrong: &str| {
        Control::text_line(name, label, "off")
            .with_keyboard("numeric")
            .with_value(entered, None)
            .with_problem(problems, wrong)
    };
    vec![
        number("routing_number", t.routing_number, t.wrong_routing_number).with_help(t.routing_help),
        number("account_number", t.account_number, t.wrong_account_number),
        number(ACCOUNT_AGAIN, t.account_number_again, t.wrong_account_number_again)
            .with_help(e.bank_again_help),
        Control::select_field("account_type", t.account_type, types)
            .with_value(entered, None)
            .with_problem(problems, t.wrong_choice),
    ]
}

pub fn save_bank(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let standing = confirmation::confirmation_standing(tx, visitor)?;
    let (action, _) = records::current_action(Some(form));
    if action == "confirm" {
        let answer = form.get(LAST_FOUR).unwrap_or_default();
        return Ok(match standing {
            Standing::Asked if !confirmation::is_right(tx, visitor, answer)? => Saved::Unconfirmed(LAST_FOUR),
            _ => Saved::Stay,
        });
    }
    match action {
        // The page shows the identity check instead of its form.
        "add" | "change" if matches!(standing, Standing::Asked | Standing::Locked) => Ok(Saved::Ask),
        "change" => Ok(Saved::Ask),
        "add" => add_account(tx, visitor, form).map(|()| Saved::Stay),
        _ => Ok(Saved::Done),
    }
}

fn add_account(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let digits = |name: &str| -> String {
        form.get(name).unwrap_or_default().chars().filter(|c| !matches!(c, ' ' | '-')).collect()
    };
    let number = digits("account_number");
    let differs = (number != digits(ACCOUNT_AGAIN))
        .then(|| Violation::invalid(ACCOUNT_AGAIN, "the two account numbers are not the same"));
    let input = CreateAccount {
        routing_number: Patch::Value(digits("routing_number")),
        account_number: Patch::Value(number),
        account_type: form.required_text("account_type"),
    };
    with_own(service::create_account(tx, &visitor.caller, &input), differs.into_iter().collect()).map(drop)
}
