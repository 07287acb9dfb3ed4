//! The demo world and its clock, as `stipend dev` has them.

use std::cell::RefCell;

use jiff::ToSpan;
use serde_json::{Value, json};
use stipend::devworld;

use crate::oauth;
use crate::support::{Company, Engine, Setup, World, id_of, on_both_engines, text};

/// A world with a test clock, where all follows from a seed.
async fn seeded(engine: Engine, seed: u64) -> World {
    let dev = |setup: &mut Setup| {
        setup.settings.dev = true;
        setup.seed = Some(seed);
        setup.time_passes = false;
    };
    engine.own_world_with(dev).await
}

/// A demo world made from a seed, and its embedded company.
async fn demo(engine: Engine, seed: u64) -> (interface::demo::World, Company) {
    let world = seeded(engine, seed).await;
    let present = world.app.store.clock().now();
    let report = devworld::build_world(&world.app.store, Some(seed), present).await.unwrap();
    let embedded = &report.companies[0];
    let company = Company {
        id: embedded.uuid,
        token: embedded.access_token.clone().unwrap(),
        application: report.application.client_id.parse().unwrap(),
        system_token: report.system_access_token.clone(),
        world,
    };
    (report, company)
}

/// Everything that can be listed of the company.
async fn lists(company: &Company) -> Vec<String> {
    let mut told = vec![company.get("/v1/companies/{company}").await.is(200).text()];
    told.push(company.get("/v1/companies/{company}/locations").await.is(200).text());
    let include = "include=all_compensations,all_home_addresses,company_name,current_home_address";
    let people = company.get(format!("/v1/companies/{{company}}/employees?{include}")).await;
    told.push(people.text());
    for person in people.list() {
        for kind in ["onboarding_status", "work_addresses", "jobs?include=all_compensations"] {
            told.push(company.get(format!("/v1/employees/{}/{kind}", id_of(&person))).await.is(200).text());
        }
    }
    told
}

async fn advance(world: &World, body: Value) -> crate::support::Answer {
    world.call("POST", "/v1/test_helpers/clock/advance").json(&body).send().await
}

#[test]
fn one_seed_makes_one_world_on_either_engine_and_another_seed_another() {
    let first = RefCell::new(None);
    on_both_engines(async |engine: Engine| {
        for _ in 0..2 {
            let (report, company) = demo(engine, 7).await;
            let told = (serde_json::to_string(&report).unwrap(), lists(&company).await);
            let mut first = first.borrow_mut();
            assert_eq!(&told, first.get_or_insert_with(|| told.clone()));
        }
        let (other, _) = demo(engine, 8).await;
        let first = &first.borrow().as_ref().unwrap().0.clone();
        let (company, user) = (&other.companies[0], &other.users[0]);
        let secrets = [&other.application.client_secret, &other.application.api_token, &user.password];
        assert!(secrets.into_iter().all(|secret| !first.contains(secret.as_str())));
        assert!(!first.contains(&company.uuid.to_string()));
        assert!(!first.contains(company.access_token.as_ref().unwrap()));
    });
}

#[test]
fn a_company_lives_through_the_time_up_to_the_present_on_either_engine() {
    let first = RefCell::new(None);
    on_both_engines(async |engine: Engine| {
        let world = seeded(engine, 7).await;
        let present = world.now() + 1_600.hours();
        let report = devworld::build_world(&world.app.store, Some(7), present).await.unwrap();
        assert_eq!(world.now(), present);
        let past = &report.companies[2];
        let company = Company {
            id: past.uuid,
            token: past.access_token.clone().unwrap(),
            application: report.application.client_id.parse().unwrap(),
            system_token: report.system_access_token.clone(),
            world,
        };
        let payrolls = company.get("/v1/companies/{company}/payrolls?include=totals").await.list();
        assert!(payrolls.len() >= 3 && payrolls.iter().all(|one| one["processed"] == true), "{payrolls:?}");
        let told = (serde_json::to_string(&report).unwrap(), payrolls);
        let mut first = first.borrow_mut();
        assert_eq!(&told, first.get_or_insert_with(|| told.clone()), "both engines tell the same");
    });
}

