//! What is in a paycheck: jobs, minimum wages, workweeks, and where net pay goes.

use domain::datasets;
use domain::pay::minimum_wages::Table;
use domain::platform::reference::Dataset;
use serde_json::{Value, json};

use super::{company, enter, hours, line, number, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// The minimum wage of a location that an authority set.
pub(super) async fn wage(company: &Company, location: &str, authority: &str) -> Value {
    let all = company.get(format!("/v1/locations/{location}/minimum_wages")).await.list();
    all.into_iter().find(|wage| wage["authority"] == authority && wage["wage_type"] == "Regular").unwrap()
}

/// Adjusts what a job pays to a minimum wage.
pub(super) async fn adjust(company: &Company, job: &Value, wage: &Value) {
    let pay = id_of(&company.read("jobs", &id_of(job)).await["compensations"][0]);
    let flag = json!({ "version": company.read("compensations", &pay).await["version"],
                       "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": wage["uuid"] }] });
    company.put(format!("/v1/compensations/{pay}"), flag).await.ok();
}

/// The data that come with the program and a new figure for Texas, as a file to be imported.
fn data_with(folder: &tempfile::TempDir, line: &str) -> std::path::PathBuf {
    let file = folder.path().join("minimum_wages.csv");
    let built_in = std::str::from_utf8(Table::BUILT_IN.bytes).unwrap();
    std::fs::write(&file, format!("{built_in}{line}\n")).unwrap();
    file
}

async fn import(company: &Company, file: &std::path::Path) -> Result<String, String> {
    datasets::import_file(
        &company.world.app.store,
        "minimum-wages",
        file,
        Some("2027-01-04"),
        false,
        &|_, _| (),
    )
    .await
    .map(|done| done.to_text())
}

#[test]
fn each_job_is_brought_up_to_its_own_minimum_wage_with_its_own_tips() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let brooklyn = id_of(&company.location("NY").await);
        let (dan, cook) = company.onboarded("Dan", &brooklyn, ("10.00", "Hour", "Nonexempt")).await;
        let waiter = company.job(&dan, "Waiter", "2026-03-01").await;
        company.pay(&waiter, "2.13", "Hour", "Nonexempt").await;
        let guard = company.job(&dan, "Guard", "2026-03-01").await;
        company.pay(&guard, "5.00", "Hour", "Nonexempt").await;
        adjust(&company, &cook, &wage(&company, &brooklyn, "State").await).await;
        adjust(&company, &waiter, &wage(&company, &brooklyn, "Federal").await).await;
        let of_job = |job: &Value, hours: &str| json!({ "name": "Regular Hours", "hours": hours, "job_uuid": job["uuid"] });
        let tips = json!([{ "name": "Paycheck Tips", "amount": "60.00", "job_uuid": waiter["uuid"] }]);
        let what = json!({ "hourly_compensations": [of_job(&cook, "20"), of_job(&waiter, "30"), of_job(&guard, "10")],
                           "fixed_compensations": tips });
        enter(&company, &payroll, &dan, what).await.ok();
        let told = company.calculate(&payroll).await;
        let one = of(&told, &dan);
        let made_up: Vec<_> = one["fixed_compensations"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|line| line["name"] == "Minimum Wage Adjustment")
            .map(|line| (text(line, "job_uuid"), text(line, "amount")))
            .collect();
        // 20 x 17.00 - 200.00; 30 x 7.25 - 63.90 - 60.00; nothing was chosen for the third.
        let expected = [(id_of(&cook), "140.00".to_owned()), (id_of(&waiter), "93.60".to_owned())];
        assert_eq!(made_up, expected);
        assert_eq!(number(&one["gross_pay"]), "607.50");
    });
}

