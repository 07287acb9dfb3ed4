//! Contractors: the record with sealed numbers, address, account, onboarding, documents, dismissal and rehire.

use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};
use crate::terminations::wait_until;

const CONTRACTORS: &str = "/v1/companies/{company}/contractors";
const SSN: &str = "412551234";
const EIN: &str = "745551234";

fn individual(name: &str) -> Value {
    json!({ "type": "Individual", "wage_type": "Hourly", "hourly_rate": "40", "start_date": "2026-06-01", "first_name": name,
            "last_name": "Ford", "email": "lina@people.example", "ssn": SSN })
}

fn business() -> Value {
    json!({ "type": "Business", "wage_type": "Fixed", "start_date": "2026-06-01", "business_name": "Hill Design LLC", "ein": EIN })
}

async fn create(company: &Company, body: Value) -> String {
    id_of(&company.post(CONTRACTORS, body).await.created())
}

fn path(id: &str, what: &str) -> String {
    format!("/v1/contractors/{id}{what}")
}

async fn read(company: &Company, id: &str) -> Value {
    company.get(path(id, "")).await.ok()
}

async fn enter_address(company: &Company, id: &str) {
    let version = text(&company.get(path(id, "/address")).await.ok(), "version");
    let address = json!({ "version": version, "street_1": "7 Mill Lane", "city": "Austin", "state": "TX", "zip": "78701" });
    company.put(path(id, "/address"), address).await.ok();
}

async fn status(company: &Company, id: &str) -> String {
    text(&company.get(path(id, "/onboarding_status")).await.ok(), "onboarding_status")
}

async fn request(company: &Company, id: &str, wanted: &str) -> u16 {
    let asked = company.put(path(id, "/onboarding_status"), json!({ "onboarding_status": wanted })).await;
    asked.status.as_u16()
}

async fn sign(company: &Company, id: &str, fields: &[(&str, &str)]) -> crate::support::Answer {
    let document = id_of(&company.get(path(id, "/documents")).await.list()[0]);
    let fields: Vec<_> = fields.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
    let body = json!({ "fields": fields, "agree": true, "signed_by_ip_address": "203.0.113.7" });
    company.put(format!("/v1/documents/{document}/sign"), body).await
}

#[test]
fn a_contractor_is_an_individual_or_a_business_and_never_shows_its_number() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let known = company.count_events().await;
        let lina = company.post(CONTRACTORS, individual("Lina")).await.created();
        assert_eq!(company.event_types_since(known).await, ["contractor.created"]);
        assert_eq!((&lina["type"], &lina["hourly_rate"]), (&json!("Individual"), &json!("40.00")));
        assert_eq!(
            (&lina["has_ssn"], &lina["has_ein"], &lina["ein"]),
            (&json!(true), &json!(false), &Value::Null)
        );
        assert_eq!((&lina["is_active"], &lina["payment_method"]), (&json!(true), &Value::Null));
        let hill = company.post(CONTRACTORS, business()).await.created();
        assert_eq!((&hill["business_name"], &hill["first_name"]), (&json!("Hill Design LLC"), &Value::Null));
        assert_eq!(
            (&hill["has_ein"], &hill["ein"], &hill["hourly_rate"]),
            (&json!(true), &Value::Null, &json!("0.00"))
        );
        let all = company.get(CONTRACTORS).await.ok().to_string();
        assert!(!all.contains("1234"), "{all}");
        for (field, wrong, key) in [
            ("type", json!("Person"), "type"),
            ("first_name", Value::Null, "first_name"),
            ("ssn", json!("000551234"), "ssn"),
            ("hourly_rate", json!("0"), "hourly_rate"),
            ("start_date", json!("June"), "start_date"),
            ("file_new_hire_report", json!(true), "work_state"),
        ] {
            let mut body = individual("Max");
            body[field] = wrong;
            assert_eq!(company.post(CONTRACTORS, body).await.refused(422).keys(), [key]);
        }
        let mut nameless = business();
        nameless["business_name"] = Value::Null;
        assert_eq!(company.post(CONTRACTORS, nameless).await.refused(422).keys(), ["business_name"]);
    });
}

