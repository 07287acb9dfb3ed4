//! Account numbers and Social Security numbers are in the file alone: what is answered and what is stored is searched for them.

use domain::datasets;
use domain::money::returns::bank_returns;
use serde_json::json;
use std::fs;

use super::{LIST, bank, employer, files_in, paid, run};
use crate::secrets::{everything_stored, search};
use crate::support::{Engine, on_both_engines};

#[test]
fn account_numbers_and_social_security_numbers_are_in_the_file_alone() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let table = folder.path().join(".agencies.csv");
        fs::write(
            &table,
            "state,name,routing_number,account_number,account_type,source\n\
             AL,ALABAMA CSPC,062000019,7770001,Checking,letter of 2 March 2026\n",
        )
        .unwrap();
        let import = datasets::import_file(
            &world.app.store,
            "agency-banks",
            &table,
            Some("2026-06-01"),
            false,
            &|_, _| (),
        );
        import.await.unwrap();
        fs::remove_file(&table).unwrap();
        let (employers, account) = ("90126600418", "8361045007");
        let (company, location, payroll) = employer(&world, employers).await;
        let (ana, _) = paid(&company, &location, "Ana", account).await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": 120,
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        run(&company, &payroll).await;
        let text = files_in(folder.path()).remove(0).1;
        let addendum = text.lines().find(|line| line.starts_with("705DED*CS*")).unwrap();
        let ssn = addendum.split('*').nth(5).unwrap().to_owned();
        assert!(ssn.len() == 9 && ssn.bytes().all(|byte| byte.is_ascii_digit()), "{addendum}");
        assert!(text.contains(account) && text.contains(employers));
        // What cannot be read names a record, never what stands in it.
        let broken = text.replacen("\n62", "\n6X", 1);
        bank_returns::process_bank_file(&world.app.store, broken.as_bytes()).await.unwrap();
        bank_returns::process_bank_file(&world.app.store, text.as_bytes()).await.unwrap();
        let kept = world.app.store.read(|tx| bank_returns::list_bank_returns(tx, true, (100, 0))).await;
        let kept = kept.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
        assert!(kept.iter().any(|one| one.why.as_deref().is_some_and(|why| why.contains("not digits"))));
        let error = bank_returns::process_bank_file(&world.app.store, account.as_bytes()).await.unwrap_err();

        let secrets = [
            ("the SSN".to_owned(), ssn),
            ("the employee's account".to_owned(), account.to_owned()),
            ("the employer's account".to_owned(), employers.to_owned()),
        ];
        search("an error", format!("{error:?}").as_bytes(), &secrets);
        search("what is kept of a broken file", format!("{kept:?}").as_bytes(), &secrets);
        for path in [
            LIST.to_owned(),
            format!("/v1/companies/{{company}}/payrolls/{payroll}/receipt")
                .replace("/v1/companies/{company}", "/v1"),
            "/v1/companies/{company}/child_support_remittances".to_owned(),
            "/v1/events?limit=100".to_owned(),
        ] {
            search(&path, company.get(&path).await.is(200).text().as_bytes(), &secrets);
        }
        for (place, bytes) in everything_stored(&world) {
            search(&place, &bytes, &secrets);
        }
    });
}
