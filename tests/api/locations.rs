//! Where the company's people work.

use serde_json::{Value, json};

use crate::money;
use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, place, text};

async fn update(company: &Company, location: &Value, body: Value) -> Value {
    let mut body = body;
    body["version"] = location["version"].clone();
    company.put(format!("/v1/locations/{}", id_of(location)), body).await.ok()
}

#[test]
fn a_location_comes_back_as_it_was_entered() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut body = place("NY");
        body["street_2"] = " Floor 3 ".into();
        body["zip"] = "11201-1234".into();
        let made = company.post("/v1/companies/{company}/locations", body).await.created();
        for (field, value) in [
            ("street_1", json!("88 Wythe Corner")),
            ("street_2", json!("Floor 3")),
            ("zip", json!("11201-1234")),
            ("country", json!("USA")),
            ("company_uuid", json!(company.id)),
            ("active", json!(true)),
            ("inactive", json!(false)),
        ] {
            assert_eq!(made[field], value, "{field}");
        }
        assert_eq!(text(&made, "version").len(), 32);
        assert_eq!(made["created_at"], made["updated_at"]);
        assert_eq!(company.read("locations", &id_of(&made)).await, made);
        let told = company.get("/v1/companies/{company}/locations").await.list();
        assert_eq!(told, [made]);
        assert_eq!(company.event_types_since(0).await, ["location.created"]);
    });
}

#[test]
fn every_field_that_is_missing_or_wrong_is_named_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let path = "/v1/companies/{company}/locations";
        let needed = ["phone_number", "street_1", "city", "state", "zip"];
        let refused = company.post(path, json!({})).await.refused(422);
        assert_eq!(refused.keys(), needed);
        assert!(refused.categories().iter().all(|category| *category == "invalid_attribute_value"));
        let wrong = json!({ "phone_number": "555-0142", "street_1": " ", "city": "a".repeat(101), "state": "Texas",
                            "zip": "7820", "country": "Mexico" });
        let refused = company.post(path, wrong).await.refused(422);
        assert_eq!(refused.keys(), [&needed[..], &["country"]].concat());
        assert_eq!(company.count_events().await, 0);
    });
}

#[test]
fn the_first_location_gets_the_mail_and_files_until_another_one_does() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let first = company.location("TX").await;
        assert_eq!((&first["mailing_address"], &first["filing_address"]), (&json!(true), &json!(true)));
        let second = company.location("NY").await;
        assert_eq!((&second["mailing_address"], &second["filing_address"]), (&json!(false), &json!(false)));

        let known = company.count_events().await;
        let second = update(&company, &second, json!({ "filing_address": true })).await;
        assert_eq!((&second["mailing_address"], &second["filing_address"]), (&json!(false), &json!(true)));
        let after = company.read("locations", &id_of(&first)).await;
        assert_eq!((&after["mailing_address"], &after["filing_address"]), (&json!(true), &json!(false)));
        assert_ne!(after["version"], first["version"], "what it lost is a change of the first one, too");
        assert_eq!(company.event_types_since(known).await, ["location.updated", "location.updated"]);

        let mut third = place("CA");
        third["mailing_address"] = true.into();
        third["filing_address"] = true.into();
        company.post("/v1/companies/{company}/locations", third).await.created();
        let all = company.get("/v1/companies/{company}/locations").await.list();
        let holders = |field: &str| {
            all.iter().filter(|l| l[field] == true).map(|l| text(l, "state")).collect::<Vec<_>>()
        };
        assert_eq!(
            (holders("mailing_address"), holders("filing_address")),
            (vec!["CA".to_owned()], vec!["CA".to_owned()])
        );
    });
}

#[test]
fn the_first_location_may_do_without_mail_and_filing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut first = place("TX");
        first["mailing_address"] = false.into();
        first["filing_address"] = false.into();
        let first = company.post("/v1/companies/{company}/locations", first).await.created();
        assert_eq!((&first["mailing_address"], &first["filing_address"]), (&json!(false), &json!(false)));
    });
}

