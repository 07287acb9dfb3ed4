//! Hours by day and place: what is entered, and what is refused.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{company, enter, hours, line, number, of, path};
use crate::support::{Engine, id_of, on_both_engines, text};

store::statements! {
    STORED = "SELECT employee_id, version, updated_at FROM payroll_inputs WHERE company_id = $1 ORDER BY employee_id";
}

/// Regular hours of a day, at a location if one is named.
fn day(date: &str, hours: &str, location: Option<&str>) -> Value {
    let mut line = json!({ "name": "Regular Hours", "hours": hours, "date": date });
    if let Some(location) = location {
        line["location_uuid"] = location.into();
    }
    line
}

fn lines(lines: &[Value]) -> Value {
    json!({ "hourly_compensations": lines })
}

#[test]
fn hours_of_days_and_places_stand_side_by_side() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let other = id_of(&company.location("NY").await);
        let (ana, job) = company.onboarded("Ana", &location, ("10.00", "Hour", "Nonexempt")).await;
        let raise = json!({ "rate": "20.00", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                            "effective_date": "2026-06-08" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
        let told = enter(
            &company,
            &payroll,
            &ana,
            lines(&[
                day("2026-06-09", "4", None),
                day("2026-06-01", "8", None),
                day("2026-06-09", "3.5", Some(&other)),
            ]),
        );
        let told = told.await.ok();
        let regular = line(&of(&told, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!(regular["hours"], "15.500");
        let entries = json!([
            { "date": "2026-06-01", "hours": "8.000" },
            { "date": "2026-06-09", "hours": "4.000" },
            { "date": "2026-06-09", "location_uuid": other, "hours": "3.500" },
        ]);
        assert_eq!((&regular["entries"], regular.get("workweeks")), (&entries, None));
        // Each day is paid at its rate: 8 x 10 + 7.5 x 20.
        let gross = async || number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]);
        assert_eq!(gross().await, "230.00");

        // A day and place again is changed, zero takes it out, and the others stay.
        let again = lines(&[day("2026-06-09", "1", Some(&other)), day("2026-06-01", "0", None)]);
        let told = enter(&company, &payroll, &ana, again).await.ok();
        let regular = line(&of(&told, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!((&regular["hours"], regular["entries"].as_array().unwrap().len()), (&json!("5.000"), 2));
        // The sum as it was read leaves the days as they are; another sum takes their place.
        let told = enter(&company, &payroll, &ana, hours("5.000")).await.ok();
        let line_of = |told: &Value| line(&of(told, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!(line_of(&told)["entries"].as_array().unwrap().len(), 2);
        let told = enter(&company, &payroll, &ana, hours("6")).await.ok();
        assert_eq!((&line_of(&told)["hours"], line_of(&told).get("entries")), (&json!("6.000"), None));
    });
}

#[test]
fn hours_of_days_and_places_that_cannot_be_are_refused() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("10.00", "Hour", "Nonexempt")).await;
        let foreign = engine.own_world().await.company().await;
        let foreign = id_of(&foreign.location("TX").await);
        let both = json!({ "name": "Regular Hours", "hours": "1", "date": "2026-06-02", "workweek_start": "2026-06-01" });
        let whole = json!({ "name": "Regular Hours", "hours": "1" });
        for (sent, key, why) in [
            (vec![day("2026-05-31", "1", None)], "date", "between 2026-06-01 and 2026-06-14"),
            (vec![day("2026-06-15", "1", None)], "date", "between 2026-06-01 and 2026-06-14"),
            (vec![day("2026-06-31", "1", None)], "date", "date"),
            (vec![day("2026-06-01", "1", Some(&foreign))], "location_uuid", "company's locations"),
            (
                vec![day("2026-06-01", "20", None), day("2026-06-01", "4.5", Some(&location))],
                "hours",
                "at most 24",
            ),
            (vec![both], "workweek_start", "where date is given"),
            (vec![day("2026-06-01", "1", None), whole], "date", "all lines"),
        ] {
            let refused = enter(&company, &payroll, &ana, lines(&sent)).await.refused(422);
            let inner = &refused.only()["errors"][0];
            assert_eq!(inner["error_key"], key, "{sent:?}: {inner}");
            assert!(text(inner, "message").contains(why), "{inner}");
        }
        let prepared = company.put(path(&payroll, "/prepare"), json!({ "employee_uuids": [ana] })).await.ok();
        let regular = line(&of(&prepared, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!(regular["hours"], "0.000", "nothing of it was kept");
    });
}

#[test]
fn saving_the_hours_of_one_employee_leaves_what_is_stored_of_the_others_as_it_is() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let mut people = Vec::new();
        for name in ["Ana", "Ben", "Cem"] {
            people.push(company.onboarded(name, &location, ("10.00", "Hour", "Nonexempt")).await.0);
        }
        for one in &people {
            enter(&company, &payroll, one, hours("8")).await.ok();
        }
        let stored = async || {
            let id = company.id;
            let rows = company.world.app.store.read(move |tx| {
                tx.query_rows(STORED, store::params![id], |row| {
                    (row.get::<Uuid>(0).to_string(), row.get::<i64>(1), row.get::<jiff::Timestamp>(2))
                })
            });
            rows.await.unwrap_or_else(|error: store::Error| panic!("{error}"))
        };
        let before = stored().await;
        assert_eq!(before.len(), 3);
        company.world.wait(jiff::Span::new().seconds(1)).await;
        enter(&company, &payroll, &people[1], hours("9")).await.ok();
        let after = stored().await;
        for ((one, version, at), (same, newer, later)) in before.iter().zip(&after) {
            assert_eq!(one, same);
            let changed = *one == people[1];
            assert_eq!((version != newer, at != later), (changed, changed), "{one}");
        }
        // The same once more changes nothing at all.
        enter(&company, &payroll, &people[1], hours("9")).await.ok();
        assert_eq!(stored().await, after);
    });
}

