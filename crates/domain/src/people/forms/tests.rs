//! Tests forms from the first answer through a signature, a change and a new signature.

use jiff::ToSpan;
use jiff::tz::TimeZone;
use rules::i9::Status;
use rules::onboarding::Step;
use rules::{Amount, Named};
use serde_json::{Value, json};
use store::{Clock, Store, Tx};
use uuid::Uuid;

use super::commands::{
    ElectronicSignature, PreparerInput, SignForm, UpdateDocumentsConfig, UpdateI9Authorization,
};
use super::i9::I9Details;
use super::pdf;
use super::pdf::tests::text_of;
use super::rows::{Form, I9};
use super::signing::PREFIXES;
use super::{i9, service};
use crate::access::tokens::Caller;
use crate::company::document_links;
use crate::company::document_links::Opened;
use crate::error::Error;
use crate::patch::Patch;
use crate::people::{addresses, employees, onboarding, payment_methods, profiles};
use crate::records::version_text;
use crate::withholding::taxes;

pub(super) const SSN: &str = "412551099";

store::statements! {
    EVENTS = "SELECT event_type, payload FROM events WHERE company_id = $1 AND entity_type = 'Form' ORDER BY id";
    ROWS = "SELECT content, signature_text FROM employee_form_signatures WHERE company_id = $1";
}

fn text(body: &Value, key: &str) -> Patch<String> {
    body.get(key).map_or(Patch::Absent, |value| Patch::Value(value.as_str().unwrap().to_owned()))
}

fn flag(body: &Value, key: &str) -> Patch<bool> {
    body.get(key).map_or(Patch::Absent, |value| Patch::Value(value.as_bool().unwrap()))
}

fn i9_document(asked: bool) -> UpdateDocumentsConfig {
    UpdateDocumentsConfig { i9_document: Patch::Value(asked) }
}

fn answers(body: &Value) -> UpdateI9Authorization {
    UpdateI9Authorization {
        version: text(body, "version"),
        authorization_status: text(body, "authorization_status").named(),
        document_type: text(body, "document_type"),
        document_number: text(body, "document_number"),
        country: text(body, "country"),
        expiration_date: text(body, "expiration_date"),
    }
}

fn signature(body: &Value) -> SignForm {
    let preparer = |prefix: &str| {
        let line = |name: &str| text(body, &format!("{prefix}_{name}"));
        PreparerInput {
            used: flag(body, prefix),
            first_name: line("first_name"),
            last_name: line("last_name"),
            street_1: line("street_1"),
            street_2: line("street_2"),
            city: line("city"),
            state: line("state"),
            zip: line("zip"),
            agree: flag(body, &format!("{prefix}_agree")),
        }
    };
    let signature = ElectronicSignature {
        signature_text: text(body, "signature_text"),
        agree: flag(body, "agree"),
        signed_by_ip_address: text(body, "signed_by_ip_address"),
    };
    SignForm { signature, preparers: PREFIXES.map(preparer) }
}

fn version_of(details: &I9Details) -> String {
    version_text(i9::TABLE, details.id, details.version)
}

/// Returns the keys of the violations, or a description of another error.
fn keys<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    match result {
        Err(Error::Violations(violations)) => violations.into_iter().map(|violation| violation.key).collect(),
        Err(Error::NotFound) => vec!["not found".to_owned()],
        Err(Error::Stale(_)) => vec!["stale".to_owned()],
        other => panic!("{other:?} is no refusal"),
    }
}

/// Opens a store whose clock stands at noon UTC on June 15, 2026.
pub(super) fn store() -> Store {
    let keys = store::MasterKeys::parse(&store::MasterKeys::generate_key()).unwrap();
    let clock = Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
    Store::open("sqlite::memory:", store::Options::new(clock, keys, crate::SCHEMA)).unwrap()
}

fn caller() -> Caller {
    Caller::for_service(Uuid::from_u128(7), TimeZone::get("America/Denver").unwrap())
}

fn given(text: &str) -> Patch<String> {
    Patch::Value(text.to_owned())
}

