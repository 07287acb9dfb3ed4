//! Rows of payrolls and of their employees' inputs.

use jiff::civil::Date;
use rules::Named;
use rules::days::Days;
use rules::withholding::federal::PayFrequency;
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::paging::Page;
use crate::pay::payrolls::record::json::to_json;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, Request, TRANSITION};
use crate::records::MOST_TOGETHER;

/// The columns of a payroll of the company $1, in the order in which [`read_payroll`] reads them.
macro_rules! columns {
    () => {
        "id, pay_schedule_id, start_date, end_date, check_date, initial_check_date, off_cycle, off_cycle_reason, \
         chosen_employees, withholding_pay_period, skip_regular_deductions, fixed_withholding_rate, check_only, prepared, \
         inputs, request_status, request_errors, run_id, base_number, calculated_at, submitted_at, processed_at, run_number, \
         paid_at, totals, version, created_at, pay_frequency, was_calculated, \
         (SELECT s.auto_payroll FROM pay_schedules s WHERE s.company_id = $1 AND s.id = payrolls.pay_schedule_id), skipped, partner_pays, whole_days, last_day, seen_changes"
    };
}

/// The conditions of a list: $1 company, $2 and $3 first and last day, $4 whether the days are compared with the pay date instead of
/// the pay period, $5 processed, $6 off-cycle. If $5 or $6 is NULL, its condition holds.
macro_rules! filtered {
    () => {
        " FROM payrolls WHERE company_id = $1 \
         AND (($4 = true AND check_date BETWEEN $2 AND $3) OR ($4 = false AND start_date <= $3 AND end_date >= $2)) \
         AND ((processed_at IS NOT NULL) = $5 OR $5 IS NULL) AND (off_cycle = $6 OR $6 IS NULL)"
    };
}

