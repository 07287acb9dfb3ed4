//! Taxes of states and places on paychecks: insurance programmes, unemployment insurance, local taxes.

use domain::datasets;
use serde_json::{Value, json};

use super::{calculated, company, enter, explanation_of, hours, line, number, of, paid_hours, paid_on, read};
use crate::support::{Engine, id_of, on_both_engines, text};

fn messages(paycheck: &Value) -> Vec<String> {
    let warnings = paycheck["warnings"].as_array().cloned().unwrap_or_default();
    // Steps of these people were only marked.
    let marked = ["no_form_w4", "no_state_certificate", "no_ssn"];
    let others = |warning: &&Value| marked.iter().all(|key| warning["key"] != *key);
    warnings.iter().filter(others).map(|warning| text(warning, "message")).collect()
}

/// The names of the taxes that a paycheck warns could not be worked out; it has no other warnings.
pub(super) fn not_worked_out(paycheck: &Value) -> Vec<String> {
    let name = |message: String| message.split_once(" was not worked out").map(|(name, _)| name.to_owned());
    messages(paycheck).into_iter().map(|message| name(message).unwrap()).collect()
}

#[test]
fn opening_balances_count_towards_the_wage_bases_of_states() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let brooklyn = id_of(&company.location("NY").await);
        company.answer_state("NY").await;
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        let body = json!({ "year": 2026,
                           "wages": [{ "name": "gross", "amount": "190000.00" },
                                     { "name": "social_security", "amount": "184500.00" }],
                           "taxes": [{ "code": "NY_PFL", "amount": "410.91" }] });
        company.put(format!("/v1/employees/{ana}/opening_balances"), body).await.ok();
        for employee in [&ana, &max] {
            enter(&company, &payroll, employee, hours("80")).await.ok();
        }
        let told = calculated(&company, &payroll).await;
        let tax = |told: &Value, who: &str, name: &str| line(&of(told, who)["taxes"], name).clone();
        // 0.432 % of 3,200.00, and at most 411.91 of the year, of which 410.91 were taken.
        assert_eq!(number(&tax(&told, &max, "NY PFL")["amount"]), "13.82");
        let left = tax(&told, &ana, "NY PFL");
        assert_eq!(
            (number(&left["amount"]), &left["line"]["year_to_date"]),
            ("1.00".to_owned(), &json!("411.91"))
        );
        // The wage base of unemployment insurance is far below what was paid.
        assert_eq!(tax(&told, &max, "NY SUI")["line"]["taxable_wages"], "3200.00");
        assert_eq!(tax(&told, &ana, "NY SUI"), Value::Null);
        explanation_of(&company, &payroll, &ana).await;
        // What was counted goes on with the payroll.
        company.submit(&payroll).await;
        let next = paid_on(&company, &ana, ("2026-06-15", "2026-06-28", "2026-07-02")).await;
        let told = read(&company, &next, "taxes").await;
        assert_eq!((tax(&told, &ana, "NY PFL"), tax(&told, &ana, "NY SUI")), (Value::Null, Value::Null));
    });
}

#[test]
fn federal_unemployment_tax_goes_on_from_opening_balances_that_do_not_name_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let mut people = Vec::new();
        for (name, wages) in [
            (
                "Ana",
                json!([{ "name": "gross", "amount": "60000.00" }, { "name": "social_security", "amount": "58000.00" }]),
            ),
            ("Eva", json!([{ "name": "gross", "amount": "6000.00" }])),
            (
                "Max",
                json!([{ "name": "gross", "amount": "6000.00" }, { "name": "futa", "amount": "6500.00" }]),
            ),
        ] {
            let (employee, _) = company.onboarded(name, &location, ("20.00", "Hour", "Nonexempt")).await;
            let body = json!({ "year": 2026, "wages": wages });
            company.put(format!("/v1/employees/{employee}/opening_balances"), body).await.ok();
            enter(&company, &payroll, &employee, hours("80")).await.ok();
            people.push(employee);
        }
        let told = calculated(&company, &payroll).await;
        let futa = |employee: &str| {
            let line = line(&of(&told, employee)["taxes"], "FUTA");
            if line.is_null() { "0.00".to_owned() } else { number(&line["amount"]) }
        };
        // 0.6 % of what is left of 7,000: nothing, 1,000.00 and 500.00.
        assert_eq!(people.iter().map(|one| futa(one)).collect::<Vec<_>>(), ["0.00", "6.00", "3.00"]);
        let warned = |employee: &str| {
            let told = messages(of(&told, employee));
            told.iter().any(|message| message.contains("6000.00 of them were counted"))
        };
        assert_eq!(people.iter().map(|one| warned(one)).collect::<Vec<_>>(), [false, true, false]);
        explanation_of(&company, &payroll, &people[1]).await;
        // The next paycheck goes on from there.
        company.submit(&payroll).await;
        let next = paid_on(&company, &people[1], ("2026-06-15", "2026-06-28", "2026-07-02")).await;
        let told = read(&company, &next, "taxes").await;
        let left = line(&of(&told, &people[1])["taxes"], "FUTA");
        assert!(left.is_null() || number(&left["amount"]) == "0.00", "{left}");
        assert!(!messages(of(&told, &people[1])).iter().any(|one| one.contains("were counted")), "told once");
    });
}

