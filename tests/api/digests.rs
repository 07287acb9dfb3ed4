//! Payroll digests, and what a partner does not pay out itself.

use domain::access::tokens::{NewToken, TokenKind};
use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Engine, NOBODY, id_of, on_both_engines};

fn digest(key: &str, companies: &[&str]) -> Value {
    let companies: Vec<_> =
        companies.iter().map(|id| json!({ "entity_type": "company", "uuid": id })).collect();
    json!({ "idempotency_key": key, "batch_action": "create", "batch": companies })
}

#[test]
fn a_digest_tells_how_payroll_stands_in_each_company_for_a_day() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await.for_another_application().await;
        let (app, of) = (company.application, Some(company.id));
        let _token = world.token(TokenKind::Company, app, of, "payrolls:read", None).await;
        let location = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21", "custom_name": "Kitchen" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let bonus = company.off_cycle(&[&ana]).await;
        company.calculate(&bonus).await;
        let stranger = world.company().await;
        let (own, other) = (company.id.to_string(), stranger.id.to_string());
        let made = company
            .post("/v1/payroll_digests", digest("monday", &[&own, &other, NOBODY, &own]))
            .await
            .created();
        let path = format!("/v1/payroll_digests/{}", id_of(&made));
        let told = company.get(&path).await.ok();
        assert_eq!(
            (&told["status"], &told["processed_items"], &told["excluded_items"]),
            (&json!("completed"), &json!(1), &json!(3))
        );
        let why: Vec<_> =
            told["exclusions"].as_array().unwrap().iter().map(|one| one["category"].clone()).collect();
        assert_eq!(why, ["not_found", "not_found", "duplicate"]);
        let mine = &told["results"][0];
        assert_eq!((&mine["uuid"], &mine["idx"], &mine["blockers"]), (&json!(own), &json!(0), &json!([])));
        let payrolls = mine["payrolls"].as_array().unwrap();
        let calculated = payrolls.iter().find(|one| one["payroll_uuid"] == json!(bonus)).unwrap();
        assert_eq!(calculated["status"], "in_progress");
        assert_eq!(
            calculated["totals"]["net_pay"].as_str().map(str::len).map(|digits| digits > 3),
            Some(true)
        );
        let regular: Vec<_> = payrolls.iter().filter(|one| one["payroll_type"] == "regular").collect();
        assert_eq!(regular[0]["pay_schedule"]["custom_name"], "Kitchen");
        assert_eq!((&regular[0]["status"], &regular[0]["totals"]), (&json!("ready_to_start"), &Value::Null));
        assert!(regular.iter().any(|one| one["payroll_uuid"].is_null()), "periods that have not begun");

        let again = company.post("/v1/payroll_digests", digest("monday", &[&own])).await.refused(409);
        assert_eq!(again.only()["metadata"]["request_uuid"], made["uuid"]);
        stranger.get(&path).await.refused(404);
        world.wait(25.hours()).await;
        company.get(&path).await.refused(410);
    });
}

#[test]
fn a_digest_tells_of_companies_whose_tokens_may_read_payrolls_and_only_as_long_as_they_may() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await.for_another_application().await;
        let (app, of) = (company.application, Some(company.id));
        let _token = world.token(TokenKind::Company, app, of, "payrolls:read", None).await;
        let own = company.id.to_string();
        let ask = async |key: &str| {
            let made = company.post("/v1/payroll_digests", digest(key, &[&own])).await.created();
            let path = format!("/v1/payroll_digests/{}", id_of(&made));
            (path.clone(), company.get(&path).await.ok())
        };
        let (path, told) = ask("monday").await;
        assert_eq!(told["processed_items"], 1);
        let (app, of) = (company.application, company.id);
        let narrow = move |tx: &mut store::Tx<'_>| {
            domain::access::connections::lock_company_access(tx, of)?;
            domain::access::oauth::tokens::revoke_all(tx, app, of)?;
            domain::access::tokens::issue_token(
                tx,
                &NewToken {
                    kind: TokenKind::Company,
                    application: app,
                    company: Some(of),
                    user: None,
                    scopes: "companies:read",
                    expires_at: None,
                },
            )
        };
        let _token =
            world.app.store.write(narrow).await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
        // One that was made before tells no more either.
        for told in [company.get(&path).await.ok(), ask("tuesday").await.1] {
            assert_eq!((&told["processed_items"], &told["results"]), (&json!(0), &json!([])));
            assert_eq!(told["exclusions"][0]["category"], "missing_oauth_scopes");
        }
    });
}

