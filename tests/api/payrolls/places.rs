//! Places of addresses on paychecks: what tables tell, what is asked of whom, and what an answer or a move changes.

use domain::platform::confirmations;
use serde_json::{Value, json};

use super::several_states::{certify, live, paid};
use super::{company, explanation_of, line, number};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// A tax of a paycheck; nothing where it has none.
fn tax(paycheck: &Value, name: &str) -> String {
    match line(&paycheck["taxes"], name) {
        Value::Null => "none".to_owned(),
        line => number(&line["amount"]),
    }
}

/// The messages of a paycheck's warnings with a key.
fn warned(paycheck: &Value, key: &str) -> Vec<String> {
    let all = paycheck["warnings"].as_array().cloned().unwrap_or_default();
    all.iter().filter(|one| one["key"] == key).map(|one| text(one, "message")).collect()
}

async fn office(company: &Company, (city, state, zip): (&str, &str, &str)) -> Value {
    let body = json!({ "street_1": "1 Main Street", "city": city, "state": state, "zip": zip, "phone_number": "2105550142" });
    company.post("/v1/companies/{company}/locations", body).await.created()
}

/// The requirement sets of a state, by key.
async fn sets(company: &Company, state: &str) -> Vec<(String, Value)> {
    let asked = company.get(format!("/v1/companies/{{company}}/tax_requirements/{state}")).await.ok();
    let sets = asked["requirement_sets"].as_array().unwrap();
    sets.iter().map(|set| (text(set, "key"), set.clone())).collect()
}

fn set(state: &str, key: &str, answers: &[(&str, &str)]) -> Value {
    let answers = answers.iter().map(|(key, value)| json!({ "key": key, "value": value }));
    json!({ "requirement_sets": [{ "state": state, "key": key, "requirements": answers.collect::<Vec<_>>() }] })
}

#[test]
fn newark_and_jersey_city_tax_each_by_the_payroll_there() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let mut people = Vec::new();
        for (name, city, zip) in [("Ana", "Newark", "07102"), ("Ben", "Jersey City", "07302")] {
            let office = id_of(&office(&company, (city, "NJ", zip)).await);
            people.push(company.onboarded(name, &office, ("25.00", "Hour", "Nonexempt")).await.0);
        }
        company.answer_state("NJ").await;
        let path = "/v1/companies/{company}/tax_requirements/NJ";
        let by_payroll =
            |set: &&(String, Value)| set.1["requirements"].to_string().contains("quarterly_payroll");
        let asked: Vec<String> =
            sets(&company, "NJ").await.iter().filter(by_payroll).map(|set| set.0.clone()).collect();
        assert_eq!(asked, ["NJ_JERSEY_CITY", "NJ_NEWARK"], "no answer is of both");
        company.put(path, set("NJ", "NJ_NEWARK", &[("quarterly_payroll", "60000")])).await.is(200);
        let newark = paid(&company, &people[0]).await.1;
        assert_eq!(tax(&newark, "Newark payroll tax"), "20.00", "1 % of 2,000.00");
        let jersey = paid(&company, &people[1]).await.1;
        assert_eq!(tax(&jersey, "Jersey City payroll tax"), "none");
        let open = warned(&jersey, "tax_not_worked_out");
        assert!(
            open.iter().any(|message| message.starts_with("Jersey City payroll tax was not")),
            "{open:?}"
        );
        company.put(path, set("NJ", "NJ_JERSEY_CITY", &[("quarterly_payroll", "2000")])).await.is(200);
        let below = paid(&company, &people[1]).await.1;
        assert_eq!(tax(&below, "Jersey City payroll tax"), "none", "2,500 a quarter are free");
        assert!(!below["warnings"].to_string().contains("Jersey City"), "{below}");
        company.put(path, set("NJ", "NJ_JERSEY_CITY", &[("quarterly_payroll", "9000")])).await.is(200);
        assert_eq!(tax(&paid(&company, &people[1]).await.1, "Jersey City payroll tax"), "20.00");
        assert_eq!(tax(&paid(&company, &people[0]).await.1, "Newark payroll tax"), "20.00");
    });
}

