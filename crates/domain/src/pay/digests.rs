//! A digest of the payroll status of several companies of an application: the blockers of each, and its payrolls from a week ago to two
//! months ahead.
//!
//! A digest is made on request, is a snapshot of that moment, and can be read for a day. The caller's idempotency key ensures that it is
//! made once.

use std::collections::HashSet;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;
use rules::{Amount, Checks, Named, Violation, check};
use serde::{Deserialize, Serialize};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens;
use crate::access::tokens::{Caller, Unreached};
use crate::batch;
use crate::company::companies;
use crate::error::Error;
use crate::paging::{AskedDays, Page};
use crate::patch::Patch;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::payrolls::calendar::periods;
use crate::pay::payrolls::calendar::periods::Kinds;
use crate::pay::payrolls::record::payroll::{Payroll, Request};
use crate::pay::payrolls::record::rows as payrolls;
use crate::pay::payrolls::record::rows::PayrollFilter;
use crate::pay::payrolls::service::blockers;
use crate::records::parse_id;

store::statements! {
    INSERT = "INSERT INTO payroll_digests (application_id, id, idempotency_key, results, created_at) VALUES ($1, $2, $3, $4, $5)";
    FIND = "SELECT id, idempotency_key, results, created_at FROM payroll_digests WHERE application_id = $1 AND id = $2";
    OF_KEY = "SELECT id FROM payroll_digests WHERE application_id = $1 AND idempotency_key = $2 LIMIT 1";
}

/// Table of the record, and kind of the guard of an application's keys.
const TABLE: &str = "payroll_digests";
/// The scope required to see payrolls in a digest.
const READ: &str = "payrolls:read";
/// Maximum companies of a digest.
pub const MOST: usize = 25;
/// Maximum characters of a key.
const KEY: usize = 255;
/// Days before today from which payrolls are included, by pay date.
const DAYS_BACK: i64 = 7;
/// Days after today until which payrolls are included.
const DAYS_AHEAD: i64 = 60;
/// The types of entities that a digest can have.
pub const ENTITIES: [&str; 1] = ["company"];

/// Requests a digest.
pub type CreateDigest = batch::CreateBatch<DigestItem>;

/// A company of a digest.
#[derive(Debug, Clone, Default)]
pub struct DigestItem {
    /// one of [`ENTITIES`]
    pub entity_type: Patch<String>,
    /// the company
    pub uuid: Patch<String>,
}

impl batch::Item for DigestItem {
    const MOST: usize = MOST;
    const ENTITIES: &'static [&'static str] = &ENTITIES;
    type Name = Uuid;

    fn entity_type(&self) -> &Patch<String> {
        &self.entity_type
    }

    fn read_name(&self, checks: &mut Checks) -> Option<Uuid> {
        self.uuid.required("uuid", checks, |key, id| {
            parse_id(id).ok_or_else(|| Violation::invalid(key, format!("{key} must be a UUID")))
        })
    }
}

/// The contents of a digest.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// companies that are included
    pub companies: Vec<CompanyDigest>,
    /// companies that are not
    pub excluded: Vec<Excluded>,
}

/// The payroll status of a company.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompanyDigest {
    /// index in the request, from 0
    pub index: usize,
    /// the company
    pub company: Uuid,
    /// its legal name
    pub name: String,
    /// key and message of the blockers of payroll
    pub blockers: Vec<(String, String)>,
    /// its payrolls, by pay date
    pub payrolls: Vec<PayrollDigest>,
}

/// The status of a payroll.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PayrollDigest {
    /// the payroll; `None` for a pay period that has not begun
    pub payroll: Option<Uuid>,
    /// `regular`, or the off-cycle reason
    pub kind: String,
    /// in words
    pub title: String,
    /// whether it runs automatically
    pub auto: bool,
    /// `ready_to_start`, `in_progress`, `submitted`, `completed` or `failed`
    pub status: String,
    /// first day of the pay period
    pub start: Date,
    /// its last day
    pub end: Date,
    /// when employees are paid
    pub check_date: Date,
    /// the day until which it can be submitted
    pub deadline: Date,
    /// the schedule it follows: identifier, frequency, name
    pub schedule: Option<(Uuid, String, Option<String>)>,
    /// the company's debit, the net pay, and the total cost; once calculated
    pub sums: Option<[String; 3]>,
}

/// A company that is not included.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Excluded {
    /// index in the request, from 0
    pub index: usize,
    /// the company
    pub company: Uuid,
    /// why, for programs
    pub category: String,
    /// why, in words
    pub message: String,
}

/// A digest.
pub type Digest = batch::Kept<Results>;

