//! Garnishments as records: what may stand in them, what an update keeps, and who pays an agency.

mod updates;

use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, NOBODY, id_of, on_both_engines, text};

/// An order for child support of Ohio, which needs two identifiers.
pub fn support() -> Value {
    json!({
        "active": true, "court_ordered": true, "garnishment_type": "child_support", "deduct_as_percentage": true,
        "amount": 40, "pay_period_maximum": 400.5, "recurring": true,
        "child_support": { "state": "OH", "payment_period": "Monthly", "fips_code": "39000", "case_number": "AL-123",
                           "order_number": "77", "remittance_number": null }
    })
}

/// What generated clients add to an update.
fn defaults() -> Value {
    json!({ "times": null, "recurring": false, "annual_maximum": null, "pay_period_maximum": null,
            "deduct_as_percentage": false })
}

fn with(mut body: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

async fn ana(company: &Company) -> String {
    id_of(&company.employee("Ana").await)
}

async fn create(company: &Company, employee: &str, body: Value) -> Answer {
    company.post(format!("/v1/employees/{employee}/garnishments"), body).await
}

/// Updates a garnishment with its present version.
async fn update(company: &Company, record: &Value, fields: Value) -> Answer {
    let path = format!("/v1/garnishments/{}", id_of(record));
    let version = company.get(&path).await.ok()["version"].clone();
    company.put(path, with(fields, json!({ "version": version }))).await
}

/// The faults of a refusal: the key of each, those inside a container as `container.key`, in their order.
fn faults(answer: Answer) -> Vec<String> {
    let told = answer.refused(422).0;
    let mut keys = Vec::new();
    for error in &told {
        let key = text(error, "error_key");
        match error["errors"].as_array() {
            Some(inner) => {
                keys.extend(inner.iter().map(|inner| format!("{key}.{}", text(inner, "error_key"))))
            }
            None => keys.push(key),
        }
    }
    keys
}

/// The record without what an update may change in it anyway.
fn essence(record: &Value) -> Value {
    with(record.clone(), json!({ "version": null }))
}

#[test]
fn an_order_comes_back_as_text_with_two_places_and_a_description_of_the_services_own() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let sent = with(support(), json!({ "description": "Child Support - AL-123" }));
        let made = create(&company, &employee, sent).await.created();
        assert_eq!(
            (text(&made, "amount"), text(&made, "pay_period_maximum")),
            ("40.00".into(), "400.50".into())
        );
        assert_eq!(text(&made, "description"), "Child support - AL-123");
        assert_eq!(made["child_support"], support()["child_support"]);
        assert_eq!((&made["employee_uuid"], &made["active"]), (&json!(employee), &json!(true)));
        assert_eq!(
            (&made["times"], &made["annual_maximum"], &made["total_amount"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        assert_eq!(
            (text(&made, "remittance"), &made["remittance_reason"]),
            ("manual".into(), &json!("no_bank"))
        );
        assert_eq!(company.get(format!("/v1/garnishments/{}", id_of(&made))).await.ok(), made);

        // Text is taken as well as numbers.
        let sent = with(support(), json!({ "amount": "40", "pay_period_maximum": "400.50" }));
        let again = create(&company, &employee, sent).await.created();
        assert_eq!(
            (&again["amount"], &again["pay_period_maximum"]),
            (&made["amount"], &made["pay_period_maximum"])
        );
        let listed = company.get(format!("/v1/employees/{employee}/garnishments")).await.list();
        assert_eq!(listed, [made, again]);
        let paged = company.get(format!("/v1/employees/{employee}/garnishments?page=2&per=1")).await;
        assert_eq!((paged.header("x-total-count"), paged.list()[0].clone()), ("2", listed[1].clone()));
    });
}

#[test]
fn every_other_type_and_a_plain_deduction_can_be_kept() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let types = [
            "federal_tax_lien",
            "state_tax_lien",
            "student_loan",
            "creditor_garnishment",
            "federal_loan",
            "other_garnishment",
        ];
        for kind in types {
            let body = json!({ "court_ordered": true, "garnishment_type": kind, "amount": "15", "deduct_as_percentage": true,
                               "times": 4, "annual_maximum": "900", "total_amount": "2500.1", "description": " Levy 9 " });
            let made = create(&company, &employee, body).await.created();
            assert_eq!(
                (text(&made, "garnishment_type"), text(&made, "description")),
                (kind.into(), "Levy 9".into())
            );
            assert_eq!((&made["times"], &made["recurring"]), (&json!(4), &json!(false)));
            assert_eq!(
                (text(&made, "annual_maximum"), text(&made, "total_amount")),
                ("900.00".into(), "2500.10".into())
            );
            assert_eq!((&made["child_support"], &made["remittance"]), (&Value::Null, &Value::Null));
        }
        let plain = json!({ "court_ordered": false, "amount": 10 });
        let made = create(&company, &employee, plain).await.created();
        assert_eq!((&made["garnishment_type"], text(&made, "description")), (&Value::Null, String::new()));
    });
}

