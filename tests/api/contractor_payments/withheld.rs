//! Backup withholding: how much, why, and to whom it is owed.

use domain::access::tokens::Caller;
use domain::datasets;
use domain::money::manual_payments::manual_taxes;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{PAYDAY, SINGLES, account, change, contractor, owed, payer};
use crate::money::{bank, files_in};
use crate::support::{Engine, on_both_engines};

#[test]
fn a_quarter_less_one_percent_of_reportable_pay_is_withheld_and_owed_with_form_945() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let company = payer(&world).await;
        let cora = contractor(&company, json!({})).await;
        account(&company, &cora, "1111222233").await;
        change(&company, &cora, |found| found.backup_withholding = true).await;
        let pay =
            json!({ "contractor_uuid": cora, "date": PAYDAY, "wage": "1000.00", "reimbursement": "50.00" });
        let made = company.post(SINGLES, pay).await.ok();
        assert_eq!(
            (&made["backup_withholding"], &made["backup_withholding_reason"], &made["net_pay"]),
            (&json!("240.00"), &json!("required"), &json!("810.00"))
        );
        assert_eq!(owed(&company, "backup_withholding_payable").await, 24_000);
        world.wait_until("2026-06-16T23:05:00Z".parse().unwrap()).await;
        let files = files_in(folder.path());
        let entries = ach::read::read_entries(&files[0].1).unwrap();
        assert!(entries.iter().all(|one| one.cents == 81_000), "credit and debit");
        world.wait_until("2026-06-18T12:00:00Z".parse().unwrap()).await;
        let liabilities = company.get("/v1/companies/{company}/liabilities").await.list();
        let one = liabilities.iter().find(|one| one["account"] == "backup_withholding_payable").unwrap();
        assert_eq!((&one["balance"], &one["agency"]), (&json!("240.00"), &json!("US")));
        let caller = Caller::for_operator(company.id, TimeZone::UTC);
        let by_hand =
            world.app.store.read(move |tx| manual_taxes::list_manual_taxes(tx, &caller)).await.unwrap();
        let due: Vec<_> = by_hand.iter().map(|one| (one.tax.as_str(), one.cents, one.due)).collect();
        // 31 January 2027 is a Sunday.
        assert_eq!(due, [("Backup withholding (Form 945)", 24_000, Some(jiff::civil::date(2027, 2, 1)))]);
        let paid = json!({ "liability_uuid": one["uuid"], "amount": "240.00", "paid_on": "2026-06-18" });
        company.post("/v1/companies/{company}/liability_payments", paid).await.is(201);
        assert_eq!(owed(&company, "backup_withholding_payable").await, 0);
    });
}

#[test]
fn an_imported_rate_of_backup_withholding_counts_from_its_day_on() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let cora = contractor(&company, json!({})).await;
        account(&company, &cora, "1111222233").await;
        change(&company, &cora, |found| found.backup_withholding = true).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("contractor_pay.csv");
        let import = async |from: &str, percent: i64| {
            let rows = format!("backup_withholding_percent,{from},{percent},primary,a statute of 2026\n");
            std::fs::write(&file, format!("figure,from,value,confidence,source\n{rows}")).unwrap();
            datasets::import_file(&world.app.store, "contractor-pay", &file, None, false, &|_, _| ())
                .await
                .unwrap();
            let pay = json!({ "contractor_uuid": cora, "date": PAYDAY, "wage": "1000.00" });
            company.post(SINGLES, pay).await.ok()["backup_withholding"].clone()
        };
        assert_eq!(import("2026-12-01", 28).await, "240.00");
        assert_eq!(import("2026-06-01", 28).await, "280.00");
    });
}

#[test]
fn nothing_is_withheld_with_a_number_on_file_or_from_what_was_paid_before() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let with = contractor(&company, json!({})).await;
        let without = contractor(&company, json!({ "ssn": null })).await;
        let pay = async |who: &str, method: &str, date: &str| -> Value {
            let body =
                json!({ "contractor_uuid": who, "date": date, "wage": "1000.00", "payment_method": method });
            company.post(SINGLES, body).await.ok()
        };
        let one = pay(&with, "Check", PAYDAY).await;
        assert_eq!(
            (&one["backup_withholding"], &one["backup_withholding_reason"]),
            (&json!("0.00"), &Value::Null)
        );
        let one = pay(&without, "Check", PAYDAY).await;
        assert_eq!(
            (&one["backup_withholding"], &one["backup_withholding_reason"], &one["net_pay"]),
            (&json!("240.00"), &json!("no_tin"), &json!("760.00"))
        );
        let one = pay(&without, "Historical Payment", "2026-03-02").await;
        assert_eq!((&one["backup_withholding"], &one["net_pay"]), (&json!("0.00"), &json!("1000.00")));
        assert_eq!(owed(&company, "backup_withholding_payable").await, 24_000);
    });
}