#[test]
fn a_minimum_wage_that_rises_within_the_pay_period_counts_from_its_day_on() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (dan, job) = company.onboarded("Dan", &location, ("2.13", "Hour", "Nonexempt")).await;
        let before = wage(&company, &location, "State").await;
        adjust(&company, &job, &before).await;
        let folder = tempfile::tempdir().unwrap();
        let risen = data_with(&folder, "State,TX,,,,,Regular,,9.00,,,2026-06-08,,,,,");
        let said = import(&company, &risen).await.unwrap();
        assert!(said.contains("State TX Regular from 2026-06-08: 9.00"), "{said}");

        // The rule is the same: its uuid stays, and what was chosen tells the figure at the time of the choice.
        let after = wage(&company, &location, "State").await;
        assert_eq!((&after["uuid"], &after["wage"]), (&before["uuid"], &json!("9.00")));
        let pay = id_of(&company.read("jobs", &id_of(&job)).await["compensations"][0]);
        let chosen = &company.read("compensations", &pay).await["minimum_wages"][0];
        assert_eq!((&chosen["uuid"], &chosen["wage"]), (&before["uuid"], &json!("7.25")));

        // Half of the days at each: 40 x 7.25 + 40 x 9.00 - 80 x 2.13.
        enter(&company, &payroll, &dan, hours("80")).await.ok();
        let made_up = async || {
            let told = company.calculate(&payroll).await;
            let lines = &of(&told, &dan)["fixed_compensations"];
            text(line(lines, "Minimum Wage Adjustment"), "amount")
        };
        assert_eq!(made_up().await, "479.60");
        // By workweek: 50 x 7.25 + 30 x 9.00 - 80 x 2.13.
        let week = |start: &str, hours: &str| json!({ "name": "Regular Hours", "hours": hours, "workweek_start": start });
        let weeks = json!({ "hourly_compensations": [week("2026-06-08", "30"), week("2026-06-01", "50")] });
        enter(&company, &payroll, &dan, weeks).await.ok();
        assert_eq!(made_up().await, "462.10");
    });
}

#[test]
fn a_file_of_minimum_wages_with_a_fault_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let before = company.get(format!("/v1/locations/{location}/minimum_wages")).await.list();
        let folder = tempfile::tempdir().unwrap();
        for wrong in [
            "State,TX,,,,,Regular,,nine,,,2026-06-08,,,,,",
            "State,TX,,,,,Regular,,9.00,,,2026-06-31,,,,,",
            "Planet,TX,,,,,Regular,,9.00,,,2026-06-08,,,,,",
            "State,TX,,,,,Regular,,9.00",
        ] {
            let why = import(&company, &data_with(&folder, wrong)).await.unwrap_err();
            assert!(why.contains("nothing was imported") && why.contains("line"), "{why}");
        }
        let after = company.get(format!("/v1/locations/{location}/minimum_wages")).await.list();
        assert_eq!(after, before);
        let status =
            datasets::status_table(&datasets::dataset_status(&company.world.app.store).await.unwrap());
        let line = status.lines().find(|line| line.starts_with("minimum-wages")).unwrap();
        assert!(line.ends_with("built in"), "{line}");
    });
}

