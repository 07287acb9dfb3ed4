//! Employees in the console: employment, taxes with the places of addresses, garnishments, and a paycheck.

use domain::Error;
use domain::access::users::Role;
use serde_json::json;
use store::{Json, Tx, params};

use super::{HERE, developers, filled, form_token, signed_in};
use crate::oauth::{set_role, user};
use crate::support::{Engine, Target, id_of, on_both_engines};

store::statements! {
    SPOILED = "UPDATE payroll_results SET facts = $1 WHERE company_id = $2";
}

#[test]
fn taxes_are_listed_by_name_and_an_employees_with_the_places_of_the_addresses() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let office = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let base = format!("/console/companies/{}", company.id);
        let page = async |path: String| world.call("GET", &path).from(HERE).send().await.is(200).text();
        let found = page(format!("{base}/taxes?q=columbus%20city")).await;
        assert!(found.contains("Columbus city tax") && !found.contains("Cincinnati"), "{found}");
        let none = page(format!("{base}/taxes?q=%3Cb%3E")).await;
        assert!(none.contains("No tax is called") && !none.contains("<b>"), "{none}");
        let of_ana = page(format!("{base}/employees/{ana}")).await;
        assert!(of_ana.contains("Columbus (by city, perhaps)"), "{of_ana}");
        assert!(
            of_ana.contains("Columbus city tax") && of_ana.contains("by the name of the city"),
            "{of_ana}"
        );
    });
}

#[test]
fn an_employee_is_shown_with_each_stretch_of_employment_and_what_is_left_of_time_off() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let office = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        for (of, method) in [("vacation", "per_pay_period"), ("sick", "unlimited")] {
            let policy = json!({ "name": "Days off", "policy_type": of, "accrual_method": method, "accrual_rate": "4" });
            let made = company.post("/v1/companies/{company}/time_off_policies", policy).await.created();
            let joins = json!({ "employees": [{ "uuid": ana, "balance": "37.5" }] });
            company.put(format!("/v1/time_off_policies/{}/add_employees", id_of(&made)), joins).await.ok();
        }
        let leaves = json!({ "effective_date": "2026-05-01" });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let back = json!({ "effective_date": "2026-07-06", "file_new_hire_report": false, "work_location_uuid": office });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        world.wait_until("2026-07-06T15:00:00Z".parse().unwrap()).await;
        let path = format!("/console/companies/{}/employees/{ana}", company.id);
        let page = world.call("GET", &path).from(HERE).send().await.is(200).text();
        for line in [
            "Mar 1, 2026 to May 1, 2026",
            "since Jul 6, 2026",
            "37.5 hours (Days off)",
            "unlimited (Days off)",
        ] {
            assert!(page.contains(line), "{line} in {page}");
        }
    });
}

#[test]
fn a_payroll_that_the_partner_pays_out_says_so() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let target = Target::of(company.clone()).await;
        let page = async |payroll: &str| {
            let path = format!("/console/companies/{}/payrolls/{}", company.id, target.id(payroll));
            world.call("GET", &path).from(HERE).send().await.is(200).text()
        };
        let told = "once the partner has reported the last of them";
        assert!(page("disbursed_payroll").await.contains(told));
        assert!(!page("processed_payroll").await.contains(told));
    });
}

#[test]
fn a_paycheck_whose_inputs_cannot_be_read_is_shown_as_it_was_paid_and_says_so() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let (company, pages) = filled(&world).await;
        let page =
            pages.iter().find(|page| page.contains("/payrolls/") && page.contains("/employees/")).unwrap();
        let whole = world.call("GET", page).from(HERE).send().await.is(200).text();
        assert!(!whole.contains("These are the lines that were paid"), "{whole}");
        let id = company.id;
        let spoil = move |tx: &mut Tx<'_>| {
            Ok::<_, Error>(tx.change_rows(SPOILED, params![Json("{\"format\": 99}"), id])?.rows())
        };
        assert!(world.app.store.write(spoil).await.unwrap() > 0);
        let shown = world.call("GET", page).from(HERE).send().await.is(200).text();
        assert!(shown.contains("These are the lines that were paid"), "{shown}");
        assert!(shown.contains("cannot read the stored inputs"), "{shown}");
    });
}

