//! Figures in tables of taxes, garnishments, final pay, deposits and overtime that are from memory or in doubt, for an operator to check
//! against the authority's notice. Rows that an operator has imported are confirmed like those that are built in.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::LazyLock;

use super::bases::{BaseTable, OWN_WAGES, PROGRAMMES, wages_key};
use super::editions::{LocalTaxes, StatePrograms};
use super::ohio::{OhioCreditRow, OhioCreditTable, credit_key};
use super::residence_tables::{NonresidentTable, ReciprocityTable};
use super::source::Confidence;
use super::supplemental::{SupplementalRate, SupplementalTable, supplemental_key};
use super::table::{Method, Tax, TaxTable};
use super::unemployment::{self, UnemploymentTable};
use crate::deposits::types::DepositTypes;
use crate::final_pay::FinalPayTable;
use crate::payroll::garnishment::{self, EmployerFees, GarnishmentLimits, LevyExemptions};
use crate::wage_hour::OvertimeRules;

/// Suffix of the keys of states' rules of residence, such as `PA_RESIDENCE`.
const RESIDENCE: &str = "_RESIDENCE";

/// A figure or rule that counts only once it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubtful {
    /// Code of the tax (`NV_CEP`, `TX_SUI`), or key of a state's rules of residence (`PA_RESIDENCE`), its rate for supplemental wages
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

/// Returns the key of a state's rules of residence.
pub fn residence_key(state: &str) -> String {
    format!("{state}{RESIDENCE}")
}

/// Returns the state of a residence rules key.
pub(super) fn state_of_residence(key: &str) -> Option<&str> {
    key.strip_suffix(RESIDENCE)
}

/// The tables whose figures may be in doubt. Of a table by day, all editions are among them.
#[derive(Debug, Clone)]
pub struct DoubtfulTables<'a> {
    /// Insurance programs of states.
    pub programs: &'a TaxTable,
    /// Local taxes.
    pub local: &'a TaxTable,
    /// States' unemployment insurance.
    pub unemployment: &'a UnemploymentTable,
    /// Rules on residents and nonresidents.
    pub residents: Vec<&'a NonresidentTable>,
    /// Reciprocity.
    pub reciprocity: &'a ReciprocityTable,
    /// Rates for supplemental wages.
    pub supplemental: &'a SupplementalTable,
    /// Credits of Ohio's cities.
    pub ohio_credits: &'a OhioCreditTable,
    /// Which benefits count as wages.
    pub bases: Vec<&'a BaseTable>,
    /// Limits of creditors and of states' levies.
    pub garnishment_limits: &'a GarnishmentLimits,
    /// Amounts exempt from federal levies.
    pub levy_exemptions: &'a LevyExemptions,
    /// Fees of employers for handling orders.
    pub employer_fees: &'a EmployerFees,
    /// Final pay.
    pub final_pay: Vec<&'a FinalPayTable>,
    /// Codes of deposits.
    pub deposits: &'a DepositTypes,
    /// Overtime.
    pub overtime: Vec<&'a OvertimeRules>,
}

/// Returns the figures in doubt in the built-in tables, by key.
pub fn doubtful_figures() -> &'static [Doubtful] {
    static DOUBTFUL: LazyLock<Vec<Doubtful>> =
        LazyLock::new(|| DoubtfulTables::built_in().doubtful_figures());
    &DOUBTFUL
}

