//! Use cases of links: creating, opening and expiring them.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::{Checks, Named, Violation};
use serde_json::{Map, Value, json};
use store::Tx;
use uuid::Uuid;

use super::commands::CreateFlow;
use super::portal;
use super::rows;
use super::rows::{Life, Link};
use super::session;
use super::session::SessionState;
use super::types;
use super::types::FlowEntityKind;
use crate::access::connections;
use crate::access::themes;
use crate::access::themes::Theme;
use crate::access::tokens::{Caller, Token, still_holding};
use crate::company::companies;
use crate::contractors::records::Contractor;
use crate::contractors::{onboarding as contractor_onboarding, records as contractor_records};
use crate::error::Error;
use crate::people::{employees, employment, onboarding};
use crate::platform::audit;
use crate::platform::hooks::{ContractorAspect, EmployeeAspect};
use crate::platform::jobs;
use crate::records::id_of;

/// Maximum number of times a link can be opened. A browser that has a session of the link continues it, which does not count.
const OPENS: i64 = 50;
const IDLE_HOURS: i64 = 1;
const WHOLE_HOURS: i64 = 24;
/// Maximum number of unknown options listed in an error.
const MOST_TOLD: usize = 20;

impl Life {
    /// Returns when the link expires if it is not used again.
    pub fn expiry_time(self) -> Timestamp {
        (self.used_at + IDLE_HOURS.hours()).min(self.created_at + WHOLE_HOURS.hours())
    }
}

/// Table of links, for audit entries.
const TABLE: &str = "flow_links";

/// A newly created link.
pub struct Created {
    /// token, whose text is not stored
    pub token: Token,
    /// identifier, which does not open the link
    pub id: Uuid,
    /// time of expiry if the link is not opened
    pub expires_at: Timestamp,
}

store::hidden!(Created);

/// Creates a link for one employee or contractor, or for the company itself.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_link(tx: &mut Tx<'_>, caller: &Caller, input: &CreateFlow) -> Result<Created, Error> {
    let mut checks = Checks::new();
    let flow_types =
        input.flow_type.required("flow_type", &mut checks, |key, text| types::parse_flow_types(key, text));
    let wanted = flow_types.as_ref().map(|(kind, _)| *kind);
    // Company pages can only be for the caller's company.
    let (kind, entity) = match wanted {
        Some(FlowEntityKind::Company) => {
            let kind = input
                .entity_type
                .optional("entity_type", &mut checks, |key, text| entity_type(key, text, wanted));
            let entity = input.entity_uuid.optional("entity_uuid", &mut checks, |_, id| Ok(id_of(id)));
            let told = (input.entity_type.value().is_some(), input.entity_uuid.value().is_some());
            (if told.0 { kind } else { wanted }, if told.1 { entity } else { Some(caller.company) })
        }
        _ => (
            input
                .entity_type
                .required("entity_type", &mut checks, |key, text| entity_type(key, text, wanted)),
            input.entity_uuid.required("entity_uuid", &mut checks, |_, id| Ok(id_of(id))),
        ),
    };
    let redirect_url = input.redirect_url.optional("redirect_url", &mut checks, |key, text| {
        match themes::return_address(text) {
            Ok(()) => Ok(text.clone()),
            Err(why) => Err(Violation::invalid(key, format!("{key} {why}"))),
        }
    });
    input.options.optional("options", &mut checks, |key, options| {
        no_options(key, options, input.flow_type.value().map_or("", String::as_str))
    });
    if let (Some(kind), Some(entity)) = (kind, entity) {
        checks.extend(unknown_entity(tx, caller, kind, entity)?);
    }
    checks.finish()?;
    let (Some((kind, flow_types)), Some(entity)) = (flow_types, entity) else {
        return Err(Error::internal("a field is missing that was checked"));
    };
    let person = if kind == FlowEntityKind::Company { Uuid::nil() } else { entity };
    let today = caller.today(tx);
    if has_left(tx, caller.company, (kind, person), today)? {
        return Err(Error::from(Violation::invalid_operation(match kind {
            FlowEntityKind::Contractor => {
                "The contractor is dismissed, so hosted pages are not available; rehire the contractor first."
            }
            _ => "The employment has ended, so hosted pages are not available; rehire the employee first.",
        })));
    }

    let token = Token::new(tx);
    let now = tx.now();
    let link = Link {
        company: caller.company,
        id: tx.new_id(),
        flow_types,
        kind,
        person,
        redirect_url,
        application: still_holding(tx, caller)?,
        life: Life { created_at: now, used_at: now, expired_at: None },
        is_disabled: false,
    };
    rows::insert_link(tx, &token.hash, &link)?;
    jobs::schedule_job(tx, caller.company, jobs::JobKind::FlowLinkExpired, link.id, link.life.expiry_time())?;
    let what = match kind {
        FlowEntityKind::Employee => json!({ "flow_types": link.flow_types, "employee": link.person }),
        FlowEntityKind::Contractor => json!({ "flow_types": link.flow_types, "contractor": link.person }),
        FlowEntityKind::Company => json!({ "flow_types": link.flow_types }),
    };
    audit::record_audit_entry(tx, caller, "created", (TABLE, link.id), &what)?;
    Ok(Created { token, id: link.id, expires_at: link.life.expiry_time() })
}

