//! Time sheets: reported, approved, and put into a payroll by a sync.

use serde_json::{Value, json};

use super::{company, number, of, path, read};
use crate::support::{Answer, Company, Engine, NOBODY, id_of, on_both_engines, text};

const SHEETS: &str = "/v1/companies/{company}/time_tracking/time_sheets";
const SYNCS: &str = "/v1/companies/{company}/time_tracking/payroll_syncs";

fn shift(employee: &str, day: &str, entries: &Value) -> Value {
    shift_of(employee, (&format!("{day}T08:00:00-05:00"), &format!("{day}T18:00:00-05:00")), entries)
}

fn shift_of(employee: &str, (from, until): (&str, &str), entries: &Value) -> Value {
    json!({ "entity_uuid": employee, "entity_type": "Employee", "time_zone": "America/Chicago", "shift_started_at": from,
            "shift_ended_at": until, "metadata": { "station": "Grill" }, "entries": entries })
}

fn regular(hours: &str) -> Value {
    json!([{ "hours_worked": hours, "pay_classification": "Regular" }])
}

fn one(sheet: &Value, rest: &str) -> String {
    format!("/v1/time_tracking/time_sheets/{}{rest}", id_of(sheet))
}

async fn reported(company: &Company, employee: &str, day: &str, entries: &Value) -> Value {
    company.post(SHEETS, shift(employee, day, entries)).await.created()
}

async fn decide(company: &Company, sheet: &Value, what: &str) -> Answer {
    let version = company.get(one(sheet, "")).await.ok()["version"].clone();
    company.put(one(sheet, what), json!({ "version": version })).await
}

async fn approved(company: &Company, employee: &str, day: &str, entries: &Value) -> Value {
    let sheet = reported(company, employee, day, entries).await;
    decide(company, &sheet, "/approve").await.ok()
}

/// Asks for a sync of the pay period of 1 to 14 June and reads what came of it.
async fn synced(company: &Company) -> Value {
    let schedules = company.get("/v1/companies/{company}/pay_schedules").await.list();
    let body = json!({ "kind": "regular", "pay_schedule_uuid": schedules[0]["uuid"],
                       "pay_period_start_date": "2026-06-01", "pay_period_end_date": "2026-06-14" });
    let asked = company.post(SYNCS, body).await.is(202).json();
    assert_eq!((&asked["status"], &asked["completed_at"]), (&json!("pending"), &Value::Null));
    company.work().await;
    company.get(format!("/v1/time_tracking/payroll_syncs/{}", id_of(&asked))).await.ok()
}

#[test]
fn a_shift_lies_between_the_same_days_as_every_date() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let report = async |from: &str, until: &str| {
            company.post(SHEETS, shift_of(&ana, (from, until), &regular("1"))).await
        };
        for (from, until) in [
            ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
            ("-009999-01-02T01:59:59Z", "-009999-01-02T01:59:59Z"),
            ("2200-01-01T00:00:00Z", "2200-01-01T01:00:00Z"),
            ("1899-12-31T23:00:00Z", "1899-12-31T23:30:00Z"),
        ] {
            let refused = report(from, until).await.refused(422);
            assert_eq!(refused.keys(), ["shift_started_at", "shift_ended_at"], "{from}");
            let says = |fault: &Value| text(fault, "message").contains("between 1900-01-01 and 2199-12-31");
            assert!(refused.0.iter().all(says), "{refused:?}");
        }
        report("2199-12-31T08:00:00Z", "2199-12-31T09:00:00Z").await.created();
        report("1900-01-01T08:00:00Z", "1900-01-01T09:00:00Z").await.created();
        let past_the_end = report("2199-12-31T23:00:00Z", "2200-01-01T01:00:00Z").await.refused(422);
        assert_eq!(past_the_end.keys(), ["shift_ended_at"]);
    });
}

