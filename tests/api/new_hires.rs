//! What is reported of new hires, and of contractors where a state asks for it: who, until when, to whom, and what is missing for it.

use std::collections::HashSet;

use domain::Error;
use domain::access::tokens::Caller;
use domain::contractors::new_hires;
use domain::paging::AskedDays;
use domain::people::new_hires::files;
use domain::people::new_hires::files::WantedFile;
use domain::platform::confirmations;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};

async fn reports(company: &Company, query: &str) -> Vec<Value> {
    company.get(format!("/v1/companies/{{company}}/new_hire_reports{query}")).await.list()
}

#[test]
fn a_hire_is_due_by_the_state_of_work_and_a_return_after_60_days_away_is_a_hire() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let texas = id_of(&company.location("TX").await);
        let hourly = ("20.00", "Hour", "Nonexempt");
        let (ana, _) = company.onboarded("Ana", &texas, hourly).await;
        let (max, _) = company.onboarded("Max", &texas, hourly).await;
        let jobless = company.employee("Nina").await;
        assert_eq!(reports(&company, "").await, [json!(null); 0], "they were hired more than 60 days ago");
        let march = reports(&company, "?start_date=2026-03-01&end_date=2026-03-01").await;
        let who: Vec<_> = march.iter().map(|one| text(one, "employee_uuid")).collect();
        assert_eq!(who, [ana.clone(), max.clone()], "{} has no job", id_of(&jobless));
        let first = &march[0];
        assert_eq!(
            (&first["due_on"], &first["state"], &first["days"], &first["rehired"]),
            (&json!("2026-03-21"), &json!("TX"), &json!(20), &json!(false))
        );
        assert_eq!(first["home_address"]["city"], "San Antonio");
        assert_eq!(first["employer"]["address"]["zip"], "78205");
        assert!(!first.to_string().contains("412552001"), "the SSN stays in the service");
        // Ana is away for 72 days, Max for 20, and nobody wants a report of either.
        for (who, left, back) in [(&ana, "2026-03-20", "2026-06-01"), (&max, "2026-05-11", "2026-06-01")] {
            let ends = json!({ "effective_date": left, "separation": "laid_off" });
            company.post(format!("/v1/employees/{who}/terminations"), ends).await.created();
            let back = json!({ "effective_date": back, "file_new_hire_report": false, "work_location_uuid": texas,
                               "employment_status": "part_time_eligible" });
            company.post(format!("/v1/employees/{who}/rehire"), back).await.created();
        }
        let june = reports(&company, "?start_date=2026-06-01&end_date=2026-06-30").await;
        assert_eq!(
            (june.len(), &june[0]["employee_uuid"], &june[0]["rehired"]),
            (1, &json!(ana), &json!(true))
        );
        let history = company.get(format!("/v1/employees/{ana}/employment_history")).await.list();
        assert_eq!(
            (&history[0]["separation"], &history[1]["separation"]),
            (&json!("laid_off"), &Value::Null)
        );
        let employee = company.read("employees", &ana).await;
        assert_eq!(employee["current_employment_status"], "part_time_twenty_plus_hours");
        let wrong = "/v1/companies/{company}/new_hire_reports?start_date=2026-06-02&end_date=2026-06-01";
        assert_eq!(company.get(wrong).await.refused(422).keys(), ["end_date"]);
    });
}

#[test]
fn every_hire_is_reported_however_many_there_are() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let texas = id_of(&company.location("TX").await);
        // More than are read at once, twice.
        company.crowd(&texas, 120).await;
        let all = reports(&company, "?start_date=2025-07-01&end_date=2026-07-01").await;
        let who: HashSet<_> = all.iter().map(|one| text(one, "employee_uuid")).collect();
        assert_eq!((all.len(), who.len()), (120, 120));
    });
}

/// Writes the file of the hires of March for a directory, on the machine of whoever runs the service.
async fn file(company: &Company, directory: &str, multistate: bool, again: bool) -> Result<String, Error> {
    let id = company.id;
    let wanted = WantedFile {
        directory: directory.to_owned(),
        from: Some(date(2026, 3, 1)),
        until: Some(date(2026, 3, 31)),
        multistate,
        again,
    };
    let written = company.world.app.store.write(move |tx| {
        let caller = Caller::for_operator(id, TimeZone::UTC);
        Ok::<_, Error>(files::write_filing(tx, &caller, &wanted)?.content.to_string())
    });
    written.await
}

