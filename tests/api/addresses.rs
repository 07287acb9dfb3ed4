//! Where employees live and where they work, and from which day on.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, home, id_of, on_both_engines, text};

/// A home address from a day on.
fn home_from(day: &str) -> Value {
    let mut body = home();
    body["effective_date"] = day.into();
    body
}

async fn live(company: &Company, employee: &str, from: &str) -> String {
    id_of(&company.post(format!("/v1/employees/{employee}/home_addresses"), home_from(from)).await.created())
}

async fn work(company: &Company, employee: &str, location: &str, from: &str) -> String {
    let body = json!({ "location_uuid": location, "effective_date": from });
    id_of(&company.post(format!("/v1/employees/{employee}/work_addresses"), body).await.created())
}

/// The active one of a list of addresses.
async fn active(company: &Company, employee: &str, kind: &str) -> String {
    let all = company.get(format!("/v1/employees/{employee}/{kind}")).await.list();
    let mut active = all.iter().filter(|address| address["active"] == true).map(id_of);
    let only = active.next().unwrap();
    assert_eq!(active.next(), None, "one address counts at a time");
    only
}

#[test]
fn a_home_address_counts_from_today_unless_another_day_is_named() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let made = company.home_address(&employee).await;
        for (field, value) in [
            ("effective_date", json!("2026-06-15")),
            ("courtesy_withholding", json!(false)),
            ("country", json!("USA")),
            ("active", json!(true)),
            ("employee_uuid", json!(employee)),
            // By the version of the specification.
            ("street_2", json!("")),
        ] {
            assert_eq!(made[field], value, "{field}");
        }
        assert_eq!(company.read("home_addresses", &id_of(&made)).await, made);
        let mut null = home_from("2027-01-01");
        null["effective_date"] = Value::Null;
        let path = format!("/v1/employees/{employee}/home_addresses");
        assert_eq!(company.post(&path, null).await.created()["effective_date"], "2026-06-15");
    });
}

#[test]
fn the_first_home_of_somebody_who_works_here_counts_from_the_hire_date() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        company.job(&employee, "Cook", "2026-03-02").await;
        assert_eq!(company.home_address(&employee).await["effective_date"], "2026-03-02");
        // So a move since then counts from its day.
        let moved = live(&company, &employee, "2026-06-10").await;
        assert_eq!(active(&company, &employee, "home_addresses").await, moved);
        assert_eq!(company.home_address(&employee).await["effective_date"], "2026-06-15", "a later one");
        // Whoever is still to come has a home already.
        let ben = id_of(&company.employee("Ben").await);
        company.job(&ben, "Cook", "2026-07-01").await;
        assert_eq!(company.home_address(&ben).await["effective_date"], "2026-06-15");
    });
}

#[test]
fn which_home_is_the_active_one_follows_from_the_day() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let employee = id_of(&company.employee("Ana").await);
        // Only homes to come: the first of them counts already.
        let august = live(&company, &employee, "2026-08-01").await;
        let july = live(&company, &employee, "2026-07-01").await;
        assert_eq!(active(&company, &employee, "home_addresses").await, july);
        let past = live(&company, &employee, "2020-01-01").await;
        assert_eq!(active(&company, &employee, "home_addresses").await, past);
        let other = live(&company, &employee, "2020-01-01").await;
        assert_eq!(active(&company, &employee, "home_addresses").await, other, "the later entry of one day");
        // Midnight in Texas is five o'clock in Greenwich.
        world.wait_until("2026-07-01T04:59:00Z".parse().unwrap()).await;
        assert_ne!(active(&company, &employee, "home_addresses").await, july);
        world.wait(1.minute()).await;
        assert_eq!(active(&company, &employee, "home_addresses").await, july);
        world.wait_until("2026-08-01T12:00:00Z".parse().unwrap()).await;
        assert_eq!(active(&company, &employee, "home_addresses").await, august);
    });
}

