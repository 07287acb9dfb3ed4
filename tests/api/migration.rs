//! A company that runs its payroll elsewhere moves to a partner's product: terms, readiness, the move and its end.

use domain::Error;
use domain::access::users::Role;
use domain::access::users::service as people;
use domain::access::users::service::RoleHolder;
use domain::company::companies::traits;
use domain::company::companies::traits::Trait;
use domain::company::setup::service as setup;
use domain::events;
use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, on_both_engines, signatory, text};

const BASE: &str = "/v1/partner_managed_companies/{company}";
const SIGNATORY: &str = "susan@people.example";

/// A connected company in whose way nothing stands but the terms.
async fn standalone(engine: Engine) -> Company {
    let company = engine.world().await.company().await;
    company.run_elsewhere().await;
    company.post("/v1/companies/{company}/signatories", signatory()).await.ok();
    let admin = json!({ "first_name": "Susan", "last_name": "Whitfield", "email": SIGNATORY });
    company.post("/v1/companies/{company}/admins", admin).await.ok();
    company
}

async fn accept(company: &Company) -> Answer {
    let body = json!({ "email": SIGNATORY, "ip_address": "203.0.113.7", "external_user_id": "user-7" });
    company.post(format!("{BASE}/accept_terms_of_service"), body).await
}

async fn migrate(company: &Company, version: &str, body: Value) -> Answer {
    let call = company.call("PUT", format!("{BASE}/migrate")).header("x-service-api-version", version);
    call.json(&body).send().await
}

async fn note(company: &Company, kind: Trait, name: &'static str) {
    company.as_operator(move |tx, operator| traits::record_fact(tx, operator, kind, name)).await;
}

/// Whether the company is ready, and the keys of what blocks and of what is warned of.
async fn readiness(company: &Company) -> (bool, Vec<String>, Vec<String>) {
    let told = company.get(format!("{BASE}/migration_readiness")).await.ok();
    let keys = |list: &str| -> Vec<String> {
        told[list].as_array().unwrap().iter().map(|found| text(&found["metadata"], "key")).collect()
    };
    (told["ready_to_migrate"] == true, keys("errors"), keys("warnings"))
}

#[test]
fn a_company_moves_once_the_terms_are_accepted_by_the_signatory_s_e_mail() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        assert_eq!(readiness(&company).await, (false, vec!["terms_of_service".to_owned()], vec![]));
        let refused = migrate(&company, "2025-06-15", json!({ "email": SIGNATORY })).await.refused(422);
        assert_eq!(refused.fault(), ("base", "migration_blocker"));
        assert_eq!(refused.only()["metadata"]["key"], "terms_of_service");
        for _ in 0..2 {
            assert_eq!(accept(&company).await.ok(), json!({ "latest_terms_accepted": true }));
        }
        assert_eq!(readiness(&company).await, (true, vec![], vec![]));
        for wrong in [json!({}), json!({ "email": "peter@people.example" })] {
            let refused = migrate(&company, "2025-11-15", wrong).await.refused(422);
            assert_eq!(refused.fault(), ("email", "invalid_attribute_value"));
        }
        let known = company.count_events().await;
        let moved = migrate(&company, "2025-06-15", json!({ "email": "Susan@People.example" })).await.ok();
        assert_eq!(moved, json!({ "company_uuid": company.id, "migration_status": "success" }));
        assert_eq!(company.event_types_since(known).await, ["company.migrated"]);
        assert_eq!(company.get("/v1/companies/{company}").await.ok()["is_partner_managed"], true);
        let refused = migrate(&company, "2025-06-15", json!({ "email": SIGNATORY })).await.refused(422);
        assert_eq!(refused.only()["metadata"]["key"], "migrated_company");
    });
}

#[test]
fn from_february_2026_on_no_field_is_needed_and_the_answer_tells_warnings() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        accept(&company).await.ok();
        note(&company, Trait::Integration, "Ledger").await;
        let moved = migrate(&company, "2026-02-01", json!({})).await.ok();
        assert_eq!((&moved["migration_status"], &moved["errors"]), (&json!(true), &json!([])));
        assert_eq!(moved["warnings"][0]["category"], "migration_warning");
        assert_eq!(moved["warnings"][0]["metadata"]["key"], "unsupported_integrations");
    });
}