#[test]
fn the_demo_company_offers_a_401k_and_a_medical_plan_that_employees_have() {
    on_both_engines(async |engine: Engine| {
        let (report, company) = demo(engine, 7).await;
        let offered: Vec<_> =
            report.companies[0].company_benefits.iter().map(|benefit| &*benefit.description).collect();
        assert_eq!(offered, ["401(k)", "Medical Insurance"]);
        for (benefit, members) in report.companies[0].company_benefits.iter().zip([2, 3]) {
            let path = format!("/v1/company_benefits/{}/employee_benefits", benefit.uuid);
            assert_eq!(company.get(path).await.list().len(), members);
        }
    });
}

#[test]
fn the_demo_world_has_people_of_every_kind_of_pay_in_four_states() {
    on_both_engines(async |engine: Engine| {
        let (report, company) = demo(engine, 7).await;
        let people = company.get("/v1/companies/{company}/employees").await.list();
        assert!(people.iter().filter(|person| person["onboarded"] == true).count() >= 6);
        let flsa: Vec<_> = people.iter().map(|person| text(person, "flsa_status")).collect();
        for status in ["Exempt", "Salaried Nonexempt", "Nonexempt", "Owner"] {
            assert!(flsa.iter().any(|held| held == status), "{status}");
        }
        assert!(people.iter().any(|person| person["two_percent_shareholder"] == true));
        assert!(people.iter().any(|person| person["jobs"].as_array().unwrap().len() == 2));
        assert!(people.iter().any(|person| person["jobs"][0]["rate"] == "2.13"), "somebody lives on tips");
        let states: Vec<_> =
            report.companies[0].locations.iter().map(|location| location.state.as_str()).collect();
        assert_eq!(states, ["TX", "NY", "CA", "CO"]);
        // What the report names is there.
        for told in &report.companies[0].employees {
            let person = company.read("employees", &told.uuid.to_string()).await;
            assert_eq!(person["onboarding_status"], told.onboarding_status.as_str());
            assert_eq!(company.read("jobs", &told.job_uuid.to_string()).await["primary"], true);
            let pay = company.read("compensations", &told.compensation_uuid.to_string()).await;
            assert_eq!(pay["job_uuid"], json!(told.job_uuid));
        }
        let embedded = &report.companies[0];
        let payroll = format!("/v1/companies/{{company}}/payrolls/{}", embedded.payroll_uuid.unwrap());
        let payroll = company.get(payroll).await.ok();
        assert_eq!(payroll["pay_period"]["pay_schedule_uuid"], json!(embedded.pay_schedule_uuid));
        assert_eq!((&payroll["processed"], &payroll["check_date"]), (&json!(false), &json!("2026-06-26")));
        assert_eq!(payroll["employee_compensations"].as_array().unwrap().len(), 7);
        let employment: Vec<_> = people
            .iter()
            .map(|person| (text(person, "first_name"), person["terminated"] == true))
            .skip(people.len() - 2)
            .collect();
        assert_eq!(employment, [("Owen".to_owned(), true), ("Priya".to_owned(), false)]);
        let back = company
            .get(format!("/v1/employees/{}/employment_history", id_of(&people[people.len() - 1])))
            .await;
        assert_eq!(back.list().len(), 2, "one who came back");
        assert_eq!(people[0]["eligible_paid_time_off"][0]["accrual_balance"], "37.500");
        assert!(company.get("/v1/companies/{company}/payrolls/blockers").await.list().is_empty());
        let standalone = &report.companies[1];
        assert_eq!((standalone.kind.as_str(), &standalone.access_token), ("standalone", &None));
        company.get(format!("/v1/companies/{}", standalone.uuid)).await.refused(404);
        // Nothing is left to be settled before the first payroll.
        let told = company.get("/v1/companies/{company}/onboarding_status").await.ok();
        assert_eq!(told["onboarding_completed"], true);
        for step in told["onboarding_steps"].as_array().unwrap() {
            assert_eq!(step["completed"], true, "{step}");
        }
        let record = company.get("/v1/companies/{company}").await.ok();
        assert_eq!(record["company_status"], "Approved");
        assert_eq!(
            (&record["pay_schedule_type"], &record["funding_type"]),
            (&json!("single"), &json!("ach"))
        );
        assert!(report.users.iter().any(|user| user.companies.len() == 2));
    });
}