#[test]
fn hours_are_entered_by_workweek_or_for_the_whole_period() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("10.00", "Hour", "Nonexempt")).await;
        let raise = json!({ "rate": "20.00", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                            "effective_date": "2026-06-08" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
        let week = |name: &str, start: &str, hours: &str| json!({ "name": name, "hours": hours, "workweek_start": start });
        let weeks = json!({ "hourly_compensations": [
            week("Regular Hours", "2026-06-01", "40"), week("Overtime", "2026-06-01", "10"),
            week("Regular Hours", "2026-06-08", "30"),
        ] });
        let told = enter(&company, &payroll, &ana, weeks).await.ok();
        let regular = line(&of(&told, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!(regular["hours"], "70.000");
        let first = json!({ "start_date": "2026-06-01", "hours": "40.000" });
        let second = json!({ "start_date": "2026-06-08", "hours": "30.000" });
        assert_eq!(regular["workweeks"], json!([first, second]));
        // The raise is on the first day of the second workweek: 40 x 10 + 30 x 20, and 10 x 15.
        let gross = async || number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]);
        assert_eq!(gross().await, "1150.00");
        // One week again leaves the others; hours of the whole period take the place of all, spread over its days.
        let again = json!({ "hourly_compensations": [week("Regular Hours", "2026-06-08", "20")] });
        enter(&company, &payroll, &ana, again).await.ok();
        assert_eq!(gross().await, "950.00");
        let told = enter(&company, &payroll, &ana, hours("70")).await.ok();
        let regular = line(&of(&told, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!((&regular["hours"], regular.get("workweeks")), (&json!("70.000"), None));
        assert_eq!(gross().await, "1200.00");

        for (start, why) in
            [("2026-05-25", "lie between"), ("2026-06-15", "lie between"), ("2026-06-03", "same day")]
        {
            let lines = json!({ "hourly_compensations": [
                week("Regular Hours", "2026-06-01", "1"), week("Regular Hours", start, "1") ] });
            let refused = enter(&company, &payroll, &ana, lines).await.refused(422);
            let inner = &refused.only()["errors"][0];
            assert_eq!(inner["error_key"], "workweek_start");
            assert!(text(inner, "message").contains(why), "{inner}");
        }
    });
}

#[test]
fn net_pay_is_divided_among_bank_accounts_to_the_cent() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let mut accounts = Vec::new();
        for (name, number) in [("Rent", "90126600418"), ("Savings", "40070045"), ("Rest", "52190031")] {
            let body = json!({ "name": name, "routing_number": "021001208", "account_number": number,
                               "account_type": "Checking" });
            let made = company.post(format!("/v1/employees/{ana}/bank_accounts"), body).await.created();
            accounts.push(id_of(&made));
        }
        let divide = async |by: &str, amounts: [Value; 3]| {
            let method = company.get(format!("/v1/employees/{ana}/payment_method")).await.ok();
            let split = |place: usize| {
                json!({ "uuid": accounts[place], "name": format!("Account {place}"),
                                               "priority": place + 1, "split_amount": amounts[place] })
            };
            let body = json!({ "version": method["version"], "type": "Direct Deposit", "split_by": by,
                               "splits": [split(0), split(1), split(2)] });
            company.put(format!("/v1/employees/{ana}/payment_method"), body).await.ok();
        };
        let reimbursed = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "80" }],
                                 "reimbursements": [{ "amount": "0.01", "description": "A cent" }] });
        divide("Amount", [json!(50_000), json!(20_000), Value::Null]).await;
        enter(&company, &payroll, &ana, reimbursed).await.ok();
        let calculated = async || {
            let told = company.calculate(&payroll).await;
            let one = of(&told, &ana).clone();
            let splits = one["payment_splits"].as_array().cloned().unwrap_or_default();
            let parts: Vec<_> = splits
                .iter()
                .map(|split| (text(split, "bank_account_uuid"), text(split, "amount")))
                .collect();
            let sum = parts.iter().map(|part| rules::Amount::parse(&part.1).unwrap().cents_half_up()).sum();
            (parts, rules::Amount::from_cents(sum).to_text(2), one)
        };
        let (parts, sum, one) = calculated().await;
        assert_eq!(sum, number(&one["check_amount"]), "all that is paid out, and no more");
        let ids: Vec<_> = parts.iter().map(|part| &part.0).collect();
        assert_eq!(ids, accounts.iter().collect::<Vec<_>>());
        assert_eq!((parts[0].1.as_str(), parts[1].1.as_str()), ("500.00", "200.00"));

        divide("Percentage", [json!(33), json!(33), json!(34)]).await;
        let (parts, sum, one) = calculated().await;
        assert_eq!((parts.len(), sum), (3, number(&one["check_amount"])));
        let stub = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200);
        for (_, amount) in &parts {
            assert!(stub.text().contains(amount.as_str()), "{amount}");
        }
        // Somebody whose pay goes to no account is paid by check, and nothing else is told.
        let (ben, _) = company.onboarded("Ben", &location, ("20.00", "Hour", "Nonexempt")).await;
        let method = json!({ "payment_method": "Direct Deposit" });
        let refused = enter(&company, &payroll, &ben, method.clone()).await.refused(422);
        assert!(format!("{refused:?}").contains("payment method names a bank account"), "{refused:?}");
        enter(&company, &payroll, &ana, method).await.ok();
        // By check for this once: nothing goes to an account.
        enter(&company, &payroll, &ana, json!({ "payment_method": "Check" })).await.ok();
        let (parts, _, one) = calculated().await;
        assert_eq!((parts.len(), &one["payment_method"]), (0, &json!("Check")));
        let told = read(&company, &payroll, "totals").await;
        assert_eq!(
            (&told["totals"]["net_pay_debit"], &told["totals"]["check_amount"]),
            (&json!("0.00"), &json!(number(&one["check_amount"])))
        );
    });
}

