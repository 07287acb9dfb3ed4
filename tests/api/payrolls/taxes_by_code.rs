//! Taxes are found by their codes: several taxes have the same name, and each keeps its own line, sum and payee.

use serde_json::{Value, json};

use super::several_states::live;
use super::{calculated, cents, company, enter, hours, of, paid_on, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// The funds of Campbell County, Kentucky, which have one name.
const FUNDS: [(&str, i64); 3] = [
    ("KY_CAMPBELL_COUNTY_GENERAL", 900),
    ("KY_CAMPBELL_COUNTY_MENTAL_HEALTH", 100),
    ("KY_CAMPBELL_COUNTY_SENIOR_CITIZENS", 50),
];

/// What is owed for all pay dates of the year.
const OWED: &str = "/v1/companies/{company}/liabilities?as_of=2026-12-31";

/// A location in a place, with the company's answers for its state.
async fn location_in(company: &Company, (city, state, zip): (&str, &str, &str)) -> String {
    let body = json!({ "street_1": "12 Monmouth Street", "city": city, "state": state, "zip": zip,
                       "phone_number": "8595550142" });
    let location = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
    company.answer_state(state).await;
    location
}

/// The employee's lines with a name.
fn named<'t>(taxes: &'t Value, name: &str) -> Vec<&'t Value> {
    let all = taxes.as_array().unwrap().iter();
    all.filter(|tax| tax["name"] == name && tax["employer"] == false).collect()
}

/// The part of a thousandth of a percent of wages, in cents, half up.
fn percent(wages: i64, thousandths: i64) -> i64 {
    (wages * thousandths + 50_000) / 100_000
}

#[test]
fn three_taxes_of_one_name_have_their_own_code_jurisdiction_and_amount() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let newport = location_in(&company, ("Newport", "KY", "41071")).await;
        let (maria, _) = company.onboarded("Maria", &newport, ("34.61", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &maria, hours("80")).await.ok();
        let told = calculated(&company, &payroll).await;
        let lines = named(&of(&told, &maria)["taxes"], "Campbell county tax");
        let county = json!({ "level": "county", "state": "KY", "place": "KY-CAMPBELL_COUNTY" });
        assert_eq!(lines.len(), 3, "{lines:?}");
        for (line, (code, thousandths)) in lines.iter().zip(FUNDS) {
            // 80 x 34.61 = 2,768.80.
            let due = percent(276_880, thousandths);
            assert_eq!((&line["code"], cents(&line["amount"])), (&json!(code), due), "{line}");
            let basis = &line["line"];
            assert_eq!((&basis["code"], &basis["jurisdiction"]), (&json!(code), &county), "{line}");
            assert_eq!(cents(&basis["year_to_date"]), due, "{line}");
            assert_eq!(basis["taxable_wages"], "2768.80", "{line}");
        }
        // Every tax has a code, with the wages on which it rests.
        for tax in of(&told, &maria)["taxes"].as_array().unwrap() {
            assert!(!text(tax, "code").is_empty() && tax["line"]["code"] == tax["code"], "{tax}");
            assert!(cents(&tax["line"]["taxable_wages"]) > 0, "{tax}");
        }
    });
}

#[test]
fn the_year_to_date_of_taxes_of_one_name_is_that_of_each() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let newport = location_in(&company, ("Newport", "KY", "41071")).await;
        let (maria, _) = company.onboarded("Maria", &newport, ("34.61", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &maria, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let next = paid_on(&company, &maria, ("2026-06-15", "2026-06-28", "2026-07-02")).await;
        let told = read(&company, &next, "taxes").await;
        for line in named(&of(&told, &maria)["taxes"], "Campbell county tax") {
            assert_eq!(cents(&line["line"]["year_to_date"]), 2 * cents(&line["amount"]), "{line}");
        }
        let stub = format!("/v1/companies/{{company}}/payrolls/{next}/employees/{maria}/pay_stub");
        let file = company.get(stub).await.is(200).text();
        for (_, thousandths) in FUNDS {
            let due = percent(276_880, thousandths);
            let dollars = |cents: i64| format!("(${}.{:02}) Tj", cents / 100, cents % 100);
            let shown = |cents: i64| file.matches(&dollars(cents)).count();
            assert_eq!((shown(due), shown(2 * due)), (1, 1), "{} and {}", dollars(due), dollars(2 * due));
        }
        let all: i64 = FUNDS.map(|(_, thousandths)| percent(276_880, thousandths)).iter().sum();
        assert!(
            !file.contains(&format!("(${}.{:02}) Tj", 2 * all / 100, 2 * all % 100)),
            "no sum of the three"
        );
    });
}

