//! Long lists on the employer's pages: they are read and entered a page at a time, and no page is large.

use domain::company::locations::rows::Location;
use serde_json::json;

use crate::employer_pages::{LARGEST, PLACE, each, offers, open, quiet};
use crate::page_entries::listed_payroll;
use crate::pages::value_of;
use crate::support::{Engine, id_of, on_both_engines};

#[test]
fn hours_of_a_large_company_are_entered_a_page_at_a_time_and_no_page_is_large() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let location = id_of(&company.location("TX").await);
        for number in 0..26 {
            let name = format!("Person{}", char::from(b'a' + number));
            company.onboarded(&name, &location, ("18.50", "Hour", "Nonexempt")).await;
        }
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        world.wait(jiff::Span::new()).await;
        let browser = open(&company, "run_payroll").await;
        let path = listed_payroll(&browser).await;
        let first = browser.get(&format!("payrolls/{path}/hours")).await.is(200).text();
        assert_eq!(each(&first, "e").len(), 25);
        assert!(first.len() < LARGEST, "{} bytes", first.len());
        assert!(offers(&first, "next") && first.contains("Page 1 of 2"), "{first}");
        let second = browser.get(&format!("payrolls/{path}/hours?page=2")).await.is(200).text();
        assert_eq!(each(&second, "e").len(), 1);
        assert!(offers(&second, "calculate"));
    });
}

#[test]
fn long_lists_of_the_employer_are_read_a_page_at_a_time() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        for number in 1..=27 {
            let place = json!({ "street_1": format!("{number} Long Street"), "city": "San Antonio", "state": "TX",
                                "zip": "78205", "phone_number": "2105550100" });
            company.post("/v1/companies/{company}/locations", place).await.created();
            let person = json!({ "first_name": "Ana", "last_name": "Silva",
                                 "email": format!("ana{number}@people.example") });
            company.post("/v1/companies/{company}/employees", person).await.created();
        }
        let browser = open(&company, "add_addresses,add_employees,run_payroll").await;
        for screen in ["addresses", "employees"] {
            let rows = |page: &str| page.matches("<span><b>").count();
            let first = browser.get(screen).await.is(200).text();
            assert!(rows(&first) == 25 && first.contains("Page 1 of 2") && first.len() < LARGEST, "{first}");
            assert!(first.contains(&format!("<a href=\"/flow/{screen}?page=2\" rel=\"next\">")), "{first}");
            for number in ["2", "7", "4294967295"] {
                let last = browser.get(&format!("{screen}?page={number}")).await.is(200).text();
                assert!(rows(&last) == 2 && last.contains("Page 2 of 2"), "{number}: {last}");
            }
            for number in ["0", "-1", "x", ""] {
                assert_eq!(rows(&browser.get(&format!("{screen}?page={number}")).await.is(200).text()), 25);
            }
        }
        assert!(
            browser
                .get("payrolls?page=9&open=9")
                .await
                .is(200)
                .text()
                .contains("There are no payrolls to run")
        );

        // Whatever is done on a page leads back to it, and what is added stands on the last one.
        let last = browser.get("addresses?page=2").await.text();
        let id = last.split("value=\"edit:").nth(1).unwrap().split('"').next().unwrap();
        let edit = [("action", &*format!("edit:{id}")), ("page", "2")];
        let asked = browser.fill_in("addresses", &edit).await.is(200).text();
        assert!(asked.contains("Page 2 of 2"), "{asked}");
        let version = value_of(&asked, "version");
        let changed = [&PLACE[..], &[("record", id), ("version", &version), ("page", "2")]].concat();
        let token = value_of(&asked, "form_token");
        let saved =
            browser.form("addresses", &[&[("form_token", &*token)], &changed[..]].concat()).send().await;
        assert_eq!(saved.is(303).header("location"), "/flow/addresses?page=2");
        let adding = browser.fill_in("addresses", &[("action", "add")]).await.is(200).text();
        assert_eq!(adding.rsplit("name=\"page\" value=\"").next().unwrap().split('"').next(), Some("2"));
        let wrong = [("action", "save"), ("street_1", ""), ("page", "2")];
        let refused = browser.fill_in("addresses", &wrong).await.is(422).text();
        assert!(refused.contains("Page 2 of 2"), "{refused}");
    });
}

#[test]
fn every_place_of_work_that_is_in_use_can_be_chosen_however_many_there_are() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let put = async |range: std::ops::Range<u32>, active: bool| {
            let id = company.id;
            let put = world.app.store.write(move |tx| {
                for number in range.clone() {
                    let place = Location {
                        id: tx.new_id(),
                        street_1: format!("{number} Long Road"),
                        city: "San Antonio".to_owned(),
                        state: "TX".to_owned(),
                        zip: "78205".to_owned(),
                        country: "USA".to_owned(),
                        active,
                        ..Location::default()
                    };
                    place.insert(tx, id)?;
                }
                Ok::<_, store::Error>(())
            });
            put.await.unwrap();
        };
        // As many that are out of use come first as were looked at before.
        put(1000..1100, false).await;
        let browser = open(&company, "add_employees").await;
        let page = browser.get("employees").await.is(200).text();
        assert!(page.contains("Enter an address first"), "{page}");
        put(2000..2150, true).await;
        let page = browser.get("employees").await.is(200).text();
        assert!(!page.contains("Enter an address first") && !page.contains("1000 Long Road"), "{page}");
        let offered = (2000..2150).filter(|number| page.contains(&format!("{number} Long Road"))).count();
        assert_eq!(offered, 150);
    });
}
