//! Tests of the built-in tables, and of errors in invalid ones.

use super::*;
use crate::check::STATES;
use serde_json::json;

const CERTIFICATES: &str = include_str!("../../../../../data/state_certificates_2026.json");
const NEW_HIRES: &str = "state,days,source\nUS,20,\"a, b\"\nIA,15,x\n";

fn tables() -> &'static StateTables {
    StateTables::built_in()
}

#[test]
fn every_state_is_there_by_its_name() {
    let ours: Vec<_> = tables().iter().map(|state| (state.code.as_str(), state.name.as_str())).collect();
    let mut expected = STATES.to_vec();
    expected.sort_unstable();
    assert_eq!(ours, expected);
}

#[test]
fn nine_states_do_not_tax_wages() {
    let free: Vec<_> = tables().iter().filter(|state| !state.wage_tax).collect();
    let codes: Vec<_> = free.iter().map(|state| state.code.as_str()).collect();
    assert_eq!(codes, ["AK", "FL", "NH", "NV", "SD", "TN", "TX", "WA", "WY"]);
    assert!(free.iter().all(|state| state.form.is_none()));
    let of_programs =
        |question: &Question| question.admin_only && question.optional && !question.exempts.is_empty();
    assert!(free.iter().flat_map(|state| &state.questions).all(of_programs));
    let asking: Vec<_> =
        free.iter().filter(|state| !state.questions.is_empty()).map(|state| &*state.code).collect();
    assert_eq!(asking, ["WA"]);
}

#[test]
fn every_state_with_a_tax_but_california_asks_for_extra_withholding_and_exemption_at_last() {
    for state in tables().iter().filter(|state| state.wage_tax && state.code != "CA") {
        let [.., extra, exempt] = state.questions.as_slice() else { panic!("{}", state.code) };
        assert_eq!((extra.key.as_str(), &extra.kind), ("additional_withholding", &Kind::Currency));
        assert_eq!(extra.default.as_ref().map(Answer::to_json), Some(json!("0.0")));
        assert_eq!((exempt.key.as_str(), &exempt.kind), ("exempt", &Kind::yes_or_no()));
        assert_eq!(exempt.default, Some(Answer::Bool(false)));
        assert!(state.form.is_some() || state.code == "PA", "{}", state.code);
    }
}

#[test]
fn a_question_about_an_exemption_names_taxes_that_know_one() {
    use crate::taxes::{Payer, TaxTable};
    let mut all = Vec::new();
    for state in tables().iter() {
        for question in state.questions.iter().filter(|question| !question.exempts.is_empty()) {
            assert_eq!((&question.kind, question.optional), (&Kind::yes_or_no(), true), "{}", question.key);
            for code in &question.exempts {
                let rows = TaxTable::insurance().iter().chain(TaxTable::built_in_local().iter());
                let mut rows =
                    rows.filter(|tax| tax.code == *code && tax.payer == Payer::Employee).peekable();
                assert!(rows.peek().is_some(), "{code}");
                assert!(rows.all(|tax| tax.options.exempt && tax.jurisdiction.state == state.code), "{code}");
            }
            all.push((state.code.as_str(), question.key.as_str()));
        }
    }
    let expected = [
        ("CO", "occupational_tax_elsewhere"),
        ("NY", "family_leave_waiver"),
        ("WA", "wa_cares_exempt"),
        ("WV", "city_fee_elsewhere"),
    ];
    assert_eq!(all, expected);
    let washington = tables().get("WA").unwrap();
    let answered = |value: bool| {
        washington.exempted_taxes(|key| (key == "wa_cares_exempt").then_some(Answer::Bool(value)))
    };
    assert_eq!((answered(true), answered(false)), (vec!["WA_CARES"], vec![]));
    assert!(washington.exempted_taxes(|_| None).is_empty());
}

