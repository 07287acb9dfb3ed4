//! Deposits of those who file once a year: Form 944, and what reduced credits add to Form 940. What no deposit pays is listed.

use std::fs;

use ach::read::read_entries;
use domain::Error;
use domain::datasets;
use domain::money::batches::taxes;
use domain::money::deposits::{DepositState, record_of_year};
use domain::money::manual_payments::manual_taxes::{self, ByHand};
use domain::pay::payrolls::closing::processing::credit_reductions;
use domain::platform::confirmations;
use jiff::civil::date;
use rules::days::Days;
use rules::deposits::{Form, Schedule};
use serde_json::{Value, json};

use super::taxes::{Depositor, act, all, only, state};
use super::{add_account, files_in, run};
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

const DETAILS: &str = "/v1/companies/{company}/federal_tax_details";

/// A depositor who files Form 944.
async fn annual(engine: Engine, schedule: Schedule) -> Depositor {
    let one = Depositor::new(engine).await;
    let details = one.company.get(DETAILS).await.ok();
    let filed = json!({ "version": details["version"], "filing_form": "944" });
    one.company.put(DETAILS, filed).await.ok();
    state(&one.company, Some(schedule)).await;
    one
}

/// Pays a bonus on Friday 26 June, outside the schedule.
async fn bonus(one: &Depositor, dollars: &str) {
    let asked = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15", "end_date": "2026-06-21",
                        "check_date": "2026-06-26" });
    let id = id_of(&one.company.post("/v1/companies/{company}/payrolls", asked).await.ok());
    let path = format!("/v1/companies/{{company}}/payrolls/{id}");
    let prepared = one.company.put(format!("{path}/prepare"), json!({})).await.ok();
    let line = &prepared["employee_compensations"][0];
    let line = json!([{ "employee_uuid": line["employee_uuid"], "version": line["version"],
                        "fixed_compensations": [{ "name": "Bonus", "amount": dollars }] }]);
    one.company.put(&path, json!({ "employee_compensations": line })).await.ok();
    one.company.calculate(&id).await;
    one.company.submit(&id).await;
    one.world.wait(jiff::Span::new().minutes(1)).await;
}

async fn by_hand(company: &Company) -> Vec<ByHand> {
    act(company, manual_taxes::list_manual_taxes).await.unwrap_or_else(|error: Error| panic!("{error:?}"))
}

fn of<'a>(list: &'a [ByHand], agency: &str, tax: &str) -> &'a ByHand {
    let found = list.iter().find(|one| one.agency == agency && one.tax == tax);
    found.unwrap_or_else(|| panic!("{agency} {tax}: {list:#?}"))
}

#[test]
fn less_than_2_500_dollars_of_form_944_are_paid_with_the_return_unless_the_company_deposits_each_quarter() {
    on_both_engines(async |engine: Engine| {
        let one = annual(engine, Schedule::Monthly).await;
        run(&one.company, &one.payroll).await;
        assert!(all(&one.company).await.is_empty());
        let list = by_hand(&one.company).await;
        let medicare = of(&list, "US", "Medicare");
        // The 31st of January 2027 is a Sunday.
        assert_eq!((medicare.cents, medicare.due), (5_800, Some(date(2027, 2, 1))));
        assert!(medicare.why.contains("with Form 944"), "{medicare:?}");
        assert!(of(&list, "US", "FUTA").why.contains("with Form 940"), "{list:?}");

        // Who is not sure of less deposits what there is with the next payroll.
        state(&one.company, Some(Schedule::Quarterly)).await;
        assert_eq!(one.company.get(DETAILS).await.ok()["deposit_schedule"], "Quarterly");
        bonus(&one, "100.00").await;
        let planned = only(&one.company).await;
        let told = (planned.form, planned.first_day, planned.last_day, planned.period_end, planned.due);
        let (first, last, year) = (date(2026, 6, 18), date(2026, 6, 26), date(2026, 12, 31));
        assert_eq!(told, (Form::F944, first, last, year, date(2026, 7, 31)));
        assert!(by_hand(&one.company).await.iter().all(|one| one.agency != "US" || one.tax == "FUTA"));

        // Its code was read nowhere: until the operator confirms it the employer pays, which is said.
        one.wait_until("2026-07-29T23:05:00Z").await;
        let left = only(&one.company).await;
        assert_eq!((left.state, left.reason.as_deref()), (DepositState::Manual, Some(taxes::DOUBTFUL_CODE)));
        let list = by_hand(&one.company).await;
        let medicare = of(&list, "US", "Medicare");
        assert_eq!((medicare.due, medicare.why.as_str()), (Some(date(2026, 7, 31)), taxes::DOUBTFUL_CODE));
        let keys = vec!["US_944_DEPOSITS".to_owned()];
        act(&one.company, move |tx, _| confirmations::set_confirmed(tx, &keys, true)).await.unwrap();
        let id = left.id;
        act(&one.company, move |tx, caller| taxes::pay_deposit_again(tx, caller, id)).await.unwrap();
        one.world.wait(jiff::Span::new().minutes(5)).await;
        let sent = only(&one.company).await;
        assert_eq!((sent.state, sent.settles_on), (DepositState::Sent, Some(date(2026, 7, 31))));
        let last = files_in(one.folder.path()).pop().unwrap().1;
        assert!(last.contains(r"TXP*741852096*94405*261201*1*"), "{last}");
    });
}