#[test]
fn the_first_place_of_work_counts_from_the_hire_date_and_a_later_one_from_today() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let employee = id_of(&company.employee("Ana").await);
        company.job(&employee, "Cook", "2026-03-02").await;
        let first = company.work_address(&employee, &location).await;
        assert_eq!(first["effective_date"], "2026-03-02");
        assert_eq!((&first["city"], &first["location_uuid"]), (&json!("San Antonio"), &json!(location)));
        let later = company.work_address(&employee, &location).await;
        assert_eq!(later["effective_date"], "2026-06-15");
        assert_eq!(active(&company, &employee, "work_addresses").await, id_of(&later));

        let jobless = id_of(&company.employee("Ben").await);
        assert_eq!(company.work_address(&jobless, &location).await["effective_date"], "2026-06-15");
    });
}

#[test]
fn a_place_of_work_is_one_of_the_companys_locations() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let employee = id_of(&company.employee("Ana").await);
        let path = format!("/v1/employees/{employee}/work_addresses");
        assert_eq!(
            company.post(&path, json!({})).await.refused(422).fault(),
            ("location_uuid", "invalid_attribute_value")
        );
        let unknown = json!({ "location_uuid": NOBODY, "effective_date": "soon" });
        let refused = company.post(&path, unknown).await.refused(422);
        assert_eq!(refused.keys(), ["location_uuid", "effective_date"]);
        // What the location says, the work address says, too.
        let work = id_of(&company.work_address(&employee, &location).await);
        let version = &company.read("locations", &location).await["version"];
        company
            .put(format!("/v1/locations/{location}"), json!({ "version": version, "city": "Austin" }))
            .await
            .ok();
        assert_eq!(company.read("work_addresses", &work).await["city"], "Austin");
    });
}

#[test]
fn the_active_address_stays_and_others_can_be_deleted() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let employee = id_of(&company.employee("Ana").await);
        let lives =
            [live(&company, &employee, "2026-01-01").await, live(&company, &employee, "2027-01-01").await];
        let works = [
            work(&company, &employee, &location, "2026-01-01").await,
            work(&company, &employee, &location, "2027-01-01").await,
        ];
        for (kind, [current, future], event) in [
            ("home_addresses", lives, "employee.home_address.deleted"),
            ("work_addresses", works, "employee.work_address.deleted"),
        ] {
            let refused = company.delete(format!("/v1/{kind}/{current}")).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"), "{kind}");
            let known = company.count_events().await;
            company.delete(format!("/v1/{kind}/{future}")).await.deleted();
            assert_eq!(company.event_types_since(known).await, [event]);
            company.get(format!("/v1/{kind}/{future}")).await.refused(404);
            company.delete(format!("/v1/{kind}/{future}")).await.refused(404);
            let refused = company.delete(format!("/v1/{kind}/{current}")).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"), "{kind}: it is the only one now");
        }
    });
}

#[test]
fn an_update_of_an_address_changes_what_was_sent() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let made = company.home_address(&employee).await;
        let path = format!("/v1/home_addresses/{}", id_of(&made));
        let body = json!({ "version": made["version"], "street_2": "Apt 4", "courtesy_withholding": true, "effective_date": null });
        let after = company.put(&path, body.clone()).await.ok();
        for (field, value) in made.as_object().unwrap() {
            let stays = !["street_2", "courtesy_withholding", "version"].contains(&field.as_str());
            assert_eq!(after[field] == *value, stays, "{field}");
        }
        // Whoever read the address before has to read it again.
        let stale = company.put(&path, body).await.refused(409);
        assert_eq!(stale.only()["metadata"]["current_version"], after["version"]);
        assert_eq!(stale.only()["metadata"]["differing_fields"], json!([]));
        let cleared = company.put(&path, json!({ "version": after["version"], "street_2": "" })).await.ok();
        assert_eq!(cleared["street_2"], "", "in the version of the specification");
        assert_eq!(
            company.event_types_since(1).await,
            [
                "employee.home_address.created",
                "employee.home_address.updated",
                "employee.home_address.updated"
            ]
        );
    });
}

