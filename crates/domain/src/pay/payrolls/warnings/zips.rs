//! Warnings about addresses whose ZIP code is not in their state: the county is unknown, and so are its taxes and minimum wage.
//!
//! Such an address is accepted, because a few ZIP codes extend into a second state and the table may lag behind the Postal Service.

use jiff::civil::Date;
use rules::places::state_of_zip;

use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::texts::{ZIP_NOT_FOUND, ZIP_OF_OTHER_STATE};
use crate::pay::payrolls::record::warning::Warning;

/// Returns warnings about the home and the place of work on a day.
pub(in crate::pay::payrolls) fn zip_warnings(
    context: &Context,
    member: &MemberFacts<'_>,
    day: Date,
) -> Vec<Warning> {
    let home = member.home_on(day).and_then(|home| zip_warning("home", &home.state, &home.zip));
    let work = member.work_address_on(day).and_then(|work| context.places.get(&work.location));
    let work = work.and_then(|place| zip_warning("place of work", &place.state, &place.zip));
    home.into_iter().chain(work).collect()
}

fn zip_warning(what: &str, state: &str, zip: &str) -> Option<Warning> {
    match state_of_zip(zip) {
        Some(found) if found == state => None,
        Some(found) => Some(ZIP_OF_OTHER_STATE.to_warning(&[
            ("zip", &zip),
            ("what", &what),
            ("state", &state),
            ("found", &found),
        ])),
        None => Some(ZIP_NOT_FOUND.to_warning(&[("zip", &zip), ("what", &what), ("state", &state)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zip_code_of_another_state_or_of_none_is_reported() {
        assert_eq!(zip_warning("home", "TX", "78205-1234"), None);
        for (zip, lies) in [("10001", "is in NY"), ("00000", "is in no county")] {
            let told = zip_warning("home", "TX", zip).unwrap().message;
            assert!(told.contains(zip) && told.contains("the home in TX") && told.contains(lies), "{told}");
        }
    }
}
