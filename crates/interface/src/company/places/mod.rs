//! The localities of an address, and the questions about it.

pub mod wire;

use axum::extract::State;
use axum::response::Response;
use domain::people::addresses::jurisdictions;
use rules::Checks;
use rules::places::Side;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{AddressJurisdiction, PlaceQuestion, place_questions};
use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query;
use crate::query::{Parameter, Query};

/// The operation.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(find_places))
}

query! {
    /// The address.
    FindPlaces {
        /// Five digits, or five, a hyphen and four
        #[example = "45458"]
        zip: Zip,
        /// City of the postal address; without it, no city is found by its name
        #[example = "Dayton"]
        city: Option<String>,
        /// Two letters; defaults to the state of the ZIP code
        #[example = "OH"]
        state: Option<String>,
        /// true: a place of work, instead of a home
        work: bool,
    }
}

/// A ZIP code.
#[derive(Debug, Clone)]
pub struct Zip(String);

impl Parameter for Zip {
    const REQUIRED: bool = true;
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let text = query.text_value(key).unwrap_or_default();
        Self(checks.take_value(rules::check::parse_zip(key, text)).unwrap_or_default())
    }
    fn schema() -> Schema {
        Option::<String>::schema()
    }
}

/// The counties, cities and districts of an address, and the questions about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Places {
    /// ZIP code
    pub zip: String,
    /// two letters
    pub state: String,
    /// city, as given
    pub city: String,
    /// counties, cities and districts whose taxes may apply at the address, by code
    pub jurisdictions: Vec<AddressJurisdiction>,
    /// what the tables cannot tell, with every choice
    pub questions: Vec<PlaceQuestion>,
}

/// Find the places of an address
///
/// An extension. The counties, cities, school districts and municipalities whose taxes apply at an address, and the
/// questions that the tables cannot answer, with the names of their choices: for a form of your own. Send the answers with
/// the address, as `place_answers`.
#[utoipa::path(get, path = "/v1/places", tag = "Taxes",
    params(FindPlaces),
    responses((status = 200, description = "The places and questions", body = Places)),
    security(("company_access" = ["companies:read"])))]
async fn find_places(State(app): State<App>, call: Call, query: FindPlaces) -> Result<Response, Error> {
    app.read_json(call, move |tx, _| {
        let side = if query.work { Side::Work } else { Side::Home };
        let Zip(zip) = &query.zip;
        let city = query.city.as_deref().unwrap_or_default();
        let known = jurisdictions::of_text(tx, side, (zip, city, query.state.as_deref()))?;
        Ok(Places {
            zip: known.at.zip.to_owned(),
            state: known.at.state.to_owned(),
            city: known.at.city.to_owned(),
            jurisdictions: wire::address_jurisdictions(known.jurisdictions),
            questions: place_questions(known.questions),
        })
    })
    .await
}
