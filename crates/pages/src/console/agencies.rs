//! The names of agencies that the books and reports have by a code.

use rules::check;
use store::Tx;

use domain::Error;
use domain::people::addresses::jurisdictions;

/// The name of an agency: the country, a state, or a place of one. `None` for one that goes by its name already.
pub(super) fn agency_name(tx: &mut Tx<'_>, agency: &str) -> Result<Option<String>, Error> {
    let Some(within) = agency.strip_prefix("US") else { return Ok(None) };
    let Some(within) = within.strip_prefix('-') else {
        return Ok(within.is_empty().then(|| "United States".to_owned()));
    };
    let (state, place) = within.split_once('/').unwrap_or((within, ""));
    let named = check::STATES.into_iter().find(|(code, _)| *code == state).map(|(_, name)| name);
    let Some(named) = named else { return Ok(None) };
    Ok(Some(match jurisdictions::selectable_localities(tx, state)?.get(place) {
        Some(place) => format!("{place}, {named}"),
        None if place.is_empty() => named.to_owned(),
        None => format!("a locality of {named}"),
    }))
}
