//! The agencies in force: the deployer's own table, or the one that comes with the program.

use std::sync::Arc;

use rules::payroll::garnishment::Agencies;
use store::Tx;

use crate::error::Error;

/// The agencies in force.
///
/// # Errors
/// A store error.
pub fn current(_: &mut Tx<'_>) -> Result<Arc<Agencies>, Error> {
    Ok(Arc::clone(Agencies::built_in()))
}
