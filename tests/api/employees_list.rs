//! Lists of employees: whom they hold, in which order, and how much of each.

use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, NOBODY, id_of, on_both_engines, text};

const PATH: &str = "/v1/companies/{company}/employees";

async fn list(company: &Company, query: &str) -> Answer {
    company.get(format!("{PATH}?{query}")).await
}

/// First names in the order of the list.
async fn names(company: &Company, query: &str) -> Vec<String> {
    list(company, query).await.list().iter().map(|employee| text(employee, "first_name")).collect()
}

async fn employ(company: &Company, names: &[(&str, &str)]) -> Vec<String> {
    let mut ids = Vec::new();
    for (first_name, last_name) in names {
        let body = json!({ "first_name": first_name, "last_name": last_name });
        ids.push(id_of(&company.post(PATH, body).await.created()));
    }
    ids
}

#[test]
fn employees_are_listed_in_the_order_of_creation_unless_another_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        employ(&company, &[("Carla", "Diaz"), ("ana", "Lee"), ("Bo", "Lee"), ("Ana", "Ito")]).await;
        company.self_onboarding_employee("Zoe").await;
        assert_eq!(names(&company, "").await, ["Carla", "ana", "Bo", "Ana", "Zoe"]);
        assert_eq!(names(&company, "sort_by=created_at").await, ["Carla", "ana", "Bo", "Ana", "Zoe"]);
        assert_eq!(names(&company, "sort_by=created_at:desc").await, ["Zoe", "Ana", "Bo", "ana", "Carla"]);
        assert_eq!(names(&company, "sort_by=name").await, ["Ana", "ana", "Bo", "Carla", "Zoe"]);
        assert_eq!(names(&company, "sort_by=name:asc").await, ["Ana", "ana", "Bo", "Carla", "Zoe"]);
        assert_eq!(names(&company, "sort_by=name:desc").await, ["Zoe", "Carla", "Bo", "ana", "Ana"]);
        assert_eq!(names(&company, "sort_by=onboarding_status").await, ["Carla", "ana", "Bo", "Ana", "Zoe"]);
        assert_eq!(
            names(&company, "sort_by=onboarding_status:desc").await,
            ["Zoe", "Carla", "ana", "Bo", "Ana"]
        );
        // Several, the weightiest first; nothing comes after the day of creation, which is each one's own.
        assert_eq!(
            names(&company, "sort_by=onboarding_status:desc,name:desc").await,
            ["Zoe", "Carla", "Bo", "ana", "Ana"]
        );
        assert_eq!(
            names(&company, "sort_by=created_at:desc,name").await,
            ["Zoe", "Ana", "Bo", "ana", "Carla"]
        );
        let wrong = list(&company, "sort_by=name,age:desc").await.refused(422);
        assert!(wrong.message().contains("created_at, name, onboarding_status"), "{}", wrong.message());
    });
}

#[test]
fn a_search_finds_parts_of_names_letter_by_letter() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        employ(&company, &[("Maria", "Alvarez"), ("Mario", "Okafor"), ("Zoë", "Müller"), ("Ann", "O'Neil")])
            .await;
        for (term, found) in [
            ("mari", vec!["Maria", "Mario"]),
            ("ALVAREZ", vec!["Maria"]),
            ("ria+al", vec!["Maria"]),
            ("M%C3%BCLL", vec!["Zoë"]),
            ("o%27neil", vec!["Ann"]),
            ("%25", vec![]),
            ("_", vec![]),
            ("!", vec![]),
            ("nobody", vec![]),
            ("", vec!["Maria", "Mario", "Zoë", "Ann"]),
        ] {
            assert_eq!(names(&company, &format!("search_term={term}")).await, found, "{term}");
        }
        let page = list(&company, "search_term=mari&per=1&page=2").await;
        assert_eq!((page.header("x-total-count"), page.header("x-total-pages")), ("2", "2"));
        assert_eq!(text(&page.list()[0], "first_name"), "Mario");
    });
}

#[test]
fn whoever_is_onboarded_and_begins_later_is_listed_with_those_who_work() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let later = company.hire("Eva", "2026-12-01").await;
        company.mark(&later.id, &crate::onboarding::STEPS[..9]).await.ok();
        company.ask_for(&later.id, "onboarding_completed").await.ok();
        assert_eq!(names(&company, "onboarded_active=true").await, ["Eva"], "or no list would have them");
        assert_eq!(names(&company, "onboarded=false").await, [""; 0]);
        assert_eq!(names(&company, "terminated=true").await, [""; 0]);
    });
}