#[test]
fn an_address_that_is_sent_back_as_it_was_read_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.home_address(&hired.id).await;
        let known = (company.count_events().await, company.audit().await.len());
        for kind in ["home_addresses", "work_addresses"] {
            let told = company.get(format!("/v1/employees/{}/{kind}", hired.id)).await.list();
            let address = &told[0];
            let path = format!("/v1/{kind}/{}", text(address, "uuid"));
            assert_eq!(company.put(&path, address.clone()).await.ok(), *address);
            // Whose it is and whether it is active is not for a client to say.
            let mut other = address.clone();
            for (field, value) in [
                ("uuid", json!(NOBODY)),
                ("employee_uuid", json!(NOBODY)),
                ("active", json!(false)),
                ("country", json!("XX")),
            ] {
                other[field] = value;
            }
            assert_eq!(company.put(&path, other).await.ok(), *address);
        }
        assert_eq!((company.count_events().await, company.audit().await.len()), known);
    });
}

#[test]
fn every_fault_of_an_address_is_named() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let path = format!("/v1/employees/{employee}/home_addresses");
        assert_eq!(
            company.post(&path, json!({})).await.refused(422).keys(),
            ["street_1", "city", "state", "zip"]
        );
        let wrong = json!({ "street_1": "a\nb", "street_2": "x".repeat(101), "city": "", "state": "XX", "zip": "123",
                            "effective_date": "2026-02-30", "courtesy_withholding": "yes" });
        let refused = company.post(&path, wrong).await.refused(422);
        assert_eq!(
            refused.keys(),
            ["street_1", "street_2", "city", "state", "zip", "effective_date", "courtesy_withholding"]
        );
        for day in ["1899-12-31", "2200-01-01", "2026-6-1", "tomorrow"] {
            let refused = company.post(&path, home_from(day)).await.refused(422);
            assert_eq!(refused.fault(), ("effective_date", "invalid_attribute_value"), "{day}");
        }
    });
}

#[test]
fn an_address_shows_its_places_and_takes_a_list_that_counts_instead() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let location = id_of(&company.location("OH").await);
        let address = work(&company, &employee, &location, "2026-01-01").await;
        let path = format!("/v1/work_addresses/{address}");
        let shown = company.get(&path).await.ok();
        let columbus = json!({ "code": "OH-18000", "name": "Columbus", "kind": "city", "told_by": "city", "certain": false,
            "taxed": true, "reason": "9.8 % to 96.6 % of the land of ZIP code 43215 lies in it" });
        assert_eq!(shown["jurisdictions"], json!([columbus]));

        for (wrong, why) in [
            (json!(["OH-18000", "OH-18000"]), "(item 2) must not repeat a locality"),
            (
                json!(["KY-LOUISVILLE_METRO"]),
                "(item 1) must be the key of a taxing place of OH, for this address such as OH-18000",
            ),
            (json!("OH-18000"), "must be a list of texts with at most 20 items"),
            (json!(vec!["OH-18000"; 21]), "must be a list of texts with at most 20 items"),
        ] {
            let body = json!({ "version": shown["version"], "jurisdiction_codes": wrong });
            let refused = company.put(&path, body).await.refused(422);
            assert_eq!(refused.fault().0, "jurisdiction_codes");
            assert!(refused.message().contains(why), "{refused:?} {why}");
        }
        assert_eq!(company.get(&path).await.ok(), shown, "what was refused changed nothing");

        let body = json!({ "version": shown["version"], "jurisdiction_codes": ["OH-JEDD-9156"] });
        let set = company.put(&path, body).await.ok();
        let zone = &set["jurisdictions"][0];
        assert_eq!(
            (&zone["code"], &zone["kind"], &zone["told_by"]),
            (&json!("OH-JEDD-9156"), &json!("special_district"), &json!("correction"))
        );
        let kept = company
            .put(&path, json!({ "version": set["version"], "effective_date": "2026-02-01" }))
            .await
            .ok();
        assert_eq!(kept["jurisdictions"], set["jurisdictions"], "what is not sent stays");
        let back =
            company.put(&path, json!({ "version": kept["version"], "jurisdiction_codes": null })).await.ok();
        assert_eq!(back["jurisdictions"], json!([columbus]));
    });
}

