//! What public clients ask for around a payroll: the receipt, grossing up, a company's own earning types, and expenses that are
//! paid back with every regular payroll.

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{cents, company, enter, hours, line, of, path, read};
use crate::support::{Engine, id_of, on_both_engines, text};

#[test]
fn of_the_pay_that_grossing_up_gives_exactly_the_wanted_net_pay_remains() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        for wanted in ["0.01", "750.00", "12345.67", "250000.00"] {
            let bonus = company.off_cycle(&[&ana]).await;
            let ask = json!({ "employee_uuid": ana, "net_pay": wanted });
            let gross = company.post(format!("/v1/payrolls/{bonus}/gross_up"), ask).await.ok();
            let fixed = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": gross["gross_up"] }] });
            enter(&company, &bonus, &ana, fixed).await.ok();
            let told = company.calculate(&bonus).await;
            let net = cents(&of(&told, &ana)["net_pay"]);
            // Where a cent more of pay is a cent more of tax, two amounts leave the same; never less than was wanted.
            assert_eq!(net, cents(&wanted.into()), "{wanted}: {gross}");
            assert!(cents(&gross["gross_up"]) >= net);
            company.delete(path(&bonus, "")).await.deleted();
        }
    });
}

#[test]
fn only_an_employee_of_an_open_off_cycle_payroll_is_grossed_up() {
    on_both_engines(async |engine: Engine| {
        let (company, location, regular) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let bonus = company.off_cycle(&[&ana]).await;
        let gross_up = async |payroll: &str, body: Value| {
            company.post(format!("/v1/payrolls/{payroll}/gross_up"), body).await.refused(422)
        };
        let of_the_schedule = gross_up(&regular, json!({ "employee_uuid": ana, "net_pay": "10.00" })).await;
        assert_eq!(of_the_schedule.fault(), ("base", "invalid_operation"));
        let nobody = gross_up(&bonus, json!({ "employee_uuid": max, "net_pay": "10.00" })).await;
        assert_eq!(nobody.keys(), ["employee_uuid"]);
        let both = gross_up(&bonus, json!({ "net_pay": "0.00" })).await;
        assert_eq!(both.keys(), ["employee_uuid", "net_pay"]);
    });
}

#[test]
fn the_receipt_of_a_processed_payroll_adds_up_and_there_is_none_before() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let address = format!("/v1/payrolls/{payroll}/receipt");
        company.get(&address).await.is(404);
        company.submit(&payroll).await;
        let receipt = company.get(&address).await.ok();
        let paid = &receipt["employee_compensations"].as_array().unwrap()[..];
        let [paid] = paid else { panic!("{receipt}") };
        // 80 x 20.00, paid by check: its net pay leaves no bank account on the day of debit, its taxes do.
        assert_eq!(
            (paid["payment_method"].as_str(), paid["employee_uuid"].as_str()),
            (Some("Check"), Some(ana.as_str()))
        );
        assert_eq!(cents(&paid["net_pay"]) + cents(&paid["total_tax"]), 160_000);
        let totals = &receipt["totals"];
        assert_eq!(totals["net_pay_debit"], "0.00");
        let taxes: i64 = receipt["taxes"].as_array().unwrap().iter().map(|tax| cents(&tax["amount"])).sum();
        assert_eq!(taxes, cents(&totals["tax_debit"]));
        let social_security = line(&receipt["taxes"], "Social Security");
        assert_eq!(social_security["amount"], "198.40", "of the employee and of the employer");
        assert_eq!(
            receipt["debit_date"], "2026-06-17",
            "what is filed two banking days before the check date settles on the next one"
        );
        let in_pages = company.call("GET", &address).version("2026-06-15").send().await.is(200);
        assert_eq!(in_pages.header("x-total-count"), "1");
    });
}