const STATEMENTS: batch::Statements =
    batch::Statements { table: TABLE, what: "digest", insert: INSERT, find: FIND, of_key: OF_KEY };

/// A digest of the caller's application.
///
/// # Errors
/// "Not found"; "gone" a day after it was made; a store error.
pub fn find_digest(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Digest, Error> {
    let application = caller.application_id()?;
    let mut found = Digest::find_batch(tx, STATEMENTS, application, id)?;
    // An application's access to a company's data ends with its token.
    for company in std::mem::take(&mut found.results.companies) {
        match reason_withheld(tx, company.company, application)? {
            Some(why) => found.results.excluded.push(excluded_company(company.index, company.company, why)),
            None => found.results.companies.push(company),
        }
    }
    found.results.excluded.sort_by_key(|one| one.index);
    Ok(found)
}

/// Makes a digest.
///
/// # Errors
/// Every violation of the input; 409 for a key that was used; a store error.
pub fn create_digest(tx: &mut Tx<'_>, caller: &Caller, input: &CreateDigest) -> Result<Digest, Error> {
    let application = caller.application_id()?;
    let (idempotency_key, companies) = input.read_items(|key, text| check::validate_text(key, text, KEY))?;
    let companies = companies.into_iter().map(|(company, _)| company);
    Digest::process_once(tx, STATEMENTS, application, idempotency_key, |tx| {
        digest_results(tx, caller, application, companies)
    })
}

fn digest_results(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Uuid,
    named: impl Iterator<Item = Uuid>,
) -> Result<Results, Error> {
    let (mut results, mut seen) = (Results::default(), HashSet::new());
    for (index, company) in named.enumerate() {
        let why = if seen.insert(company) {
            reason_withheld(tx, company, application)?
        } else {
            Some(("duplicate", "The company is listed twice in the batch."))
        };
        match why {
            Some(why) => results.excluded.push(excluded_company(index, company, why)),
            None => results.companies.push(of_company(tx, caller, index, company)?),
        }
    }
    Ok(results)
}

/// Why a company is not included for an application, if so: category and message.
type Why = (&'static str, &'static str);

fn excluded_company(index: usize, company: Uuid, (category, message): Why) -> Excluded {
    Excluded { index, company, category: category.to_owned(), message: message.to_owned() }
}

fn reason_withheld(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<Option<Why>, Error> {
    Ok(tokens::unreached_reason(tx, company, application, READ)?.map(|why| match why {
        Unreached::NotConnected => ("not_found", "No such company is connected to the application."),
        Unreached::MissingScope => {
            ("missing_oauth_scopes", "The application has no token of the company with payrolls:read.")
        }
    }))
}

fn of_company(tx: &mut Tx<'_>, caller: &Caller, index: usize, company: Uuid) -> Result<CompanyDigest, Error> {
    let inside = Caller { company, zone: companies::time_zone(tx, company)?, ..caller.clone() };
    let name = companies::rows::find_company(tx, company)?.ok_or(Error::NotFound)?.name;
    let found = blockers::list_blockers(tx, &inside)?.into_iter();
    let blockers = found.map(|one| (one.kind.as_str().to_owned(), one.message)).collect();
    let schedules = schedules::of_company(tx, company)?;
    let today = inside.today(tx);
    let (from, until) = (today.saturating_sub(DAYS_BACK.days()), today.saturating_add(DAYS_AHEAD.days()));
    let filter = PayrollFilter {
        from,
        until,
        by_check_date: true,
        processed: None,
        off_cycle: None,
        descending: false,
    };
    let made = payrolls::list_payrolls(tx, company, &filter, Page::Whole)?;
    let mut payrolls: Vec<_> = made.iter().map(|one| of_payroll(one, &schedules)).collect();
    let kinds = Kinds { regular: true, transition: true };
    let periods =
        periods::list_pay_periods(tx, &inside, AskedDays { from: Some(today), until: Some(until) }, kinds)?
            .into_iter();
    payrolls.extend(periods.filter(|period| period.payroll.is_none()).map(|period| PayrollDigest {
        payroll: None,
        kind: if period.transition { "transition" } else { "regular" }.to_owned(),
        title: payroll_title(
            if period.transition { "Transition payroll" } else { "Regular payroll" },
            period.start,
            period.end,
        ),
        auto: false,
        status: "ready_to_start".to_owned(),
        start: period.start,
        end: period.end,
        check_date: period.check_date,
        deadline: submission_deadline(period.check_date),
        schedule: period.pay_schedule.and_then(|id| schedule_summary(id, &schedules)),
        sums: None,
    }));
    payrolls.sort_by_key(|one| one.check_date);
    Ok(CompanyDigest { index, company, name, blockers, payrolls })
}

fn of_payroll(one: &Payroll, schedules: &[Schedule]) -> PayrollDigest {
    let (kind, words) = match one.off_cycle_reason.as_deref().filter(|_| one.off_cycle) {
        None if one.off_cycle => ("adhoc", "Off-cycle payroll"),
        None => ("regular", "Regular payroll"),
        Some("Bonus") => ("bonus", "Bonus payroll"),
        Some("Correction") => ("correction", "Correction payroll"),
        Some("Dismissed employee") => ("termination", "Dismissal payroll"),
        Some("Transition from old pay schedule") => ("transition", "Transition payroll"),
        Some(_) => ("adhoc", "Off-cycle payroll"),
    };
    PayrollDigest {
        payroll: Some(one.id),
        kind: kind.to_owned(),
        title: payroll_title(words, one.start, one.end),
        auto: one.auto,
        status: payroll_status(one).to_owned(),
        start: one.start,
        end: one.end,
        check_date: one.check_date,
        deadline: submission_deadline(one.check_date),
        schedule: one.pay_schedule.and_then(|id| schedule_summary(id, schedules)),
        sums: payroll_sums(one),
    }
}

/// The day until which a payroll with this pay date can be submitted.
fn submission_deadline(check_date: Date) -> Date {
    holidays::banking_days_before(check_date, BANKING_DAYS)
}

fn payroll_title(words: &str, start: Date, end: Date) -> String {
    format!("{words}, {start} to {end}")
}

fn payroll_status(one: &Payroll) -> &'static str {
    match one {
        one if one.is_processed() => "completed",
        one if one.request == Some(Request::Failed) => "failed",
        one if one.submitted_at.is_some() => "submitted",
        one if one.prepared || one.request.is_some() => "in_progress",
        _ => "ready_to_start",
    }
}

fn schedule_summary(id: Uuid, schedules: &[Schedule]) -> Option<(Uuid, String, Option<String>)> {
    let found = schedules.iter().find(|one| one.id == id)?;
    Some((id, found.frequency.as_str().to_owned(), found.custom_name.clone()))
}

/// The company's debit, the net pay, and the total cost of a calculated payroll.
fn payroll_sums(one: &Payroll) -> Option<[String; 3]> {
    one.calculated_at?;
    let totals = one.totals.totals.as_ref()?;
    let sum = |name: &str| Amount::parse(totals.get(name)?.as_str()?).ok();
    let costs = ["gross_pay", "employer_taxes", "benefits", "reimbursements"].map(sum);
    let cost = costs.into_iter().try_fold(Amount::ZERO, |all, one| all.checked_add(one?));
    // The employer does not pay cash tips, though they are wages.
    let cost = cost.and_then(|cost| cost.checked_sub(sum("employee_cash_tips")?));
    Some([sum("company_debit")?, sum("net_pay")?, cost?].map(|amount| amount.to_text(2)))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;
    use rules::withholding::federal::PayFrequency;

    use rules::days::Days;

    use super::*;

    fn payroll() -> Payroll {
        let days = Days { first: date(2026, 6, 1), last: date(2026, 6, 14) };
        Payroll::new(
            (Uuid::nil(), Timestamp::UNIX_EPOCH),
            days,
            date(2026, 6, 19),
            PayFrequency::EveryOtherWeek,
        )
    }

    #[test]
    fn a_payroll_stands_where_it_came_to() {
        assert_eq!(payroll_status(&payroll()), "ready_to_start");
        assert_eq!(payroll_status(&Payroll { prepared: true, ..payroll() }), "in_progress");
        let at = Some(Timestamp::UNIX_EPOCH);
        assert_eq!(payroll_status(&Payroll { submitted_at: at, ..payroll() }), "submitted");
        assert_eq!(
            payroll_status(&Payroll { submitted_at: at, request: Some(Request::Failed), ..payroll() }),
            "failed"
        );
        assert_eq!(payroll_status(&Payroll { submitted_at: at, processed_at: at, ..payroll() }), "completed");
    }

    #[test]
    fn a_payroll_is_called_by_its_kind() {
        let of = |reason: &str| {
            let off_cycle_reason = Some(reason.to_owned());
            of_payroll(&Payroll { off_cycle: true, off_cycle_reason, ..payroll() }, &[]).kind
        };
        assert_eq!(of_payroll(&payroll(), &[]).title, "Regular payroll, 2026-06-01 to 2026-06-14");
        assert_eq!([of("Bonus"), of("Dismissed employee")], ["bonus", "termination"]);
    }
}
