//! The counties, cities and districts of an employee's addresses, and a form that corrects them.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::post;
use domain::access::tokens::Caller;
use domain::patch::Patch;
use domain::people::addresses::commands::{UpdateHomeAddress, UpdateWorkAddress};
use domain::people::addresses::jurisdictions::{self, Jurisdiction, Postal};
use domain::people::addresses::service;
use domain::records::{id_of, version_text};
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::error::Error;
use interface::http::InCompany;
use rules::places::Told;
use store::Tx;
use uuid::Uuid;

use super::access;
use super::access::For;

/// Scope for correcting them.
pub(super) const CORRECT: &str = "employees:write";
/// The side of a home address in the form.
const HOME: &str = "home";
/// The side of a work address in the form.
const WORK: &str = "work";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/employees/{employee}/places", post(correct_jurisdictions))
}

/// A current address, with the counties, cities and districts whose taxes may apply.
pub(super) struct PlaceLine {
    pub(super) what: &'static str,
    pub(super) side: &'static str,
    pub(super) id: Uuid,
    pub(super) version: String,
    pub(super) address: String,
    pub(super) jurisdictions: Vec<String>,
    /// codes of those in which it certainly is, separated by commas
    pub(super) codes: String,
    /// the localities of the state: code and name
    pub(super) known: BTreeMap<String, String>,
    /// whether they were set by hand
    pub(super) by_hand: bool,
}

/// The current home and work addresses.
pub(super) fn of_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Vec<PlaceLine>, domain::Error> {
    let mut lines = Vec::new();
    for home in service::list_home(tx, caller, employee)?.into_iter().filter(|home| home.active) {
        let address = &home.address;
        let version = version_text(service::HOME, address.id, address.version);
        let mut line = address_line(tx, address.postal(), &home.jurisdictions, (address.id, version))?;
        (line.what, line.side) = ("Home", HOME);
        lines.push(line);
    }
    for work in service::list_work(tx, caller, employee)?.into_iter().filter(|work| work.active) {
        let address = &work.address.address;
        let version = version_text(service::WORK, address.id, address.version);
        lines.push(address_line(tx, work.address.postal(), &work.jurisdictions, (address.id, version))?);
    }
    Ok(lines)
}

/// The fields of a work address; the caller sets what only a home address has.
fn address_line(
    tx: &mut Tx<'_>,
    at: Postal<'_>,
    found: &[Jurisdiction],
    (id, version): (Uuid, String),
) -> Result<PlaceLine, domain::Error> {
    let certain = found.iter().filter(|at| at.certain).map(|at| at.code.as_str());
    Ok(PlaceLine {
        what: "Work",
        side: WORK,
        id,
        version,
        address: format!("{}, {} {}", at.city, at.state, at.zip),
        jurisdictions: found.iter().map(jurisdiction_label).collect(),
        codes: certain.collect::<Vec<_>>().join(", "),
        known: jurisdictions::selectable_localities(tx, at.state)?,
        by_hand: found.iter().any(|at| at.told_by == Told::Correction),
    })
}

/// A county, city or district, with how it was determined.
fn jurisdiction_label(at: &Jurisdiction) -> String {
    let told = match at.told_by {
        Told::Zip => "by ZIP code",
        Told::City => "by city",
        Told::Certificate => "by certificate",
        Told::Answer => "by answer",
        Told::Correction => "set by hand",
    };
    format!("{} ({told}{})", at.name, if at.certain { "" } else { ", perhaps" })
}

/// Sets the list of an address by hand, or lets the tables decide again.
async fn correct_jurisdictions(
    State(app): State<App>,
    Path(InCompany { company, id: employee }): Path<InCompany>,
    request: Request,
) -> Response {
    access::submit_form(&app, request, For::Company(company, CORRECT), move |tx, visit, form| {
        let id = id_of(form.get("address").unwrap_or_default());
        let version = Patch::Value(form.get("version").unwrap_or_default().to_owned());
        let codes = submitted_codes(form);
        let caller = &visit.caller;
        if form.get("side") == Some(HOME) {
            must_be_of(service::get_home(tx, caller, id)?.address.employee, employee)?;
            let input = UpdateHomeAddress { version, jurisdiction_codes: codes, ..Default::default() };
            service::update_home(tx, caller, id, &input)?;
        } else {
            must_be_of(service::get_work(tx, caller, id)?.address.address.employee, employee)?;
            let input = UpdateWorkAddress { version, jurisdiction_codes: codes, ..Default::default() };
            service::update_work(tx, caller, id, &input)?;
        }
        Ok(format!("/console/companies/{company}/employees/{employee}"))
    })
    .await
}

fn must_be_of(owner: Uuid, employee: Uuid) -> Result<(), Error> {
    if owner == employee { Ok(()) } else { Err(Error::NotFound) }
}

/// The submitted list, with the selected place; null if the tables are to decide again.
fn submitted_codes(form: &Params) -> Patch<Vec<String>> {
    if form.get("do") == Some("reset") {
        return Patch::Null;
    }
    let listed = form.get("codes").unwrap_or_default();
    let all = listed.split(',').chain(form.get("add"));
    let all = all.map(str::trim).filter(|code| !code.is_empty()).map(str::to_uppercase);
    let mut codes: Vec<String> = all.collect();
    let mut seen = std::collections::BTreeSet::new();
    codes.retain(|code| seen.insert(code.clone()));
    Patch::Value(codes)
}
