//! Validation of a command, and the lookup of its wages in the newest statistics.
//!
//! The specification distinguishes two kinds of violations: a missing field or unknown occupation makes the request
//! malformed (400), all others break a rule (422). All violations are reported at once; if any is of the first kind,
//! the status is 400.

use std::sync::Arc;

use rules::salary::{Area, Basis, Occupation};
use rules::{Amount, Checks, Violation};

use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::platform::reference::Vintage;
use crate::salary::estimates::commands::{EstimateSalary, OccupationShare};
use crate::salary::occupations::data::Occupations;
use crate::salary::occupations::{code_text, parse_code};
use crate::salary::reference::Reference;
use crate::salary::wages::release::NATION;
use crate::salary::wages::statistics::Statistics;
use crate::salary::wages::zip_areas::{Place, ZipAreas};

/// Maximum number of occupations of an estimate.
const MOST: usize = 20;

const WHOLE: Amount = Amount::from_millionths(1_000_000);

/// The reference data of estimates, as of one point in time.
#[derive(Clone)]
pub struct Tables {
    occupations: Arc<Vintage<Occupations>>,
    wages: Arc<Vintage<Statistics>>,
    zip_areas: Arc<Vintage<ZipAreas>>,
}

impl Tables {
    /// The newest data.
    pub async fn newest_tables(reference: &Reference) -> Result<Self, Error> {
        Ok(Self {
            occupations: reference.occupations.current().await?,
            wages: reference.wages.current().await?,
            zip_areas: reference.zip_areas.current().await?,
        })
    }

    /// The vintage of the wage statistics.
    pub fn vintage(&self) -> &str {
        &self.wages.name
    }
}

/// A valid command, with its result.
pub struct Checked {
    /// annual net revenue, if it was sent; null clears it
    pub revenue: Option<Option<Amount>>,
    /// ZIP code of the business
    pub zip_code: String,
    /// all inputs of the calculation
    pub basis: Basis,
    /// dollars per year
    pub result: Amount,
}

/// Violations, and whether one of them makes the request malformed.
#[derive(Default)]
struct Faults {
    checks: Checks,
    malformed: bool,
}

impl Faults {
    /// Reports a required field that is absent or null.
    fn require_field<T>(&mut self, key: &str, field: &Patch<T>) {
        if matches!(field, Patch::Absent | Patch::Null) {
            self.add_malformed(Violation::invalid(key, format!("{key} can't be blank")));
        }
    }

    fn add_malformed(&mut self, violation: Violation) {
        self.malformed = true;
        self.checks.push(violation);
    }

    fn finish(self) -> Result<(), Error> {
        let malformed = self.malformed;
        self.checks
            .finish()
            .map_err(|all| if malformed { Error::Malformed(all) } else { Error::Violations(all) })
    }
}

