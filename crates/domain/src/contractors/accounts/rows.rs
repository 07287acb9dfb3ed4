//! Rows of contractors' bank accounts.

use std::collections::HashMap;

use jiff::Timestamp;
use rules::Named;
use rules::payment::{AccountType, mask_account_number};
use store::{Place, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::records::IdRange;

store::record! {
    /// The bank account of a contractor. Its numbers are sealed.
    #[derive(Debug, Clone)]
    pub struct BankAccount in "contractor_bank_accounts" {
        key {
            /// the contractor
            pub contractor: Uuid = "contractor_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// the contractor's name for it
            pub name: String,
            /// checking or savings
            pub account_type: AccountType as text,
            /// sealed
            pub routing_number: Vec<u8> as secret,
            /// sealed
            pub account_number: Vec<u8> as secret,
            /// return code of the last payment to it; while set, nothing more is paid to it
            pub returned_code: Option<String>,
            /// when a payment to it was last returned
            pub returned_at: Option<Timestamp>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records BankAccount;
    OF = store::text!(BankAccount::SELECT, " AND contractor_id = $2 ORDER BY id LIMIT 1");
    ACCOUNT = store::text!(BankAccount::SELECT, " AND id = $2 LIMIT 1");
    BETWEEN = store::text!(BankAccount::SELECT, " AND contractor_id BETWEEN $2 AND $3 ORDER BY contractor_id, id");
}

impl BankAccount {
    /// Returns the routing number, unsealed.
    pub fn routing_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(tx
            .unseal_text(sealed_field_place(company, self.id, "routing_number"), &self.routing_number)?
            .to_string())
    }

    /// Returns the account number, unsealed.
    pub fn account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<String>, Error> {
        Ok(tx.unseal_text(sealed_field_place(company, self.id, "account_number"), &self.account_number)?)
    }

    /// Returns the last digits of the account number, the only part of it that leaves the service.
    pub fn hidden_account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(mask_account_number(&self.account_number(tx, company)?))
    }
}

/// Returns the place of a sealed field of a bank account.
pub fn sealed_field_place(company: Uuid, account: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "contractor_bank_accounts", row: account, column }
}

/// Returns the bank account of a contractor.
pub fn account_of_contractor(
    tx: &mut Tx<'_>,
    company: Uuid,
    contractor: Uuid,
) -> Result<Option<BankAccount>, Error> {
    Ok(tx.try_find(OF, params![company, contractor], BankAccount::read)?)
}

/// Returns a bank account of any contractor of the company.
pub fn find_account(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<BankAccount>, Error> {
    Ok(tx.try_find(ACCOUNT, params![company, id], BankAccount::read)?)
}

/// Returns the bank accounts of the contractors in a range (ends included).
pub fn accounts_of_contractors(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, BankAccount>, Error> {
    let found = tx.try_query(BETWEEN, params![company, first, last], BankAccount::read)?;
    Ok(found.into_iter().map(|one| (one.contractor, one)).collect())
}
