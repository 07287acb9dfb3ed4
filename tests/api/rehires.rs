//! Whoever comes back after the employment has ended: with the sums of the year, and with forms that are signed anew.

use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines};
use crate::terminations::{company, paid, payroll_from, terminate, wait_until};

async fn a_rehire_is_checked(company: &Company, path: &str, back: &Value, employee: &str) {
    for (key, value) in [
        ("effective_date", json!("2026-06-20")),
        ("file_new_hire_report", Value::Null),
        ("work_location_uuid", json!(employee)),
    ] {
        let mut wrong = back.clone();
        wrong[key] = value;
        assert_eq!(company.post(path, wrong).await.refused(422).fault().0, key);
    }
}

#[test]
fn somebody_who_left_comes_back_with_the_sums_of_the_year() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let path = format!("/v1/employees/{max}/rehire");
        let back = json!({ "effective_date": "2026-07-06", "file_new_hire_report": true, "work_location_uuid": location });
        let refused = company.post(&path, back.clone()).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"), "who has not left cannot come back");
        company.get(&path).await.is(204);
        company.call("GET", &path).version("2024-04-01").send().await.is(404);
        terminate(&company, &max, "2026-06-20", false).await.created();
        wait_until(&company, "2026-06-21").await;
        let first = payroll_from(&company, "2026-06-15").await;
        company.calculate(&first).await;
        company.submit(&first).await;

        a_rehire_is_checked(&company, &path, &back, &max).await;
        let made = company.post(&path, back.clone()).await.created();
        assert_eq!((&made["active"], &made["employee_uuid"]), (&json!(false), &json!(max)));
        assert_eq!(made["steps_to_answer_again"], json!(["federal_tax_setup"]), "15 days away");
        company.post(&path, back.clone()).await.refused(422);
        company.link(&max).await;
        let mut moved = back.clone();
        moved["version"] = made["version"].clone();
        moved["employment_status"] = "by the day".into();
        let moved = company.put(&path, moved).await.ok();
        assert_eq!(moved["employment_status"], "not_set");
        assert_eq!(company.get(&path).await.ok(), moved);
        company.delete(&path).await.is(204);
        company.get(&path).await.is(204);
        company.post(&path, back.clone()).await.created();
        assert_eq!(company.read("employees", &max).await["terminated"], true);
        wait_until(&company, "2026-07-06").await;
        let employee = company.read("employees", &max).await;
        assert_eq!((&employee["terminated"], &employee["terminations"]), (&json!(false), &json!([])));
        company.delete(&path).await.refused(422);
        let history = company.get(format!("/v1/employees/{max}/employment_history")).await.list();
        let days: Vec<_> =
            history.iter().map(|one| (one["hire_date"].clone(), one["termination_date"].clone())).collect();
        assert_eq!(days, [(json!("2026-03-01"), json!("2026-06-20")), (json!("2026-07-06"), Value::Null)]);
        let events: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        let own: Vec<_> = events.iter().filter(|name| name.contains("rehire")).collect();
        assert_eq!(
            own,
            [
                "employee.rehired",
                "employee.rehire_cancelled",
                "employee.rehired",
                "employee.rehire_effective"
            ]
        );
        // 29 June to 12 July: 6 to 12 July are 7 days of 14 of 2,000.
        let next = payroll_from(&company, "2026-06-29").await;
        assert_eq!(paid(&company.calculate(&next).await), [(max.clone(), "1000.00".into())]);
        company.submit(&next).await;
        // The sums of the year go on where they stood: 857.14 and 1,000.00.
        let explained = company
            .get(format!("/v1/companies/{{company}}/payrolls/{next}/employees/{max}/explain"))
            .await
            .ok();
        assert!(explained.to_string().contains("857.14"), "{explained}");
        // Leaving once more is possible, not before the return.
        let early = terminate(&company, &max, "2026-07-05", false).await.refused(422);
        assert_eq!(early.fault().0, "effective_date");
        let again = terminate(&company, &max, "2026-07-31", false).await.created();
        assert_eq!(
            company.get(format!("/v1/employees/{max}/terminations")).await.list()[0]["uuid"],
            again["uuid"]
        );
        assert_eq!(company.get(&path).await.is(204).text(), "");
    });
}

#[test]
fn whoever_comes_back_three_years_after_the_hire_signs_form_i9_anew() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, job) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
        let job = company.read("jobs", &id_of(&job)).await;
        let earlier = json!({ "version": job["version"], "hire_date": "2023-01-09" });
        company.put(format!("/v1/jobs/{}", id_of(&job)), earlier).await.ok();
        let mut found = Vec::new();
        for who in [&max, &eva] {
            let config = format!("/v1/employees/{who}/onboarding_documents_config");
            company.put(config, json!({ "i9_document": true })).await.ok();
            let citizen = json!({ "authorization_status": "citizen" });
            company.put(format!("/v1/employees/{who}/i9_authorization"), citizen).await.ok();
            let path = format!("/v1/employees/{who}/forms");
            let i9 = |forms: Vec<Value>| forms.into_iter().find(|form| form["name"] == "US_I-9").unwrap();
            let form = i9(company.get(&path).await.list());
            let signature = json!({ "signature_text": "Max Silva", "agree": true, "signed_by_ip_address": "203.0.113.7" });
            company.put(format!("{path}/{}/sign", id_of(&form)), signature).await.ok();
            assert_eq!(i9(company.get(&path).await.list())["requires_signing"], false);
            terminate(&company, who, "2026-05-20", false).await.created();
            let back = json!({ "effective_date": "2026-06-01", "file_new_hire_report": false, "work_location_uuid": location });
            company.post(format!("/v1/employees/{who}/rehire"), back).await.created();
            company.work().await;
            found.push(i9(company.get(&path).await.list())["requires_signing"].clone());
        }
        assert_eq!(found, [json!(true), json!(false)], "Eva was hired in March");
    });
}