/// Validates a command and calculates the result.
///
/// # Errors
/// Every violation: 400 if a field is missing or an occupation unknown, else 422.
pub fn check_estimate(tables: &Tables, input: &EstimateSalary) -> Result<Checked, Error> {
    let mut faults = Faults::default();
    let revenue =
        match &input.annual_net_revenue {
            Patch::Absent => None,
            Patch::Null => Some(None),
            field => Some(field.optional("annual_net_revenue", &mut faults.checks, |key, amount| {
                check_revenue(key, *amount)
            })),
        };
    faults.require_field("zip_code", &input.zip_code);
    let place = input.zip_code.optional("zip_code", &mut faults.checks, |key, zip| {
        let message = || format!("{key} must be the five digits of a ZIP code in use, such as 78205");
        let place =
            tables.zip_areas.data.find_place(zip).ok_or_else(|| Violation::invalid(key, message()))?;
        Ok((zip.clone(), place))
    });
    faults.require_field("occupations", &input.occupations);
    let listed = input.occupations.optional("occupations", &mut faults.checks, |_, list| Ok(list.clone()));
    let listed = listed.unwrap_or_default();
    if matches!(&input.occupations, Patch::Value(list) if list.is_empty()) {
        faults.add_malformed(Violation::invalid(
            "occupations",
            "occupations must contain at least one occupation",
        ));
    }
    faults.checks.require(listed.len() <= MOST, || {
        Violation::invalid("occupations", format!("occupations may contain at most {MOST} occupations"))
    });
    let named: Vec<Option<Occupation>> = listed
        .iter()
        .take(MOST)
        .enumerate()
        .map(|(place, occupation)| {
            check_occupation(tables, (place, listed.len() == 1), occupation, &mut faults)
        })
        .collect();
    check_occupations_together(&named, &mut faults.checks);
    let (Some((zip_code, place)), Some(occupations)) = (place, named.into_iter().collect::<Option<Vec<_>>>())
    else {
        return match faults.finish() {
            Err(error) => Err(error),
            Ok(()) => Err(Error::internal("a missing value of an estimate was not reported")), // every missing value was reported
        };
    };
    faults.finish()?;
    let basis = make_basis(tables, &place, occupations)?;
    let result = basis.estimated_salary().ok_or_else(|| unpublished_error(&basis))?;
    Ok(Checked { revenue, zip_code, basis, result })
}

/// The inputs of an existing estimate with the newest data: `None` if these no longer contain its ZIP code, one of its
/// occupations or a wage.
///
/// # Errors
/// A stored code of an occupation that cannot be read.
pub fn renew_basis(
    tables: &Tables,
    zip_code: &str,
    before: &Basis,
) -> Result<Option<(Basis, Amount)>, Error> {
    let Some(place) = tables.zip_areas.data.find_place(zip_code) else { return Ok(None) };
    let mut occupations = Vec::with_capacity(before.occupations.len());
    for occupation in &before.occupations {
        let code = parse_code(&occupation.code)
            .ok_or_else(|| Error::internal("the code of an estimate's occupation cannot be read"))?;
        let Some(found) = tables.occupations.data.find_by_code(code) else { return Ok(None) };
        occupations.push(Occupation {
            name: found.title.to_owned(),
            description: found.description.to_owned(),
            published_as: code_text(found.published_as),
            wages: Vec::new(),
            ..occupation.clone()
        });
    }
    let basis = make_basis(tables, &place, occupations)?;
    Ok(basis.estimated_salary().map(|result| (basis, result)))
}

/// Adds the newest wages to occupations.
fn make_basis(tables: &Tables, place: &Place, mut occupations: Vec<Occupation>) -> Result<Basis, Error> {
    let wages = &tables.wages.data;
    let state = std::str::from_utf8(&place.state).ok().and_then(|state| wages.area_of_state(state));
    let local = place.area.filter(|area| wages.find_area(*area).is_some());
    // A territory is its own and only area.
    let mut codes: Vec<u32> = [local, state, Some(NATION)].into_iter().flatten().collect();
    codes.dedup();
    for occupation in &mut occupations {
        let published = parse_code(&occupation.published_as)
            .ok_or_else(|| Error::internal("the code under which wages are published cannot be read"))?;
        occupation.wages = codes.iter().map(|area| wages.wages_in_area(*area, published)).collect();
    }
    Ok(Basis {
        vintage: tables.wages.name.clone(),
        checksum: tables.wages.checksum.clone(),
        floor: wages.floor(),
        in_area: local.is_some(),
        areas: codes.iter().filter_map(|code| find_area(wages, *code)).collect(),
        occupations,
    })
}

fn find_area(wages: &Statistics, code: u32) -> Option<Area> {
    let area = wages.find_area(code)?;
    let name = if code == NATION { "the United States".to_owned() } else { area.name.clone() };
    Some(Area { code: format!("{code:07}"), name, kind: area.kind })
}

