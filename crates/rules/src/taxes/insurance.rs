//! State insurance programs: disability, family leave, long-term care, assessments.

use std::sync::Arc;

use super::choose::{Facts, Found, borne_line, choose_row, distinct_codes};
use super::due::Share;
use super::table::{Applies, Span, Tax, TaxTable};

/// Returns the code of the other part of a program (the employer's for an employee's, and vice versa) if both have the same yearly
/// wage base.
pub fn other_part<'t>(table: &'t TaxTable, code: &str) -> Option<&'t str> {
    let rows = table.of_state(code.split_once('_')?.0);
    let own = rows.iter().find(|tax| tax.code == code)?;
    let is_other = |tax: &&Arc<Tax>| {
        tax.code != own.code
            && program_code(&tax.code) == program_code(&own.code)
            && tax.wage_base == own.wage_base
    };
    let by_year = own.wage_base.is_some_and(|(_, span)| span == Span::Year);
    rows.iter().filter(|_| by_year).find(is_other).map(|tax| tax.code.as_str())
}

/// Returns a program's code without the suffix for the payer: the employee's and the employer's part of one program have codes of their
/// own.
pub fn program_code(code: &str) -> &str {
    code.strip_suffix("_ER").or_else(|| code.strip_suffix("_EE")).unwrap_or(code)
}

/// Returns the programs of the states whose insurance covers the employee, each with the part of the wages that it covers, and those of
/// the state of residence that follow residents to work elsewhere. One state covers an employee at a time, and all pay of that time; after a
/// move within the period each of them covers its part.
pub fn due_programs(table: &TaxTable, facts: &Facts<'_>, covered: &[(&str, Share)], home: &str) -> Found {
    let mut found = Found::default();
    for (state, share) in covered {
        let rows = table.of_state(state);
        for code in distinct_codes(rows) {
            let both = rows.iter().any(|tax| tax.code == code && tax.applies == Applies::Both);
            // A tax on both residence and work takes all pay of residents.
            let part = if both && home == *state { Share::ALL } else { *share };
            found.add_choice(choose_row(rows, code, facts, part));
        }
    }
    if covered.iter().all(|(state, _)| *state != home) {
        let rows = table.of_state(home);
        for code in distinct_codes(rows) {
            if rows.iter().any(|tax| tax.code == code && tax.applies == Applies::Both) {
                found.add_choice(choose_row(rows, code, facts, Share::ALL));
            }
        }
    }
    let borne: Vec<_> = found.dues.iter().filter_map(borne_line).collect();
    found.dues.extend(borne);
    found
}
