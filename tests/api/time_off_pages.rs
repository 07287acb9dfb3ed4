//! The employer's pages of paid time off: policies, who has which, and how many hours are left.

use serde_json::{Value, json};

use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// The largest page, in bytes.
const LARGEST: usize = 40_000;

/// A browser that has opened a link to the pages of time off.
async fn open(company: &Company) -> Browser {
    let body =
        json!({ "flow_type": "time_off_management", "entity_type": "Company", "entity_uuid": company.id });
    let made = company.post("/v1/companies/{company}/flows", body).await.created();
    Browser::follow(company, text(&made, "url").strip_prefix("https://pages.example").unwrap()).await
}

async fn policies(company: &Company) -> Vec<Value> {
    company.get("/v1/companies/{company}/time_off_policies").await.list()
}

/// Who has a policy, and with how many hours.
async fn members(company: &Company, policy: &str) -> Vec<(String, String)> {
    let told = company.get(format!("/v1/time_off_policies/{policy}")).await.ok();
    let all = told["employees"].as_array().unwrap();
    let mut found: Vec<_> = all
        .iter()
        .map(|one| (text(one, "uuid"), one["balance"].as_str().unwrap_or_default().to_owned()))
        .collect();
    found.sort();
    found
}

const VACATION: [(&str, &str); 6] = [
    ("action", "save"),
    ("name", "Vacation"),
    ("policy_type", "vacation"),
    ("accrual_method", "per_pay_period"),
    ("accrual_rate", "3.08"),
    ("max_hours", "120"),
];

/// A company with two employees, and a browser that has made a policy on its pages.
async fn with_policy(engine: Engine) -> (Company, [String; 2], Browser, String) {
    let company = engine.world().await.company().await;
    let location = id_of(&company.location("TX").await);
    let hourly = ("20.00", "Hour", "Nonexempt");
    let (ana, _) = company.onboarded("Ana", &location, hourly).await;
    let (ben, _) = company.onboarded("Ben", &location, hourly).await;
    let browser = open(&company).await;
    browser.fill_in("policies", &VACATION).await.is(303);
    let [policy]: [Value; 1] = policies(&company).await.try_into().unwrap();
    (company, [ana, ben], browser, id_of_policy(&policy))
}

#[test]
fn a_policy_is_made_and_changed_on_pages() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let browser = open(&company).await;
        let first = browser.get("policies").await.is(200).text();
        assert!(first.contains("New policy") && first.len() < LARGEST, "{first}");
        let mut wrong = VACATION;
        (wrong[1].1, wrong[4].1) = ("", "many");
        let refused = browser.fill_in("policies", &wrong).await.is(422).text();
        for name in ["name-problem", "accrual_rate-problem"] {
            assert!(refused.contains(&format!("id=\"{name}\"")), "{name}: {refused}");
        }
        assert_eq!((value_of(&refused, "max_hours").as_str(), policies(&company).await.len()), ("120", 0));
        browser.fill_in("policies", &VACATION).await.is(303);
        let [policy]: [Value; 1] = policies(&company).await.try_into().unwrap();
        assert_eq!(
            (&policy["accrual_rate"], &policy["max_hours"], &policy["complete"]),
            (&json!("3.080"), &json!("120.000"), &json!(true)),
            "{policy}"
        );

        let id = id_of_policy(&policy);
        let asked = browser.fill_in("policies", &[("action", &format!("edit:{id}"))]).await.is(200).text();
        let (version, token) = (value_of(&asked, "version"), value_of(&asked, "form_token"));
        let change = [
            ("form_token", &*token),
            ("version", &*version),
            ("record", &*id),
            ("action", "save"),
            ("name", "Holidays"),
            ("accrual_rate", "4"),
            ("max_hours", ""),
        ];
        browser.form("policies", &change).send().await.is(303);
        let [policy]: [Value; 1] = policies(&company).await.try_into().unwrap();
        assert_eq!((&policy["name"], &policy["max_hours"]), (&json!("Holidays"), &Value::Null));
        browser.form("policies", &change).send().await.is(303);
        let mut other = change;
        other[4].1 = "Summer";
        browser.form("policies", &other).send().await.is(409);
        let done = browser.fill_in("policies", &[("action", "")]).await.is(303);
        assert_eq!(done.header("location"), "/flow/done");
        browser.get("done").await.is(200);
    });
}