#[test]
fn californias_insurance_is_withheld_counted_in_the_year_and_explained() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("CA").await);
        company.answer_state("CA").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let found = read(&company, &payroll, "taxes,totals,payroll_taxes").await;
        let paycheck = of(&found, &ana);
        let overtime = ["Lab. Code 510(a) counts the overtime of each day"];
        let others = |message: &String| !overtime.iter().any(|known| message.starts_with(known));
        assert!(!messages(paycheck).iter().any(others), "every tax is worked out");
        // 1.3 % of 1,600.00; the employer's 0.1 % and 2.7 %, both up to 7,000 a year.
        let sdi = line(&paycheck["taxes"], "CA SDI");
        assert_eq!((number(&sdi["amount"]), &sdi["employer"]), ("20.80".into(), &json!(false)));
        assert_eq!(
            sdi["line"],
            json!({ "code": "CA_SDI", "jurisdiction": { "level": "state", "state": "CA", "place": null },
                    "subject_wages": "1600.00", "taxable_wages": "1600.00", "year_to_date": "20.80" })
        );
        assert_eq!(number(&line(&paycheck["taxes"], "CA ETT")["amount"]), "1.60");
        assert_eq!(number(&line(&paycheck["taxes"], "CA SUI")["amount"]), "43.20");
        assert_eq!(number(&line(&found["payroll_taxes"], "CA SDI")["amount"]), "20.80");
        let own = paycheck["taxes"].as_array().unwrap().iter().filter(|tax| tax["employer"] == false);
        let cents = own.map(|tax| rules::Amount::parse(&tax["amount"].to_string()).unwrap().cents_half_up());
        let taxes = rules::Amount::from_cents(cents.sum());
        assert_eq!(found["totals"]["employee_taxes"], taxes.to_text(2));
        let net = rules::Amount::from_cents(160_000).checked_sub(taxes).unwrap();
        assert_eq!(found["totals"]["net_pay"], net.to_text(2));
        let levied = found["taxes_by_jurisdiction"].as_array().unwrap();
        let sum = |field: &str| {
            levied
                .iter()
                .map(|one| rules::Amount::parse(&text(one, field)).unwrap())
                .fold(rules::Amount::ZERO, |sum, one| sum.checked_add(one).unwrap())
        };
        assert_eq!(sum("employee_taxes"), taxes, "{levied:?}");
        assert_eq!(sum("employer_taxes").to_text(2), found["totals"]["employer_taxes"]);
        let levels: Vec<&Value> = levied.iter().map(|one| &one["jurisdiction"]["level"]).collect();
        assert_eq!(levels, ["country", "state"]);
        assert_eq!(levied[1]["employer_taxes"], "44.80", "training tax and unemployment insurance");

        let explained = explanation_of(&company, &payroll, &ana).await;
        assert_eq!(explained["note"], Value::Null, "{explained}");
        assert!(explained.to_string().contains("EY Tax Alert 2026-0131"), "the source of the rate is named");

        company.submit(&payroll).await;
        company.world.wait_until("2026-06-22T18:00:00Z".parse().unwrap()).await;
        let next = paid_on(&company, &ana, ("2026-06-15", "2026-06-28", "2026-07-03")).await;
        let found = read(&company, &next, "taxes").await;
        let sdi = line(&of(&found, &ana)["taxes"], "CA SDI");
        assert_eq!((number(&sdi["amount"]), &sdi["line"]["year_to_date"]), ("20.80".into(), &json!("41.60")));
    });
}