/// Rejects every option by name, because clients would rely on an option that is accepted without effect.
fn no_options(key: &str, options: &Map<String, Value>, flow_type: &str) -> Result<(), Violation> {
    let unknown = |name: &String| {
        Violation::invalid(name, format!("{name} is not an option: these flows have none; omit it"))
    };
    let unknown: Vec<Violation> = options.keys().take(MOST_TOLD).map(unknown).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Violation::nested(key, unknown).with_metadata(json!({ "flow_type": flow_type })))
}

/// Parses the kind of record that a link is for. It must match the flow types.
fn entity_type(key: &str, text: &str, wanted: Option<FlowEntityKind>) -> Result<FlowEntityKind, Violation> {
    let wanted = match wanted {
        Some(kind) => vec![kind],
        None => FlowEntityKind::ALL.to_vec(),
    };
    let names: Vec<_> = wanted.iter().map(|kind| kind.as_str()).collect();
    let found = wanted.iter().find(|kind| kind.as_str() == text);
    found.copied().ok_or_else(|| {
        Violation::invalid(key, format!("{key} must be {} for these flows", names.join(" or ")))
    })
}

/// Returns the violations of an entity that is not the caller's; empty if it is.
fn unknown_entity(
    tx: &mut Tx<'_>,
    caller: &Caller,
    kind: FlowEntityKind,
    entity: Uuid,
) -> Result<Vec<Violation>, Error> {
    let (known, whose) = match kind {
        FlowEntityKind::Employee => (
            employees::Employee::find(tx, caller.company, entity)?.is_some(),
            "entity_uuid must be the uuid of one of the company's employees",
        ),
        FlowEntityKind::Contractor => (
            Contractor::find(tx, caller.company, entity)?.is_some(),
            "entity_uuid must be the uuid of one of the company's contractors",
        ),
        FlowEntityKind::Company => {
            (entity == caller.company, "entity_uuid must be the uuid of the company of the token")
        }
    };
    if known {
        return Ok(Vec::new());
    }
    let missing = match kind {
        FlowEntityKind::Employee => "there is no Employee with this entity_uuid in the company",
        FlowEntityKind::Contractor => "there is no Contractor with this entity_uuid in the company",
        FlowEntityKind::Company => "there is no Company with this entity_uuid",
    };
    Ok(vec![Violation::invalid("entity_type", missing), Violation::invalid("entity_uuid", whose)])
}

/// The theme and return URL of a visitor's pages.
#[derive(Debug, Clone, Default)]
pub struct Face {
    /// application that created the link
    pub application: Option<Uuid>,
    /// theme of the application
    pub theme: Theme,
    /// return URL of the last page
    pub return_url: Option<String>,
}

/// Returns the theme and return URL of a link's pages; the theme is the service's own if the link has no application.
pub fn link_face(tx: &mut Tx<'_>, company: Uuid, link: Option<Uuid>) -> Result<Face, Error> {
    let Some(link) = link else { return Ok(Face::default()) };
    let Some((redirect_url, application)) = rows::leads_back(tx, company, link)? else {
        return Ok(Face::default());
    };
    let held = match application {
        Some(id) => themes::find_theme(tx, id)?,
        None => None,
    };
    let theme = held.unwrap_or_default();
    let return_url = redirect_url.or_else(|| theme.return_url.clone());
    Ok(Face { application, theme, return_url })
}

