//! Hosted pages of a contractor: details, address, account, Form W-9 and its signature, in English and Spanish; and the employer's, on which
//! contractors are added and their onboarding is finished.

use serde_json::{Value, json};

use crate::page_entries::{of_company, send};
use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const CONTRACTORS: &str = "/v1/companies/{company}/contractors";

async fn invited(company: &Company, body: Value) -> String {
    let id = id_of(&company.post(CONTRACTORS, body).await.created());
    let invite = json!({ "onboarding_status": "self_onboarding_invited" });
    company.put(format!("/v1/contractors/{id}/onboarding_status"), invite).await.ok();
    id
}

fn lina() -> Value {
    json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-06-01", "first_name": "Lina", "last_name": "Ford",
            "email": "lina@people.example", "self_onboarding": true })
}

async fn link(company: &Company, contractor: &str) -> String {
    let body = json!({ "flow_type": "contractor_self_management", "entity_type": "Contractor", "entity_uuid": contractor });
    let made = company.post("/v1/companies/{company}/flows", body).await.created();
    text(&made, "url").strip_prefix("https://pages.example").unwrap().to_owned()
}

async fn status(company: &Company, contractor: &str) -> String {
    text(&company.get(format!("/v1/contractors/{contractor}")).await.ok(), "onboarding_status")
}

const DETAILS: [(&str, &str); 5] = [
    ("first_name", "Lina"),
    ("middle_initial", ""),
    ("last_name", "Ford"),
    ("email", "lina@people.example"),
    ("ssn", "412-55-1234"),
];
const ADDRESS: [(&str, &str); 5] =
    [("street_1", "7 Mill Lane"), ("street_2", ""), ("city", "Austin"), ("state", "TX"), ("zip", "78701")];
const ACCOUNT: [(&str, &str); 6] = [
    ("action", "add"),
    ("name", "Checking"),
    ("routing_number", "121000374"),
    ("account_number", "40070051"),
    ("account_number_again", "40070051"),
    ("account_type", "Checking"),
];

async fn sign(page: &Browser, fields: &[(&str, &str)]) -> crate::support::Answer {
    let html = page.get("documents").await.is(200).text();
    let (token, document) = (value_of(&html, "form_token"), value_of(&html, "document"));
    let hidden = [("form_token", token.as_str()), ("document", document.as_str())];
    page.form("documents", &[&hidden, fields].concat()).send().await
}

#[test]
fn a_contractor_enters_everything_signs_form_w_9_and_hands_over_to_the_review() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let id = invited(&company, lina()).await;
        let page = Browser::follow(&company, &link(&company, &id).await).await;
        assert_eq!(status(&company, &id).await, "self_onboarding_started");
        let welcome = page.get("welcome").await.is(200).text();
        assert!(welcome.contains("ITIN or EIN"), "{welcome}");
        let wrong = page
            .fill_in("personal", &[("first_name", "Lina"), ("last_name", ""), ("email", ""), ("ssn", "1")])
            .await;
        wrong.is(422);
        assert_eq!(page.fill_in("personal", &DETAILS).await.is(303).header("location"), "/flow/address");
        assert_eq!(page.fill_in("address", &ADDRESS).await.is(303).header("location"), "/flow/payment");
        assert_eq!(page.fill_in("payment", &ACCOUNT).await.is(303).header("location"), "/flow/documents");
        let form = page.get("documents").await.is(200).text();
        assert!(form.contains("XXX-XX-1234") && form.contains("not subject to backup withholding"), "{form}");
        assert!(!form.contains("412551234"));
        sign(&page, &[("classification", "other"), ("signature_text", "Lina Ford"), ("agree", "on")])
            .await
            .is(422);
        let known = company.count_events().await;
        let w9 =
            [("classification", "individual_proprietor"), ("signature_text", "Lina Ford"), ("agree", "on")];
        assert_eq!(sign(&page, &w9).await.is(303).header("location"), "/flow/review");
        assert_eq!(company.event_types_since(known).await, ["contractor.form.signed"]);
        let review = page.get("review").await.is(200).text();
        assert!(
            review.contains("XXXX0051") && review.contains("7 Mill Lane") && !review.contains("412551234")
        );
        assert_eq!(page.fill_in("review", &[]).await.is(303).header("location"), "/flow/done");
        page.get("done").await.is(200);
        assert_eq!(status(&company, &id).await, "self_onboarding_review");
        let audit = company.audit().await;
        assert!(!format!("{audit:?}").contains("412551234"));
    });
}

