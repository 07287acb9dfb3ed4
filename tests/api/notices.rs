//! What a partner's screens read of a company on every page: how it is paid, what it is told and asked, whether it leaves.

use jiff::ToSpan;
use serde_json::json;

use crate::support::{Engine, id_of, on_both_engines, text};

#[test]
fn lists_of_what_the_service_does_not_do_are_empty_and_come_in_pages() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        for list in ["wire_in_requests", "recovery_cases", "ach_transactions", "notifications"] {
            let answer = company.get(format!("/v1/companies/{{company}}/{list}?page=1&per=5")).await.is(200);
            assert!(answer.list().is_empty(), "{list}");
            assert_eq!(answer.header("x-total-count"), "0", "{list}");
        }
        assert!(company.get("/v1/companies/{company}/information_requests").await.list().is_empty());
        let fields = company.get("/v1/companies/{company}/custom_fields").await.ok();
        assert_eq!(fields, json!({ "custom_fields": [] }));
    });
}

#[test]
fn an_employee_who_waits_for_the_review_is_a_notification_until_it_is_done() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = id_of(&company.self_onboarding_employee("Ana").await);
        let address = format!("/v1/employees/{ana}/onboarding_status");
        let steps = company.get(&address).await.ok()["onboarding_steps"].clone();
        let open = steps.as_array().unwrap().iter().filter(|step| step["id"] != "admin_review");
        let marks: Vec<_> = open.map(|step| json!({ "id": step["id"], "completed": true })).collect();
        company.put(&address, json!({ "onboarding_steps": marks })).await.ok();
        let told = company.get("/v1/companies/{company}/notifications?status=open").await.list();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["resources"][0], json!({ "entity_type": "Employee", "entity_uuid": ana }));
        assert_eq!(
            told[0]["category"], "employee_review",
            "as in the event notification.employee_review.created"
        );
        assert!(company.get("/v1/companies/{company}/notifications?status=resolved").await.list().is_empty());
        let one = format!("/v1/notifications/{}", id_of(&told[0]));
        assert_eq!(company.get(&one).await.ok(), told[0]);
        let stranger = company.world.company().await;
        stranger.get(&one).await.refused(404);
        let nobody = id_of(&company.employee("Ben").await);
        company.get(format!("/v1/notifications/{nobody}")).await.refused(404);
        let known = company.count_events().await;
        company.put(&address, json!({ "onboarding_status": "onboarding_completed" })).await.ok();
        let told = company.event_types_since(known).await;
        assert_eq!(told, ["employee.onboarded", "notification.employee_review.resolved"]);
        assert!(company.get("/v1/companies/{company}/notifications").await.list().is_empty());
        assert_eq!(company.get(&one).await.refused(422).fault(), ("base", "invalid_operation"));
    });
}

const UNSIGNED: &str = "notification.sign_company_documents.created";

#[test]
fn an_account_to_verify_and_a_form_to_sign_are_notifications_until_they_are() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let notices = "/v1/companies/{company}/notifications";
        let known = company.count_events().await;
        let account = id_of(&company.bank_account("90126600418").await);
        let of_notices = async |known: usize| {
            let told = company.event_types_since(known).await;
            told.into_iter().filter(|name| name.starts_with("notification.")).collect::<Vec<_>>()
        };
        assert_eq!(
            of_notices(known).await,
            ["notification.bank_account.created", UNSIGNED, UNSIGNED],
            "two forms are to be signed"
        );
        let told = company.get(notices).await.list();
        let categories: Vec<_> = told.iter().map(|one| one["category"].clone()).collect();
        assert_eq!(categories, ["bank_account", "sign_company_documents", "sign_company_documents"]);
        assert_eq!(told[0]["resources"], json!([{ "entity_type": "BankAccount", "entity_uuid": account }]));
        assert_eq!((&told[0]["actionable"], &told[0]["can_block_payroll"]), (&json!(false), &json!(true)));
        let forms = company.get("/v1/companies/{company}/forms").await.list();
        for (one, form) in told[1..].iter().zip(&forms) {
            assert_eq!(
                (&one["uuid"], &one["template_variables"]["form_name"]),
                (&form["uuid"], &form["title"])
            );
        }
        let each = told.iter().map(|one| format!("/v1/notifications/{}", id_of(one))).collect::<Vec<_>>();
        for (path, one) in each.iter().zip(&told) {
            assert_eq!(company.get(path).await.ok(), *one);
            company.world.company().await.get(path).await.refused(404);
        }

        let (first, second) = company.test_deposits(&account).await;
        assert_eq!(company.get(&each[0]).await.ok()["actionable"], true, "the deposits were made");
        let known = company.count_events().await;
        company.verify(&account, (&first, &second)).await.is(200);
        assert_eq!(of_notices(known).await, ["notification.bank_account.resolved"]);
        assert_eq!(company.get(&each[0]).await.refused(422).fault(), ("base", "invalid_operation"));
        assert_eq!(company.get(notices).await.list().len(), 2);

        // Another account has to be verified, and to be authorized, too; that before it is nobody's business any more.
        let known = company.count_events().await;
        let other = id_of(&company.bank_account("90126600419").await);
        assert_eq!(of_notices(known).await, ["notification.bank_account.created"]);
        let known = company.count_events().await;
        company.bank_account("90126600420").await;
        assert_eq!(
            of_notices(known).await,
            ["notification.bank_account.resolved", "notification.bank_account.created"]
        );
        company.get(format!("/v1/notifications/{other}")).await.refused(422);
    });
}