#[test]
fn readiness_tells_everything_that_the_records_hold_against_a_move() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        accept(&company).await.ok();
        for (kind, name) in [
            (Trait::Tier, "premium"),
            (Trait::ManagedBenefit, "Medical"),
            (Trait::TimeOffPolicy, "Unlimited"),
            (Trait::Integration, "Ledger"),
            (Trait::MarijuanaBusiness, "dispensary"),
        ] {
            note(&company, kind, name).await;
        }
        company.suspend().await;
        let blockers = [
            "company_suspended",
            "gusto_managed_benefits",
            "unsupported_time_off_policies",
            "unsupported_tier",
        ];
        let warnings = ["marijuana_related_business", "unsupported_integrations"];
        let expected = (false, blockers.map(str::to_owned).to_vec(), warnings.map(str::to_owned).to_vec());
        assert_eq!(readiness(&company).await, expected);
        let refused = migrate(&company, "2025-06-15", json!({ "email": SIGNATORY })).await.refused(422);
        let keys: Vec<_> = refused.0.iter().map(|e| text(&e["metadata"], "key")).collect();
        assert_eq!(keys, blockers);
        let told = company.get("/v1/companies/{company}").await.ok();
        assert_eq!((&told["tier"], &told["is_marijuana_business"]), (&json!("premium"), &json!(true)));
    });
}

#[test]
fn of_moves_that_are_asked_for_at_once_one_happens() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        accept(&company).await.ok();
        let once =
            |company| async move { migrate(&company, "2025-06-15", json!({ "email": SIGNATORY })).await };
        let statuses = company.at_once(8, once).await;
        assert_eq!(statuses, [200, 422, 422, 422, 422, 422, 422, 422]);
        let events = company.event_types_since(0).await;
        assert_eq!(events.iter().filter(|name| *name == "company.migrated").count(), 1);
    });
}

#[test]
fn terms_are_told_of_the_company_and_of_a_user_and_nobody_else_may_accept_them() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        let terms = format!("{BASE}/terms_of_service");
        let one = json!({ "email": SIGNATORY });
        assert_eq!(company.get(&terms).await.ok()["latest_terms_accepted"], false);
        assert_eq!(company.put(&terms, one.clone()).await.ok()["latest_terms_accepted"], false);
        let stranger =
            json!({ "email": "peter@people.example", "ip_address": "203.0.113.7", "external_user_id": "7" });
        assert_eq!(company.post(&terms, stranger).await.refused(422).keys(), ["email"]);
        let wrong = json!({ "email": SIGNATORY, "ip_address": "here" });
        assert_eq!(company.post(&terms, wrong).await.refused(422).keys(), ["ip_address", "external_user_id"]);
        accept(&company).await.ok();
        assert_eq!(company.get(&terms).await.ok()["latest_terms_accepted"], true);
        assert_eq!(company.put(&terms, one.clone()).await.ok()["latest_terms_accepted"], true);
        let old = company.call("POST", format!("{BASE}/retrieve_terms_of_service"));
        let old = old.header("x-service-api-version", "2026-06-15").json(&one).send().await.is(200);
        assert_eq!(old.text(), "", "deprecated, and without a body");
    });
}

