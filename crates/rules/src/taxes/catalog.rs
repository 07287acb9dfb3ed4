//! A catalog of every tax in the tables of states and places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;

use super::pennsylvania::{PennsylvaniaTable, taxes_of};
use super::source::Confidence;
use super::table::{Accrual, Jurisdiction, Method, Payer, Tax, TaxTable};
use super::unemployment::UnemploymentTable;

/// A tax in the catalog. Rows with the same code and payer form one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Stable code, such as `CA_SDI`.
    pub code: String,
    /// Name, as a pay stub prints it.
    pub name: String,
    /// Who levies it.
    pub jurisdiction: Jurisdiction,
    /// Who pays it.
    pub payer: Payer,
    /// Whether there is a figure from which a paycheck can calculate it.
    pub has_figure: bool,
    /// First pay date in the tables; `None` if always in force.
    pub from: Option<Date>,
    /// Last pay date; `None` if still in force.
    pub to: Option<Date>,
    /// Confidence in its figures: the worst of them.
    pub confidence: Confidence,
    /// Where they come from.
    pub source: String,
}

/// Returns every state and local tax of the built-in tables other than state income tax, by code and payer.
pub fn tax_catalog() -> &'static [CatalogEntry] {
    static CATALOG: LazyLock<Vec<CatalogEntry>> = LazyLock::new(|| {
        catalog_of([TaxTable::insurance(), TaxTable::built_in_local()], UnemploymentTable::built_in())
    });
    &CATALOG
}

/// Returns every tax of some tables of programs and localities, and of unemployment insurance, by code and payer.
pub fn catalog_of(tables: [&TaxTable; 2], unemployment: &UnemploymentTable) -> Vec<CatalogEntry> {
    let mut found: BTreeMap<(String, Payer), CatalogEntry> = BTreeMap::new();
    let rows = tables.into_iter().flat_map(TaxTable::iter);
    for entry in rows.filter(|tax| tax.method != Method::None).map(|tax| of_row(tax)) {
        add_entry(&mut found, entry);
    }
    for row in unemployment.iter() {
        let entry = CatalogEntry {
            code: format!("{}_SUI", row.state),
            name: format!("{} SUI", row.state),
            jurisdiction: Jurisdiction::state(&row.state),
            payer: Payer::Employer,
            has_figure: row.wage_base.is_some(),
            from: Some(row.from),
            to: row.to,
            confidence: row.base_confidence,
            source: row.source.clone(),
        };
        add_entry(&mut found, entry);
    }
    found.into_values().collect()
}

/// Returns the taxes of Pennsylvania's register, by place: earned income tax, and local services tax where there is one.
pub fn catalog_of_register(register: &PennsylvaniaTable) -> Vec<CatalogEntry> {
    let mut found: BTreeMap<(String, Payer), CatalogEntry> = BTreeMap::new();
    for place in register.iter() {
        for tax in taxes_of(place) {
            add_entry(&mut found, of_row(&tax));
        }
    }
    found.into_values().collect()
}

fn of_row(tax: &Tax) -> CatalogEntry {
    CatalogEntry {
        code: tax.code.clone(),
        name: tax.name.clone(),
        jurisdiction: tax.jurisdiction.clone(),
        payer: tax.payer,
        has_figure: !matches!(
            tax.method,
            Method::Gap | Method::OnReturn(Accrual::OwnPercent | Accrual::OwnAmountByHour)
        ),
        from: tax.from,
        to: tax.to,
        confidence: tax.confidence,
        source: tax.source.clone(),
    }
}

fn add_entry(found: &mut BTreeMap<(String, Payer), CatalogEntry>, entry: CatalogEntry) {
    let Some(held) = found.get_mut(&(entry.code.clone(), entry.payer)) else {
        found.insert((entry.code.clone(), entry.payer), entry);
        return;
    };
    held.has_figure |= entry.has_figure;
    held.confidence = held.confidence.max(entry.confidence);
    // If one entry has no first or last date, the combined entry has none.
    held.from = held.from.zip(entry.from).map(|(one, other)| one.min(other));
    held.to = held.to.zip(entry.to).map(|(one, other)| one.max(other));
    if !held.source.contains(&entry.source) {
        held.source = format!("{}; {}", held.source, entry.source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_is_in_the_catalog_once_by_code_and_payer() {
        let entries = tax_catalog();
        let keys: Vec<_> = entries.iter().map(|entry| (entry.code.as_str(), entry.payer)).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once");
        for tax in TaxTable::insurance().iter().chain(TaxTable::built_in_local().iter()) {
            let listed = keys.contains(&(tax.code.as_str(), tax.payer));
            assert!(listed || tax.method == Method::None, "{}", tax.code);
        }
        for row in UnemploymentTable::built_in().iter() {
            assert!(keys.contains(&(format!("{}_SUI", row.state).as_str(), Payer::Employer)));
        }
    }

    #[test]
    fn an_entry_tells_its_source_and_how_far_it_can_be_trusted() {
        let sdi = tax_catalog().iter().find(|entry| entry.code == "CA_SDI").unwrap();
        assert!(
            sdi.has_figure && sdi.confidence.is_enough() && sdi.source.contains("EY Tax Alert 2026-0131")
        );
        let city = tax_catalog().iter().find(|entry| entry.code == "NJ_NEWARK").unwrap();
        assert!(city.confidence.is_enough() && city.source.contains("40:48C-14"));
        let in_doubt = tax_catalog().iter().find(|entry| entry.code == "NV_CEP").unwrap();
        assert_eq!(in_doubt.confidence, Confidence::Memory);
    }
}
