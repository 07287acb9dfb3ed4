//! Rows of Form W-4 and of the answers to the questions of states.

use rules::Amount;
use rules::Named;
use rules::withholding::federal::{FilingStatus, W4};
use serde_json::{Map, Value};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FEDERAL = "SELECT employee_id, w4_data_type, filing_status, two_jobs, dependents_amount, other_income, deductions, \
               extra_withholding, allowances, additional_withholding, version \
               FROM employee_federal_taxes WHERE company_id = $1 AND employee_id = $2";
    FEDERAL_BETWEEN = "SELECT employee_id, w4_data_type, filing_status, two_jobs, dependents_amount, other_income, deductions, \
               extra_withholding, allowances, additional_withholding, version \
               FROM employee_federal_taxes WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id";
    INSERT_FEDERAL = "INSERT INTO employee_federal_taxes (w4_data_type, filing_status, two_jobs, dependents_amount, other_income, \
                      deductions, extra_withholding, allowances, additional_withholding, updated_at, company_id, employee_id, \
                      version, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $10)";
    UPDATE_FEDERAL = "UPDATE employee_federal_taxes SET w4_data_type = $1, filing_status = $2, two_jobs = $3, dependents_amount = $4, \
                      other_income = $5, deductions = $6, extra_withholding = $7, allowances = $8, additional_withholding = $9, \
                      version = version + 1, updated_at = $10 WHERE company_id = $11 AND employee_id = $12 AND version = $13";
    DELETE_FEDERAL = "DELETE FROM employee_federal_taxes WHERE company_id = $1 AND employee_id = $2";
    STATES = "SELECT employee_id, state, answers, file_new_hire_report, version FROM employee_state_taxes \
              WHERE company_id = $1 AND employee_id = $2 ORDER BY state";
    STATES_BETWEEN = "SELECT employee_id, state, answers, file_new_hire_report, version FROM employee_state_taxes \
                      WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, state";
    INSERT_STATE = "INSERT INTO employee_state_taxes (company_id, employee_id, state, answers, file_new_hire_report, version, \
                    created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 1, $6, $6)";
    UPDATE_STATE = "UPDATE employee_state_taxes SET answers = $1, file_new_hire_report = $2, version = version + 1, updated_at = $3 \
                    WHERE company_id = $4 AND employee_id = $5 AND state = $6 AND version = $7";
    DELETE_STATES = "DELETE FROM employee_state_taxes WHERE company_id = $1 AND employee_id = $2";
}

/// The Form W-4 of 2020 and later, as requests and rows name it.
pub const REV_2020: &str = "rev_2020_w4";
/// The form before that.
pub const PRE_2020: &str = "pre_2020_w4";

/// An employee's Form W-4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FederalTaxes {
    /// whose form it is
    pub employee: Uuid,
    /// what it says
    pub w4: W4,
    /// counter of updates; 0 before it is stored
    pub version: i64,
}

fn federal(row: &Row<'_>) -> FederalTaxes {
    let status = row.get::<&str>(2);
    let filing_status = FilingStatus::parse(status).unwrap_or_else(|| panic!("{status} is no filing status"));
    let amount = |column| Amount::from_millionths(row.get(column));
    let w4 = match row.get::<&str>(1) {
        PRE_2020 => W4::Pre2020 { filing_status, allowances: row.get(8), additional_withholding: amount(9) },
        _ => W4::Rev2020 {
            filing_status,
            two_jobs: row.get(3),
            dependents_amount: amount(4),
            other_income: amount(5),
            deductions: amount(6),
            extra_withholding: amount(7),
        },
    };
    FederalTaxes { employee: row.get(0), w4, version: row.get(10) }
}

/// The employee's Form W-4, once it was stored.
///
/// # Errors
/// A store error.
pub fn find_federal(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<FederalTaxes>, Error> {
    Ok(tx.find(FEDERAL, params![company, employee], federal)?)
}

/// The Forms W-4 of the employees between two (both included), in order.
///
/// # Errors
/// A store error.
pub fn federal_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (Uuid, Uuid),
) -> Result<Vec<FederalTaxes>, Error> {
    Ok(tx.query(FEDERAL_BETWEEN, params![company, first, last], federal)?)
}

/// A form as it is stored; what the other form asks is NULL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns {
    /// which form
    pub kind: Option<&'static str>,
    /// filing status by its text
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
    pub fn of(w4: &W4) -> Self {
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

/// Stores the form, if its version is still that of `changed`; else nothing. Version 0 makes a new row.
///
/// # Errors
/// A store error.
pub fn put_federal(tx: &mut Tx<'_>, company: Uuid, changed: &FederalTaxes) -> Result<bool, Error> {
    let now = tx.now();
    let columns = Columns::of(&changed.w4);
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
        if new { 1 } else { changed.version }
    ];
    if new {
        tx.insert(INSERT_FEDERAL, parameters)?;
        return Ok(true);
    }
    Ok(tx.change(UPDATE_FEDERAL, parameters)?.one())
}

/// Answers to the questions of a state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateTaxes {
    /// who answered
    pub employee: Uuid,
    /// two letters
    pub state: String,
    /// key to value
    pub answers: Map<String, Value>,
    /// the employer's answer
    pub file_new_hire_report: Option<bool>,
    /// counter of updates; 0 before it is stored
    pub version: i64,
}

fn state(row: &Row<'_>) -> StateTaxes {
    let answers = row.json(2).unwrap_or("{}");
    StateTaxes {
        employee: row.get(0),
        state: row.get(1),
        answers: serde_json::from_str(answers)
            .unwrap_or_else(|error| panic!("answers are no JSON object: {error}")),
        file_new_hire_report: row.get(3),
        version: row.get(4),
    }
}

/// The employee's answers, of every state for which there are any.
///
/// # Errors
/// A store error.
pub fn states(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<StateTaxes>, Error> {
    Ok(tx.query(STATES, params![company, employee], state)?)
}

/// The answers of the employees between two (both included), those of one together.
///
/// # Errors
/// A store error.
pub fn states_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (Uuid, Uuid),
) -> Result<Vec<StateTaxes>, Error> {
    Ok(tx.query(STATES_BETWEEN, params![company, first, last], state)?)
}

/// Stores the answers, if their version is still that of `changed`; else nothing. Version 0 makes a new row.
///
/// # Errors
/// A store error.
pub fn put_state(tx: &mut Tx<'_>, company: Uuid, changed: &StateTaxes) -> Result<bool, Error> {
    let now = tx.now();
    let answers = Value::Object(changed.answers.clone()).to_string();
    let (answers, new_hire) = (Json(&answers), changed.file_new_hire_report);
    if changed.version == 0 {
        let parameters = params![company, changed.employee, &changed.state, answers, new_hire, now];
        tx.insert(INSERT_STATE, parameters)?;
        return Ok(true);
    }
    let parameters =
        params![answers, new_hire, now, company, changed.employee, &changed.state, changed.version];
    Ok(tx.change(UPDATE_STATE, parameters)?.one())
}

/// Deletes what is known of an employee's taxes.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [DELETE_FEDERAL, DELETE_STATES] {
        let _there_may_be_none = tx.change(statement, params![company, employee])?.rows();
    }
    Ok(())
}
