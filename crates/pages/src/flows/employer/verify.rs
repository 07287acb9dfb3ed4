//! Verification of the bank account: the company enters the amounts of two test deposits from its statement.

use askama::Template;
use rules::company::deposits::TRIES;
use rules::{Amount, Violation};
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Control, Form, Problems};
use super::super::frame::{Frame, Screen};
use super::super::number::written_number;
use super::super::plain;
use super::super::plain::{Shape, render_template};
use super::super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::banks::commands::VerifyAccount;
use domain::company::banks::rows::Verification;
use domain::company::banks::service;
use domain::company::banks::service::{AccountDetails, Verified};
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use interface::field::Wire;

/// A text, with a link to where the matter can be changed, and a link to continue.
#[derive(Template)]
#[template(path = "flow/notice.html")]
struct NoticePage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    title: &'static str,
    text: String,
    /// where the matter is settled, and the link's label
    link: Option<(String, &'static str)>,
}

/// A page with a text and a link to a screen, if the flow has it.
pub fn notice_page(
    frame: &Frame,
    title: &'static str,
    text: String,
    settled_at: Option<(Screen, &'static str)>,
) -> Result<String, Error> {
    let link = settled_at.filter(|(screen, _)| frame.shows_any_of(&[*screen]));
    let link = link.map(|(screen, label)| (screen.path(), label));
    render_template(&NoticePage { frame, t: frame.texts, title, text, link })
}

fn current_account(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<AccountDetails>, Error> {
    Ok(service::list_accounts(tx, &visitor.caller)?.into_iter().next())
}

pub fn render_verification(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let held = current_account(tx, visitor)?;
    let to_bank = Some((Screen::Bank, e.to_bank));
    let Some(held) = held else {
        return notice_page(frame, e.verify_title, e.verify_none.to_owned(), to_bank);
    };
    let account = held.hidden_account_number.as_str();
    let told = |text: &str| fill_placeholders(text, &[("account", account)]);
    match held.account.verification {
        Verification::Verified => notice_page(frame, e.verify_title, told(e.verify_done), None),
        Verification::AwaitingDeposits => notice_page(frame, e.verify_title, told(e.verify_waits), None),
        Verification::Ready if held.account.tries >= TRIES => {
            notice_page(frame, e.verify_title, told(e.verify_over), to_bank)
        }
        Verification::Ready => {
            let left = (TRIES - held.account.tries).to_string();
            let wrong = fill_placeholders(e.wrong_deposits, &[("number", &left)]);
            let control = |name: &str, label: &str| {
                let control =
                    Control::text_line(name, label, "off").with_keyboard("decimal").with_help(e.deposit_help);
                let mut control = control.with_value(entered, None).with_problem(&problems, e.wrong_deposit);
                // The amounts are right or wrong together.
                if problems.has_field("base") {
                    control.problem = Some(wrong.clone());
                }
                control
            };
            let controls = vec![control("deposit_1", e.deposit_1), control("deposit_2", e.deposit_2)];
            let text = told(e.verify_text);
            let shape = Shape { title: e.verify_title, lead: &text, version: "", show: "" };
            // The problems are shown at the fields.
            let problems =
                if problems.has_field("base") { Problems::at_field("deposit_1") } else { problems };
            plain::shaped_form(frame, shape, controls, &problems, &[])
        }
    }
}

/// The status, for the review.
pub fn verification_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let held = current_account(tx, visitor)?;
    let verified = held.is_some_and(|held| held.account.verification == Verification::Verified);
    let value = if verified { t.employer.bank_verified } else { t.employer.bank_unverified };
    Ok(vec![Fact::new(t.employer.bank, Some(value), t)])
}

pub fn save_verification(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let ready = current_account(tx, visitor)?
        .filter(|held| held.account.verification == Verification::Ready && held.account.tries < TRIES);
    // Sent twice, or from a page without fields.
    let Some(held) = ready else { return Ok(Saved::Done) };
    let amount = |name: &str| {
        let read = written_number(form.get(name).unwrap_or_default());
        read.map_or(Patch::Invalid(Amount::EXPECTED.into()), Patch::Value)
    };
    let input = VerifyAccount { deposit_1: amount("deposit_1"), deposit_2: amount("deposit_2") };
    Ok(match service::verify_account(tx, &visitor.caller, held.account.id, &input)? {
        Verified::Right(_) => Saved::Done,
        Verified::Wrong(refused) => Saved::Refused(Violation { key: "base".into(), ..refused }),
    })
}