#[test]
fn a_tax_that_is_due_and_cannot_be_worked_out_is_named_until_what_is_missing_is_answered() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let (mctmt, sui) = (
            "NY MCTMT zone 1 was not worked out: the employer's payroll of the quarter in the place is missing: the employer enters it with the company's taxes of the state",
            "NY SUI was not worked out: the rate of the employer's notice is missing: the employer enters it with the company's taxes of the state",
        );
        assert_eq!(messages(of(&found, &ana)), [mctmt, sui]);

        company.answer_state("NY").await;
        let of_quarter = json!({ "requirement_sets": [{ "state": "NY", "key": "employer",
            "requirements": [{ "key": "quarterly_payroll", "value": "500000" }] }] });
        company.put("/v1/companies/{company}/tax_requirements/NY", of_quarter).await.is(200);
        let found = calculated(&company, &payroll).await;
        let paycheck = of(&found, &ana);
        assert_eq!(messages(paycheck), Vec::<String>::new());
        // 0.6 % from 437,500 to 2,500,000 a quarter; 2.7 % up to the wage base.
        assert_eq!(number(&line(&paycheck["taxes"], "NY MCTMT zone 1")["amount"]), "9.60");
        assert_eq!(number(&line(&paycheck["taxes"], "NY SUI")["amount"]), "43.20");
        assert!(line(&paycheck["taxes"], "NY PFL")["amount"].is_number(), "{}", paycheck["taxes"]);
    });
}

#[test]
fn a_tax_of_the_employers_return_accrues_from_the_payroll_that_it_tells() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let place = json!({ "street_1": "1 Main Street", "city": "Reno", "state": "NV", "zip": "89501",
                            "phone_number": "7755550100" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", place).await.created());
        company.answer_state("NV").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let warned = |paycheck: &Value| messages(paycheck).iter().any(|message| message.contains("NV MBT"));
        assert!(!warned(of(&found, &ana)), "the employer settles it on its return");
        assert_eq!(line(&of(&found, &ana)["taxes"], "NV MBT"), &Value::Null);

        let told = json!({ "requirement_sets": [{ "state": "NV", "key": "employer",
            "requirements": [{ "key": "quarterly_payroll", "value": "200000" }] }] });
        company.put("/v1/companies/{company}/tax_requirements/NV", told).await.is(200);
        let found = calculated(&company, &payroll).await;
        // 1.17 % of three quarters of 1,600.00: the first 50,000 of 200,000 are free.
        let tax = line(&of(&found, &ana)["taxes"], "NV MBT");
        assert_eq!((number(&tax["amount"]), &tax["employer"]), ("14.04".into(), &json!(true)));
    });
}

#[test]
fn a_city_of_residence_in_ohio_is_withheld_by_courtesy_less_its_credit() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let home = json!({ "street_1": "1 Main Street", "city": "Parma", "state": "OH", "zip": "44129",
                           "effective_date": "2026-01-02", "courtesy_withholding": true });
        company.post(format!("/v1/employees/{ana}/home_addresses"), home).await.created();
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let taxes = &of(&found, &ana)["taxes"];
        // Parma takes 2.5 % and credits 2 for the 2.5 % of Columbus.
        assert_eq!(number(&line(taxes, "Columbus city tax")["amount"]), "40.00");
        assert_eq!(number(&line(taxes, "Parma city tax (residence)")["amount"]), "8.00");
        let explained = explanation_of(&company, &payroll, &ana).await;
        assert_eq!(explained["note"], Value::Null, "{explained}");
        assert!(explained.to_string().contains("Parma 184.34"), "the source of the credit is named");
    });
}