#[test]
fn the_first_address_needs_no_version_and_every_later_one_does() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let lina = create(&company, individual("Lina")).await;
        let address = json!({ "street_1": "7 Mill Lane", "city": "Austin", "state": "TX", "zip": "78701" });
        let mut nothing = address.clone();
        nothing["version"] = Value::Null;
        assert_eq!(company.put(path(&lina, "/address"), nothing).await.refused(422).keys(), ["version"]);
        let first = company.put(path(&lina, "/address"), address.clone()).await.ok();
        assert_eq!(first["city"], "Austin");
        let again = company.put(path(&lina, "/address"), address.clone()).await.refused(422);
        assert_eq!(again.keys(), ["version"]);
        let mut moved = address;
        (moved["version"], moved["city"]) = (first["version"].clone(), json!("Houston"));
        assert_eq!(company.put(path(&lina, "/address"), moved).await.ok()["city"], "Houston");
    });
}

#[test]
fn an_update_needs_the_version_and_a_change_of_the_kind_drops_what_belongs_to_the_other() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let lina = company.post(CONTRACTORS, individual("Lina")).await.created();
        let (id, version) = (id_of(&lina), &lina["version"]);
        let same = company
            .put(path(&id, ""), json!({ "version": version, "ssn": "", "last_name": "Ford" }))
            .await
            .ok();
        assert_eq!(&same["version"], version, "nothing changed");
        let raised =
            company.put(path(&id, ""), json!({ "version": version, "hourly_rate": 55.5 })).await.ok();
        assert_eq!(raised["hourly_rate"], "55.50");
        company.put(path(&id, ""), json!({ "version": version, "hourly_rate": 60 })).await.refused(409);
        let moved =
            json!({ "version": raised["version"], "type": "Business", "business_name": "Ford Studio" });
        let moved = company.put(path(&id, ""), moved).await.ok();
        assert_eq!((&moved["first_name"], &moved["has_ssn"]), (&Value::Null, &json!(false)));
        company.delete(path(&id, "")).await.deleted();
        company.get(path(&id, "")).await.refused(404);
        let stranger = create(&company.world.company().await, individual("Eva")).await;
        for what in ["", "/address", "/bank_accounts", "/payment_method", "/onboarding_status", "/documents"]
        {
            company.get(path(&stranger, what)).await.refused(404);
            company.get(path(NOBODY, what)).await.refused(404);
        }
    });
}

#[test]
fn contractors_are_searched_filtered_sorted_and_paged() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let lina = create(&company, individual("Lina")).await;
        let hill = create(&company, business()).await;
        let zoe = create(&company, individual("Zoé")).await;
        enter_address(&company, &hill).await;
        assert_eq!(request(&company, &hill, "onboarding_completed").await, 200);
        company.post(path(&zoe, "/termination"), json!({ "end_date": "2026-06-02" })).await.is(204);
        let listed = async |query: &str| {
            let found = company.get(format!("{CONTRACTORS}?{query}")).await.list();
            found.iter().map(id_of).collect::<Vec<_>>()
        };
        assert_eq!(listed("").await, [lina.as_str(), &hill, &zoe]);
        assert_eq!(listed("search_term=zoe").await, [zoe.as_str()]);
        assert_eq!(listed("onboarded=false").await, [lina.as_str(), &zoe]);
        assert_eq!(listed("onboarded_active=true").await, [hill.as_str()]);
        assert_eq!(listed("terminated=true").await, [zoe.as_str()]);
        assert_eq!(listed("terminated_today=false").await, [lina.as_str(), &hill]);
        assert_eq!(listed("sort_by=name").await, [hill.as_str(), &lina, &zoe]);
        assert_eq!(listed("sort_by=type:desc,name:desc").await, [zoe.as_str(), &lina, &hill]);
        assert_eq!(listed("sort_by=created_at:desc&page=1&per=2").await, [zoe.as_str(), &hill]);
        let page = company.get(format!("{CONTRACTORS}?page=2&per=2")).await;
        assert_eq!(page.header("X-Total-Count"), "3");
        company.get(format!("{CONTRACTORS}?sort_by=age")).await.refused(422);
        let named = company.get(format!("{CONTRACTORS}?include=company_name")).await.list();
        assert!(named[0]["company_name"].is_string());
    });
}