#[test]
fn a_time_sheet_has_no_more_hours_than_its_shift_however_the_clock_was_turned() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let report = async |from: &str, until: &str, hours: &str| {
            company.post(SHEETS, shift_of(&ana, (from, until), &regular(hours))).await
        };
        let hour = ("2026-06-01T08:00:00-05:00", "2026-06-01T09:00:00-05:00");
        let refused = report(hour.0, hour.1, "23.9").await.refused(422);
        assert_eq!(refused.keys(), ["entries"]);
        assert!(text(&refused.0[0], "message").contains("than the shift lasted, 1.000"), "{refused:?}");
        // Its beginning and its end may be rounded to the quarter of an hour.
        report(hour.0, hour.1, "1.25").await.created();
        // The night in which summer time takes an hour lasts seven hours from ten to six.
        let night = ("2026-03-07T22:00:00-06:00", "2026-03-08T06:00:00-05:00");
        assert_eq!(report(night.0, night.1, "8").await.refused(422).keys(), ["entries"]);
        report(night.0, night.1, "7").await.created();
        // A shift that runs is bounded when it ends.
        let mut running = shift_of(&ana, hour, &regular("6"));
        running["shift_ended_at"] = Value::Null;
        let running = company.post(SHEETS, running).await.created();
        let ends = json!({ "version": running["version"], "shift_ended_at": "2026-06-01T13:00:00-05:00" });
        assert_eq!(company.put(one(&running, ""), ends.clone()).await.refused(422).keys(), ["entries"]);
        let mut corrected = ends;
        corrected["entries"] = regular("5");
        company.put(one(&running, ""), corrected).await.ok();
    });
}

#[test]
fn approved_hours_are_put_into_the_payroll_of_their_pay_period_by_day() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let first = approved(&company, &ana, "2026-06-01", &regular("4.5")).await;
        let evening = ("2026-06-01T18:00:00-05:00", "2026-06-01T21:30:00-05:00");
        let evening = company.post(SHEETS, shift_of(&ana, evening, &regular("3.5"))).await.created();
        decide(&company, &evening, "/approve").await.ok();
        approved(&company, &ana, "2026-06-02", &regular("8")).await;
        let waiting = reported(&company, &ana, "2026-06-03", &regular("8")).await;
        let rejected = reported(&company, &ana, "2026-06-04", &regular("8")).await;
        decide(&company, &rejected, "/reject").await.ok();
        approved(&company, &ana, "2026-06-15", &regular("8")).await;

        let sync = synced(&company).await;
        assert_eq!(sync["status"], "success", "{sync}");
        assert_eq!(
            sync["warnings"],
            json!(["time sheets of the pay period: 1 are not approved and were left out"])
        );
        assert_eq!((&sync["payroll_uuid"], &sync["errors"]), (&json!(payroll), &json!([])));
        let entered = read(&company, &payroll, "").await;
        let line = &of(&entered, &ana)["hourly_compensations"][0];
        assert_eq!((&line["name"], &line["hours"]), (&json!("Regular Hours"), &json!("16.000")), "{line}");
        let calculated = company.calculate(&payroll).await;
        assert_eq!(number(&of(&calculated, &ana)["gross_pay"]), "320.00");

        let held = company.get(one(&first, "")).await.ok();
        assert!(held["synced_to_payroll_at"].is_string(), "{held}");
        let version = held["version"].clone();
        let change = json!({ "version": version, "entries": regular("1") });
        let refused = company.put(one(&first, ""), change).await.refused(422);
        assert!(refused.message().contains("in a payroll"), "{}", refused.message());
        company.delete(one(&first, &format!("?version={}", version.as_str().unwrap()))).await.refused(422);

        // What is approved later joins what is there, and a sync that is repeated counts nothing twice.
        decide(&company, &waiting, "/approve").await.ok();
        assert_eq!(synced(&company).await["status"], "success");
        assert_eq!(synced(&company).await["warnings"], json!([]));
        let entered = read(&company, &payroll, "").await;
        assert_eq!(of(&entered, &ana)["hourly_compensations"][0]["hours"], "24.000");
    });
}

#[test]
fn hours_that_a_payroll_refuses_are_told_with_their_employee_and_the_others_are_entered() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let new = id_of(&company.employee("Max").await);
        approved(&company, &ana, "2026-06-01", &regular("8")).await;
        approved(&company, &new, "2026-06-01", &regular("8")).await;
        let sync = synced(&company).await;
        assert_eq!(sync["status"], "partial_success", "{sync}");
        let told = &sync["errors"][0];
        assert_eq!(told["metadata"]["entity_uuid"], json!(new), "{sync}");
        assert_eq!(told["errors"][0]["error_key"], "employee_uuid");
        let entered = read(&company, &payroll, "").await;
        assert_eq!(of(&entered, &ana)["hourly_compensations"][0]["hours"], "8.000");
    });
}

