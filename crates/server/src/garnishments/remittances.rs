//! What is to be paid to agencies, or was: what payrolls withheld for child support, per payroll and order, and whether
//! the service pays it or the employer does.
//!
//! The record for the bank is made when the list is read. It names everything but the employee's Social Security
//! number, which never leaves the service: X stands for its digits, and whoever pays puts them in.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use rules::payroll::garnishment::{Addendum, Agencies, Agency, MedicalSupport, Payee, addendum};
use rules::payroll::holidays::is_banking_day;
use rules::{Amount, Category, Checks, Violation, check};
use store::{Row, Tx, params};
use uuid::Uuid;

use super::agencies;
use super::shapes::ChildSupportRemittance;
use crate::app::App;
use crate::auth::Caller;
use crate::employees;
use crate::error::Error;
use crate::http::Call;
use crate::paging::{Listed, Page, Query};
use crate::records::id_of;

/// The conditions of a list: $1 company, $2 payroll, $3 and $4 the days of payment. A condition that is NULL holds.
macro_rules! filtered {
    () => {
        " FROM garnishment_withholdings WHERE company_id = $1 AND (payroll_id = $2 OR $2 IS NULL) \
         AND check_date BETWEEN $3 AND $4 AND remittance IS NOT NULL"
    };
}

store::statements! {
    LIST = concat!("SELECT payroll_id, garnishment_id, employee_id, check_date, off_cycle, amount, support_state, agency, fips_code, \
           case_number, order_number, remittance_number, remittance, remittance_reason", filtered!(),
           " ORDER BY check_date, payroll_id, garnishment_id LIMIT $5 OFFSET $6");
    COUNT = concat!("SELECT count(*)", filtered!());
}

/// The Social Security number in a record for the bank.
const HIDDEN_SSN: &str = "XXXXXXXXX";

/// A line as it is stored.
struct Line {
    payroll: Uuid,
    garnishment: Uuid,
    employee: Uuid,
    check_date: Date,
    off_cycle: bool,
    amount: Amount,
    agency: String,
    payee: Payee,
    remittance: String,
    reason: Option<String>,
}

fn line(row: &Row<'_>) -> Line {
    Line {
        payroll: row.get(0),
        garnishment: row.get(1),
        employee: row.get(2),
        check_date: row.get(3),
        off_cycle: row.get(4),
        amount: Amount::from_millionths(row.get(5)),
        agency: row.get::<Option<String>>(7).unwrap_or_default(),
        payee: Payee {
            state: row.get(6),
            fips_code: row.get(8),
            case_number: row.get(9),
            order_number: row.get(10),
            remittance_number: row.get(11),
        },
        remittance: row.get(12),
        reason: row.get(13),
    }
}

/// What a list is asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    payroll: Option<Uuid>,
    from: Date,
    until: Date,
    csv: bool,
    page: Page,
}

impl Asked {
    /// Reads the query.
    ///
    /// # Errors
    /// 422 with every violation.
    pub fn read(query: &Query) -> Result<Self, Error> {
        let mut checks = Checks::new();
        let mut day = |key: &str| query.text(key).and_then(|day| checks.take(check::date(key, day)));
        let (from, until) = (day("start_date"), day("end_date"));
        let csv = match query.text("format") {
            None | Some("json") => false,
            Some("csv") => true,
            Some(_) => {
                let message = "format must be one of: json, csv";
                checks.push(Violation::new("format", Category::InvalidParameter, message));
                false
            }
        };
        let page = query.page(&mut checks);
        checks.finish()?;
        Ok(Self {
            payroll: query.text("payroll_uuid").map(id_of),
            from: from.unwrap_or(jiff::civil::date(1, 1, 1)),
            until: until.unwrap_or(jiff::civil::date(9999, 12, 31)),
            csv,
            page,
        })
    }
}

/// Answers with the list, as JSON or as a table.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub async fn answer(app: &App, call: Call, asked: Asked) -> Result<Response, Error> {
    if !asked.csv {
        return app.list(call, move |tx, caller| list(tx, caller, &asked)).await;
    }
    let Call { caller, foreign, .. } = call;
    if foreign {
        return Err(Error::NotFound);
    }
    let read = move |tx: &mut Tx<'_>| {
        let listed = list(tx, &caller, &asked)?;
        Ok::<_, Error>((table(&listed.items)?, listed.headers()))
    };
    let (text, headers) = app.store.read(read).await?;
    let mut response = Response::new(Body::from(text));
    response.headers_mut().extend(headers);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
    Ok(response)
}

