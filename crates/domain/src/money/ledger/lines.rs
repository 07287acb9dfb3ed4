//! The parts of entries that go into a file: read without the other columns, and opened.

use rules::Named;
use rules::payment::AccountType;
use store::record::Cursor;
use store::{Place, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::rows::{Batch, BatchState, Entry};
use crate::error::Error;

store::statements! {
    LINES = "SELECT id, place, account_type, cents, receiver, name, routing_number, account_number, addendum FROM payment_entries \
             WHERE company_id = $1 AND batch_id = $2 AND place > $3 ORDER BY place LIMIT $4";
    REVERSED = "SELECT count(*) FROM payment_entries WHERE company_id = $1 AND batch_id = $2 \
                AND (state = 'reversed' OR (state = 'paid_by_employer' AND place IS NOT NULL))";
    HELD = "SELECT id, cents FROM payment_entries WHERE company_id = $1 AND payroll_id = $2 AND state = 'held' AND id > $3 \
            ORDER BY id LIMIT $4";
}

/// Payments read at once.
const HELD_AT_ONCE: i64 = 1_000;

/// Whether a payment of a batch was reversed.
pub(in crate::money) fn any_reversed(tx: &mut Tx<'_>, company: Uuid, batch: Uuid) -> Result<bool, Error> {
    Ok(tx
        .find_row(REVERSED, params![company, batch], |row| row.get::<i64>(0))?
        .is_some_and(|count| count > 0))
}

/// Returns the cents of a payroll's entries that are held and not yet decided.
pub(in crate::money) fn held_cents(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<i64, Error> {
    let (mut cents, mut after) = (0, Uuid::nil());
    loop {
        let of = params![company, payroll, after, HELD_AT_ONCE];
        let some = tx.query_rows(HELD, of, |row| (row.get::<Uuid>(0), row.get::<i64>(1)))?;
        let Some((last, _)) = some.last() else { return Ok(cents) };
        after = *last;
        cents += some.iter().map(|(_, cents)| cents).sum::<i64>();
    }
}

/// The part of an entry that goes into the file.
#[derive(Debug)]
pub struct EntryLine {
    /// the entry
    pub id: Uuid,
    /// its position in the batch
    pub place: i64,
    /// checking or savings
    pub account_type: AccountType,
    /// amount
    pub cents: i64,
    /// the originator's id for the receiver
    pub receiver: String,
    /// the receiver's name
    pub name: String,
    /// the sealed part
    pub sealed: Sealed,
}

/// Returns the parts of a batch's entries that go into the file, after a position, in order.
pub fn lines_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: Uuid,
    after: i64,
    most: i64,
) -> Result<Vec<EntryLine>, Error> {
    Ok(tx.try_query(LINES, params![company, batch, after, most], |row| {
        let mut next = Cursor::new(row, Entry::TABLE, 0);
        Ok::<_, store::Error>(EntryLine {
            id: next.read_plain("id")?,
            place: next.read_plain("place")?,
            account_type: next.read_text("account_type", AccountType::parse)?,
            cents: next.read_plain("cents")?,
            receiver: next.read_plain("receiver")?,
            name: next.read_plain("name")?,
            sealed: Sealed {
                routing: next.read_plain("routing_number")?,
                account: next.read_plain("account_number")?,
                addendum: next.read_plain("addendum")?,
            },
        })
    })?)
}

fn sealed_field_place(company: Uuid, entry: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: Entry::TABLE, row: entry, column }
}

/// The opened contents of an entry's sealed fields.
pub struct Opened {
    /// nine digits
    pub routing: String,
    /// account number
    pub account: Zeroizing<String>,
    /// payment information
    pub addendum: Option<Zeroizing<String>>,
}

store::hidden!(Opened);

/// The sealed fields of an entry.
pub struct Sealed {
    routing: Option<Vec<u8>>,
    account: Option<Vec<u8>>,
    addendum: Option<Vec<u8>>,
}

store::hidden!(Sealed);

impl Sealed {
    /// Opens the sealed fields for the file; `None` for an entry that is held for lack of an account.
    pub fn open_fields(&self, tx: &mut Tx<'_>, company: Uuid, entry: Uuid) -> Result<Option<Opened>, Error> {
        let (Some(routing), Some(account)) = (&self.routing, &self.account) else { return Ok(None) };
        let routing =
            tx.unseal_text(sealed_field_place(company, entry, "routing_number"), routing)?.to_string();
        let account = tx.unseal_text(sealed_field_place(company, entry, "account_number"), account)?;
        let addendum = match &self.addendum {
            Some(sealed) => Some(tx.unseal_text(sealed_field_place(company, entry, "addendum"), sealed)?),
            None => None,
        };
        Ok(Some(Opened { routing, account, addendum }))
    }
}

impl Batch {
    /// Removes the batch from its file, which the bank does not have.
    pub(in crate::money) fn leave_file(&mut self, state: BatchState) {
        self.state = state;
        (self.file, self.number, self.first_trace, self.effective) = (None, None, None, None);
    }
}

impl Entry {
    /// Seals the account and the payment information of a new entry.
    pub fn seal_fields(
        &mut self,
        tx: &mut Tx<'_>,
        company: Uuid,
        (routing, account): (&str, &str),
        addendum: Option<&str>,
    ) -> Result<(), Error> {
        self.routing_number =
            Some(tx.seal_field(sealed_field_place(company, self.id, "routing_number"), routing.as_bytes())?);
        self.account_number =
            Some(tx.seal_field(sealed_field_place(company, self.id, "account_number"), account.as_bytes())?);
        let seal =
            |text: &str| tx.seal_field(sealed_field_place(company, self.id, "addendum"), text.as_bytes());
        self.addendum = addendum.map(seal).transpose()?;
        Ok(())
    }

    /// Opens the sealed fields for the file; `None` for an entry that is held for lack of an account.
    pub fn open_fields(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Opened>, Error> {
        let sealed = Sealed {
            routing: self.routing_number.clone(),
            account: self.account_number.clone(),
            addendum: self.addendum.clone(),
        };
        sealed.open_fields(tx, company, self.id)
    }
}