#[test]
fn only_questions_about_a_place_have_no_default() {
    let open: Vec<_> = tables()
        .iter()
        .flat_map(|state| state.questions.iter().map(move |question| (state.code.as_str(), question)))
        .filter(|(_, question)| question.default.is_none())
        .map(|(state, question)| (state, question.key.as_str()))
        .collect();
    let expected = [
        ("IN", "county"),
        ("MD", "local_rate"),
        ("OH", "school_district"),
        ("PA", "psd_code"),
        ("PA", "work_psd_code"),
    ];
    assert_eq!(open, expected);
}

#[test]
fn a_question_is_read_with_its_form_default_and_help() {
    let arizona = &tables().get("AZ").unwrap().questions[0];
    assert_eq!(arizona.default, Some(Answer::Text("0.020".to_owned())));
    let Kind::Select(choices) = &arizona.kind else { panic!("{:?}", arizona.kind) };
    assert_eq!(choices.len(), 8);
    assert_eq!(
        choices[7],
        Choice {
            value: ChoiceValue::Text("0.035".to_owned()),
            label: "3.5%".to_owned(),
            in_formula: Vec::new()
        }
    );
    let blind = &tables().get("MA").unwrap().questions[2];
    assert_eq!(blind.kind, Kind::Number(NumberOf::Things { max: 2 }));
    assert_eq!(tables().get("MD").unwrap().questions[2].kind, Kind::Number(NumberOf::Percent));
    assert_eq!(tables().get("IL").unwrap().questions[0].help.as_deref(), Some("Line 1 of Form IL-W-4."));
}

#[test]
fn an_employee_without_a_certificate_is_taxed_as_the_state_says() {
    let rule = |code: &str| tables().get(code).unwrap().if_no_certificate.clone();
    assert_eq!(rule("CT"), IfNoCertificate::FlatPercent(Amount::from_cents(699)));
    assert_eq!(rule("OR"), IfNoCertificate::FlatPercent(Amount::from_cents(800)));
    let one = ("exemptions".to_owned(), Answer::Number(Amount::from_cents(100)));
    let single = ("filing_status".to_owned(), Answer::Text("single".to_owned()));
    assert_eq!(rule("MD"), IfNoCertificate::Answers(vec![single, one]));
    assert_eq!(rule("TX"), IfNoCertificate::Answers(vec![]));
}

fn form(filing_status: FilingStatus) -> W4 {
    W4::Pre2020 { filing_status, allowances: 0, additional_withholding: Amount::ZERO }
}

#[test]
fn states_without_a_form_of_their_own_go_by_the_federal_one() {
    let by_form: Vec<_> = tables()
        .iter()
        .filter(|state| !state.by_federal_w4.is_empty())
        .map(|state| state.code.as_str())
        .collect();
    assert_eq!(by_form, ["CO", "ND", "NM", "UT"]);
    // Every state that uses the federal form is among them.
    let federal = |state: &&Arc<StateCertificate>| state.form.as_deref() == Some("Federal Form W-4");
    assert!(tables().iter().filter(federal).all(|state| by_form.contains(&state.code.as_str())));
    let said = |code: &str, status| tables().get(code).unwrap().answers_of(&form(status));
    // A form that claims no exemption counts before an answer that claims one.
    let status =
        |word: &str| vec![("filing_status", Answer::Text(word.to_owned())), ("exempt", Answer::Bool(false))];
    for code in by_form {
        let married = if ["CO", "ND"].contains(&code) { "married_joint" } else { "married" };
        assert_eq!(said(code, FilingStatus::Married), status(married), "{code}");
        assert_eq!(said(code, FilingStatus::Single), status("single"), "{code}");
        assert_eq!(said(code, FilingStatus::MarriedWithholdAsSingle), status("single"), "{code}");
        assert_eq!(said(code, FilingStatus::Exempt), vec![("exempt", Answer::Bool(true))], "{code}");
        // Utah uses its table for single people for heads of household.
        let head = if code == "UT" { "single" } else { "head_of_household" };
        assert_eq!(said(code, FilingStatus::HeadOfHousehold), status(head), "{code}");
    }
    assert_eq!(said("NY", FilingStatus::Exempt), []);
}