#[test]
fn people_join_a_policy_and_leave_it_on_pages_and_what_is_not_said_of_them_stays() {
    on_both_engines(async |engine: Engine| {
        let (company, [ana, ben], browser, id) = with_policy(engine).await;
        let asked = browser.fill_in("policies", &[("action", &format!("people:{id}"))]).await.is(200).text();
        let record = value_of(&asked, "record");
        let [of_ana, of_ben] = [&ana, &ben].map(|person| format!("hours.{person}"));
        let [ana_joins, ben_joins] = [&ana, &ben].map(|person| format!("join.{person}"));
        assert!(asked.contains(&ana_joins) && asked.contains(&ben_joins), "{asked}");
        let send = async |fields: &[(&str, &str)]| {
            let who = [("action", "members"), ("record", &*record)];
            browser.fill_in("policies", &[&who, fields].concat()).await
        };
        for hours in ["x", "-1", "121"] {
            let refused = send(&[(&ana_joins, "on"), (&of_ana, hours)]).await.is(422).text();
            let said = refused.contains("numbers from 0") && refused.contains(&format!("value=\"{hours}\""));
            assert!(said, "{hours}: {refused}");
        }
        let unticked = send(&[(&ana_joins, "on"), (&of_ben, "9")]).await.is(422).text();
        assert!(unticked.contains(&format!("id=\"{ben_joins}-problem\"")), "{unticked}");
        assert!(members(&company, &id).await.is_empty(), "what was refused is not stored");

        send(&[(&ana_joins, "on"), (&of_ana, "12.5"), (&of_ben, "")]).await.is(303);
        assert_eq!(members(&company, &id).await, [(ana.clone(), "12.500".to_owned())]);
        send(&[(&ben_joins, "on"), (&of_ben, ""), (&of_ana, "12.50")]).await.is(303);
        send(&[(&of_ben, "8"), (&of_ana, "")]).await.is(303);
        let mut expected = [(ana.clone(), "12.500".to_owned()), (ben.clone(), "8.000".to_owned())];
        expected.sort();
        assert_eq!(members(&company, &id).await, expected);
        let leaves = format!("leave.{ana}");
        send(&[(&leaves, "on"), (&of_ana, "12.50"), (&of_ben, "8.00")]).await.is(303);
        assert_eq!(members(&company, &id).await, [(ben, "8.000".to_owned())]);
    });
}

/// A policy's identifier: published clients know it by the name `uuid`.
fn id_of_policy(policy: &Value) -> String {
    text(policy, "uuid")
}

#[test]
fn a_policy_without_hours_has_none_to_enter_and_many_people_come_page_by_page() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let mut people = Vec::new();
        for number in 0..26 {
            let name = format!("Person{}", char::from(b'a' + number));
            people.push(company.onboarded(&name, &location, ("18.50", "Hour", "Nonexempt")).await.0);
        }
        let browser = open(&company).await;
        let sick = [
            ("action", "save"),
            ("name", "As needed"),
            ("policy_type", "sick"),
            ("accrual_method", "unlimited"),
            ("accrual_rate", ""),
            ("paid_out_on_termination", "on"),
        ];
        // Hours that would be dropped are refused at their fields.
        let counted = sick.map(|(name, value)| (name, if name == "accrual_rate" { "5" } else { value }));
        let refused = browser.fill_in("policies", &counted).await.is(422).text();
        assert!(
            refused.contains("id=\"accrual_rate-problem\"") && refused.contains("does not count hours"),
            "{refused}"
        );
        assert_eq!(policies(&company).await.len(), 0);
        browser.fill_in("policies", &sick).await.is(303);
        let [policy]: [Value; 1] = policies(&company).await.try_into().unwrap();
        let id = id_of_policy(&policy);
        let first = browser.fill_in("policies", &[("action", &format!("people:{id}"))]).await.is(200).text();
        assert!(!first.contains("hours.") && first.len() < LARGEST, "{} bytes", first.len());
        assert_eq!(first.matches("name=\"join.").count(), 25);
        let record = value_of(&first, "record");
        let [ana, last] = [&people[0], &people[25]].map(|person| format!("join.{person}"));
        let second =
            browser.fill_in("policies", &[("action", "members"), ("record", &*record), (&*ana, "on")]).await;
        let second = second.is(200).text();
        assert_eq!(second.matches("name=\"join.").count(), 1, "the next page of people");
        let record = value_of(&second, "record");
        let end =
            browser.fill_in("policies", &[("action", "members"), ("record", &*record), (&*last, "on")]).await;
        assert_eq!(end.is(303).header("location"), "/flow/policies");
        let mut expected = vec![people[0].clone(), people[25].clone()];
        expected.sort();
        let found: Vec<_> = members(&company, &id).await.into_iter().map(|(person, _)| person).collect();
        assert_eq!(found, expected);
        let list = browser.get("policies").await.text();
        assert!(list.contains("People:\u{a0}2") && list.contains("As needed"), "{list}");
    });
}