store::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND id = $2");
    LIST = concat!("SELECT ", columns!(), filtered!(), " ORDER BY check_date, id LIMIT $7 OFFSET $8");
    LIST_DESC = concat!("SELECT ", columns!(), filtered!(), " ORDER BY check_date DESC, id DESC LIMIT $7 OFFSET $8");
    COUNT = concat!("SELECT count(*)", filtered!());
    REGULAR_BETWEEN = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND off_cycle = false \
                       AND end_date >= $2 AND start_date <= $3 ORDER BY start_date, id LIMIT $4");
    TRANSITIONS_BETWEEN = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND off_cycle = true AND off_cycle_reason = $4 \
                           AND end_date >= $2 AND start_date <= $3 ORDER BY start_date, id LIMIT $5");
    OPEN_TRANSITIONS = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND off_cycle = true AND off_cycle_reason = $2 \
                        AND submitted_at IS NULL ORDER BY id LIMIT $3");
    OPEN_OF_SCHEDULE = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND pay_schedule_id = $2 \
                        AND off_cycle = false AND submitted_at IS NULL ORDER BY id LIMIT $3");
    LAST_OF_SCHEDULE = "SELECT end_date FROM payrolls WHERE company_id = $1 AND pay_schedule_id = $2 AND off_cycle = false \
                        ORDER BY end_date DESC LIMIT 1";
    LAST_REGULAR = "SELECT end_date FROM payrolls WHERE company_id = $1 AND off_cycle = false ORDER BY end_date DESC LIMIT 1";
    LAST_WEEKLY = "SELECT end_date FROM payrolls WHERE company_id = $1 AND off_cycle = false \
                   AND pay_frequency IN ('Every week', 'Every other week') ORDER BY end_date DESC LIMIT 1";
    LAST_SUBMITTED = "SELECT end_date FROM payrolls WHERE company_id = $1 AND (off_cycle = false OR off_cycle_reason = $2) \
                      AND submitted_at IS NOT NULL ORDER BY end_date DESC LIMIT 1";
    // A transition for employees who leave a schedule does not pay those who stay.
    SETTLED = "SELECT pay_schedule_id, max(end_date) FROM payrolls WHERE company_id = $1 AND pay_schedule_id IS NOT NULL \
               AND submitted_at IS NOT NULL AND (off_cycle = false OR (off_cycle_reason = $2 AND whole_days IS NULL)) \
               GROUP BY pay_schedule_id ORDER BY pay_schedule_id";
    SETTLED_LEAVERS = "SELECT DISTINCT pay_schedule_id, end_date FROM payrolls WHERE company_id = $1 AND pay_schedule_id IS NOT NULL \
                       AND submitted_at IS NOT NULL AND off_cycle = true AND off_cycle_reason = $2 AND whole_days IS NOT NULL \
                       AND end_date >= $3 ORDER BY pay_schedule_id, end_date LIMIT $4";
    LAST_OF_OTHERS = "SELECT end_date FROM payrolls WHERE company_id = $1 AND (pay_schedule_id IS NULL OR pay_schedule_id <> $3) \
                      AND (off_cycle = false OR off_cycle_reason = $2) ORDER BY end_date DESC LIMIT 1";
    OPEN = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND submitted_at IS NULL ORDER BY id LIMIT $2");
    OPEN_OFF_CYCLE = concat!("SELECT ", columns!(), " FROM payrolls WHERE company_id = $1 AND pay_schedule_id = $2 \
                      AND off_cycle = true AND submitted_at IS NULL AND end_date >= $3 ORDER BY id LIMIT $4");
    NEXT_CHECK_DATE = "SELECT min(check_date) FROM payrolls WHERE company_id = $1 AND submitted_at IS NULL";
    UNSUBMITTED = "SELECT count(*) FROM payrolls WHERE company_id = $1 AND submitted_at IS NULL";
    UNPROCESSED = "SELECT count(*) FROM payrolls WHERE company_id = $1 AND submitted_at IS NOT NULL AND processed_at IS NULL";
    OVERTAKEN = "SELECT o.employee_id FROM payrolls p \
                 JOIN payroll_results o ON o.company_id = p.company_id AND o.run_id = p.run_id \
                 JOIN payroll_results r ON r.company_id = o.company_id AND r.employee_id = o.employee_id \
                 WHERE p.company_id = $1 AND p.id <> $2 AND p.submitted_at IS NOT NULL \
                 AND (p.run_number > $3 OR p.run_number IS NULL) AND r.run_id = $4 LIMIT 1";
    RESTING = "SELECT p.id FROM payrolls p \
               JOIN payroll_results o ON o.company_id = p.company_id AND o.run_id = p.run_id \
               JOIN payroll_results r ON r.company_id = o.company_id AND r.employee_id = o.employee_id \
               WHERE p.company_id = $1 AND p.id <> $2 AND p.submitted_at IS NOT NULL AND p.base_number >= $3 AND r.run_id = $4 LIMIT 1";
    PAYING_THE_SAME = "SELECT o.employee_id FROM payroll_results o \
                       JOIN payroll_results r ON r.company_id = o.company_id AND r.employee_id = o.employee_id \
                       WHERE o.company_id = $1 AND o.run_id = $2 AND r.run_id = $3 LIMIT 1";
    HIGHEST = "SELECT max(CASE WHEN base_number > coalesce(run_number, 0) THEN base_number ELSE run_number END) \
               FROM payrolls WHERE company_id = $1";
    BASE = "SELECT max(run_number) FROM payrolls WHERE company_id = $1";
    INSERT = "INSERT INTO payrolls (company_id, id, pay_schedule_id, start_date, end_date, check_date, initial_check_date, off_cycle, \
              off_cycle_reason, chosen_employees, withholding_pay_period, skip_regular_deductions, fixed_withholding_rate, check_only, \
              prepared, inputs, request_errors, totals, version, created_at, updated_at, pay_frequency, whole_days, last_day) \
              VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10, $11, $12, $13, false, 0, $14, $15, 1, $16, $16, $17, $18, $19)";
    UPDATE = "UPDATE payrolls SET check_date = $1, withholding_pay_period = $2, skip_regular_deductions = $3, \
              fixed_withholding_rate = $4, prepared = $5, inputs = $6, request_status = $7, request_errors = $8, run_id = $9, \
              base_number = $10, calculated_at = $11, submitted_at = $12, processed_at = $13, run_number = $14, paid_at = $15, \
              totals = $16, was_calculated = $17, version = version + 1, updated_at = $18, skipped = $22, partner_pays = $23, seen_changes = $24 \
              WHERE company_id = $19 AND id = $20 AND version = $21";
    DELETE = "DELETE FROM payrolls WHERE company_id = $1 AND id = $2 AND version = $3";
    DELETE_INPUTS = "DELETE FROM payroll_inputs WHERE company_id = $1 AND payroll_id = $2";
}

