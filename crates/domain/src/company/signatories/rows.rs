//! Rows of signatories.

use jiff::civil::Date;
use rules::Named;
use store::record::Cursor;
use store::{Place, Row, Tx, Unread, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;

store::statements! {
    OF_COMPANY = "SELECT id, first_name, middle_initial, last_name, title, phone, email, birthday, ssn, version, \
                  identity_check, street_1, street_2, city, state, zip, country FROM signatories WHERE company_id = $1 ORDER BY id";
    INSERT = "INSERT INTO signatories (company_id, id, first_name, middle_initial, last_name, title, phone, email, birthday, ssn, \
              street_1, street_2, city, state, zip, country, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1, $17, $17)";
    UPDATE = "UPDATE signatories SET first_name = $1, middle_initial = $2, last_name = $3, title = $4, phone = $5, birthday = $6, ssn = $7, \
              street_1 = $8, street_2 = $9, city = $10, state = $11, zip = $12, country = $13, \
              identity_check = $14, version = version + 1, updated_at = $15 WHERE company_id = $16 AND id = $17 AND version = $18";
    DELETE = "DELETE FROM signatories WHERE company_id = $1 AND id = $2";
}

/// The result of a check of a signatory's identity, made outside the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum IdentityCheck {
    /// the identity is confirmed
    Pass,
    /// the identity is not certain: nothing can be signed
    Fail,
}

/// A signatory's home address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
}

/// A signatory. SSN and birthday are unsealed on demand.
#[derive(Debug, Clone)]
pub struct Signatory {
    /// identifier
    pub id: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// such as `Owner`
    pub title: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// e-mail address
    pub email: String,
    /// sealed, as YYYY-MM-DD
    pub birthday: Option<Vec<u8>>,
    /// sealed
    pub ssn: Option<Vec<u8>>,
    /// home address
    pub home: Option<Address>,
    /// result of the identity check; `None` if there was none
    pub identity_check: Option<IdentityCheck>,
    /// counter of updates
    pub version: i64,
}

impl Signatory {
    /// Whether everything that is needed to sign is present.
    pub fn is_complete(&self) -> bool {
        self.title.is_some()
            && self.phone.is_some()
            && self.birthday.is_some()
            && self.ssn.is_some()
            && self.home.is_some()
    }

    /// The birthday, unsealed.
    pub fn birthday(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
        let Some(sealed) = &self.birthday else { return Ok(None) };
        let plain = tx.unseal_field(sealed_field_place(company, self.id, "birthday"), sealed)?;
        let birthday = std::str::from_utf8(&plain).ok().and_then(|text| text.parse().ok());
        let unreadable = || Unread::new("holds no date").into_error("signatories", "birthday");
        Ok(Some(birthday.ok_or_else(unreadable)?))
    }

    /// The SSN, unsealed.
    pub fn ssn(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Zeroizing<String>>, Error> {
        let Some(sealed) = &self.ssn else { return Ok(None) };
        Ok(Some(tx.unseal_text(sealed_field_place(company, self.id, "ssn"), sealed)?))
    }
}

/// Reads the columns of [`OF_COMPANY`].
fn read_signatory(row: &Row<'_>) -> Result<Signatory, store::Error> {
    let mut columns = Cursor::new(row, "signatories", 0);
    Ok(Signatory {
        id: columns.read_plain("id")?,
        first_name: columns.read_plain("first_name")?,
        middle_initial: columns.read_plain("middle_initial")?,
        last_name: columns.read_plain("last_name")?,
        title: columns.read_plain("title")?,
        phone: columns.read_plain("phone")?,
        email: columns.read_plain("email")?,
        birthday: columns.read_plain("birthday")?,
        ssn: columns.read_plain("ssn")?,
        version: columns.read_plain("version")?,
        identity_check: columns.text_or_null("identity_check", IdentityCheck::parse)?,
        home: match columns.read_plain("street_1")? {
            Some(street_1) => Some(Address {
                street_1,
                street_2: columns.read_plain("street_2")?,
                city: columns.read_plain("city")?,
                state: columns.read_plain("state")?,
                zip: columns.read_plain("zip")?,
                country: columns.read_plain("country")?,
            }),
            None => None,
        },
    })
}

/// The place of a sealed field.
pub fn sealed_field_place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "signatories", row: id, column }
}

/// The company's signatory, if it has one.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Signatory>, Error> {
    Ok(tx.try_find(OF_COMPANY, params![company], read_signatory)?)
}

/// Stores a new signatory.
pub fn insert_signatory(tx: &mut Tx<'_>, company: Uuid, new: &Signatory) -> Result<(), Error> {
    let now = tx.now();
    let Signatory { id, first_name, middle_initial, last_name, title, phone, email, .. } = new;
    let home = new.home.as_ref();
    let parameters = params![
        company,
        id,
        first_name,
        middle_initial,
        last_name,
        title,
        phone,
        email,
        &new.birthday,
        &new.ssn,
        home.map(|h| &*h.street_1),
        home.and_then(|h| h.street_2.as_deref()),
        home.map(|h| &*h.city),
        home.map(|h| &*h.state),
        home.map(|h| &*h.zip),
        home.map(|h| &*h.country),
        now
    ];
    Ok(tx.insert_row(INSERT, parameters)?)
}

/// Updates a signatory; `false` if its version is no longer that of `changed`.
pub fn update_signatory(tx: &mut Tx<'_>, company: Uuid, changed: &Signatory) -> Result<bool, Error> {
    let now = tx.now();
    let Signatory { id, first_name, middle_initial, last_name, title, phone, version, .. } = changed;
    let home = changed.home.as_ref();
    let parameters = params![
        first_name,
        middle_initial,
        last_name,
        title,
        phone,
        &changed.birthday,
        &changed.ssn,
        home.map(|h| &*h.street_1),
        home.and_then(|h| h.street_2.as_deref()),
        home.map(|h| &*h.city),
        home.map(|h| &*h.state),
        home.map(|h| &*h.zip),
        home.map(|h| &*h.country),
        changed.identity_check.map(IdentityCheck::as_str),
        now,
        company,
        id,
        *version
    ];
    Ok(tx.change_rows(UPDATE, parameters)?.is_one())
}

/// Deletes a signatory; `false` if there is none.
pub fn delete_signatory(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change_rows(DELETE, params![company, id])?.is_one())
}
