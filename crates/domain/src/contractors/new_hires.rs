//! Reports of contractors, as some states ask for them beside those of new hires.
//!
//! A report is due for an individual, once in a calendar year, from the day on which what the year pays reaches the amount of the state. Where the record
//! asks for a report, a contract about more may have been made, so the report is due from the first day of work. The employer files it.

use std::ops::RangeInclusive;

use jiff::civil::{Date, date};
use rules::Amount;
use rules::contractor::ContractorType;
use rules::dated::Dated;
use rules::days::Days;
use rules::new_hire::{NewHireRule, NewHireTable};
use rules::{Named, Violation};
use serde_json::json;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::addresses::ContractorAddress;
use super::payments::rows as payments;
use super::records::Contractor;
use super::records::rows as records;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::AskedDays;
use crate::people::new_hires::files::Written;
use crate::people::new_hires::{self, Employer, Home, NewHire, Report};
use crate::platform::{audit, law};

/// Why a report is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Reason {
    /// what the year pays has reached the amount of the state
    #[strum(serialize = "paid")]
    Paid,
    /// the record asks for it
    #[strum(serialize = "requested")]
    Requested,
}

/// The report of a contractor.
#[derive(Debug, Clone)]
pub struct ContractorReport {
    /// the report
    pub report: Report,
    /// why it is due
    pub reason: Reason,
    /// first day of work
    pub start_date: Date,
    /// reportable pay from the first of January to the last day of the list, or of the year of the report
    pub paid: Amount,
}

/// Returns the reports of all individuals that become due in a range of days, sorted by day.
///
/// # Errors
/// 422 for days in the wrong order or more than 400 days apart; a store error.
pub fn list_reports(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: AskedDays,
) -> Result<(Employer, Vec<ContractorReport>), Error> {
    let days = new_hires::days_in_range(tx, caller, asked)?;
    let employer = new_hires::report_employer(tx, caller)?;
    let table = law::in_force::<Dated<NewHireTable>>(tx)?;
    let mut found = Vec::new();
    for one in records::of_company(tx, caller.company)? {
        if one.kind == ContractorType::Individual {
            found.extend(of_contractor(tx, caller, &one, (&days, &table))?);
        }
    }
    found.sort_by_key(|one| (one.report.hired, one.report.person.id));
    Ok((employer, found))
}

const HEADER: [&str; 16] = [
    "reported_to",
    "first_name",
    "middle_initial",
    "last_name",
    "ssn",
    "street_1",
    "street_2",
    "city",
    "state",
    "zip",
    "reported_from",
    "due_on",
    "reason",
    "paid",
    "employer_name",
    "employer_ein",
];

/// Writes the reports to one state, or to all, as a table for an employer who enters them at a directory. No directory that asks for contractors is known to take the file of new hires.
/// Social Security numbers are unsealed only here, and the audit log records whose.
///
/// # Errors
/// 422 for days as in [`list_reports`], and for contractors with missing data, which the error lists; a store error.
pub fn write_reports(
    tx: &mut Tx<'_>,
    caller: &Caller,
    state: Option<&str>,
    asked: AskedDays,
) -> Result<Written, Error> {
    let (employer, mut reports) = list_reports(tx, caller, asked)?;
    reports.retain(|one| state.is_none_or(|state| one.report.state.as_deref() == Some(state)));
    let missing = |one: &ContractorReport| {
        let missing: Vec<_> =
            one.report.missing_data(&employer).into_iter().filter(|what| *what != "filing_address").collect();
        (!missing.is_empty()).then(|| format!("{} is missing {}", one.report.person.id, missing.join(", ")))
    };
    let lines: Vec<String> = reports.iter().filter_map(missing).collect();
    if !lines.is_empty() {
        let message = format!("The table cannot be written while data is missing: {}.", lines.join("; "));
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let unwritable = |_| Error::internal("a table in memory is not written");
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER).map_err(unwritable)?;
    for one in &reports {
        let contractor = super::records::service::find_contractor(tx, caller, one.report.person.id)?;
        let Some(ssn) = records::unseal_ssn(tx, caller.company, &contractor)? else { continue };
        writer.write_record(report_cells(&employer, one, &ssn)).map_err(unwritable)?;
    }
    let content = writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let content = Zeroizing::new(content.ok_or_else(|| Error::internal("a table in memory is not written"))?);
    let who: Vec<Uuid> = reports.iter().map(|one| one.report.person.id).collect();
    let what = json!({ "reported_to": state, "contractors": who });
    audit::record_audit_entry(tx, caller, "written", ("contractor_reports", caller.company), &what)?;
    Ok(Written { content, hires: reports.len() })
}

