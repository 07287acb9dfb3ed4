//! The list of child support remittances, as JSON or as a table.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use domain::records::id_of;
use domain::withholding::garnishments::remittances::{Filter, list};
use domain::withholding::garnishments::shapes::ChildSupportRemittance;
use rules::{Category, Checks, Violation, check};
use store::Tx;

use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query::{Query, paging_headers};

/// What a list is asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    filter: Filter,
    csv: bool,
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
            filter: Filter {
                payroll: query.text("payroll_uuid").map(id_of),
                from: from.unwrap_or(jiff::civil::date(1, 1, 1)),
                until: until.unwrap_or(jiff::civil::date(9999, 12, 31)),
                page,
            },
            csv,
        })
    }
}

/// Answers with the list, as JSON or as a table.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub async fn answer(app: &App, call: Call, asked: Asked) -> Result<Response, Error> {
    if !asked.csv {
        return app.list(call, move |tx, caller| list(tx, caller, &asked.filter)).await;
    }
    let Call { caller, foreign, .. } = call;
    if foreign {
        return Err(Error::NotFound);
    }
    let read = move |tx: &mut Tx<'_>| {
        let listed = list(tx, &caller, &asked.filter)?;
        Ok::<_, Error>((table(&listed.items)?, paging_headers(listed.paging)))
    };
    let (text, headers) = app.store.read(read).await?;
    let mut response = Response::new(Body::from(text));
    response.headers_mut().extend(headers);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
    Ok(response)
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
    fn a_spreadsheet_finds_no_formula() {
        assert_eq!((inert("=1+1"), inert("AL-1")), ("'=1+1".to_owned(), "AL-1".to_owned()));
    }
}