#[test]
fn the_demo_world_has_something_to_show_on_every_screen() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = demo(engine, 7).await;
        let list = async |what: &str| company.get(format!("/v1/companies/{{company}}/{what}")).await.list();
        let people = list("employees").await;
        let onboarded: Vec<_> = people.iter().filter(|one| one["onboarded"] == true).collect();
        let mut into_accounts = 0;
        for one in &onboarded {
            let of_one = format!("/v1/employees/{}", id_of(one));
            let method = company.get(format!("{of_one}/payment_method")).await.ok();
            into_accounts += usize::from(method["type"] == "Direct Deposit");
            let forms = company.get(format!("{of_one}/forms")).await.list();
            assert!(!forms.is_empty(), "{} has no forms", one["first_name"]);
        }
        assert!(into_accounts * 2 > onboarded.len() && into_accounts < onboarded.len(), "{into_accounts}");
        assert!(people.iter().any(|one| one["terminated"] == true), "somebody left");
        assert_eq!(list("time_off_policies").await[0]["policy_type"], "vacation");
        let holidays = company.get("/v1/companies/{company}/holiday_pay_policy").await.ok();
        assert_eq!(holidays["federal_holidays"]["christmas_day"]["selected"], true);
        let contractors = list("contractors").await;
        let told: Vec<_> =
            contractors.iter().map(|one| (text(one, "type"), text(one, "onboarding_status"))).collect();
        let told: Vec<_> = told.iter().map(|(kind, status)| (kind.as_str(), status.as_str())).collect();
        assert_eq!(told, [("Business", "onboarding_completed"), ("Individual", "self_onboarding_invited")]);
        let paid = company.get(format!("/v1/contractors/{}/payments", id_of(&contractors[0]))).await;
        assert_eq!(paid.list().len(), 1);
    });
}

#[test]
fn the_open_payrolls_of_the_demo_world_pay_everybody_also_in_a_company_in_california_alone() {
    on_both_engines(async |engine: Engine| {
        let (report, mut company) = demo(engine, 7).await;
        let californian = report.companies.last().unwrap();
        assert_eq!(californian.kind, "embedded");
        assert!(californian.locations.iter().all(|location| location.state == "CA"));
        assert!(report.users.iter().any(|user| user.companies == [californian.uuid]));
        for (of, people) in [(&report.companies[0], 7), (californian, 3)] {
            (company.id, company.token) = (of.uuid, of.access_token.clone().unwrap());
            assert!(company.get("/v1/companies/{company}/payrolls/blockers").await.list().is_empty());
            let payroll = of.payroll_uuid.unwrap().to_string();
            let payroll = company.calculate(&payroll).await;
            let paid = payroll["employee_compensations"].as_array().unwrap();
            assert_eq!(paid.len(), people);
            for one in paid {
                let net: f64 = one["net_pay"].to_string().trim_matches('"').parse().unwrap();
                assert!(net > 500.0, "{one}");
            }
        }
    });
}

#[test]
fn what_is_entered_while_the_clock_stands_is_listed_in_the_order_in_which_it_was_entered() {
    on_both_engines(async |engine: Engine| {
        let company = seeded(engine, 7).await.company().await;
        let mut entered = Vec::new();
        for _ in 0..12 {
            entered.push(id_of(&company.employee("Ana").await));
        }
        let listed = company.get("/v1/companies/{company}/employees").await.list();
        assert_eq!(listed.iter().map(id_of).collect::<Vec<_>>(), entered);
    });
}

/// Invites some people, and makes links that end.
async fn prepare(company: &Company) {
    let ava = company.hire("Ava", "2026-06-29").await;
    for (name, day) in [("Ben", "2026-06-20"), ("Cem", "2026-06-20"), ("Dee", "2026-06-15")] {
        let hired = company.hire(name, day).await;
        company.ask_for(&hired.id, "self_onboarding_invited").await.ok();
        company.link(&hired.id).await;
        company.world.call("GET", company.link(&ava.id).await).send().await.is(303);
    }
}