#[test]
fn a_second_account_replaces_the_first_and_pay_goes_to_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let lina = create(&company, individual("Lina")).await;
        let method = company.get(path(&lina, "/payment_method")).await.ok();
        assert_eq!((&method["type"], &method["splits"]), (&Value::Null, &Value::Null));
        let deposit = json!({ "version": method["version"], "type": "Direct Deposit" });
        company.put(path(&lina, "/payment_method"), deposit).await.refused(422);
        let known = company.count_events().await;
        let account = |number: &str| json!({ "name": "Checking", "routing_number": "121000374", "account_number": number, "account_type": "Checking" });
        let first = company.post(path(&lina, "/bank_accounts"), account("40070051")).await.created();
        assert_eq!(first["hidden_account_number"], "XXXX0051");
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.bank_account.created", "contractor.payment_method_type_updated"]
        );
        let second = company.post(path(&lina, "/bank_accounts"), account("52190031")).await.created();
        assert_eq!(second["uuid"], first["uuid"]);
        assert_eq!(company.event_types_since(known).await.last().unwrap(), "contractor.bank_account.updated");
        assert_eq!(company.get(path(&lina, "/bank_accounts")).await.list(), [second]);
        let paid = company.get(path(&lina, "/payment_method")).await.ok();
        assert_eq!(
            (&paid["type"], &paid["splits"][0]["split_amount"]),
            (&json!("Direct Deposit"), &json!(100))
        );
        company
            .put(path(&lina, "/payment_method"), json!({ "version": method["version"], "type": "Check" }))
            .await
            .refused(409);
        let check = json!({ "version": paid["version"], "type": "Check" });
        assert_eq!(company.put(path(&lina, "/payment_method"), check).await.ok()["splits"], Value::Null);
        let details =
            company.get(format!("{CONTRACTORS}/payment_details?contractor_uuid={lina}")).await.list();
        assert_eq!(
            (&details[0]["payment_method"], &details[0]["last_name"]),
            (&json!("Check"), &json!("Ford"))
        );
        let known = company.count_events().await;
        company.delete(path(&lina, "")).await.deleted();
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.bank_account.deleted", "contractor.payment_method.deleted", "contractor.deleted"]
        );
    });
}

#[test]
fn an_administrators_review_follows_the_data_and_ends_onboarding() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut without = individual("Lina");
        without["ssn"] = Value::Null;
        let lina = create(&company, without).await;
        assert_eq!(status(&company, &lina).await, "admin_onboarding_incomplete");
        assert_eq!(request(&company, &lina, "onboarding_completed").await, 422);
        enter_address(&company, &lina).await;
        let now = read(&company, &lina).await;
        assert_eq!(now["address"]["city"], "Austin");
        assert_eq!(now["onboarding_status"], "admin_onboarding_incomplete");
        company.put(path(&lina, ""), json!({ "version": now["version"], "ssn": SSN })).await.ok();
        assert_eq!(status(&company, &lina).await, "admin_onboarding_review");
        let known = company.count_events().await;
        assert_eq!(request(&company, &lina, "onboarding_completed").await, 200);
        assert_eq!(company.event_types_since(known).await, ["contractor.onboarded"]);
        assert_eq!(read(&company, &lina).await["onboarded"], true);
        assert_eq!(request(&company, &lina, "self_onboarding_not_invited").await, 422);
        let twin = create(&company, individual("Lena")).await;
        let told = company.get(path(&twin, "/onboarding_status")).await.ok();
        assert_eq!(
            (&told["blockers"][0]["field"], &told["blockers"][0]["category"]),
            (&json!("ssn"), &json!("duplicate_value"))
        );
    });
}