#[test]
fn the_employer_answers_for_its_programmes_and_wrong_answers_change_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("CO").await);
        company.answer_state("CO").await;
        let requirements = "/v1/companies/{company}/tax_requirements/CO";
        let set = |key: &str, what: Value| json!({ "requirement_sets": [{ "state": "CO", "key": key, "requirements": [what] }] });
        for (key, wrong) in [
            ("employer", json!({ "key": "employer_size", "value": "some" })),
            ("CO_FAMLI", json!({ "key": "employer_pays_employee_share", "value": "50" })),
            ("CO_FAMLI", json!({ "key": "private_plan", "value": "perhaps" })),
        ] {
            let refused = company.put(requirements, set(key, wrong)).await.refused(422);
            assert_eq!(refused.fault(), ("requirement_sets[0]", "nested_errors"));
        }
        let share = |value: &str| json!({ "key": "employer_pays_employee_share", "value": value });
        company.put(requirements, set("CO_FAMLI", share("0.5"))).await.is(200);
        let asked = company.get(requirements).await.ok();
        let told = |key: &str| {
            let sets = asked["requirement_sets"].as_array().unwrap();
            sets.iter().find(|set| set["key"] == key).unwrap()["requirements"][0].clone()
        };
        assert_eq!(
            (&told("CO_FAMLI")["value"], &told("CO_FAMLI")["metadata"]["type"]),
            (&json!("0.5"), &json!("percent"))
        );
        assert_eq!(told("employer")["metadata"]["type"], "text");
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let taxes = &of(&found, &ana)["taxes"];
        // 0.44 % of 1,600.00 is 7.04, of which the employer bears half.
        assert_eq!(number(&line(taxes, "CO FAMLI")["amount"]), "3.52");
        assert_eq!(number(&line(taxes, "CO FAMLI (borne)")["amount"]), "3.52");

        let plan = json!({ "key": "private_plan", "value": "Yes" });
        company.put(requirements, set("CO_FAMLI", plan)).await.is(200);
        let found = calculated(&company, &payroll).await;
        assert_eq!(line(&of(&found, &ana)["taxes"], "CO FAMLI"), &Value::Null);

        // Forms send an empty text for what is left open.
        company.put(requirements, set("CO_FAMLI", share(""))).await.is(200);
        company
            .put(requirements, set("CO_FAMLI", json!({ "key": "private_plan", "value": "" })))
            .await
            .is(200);
        let found = calculated(&company, &payroll).await;
        let taxes = &of(&found, &ana)["taxes"];
        assert_eq!(number(&line(taxes, "CO FAMLI")["amount"]), "7.04");
        assert_eq!(line(taxes, "CO FAMLI (borne)"), &Value::Null);
    });
}

#[test]
fn the_city_of_work_taxes_by_its_address_and_support_is_taken_from_what_its_tax_leaves() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let paycheck = of(&found, &ana);
        // The ZIP code lies partly outside of Columbus.
        let told = messages(paycheck);
        assert!(told.len() == 1 && told[0].contains("may lie outside the city limits"), "{told:?}");
        // Columbus takes 2.5 % of what is worked there, whoever lives elsewhere.
        let city = line(&paycheck["taxes"], "Columbus city tax");
        assert_eq!(number(&city["amount"]), "40.00");
        assert_eq!(
            city["line"]["jurisdiction"],
            json!({ "level": "city", "state": "OH", "place": "OH-18000" })
        );
        let preview = format!("/v1/employees/{ana}/garnishments/preview?gross=1600&check_date=2026-06-19");
        let preview = company.get(preview).await.ok();
        let disposable = text(&preview["pay"], "disposable_earnings");
        let taxes = preview["pay"]["taxes"].as_array().unwrap().iter();
        let amount = |text: &str| rules::Amount::parse(text).unwrap().cents_half_up();
        let sum: i64 = taxes.map(|tax| amount(tax["amount"].as_str().unwrap())).sum();
        assert_eq!(amount(&disposable), 160_000 - sum);
        assert_eq!(line(&preview["pay"]["taxes"], "OH_18000")["amount"], "40.00");
    });
}

#[test]
fn a_place_of_work_set_by_hand_is_where_the_payroll_withholds_and_the_list_of_taxes_says_why() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let why = async |code: &str| {
            let taxes = company.get(format!("/v1/employees/{ana}/taxes")).await.list();
            let tax = taxes.iter().find(|tax| tax["code"] == code).cloned().unwrap_or_default();
            tax["why"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(
            why("OH_18000").await,
            "lives or works where Columbus city tax is levied, by the name of the city"
        );
        let address = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
        let cincinnati = json!({ "version": address["version"], "jurisdiction_codes": ["OH-15000"] });
        company.put(format!("/v1/work_addresses/{}", text(address, "uuid")), cincinnati).await.ok();
        assert_eq!(
            why("OH_15000").await,
            "lives or works where Cincinnati city tax is levied, by the jurisdiction_codes of the address"
        );
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let taxes = &of(&found, &ana)["taxes"];
        // 1.8 % of 1,600.00.
        assert_eq!(number(&line(taxes, "Cincinnati city tax")["amount"]), "28.80");
        assert_eq!(line(taxes, "Columbus city tax"), &Value::Null);
    });
}

/// A place of the register in its columns, with a rate of residents and the sum of its parts.
fn register(resident: &str, sum: &str) -> String {
    let header = rules::taxes::PennsylvaniaTable::FILE.lines().next().unwrap();
    format!(
        "{header}\n010101,Adams,Abbottstown,Conewago Valley,{resident},0.5,{sum},0.5,,0,0,,,YATB,,,primary,register\n"
    )
}