/// Revokes a link: it can no longer be opened, and its sessions end, even if the link has already expired.
///
/// # Errors
/// "Not found"; a store error.
pub fn revoke_link(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    connections::lock_company_access(tx, caller.company)?;
    let life = rows::find_link_life(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let sessions = session::end_of_link(tx, caller.company, id)?;
    if life.expired_at.is_none() {
        rows::expire_link(tx, caller.company, id)?;
        audit::record_audit_entry(
            tx,
            caller,
            "revoked",
            (TABLE, id),
            &json!({ "ended": { "sessions": sessions } }),
        )?;
    }
    Ok(())
}

/// The result of opening a link.
#[derive(Debug)]
pub enum Opened {
    /// a new session began, with this token
    For(Token),
    /// the session of the browser's cookie continues
    Again,
    /// the link has expired
    Expired,
    /// the link does not exist
    Unknown,
}

/// Whether the link exists, expired or not.
pub fn link_exists(tx: &mut Tx<'_>, token: &str) -> Result<bool, Error> {
    Ok(rows::find_link(tx, &Token::hash_of(token))?.is_some())
}

/// Opens a link: records the use and, for an employee, that onboarding has started, and begins a session. If `cookie` belongs to an active
/// session of the same link, that session continues instead.
pub fn open_link(
    tx: &mut Tx<'_>,
    caller: &Caller,
    token: &str,
    cookie: Option<&str>,
) -> Result<Opened, Error> {
    let hash = Token::hash_of(token);
    let Some(seen) = rows::find_link(tx, &hash)? else { return Ok(Opened::Unknown) };
    // If the link is revoked concurrently, that either also ends this session or is seen here.
    connections::lock_company_access(tx, seen.company)?;
    let Some(link) = rows::find_link(tx, &hash)? else { return Ok(Opened::Unknown) };
    if link.is_disabled || link.life.expired_at.is_some() || link.life.expiry_time() <= tx.now() {
        return Ok(Opened::Expired);
    }
    if !session::is_person_on_record(tx, link.company, link.kind, link.person)? {
        return Ok(Opened::Unknown); // deleted since
    }
    let today = tx.now().to_zoned(companies::time_zone(tx, link.company)?).date();
    if has_left(tx, link.company, (link.kind, link.person), today)? {
        return Ok(Opened::Expired);
    }
    if let Some(cookie) = cookie
        && let SessionState::Active(visitor) = session::visit_session(tx, caller, cookie)?
        && visitor.link == Some(link.id)
    {
        visitor.note_use(tx)?;
        return Ok(Opened::Again);
    }
    if !rows::note_use(tx, &hash, OPENS)? {
        return Ok(Opened::Expired);
    }
    let life = Life { used_at: tx.now(), ..link.life };
    jobs::schedule_job(tx, link.company, jobs::JobKind::FlowLinkExpired, link.id, life.expiry_time())?;
    let zone = companies::time_zone(tx, link.company)?;
    let caller = Caller { actor: link.actor(), company: link.company, zone, ..caller.clone() };
    match link.kind {
        FlowEntityKind::Company => {
            audit::record_audit_entry(tx, &caller, "opened", (TABLE, link.id), &json!({}))?
        }
        FlowEntityKind::Employee => drop(onboarding::service::record_link_opened(tx, &caller, link.person)?),
        FlowEntityKind::Contractor => contractor_onboarding::record_link_opened(tx, &caller, link.person)?,
    }
    if !link.is_of_company() {
        portal::note_opened(tx, link.company, link.id)?;
    }
    session::begin_session(tx, &link).map(Opened::For)
}

/// Ends the links and sessions of an employee who has left. The caller holds the employee's guard.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    let today = caller.today(tx);
    if aspect != EmployeeAspect::Employment
        || !employment::rows::of_employee(tx, caller.company, employee)?.has_left(today)
    {
        return Ok(());
    }
    end_links(tx, caller, (employees::service::TABLE, employee))
}

/// Ends the links and sessions of a contractor who is dismissed. The caller holds the contractor's guard.
pub fn contractor_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    aspect: ContractorAspect,
) -> Result<(), Error> {
    let today = caller.today(tx);
    if aspect != ContractorAspect::Employment
        || !has_left(tx, caller.company, (FlowEntityKind::Contractor, contractor), today)?
    {
        return Ok(());
    }
    end_links(tx, caller, (contractor_records::service::TABLE, contractor))
}

/// Ends the links and sessions of a person.
fn end_links(tx: &mut Tx<'_>, caller: &Caller, record: (&'static str, Uuid)) -> Result<(), Error> {
    let links = rows::expire_of_person(tx, caller.company, record.1)?;
    let sessions = session::end_of_person(tx, caller.company, record.1)?;
    if links + sessions > 0 {
        let ended = json!({ "ended": { "links": links, "sessions": sessions } });
        audit::record_audit_entry(tx, caller, "links_ended", record, &ended)?;
    }
    Ok(())
}

/// Whether a person no longer works for the company, and is not about to come back.
fn has_left(
    tx: &mut Tx<'_>,
    company: Uuid,
    (kind, person): (FlowEntityKind, Uuid),
    today: Date,
) -> Result<bool, Error> {
    Ok(match kind {
        FlowEntityKind::Employee => employment::rows::of_employee(tx, company, person)?.has_left(today),
        FlowEntityKind::Contractor => {
            let found = Contractor::find(tx, company, person)?;
            found.is_some_and(|one| one.is_dismissed(today) && one.rehire_date.is_none())
        }
        FlowEntityKind::Company => false,
    })
}

/// Expires a link, or reschedules its expiry if it has been used in the meantime.
pub fn expire_or_reschedule_link(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(life) = rows::find_link_life(tx, company, id)? else { return Ok(()) };
    if life.expiry_time() <= tx.now() {
        rows::expire_link(tx, company, id)
    } else {
        jobs::schedule_job(tx, company, jobs::JobKind::FlowLinkExpired, id, life.expiry_time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_expires_an_hour_after_its_last_use_and_at_most_a_day_after_its_creation() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let life =
            |used: &str| Life { created_at: at("2026-11-21T09:00:00Z"), used_at: at(used), expired_at: None };
        assert_eq!(life("2026-11-21T09:00:00Z").expiry_time(), at("2026-11-21T10:00:00Z"));
        assert_eq!(life("2026-11-22T08:30:00Z").expiry_time(), at("2026-11-22T09:00:00Z"));
    }
}