#[test]
fn a_digest_of_a_company_that_pays_contractors_alone_tells_of_no_payroll() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let lina = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-01-05", "first_name": "Lina",
                           "last_name": "Ford", "ssn": "412551234" });
        let lina = id_of(&company.post("/v1/companies/{company}/contractors", lina).await.created());
        let paid = json!({ "contractor_uuid": lina, "payment_method": "Historical Payment", "date": "2026-06-12", "wage": "700.00" });
        company.post("/v1/companies/{company}/contractor_payments", paid).await.ok();
        let made = digest("contractors alone", &[&company.id.to_string()]);
        let made = company.post("/v1/payroll_digests", made).await.created();
        let told = company.get(format!("/v1/payroll_digests/{}", id_of(&made))).await.ok();
        assert_eq!((&told["status"], &told["processed_items"]), (&json!("completed"), &json!(1)));
        assert_eq!(told["results"][0]["payrolls"], json!([]), "payments of contractors are none");
    });
}

#[test]
fn a_digest_of_none_of_too_many_or_of_something_else_is_refused() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let post = async |body: Value| company.post("/v1/payroll_digests", body).await.refused(422);
        assert_eq!(post(json!({})).await.keys(), ["idempotency_key", "batch_action", "batch"]);
        assert_eq!(post(digest("none", &[])).await.keys(), ["batch"]);
        assert_eq!(post(digest("many", &[NOBODY; 26])).await.keys(), ["batch"]);
        let mut person = digest("person", &[NOBODY]);
        person["batch"][0]["entity_type"] = "person".into();
        assert_eq!(post(person).await.fault(), ("batch", "nested_errors"));
    });
}

#[test]
fn no_payroll_is_reversed_and_the_service_pays_out_where_nothing_else_is_said() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let payroll = company.off_cycle(&[&ana]).await;
        assert_eq!(company.get("/v1/companies/{company}/payroll_reversals").await.list(), [Value::Null; 0]);
        let path =
            |payroll: &str| format!("/v1/companies/{{company}}/payrolls/{payroll}/partner_disbursements");
        let told = company.get(path(&payroll)).await.ok();
        let expected = json!([{ "employee_uuid": ana, "payment_method": "Check", "payment_status": "Not partner managed" }]);
        assert_eq!((&told["payroll_uuid"], &told["disbursements"]), (&json!(payroll), &expected));
        company.get(path(NOBODY)).await.refused(404);
    });
}

#[test]
fn an_application_leaves_a_company_and_its_tokens_stop() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await.for_another_application().await;
        let (app, of) = (company.application, Some(company.id));
        let _token = world.token(TokenKind::Company, app, of, "payrolls:read", None).await;
        let token = world
            .token(TokenKind::Company, company.application, Some(company.id), "companies:read", None)
            .await;
        let own = format!("/v1/companies/{}", company.id);
        world.call("GET", &own).bearer(&token).send().await.is(200);
        let leave = format!("{own}/disconnect_app_integration");
        world.call("POST", &leave).bearer(&token).send().await.refused(403);
        company.call("POST", &leave).send().await.is(204);
        world.call("GET", &own).bearer(&token).send().await.refused(401);
        company.get("/v1/companies/{company}").await.ok();
        company.call("POST", &leave).send().await.refused(404);
        let stranger = format!("/v1/companies/{NOBODY}/disconnect_app_integration");
        company.call("POST", &stranger).send().await.refused(404);
    });
}