#[test]
fn a_sync_needs_the_days_of_a_regular_payroll_that_was_not_submitted() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        let schedules = company.get("/v1/companies/{company}/pay_schedules").await.list();
        let body = |start: &str, end: &str| {
            json!({ "kind": "regular", "pay_schedule_uuid": schedules[0]["uuid"], "pay_period_start_date": start,
                    "pay_period_end_date": end })
        };
        let faults = company.post(SYNCS, json!({})).await.refused(422);
        assert_eq!(
            faults.keys(),
            ["kind", "pay_schedule_uuid", "pay_period_start_date", "pay_period_end_date"]
        );
        let other = company.post(SYNCS, body("2026-06-01", "2026-06-13")).await.refused(422);
        assert_eq!(other.fault().0, "pay_period_start_date");
        company.post(SYNCS, body("2026-06-14", "2026-06-01")).await.refused(422);
        company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let submitted = company.post(SYNCS, body("2026-06-01", "2026-06-14")).await.refused(422);
        assert_eq!(submitted.fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn a_sheet_is_checked_changed_and_listed_in_the_order_that_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, max) = (id_of(&company.employee("Ana").await), id_of(&company.employee("Max").await));
        let faults = company.post(SHEETS, json!({})).await.refused(422);
        assert_eq!(faults.keys(), ["entity_type", "entity_uuid", "time_zone", "shift_started_at"]);
        for start in [json!("yesterday"), Value::Null] {
            let mut unreadable = shift(&ana, "2026-06-01", &json!([]));
            unreadable["shift_started_at"] = start;
            let faults = company.post(SHEETS, unreadable).await.refused(422);
            assert_eq!(faults.keys(), ["shift_started_at"], "the end is not held against it");
        }
        let mut wrong =
            shift(&ana, "2026-06-01", &json!([{ "hours_worked": "25" }, { "pay_classification": "Night" }]));
        wrong["entity_type"] = "Contractor".into();
        wrong["time_zone"] = "Mars/Olympus".into();
        wrong["shift_ended_at"] = "2026-06-03T18:00:00-05:00".into();
        wrong["metadata"] = json!({ "": "x" });
        let faults = company.post(SHEETS, wrong).await.refused(422);
        let expected = ["entity_type", "time_zone", "shift_ended_at", "metadata", "entries", "entries"];
        assert_eq!(faults.keys(), expected);

        let late = reported(&company, &ana, "2026-06-05", &regular("8")).await;
        let early = reported(&company, &max, "2026-06-01", &regular("6")).await;
        assert_eq!((&late["status"], &late["company_uuid"]), (&json!("pending"), &json!(company.id)));
        assert_eq!(late["entries"][0]["hours_worked"], "8.000");
        let listed = async |query: &str| -> Vec<String> {
            let sheets = company.get(format!("{SHEETS}?{query}")).await.list();
            sheets.iter().map(id_of).collect()
        };
        let (late_id, early_id) = (id_of(&late), id_of(&early));
        assert_eq!(listed("").await, [late_id.clone(), early_id.clone()], "as they were reported");
        assert_eq!(listed("sort_by=shift_started_at").await, [early_id.clone(), late_id.clone()]);
        assert_eq!(
            listed("sort_by=shift_started_at&sort_order=desc").await,
            [late_id.clone(), early_id.clone()]
        );
        assert_eq!(listed("sort_order=desc").await, [early_id.clone(), late_id.clone()]);
        assert_eq!(listed("sort_by=shift_ended_at:asc,created_at&sort_order=desc").await[0], early_id);
        assert_eq!(listed(&format!("entity_uuids={max}")).await, std::slice::from_ref(&early_id));
        assert_eq!(listed("entity_type=Contractor").await, [""; 0]);
        assert_eq!(listed("per=1&page=2").await, std::slice::from_ref(&early_id));
        company.get(format!("{SHEETS}?sort_by=age&after=yesterday&status=lost")).await.refused(422);

        let stale = json!({ "version": "0".repeat(32), "metadata": {} });
        company.put(one(&late, ""), stale).await.refused(409);
        decide(&company, &late, "/approve").await.ok();
        assert_eq!(listed("status=approved").await, [late_id]);
        let version = company.get(one(&late, "")).await.ok()["version"].clone();
        let change = json!({ "version": version, "entity_uuid": max, "entries": regular("7") });
        assert_eq!(company.put(one(&late, ""), change).await.refused(422).keys(), ["entity_uuid"]);
        let change = json!({ "version": version, "entries": regular("7") });
        let changed = company.put(one(&late, ""), change).await.ok();
        assert_eq!(
            (text(&changed, "status"), &changed["metadata"]["station"]),
            ("pending".into(), &json!("Grill"))
        );
        let version = text(&changed, "version");
        company.delete(one(&late, "")).await.refused(422);
        company.delete(one(&late, &format!("?version={version}"))).await.deleted();
        company.get(one(&late, "")).await.refused(404);
    });
}