#[test]
fn a_quarter_of_2_500_dollars_is_deposited_by_the_month_with_form_944_too() {
    on_both_engines(async |engine: Engine| {
        let one = annual(engine, Schedule::Monthly).await;
        run(&one.company, &one.payroll).await;
        assert!(all(&one.company).await.is_empty());
        bonus(&one, "9000.00").await;
        let planned = only(&one.company).await;
        assert_eq!((planned.first_day, planned.due), (date(2026, 6, 18), date(2026, 7, 15)));
        assert!(planned.cents >= rules::deposits::FORM_944_DEPOSIT_THRESHOLD_CENTS, "{planned:?}");
        let owed: i64 =
            one.owed().await.into_iter().filter(|(tax, _)| tax != "FUTA").map(|(_, cents)| cents).sum();
        assert_eq!(planned.cents, owed);
    });
}

#[test]
fn quarterly_deposits_are_of_form_944_alone() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        let put = act(&one.company, |tx, caller| {
            let quarterly = (date(2026, 1, 1), Some(Schedule::Quarterly));
            domain::company::taxes::deposit_schedules::record_schedule(tx, caller, quarterly)
        });
        let Err(Error::Violations(refused)) = put.await else { panic!("it was taken") };
        assert!(format!("{refused:?}").contains("files Form 944"), "{refused:?}");
        assert_eq!(one.company.get(DETAILS).await.ok()["deposit_schedule"], "Semiweekly");
    });
}

/// Imports a reduction for California that makes one person's wages cost more than 500 dollars.
async fn reduce(world: &World) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reductions.csv");
    fs::write(&file, "state,year,percent,source,confidence\nCA,2026,25.0,notice,primary\n").unwrap();
    let import =
        datasets::import_file(&world.app.store, "futa-credit-reductions", &file, None, false, &|_, _| ());
    import.await.unwrap();
}