#[test]
fn every_rule_that_an_order_breaks_is_told_at_once_where_it_belongs() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let wrong = json!({
            "court_ordered": false, "garnishment_type": "child_support", "amount": "100.01", "times": 0, "active": "yes",
            "annual_maximum": "-1", "deduct_as_percentage": true, "income_withholding_order": { "arrears": -1, "received_on": "May" },
            "child_support": { "state": "OH", "payment_period": "Daily", "fips_code": "39001", "case_number": " " }
        });
        let mut found = faults(create(&company, &employee, wrong).await);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "active",
                "amount",
                "annual_maximum",
                "child_support.case_number",
                "child_support.fips_code",
                "child_support.order_number",
                "child_support.payment_period",
                "court_ordered",
                "income_withholding_order.arrears",
                "income_withholding_order.received_on",
                "pay_period_maximum",
                "times"
            ]
        );
        let golden = [
            (json!({ "garnishment_type": null }), vec!["garnishment_type"]),
            (json!({ "garnishment_type": "creditor_garnishment" }), vec!["garnishment_type"]),
            (json!({ "garnishment_type": "alimony" }), vec!["garnishment_type"]),
            (json!({ "deduct_as_percentage": false }), vec!["deduct_as_percentage"]),
            (json!({ "court_ordered": false }), vec!["court_ordered"]),
            (json!({ "amount": null }), vec!["amount"]),
            (json!({ "amount": "4o" }), vec!["amount"]),
            (json!({ "pay_period_maximum": null }), vec!["pay_period_maximum"]),
            (json!({ "child_support": null }), vec!["child_support"]),
            (json!({ "child_support": [] }), vec!["child_support"]),
            (
                json!({ "child_support": {} }),
                vec!["child_support.state", "child_support.fips_code", "child_support.payment_period"],
            ),
            (
                json!({ "child_support": { "state": "GU", "payment_period": "Monthly", "fips_code": "66000", "case_number": "1" } }),
                vec!["child_support.state"],
            ),
            (
                json!({ "child_support": { "state": "FL", "payment_period": "Monthly", "fips_code": "12000", "case_number": "1" } }),
                vec!["child_support.fips_code", "child_support.remittance_number"],
            ),
            (
                json!({ "income_withholding_order": { "current_support": "300", "arrears": "100.51" } }),
                vec!["income_withholding_order.base"],
            ),
        ];
        for (fields, expected) in golden {
            let found = faults(create(&company, &employee, with(support(), fields.clone())).await);
            assert_eq!(found, expected, "{fields}");
        }
        assert_eq!(faults(create(&company, &employee, json!({})).await), ["amount", "court_ordered"]);
        let typed = json!({ "court_ordered": false, "garnishment_type": "student_loan", "amount": 5 });
        assert_eq!(faults(create(&company, &employee, typed).await), ["garnishment_type"]);
        let not_support =
            json!({ "court_ordered": true, "amount": 5, "income_withholding_order": { "arrears": 5 } });
        assert_eq!(faults(create(&company, &employee, not_support).await), ["income_withholding_order"]);
        assert!(company.get(format!("/v1/employees/{employee}/garnishments")).await.list().is_empty());
        create(&company, NOBODY, support()).await.refused(404);
    });
}