fn read_payroll(row: &Row<'_>) -> Result<Payroll, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    // Fields are evaluated in the order written, which is the order of the columns.
    let mut payroll = Payroll {
        id: next.read_plain("id")?,
        pay_schedule: next.read_plain("pay_schedule_id")?,
        start: next.read_plain("start_date")?,
        end: next.read_plain("end_date")?,
        check_date: next.read_plain("check_date")?,
        initial_check_date: next.read_plain("initial_check_date")?,
        off_cycle: next.read_plain("off_cycle")?,
        off_cycle_reason: next.read_plain("off_cycle_reason")?,
        chosen_employees: next.read_plain("chosen_employees")?,
        withholding_pay_period: next.read_text("withholding_pay_period", PayFrequency::parse)?,
        skip_regular_deductions: next.read_plain("skip_regular_deductions")?,
        fixed_withholding_rate: next.read_plain("fixed_withholding_rate")?,
        check_only: next.read_plain("check_only")?,
        partner_pays: false,
        prepared: next.read_plain("prepared")?,
        inputs: next.read_plain("inputs")?,
        request: next.text_or_null("request_status", Request::parse)?,
        request_errors: next.read_json("request_errors")?,
        run: next.read_plain("run_id")?,
        base: next.read_plain("base_number")?,
        calculated_at: next.read_plain("calculated_at")?,
        seen: None,
        submitted_at: next.read_plain("submitted_at")?,
        processed_at: next.read_plain("processed_at")?,
        run_number: next.read_plain("run_number")?,
        paid_at: next.read_plain("paid_at")?,
        totals: next.read_json("totals")?,
        version: next.read_plain("version")?,
        created_at: next.read_plain("created_at")?,
        frequency: next.read_text("pay_frequency", PayFrequency::parse)?,
        was_calculated: next.read_plain("was_calculated")?,
        auto: false,
        skipped: false,
        whole_days: None,
        last_day: None,
    };
    // Off-cycle payrolls never run automatically.
    let auto: Option<bool> = next.read_plain("auto_payroll")?;
    payroll.auto = !payroll.off_cycle && auto == Some(true);
    payroll.skipped = next.read_plain("skipped")?;
    payroll.partner_pays = next.read_plain("partner_pays")?;
    payroll.whole_days = next.read_plain("whole_days")?;
    payroll.last_day = next.read_plain("last_day")?;
    payroll.seen = next.json_or_null("seen_changes")?;
    Ok(payroll)
}

/// Filter of a list of payrolls.
#[derive(Debug, Clone, Copy)]
pub struct PayrollFilter {
    /// first day
    pub from: Date,
    /// last day
    pub until: Date,
    /// whether the days are compared with the pay date instead of the pay period
    pub by_check_date: bool,
    /// whether it is processed; `None` for either
    pub processed: Option<bool>,
    /// whether it is off-cycle; `None` for either
    pub off_cycle: Option<bool>,
    /// newest first
    pub descending: bool,
}

/// Returns the payroll if it belongs to the company.
pub fn find_payroll(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Payroll>, Error> {
    Ok(tx.try_find(FIND, params![company, id], read_payroll)?)
}

/// Returns a page of payrolls.
pub fn list_payrolls(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &PayrollFilter,
    page: Page,
) -> Result<Vec<Payroll>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let PayrollFilter { from, until, by_check_date, processed, off_cycle, descending } = *filter;
    let parameters = params![company, from, until, by_check_date, processed, off_cycle, limit, offset];
    Ok(tx.try_query(if descending { LIST_DESC } else { LIST }, parameters, read_payroll)?)
}

/// Returns the processed payrolls with pay dates between two days (both included), in the order of processing.
pub fn processed_payrolls(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
) -> Result<Vec<Payroll>, Error> {
    let (processed, off_cycle, descending) = (Some(true), None, false);
    let filter = PayrollFilter { from, until, by_check_date: true, processed, off_cycle, descending };
    let mut all = list_payrolls(tx, company, &filter, Page::Whole)?;
    all.sort_by_key(|payroll| payroll.run_number);
    Ok(all)
}

