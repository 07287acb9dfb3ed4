//! Every warning has a text in every language, with all of its values.

use std::collections::BTreeSet;

use rules::Amount;
use rules::payroll::benefits::Lacking;
use rules::payroll::garnishment::NotApplied;
use rules::payroll::{FicaExemption, Warning as Given};
use rules::taxes::EnteredBy;
use strum::VariantArray as _;

use super::*;
use crate::pay::payrolls::record::texts_of_rules::of_rules;

/// Returns the names of the values in a text.
fn names(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

/// Returns a warning from the rules for each text.
fn of_each_text() -> Vec<Given> {
    let (state, section) = ("OH".to_owned(), "26 USC 6334(d)".to_owned());
    let cents = Amount::from_cents;
    let exemption = FicaExemption::VARIANTS[0];
    let not_worked_out = |entered_by| Given::TaxNotWorkedOut {
        code: "TX_SUI".to_owned(),
        name: "TX SUI".to_owned(),
        employer: true,
        why: "the rate is missing".to_owned(),
        entered_by,
    };
    let lacking = EnteredBy::VARIANTS.iter().copied().map(Some).chain([None]).map(not_worked_out);
    let mut all = vec![
        Given::StateTaxNotWithheld { state: String::new(), reason: "of the tables".to_owned() },
        Given::StateTaxNotWithheld { state: state.clone(), reason: "of the tables".to_owned() },
        Given::CountyNotKnown { state: state.clone(), percent: cents(330) },
        Given::SuppliedTaxNotUsed { code: "TX_SUI".to_owned() },
        Given::ExemptionNotApplied { exemption, born: true },
        Given::ExemptionNotApplied { exemption, born: false },
        Given::NonresidentAmountsMissing { year: 2027 },
        Given::TaxesNotCollected { amount: cents(4_107) },
        Given::DeductionsCut { amount: cents(4_107) },
        Given::OvertimeBelowLaw {
            week: jiff::civil::date(2026, 6, 1),
            entered: cents(100),
            due: cents(800),
            section: section.clone(),
        },
        Given::WorkweeksNotKnown { known: 1, count: 4 },
        Given::MedicalPremium { ordered: cents(12_000), deducted: cents(5_000) },
        Given::PremiumsMissed { amount: cents(5_000), of: vec!["Medical".to_owned()] },
    ];
    all.extend(lacking);
    all.extend(Lacking::VARIANTS.iter().copied().map(Given::Benefit));
    let limits = [
        NotApplied::Unconfirmed { key: "OH_LIMIT".to_owned(), section, instead: "nothing was taken" },
        NotApplied::Fee { state: state.clone(), key: Some("OH_FEE".to_owned()) },
        NotApplied::Fee { state, key: None },
        NotApplied::HoursOfFee,
        NotApplied::EarlierYear { year: 2027, used: 2026 },
        NotApplied::YearNotHeld { year: 2027 },
        NotApplied::NoStateLimit { state: "CO".to_owned() },
    ];
    all.extend(limits.map(Given::GarnishmentLimit));
    all
}

#[test]
fn every_warning_of_the_rules_is_told_in_spanish_with_its_values() {
    let mut texts = BTreeSet::new();
    for given in of_each_text() {
        let warning = of_rules(&given);
        let (text, language) = warning.in_language(Language::Spanish);
        assert_eq!(language, Language::Spanish, "{given:?}");
        assert!(!text.contains('{') && text != warning.message, "{given:?}: {text}");
        assert_eq!(warning.in_language(Language::English), (warning.message.clone(), Language::English));
        texts.insert(warning.text);
    }
    assert_eq!(texts.len(), OF_RULES.len(), "a text of the rules that no warning has: {texts:?}");
}

#[test]
fn every_own_warning_is_told_in_spanish_with_values_that_it_has() {
    let mut seen = BTreeSet::new();
    for text in ALL.iter() {
        assert!(
            seen.insert(text.name) && OF_RULES.iter().all(|(name, _)| *name != text.name),
            "{}",
            text.name
        );
        let (english, spanish) = (names(text.english), names(text.spanish));
        assert!(spanish.is_subset(&english), "{}: {spanish:?} of {english:?}", text.name);
        let values: Vec<(&str, &dyn Display)> =
            english.iter().map(|name| (*name, name as &dyn Display)).collect();
        let warning = text.to_warning(&values);
        assert!(!warning.message.contains('{'), "{}", warning.message);
        let (words, language) = warning.in_language(Language::Spanish);
        assert!(language == Language::Spanish && !words.contains('{'), "{words}");
    }
}

#[test]
fn a_text_that_this_version_does_not_have_stays_english() {
    let newer = Warning {
        key: "days_not_paid".to_owned(),
        message: "what a newer program says".to_owned(),
        text: "days_not_paid_by_anybody".to_owned(),
        values: BTreeMap::new(),
    };
    assert_eq!(newer.in_language(Language::Spanish), (newer.message.clone(), Language::English));
}

#[test]
fn a_warning_is_read_as_it_was_stored() {
    let warning = DAYS_NOT_PAID.to_warning(&[("start", &1), ("end", &2), ("first", &3)]);
    let stored = serde_json::to_string(&warning).unwrap();
    assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), warning);
}