#[test]
fn a_refusal_names_what_would_be_right() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let golden = [
            ("fips_code", "39001", "39000"),
            ("payment_period", "Yearly", "Every week, Every other week, Twice per month, Monthly"),
            ("state", "ZZ", "AK, AL, AR"),
        ];
        for (field, wrong, allowed) in golden {
            let mut body = support();
            body["child_support"][field] = wrong.into();
            let told = create(&company, &employee, body).await.refused(422).0;
            let message = text(&told[0]["errors"][0], "message");
            assert!(message.contains(allowed), "{message}");
        }
        let told = create(&company, &employee, with(support(), json!({ "garnishment_type": "x" }))).await;
        assert!(
            told.refused(422).0[0].to_string().contains("federal_tax_lien, state_tax_lien, student_loan")
        );
    });
}

#[test]
fn the_agencies_of_all_states_say_what_an_order_needs() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let told = company.get("/v1/garnishments/child_support").await.ok();
        let agencies = told["agencies"].as_array().unwrap();
        assert_eq!(agencies.len(), 51);
        let of = |state: &str| agencies.iter().find(|agency| agency["state"] == state).unwrap().clone();
        assert_eq!(of("AK")["fips_codes"], json!([{ "code": "0200000", "county": null }]));
        assert_eq!(
            of("AK")["required_attributes"],
            json!([{ "key": "case_number", "label": "CSE Case Number" }])
        );
        let ohio: Vec<_> =
            of("OH")["required_attributes"].as_array().unwrap().iter().map(|a| a["key"].clone()).collect();
        assert_eq!(ohio, ["case_number", "order_number"]);
        assert!(
            of("FL")["fips_codes"]
                .as_array()
                .unwrap()
                .contains(&json!({ "code": "12011", "county": "Broward County" }))
        );
    });
}

/// The agencies whose payment the service leaves to the employer: state and reason.
async fn manual(company: &Company) -> Vec<(String, String)> {
    let told = company.get("/v1/garnishments/child_support").await.ok();
    let agencies = told["agencies"].as_array().unwrap().iter();
    let manual = agencies.filter(|agency| agency["manual_payment_required"] == true);
    manual
        .inspect(|agency| {
            let reminder = text(agency, "remittance_reminder");
            assert!(reminder.contains("employer is responsible for paying this agency"), "{reminder}");
            let electronic = agency["remittance_reason"] == "agency_takes_no_electronic_payments";
            assert_eq!(reminder.contains("electronic payments"), electronic, "{agency}");
        })
        .map(|agency| (text(agency, "state"), text(agency, "remittance_reason")))
        .collect()
}

/// "True when the service cannot pay the agency automatically."
#[test]
fn manual_payment_required_is_true_when_the_service_cannot_pay_the_agency_automatically() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let employee = ana(&company).await;
        let alabama = create(&company, &employee, support()).await.created();
        let order = format!("/v1/garnishments/{}", id_of(&alabama));
        let told = async || {
            let order = company.get(&order).await.ok();
            let reminded = order["remittance_reminder"].as_str().map(str::to_owned);
            (text(&order, "remittance"), order["remittance_reason"].clone(), reminded)
        };
        // Without a bank no payment is made at all.
        let nobody = manual(&company).await;
        assert_eq!(nobody.len(), 51);
        for (state, reason) in &nobody {
            let expected = if state == "SC" { "agency_takes_no_electronic_payments" } else { "no_bank" };
            assert_eq!(reason, expected, "{state}");
        }
        let (remittance, reason, reminder) = told().await;
        assert_eq!((remittance.as_str(), reason), ("manual", json!("no_bank")));
        assert!(reminder.unwrap().contains("no bank"), "the true reason");
        // With a bank, and the accounts of none of the agencies.
        let folder = crate::money::bank(&world, |_| {}).await;
        let unknown = manual(&company).await;
        assert_eq!(unknown.iter().filter(|(_, reason)| reason == "no_account_of_agency").count(), 50);
        assert_eq!(told().await.1, json!("no_account_of_agency"));
        drop(folder);
        // With both, the agency that takes no electronic payments is left.
        let _folder = crate::money::bank_and_agencies(&world).await;
        assert_eq!(
            manual(&company).await,
            [("SC".to_owned(), "agency_takes_no_electronic_payments".to_owned())]
        );
        assert_eq!(told().await, ("automatic".into(), Value::Null, None));
    });
}