#[test]
fn whoever_holds_a_link_confirms_to_be_the_contractor_before_the_account_changes() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let mut body = lina();
        body["ssn"] = "412551234".into();
        let id = invited(&company, body).await;
        let page = Browser::follow(&company, &link(&company, &id).await).await;
        let asked = page.get("payment").await.is(200).text();
        assert!(
            asked.contains("taxpayer identification number") && !asked.contains("routing_number"),
            "{asked}"
        );
        page.fill_in("payment", &ACCOUNT).await.is(200);
        assert_eq!(company.get(format!("/v1/contractors/{id}/bank_accounts")).await.list(), [json!(null); 0]);
        page.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "9999")]).await.is(422);
        page.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "1234")]).await.is(303);
        page.fill_in("payment", &ACCOUNT).await.is(303);
        assert_eq!(company.get(format!("/v1/contractors/{id}/bank_accounts")).await.list().len(), 1);

        let other = Browser::follow(&company, &link(&company, &id).await).await;
        let known = company.count_events().await;
        for _ in 0..5 {
            other.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "0000")]).await.is(422);
        }
        assert_eq!(company.event_types_since(known).await, ["contractor.confirmation_failed"]);
        let moved = [
            ("first_name", "Lina"),
            ("last_name", "Ford"),
            ("email", "lina@people.example"),
            ("ssn", "412551235"),
        ];
        other.fill_in("personal", &moved).await.is(422);
    });
}

#[test]
fn a_business_is_asked_for_its_ein_and_its_classification_in_spanish_too() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let hill = json!({ "type": "Business", "wage_type": "Fixed", "start_date": "2026-06-01", "business_name": "Hill Design LLC",
                           "email": "hill@people.example", "self_onboarding": true });
        let id = invited(&company, hill).await;
        let page = Browser::follow(&company, &link(&company, &id).await).await;
        let (token, _) = page.hidden("welcome").await;
        let spanish = [("form_token", token.as_str()), ("language", "es"), ("screen", "welcome")];
        page.form("language", &spanish).send().await.is(303);
        let details = page.get("personal").await.is(200).text();
        assert!(details.contains("Número de identificación de empleador"), "{details}");
        let entered =
            [("business_name", "Hill Design LLC"), ("email", "hill@people.example"), ("ein", "74-5551234")];
        page.fill_in("personal", &entered).await.is(303);
        page.fill_in("address", &ADDRESS).await.is(303);
        page.fill_in("payment", &[("action", "check")]).await.is(303);
        let none = [("signature_text", "Ana Hill"), ("agree", "on")];
        let asked = sign(&page, &none).await.is(422).text();
        assert!(asked.contains("Elija la clasificación."), "{asked}");
        let llc = [
            ("classification", "limited_liability_company"),
            ("tax_classification", "s"),
            ("signature_text", "Ana Hill"),
            ("agree", "on"),
        ];
        sign(&page, &llc).await.is(303);
        let documents = company.get(format!("/v1/contractors/{id}/documents")).await.list();
        let fields = documents[0]["fields"].as_array().unwrap();
        let value = |key: &str| fields.iter().find(|field| field["key"] == key).unwrap()["value"].clone();
        assert_eq!(
            (value("limited_liability_company"), value("tax_classification"), value("ein")),
            (json!("1"), json!("s"), json!("XX-XXX1234"))
        );
        assert_eq!(company.get(format!("/v1/contractors/{id}/payment_method")).await.ok()["type"], "Check");
    });
}

