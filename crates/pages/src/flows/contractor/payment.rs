//! How the contractor is paid: into one bank account, or by check. Whoever changes it confirms first to be the contractor.

use askama::Template;
use rules::contractor::PayBy;
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Control, Form, Kind, LAST_FOUR, Problems};
use super::super::frame::Frame;
use super::super::payment::{
    Gate, account_controls, identity_check, read_account, type_name, with_repetition,
};
use super::super::plain::render_template;
use super::super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::contractors::accounts::service;
use domain::contractors::accounts::service::UpdateContractorPaymentMethod;
use domain::patch::Patch;
use domain::people::flows::confirmation;
use domain::people::flows::confirmation::Standing;
use domain::people::flows::session::Visitor;

#[derive(Template)]
#[template(path = "flow/contractor_payment.html")]
struct PaymentPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    version: &'a str,
    /// the account in words
    account: Option<String>,
    new_account: Vec<Control>,
    /// whether pay goes to the account
    deposit: bool,
    refused: bool,
    summary: Vec<String>,
    /// the identity check before the forms; `None` once confirmed
    gate: Option<Gate>,
}

impl PaymentPage<'_> {
    /// Every control of the page, for the list of problems.
    fn all_controls(&self) -> Vec<Control> {
        match &self.gate {
            Some(gate) => gate.control.iter().cloned().collect(),
            None => self.new_account.clone(),
        }
    }
}

pub fn render_payment(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let method = service::get_method(tx, &visitor.caller, visitor.person)?;
    let held = service::contractor_account(tx, &visitor.caller, visitor.person)?;
    let adding = entered.filter(|form| form.get("action") == Some("add"));
    let new_account = account_controls(t, adding, &problems);
    let mut gate = identity_check(confirmation::confirmation_standing(tx, visitor)?, t, &problems);
    if let Some(control) = gate.as_mut().and_then(|gate| gate.control.as_mut()) {
        control.label = t.contractor.confirm_last_four.to_owned();
    }
    let judged: Vec<Control> =
        gate.iter().filter_map(|gate| gate.control.clone()).chain(new_account.iter().cloned()).collect();
    let summary = super::super::form::unplaced_messages(&problems, &judged, t);
    render_template(&PaymentPage {
        frame,
        t,
        version: frame.form_version(&method.version()),
        account: held.map(|one| {
            let kind = type_name(t, one.account.account_type);
            format!("{} · {kind} · {}", one.account.name, one.hidden_account_number)
        }),
        new_account,
        deposit: method.contractor.payment_method == Some(PayBy::DirectDeposit),
        refused: !problems.is_empty(),
        summary,
        gate,
    })
}

/// How the contractor is paid, for the review; the account by its last digits.
pub fn payment_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let method = service::get_method(tx, &visitor.caller, visitor.person)?;
    let words = method.contractor.payment_method.map(|method| match method {
        PayBy::DirectDeposit => t.payment_deposit,
        PayBy::Check => t.contractor.by_check,
    });
    let mut facts = vec![Fact::new(t.payment_how, words, t)];
    facts.extend(method.account.map(|one| Fact::new(one.account.name, Some(one.hidden_account_number), t)));
    Ok(facts)
}

pub fn save_payment(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let (caller, contractor) = (&visitor.caller, visitor.person);
    let action = form.get("action").unwrap_or_default();
    let standing = confirmation::confirmation_standing(tx, visitor)?;
    if action == "confirm" {
        let answer = form.get(LAST_FOUR).unwrap_or_default();
        return Ok(match standing {
            Standing::Asked if !confirmation::is_right(tx, visitor, answer)? => Saved::Unconfirmed(LAST_FOUR),
            _ => Saved::Stay,
        });
    }
    if standing != Standing::Confirmed {
        // The page shows the identity check instead of its forms.
        return Ok(Saved::Ask);
    }
    if action == "add" {
        let (input, differs) = read_account(form);
        with_repetition(service::set_account(tx, caller, contractor, &input).map(drop), differs)?;
        return Ok(Saved::Done);
    }
    let method = if action == "keep" { PayBy::DirectDeposit } else { PayBy::Check };
    let input =
        UpdateContractorPaymentMethod { version: form.required_text("version"), kind: Patch::Value(method) };
    service::update_method(tx, caller, contractor, &input)?;
    Ok(Saved::Done)
}