#[test]
fn the_fields_of_an_income_withholding_order_are_explained_in_english_and_spanish() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let location = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "300",
                            "income_withholding_order": { "arrears": "25.00", "arrears_over_12_weeks": true },
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        let admin = user(&world, &[(&company, Role::Primary)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let address = format!("/console/companies/{}/employees/{ana}/garnishments", company.id);
        let english = browser.get(&address).await.is(200).text();
        for part in ["Past-due support", "$25.00", "15 USC 1673(b)(2)", "not told", "yes"] {
            assert!(english.contains(part), "{part}");
        }
        let spanish = browser.get(&format!("{address}?language=es")).await.is(200).text();
        for part in ["Manutención atrasada", "$25.00", "sin indicar", "lang=\"es\""] {
            assert!(spanish.contains(part), "{part}");
        }
        let employee =
            browser.get(&format!("/console/companies/{}/employees/{ana}", company.id)).await.is(200);
        assert!(employee.text().contains("/garnishments\">Garnishments"));
    });
}

#[test]
fn whoever_may_write_employees_corrects_the_places_of_an_address() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let office = id_of(&company.location("OH").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let path = format!("/console/companies/{}/employees/{ana}", company.id);
        let page = browser.get(&path).await.is(200).text();
        assert!(page.contains("Columbus (by city, perhaps)") && page.contains("Dublin (OH-22694)"), "{page}");
        let work = company.get(format!("/v1/employees/{ana}/work_addresses")).await.list().remove(0);
        let (id, version) = (id_of(&work), work["version"].as_str().unwrap().to_owned());
        let token = form_token(&mut browser).await;
        let fields = |version: &str, codes: &str, add: &str, act: &str| {
            let fields = [
                ("form_token", &*token),
                ("side", "work"),
                ("address", &id),
                ("version", version),
                ("codes", codes),
                ("add", add),
                ("do", act),
            ];
            fields.map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        let places = format!("{path}/places");
        let mut send = async |fields: [(String, String); 7], status: u16| {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
            browser.post(&places, &fields).send().await.is(status);
            browser.get(&path).await.is(200).text()
        };
        let page = send(fields(&version, "", "OH-22694", ""), 303).await;
        assert!(
            page.contains("Dublin (set by hand)") && !page.contains("Columbus (by city, perhaps)"),
            "{page}"
        );
        // The address was changed meanwhile; and a code of another state.
        send(fields(&version, "OH-18000", "", ""), 409).await;
        let work = company.get(format!("/v1/employees/{ana}/work_addresses")).await.list().remove(0);
        assert_eq!(work["jurisdictions"][0]["code"], "OH-22694");
        let version = work["version"].as_str().unwrap();
        send(fields(version, "MO-KANSAS_CITY", "", ""), 422).await;
        let page = send(fields(version, "", "", "reset"), 303).await;
        assert!(page.contains("Columbus (by city, perhaps)"), "{page}");

        // Neither another employee's address nor somebody with limited access.
        let (ben, _) = company.onboarded("Ben", &office, ("20.00", "Hour", "Nonexempt")).await;
        let work = company.get(format!("/v1/employees/{ana}/work_addresses")).await.list().remove(0);
        let version = work["version"].as_str().unwrap();
        let other = format!("/console/companies/{}/employees/{ben}/places", company.id);
        let sent = fields(version, "OH-22694", "", "");
        let sent: Vec<(&str, &str)> = sent.iter().map(|(name, value)| (&**name, &**value)).collect();
        browser.post(&other, &sent).send().await.is(404);
        set_role(&world, &company, &admin, Role::Limited).await;
        browser.post(&places, &sent).send().await.is(403);
        assert!(
            !browser.get(&path).await.is(200).text().contains("Set by hand"),
            "no form without the scope"
        );
    });
}
