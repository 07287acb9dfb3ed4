//! Reports of contractors to states.

use axum::extract::State;
use axum::response::Response;
use domain::contractors::new_hires::{self, ContractorReport, Reason};
use domain::paging::AskedDays;
use domain::people::new_hires::Employer;
use rules::Named as _;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::named::Enum;
use crate::people::new_hires::query::ListNewHires;
use crate::people::new_hires::wire::NewHireReportContent;
use crate::values::TaxConfidence;
use crate::words;

/// Reports of contractors to states.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_contractor_reports))
}

words! {
    /// Why a report of a contractor is due: the year's pay has reached the amount of the state, or the record asks for it.
    ContractorReportReason = Reason::names();
}

/// A report of a contractor.
#[derive(Serialize, ToSchema)]
pub struct ContractorNewHireReport {
    /// the contractor
    contractor_uuid: Uuid,
    /// first day of work, YYYY-MM-DD
    #[schema(format = Date)]
    start_date: String,
    /// why it is due: `paid`, because the year's pay has reached the amount of the state, or `requested`, because the record asks for it
    #[schema(value_type = ContractorReportReason)]
    reason: &'static str,
    /// reportable pay of the calendar year until the last day of the list
    paid: String,
    /// from which pay of a calendar year on the state asks for a report; null where it is not known to ask for any
    amount: Option<String>,
    /// source of that amount
    amount_source: Option<String>,
    /// how sure it is; null where there is none
    amount_confidence: Option<TaxConfidence>,
    #[serde(flatten)]
    content: NewHireReportContent,
}

store::hidden!(ContractorNewHireReport);

impl ContractorNewHireReport {
    fn new(employer: &Employer, of: ContractorReport) -> Self {
        let ContractorReport { report, reason, start_date, paid } = of;
        Self {
            contractor_uuid: report.person.id,
            start_date: start_date.to_string(),
            reason: Reason::as_str(reason),
            paid: paid.to_text(2),
            amount: report.rule.contractor_amount.map(|amount| amount.to_text(2)),
            amount_source: report.rule.contractor_source.clone(),
            amount_confidence: report.rule.contractor_confidence.map(Enum),
            content: NewHireReportContent::new(employer, report),
        }
    }
}

/// List reports of contractors
///
/// An extension. Some states ask for reports of individuals who are contractors, too, from an amount of pay in a calendar year on. Every report
/// that becomes due in the range, once in a year: by pay, or from the first day of work where `file_new_hire_report` asks for it. The service does
/// not send reports.
#[utoipa::path(get, path = "/v1/companies/{company_id}/contractors/new_hire_reports", tag = "Contractors",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListNewHires),
    responses((status = 200, description = "By the day from which on they are due", body = Vec<ContractorNewHireReport>)),
    security(("company_access" = ["contractors:read"])))]
async fn list_contractor_reports(
    State(app): State<App>,
    call: Call,
    query: ListNewHires,
) -> Result<Response, Error> {
    let days = AskedDays { from: query.start_date, until: query.end_date };
    app.read_all(call, move |tx, caller| {
        let (employer, found) = new_hires::list_reports(tx, caller, days)?;
        Ok(found.into_iter().map(|one| ContractorNewHireReport::new(&employer, one)).collect::<Vec<_>>())
    })
    .await
}
