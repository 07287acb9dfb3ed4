//! Operations on holiday pay.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::holiday_pay::service;
use rules::Violation;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    ChangeHolidayPayEmployees, CreateHolidayPayPolicy, HolidayPayPolicy, PaidHoliday, UpdateHolidayPayPolicy,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Input};
use crate::query;

/// Operations on holiday pay.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(
            get_holiday_pay_policy,
            create_holiday_pay_policy,
            update_holiday_pay_policy,
            delete_holiday_pay_policy
        ))
        .routes(routes!(add_to_holiday_pay_policy))
        .routes(routes!(remove_from_holiday_pay_policy))
        .routes(routes!(list_paid_holidays))
}

query! {
    /// The year whose paid holidays are listed.
    ListPaidHolidays {
        /// Four digits; defaults to today and the next three years
        year: Option<String>,
    }
}

impl ListPaidHolidays {
    /// The validated year.
    fn year(&self) -> Result<Option<i16>, Error> {
        let Some(text) = &self.year else { return Ok(None) };
        let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let year = text.parse().ok().filter(|year| digits && (1900..=2999).contains(year));
        let refuse =
            || Violation::invalid("year", "year must be four digits from 1900 to 2999, such as 2026");
        year.map(Some).ok_or_else(|| Error::from(domain::Error::from(refuse())))
    }
}

/// Read a company's holiday pay policy
///
/// 204 without a body if the company has none.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/holiday_pay_policy", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses(
        (status = 200, description = "The policy", body = HolidayPayPolicy),
        (status = 204, description = "The company has none")),
    security(("company_access" = ["holiday_pay_policies:read"])))]
async fn get_holiday_pay_policy(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_or_none(call, |tx, caller| {
        Ok(service::get_policy(tx, caller)?.map(|details| HolidayPayPolicy::new(caller, details)))
    })
    .await
}

/// Create a company's holiday pay policy
///
/// A company has at most one. A selected holiday adds 8 `Holiday Hours` to the regular payroll of its pay period for
/// each employee in the policy who was hired by that day, unless other hours (even 0) are entered there. A holiday on a
/// Saturday is observed on Friday, one on a Sunday on Monday.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/holiday_pay_policy", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateHolidayPayPolicy,
    responses((status = 200, description = "The policy", body = HolidayPayPolicy)),
    security(("company_access" = ["holiday_pay_policies:write"])))]
async fn create_holiday_pay_policy(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateHolidayPayPolicy>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(HolidayPayPolicy::new(caller, service::create_policy(tx, caller, &command)?))
    })
    .await
}

/// Change which holidays a company pays
///
/// Calculated payrolls are unchanged until they are calculated again.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/holiday_pay_policy", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateHolidayPayPolicy,
    responses((status = 200, description = "The policy as changed", body = HolidayPayPolicy)),
    security(("company_access" = ["holiday_pay_policies:write"])))]
async fn update_holiday_pay_policy(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateHolidayPayPolicy>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(HolidayPayPolicy::new(caller, service::update_policy(tx, caller, &command)?))
    })
    .await
}

/// Delete a company's holiday pay policy
///
/// Its employees leave it. A new one can be created afterwards.
#[utoipa::path(delete, path = "/v1/companies/{company_uuid}/holiday_pay_policy", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["holiday_pay_policies:write"])))]
async fn delete_holiday_pay_policy(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, service::delete_policy).await
}

/// Add employees to the holiday pay policy
///
/// Those already in it are ignored.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/holiday_pay_policy/add", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = ChangeHolidayPayEmployees,
    responses((status = 200, description = "The policy as changed", body = HolidayPayPolicy)),
    security(("company_access" = ["holiday_pay_policies:write"])))]
async fn add_to_holiday_pay_policy(
    State(app): State<App>,
    call: Call,
    Input(input): Input<ChangeHolidayPayEmployees>,
) -> Result<Response, Error> {
    change_employees(app, call, input, true).await
}

/// Remove employees from the holiday pay policy
///
/// Those not in it are ignored.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/holiday_pay_policy/remove", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = ChangeHolidayPayEmployees,
    responses((status = 200, description = "The policy as changed", body = HolidayPayPolicy)),
    security(("company_access" = ["holiday_pay_policies:write"])))]
async fn remove_from_holiday_pay_policy(
    State(app): State<App>,
    call: Call,
    Input(input): Input<ChangeHolidayPayEmployees>,
) -> Result<Response, Error> {
    change_employees(app, call, input, false).await
}

async fn change_employees(
    app: App,
    call: Call,
    input: ChangeHolidayPayEmployees,
    adds: bool,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(HolidayPayPolicy::new(caller, service::change_employees(tx, caller, &command, adds)?))
    })
    .await
}

/// List a company's paid holidays
///
/// Empty without a policy.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/paid_holidays", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListPaidHolidays),
    responses((status = 200, description = "The days", body = Vec<PaidHoliday>)),
    security(("company_access" = ["holiday_pay_policies:read"])))]
async fn list_paid_holidays(
    State(app): State<App>,
    call: Call,
    query: ListPaidHolidays,
) -> Result<Response, Error> {
    let year = query.year()?;
    app.read_all(call, move |tx, caller| {
        let days = service::paid_holidays(tx, caller, year)?;
        Ok(days.into_iter().map(PaidHoliday::new).collect::<Vec<_>>())
    })
    .await
}