#[test]
fn an_update_changes_what_was_sent_and_leaves_the_rest() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let before = company.location("TX").await;
        let after = update(&company, &before, json!({ "city": "Austin", "zip": "78701" })).await;
        for (field, value) in before.as_object().unwrap() {
            let stays = !["city", "zip", "version", "updated_at"].contains(&field.as_str());
            assert_eq!(after[field] == *value, stays, "{field}");
        }
        let cleared = update(&company, &after, json!({ "street_2": null })).await;
        assert_eq!(cleared["street_2"], Value::Null);
        for field in ["street_1", "city", "state", "zip", "phone_number", "mailing_address"] {
            let body = json!({ "version": cleared["version"], field: null });
            let kept = company.put(format!("/v1/locations/{}", id_of(&before)), body).await.ok();
            assert_eq!(kept, cleared, "{field} cannot be empty, and null leaves it as it is");
        }
    });
}

#[test]
fn an_update_without_a_change_keeps_the_version_and_tells_nobody() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = company.location("TX").await;
        let known = (company.count_events().await, company.audit().await.len());
        // Everything is sent back as it was read: what cannot be set is passed over.
        let same = company.put(format!("/v1/locations/{}", id_of(&location)), location.clone()).await.ok();
        assert_eq!(same, location);
        assert_eq!((company.count_events().await, company.audit().await.len()), known);
    });
}

#[test]
fn fields_that_the_service_sets_are_not_taken_from_a_client() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let foreign = json!({ "uuid": NOBODY, "company_uuid": NOBODY, "created_at": "2001-01-01T00:00:00Z",
                              "updated_at": "2001-01-01T00:00:00Z", "inactive": true, "version": "mine" });
        let mut body = place("TX");
        body.as_object_mut().unwrap().extend(foreign.as_object().unwrap().clone());
        let made = company.post("/v1/companies/{company}/locations", body).await.created();
        let mut body = foreign.clone();
        body["city"] = "Austin".into();
        let changed = update(&company, &made, body).await;
        for (field, value) in foreign.as_object().unwrap() {
            assert_ne!(&made[field], value, "{field}");
            assert_ne!(&changed[field], value, "{field}");
        }
        assert_eq!(changed["uuid"], made["uuid"]);
    });
}

#[test]
fn the_companys_day_is_that_of_the_state_from_which_it_files() {
    on_both_engines(async |engine: Engine| {
        // Noon in Greenwich is two in the morning in Honolulu; four hours earlier it was still the day before.
        let world = engine.own_world().await;
        world.wait_until("2026-06-16T08:00:00Z".parse().unwrap()).await;
        let company = world.company().await;
        company.location("NY").await;
        let lives_since = async |company: &Company, name: &str| {
            let employee = id_of(&company.employee(name).await);
            text(&company.home_address(&employee).await, "effective_date")
        };
        assert_eq!(lives_since(&company, "Ana").await, "2026-06-16");
        let mut honolulu = place("HI");
        honolulu["filing_address"] = true.into();
        company.post("/v1/companies/{company}/locations", honolulu).await.created();
        // What is known of a token is looked up again after a second.
        tokio::time::sleep(std::time::Duration::from_millis(1_020)).await;
        assert_eq!(lives_since(&company, "Ben").await, "2026-06-15");
    });
}

#[test]
fn locations_are_listed_in_pages_oldest_first() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut made = Vec::new();
        for _ in 0..7 {
            made.push(id_of(&company.location("TX").await));
        }
        let page = async |query: &str| {
            let answer = company.get(format!("/v1/companies/{{company}}/locations{query}")).await;
            let headers = ["x-page", "x-per-page", "x-total-count", "x-total-pages"]
                .map(|h| answer.header(h).to_owned());
            (answer.list().iter().map(id_of).collect::<Vec<_>>(), headers.join(" ").trim().to_owned())
        };
        assert_eq!(page("").await, (made.clone(), String::new()));
        assert_eq!(page("?page=2&per=3").await, (made[3..6].to_vec(), "2 3 7 3".to_owned()));
        assert_eq!(page("?per=5").await, (made[..5].to_vec(), "1 5 7 2".to_owned()));
        assert_eq!(page("?page=1").await, (made.clone(), "1 25 7 1".to_owned()));
        assert_eq!(page("?page=9&per=3").await, (Vec::new(), "9 3 7 3".to_owned()));
    });
}