/// A page of the list.
fn list(tx: &mut Tx<'_>, caller: &Caller, asked: &Asked) -> Result<Listed<ChildSupportRemittance>, Error> {
    let (limit, offset) = asked.page.bounds();
    let Asked { payroll, from, until, .. } = *asked;
    let lines = tx.query(LIST, params![caller.company, payroll, from, until, limit, offset], line)?;
    let agencies = agencies::current(tx)?;
    let mut told = Vec::with_capacity(lines.len());
    for line in lines {
        told.push(tell(tx, caller, line, &agencies)?);
    }
    Listed::new(asked.page, told, || {
        let count = tx.find(COUNT, params![caller.company, payroll, from, until], |row| row.get::<i64>(0))?;
        Ok(count.unwrap_or(0))
    })
}

fn tell(
    tx: &mut Tx<'_>,
    caller: &Caller,
    line: Line,
    agencies: &Agencies,
) -> Result<ChildSupportRemittance, Error> {
    let employee = employees::rows::find(tx, caller.company, line.employee)?;
    let agency = agencies.of(&line.payee.state);
    let identifier = agency
        .and_then(|agency| agency.required.first())
        .and_then(|needed| line.payee.identifier(*needed))
        .or(line.payee.case_number.as_deref());
    let addendum = employee.zip(identifier).and_then(|(employee, case_identifier)| {
        addendum(&Addendum {
            case_identifier,
            pay_date: line.check_date,
            amount: line.amount,
            ssn: HIDDEN_SSN,
            medical: MedicalSupport::No,
            first_name: &employee.first_name,
            last_name: &employee.last_name,
            fips_code: &line.payee.fips_code,
            terminated: false,
        })
    });
    Ok(ChildSupportRemittance {
        payroll_uuid: line.payroll,
        garnishment_uuid: line.garnishment,
        employee_uuid: line.employee,
        check_date: line.check_date,
        off_cycle: line.off_cycle,
        state: line.payee.state,
        agency: line.agency,
        fips_code: line.payee.fips_code,
        case_number: line.payee.case_number,
        order_number: line.payee.order_number,
        remittance_number: line.payee.remittance_number,
        amount: line.amount.to_text(2),
        remittance: line.remittance,
        remittance_reason: line.reason,
        due_on: agency.and_then(|agency| due_on(agency, line.check_date)),
        addendum,
    })
}

/// The last day on which the agency wants what was withheld on a pay date. Business days are Monday to Friday without
/// the holidays of banks.
fn due_on(agency: &Agency, check_date: Date) -> Option<Date> {
    let within = agency.remit_within?;
    if !within.business {
        return check_date.checked_add(i64::from(within.days).days()).ok();
    }
    let mut day = check_date;
    for _ in 0..within.days {
        day = day.tomorrow().ok()?;
        while !is_banking_day(day) || matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            day = day.tomorrow().ok()?;
        }
    }
    Some(day)
}

/// The list as CSV. A value that a spreadsheet would read as a formula is set off by an apostrophe.
fn table(lines: &[ChildSupportRemittance]) -> Result<Vec<u8>, Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = [
        "payroll_uuid",
        "garnishment_uuid",
        "employee_uuid",
        "check_date",
        "off_cycle",
        "state",
        "agency",
        "fips_code",
        "case_number",
        "order_number",
        "remittance_number",
        "amount",
        "remittance",
        "remittance_reason",
        "due_on",
        "addendum",
    ];
    let text = |value: &Option<String>| inert(value.as_deref().unwrap_or_default());
    writer.write_record(head).map_err(|_| Error::Internal)?;
    for line in lines {
        let record = [
            line.payroll_uuid.to_string(),
            line.garnishment_uuid.to_string(),
            line.employee_uuid.to_string(),
            line.check_date.to_string(),
            line.off_cycle.to_string(),
            line.state.clone(),
            inert(&line.agency),
            line.fips_code.clone(),
            text(&line.case_number),
            text(&line.order_number),
            text(&line.remittance_number),
            line.amount.clone(),
            line.remittance.clone(),
            text(&line.remittance_reason),
            line.due_on.map(|day| day.to_string()).unwrap_or_default(),
            text(&line.addendum),
        ];
        writer.write_record(record).map_err(|_| Error::Internal)?;
    }
    writer.into_inner().map_err(|_| Error::Internal)
}

fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_withheld_is_due_some_days_after_the_pay_date() {
        let due = |state: &str, day: &str| {
            let agency = Agencies::built_in().of(state).unwrap();
            due_on(agency, day.parse().unwrap()).map(|day| day.to_string())
        };
        // Seven business days over two weekends and Memorial Day; five calendar days; not known.
        assert_eq!(due("OH", "2026-05-15").as_deref(), Some("2026-05-27"));
        assert_eq!(due("WI", "2026-05-15").as_deref(), Some("2026-05-20"));
        assert_eq!(due("CA", "2026-05-15"), None);
    }

    #[test]
    fn a_spreadsheet_finds_no_formula() {
        assert_eq!((inert("=1+1"), inert("AL-1")), ("'=1+1".to_owned(), "AL-1".to_owned()));
    }
}
