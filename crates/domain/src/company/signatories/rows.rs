//! Rows of signatories.

use jiff::civil::Date;
use store::{Place, Row, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;

store::statements! {
    OF_COMPANY = "SELECT id, first_name, middle_initial, last_name, title, phone, email, birthday, ssn, ssn_fingerprint, street_1, street_2, \
                  city, state, zip, country, version FROM signatories WHERE company_id = $1 ORDER BY id";
    INSERT = "INSERT INTO signatories (company_id, id, first_name, middle_initial, last_name, title, phone, email, birthday, ssn, \
              ssn_fingerprint, street_1, street_2, city, state, zip, country, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1, $18, $18)";
    UPDATE = "UPDATE signatories SET first_name = $1, middle_initial = $2, last_name = $3, title = $4, phone = $5, birthday = $6, ssn = $7, \
              ssn_fingerprint = $8, street_1 = $9, street_2 = $10, city = $11, state = $12, zip = $13, country = $14, \
              version = version + 1, updated_at = $15 WHERE company_id = $16 AND id = $17 AND version = $18";
    DELETE = "DELETE FROM signatories WHERE company_id = $1 AND id = $2";
}

/// Where a signatory lives.
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

/// A signatory. SSN and birthday stay sealed until somebody asks for them.
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
    /// where the company's papers go
    pub email: String,
    /// sealed, as YYYY-MM-DD
    pub birthday: Option<Vec<u8>>,
    /// sealed
    pub ssn: Option<Vec<u8>>,
    /// a digest of the SSN
    pub ssn_fingerprint: Option<Vec<u8>>,
    /// where the signatory lives
    pub home: Option<Address>,
    /// counter of updates
    pub version: i64,
}

impl Signatory {
    /// Whether everything is held that signing takes.
    pub fn is_complete(&self) -> bool {
        self.title.is_some()
            && self.phone.is_some()
            && self.birthday.is_some()
            && self.ssn.is_some()
            && self.home.is_some()
    }

    /// The birthday, opened.
    ///
    /// # Errors
    /// A store error.
    pub fn birthday(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
        let Some(sealed) = &self.birthday else { return Ok(None) };
        let plain = tx.unseal(place(company, self.id, "birthday"), sealed)?;
        Ok(std::str::from_utf8(&plain).ok().and_then(|text| text.parse().ok()))
    }

    /// The SSN, opened.
    ///
    /// # Errors
    /// A store error.
    pub fn ssn(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Zeroizing<String>>, Error> {
        let Some(sealed) = &self.ssn else { return Ok(None) };
        Ok(Some(tx.unseal_text(place(company, self.id, "ssn"), sealed)?))
    }
}

fn signatory(row: &Row<'_>) -> Signatory {
    let home = row.get::<Option<String>>(10).map(|street_1| Address {
        street_1,
        street_2: row.get(11),
        city: row.get(12),
        state: row.get(13),
        zip: row.get(14),
        country: row.get(15),
    });
    Signatory {
        id: row.get(0),
        first_name: row.get(1),
        middle_initial: row.get(2),
        last_name: row.get(3),
        title: row.get(4),
        phone: row.get(5),
        email: row.get(6),
        birthday: row.get(7),
        ssn: row.get(8),
        ssn_fingerprint: row.get(9),
        home,
        version: row.get(16),
    }
}

/// The place of a sealed field.
pub fn place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "signatories", row: id, column }
}

/// A digest by which two equal SSNs are known as equal.
///
/// # Errors
/// A store error.
pub fn fingerprint(tx: &mut Tx<'_>, company: Uuid, ssn: &str) -> Result<Vec<u8>, Error> {
    Ok(tx.fingerprint(company, "signatories.ssn", ssn.as_bytes())?.to_vec())
}

/// The company's signatory, if it has one.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Signatory>, Error> {
    Ok(tx.find(OF_COMPANY, params![company], signatory)?)
}

/// Stores a new signatory.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Signatory) -> Result<(), Error> {
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
        &new.ssn_fingerprint,
        home.map(|h| &*h.street_1),
        home.and_then(|h| h.street_2.as_deref()),
        home.map(|h| &*h.city),
        home.map(|h| &*h.state),
        home.map(|h| &*h.zip),
        home.map(|h| &*h.country),
        now
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Stores what has changed, if the version is still that of `changed`.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Signatory) -> Result<bool, Error> {
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
        &changed.ssn_fingerprint,
        home.map(|h| &*h.street_1),
        home.and_then(|h| h.street_2.as_deref()),
        home.map(|h| &*h.city),
        home.map(|h| &*h.state),
        home.map(|h| &*h.zip),
        home.map(|h| &*h.country),
        now,
        company,
        id,
        *version
    ];
    Ok(tx.change(UPDATE, parameters)?.one())
}

/// Deletes a signatory; false if it is gone.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change(DELETE, params![company, id])?.one())
}