async fn lives_by_agreement(company: &Company, employee: &str, (city, zip): (&str, &str)) {
    let path = format!("/v1/employees/{employee}/home_addresses");
    let home = &company.get(&path).await.list()[0];
    let new = json!({ "version": home["version"], "city": city, "state": "OH", "zip": zip, "effective_date": "2026-01-01",
                      "courtesy_withholding": true });
    company.put(format!("/v1/home_addresses/{}", text(home, "uuid")), new).await.ok();
}

#[test]
fn the_credit_of_a_city_of_residence_in_ohio_is_asked_of_the_employer_once_where_no_table_is_sure() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let columbus = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &columbus, ("25.00", "Hour", "Nonexempt")).await;
        let asked = async || {
            let all = sets(&company, "OH").await.into_iter().map(|set| set.0);
            all.filter(|key| key.starts_with("OH_")).collect::<Vec<_>>()
        };
        assert_eq!(asked().await, [""; 0], "nobody is withheld for by agreement");
        // Parma's credit was read in its code; that of Westlake is in no table, and Strongsville's only in an old one.
        lives_by_agreement(&company, &ana, ("Parma", "44129")).await;
        assert_eq!(asked().await, [""; 0]);
        lives_by_agreement(&company, &ana, ("Westlake", "44145")).await;
        assert_eq!(asked().await, ["OH_83622"]);
        let before = paid(&company, &ana).await.1;
        let open = warned(&before, "tax_not_worked_out");
        assert!(open[0].contains("gives is missing: the employer enters it"), "{open:?}");

        let path = "/v1/companies/{company}/tax_requirements/OH";
        for (key, answers) in [
            ("OH_83622", [("credit_percent", "50")]),
            ("OH_83622", [("credit_percent", "some")]),
            ("OH_61000", [("credit_percent", "1")]),
        ] {
            let refused = company.put(path, set("OH", key, &answers)).await.refused(422);
            assert_eq!(refused.fault(), ("requirement_sets[0]", "nested_errors"), "{key} {answers:?}");
        }
        let told = [("credit_percent", "0.5"), ("credit_limit", "0.01")];
        company.put(path, set("OH", "OH_83622", &told)).await.is(200);
        let (payroll, after) = paid(&company, &ana).await;
        // 1.5 % of 2,000.00 less half of 1 of the 2.5 % of Columbus.
        assert_eq!(tax(&after, "Columbus city tax"), "50.00");
        assert_eq!(tax(&after, "Westlake city tax (residence)"), "20.00");
        assert_eq!(warned(&after, "tax_not_worked_out"), [""; 0]);
        let explained = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(explained.contains("the employer's answer"), "{explained}");

        // A second person there is not asked about again, and what was answered can be corrected.
        let (ben, _) = company.onboarded("Ben", &columbus, ("25.00", "Hour", "Nonexempt")).await;
        lives_by_agreement(&company, &ben, ("Westlake", "44145")).await;
        assert_eq!(tax(&paid(&company, &ben).await.1, "Westlake city tax (residence)"), "20.00");
        let kept = sets(&company, "OH").await.into_iter().find(|set| set.0 == "OH_83622").unwrap().1;
        assert_eq!(kept["label"], "Westlake city tax");
        let values = [&kept["requirements"][0]["value"], &kept["requirements"][1]["value"]];
        assert_eq!(values, [&json!("0.5"), &json!("0.01")]);
        company.put(path, set("OH", "OH_83622", &[("credit_percent", "0")])).await.is(200);
        assert_eq!(tax(&paid(&company, &ben).await.1, "Westlake city tax (residence)"), "30.00");

        lives_by_agreement(&company, &ben, ("Strongsville", "44136")).await;
        assert_eq!(asked().await, ["OH_75098", "OH_83622"]);
        let confirm =
            |tx: &mut store::Tx<'_>| confirmations::set_confirmed(tx, &["OH_75098_CREDIT".to_owned()], true);
        company.world.app.store.write(confirm).await.unwrap();
        assert_eq!(asked().await, ["OH_83622"], "the operator has confirmed the table");
    });
}