fn report_cells<'a>(
    employer: &'a Employer,
    one: &'a ContractorReport,
    ssn: &'a str,
) -> [Zeroizing<String>; 16] {
    let Report { person, home, hired, state, rule, .. } = &one.report;
    let of_home = |part: fn(&Home) -> &str| home.as_ref().map_or("", part).to_owned();
    [
        state.clone().unwrap_or_default(),
        person.first_name.clone(),
        person.middle_initial.clone().unwrap_or_default(),
        person.last_name.clone(),
        ssn.to_owned(),
        of_home(|home| &home.street_1),
        of_home(|home| home.street_2.as_deref().unwrap_or_default()),
        of_home(|home| &home.city),
        of_home(|home| &home.state),
        of_home(|home| &home.zip),
        hired.to_string(),
        rule.due_on(*hired).to_string(),
        one.reason.as_str().to_owned(),
        one.paid.to_text(2),
        employer.name.clone(),
        employer.ein.clone().unwrap_or_default(),
    ]
    .map(Zeroizing::new)
}

fn of_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Contractor,
    (days, table): (&RangeInclusive<Date>, &Dated<NewHireTable>),
) -> Result<Vec<ContractorReport>, Error> {
    let address = ContractorAddress::find(tx, caller.company, one.id)?;
    let state = one.work_state.clone().or_else(|| address.as_ref().map(|held| held.state.clone()));
    let mut found = Vec::new();
    for year in days.start().year()..=days.end().year() {
        let until = date(year, 12, 31).min(*days.end());
        let rule = table.edition_on(until).rule_of_state(state.as_deref().unwrap_or_default());
        let requested = one.file_new_hire_report && one.start_date.year() == year;
        if rule.contractor_amount.is_none() && !requested {
            continue;
        }
        let paid = Paid::read_payments(
            tx,
            caller.company,
            one.id,
            Days { first: date(year, 1, 1), last: until },
            rule,
        )?;
        let asked = requested.then_some((one.start_date, Reason::Requested));
        let reached = paid.reached.map(|day| (day, Reason::Paid));
        // Once in a year, from the first of the two days on.
        let Some((day, reason)) = asked.into_iter().chain(reached).min_by_key(|(day, _)| *day) else {
            continue;
        };
        if days.contains(&day) {
            let rule = rule.clone();
            let report = make_report(one, address.as_ref(), (day, state.clone()), rule);
            found.push(ContractorReport { report, reason, start_date: one.start_date, paid: paid.sum });
        }
    }
    Ok(found)
}

fn make_report(
    one: &Contractor,
    address: Option<&ContractorAddress>,
    (hired, state): (Date, Option<String>),
    rule: NewHireRule,
) -> Report {
    let home = address.map(|held| Home {
        street_1: held.street_1.clone(),
        street_2: held.street_2.clone(),
        city: held.city.clone(),
        state: held.state.clone(),
        zip: held.zip.clone(),
    });
    let person = NewHire {
        id: one.id,
        first_name: one.first_name.clone().unwrap_or_default(),
        middle_initial: one.middle_initial.clone(),
        last_name: one.last_name.clone().unwrap_or_default(),
        has_ssn: one.ssn.is_some(),
    };
    Report { person, home, hired, rehired: !one.earlier.is_empty(), state, rule, filing: None }
}

/// What a contractor is paid in a year.
struct Paid {
    sum: Amount,
    /// the check date of the payment with which the sum reaches the amount of the state
    reached: Option<Date>,
}

impl Paid {
    fn read_payments(
        tx: &mut Tx<'_>,
        company: Uuid,
        contractor: Uuid,
        days: Days,
        rule: &NewHireRule,
    ) -> Result<Self, Error> {
        let mut paid = payments::payments_between(tx, company, days, Some(contractor))?;
        paid.reverse();
        let (mut sum, mut reached) = (0_i64, None);
        for one in paid.iter().filter(|one| one.voided_at.is_none() && one.wage_total > Amount::ZERO) {
            sum = sum.saturating_add(one.wage_total.millionths());
            let is_enough = rule.contractor_amount.is_some_and(|amount| sum >= amount.millionths());
            reached = reached.or_else(|| is_enough.then_some(one.check_date));
        }
        Ok(Self { sum: Amount::from_millionths(sum), reached })
    }
}
