//! Records of federal tax details and of answers to states.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named;
use rules::company::FilingForm;
use store::record::Cursor;
use store::{Place, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FIND_FEDERAL = "SELECT ein, ein_verified, taxable_as_scorp, filing_form, effective_date, version, updated_at \
                    FROM company_federal_taxes WHERE company_id = $1";
    INSERT_FEDERAL = "INSERT INTO company_federal_taxes (company_id, ein, ein_verified, taxable_as_scorp, filing_form, \
                      effective_date, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7)";
    UPDATE_FEDERAL = "UPDATE company_federal_taxes SET ein = $1, ein_verified = $2, taxable_as_scorp = $3, \
                      filing_form = $4, effective_date = $5, version = version + 1, updated_at = $6 \
                      WHERE company_id = $7 AND version = $8";
    SET_VERIFIED = "UPDATE company_federal_taxes SET ein_verified = true WHERE company_id = $1 AND ein IS NOT NULL";
    ANSWERS = "SELECT state, set_key, question, value, effective_from, updated_at FROM company_tax_answers WHERE company_id = $1 \
               ORDER BY state, set_key, effective_from, question";
    SAVE_ANSWER = "INSERT INTO company_tax_answers (company_id, state, set_key, effective_from, question, value, updated_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (company_id, state, set_key, effective_from, question) \
                   DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
    DELETE_ANSWER = "DELETE FROM company_tax_answers WHERE company_id = $1 AND state = $2 AND set_key = $3 AND effective_from = $4 \
                     AND question = $5";
}

/// Federal tax details of a company, except its name and legal form, which are fields of the company. The EIN is sealed.
#[derive(Debug, Clone)]
pub struct Federal {
    /// sealed, nine digits
    pub ein: Option<Vec<u8>>,
    /// whether the EIN was verified when the company was approved
    pub ein_verified: bool,
    /// whether it is taxed as an S corporation
    pub taxable_as_scorp: bool,
    /// federal payroll tax return
    pub filing_form: FilingForm,
    /// day from which the details apply
    pub effective_date: Date,
    /// counter of updates
    pub version: i64,
    /// when it was last updated
    pub updated_at: Timestamp,
}

fn read_federal(row: &Row<'_>) -> Result<Federal, store::Error> {
    let mut next = Cursor::new(row, "company_federal_taxes", 0);
    Ok(Federal {
        ein: next.read_plain("ein")?,
        ein_verified: next.read_plain("ein_verified")?,
        taxable_as_scorp: next.read_plain("taxable_as_scorp")?,
        filing_form: next.read_text("filing_form", FilingForm::parse)?,
        effective_date: next.read_plain("effective_date")?,
        version: next.read_plain("version")?,
        updated_at: next.read_plain("updated_at")?,
    })
}

impl Federal {
    /// The EIN, unsealed.
    pub fn ein(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<String>, Error> {
        let Some(sealed) = &self.ein else { return Ok(None) };
        Ok(Some(tx.unseal_text(ein_place(company), sealed)?.to_string()))
    }

    /// Sets a new EIN, which is not verified.
    pub fn set_ein(&mut self, tx: &mut Tx<'_>, company: Uuid, ein: &str) -> Result<(), Error> {
        self.ein = Some(tx.seal_field(ein_place(company), ein.as_bytes())?);
        self.ein_verified = false;
        Ok(())
    }
}

fn ein_place(company: Uuid) -> Place {
    Place { owner: company, table: "company_federal_taxes", row: company, column: "ein" }
}

/// The company's federal tax details.
pub fn find_federal(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Federal>, Error> {
    Ok(tx.try_find(FIND_FEDERAL, params![company], read_federal)?)
}

/// Stores the federal tax details of a new company.
pub fn insert_federal(tx: &mut Tx<'_>, company: Uuid, new: &Federal) -> Result<(), Error> {
    let form = new.filing_form.as_str();
    let Federal { ein, ein_verified, taxable_as_scorp, effective_date, updated_at, .. } = new;
    let parameters =
        params![company, ein, *ein_verified, *taxable_as_scorp, form, *effective_date, *updated_at];
    Ok(tx.insert_row(INSERT_FEDERAL, parameters)?)
}

/// Stores changed federal tax details; false if the stored version has changed.
pub fn update_federal(tx: &mut Tx<'_>, company: Uuid, changed: &Federal) -> Result<bool, Error> {
    let (now, form) = (tx.now(), changed.filing_form.as_str());
    let Federal { ein, ein_verified, taxable_as_scorp, effective_date, version, .. } = changed;
    let parameters =
        params![ein, *ein_verified, *taxable_as_scorp, form, *effective_date, now, company, *version];
    Ok(tx.change_rows(UPDATE_FEDERAL, parameters)?.is_one())
}

/// Marks the company's EIN as verified.
pub fn set_verified(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(SET_VERIFIED, params![company])?.rows();
    Ok(())
}

/// An answer to a requirement of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// two letters
    pub state: String,
    /// key of the requirement set
    pub set: String,
    /// key of the requirement
    pub key: String,
    /// the answer
    pub value: String,
    /// day from which the answer applies
    pub effective_from: Date,
    /// when it was last updated
    pub updated_at: Timestamp,
}

/// The company's answers to all states.
pub fn list_answers(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Answer>, Error> {
    Ok(tx.try_query(ANSWERS, params![company], |row| {
        let mut next = Cursor::new(row, "company_tax_answers", 0);
        Ok::<_, store::Error>(Answer {
            state: next.read_plain("state")?,
            set: next.read_plain("set_key")?,
            key: next.read_plain("question")?,
            value: next.read_plain("value")?,
            effective_from: next.read_plain("effective_from")?,
            updated_at: next.read_plain("updated_at")?,
        })
    })?)
}

/// Stores an answer, replacing one for the same requirement and day.
pub fn save_answer(tx: &mut Tx<'_>, company: Uuid, new: &Answer) -> Result<(), Error> {
    let Answer { state, set, key, value, effective_from, updated_at } = new;
    Ok(tx.insert_row(SAVE_ANSWER, params![company, state, set, *effective_from, key, value, *updated_at])?)
}

/// The answer to a requirement (state, set and key) that applies on a day: the latest that has begun.
pub fn current_answer<'a>(
    held: &'a [Answer],
    (state, set, key): (&str, &str, &str),
    day: Date,
) -> Option<&'a Answer> {
    let fits = |answer: &&Answer| {
        answer.state == state && answer.set == set && answer.key == key && answer.effective_from <= day
    };
    held.iter().filter(fits).max_by_key(|answer| answer.effective_from)
}

/// Deletes an answer.
pub fn delete_answer(tx: &mut Tx<'_>, company: Uuid, old: &Answer) -> Result<(), Error> {
    let Answer { state, set, key, effective_from, .. } = old;
    let _gone = tx.change_rows(DELETE_ANSWER, params![company, state, set, *effective_from, key])?.rows();
    Ok(())
}
