//! Reports and cancellations of several companies of an application in one request.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use domain::access::tokens::TokenKind;
use jiff::ToSpan;
use serde_json::{Value, json};
use zip::ZipArchive;

use super::{company, enter, hours, path};
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

/// A processed payroll of one person, in a company whose token the application holds.
async fn processed(engine: Engine) -> (Company, String) {
    let (company, location, payroll) = company(engine).await;
    company.hold_a_token().await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    enter(&company, &payroll, &ana, hours("80")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    (company, payroll)
}

/// A calculated payroll of another company of the same world, with its owner.
async fn neighbour(company: &Company) -> (Company, String) {
    let other = company.world.company().await;
    other.hold_a_token().await;
    let location = id_of(&other.location("TX").await);
    let (max, _) = other.onboarded("Max", &location, ("30.00", "Hour", "Nonexempt")).await;
    let payroll = other.off_cycle(&[&max]).await;
    (other, payroll)
}

fn cancel(key: &str, payrolls: &[(&Company, &str)]) -> Value {
    let item = |(company, payroll): &(&Company, &str)| json!({ "entity_type": "payroll", "uuid": payroll, "company_uuid": company.id });
    json!({ "idempotency_key": key, "batch_action": "cancel", "batch": payrolls.iter().map(item).collect::<Vec<_>>() })
}

#[test]
fn payrolls_of_several_companies_are_cancelled_in_one_request_and_each_has_its_outcome() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll) = processed(engine).await;
        let (other, bonus) = neighbour(&company).await;
        let stranger = company.world.company().await.for_another_application().await;
        let items = [
            (&company, payroll.as_str()),
            (&other, &bonus),
            (&company, &payroll),
            (&other, &payroll),
            (&stranger, NOBODY),
        ];
        let asked = company.post("/v1/payroll_batches", cancel("monday", &items)).await.created();
        assert_eq!((&asked["status"], &asked["batch_action"]), (&json!("completed"), &json!("cancel")));
        let address = format!("/v1/payroll_batches/{}", id_of(&asked));
        let told = company.get(&address).await.ok();
        // The second was never submitted: there is nothing to cancel.
        let outcomes = json!([{ "idx": 0, "uuid": payroll, "status": "success" }, { "idx": 1, "uuid": bonus, "status": "success" }]);
        assert_eq!(told["results"], outcomes);
        let why: Vec<_> =
            told["exclusions"].as_array().unwrap().iter().map(|one| text(one, "category")).collect();
        assert_eq!(why, ["duplicate_operation", "duplicate_operation", "not_found"]);
        assert_eq!((&told["submitted_items"], &told["excluded_items"]), (&json!(5), &json!(3)));
        assert_eq!(company.get(path(&payroll, "")).await.ok()["processed"], false);

        let again = company.post("/v1/payroll_batches", cancel("monday", &items)).await.refused(409);
        assert_eq!(again.only()["metadata"]["request_uuid"], asked["uuid"]);
        stranger.get(&address).await.refused(404);
        company.world.wait(25.hours()).await;
        company.get(&address).await.refused(410);
    });
}

#[test]
fn a_payroll_past_its_deadline_is_told_and_the_others_are_cancelled() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll) = processed(engine).await;
        company.world.wait((24 * 20).hours()).await;
        let (other, _) = neighbour(&company).await;
        let location = id_of(&other.location("TX").await);
        let (eva, _) = other.onboarded("Eva", &location, ("30.00", "Hour", "Nonexempt")).await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-08-14",
                               "anchor_end_of_pay_period": "2026-08-09" });
        other.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let later = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15",
                            "end_date": "2026-06-15", "employee_uuids": [eva], "check_date": "2026-08-14" });
        let later = id_of(&other.post("/v1/companies/{company}/payrolls", later).await.ok());
        other.calculate(&later).await;
        other.submit(&later).await;
        let items = [(&company, payroll.as_str()), (&other, later.as_str())];
        let asked = company.post("/v1/payroll_batches", cancel("tuesday", &items)).await.created();
        let told = company.get(format!("/v1/payroll_batches/{}", id_of(&asked))).await.ok();
        let [first, second] = [&told["results"][0], &told["results"][1]];
        assert_eq!(
            (&first["status"], &first["errors"][0]["category"]),
            (&json!("failed"), &json!("not_cancellable"))
        );
        assert!(text(&first["errors"][0], "message").contains("4 pm Pacific"), "{first}");
        assert_eq!(second["status"], "success");
        assert_eq!(company.get(path(&payroll, "")).await.ok()["processed"], true);
        assert_eq!(other.get(path(&later, "")).await.ok()["processed"], false);
    });
}

#[test]
fn a_token_that_may_not_run_payroll_cancels_none() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll) = processed(engine).await;
        let other = company.for_another_application().await;
        let (app, of) = (other.application, Some(other.id));
        let _token = company.world.token(TokenKind::Company, app, of, "payrolls:read", None).await;
        let asked = other.post("/v1/payroll_batches", cancel("x", &[(&company, &payroll)])).await.created();
        let told = other.get(format!("/v1/payroll_batches/{}", id_of(&asked))).await.ok();
        assert_eq!(told["exclusions"][0]["category"], "not_found");
        assert_eq!(company.get(path(&payroll, "")).await.ok()["processed"], true);
        let none = json!({ "idempotency_key": "y", "batch_action": "create", "batch": [] });
        assert_eq!(
            other.post("/v1/payroll_batches", none).await.refused(422).keys(),
            ["batch_action", "batch"]
        );
    });
}