#[test]
fn what_a_reduced_credit_costs_is_owed_in_the_new_year_and_deposited_with_the_fourth_quarter() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        let office = id_of(&one.company.location("CA").await);
        one.company.answer_state("CA").await;
        // Below the least salary of exempt employees in California.
        let pay = ("52000.00", "Year", "Salaried Nonexempt");
        let (cal, _) = one.company.onboarded("Cal", &office, pay).await;
        add_account(&one.company, &cal, "3333444455").await;
        run(&one.company, &one.payroll).await;
        one.wait_until("2027-01-05T12:00:00Z").await;
        let unemployment = |list: Vec<domain::money::deposits::TaxDeposit>| {
            list.into_iter().filter(|one| one.form == Form::F940).collect::<Vec<_>>()
        };
        assert!(unemployment(all(&one.company).await).is_empty());
        assert_eq!(one.owed().await["FUTA"], 2_400);
        let list = by_hand(&one.company).await;
        assert_eq!(of(&list, "US", "FUTA").due, Some(date(2027, 2, 1)), "in the year after its pay dates");

        // It was announced late: the service looks each day.
        reduce(&one.world).await;
        one.wait_until("2027-01-06T12:00:00Z").await;
        let planned = unemployment(all(&one.company).await).remove(0);
        let told = (planned.first_day, planned.last_day, planned.due, planned.cents, planned.state);
        let (first, last, due) = (date(2026, 6, 18), date(2026, 12, 31), date(2027, 2, 1));
        assert_eq!(told, (first, last, due, 2_400 + 50_000, DepositState::Scheduled));
        assert_eq!(one.owed().await["FUTA credit reduction"], 50_000);
        let journal = "/v1/companies/{company}/journal?start_date=2026-12-31&end_date=2026-12-31";
        let lines = one.company.get(journal).await.list();
        let told: Vec<_> = lines.iter().map(|line| (&line["reason"], &line["payroll_uuid"])).collect();
        assert_eq!(told, [(&json!("reduced_credit"), &Value::Null); 2], "{lines:?}");
        let sides: Vec<_> = lines.iter().map(|line| (text(line, "debit"), text(line, "credit"))).collect();
        assert!(sides.contains(&("500.00".into(), "0.00".into())), "{sides:?}");
        assert!(sides.contains(&("0.00".into(), "500.00".into())), "{sides:?}");
        let terms = json!({ "report_type": "cash_requirement", "columns": [], "groupings": [], "file_type": "json",
                            "start_date": "2026-12-31", "end_date": "2026-12-31" });
        let asked = one.company.post("/v1/companies/{company}/reports", terms).await.created();
        one.company.work().await;
        let done = one.company.get(format!("/v1/reports/{}", text(&asked, "request_uuid"))).await.ok();
        let url = done["report_urls"][0].as_str().unwrap();
        let rows = one
            .world
            .call("GET", url.trim_start_matches("https://pages.example"))
            .send()
            .await
            .is(200)
            .json();
        assert_eq!(
            (&rows["rows"][0]["payroll_uuid"], &rows["rows"][0]["total"]),
            (&Value::Null, &json!("500.00"))
        );
        // Nothing is owed twice, however often it is looked at.
        for _ in 0..2 {
            let (store, year) = (&one.world.app.store, record_of_year(2026));
            credit_reductions::accrue_credit_reductions(store, one.company.id, year).await.unwrap();
        }
        assert_eq!(one.owed().await["FUTA credit reduction"], 50_000);

        one.wait_until("2027-01-28T23:59:00Z").await;
        assert_eq!(unemployment(all(&one.company).await)[0].state, DepositState::Scheduled);
        one.wait_until("2027-01-29T00:05:00Z").await;
        let sent = unemployment(all(&one.company).await).remove(0);
        assert_eq!((sent.state, sent.settles_on), (DepositState::Sent, Some(due)));
        let last = files_in(one.folder.path()).pop().unwrap().1;
        let entry = read_entries(&last).unwrap().remove(0);
        assert_eq!(
            (entry.cents, entry.addenda[0][3..83].trim()),
            (52_400, r"TXP*741852096*09405*261201*09405*52400\")
        );
        let left = by_hand(&one.company).await;
        assert!(left.iter().all(|one| one.agency != "US"), "all of it is deposited: {left:#?}");
    });
}

#[test]
fn taxes_of_states_are_listed_with_what_is_known_of_their_day() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        let office = id_of(&one.company.location("CA").await);
        // Below the least salary of exempt employees in California.
        let pay = ("52000.00", "Year", "Salaried Nonexempt");
        let (cal, _) = one.company.onboarded("Cal", &office, pay).await;
        add_account(&one.company, &cal, "3333444455").await;
        run(&one.company, &one.payroll).await;
        let list = by_hand(&one.company).await;
        let income = of(&list, "US-CA", "CA Withholding Tax");
        assert_eq!(
            (income.due, income.check_dates),
            (None, Days { first: date(2026, 6, 18), last: date(2026, 6, 18) })
        );
        assert!(
            income.cents > 0 && income.why.contains("the deposit frequency of CA is not set"),
            "{income:?}"
        );
        assert!(of(&list, "US-CA", "CA SDI").why.contains("its due dates are not in any table"), "{list:?}");
        one.company.answer_state("CA").await;
        let list = by_hand(&one.company).await;
        let income = of(&list, "US-CA", "CA Withholding Tax");
        assert!(income.why.starts_with("Next day, as the state has told the company"), "{income:?}");
        // What a deposit will pay is not paid by hand, and all that is owed is in one of the two.
        let federal: Vec<_> =
            list.iter().filter(|one| one.agency == "US").map(|one| one.tax.as_str()).collect();
        assert_eq!(federal, ["FUTA"]);
        let planned: i64 = all(&one.company).await.iter().map(|one| one.cents).sum();
        let by_hand: i64 = list.iter().map(|one| one.cents).sum();
        let owed = one.company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
        let taxes = owed.iter().filter(|one| text(one, "agency").starts_with("US"));
        let cents = |one: &Value| text(one, "balance").replace('.', "").parse::<i64>().unwrap();
        assert_eq!(planned + by_hand, taxes.map(cents).sum::<i64>());
    });
}
