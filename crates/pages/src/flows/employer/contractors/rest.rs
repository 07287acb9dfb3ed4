//! What is entered of a contractor whom the employer onboards: number, address, and how the contractor is paid.

use rules::contractor::{ContractorType, PayBy, Status};
use rules::{Named, Violation};
use store::Tx;

use super::super::super::address::{Held, address_line_controls, zip_elsewhere};
use super::super::super::form::{Control, Form, Problems};
use super::super::super::frame::Frame;
use super::super::super::payment::{
    ACCOUNT_AGAIN, account_controls, read_account, type_name, with_repetition,
};
use super::super::records::Open;
use super::super::with_own;
use super::named_choices;
use crate::flows::texts::Texts;
use domain::Error;
use domain::contractors::accounts::service as accounts;
use domain::contractors::accounts::service::UpdateContractorPaymentMethod;
use domain::contractors::addresses::rows::UpdateContractorAddress;
use domain::contractors::addresses::service as addresses;
use domain::contractors::profiles::service as profiles;
use domain::contractors::records::Contractor;
use domain::contractors::records::rows::UpdateContractor;
use domain::contractors::records::service::{TABLE, find_contractor, find_guarded};
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::records::{id_of, version_text};
use domain::salary::wages::zip_areas::ZipAreas;

/// The control for how the contractor is paid.
const PAY_BY: &str = "pay_by";
/// Between the versions of the record and of the address.
const AND: char = '+';
/// The controls of an account.
const ACCOUNT: [&str; 4] = ["name", "routing_number", "account_number", "account_type"];

/// The form; `None` unless the employer onboards the contractor.
pub fn completion_form(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    (entered, which): (Option<&Form>, &str),
    problems: &Problems,
) -> Result<Option<Open>, Error> {
    let c = frame.texts.contractors;
    let record = entered.and_then(|form| form.get("record")).filter(|id| !id.is_empty()).unwrap_or(which);
    let Some(one) = Contractor::find(tx, visitor.caller.company, id_of(record))? else { return Ok(None) };
    if !is_entered_here(&one) {
        return Ok(None);
    }
    // The button of the list sends no entries.
    let entered = entered.filter(|form| form.get(PAY_BY).is_some());
    Ok(Some(Open {
        title: fill_placeholders(c.rest_title, &[("name", &one.name())]),
        lead: c.rest_text,
        version: {
            let address = addresses::get_contractor_address(tx, &visitor.caller, one.id)?.version();
            format!("{}{AND}{address}", version_text(TABLE, one.id, one.version))
        },
        record: one.id.to_string(),
        action: "entered",
        label: c.rest_save,
        controls: completion_controls(tx, visitor, frame.texts, &one, (entered, problems))?,
    }))
}

/// Whether the employer enters the contractor's data: otherwise the contractor does, or did.
fn is_entered_here(one: &Contractor) -> bool {
    matches!(one.status, Status::AdminOnboardingIncomplete | Status::AdminOnboardingReview)
}

fn completion_controls(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    t: &'static Texts,
    one: &Contractor,
    (entered, problems): (Option<&Form>, &Problems),
) -> Result<Vec<Control>, Error> {
    let c = t.contractors;
    let (name, label, help, wrong) = match one.kind {
        ContractorType::Individual => {
            ("ssn", t.contractor.ssn, t.contractor.ssn_held, t.contractor.wrong_ssn)
        }
        ContractorType::Business => ("ein", t.contractor.ein, t.contractor.ein_held, t.contractor.wrong_ein),
    };
    let mut number = Control::secret_field(name, label).with_problem(problems, wrong);
    if one.has_tin() {
        number = number.with_help(help).made_optional();
    }
    let address = addresses::get_contractor_address(tx, &visitor.caller, one.id)?.address;
    let held = address.as_ref().map(|address| Held {
        street_1: &address.street_1,
        street_2: address.street_2.as_deref(),
        city: &address.city,
        state: &address.state,
        zip: &address.zip,
    });
    let mut controls = vec![number];
    controls.extend(address_line_controls(t, t.street_2, held.as_ref(), entered, problems).into_iter().map(
        |line| Control {
            // It is not the address of whoever enters it.
            autocomplete: "off",
            ..line
        },
    ));
    let pays = one.payment_method.map(Named::as_str);
    controls.push(
        Control::select_field(PAY_BY, c.pay_by, named_choices::<PayBy>(&c.pay_by_choices))
            .with_value(entered, pays)
            .with_problem(problems, t.wrong_choice),
    );
    let account = accounts::contractor_account(tx, &visitor.caller, one.id)?.map(|held| {
        let kind = type_name(t, held.account.account_type);
        fill_placeholders(c.account_held, &[("account", &format!("{kind} · {}", held.hidden_account_number))])
    });
    let about = account.unwrap_or_else(|| c.account_help.to_owned());
    controls.extend(account_controls(t, entered, problems).into_iter().map(|field| {
        let field = field.made_optional();
        match field.name.as_str() {
            "name" => field.with_help(&about),
            ACCOUNT_AGAIN => field.with_help(c.account_again_help),
            _ => field,
        }
    }));
    Ok(controls)
}