#[test]
fn an_earning_type_of_the_company_is_paid_taxed_and_kept_under_its_name() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let types = "/v1/companies/{company}/earning_types";
        let gym = company.post(types, json!({ "name": "Gym Membership" })).await.created();
        let taken = company.post(types, json!({ "name": "gym membership" })).await.refused(422);
        assert_eq!(taken.keys(), ["name"]);
        assert_eq!(company.post(types, json!({ "name": "bonus" })).await.refused(422).keys(), ["name"]);
        let fixed = company.get("/v1/companies/{company}").await.ok()["compensations"]["fixed"].clone();
        assert_eq!(line(&fixed, "Gym Membership")["uuid"], gym["uuid"]);
        assert_eq!(line(&fixed, "Bonus")["uuid"], Value::Null);
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let offered = line(&of(&prepared, &ana)["fixed_compensations"], "Gym Membership");
        assert_eq!(offered["amount"], "0.00", "it can be entered");
        let names = |payroll: &Value| {
            let types = payroll["fixed_compensation_types"].as_array().unwrap();
            types.iter().map(|one| text(one, "name")).collect::<Vec<_>>()
        };
        assert!(
            ["Bonus", "Gym Membership"].iter().all(|name| names(&prepared).iter().any(|told| told == name))
        );

        let mut what = hours("80");
        what["fixed_compensations"] = json!([{ "name": "Gym Membership", "amount": "100.00" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(cents(&of(&told, &ana)["gross_pay"]), 170_000, "80 x 20.00 and 100.00");
        let full = read(&company, &payroll, "taxes,totals").await;
        assert_eq!(full["totals"]["additional_earnings"], "100.00");
        let social_security = line(&of(&full, &ana)["taxes"], "Social Security");
        assert_eq!(cents(&social_security["amount"]), 10_540, "6.2 % of 1,700.00");

        company.delete(format!("{types}/{}", id_of(&gym))).await.deleted();
        let listed = company.get(types).await.ok();
        assert_eq!(listed["custom"][0]["active"], false);
        assert!(listed["default"].as_array().unwrap().iter().any(|one| one["name"] == "Bonus"));
        company.submit(&payroll).await;
        let paid = read(&company, &payroll, "").await;
        let kept = line(&of(&paid, &ana)["fixed_compensations"], "Gym Membership");
        assert_eq!(kept["amount"], "100.00", "a type that is inactive stays where it was paid");
        let again = company.post(types, json!({ "name": "Gym membership" })).await.created();
        assert_eq!((id_of(&again), &again["active"]), (id_of(&gym), &json!(true)), "it is made active again");
    });
}

#[test]
fn a_recurring_reimbursement_is_paid_untaxed_with_regular_payrolls_alone() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let list = format!("/v1/employees/{ana}/recurring_reimbursements");
        let internet = json!({ "description": "Home internet", "amount": 40.5 });
        let internet = company.post(&list, internet).await.created();
        assert_eq!(internet["amount"], "40.50");
        for amount in ["0", "-1", "1.005"] {
            let wrong = json!({ "description": "x", "amount": amount });
            assert_eq!(company.post(&list, wrong).await.refused(422).keys(), ["amount"], "{amount}");
        }
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let shown = &of(&prepared, &ana)["reimbursements"];
        assert_eq!((&shown[0]["recurring"], &shown[0]["amount"]), (&json!(true), &json!("40.50")));

        // A client sends back what it read, with an expense of this payroll beside it.
        let mut what = hours("80");
        what["reimbursements"] = json!([shown[0], { "amount": "10.00", "description": "Taxi" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        let told = company.calculate(&payroll).await;
        let paid = of(&told, &ana);
        assert_eq!(cents(&paid["gross_pay"]), 160_000);
        assert_eq!(cents(&paid["check_amount"]) - cents(&paid["net_pay"]), 5_050);

        let address = format!("/v1/recurring_reimbursements/{}", id_of(&internet));
        let raise = json!({ "version": internet["version"], "amount": "60.00" });
        let raised = company.put(&address, raise.clone()).await.ok();
        assert_eq!(raised["amount"], "60.00");
        company.put(&address, raise).await.refused(409);
        company.submit(&payroll).await;
        let kept = read(&company, &payroll, "").await;
        let kept = line_of(&of(&kept, &ana)["reimbursements"], "Home internet");
        assert_eq!(kept["amount"], "40.50", "a payroll keeps what it was calculated with");

        let bonus = company.off_cycle(&[&ana]).await;
        let other = read(&company, &bonus, "").await;
        assert_eq!(of(&other, &ana)["reimbursements"], json!([]), "an off-cycle payroll pays none");
        company.delete(&address).await.deleted();
        company.get(&address).await.is(404);
        assert!(company.get(&list).await.list().is_empty());
        assert_eq!(text(&kept, "description"), "Home internet");
    });
}

fn line_of(lines: &Value, description: &str) -> Value {
    lines.as_array().unwrap().iter().find(|line| line["description"] == description).unwrap().clone()
}

#[test]
fn a_skipped_payroll_is_processed_and_pays_nobody() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let skip = "/v1/companies/{company}/payrolls/skip";
        let other = json!({ "payroll_type": "Hired employee", "end_date": "2026-06-14" });
        assert_eq!(company.post(skip, other).await.refused(422).keys(), ["payroll_type"]);
        let unknown = json!({ "payroll_type": "Regular", "end_date": "2026-06-13" });
        assert_eq!(company.post(skip, unknown).await.refused(422).keys(), ["end_date"]);
        let regular =
            json!({ "payroll_type": "Regular", "start_date": "2026-06-01", "end_date": "2026-06-14" });
        company.post(skip, regular.clone()).await.is(202);
        company.world.wait(2.minutes()).await;
        let told = read(&company, &payroll, "totals").await;
        assert_eq!((&told["processed"], &told["totals"]["gross_pay"]), (&json!(true), &json!("0.00")));
        assert_eq!(of(&told, &ana)["gross_pay"], Value::Null);
        assert_eq!(company.post(skip, regular).await.refused(422).keys(), ["end_date"]);
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        let again = company.calculate(&payroll).await;
        assert_eq!(cents(&of(&again, &ana)["gross_pay"]), 160_000, "taken back, it pays what was entered");
    });
}