fn table(company: &Company) -> Value {
    json!({ "company_uuid": company.id, "report_type": "custom_report", "file_type": "csv",
            "columns": ["check_date", "employee_first_name", "gross_earnings"],
            "start_date": "2026-06-01", "end_date": "2026-06-30" })
}

fn ledger(company: &Company, payroll: &str) -> Value {
    json!({ "company_uuid": company.id, "report_type": "general_ledger", "payroll_uuid": payroll, "aggregation": "default" })
}

#[test]
fn reports_of_several_companies_are_made_together_and_downloaded_as_one_file() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll) = processed(engine).await;
        let (other, _) = neighbour(&company).await;
        let batch = json!({ "batch": [table(&company), table(&other), ledger(&company, &payroll)] });
        let asked = company.post("/v1/bulk_reports", batch).await.created();
        assert_eq!(asked["status"], "pending");
        let address = format!("/v1/bulk_reports/{}", id_of(&asked));
        let waiting = company.get(&address).await.ok();
        assert_eq!((&waiting["status"], &waiting["submitted_items"]), (&json!("pending"), &json!(3)));
        assert_eq!((&waiting["completed_at"], waiting.get("companies")), (&Value::Null, None));
        company.work().await;
        let told = company.get(&address).await.ok();
        assert_eq!((&told["status"], &told["processed_items"]), (&json!("success"), &json!(3)));
        assert_eq!(told["partner_uuid"], json!(company.application));
        assert!(told["completed_at"].is_string());
        let of = |id: &Value| {
            told["companies"].as_array().unwrap().iter().find(|one| one["company_uuid"] == *id).unwrap()
        };
        let kinds: Vec<_> = of(&json!(company.id))["reports"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| text(one, "report_type"))
            .collect();
        assert_eq!(kinds, ["custom_report", "general_ledger"]);
        assert_eq!(of(&json!(other.id))["status"], "success");

        let url = text(&told, "report_url");
        let download = url.strip_prefix("https://pages.example").unwrap().to_owned();
        let file = company.world.call("GET", download.clone()).send().await.is(200);
        assert_eq!(file.header("content-type"), "application/zip");
        let files = unpacked(&file.body);
        let csv = files
            .iter()
            .find(|(name, _)| name.starts_with(&format!("{}/payroll_journal-", company.id)))
            .unwrap();
        assert!(csv.1.contains("2026-06-18,Ana,1600.00"), "{files:?}");
        assert!(
            files.keys().any(|name| name.starts_with(&format!("{}/payroll_journal-", other.id))),
            "{files:?}"
        );
        assert!(files.keys().any(|name| name.contains("/general_ledger-")), "{files:?}");
        let stranger = company.world.company().await.for_another_application().await;
        stranger.get(&address).await.refused(404);
        company.world.wait(11.minutes()).await;
        company.world.call("GET", download).send().await.is(410);
    });
}

fn unpacked(file: &[u8]) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(Cursor::new(file)).unwrap();
    let files = archive.len();
    let read = |index| {
        let mut file = archive.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        (file.name().unwrap().into_owned(), text)
    };
    (0..files).map(read).collect()
}

#[test]
fn one_report_that_cannot_be_requested_refuses_all_of_them() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll) = processed(engine).await;
        let mut unknown = table(&company);
        unknown["company_uuid"] = json!(NOBODY);
        let (_, unprocessed) = neighbour(&company).await;
        let mut nothing = table(&company);
        nothing["columns"] = json!([]);
        let batch = [
            table(&company),
            unknown,
            ledger(&company, &unprocessed),
            nothing,
            json!({ "report_type": "novel", "company_uuid": company.id }),
            ledger(&company, &payroll),
        ];
        let refused = company.post("/v1/bulk_reports", json!({ "batch": batch })).await.refused(422);
        let told: Vec<_> = refused
            .0
            .iter()
            .map(|one| (one["metadata"]["index"].as_i64().unwrap(), text(&one["errors"][0], "error_key")))
            .collect();
        let expected = [(1, "company_uuid"), (2, "payroll_uuid"), (3, "columns"), (4, "report_type")];
        assert_eq!(told, expected.map(|(index, key)| (index, key.to_owned())));
        for wrong in [json!([]), json!(vec![table(&company); 26])] {
            let refused = company.post("/v1/bulk_reports", json!({ "batch": wrong })).await.refused(422);
            assert_eq!(refused.keys(), ["batch"]);
        }
    });
}

#[test]
fn what_an_application_no_longer_reaches_is_not_in_the_file() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = processed(engine).await;
        let (other, _) = neighbour(&company).await;
        let batch = json!({ "batch": [table(&company), table(&other)] });
        let asked = company.post("/v1/bulk_reports", batch).await.created();
        company.work().await;
        let (app, of) = (other.application, other.id);
        let revoke = move |tx: &mut store::Tx<'_>| {
            domain::access::connections::lock_company_access(tx, of)?;
            domain::access::oauth::tokens::revoke_all(tx, app, of)
        };
        let revoked = company.world.app.store.write(revoke).await;
        revoked.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
        let told = company.get(format!("/v1/bulk_reports/{}", id_of(&asked))).await.ok();
        assert_eq!((&told["status"], &told["processed_items"]), (&json!("partial_success"), &json!(1)));
        let lost = told["companies"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["company_uuid"] == json!(of))
            .unwrap();
        assert!(text(&lost["reports"][0], "error").contains("company_reports:read"), "{lost}");
        let url = text(&told, "report_url");
        let download = url.strip_prefix("https://pages.example").unwrap();
        let file = company.world.call("GET", download).send().await.is(200);
        assert_eq!(unpacked(&file.body).len(), 1);
    });
}
