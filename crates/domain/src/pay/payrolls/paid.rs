//! What a calculation came to for an employee, as it is stored.
//!
//! Amounts are millionths of a dollar. Lines are in the order in which they are returned.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::payroll::Paycheck;
use rules::payroll::garnishment::Agencies;
use rules::taxes::{Level, Payer, Situation};
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use store::record::{Cursor, JsonText};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use super::granted::{Granted, Requested};
use super::inputs::{FORMAT, PaycheckInputs, RecurringInput};
use super::leave::LeaveInput;
use super::rows::Payroll;
use super::sums::Sums;
use super::{from_json, is_zero, to_json};
use crate::error::Error;
use crate::pay::minimum_wages::Table as MinimumWages;
use crate::platform::law;
use crate::platform::reference::{Dataset, vintage_in_force};

store::statements! {
    OF_EMPLOYEE = "SELECT employee_id, gross, net, check_amount, paycheck, facts, year_to_date FROM payroll_results \
                   WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
    AFTER = "SELECT employee_id, gross, net, check_amount, paycheck, facts, year_to_date FROM payroll_results \
             WHERE company_id = $1 AND run_id = $2 AND employee_id > $3 ORDER BY employee_id LIMIT $4";
    INSERT = "INSERT INTO payroll_results (company_id, run_id, employee_id, gross, net, check_amount, paycheck, facts, year_to_date) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    DELETE = "DELETE FROM payroll_results WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
    INSERT_RUN = "INSERT INTO payroll_runs (company_id, id, payroll_id, check_date, rules_version, tables, created_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7)";
    RULES = "SELECT rules_version, tables FROM payroll_runs WHERE company_id = $1 AND id = $2";
    MARKS = "SELECT payroll_id, recorded_to, noted_to, forgotten_to FROM payroll_runs WHERE company_id = $1 AND id = $2";
    MARK = "UPDATE payroll_runs SET recorded_to = $1, noted_to = $2, forgotten_to = $3 WHERE company_id = $4 AND id = $5";
    USED = "SELECT p.id FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
            WHERE p.company_id = $1 AND r.employee_id = $2 AND p.submitted_at IS NOT NULL AND p.end_date >= $3 LIMIT 1";
    PAID_SINCE = "SELECT p.id FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
                    WHERE p.company_id = $1 AND r.employee_id = $2 AND p.submitted_at IS NOT NULL \
                    AND p.check_date >= $3 LIMIT 1";
}

/// Table of the results of calculations.
pub(super) const TABLE: &str = "payroll_results";
/// Table of the calculations.
const RUNS: &str = "payroll_runs";

/// What an employee gets, and what is taken before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// pay of each job, in the order of the inputs
    pub jobs: Vec<JobPaid>,
    /// what it does to balances of time off
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<LeaveInput>,
    /// tips that the employee has already
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cash_tips: i64,
    /// expenses paid back
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reimbursements: i64,
    /// of them, those of every regular payroll
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurring: Vec<RecurringInput>,
    /// millionths of an hour: holidays that the company's policy pays, where no other hours are entered
    #[serde(default, skip_serializing_if = "is_zero")]
    pub holiday_hours: i64,
    /// approved requests for time off of the pay period
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<Requested>,
    /// name, whether the employer pays it, and amount
    pub taxes: Vec<(String, bool, i64)>,
    /// taxes of states and places, each of which `taxes` has by its name, too
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_taxes: Vec<OtherTaxPaid>,
    /// Social Security and Medicare tax on tips that pay did not reach for, in this paycheck or earlier in the year
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncollected: Vec<UncollectedPaid>,
    /// what benefits take and give
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits: Vec<BenefitPaid>,
    /// what is taken for garnishments
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deductions: Vec<DeductionPaid>,
    /// bank account and cents
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<(Uuid, i64)>,
    /// taxes that are due and were not worked out: code, name, and whether the employer would pay it
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unworked: Vec<(String, String, bool)>,
    /// warnings
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl Paid {
    /// The hours off that the calculation was granted.
    pub fn granted(&self) -> Granted {
        Granted { holiday_hours: self.holiday_hours, requested: self.requested.clone() }
    }
}

/// A tax on tips that pay did not reach for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncollectedPaid {
    /// code of Form W-2, box 12: `A` for Social Security, `B` for Medicare
    pub code: String,
    /// missing in this paycheck
    pub amount: i64,
    /// missing in the year, with this paycheck
    pub year_to_date: i64,
}

impl UncollectedPaid {
    /// what it is, as a pay stub prints it
    pub fn name(&self) -> &'static str {
        match self.code.as_str() {
            "A" => "Uncollected Social Security tax on tips",
            _ => "Uncollected Medicare tax on tips",
        }
    }
}