#[test]
fn another_schedule_takes_over_after_the_last_day_that_was_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let first = company.get("/v1/companies/{company}/pay_schedules/assignments").await.ok();
        assert_eq!(first["type"], "single");
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let monthly = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-06-30", "anchor_end_of_pay_period": "2026-06-30",
                              "custom_name": "Everybody" });
        let monthly = id_of(&company.post("/v1/companies/{company}/pay_schedules", monthly).await.created());
        let single = json!({ "type": "single", "default_pay_schedule_uuid": monthly });
        let preview = company
            .post("/v1/companies/{company}/pay_schedules/assignment_preview", single.clone())
            .await
            .ok();
        let change = &preview["employee_changes"][0];
        assert_eq!(
            (&change["employee_uuid"], &change["pay_frequency"]),
            (&json!(ana), &json!("Monthly, Everybody"))
        );
        // Paid until 14 June: the first whole month is July, and the rest of June a transition.
        assert_eq!(change["first_pay_period"]["start_date"], "2026-07-01");
        let transition = json!({ "start_date": "2026-06-15", "end_date": "2026-06-30" });
        assert_eq!(change["transition_pay_period"], transition);
        company.post("/v1/companies/{company}/pay_schedules/assign", single.clone()).await.is(200);
        let after = company.get("/v1/companies/{company}/pay_schedules/assignments").await.ok();
        assert_eq!(after["default_pay_schedule_uuid"], monthly);
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
        let days: Vec<_> =
            periods.iter().map(|one| (text(one, "start_date"), text(one, "end_date"))).collect();
        let day = |start: &str, end: &str| (start.to_owned(), end.to_owned());
        let expected = [
            day("2026-06-01", "2026-06-14"),
            day("2026-07-01", "2026-07-31"),
            day("2026-08-01", "2026-08-31"),
        ];
        assert_eq!(days, expected);
        let between =
            company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31&payroll_types=transition");
        let between = between.await.list();
        assert_eq!(
            (&between[0]["start_date"], &between[0]["end_date"]),
            (&transition["start_date"], &transition["end_date"])
        );
        assert_eq!(between[0]["pay_schedule_uuid"], first["default_pay_schedule_uuid"], "the old one");
        assert!(between[0]["payroll"]["payroll_uuid"].is_string(), "its payroll is there");
        let nothing =
            company.post("/v1/companies/{company}/pay_schedules/assignment_preview", single).await.ok();
        assert_eq!(nothing["employee_changes"], json!([]), "it is in force");
        let split = json!({ "type": "hourly_salaried", "default_pay_schedule_uuid": monthly });
        let refused = company.post("/v1/companies/{company}/pay_schedules/assign", split).await.refused(422);
        assert_eq!(refused.keys(), ["hourly_pay_schedule_uuid", "salaried_pay_schedule_uuid"]);
    });
}

#[test]
fn payment_details_say_how_each_employee_is_paid_in_pages() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let account = json!({ "name": "Household", "routing_number": "021001208", "account_number": "90126600417",
                              "account_type": "Checking" });
        company.post(format!("/v1/employees/{ana}/bank_accounts"), account).await.created();
        let path = "/v1/companies/{company}/employees/payment_details";
        let all = company.get(path).await;
        assert_eq!(
            (all.header("x-page"), all.header("x-per-page"), all.header("x-total-count")),
            ("1", "25", "2")
        );
        let all = all.list();
        let who: Vec<_> = all.iter().map(|one| text(one, "employee_uuid")).collect();
        assert_eq!(who, [ana.clone(), max]);
        let split = &all[0]["splits"][0];
        assert_eq!(
            (&all[0]["payment_method"], &all[0]["split_by"]),
            (&json!("Direct Deposit"), &json!("Percentage"))
        );
        assert_eq!(
            (&split["routing_number"], &split["hidden_account_number"]),
            (&json!("021001208"), &json!("XXXX0417"))
        );
        assert_eq!((&split["account_type"], &split["split_amount"]), (&json!("Checking"), &json!(100)));
        assert_eq!((&all[1]["payment_method"], &all[1]["splits"]), (&json!("Check"), &Value::Null));

        let of = async |query: String| company.get(format!("{path}?{query}")).await;
        assert_eq!(of(format!("employee_uuid={ana}")).await.list().len(), 1);
        assert_eq!(of(format!("payroll_uuid={payroll}")).await.list().len(), 2);
        assert_eq!(of(format!("payroll_uuid={}", uuid::Uuid::nil())).await.list(), Vec::<Value>::new());
        of(format!("employee_uuid={ana}&payroll_uuid={payroll}")).await.refused(422);
    });
}