#[test]
fn a_file_for_a_directory_holds_each_hire_once_and_is_the_only_place_with_the_number() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let (texas, florida) = (id_of(&company.location("TX").await), id_of(&company.location("FL").await));
        let hourly = ("20.00", "Hour", "Nonexempt");
        let (ana, _) = company.onboarded("Ana", &florida, hourly).await;
        company.onboarded("Max", &texas, hourly).await;
        let unknown = file(&company, "TX", false, false).await.err().unwrap();
        assert!(format!("{unknown:?}").contains("AR, DC, FL, MA, MN, NE, NM, PA, VA, WY"), "{unknown:?}");

        let first = file(&company, "FL", false, false).await.unwrap();
        let lines: Vec<&str> = first.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 1, "Max works in Texas");
        assert_eq!((lines[0].len(), lines[0][..17].to_owned()), (801, "FL Newhire Record".to_owned()));
        assert_eq!((lines[0][21..37].trim(), lines[0][273..283].trim()), ("ANA", "03012026FL"));
        let number = lines[0][83..92].to_owned();
        assert!(number.bytes().all(|digit| digit.is_ascii_digit()), "{number}");
        assert_eq!(file(&company, "FL", false, false).await.unwrap(), "", "it was written before");
        assert_eq!(file(&company, "FL", true, true).await.unwrap().matches("\r\n").count(), 2);

        let told = reports(&company, "?start_date=2026-03-01&end_date=2026-03-01").await;
        let of_ana = told.iter().find(|one| one["employee_uuid"] == json!(ana)).unwrap();
        assert_eq!(
            (&of_ana["filing"]["directory"], &of_ana["filing"]["filed_on"]),
            (&json!("FL"), &Value::Null)
        );
        assert!(!json!(told).to_string().contains(&number), "no answer has the number");
        let id = company.id;
        let filed = move |on| {
            move |tx: &mut store::Tx<'_>| {
                files::record_filing(tx, &Caller::for_operator(id, TimeZone::UTC), "FL", on)
            }
        };
        let store = &company.world.app.store;
        assert!(store.write(filed(date(2199, 1, 1))).await.is_err(), "the day has not come");
        assert_eq!(store.write(filed(date(2026, 3, 16))).await.unwrap(), 2);
        assert!(store.write(filed(date(2026, 3, 16))).await.is_err(), "nothing is left");
        let told = reports(&company, "?start_date=2026-03-01&end_date=2026-03-01").await;
        assert!(told.iter().all(|one| one["filing"]["filed_on"] == "2026-03-16"), "{told:?}");
    });
}

#[test]
fn the_file_of_a_directory_in_doubt_is_written_once_an_operator_has_confirmed_its_layout() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let pennsylvania = id_of(&company.location("PA").await);
        company.onboarded("Ana", &pennsylvania, ("20.00", "Hour", "Nonexempt")).await;
        let refused = format!("{:?}", file(&company, "PA", false, false).await.err().unwrap());
        assert!(refused.contains("stipend data confirm PA_NEW_HIRE_FILE"), "{refused}");
        let confirm =
            |tx: &mut store::Tx<'_>| confirmations::set_confirmed(tx, &["PA_NEW_HIRE_FILE".to_owned()], true);
        company.world.app.store.write(confirm).await.unwrap();
        let written = file(&company, "PA", false, false).await.unwrap();
        let lines: Vec<&str> = written.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 2, "{written}");
        assert!(lines[0].starts_with("01\t") && lines[0].ends_with("\t1"), "{}", lines[0]);
        let fields: Vec<&str> = lines[1].split('\t').collect();
        assert_eq!((fields.len(), fields[0], fields[19], fields[20]), (28, "02", "PA", "20260301"));
    });
}

/// An individual in a state, who was paid amounts on days.
async fn paid(company: &Company, fields: Value, payments: &[(&str, &str)]) -> String {
    let mut body = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-01-05", "first_name": "Cora",
                           "last_name": "Stone", "ssn": "219098765" });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let id = id_of(&company.post("/v1/companies/{company}/contractors", body).await.created());
    for (date, wage) in payments {
        let payment = json!({ "contractor_uuid": id, "date": date, "wage": wage, "reimbursement": "5000",
                              "payment_method": "Historical Payment" });
        company.post("/v1/companies/{company}/contractor_payments", payment).await.ok();
    }
    id
}

async fn of_contractors(company: &Company, query: &str) -> Vec<Value> {
    company.get(format!("/v1/companies/{{company}}/contractors/new_hire_reports{query}")).await.list()
}