#[test]
fn time_that_an_approved_sheet_has_is_not_approved_once_more() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        // From eight in the morning until six in the evening, and reported once more; Max works beside her.
        let first = approved(&company, &ana, "2026-06-02", &regular("8")).await;
        approved(&company, &max, "2026-06-02", &regular("8")).await;
        let again = reported(&company, &ana, "2026-06-02", &regular("8")).await;
        let refused = decide(&company, &again, "/approve").await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert!(refused.message().contains(&id_of(&first)), "{}", refused.message());
        assert_eq!(refused.only()["metadata"]["entity_uuid"], first["uuid"]);
        let within = async |from: &str, until: &str| {
            let body = shift_of(&ana, (from, until), &regular("1"));
            let sheet = company.post(SHEETS, body).await.created();
            let answer = decide(&company, &sheet, "/approve").await;
            decide(&company, &sheet, "/reject").await.ok();
            answer
        };
        // The night before reaches into it, an hour of it lies in another time zone's day, and the end is an hour too early.
        within("2026-06-01T22:00:00-05:00", "2026-06-02T08:30:00-05:00").await.refused(422);
        within("2026-06-03T01:00:00+09:00", "2026-06-03T02:00:00+09:00").await.refused(422);
        within("2026-06-02T17:00:00-05:00", "2026-06-02T19:00:00-05:00").await.refused(422);
        // What ends when it begins, or begins when it ends, is other time.
        within("2026-06-01T22:00:00-05:00", "2026-06-02T08:00:00-05:00").await.ok();
        within("2026-06-02T18:00:00-05:00", "2026-06-02T19:00:00-05:00").await.ok();
        assert_eq!(synced(&company).await["status"], "success");
        let entered = read(&company, &payroll, "").await;
        assert_eq!(of(&entered, &ana)["hourly_compensations"][0]["hours"], "8.000", "it is paid once");
        // With the first one in a payroll, the second stays out; corrected it is another shift.
        decide(&company, &again, "/approve").await.refused(422);
        let version = company.get(one(&again, "")).await.ok()["version"].clone();
        let times = json!({ "version": version, "shift_started_at": "2026-06-03T08:00:00-05:00",
                            "shift_ended_at": "2026-06-03T18:00:00-05:00" });
        company.put(one(&again, ""), times).await.ok();
        decide(&company, &again, "/approve").await.ok();
        // An approval that is repeated is none against itself.
        decide(&company, &again, "/approve").await.ok();
    });
}

#[test]
fn a_shift_that_runs_is_approved_only_when_it_has_ended() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = id_of(&company.employee("Ana").await);
        let mut runs = shift(&ana, "2026-06-01", &json!([]));
        runs["shift_ended_at"] = Value::Null;
        let sheet = company.post(SHEETS, runs).await.created();
        assert_eq!(sheet["shift_ended_at"], Value::Null);
        decide(&company, &sheet, "/approve").await.refused(422);
        let ends = json!({ "version": sheet["version"], "shift_ended_at": "2026-06-01T23:30:00Z" });
        let ended = company.put(one(&sheet, ""), ends).await.ok();
        assert_eq!(ended["shift_ended_at"], "2026-06-01T23:30:00.000Z");
        assert_eq!(decide(&company, &sheet, "/approve").await.ok()["status"], "approved");
    });
}

const BATCHES: &str = "/v1/companies/{company}/time_tracking/time_sheets_batches";

