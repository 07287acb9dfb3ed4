//! Records of tax forms and of their corrections.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named as _;
use sha2::{Digest as _, Sha256};
use store::{Place, Tx, Unread, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::content::{Content, FormOf, TaxFormKind};
use crate::error::Error;
use crate::people::forms::rows::parse_json;
use crate::platform::hooks::PayCause;

/// Maximum forms, or corrections, of a company that are read at once: those of decades.
const MOST: i64 = 2_000;

/// The state of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum State {
    /// made from the figures of a day; they may change
    #[strum(serialize = "draft")]
    Draft,
    /// its period is closed
    #[strum(serialize = "final")]
    Final,
    /// the agency has it
    #[strum(serialize = "filed")]
    Filed,
    /// the close was taken back before it was filed
    #[strum(serialize = "void")]
    Void,
}

store::record! {
    /// A tax form.
    #[derive(Debug, Clone)]
    pub struct TaxForm in "tax_forms" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// which form
            pub kind: TaxFormKind as text = "name",
            /// its year
            pub year: i64,
            /// its quarter, from 1 to 4; `None` for a form of a year
            pub quarter: Option<i64>,
            /// the employee whose statement it is; `None` for a return, or a contractor's
            pub employee: Option<Uuid> = "employee_id",
            /// the contractor whose statement it is
            pub contractor: Option<Uuid> = "contractor_id",
        }
        fields {
            /// its state
            pub state: State as text,
            /// sealed JSON of what it says
            pub content: Vec<u8> as secret,
            /// SHA-256 of that JSON
            pub digest: Vec<u8>,
            /// cents that the close posted to the books; negative if more had been booked
            pub posted: i64,
            /// the posting
            pub posting: Option<Uuid> = "posting_id",
            /// when the period was closed
            pub closed_at: Option<Timestamp>,
            /// SHA-256 of the file that was written of it
            pub file_digest: Option<Vec<u8>>,
            /// when that file was written
            pub written_at: Option<Timestamp>,
            /// when it was filed
            pub filed_on: Option<Date>,
            /// the agency's receipt
            pub receipt: Option<String>,
            /// why it is void
            pub reason: Option<String>,
        }
        times {
            /// when it was made
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::record! {
    /// A change of what was paid in a closed period. What was closed stays; a person decides whether an amended return is filed.
    #[derive(Debug, Clone)]
    pub struct Correction in "tax_form_corrections" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the closed form
            pub form: Uuid = "form_id",
            /// what happened
            pub cause: PayCause as text,
            /// the payroll, or the employee with opening balances
            pub record: Uuid = "record_id",
            /// the pay date
            pub day: Date,
        }
        fields {
            /// when it was settled: an amended return was filed, or none is needed
            pub settled_on: Option<Date>,
            /// the agency's receipt, or why no amended return is needed
            pub receipt: Option<String>,
        }
        times {
            /// when it was noticed
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records TaxForm, Correction;
    OF_COMPANY = store::text!(TaxForm::SELECT, " AND employee_id IS NULL AND contractor_id IS NULL ORDER BY id LIMIT $2");
    OF_EMPLOYEE = store::text!(TaxForm::SELECT, " AND employee_id = $2 ORDER BY id LIMIT $3");
    STATEMENTS = store::text!(TaxForm::SELECT, " AND name = 'US_W-2' AND year = $2 AND state <> 'void' \
                               AND employee_id > $3 ORDER BY employee_id LIMIT $4");
    CORRECTED = store::text!(TaxForm::SELECT, " AND name = 'US_W-2c' AND year = $2 AND state <> 'void' ORDER BY id LIMIT $3");
    OF_CONTRACTOR = store::text!(TaxForm::SELECT, " AND contractor_id = $2 ORDER BY id LIMIT $3");
    OF_CONTRACTORS = store::text!(TaxForm::SELECT, " AND name = 'US_1099' AND year = $2 AND state <> 'void' \
                                   AND contractor_id > $3 ORDER BY contractor_id LIMIT $4");
    ALL_CORRECTIONS = store::text!(Correction::SELECT, " ORDER BY id LIMIT $2");
    OPEN_CORRECTIONS = store::text!(Correction::SELECT, " AND settled_on IS NULL ORDER BY id LIMIT $2");
}

impl TaxForm {
    /// Returns the calendar year.
    ///
    /// # Errors
    /// A store error that names the record if the stored year is none.
    pub fn calendar_year(&self) -> Result<i16, Error> {
        i16::try_from(self.year).map_err(|_| {
            let why = format!("holds {}, which is no year, in record {}", self.year, self.id);
            Unread::new(why).into_error(Self::TABLE, "year").into()
        })
    }

    /// A new draft.
    pub fn new_draft(
        tx: &mut Tx<'_>,
        company: Uuid,
        of: FormOf,
        employee: Option<Uuid>,
        content: &Content,
    ) -> Result<Self, Error> {
        let id = tx.new_id();
        Ok(Self {
            id,
            kind: of.kind,
            year: i64::from(of.year),
            quarter: of.quarter.map(i64::from),
            employee,
            contractor: None,
            state: State::Draft,
            content: tx.seal_field(content_place(company, id), &content.to_bytes())?,
            digest: content.content_digest(),
            posted: 0,
            posting: None,
            closed_at: None,
            file_digest: None,
            written_at: None,
            filed_on: None,
            receipt: None,
            reason: None,
            created_at: tx.now(),
            version: 1,
        })
    }

    /// Replaces what a draft says.
    pub fn replace_content(
        &mut self,
        tx: &mut Tx<'_>,
        company: Uuid,
        content: &Content,
    ) -> Result<(), Error> {
        assert!(self.state == State::Draft, "what was closed never changes");
        self.content = tx.seal_field(content_place(company, self.id), &content.to_bytes())?;
        self.digest = content.content_digest();
        Ok(())
    }

    /// What it says.
    ///
    /// # Errors
    /// It is not what its digest says, or can't be read; a store error.
    pub fn read_content(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Content, Error> {
        let json = tx.unseal_field(content_place(company, self.id), &self.content)?;
        if Sha256::digest(&*json).as_slice() != self.digest {
            return Err(Error::internal(format!("tax form {} is not what its digest says", self.id)));
        }
        Ok(parse_json(Self::TABLE, "content", &json)?)
    }

    /// Whether it is that form of that quarter or year.
    pub fn is_form(&self, of: FormOf) -> bool {
        (self.kind, self.year, self.quarter) == (of.kind, i64::from(of.year), of.quarter.map(i64::from))
    }

    /// Whether it is a return of the company, and nobody's statement.
    pub fn is_of_company(&self) -> bool {
        self.employee.is_none() && self.contractor.is_none()
    }

    /// The employee or the contractor whose statement it is.
    pub fn statement_person(&self) -> Option<Uuid> {
        self.employee.or(self.contractor)
    }

    /// Whether its period is closed.
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Final | State::Filed)
    }

    /// Its period in words.
    pub fn period_text(&self) -> String {
        match self.quarter {
            Some(quarter) => format!("{}-Q{quarter}", self.year),
            None => self.year.to_string(),
        }
    }
}