#[test]
fn all_hours_of_an_employee_have_room_in_the_days_of_the_payroll_or_are_refused() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, first) = company.onboarded("Ana", &location, ("10.00", "Hour", "Nonexempt")).await;
        let second = company.job(&ana, "Host", "2026-03-01").await;
        company.pay(&second, "12.00", "Hour", "Nonexempt").await;
        let of = |job: &Value, name: &str, hours: &str| json!({ "name": name, "hours": hours, "job_uuid": job["uuid"] });
        let off = json!([{ "name": "Vacation Hours", "hours": "40" }]);
        // 14 days have 336 hours: too many in one line, in two jobs, and with hours off.
        let too_many = [
            lines(&[of(&first, "Regular Hours", "680")]),
            lines(&[of(&first, "Regular Hours", "200"), of(&second, "Overtime", "136.001")]),
            json!({ "hourly_compensations": [of(&first, "Regular Hours", "300")], "paid_time_off": off }),
        ];
        for what in too_many {
            let refused = enter(&company, &payroll, &ana, what).await.refused(422);
            let inner = &refused.only()["errors"][0];
            assert_eq!(inner["error_key"], "hours", "{inner}");
            let message = text(inner, "message");
            assert!(
                message.contains("of all jobs and time off must total at most 336.000")
                    && message.contains("from 2026-06-01 to 2026-06-14"),
                "{message}"
            );
        }
        enter(&company, &payroll, &ana, lines(&[of(&first, "Regular Hours", "336")])).await.ok();
        // Vacation beside them is too much by itself, too, until hours worked make room for it in the same update.
        enter(&company, &payroll, &ana, json!({ "paid_time_off": off })).await.refused(422);
        let both =
            json!({ "hourly_compensations": [of(&first, "Regular Hours", "296")], "paid_time_off": off });
        enter(&company, &payroll, &ana, both).await.ok();

        // Outside the schedule a payroll of one day pays out a balance, or hours that were forgotten.
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Adhoc", "start_date": "2026-06-15",
                           "end_date": "2026-06-15", "employee_uuids": [ana] });
        let extra = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        enter(&company, &extra, &ana, json!({ "paid_time_off": off })).await.ok();
        enter(&company, &extra, &ana, hours("24.5")).await.ok();
    });
}