/// A shift of an employee in a batch: on a day of June, from one hour until another.
fn shift_in_batch(name: &str, employee: &str, (day, from, until): (u32, u32, u32)) -> Value {
    let at = |hour: u32| format!("2026-06-{day:02}T{hour:02}:00:00-05:00");
    json!({ "external_id": name, "entity_uuid": employee, "entity_type": "Employee", "time_zone": "America/Chicago",
            "shift_started_at": at(from), "shift_ended_at": at(until), "entries": [{ "hours_worked": "1" }] })
}

#[test]
fn several_time_sheets_are_entered_and_changed_in_one_request() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (ben, _) = company.onboarded("Ben", &location, ("20.00", "Hour", "Nonexempt")).await;
        let sheets = json!([
            shift_in_batch("a", &ana, (1, 9, 17)),
            shift_in_batch("b", &ben, (1, 9, 17)),
            shift_in_batch("c", &ana, (1, 17, 20))
        ]);
        let batch = json!({ "idempotency_key": "monday", "batch": sheets });
        let made = company.post(BATCHES, batch.clone()).await.created();
        assert_eq!((&made["status"], &made["batch_action"]), (&json!("completed"), &json!("create")));
        let told = company.get(format!("/v1/time_tracking/time_sheets_batches/{}", id_of(&made))).await.ok();
        let names: Vec<_> =
            told["results"].as_array().unwrap().iter().map(|one| text(one, "external_id")).collect();
        assert_eq!((names, &told["exclusions"]), (vec!["a".into(), "b".into(), "c".into()], &json!([])));
        let first = text(&told["results"][0], "uuid");
        let sheet = company.get(format!("/v1/time_tracking/time_sheets/{first}")).await.ok();
        assert_eq!((&sheet["entity_uuid"], &sheet["status"]), (&json!(ana), &json!("pending")));
        let events: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        assert!(
            events.ends_with(&["time_sheets_batch.processing".into(), "time_sheets_batch.completed".into()]),
            "{events:?}"
        );

        let again = company.post(BATCHES, batch).await.refused(409);
        assert_eq!(again.only()["metadata"]["request_uuid"], made["uuid"]);
        let later = json!({ "external_id": "a", "uuid": first, "version": sheet["version"],
                            "shift_ended_at": "2026-06-01T16:00:00-05:00" });
        let change = json!({ "idempotency_key": "tuesday", "batch_action": "update", "batch": [later] });
        company.post(BATCHES, change).await.created();
        let changed = company.get(format!("/v1/time_tracking/time_sheets/{first}")).await.ok();
        assert_eq!(changed["shift_ended_at"], "2026-06-01T21:00:00.000Z");
    });
}

#[test]
fn one_time_sheet_that_is_wrong_refuses_the_whole_batch() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let refused = async |batch: Value| {
            let refused =
                company.post(BATCHES, json!({ "idempotency_key": "x", "batch": batch })).await.refused(422);
            let told = |one: &Value| (one["metadata"]["index"].clone(), text(&one["errors"][0], "error_key"));
            refused.0.iter().map(told).collect::<Vec<_>>()
        };
        let right = shift_in_batch("a", &ana, (1, 9, 17));
        let overlapping = json!([shift_in_batch("b", &ana, (1, 16, 20)), right]);
        assert_eq!(refused(overlapping).await, [(json!(0), "shift_started_at".to_owned())]);
        let mut nobody = shift_in_batch("b", NOBODY, (2, 9, 17));
        assert_eq!(refused(json!([right, nobody])).await, [(json!(1), "entity_uuid".to_owned())]);
        nobody["external_id"] = json!("a");
        nobody["entity_uuid"] = json!(ana);
        assert_eq!(refused(json!([right, nobody])).await, [(json!(1), "external_id".to_owned())]);
        let stale = json!({ "idempotency_key": "x", "batch_action": "update", "batch": [{ "external_id": "a", "uuid": NOBODY }] });
        company.post(BATCHES, stale).await.refused(422);
        let sheets = "/v1/companies/{company}/time_tracking/time_sheets";
        assert_eq!(company.get(sheets).await.list(), Vec::<Value>::new());
        let many: Vec<_> =
            (0..501).map(|number| shift_in_batch(&number.to_string(), &ana, (1, 9, 17))).collect();
        let refused =
            company.post(BATCHES, json!({ "idempotency_key": "x", "batch": many })).await.refused(422);
        assert_eq!(refused.keys(), ["batch"]);
    });
}
