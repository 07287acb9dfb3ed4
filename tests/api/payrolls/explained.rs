//! Paychecks of the past, when the rules of today are others: they stay what was paid, and their explanations say so.

use domain::Error;
use serde_json::{Value, json};
use store::record::{Cursor, JsonText};
use store::{Json, params};
use uuid::Uuid;

use super::{company, enter, evaluator, hours, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

store::statements! {
    RESULT = "SELECT paycheck, facts FROM payroll_results WHERE company_id = $1 AND employee_id = $2";
    OTHER_RESULT = "UPDATE payroll_results SET paycheck = $1, facts = $2, net = $3, check_amount = $4 \
                    WHERE company_id = $5 AND employee_id = $6";
    OTHER_RULES = "UPDATE payroll_runs SET rules_version = $1, tables = $2 WHERE company_id = $3";
}

/// A stored result: the lines that were paid, and what they were worked out from.
#[derive(Clone)]
struct Stored {
    paid: Value,
    inputs: Value,
    net: i64,
}

async fn stored(company: &Company, employee: &str) -> (Value, Value) {
    let (id, employee) = (company.id, employee.parse::<Uuid>().unwrap());
    let read = company.world.app.store.read(move |tx| {
        let read = |row: &store::Row<'_>| {
            let mut next = Cursor::new(row, "payroll_results", 0);
            let paid = next.read_stored::<JsonText, String>("paycheck")?;
            Ok::<_, store::Error>((paid, next.read_stored::<JsonText, String>("facts")?))
        };
        Ok::<_, Error>(tx.try_find(RESULT, params![id, employee], read)?.unwrap())
    });
    let (paid, inputs) = read.await.unwrap();
    (serde_json::from_str(&paid).unwrap(), serde_json::from_str(&inputs).unwrap())
}

/// Leaves in the store what rules of another version would have left.
async fn leave(company: &Company, employee: &str, what: Stored, version: Option<i64>) {
    let (id, employee) = (company.id, employee.parse::<Uuid>().unwrap());
    let changed = company.world.app.store.write(move |tx| {
        let (paid, inputs) = (what.paid.to_string(), what.inputs.to_string());
        let result = params![Json(&paid), Json(&inputs), what.net, what.net, id, employee];
        let tables =
            if version.is_some() { json!({ "minimum-wages": "2024-07-01" }) } else { json!({}) }.to_string();
        let one = tx.change_rows(OTHER_RESULT, result)?.is_one();
        let run = tx.change_rows(OTHER_RULES, params![version, Json(&tables), id])?.rows();
        Ok::<_, Error>(one && run > 0)
    });
    assert!(changed.await.unwrap());
}

/// The figures of an explanation by name.
fn figure<'e>(explained: &'e Value, name: &str) -> &'e Value {
    explained["figures"].as_array().unwrap().iter().find(|one| one["figure"] == name).unwrap_or(&Value::Null)
}

#[test]
fn a_paycheck_is_explained_although_the_words_of_its_warnings_were_improved_since() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let of = path(&payroll, &format!("/employees/{ana}/explain"));
        let before = company.get(&of).await.ok();
        let (mut paid, inputs) = stored(&company, &ana).await;
        let warnings = paid["warnings"].as_array_mut().unwrap();
        assert!(!warnings.is_empty(), "{before}");
        for warning in &mut *warnings {
            assert!(warning["key"].is_string(), "{warning}");
            warning["message"] = json!("Said then.");
        }
        let net = rules::Amount::parse(&text(&before, "net_pay")).unwrap().millionths();
        leave(&company, &ana, Stored { paid, inputs, net }, Some(0)).await;
        let told = company.get(&of).await.ok();
        assert_eq!((&told["note"], &told["figures"]), (&Value::Null, &before["figures"]));
        assert_eq!(told["warnings"][0]["message"], "Said then.");
    });
}

