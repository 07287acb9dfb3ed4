//! The states' questions in the languages of the pages. The questions themselves are data, in English; one table per
//! language has the translations, looked up by the English text.

use std::collections::HashMap;
use std::sync::OnceLock;

use domain::language::Language;

const SPANISH: &str = include_str!("questions_es.csv");
const REQUIREMENTS_IN_SPANISH: &str = include_str!("requirements_es.csv");

/// A question, its help or a choice. Text without a translation (a number, a letter, the name of a county) is the same
/// in every language.
pub fn translate_question(language: Language, english: &str) -> &str {
    static TABLE: OnceLock<HashMap<String, String>> = OnceLock::new();
    match language {
        Language::English => english,
        Language::Spanish => {
            TABLE.get_or_init(|| parse_table(SPANISH)).get(english).map_or(english, String::as_str)
        }
    }
}

/// The same for the questions to an employer. Names of programs are not translated.
pub fn translate_requirement(language: Language, english: &str) -> &str {
    static TABLE: OnceLock<HashMap<String, String>> = OnceLock::new();
    match language {
        Language::English => english,
        Language::Spanish => {
            let table = TABLE.get_or_init(|| parse_table(REQUIREMENTS_IN_SPANISH));
            table.get(english).map_or(english, String::as_str)
        }
    }
}

/// The table is part of the program: an error in it is a bug.
fn parse_table(table: &str) -> HashMap<String, String> {
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    rows.map(|row| row.unwrap_or_else(|error| panic!("the translated questions: {error}"))).collect()
}

#[cfg(test)]
mod tests {
    use rules::company::state::{Format, credit_set, requirement_sets};
    use rules::withholding::state::{Kind, StateTables, nonresident_certificate};

    use super::*;

    #[test]
    fn every_question_with_its_help_and_its_choices_is_there_in_spanish() {
        let spanish = parse_table(SPANISH);
        let of_states = || StateTables::built_in().iter().flat_map(|state| &state.questions);
        let questions = || of_states().chain([nonresident_certificate()]);
        let asked = questions().filter(|question| !question.admin_only);
        for question in asked {
            assert!(spanish.contains_key(&question.label), "{}", question.label);
            if let Some(help) = &question.help {
                assert!(spanish.contains_key(help), "{help}");
            }
            let Kind::Select(choices) = &question.kind else { continue };
            // Names of places, and single letters or numbers, are not translated.
            let is_word = |label: &str| label.chars().any(char::is_lowercase) && question.key != "county";
            for choice in choices.iter().filter(|choice| is_word(&choice.label)) {
                assert!(spanish.contains_key(&choice.label), "{}: {}", question.label, choice.label);
            }
        }
        let known: Vec<_> = questions()
            .flat_map(|question| {
                let choices = match &question.kind {
                    Kind::Select(choices) => choices.iter().map(|choice| choice.label.clone()).collect(),
                    _ => Vec::new(),
                };
                [vec![question.label.clone()], question.help.clone().into_iter().collect(), choices].concat()
            })
            .collect();
        for english in spanish.keys() {
            assert!(known.contains(english), "nobody asks {english:?}");
        }
    }

    #[test]
    fn everything_that_a_state_asks_of_an_employer_is_there_in_spanish() {
        let spanish = parse_table(REQUIREMENTS_IN_SPANISH);
        let states = || rules::check::STATES.iter().map(|(code, _)| *code);
        for set in states().flat_map(|code| requirement_sets(code, true)) {
            // Programs keep their English names, but their questions are translated.
            assert!(!set.label.contains(", ") || spanish.contains_key(set.label), "{}", set.label);
        }
        let states = states();
        let of_ohio = credit_set("OH-61000");
        for requirement in states
            .flat_map(|code| requirement_sets(code, true))
            .chain(of_ohio)
            .flat_map(|set| set.requirements)
        {
            let choices: &[&str] = match requirement.format {
                Format::Select(choices) => choices,
                _ => &[],
            };
            // Rates have their own help text on the page, because they are entered in percent.
            let help = (requirement.format != Format::TaxRate).then_some(requirement.description);
            for english in [requirement.label].into_iter().chain(help).chain(choices.iter().copied()) {
                assert!(spanish.contains_key(english), "{english}");
            }
        }
    }

    #[test]
    fn what_has_no_translation_stays_as_it_is() {
        assert_eq!(translate_question(Language::Spanish, "Vanderburgh"), "Vanderburgh");
        assert_eq!(translate_question(Language::Spanish, "Filing status"), "Estado civil tributario");
        assert_eq!(translate_question(Language::English, "Filing status"), "Filing status");
    }
}
