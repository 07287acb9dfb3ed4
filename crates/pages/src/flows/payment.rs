//! How the employee is paid: by check, or to one or several bank accounts.
//!
//! The screen has several small forms, distinguished by the button that sent them (`action`): selecting the method and
//! the split, adding an account, and removing one, which asks for confirmation.

use std::collections::HashSet;

use askama::Template;
use rules::onboarding::Step;
use rules::{Amount, Violation};
use store::Tx;
use uuid::Uuid;

use super::dispatch::Saved;
use super::form::{Choice, Control, Form, IS_THERE, Kind, LAST_FOUR, Problems};
use super::frame::Frame;
use super::number::written_number;
use super::plain::render_template;
use super::review::Fact;
use crate::flows::texts::Texts;
use crate::money::format_cents;
use domain::Error;
use domain::language::fill_placeholders;
use domain::paging::Page;
use domain::patch::Patch;
use domain::people::flows::confirmation;
use domain::people::flows::confirmation::Standing;
use domain::people::flows::session::Visitor;
use domain::people::onboarding;
use domain::people::payment_methods::commands::{BankAccountInput, SplitInput, UpdatePaymentMethod};
use domain::people::payment_methods::rows::{BankAccount, CHECK, DIRECT_DEPOSIT};
use domain::people::payment_methods::{BankAccountDetails, PaymentMethodDetails, rows, service};
use domain::records::version_text;
use rules::Named;
use rules::payment::{AccountType, SplitBy};

#[derive(Template)]
#[template(path = "flow/payment.html")]
struct PaymentPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    version: &'a str,
    /// the split among several accounts; `None` for one
    method: Vec<Control>,
    accounts: Vec<Account>,
    new_account: Vec<Control>,
    /// whether an account is being added, so that the form is shown
    adding: bool,
    /// whether pay goes to accounts
    deposit: bool,
    refused: bool,
    summary: Vec<String>,
    /// the identity check before the forms; `None` once confirmed
    gate: Option<Gate>,
}

/// The field in which an account number is repeated.
pub const ACCOUNT_AGAIN: &str = "account_number_again";

impl PaymentPage<'_> {
    /// Every control of the page, for the list of problems.
    fn all_controls(&self) -> Vec<Control> {
        let gate = self.gate.iter().filter_map(|gate| gate.control.clone());
        match self.gate {
            Some(_) => gate.collect(),
            None => self.method.iter().chain(&self.new_account).cloned().collect(),
        }
    }
}

/// The identity check before a change.
pub struct Gate {
    /// what is asked, and why
    pub text: &'static str,
    /// the question; `None` if no answer is accepted
    pub control: Option<Control>,
    /// whether the number must be entered first, under personal details
    pub leads_to_personal: bool,
}

/// An account in the list.
struct Account {
    uuid: Uuid,
    line: String,
    /// asks for confirmation before it is removed
    question: Option<String>,
}

pub fn render_payment(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let caller = &visitor.caller;
    let held = service::get_method(tx, caller, visitor.person)?;
    let accounts = accounts_in_order(tx, visitor, &held)?;
    let t = frame.texts;
    let action = entered.and_then(|form| form.get("action")).unwrap_or_default();
    let choosing = entered.filter(|_| action == "save");
    let adding = entered.filter(|_| action == "add");
    let method = method_controls(t, &held, &accounts, choosing, &problems);
    let new_account = account_controls(t, adding, &problems);
    let gate = identity_check(confirmation::confirmation_standing(tx, visitor)?, t, &problems);
    let asked_first = gate.iter().filter_map(|gate| gate.control.clone()).collect::<Vec<_>>();
    let shown = [method.as_slice(), new_account.as_slice(), asked_first.as_slice()].concat();
    let summary = super::form::unplaced_messages(&problems, &shown, t);
    let asked = action.strip_prefix("remove:").map(str::to_owned);
    let listed = accounts.iter().map(|account| Account {
        uuid: account.account.id,
        line: format!(
            "{} · {} · {}",
            account.account.name,
            type_name(t, account.account.account_type),
            account.hidden_account_number
        ),
        question: (asked.as_deref() == Some(account.account.id.to_string().as_str()))
            .then(|| fill_placeholders(t.account_remove_sure, &[("name", &account.account.name)])),
    });
    render_template(&PaymentPage {
        frame,
        t,
        version: frame.form_version(&version_text(service::METHOD, held.employee, held.method.version)),
        method,
        accounts: listed.collect(),
        new_account,
        adding: adding.is_some(),
        deposit: held.method.kind == DIRECT_DEPOSIT,
        refused: !problems.is_empty(),
        summary,
        gate,
    })
}