#[test]
fn moving_the_clock_in_steps_does_what_moving_it_at_once_does() {
    on_both_engines(async |engine: Engine| {
        let mut told = Vec::new();
        for steps in [vec![30 * 86_400], vec![1_800, 3_599, 1, 86_400, 30 * 86_400 - 91_800]] {
            let company = seeded(engine, 7).await.company().await;
            prepare(&company).await;
            let mut fired = Vec::new();
            let mut now = Value::Null;
            for seconds in steps {
                let answer = advance(&company.world, json!({ "seconds": seconds })).await.ok();
                fired.extend(answer["fired"].as_array().unwrap().clone());
                now = answer["now"].clone();
            }
            let events: Vec<_> =
                company.events().await.into_iter().map(|e| (e.event_type, e.entity)).collect();
            told.push((fired, now, lists(&company).await, events));
        }
        assert_eq!(told[0], told[1]);
        let (fired, now, ..) = &told[0];
        assert_eq!(now, "2026-07-15T12:00:00Z");
        assert_eq!(fired.len(), 9, "three are overdue and six links have ended: {fired:?}");
        let mut in_order = fired.clone();
        in_order.sort_by_key(|fired| text(fired, "at"));
        assert_eq!(&in_order, fired);
    });
}

#[test]
fn what_fell_due_is_summed_by_kind_and_listed_whole_on_request() {
    on_both_engines(async |engine: Engine| {
        let sum = |answer: &Value| -> u64 {
            answer["kinds"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
        };
        let (_, company) = demo(engine, 7).await;
        let listed = |answer: &Value| answer["fired"].as_array().unwrap().len() as u64;
        let whole = advance(&company.world, json!({ "seconds": 390 * 86_400, "details": true })).await.ok();
        assert!(sum(&whole) > 50, "{}", whole["kinds"]);
        assert_eq!(listed(&whole), sum(&whole));
        let (_, company) = demo(engine, 7).await;
        let short = advance(&company.world, json!({ "seconds": 390 * 86_400 })).await.ok();
        assert_eq!((sum(&short), listed(&short)), (sum(&whole), 50));
        let wrong = advance(&company.world, json!({ "seconds": 1, "details": "yes" })).await;
        assert_eq!(wrong.refused(422).keys(), ["details"]);
    });
}

#[test]
fn the_clock_moves_forward_only_and_not_too_far_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = seeded(engine, 7).await.company().await;
        let world = &company.world;
        let clock = async || world.call("GET", "/v1/test_helpers/clock").send().await.ok();
        assert_eq!(clock().await, json!({ "now": "2026-06-15T12:00:00Z", "stands": true }));
        for (body, key) in [
            (json!({ "seconds": -1 }), "seconds"),
            (json!({ "seconds": 400 * 86_400 + 1 }), "seconds"),
            (json!({ "seconds": i64::MAX }), "seconds"),
            (json!({ "seconds": "60" }), "seconds"),
            (json!({ "seconds": 1.5 }), "seconds"),
            (json!({ "to": "2026-06-15T11:59:59Z" }), "to"),
            (json!({ "to": "2028-06-15T12:00:00Z" }), "to"),
            (json!({ "to": "tomorrow" }), "to"),
            (json!({ "to": "2026-06-16T12:00:00Z", "seconds": 1 }), "request"),
            (json!({}), "request"),
        ] {
            assert_eq!(advance(world, body.clone()).await.refused(422).keys(), [key], "{body}");
        }
        let call = || world.call("POST", "/v1/test_helpers/clock/advance");
        for form in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            call().header("content-type", form).body("{\"seconds\":60}").send().await.refused(415);
        }
        call().body("{\"seconds\":60}").send().await.refused(415);
        call().raw("{").send().await.refused(400);
        assert_eq!(clock().await, json!({ "now": "2026-06-15T12:00:00Z", "stands": true }));
        let far = advance(world, json!({ "to": "2027-07-20T12:00:00Z" })).await.ok();
        assert_eq!((&far["now"], &far["fired"]), (&json!("2027-07-20T12:00:00Z"), &json!([])));
        assert_eq!(advance(world, json!({ "seconds": 0 })).await.ok()["fired"], json!([]));
        // Nobody is locked out by the time that has passed.
        company.get("/v1/companies/{company}").await.is(200);
    });
}