#[test]
fn a_new_hire_report_is_due_within_the_days_of_its_state() {
    let shorter: Vec<_> = tables()
        .iter()
        .filter(|state| state.new_hire_days != 20)
        .map(|state| (state.code.as_str(), state.new_hire_days))
        .collect();
    let expected = [
        ("AL", 7),
        ("GA", 10),
        ("IA", 15),
        ("MA", 14),
        ("ME", 7),
        ("MS", 15),
        ("RI", 14),
        ("VT", 10),
        ("WV", 14),
    ];
    assert_eq!(shorter, expected);
    let question = &tables().get("IA").unwrap().new_hire_report;
    let label = "File a new hire report with Iowa? It is due within 15 days after the employee starts.";
    assert_eq!((question.key.as_str(), question.label.as_str()), (NEW_HIRE_REPORT, label));
    let labels = ("Yes, file the state new hire report for me.", "No, I have already filed.");
    assert_eq!(question.kind, Kind::yes_no_labeled(labels.0, labels.1));
    assert!(question.admin_only && question.default.is_none());
}

#[test]
fn a_state_without_a_row_of_its_own_has_the_federal_days() {
    let tables = StateCertificates::parse_with(CERTIFICATES, NEW_HIRES).unwrap();
    let tables = tables.certificates_of_year(2026);
    assert_eq!(tables.get("IA").unwrap().new_hire_days, 15);
    assert_eq!(tables.get("CA").unwrap().new_hire_days, 20);
    let expected = |csv: &str| StateCertificates::parse_with(CERTIFICATES, csv).unwrap_err().to_string();
    assert_eq!(expected("state,days,source\nIA,15,x\n"), "new hire reporting: no row US");
    let wrong = expected("state,days,source\nUS;20\n");
    assert!(wrong.starts_with("new hire reporting: ") && wrong.contains("line: 2"), "{wrong}");
}

#[test]
fn a_faulty_table_is_refused_with_the_place_of_the_fault() {
    let golden = [
        ("\"type\": \"count\"", "\"type\": \"number\"", "AL: questions: dependents: no such type: number"),
        (
            "\"default\": \"zero\"",
            "\"default\": \"nil\"",
            "AL: questions: filing_status must be one of: \
          zero, single, married_separate, married, head_of_family",
        ),
        ("[\"zero\", ", "[", "AL: questions: filing_status: options: an option must be a value and a label"),
        ("\"key\": \"dependents\"", "\"key\": \"exempt\"", "AL: questions: exempt is there twice"),
        (
            "{\"filing_status\": \"zero\", ",
            "{\"status\": \"zero\", ",
            "AL: if_no_certificate: no such question: status",
        ),
        ("\"name\": \"Alaska\", ", "", "AK: name is missing"),
    ];
    for (right, wrong, expected) in golden {
        let faulty = CERTIFICATES.replacen(right, wrong, 1);
        let error = StateCertificates::parse(&faulty).unwrap_err().to_string();
        assert_eq!(error, format!("2026: {expected}"));
    }
}

#[test]
fn a_state_that_publishes_nothing_new_keeps_its_form() {
    let common = "\"every_wage_tax\": [], \"states\"";
    let newer =
        format!("{{\"year\": 2027, {common}: {{\"AK\": {{\"name\": \"Alyeska\", \"wage_tax\": false}}}}}}");
    let tables = StateCertificates::parse(&format!("[{newer}, {CERTIFICATES}]")).unwrap();
    let name = |year, code| tables.certificates_of_year(year).get(code).unwrap().name.clone();
    assert_eq!((name(2027, "AK"), name(2031, "AK")), ("Alyeska".to_owned(), "Alyeska".to_owned()));
    assert_eq!((name(2026, "AK"), name(2024, "AK")), ("Alaska".to_owned(), "Alaska".to_owned()));
    assert_eq!(tables.certificates_of_year(2027).get("IA"), tables.certificates_of_year(2026).get("IA"));
}
