//! Rows of Form W-4 and of the answers to state tax questions.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rules::payroll::FicaExemption;
use rules::places::GivenFor;
use rules::withholding::federal::{FilingStatus, W4};
use rules::{Amount, Named};
use serde_json::{Map, Value};
use store::record::Cursor;
use store::{Row, Tx, Unread, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, Millionths};

store::record! {
    /// Answers to the questions of a state.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct StateTaxes in "employee_state_taxes" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// two letters
            pub state: String,
        }
        fields {
            /// values by the keys of the questions
            pub answers: Map<String, Value> as json,
            /// the addresses for which answers about places were given: after a move, the questions are open again
            pub given_for: Option<GivenFor> as json,
            /// whether the employer reports the new hire
            pub file_new_hire_report: Option<bool>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records StateTaxes;
    FEDERAL = "SELECT employee_id, w4_data_type, filing_status, two_jobs, dependents_amount, other_income, deductions, \
               extra_withholding, allowances, additional_withholding, nonresident_alien, fica_exemption, version, exempt_since, updated_at \
               FROM employee_federal_taxes WHERE company_id = $1 AND employee_id = $2";
    FEDERAL_BETWEEN = "SELECT employee_id, w4_data_type, filing_status, two_jobs, dependents_amount, other_income, deductions, \
               extra_withholding, allowances, additional_withholding, nonresident_alien, fica_exemption, version, exempt_since, updated_at \
               FROM employee_federal_taxes WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id";
    INSERT_FEDERAL = "INSERT INTO employee_federal_taxes (w4_data_type, filing_status, two_jobs, dependents_amount, other_income, \
                      deductions, extra_withholding, allowances, additional_withholding, updated_at, company_id, employee_id, \
                      version, nonresident_alien, fica_exemption, created_at, exempt_since) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $10, $16)";
    UPDATE_FEDERAL = "UPDATE employee_federal_taxes SET w4_data_type = $1, filing_status = $2, two_jobs = $3, dependents_amount = $4, \
                      other_income = $5, deductions = $6, extra_withholding = $7, allowances = $8, additional_withholding = $9, \
                      nonresident_alien = $14, fica_exemption = $15, exempt_since = $16, version = version + 1, updated_at = $10 WHERE company_id = $11 AND employee_id = $12 AND version = $13";
    DELETE_FEDERAL = "DELETE FROM employee_federal_taxes WHERE company_id = $1 AND employee_id = $2";
    STATES = store::text!(StateTaxes::SELECT, " AND employee_id = $2 ORDER BY state");
    STATES_BETWEEN = store::text!(StateTaxes::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, state");
    DELETE_STATES = "DELETE FROM employee_state_taxes WHERE company_id = $1 AND employee_id = $2";
}

/// Name of Form W-4 of 2020 and later, in requests and rows.
pub const REV_2020: &str = "rev_2020_w4";
/// Name of the earlier form.
pub const PRE_2020: &str = "pre_2020_w4";

/// Table of Form W-4, also in versions and audit entries.
pub const FEDERAL_TABLE: &str = "employee_federal_taxes";

/// What the employer knows and Form W-4 does not contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FederalSettings {
    /// whether an amount is added to the wages of a nonresident alien for income tax withholding
    pub nonresident_alien: bool,
    /// why the pay is exempt from Social Security and Medicare tax
    pub fica_exemption: Option<FicaExemption>,
}

/// An employee's Form W-4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FederalTaxes {
    /// the employee
    pub employee: Uuid,
    /// the form
    pub w4: W4,
    /// what the employer has set in addition
    pub settings: FederalSettings,
    /// the day on which exemption was claimed, if it is; `None` in older rows
    pub exempt_since: Option<Date>,
    /// last changed
    pub updated_at: Timestamp,
    /// counter of updates; 0 before it is stored
    pub version: i64,
}

impl FederalTaxes {
    /// The day on which exemption was claimed; `None` if it is not claimed.
    pub fn claimed_on(&self) -> Option<Date> {
        let last_change = || self.updated_at.to_zoned(TimeZone::UTC).date();
        self.w4.is_exempt().then(|| self.exempt_since.unwrap_or_else(last_change))
    }

    fn read_taxes(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut columns = Cursor::new(row, FEDERAL_TABLE, 0);
        let employee = columns.read_plain("employee_id")?;
        let is_pre_2020 = columns.read_text("w4_data_type", |kind| match kind {
            PRE_2020 => Some(true),
            REV_2020 => Some(false),
            _ => None,
        })?;
        let filing_status = columns.read_text("filing_status", FilingStatus::parse)?;
        let two_jobs: Option<bool> = columns.read_plain("two_jobs")?;
        let dependents_amount = columns.stored_or_null::<Millionths, _>("dependents_amount")?;
        let other_income = columns.stored_or_null::<Millionths, _>("other_income")?;
        let deductions = columns.stored_or_null::<Millionths, _>("deductions")?;
        let extra_withholding = columns.stored_or_null::<Millionths, _>("extra_withholding")?;
        let allowances: Option<i64> = columns.read_plain("allowances")?;
        let additional_withholding = columns.stored_or_null::<Millionths, _>("additional_withholding")?;
        let w4 = if is_pre_2020 {
            W4::Pre2020 {
                filing_status,
                allowances: require_column("allowances", allowances)?,
                additional_withholding: require_column("additional_withholding", additional_withholding)?,
            }
        } else {
            W4::Rev2020 {
                filing_status,
                two_jobs: require_column("two_jobs", two_jobs)?,
                dependents_amount: require_column("dependents_amount", dependents_amount)?,
                other_income: require_column("other_income", other_income)?,
                deductions: require_column("deductions", deductions)?,
                extra_withholding: require_column("extra_withholding", extra_withholding)?,
            }
        };
        let settings = FederalSettings {
            nonresident_alien: columns.read_plain("nonresident_alien")?,
            fica_exemption: columns.text_or_null("fica_exemption", FicaExemption::parse)?,
        };
        let version = columns.read_plain("version")?;
        let exempt_since = columns.read_plain("exempt_since")?;
        Ok(Self {
            employee,
            w4,
            settings,
            exempt_since,
            updated_at: columns.read_plain("updated_at")?,
            version,
        })
    }
}