#[test]
fn from_february_2026_on_the_terms_count_only_if_a_payroll_administrator_accepted_them() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        let helper = RoleHolder {
            first_name: "Lena".to_owned(),
            last_name: "Fischer".to_owned(),
            email: format!("lena.{}@people.example", company.id),
            phone: None,
        };
        let email = helper.email.clone();
        company.as_operator(move |tx, c| people::give_role(tx, c, &helper, Role::Limited)).await;
        let ask = async |version: &str, method: &'static str, path: &str, email: Option<&str>| {
            let call =
                company.call(method, format!("{BASE}/{path}")).header("x-service-api-version", version);
            let body = json!({ "email": email, "ip_address": "203.0.113.7", "external_user_id": "user-7" });
            if email.is_some() { call.json(&body).send().await } else { call.send().await }
        };
        let ready = async |version: &str| {
            let told = ask(version, "GET", "migration_readiness", None).await.ok();
            assert_eq!(told["ready_to_migrate"], told["errors"] == json!([]));
            told["ready_to_migrate"] == true
        };
        let (older, newer) = ("2025-11-15", "2026-02-01");
        // Somebody with limited rights runs no payroll.
        for path in ["terms_of_service", "accept_terms_of_service"] {
            let refused = ask(newer, "POST", path, Some(&email)).await.refused(422);
            assert_eq!(refused.fault(), ("email", "invalid_attribute_value"));
        }
        assert_eq!(company.audit().await.iter().filter(|entry| entry.action == "accepted").count(), 0);
        // Before, any role was enough; what was accepted so does not count later.
        assert_eq!(
            ask(older, "POST", "accept_terms_of_service", Some(&email)).await.ok(),
            json!({ "latest_terms_accepted": true })
        );
        assert!(ready(older).await && !ready(newer).await);
        for (version, accepted) in [(older, true), (newer, false)] {
            let told = ask(version, "GET", "terms_of_service", None).await.ok();
            assert_eq!(told["latest_terms_accepted"], accepted, "{version}");
        }
        let refused = migrate(&company, newer, json!({})).await.refused(422);
        assert_eq!(refused.only()["metadata"]["key"], "terms_of_service");
        assert_eq!(
            ask(newer, "POST", "terms_of_service", Some(SIGNATORY)).await.ok(),
            json!({ "latest_terms_accepted": true })
        );
        assert!(ready(newer).await);
        migrate(&company, newer, json!({})).await.ok();
    });
}

#[test]
fn a_suspended_company_cannot_move_until_the_operator_takes_that_back() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        accept(&company).await.ok();
        let known = company.count_events().await;
        for _ in 0..2 {
            company.suspend().await;
        }
        assert_eq!(readiness(&company).await.1, ["company_suspended"]);
        for _ in 0..2 {
            company.as_operator(setup::reinstate_company).await;
        }
        assert!(readiness(&company).await.0);
        assert_eq!(company.get("/v1/companies/{company}").await.ok()["company_status"], "Not Approved");
        let told = ["company.suspended", "company.suspended_effective", "company.unsuspended"];
        assert_eq!(company.event_types_since(known).await, told);
        let audit = company.audit().await;
        let acts: Vec<_> = audit.iter().filter(|entry| entry.actor_kind == "operator").collect();
        assert_eq!(acts.iter().map(|entry| &*entry.action).collect::<Vec<_>>(), ["suspended", "reinstated"]);
        assert_eq!(acts[0].changes["company_status"][1], "Suspended");
    });
}

#[test]
fn whoever_makes_a_company_hears_of_what_a_node_writes_whose_clock_is_a_little_behind() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let late = world.second_node();
        let body = json!({ "user": { "first_name": "Nora", "last_name": "Lind", "email": "nora@people.example" },
                           "company": { "name": "Lind and Daughters" } });
        world.app.store.clock().advance_to(world.now() + jiff::Span::new().minutes(1));
        let call = world.call("POST", "/v1/partner_managed_companies").bearer(&world.system_token);
        let made = call.json(&body).send().await.ok();
        late.app.store.clock().advance_to(world.now() - jiff::Span::new().seconds(4));
        let (id, token) = (text(&made, "company_uuid"), text(&made, "access_token"));
        let person = json!({ "first_name": "Ana", "last_name": "Ruiz" });
        let call = late.call("POST", format!("/v1/companies/{id}/employees")).bearer(&token);
        call.json(&person).send().await.created();
        events::webhooks::outbox::number_all(&world.app.store).await.unwrap();
        let call = world.call("GET", format!("/v1/events?resource_uuid={id}&event_type=employee.created"));
        assert_eq!(call.bearer(&world.system_token).send().await.list().len(), 1);
    });
}

