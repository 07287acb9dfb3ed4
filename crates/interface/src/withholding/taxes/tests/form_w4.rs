//! Form W-4, and what the employer sets beside it.

use domain::pay::compensations::commands::{CreateJob, UpdateCompensation};
use domain::pay::compensations::service::{compensations, jobs};
use domain::records::version_text;
use domain::withholding::taxes::service::{Preview, federal_preview};
use rules::Amount;
use rules::withholding::federal::{FilingStatus, PayFrequency, W4};

use super::*;

#[tokio::test]
async fn before_it_is_answered_form_w4_is_told_with_every_key_and_a_version() {
    with_employee(|tx, caller, employee| {
        let mut answer = federal_taxes(tx, caller, employee)?;
        assert_eq!(answer["version"].as_str().unwrap().len(), 32);
        answer["version"] = Value::Null;
        let expected = json!({
            "version": null, "employee_uuid": employee, "w4_data_type": "rev_2020_w4", "filing_status": null,
            "two_jobs": null, "dependents_amount": "0.00", "other_income": "0.00", "deductions": "0.00",
            "extra_withholding": "0.00", "nonresident_alien": false, "fica_exemption": null,
        });
        assert_eq!(answer, expected);
        assert!(!has_step(tx, caller, employee, DONE)?);
        assert_eq!(refusal(federal::get_federal_taxes(tx, caller, Uuid::from_u128(1))), ["not found"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn form_w4_is_answered_with_numbers_or_text_and_told_in_text() {
    with_employee(|tx, caller, employee| {
        let body = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Head of Household", "two_jobs": true,
                           "dependents_amount": 2000, "other_income": "0.0", "deductions": 1250.5 });
        let first = put_federal(tx, caller, employee, body.clone())?;
        assert_eq!(first["filing_status"], "Head of Household");
        assert_eq!(first["two_jobs"], true);
        for (key, text) in [("dependents_amount", "2000.00"), ("other_income", "0.00"), ("deductions", "1250.50"),
                            ("extra_withholding", "0.00")] {
            assert_eq!(first[key], text, "{key}");
        }
        assert!(first.get("additional_withholding").is_none());
        assert!(has_step(tx, caller, employee, DONE)?);
        assert_eq!(updates(tx, caller)?, 1);

        // The same once more changes nothing, in whatever way the numbers are written.
        let same = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Head of Household", "deductions": "1250.50",
                           "two_jobs": null });
        assert_eq!(put_federal(tx, caller, employee, same)?["version"], first["version"]);
        assert_eq!(updates(tx, caller)?, 1);

        let next = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single", "extra_withholding": "10" });
        let second = put_federal(tx, caller, employee, next)?;
        assert_ne!(second["version"], first["version"]);
        assert_eq!((&second["two_jobs"], &second["dependents_amount"]), (&json!(true), &json!("2000.00")));
        let mut late = body;
        late["version"] = first["version"].clone();
        let answer = refusal(put_federal(tx, caller, employee, late));
        assert_eq!(answer, ["stale: filing_status"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_fault_of_form_w4_is_told_at_once() {
    with_employee(|tx, caller, employee| {
        let nothing = federal::update_federal_taxes(tx, caller, employee, &UpdateFederalTaxes::default().into());
        let keys: Vec<_> = refusal(nothing).iter().map(|line| line.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(keys, ["version", "w4_data_type", "filing_status"]);

        let wrong = json!({ "version": "x", "w4_data_type": "pre_2020_w4", "filing_status": "Married, but withhold as Single",
                            "two_jobs": "yes", "dependents_amount": -1, "other_income": "0.001", "deductions": "much",
                            "extra_withholding": null });
        let answer = refusal(put_federal(tx, caller, employee, wrong));
        assert_eq!(answer, [
            "w4_data_type: w4_data_type must be rev_2020_w4: the form from before 2020 can no longer be filled in",
            "filing_status: filing_status must be one of Single, Married, Head of Household, Exempt from withholding",
            "two_jobs: two_jobs must be true or false",
            "deductions: deductions must be a decimal number such as 19.75, as a number or as text, with at most 6 places",
            "dependents_amount: dependents_amount must be an amount from 0.00 to 999999999.99 with at most 2 decimal places",
            "other_income: other_income must be an amount from 0.00 to 999999999.99 with at most 2 decimal places",
        ]);
        assert!(!has_step(tx, caller, employee, DONE)?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_employer_sets_an_exemption_and_a_nonresident_alien_beside_the_form_and_takes_them_back() {
    with_employee(|tx, caller, employee| {
        let form = |more: Value| {
            let mut form = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single" });
            form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            form
        };
        let answer = put_federal(tx, caller, employee, form(json!({})))?;
        assert_eq!((&answer["nonresident_alien"], &answer["fica_exemption"]), (&json!(false), &Value::Null));
        let set =
            json!({ "nonresident_alien": true, "fica_exemption": "nonresident_student_or_exchange_visitor" });
        let answer = put_federal(tx, caller, employee, form(set))?;
        assert_eq!(answer["nonresident_alien"], true);
        assert_eq!(answer["fica_exemption"], "nonresident_student_or_exchange_visitor");
        let kept = put_federal(tx, caller, employee, form(json!({})))?;
        assert_eq!(
            kept["fica_exemption"], "nonresident_student_or_exchange_visitor",
            "what is left out stays"
        );
        let wrong = put_federal(tx, caller, employee, form(json!({ "fica_exemption": "pupil" })));
        let refused = refusal(wrong);
        assert!(format!("{refused:?}").contains("fica_exemption must be one of"), "{refused:?}");
        let cleared = put_federal(tx, caller, employee, form(json!({ "fica_exemption": null })))?;
        assert_eq!((&cleared["nonresident_alien"], &cleared["fica_exemption"]), (&json!(true), &Value::Null));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_form_from_before_2020_is_told_as_it_is_until_a_newer_one_replaces_it() {
    with_employee(|tx, caller, employee| {
        let old = (FilingStatus::MarriedWithholdAsSingle, 2, Amount::from_cents(1_250));
        federal::store_pre2020(tx, caller, employee, old)?;
        let mut answer = federal_taxes(tx, caller, employee)?;
        let version = answer["version"].take();
        let expected = json!({
            "version": null, "employee_uuid": employee, "w4_data_type": "pre_2020_w4",
            "filing_status": "Married, but withhold as Single", "federal_withholding_allowance": 2,
            "additional_withholding": "12.50", "nonresident_alien": false, "fica_exemption": null,
        });
        assert_eq!(answer, expected);
        assert!(has_step(tx, caller, employee, DONE)?);
        let wrong = (FilingStatus::Single, 100, Amount::from_cents(-1));
        assert_eq!(refusal(federal::store_pre2020(tx, caller, employee, wrong)).len(), 2);

        let new = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": "Married" });
        let new = put_federal(tx, caller, employee, new)?;
        assert_eq!((&new["two_jobs"], &new["extra_withholding"]), (&json!(false), &json!("0.00")));
        assert!(
            new.get("additional_withholding").is_none() && new.get("federal_withholding_allowance").is_none()
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_draft_of_form_w4_says_what_it_would_take_from_a_paycheck() {
    with_employee(|tx, caller, employee| {
        let w4 = W4::with_filing_status(FilingStatus::Single);
        assert_eq!(federal_preview(tx, caller, employee, &w4)?, None);
        let text = |text: &str| Patch::Value(text.to_owned());
        let job =
            CreateJob { title: text("Cook"), hire_date: text("2026-06-01").date(), ..Default::default() };
        let job = jobs::create_job(tx, caller, employee, &job)?;
        assert_eq!(federal_preview(tx, caller, employee, &w4)?, None, "the pay of a new job is empty");
        let empty = &job.pay.compensations[0];
        let pay = UpdateCompensation {
            version: Patch::Value(version_text("compensations", empty.id, empty.version)),
            rate: Patch::Value(Amount::from_cents(5_200_000)),
            payment_unit: text("Year").named(),
            flsa_status: text("Exempt").named(),
            ..Default::default()
        };
        compensations::update_compensation(tx, caller, empty.id, &pay)?;
        let preview = federal_preview(tx, caller, employee, &w4)?.unwrap();
        // 52,000 - 8,600 = 43,400 a year: 1,240 and 12 % of what is over 19,900, by 26.
        let expected = Preview {
            gross: Amount::from_cents(200_000),
            frequency: PayFrequency::EveryOtherWeek,
            frequency_is_assumed: true,
            withheld: Amount::from_cents(15_615),
            tables_of: 2026,
        };
        assert_eq!(preview, expected);
        Ok(())
    })
    .await;
}