#[test]
fn a_list_can_be_narrowed_to_those_who_have_finished_onboarding() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let done = company.hire("Ana", "2026-03-01").await;
        company.mark(&done.id, &crate::onboarding::STEPS[..9]).await.ok();
        company.ask_for(&done.id, "onboarding_completed").await.ok();
        company.employee("Ben").await;
        for (query, found) in [
            ("onboarded=true", vec!["Ana"]),
            ("onboarded=false", vec!["Ben"]),
            ("onboarded_active=true", vec!["Ana"]),
            ("onboarded_active=false", vec!["Ben"]),
            ("terminated=true", vec![]),
            ("terminated=false", vec!["Ana", "Ben"]),
            ("terminated_today=true", vec![]),
            ("onboarded=true&search_term=ben", vec![]),
        ] {
            assert_eq!(names(&company, query).await, found, "{query}");
        }
        let payroll = format!("payroll_uuid={NOBODY}");
        assert!(names(&company, &payroll).await.is_empty());
    });
}

#[test]
fn a_list_without_those_who_leave_has_neither_who_left_nor_who_is_going_to() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.hire("Ana", "2026-03-01").await;
        for (name, last_day) in [("Ben", "2026-05-29"), ("Cem", "2026-12-31")] {
            let hired = company.hire(name, "2026-03-01").await;
            let leaves = json!({ "effective_date": last_day });
            company.post(format!("/v1/employees/{}/terminations", hired.id), leaves).await.created();
        }
        for (query, found) in [
            ("terminated=true", vec!["Ben", "Cem"]),
            ("terminated=false", vec!["Ana"]),
            ("terminated_today=true", vec!["Ben"]),
            ("terminated_today=false", vec!["Ana", "Cem"]),
        ] {
            assert_eq!(names(&company, query).await, found, "{query}");
            let counted =
                company.get(format!("/v1/companies/{{company}}/employees?{query}&page=1&per=1")).await;
            assert_eq!(counted.header("x-total-count"), found.len().to_string(), "{query}");
        }
    });
}

#[test]
fn a_list_can_be_narrowed_to_those_on_a_payroll() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, other) = (world.company().await, world.company().await);
        let texas = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &texas, ("20.00", "Hour", "Nonexempt")).await;
        let (ben, _) = company.onboarded("Ben", &texas, ("20.00", "Hour", "Nonexempt")).await;
        // Not onboarded yet, and hired after the end of the pay period: on no payroll of it.
        company.hire("Cem", "2026-03-01").await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let regular = text(&periods[0]["payroll"], "payroll_uuid");
        let bonus = company.off_cycle(&[&ben]).await;
        for (payroll, found) in [(&regular, vec!["Ana", "Ben"]), (&bonus, vec!["Ben"])] {
            assert_eq!(names(&company, &format!("payroll_uuid={payroll}")).await, found);
            // The payroll itself tells the same people.
            let told = company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
            let paid = told["employee_compensations"].as_array().unwrap().iter();
            let ids: Vec<_> = paid.map(|one| text(one, "employee_uuid")).collect();
            let listed = list(&company, &format!("payroll_uuid={payroll}")).await.list();
            assert_eq!(listed.iter().map(id_of).collect::<Vec<_>>(), ids);
        }
        // Processed, it has them still.
        company.calculate(&bonus).await;
        company.submit(&bonus).await;
        assert_eq!(names(&company, &format!("payroll_uuid={bonus}")).await, ["Ben"]);
        // With other conditions, named employees and pages.
        let on = format!("payroll_uuid={regular}");
        assert_eq!(names(&company, &format!("{on}&search_term=ana&sort_by=name:desc")).await, ["Ana"]);
        assert_eq!(names(&company, &format!("payroll_uuid={bonus}&uuids={ana},{ben}")).await, ["Ben"]);
        let page = list(&company, &format!("{on}&per=1&page=2")).await;
        assert_eq!((page.header("x-total-count"), page.header("x-total-pages")), ("2", "2"));
        assert_eq!(text(&page.list()[0], "first_name"), "Ben");
        // A payroll of another company is none.
        assert!(names(&other, &on).await.is_empty());
        assert!(names(&company, "payroll_uuid=nowhere").await.is_empty());
    });
}