#[test]
fn the_links_of_a_dismissed_contractor_end_and_an_invitation_stands_as_it_was_used() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let id = invited(&company, lina()).await;
        let portal = format!("/v1/contractors/{id}/member_portal_invitations");
        company.get(&portal).await.refused(404);
        let made = company.post(&portal, json!({})).await.created();
        assert_eq!(company.get(&portal).await.ok()["status"], "sent");
        let url = text(&made, "url").strip_prefix("https://pages.example").unwrap().to_owned();
        let page = Browser::follow(&company, &url).await;
        assert_eq!(company.get(&portal).await.ok()["status"], "complete");
        let shown = company.get(format!("/v1/contractors/{id}?include=portal_invitations")).await.ok();
        assert_eq!(shown["member_portal_invitation_status"]["status"], "complete");
        company
            .post(format!("/v1/contractors/{id}/termination"), json!({ "end_date": "2026-06-10" }))
            .await
            .is(204);
        page.get("personal").await.is(410);
        company.post(&portal, json!({})).await.refused(422);
        company.delete(&portal).await.is(204);
        assert_eq!(company.get(&portal).await.ok()["status"], "cancelled");
    });
}

const NEW: [(&str, &str); 11] = [
    ("action", "save"),
    ("type", "Individual"),
    ("first_name", "Lina"),
    ("last_name", "Ford"),
    ("email", "lina@people.example"),
    ("start_date.month", "6"),
    ("start_date.day", "1"),
    ("start_date.year", "2026"),
    ("wage_type", "Hourly"),
    ("hourly_rate", "65.00"),
    ("invites", "contractor"),
];

fn but<'e>(changed: &[(&'e str, &'e str)]) -> Vec<(&'e str, &'e str)> {
    let mut all: Vec<_> =
        NEW.into_iter().filter(|(name, _)| changed.iter().all(|(other, _)| other != name)).collect();
    all.extend_from_slice(changed);
    all
}

async fn listed(company: &Company) -> Vec<Value> {
    company.get(CONTRACTORS).await.list()
}

#[test]
fn an_employer_adds_contractors_and_invites_them_once_however_often_the_form_is_sent() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let page = of_company(&company, "add_contractors").await;
        let first = page.call("GET", "/flow").send().await.is(303);
        assert_eq!(first.header("location"), "/flow/contractors", "there is nothing before the list");
        let empty = page.get("contractors").await.is(200).text();
        let wrong = [("wage_type", "Hourly"), ("hourly_rate", "20,5"), ("first_name", ""), ("invites", "")];
        let refused = send(&page, "contractors", &empty, &but(&wrong)).await.is(422).text();
        for field in ["first_name", "hourly_rate", "invites"] {
            assert!(refused.contains(&format!("id=\"{field}-problem\"")), "{field}: {refused}");
        }
        assert_eq!(listed(&company).await.len(), 0);
        for _ in 0..2 {
            send(&page, "contractors", &empty, &NEW).await.is(303);
        }
        let all = listed(&company).await;
        assert_eq!(all.len(), 1);
        assert_eq!(
            (text(&all[0], "onboarding_status"), text(&all[0], "hourly_rate")),
            ("self_onboarding_invited".into(), "65.00".into())
        );
        let other = send(&page, "contractors", &empty, &but(&[("hourly_rate", "70")])).await.is(422).text();
        assert!(other.contains("was already added, with other pay"), "{other}");
        let shown = page.get("contractors").await.is(200).text();
        assert!(shown.contains("Lina Ford") && shown.contains(">invited<"), "{shown}");
        // Whoever has no e-mail address cannot be invited, and is told so.
        let without = but(&[("email", ""), ("invites", "employer"), ("first_name", "Omar")]);
        send(&page, "contractors", &empty, &without).await.is(303);
        let omar = listed(&company).await.into_iter().find(|one| one["first_name"] == "Omar").unwrap();
        let invite = format!("invite:{}", id_of(&omar));
        let told = page.fill_in("contractors", &[("action", &invite)]).await.is(422).text();
        assert!(told.contains("has no e-mail address"), "{told}");
        assert_eq!(
            page.fill_in("contractors", &[("action", "")]).await.is(303).header("location"),
            "/flow/done"
        );
        page.get("done").await.is(200);
    });
}

const REST: [(&str, &str); 7] = [
    ("action", "entered"),
    ("ein", "74-5551234"),
    ("street_1", "7 Mill Lane"),
    ("city", "Austin"),
    ("state", "TX"),
    ("zip", "78701"),
    ("pay_by", "Direct Deposit"),
];
const ENTERED_ACCOUNT: [(&str, &str); 5] = [
    ("name", "Studio"),
    ("routing_number", "121000374"),
    ("account_number", "40070051"),
    ("account_number_again", "40070051"),
    ("account_type", "Checking"),
];

