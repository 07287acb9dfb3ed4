//! Child support remittances: the query, and the list on the wire, as JSON or as CSV.

use axum::response::Response;
use domain::spreadsheet::escape_formula;
use domain::withholding::garnishments::remittances;
use domain::withholding::garnishments::remittances::{RemittanceFilter, list_remittances};
use jiff::civil::Date;
use rules::Named;
use rules::payroll::garnishment::ManualReason;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::named::Enum;
use crate::{names, query};

/// A remittance: what a payroll withheld for child support, and who pays it to the agency.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChildSupportRemittance {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// the check date
    #[schema(value_type = String, format = Date)]
    pub check_date: Date,
    /// whether the payroll was off-cycle
    pub off_cycle: bool,
    /// the agency's state
    pub state: String,
    /// the agency
    pub agency: String,
    /// the agency's code
    pub fips_code: String,
    /// case number
    pub case_number: Option<String>,
    /// order number
    pub order_number: Option<String>,
    /// remittance identifier of the order
    pub remittance_number: Option<String>,
    /// dollars
    pub amount: String,
    /// `automatic`, or `manual` if the employer pays the agency
    pub remittance: &'static str,
    /// why the employer pays
    pub remittance_reason: Option<&'static str>,
    /// when the payment is due to the agency; null if unknown
    #[schema(value_type = Option<String>, format = Date)]
    pub due_on: Option<Date>,
    /// the addendum record of an electronic payment (CCD+), with X in place of the Social Security number's digits;
    /// null if a value does not fit into one
    pub addendum: Option<String>,
}

impl From<remittances::ChildSupportRemittance> for ChildSupportRemittance {
    fn from(listed: remittances::ChildSupportRemittance) -> Self {
        let remittances::ChildSupportRemittance { withholding, payee, remittance, due_on, addendum } = listed;
        Self {
            payroll_uuid: withholding.payroll,
            garnishment_uuid: withholding.garnishment,
            employee_uuid: withholding.employee,
            check_date: withholding.check_date,
            off_cycle: withholding.off_cycle,
            state: payee.state,
            // An agency that was not in the table had no name.
            agency: withholding.agency.unwrap_or_default(),
            fips_code: payee.fips_code,
            case_number: payee.case_number,
            order_number: payee.order_number,
            remittance_number: payee.remittance_number,
            amount: withholding.amount.to_text(2),
            remittance: remittance.as_str(),
            remittance_reason: withholding.reason.map(ManualReason::as_str),
            due_on,
            addendum,
        }
    }
}

names! {
    /// The format of the list.
    Format { Json = "json", Csv = "csv" }
}

query! {
    /// Which remittances are listed, and in which format.
    ListChildSupportRemittances {
        /// Only of this payroll
        payroll_uuid: Option<Uuid>,
        /// Only with this check date or later
        start_date: Option<Date>,
        /// Only with this check date or earlier
        end_date: Option<Date>,
        /// `json` or `csv`
        format: Option<Enum<Format>>,
        ..page
    }
}

impl From<ListChildSupportRemittances> for RemittanceFilter {
    fn from(query: ListChildSupportRemittances) -> Self {
        Self {
            payroll: query.payroll_uuid,
            from: query.start_date.unwrap_or(jiff::civil::date(1, 1, 1)),
            until: query.end_date.unwrap_or(jiff::civil::date(9999, 12, 31)),
            page: query.page,
        }
    }
}

/// Answers with the list, as JSON or as CSV.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub async fn answer_remittances(
    app: &App,
    call: Call,
    query: ListChildSupportRemittances,
) -> Result<Response, Error> {
    let csv = query.format == Some(Enum(Format::Csv));
    let filter = RemittanceFilter::from(query);
    if csv {
        return app
            .read_csv(call, move |tx, caller| {
                let listed = list_remittances(tx, caller, &filter)?.map(ChildSupportRemittance::from);
                Ok((remittance_table(&listed.items)?, listed.paging))
            })
            .await;
    }
    app.list_json(call, move |tx, caller| {
        Ok(list_remittances(tx, caller, &filter)?.map(ChildSupportRemittance::from))
    })
    .await
}

/// The list as CSV. A value that a spreadsheet would read as a formula is prefixed with an apostrophe.
fn remittance_table(lines: &[ChildSupportRemittance]) -> Result<Vec<u8>, domain::Error> {
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
    let text = |value: &Option<String>| escape_formula(value.as_deref().unwrap_or_default());
    writer
        .write_record(head)
        .map_err(domain::Error::failed_operation("a line of remittances could not be written"))?;
    for line in lines {
        let record = [
            line.payroll_uuid.to_string(),
            line.garnishment_uuid.to_string(),
            line.employee_uuid.to_string(),
            line.check_date.to_string(),
            line.off_cycle.to_string(),
            line.state.clone(),
            escape_formula(&line.agency),
            line.fips_code.clone(),
            text(&line.case_number),
            text(&line.order_number),
            text(&line.remittance_number),
            line.amount.clone(),
            line.remittance.to_owned(),
            line.remittance_reason.unwrap_or_default().to_owned(),
            line.due_on.map(|day| day.to_string()).unwrap_or_default(),
            text(&line.addendum),
        ];
        writer
            .write_record(record)
            .map_err(domain::Error::failed_operation("a line of remittances could not be written"))?;
    }
    writer.into_inner().map_err(domain::Error::failed_operation("a line of remittances could not be written"))
}