#[test]
fn addresses_in_maryland_show_their_county_which_can_be_corrected() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let home =
            json!({ "street_1": "1 Main Street", "city": "Silver Spring", "state": "MD", "zip": "20910" });
        let made = company.post(format!("/v1/employees/{employee}/home_addresses"), home).await.created();
        let montgomery = json!({ "code": "MD-16", "name": "Montgomery", "kind": "county", "told_by": "zip", "certain": true,
            "taxed": true, "reason": "100 % of the homes of ZIP code 20910 lie in Montgomery County" });
        assert_eq!(made["jurisdictions"], json!([montgomery]));
        let path = format!("/v1/home_addresses/{}", id_of(&made));
        for wrong in ["MD-UNKNOWN", "MD-25", "OH-18000"] {
            let body = json!({ "version": made["version"], "jurisdiction_codes": [wrong] });
            let refused = company.put(&path, body).await.refused(422);
            assert_eq!(refused.fault().0, "jurisdiction_codes", "{wrong}");
            assert!(refused.message().contains("must be one of MD-01, MD-02"), "{refused:?}");
        }
        let body = json!({ "version": made["version"], "jurisdiction_codes": ["MD-17"] });
        let set = company.put(&path, body).await.ok();
        assert_eq!(set["jurisdictions"][0]["name"], "Prince George's");
        assert_eq!(set["jurisdictions"][0]["told_by"], "correction");

        let location = json!({ "street_1": "2 Main Street", "city": "Baltimore", "state": "MD", "zip": "21202",
                               "phone_number": "4105550100" });
        let location = id_of(&company.post("/v1/companies/{company}/locations", location).await.created());
        let address = work(&company, &employee, &location, "2026-01-01").await;
        let shown = company.get(format!("/v1/work_addresses/{address}")).await.ok();
        assert_eq!(shown["jurisdictions"][0]["code"], "MD-04");
        // The county's tax is within the state's: no tax of its own touches the employee.
        let taxes = company.get(format!("/v1/employees/{employee}/taxes")).await.ok();
        let codes: Vec<String> = taxes.as_array().unwrap().iter().map(|tax| text(tax, "code")).collect();
        assert!(codes.contains(&"MD_INCOME".to_owned()), "{codes:?}");
        let of_counties = |code: &&String| code.starts_with("MD_0") || code.starts_with("MD_1");
        assert_eq!(codes.iter().find(of_counties), None);
    });
}

#[test]
fn places_of_a_home_go_by_the_certificate_and_a_list_set_by_hand_is_given_up_with_a_move() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let new = json!({ "street_1": "1 Court Square", "city": "Brooklyn", "state": "NY", "zip": "11201", "jurisdiction_codes": [] });
        let made = company.post(format!("/v1/employees/{employee}/home_addresses"), new).await.created();
        assert_eq!(made["jurisdictions"], json!([]), "an empty list says that there are none");
        let path = format!("/v1/home_addresses/{}", id_of(&made));
        let moved = json!({ "version": made["version"], "city": "Columbus", "state": "OH", "zip": "43215" });
        let moved = company.put(&path, moved).await.ok();
        let codes = |address: &Value| -> Vec<String> {
            address["jurisdictions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|at| format!("{} {}", text(at, "code"), text(at, "told_by")))
                .collect()
        };
        // No district of this ZIP code has a tax.
        assert_eq!(codes(&moved), ["OH-18000 city", "OH-SD-NONE zip"]);
        let district = json!({ "states": [{ "state": "OH", "questions": [
            { "key": "school_district", "answers": [{ "value": "2501", "valid_from": "2010-01-01" }] }] }] });
        company.put(format!("/v1/employees/{employee}/state_taxes"), district).await.is(200);
        let shown = company.get(&path).await.ok();
        assert_eq!(codes(&shown), ["OH-18000 city", "OH-SD-2501 certificate"]);
        let listed = company.get(format!("/v1/employees/{employee}?include=all_home_addresses")).await.ok();
        assert_eq!(listed["all_home_addresses"][0]["jurisdictions"], shown["jurisdictions"]);
    });
}

