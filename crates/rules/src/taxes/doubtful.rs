//! Figures in the built-in tables of taxes, garnishments, final pay, deposits and overtime that are from memory or in doubt, for an
//! operator to check against the authority's notice.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::LazyLock;

use super::bases::{BaseTable, OWN_WAGES, PROGRAMMES, wages_key};
use super::ohio::{OhioCreditTable, credit_key};
use super::residence_tables::{NonresidentTable, ReciprocityTable};
use super::source::Confidence;
use super::supplemental::{SupplementalTable, supplemental_key};
use super::table::{Method, TaxTable};
use super::unemployment::UnemploymentTable;
use crate::deposits::types::DepositTypes;
use crate::final_pay::FinalPayTable;
use crate::wage_hour::OvertimeRules;

/// Suffix of the keys of states' rules of residence, such as `NJ_RESIDENCE`.
const RESIDENCE: &str = "_RESIDENCE";

/// A figure or rule that counts only once it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubtful {
    /// Code of the tax (`NV_CEP`, `TX_SUI`), or key of a state's rules of residence (`NJ_RESIDENCE`), its rate for supplemental wages
    /// (`OH_SUPPLEMENTAL`), what counts as its wages (`NJ_WAGES`) or as wages of programs (`GROSS_WAGES`), an Ohio city's credit
    /// (`OH_75098_CREDIT`), the codes of a return's deposits (`US_944_DEPOSITS`), or a rule on final pay, overtime or garnishment.
    pub key: String,
    /// Description for people.
    pub name: String,
    /// Confidence in it: the worst of its rows.
    pub confidence: Confidence,
    /// Source.
    pub source: String,
    /// Hash that changes whenever the figures change, so that a confirmation of other figures does not count.
    pub fingerprint: String,
}

impl Doubtful {
    /// A figure in doubt of a table that is not among the rules, such as one of returns.
    pub fn of_row(
        (key, name): (String, String),
        confidence: Confidence,
        source: &str,
        row: &impl Debug,
    ) -> Self {
        let fingerprint = fingerprint("", &format!("{row:?}"));
        Self { key, name, confidence, source: source.to_owned(), fingerprint }
    }
}

/// Returns the key of a state's rules of residence.
pub fn residence_key(state: &str) -> String {
    format!("{state}{RESIDENCE}")
}

/// Returns the state of a residence rules key.
pub(super) fn state_of_residence(key: &str) -> Option<&str> {
    key.strip_suffix(RESIDENCE)
}

/// Returns the figures in doubt in the built-in tables, by key.
pub fn doubtful() -> &'static [Doubtful] {
    static DOUBTFUL: LazyLock<Vec<Doubtful>> = LazyLock::new(all);
    &DOUBTFUL
}