#[test]
fn a_partner_creates_a_company_with_tokens_for_it_alone_and_lets_it_go() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let body = json!({ "user": { "first_name": "Nora", "last_name": "Lind", "email": "nora@people.example" },
                           "company": { "name": "Lind and Daughters", "ein": "30-1852096" } });
        let create = async |body: &Value| {
            let call = world.call("POST", "/v1/partner_managed_companies").bearer(&world.system_token);
            call.json(body).send().await
        };
        let made = create(&body).await.ok();
        assert_eq!(made["expires_in"], 7_200);
        let (id, token) = (text(&made, "company_uuid"), text(&made, "access_token"));
        let path = format!("/v1/companies/{id}");
        let told = world.call("GET", &path).bearer(&token).send().await.ok();
        assert_eq!((&told["company_status"], &told["ein"]), (&json!("Not Approved"), &json!("301852096")));
        assert_eq!(told["primary_payroll_admin"]["email"], "nora@people.example");
        let refused =
            create(&json!({ "user": { "email": "x" }, "company": { "ein": "1" } })).await.refused(422);
        assert_eq!(refused.keys(), ["user", "company"]);
        let leave = format!("/v1/partner_managed_companies/{id}/disassociate");
        let (_, other) = world.another_application().await;
        let foreign = world.call("PUT", &leave).header("authorization", format!("Token {other}"));
        foreign.send().await.refused(404);
        world.call("PUT", &leave).bearer(&world.system_token).send().await.ok();
        world.call("GET", &path).bearer(&token).send().await.refused(401);
        world.call("PUT", &leave).bearer(&world.system_token).send().await.refused(404);

        // What happens to the company from now on is no longer told to the application.
        let company = id.parse().unwrap();
        let later =
            move |tx: &mut store::Tx<'_>| events::emit_event(tx, company, events::COMPANY_UPDATED, company);
        world.app.store.write(later).await.unwrap_or_else(|error: Error| panic!("{error:?}"));
        let told = world.call("GET", format!("/v1/events?resource_uuid={id}"));
        let told = told.bearer(&world.system_token).send().await.ok();
        let types: Vec<_> = told.as_array().unwrap().iter().map(|event| text(event, "event_type")).collect();
        assert!(types.contains(&"company.deprovisioned".to_owned()), "{types:?}");
        assert!(!types.contains(&"company.updated".to_owned()), "{types:?}");
    });
}

#[test]
fn with_the_partner_go_links_sessions_and_document_addresses_that_it_handed_out() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let (mine, others) = (company.hire("Ana", "2026-07-01").await, world.company().await);
        let other = others.hire("Bea", "2026-07-01").await;
        let (link, unopened, foreign) =
            (company.link(&mine.id).await, company.link(&mine.id).await, others.link(&other.id).await);
        let opened = world.call("GET", &link).send().await.is(303);
        let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
        let visit = async |path: &str| world.call("GET", path).header("cookie", cookie.clone()).send().await;
        let onward = visit(opened.header("location")).await.is(303);
        let page = onward.header("location");
        visit(page).await.is(200);
        let path = format!("/v1/employees/{}/federal_taxes", mine.id);
        let version = company.get(&path).await.ok()["version"].clone();
        let form = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": "Single" });
        company.put(&path, form).await.ok();
        let forms = company.get(format!("/v1/employees/{}/forms", mine.id)).await.list();
        let pdf = format!("/v1/employees/{}/forms/{}/pdf", mine.id, text(&forms[0], "uuid"));
        let document = text(&company.get(pdf).await.ok(), "document_url");
        let document = document.strip_prefix("https://pages.example").unwrap();
        world.call("GET", document).send().await.is(200);

        let leave = format!("/v1/partner_managed_companies/{}/disassociate", company.id);
        world.call("PUT", &leave).bearer(&world.system_token).send().await.ok();
        assert_ne!(visit(page).await.status, 200, "the session ended");
        world.call("GET", document).send().await.is(404);
        for link in [&link, &unopened] {
            world.call("GET", link).send().await.is(410);
        }
        world.call("GET", &foreign).send().await.is(303);
    });
}