/// Stores the number, the address, and how the contractor is paid: all or nothing.
pub fn save_completion(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<(), Error> {
    let caller = &visitor.caller;
    let one = find_guarded(tx, caller, id_of(form.get("record").unwrap_or_default()))?;
    if !is_entered_here(&one) {
        return Err(Error::from(Violation::invalid_operation("The contractor enters this.")));
    }
    let mut wrong = Vec::new();
    let field = if one.kind == ContractorType::Individual { "ssn" } else { "ein" };
    // People write the number in groups; only its digits matter.
    let number: String =
        form.get(field).unwrap_or_default().chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if number.is_empty() && !one.has_tin() {
        wrong.push(Violation::invalid(field, "the number is needed"));
    }
    let number = if number.is_empty() { Patch::Absent } else { Patch::Value(number) };
    let (version, of_address) = form.get("version").and_then(|both| both.split_once(AND)).unwrap_or_default();
    let version = Patch::Value(version.to_owned());
    let mut input = UpdateContractor { version, ..UpdateContractor::default() };
    match one.kind {
        ContractorType::Individual => input.ssn = number,
        ContractorType::Business => input.ein = number,
    }
    let mut note = |stored: Result<(), Error>| match stored {
        Err(Error::Violations(violations)) => {
            wrong.extend(violations);
            Ok(())
        }
        // An older page whose entries are those that are stored: the other parts may differ.
        Err(Error::Stale(stale)) if stale.differing.is_empty() => Ok(()),
        stored => stored,
    };
    note(profiles::update_contractor(tx, caller, one.id, &input).map(drop))?;
    note(store_address(tx, visitor, &one, (form, of_address)))?;
    note(store_payment(tx, visitor, &one, form))?;
    wrong.extend(zips.and_then(|zips| zip_elsewhere(zips, form)));
    with_own(Ok(()), wrong)
}

fn store_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    one: &Contractor,
    (form, version): (&Form, &str),
) -> Result<(), Error> {
    let input = UpdateContractorAddress {
        version: Patch::Value(version.to_owned()),
        street_1: form.required_text("street_1"),
        street_2: form.clearable_text("street_2"),
        city: form.required_text("city"),
        state: form.required_text("state"),
        zip: form.required_text("zip"),
    };
    addresses::update_contractor_address(tx, &visitor.caller, one.id, &input).map(drop)
}

/// Stores how the contractor is paid. An account is needed for direct deposit unless there is one.
fn store_payment(tx: &mut Tx<'_>, visitor: &Visitor, one: &Contractor, form: &Form) -> Result<(), Error> {
    let caller = &visitor.caller;
    let Some(by) = form.get(PAY_BY).and_then(PayBy::parse) else {
        return Err(Error::from(Violation::invalid(PAY_BY, "it is not chosen how the contractor is paid")));
    };
    let is_entered = ACCOUNT.iter().any(|name| form.get(name).is_some_and(|text| !text.trim().is_empty()));
    let has_account = accounts::contractor_account(tx, caller, one.id)?.is_some();
    if by == PayBy::DirectDeposit && (is_entered || !has_account) {
        let (input, differs) = read_account(form);
        return with_repetition(accounts::set_account(tx, caller, one.id, &input).map(drop), differs);
    }
    if find_contractor(tx, caller, one.id)?.payment_method == Some(by) {
        return Ok(());
    }
    let input = UpdateContractorPaymentMethod {
        version: Patch::Value(accounts::get_method(tx, caller, one.id)?.version()),
        kind: Patch::Value(by),
    };
    accounts::update_method(tx, caller, one.id, &input).map(drop)
}