impl DoubtfulTables<'_> {
    /// Returns the built-in tables.
    pub fn built_in() -> DoubtfulTables<'static> {
        DoubtfulTables {
            programs: StatePrograms::built_in(),
            local: LocalTaxes::built_in(),
            unemployment: UnemploymentTable::built_in(),
            residents: vec![NonresidentTable::built_in()],
            reciprocity: ReciprocityTable::built_in(),
            supplemental: SupplementalTable::built_in(),
            ohio_credits: OhioCreditTable::built_in(),
            bases: vec![BaseTable::built_in()],
            garnishment_limits: GarnishmentLimits::built_in(),
            levy_exemptions: LevyExemptions::built_in(),
            employer_fees: EmployerFees::built_in(),
            final_pay: vec![FinalPayTable::built_in()],
            deposits: DepositTypes::built_in(),
            overtime: vec![OvertimeRules::built_in()],
        }
    }

    /// Returns the figures in doubt, by key.
    pub fn doubtful_figures(&self) -> Vec<Doubtful> {
        let mut found = Doubts::default();
        self.add_taxes(&mut found);
        self.add_rules_of_states(&mut found);
        self.add_bases(&mut found);
        let garnishments =
            garnishment::in_doubt(self.garnishment_limits, self.levy_exemptions, self.employer_fees);
        for (key, name, confidence, source, held) in garnishments {
            found.add_row((key, name), confidence, &source, &held);
        }
        for row in self.deposits.iter().filter(|row| !row.confidence.is_enough()) {
            let name = format!("Codes of deposits of Form {}", row.form_number());
            found.add_row((row.key(), name), row.confidence, &row.source, row);
        }
        found.by_key()
    }

    /// Adds the taxes. The day on which a row ends is not a figure: a later row, which may be beyond doubt, sets it.
    fn add_taxes(&self, found: &mut Doubts) {
        for tax in self.programs.iter().chain(self.local.iter()) {
            // A row without a figure, or settled elsewhere, needs no confirmation.
            if !tax.confidence.is_enough()
                && !matches!(tax.method, Method::Gap | Method::OnReturn(_) | Method::None)
            {
                let held = Tax { to: None, ..Tax::clone(tax) };
                found.add_row((tax.code.clone(), tax.name.clone()), tax.confidence, &tax.source, &held);
            }
        }
        for row in self.unemployment.iter() {
            let worst = row.base_confidence.max(row.rate_confidence);
            if !worst.is_enough() {
                let name = format!("{} unemployment insurance: wage base and new employers' rate", row.state);
                let held = unemployment::Row { to: None, ..row.clone() };
                found.add_row((format!("{}_SUI", row.state), name), worst, &row.source, &held);
            }
        }
        for row in self.supplemental.iter().filter(|row| !row.confidence.is_enough()) {
            let name = format!("{} rate for supplemental wages", row.state);
            let held = SupplementalRate { to: None, ..row.clone() };
            found.add_row((supplemental_key(&row.state), name), row.confidence, &row.source, &held);
        }
        for (place, row) in self.ohio_credits.iter().filter(|(_, row)| !row.confidence.is_enough()) {
            let name = format!("{}: credit for residents who work in another city", row.city);
            let held = OhioCreditRow { to: None, ..row.clone() };
            found.add_row((credit_key(place), name), row.confidence, &row.credit.source, &held);
        }
    }

    fn add_rules_of_states(&self, found: &mut Doubts) {
        for (state, rule) in self.residents.iter().flat_map(|table| table.iter()) {
            let worst =
                rule.threshold_confidence.max(rule.residents_confidence).max(rule.convenience_confidence);
            if !worst.is_enough() {
                found.add_row((residence_key(state), residence_name(state)), worst, &rule.source, rule);
            }
        }
        for row in self.reciprocity.iter().filter(|row| !row.confidence.is_enough()) {
            let key = residence_key(&row.work);
            found.add_row((key, residence_name(&row.work)), row.confidence, &row.source, row);
        }
        let final_pay = self.final_pay.iter().flat_map(|table| table.iter());
        for rule in final_pay.filter(|rule| rule.is_doubtful()) {
            let name = format!("{} last wages: unused vacation is paid out", rule.state);
            // The date when the wages are due is not a figure of a paycheck.
            let held = (rule.unused_vacation, &rule.note);
            found.add_row((rule.key(), name), rule.confidence, &rule.source, &held);
        }
        let overtime = self.overtime.iter().flat_map(|table| table.iter());
        for rule in overtime.filter(|rule| !rule.confidence.is_enough()) {
            let name = format!("{} overtime: hours of a day", rule.state);
            found.add_row((rule.key(), name), rule.confidence, &rule.source, rule);
        }
    }

    fn add_bases(&self, found: &mut Doubts) {
        for bases in &self.bases {
            for state in OWN_WAGES {
                if let Some((confidence, source)) = bases.doubt_of_state_income(state) {
                    let name = format!("{state} income tax: which benefits count as wages");
                    let held = bases.doubtful_of_state_income(state);
                    found.add_row((wages_key(state), name), confidence, &source, &held);
                }
            }
            for (base, key, name) in PROGRAMMES {
                if let Some((confidence, source, held)) = bases.doubt_of(base) {
                    found.add_row((key.to_owned(), name.to_owned()), confidence, &source, &held);
                }
            }
        }
    }
}

