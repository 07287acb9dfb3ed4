//! Certificates of states, and the answers of the employer.

use domain::access::tokens::Actor;

use super::*;

#[tokio::test]
async fn each_state_of_work_and_home_has_a_row_the_state_of_work_first() {
    with_employee(|tx, caller, employee| {
        assert_eq!(state_taxes(tx, caller, employee)?, json!([]));
        lives_in(tx, caller, employee, "CA")?;
        works_in(tx, caller, employee, "NY")?;
        let answer = state_taxes(tx, caller, employee)?;
        let rows: Vec<_> =
            answer.as_array().unwrap().iter().map(|row| (&row["state"], &row["is_work_state"])).collect();
        assert_eq!(rows, [(&json!("NY"), &json!(true)), (&json!("CA"), &json!(false))]);
        for row in answer.as_array().unwrap() {
            assert_eq!(row["employee_uuid"], json!(employee));
            assert_eq!(row["file_new_hire_report"], Value::Null);
            for question in row["questions"].as_array().unwrap() {
                let keys: Vec<_> = question.as_object().unwrap().keys().map(String::as_str).collect();
                let expected = [
                    "label",
                    "description",
                    "key",
                    "is_question_for_admin_only",
                    "input_question_format",
                    "answers",
                ];
                assert_eq!(keys, expected);
                let format = &question["input_question_format"];
                let select = format["type"] == "Select";
                assert_eq!(format.get("options").is_some(), select, "{question}");
                let admin =
                    ["file_new_hire_report", "family_leave_waiver"].iter().any(|key| question["key"] == *key);
                assert_eq!(question["is_question_for_admin_only"], admin);
                // A status is chosen by somebody; numbers, amounts and exemptions begin with what is right for most, and the address
                // tells whether somebody lives in Yonkers.
                let begins =
                    !select || ["exempt", "yonkers_resident"].iter().any(|key| question["key"] == *key);
                assert_eq!(question["answers"].as_array().unwrap().len(), usize::from(begins), "{question}");
            }
        }
        let [status, allowances, .., extra, exempt, report] =
            answer[0]["questions"].as_array().unwrap().as_slice()
        else {
            panic!("{answer}")
        };
        assert_eq!(status["input_question_format"]["options"][0]["value"], "single");
        assert_eq!(exempt["input_question_format"]["options"][0]["value"], true);
        assert_eq!(exempt["answers"][0]["value"], false);
        assert_eq!(report["key"], "file_new_hire_report");
        assert_eq!(
            allowances["answers"],
            json!([{ "value": 0, "valid_from": "2010-01-01", "valid_up_to": null }])
        );
        assert_eq!(extra["answers"][0]["value"], "0.0");
        assert!(
            answer[1]["questions"].as_array().unwrap().iter().all(|q| q["key"] != "file_new_hire_report")
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_state_that_does_not_tax_wages_asks_only_the_employer() {
    with_employee(|tx, caller, employee| {
        const STEP: &str = "state_tax_setup";
        works_in(tx, caller, employee, "TX")?;
        assert!(!has_step(tx, caller, employee, STEP)?, "nobody knows yet where the employee lives");
        lives_in(tx, caller, employee, "TX")?;
        assert!(has_step(tx, caller, employee, STEP)?);
        let answer = state_taxes(tx, caller, employee)?;
        assert_eq!(answer[0]["questions"].as_array().unwrap().len(), 1);

        assert!(!has_step(tx, caller, employee, "file_new_hire_report")?);
        let answer = put_states(
            tx,
            caller,
            employee,
            json!([answers("TX", &[("file_new_hire_report", json!(false))])]),
        )?;
        assert_eq!(answer[0]["file_new_hire_report"], false);
        assert_eq!(answer[0]["questions"][0]["answers"][0]["value"], false);
        assert!(has_step(tx, caller, employee, "file_new_hire_report")?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_fault_of_state_answers_is_told_at_its_place() {
    with_employee(|tx, caller, employee| {
        let none = put_states(tx, caller, employee, json!([{ "state": "CA" }]));
        assert_eq!(refusal(none), ["?.state: state must be the work or home state, and there is no address of either yet"]);
        works_in(tx, caller, employee, "CA")?;
        lives_in(tx, caller, employee, "TX")?;
        let day = |value: Value, from: &str, to: Value| json!([{ "value": value, "valid_from": from, "valid_up_to": to }]);
        let faulty = json!([
            { "state": "NY", "questions": [] },
            { "questions": [] },
            { "state": "CA", "questions": [
                { "key": "filing_status", "answers": day(json!("widowed"), "2026-01-01", json!("2026-12-31")) },
                { "key": "withholding_allowance", "answers": [{ "value": -1 }, { "value": 2 }] },
                { "key": "withholding_allowance", "answers": [{ "value": 2.5 }] },
                { "key": "favourite_color", "answers": [{ "value": "green" }] },
                { "key": "additional_withholding", "answers": [{ "value": [7] }] },
                { "key": "estimated_deduction_allowances", "answers": [{ "value": null }] },
            ] },
            { "state": "CA", "questions": [] },
            { "state": "TX", "questions": [{ "key": "exempt", "answers": [{ "value": true }] }] },
        ]);
        assert_eq!(refusal(put_states(tx, caller, employee, faulty)), [
            "?.state: state must be a work or home state: CA, TX",
            "?.state: state can't be blank",
            "CA.filing_status: filing_status must be one of: S, M, MD, H, E",
            "CA.filing_status: filing_status must have valid_from 2010-01-01: answers are not dated",
            "CA.filing_status: filing_status must have valid_up_to null: answers are not dated",
            "CA.withholding_allowance: withholding_allowance takes one answer: answers must have one item",
            "CA.withholding_allowance: withholding_allowance can be answered only once",
            "CA.withholding_allowance: withholding_allowance must be a whole number from 0 to 99",
            "CA.key: key of question 4 must be one of those that CA asks: filing_status, withholding_allowance, \
             estimated_deduction_allowances, additional_withholding, file_new_hire_report",
            "CA.additional_withholding: additional_withholding must be text, a number, or true or false",
            "CA.estimated_deduction_allowances: estimated_deduction_allowances can't be blank",
            "CA.state: a state can be named only once",
            "TX.key: TX asks no questions, so question 1 cannot be answered",
        ]);
        let nothing = state::update_state_taxes(tx, caller, employee, &UpdateStateTaxes::default().into());
        assert_eq!(refusal(nothing), ["states: states can't be blank"]);
        assert_eq!(updates(tx, caller)?, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_employee_does_not_answer_for_the_employer() {
    with_employee(|tx, caller, employee| {
        works_in(tx, caller, employee, "TX")?;
        let alone = Caller { actor: Actor::Employee(employee), ..caller.clone() };
        let report = || json!([answers("TX", &[("file_new_hire_report", json!(true))])]);
        assert_eq!(
            refusal(put_states(tx, &alone, employee, report())),
            ["TX.key: TX asks no questions, so question 1 cannot be answered"]
        );
        assert_eq!(put_states(tx, caller, employee, report())?[0]["file_new_hire_report"], true);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_state_step_is_complete_once_the_employee_has_saved_every_question() {
    with_employee(|tx, caller, employee| {
        const STEP: &str = "state_tax_setup";
        works_in(tx, caller, employee, "CA")?;
        lives_in(tx, caller, employee, "CA")?;
        let part = answers("CA", &[("filing_status", json!("MD")), ("withholding_allowance", json!("2"))]);
        let answer = put_states(tx, caller, employee, json!([part]))?;
        assert_eq!(answer[0]["questions"][0]["answers"][0]["value"], "MD");
        assert_eq!(answer[0]["questions"][1]["answers"][0]["value"], 2);
        assert!(!has_step(tx, caller, employee, STEP)?, "a default that is answer is no answer");

        let answer = put_states(tx, caller, employee, json!([california()]))?;
        assert_eq!(answer[0]["questions"][1]["answers"][0]["value"], 1);
        assert!(has_step(tx, caller, employee, STEP)?);
        assert_eq!(updates(tx, caller)?, 2);
        // The whole answer, sent back as it came, changes nothing.
        assert_eq!(put_states(tx, caller, employee, answer.clone())?, answer);
        assert_eq!(put_states(tx, caller, employee, json!([]))?, answer);
        assert_eq!(updates(tx, caller)?, 2);

        // Another state asks anew.
        lives_in(tx, caller, employee, "CO")?;
        assert!(!has_step(tx, caller, employee, STEP)?);
        assert_eq!(state_taxes(tx, caller, employee)?.as_array().unwrap().len(), 2);
        Ok(())
    })
    .await;
}
