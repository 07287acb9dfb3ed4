//! Rows of calculations: the rules and tables each one used, and how far its amounts have been recorded.

use std::collections::BTreeMap;

use rules::payroll::garnishment::Agencies;
use store::record::{Cursor, JsonText};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::minimum_wages::Table as MinimumWages;
use crate::pay::payrolls::record::json::from_json;
use crate::pay::payrolls::record::json::to_json;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::platform::law;
use crate::platform::reference::{Dataset, vintage_in_force};

store::statements! {
    INSERT_RUN = "INSERT INTO payroll_runs (company_id, id, payroll_id, check_date, rules_version, tables, created_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7)";
    LAST_RUN = "SELECT id FROM payroll_runs WHERE company_id = $1 AND payroll_id = $2 ORDER BY id DESC LIMIT 1";
    RULES = "SELECT rules_version, tables FROM payroll_runs WHERE company_id = $1 AND id = $2";
    MARKS = "SELECT payroll_id, recorded_to, forgotten_to FROM payroll_runs WHERE company_id = $1 AND id = $2";
    MARK = "UPDATE payroll_runs SET recorded_to = $1, forgotten_to = $2 WHERE company_id = $3 AND id = $4";
}

/// Table of the calculations.
const RUNS: &str = "payroll_runs";

/// The rules and tables that a calculation used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulesUsed {
    /// [`rules::VERSION`] of the program; `None` if the program did not record it yet
    pub version: Option<i64>,
    /// vintages of the tables, by kind
    pub tables: BTreeMap<String, String>,
}

impl RulesUsed {
    /// Returns the rules and tables that a calculation uses now.
    pub fn read_current(tx: &mut Tx<'_>, law: &law::Tables) -> Result<Self, Error> {
        let own = [
            (MinimumWages::KIND, vintage_in_force::<MinimumWages>(tx)?),
            (Agencies::KIND, vintage_in_force::<Agencies>(tx)?),
        ];
        let law = law.vintages().into_iter().map(|(kind, vintage)| (kind, vintage.to_owned()));
        let tables = own.into_iter().chain(law).map(|(kind, vintage)| (kind.to_owned(), vintage)).collect();
        Ok(Self { version: Some(i64::from(rules::VERSION)), tables })
    }
}

/// Records the start of a payroll's calculation, with its rules and tables; returns its id.
pub fn begin_run(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    rules: &RulesUsed,
) -> Result<Uuid, Error> {
    let (run, now) = (tx.new_id(), tx.now());
    let tables = to_json(RUNS, "tables", &rules.tables)?;
    let parameters = params![company, run, payroll.id, payroll.check_date, rules.version, Json(&tables), now];
    tx.insert_row(INSERT_RUN, parameters)?;
    Ok(run)
}

/// Returns the last calculation of a payroll, even if it was discarded, unless it has been deleted since.
pub fn last_run(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(LAST_RUN, params![company, payroll], |row| row.get::<Uuid>(0))?)
}

/// Returns the rules and tables that a calculation used.
pub fn rules_used(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<RulesUsed, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, RUNS, 0);
        let version = next.read_plain("rules_version")?;
        let tables = from_json(RUNS, "tables", &next.read_stored::<JsonText, String>("tables")?)?;
        Ok::<_, store::Error>(RulesUsed { version, tables })
    };
    Ok(tx.try_find(RULES, params![company, run], read)?.unwrap_or_default())
}

/// Marks of how far the amounts of a calculation have been recorded and reversed.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    /// the payroll
    pub payroll: Uuid,
    /// the last employee recorded, and noted as paid last by it
    pub recorded: Option<Uuid>,
    /// the last employee reversed
    pub forgotten: Option<Uuid>,
}

/// Returns the marks of a calculation.
pub fn find_run_marks(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<Option<Marks>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, RUNS, 0);
        Ok::<_, store::Error>(Marks {
            payroll: next.read_plain("payroll_id")?,
            recorded: next.read_plain("recorded_to")?,
            forgotten: next.read_plain("forgotten_to")?,
        })
    };
    Ok(tx.try_find(MARKS, params![company, run], read)?)
}

/// Moves the marks of a calculation.
pub fn update_run_marks(tx: &mut Tx<'_>, company: Uuid, run: Uuid, marks: &Marks) -> Result<(), Error> {
    assert!(
        tx.change_rows(MARK, params![marks.recorded, marks.forgotten, company, run])?.is_one(),
        "the row was read before"
    );
    Ok(())
}