#[test]
fn sick_pay_is_no_less_than_the_minimum_wage_where_the_state_says_so_and_tips_are_no_part_of_it() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let arizona = id_of(&company.location("AZ").await);
        let mut paid = Vec::new();
        for (location, authority, rate) in [(&arizona, "State", "12.15"), (&texas, "Federal", "2.13")] {
            let (server, job) = company.onboarded("Ana", location, (rate, "Hour", "Nonexempt")).await;
            adjust(&company, &job, &wage(&company, location, authority).await).await;
            let off = json!({ "paid_time_off": [{ "name": "Sick Hours", "hours": "8" },
                                                { "name": "Vacation Hours", "hours": "4" }] });
            enter(&company, &payroll, &server, off).await.ok();
            let told = company.calculate(&payroll).await;
            paid.push(number(&of(&told, &server)["gross_pay"]));
            super::explanation_of(&company, &payroll, &server).await;
        }
        // 8 x 15.15 and 4 x 12.15 (A.R.S. 23-371); 12 x 2.13 in Texas, which asks for nothing.
        assert_eq!(paid, ["169.80", "25.56"]);
    });
}

#[test]
fn days_before_a_move_are_held_against_the_minimum_wages_of_the_place_of_those_days() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let florida = id_of(&company.location("FL").await);
        let (dan, job) = company.onboarded("Dan", &florida, ("5.00", "Hour", "Nonexempt")).await;
        adjust(&company, &job, &wage(&company, &florida, "State").await).await;
        for (place, from) in [(&florida, "2026-03-01"), (&texas, "2026-06-08")] {
            let moves = json!({ "location_uuid": place, "effective_date": from });
            company.post(format!("/v1/employees/{dan}/work_addresses"), moves).await.created();
        }
        let federal = wage(&company, &texas, "Federal").await;
        let next = json!({ "rate": "5.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-06-08",
                           "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": federal["uuid"] }] });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), next).await.created();
        let week = |start: &str| json!({ "name": "Regular Hours", "hours": "40", "workweek_start": start });
        let weeks = json!({ "hourly_compensations": [week("2026-06-01"), week("2026-06-08")] });
        enter(&company, &payroll, &dan, weeks).await.ok();
        let told = company.calculate(&payroll).await;
        let one = of(&told, &dan);
        // 40 x (14.00 - 5.00) in Florida, 40 x (7.25 - 5.00) in Texas.
        let line = line(&one["fixed_compensations"], "Minimum Wage Adjustment");
        assert_eq!(line["amount"], "450.00");
        let warned = warned(&company, &payroll, &dan).await;
        assert!(!warned.iter().any(|key| key.starts_with("minimum_wage")), "{warned:?}");
        super::explanation_of(&company, &payroll, &dan).await;
    });
}

/// The keys of what a paycheck warns of.
pub(super) async fn warned(company: &Company, payroll: &str, employee: &str) -> Vec<String> {
    let explained = super::explanation_of(company, payroll, employee).await;
    explained["warnings"].as_array().unwrap().iter().map(|one| text(one, "key")).collect()
}

#[test]
fn tips_cover_nothing_after_a_move_to_a_state_that_does_not_let_them_and_the_paycheck_says_so() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let (dan, job) = company.onboarded("Dan", &texas, ("2.13", "Hour", "Nonexempt")).await;
        adjust(&company, &job, &wage(&company, &texas, "Federal").await).await;
        let what = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "40", "workweek_start": "2026-06-01" }],
                           "fixed_compensations": [{ "name": "Cash Tips", "amount": "500.00" }] });
        enter(&company, &payroll, &dan, what).await.ok();
        let made_up = async || {
            let told = company.calculate(&payroll).await;
            line(&of(&told, &dan)["fixed_compensations"], "Minimum Wage Adjustment")["amount"].clone()
        };
        assert_ne!(made_up().await, "204.80", "tips cover 5.12 an hour in Texas");
        assert!(
            !warned(&company, &payroll, &dan).await.contains(&"minimum_wage_without_tip_credit".to_owned())
        );
        let moves = json!({ "location_uuid": california, "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{dan}/work_addresses"), moves).await.created();
        assert_eq!(made_up().await, "204.80", "40 x (7.25 - 2.13)");
        assert!(
            warned(&company, &payroll, &dan).await.contains(&"minimum_wage_without_tip_credit".to_owned())
        );
    });
}

