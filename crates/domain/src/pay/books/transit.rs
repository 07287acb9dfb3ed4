//! Funds in transit: what moved between the company's bank account and the payments that are made for it.

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use super::accounts::Account;
use super::rows::LiabilityPayment;
use super::{liabilities, rows};
use crate::error::Error;

/// Name of the lines of a transfer.
const TRANSFER: &str = "Funds in transit";

/// Posts that money left the bank account for payments, as of a day; negative cents came back to it. Zero is not posted.
pub fn post_transfer(
    tx: &mut Tx<'_>,
    company: Uuid,
    (cents, day): (i64, Date),
    memo: String,
) -> Result<(), Error> {
    if cents == 0 {
        return Ok(());
    }
    liabilities::guard_payments(tx, company)?;
    let new = LiabilityPayment {
        id: tx.new_id(),
        account: Account::FundsInTransit,
        agency: String::new(),
        code: String::new(),
        name: TRANSFER.to_owned(),
        cents,
        paid_on: day,
        memo: Some(memo),
        created_at: tx.now(),
        in_transit: false,
    };
    rows::insert_liability_payment(tx, company, &new)
}