#[test]
fn whoever_enters_the_own_data_signs_form_w_9_before_the_review() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut own = individual("Lina");
        own["self_onboarding"] = true.into();
        own["email"] = Value::Null;
        assert_eq!(company.post(CONTRACTORS, own.clone()).await.refused(422).keys(), ["email"]);
        own["email"] = "lina@people.example".into();
        let known = company.count_events().await;
        let lina = create(&company, own).await;
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.created", "contractor.marked_for_self_onboarding"]
        );
        assert_eq!(status(&company, &lina).await, "self_onboarding_not_invited");
        assert_eq!(request(&company, &lina, "self_onboarding_invited").await, 200);
        assert_eq!(
            request(&company, &lina, "self_onboarding_review").await,
            422,
            "it comes after the beginning"
        );
        assert_eq!(company.get(path(&lina, "/documents")).await.list(), [json!(null); 0]);
        enter_address(&company, &lina).await;
        let documents = company.get(path(&lina, "/documents")).await.list();
        let form = &documents[0];
        assert_eq!(
            (&form["name"], &form["requires_signing"]),
            (&json!("taxpayer_identification_form_w_9"), &json!(true))
        );
        let value = |form: &Value, key: &str| {
            let fields = form["fields"].as_array().unwrap();
            fields.iter().find(|field| field["key"] == key).unwrap()["value"].clone()
        };
        assert_eq!((value(form, "ssn"), value(form, "ein")), (json!("XXX-XX-1234"), json!("N/A")));
        assert_eq!(sign(&company, &lina, &[]).await.refused(422).keys(), ["signature_text"]);
        let both = [("signature_text", "Lina Ford"), ("other", "1"), ("c_corporation", "1")];
        assert_eq!(sign(&company, &lina, &both).await.refused(422).keys(), ["fields"]);
        let known = company.count_events().await;
        let withheld = [("signature_text", "Lina Ford"), ("subject_to_backup_withholding", "true")];
        let signed = sign(&company, &lina, &withheld).await.ok();
        assert_eq!(
            (&signed["requires_signing"], value(&signed, "individual_proprietor")),
            (&json!(false), json!("1"))
        );
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.form.signed", "contractor.updated", "contractor.updated"]
        );
        assert_eq!(status(&company, &lina).await, "self_onboarding_started", "only the contractor signs");
        let now = read(&company, &lina).await;
        assert_eq!(now["backup_withholding"], true);
        sign(&company, &lina, &withheld).await.refused(422);
        let known = company.count_events().await;
        company.put(path(&lina, ""), json!({ "version": now["version"], "last_name": "Fordham" })).await.ok();
        assert_eq!(company.event_types_since(known).await, ["contractor.updated", "contractor.form.updated"]);
        assert_eq!(
            request(&company, &lina, "self_onboarding_review").await,
            422,
            "the name on the form changed"
        );
        sign(&company, &lina, &[("signature_text", "Lina Fordham")]).await.ok();
        let known = company.count_events().await;
        assert_eq!(request(&company, &lina, "self_onboarding_review").await, 200);
        assert_eq!(company.event_types_since(known).await, ["contractor.self_onboarding_completed"]);
        assert_eq!(request(&company, &lina, "onboarding_completed").await, 200);
        let all = company.get(path(&lina, "/documents")).await.ok().to_string();
        assert!(!all.contains(SSN), "{all}");
    });
}

#[test]
fn self_onboarding_is_taken_back_until_the_contractor_begins() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let lina = create(&company, individual("Lina")).await;
        let mark = |version: &Value, own: bool| json!({ "version": version, "self_onboarding": own });
        let version = read(&company, &lina).await["version"].clone();
        company.put(path(&lina, ""), mark(&version, true)).await.ok();
        assert_eq!(status(&company, &lina).await, "self_onboarding_not_invited");
        company.put(path(&lina, ""), mark(&version, false)).await.ok();
        assert_eq!(status(&company, &lina).await, "admin_onboarding_incomplete");
        assert_eq!(request(&company, &lina, "self_onboarding_invited").await, 200);
        assert_eq!(request(&company, &lina, "admin_onboarding_incomplete").await, 200);
        assert_eq!(request(&company, &lina, "self_onboarding_started").await, 422);
        company.put(path(&lina, "/onboarding_status"), json!({})).await.refused(422);
    });
}

#[test]
fn a_dismissal_is_told_at_once_and_again_when_the_last_day_is_over() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let lina = create(&company, individual("Lina")).await;
        let termination = path(&lina, "/termination");
        company.delete(&termination).await.refused(422);
        company.post(&termination, json!({ "end_date": "2026-05-31" })).await.refused(422);
        let known = company.count_events().await;
        company.post(&termination, json!({ "end_date": "2026-06-30" })).await.is(204);
        company.post(&termination, json!({ "end_date": "2026-07-31" })).await.refused(422);
        company.post(path(&lina, "/rehire"), json!({ "start_date": "2026-09-01" })).await.refused(422);
        let now = read(&company, &lina).await;
        assert_eq!((&now["is_active"], &now["dismissal_date"]), (&json!(true), &json!("2026-06-30")));
        assert_eq!(now["dismissal_cancellation_eligible"], true);
        company
            .put(path(&lina, ""), json!({ "version": now["version"], "is_active": true }))
            .await
            .refused(422);
        company.delete(&termination).await.is(204);
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.deactivated", "contractor.deactivation_cancelled", "contractor.reactivated"]
        );
        company.post(&termination, json!({ "end_date": "2026-06-30" })).await.is(204);
        let known = company.count_events().await;
        wait_until(&company, "2026-07-01").await;
        assert_eq!(company.event_types_since(known).await, ["contractor.deactivation_effective"]);
        let gone = read(&company, &lina).await;
        assert_eq!(
            (&gone["is_active"], &gone["dismissal_cancellation_eligible"]),
            (&json!(false), &json!(false))
        );
        company.delete(&termination).await.refused(422);
    });
}