#[test]
fn trimets_tax_is_due_in_the_middle_of_portland_by_its_address_and_metro_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let portland = office(&company, ("Portland", "OR", "97204")).await;
        let of = |code: &str| {
            let all = portland["jurisdictions"].as_array().unwrap();
            all.iter().find(|at| at["code"] == code).unwrap_or_else(|| panic!("no {code} in {portland}"))
        };
        let trimet = of("OR-TRIMET_DISTRICT");
        assert_eq!((&trimet["certain"], &trimet["told_by"]), (&json!(true), &json!("zip")));
        assert_eq!(trimet["reason"], "TriMet lists ZIP code 97204 as completely in its district");
        assert_eq!((&of("OR-METRO")["certain"], &of("OR-METRO")["taxed"]), (&json!(false), &json!(true)));
        let asked = portland["place_questions"].as_array().unwrap();
        assert_eq!(
            (asked.len(), &asked[0]["key"], &asked[0]["default"]),
            (1, &json!("metro"), &json!("OR-METRO"))
        );

        let (ana, _) = company.onboarded("Ana", &id_of(&portland), ("25.00", "Hour", "Nonexempt")).await;
        let before = paid(&company, &ana).await.1;
        assert_eq!(tax(&before, "TriMet tax"), "16.47", "0.8237 % of 2,000.00");
        let told = warned(&before, "place_not_known");
        assert!(told.len() == 1 && told[0].contains("may lie outside Metro"), "{told:?}");
        let path = format!("/v1/locations/{}", id_of(&portland));
        let answer =
            |code: &str| json!({ "version": portland["version"], "place_answers": { "metro": code } });
        let refused = company.put(&path, answer("OR-TRIMET_DISTRICT")).await.refused(422);
        assert!(
            refused.message().contains("place_answers.metro must be none or one of OR-METRO"),
            "{refused:?}"
        );
        let answered = company.put(&path, answer("OR-METRO")).await.ok();
        assert_eq!(answered["place_questions"][0]["answer"], "OR-METRO");
        assert_eq!(warned(&paid(&company, &ana).await.1, "place_not_known"), [""; 0]);

        // Only a part of this one lies in TriMet's district.
        let wilsonville = office(&company, ("Wilsonville", "OR", "97070")).await;
        let (ben, _) = company.onboarded("Ben", &id_of(&wilsonville), ("25.00", "Hour", "Nonexempt")).await;
        let before = paid(&company, &ben).await.1;
        assert_eq!(tax(&before, "TriMet tax"), "none");
        let told = warned(&before, "place_not_known");
        assert!(told.iter().any(|message| message.contains("may lie in a transit district")), "{told:?}");
        let choices = wilsonville["place_questions"][0]["choices"].as_array().unwrap();
        let names: Vec<String> = choices.iter().map(|choice| text(choice, "name")).collect();
        assert!(
            names.contains(&"TriMet".to_owned()) && names.contains(&"Wilsonville".to_owned()),
            "{names:?}"
        );
        let answers = json!({ "transit_district": "OR-TRIMET_DISTRICT", "metro": "none" });
        let body = json!({ "version": wilsonville["version"], "place_answers": answers });
        company.put(format!("/v1/locations/{}", id_of(&wilsonville)), body).await.ok();
        let after = paid(&company, &ben).await.1;
        assert_eq!(tax(&after, "TriMet tax"), "16.47");
        assert_eq!(warned(&after, "place_not_known"), [""; 0]);
    });
}

#[test]
fn a_local_rate_that_is_not_that_of_the_county_is_told_on_the_paycheck() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let baltimore = id_of(&company.location("MD").await);
        let (ana, _) = company.onboarded("Ana", &baltimore, ("25.00", "Hour", "Nonexempt")).await;
        live(&company, &ana, ("Baltimore", "MD", "21201")).await;
        let told = async || warned(&paid(&company, &ana).await.1, "certificate_contradicts_address");
        assert_eq!(told().await, [""; 0], "the rate follows from the address");
        certify(&company, &ana, "MD", &[("local_rate", json!(2.25))]).await;
        let of_nonresidents = told().await;
        assert!(
            of_nonresidents.len() == 1
                && of_nonresidents[0].contains("the local rate was answered with 2.25 percent")
                && of_nonresidents[0].contains("whose rate is 3.2"),
            "{of_nonresidents:?}"
        );
        certify(&company, &ana, "MD", &[("local_rate", json!(3.2))]).await;
        assert_eq!(told().await, [""; 0]);
    });
}

