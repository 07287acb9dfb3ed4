//! Query strings of operations on time off.

use crate::query;
use crate::query::{Mandatory, RawText};
use crate::values::PolicyKind;

query! {
    /// Which changes are listed.
    ListActivities {
        /// the type of time off
        time_off_type: Mandatory<RawText<PolicyKind>>,
    }
}
