//! Lists of contractors.

use jiff::civil::Date;
use store::{Tx, Value, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::contractors::records::Contractor;
use crate::error::Error;
use crate::paging::{Page, SortBy, Total};
use crate::people::profiles::rows::like_pattern;

/// The conditions of a list: $1 company, $2 part of the name, $3 onboarded, $4 today, $5 dismissed or about to be, $6 dismissed,
/// $7 onboarded and at work. A condition whose parameter is NULL is met.
const FILTERED: &str = "(search_name LIKE $2 ESCAPE '!' OR $2 IS NULL) \
     AND ((onboarded_at IS NOT NULL) = $3 OR $3 IS NULL) \
     AND ((dismissal_date IS NOT NULL AND (rehire_date IS NULL OR rehire_date > $4)) = $5 OR $5 IS NULL) \
     AND ((dismissal_date IS NOT NULL AND dismissal_date < $4 AND (rehire_date IS NULL OR rehire_date > $4)) = $6 OR $6 IS NULL) \
     AND ((onboarded_at IS NOT NULL AND start_date <= $4 \
     AND (dismissal_date IS NULL OR dismissal_date >= $4 OR (rehire_date IS NOT NULL AND rehire_date <= $4))) = $7 OR $7 IS NULL)";

/// The sort order given by a parameter ([`SortBy::to_text`]).
macro_rules! by {
    ($sort:literal) => {
        concat!(
            "CASE ",
            $sort,
            " WHEN 'name' THEN search_name WHEN 'onboarding_status' THEN onboarding_status WHEN 'type' THEN contractor_type END, CASE ",
            $sort,
            " WHEN 'name:desc' THEN search_name WHEN 'onboarding_status:desc' THEN onboarding_status \
             WHEN 'type:desc' THEN contractor_type END DESC, "
        )
    };
}

store::statements! {
    COUNT = store::text!("SELECT count(*) FROM contractors WHERE company_id = $1 AND ", FILTERED);
    SORTED = store::text!(Contractor::SELECT, " AND ", FILTERED, " ORDER BY ", by!("$10"), by!("$11"), by!("$12"),
                          "CASE WHEN $13 = true THEN id END DESC, id LIMIT $8 OFFSET $9");
}

/// The filters of a list.
#[derive(Debug, Default, Clone)]
pub struct ContractorFilter {
    /// a part of the name, in any case and with or without accents
    pub search_term: Option<String>,
    /// only those whose onboarding is (not) finished
    pub onboarded: Option<bool>,
    /// only those who are (not) dismissed or about to be
    pub leaving: Option<bool>,
    /// only those whose dismissal has (not) taken effect
    pub left: Option<bool>,
    /// only those who are (not) onboarded and at work
    pub active: Option<bool>,
    /// sort order, most significant first; oldest first by default
    pub sort: Vec<SortBy<ContractorKey>>,
}

/// Sort keys of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ContractorKey {
    /// when the contractor was created
    #[strum(serialize = "created_at")]
    Created,
    /// first and last name, or that of the business
    #[strum(serialize = "name")]
    Name,
    /// onboarding status, alphabetically
    #[strum(serialize = "onboarding_status")]
    Status,
    /// business or individual, alphabetically
    #[strum(serialize = "type")]
    Kind,
}

/// Returns the contractors of a page.
pub fn list_contractors(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &ContractorFilter,
    page: Page,
    today: Date,
) -> Result<Vec<Contractor>, Error> {
    let pattern = filter.search_term.as_deref().map(like_pattern);
    let (limit, offset) = page.limit_and_offset();
    let (keys, newest_first) = sort_parameters(&filter.sort);
    let mut parameters = filter_conditions(company, pattern.as_deref(), filter, today);
    parameters.extend_from_slice(&[limit.into(), offset.into()]);
    parameters.extend(keys.iter().map(|key| Value::from(key.as_deref())));
    parameters.push(newest_first.into());
    Ok(tx.try_query(SORTED, &parameters, Contractor::read)?)
}

/// Returns the number of contractors in a list.
pub fn count_contractors(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &ContractorFilter,
    today: Date,
) -> Result<Total, Error> {
    let pattern = filter.search_term.as_deref().map(like_pattern);
    let parameters = filter_conditions(company, pattern.as_deref(), filter, today);
    let found = tx.find_row(COUNT, &parameters, |row| row.get::<i64>(0))?;
    Ok(found.unwrap_or(0).into())
}

/// Returns the parameters of [`FILTERED`].
fn filter_conditions<'a>(
    company: Uuid,
    pattern: Option<&'a str>,
    filter: &ContractorFilter,
    today: Date,
) -> Vec<Value<'a>> {
    let ContractorFilter { onboarded, leaving, left, active, .. } = *filter;
    params![company, pattern, onboarded, today, leaving, left, active].to_vec()
}

/// Converts a sort order to parameters: the keys before the time of creation, and whether the newest come first.
fn sort_parameters(sort: &[SortBy<ContractorKey>]) -> ([Option<String>; 3], bool) {
    let by_age = sort.iter().position(|one| one.key == ContractorKey::Created);
    let newest_first = by_age.is_some_and(|place| sort[place].descending);
    let mut texts = sort[..by_age.unwrap_or(sort.len())].iter().map(|one| one.to_text());
    ([texts.next(), texts.next(), texts.next()], newest_first)
}
