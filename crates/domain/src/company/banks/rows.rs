//! Rows of bank accounts of companies.

use jiff::Timestamp;
use rules::Named;
use rules::payment::{AccountType, masked};
use store::{Place, Row, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;

store::statements! {
    CURRENT = "SELECT id, account_type, routing_number, account_number, fingerprint, verification_status, deposits, tries, verified_at, \
               version, created_at FROM company_bank_accounts WHERE company_id = $1 AND replaced_at IS NULL ORDER BY id DESC LIMIT 1";
    INSERT = "INSERT INTO company_bank_accounts (company_id, id, account_type, routing_number, account_number, fingerprint, \
              verification_status, tries, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 1, $8, $8)";
    REPLACE = "UPDATE company_bank_accounts SET replaced_at = $1, version = version + 1, updated_at = $1 \
               WHERE company_id = $2 AND id = $3 AND replaced_at IS NULL";
    UPDATE = "UPDATE company_bank_accounts SET verification_status = $1, deposits = $2, tries = $3, verified_at = $4, \
              version = version + 1, updated_at = $5 WHERE company_id = $6 AND id = $7 AND version = $8";
}

/// How far an account has proved itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// the deposits are yet to be made
    AwaitingDeposits,
    /// the deposits were made
    Ready,
    /// their amounts were told
    Verified,
}

impl Verification {
    /// The text in the store and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwaitingDeposits => "awaiting_deposits",
            Self::Ready => "ready_for_verification",
            Self::Verified => "verified",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::AwaitingDeposits, Self::Ready, Self::Verified]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// A bank account of a company. Its numbers stay sealed until somebody asks for them.
#[derive(Debug, Clone)]
pub struct Account {
    /// identifier
    pub id: Uuid,
    /// checking or savings
    pub account_type: AccountType,
    /// sealed
    pub routing_number: Vec<u8>,
    /// sealed
    pub account_number: Vec<u8>,
    /// a digest of both numbers
    pub fingerprint: Vec<u8>,
    /// how far it has proved itself
    pub verification: Verification,
    /// the amounts of the test deposits, sealed
    pub deposits: Option<Vec<u8>>,
    /// wrong answers so far
    pub tries: i64,
    /// when it had proved itself
    pub verified_at: Option<Timestamp>,
    /// counter of updates
    pub version: i64,
    /// when it was added
    pub created_at: Timestamp,
}

fn account(row: &Row<'_>) -> Account {
    let (account_type, status) = (row.get::<&str>(1), row.get::<&str>(5));
    Account {
        id: row.get(0),
        account_type: AccountType::parse(account_type)
            .unwrap_or_else(|| panic!("{account_type} is no type of account")),
        routing_number: row.get(2),
        account_number: row.get(3),
        fingerprint: row.get(4),
        verification: Verification::parse(status).unwrap_or_else(|| panic!("{status} is no status")),
        deposits: row.get(6),
        tries: row.get(7),
        verified_at: row.get(8),
        version: row.get(9),
        created_at: row.get(10),
    }
}

impl Account {
    /// The routing number, opened.
    ///
    /// # Errors
    /// A store error.
    pub fn routing_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(tx.unseal_text(place(company, self.id, "routing_number"), &self.routing_number)?.to_string())
    }

    /// The account number, opened, for its mark and its last digits.
    ///
    /// # Errors
    /// A store error.
    pub fn account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<String>, Error> {
        Ok(tx.unseal_text(place(company, self.id, "account_number"), &self.account_number)?)
    }

    /// The last digits of the number: more of it never leaves the service.
    ///
    /// # Errors
    /// A store error.
    pub fn hidden_account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(masked(&self.account_number(tx, company)?))
    }

    /// The amounts of the test deposits in cents, opened.
    ///
    /// # Errors
    /// A store error.
    pub fn deposits(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<(i64, i64)>, Error> {
        let Some(sealed) = &self.deposits else { return Ok(None) };
        let text = tx.unseal_text(place(company, self.id, "deposits"), sealed)?;
        let amounts = text.split_once(' ').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        Ok(Some(amounts.ok_or(Error::Internal)?))
    }

    /// Puts in the amounts of the test deposits in cents, sealed.
    ///
    /// # Errors
    /// A store error.
    pub fn set_deposits(&mut self, tx: &mut Tx<'_>, company: Uuid, cents: (i64, i64)) -> Result<(), Error> {
        let text = Zeroizing::new(format!("{} {}", cents.0, cents.1));
        self.deposits = Some(tx.seal(place(company, self.id, "deposits"), text.as_bytes())?);
        Ok(())
    }
}

/// The place of a sealed field.
pub fn place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "company_bank_accounts", row: id, column }
}

/// A digest by which two accounts of a company are known as the same.
///
/// # Errors
/// A store error.
pub fn fingerprint(tx: &mut Tx<'_>, company: Uuid, routing: &str, number: &str) -> Result<Vec<u8>, Error> {
    let both = Zeroizing::new(format!("{routing} {number}"));
    Ok(tx.fingerprint(company, "company_bank_accounts.number", both.as_bytes())?.to_vec())
}

/// The account that the company's payroll is paid from.
///
/// # Errors
/// A store error.
pub fn current(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Account>, Error> {
    Ok(tx.find(CURRENT, params![company], account)?)
}

/// Stores a new account.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Account) -> Result<(), Error> {
    let (kind, status) = (new.account_type.as_str(), new.verification.as_str());
    let Account { id, routing_number, account_number, fingerprint, created_at, .. } = new;
    let parameters =
        params![company, id, kind, routing_number, account_number, fingerprint, status, *created_at];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Marks an account as replaced; false if it was.
///
/// # Errors
/// A store error.
pub fn replace(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change(REPLACE, params![now, company, id])?.one())
}

/// Stores how far an account has proved itself, if the version is still that of `changed`.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Account) -> Result<bool, Error> {
    let (now, status) = (tx.now(), changed.verification.as_str());
    let Account { id, deposits, tries, verified_at, version, .. } = changed;
    Ok(tx.change(UPDATE, params![status, deposits, *tries, *verified_at, now, company, id, *version])?.one())
}