#[test]
fn a_form_that_is_to_be_signed_anew_is_told_of_from_then_on() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let notices = "/v1/companies/{company}/notifications";
        let now = || company.world.now().strftime("%Y-%m-%dT%H").to_string();
        company.set_up().await;
        let form = id_of(&company.company_form("company_direct_deposit").await);
        let one = format!("/v1/notifications/{form}");
        company.get(&one).await.refused(422);
        company.world.wait(72.hours()).await;
        let asked = now();
        company.bank_account("90126600419").await;
        let published = || async { text(&company.get(&one).await.ok(), "published_at")[..13].to_owned() };
        assert_eq!(published().await, asked, "not when the form first came to be");
        // What is changed again meanwhile is the same request.
        company.world.wait(48.hours()).await;
        company.bank_account("90126600420").await;
        assert_eq!(published().await, asked);
        let listed = company.get(notices).await.list();
        let listed = listed.iter().find(|told| told["uuid"] == json!(form)).unwrap();
        assert_eq!(*listed, company.get(&one).await.ok());
        // What is signed is what the form says now.
        company.sign_company_form(&form).await.ok();
        company.get(&one).await.refused(422);
        company.world.wait(24.hours()).await;
        company.bank_account("90126600421").await;
        assert_eq!(published().await, now());
    });
}

#[test]
fn a_company_that_leaves_is_suspended_with_its_reasons_on_record() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let address = "/v1/companies/{company}/suspensions";
        let missing = company.post(address, json!({ "reason": "switching_provider" })).await.refused(422);
        let needed = ["leaving_for", "reconcile_tax_method", "file_quarterly_forms", "file_yearly_forms"];
        assert_eq!(missing.keys(), needed);
        let leaves = json!({ "reason": "switching_provider", "leaving_for": "other", "comments": "Moves abroad",
                             "reconcile_tax_method": "refund_taxes", "file_quarterly_forms": true, "file_yearly_forms": false });
        let suspension = company.post(address, leaves.clone()).await.ok();
        assert_eq!(company.get(address).await.list(), [suspension]);
        let blockers = company.get("/v1/companies/{company}/payrolls/blockers").await.list();
        assert!(blockers.iter().any(|blocker| blocker["key"] == "suspended"), "{blockers:?}");
        assert_eq!(company.post(address, leaves).await.refused(422).fault(), ("base", "invalid_operation"));
        let events = company.get("/v1/events?event_type=company.suspended").await;
        assert!(events.list().iter().any(|event| event["event_type"] == "company.suspended"));
    });
}

#[test]
fn another_ein_needs_another_company() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let leaves = json!({ "reason": "changing_ein_or_entity_type", "reconcile_tax_method": "pay_taxes",
                             "file_quarterly_forms": true, "file_yearly_forms": true });
        let refused = company.post("/v1/companies/{company}/suspensions", leaves).await.refused(422);
        assert_eq!(refused.keys(), ["reason"]);
    });
}

#[test]
fn who_pays_out_can_be_changed_and_the_speed_confirmed_alone() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let address = "/v1/companies/{company}/payment_configs";
        let now = company.get(address).await.ok();
        assert_eq!(
            (&now["payment_speed"], &now["partner_owned_disbursement"]),
            (&json!("2-day"), &json!(false))
        );
        let nested = json!({ "payment_configs": { "payment_speed": "2-day", "fast_payment_limit": null } });
        assert_eq!(company.put(address, nested).await.ok(), now);
        company.put(address, json!({ "partner_owned_disbursement": true })).await.ok();
        assert_eq!(
            company.put(address, json!({ "payment_speed": "2-day" })).await.ok()["partner_owned_disbursement"],
            true
        );
        assert_eq!(company.get(address).await.ok()["partner_owned_disbursement"], true);
        let both = json!({ "partner_owned_disbursement": true, "payment_configs": { "partner_owned_disbursement": false } });
        assert_eq!(company.put(address, both).await.refused(422).keys(), ["partner_owned_disbursement"]);
        assert_eq!(world.company().await.get(address).await.ok()["partner_owned_disbursement"], false);
        let faster = company.put(address, json!({ "payment_speed": "1-day" })).await.refused(422);
        assert_eq!(faster.keys(), ["payment_speed"]);
        assert!(faster.message().contains("2-day"), "{}", faster.message());
        assert_eq!(company.put(address, json!({})).await.refused(422).keys(), ["payment_configs"]);
    });
}

#[test]
fn whoever_holds_a_token_can_ask_for_its_company() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let me = company.get("/v1/me").await.ok();
        assert_eq!(me["roles"]["payroll_admin"]["companies"][0]["uuid"], company.id.to_string());
        assert!(
            me.get("email").is_none(),
            "nobody has consented to a token that the partner made for itself"
        );
    });
}

#[test]
fn employment_begins_with_the_first_job() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = id_of(&company.employee("Ana").await);
        let address = format!("/v1/employees/{ana}/employment_history");
        assert!(company.get(&address).await.list().is_empty(), "nobody is employed without a job");
        company.job(&ana, "Barista", "2026-02-01").await;
        company.job(&ana, "Waiter", "2026-05-01").await;
        let history = company.get(&address).await.list();
        assert_eq!(history.len(), 1);
        assert_eq!(
            (&history[0]["hire_date"], &history[0]["termination_date"]),
            (&json!("2026-02-01"), &json!(null))
        );
    });
}