/// An occupation of the request, without its wages.
///
/// A single occupation is the primary one unless it says otherwise; of several each says whether it is.
fn check_occupation(
    tables: &Tables,
    (place, alone): (usize, bool),
    input: &OccupationShare,
    faults: &mut Faults,
) -> Option<Occupation> {
    let key = |field: &str| format!("occupations[{place}].{field}");
    faults.require_field(&key("code"), &input.code);
    faults.require_field(&key("experience_level"), &input.experience_level);
    faults.require_field(&key("time_percentage"), &input.time_percentage);
    if !alone {
        faults.require_field(&key("primary"), &input.primary);
    }
    let occupations = &tables.occupations.data;
    let found = match &input.code {
        Patch::Value(text) => parse_code(text).and_then(|code| occupations.find_by_code(code)),
        _ => None,
    };
    if found.is_none() && matches!(input.code, Patch::Value(_) | Patch::Invalid(_)) {
        let text = if matches!(input.code, Patch::Invalid(_)) { "text: " } else { "" };
        let message = format!(
            "{} must be {text}the code of an occupation with published wages, such as 15-1252 or 151252; \
             GET /v1/salary_estimates/occupations finds it",
            key("code")
        );
        faults.add_malformed(Violation::invalid(key("code"), message));
    }
    let level = input.experience_level.optional(&key("experience_level"), &mut faults.checks, as_is);
    let share = input.time_percentage.optional(&key("time_percentage"), &mut faults.checks, |key, share| {
        let fits = *share >= Amount::ZERO && *share <= WHOLE;
        if fits {
            Ok(*share)
        } else {
            Err(Violation::invalid(key, format!("{key} must be from 0 to 1, such as 0.25")))
        }
    });
    let primary = match &input.primary {
        Patch::Absent | Patch::Null => alone.then_some(true),
        given => given.optional(&key("primary"), &mut faults.checks, as_is),
    };
    let found = found?;
    Some(Occupation {
        code: code_text(found.code),
        name: found.title.to_owned(),
        description: found.description.to_owned(),
        published_as: code_text(found.published_as),
        level: level?,
        share: share?,
        primary: primary?,
        wages: Vec::new(),
    })
}

/// Rules on all occupations together.
fn check_occupations_together(occupations: &[Option<Occupation>], checks: &mut Checks) {
    let primary = occupations.iter().flatten().filter(|occupation| occupation.primary).count();
    // What is missing or invalid in one of them is unknown, and so are their sum and whether none is primary.
    let known = !occupations.is_empty() && occupations.iter().all(Option::is_some);
    checks.require(primary == 1 || (primary == 0 && !known), || {
        Violation::invalid(
            "occupations",
            format!("exactly one of occupations must be primary, not {primary}"),
        )
    });
    if known {
        let shares = occupations.iter().flatten().map(|occupation| occupation.share.millionths());
        checks.require(shares.sum::<i64>() == WHOLE.millionths(), || {
            Violation::invalid(
                "time_percentage",
                "time_percentage of all occupations must add up to exactly 1",
            )
        });
    }
}

fn check_revenue(key: &str, amount: Amount) -> Result<Amount, Violation> {
    if amount > Amount::ZERO && amount <= rules::amount::MAX_AMOUNT {
        Ok(amount)
    } else {
        Err(Violation::invalid(
            key,
            format!("{key} must be above 0 and at most {}", rules::amount::MAX_AMOUNT),
        ))
    }
}

/// The error if no area publishes a wage for an occupation at its level.
fn unpublished_error(basis: &Basis) -> Error {
    let occupations = basis.occupations.iter().enumerate();
    let missing = occupations.filter(|(_, occupation)| occupation.wage_at(occupation.level).is_none());
    let violations: Vec<Violation> = missing
        .map(|(place, occupation)| {
            let key = format!("occupations[{place}].experience_level");
            let message = format!(
                "no wage is published for {} at this level, not even for the nation",
                occupation.code
            );
            Violation::invalid(key, message)
        })
        .collect();
    Error::Violations(violations)
}
