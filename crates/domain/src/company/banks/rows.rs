//! Records of companies' bank accounts.

use jiff::Timestamp;
use rules::Named;
use rules::payment::{AccountType, mask_account_number};
use store::{Place, Tx, Unread, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;

/// State of verification of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Verification {
    /// the test deposits have not been made
    #[strum(serialize = "awaiting_deposits")]
    AwaitingDeposits,
    /// the test deposits have been made
    #[strum(serialize = "ready_for_verification")]
    Ready,
    /// the amounts of the test deposits were confirmed
    #[strum(serialize = "verified")]
    Verified,
}

store::record! {
    /// A bank account of a company. Its numbers are sealed.
    #[derive(Debug, Clone)]
    pub struct Account in "company_bank_accounts" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// checking or savings
            pub account_type: AccountType as text,
            /// sealed
            pub routing_number: Vec<u8> as secret,
            /// sealed
            pub account_number: Vec<u8> as secret,
            /// state of verification
            pub verification: Verification as text = "verification_status",
            /// amounts of the test deposits, sealed
            pub deposits: Option<Vec<u8>> as secret,
            /// failed attempts to verify
            pub tries: i64,
            /// when it was verified
            pub verified_at: Option<Timestamp>,
        }
        times {
            /// when it was added
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records Account;
    CURRENT = store::text!(Account::SELECT, " AND replaced_at IS NULL ORDER BY id DESC LIMIT 1");
    REPLACED_AT = store::text!(Account::SELECT, " AND replaced_at = $2 ORDER BY id DESC LIMIT 1");
    REPLACE = "UPDATE company_bank_accounts SET replaced_at = $1, version = version + 1, updated_at = $1 \
               WHERE company_id = $2 AND id = $3 AND replaced_at IS NULL";
}

impl Account {
    /// The routing number, unsealed.
    pub fn routing_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(tx
            .unseal_text(sealed_field_place(company, self.id, "routing_number"), &self.routing_number)?
            .to_string())
    }

    /// The account number, unsealed.
    pub fn account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<String>, Error> {
        Ok(tx.unseal_text(sealed_field_place(company, self.id, "account_number"), &self.account_number)?)
    }

    /// Whether it has these numbers.
    pub fn has_numbers(
        &self,
        tx: &mut Tx<'_>,
        company: Uuid,
        routing: &str,
        number: &str,
    ) -> Result<bool, Error> {
        Ok(self.routing_number(tx, company)? == routing && *self.account_number(tx, company)? == number)
    }

    /// The account number, masked except for the last digits.
    pub fn hidden_account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(mask_account_number(&self.account_number(tx, company)?))
    }

    /// The amounts of the test deposits in cents, unsealed.
    pub fn test_deposit_amounts(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<(i64, i64)>, Error> {
        let Some(sealed) = &self.deposits else { return Ok(None) };
        let text = tx.unseal_text(sealed_field_place(company, self.id, "deposits"), sealed)?;
        let amounts = text.split_once(' ').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let amounts = amounts
            .ok_or_else(|| Unread::new("does not hold two amounts").into_error(Self::TABLE, "deposits"))?;
        Ok(Some(amounts))
    }

    /// Sets the amounts of the test deposits in cents, sealed.
    pub fn set_deposits(&mut self, tx: &mut Tx<'_>, company: Uuid, cents: (i64, i64)) -> Result<(), Error> {
        let text = Zeroizing::new(format!("{} {}", cents.0, cents.1));
        self.deposits =
            Some(tx.seal_field(sealed_field_place(company, self.id, "deposits"), text.as_bytes())?);
        Ok(())
    }
}

/// The place of a sealed field.
pub fn sealed_field_place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: Account::TABLE, row: id, column }
}

/// Maximum number of successive unverified accounts that are followed to find the payer.
const MOST_UNVERIFIED: usize = 100;

/// The verified account that payments are made from: the current one, or, until it is verified, the one that it replaces.
pub fn paying_account(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Account>, Error> {
    let mut found = current_account(tx, company)?;
    for _ in 0..MOST_UNVERIFIED {
        match found {
            // One account replaces another in one unit, and so at one time.
            Some(one) if one.verification != Verification::Verified => {
                found = tx.try_find(REPLACED_AT, params![company, one.created_at], Account::read)?;
            }
            found => return Ok(found),
        }
    }
    Ok(None)
}

/// The current account.
pub fn current_account(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Account>, Error> {
    Ok(tx.try_find(CURRENT, params![company], Account::read)?)
}

/// Marks an account as replaced or disabled; false if it already was.
pub fn replace_account(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(REPLACE, params![now, company, id])?.is_one())
}
