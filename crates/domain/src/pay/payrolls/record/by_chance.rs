//! Taxes by chance, for the properties that hold of any.

use proptest::prelude::*;
use rules::taxes::{Jurisdiction, Level, Payer, TaxId};

use crate::pay::payrolls::record::taxes::TaxPaid;

/// Returns the taxes of a paycheck in whole cents, each once. Codes differ; labels and jurisdictions are often the same.
pub fn taxes() -> impl Strategy<Value = Vec<TaxPaid>> {
    let one = (0_u8..12, prop::bool::ANY, 1_i64..1_000_000);
    prop::collection::vec(one, 0..10).prop_map(|drawn| {
        let mut taxes: Vec<TaxPaid> = drawn.into_iter().map(tax).collect();
        taxes.sort_by(|a, b| a.id.cmp(&b.id));
        taxes.dedup_by(|a, b| a.id == b.id);
        taxes
    })
}

fn tax((number, of_employer, cents): (u8, bool, i64)) -> TaxPaid {
    let payer = if of_employer { Payer::Employer } else { Payer::Employee };
    let label = ["Harrison county tax", "Campbell county tax"][usize::from(number % 2)];
    let jurisdiction = match number % 3 {
        0 => Jurisdiction { level: Level::County, place: "IN-31".to_owned(), ..Jurisdiction::state("IN") },
        1 => Jurisdiction { level: Level::County, place: "KY-H".to_owned(), ..Jurisdiction::state("KY") },
        _ => Jurisdiction::state("KY"),
    };
    TaxPaid::reported(
        TaxId::new(format!("TAX_{number}"), payer),
        label.to_owned(),
        jurisdiction,
        cents * 10_000,
    )
}