#[test]
fn a_move_opens_what_depends_on_the_address_and_tells_the_employer_until_it_is_answered() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let austin = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &austin, ("25.00", "Hour", "Nonexempt")).await;
        let homes = format!("/v1/employees/{ana}/home_addresses");
        let notified = async || {
            let all = company.get("/v1/companies/{company}/notifications").await.list();
            all.into_iter().filter(|one| one["category"] == "home_address_questions").collect::<Vec<_>>()
        };
        let events_since = async |known: usize| {
            let all = company.event_types_since(known).await;
            all.into_iter()
                .filter_map(|kind| Some(kind.strip_prefix("notification.")?.to_owned()))
                .collect::<Vec<_>>()
        };
        const OPENED: &str = "home_address_questions.created";
        const ANSWERED: &str = "home_address_questions.resolved";
        assert!(notified().await.is_empty());
        let known = company.count_events().await;
        let airy = json!({ "street_1": "1 Main St", "city": "Mount Airy", "state": "MD", "zip": "21771",
                           "effective_date": "2026-06-29" });
        let made = company.post(&homes, airy).await.created();
        assert_eq!(events_since(known).await, [OPENED]);
        let told = notified().await;
        assert_eq!(told.len(), 1);
        assert_eq!((id_of(&told[0]), &told[0]["can_block_payroll"]), (id_of(&made), &json!(false)));
        let variables =
            json!({ "effective_date": "2026-06-29", "employee_name": "Ana Silva", "questions": "county" });
        assert_eq!(told[0]["template_variables"], variables);
        let home = json!({ "entity_type": "HomeAddress", "entity_uuid": made["uuid"], "reference_type": "Employee",
                           "reference_uuid": ana });
        assert_eq!(told[0]["resources"], json!([home]));
        let one = format!("/v1/notifications/{}", id_of(&told[0]));
        assert_eq!(company.get(&one).await.ok(), told[0]);
        company.world.company().await.get(&one).await.refused(404);

        let path = format!("/v1/home_addresses/{}", id_of(&made));
        let known = company.count_events().await;
        let answer = json!({ "version": made["version"], "place_answers": { "county": "24013" } });
        let answered = company.put(&path, answer).await.ok();
        assert_eq!(events_since(known).await, [ANSWERED]);
        assert!(notified().await.is_empty());
        assert_eq!(company.get(&one).await.refused(422).fault(), ("base", "invalid_operation"));

        // The next address has another county: what was answered about the last one does not count.
        let known = company.count_events().await;
        let moved = company.put(&path, json!({ "version": answered["version"], "zip": "21225" })).await.ok();
        assert_eq!(events_since(known).await, [OPENED]);
        let same = json!({ "version": moved["version"], "street_2": "Apt 2" });
        let moved = company.put(&path, same).await.ok();
        assert_eq!(events_since(known).await, [OPENED], "told once");
        // All of this ZIP code lies in Baltimore City.
        let certain = json!({ "version": moved["version"], "city": "Baltimore", "zip": "21201" });
        company.put(&path, certain).await.ok();
        assert_eq!(events_since(known).await, [OPENED, ANSWERED]);

        // An answer to the state answers the question as well.
        let ohio = json!({ "street_1": "1 Main St", "city": "Alexandria", "state": "OH", "zip": "43001" });
        let known = company.count_events().await;
        let ohio = company.post(&homes, ohio).await.created();
        assert_eq!(events_since(known).await, [OPENED]);
        certify(&company, &ana, "OH", &[("school_district", json!("Granville EVSD"))]).await;
        assert_eq!(events_since(known).await, [OPENED, ANSWERED]);
        // And an address that is deleted asks nothing.
        let known = company.count_events().await;
        let later = json!({ "street_1": "1 Main St", "city": "Mount Airy", "state": "MD", "zip": "21771",
                            "effective_date": "2027-01-01" });
        let later = id_of(&company.post(&homes, later).await.created());
        company.delete(format!("/v1/home_addresses/{later}")).await.deleted();
        assert_eq!(events_since(known).await, [OPENED, ANSWERED]);
        assert_eq!(ohio["place_questions"][0]["key"], "school_district");
    });
}
