//! Creating a company for a partner, and ending a partner's connection.

use rules::company::parse_ein;
use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{CreateAdmin, CreateCompany, CreatePartnerCompany};
use super::{admins, ending};
use crate::access::connections;
use crate::access::oauth::tokens;
use crate::access::oauth::tokens::{Holder, Pair};
use crate::access::tokens::{Actor, Caller};
use crate::access::users;
use crate::access::users::Role;
use crate::access::users::service::RoleHolder;
use crate::company::companies;
use crate::company::companies::service::{NAME, NewCompany};
use crate::error::Error;
use crate::events;
use crate::patch::as_is;
use crate::platform::audit;

/// A new company, with its tokens.
#[derive(Debug)]
pub struct PartnerCompany {
    /// identifier of the company
    pub company: Uuid,
    /// tokens for this company
    pub tokens: Pair,
    /// seconds until the access token expires
    pub expires_in: i64,
}

/// A company that no partner manages any more.
#[derive(Debug)]
pub struct Disassociated {
    /// identifier of the company
    pub company: Uuid,
    /// legal name
    pub name: String,
}

fn calling_application(caller: &Caller) -> Result<Uuid, Error> {
    match caller.actor {
        Actor::Application(application) => Ok(application),
        _ => Err(Error::internal("only an application can do this, and the token is another's")),
    }
}

fn read_company(input: &CreateCompany, checks: &mut Checks) -> NewCompany {
    let mut inner = Checks::new();
    let text = |key: &str, value: &String| check::validate_text(key, value, NAME);
    let name = input.name.required("name", &mut inner, text);
    let trade_name = input.trade_name.optional("trade_name", &mut inner, text);
    let ein = input.ein.optional("ein", &mut inner, |k, v| parse_ein(k, v));
    let contractor_only = input.contractor_only.optional("contractor_only", &mut inner, as_is);
    if let Err(errors) = inner.finish() {
        checks.push(Violation::nested("company", errors));
    }
    NewCompany {
        name: name.unwrap_or_default(),
        trade_name,
        ein,
        contractor_only: contractor_only.unwrap_or(false),
        is_partner_managed: true,
    }
}

fn read_user(input: &CreateAdmin, checks: &mut Checks) -> RoleHolder {
    let mut inner = Checks::new();
    let person = admins::read_person(input, &mut inner);
    if let Err(errors) = inner.finish() {
        checks.push(Violation::nested("user", errors));
    }
    person
}

/// Creates a company that the caller's application manages, with its primary administrator and a pair of tokens.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_partner_company(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreatePartnerCompany,
) -> Result<PartnerCompany, Error> {
    let application = calling_application(caller)?;
    let mut checks = Checks::new();
    let user = input.user.required("user", &mut checks, |_, user| Ok(user.clone())).unwrap_or_default();
    let company =
        input.company.required("company", &mut checks, |_, company| Ok(company.clone())).unwrap_or_default();
    let mut inner = Checks::new();
    let person = read_user(&user, &mut inner);
    let draft = read_company(&company, &mut inner);
    if checks.is_empty() {
        checks = inner;
    }
    checks.finish()?;

    let inside = companies::service::create_company(tx, caller, draft)?;
    let (id, now) = (inside.company, tx.now());
    let given = users::service::give_role(tx, &inside, &person, Role::Primary)?;
    let scopes = caller.scopes.to_text();
    let holder = Holder { application, company: id, user: Some(given.user.id), scopes };
    let tokens = tokens::issue_pair(tx, &holder)?;
    connections::manage_new(tx, id, application)?;
    events::emit_to(tx, id, events::COMPANY_PROVISIONED, application)?;
    Ok(PartnerCompany { company: id, expires_in: tokens.expires_in(now), tokens })
}

/// Ends the connection between the caller's application and a company that it manages: its access ends, and no partner manages the company
/// afterwards.
///
/// # Errors
/// "Not found" for a company that the application is not connected to; 422 for one that it does not manage; a store error.
pub fn disassociate_company(tx: &mut Tx<'_>, caller: &Caller, company: Uuid) -> Result<Disassociated, Error> {
    let application = calling_application(caller)?;
    connections::lock_company_access(tx, company)?;
    if !connections::is_open(tx, company, application)? {
        return Err(Error::NotFound);
    }
    let managing = connections::managing_applications(tx, company)?;
    if managing.is_empty() {
        return Err(Violation::invalid_operation("No partner manages this company.").into());
    }
    if !managing.contains(&application) {
        let why = "Another application manages this company; disconnect_app_integration ends the connection with this one.";
        return Err(Violation::invalid_operation(why).into());
    }
    let name = companies::rows::find_company(tx, company)?.ok_or(Error::NotFound)?.name;
    let zone = companies::time_zone(tx, company)?;
    let inside = Caller { company, zone, ..caller.clone() };
    let changed = companies::rows::set_partner_managed(tx, company, false)?;
    assert!(changed, "whether it is managed was read under the guard");
    let ended = ending::end_access(tx, company, application)?.by_kind;
    let changes = json!({ "is_partner_managed": [true, false], "ended": [null, ended] });
    audit::record_audit_entry(tx, &inside, "disassociated", (companies::service::TABLE, company), &changes)?;
    emit_departure(tx, company, application)?;
    Ok(Disassociated { company, name })
}

/// Ends the connection between the caller's application and a company from the application's side, as if the company had withdrawn its
/// consent.
///
/// # Errors
/// "Not found" if they are not connected; a store error.
pub fn disconnect_company(tx: &mut Tx<'_>, caller: &Caller, company: Uuid) -> Result<(), Error> {
    let application = calling_application(caller)?;
    if !connections::was_ever_connected(tx, company, application)? {
        return Err(Error::NotFound);
    }
    let zone = companies::time_zone(tx, company)?;
    let inside = Caller { company, zone, ..caller.clone() };
    revoke_consent(tx, &inside, application)
}

/// The last event about a company that an application receives: the company has left.
fn emit_departure(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<(), Error> {
    events::emit_to(tx, company, events::COMPANY_DEPROVISIONED, application)?;
    connections::disconnect_application(tx, company, application)?;
    Ok(())
}

/// Withdraws the consent of the caller's company to an application: its unused codes, tokens, links, page sessions and document links end
/// with the connection. If it managed the company, no partner does afterwards.
///
/// # Errors
/// "Not found" if they are not connected; a store error.
pub fn revoke_consent(tx: &mut Tx<'_>, caller: &Caller, application: Uuid) -> Result<(), Error> {
    let company = caller.company;
    connections::lock_company_access(tx, company)?;
    if !connections::is_open(tx, company, application)? {
        return Err(Error::NotFound);
    }
    let managed_by_it =
        connections::managing_applications(tx, company)?.iter().all(|one| *one == application);
    let mut ended = ending::end_access(tx, company, application)?.by_kind;
    if managed_by_it && companies::rows::set_partner_managed(tx, company, false)? {
        ended["is_partner_managed"] = json!([true, false]);
    }
    audit::record_audit_entry(
        tx,
        caller,
        "revoked",
        ("applications", application),
        &json!({ "ended": [null, ended] }),
    )?;
    emit_departure(tx, company, application)
}
