//! Section 2 of Form I-9: what the employee can show, what the employer has examined, and the employer's signature.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines};

fn passport() -> Value {
    json!({ "document_type": "us_passport", "document_title": "U.S. Passport", "document_number": "X1234567",
            "expiration_date": "2030-01-31", "issuing_authority": "U.S. Department of State" })
}

fn license() -> Value {
    json!({ "document_type": "driver_license_or_state_id", "document_title": "Driver's License",
            "document_number": "D1234567", "issuing_authority": "Texas" })
}

fn social_security_card() -> Value {
    json!({ "document_type": "social_security_card", "document_title": "Social Security Card",
            "issuing_authority": "Social Security Administration" })
}

fn signature() -> Value {
    json!({ "signature_text": "Nora Lind", "signer_title": "Owner", "agree": true,
            "signed_by_ip_address": "203.0.113.7", "additional_info": "Examined on the first day", "alt_procedure": true })
}

async fn documents(company: &Company, employee: &str, of: Value) -> crate::support::Answer {
    let path = format!("/v1/employees/{employee}/i9_authorization/documents");
    company.put(path, json!({ "documents": of })).await
}

#[test]
fn what_can_be_shown_follows_from_what_the_employee_said() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let vera = id_of(&company.employee("Vera").await);
        let authorization = format!("/v1/employees/{vera}/i9_authorization");
        let options = format!("{authorization}/document_options");
        company.get(&options).await.refused(404);
        company.get(format!("{authorization}/documents")).await.refused(404);
        company.put(&authorization, json!({ "authorization_status": "citizen" })).await.ok();
        let told = company.get(&options).await.list();
        let of = |list: &str| told.iter().filter(|one| one["section"] == list).count();
        assert_eq!((of("A"), of("A1"), of("B"), of("C")), (1, 0, 12, 7));
        assert_eq!(told[0]["document_type"], "us_passport");
        assert_eq!(told[0]["document_title"], json!(["U.S. Passport", "U.S. Passport Card"]));
        let version = company.get(&authorization).await.ok()["version"].clone();
        let alien = json!({ "version": version, "authorization_status": "alien",
                            "document_type": "uscis_alien_registration_number", "document_number": "A1234567" });
        company.put(&authorization, alien).await.ok();
        let told = company.get(&options).await.list();
        let kinds: Vec<_> = told.iter().filter_map(|one| one["document_type"].as_str()).collect();
        assert!(kinds.contains(&"foreign_passport") && !kinds.contains(&"us_passport"), "{kinds:?}");
    });
}

#[test]
fn documents_are_entered_as_a_whole_and_their_numbers_never_come_back() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let vera = company.signed_i9("Vera").await;
        let path = format!("/v1/employees/{vera}/i9_authorization/documents");
        assert!(company.get(&path).await.list().is_empty());
        let entered = documents(&company, &vera, json!([license(), social_security_card()]))
            .await
            .created()
            .as_array()
            .unwrap()
            .clone();
        assert_eq!(entered.len(), 2);
        assert!(entered.iter().all(|one| one.get("document_number").is_none()), "{entered:?}");
        assert_eq!(entered[0]["expiration_date"], Value::Null);
        assert_eq!(company.get(&path).await.list(), entered);
        let again =
            documents(&company, &vera, json!([license()])).await.created().as_array().unwrap().clone();
        assert_eq!(id_of(&again[0]), id_of(&entered[0]), "a document of the same kind stays the same record");
        let one = format!("{path}/{}", id_of(&again[0]));
        company.delete(&one).await.deleted();
        company.delete(&one).await.refused(404);
        assert!(company.get(&path).await.list().is_empty());
        let audit = company.audit().await;
        let written: Vec<_> = audit.iter().filter(|one| one.entity_type == "employee_i9_reviews").collect();
        assert_eq!(written.len(), 3);
        assert!(written.iter().all(|one| !one.changes.to_string().contains("D1234567")));
    });
}