#[test]
fn an_administrator_is_added_once() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        let admins = "/v1/companies/{company}/admins";
        let body =
            json!({ "first_name": "Susan", "last_name": "Whitfield", "email": "SUSAN@people.example" });
        let refused = company.post(admins, body).await.refused(422);
        assert_eq!(refused.keys(), ["email", "company"]);
        assert_eq!(company.get(admins).await.list().len(), 1);
        let missing = company.post(admins, json!({})).await.refused(422);
        assert_eq!(missing.keys(), ["first_name", "last_name", "email"]);
        assert!(missing.0.iter().all(|fault| fault["category"] == "missing_parameter"), "{:?}", missing.0);
        let blank = company
            .post(admins, json!({ "first_name": "", "last_name": "Kim", "email": "kim@people.example" }));
        assert_eq!(blank.await.refused(422).fault(), ("first_name", "invalid_attribute_value"));
        let told = company.get("/v1/companies/{company}/signatories").await.list();
        assert_eq!(told[0]["is_admin"], true);
    });
}

#[test]
fn who_administers_companies_of_several_partners_is_known_to_each_by_what_it_entered() {
    on_both_engines(async |engine: Engine| {
        let (one, other) = (standalone(engine).await, standalone(engine).await);
        let admins = "/v1/companies/{company}/admins";
        let email = format!("vera.{}@private.example", one.id);
        let vera =
            json!({ "first_name": "Vera", "last_name": "Secret", "email": email, "phone": "2125550123" });
        let known = one.post(admins, vera).await.ok();
        let named = json!({ "first_name": "V", "last_name": "Unknown", "email": email.to_uppercase() });
        let told = other.post(admins, named).await.ok();
        assert_eq!(told["uuid"], known["uuid"], "it is one account");
        for told in [told, other.get(admins).await.list().pop().unwrap()] {
            assert_eq!(told["first_name"], "V", "{told}");
            assert_eq!(told["last_name"], "Unknown", "{told}");
            assert_eq!(told["phone"], Value::Null, "{told}");
        }
        let vera = one.get(admins).await.list().pop().unwrap();
        assert_eq!((&vera["first_name"], &vera["phone"]), (&json!("Vera"), &json!("2125550123")));
    });
}

#[test]
fn the_primary_administrator_changes_when_that_is_asked_for_and_the_one_before_stays() {
    on_both_engines(async |engine: Engine| {
        let company = standalone(engine).await;
        let admins = "/v1/companies/{company}/admins";
        let add = async |email: &str, primary: Value| {
            let body = json!({ "first_name": "Ann", "last_name": "Lee", "email": email, "primary": primary });
            company.post(admins, body).await
        };
        let primary = async || {
            let told = company.get("/v1/companies/{company}").await.ok();
            told["primary_payroll_admin"]["email"].as_str().map(str::to_lowercase)
        };
        let ann = format!("ann.{}@people.example", company.id);
        assert_eq!(add(&ann, json!("yes")).await.refused(422).keys(), ["primary"]);
        add(&ann, json!(false)).await.ok();
        assert_eq!(primary().await, None);
        add(&ann, json!(false)).await.refused(422);
        for (email, told) in [(SIGNATORY, SIGNATORY), (&ann, &ann), (&ann, &ann)] {
            add(email, json!(true)).await.ok();
            assert_eq!(primary().await.as_deref(), Some(told), "somebody who is an administrator already");
            let all = company.get(admins).await.list();
            let first: Vec<_> = all.iter().filter(|one| one["primary"] == true).collect();
            assert_eq!(first.len(), 1, "{all:?}");
            assert_eq!(first[0]["email"].as_str().map(str::to_lowercase).as_deref(), Some(told));
        }
        let all = company.get(admins).await.list();
        assert_eq!(all.len(), 2, "the one before keeps full access");
        assert!(all.iter().all(|one| one["primary"].is_boolean()));
    });
}
