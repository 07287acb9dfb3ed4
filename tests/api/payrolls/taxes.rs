//! Taxes of states and places, looked up.

use serde_json::{Value, json};

use super::company;
use crate::support::{Engine, id_of, on_both_engines, text};

fn find<'a>(listed: &'a [Value], code: &str, payer: &str) -> &'a Value {
    let found = listed.iter().find(|tax| tax["code"] == code && tax["payer"] == payer);
    found.unwrap_or_else(|| panic!("{code} of the {payer} is not among {}", json!(listed)))
}

#[test]
fn every_tax_of_states_and_places_can_be_looked_up_with_its_source() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let taxes = company.get("/v1/taxes").await.list();
        let sdi = find(&taxes, "CA_SDI", "employee");
        assert_eq!((&sdi["label"], &sdi["supported"]), (&json!("CA SDI"), &json!(true)));
        assert_eq!(sdi["jurisdiction"], json!({ "level": "state", "state": "CA", "place": null }));
        assert!(text(sdi, "source").contains("EY Tax Alert 2026-0131"));
        let city = find(&taxes, "NJ_NEWARK", "employer");
        assert_eq!((&city["supported"], &city["confidence"]), (&json!(true), &json!("secondary")));
        let income = find(&taxes, "CA_INCOME", "employee");
        assert_eq!((&income["supported"], &income["confidence"]), (&json!(true), &Value::Null));
        assert_eq!(find(&taxes, "SC_INCOME", "employee")["supported"], true);
        let of_2025 = find(&taxes, "CO_INCOME", "employee");
        assert_eq!(
            (&of_2025["to"], &of_2025["supported"]),
            (&json!("2025-12-31"), &json!(false)),
            "a later edition counts"
        );
        assert!(taxes.len() > 400, "{}", taxes.len());
        let page = company.get("/v1/taxes?page=2&per=5").await;
        assert_eq!(page.header("x-total-count"), taxes.len().to_string());
        assert_eq!(page.list(), taxes[5..10]);
        company.with_scopes("employees:read").await.get("/v1/taxes").await.refused(403);
    });
}

#[test]
fn an_employee_is_told_which_taxes_touch_them_and_why() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let office = id_of(&company.location("OH").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let path = format!("/v1/employees/{ana}/taxes");
        let taxes = company.get(&path).await.list();
        let city = find(&taxes, "OH_18000", "employee");
        assert_eq!(city["worked_out"], true);
        assert_eq!(city["why"], "lives or works where Columbus city tax is levied, by the name of the city");
        let unemployment = find(&taxes, "OH_SUI", "employer");
        assert_eq!(unemployment["worked_out"], false);
        assert!(text(unemployment, "why").contains("the rate of the employer's notice is missing"));
        let income = find(&taxes, "OH_INCOME", "employee");
        assert_eq!(income["worked_out"], true);
        assert!(text(income, "why").contains("works there"), "{income}");

        company.answer_state("OH").await;
        let taxes = company.get(&path).await.list();
        assert_eq!(find(&taxes, "OH_SUI", "employer")["worked_out"], true);
        company.world.company().await.get(&path).await.refused(404);
        let nobody = id_of(&company.employee("Ben").await);
        assert!(
            company.get(format!("/v1/employees/{nobody}/taxes")).await.list().is_empty(),
            "no work address"
        );
    });
}
