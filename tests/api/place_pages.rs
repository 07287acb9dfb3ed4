//! What the tables cannot tell of an address is asked on hosted pages, with one tap on a name, in both languages.

use serde_json::{Value, json};

use crate::page_entries::{of_company, send};
use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// Presses a button of the question, and nothing else.
async fn tap(browser: &Browser, screen: &str, page: &str, button: &str) -> crate::support::Answer {
    assert!(page.contains(&format!("name=\"place\" value=\"{button}\"")), "no button {button}: {page}");
    let mut fields =
        vec![("form_token", value_of(page, "form_token")), ("version", value_of(page, "version"))];
    if page.contains("name=\"record\"") {
        fields.push(("record", value_of(page, "record")));
    }
    fields.push(("place", button.to_owned()));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.form(screen, &fields).send().await
}

async fn speaks(browser: &Browser, language: &str, page: &str) {
    let form = [("form_token", &*value_of(page, "form_token")), ("language", language)];
    browser.form("language", &form).send().await.is(303);
}

async fn home_of(company: &Company, employee: &str) -> Value {
    let all = company.get(format!("/v1/employees/{employee}/home_addresses")).await.list();
    all.into_iter().find(|home| home["active"] == true).unwrap()
}

#[test]
fn an_employee_taps_the_name_of_the_county_and_is_asked_no_more() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let browser = Browser::open(&company, &hired.id).await;
        let page = browser.get("address").await.is(200).text();
        let airy = [("street_1", "1 Main St"), ("city", "Mount Airy"), ("state", "MD"), ("zip", "21771")];
        assert_eq!(send(&browser, "address", &page, &airy).await.is(303).header("location"), "/flow/address");
        let asked = browser.get("address").await.is(200).text();
        assert!(
            asked.contains("In which county do you live?") && asked.contains("Carroll County"),
            "{asked}"
        );
        speaks(&browser, "es", &asked).await;
        let asked = browser.get("address").await.is(200).text();
        assert!(asked.contains("¿En qué condado vive?") && asked.contains("Carroll County"), "{asked}");
        // A code that is no choice is refused, and the question stays.
        let wrong = [
            ("form_token", &*value_of(&asked, "form_token")),
            ("version", &value_of(&asked, "version")),
            ("place", "county:39049"),
        ];
        browser.form("address", &wrong).send().await.is(422);
        let next = tap(&browser, "address", &asked, "county:24013").await.is(303);
        assert_ne!(next.header("location"), "/flow/address", "one tap is all");
        let home = home_of(&company, &hired.id).await;
        assert_eq!(
            (&home["jurisdictions"][0]["code"], &home["jurisdictions"][0]["certain"]),
            (&json!("MD-07"), &json!(true))
        );
        // The answer can be corrected with the address.
        let form = browser.get("address").await.is(200).text();
        assert!(form.contains("name=\"place_answers.county\""), "{form}");
        send(&browser, "address", &form, &[("place_answers.county", "24021")]).await.is(303);
        assert_eq!(home_of(&company, &hired.id).await["jurisdictions"][0]["code"], "MD-11");
    });
}

#[test]
fn a_township_that_the_zip_code_does_not_list_is_chosen_among_those_of_the_county() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let browser = Browser::open(&company, &hired.id).await;
        let page = browser.get("address").await.is(200).text();
        let falls = [("street_1", "1 Main St"), ("city", "Beaver Falls"), ("state", "PA"), ("zip", "15010")];
        send(&browser, "address", &page, &falls).await.is(303);
        let asked = browser.get("address").await.is(200).text();
        assert!(asked.contains("In which township, borough or city do you live?"), "{asked}");
        let first = asked.find("Chippewa Township").unwrap();
        let (of_county, outside) =
            (asked.find("Ambridge Borough").unwrap(), asked.find("Outside Pennsylvania").unwrap());
        assert!(first < of_county && of_county < outside, "the ZIP code's, then the county's, then outside");
        let ambridge =
            asked.split("<option value=\"").find(|rest| rest.contains("\">Ambridge Borough<")).unwrap();
        let ambridge = ambridge.split('"').next().unwrap().to_owned();
        let other = [
            ("form_token", &*value_of(&asked, "form_token")),
            ("version", &value_of(&asked, "version")),
            ("other", &ambridge),
            ("place", "municipality:"),
        ];
        browser.form("address", &other).send().await.is(303);
        let home = home_of(&company, &hired.id).await;
        assert_eq!(home["jurisdictions"][0]["code"], format!("PA-{ambridge}"));
        assert_eq!(home["place_questions"][0]["answer"], json!(ambridge));
    });
}

#[test]
fn an_employer_taps_whether_a_location_in_portland_lies_in_metro() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let made = company.location("OR").await;
        let browser = of_company(&company, "add_addresses").await;
        let asked = browser.get("addresses").await.is(200).text();
        assert!(
            asked.contains("Is this location in Metro, the regional government around Portland?"),
            "{asked}"
        );
        assert!(asked.contains("Yes, in Metro") && asked.contains("97201"), "{asked}");
        speaks(&browser, "es", &asked).await;
        let asked = browser.get("addresses").await.is(200).text();
        assert!(asked.contains("¿Está este lugar en Metro") && asked.contains("Sí, en Metro"), "{asked}");
        tap(&browser, "addresses", &asked, "metro:OR-METRO").await.is(303);
        let after = company.get(format!("/v1/locations/{}", id_of(&made))).await.ok();
        assert_eq!(after["place_questions"][0]["answer"], "OR-METRO");
        let metro =
            after["jurisdictions"].as_array().unwrap().iter().find(|at| at["code"] == "OR-METRO").unwrap();
        assert_eq!((text(metro, "told_by"), &metro["certain"]), ("answer".to_owned(), &json!(true)));
        let page = browser.get("addresses").await.is(200).text();
        assert!(!page.contains("name=\"place\""), "it is not asked again: {page}");
    });
}