fn residence_name(state: &str) -> String {
    format!("{state} income tax of residents who work elsewhere, and of nonresidents")
}

/// Figures in doubt while they are collected.
#[derive(Debug, Default)]
pub struct Doubts {
    by_key: BTreeMap<String, Doubtful>,
    /// Keys and contents of rows that were added: several editions of a table have the same row.
    rows: BTreeSet<(String, String)>,
}

impl Doubts {
    /// Adds a row under its key, with a name for people. Rows with one key are confirmed together.
    pub fn add_row(
        &mut self,
        (key, name): (String, String),
        confidence: Confidence,
        source: &str,
        row: &impl Debug,
    ) {
        let row = format!("{row:?}");
        if !self.rows.insert((key.clone(), row.clone())) {
            return;
        }
        let held = self.by_key.entry(key.clone()).or_insert_with(|| Doubtful {
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
        held.fingerprint = row_fingerprint(&held.fingerprint, &row);
    }

    /// Returns the figures by key.
    pub fn by_key(self) -> Vec<Doubtful> {
        self.by_key.into_values().collect()
    }
}

/// Returns the FNV-1a hash of a row and what came before; the same on every machine.
fn row_fingerprint(before: &str, row: &str) -> String {
    let bytes = before.bytes().chain(row.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dated::Undated as _;

    #[test]
    fn each_doubtful_figure_is_listed_once_with_its_source_and_nothing_that_is_sure() {
        let all = doubtful_figures();
        let keys: Vec<&str> = all.iter().map(|one| one.key.as_str()).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
        assert!(all.iter().all(|one| !one.confidence.is_enough() && !one.source.is_empty()));
        for known in ["NV_CEP", "GROSS_WAGES", "PA_RESIDENCE", "NE_RESIDENCE", "US_944_DEPOSITS"] {
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
        assert_ne!(row_fingerprint("", "2.5 %"), row_fingerprint("", "2.6 %"));
        assert_ne!(
            row_fingerprint(&row_fingerprint("", "a"), "b"),
            row_fingerprint(&row_fingerprint("", "b"), "a")
        );
        assert_eq!(doubtful_figures(), DoubtfulTables::built_in().doubtful_figures());
    }

    /// What is in doubt with other rules of residence.
    fn with_residents(editions: Vec<&NonresidentTable>) -> BTreeMap<String, String> {
        let tables = DoubtfulTables { residents: editions, ..DoubtfulTables::built_in() };
        tables.doubtful_figures().into_iter().map(|one| (one.key, one.fingerprint)).collect()
    }

    #[test]
    fn an_edition_that_repeats_a_row_changes_nothing_and_another_figure_asks_again() {
        let built_in = NonresidentTable::built_in();
        let held = with_residents(vec![built_in]);
        assert_eq!(with_residents(vec![built_in, built_in]), held);
        let row = NonresidentTable::FILE.lines().find(|line| line.starts_with("NE,")).unwrap();
        let days = row.replacen(",yes,yes,7,", ",yes,yes,8,", 1);
        assert_ne!(days, row, "{row}");
        let other = NonresidentTable::parse(&NonresidentTable::FILE.replacen(row, &days, 1)).unwrap();
        let both = with_residents(vec![built_in, &other]);
        let changed: Vec<&String> = both.keys().filter(|key| held.get(*key) != both.get(*key)).collect();
        assert_eq!(changed, ["NE_RESIDENCE"]);
    }

    #[test]
    fn a_row_that_a_later_one_ends_is_still_confirmed() {
        let row = StatePrograms::FILE.lines().find(|line| line.starts_with("NV_CEP,")).unwrap();
        let (header, rows) = StatePrograms::FILE.split_once('\n').unwrap();
        let next = row.replacen("2026-01-01", "2027-01-01", 1).replacen(",memory,", ",primary,", 1);
        assert!(next.contains("2027-01-01,,primary"), "{next}");
        let programs = StatePrograms::parse(&format!("{header}\n{next}\n{rows}")).unwrap();
        let tables = DoubtfulTables { programs: &programs, ..DoubtfulTables::built_in() };
        assert_eq!(tables.doubtful_figures(), doubtful_figures());
    }
}