#[test]
fn a_list_can_be_narrowed_to_those_who_work_at_a_location_today() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let texas = id_of(&company.location("TX").await);
        let york = id_of(&company.location("NY").await);
        let ids = employ(&company, &[("Ana", "Lee"), ("Ben", "Lee"), ("Cem", "Lee"), ("Dee", "Lee")]).await;
        for (who, location, from) in [
            (0, &texas, "2026-01-01"),
            (0, &york, "2027-01-01"),
            (1, &york, "2026-01-01"),
            (1, &texas, "2026-06-15"),
            (2, &texas, "2027-01-01"),
            (2, &york, "2028-01-01"),
        ] {
            let body = json!({ "location_uuid": location, "effective_date": from });
            company.post(format!("/v1/employees/{}/work_addresses", ids[who]), body).await.created();
        }
        assert_eq!(names(&company, &format!("location_uuid={texas}")).await, ["Ana", "Ben", "Cem"]);
        assert!(names(&company, &format!("location_uuid={york}")).await.is_empty());
        assert!(names(&company, "location_uuid=nowhere").await.is_empty());
        let page = list(&company, &format!("location_uuid={texas}&per=2")).await;
        assert_eq!((page.header("x-total-count"), page.header("x-total-pages")), ("3", "2"));
    });
}

#[test]
fn named_employees_are_listed_once_each_and_with_the_other_conditions() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ids = employ(&company, &[("Ana", "Lee"), ("Ben", "Lee"), ("Cem", "Lee")]).await;
        let (ana, cem) = (&ids[0], &ids[2]);
        assert_eq!(names(&company, &format!("uuids={cem},{NOBODY},{ana}")).await, ["Ana", "Cem"]);
        assert_eq!(names(&company, &format!("uuids={cem}%2C{cem}")).await, ["Cem"]);
        assert_eq!(names(&company, &format!("uuids={ana},{cem}&search_term=cem")).await, ["Cem"]);
        assert!(names(&company, &format!("uuids={ana},{cem}&onboarded=true")).await.is_empty());
        assert_eq!(names(&company, &format!("uuids={ana},{cem}&sort_by=name:desc")).await, ["Cem", "Ana"]);
        let page = list(&company, &format!("uuids={ana},{cem}&per=1&page=2")).await;
        assert_eq!(
            (page.header("x-total-count"), text(&page.list()[0], "first_name")),
            ("2", "Cem".to_owned())
        );
    });
}

#[test]
fn pages_tell_where_they_stand_and_together_hold_everybody_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let everybody: Vec<String> =
            (0..31).map(|n| format!("{}", char::from(b'A' + n % 26)).repeat(2 + n as usize / 26)).collect();
        let people: Vec<_> = everybody.iter().map(|name| (name.as_str(), "Lee")).collect();
        employ(&company, &people).await;
        let all = list(&company, "").await;
        assert!(all.header("x-page").is_empty() && all.header("x-total-count").is_empty());
        assert_eq!(all.list().len(), 31);
        let standard = list(&company, "page=1").await;
        let told = ["x-page", "x-per-page", "x-total-count", "x-total-pages"]
            .map(|name| standard.header(name).to_owned());
        assert_eq!(told, ["1", "25", "31", "2"]);
        assert_eq!(standard.list().len(), 25);
        for sort in ["created_at", "name:desc", "onboarding_status"] {
            let mut seen = Vec::new();
            for page in 1..=5 {
                seen.extend(names(&company, &format!("sort_by={sort}&per=7&page={page}")).await);
            }
            assert_eq!(seen, names(&company, &format!("sort_by={sort}")).await, "{sort}");
            seen.sort();
            let mut expected = everybody.clone();
            expected.sort();
            assert_eq!(seen, expected);
        }
        let past = list(&company, "page=9").await;
        assert_eq!((past.header("x-page"), past.header("x-total-count")), ("9", "31"));
        assert!(past.list().is_empty());
    });
}

