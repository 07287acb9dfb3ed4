//! One of two jobs that ends: it is paid to its last day, and no longer.

use serde_json::{Value, json};

use super::{company, enter, of, path, read};
use crate::support::{Engine, id_of, on_both_engines, text};

fn hours_in(job: &str, hours: &str) -> Value {
    json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": hours, "job_uuid": job }] })
}

fn on(job: &str, day: &str) -> Value {
    json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "4", "job_uuid": job, "date": day }] })
}

#[test]
fn a_job_that_has_ended_is_paid_to_its_last_day_and_leaves_room_for_a_salary() {
    on_both_engines(async |engine: Engine| {
        let (company, location, first) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let server = company.job(&ana, "Server", "2026-06-01").await;
        company.pay(&server, "30.00", "Hour", "Nonexempt").await;
        let server = id_of(&server);
        let job = format!("/v1/jobs/{server}");
        let put = async |id: &str, end: Value| {
            let path = format!("/v1/jobs/{id}");
            let version = company.get(&path).await.ok()["version"].clone();
            company.put(path, json!({ "version": version, "end_date": end })).await
        };
        // Until then she cannot have a salary.
        let cook = text(&company.get(format!("/v1/employees/{ana}/jobs")).await.list()[0], "uuid");
        let salary = json!({ "rate": "60000", "payment_unit": "Year", "flsa_status": "Exempt",
                             "effective_date": "2026-06-15" });
        let compensations = format!("/v1/jobs/{cook}/compensations");
        let barred = company.post(&compensations, salary.clone()).await.refused(422);
        assert!(barred.message().contains("end_date"), "{}", barred.message());

        let wrong = put(&cook, json!("2026-06-05")).await.refused(422);
        assert_eq!(wrong.keys(), ["end_date"]);
        assert!(wrong.message().contains("primary"), "{}", wrong.message());
        assert_eq!(put(&server, json!("2026-05-31")).await.refused(422).keys(), ["end_date"]);
        assert_eq!(put(&server, json!("2026-06-05")).await.ok()["end_date"], "2026-06-05");
        assert_eq!(company.get(&job).await.ok()["end_date"], "2026-06-05");

        let late = enter(&company, &first, &ana, on(&server, "2026-06-08")).await.refused(422);
        assert!(format!("{late:?}").contains("2026-06-05"), "{late:?}");
        enter(&company, &first, &ana, on(&server, "2026-06-05")).await.ok();
        enter(&company, &first, &ana, hours_in(&cook, "60")).await.ok();
        company.calculate(&first).await;
        let paid = read(&company, &first, "").await;
        assert_eq!(of(&paid, &ana)["gross_pay"].to_string(), "1320.00", "60 hours at 20.00 and 4 at 30.00");

        // Hours of a later payroll keep the job until they are gone.
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let second = periods.iter().find(|one| one["start_date"] == "2026-06-15").unwrap();
        let second = text(&second["payroll"], "payroll_uuid");
        let refused = enter(&company, &second, &ana, hours_in(&server, "8")).await.refused(422);
        assert!(format!("{refused:?}").contains("ended on 2026-06-05"), "{refused:?}");
        put(&server, Value::Null).await.ok();
        enter(&company, &second, &ana, hours_in(&server, "8")).await.ok();
        let kept = put(&server, json!("2026-06-05")).await.refused(422);
        assert!(kept.message().contains("2026-06-15"), "{}", kept.message());
        enter(&company, &second, &ana, hours_in(&server, "0")).await.ok();
        // What was calculated with the job until later is calculated again.
        company.calculate(&first).await;
        put(&server, json!("2026-06-07")).await.ok();
        assert!(read(&company, &first, "").await["calculated_at"].is_null());
        company.calculate(&first).await;
        company.submit(&first).await;

        // Now she can have a salary, and the job cannot go on beside it.
        company.post(&compensations, salary).await.created();
        let again = put(&server, Value::Null).await.refused(422);
        assert_eq!(again.keys(), ["end_date"]);
        company.calculate(&second).await;
        let paid = read(&company, &second, "").await;
        assert_eq!(of(&paid, &ana)["gross_pay"].to_string(), "2307.69", "60,000.00 in 26 parts");
        let explained = company.get(path(&second, &format!("/employees/{ana}/explain"))).await.ok();
        assert!(explained["figures"].as_array().is_some_and(|figures| !figures.is_empty()));
    });
}
