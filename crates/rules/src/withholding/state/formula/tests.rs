//! Tests of the formulas: examples that states print, and every answer that their certificates allow.

use super::*;
use crate::amount::Rounding;
use crate::days::Days;
use crate::explain::{NoTrace, Recorder, evaluator};
use crate::withholding::state::{ChoiceValue, Kind, NumberOf, StateTables, check_answer};
use jiff::civil::date;
use serde_json::Value;

/// Ninety-eight examples: printed by the states, or calculated by hand or by others from the printed tables.
const EXAMPLES: &str = include_str!("examples.csv");
fn amount(text: &str) -> Amount {
    if text.is_empty() { Amount::ZERO } else { Amount::parse(text).unwrap() }
}

fn certificate(state: &str) -> &'static StateCertificate {
    StateTables::built_in().get(state).unwrap()
}

/// Returns the formula, even if it is in doubt.
fn formula(state: &str, earlier: bool) -> &'static Formula {
    let formulas = &Formulas::built_in().by_state[state];
    if earlier { &formulas[0] } else { formulas.last().unwrap() }
}

/// Reads answers as the interface would.
fn answers(state: &str, json: &str) -> BTreeMap<String, Answer> {
    let sent: BTreeMap<String, Value> = serde_json::from_str(json).unwrap();
    let certificate = certificate(state);
    let read = |(key, value): (String, Value)| {
        let question = certificate.questions.iter().find(|question| question.key == key);
        let question = question.unwrap_or_else(|| panic!("{state} asks no {key}"));
        let answer =
            check_answer(question, &value).unwrap_or_else(|fault| panic!("{state} {key}: {}", fault.message));
        (key, answer)
    };
    sent.into_iter().map(read).collect()
}

fn withheld(
    formula: &Formula,
    answers: &BTreeMap<String, Answer>,
    wages: &Wages,
    frequency: PayFrequency,
) -> Option<Amount> {
    let claims =
        formula.resolve_claims(certificate(&formula.state), |key| answers.get(key).cloned(), None).unwrap();
    let tax = formula.withhold_state_tax(&mut NoTrace, &claims, wages, frequency)?;
    let mut recorder = Recorder::default();
    assert_eq!(formula.withhold_state_tax(&mut recorder, &claims, wages, frequency), Some(tax));
    let nodes = recorder.finish();
    assert_eq!(nodes.len(), 1);
    let node = nodes[0].to_json();
    assert_eq!(node["result"], tax.to_text(2));
    evaluator::check(&node).unwrap_or_else(|error| panic!("{}: {error}", formula.state));
    Some(tax)
}