/// A tax of a state or a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherTaxPaid {
    /// stable code, such as `CA_SDI`
    pub code: String,
    /// as a pay stub prints it
    pub name: String,
    /// what levies it
    pub level: Level,
    /// two letters
    pub state: String,
    /// key of the place within the state; empty for a state
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// whether the employer pays it
    pub employer: bool,
    /// pay that is subject to it
    pub subject: i64,
    /// what of it is taxed
    pub taxable: i64,
    /// the tax
    pub amount: i64,
    /// the tax in the year, with this paycheck
    pub year_to_date: i64,
}

/// Pay of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobPaid {
    /// the part of a salary
    #[serde(skip_serializing_if = "is_zero")]
    pub salary: i64,
    /// regular, overtime and double overtime
    pub hourly: [i64; 3],
    /// each line of time off
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<i64>,
    /// what brings pay up to the minimum wage
    #[serde(skip_serializing_if = "is_zero")]
    pub make_up: i64,
    /// overtime premium of earlier workweeks that a bonus brings
    #[serde(skip_serializing_if = "is_zero")]
    pub recalculated: i64,
    /// hours whose workweek is known, as they were sorted: regular, overtime and double overtime
    #[serde(skip_serializing_if = "no_hours")]
    pub hours: [i64; 3],
}

fn no_hours(hours: &[i64; 3]) -> bool {
    *hours == [0; 3]
}

/// What a benefit takes and gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitPaid {
    /// the company's benefit
    pub company_benefit: Uuid,
    /// the employee's record
    pub record: Uuid,
    /// number of its type
    pub code: i64,
    /// what the company calls it
    pub name: String,
    /// taken from the employee
    pub deduction: i64,
    /// given by the company
    pub contribution: i64,
    /// counts as income without being paid
    #[serde(default, skip_serializing_if = "is_zero")]
    pub imputed: i64,
}

/// What is taken for a garnishment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeductionPaid {
    /// the garnishment
    pub id: Uuid,
    /// its description
    pub name: String,
    /// taken
    pub amount: i64,
    /// whether it is child support
    pub support: bool,
    /// whether the agency has to be paid by the employer, and why
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<String>,
    /// what the employer keeps for the work, beside the amount
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fee: i64,
}

impl DeductionPaid {
    /// The name of the fee, and its amount; `None` without one.
    pub fn fee_line(&self) -> Option<(String, i64)> {
        (self.fee != 0).then(|| (format!("Fee of the employer: {}", self.name), self.fee))
    }

    /// What leaves the pay: for the garnishment, and for its fee.
    pub fn with_fee(&self) -> i64 {
        self.amount + self.fee
    }
}

/// Something about a paycheck that needs attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// a key for programs
    pub key: String,
    /// a sentence for people
    pub message: String,
}

/// A result of a calculation.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// whose it is
    pub employee: Uuid,
    /// all wages
    pub gross: Amount,
    /// what remains after taxes and deductions
    pub net: Amount,
    /// what is paid out
    pub check_amount: Amount,
    /// [`Paid`] as JSON
    pub paycheck: String,
    /// [`PaycheckInputs`] as JSON
    pub facts: String,
    /// [`Sums`] with it, as JSON
    pub year_to_date: String,
}

impl Outcome {
    /// The paycheck.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn paid(&self) -> Result<Paid, store::Error> {
        from_json(TABLE, "paycheck", &self.paycheck)
    }

    /// What it was calculated from.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn inputs(&self) -> Result<PaycheckInputs, store::Error> {
        let inputs: PaycheckInputs = from_json(TABLE, "facts", &self.facts)?;
        if inputs.format == FORMAT {
            return Ok(inputs);
        }
        Err(store::Unread::new(format!("has format {}, not {FORMAT}", inputs.format)).of(TABLE, "facts"))
    }

    /// What it was calculated from, where this version can read it; the log says why it cannot.
    pub fn readable_inputs(&self, payroll: Uuid) -> Option<PaycheckInputs> {
        let noted = |error: &store::Error| {
            tracing::warn!(%payroll, employee = %self.employee, %error, "inputs of a paycheck cannot be read");
        };
        self.inputs().inspect_err(noted).ok()
    }

    /// The sums of the year with it.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn sums(&self) -> Result<Sums, store::Error> {
        from_json(TABLE, "year_to_date", &self.year_to_date)
    }
}

fn outcome(row: &Row<'_>) -> Result<Outcome, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Outcome {
        employee: next.plain("employee_id")?,
        gross: Amount::from_millionths(next.plain("gross")?),
        net: Amount::from_millionths(next.plain("net")?),
        check_amount: Amount::from_millionths(next.plain("check_amount")?),
        paycheck: next.stored::<JsonText, _>("paycheck")?,
        facts: next.stored::<JsonText, _>("facts")?,
        year_to_date: next.stored::<JsonText, _>("year_to_date")?,
    })
}