#[test]
fn pennsylvanias_register_is_imported_and_a_bad_file_leaves_the_good_one_in_place() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("PA").await);
        company.answer_state("PA").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let folder = tempfile::tempdir().unwrap();
        let import = async |text: String| {
            let file = folder.path().join("register.csv");
            std::fs::write(&file, text).unwrap();
            let store = &company.world.app.store;
            let done =
                datasets::import_file(store, "pennsylvania-register", &file, None, false, &|_, _| ()).await;
            done.map(|done| done.to_text())
        };
        let home = json!({ "street_1": "1 Main Street", "city": "Abbottstown", "state": "PA", "zip": "17301",
                           "effective_date": "2026-01-02", "jurisdiction_codes": ["PA-010101"] });
        let path = format!("/v1/employees/{ana}/home_addresses");
        let unknown = company.post(&path, home.clone()).await.refused(422);
        assert_eq!(unknown.fault().0, "jurisdiction_codes", "no row of the built-in register has the code");

        let changes = import(register("0.7", "1.2")).await.unwrap();
        assert!(changes.contains("010101 Abbottstown is new"), "{changes}");
        let why = import(register("0.7", "1.9")).await.unwrap_err();
        assert!(why.contains("line 2, resident_percent: must be the sum"), "{why}");

        let made = company.post(&path, home).await.created();
        assert_eq!(made["jurisdictions"][0]["name"], "Abbottstown");
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        // 1.2 % of 1,600.00.
        assert_eq!(number(&line(&of(&found, &ana)["taxes"], "Abbottstown EIT")["amount"]), "19.20");
    });
}

#[test]
fn hours_at_another_location_are_taxed_where_they_were_worked() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("OH").await);
        let other = id_of(&company.location("IL").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let lines = json!([{ "name": "Regular Hours", "hours": "60.000" },
                           { "name": "Regular Hours", "hours": "20.000", "location_uuid": other }]);
        enter(&company, &payroll, &ana, json!({ "hourly_compensations": lines })).await.ok();
        let found = calculated(&company, &payroll).await;
        // Columbus takes 2.5 % of the 60 of 80 hours that were worked there: of 1,200.00.
        let city = line(&of(&found, &ana)["taxes"], "Columbus city tax");
        assert_eq!(number(&city["amount"]), "30.00");
        assert_eq!(city["line"]["subject_wages"], "1200.00");
    });
}

#[test]
fn short_visits_to_another_city_of_ohio_stay_with_the_main_place_of_work_for_twenty_days_of_the_year() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("OH").await);
        let cincinnati = json!({ "street_1": "12 Plum Row", "city": "Cincinnati", "state": "OH", "zip": "45202",
                                 "phone_number": "5135550142" });
        let site = id_of(&company.post("/v1/companies/{company}/locations", cincinnati).await.created());
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let day = |month: i8, day: i8| {
            json!({ "name": "Regular Hours", "hours": "2.000", "location_uuid": site,
                    "date": jiff::civil::date(2026, month, day).to_string() })
        };
        let entered = async |payroll: &str, lines: Vec<Value>| {
            enter(&company, payroll, &ana, json!({ "hourly_compensations": lines })).await.ok();
            company.calculate(payroll).await;
            let found = read(&company, payroll, "taxes").await;
            let paycheck = of(&found, &ana);
            let cities = ["Columbus city tax", "Cincinnati city tax"].map(|name| {
                let line = line(&paycheck["taxes"], name);
                if line.is_null() { None } else { Some(number(&line["amount"])) }
            });
            (cities, messages(paycheck))
        };
        // Hours without their days: Cincinnati takes 1.8 % of 320.00, and the paycheck says why.
        let undated = json!({ "name": "Regular Hours", "hours": "16.000", "location_uuid": site });
        let rest = json!({ "name": "Regular Hours", "hours": "64.000" });
        let (cities, said) = entered(&payroll, vec![rest, undated]).await;
        assert_eq!(cities, [Some("32.00".into()), Some("5.76".into())]);
        assert!(
            said.iter().any(|message| message.starts_with("hours at OH-15000 were entered without")),
            "{said:?}"
        );
        // By day they are three of the year: Columbus takes 2.5 % of all of 280.00.
        let mut lines: Vec<Value> = (3..=5).map(|of_month| day(6, of_month)).collect();
        lines.push(json!({ "name": "Regular Hours", "hours": "8.000", "date": "2026-06-01" }));
        let (cities, said) = entered(&payroll, lines).await;
        assert_eq!(cities, [Some("7.00".into()), None]);
        assert!(!said.iter().any(|message| message.starts_with("hours at")), "{said:?}");
        company.submit(&payroll).await;
        // Seventeen more are twenty; the eighteenth is taxed where it was worked, with all of that payroll.
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-05-01",
                           "end_date": "2026-05-18", "employee_uuids": [ana], "check_date": "2026-06-26",
                           "withholding_pay_period": "Every other week" });
        let later = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        let days = |count: i8| (1..=count).map(|of_month| day(5, of_month)).collect::<Vec<_>>();
        assert_eq!(entered(&later, days(17)).await.0, [Some("17.00".into()), None]);
        assert_eq!(entered(&later, days(18)).await.0, [None, Some("12.96".into())]);
    });
}