#[test]
fn the_employer_is_reminded_where_the_agency_takes_no_electronic_payments() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let carolina = json!({ "child_support": { "state": "SC", "payment_period": "Monthly", "fips_code": "45000", "case_number": "S-1" } });
        let made = create(&company, &employee, with(support(), carolina)).await.created();
        assert_eq!(
            (text(&made, "remittance"), text(&made, "remittance_reason")),
            ("manual".into(), "agency_takes_no_electronic_payments".into())
        );
        let reminder = text(&made, "remittance_reminder");
        assert!(
            reminder.contains("employer is responsible") && reminder.contains("electronic payments"),
            "{reminder}"
        );
    });
}

#[test]
fn the_employer_pays_where_no_electronic_payment_can_name_the_case() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _bank = crate::money::bank_and_agencies(&world).await;
        let company = world.company().await;
        let employee = ana(&company).await;
        let texas = |case: &str| {
            let order = json!({ "state": "TX", "payment_period": "Monthly", "fips_code": "48000", "case_number": case });
            with(support(), json!({ "child_support": order }))
        };
        let told = |made: &Value| (text(made, "remittance"), made["remittance_reason"].clone());
        let short = create(&company, &employee, texas("TX-0012345678-2026-C")).await.created();
        assert_eq!(told(&short), ("automatic".into(), Value::Null));
        let long = create(&company, &employee, texas("TX-0012345678-2026-CV-00001")).await.created();
        assert_eq!(told(&long), ("manual".into(), json!("payment_information_missing")));
        assert!(text(&long, "remittance_reminder").contains("20 characters"));
        // Everywhere alike.
        let record = company.get(format!("/v1/employees/{employee}")).await.ok();
        let of_record: Vec<_> = record["garnishments"].as_array().unwrap().iter().map(told).collect();
        assert_eq!(of_record, [told(&short), told(&long)]);
    });
}

#[test]
fn an_order_that_becomes_another_garnishment_keeps_no_description_of_its_case() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let made = create(&company, &employee, support()).await.created();
        assert_eq!(text(&made, "description"), "Child support - AL-123");
        let other = json!({ "garnishment_type": "other_garnishment", "child_support": null });
        assert_eq!(update(&company, &made, other).await.ok()["description"], "");
    });
}

#[test]
fn garnishments_are_audited_and_told_and_end_with_their_limit() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let before = company.count_events().await;
        let made = create(&company, &employee, support()).await.created();
        update(&company, &made, json!({ "active": false })).await.ok();
        assert_eq!(company.count_events().await, before + 2, "created and updated");
        let plain = json!({ "court_ordered": false, "amount": 1 });
        for _ in 1..100 {
            create(&company, &employee, plain.clone()).await.created();
        }
        assert_eq!(faults(create(&company, &employee, plain).await), ["base"]);
        assert_eq!(
            company.call("DELETE", format!("/v1/garnishments/{}", id_of(&made))).send().await.status,
            405
        );
    });
}

#[test]
fn an_order_is_read_by_the_names_of_the_federal_form() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let form = json!({ "current_child_support": "200", "current_spousal_support": "50", "current_cash_medical_support": 25,
                           "past_due_child_support": "60.50", "past_due_cash_medical_support": "4.50",
                           "arrears_greater_than_12_weeks": true, "health_insurance_premium": "80" });
        let body = with(support(), json!({ "income_withholding_order": form }));
        let made = create(&company, &employee, body).await.created();
        let expected = json!({ "current_support": "250.00", "medical_support": "25.00", "arrears": "65.00",
                               "health_insurance_premium": "80.00", "arrears_over_12_weeks": true,
                               "supports_other_family": null, "received_on": null });
        assert_eq!(made["income_withholding_order"], expected);
        let both = json!({ "arrears": "5", "past_due_child_support": "5" });
        let wrong = with(support(), json!({ "income_withholding_order": both }));
        assert_eq!(faults(create(&company, &employee, wrong).await), ["income_withholding_order.arrears"]);
        // More than the cap of 400.50 together.
        let much = json!({ "current_child_support": "400", "past_due_child_support": "1" });
        let wrong = with(support(), json!({ "income_withholding_order": much }));
        assert_eq!(faults(create(&company, &employee, wrong).await), ["income_withholding_order.base"]);
    });
}