fn hire(tx: &mut Tx<'_>, caller: &Caller) -> Result<Uuid, Error> {
    let new = profiles::commands::CreateEmployee {
        first_name: given("Ana"),
        last_name: given("Lee"),
        ssn: given(SSN),
        date_of_birth: given("1990-02-03").date(),
        ..Default::default()
    };
    Ok(profiles::service::create_employee(tx, caller, &new)?.employee.id)
}

/// Runs `story` with an employee whose Form I-9 is requested.
async fn with_form(story: fn(&mut Tx<'_>, &Caller, Uuid, Uuid) -> Result<(), Error>) {
    let store = store();
    let done = store.write(move |tx| {
        let caller = caller();
        let employee = hire(tx, &caller)?;
        assert!(service::list_forms(tx, &caller, employee)?.is_empty());
        service::configure_documents(tx, &caller, employee, &i9_document(true))?;
        let form = service::list_forms(tx, &caller, employee)?.pop().unwrap().id;
        story(tx, &caller, employee, form)
    });
    done.await.unwrap();
}

fn attest(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<I9Details, Error> {
    let body = json!({ "authorization_status": "permanent_resident", "document_number": "A123456789" });
    i9::replace_authorization(tx, caller, employee, &answers(&body))
}

fn sign(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, form: Uuid) -> Result<Form, Error> {
    let body = json!({ "signature_text": "Ana Lee", "agree": true, "signed_by_ip_address": "203.0.113.7" });
    service::sign_form(tx, caller, employee, form, &signature(&body))
}

/// Returns the text of a form's document.
fn shown(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, form: Uuid) -> Result<String, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?;
    let form = service::find_form(tx, caller, employee.id, form)?;
    Ok(text_of(&pdf::render_pdf(&service::form_document(tx, caller, &employee, &form)?)))
}

fn move_in(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, street: &str) -> Result<(), Error> {
    let home = addresses::commands::CreateHomeAddress {
        street_1: given(street),
        city: given("Denver"),
        state: given("CO"),
        zip: given("80202"),
        ..Default::default()
    };
    addresses::service::create_home(tx, caller, employee, &home).map(drop)
}

fn account(name: &str, number: &str, account_type: &str) -> payment_methods::commands::BankAccountInput {
    payment_methods::commands::BankAccountInput {
        name: given(name),
        routing_number: given("266905059"),
        account_number: given(number),
        account_type: given(account_type),
    }
}

fn events(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<String>, Error> {
    Ok(tx.query_rows(EVENTS, store::params![caller.company], |row| row.get::<String>(0))?)
}

#[tokio::test]
async fn a_form_is_signed_once_and_again_after_its_content_changes() {
    with_form(|tx, caller, employee, form| {
        attest(tx, caller, employee)?;
        assert!(service::find_form(tx, caller, employee, form)?.requires_signing);
        assert_ne!(service::waits_for_signature(tx, caller, employee)?, Some(false));
        assert!(shown(tx, caller, employee, form)?.contains("Not signed yet."));

        assert!(!sign(tx, caller, employee, form)?.requires_signing);
        assert_eq!(service::waits_for_signature(tx, caller, employee)?, Some(false));
        assert!(!i9::get_authorization(tx, caller, employee)?.form.unwrap().requires_signing);
        assert_eq!(keys(sign(tx, caller, employee, form)), ["base"]);
        let text = shown(tx, caller, employee, form)?;
        for part in ["Ana Lee", "June 15, 2026, 6:00:00 AM MDT", "203.0.113.7", "A lawful permanent resident"]
        {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }

        move_in(tx, caller, employee, "1 New Street")?;
        assert!(service::find_form(tx, caller, employee, form)?.requires_signing);
        let text = shown(tx, caller, employee, form)?;
        assert!(text.contains("1 New Street") && text.contains("The signature of June 15, 2026"), "{text}");
        assert!(!sign(tx, caller, employee, form)?.requires_signing);

        let expected = ["created", "signed", "updated", "signed"].map(|what| format!("employee.form.{what}"));
        assert_eq!(events(tx, caller)?, expected);
        let payloads =
            tx.query_rows(EVENTS, store::params![caller.company], |row| row.json(1).map(str::to_owned))?;
        let payload: Value = serde_json::from_str(payloads[0].as_deref().unwrap()).unwrap();
        assert_eq!(
            payload["references"],
            json!({ "company_uuid": caller.company, "employee_uuid": employee })
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn form_i9_exists_while_it_is_requested_and_is_kept_once_signed() {
    with_form(|tx, caller, employee, form| {
        let config = |tx: &mut Tx<'_>, asked: bool| {
            service::configure_documents(tx, caller, employee, &i9_document(asked))
        };
        let asked = config(tx, true)?;
        let found = employees::service::find_employee(tx, caller, employee)?;
        let config_of_record = service::documents_config(caller.company, employee, found.i9_document);
        assert_eq!((config_of_record.uuid, config_of_record.i9_document), (asked.uuid, true));
        assert!(asked.uuid.is_some() && config(tx, false)?.uuid.is_none());
        assert!(service::list_forms(tx, caller, employee)?.is_empty());
        assert_eq!(keys(service::find_form(tx, caller, employee, form)), ["not found"]);

        config(tx, true)?;
        attest(tx, caller, employee)?;
        let form = service::list_forms(tx, caller, employee)?[0].id;
        sign(tx, caller, employee, form)?;
        config(tx, false)?;
        assert!(!service::find_form(tx, caller, employee, form)?.requires_signing);
        assert!(shown(tx, caller, employee, form)?.contains("203.0.113.7"));
        move_in(tx, caller, employee, "1 New Street")?;
        assert!(!service::find_form(tx, caller, employee, form)?.requires_signing, "it is not requested");
        config(tx, true)?;
        assert!(
            service::find_form(tx, caller, employee, form)?.requires_signing,
            "it was signed with another address"
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_signature_needs_a_name_consent_and_an_address_and_form_i9_its_answers() {
    with_form(|tx, caller, employee, form| {
        let refused = |tx: &mut Tx<'_>, body: Value, address: Option<&str>| {
            let mut input = signature(&body);
            if let Some(address) = address {
                input.signature.signed_by_ip_address = Patch::Value(address.to_owned());
            }
            keys(service::sign_form(tx, caller, employee, form, &input))
        };
        let fine = json!({ "signature_text": "Ana Lee", "agree": true });
        assert_eq!(refused(tx, fine.clone(), Some("203.0.113.7")), ["base"], "section 1 is open");
        attest(tx, caller, employee)?;
        assert_eq!(refused(tx, json!({}), None), ["signature_text", "agree", "signed_by_ip_address"]);
        assert_eq!(refused(tx, fine.clone(), None), ["signed_by_ip_address"]);
        assert_eq!(refused(tx, fine.clone(), Some("my laptop")), ["signed_by_ip_address"]);
        let long = json!({ "signature_text": "a".repeat(256), "agree": false, "signed_by_ip_address": "::1" });
        assert_eq!(refused(tx, long, None), ["signature_text", "agree"]);
        let helped = json!({ "signature_text": "Ana Lee", "agree": true, "preparer2": true, "preparer2_first_name": "Bo" });
        let missing = ["last_name", "street_1", "city", "state", "zip", "agree"].map(|name| format!("preparer2_{name}"));
        assert_eq!(refused(tx, helped, Some("::1")), missing);

        let helped = json!({
            "signature_text": " Ana Lee ", "agree": true, "preparer": true, "preparer_first_name": "Bo",
            "preparer_last_name": "Kim", "preparer_street_1": "5 Elm St", "preparer_city": "Reno",
            "preparer_state": "nv", "preparer_zip": "89501", "preparer_agree": true,
            "signed_by_ip_address": "2001:db8::1"
        });
        service::sign_form(tx, caller, employee, form, &signature(&helped))?;
        let text = shown(tx, caller, employee, form)?;
        for part in ["Bo Kim", "5 Elm St, Reno, NV 89501", "2001:db8::1"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn answers_for_form_i9_are_replaced_as_a_whole_and_keep_a_stored_number() {
    with_form(|tx, caller, employee, form| {
        assert_eq!(keys(i9::get_authorization(tx, caller, employee)), ["not found"]);
        let first = attest(tx, caller, employee)?;
        let shown = first.form.as_ref().map(|form| form.id);
        assert_eq!((first.answers.status, shown), (Status::PermanentResident, Some(form)));
        assert!(first.answers.number.is_some());
        let version = version_of(&first);

        let same = json!({ "version": version, "authorization_status": "permanent_resident" });
        assert_eq!(version_of(&i9::replace_authorization(tx, caller, employee, &answers(&same))?), version);
        let unversioned = json!({ "authorization_status": "citizen" });
        assert_eq!(
            keys(i9::replace_authorization(tx, caller, employee, &answers(&unversioned))),
            ["version"]
        );
        let stale = json!({ "version": "0", "authorization_status": "citizen" });
        assert_eq!(keys(i9::replace_authorization(tx, caller, employee, &answers(&stale))), ["stale"]);
        let unknown =
            json!({ "version": version, "authorization_status": "visitor", "document_type": "library_card" });
        assert_eq!(
            keys(i9::replace_authorization(tx, caller, employee, &answers(&unknown))),
            ["authorization_status", "document_type"]
        );

        let other =
            json!({ "version": version, "authorization_status": "alien", "document_type": "form_i94" });
        assert_eq!(
            keys(i9::replace_authorization(tx, caller, employee, &answers(&other))),
            ["document_number"]
        );
        let citizen = json!({ "version": version, "authorization_status": "citizen" });
        let citizen = i9::replace_authorization(tx, caller, employee, &answers(&citizen))?.answers;
        assert!(citizen.number.is_none() && citizen.document.is_none());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn neither_documents_nor_stored_copies_contain_whole_numbers() {
    with_form(|tx, caller, employee, form| {
        attest(tx, caller, employee)?;
        sign(tx, caller, employee, form)?;
        let text = shown(tx, caller, employee, form)?;
        assert!(text.contains("XXX-XX-1099") && text.contains("ending in 6789"), "{text}");
        let (kept, _) = super::rows::last_signature(tx, caller.company, employee, form)?.unwrap();
        let kept = String::from_utf8(kept.content.to_vec()).unwrap();
        for whole in [SSN, "412-55-1099", "123456789"] {
            assert!(!text.contains(whole) && !kept.contains(whole), "{whole} is in the document or its copy");
        }
        // The table contains only sealed data.
        let rows = tx.query_rows(ROWS, store::params![caller.company], |row| {
            [row.get::<Vec<u8>>(0), row.get::<Vec<u8>>(1)]
        })?;
        assert!(
            rows.iter().flatten().all(|bytes| !bytes.windows(3).any(|part| part == b"Ana" || part == b"Lee"))
        );

        // A different number is different content, even if the last digits are the same.
        let found = employees::service::find_employee(tx, caller, employee)?;
        let version = version_text(employees::service::TABLE, employee, found.version);
        let other = profiles::commands::UpdateEmployee {
            version: given(&version),
            ssn: given("412561099"),
            ..Default::default()
        };
        profiles::service::update_employee(tx, caller, employee, &other)?;
        assert!(service::find_form(tx, caller, employee, form)?.requires_signing);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_link_shows_one_document_for_ten_minutes() {
    let store = store();
    let token = store.write(move |tx| {
        let caller = caller();
        let employee = hire(tx, &caller)?;
        service::configure_documents(tx, &caller, employee, &i9_document(true))?;
        let form = service::list_forms(tx, &caller, employee)?[0].id;
        let token = document_links::create_form_link(tx, &caller, employee, form)?.text;
        // The forms of another employee, or another company, are not found.
        let other = hire(tx, &caller)?;
        assert_eq!(keys(document_links::create_form_link(tx, &caller, other, form)), ["not found"]);
        let foreign = Caller::for_service(Uuid::from_u128(8), TimeZone::UTC);
        assert_eq!(keys(document_links::create_form_link(tx, &foreign, employee, form)), ["not found"]);
        assert_eq!(keys(service::find_form(tx, &foreign, employee, form)), ["not found"]);
        assert_eq!(keys(service::list_forms(tx, &foreign, employee)), ["not found"]);
        assert_eq!(keys(sign(tx, &foreign, employee, form)), ["not found"]);
        Ok::<_, Error>(token)
    });
    let token = token.await.unwrap();
    let opened = |after: i64, token: String| {
        let store = store.clone();
        async move {
            store
                .clock()
                .advance_to("2026-06-15T12:00:00Z".parse::<jiff::Timestamp>().unwrap() + after.seconds());
            store.read(move |tx| document_links::open_link(tx, &token)).await.unwrap()
        }
    };
    assert!(matches!(opened(0, format!("{token}x")).await, Opened::Unknown));
    assert!(matches!(opened(599, token.clone()).await, Opened::Document(_)));
    assert!(matches!(opened(600, token.clone()).await, Opened::Expired));
}

#[tokio::test]
async fn deleting_an_employee_deletes_the_forms() {
    with_form(|tx, caller, employee, form| {
        attest(tx, caller, employee)?;
        sign(tx, caller, employee, form)?;
        employees::service::delete_employee(tx, caller, employee)?;
        assert!(super::rows::of_employee(tx, caller.company, employee)?.is_empty());
        assert!(super::rows::last_digest(tx, caller.company, employee, form)?.is_none());
        assert!(I9::find(tx, caller.company, employee)?.is_none());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn signing_completes_the_step_of_onboarding() {
    with_form(|tx, caller, employee, form| {
        let signed = |tx: &mut Tx<'_>| {
            let status = onboarding::service::onboarding_status(tx, caller, employee)?;
            let step = status.steps.iter().find(|state| state.step == Step::EmployeeFormSigning);
            Ok::<_, Error>(step.unwrap().completed)
        };
        assert!(!signed(tx)?);
        attest(tx, caller, employee)?;
        sign(tx, caller, employee, form)?;
        assert!(signed(tx)?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_certificate_follows_from_the_answers_and_an_authorization_from_a_bank_account() {
    let store = store();
    let done = store.write(move |tx| {
        let caller = caller();
        let employee = hire(tx, &caller)?;
        let names = |tx: &mut Tx<'_>| {
            let forms = service::list_forms(tx, &caller, employee)?;
            Ok::<_, Error>(
                forms
                    .into_iter()
                    .map(|form| (form.kind.as_str(), form.requires_signing, form.id))
                    .collect::<Vec<_>>(),
            )
        };
        let extra = Amount::from_cents(1_250);
        taxes::service::federal::update_federal_taxes(
            tx,
            &caller,
            employee,
            &w4_command(employee, 0, "Single", extra),
        )?;
        payment_methods::service::create_account(
            tx,
            &caller,
            employee,
            &account("Everyday", "5809431207", "Checking"),
        )?;
        let forms = names(tx)?;
        assert_eq!(
            forms.iter().map(|form| (form.0, form.1)).collect::<Vec<_>>(),
            [("US_W-4", true), ("employee_direct_deposit", true)]
        );
        assert!(shown(tx, &caller, employee, forms[0].2)?.contains("$12.50"));
        let text = shown(tx, &caller, employee, forms[1].2)?;
        assert!(
            text.contains("100 %") && text.contains("ending in 1207") && !text.contains("5809431207"),
            "{text}"
        );
        for form in &forms {
            sign(tx, &caller, employee, form.2)?;
        }
        assert_eq!(service::waits_for_signature(tx, &caller, employee)?, Some(false));

        taxes::service::federal::update_federal_taxes(
            tx,
            &caller,
            employee,
            &w4_command(employee, 1, "Married", extra),
        )?;
        payment_methods::service::create_account(
            tx,
            &caller,
            employee,
            &account("Savings", "77001122", "Savings"),
        )?;
        assert!(names(tx)?.iter().all(|form| form.1), "both have changed");
        Ok::<_, Error>(())
    });
    done.await.unwrap();
}

/// Builds the command that answers Form W-4, whose stored version is `version`.
fn w4_command(
    employee: Uuid,
    version: i64,
    filing_status: &str,
    extra_withholding: Amount,
) -> taxes::commands::UpdateFederalTaxes {
    let version = crate::records::version_text(taxes::rows::FEDERAL_TABLE, employee, version);
    taxes::commands::UpdateFederalTaxes {
        version: Patch::Value(version),
        w4_data_type: Patch::Value(taxes::rows::REV_2020.to_owned()),
        filing_status: Patch::Value(filing_status.to_owned()),
        extra_withholding: Patch::Value(extra_withholding),
        ..Default::default()
    }
}