fn content_place(company: Uuid, id: Uuid) -> Place {
    Place { owner: company, table: TaxForm::TABLE, row: id, column: "content" }
}

/// Takes the guard under which forms and corrections of a company are changed.
pub fn lock_company_forms(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, TaxForm::TABLE, company)?)
}

/// The returns of a company, oldest first, void ones included.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<TaxForm>, Error> {
    Ok(tx.try_query_all(OF_COMPANY, params![company], MOST, TaxForm::read)?)
}

/// The statements of an employee that count, oldest first.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<TaxForm>, Error> {
    let mut found = tx.try_query_all(OF_EMPLOYEE, params![company, employee], MOST, TaxForm::read)?;
    found.retain(|form| form.state != State::Void);
    Ok(found)
}

/// The Forms W-2c of a year, oldest first.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn corrected_statements(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<TaxForm>, Error> {
    Ok(tx.try_query_all(CORRECTED, params![company, i64::from(year)], MOST, TaxForm::read)?)
}

/// The statements of a contractor that count, oldest first.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn of_contractor(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<Vec<TaxForm>, Error> {
    let mut found = tx.try_query_all(OF_CONTRACTOR, params![company, contractor], MOST, TaxForm::read)?;
    found.retain(|form| form.state != State::Void);
    Ok(found)
}

/// The next statements of a kind and a year, in the order of those whom they are about.
pub fn statements_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    (kind, year): (TaxFormKind, i16),
    after: Uuid,
    most: i64,
) -> Result<Vec<TaxForm>, Error> {
    let statement = if kind == TaxFormKind::F1099 { OF_CONTRACTORS } else { STATEMENTS };
    Ok(tx.try_query(statement, params![company, i64::from(year), after, most], TaxForm::read)?)
}

/// The corrections of a company, oldest first; only those that are not settled if `open`.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn list_corrections(tx: &mut Tx<'_>, company: Uuid, open: bool) -> Result<Vec<Correction>, Error> {
    let statement = if open { OPEN_CORRECTIONS } else { ALL_CORRECTIONS };
    Ok(tx.try_query_all(statement, params![company], MOST, Correction::read)?)
}
