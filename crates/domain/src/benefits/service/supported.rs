//! The supported types of benefits.

use rules::payroll::benefits::BenefitType;

use crate::error::Error;

/// The type with this number.
///
/// # Errors
/// "Not found".
pub fn find_supported_type(number: &str) -> Result<&'static BenefitType, Error> {
    number.parse().ok().and_then(BenefitType::find_by_code).ok_or(Error::NotFound)
}