/// What a calculation came to for an employee.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, run: Uuid, employee: Uuid) -> Result<Option<Outcome>, Error> {
    Ok(tx.try_find(OF_EMPLOYEE, params![company, run, employee], outcome)?)
}

/// The next results of a calculation after an employee's.
///
/// # Errors
/// A store error.
pub fn after(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    last: Uuid,
    most: i64,
) -> Result<Vec<Outcome>, Error> {
    Ok(tx.try_query(AFTER, params![company, run, last, most], outcome)?)
}

/// Stores a result.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, run: Uuid, new: &Outcome) -> Result<(), Error> {
    let parameters = params![
        company,
        run,
        new.employee,
        new.gross.millionths(),
        new.net.millionths(),
        new.check_amount.millionths(),
        Json(&new.paycheck),
        Json(&new.facts),
        Json(&new.year_to_date)
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Deletes the result of an employee, in whose place another one comes.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, run: Uuid, employee: Uuid) -> Result<(), Error> {
    let _existed = tx.change(DELETE, params![company, run, employee])?.one();
    Ok(())
}

/// By what a calculation worked out its paychecks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulesUsed {
    /// [`rules::VERSION`] of the program; unknown for a calculation of a program that did not note it
    pub version: Option<i64>,
    /// vintages of the tables, by their kind
    pub tables: BTreeMap<String, String>,
}

impl RulesUsed {
    /// What a calculation of this moment uses, with these tables of law.
    ///
    /// # Errors
    /// A store error.
    pub fn of(tx: &mut Tx<'_>, law: &law::Tables) -> Result<Self, Error> {
        let own = [
            (MinimumWages::KIND, vintage_in_force::<MinimumWages>(tx)?),
            (Agencies::KIND, vintage_in_force::<Agencies>(tx)?),
        ];
        let law = law.vintages().map(|(kind, vintage)| (kind, vintage.to_owned()));
        let tables = own.into_iter().chain(law).map(|(kind, vintage)| (kind.to_owned(), vintage)).collect();
        Ok(Self { version: Some(i64::from(rules::VERSION)), tables })
    }
}

/// Notes that a calculation of a payroll begins, and by what, and gives it an id.
///
/// # Errors
/// A store error.
pub fn begin_run(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    rules: &RulesUsed,
) -> Result<Uuid, Error> {
    let (run, now) = (tx.new_id(), tx.now());
    let tables = to_json(RUNS, "tables", &rules.tables)?;
    let parameters = params![company, run, payroll.id, payroll.check_date, rules.version, Json(&tables), now];
    tx.insert(INSERT_RUN, parameters)?;
    Ok(run)
}

/// By what a calculation worked out its paychecks.
///
/// # Errors
/// A store error.
pub fn rules_used(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<RulesUsed, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, RUNS, 0);
        let version = next.plain("rules_version")?;
        let tables = from_json(RUNS, "tables", &next.stored::<JsonText, String>("tables")?)?;
        Ok::<_, store::Error>(RulesUsed { version, tables })
    };
    Ok(tx.try_find(RULES, params![company, run], read)?.unwrap_or_default())
}

/// How far what a calculation took and gave was noted, and undone.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    /// the payroll
    pub payroll: Uuid,
    /// the last employee for whom it was noted
    pub recorded: Option<Uuid>,
    /// the last employee for whom it is noted as the last paycheck; another than `recorded` where an older version of the
    /// program has recorded some
    pub noted: Option<Uuid>,
    /// the last employee for whom that was undone
    pub forgotten: Option<Uuid>,
}

/// The marks of a calculation.
///
/// # Errors
/// A store error.
pub fn marks(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<Option<Marks>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, RUNS, 0);
        Ok::<_, store::Error>(Marks {
            payroll: next.plain("payroll_id")?,
            recorded: next.plain("recorded_to")?,
            noted: next.plain("noted_to")?,
            forgotten: next.plain("forgotten_to")?,
        })
    };
    Ok(tx.try_find(MARKS, params![company, run], read)?)
}

/// Moves the marks of a calculation.
///
/// # Errors
/// A store error.
pub fn mark(tx: &mut Tx<'_>, company: Uuid, run: Uuid, marks: &Marks) -> Result<(), Error> {
    assert!(
        tx.change(MARK, params![marks.recorded, marks.noted, marks.forgotten, company, run])?.one(),
        "the row was read before"
    );
    Ok(())
}

/// Whether a submitted payroll paid the employee for that day or a later one.
///
/// # Errors
/// A store error.
pub fn is_used(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, from: Date) -> Result<bool, Error> {
    Ok(tx.find(USED, params![company, employee, from], |_| ())?.is_some())
}