fn require_column<T>(column: &'static str, value: Option<T>) -> Result<T, store::Error> {
    value.ok_or_else(|| Unread::new("is NULL in a form that has it").into_error(FEDERAL_TABLE, column))
}

/// The employee's Form W-4, if it was answered.
pub fn find_federal(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<FederalTaxes>, Error> {
    Ok(tx.try_find(FEDERAL, params![company, employee], FederalTaxes::read_taxes)?)
}

/// The Forms W-4 of the employees between two (both included), in order.
pub fn federal_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<FederalTaxes>, Error> {
    Ok(tx.try_query(FEDERAL_BETWEEN, params![company, first, last], FederalTaxes::read_taxes)?)
}

/// The columns of a form. Those of the other form are NULL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns {
    /// name of the form
    pub kind: Option<&'static str>,
    /// name of the filing status
    pub filing_status: Option<&'static str>,
    /// step 2(c)
    pub two_jobs: Option<bool>,
    /// step 3
    pub dependents_amount: Option<Amount>,
    /// step 4(a)
    pub other_income: Option<Amount>,
    /// step 4(b)
    pub deductions: Option<Amount>,
    /// step 4(c)
    pub extra_withholding: Option<Amount>,
    /// line 5 of the older form
    pub allowances: Option<i64>,
    /// line 6 of the older form
    pub additional_withholding: Option<Amount>,
}

impl Columns {
    /// The columns of a form.
    pub fn columns_of_w4(w4: &W4) -> Self {
        match *w4 {
            W4::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
            } => Self {
                kind: Some(REV_2020),
                filing_status: Some(filing_status.as_str()),
                two_jobs: Some(two_jobs),
                dependents_amount: Some(dependents_amount),
                other_income: Some(other_income),
                deductions: Some(deductions),
                extra_withholding: Some(extra_withholding),
                ..Self::default()
            },
            W4::Pre2020 { filing_status, allowances, additional_withholding } => Self {
                kind: Some(PRE_2020),
                filing_status: Some(filing_status.as_str()),
                allowances: Some(allowances),
                additional_withholding: Some(additional_withholding),
                ..Self::default()
            },
        }
    }
}

/// Stores the form; `false`, and nothing is stored, if its version has moved on. Version 0 is a new record.
pub fn put_federal(tx: &mut Tx<'_>, company: Uuid, changed: &FederalTaxes) -> Result<bool, Error> {
    let now = tx.now();
    let columns = Columns::columns_of_w4(&changed.w4);
    let money = |amount: Option<Amount>| amount.map(Amount::millionths);
    let new = changed.version == 0;
    let parameters = params![
        columns.kind,
        columns.filing_status,
        columns.two_jobs,
        money(columns.dependents_amount),
        money(columns.other_income),
        money(columns.deductions),
        money(columns.extra_withholding),
        columns.allowances,
        money(columns.additional_withholding),
        now,
        company,
        changed.employee,
        if new { 1 } else { changed.version },
        changed.settings.nonresident_alien,
        changed.settings.fica_exemption.map(Named::as_str),
        changed.exempt_since
    ];
    if new {
        tx.insert_row(INSERT_FEDERAL, parameters)?;
        return Ok(true);
    }
    Ok(tx.change_rows(UPDATE_FEDERAL, parameters)?.is_one())
}

/// The employee's answers, for every state that has any.
pub fn state_answers(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<StateTaxes>, Error> {
    let stored = tx.try_query(STATES, params![company, employee], StateTaxes::read)?;
    Ok(stored)
}

/// The answers of the employees between two (both included), ordered by employee.
pub fn states_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<StateTaxes>, Error> {
    let stored = tx.try_query(STATES_BETWEEN, params![company, first, last], StateTaxes::read)?;
    Ok(stored)
}

/// Stores the answers; `false`, and nothing is stored, if their version has moved on. Version 0 is a new record.
pub fn put_state(tx: &mut Tx<'_>, company: Uuid, changed: &StateTaxes) -> Result<bool, Error> {
    if changed.version == 0 {
        StateTaxes { version: 1, ..changed.clone() }.insert(tx, company)?;
        return Ok(true);
    }
    Ok(changed.update(tx, company)?)
}

/// Deletes an employee's Form W-4 and answers.
pub fn delete_taxes(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [DELETE_FEDERAL, DELETE_STATES] {
        let _there_may_be_none = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}
