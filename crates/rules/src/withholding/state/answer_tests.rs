//! Tests of valid and invalid answers.

use super::*;
use crate::withholding::state::StateTables;
use proptest::prelude::*;
use serde_json::json;

fn question(kind: Kind) -> Question {
    let (key, label) = ("allowances".to_owned(), "Number of allowances".to_owned());
    Question {
        key,
        in_formula: None,
        label,
        help: None,
        kind,
        must: None,
        default: None,
        admin_only: false,
        optional: false,
        exempts: Vec::new(),
        counts_with: None,
    }
}

fn kept(kind: Kind, value: Value) -> Result<Value, String> {
    check_answer(&question(kind), &value).map(|answer| answer.to_json()).map_err(|violation| {
        assert_eq!(violation.key, "allowances");
        violation.message
    })
}

const COUNT: Kind = Kind::Number(NumberOf::Things { max: 99 });

fn choices() -> Kind {
    let choice = |value| Choice { value, label: String::new(), in_formula: Vec::new() };
    let word = ChoiceValue::Text("S".to_owned());
    Kind::Select(vec![choice(word), choice(ChoiceValue::Bool(true)), choice(ChoiceValue::Int(2))])
}

#[test]
fn numbers_are_taken_as_numbers_and_as_text() {
    for value in [json!(3), json!("3"), json!("3.0"), json!(3.0)] {
        assert_eq!(kept(COUNT, value), Ok(json!(3)));
    }
    assert_eq!(kept(COUNT, json!("99")), Ok(json!(99)));
    for value in [json!(-1), json!(100), json!(1.5), json!("two"), json!(true), json!([1]), json!(" 1")] {
        let message = "allowances must be a whole number from 0 to 99";
        assert_eq!(kept(COUNT, value), Err(message.to_owned()));
    }
}

#[test]
fn a_rate_is_a_percentage() {
    let percent = || Kind::Number(NumberOf::Percent);
    assert_eq!(kept(percent(), json!("3.2")).unwrap().to_string(), "3.2");
    assert_eq!(kept(percent(), json!(100)), Ok(json!(100)));
    for value in [json!("100.01"), json!(-0.1), json!("3,2")] {
        assert!(kept(percent(), value).is_err());
    }
}

#[test]
fn dollars_are_kept_as_text_with_a_decimal_place() {
    for (value, text) in
        [(json!(0), "0.0"), (json!("0.0"), "0.0"), (json!(12.25), "12.25"), (json!("40"), "40.0")]
    {
        assert_eq!(kept(Kind::Currency, value), Ok(json!(text)));
    }
    for value in [json!(-1), json!("0.001"), json!("1000000000"), json!("$5"), json!(false)] {
        let message = "allowances must be an amount from 0.00 to 999999999.99 with at most 2 decimal places";
        assert_eq!(kept(Kind::Currency, value), Err(message.to_owned()));
    }
}

#[test]
fn a_choice_is_one_of_the_list() {
    for (value, answer) in [
        (json!("S"), json!("S")),
        (json!(true), json!(true)),
        (json!("true"), json!(true)),
        (json!(2), json!(2)),
        (json!("2"), json!(2)),
    ] {
        assert_eq!(kept(choices(), value), Ok(answer));
    }
    for value in [json!("s"), json!(false), json!("True"), json!(3), json!(["S"])] {
        assert_eq!(kept(choices(), value), Err("allowances must be one of: S, true, 2".to_owned()));
    }
    assert_eq!(kept(Kind::yes_or_no(), json!("false")), Ok(json!(false)));
    assert_eq!(kept(Kind::yes_or_no(), json!(0)), Err("allowances must be one of: true, false".to_owned()));
}

#[test]
fn words_and_days_are_text() {
    assert_eq!(kept(Kind::Text, json!(" 2503 ")), Ok(json!("2503")));
    assert_eq!(kept(Kind::Text, json!(2503)), Err("allowances must be a text".to_owned()));
    assert!(kept(Kind::Text, json!("a\nb")).is_err());
    assert!(kept(Kind::Text, json!("a".repeat(101))).is_err());
    assert_eq!(kept(Kind::Date, json!("2026-06-15")), Ok(json!("2026-06-15")));
    assert!(kept(Kind::Date, json!("06/15/2026")).is_err());
}

#[test]
fn an_answer_that_nobody_can_have_is_refused_and_is_read_where_it_is_stored() {
    let tables = StateTables::built_in();
    let asked = |state: &str, key: &str| {
        let questions = &tables.get(state).unwrap().questions;
        questions.iter().find(|question| question.key == key).unwrap()
    };
    let rate = asked("MD", "local_rate");
    let [code, work, district] = [("PA", "psd_code"), ("PA", "work_psd_code"), ("OH", "school_district")]
        .map(|(state, key)| asked(state, key));
    for (question, right, wrong) in [
        (rate, &["2.25", "3.2", "3.3"][..], &["0", "2.24", "3.31", "100"][..]),
        (code, &["700102", "880000"], &["0", "Pittsburgh", "70010", "7001023", "70010x", "999999", "000102"]),
        (work, &["700102"], &["0", "740101"]),
        (
            district,
            &[
                "2510",
                "none",
                "None",
                "ada evsd",
                "Columbus City School District",
                "Fairfield City School District",
            ],
            &["0", "Hilliard City", "251", "25100", "9999", "8999", "Columbus", "Fairfield", "Kent"],
        ),
    ] {
        for value in right {
            assert!(check_answer(question, &json!(value)).is_ok(), "{} {value}", question.key);
        }
        for value in wrong {
            let refused = check_answer(question, &json!(value)).unwrap_err();
            assert_eq!(refused.key, question.key, "{value}");
            let stored = parse_answer(question, &json!(value)).unwrap();
            assert!(!question.allows_answer(&stored), "{} {value}", question.key);
        }
    }
    let refused = check_answer(rate, &json!(0)).unwrap_err();
    assert_eq!(refused.message, "local_rate must be a percentage from 2.25 to 3.3, such as 3.2");
}

#[test]
fn nothing_is_no_answer_to_anything() {
    for kind in [choices(), COUNT, Kind::Currency, Kind::Text, Kind::Date] {
        for value in [Value::Null, json!(""), json!("  ")] {
            assert_eq!(kept(kind.clone(), value), Err("allowances can't be blank".to_owned()));
        }
    }
}

proptest! {
    #[test]
    fn an_answer_that_was_kept_is_read_again_as_the_same(
        state in 0usize..51, index in 0usize..8, number in 0i64..=9_999, word in "[a-z0-9.]{1,8}"
    ) {
        let state = StateTables::built_in().iter().nth(state).unwrap();
        let Some(question) = state.questions.get(index) else { return Ok(()) };
        let cents = Amount::from_cents(number).to_text(2);
        for value in [json!(number), json!(cents), json!(word), json!(true)] {
            if let Ok(answer) = check_answer(question, &value) {
                prop_assert_eq!(check_answer(question, &answer.to_json()), Ok(answer));
            }
        }
    }
}