/// Whether a submitted payroll pays the employee on that day or a later one.
///
/// # Errors
/// A store error.
pub fn is_paid_since(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, day: Date) -> Result<bool, Error> {
    Ok(tx.find(PAID_SINCE, params![company, employee, day], |_| ())?.is_some())
}

/// The paycheck as it is stored.
pub fn paid(
    paycheck: &Paycheck<Uuid>,
    inputs: &PaycheckInputs,
    situation: &Situation,
    off_cycle: bool,
) -> Paid {
    let amount = Amount::millionths;
    let jobs = paycheck.jobs.iter().map(|job| JobPaid {
        salary: amount(job.salary),
        hourly: [job.regular, job.overtime, job.double_overtime].map(amount),
        time_off: job.time_off.iter().copied().map(amount).collect(),
        make_up: amount(job.make_up),
        recalculated: amount(job.recalculated),
        hours: job.hours.map(amount),
    });
    let others = other_taxes(paycheck, situation);
    let taxes = paycheck.tax_lines().into_iter();
    let taxes = taxes.map(|(name, employer, tax)| (name, employer, amount(tax)));
    let by_name = others.iter().map(|tax| (tax.name.clone(), tax.employer, tax.amount));
    let benefits = paycheck.benefits.iter().map(|line| BenefitPaid {
        company_benefit: line.company_benefit,
        record: line.record,
        code: line.kind.code,
        name: line.name.clone(),
        deduction: amount(line.employee_deduction),
        contribution: amount(line.company_contribution),
        imputed: amount(line.imputed_income),
    });
    let deductions = paycheck.garnishments.iter().filter_map(|taken| {
        let of = inputs.garnishments.iter().find(|one| one.garnishment.id == taken.id)?;
        Some(DeductionPaid {
            id: taken.id,
            name: of.name.clone(),
            amount: amount(taken.amount),
            support: of.is_child_support(),
            manual: of.manual_reason(off_cycle).map(|reason| reason.as_str().to_owned()),
            fee: amount(taken.fee),
        })
    });
    let splits = inputs.payment.iter().flat_map(|payment| &payment.splits);
    let warnings = paycheck.warnings.iter();
    Paid {
        jobs: jobs.collect(),
        leave: inputs.leave.clone(),
        cash_tips: amount(paycheck.cash_tips),
        reimbursements: amount(paycheck.reimbursements),
        holiday_hours: inputs.holiday_hours,
        requested: inputs.requested.clone(),
        recurring: inputs.recurring.clone(),
        taxes: taxes.chain(by_name).collect(),
        other_taxes: others,
        uncollected: uncollected(paycheck, inputs),
        benefits: benefits.collect(),
        deductions: deductions.collect(),
        splits: splits.map(|split| split.account).zip(paycheck.splits.iter().copied()).collect(),
        unworked: paycheck.warnings.iter().filter_map(rules::payroll::Warning::unworked).collect(),
        warnings: warnings.map(|w| Warning { key: w.key().to_owned(), message: w.message() }).collect(),
    }
}

/// What is missing of the taxes on tips; nothing of what the year collected whole.
fn uncollected(paycheck: &Paycheck<Uuid>, inputs: &PaycheckInputs) -> Vec<UncollectedPaid> {
    let (now, before) = (&paycheck.uncollected, &inputs.year_to_date);
    let both = [
        ("A", now.social_security, before.uncollected_social_security),
        ("B", now.medicare, before.uncollected_medicare),
    ];
    let lines = both.into_iter().map(|(code, now, before)| UncollectedPaid {
        code: code.to_owned(),
        amount: now.millionths(),
        year_to_date: before.millionths() + now.millionths(),
    });
    lines.filter(|line| line.year_to_date > 0).collect()
}

/// The taxes of states and places as they are stored; those that take and count nothing are left out.
fn other_taxes(paycheck: &Paycheck<Uuid>, situation: &Situation) -> Vec<OtherTaxPaid> {
    let lines = situation.dues().iter().zip(&paycheck.other_taxes);
    let counts =
        lines.filter(|(_, line)| line.sums.subject != Amount::ZERO || line.sums.amount != Amount::ZERO);
    let stored = counts.map(|(due, line)| OtherTaxPaid {
        code: due.code.clone(),
        name: due.name(),
        level: due.tax.jurisdiction.level,
        state: due.tax.jurisdiction.state.clone(),
        place: due.tax.jurisdiction.place.clone(),
        employer: due.payer == Payer::Employer,
        subject: line.sums.subject.millionths(),
        taxable: line.sums.taxable.millionths(),
        amount: line.sums.amount.millionths(),
        year_to_date: line.after.year.amount.millionths(),
    });
    stored.collect()
}