#[test]
fn a_raise_that_does_not_speak_of_the_minimum_wage_adjustment_goes_on_with_it() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let (_, job) = company.onboarded("Dan", &texas, ("2.13", "Hour", "Nonexempt")).await;
        let federal = wage(&company, &texas, "Federal").await;
        adjust(&company, &job, &federal).await;
        let raise = async |fields: Value| {
            let mut body = json!({ "rate": "3.00", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), body).await.created()
        };
        let raised = raise(json!({ "effective_date": "2026-07-01" })).await;
        assert_eq!(raised["adjust_for_minimum_wage"], true);
        assert_eq!(raised["minimum_wages"][0]["uuid"], federal["uuid"]);
        let ended = raise(json!({ "effective_date": "2026-08-01", "adjust_for_minimum_wage": false })).await;
        assert_eq!((&ended["adjust_for_minimum_wage"], &ended["minimum_wages"]), (&json!(false), &json!([])));
        assert_eq!(raise(json!({ "effective_date": "2026-09-01" })).await["adjust_for_minimum_wage"], false);
    });
}

#[test]
fn a_salary_after_hourly_pay_has_no_minimum_wage_adjustment() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let (_, job) = company.onboarded("Dan", &texas, ("2.13", "Hour", "Nonexempt")).await;
        adjust(&company, &job, &wage(&company, &texas, "Federal").await).await;
        let salary = json!({ "rate": "60000.00", "payment_unit": "Year", "flsa_status": "Exempt", "effective_date": "2026-07-01" });
        let made = company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), salary).await.created();
        assert_eq!((&made["adjust_for_minimum_wage"], &made["minimum_wages"]), (&json!(false), &json!([])));
    });
}

#[test]
fn hours_at_a_location_in_a_state_that_lets_tips_cover_nothing_count_as_a_move_there_does() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let paid = async |name: &str, lines: Value| {
            let (dan, job) = company.onboarded(name, &texas, ("2.13", "Hour", "Nonexempt")).await;
            adjust(&company, &job, &wage(&company, &texas, "Federal").await).await;
            let what = json!({ "hourly_compensations": lines,
                               "fixed_compensations": [{ "name": "Cash Tips", "amount": "500.00" }] });
            enter(&company, &payroll, &dan, what).await.ok();
            let told = company.calculate(&payroll).await;
            let made_up =
                line(&of(&told, &dan)["fixed_compensations"], "Minimum Wage Adjustment")["amount"].clone();
            let warned = warned(&company, &payroll, &dan).await;
            (made_up, warned.contains(&"minimum_wage_without_tip_credit".to_owned()))
        };
        let day = |day: &str, location: &str| json!({ "name": "Regular Hours", "hours": "8", "date": day, "location_uuid": location });
        let (made_up, is_told) =
            paid("Dan", json!([day("2026-06-02", &california), day("2026-06-03", &california)])).await;
        assert_eq!((made_up, is_told), (json!("81.92"), true), "16 x (7.25 - 2.13)");
        // In the work address's state tips cover all of it.
        let (made_up, is_told) =
            paid("Eva", json!([day("2026-06-02", &texas), day("2026-06-03", &texas)])).await;
        assert_ne!(made_up, "81.92");
        assert!(!is_told);
    });
}