#[test]
fn an_employer_who_has_form_w_9_enters_the_rest_and_finishes_the_onboarding_in_spanish_too() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let page = of_company(&company, "add_contractors").await;
        let (token, _) = page.hidden("contractors").await;
        let spanish = [("form_token", token.as_str()), ("language", "es"), ("screen", "contractors")];
        page.form("language", &spanish).send().await.is(303);
        let empty = page.get("contractors").await.is(200).text();
        let business = [
            ("type", "Business"),
            ("business_name", "Hill Design LLC"),
            ("first_name", ""),
            ("last_name", ""),
            ("wage_type", "Fixed"),
            ("hourly_rate", ""),
            ("invites", "employer"),
        ];
        send(&page, "contractors", &empty, &but(&business)).await.is(303);
        let id = id_of(&listed(&company).await[0]);
        let enter = format!("enter:{id}");
        let form = page.fill_in("contractors", &[("action", &enter)]).await.is(200).text();
        assert!(form.contains("Lo demás de Hill Design LLC"), "{form}");
        let rest = REST;
        let refused = send(&page, "contractors", &form, &rest).await.is(422).text();
        assert!(
            refused.contains("routing_number-problem") && !refused.contains("id=\"ein-problem\""),
            "{refused}"
        );
        assert_eq!(
            company.get(format!("/v1/contractors/{id}")).await.ok()["has_ein"],
            false,
            "nothing is stored"
        );
        send(&page, "contractors", &form, &[&rest[..], &ENTERED_ACCOUNT].concat()).await.is(303);
        assert_eq!(status(&company, &id).await, "admin_onboarding_review");
        assert_eq!(
            company.get(format!("/v1/contractors/{id}/payment_method")).await.ok()["type"],
            "Direct Deposit"
        );
        // The page was of the record before: what was entered meanwhile is not overwritten silently.
        let late = [&rest[..], &ENTERED_ACCOUNT].concat();
        let late: Vec<_> = late
            .into_iter()
            .map(|(name, value)| (name, if name == "street_1" { "9 Mill Lane" } else { value }))
            .collect();
        send(&page, "contractors", &form, &late).await.is(409);
        assert_eq!(
            company.get(format!("/v1/contractors/{id}/address")).await.ok()["street_1"],
            "7 Mill Lane"
        );
        let known = company.count_events().await;
        let finish = format!("finish:{id}");
        page.fill_in("contractors", &[("action", &finish)]).await.is(303);
        assert_eq!(company.event_types_since(known).await, ["contractor.onboarded"]);
        assert_eq!(status(&company, &id).await, "onboarding_completed");
        // What is finished is not entered here any more.
        send(&page, "contractors", &form, &[&rest[..], &ENTERED_ACCOUNT].concat()).await.is(422);
        let audit = company.audit().await;
        assert!(!format!("{audit:?}").contains("745551234"));
    });
}

#[test]
fn the_employers_pages_of_one_company_do_not_touch_a_contractor_of_another() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, other) = (world.company().await, world.company().await);
        let foreign = id_of(&other.post(CONTRACTORS, lina()).await.created());
        let page = of_company(&company, "add_contractors").await;
        for action in ["invite", "finish", "enter"] {
            let sent = format!("{action}:{foreign}");
            let answer = page.fill_in("contractors", &[("action", &sent)]).await;
            assert!(!answer.text().contains("Lina"), "{action}");
        }
        let sent = [("action", "entered"), ("record", &foreign), ("ssn", "412551234"), ("pay_by", "Check")];
        page.fill_in("contractors", &sent).await.is(404);
        assert_eq!(status(&other, &foreign).await, "self_onboarding_not_invited");
        // A link without these pages has none of them.
        let alone = of_company(&company, "add_contractors").await;
        assert_eq!(alone.get("contractor_payments/new").await.header("location"), "/flow/contractors");
        let paying = of_company(&company, "contractor_payments").await;
        assert_eq!(paying.get("contractors").await.header("location"), "/flow/contractor_payments");
    });
}
