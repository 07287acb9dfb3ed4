//! `GET /v1/me`: who is behind a company token, for clients of the older interface.

use axum::extract::State;
use axum::response::Response;
use domain::access::users::rows as users;
use domain::company::profile;
use domain::company::profile::Profile;
use domain::platform::law::Places;
use rules::places::PlaceNames;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::company::locations::wire::Location;
use crate::error::Error;
use crate::http::Call;

/// The operation.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(me))
}

/// Who is behind a token.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    /// the administrator who consented to the token; omitted if the partner created it without one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
    /// the administrator's e-mail address; omitted with `uuid`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// what the token gives access to
    pub roles: Roles,
}

/// What a token gives access to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Roles {
    /// the companies whose payroll it may run
    pub payroll_admin: PayrollAdmin,
}

/// The companies whose payroll a token may run.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollAdmin {
    /// the company of the token
    pub companies: Vec<AdministeredCompany>,
}

/// A company whose payroll a token may run.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdministeredCompany {
    /// identifier
    pub uuid: Uuid,
    /// legal name
    pub name: String,
    /// name by which it trades
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade_name: Option<String>,
    /// whether a partner manages it
    pub is_partner_managed: bool,
    /// where its people work
    pub locations: Vec<Location>,
}

impl AdministeredCompany {
    fn new(company: Uuid, names: PlaceNames<'_>, profile: Profile) -> Self {
        let locations = profile.locations.into_iter();
        Self {
            uuid: company,
            name: profile.company.name,
            trade_name: profile.company.trade_name,
            is_partner_managed: profile.company.is_partner_managed,
            locations: locations.map(|place| Location::new(company, names, place)).collect(),
        }
    }
}

/// Read the identity behind the token
///
/// The administrator who consented, if there is one, and the company of the token.
#[utoipa::path(get, path = "/v1/me", tag = "OAuth",
    responses((status = 200, description = "The administrator and the company", body = Me)),
    security(("company_access" = ["companies:read"])))]
async fn me(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| {
        let user = match caller.consented {
            Some(user) => users::find_user(tx, user)?,
            None => None,
        };
        let (uuid, email) = user.map(|user| (user.id, user.email)).unzip();
        let places = Places::read_places(tx)?;
        let profile = profile::service::get_company_profile(tx, caller)?;
        let company = AdministeredCompany::new(caller.company, places.place_names(), profile);
        Ok(Me { uuid, email, roles: Roles { payroll_admin: PayrollAdmin { companies: vec![company] } } })
    })
    .await
}