#[test]
fn tips_cover_what_the_authority_of_the_minimum_wage_lets_them_by_the_kind_of_work_that_the_rate_tells() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        for (city, state, zip, authority, rate, adjustment, certain) in [
            // Food service workers are paid 11.35 in cash, and tips cover the rest of 17.00.
            ("Brooklyn", "NY", "11201", "State", "11.35", None, true),
            // A rate of no kind counts as the one below it.
            ("Brooklyn", "NY", "11201", "State", "11.50", None, false),
            // Below both kinds the smaller credit counts: 40 x (17.00 - 10.00 - 2.85).
            ("Brooklyn", "NY", "11201", "State", "10.00", Some("166.00"), false),
            // The county names a cash wage of 4.00 alone, and tips cover the rest.
            ("Rockville", "MD", "20850", "County", "4.00", None, true),
        ] {
            let body = json!({ "street_1": "1 Main Street", "city": city, "state": state, "zip": zip, "phone_number": "2105550142" });
            let office = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
            let (ana, job) = company.onboarded("Ana", &office, (rate, "Hour", "Nonexempt")).await;
            adjust(&company, &job, &wage(&company, &office, authority).await).await;
            let week = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "40", "workweek_start": "2026-06-01" }],
                               "fixed_compensations": [{ "name": "Cash Tips", "amount": "1000.00" }] });
            enter(&company, &payroll, &ana, week).await.ok();
            let told = company.calculate(&payroll).await;
            let found = &line(&of(&told, &ana)["fixed_compensations"], "Minimum Wage Adjustment")["amount"];
            let nothing = found.is_null() || found == "0.00";
            assert!(adjustment.map_or(nothing, |amount| found == amount), "{city} {rate}: {found}");
            let warned =
                warned(&company, &payroll, &ana).await.contains(&"tipped_work_not_certain".to_owned());
            assert_eq!(warned, !certain, "{city} {rate}");
        }
    });
}

#[test]
fn a_zip_code_of_another_state_is_told_on_the_paycheck() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &texas, ("20.00", "Hour", "Nonexempt")).await;
        let key = "zip_not_of_state".to_owned();
        company.calculate(&payroll).await;
        assert!(!warned(&company, &payroll, &ana).await.contains(&key));
        super::several_states::live(&company, &ana, ("Austin", "TX", "10001")).await;
        company.calculate(&payroll).await;
        assert!(warned(&company, &payroll, &ana).await.contains(&key));
    });
}

#[test]
fn whoever_was_onboarded_with_steps_that_were_only_marked_is_warned_of_on_the_paycheck() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let body = json!({ "first_name": "Ana", "last_name": "Silva" });
        let ana = id_of(&company.post("/v1/companies/{company}/employees", body).await.created());
        company.work_address(&ana, &location).await;
        company.home_address(&ana).await;
        let job = company.job(&ana, "Cook", "2026-03-01").await;
        company.pay(&job, "52000.00", "Year", "Exempt").await;
        company.mark_and_ask_for(&ana, &crate::onboarding::STEPS[..9], "onboarding_completed").await.ok();
        company.calculate(&payroll).await;
        let keys = warned(&company, &payroll, &ana).await;
        assert!(["no_form_w4", "no_ssn"].iter().all(|key| keys.iter().any(|found| found == key)), "{keys:?}");
        company.enter_personal_details(&ana, "412551013").await;
        let taxes = format!("/v1/employees/{ana}/federal_taxes");
        let version = company.get(&taxes).await.ok()["version"].clone();
        let w4 = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": "Single" });
        company.put(&taxes, w4).await.ok();
        company.calculate(&payroll).await;
        let keys = warned(&company, &payroll, &ana).await;
        assert!(!keys.iter().any(|key| key == "no_form_w4" || key == "no_ssn"), "{keys:?}");
        // Texas has no tax on wages, so it asks nothing.
        let of_states = async || {
            company.calculate(&payroll).await;
            let keys = warned(&company, &payroll, &ana).await;
            keys.into_iter().filter(|key| key == "no_state_certificate").count()
        };
        assert_eq!(of_states().await, 0);
        super::several_states::live(&company, &ana, ("San Diego", "CA", "92101")).await;
        assert_eq!(of_states().await, 1, "nobody answered the questions of California");
        super::several_states::certify(&company, &ana, "CA", &[("filing_status", json!("S"))]).await;
        assert_eq!(of_states().await, 0);
    });
}
