//! Rows of company benefits, of employees' benefits, and of what payrolls deducted and contributed.

pub mod company;
pub mod employee;
pub mod payroll;

use rules::payroll::benefits::BenefitType;
use store::{Row, Stored, Unread, Value};

/// Every statement on benefits.
pub fn benefit_statements() -> Vec<store::Sql> {
    [company::ALL, employee::ALL, payroll::ALL, super::high_earners::ALL, super::other_companies::ALL]
        .concat()
}

/// A type of benefit stored by its number.
struct TypeNumber;

impl Stored<&'static BenefitType> for TypeNumber {
    fn value(kind: &&'static BenefitType) -> Value<'static> {
        Value::Int(kind.code)
    }

    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<&'static BenefitType>, Unread> {
        let Some(number) = row.try_get::<Option<i64>>(column)? else { return Ok(None) };
        let unknown = || Unread::unknown("holds a number that no type of benefit has");
        BenefitType::find_by_code(number).map(Some).ok_or_else(unknown)
    }
}