#[test]
fn pay_of_last_year_is_explained_as_it_was_paid_although_a_rule_was_corrected_since() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let of = path(&payroll, &format!("/employees/{ana}"));
        let today = company.get(format!("{of}/explain")).await.ok();
        assert_eq!((&today["note"], &today["rules_version"]), (&Value::Null, &json!(rules::VERSION)));
        assert_eq!(today["tables"]["minimum-wages"], "2026-12-01");
        assert!(figure(&today, "net_pay")["because"].is_array(), "{today}");

        // The rules of then took ten dollars more of income tax.
        let (paid, inputs) = stored(&company, &ana).await;
        let mut old = Stored { paid: paid.clone(), inputs: inputs.clone(), net: 0 };
        let net = rules::Amount::parse(&text(&today, "net_pay")).unwrap().millionths();
        old.net = net - 10_000_000;
        let taxes = old.paid["taxes"].as_array_mut().unwrap();
        let federal = taxes.iter_mut().find(|line| line["tax"] == "US_FIT").unwrap();
        let then = federal["amount"].as_i64().unwrap() + 10_000_000;
        federal["amount"] = then.into();
        leave(&company, &ana, old.clone(), Some(0)).await;
        company.world.wait_until("2027-01-05T12:00:00Z".parse().unwrap()).await;

        let told = company.get(format!("{of}/explain")).await.ok();
        let then = rules::Amount::from_millionths(then).to_text(2);
        assert_eq!(figure(&told, "Federal Income Tax")["result"], *then);
        let was = rules::Amount::from_millionths(old.net).to_text(2);
        assert_eq!((&told["net_pay"], &figure(&told, "net_pay")["result"]), (&json!(was), &json!(was)));
        assert_eq!(
            (&told["rules_version"], &told["tables"]["minimum-wages"]),
            (&json!(0), &json!("2024-07-01"))
        );
        let note = text(&told, "note");
        assert!(note.contains("calculated by version 0 of the rules"), "{note}");
        assert!(note.contains(&format!("gives a net pay of {}", text(&today, "net_pay"))), "{note}");
        assert_eq!(
            company.get(format!("{of}/pay_stub")).await.is(200).header("content-type"),
            "application/pdf"
        );

        // Another line with the same net pay, inputs of a format of later, and inputs that nobody reads any more.
        let mut line = old.clone();
        line.paid = paid.clone();
        line.net = net;
        line.paid["warnings"] = json!([{ "key": "once", "message": "Said then.", "text": "once" }]);
        leave(&company, &ana, line, None).await;
        let note = text(&company.get(format!("{of}/explain")).await.ok(), "note");
        assert!(
            note.contains("an earlier version") && note.contains("the same net pay with other lines"),
            "{note}"
        );
        for (inputs, net) in [
            (
                {
                    let mut of = inputs.clone();
                    of["format"] = 9.into();
                    of
                },
                net,
            ),
            (json!({ "x": 1 }), net),
        ] {
            leave(&company, &ana, Stored { paid: paid.clone(), inputs, net }, Some(9)).await;
            let told = company.get(format!("{of}/explain")).await.ok();
            assert!(text(&told, "note").contains("cannot read the stored inputs"), "{told}");
            assert_eq!(figure(&told, "net_pay")["result"], today["net_pay"]);
            // The stub has what was paid, without the hours.
            let stub = company.get(format!("{of}/pay_stub")).await.is(200);
            assert_eq!(stub.header("content-type"), "application/pdf");
        }
        // As it was, it follows from today's rules.
        leave(&company, &ana, Stored { paid, inputs, net }, Some(i64::from(rules::VERSION))).await;
        let again = company.get(format!("{of}/explain")).await.ok();
        assert_eq!((&again["figures"], &again["note"]), (&today["figures"], &Value::Null));
    });
}

/// The first figure of that name, at any depth.
fn beneath<'e>(figures: &'e Value, name: &str) -> &'e Value {
    let figures = figures.as_array().map_or(&[] as &[_], Vec::as_slice);
    let found =
        figures.iter().map(|one| if one["figure"] == name { one } else { beneath(&one["because"], name) });
    found.into_iter().find(|one| !one.is_null()).unwrap_or(&Value::Null)
}

#[test]
fn an_explanation_names_no_benefits_to_tokens_that_may_not_see_them_and_leaves_their_amounts() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let mut records = Vec::new();
        for (kind, name) in [(1, "Gold plan"), (5, "Savings plan")] {
            let offered = json!({ "benefit_type": kind, "description": name });
            let offered =
                id_of(&company.post("/v1/companies/{company}/company_benefits", offered).await.created());
            let held = json!({ "company_benefit_uuid": offered, "employee_deduction": "50.00",
                               "effective_date": "2026-06-01" });
            let held = company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
            records.push(id_of(&held));
        }
        // The agency's share leaves the employee the premiums, which its figures name.
        let loan = json!({ "court_ordered": true, "garnishment_type": "federal_loan", "amount": "100", "recurring": true });
        company.post(format!("/v1/employees/{ana}/garnishments"), loan).await.created();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        for (scopes, gold, savings) in [
            ("payrolls:read", false, false),
            ("payrolls:read employee_benefits:read", false, true),
            ("payrolls:read employee_benefits:read employee_benefits:read:phi", true, true),
        ] {
            let token = company.with_scopes(scopes).await;
            let told = token.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.ok();
            let whole = told.to_string();
            assert_eq!(whole.contains("Gold plan"), gold, "{scopes}: {whole}");
            assert_eq!(whole.contains("medical_insurance"), gold, "{scopes}: {whole}");
            assert_eq!(whole.contains("Savings plan"), savings, "{scopes}: {whole}");
            for (record, is_named) in records.iter().zip([gold, savings]) {
                let of = beneath(&told["figures"], &format!("employee_deduction:{record}"));
                assert_eq!((&of["result"], of["note"].is_string()), (&json!("50.00"), !is_named), "{scopes}");
            }
            for figure in told["figures"].as_array().unwrap() {
                evaluator::check(figure).unwrap_or_else(|fault| panic!("{fault}: {figure:#}"));
            }
        }
    });
}