#[test]
fn taxes_of_one_name_are_not_summed_up_and_are_owed_each_to_its_own_agency() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let corydon = location_in(&company, ("Corydon", "IN", "47112")).await;
        let cynthiana = location_in(&company, ("Cynthiana", "KY", "41031")).await;
        let (james, _) = company.onboarded("James", &corydon, ("22.00", "Hour", "Nonexempt")).await;
        let (priya, _) = company.onboarded("Priya", &cynthiana, ("33.00", "Hour", "Nonexempt")).await;
        live(&company, &james, ("Corydon", "IN", "47112")).await;
        live(&company, &priya, ("Cynthiana", "KY", "41031")).await;
        for one in [&james, &priya] {
            enter(&company, &payroll, one, hours("80")).await.ok();
        }
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "taxes,payroll_taxes").await;
        let own = |who: &str, code: &str| {
            let lines = named(&of(&told, who)["taxes"], "Harrison county tax");
            assert_eq!((lines.len(), &lines[0]["code"]), (1, &json!(code)), "{lines:?}");
            cents(&lines[0]["amount"])
        };
        // Each has its own county's tax.
        let (code_of_indiana, code_of_kentucky) = ("IN_31", "KY_HARRISON_COUNTY");
        let (indiana, kentucky) = (own(&james, code_of_indiana), own(&priya, code_of_kentucky));
        for list in ["payroll_taxes", "company_taxes"] {
            let summed: Vec<_> = named(&told[list], "Harrison county tax")
                .iter()
                .map(|tax| (text(tax, "code"), cents(&tax["amount"])))
                .collect();
            let each = [(code_of_indiana, indiana), (code_of_kentucky, kentucky)];
            assert_eq!(summed, each.map(|(code, sum)| (code.to_owned(), sum)), "{list}");
        }
        let receipt = |receipt: &Value| -> Vec<(String, i64)> {
            let lines = receipt["taxes"].as_array().unwrap().iter();
            let own = lines.filter(|tax| tax["name"] == "Harrison county tax");
            own.map(|tax| (text(tax, "code"), cents(&tax["amount"]))).collect()
        };
        company.submit(&payroll).await;
        let found = company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok();
        assert_eq!(
            receipt(&found),
            [(code_of_indiana.to_owned(), indiana), (code_of_kentucky.to_owned(), kentucky)]
        );
        let owed = company.get(OWED).await.list();
        let owed: Vec<_> = owed
            .iter()
            .filter(|one| one["description"] == "Harrison county tax")
            .map(|one| (text(one, "agency"), text(one, "tax_code"), cents(&one["balance"])))
            .collect();
        assert_eq!(owed.len(), 2, "{owed:?}");
        for ((agency, code, balance), (state, own, sum)) in
            owed.iter().zip([("US-IN/", code_of_indiana, indiana), ("US-KY/", code_of_kentucky, kentucky)])
        {
            assert!(agency.starts_with(state), "{agency}");
            assert_eq!((code.as_str(), *balance), (own, sum), "{agency}");
        }
    });
}

#[test]
fn the_funds_of_a_county_are_owed_and_paid_each_by_itself() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let newport = location_in(&company, ("Newport", "KY", "41071")).await;
        let (maria, _) = company.onboarded("Maria", &newport, ("34.61", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &maria, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // They are owed to one agency under one name.
        let funds = async || -> Vec<Value> {
            let owed = company.get(OWED).await.list();
            owed.into_iter().filter(|one| one["description"] == "Campbell county tax").collect()
        };
        let owed = funds().await;
        let told: Vec<_> = owed.iter().map(|one| (text(one, "tax_code"), cents(&one["balance"]))).collect();
        let due = FUNDS.map(|(code, thousandths)| (code.to_owned(), percent(276_880, thousandths)));
        assert_eq!(told, due);
        let paid = json!({ "liability_uuid": owed[1]["uuid"], "amount": owed[1]["balance"],
                           "paid_on": company.world.now().to_string()[..10] });
        let paid = company.post("/v1/companies/{company}/liability_payments", paid).await.created();
        assert_eq!(paid["tax_code"], FUNDS[1].0);
        let left: Vec<_> = funds().await.iter().map(|one| text(one, "tax_code")).collect();
        assert_eq!(left, [FUNDS[0].0, FUNDS[2].0]);
    });
}
