//! Which servers of a cluster answer, asked once for each company or application in a unit of work.

use std::collections::HashMap;

use store::Tx;
use uuid::Uuid;

use crate::error::Error;

/// The table with which a company's records are placed.
pub const COMPANIES: &str = "companies";

/// The answers so far.
#[derive(Default)]
pub struct Answering(HashMap<(&'static str, Uuid), bool>);

impl Answering {
    /// Whether the server answers that has the rows of a table with this value of their distribution column.
    pub fn is_row_available(
        &mut self,
        tx: &mut Tx<'_>,
        table: &'static str,
        key: Uuid,
    ) -> Result<bool, Error> {
        if let Some(answers) = self.0.get(&(table, key)) {
            return Ok(*answers);
        }
        let answers = tx.home_answers(table, key)?;
        self.0.insert((table, key), answers);
        Ok(answers)
    }
}