#[test]
fn a_rehire_begins_a_period_of_its_own_and_a_past_change_can_be_cancelled_for_two_days() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let lina = create(&company, individual("Lina")).await;
        let (termination, rehire) = (path(&lina, "/termination"), path(&lina, "/rehire"));
        let known = company.count_events().await;
        company.post(&termination, json!({ "end_date": "2026-06-03" })).await.is(204);
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.deactivated", "contractor.deactivation_effective"]
        );
        assert_eq!(
            read(&company, &lina).await["dismissal_cancellation_eligible"],
            true,
            "it was recorded today"
        );
        company.post(&rehire, json!({ "start_date": "2026-06-03" })).await.refused(422);
        let known = company.count_events().await;
        company.post(&rehire, json!({ "start_date": "2026-08-03" })).await.is(204);
        let planned = read(&company, &lina).await;
        assert_eq!(planned["upcoming_employment"]["start_date"], "2026-08-03");
        assert_eq!(
            (&planned["is_active"], &planned["rehire_cancellation_eligible"]),
            (&json!(false), &json!(true))
        );
        company.delete(&termination).await.refused(422);
        company.delete(&rehire).await.is(204);
        assert_eq!(
            company.event_types_since(known).await,
            ["contractor.reactivated", "contractor.reactivation_cancelled", "contractor.deactivated"]
        );
        company.post(&rehire, json!({ "start_date": "2026-08-03" })).await.is(204);
        let known = company.count_events().await;
        wait_until(&company, "2026-08-03").await;
        assert_eq!(company.event_types_since(known).await, ["contractor.reactivation_effective"]);
        let back = read(&company, &lina).await;
        assert_eq!((&back["is_active"], &back["start_date"]), (&json!(true), &json!("2026-08-03")));
        assert_eq!((&back["dismissal_date"], &back["upcoming_employment"]), (&Value::Null, &Value::Null));
        company.delete(&rehire).await.refused(422);
        company.post(&termination, json!({ "end_date": "2026-08-02" })).await.refused(422);
        company.post(&termination, json!({ "end_date": "2026-08-03" })).await.is(204);
        wait_until(&company, "2026-08-06").await;
        company.delete(&termination).await.refused(422);
        company.post(&rehire, json!({ "start_date": "2026-08-05" })).await.is(204);
        wait_until(&company, "2026-08-08").await;
        company.delete(&rehire).await.is(204);
        assert_eq!(read(&company, &lina).await["dismissal_date"], "2026-08-03");
    });
}

#[test]
fn contractors_belong_to_departments_as_employees_do() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (lina, ana) = (create(&company, individual("Lina")).await, id_of(&company.employee("Ana").await));
        let made =
            company.post("/v1/companies/{company}/departments", json!({ "title": "Design" })).await.created();
        let department = format!("/v1/departments/{}", id_of(&made));
        let people = |version: &Value| json!({ "version": version, "employees": [{ "uuid": ana }], "contractors": [{ "uuid": lina }] });
        let both = company.put(format!("{department}/add"), people(&made["version"])).await.ok();
        assert_eq!(both["contractors"], json!([{ "uuid": lina }]));
        let now = read(&company, &lina).await;
        assert_eq!((&now["department"], &now["department_uuid"]), (&json!("Design"), &made["uuid"]));
        company.delete(&department).await.refused(422);
        let none = company.put(format!("{department}/remove"), people(&both["version"])).await.ok();
        assert_eq!((&none["contractors"], &none["employees"]), (&json!([]), &json!([])));
        assert_eq!(read(&company, &lina).await["department_uuid"], Value::Null);
        company.delete(&department).await.deleted();
    });
}
