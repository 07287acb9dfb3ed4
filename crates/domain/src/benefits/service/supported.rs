//! The supported types of benefits.

use rules::payroll::benefits::BenefitType;

use crate::error::Error;

/// The type with this number.
///
/// # Errors
/// "Not found".
pub fn find(number: &str) -> Result<&'static BenefitType, Error> {
    number.parse().ok().and_then(BenefitType::find).ok_or(Error::NotFound)
}
