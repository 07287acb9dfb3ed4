//! Query strings of operations on time off.

use uuid::Uuid;

use crate::query;
use crate::query::{Mandatory, RawText};
use crate::values::PolicyKind;

query! {
    /// Which changes are listed.
    ListActivities {
        /// the type of time off
        time_off_type: Mandatory<RawText<PolicyKind>>,
    }

    /// Which balances are listed.
    ListBalances {
        /// employees, separated by commas; defaults to all
        employee_uuids: Option<Vec<Uuid>>,
        /// policies, separated by commas; defaults to all
        policy_uuids: Option<Vec<Uuid>>,
        ..page
    }
}