fn all() -> Vec<Doubtful> {
    let mut found = Found::default();
    for tax in TaxTable::insurance().iter().chain(TaxTable::local().iter()) {
        // A row without a figure, or settled elsewhere, needs no confirmation.
        if !tax.confidence.is_enough()
            && !matches!(tax.method, Method::Gap | Method::OnReturn(_) | Method::None)
        {
            found.add((tax.code.clone(), tax.name.clone()), tax.confidence, &tax.source, tax);
        }
    }
    for row in UnemploymentTable::built_in().iter() {
        let worst = row.base_confidence.max(row.rate_confidence);
        if !worst.is_enough() {
            let name = format!("{} unemployment insurance: wage base and new employers' rate", row.state);
            found.add((format!("{}_SUI", row.state), name), worst, &row.source, row);
        }
    }
    for (state, rule) in NonresidentTable::built_in().iter() {
        let worst = rule.threshold_confidence.max(rule.residents_confidence).max(rule.convenience_confidence);
        if !worst.is_enough() {
            found.add((residence_key(state), residence_name(state)), worst, &rule.source, rule);
        }
    }
    for row in ReciprocityTable::built_in().iter().filter(|row| !row.confidence.is_enough()) {
        let key = residence_key(&row.work);
        found.add((key, residence_name(&row.work)), row.confidence, &row.source, row);
    }
    for row in SupplementalTable::built_in().iter().filter(|row| !row.confidence.is_enough()) {
        let name = format!("{} rate for supplemental wages", row.state);
        found.add((supplemental_key(&row.state), name), row.confidence, &row.source, row);
    }
    for (place, row) in OhioCreditTable::built_in().iter().filter(|(_, row)| !row.confidence.is_enough()) {
        let name = format!("{}: credit for residents who work in another city", row.city);
        found.add((credit_key(place), name), row.confidence, &row.credit.source, row);
    }
    let bases = BaseTable::built_in();
    for state in OWN_WAGES {
        if let Some((confidence, source)) = bases.doubt_of_state_income(state) {
            let name = format!("{state} income tax: which benefits count as wages");
            let held = bases.doubtful_of_state_income(state);
            found.add((wages_key(state), name), confidence, &source, &held);
        }
    }
    for (base, key, name) in PROGRAMMES {
        if let Some((confidence, source, held)) = bases.doubt_of(base) {
            found.add((key.to_owned(), name.to_owned()), confidence, &source, &held);
        }
    }
    for (key, name, confidence, source, held) in crate::payroll::garnishment::in_doubt() {
        found.add((key, name), confidence, &source, &held);
    }
    for rule in FinalPayTable::built_in().iter().filter(|rule| rule.is_doubtful()) {
        let name = format!("{} last wages: unused vacation is paid out", rule.state);
        // The date when the wages are due is not a figure of a paycheck.
        let held = (rule.unused_vacation, &rule.note);
        found.add((rule.key(), name), rule.confidence, &rule.source, &held);
    }
    for row in DepositTypes::built_in().iter().filter(|row| !row.confidence.is_enough()) {
        let name = format!("Codes of deposits of Form {}", row.form_number());
        found.add((row.key(), name), row.confidence, &row.source, row);
    }
    for rule in OvertimeRules::built_in().iter().filter(|rule| !rule.confidence.is_enough()) {
        let name = format!("{} overtime: hours of a day", rule.state);
        found.add((rule.key(), name), rule.confidence, &rule.source, rule);
    }
    found.0.into_values().collect()
}

fn residence_name(state: &str) -> String {
    format!("{state} income tax of residents who work elsewhere, and of nonresidents")
}

#[derive(Default)]
struct Found(BTreeMap<String, Doubtful>);

impl Found {
    fn add(&mut self, (key, name): (String, String), confidence: Confidence, source: &str, row: &impl Debug) {
        let held = self.0.entry(key.clone()).or_insert_with(|| Doubtful {
            key,
            name,
            confidence,
            source: source.to_owned(),
            fingerprint: String::new(),
        });
        held.confidence = held.confidence.max(confidence);
        if !held.source.contains(source) {
            held.source = format!("{}; {source}", held.source);
        }
        held.fingerprint = fingerprint(&held.fingerprint, &format!("{row:?}"));
    }
}

/// Returns the FNV-1a hash of a row and what came before; the same on every machine.
fn fingerprint(before: &str, row: &str) -> String {
    let bytes = before.bytes().chain(row.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_doubtful_figure_is_listed_once_with_its_source_and_nothing_that_is_sure() {
        let all = doubtful();
        let keys: Vec<&str> = all.iter().map(|one| one.key.as_str()).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
        assert!(all.iter().all(|one| !one.confidence.is_enough() && !one.source.is_empty()));
        for known in ["NV_CEP", "GROSS_WAGES", "NJ_RESIDENCE", "NE_RESIDENCE", "US_944_DEPOSITS"] {
            assert!(keys.contains(&known), "{known} in {keys:?}");
        }
        for sure in ["CA_SDI", "CO_RESIDENCE", "CT_SUI", "NJ_NEWARK"] {
            let rule = sure
                .strip_suffix("_SUI")
                .and_then(|state| UnemploymentTable::built_in().iter().find(|row| row.state == state));
            let doubted = rule.is_some_and(|row| !row.base_confidence.max(row.rate_confidence).is_enough());
            assert_eq!(keys.contains(&sure), doubted, "{sure}");
        }
    }

    #[test]
    fn another_figure_has_another_fingerprint() {
        assert_ne!(fingerprint("", "2.5 %"), fingerprint("", "2.6 %"));
        assert_ne!(fingerprint(&fingerprint("", "a"), "b"), fingerprint(&fingerprint("", "b"), "a"));
        assert_eq!(doubtful(), all());
    }
}