/// The accounts in the order in which they receive pay; those without a share come last.
fn accounts_in_order(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    held: &PaymentMethodDetails,
) -> Result<Vec<BankAccountDetails>, Error> {
    let mut accounts = service::list_accounts(tx, &visitor.caller, visitor.person, Page::Whole)?.items;
    let place = |id: Uuid| held.splits.iter().position(|split| split.account == id).unwrap_or(usize::MAX);
    accounts.sort_by_key(|one| place(one.account.id));
    Ok(accounts)
}

/// The identity check before a change; `None` once it is confirmed.
pub fn identity_check(standing: Standing, t: &'static Texts, problems: &Problems) -> Option<Gate> {
    let (text, asks) = match standing {
        Standing::Confirmed => return None,
        Standing::Asked => (t.confirm_text, true),
        Standing::NoNumber => (t.confirm_no_number, false),
        Standing::Locked => (t.confirm_locked, false),
    };
    let control = Control::text_line(LAST_FOUR, t.confirm_last_four, "off").with_keyboard("numeric");
    let control = asks.then(|| control.with_problem(problems, t.confirm_wrong));
    Some(Gate { text, control, leads_to_personal: standing == Standing::NoNumber })
}

/// The split, for the review; accounts by their last digits.
pub fn payment_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let held = service::get_method(tx, &visitor.caller, visitor.person)?;
    let method = if held.method.kind == CHECK { t.payment_check } else { t.payment_deposit };
    let mut facts = vec![Fact::new(t.payment_how, Some(method), t)];
    let by = held.method.plan.map(|plan| plan.by);
    for split in held.splits {
        let name = format!("{} {}", split.name, split.hidden_account_number);
        let share = match (split.amount, by) {
            (None, _) => t.split_rest.to_owned(),
            (Some(percent), Some(SplitBy::Percentage)) => {
                fill_placeholders(t.percent, &[("number", &percent.to_string())])
            }
            (Some(cents), _) => format_cents(cents),
        };
        facts.push(Fact::new(name, Some(share), t));
    }
    Ok(facts)
}

pub fn type_name(t: &Texts, account_type: AccountType) -> &'static str {
    match account_type {
        AccountType::Checking => t.account_checking,
        AccountType::Savings => t.account_savings,
    }
}

/// With several accounts, the share of each.
fn method_controls(
    t: &'static Texts,
    held: &PaymentMethodDetails,
    accounts: &[BankAccountDetails],
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
    if accounts.len() < 2 {
        return Vec::new();
    }
    let mut controls = Vec::new();
    let by = vec![
        choice(SplitBy::Percentage.as_str(), t.split_percent),
        choice(SplitBy::Amount.as_str(), t.split_amount),
    ];
    let stored = held.method.plan.as_ref().map_or(SplitBy::Percentage, |plan| plan.by);
    let wrong = t.wrong_splits;
    let select = Control::select_field("split_by", t.split_by, by);
    controls.push(select.with_help(t.split_help).with_value(entered, Some(stored.as_str())));
    let places: Vec<Choice> =
        (1..=accounts.len()).map(|place| choice(&place.to_string(), &place.to_string())).collect();
    for (place, BankAccountDetails { account, .. }) in (1..).zip(accounts) {
        let split = held.splits.iter().find(|split| split.account == account.id);
        let amount = split.and_then(|split| split.amount).map(|amount| shown_amount(stored, amount));
        let label = fill_placeholders(t.split_of, &[("name", &account.name)]);
        let name = format!("splits.{}", account.id);
        let mut control = Control::text_line(&name, &label, "off").with_keyboard("decimal").made_optional();
        control = control.with_value(entered, amount.as_deref());
        if problems.has_within("splits") {
            control.problem = Some(wrong.to_owned());
        }
        controls.push(control);
        // Of two accounts, one gets its share first and the other the remainder, so there is nothing to select.
        if accounts.len() > 2 {
            let label = fill_placeholders(t.split_place, &[("name", &account.name)]);
            let control = Control::select_field(&place_of(account.id), &label, places.clone());
            let stored = Some(u32::to_string(&place));
            controls.push(
                control.with_value(entered, stored.as_deref()).with_problem(problems, t.wrong_split_place),
            );
        }
    }
    controls
}

/// The field for an account's position.
fn place_of(account: Uuid) -> String {
    format!("places.{account}")
}