#[test]
fn what_is_asked_for_is_included_and_nothing_else() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-03-01").await;
        company.home_address(&hired.id).await;
        let mut later = crate::support::home();
        later["effective_date"] = "2027-01-01".into();
        company.post(format!("/v1/employees/{}/home_addresses", hired.id), later).await.created();
        let raise = json!({ "rate": "21", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2027-01-01" });
        company.post(format!("/v1/jobs/{}/compensations", hired.job), raise).await.created();
        let plain = company.read("employees", &hired.id).await;
        let included = |record: &Value| {
            let known = plain.as_object().unwrap();
            let new = record.as_object().unwrap().keys().filter(|key| !known.contains_key(*key));
            new.cloned().collect::<Vec<_>>()
        };
        for (word, fields) in [
            ("company_name", vec!["company_name"]),
            ("current_home_address", vec!["current_home_address"]),
            ("all_home_addresses", vec!["all_home_addresses"]),
            ("custom_fields", vec!["custom_fields"]),
            ("portal_invitations", vec!["partner_portal_invitation_sent"]),
            ("all_compensations", vec![]),
            ("company_name%2Ccustom_fields", vec!["company_name", "custom_fields"]),
        ] {
            let one = company.get(format!("/v1/employees/{}?include={word}", hired.id)).await.ok();
            assert_eq!(included(&one), fields, "{word}");
            assert_eq!(
                list(&company, &format!("include={word}")).await.json(),
                json!([one]),
                "{word} in a list"
            );
            assert_eq!(
                list(&company, &format!("include[]={word}")).await.list(),
                [one],
                "{word} in brackets"
            );
        }
        let all = "include=all_compensations,all_home_addresses,current_home_address,company_name";
        let one = company.get(format!("/v1/employees/{}?{all}", hired.id)).await.ok();
        assert_eq!(one["company_name"], "Blue Heron Diners");
        assert_eq!(one["jobs"][0]["compensations"].as_array().unwrap().len(), 2);
        assert_eq!(plain["jobs"][0]["compensations"].as_array().unwrap().len(), 1);
        let homes = one["all_home_addresses"].as_array().unwrap();
        assert_eq!((homes.len(), &one["current_home_address"]), (2, &homes[0]));
    });
}

#[test]
fn a_list_without_filter_holds_the_people_of_the_company_alone() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, other) = (world.company().await, world.company().await);
        company.employee("Ana").await;
        other.employee("Ben").await;
        for query in ["", "sort_by=name", "search_term=n", "per=10"] {
            assert_eq!(names(&company, query).await, ["Ana"], "{query}");
        }
    });
}

#[test]
fn people_are_found_and_sorted_by_what_they_are_called_however_it_is_written() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        for (first, last) in [
            ("Zed", "Adams"),
            ("\u{c1}ngel", "N\u{fa}\u{f1}ez"),
            ("Angela", "Weiss"),
            ("\u{141}ukasz", "Wei\u{df}"),
            ("Jose\u{301}", "Nun\u{303}o"),
            ("\u{5c71}\u{7530}", "\u{3055}\u{304f}\u{3089}"),
        ] {
            let body = json!({ "first_name": first, "last_name": last });
            company.post("/v1/companies/{company}/employees", body).await.created();
        }
        let found = async |query: &str| {
            let listed = company.get(format!("/v1/companies/{{company}}/employees?{query}")).await.list();
            listed.iter().map(|one| text(one, "first_name")).collect::<Vec<_>>()
        };
        let encoded = |term: &str| form_urlencoded::byte_serialize(term.as_bytes()).collect::<String>();
        for (term, expected) in [
            ("nunez", vec!["\u{c1}ngel"]),
            ("NU\u{301}N\u{303}EZ", vec!["\u{c1}ngel"]),
            ("angel nunez", vec!["\u{c1}ngel"]),
            ("jos\u{e9} nu\u{f1}o", vec!["Jose\u{301}"]),
            ("weiss", vec!["Angela", "\u{141}ukasz"]),
            ("wei\u{df}", vec!["Angela", "\u{141}ukasz"]),
            ("lukasz", vec!["\u{141}ukasz"]),
            ("\u{7530}", vec!["\u{5c71}\u{7530}"]),
            ("%", vec![]),
        ] {
            assert_eq!(found(&format!("search_term={}", encoded(term))).await, expected, "{term}");
        }
        let sorted = ["\u{c1}ngel", "Angela", "Jose\u{301}", "\u{141}ukasz", "Zed", "\u{5c71}\u{7530}"];
        assert_eq!(found("sort_by=name").await, sorted);
        let all = company.get("/v1/companies/{company}/employees").await.list();
        let ids = all.iter().map(|one| text(one, "uuid")).collect::<Vec<_>>().join(",");
        assert_eq!(found(&format!("sort_by=name&uuids={ids}")).await, sorted, "also of those that are named");
        assert_eq!(found(&format!("search_term=nunez&uuids={ids}")).await, ["\u{c1}ngel"]);
        // A new name is found by it, and no longer by the old one.
        let version = all[0]["version"].clone();
        let path = format!("/v1/employees/{}", text(&all[0], "uuid"));
        company.put(path, json!({ "version": version, "last_name": "\u{d8}rsted" })).await.ok();
        assert_eq!(found("search_term=orsted").await, ["Zed"]);
        assert!(found("search_term=adams").await.is_empty());
    });
}
