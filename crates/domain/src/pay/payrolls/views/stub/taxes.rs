//! The taxes of a pay stub, by the agency that receives them.

use rules::Amount;
use std::collections::BTreeMap;

use rules::amount::dollars_text;
use rules::check;
use rules::payroll::figures;
use rules::taxes::{Jurisdiction, Level, TaxBook, TaxId, is_line_of, tax_catalog};

use crate::language::fill_placeholders;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::pay::payrolls::views::stub::lines::{self, amount_line, text_line, total_line};
use crate::pay::payrolls::views::stub::words::Words;
use crate::pay::payrolls::views::stub::year::{self, OfYear};
use crate::people::forms::document::{LineKind, Section};

/// Returns the section of the employee's taxes, by the agency that receives them, with their total.
pub(super) fn taxes_section(w: &Words, paid: &Paid, year: Option<&OfYear>) -> Section {
    let own = paid.taxes_of_employee().map(|tax| (&tax.id, tax.amount));
    let shown = |id: &TaxId| match paid.taxes.iter().find(|tax| tax.id == *id) {
        Some(tax) => StubTax::of_paycheck(tax),
        None => year.map_or_else(|| StubTax::of_tables(id), |year| year.tax_to_date(id)),
    };
    let all = year::with_rest(own.collect(), &withheld_by_tax(year));
    let due = all.iter().map(|(_, due, _)| *due).sum();
    let by_agency = all.into_iter().map(|(id, due, so_far)| {
        let tax = shown(id);
        (
            Agency::from_jurisdiction(tax.jurisdiction.as_ref()),
            amount_line(w.tax_label(id, &tax.label), due)
                .to_date(so_far)
                .explained_by(figures::tax_figure(&id.code)),
        )
    });
    let mut by_agency: Vec<_> = by_agency.collect();
    by_agency.sort_by(|(one, _), (other, _)| one.cmp(other));
    let several = by_agency.windows(2).any(|pair| pair[0].0 != pair[1].0);
    let (mut lines, mut last) = (Vec::with_capacity(by_agency.len() + 2), None);
    for (agency, shown) in by_agency {
        if several && last.as_ref() != Some(&agency) {
            lines.push(text_line(agency.agency_name(w), "").with_kind(LineKind::Group));
            last = Some(agency);
        }
        lines.push(shown);
    }
    if lines.is_empty() {
        lines.push(amount_line(w.no_taxes, Amount::ZERO));
    } else {
        let so_far = year.map(|year| dollars_text(year.sums.taxes_withheld().map(|(_, sum)| sum).sum()));
        lines.push(total_line(w.all_taxes, due).to_date(so_far.unwrap_or_default()));
    }
    lines::stub_section(w.taxes, lines)
}

/// Who receives a tax; the order is that of the stub.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Agency {
    Country,
    State(String),
    /// cities and districts of a state
    Places(String),
    Unknown,
}

impl Agency {
    fn from_jurisdiction(jurisdiction: Option<&Jurisdiction>) -> Self {
        let Some(Jurisdiction { level, state, place }) = jurisdiction else { return Self::Unknown };
        match level {
            Level::Country => Self::Country,
            _ if place.is_empty() => Self::State(state.clone()),
            _ => Self::Places(state.clone()),
        }
    }

    fn agency_name(&self, w: &Words) -> String {
        let named = |code: &str| {
            let known = check::STATES.into_iter().find(|(of, _)| *of == code);
            known.map_or_else(|| code.to_owned(), |(_, name)| name.to_owned())
        };
        match self {
            Self::Country => w.agencies[0].to_owned(),
            Self::State(state) => named(state),
            Self::Places(state) => fill_placeholders(w.agencies[1], &[("state", &named(state))]),
            Self::Unknown => w.agencies[2].to_owned(),
        }
    }
}

/// Returns the employee's taxes in the year.
fn withheld_by_tax(year: Option<&OfYear>) -> Option<BTreeMap<&TaxId, Amount>> {
    Some(year?.sums.taxes_withheld().collect())
}

/// A tax as the stub shows it.
#[derive(Debug, Clone)]
pub(super) struct StubTax {
    /// its name
    pub(super) label: String,
    /// who levies it; `None` if that is known neither from a paycheck nor from the tables
    pub(super) jurisdiction: Option<Jurisdiction>,
}

impl StubTax {
    /// Returns a tax as a paycheck keeps it.
    pub(super) fn of_paycheck(tax: &TaxPaid) -> Self {
        Self { label: tax.label.clone(), jurisdiction: Some(tax.jurisdiction.clone()) }
    }

    /// Returns a tax that appears only in opening balances; an unknown one is named by its code.
    pub(super) fn of_tables(id: &TaxId) -> Self {
        let of_book = || {
            let entry = TaxBook::built_in().get(id)?;
            Some((&entry.label, &entry.jurisdiction))
        };
        let of_catalog = || {
            let entry = tax_catalog().iter().find(|entry| is_line_of(&id.code, &entry.code))?;
            Some((&entry.name, &entry.jurisdiction))
        };
        match of_book().or_else(of_catalog) {
            Some((label, jurisdiction)) => {
                Self { label: label.clone(), jurisdiction: Some(jurisdiction.clone()) }
            }
            None => Self { label: id.code.clone(), jurisdiction: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::taxes::Payer;

    use super::*;

    #[test]
    fn a_tax_stands_under_who_levies_it_whether_or_not_the_tax_book_has_it() {
        let agency = |code: &str| {
            Agency::from_jurisdiction(StubTax::of_tables(&TaxId::of_employee(code)).jurisdiction.as_ref())
        };
        let state = |code: &str| Agency::State(code.to_owned());
        assert_eq!(agency("US_SS"), Agency::Country);
        assert_eq!(agency("CA_INCOME"), state("CA"));
        // Programs of states and taxes of places are in tables of their own.
        assert_eq!(agency("CA_SDI"), state("CA"));
        let of_employees = rules::taxes::tax_catalog().iter().filter(|entry| entry.payer == Payer::Employee);
        let (of_places, of_states): (Vec<_>, Vec<_>) =
            of_employees.partition(|entry| !entry.jurisdiction.place.is_empty());
        assert!(of_places.len() > 100 && of_states.len() > 10, "{} and {}", of_places.len(), of_states.len());
        for entry in of_states {
            assert_eq!(agency(&entry.code), state(&entry.jurisdiction.state), "{}", entry.code);
        }
        for entry in of_places {
            let places = Agency::Places(entry.jurisdiction.state.clone());
            assert_eq!(agency(&entry.code), places, "{}", entry.code);
        }
        assert_eq!(agency("XX_TAX"), Agency::Unknown);
    }
}