#[test]
fn a_contractor_is_reported_once_a_year_from_the_payment_with_which_the_amount_of_the_state_is_reached() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let payments =
            [("2025-11-03", "599.99"), ("2026-02-02", "400"), ("2026-03-02", "200"), ("2026-04-01", "900")];
        let cora = paid(&company, json!({ "work_state": "CA" }), &payments).await;
        paid(&company, json!({ "work_state": "TX", "ssn": "219098766" }), &payments).await;
        let hampshire = [("2026-03-02", "2500"), ("2026-04-01", "0.01")];
        let nora = paid(&company, json!({ "work_state": "NH", "ssn": "219098767" }), &hampshire).await;
        let year = of_contractors(&company, "?start_date=2025-06-01&end_date=2026-06-15").await;
        let who: Vec<_> =
            year.iter().map(|one| (text(one, "contractor_uuid"), text(one, "hire_date"))).collect();
        assert_eq!(
            who,
            [(cora.clone(), "2026-03-02".to_owned()), (nora, "2026-04-01".to_owned())],
            "{year:?}"
        );
        let first = &year[0];
        assert_eq!(
            (
                &first["due_on"],
                &first["reason"],
                &first["paid"],
                &first["amount"],
                &first["amount_confidence"]
            ),
            (&json!("2026-03-22"), &json!("paid"), &json!("1500.00"), &json!("600.00"), &json!("primary"))
        );
        assert!(text(first, "amount_source").contains("1088.8") && !first.to_string().contains("219098765"));
        assert!(first["missing"].as_array().unwrap().contains(&json!("home_address")), "{first}");
        // In the year before, nothing was due; a range after the day has it no more.
        assert_eq!(of_contractors(&company, "?start_date=2026-03-03&end_date=2026-03-31").await.len(), 0);
        let wrong =
            "/v1/companies/{company}/contractors/new_hire_reports?start_date=2026-06-02&end_date=2026-06-01";
        company.get(wrong).await.refused(422);
        // Employees are in a list of their own.
        assert_eq!(reports(&company, "?start_date=2025-06-01&end_date=2026-06-15").await, [json!(null); 0]);
    });
}

#[test]
fn a_record_that_asks_for_a_report_has_one_from_the_first_day_of_work_on_whatever_was_paid() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let asked = json!({ "work_state": "TX", "file_new_hire_report": true, "start_date": "2026-06-01" });
        let cora = paid(&company, asked, &[]).await;
        let business = json!({ "type": "Business", "business_name": "Hill Design LLC", "wage_type": "Fixed",
                               "start_date": "2026-06-01", "ein": "745551234" });
        company.post("/v1/companies/{company}/contractors", business).await.created();
        let both = json!({ "work_state": "CA", "file_new_hire_report": true, "start_date": "2026-05-04", "ssn": "219098766" });
        let ana = paid(&company, both, &[("2026-05-20", "1000")]).await;
        let found = of_contractors(&company, "").await;
        let told: Vec<_> = found
            .iter()
            .map(|one| (text(one, "contractor_uuid"), text(one, "hire_date"), text(one, "reason")))
            .collect();
        let requested = |id: &String, day: &str| (id.clone(), day.to_owned(), "requested".to_owned());
        assert_eq!(told, [requested(&ana, "2026-05-04"), requested(&cora, "2026-06-01")]);
        assert_eq!((&found[1]["amount"], &found[1]["due_on"]), (&Value::Null, &json!("2026-06-21")));
    });
}

#[test]
fn the_table_of_contractors_is_the_only_place_with_their_numbers_and_is_not_written_while_data_is_missing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let payments = [("2026-05-04", "700")];
        let cora = paid(&company, json!({ "work_state": "CA" }), &payments).await;
        paid(&company, json!({ "work_state": "MA", "ssn": "219098766" }), &payments).await;
        let id = company.id;
        let write = async |state: Option<&'static str>| {
            let written = company.world.app.store.write(move |tx| {
                let caller = Caller::for_operator(id, TimeZone::UTC);
                let days = AskedDays { from: Some(date(2026, 5, 1)), until: Some(date(2026, 5, 31)) };
                Ok::<_, Error>(new_hires::write_reports(tx, &caller, state, days)?.content.to_string())
            });
            written.await
        };
        let refused = write(Some("CA")).await.err().unwrap();
        assert!(format!("{refused:?}").contains(&format!("{cora} is missing home_address")), "{refused:?}");
        let address =
            json!({ "street_1": "7 Mill Lane, Rear", "city": "Fresno", "state": "CA", "zip": "93650" });
        company.put(format!("/v1/contractors/{cora}/address"), address).await.ok();
        let table = write(Some("CA")).await.unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 2, "the contractor of Massachusetts is reported there");
        assert!(
            lines[0].starts_with("reported_to,first_name,middle_initial,last_name,ssn,street_1"),
            "{}",
            lines[0]
        );
        let told = "CA,Cora,,Stone,219098765,\"7 Mill Lane, Rear\",,Fresno,CA,93650,2026-05-04,2026-05-24,paid,700.00";
        assert!(lines[1].starts_with(told), "{}", lines[1]);
        assert!(write(None).await.is_err(), "the contractor of Massachusetts has no address");
    });
}
