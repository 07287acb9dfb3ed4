//! State insurance programmes: disability, family leave, long-term care, assessments.

use super::choose::{Facts, Found, borne_line, choose, codes};
use super::due::Share;
use super::table::{Applies, TaxTable};

/// Returns the programmes of the state whose insurance covers the employee, and those of the state of residence that
/// follow residents to work elsewhere. `share` is the part of the wages for work in the state that covers.
pub fn due(table: &TaxTable, facts: &Facts<'_>, (covered, share): (&str, Share), home: &str) -> Found {
    let mut found = Found::default();
    let rows = table.of_state(covered);
    for code in codes(rows) {
        let both = rows.iter().any(|tax| tax.code == code && tax.applies == Applies::Both);
        // A programme covers all pay of who it covers; only taxes on residence and work divide.
        let part = if both && home != covered { share } else { Share::ALL };
        found.add(choose(rows, code, facts, part));
    }
    if home != covered {
        let rows = table.of_state(home);
        for code in codes(rows) {
            if rows.iter().any(|tax| tax.code == code && tax.applies == Applies::Both) {
                found.add(choose(rows, code, facts, Share::ALL));
            }
        }
    }
    let borne: Vec<_> = found.dues.iter().filter_map(borne_line).collect();
    found.dues.extend(borne);
    found
}