#[test]
fn a_location_whose_work_was_paid_stays_in_its_state() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = money::employer(&world, "9012660041").await;
        money::paid(&company, &location, "Ana", "1111222233").await;
        let elsewhere =
            json!({ "street_1": "1 Castro Street", "city": "Mountain View", "state": "CA", "zip": "94041" });
        let change = async |body: Value| {
            let mut sent = body;
            sent["version"] = company.read("locations", &location).await["version"].clone();
            company.put(format!("/v1/locations/{location}"), sent).await
        };
        // A wrong state can be corrected until then.
        change(elsewhere.clone()).await.is(200);
        let home =
            json!({ "street_1": "300 3rd Street", "city": "San Antonio", "state": "TX", "zip": "78205" });
        change(home).await.is(200);
        company.calculate(&payroll).await;
        company.submit(&payroll).await;

        let known = company.audit().await.len();
        let refused = change(elsewhere).await.is(422).json();
        assert_eq!(refused["errors"][0]["error_key"], "state", "{refused}");
        let message = text(&refused["errors"][0], "message");
        assert!(message.contains("as another location"), "{message}");
        assert_eq!(company.read("locations", &location).await["state"], "TX");
        assert_eq!(company.audit().await.len(), known, "nothing changed");
        // Within the state it can move, and where nobody was paid anywhere.
        change(json!({ "street_1": "500 Congress Avenue", "city": "Austin", "zip": "78701" })).await.is(200);
        let other = company.location("AZ").await;
        let body = json!({ "version": other["version"], "city": "Reno", "state": "NV", "zip": "89501" });
        company.put(format!("/v1/locations/{}", id_of(&other)), body).await.is(200);
        // The page says what can be done.
        let body =
            json!({ "flow_type": "add_addresses", "entity_type": "Company", "entity_uuid": company.id });
        let made = company.post("/v1/companies/{company}/flows", body).await.created();
        let browser =
            Browser::follow(&company, text(&made, "url").strip_prefix("https://pages.example").unwrap())
                .await;
        let asked = format!("edit:{location}");
        let form = browser.fill_in("addresses", &[("action", &asked)]).await.is(200).text();
        let version = value_of(&form, "version");
        let moved = [
            ("form_token", &*value_of(&form, "form_token")),
            ("action", "save"),
            ("record", &location),
            ("version", &version),
            ("street_1", "1 Castro Street"),
            ("street_2", ""),
            ("city", "Mountain View"),
            ("state", "CA"),
            ("zip", "94041"),
            ("phone_number", "(210) 555-0100"),
        ];
        let told = browser.form("addresses", &moved).send().await.is(422).text();
        assert!(told.contains("id=\"state-problem\"") && told.contains("another work location"), "{told}");
    });
}

#[test]
fn a_location_outside_its_postal_city_is_not_taxed_by_it_and_its_city_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut body = place("OH");
        (body["city"], body["zip"]) = ("Dayton".into(), "45458".into());
        let made = company.post("/v1/companies/{company}/locations", body).await.created();
        assert_eq!(made["jurisdictions"], json!([]));
        assert_eq!(made["place_questions"][0]["key"], "city");
        let listed = company.get("/v1/places?zip=45458&city=Dayton&work=true").await.ok();
        assert_eq!(listed["state"], "OH");
        let others = listed["questions"][0]["other_choices"].as_array().unwrap();
        let centerville = others.iter().find(|choice| choice["name"] == "Centerville").unwrap();
        assert!(others.iter().all(|choice| choice["name"] != "Dayton"), "{others:?}");

        let steps = async || {
            let status = company.get("/v1/companies/{company}/onboarding_status").await.ok();
            status["onboarding_steps"][0]["completed"].clone()
        };
        assert_eq!(steps().await, false, "payroll cannot be set up before the city is known");
        let path = format!("/v1/locations/{}", id_of(&made));
        let answer = json!({ "version": made["version"], "place_answers": { "city": "MI-DETROIT" } });
        assert!(company.put(&path, answer).await.refused(422).message().contains("taxing city of OH"));
        let answer = json!({ "version": made["version"], "place_answers": { "city": centerville["code"] } });
        let answered = company.put(&path, answer).await.ok();
        assert_eq!(answered["jurisdictions"][0]["code"], centerville["code"]);
        assert_eq!(answered["jurisdictions"][0]["certain"], true);
        assert_eq!(steps().await, true);
        let refused = company.get("/v1/places?zip=4545").await.refused(422);
        assert_eq!(refused.fault().0, "zip");
    });
}
