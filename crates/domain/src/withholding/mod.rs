//! What is withheld by law or order: tax certificates and garnishments.

pub mod garnishments;
pub mod taxes;

use rules::Amount;
use store::{Row, Stored, Unread, Value};

/// Stores an amount as an integer, in millionths.
pub(crate) struct Millionths;

impl Stored<Amount> for Millionths {
    fn value(amount: &Amount) -> Value<'_> {
        Value::Int(amount.millionths())
    }

    fn read(row: &Row<'_>, column: usize) -> Result<Option<Amount>, Unread> {
        Ok(row.try_get::<Option<i64>>(column)?.map(Amount::from_millionths))
    }
}