#[test]
fn cities_are_met_by_the_names_that_addresses_give_them() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let mut people = Vec::new();
        for (state, city, zip) in
            [("KY", "Louisville", "40202"), ("OH", "Oakwood", "45419"), ("OH", "Saint Marys", "45885")]
        {
            let mut place = json!({ "street_1": "19 Willow Court", "city": city, "state": state, "zip": zip,
                                    "phone_number": "2105550100", "country": "USA" });
            let mut home = json!({ "street_1": "19 Willow Court", "city": city, "state": state, "zip": zip,
                                   "effective_date": "2026-05-01" });
            // Most of this ZIP code lies outside of St. Marys: it is asked for.
            if zip == "45885" {
                let answer = json!({ "city": "OH-69680" });
                (place["place_answers"], home["place_answers"]) = (answer.clone(), answer);
            }
            let office = id_of(&company.post("/v1/companies/{company}/locations", place).await.created());
            company.answer_state(state).await;
            let (id, _) = company.onboarded(city, &office, ("20.00", "Hour", "Nonexempt")).await;
            company.post(format!("/v1/employees/{id}/home_addresses"), home).await.created();
            enter(&company, &payroll, &id, hours("80")).await.ok();
            people.push(id);
        }
        let found = calculated(&company, &payroll).await;
        // 1,600.00: 2.2 % of whoever lives in Jefferson County; 2.5 % and 1.5 %, without credits.
        for (person, name, amount) in [
            (&people[0], "Louisville Metro city tax", "35.20"),
            (&people[1], "Oakwood (Montgomery) city tax", "40.00"),
            (&people[2], "St. Marys city tax", "24.00"),
        ] {
            let taxes = &of(&found, person)["taxes"];
            assert_eq!(number(&line(taxes, name)["amount"]), amount, "{taxes}");
        }
        let louisville = company.get(format!("/v1/employees/{}/home_addresses", people[0])).await.list();
        let at = louisville.iter().flat_map(|home| home["jurisdictions"].as_array().unwrap());
        let at: Vec<_> = at.map(|at| (text(at, "code"), at["certain"].clone())).collect();
        assert!(at.contains(&("KY-LOUISVILLE_METRO".to_owned(), json!(true))), "{at:?}");
    });
}

#[test]
fn a_tax_of_the_month_is_taken_once_for_each_month_in_whichever_order_pay_dates_are_processed() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let place = json!({ "street_1": "1437 Bannock Street", "city": "Denver", "state": "CO", "zip": "80202",
                            "phone_number": "3035550100" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", place).await.created());
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let mut taken = Vec::new();
        for days in [
            ("2026-06-15", "2026-06-28", "2026-07-02"),
            ("2026-06-01", "2026-06-14", "2026-06-30"),
            ("2026-06-29", "2026-07-12", "2026-07-17"),
        ] {
            let payroll = paid_on(&company, &ana, days).await;
            let found = read(&company, &payroll, "taxes").await;
            let taxes = of(&found, &ana)["taxes"].as_array().unwrap().iter();
            let of_employee =
                taxes.filter(|tax| tax["employer"] == false && tax["name"].to_string().contains("OPT"));
            taken.push(of_employee.map(|tax| number(&tax["amount"])).collect::<Vec<_>>());
            company.submit(&payroll).await;
        }
        // July, June, and nothing more of July.
        assert_eq!(
            taken.concat().iter().filter(|amount| *amount != "0.00").collect::<Vec<_>>(),
            ["5.75", "5.75"]
        );
        assert!(taken[2].iter().all(|amount| amount == "0.00"), "{taken:?}");
    });
}
