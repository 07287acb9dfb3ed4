//! The types of benefits that the service knows.

use rules::payroll::benefits::kind::{self, BenefitType};

use crate::access::tokens::Caller;
use crate::benefits::{shapes, view};
use crate::error::Error;

/// Every type, by number.
pub fn list(caller: &Caller) -> Vec<shapes::SupportedBenefit> {
    kind::ALL.iter().map(|kind| view::supported(caller, kind)).collect()
}

/// The type of this number.
///
/// # Errors
/// "Not found".
pub fn find(id: &str) -> Result<&'static BenefitType, Error> {
    id.parse().ok().and_then(BenefitType::find).ok_or(Error::NotFound)
}