#[test]
fn every_example_comes_out_as_printed_but_two_of_maryland_that_are_three_cents_off() {
    let mut wrong = Vec::new();
    let examples: Vec<_> = EXAMPLES.lines().skip(1).collect();
    assert_eq!(examples.len(), 98);
    for example in &examples {
        let fields: Vec<_> = example.split(';').collect();
        let [id, state, frequency, gross, given, federal, fica, period, expected, _] = fields[..] else {
            panic!("{example}")
        };
        let wages = Wages {
            taxable: amount(gross),
            gross: amount(gross),
            federal_income_tax: amount(federal),
            fica: amount(fica),
            ..Wages::default()
        };
        let formula = formula(state, period == "earlier");
        let frequency = PayFrequency::parse(frequency).unwrap();
        let tax = withheld(formula, &answers(state, given), &wages, frequency);
        if tax != Some(amount(expected)) {
            wrong.push(format!("{id}: {tax:?} instead of {expected}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Returns some answers to a question, including its bounds.
fn some_answers(question: &crate::withholding::state::Question) -> Vec<Value> {
    match &question.kind {
        Kind::Select(choices) => {
            let value = |choice: &crate::withholding::state::Choice| match &choice.value {
                ChoiceValue::Text(word) => Value::from(word.as_str()),
                ChoiceValue::Bool(yes) => Value::from(*yes),
                ChoiceValue::Int(number) => Value::from(*number),
            };
            choices.iter().take(8).map(value).collect()
        }
        Kind::Number(NumberOf::Things { max }) => {
            [0, 1, 2, 11, *max].into_iter().filter(|count| count <= max).map(Value::from).collect()
        }
        Kind::Number(NumberOf::Percent) => ["2.25", "3.2"].map(Value::from).to_vec(),
        Kind::Currency => ["0", "40.00"].map(Value::from).to_vec(),
        Kind::Text | Kind::Date => Vec::new(),
    }
}

/// Withholds from wages of every size, and checks the result for the properties of any tax.
fn check_sizes(formula: &Formula, given: &BTreeMap<String, Answer>, frequency: PayFrequency) {
    for gross in ["0", "0.01", "57.10", "480", "1500", "5200.37", "30000", "2000000", "900000000"] {
        let gross = amount(gross);
        let fica = gross.mul_ratio(765, 10_000, Rounding::Down).unwrap().round_to_cents(Rounding::Down);
        let wages = Wages { taxable: gross, gross, federal_income_tax: fica, fica, ..Wages::default() };
        let expected = format!("{} {given:?} {frequency:?} {gross}", formula.state);
        let tax =
            withheld(formula, given, &wages, frequency).unwrap_or_else(|| panic!("no figure: {expected}"));
        // The additional withholding that was asked for, and the base of Oregon's first bracket.
        let beyond = if gross == Amount::ZERO { amount("40") } else { amount("303") };
        assert!(tax >= Amount::ZERO && tax <= gross.checked_add(beyond).unwrap(), "{expected}: {tax}");
        assert_eq!(tax.round_to_cents(Rounding::Down), tax, "{expected}");
    }
}

#[test]
fn every_state_has_a_figure_for_every_answer_frequency_and_wage() {
    for certificate in StateTables::built_in().iter().filter(|certificate| certificate.wage_tax) {
        let sent = certificate.questions.iter().flat_map(|question| {
            some_answers(question)
                .into_iter()
                .map(|sent| (question.key.clone(), check_answer(question, &sent).unwrap()))
        });
        for answer in sent {
            let mut given = BTreeMap::from([answer]);
            if certificate.code == "MD" {
                given.entry("local_rate".to_owned()).or_insert(Answer::Number(amount("3.2")));
            }
            for formula in &Formulas::built_in().by_state[&certificate.code] {
                let printed =
                    |frequency: &PayFrequency| formula.periods[frequency_index(*frequency)].is_some();
                PayFrequency::ALL
                    .iter()
                    .copied()
                    .filter(printed)
                    .for_each(|frequency| check_sizes(formula, &given, frequency));
            }
        }
    }
}

#[test]
fn states_without_a_usable_formula_say_why() {
    let find = |state: &str, day: Date| {
        let found = Formulas::built_in().find_formula(
            state,
            day,
            Days { first: day, last: day },
            PayFrequency::EveryWeek,
        );
        found.map(|formula| formula.from).map_err(|why| why.to_string())
    };
    let day = date(2026, 6, 19);
    assert_eq!(find("TX", day).unwrap_err(), "no withholding formula of the state is held");
    assert_eq!(
        find("CA", date(2025, 12, 31)).unwrap_err(),
        "no withholding formula of the state is held for 2025-12-31"
    );
    assert_eq!(
        find("CA", date(2027, 1, 1)).unwrap_err(),
        "no withholding formula of the state is held for 2027-01-01"
    );
    assert_eq!(find("NJ", date(2025, 12, 31)), Ok(date(2020, 10, 1)));
    assert_eq!(find("GA", date(2026, 5, 10)), Ok(date(2026, 1, 1)));
    assert_eq!(find("GA", date(2026, 5, 11)), Ok(date(2026, 5, 11)));
    let utah = |start| {
        Formulas::built_in().find_formula(
            "UT",
            day,
            Days { first: start, last: day },
            PayFrequency::EveryWeek,
        )
    };
    assert!(utah(date(2026, 6, 1)).is_ok());
    assert_eq!(utah(date(2026, 5, 31)).unwrap().from, date(2025, 6, 1));
    let ohio = |end| {
        Formulas::built_in().find_formula(
            "OH",
            day,
            Days { first: date(2026, 7, 19), last: end },
            PayFrequency::EveryWeek,
        )
    };
    assert_eq!(ohio(date(2026, 7, 31)).unwrap().from, date(2025, 10, 1));
    assert_eq!(ohio(date(2026, 8, 1)).unwrap().from, date(2026, 8, 1));
    assert_eq!(ohio(date(2027, 1, 3)).unwrap().from, date(2026, 8, 1), "paid in 2026");
    let (before, of_ohio) = Formulas::FILE.split_once("\"OH\": {").unwrap();
    let in_doubt = of_ohio.replacen(
        "\"from\": \"2026-08-01\",",
        "\"from\": \"2026-08-01\", \"in_doubt\": \"under review\",",
        1,
    );
    let doubted = Formulas::parse(&format!("{before}\"OH\": {{{in_doubt}")).unwrap();
    let found =
        doubted.find_formula("OH", day, Days { first: day, last: date(2026, 8, 1) }, PayFrequency::EveryWeek);
    assert_eq!(found.unwrap_err().to_string(), "under review");
    let quarterly =
        Formulas::built_in().find_formula("NY", day, Days { first: day, last: day }, PayFrequency::Quarterly);
    assert!(
        quarterly.is_ok(),
        "a pay period that the state does not print bears its part of the tax of a year"
    );
    let local = formula("MD", false).resolve_claims(certificate("MD"), |_| None, None);
    assert_eq!(local.unwrap_err().to_string(), "the employee's certificate has no answer to local_rate");
}

#[test]
fn every_state_that_taxes_wages_can_be_withheld_for_by_the_end_of_2026() {
    let day = date(2026, 11, 27);
    let usable = |code: &&String| {
        Formulas::built_in()
            .find_formula(code, day, Days { first: day, last: day }, PayFrequency::EveryWeek)
            .is_ok()
    };
    let codes: Vec<_> = Formulas::built_in().by_state.keys().collect();
    assert_eq!(codes.len(), 42);
    assert_eq!(codes.into_iter().filter(usable).count(), 42);
    let taxing: Vec<_> =
        StateTables::built_in().iter().filter(|state| state.wage_tax).map(|state| &state.code).collect();
    assert_eq!(taxing, Formulas::built_in().by_state.keys().collect::<Vec<_>>());
}

#[test]
fn without_a_certificate_the_states_rule_for_that_counts() {
    let week = |state: &str, given: &str| {
        let wages = Wages { taxable: amount("1000"), gross: amount("1000"), ..Wages::default() };
        withheld(formula(state, false), &answers(state, given), &wages, PayFrequency::EveryWeek)
            .unwrap()
            .to_text(2)
    };
    assert_eq!(week("OR", "{}"), "80.00");
    assert_eq!(week("CT", "{}"), "69.90");
    assert_eq!(week("CT", r#"{"filing_status": "A"}"#), "40.24");
    assert_eq!(week("AZ", "{}"), "20.00");
    assert_eq!(week("AZ", r#"{"exempt": true, "additional_withholding": "25"}"#), "0.00");
    assert_eq!(week("AZ", r#"{"additional_withholding": "25.50"}"#), "45.50");
}

#[test]
fn colorado_takes_the_employees_allowance_only_where_it_is_claimed() {
    let month = |given: &str| {
        let wages = Wages { taxable: amount("5000"), gross: amount("5000"), ..Wages::default() };
        withheld(formula("CO", false), &answers("CO", given), &wages, PayFrequency::Monthly)
            .unwrap()
            .to_text(2)
    };
    // 60,000 less 5,500, and less 20,000, at 4.4 %.
    assert_eq!(month(r#"{"filing_status": "single", "annual_allowance_override": "20000"}"#), "199.83");
    let claimed = r#"{"filing_status": "single", "claims_annual_allowance": true, "annual_allowance_override": "20000"}"#;
    assert_eq!(month(claimed), "146.67");
}

#[test]
fn californias_questions_say_their_own_words_to_the_formula() {
    let wages = Wages { taxable: amount("5100"), gross: amount("5100"), ..Wages::default() };
    let month = |given: &BTreeMap<String, Answer>| {
        withheld(formula("CA", false), given, &wages, PayFrequency::Monthly).unwrap().to_text(2)
    };
    let asked = |json| month(&answers("CA", json));
    let one_income = asked(r#"{"filing_status": "M", "withholding_allowance": 5}"#);
    assert_eq!(one_income, "0.82");
    // Married with two incomes is withheld as single.
    assert_eq!(asked(r#"{"filing_status": "MD"}"#), asked(r#"{"filing_status": "S"}"#));
    assert_ne!(asked(r#"{"filing_status": "MD"}"#), asked(r#"{"filing_status": "M"}"#));
    assert_eq!(asked(r#"{"filing_status": "E", "withholding_allowance": 5}"#), "0.00");
    // Calculations of earlier versions store the formula's words.
    let held = BTreeMap::from([
        ("filing_status".to_owned(), Answer::Text("married".to_owned())),
        ("allowances".to_owned(), Answer::Number(amount("5"))),
    ]);
    assert_eq!(month(&held), one_income);
    let exempt = BTreeMap::from([("exempt".to_owned(), Answer::Bool(true))]);
    assert_eq!(month(&exempt), "0.00");
}

#[test]
fn massachusetts_stops_subtracting_at_2000_a_year() {
    let week = |before: &str| {
        let wages = Wages {
            taxable: amount("800"),
            gross: amount("800"),
            fica: amount("61.20"),
            fica_before: amount(before),
            ..Wages::default()
        };
        let given = answers("MA", r#"{"exemptions": 1}"#);
        withheld(formula("MA", false), &given, &wages, PayFrequency::EveryWeek).unwrap().to_text(2)
    };
    assert_eq!([week("0"), week("1970"), week("2000")], ["32.69", "34.25", "35.75"]);
}

#[test]
fn a_faulty_file_is_refused_with_the_place_of_the_fault() {
    let file = include_str!("../../../../../../data/state_withholding_2026.json");
    let golden = [
        ("\"op\": \"annualise\"", "\"op\": \"double\"", "2026: AL: steps: double: there is no such step"),
        (
            "\"figure\": \"federal_tax\"",
            "\"figure\": \"tax\"",
            "2026: AL: steps: subtract: there is no figure tax",
        ),
        ("\"year\": 2026", "\"year\": 99", "year: this must be a year"),
        (
            "\"Daily\", \"Every week\"",
            "\"Daily\", \"Weekly\"",
            "2026: AL: frequencies: this must be a frequency",
        ),
        (
            "\"bound\": \"at_least\"",
            "\"bound\": \"above\"",
            "2026: AL: steps: subtract: bound must be more_than or at_least",
        ),
        (
            "[\"500\", \"10\", \"4\"]",
            "[\"5000\", \"10\", \"4\"]",
            "2026: AL: steps: brackets: table: zero: the rows must ascend",
        ),
    ];
    for (right, wrong, expected) in golden {
        let error = Formulas::parse(&file.replacen(right, wrong, 1)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn the_formulas_of_another_year_stand_beside_those_of_this_one() {
    let file = include_str!("../../../../../../data/state_withholding_2026.json");
    let newer = file.replace("2026-", "2027-").replacen("\"year\": 2026", "\"year\": 2027", 1);
    let both = Formulas::parse(&format!("[{newer}, {file}]")).unwrap();
    let day = |year| date(year, 7, 1);
    let of = |year| {
        both.find_formula(
            "IL",
            day(year),
            Days { first: day(year), last: day(year) },
            PayFrequency::EveryWeek,
        )
        .map(|found| found.until)
    };
    assert_eq!((of(2026), of(2027)), (Ok(date(2026, 12, 31)), Ok(date(2027, 12, 31))));
    assert_eq!(of(2028), Err(Unusable::NotInForce(day(2028))));
    assert_eq!(both.last_day("IL"), Some(date(2027, 12, 31)));
    assert_eq!(both.last_day_until("IL", date(2027, 3, 5)), Some(date(2027, 3, 5)));
    assert_eq!(both.last_day_until("IL", date(2028, 3, 5)), Some(date(2027, 12, 31)));
    let new_jersey = both.by_state["NJ"].iter().map(|formula| formula.from).collect::<Vec<_>>();
    assert_eq!(new_jersey, [date(2020, 10, 1), date(2027, 1, 1)], "the formula is older than the newer file");
    let overlap = file.replacen("\"until\": \"2026-05-10\"", "\"until\": \"2026-05-11\"", 1);
    let overlap = Formulas::parse(&overlap).unwrap_err().to_string();
    assert_eq!(overlap, "GA: two formulas are in force on 2026-05-11");
}

#[test]
fn a_formula_of_exemptions_and_a_percentage_tells_the_wages_after_exemptions() {
    let indiana = formula("IN", false);
    let taxable = |answers: &str, frequency| {
        let answers = self::answers("IN", answers);
        let claims =
            indiana.resolve_claims(certificate("IN"), |key| answers.get(key).cloned(), None).unwrap();
        indiana.taxable_wages(&claims, amount("2000"), frequency).unwrap().to_text(2)
    };
    assert_eq!(taxable("{}", PayFrequency::EveryOtherWeek), "2000.00");
    // 2 x 1,000 and 1,500 a year, divided by 26: 76.92 and 57.69.
    let three = r#"{"personal_exemptions": 2, "dependent_exemptions": 1}"#;
    assert_eq!(taxable(three, PayFrequency::EveryOtherWeek), "1865.39");
    let new_york = formula("NY", false);
    let claims = new_york.resolve_claims(certificate("NY"), |_| None, None).unwrap();
    assert_eq!(new_york.taxable_wages(&claims, amount("2000"), PayFrequency::EveryOtherWeek), None);
}

#[test]
fn an_answer_that_is_not_a_number_is_no_answer_instead_of_zero() {
    const ASKED: &str = "additional_withholding";
    let mut refused = 0;
    for (state, formulas) in &Formulas::built_in().by_state {
        let asks = certificate(state).questions.iter().any(|question| question.key == ASKED);
        let of = |answer: Answer| {
            let answer = |key: &str| (key == ASKED).then(|| answer.clone());
            formulas.last().unwrap().resolve_claims(certificate(state), answer, None)
        };
        if !asks || of(Answer::Currency(amount("25"))).is_err() {
            continue;
        }
        for wrong in [Answer::Text("ten".to_owned()), Answer::Date(date(2026, 1, 1))] {
            assert_eq!(of(wrong), Err(Unusable::Unanswered(ASKED.to_owned())), "{state}");
            refused += 1;
        }
        assert_eq!(of(Answer::Text("25".to_owned())), of(Answer::Currency(amount("25"))), "{state}");
    }
    assert!(refused > 20, "{refused}");
}