/// The places of an address, `?` where they are not certain.
fn marked(address: &Value) -> Vec<String> {
    let places = address["jurisdictions"].as_array().unwrap().iter();
    places.map(|at| format!("{}{}", text(at, "code"), if at["certain"] == true { "" } else { "?" })).collect()
}

#[test]
fn what_the_tables_cannot_tell_of_a_home_is_asked_once_and_answered_with_the_address() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let airy = json!({ "street_1": "1 Main St", "city": "Mount Airy", "state": "MD", "zip": "21771" });
        let path = format!("/v1/employees/{employee}/home_addresses");
        let made = company.post(&path, airy).await.created();
        assert_eq!(marked(&made), ["MD-07?"]);
        let question = &made["place_questions"][0];
        assert_eq!((&question["key"], &question["answer"]), (&json!("county"), &Value::Null));
        assert_eq!(
            question["choices"][1],
            json!({ "code": "24021", "name": "Frederick County", "percent_of_zip": "42.57" })
        );

        let path = format!("/v1/home_addresses/{}", id_of(&made));
        let body = json!({ "version": made["version"], "place_answers": { "county": "39049" } });
        let refused = company.put(&path, body).await.refused(422);
        assert_eq!(refused.fault().0, "place_answers");
        assert!(
            refused.message().contains("place_answers.county must be the FIPS code of a county of MD"),
            "{refused:?}"
        );
        let body = json!({ "version": made["version"], "place_answers": { "county": "24013" } });
        let answered = company.put(&path, body).await.ok();
        assert_eq!(marked(&answered), ["MD-07"]);
        assert_eq!(answered["jurisdictions"][0]["told_by"], "answer");
        assert_eq!(answered["place_questions"][0]["answer"], "24013");

        // The rate of the county answers the state's question.
        let taxes = company.get(format!("/v1/employees/{employee}/state_taxes")).await.list();
        let maryland = taxes.iter().find(|state| state["state"] == "MD").unwrap();
        let rate =
            maryland["questions"].as_array().unwrap().iter().find(|one| one["key"] == "local_rate").unwrap();
        assert_eq!(rate["answers"][0]["value"], json!(3.03));

        // Another ZIP code opens the question again.
        let moved = company.put(&path, json!({ "version": answered["version"], "zip": "21225" })).await.ok();
        assert_eq!(marked(&moved), ["MD-04?"]);
        assert_eq!(moved["place_questions"][0]["answer"], Value::Null);
    });
}

#[test]
fn an_answer_to_a_state_counts_for_the_address_it_was_given_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let home = json!({ "street_1": "1 Main St", "city": "Alexandria", "state": "OH", "zip": "43001" });
        let made = company.post(format!("/v1/employees/{employee}/home_addresses"), home).await.created();
        let path = format!("/v1/employees/{employee}/state_taxes");
        let district = async || {
            let taxes = company.get(&path).await.list();
            let ohio = taxes.into_iter().find(|state| state["state"] == "OH").unwrap();
            let questions = ohio["questions"].as_array().unwrap().clone();
            questions.into_iter().find(|one| one["key"] == "school_district").unwrap()["answers"].clone()
        };
        assert_eq!(district().await, json!([]), "districts of this ZIP code tax differently");
        let answer = |value: &str| {
            json!({ "states": [{ "state": "OH", "questions": [
                { "key": "school_district", "answers": [{ "value": value, "valid_from": "2010-01-01" }] }] }] })
        };
        for wrong in ["9999", "Columbus", "Fairfield"] {
            company.put(&path, answer(wrong)).await.refused(422);
        }
        company.put(&path, answer("Granville EVSD")).await.ok();
        assert_eq!(district().await[0]["value"], "Granville EVSD");
        let address = format!("/v1/home_addresses/{}", id_of(&made));
        let moved = json!({ "version": made["version"], "city": "Columbus", "zip": "43215" });
        company.put(&address, moved).await.ok();
        assert_eq!(district().await[0]["value"], "none", "no district of the new ZIP code takes a tax");
    });
}