/// Returns the number of payrolls that match the filter.
pub fn count_payrolls(tx: &mut Tx<'_>, company: Uuid, filter: &PayrollFilter) -> Result<i64, Error> {
    let PayrollFilter { from, until, by_check_date, processed, off_cycle, .. } = *filter;
    let parameters = params![company, from, until, by_check_date, processed, off_cycle];
    Ok(tx.find_row(COUNT, parameters, |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the regular payrolls that have a day in a range, in order.
pub fn regular_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    from: Date,
    until: Date,
) -> Result<Vec<Payroll>, Error> {
    Ok(tx.try_query_all(REGULAR_BETWEEN, params![company, from, until], MOST_TOGETHER, read_payroll)?)
}

/// Returns the payrolls with the reason [`TRANSITION`] that have a day in a range, in order.
pub fn transitions_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    from: Date,
    until: Date,
) -> Result<Vec<Payroll>, Error> {
    Ok(tx.try_query_all(
        TRANSITIONS_BETWEEN,
        params![company, from, until, TRANSITION],
        MOST_TOGETHER,
        read_payroll,
    )?)
}

/// Returns the payrolls with the reason [`TRANSITION`] that were not submitted, oldest first.
pub fn open_transitions(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Payroll>, Error> {
    Ok(tx.try_query_all(OPEN_TRANSITIONS, params![company, TRANSITION], MOST_TOGETHER, read_payroll)?)
}

/// Returns the regular payrolls of a schedule that were not submitted.
pub fn open_of_schedule(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid) -> Result<Vec<Payroll>, Error> {
    Ok(tx.try_query_all(OPEN_OF_SCHEDULE, params![company, schedule], MOST_TOGETHER, read_payroll)?)
}

/// Returns the last day of the last pay period for which a schedule has a payroll.
pub fn last_end_of_schedule(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(LAST_OF_SCHEDULE, params![company, schedule], |row| row.get::<Date>(0))?)
}

/// Returns the last day of the company's last pay period with a payroll, on any schedule.
pub fn last_regular_end(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(LAST_REGULAR, params![company], |row| row.get::<Date>(0))?)
}

/// Returns the last day of the company's last weekly or biweekly pay period with a payroll.
pub fn last_weekly_end(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(LAST_WEEKLY, params![company], |row| row.get::<Date>(0))?)
}

/// Returns the last day of the last pay period whose payroll was submitted, on any schedule, transitions included.
pub fn last_submitted_end(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(LAST_SUBMITTED, params![company, TRANSITION], |row| row.get::<Date>(0))?)
}

/// A schedule and the last day of one of its pay periods.
pub type LastDay = (Uuid, Date);

/// Returns the last days up to which payrolls were submitted: by schedule, and for transitions of employees who left a schedule since a
/// day.
pub fn last_submitted_days(
    tx: &mut Tx<'_>,
    company: Uuid,
    since: Date,
) -> Result<(Vec<LastDay>, Vec<LastDay>), Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>((next.read_plain("pay_schedule_id")?, next.read_plain("end_date")?))
    };
    let until = tx.try_query(SETTLED, params![company, TRANSITION], read)?;
    Ok((until, tx.try_query_all(SETTLED_LEAVERS, params![company, TRANSITION, since], MOST_TOGETHER, read)?))
}

/// Returns the last day of the regular payrolls and transitions of all schedules but one.
pub fn last_end_of_others(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(LAST_OF_OTHERS, params![company, TRANSITION, schedule], |row| row.get::<Date>(0))?)
}

/// Returns the unsubmitted off-cycle payrolls for the employees who follow a schedule, ending on a day or later.
pub fn open_off_cycle(
    tx: &mut Tx<'_>,
    company: Uuid,
    schedule: Uuid,
    since: Date,
) -> Result<Vec<Payroll>, Error> {
    Ok(tx.try_query_all(OPEN_OFF_CYCLE, params![company, schedule, since], MOST_TOGETHER, read_payroll)?)
}

/// Returns the payrolls of a company that were not submitted, oldest first.
pub fn unsubmitted_payrolls(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Payroll>, Error> {
    Ok(tx.try_query_all(OPEN, params![company], MOST_TOGETHER, read_payroll)?)
}

/// Returns the pay date of the company's next unsubmitted payroll, if there is one.
pub fn next_check_date(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(NEXT_CHECK_DATE, params![company], |row| row.get::<Option<Date>>(0))?.flatten())
}