#[test]
fn a_levy_says_whose_it_is_and_an_order_of_a_bankruptcy_court_its_chapter() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let levy = json!({ "court_ordered": true, "garnishment_type": "state_tax_lien", "amount": "100", "recurring": true,
                           "tax_levy": { "state": "or" } });
        let made = create(&company, &employee, levy.clone()).await.created();
        assert_eq!(made["tax_levy"]["state"], "OR");
        let year = json!({ "tax_levy": { "year": 2025 } });
        let changed = update(&company, &made, year).await.ok();
        assert_eq!(
            (&changed["tax_levy"]["state"], &changed["tax_levy"]["year"]),
            (&json!("OR"), &json!(2025))
        );
        let wrong = json!({ "tax_levy": { "state": "XX", "dependents": -1, "year": 3000, "filing_status": "alone" },
                            "ends_on": "soon" });
        let told = faults(create(&company, &employee, with(levy.clone(), wrong)).await);
        assert_eq!(
            told,
            ["ends_on", "tax_levy.filing_status", "tax_levy.state", "tax_levy.dependents", "tax_levy.year"]
        );
        let plain = with(
            levy,
            json!({ "garnishment_type": "other_garnishment", "tax_levy": null, "bankruptcy_chapter": 13 }),
        );
        let made = create(&company, &employee, plain.clone()).await.created();
        assert_eq!((&made["bankruptcy_chapter"], &made["tax_levy"]), (&json!(13), &Value::Null));
        let wrong = with(plain, json!({ "bankruptcy_chapter": 7 }));
        assert_eq!(faults(create(&company, &employee, wrong).await), ["bankruptcy_chapter"]);
    });
}

#[test]
fn the_record_of_an_employee_shows_garnishments_to_who_may_read_them() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, ben) = (ana(&company).await, id_of(&company.employee("Ben").await));
        create(&company, &ana, support()).await.created();
        let levy = json!({ "active": false, "court_ordered": false, "amount": "20.00", "recurring": true, "description": "Uniform" });
        create(&company, &ana, levy).await.created();
        let listed = company.get(format!("/v1/employees/{ana}/garnishments")).await.list();
        assert_eq!(listed.len(), 2);
        let shown = async |company: &Company| {
            let record = company.get(format!("/v1/employees/{ana}")).await.ok()["garnishments"].clone();
            let page = company.get("/v1/companies/{company}/employees").await.list();
            let of = |id: &str| page.iter().find(|one| id_of(one) == id).unwrap()["garnishments"].clone();
            assert_eq!(of(&ana), record);
            assert_eq!(of(&ben), json!([]));
            record
        };
        assert_eq!(shown(&company).await, Value::Array(listed));
        let narrow = company.with_scopes("employees:read").await;
        assert_eq!(shown(&narrow).await, json!([]));
    });
}

#[test]
fn an_order_does_not_end_before_it_is_served_or_received() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let days = json!({ "served_on": "2026-06-10", "ends_on": "2026-06-09" });
        let refused = create(&company, &employee, with(support(), days)).await;
        assert_eq!(faults(refused), ["ends_on"]);
        let days =
            json!({ "income_withholding_order": { "received_on": "2026-06-10" }, "ends_on": "2026-06-10" });
        let made = create(&company, &employee, with(support(), days)).await.created();
        let message = update(&company, &made, json!({ "ends_on": "2026-06-01" })).await.refused(422);
        assert!(
            message.message().contains("must not be before received_on, 2026-06-10"),
            "{}",
            message.message()
        );
    });
}