#[test]
fn the_tokens_of_the_demo_world_are_renewed_like_any_and_its_people_can_sign_in() {
    on_both_engines(async |engine: Engine| {
        let (report, company) = demo(engine, 7).await;
        let refresh = report.companies[0].refresh_token.clone().unwrap();
        let body = json!({ "grant_type": "refresh_token", "client_id": report.application.client_id,
                           "client_secret": report.application.client_secret, "refresh_token": refresh });
        let given = company.world.call("POST", "/oauth/token").json(&body).send().await.ok();
        let info = company.world.call("GET", "/v1/token_info").bearer(&text(&given, "access_token"));
        assert_eq!(info.send().await.ok()["resource"]["uuid"], json!(company.id));
        // What the world was built with goes on without end.
        company.get("/v1/companies/{company}").await.is(200);
        for user in &report.users {
            let email = user.email.clone();
            let held = company
                .world
                .app
                .store
                .read(move |tx| domain::access::users::rows::find_by_email(tx, &email))
                .await;
            let hash = held.unwrap().unwrap().password_hash;
            assert!(
                domain::access::users::password::password_matches(&user.password, hash.as_deref()),
                "{}",
                user.email
            );
        }
    });
}

#[test]
fn the_company_that_is_not_connected_yet_is_connected_and_moves() {
    on_both_engines(async |engine: Engine| {
        let (report, company) = demo(engine, 7).await;
        let (world, standalone) = (&company.world, &report.companies[1]);
        let application = &report.application;
        let one_company = report.users.iter().find(|user| user.companies == [standalone.uuid]).unwrap();
        let address = oauth::request(
            world,
            &[("client_id", &application.client_id), ("redirect_uri", &application.redirect_uri)],
        );
        let administrator = oauth::User {
            id: uuid::Uuid::nil(),
            email: one_company.email.clone(),
            password: one_company.password.clone(),
        };
        let mut browser = oauth::Browser::new(world);
        let page = browser.sign_in(&address, &administrator).await.is(200);
        let id = standalone.uuid.to_string();
        let left = browser.press(&page, "allow", &[("company", &id)]).await.is(200);
        let body = json!({ "grant_type": "authorization_code", "client_id": application.client_id,
                           "client_secret": application.client_secret, "redirect_uri": application.redirect_uri,
                           "code": oauth::sent(&left, "code").unwrap() });
        let given = world.call("POST", "/oauth/token").json(&body).send().await.ok();
        let mut connected = company.clone();
        (connected.id, connected.token) = (standalone.uuid, text(&given, "access_token"));
        let info = connected.get("/v1/token_info").await.ok();
        assert_eq!(info["resource"], json!({ "type": "Company", "uuid": standalone.uuid }));

        let managed = "/v1/partner_managed_companies/{company}";
        let readiness = async || {
            let told = connected.get(format!("{managed}/migration_readiness")).await.ok();
            let keys = told["errors"].as_array().unwrap().iter().map(|e| text(&e["metadata"], "key"));
            (keys.collect::<Vec<_>>(), told["warnings"].clone())
        };
        assert_eq!(readiness().await, (vec!["terms_of_service".to_owned()], json!([])));
        let by = json!({ "email": one_company.email, "ip_address": "203.0.113.7", "external_user_id": "7" });
        connected.post(format!("{managed}/accept_terms_of_service"), by).await.is(200);
        assert_eq!(readiness().await, (vec![], json!([])));
        let signatory = connected.get("/v1/companies/{company}/signatories").await.list();
        assert_eq!(text(&signatory[0], "email"), standalone.signatory_email);
        let by = json!({ "email": standalone.signatory_email, "ip_address": "203.0.113.7", "external_user_id": "7" });
        let moved = connected.put(format!("{managed}/migrate"), by).await.ok();
        let answer = json!({ "company_uuid": standalone.uuid, "migration_status": true, "errors": [], "warnings": [] });
        assert_eq!(moved, answer);
        assert_eq!(readiness().await.0, ["migrated_company"]);
        // The partner finds a company that works.
        let told = connected.get("/v1/companies/{company}/onboarding_status").await.ok();
        assert_eq!(told["onboarding_completed"], true);
        assert_eq!(connected.get("/v1/companies/{company}/employees").await.list().len(), 1);
        assert!(connected.get("/v1/companies/{company}/payrolls/blockers").await.list().is_empty());
    });
}