#[test]
fn what_is_no_document_of_the_form_is_refused_field_by_field() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let vera = company.signed_i9("Vera").await;
        let with = |field: &str, value: Value| {
            let mut document = passport();
            document[field] = value;
            json!([document])
        };
        for (wrong, key) in [
            (with("document_type", json!("library_card")), "documents[0].document_type"),
            (with("document_type", json!("permanent_resident_card")), "documents[0].document_type"),
            (with("document_title", json!("Passport")), "documents[0].document_title"),
            (with("expiration_date", json!("2026-06-14")), "documents[0].expiration_date"),
            (with("issuing_authority", json!(" ")), "documents[0].issuing_authority"),
            (with("issuing_authority", json!(null)), "documents[0].issuing_authority"),
            (json!([passport(), passport()]), "documents[1].document_type"),
            (json!([passport(), license(), social_security_card(), passport()]), "documents"),
            (json!(null), "documents"),
            (json!("passport"), "documents"),
        ] {
            let refused = documents(&company, &vera, wrong.clone()).await.refused(422);
            assert_eq!(refused.keys(), [key], "{wrong}");
        }
        let path = format!("/v1/employees/{vera}/i9_authorization/documents");
        assert!(company.get(&path).await.list().is_empty(), "nothing of it was kept");
        let stranger = company.world.company().await;
        stranger.get(&path).await.refused(404);
        documents(&stranger, &vera, json!([passport()])).await.refused(404);
        company.delete(format!("{path}/{NOBODY}")).await.refused(404);
    });
}

#[test]
fn the_employer_signs_after_the_employee_and_nothing_changes_after_that() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let vera = company.signed_i9("Vera").await;
        let authorization = format!("/v1/employees/{vera}/i9_authorization");
        let sign = format!("{authorization}/employer_sign");
        company.put(&sign, signature()).await.refused(422);
        for too_few_or_many in [json!([license()]), json!([passport(), license(), social_security_card()])] {
            documents(&company, &vera, too_few_or_many).await.is(201);
            let refused = company.put(&sign, signature()).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"));
        }
        let kept = documents(&company, &vera, json!([license(), social_security_card()]))
            .await
            .created()
            .as_array()
            .unwrap()
            .clone();
        let missing = company.put(&sign, json!({ "agree": false })).await.refused(422);
        assert_eq!(missing.keys(), ["signature_text", "agree", "signed_by_ip_address", "signer_title"]);
        company.world.company().await.put(&sign, signature()).await.refused(404);

        let signed = company.put(&sign, signature()).await.ok();
        assert_eq!((&signed["employee_signed"], &signed["employer_signed"]), (&json!(true), &json!(true)));
        assert_eq!(signed["additional_info"], "Examined on the first day");
        assert_eq!(signed["alt_procedure"], true);
        assert_eq!(company.get(&authorization).await.ok(), signed);
        company.put(&sign, signature()).await.refused(422);
        documents(&company, &vera, json!([passport()])).await.refused(422);
        company.delete(format!("{authorization}/documents/{}", id_of(&kept[0]))).await.refused(422);
        let other = json!({ "version": signed["version"], "authorization_status": "noncitizen" });
        company.put(&authorization, other).await.refused(422);
        assert_eq!(company.get(format!("{authorization}/documents")).await.list(), kept);
    });
}

#[test]
fn an_employer_does_not_sign_before_the_employee_or_for_a_document_that_has_expired_since() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let ben = id_of(&company.employee("Ben").await);
        let authorization = format!("/v1/employees/{ben}/i9_authorization");
        company.put(&authorization, json!({ "authorization_status": "citizen" })).await.ok();
        documents(&company, &ben, json!([passport()])).await.is(201);
        let refused = company.put(format!("{authorization}/employer_sign"), signature()).await.refused(422);
        assert!(refused.message().contains("has to sign section 1 first"), "{}", refused.message());

        let vera = company.signed_i9("Vera").await;
        let mut soon = passport();
        soon["expiration_date"] = "2026-06-16".into();
        documents(&company, &vera, json!([soon])).await.is(201);
        let clock = world.app.store.clock();
        clock.advance_to(clock.now() + 72.hours());
        let sign = format!("/v1/employees/{vera}/i9_authorization/employer_sign");
        assert_eq!(
            company.put(sign, signature()).await.refused(422).keys(),
            ["documents[0].expiration_date"]
        );
    });
}