/// Returns the number of the company's payrolls that are submitted and not processed yet.
pub fn count_unprocessed(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(UNPROCESSED, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the number of the company's unsubmitted payrolls.
pub fn count_unsubmitted(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(UNSUBMITTED, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Whether a payroll that was submitted after this one was calculated pays one of the same employees, or a payroll that this one is
/// based on was cancelled; also true without a calculation.
pub fn is_overtaken(tx: &mut Tx<'_>, company: Uuid, one: &Payroll) -> Result<bool, Error> {
    let (Some(run), Some(base)) = (one.run, one.base) else { return Ok(true) };
    if base > last_number(tx, company)? {
        return Ok(true);
    }
    Ok(tx.find_row(OVERTAKEN, params![company, one.id, base, run], |_| ())?.is_some())
}

/// Whether a submitted payroll that pays one of the same employees is based on this one.
pub fn is_rested_on(tx: &mut Tx<'_>, company: Uuid, one: &Payroll) -> Result<bool, Error> {
    let Some(run) = one.run else { return Ok(false) };
    Ok(tx.find_row(RESTING, params![company, one.id, one.run_number, run], |_| ())?.is_some())
}

/// Whether a payroll is based on another one and pays one of the same employees.
pub fn rests_on(tx: &mut Tx<'_>, company: Uuid, one: &Payroll, on: &Payroll) -> Result<bool, Error> {
    let (Some(run), Some(before)) = (one.run, on.run) else { return Ok(false) };
    if one.base < on.run_number {
        return Ok(false);
    }
    Ok(tx.find_row(PAYING_THE_SAME, params![company, run, before], |_| ())?.is_some())
}

/// Returns a number that is higher than that of any payroll, and than any that a calculation is based on.
pub fn next_number(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    let highest = tx.find_row(HIGHEST, params![company], |row| row.get::<Option<i64>>(0))?;
    Ok(highest.flatten().unwrap_or(0) + 1)
}

/// Returns the run number of the company's last processed payroll; 0 without one.
pub fn last_number(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(BASE, params![company], |row| row.get::<Option<i64>>(0))?.flatten().unwrap_or(0))
}

/// Stores a new payroll.
pub fn insert_payroll(tx: &mut Tx<'_>, company: Uuid, new: &Payroll) -> Result<(), Error> {
    let (errors, totals) = (new.request_errors.to_string(), to_json(TABLE, "totals", &new.totals)?);
    let parameters = params![
        company,
        new.id,
        new.pay_schedule,
        new.start,
        new.end,
        new.check_date,
        new.off_cycle,
        &new.off_cycle_reason,
        new.chosen_employees,
        new.withholding_pay_period.as_str(),
        new.skip_regular_deductions,
        new.fixed_withholding_rate,
        new.check_only,
        Json(&errors),
        Json(&totals),
        new.created_at,
        new.frequency.as_str(),
        new.whole_days,
        new.last_day
    ];
    Ok(tx.insert_row(INSERT, parameters)?)
}

/// Stores the record if its version is still that of `changed`; returns whether it was stored.
pub fn update_payroll(tx: &mut Tx<'_>, company: Uuid, changed: &Payroll) -> Result<bool, Error> {
    let now = tx.now();
    let errors = changed.request_errors.to_string();
    let totals = to_json(TABLE, "totals", &changed.totals)?;
    let seen = changed.seen.as_ref().map(|seen| to_json(TABLE, "seen_changes", seen)).transpose()?;
    let parameters = params![
        changed.check_date,
        changed.withholding_pay_period.as_str(),
        changed.skip_regular_deductions,
        changed.fixed_withholding_rate,
        changed.prepared,
        changed.inputs,
        changed.request.map(Request::as_str),
        Json(&errors),
        changed.run,
        changed.base,
        changed.calculated_at,
        changed.submitted_at,
        changed.processed_at,
        changed.run_number,
        changed.paid_at,
        Json(&totals),
        changed.was_calculated,
        now,
        company,
        changed.id,
        changed.version,
        changed.skipped,
        changed.partner_pays,
        seen.as_deref().map(Json)
    ];
    Ok(tx.change_rows(UPDATE, parameters)?.is_one())
}

/// Deletes a payroll and its inputs.
pub fn delete_payroll(tx: &mut Tx<'_>, company: Uuid, old: &Payroll) -> Result<bool, Error> {
    let _as_many_as_were_entered = tx.change_rows(DELETE_INPUTS, params![company, old.id])?.rows();
    crate::withholding::garnishments::lump_sums::delete_lump_sums(tx, company, old.id)?;
    Ok(tx.change_rows(DELETE, params![company, old.id, old.version])?.is_one())
}
