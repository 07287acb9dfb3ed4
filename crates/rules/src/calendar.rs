//! Time zones of states.
//!
//! Rules compare dates without time zones, but "today" depends on one: that of the state of the company's
//! filing address, unless the company specifies another. This module only names the zone; the caller has the
//! clock.

/// Returns the IANA time zone of a state, for a two-letter code as returned by [`crate::check::state`].
///
/// States in two zones get the zone with the larger population; companies in the other one specify it.
/// Unknown codes get the zone of Washington, D.C.
///
/// Source: 49 CFR part 71 (limits of the time zones), with the zone names of the IANA database.
pub fn time_zone_of_state(code: &str) -> &'static str {
    match code {
        "AL" | "AR" | "IA" | "IL" | "KS" | "LA" | "MN" | "MO" | "MS" | "ND" | "NE" | "OK" | "SD" | "TN"
        | "TX" | "WI" => "America/Chicago",
        "CO" | "MT" | "NM" | "UT" | "WY" => "America/Denver",
        "CA" | "NV" | "OR" | "WA" => "America/Los_Angeles",
        "AK" => "America/Anchorage",
        "AZ" => "America/Phoenix",
        "HI" => "Pacific/Honolulu",
        "ID" => "America/Boise",
        "IN" => "America/Indiana/Indianapolis",
        "KY" => "America/Kentucky/Louisville",
        "MI" => "America/Detroit",
        _ => "America/New_York",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::STATES;

    #[test]
    fn a_state_in_two_zones_has_the_day_of_most_of_its_people() {
        let split = [
            ("FL", "America/New_York"),
            ("ID", "America/Boise"),
            ("KS", "America/Chicago"),
            ("KY", "America/Kentucky/Louisville"),
            ("NE", "America/Chicago"),
            ("OR", "America/Los_Angeles"),
            ("TN", "America/Chicago"),
            ("TX", "America/Chicago"),
        ];
        for (state, zone) in split {
            assert_eq!(time_zone_of_state(state), zone, "{state}");
        }
    }

    #[test]
    fn the_states_of_the_eastern_coast_share_the_day_of_the_capital() {
        let eastern: Vec<_> = STATES
            .iter()
            .map(|state| state.0)
            .filter(|code| time_zone_of_state(code) == "America/New_York")
            .collect();
        let expected = [
            "CT", "DC", "DE", "FL", "GA", "MA", "MD", "ME", "NC", "NH", "NJ", "NY", "OH", "PA", "RI", "SC",
            "VA", "VT", "WV",
        ];
        assert_eq!(eastern.len(), expected.len());
        assert!(expected.iter().all(|code| eastern.contains(code)));
    }
}