/// Percent unchanged, cents as dollars.
fn shown_amount(by: SplitBy, amount: i64) -> String {
    match by {
        SplitBy::Percentage => amount.to_string(),
        SplitBy::Amount => Amount::from_cents(amount).to_text(2),
    }
}

pub fn account_controls(t: &'static Texts, entered: Option<&Form>, problems: &Problems) -> Vec<Control> {
    let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
    let types = AccountType::ALL.iter().map(|one| choice(one.as_str(), type_name(t, *one))).collect();
    vec![
        Control::text_line("name", t.account_name, "off")
            .with_value(entered, None)
            .with_help(t.account_name_help)
            .with_problem(problems, t.wrong_account_name),
        Control::text_line("routing_number", t.routing_number, "off")
            .with_keyboard("numeric")
            .with_value(entered, None)
            .with_help(t.routing_help)
            .with_problem(problems, t.wrong_routing_number),
        Control::text_line("account_number", t.account_number, "off")
            .with_keyboard("numeric")
            .with_value(entered, None)
            .with_problem(problems, t.wrong_account_number)
            .with_part_problem(problems, IS_THERE, t.account_is_there),
        Control::text_line(ACCOUNT_AGAIN, t.account_number_again, "off")
            .with_keyboard("numeric")
            .with_help(t.account_number_again_help)
            .with_value(entered, None)
            .with_problem(problems, t.wrong_account_number_again),
        Control::select_field("account_type", t.account_type, types)
            .with_value(entered, None)
            .with_problem(problems, t.wrong_choice),
    ]
}

pub fn save_payment(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let (caller, employee) = (&visitor.caller, visitor.person);
    let action = form.get("action").unwrap_or("save");
    if action == "confirm" {
        let answer = form.get(LAST_FOUR).unwrap_or_default();
        return Ok(match confirmation::confirmation_standing(tx, visitor)? {
            Standing::Asked if !confirmation::is_right(tx, visitor, answer)? => Saved::Unconfirmed(LAST_FOUR),
            _ => Saved::Stay,
        });
    }
    if confirmation::confirmation_standing(tx, visitor)? != Standing::Confirmed {
        // The page shows the identity check instead of its forms.
        return Ok(Saved::Ask);
    }
    match action.split_once(':') {
        Some(("remove", _)) => Ok(Saved::Ask),
        Some(("removed", id)) => {
            let id = id.parse().unwrap_or(Uuid::nil());
            match service::delete_account(tx, caller, employee, id) {
                // Sent twice, or removed in another tab: the account is gone, as intended.
                Ok(()) | Err(Error::NotFound) => Ok(Saved::Stay),
                Err(error) => Err(error),
            }
        }
        _ if action == "add" => add_account(tx, visitor, form).map(|()| Saved::Stay),
        _ => choose_payment_method(tx, visitor, form).map(|()| Saved::Done),
    }
}

/// Reads the account that a form describes, and the violation if its number and the repetition of it differ.
pub fn read_account(form: &Form) -> (BankAccountInput, Option<Violation>) {
    let digits = |name: &str| -> String {
        form.get(name).unwrap_or_default().chars().filter(|c| !matches!(c, ' ' | '-')).collect()
    };
    let number = digits("account_number");
    let differs = (number != digits(ACCOUNT_AGAIN))
        .then(|| Violation::invalid(ACCOUNT_AGAIN, "the two account numbers are not the same"));
    let input = BankAccountInput {
        name: form.required_text("name"),
        routing_number: Patch::Value(digits("routing_number")),
        account_number: Patch::Value(number),
        account_type: form.required_text("account_type"),
    };
    (input, differs)
}

/// The stored account, or every violation, including two numbers that differ.
pub fn with_repetition(stored: Result<(), Error>, differs: Option<Violation>) -> Result<(), Error> {
    match (stored, differs) {
        (Ok(()), None) => Ok(()),
        (Ok(()), Some(differs)) => Err(Error::from(differs)),
        (Err(Error::Violations(mut violations)), differs) => {
            violations.extend(differs);
            Err(Error::Violations(violations))
        }
        (Err(error), _) => Err(error),
    }
}

