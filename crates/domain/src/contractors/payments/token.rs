//! The token of a preview: a random part, and a digest over it and what was previewed. A group is created only of the payments that were previewed,
//! and once.

use jiff::civil::Date;
use rules::Named as _;
use sha2::{Digest as _, Sha256};
use store::Tx;
use uuid::Uuid;

use super::entered::Planned;
use crate::digest;

/// Returns a new token for payments on a day.
pub(super) fn new(tx: &mut Tx<'_>, company: Uuid, day: Date, planned: &[Planned]) -> String {
    let id = tx.new_id();
    format!("{}{}", id.simple(), preview_binding(id, company, day, planned))
}

/// Whether a token was given for these payments on this day.
pub(super) fn is_of(token: &str, company: Uuid, day: Date, planned: &[Planned]) -> bool {
    let id = token.get(..32).and_then(|text| text.parse::<Uuid>().ok());
    id.is_some_and(|id| token[32..] == preview_binding(id, company, day, planned))
}

/// Returns the part of a token that says what was previewed, as it was read: `5` and `5.00` are the same.
fn preview_binding(id: Uuid, company: Uuid, day: Date, planned: &[Planned]) -> String {
    let mut hash = Sha256::new();
    digest::hash_part(&mut hash, id.as_bytes());
    digest::hash_part(&mut hash, company.as_bytes());
    digest::hash_part(&mut hash, day.to_string().as_bytes());
    for one in planned {
        digest::hash_part(&mut hash, one.contractor.id.as_bytes());
        digest::hash_part(&mut hash, one.method.as_str().as_bytes());
        let pay = one.pay;
        // The rate and backup withholding are those of the record: if they change, something else is paid than was shown.
        for amount in [pay.wage, pay.hours, pay.hourly_rate, pay.bonus, pay.reimbursement, one.withheld] {
            digest::hash_part(&mut hash, &amount.millionths().to_be_bytes());
        }
    }
    hex::encode(&hash.finalize()[..16])
}