/// Adds an account. All problems are shown together, including two numbers that differ.
fn add_account(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let (input, differs) = read_account(form);
    let stored = match find_same_account(tx, visitor, &input)? {
        _ if differs.is_some() => {
            service::create_account(tx, &visitor.caller, visitor.person, &input).map(drop)
        }
        None => service::create_account(tx, &visitor.caller, visitor.person, &input).map(drop),
        Some(held) if is_as_entered(&held, &input) => Ok(()),
        // If an entry was corrected and sent again, the correction must not be lost silently.
        Some(_) => Err(Error::from(Violation::invalid(
            format!("account_number.{IS_THERE}"),
            "the account is there already, with another name or kind",
        ))),
    };
    with_repetition(stored, differs)
}

/// The employee's existing bank account with this number.
fn find_same_account(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    input: &BankAccountInput,
) -> Result<Option<BankAccount>, Error> {
    let company = visitor.caller.company;
    for held in rows::employee_accounts(tx, company, visitor.person)? {
        let number = held.account_number(tx, company)?;
        if input.account_number.value() == Some(&*number)
            && input.routing_number.value() == Some(&held.routing_number(tx, company)?)
        {
            return Ok(Some(held));
        }
    }
    Ok(None)
}

/// Whether a form was sent twice: the account exists as entered.
fn is_as_entered(held: &BankAccount, input: &BankAccountInput) -> bool {
    input.name.value() == Some(&held.name)
        && input.account_type.value().map(String::as_str) == Some(held.account_type.as_str())
}

fn choose_payment_method(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let (caller, employee) = (&visitor.caller, visitor.person);
    let held = service::get_method(tx, caller, employee)?;
    let accounts = accounts_in_order(tx, visitor, &held)?;
    let deposit = form.get("type") == Some(DIRECT_DEPOSIT);
    let divided = deposit && accounts.len() > 1;
    let by = form.get("split_by").unwrap_or(SplitBy::Percentage.as_str());
    let splits = if divided { Patch::Value(account_splits(form, by, &accounts)?) } else { Patch::Absent };
    let input = UpdatePaymentMethod {
        version: form.required_text("version"),
        kind: form.required_text("type"),
        split_by: if divided { Patch::Value(by.to_owned()) } else { Patch::Absent },
        splits,
    };
    service::update_method(tx, caller, employee, &input).map_err(of_shares)?;
    // A check needs no account: selecting it completes the step.
    onboarding::service::complete_step(tx, caller, employee, Step::DirectDepositSetup)
}

/// A refused share is reported by its field, not by its account: every share is to be checked.
fn of_shares(error: Error) -> Error {
    let Error::Violations(violations) = error else { return error };
    let named = violations.into_iter().map(|one| match &*one.key {
        "split_amount" => Violation { key: "splits".into(), ..one },
        _ => one,
    });
    Error::Violations(named.collect())
}

/// The share of each account, in the selected order; an empty amount is the remainder. Without a selected order the
/// stored one is kept.
fn account_splits(form: &Form, by: &str, accounts: &[BankAccountDetails]) -> Result<Vec<SplitInput>, Error> {
    let percentage = by == SplitBy::Percentage.as_str();
    let (mut wrong, mut places) = (Vec::new(), HashSet::new());
    let mut read: Vec<(i64, Uuid, Option<Amount>)> = Vec::new();
    for (shown, BankAccountDetails { account, .. }) in (1..).zip(accounts) {
        let text = form.get(&format!("splits.{}", account.id)).unwrap_or_default();
        let amount = match written_number(text) {
            _ if text.trim().is_empty() => None,
            Some(amount) if percentage => Some(amount),
            Some(amount) => amount.mul_ratio(100, 1, rules::Rounding::Down),
            None => {
                wrong.push(Violation::invalid("splits", "a share is no number"));
                None
            }
        };
        let chosen = form.get(&place_of(account.id)).map_or(Ok(shown), str::parse);
        let place = chosen.ok().filter(|place| places.insert(*place));
        if place.is_none() {
            wrong.push(Violation::invalid(place_of(account.id), "each account has a place of its own"));
        }
        let amount = if percentage { amount.or(Some(Amount::ZERO)) } else { amount };
        read.push((place.unwrap_or(shown), account.id, amount));
    }
    if !wrong.is_empty() {
        return Err(Error::Violations(wrong));
    }
    // The remainder comes last, whatever its position.
    read.sort_by_key(|(place, _, amount)| (amount.is_none(), *place));
    let numbered = (1..).zip(read).map(|(priority, (_, uuid, amount))| SplitInput {
        uuid: Patch::Value(uuid.to_string()),
        priority: Patch::Value(priority),
        split_amount: amount.map_or(Patch::Null, Patch::Value),
    });
    Ok(numbered.collect())
}
