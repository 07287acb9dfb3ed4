//! Disabling, signing out and deleting applications.

use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use crate::access::applications::{self as records, Application, Created};
use crate::access::connections;
use crate::access::scope::{self, Scopes};
use crate::access::themes::{self, Theme};
use crate::access::tokens::{self as grants, Caller, TokenKind};
use crate::company::companies;
use crate::company::partners::ending;
use crate::error::Error;
use crate::events::webhooks::rows as webhooks;
use crate::platform::audit;
use rules::Violation;

/// Table of the records, in audit entries.
const TABLE: &str = "applications";
/// Companies handled in one unit.
const AT_ONCE: i64 = 100;

/// An application and the number of its companies.
#[derive(Debug)]
pub struct Listed {
    /// the record
    pub application: Application,
    /// number of companies that it is connected to
    pub companies: i64,
}

/// One page of the applications, after a cursor; a short page is the last.
pub fn list_applications(tx: &mut Tx<'_>, after: Uuid) -> Result<Vec<Listed>, Error> {
    let found = records::applications_after(tx, after, AT_ONCE)?;
    let listed = found.into_iter().map(|application| {
        let companies = connections::count_connected_companies(tx, application.id)?;
        Ok(Listed { application, companies })
    });
    listed.collect()
}

fn find_known_application(tx: &mut Tx<'_>, id: Uuid) -> Result<Application, Error> {
    records::find_application(tx, &id.to_string())?.ok_or(Error::NotFound)
}

fn record_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    action: &'static str,
    id: Uuid,
    changes: &Value,
) -> Result<(), Error> {
    audit::record_audit_entry(tx, caller, action, (TABLE, id), changes)
}

/// Disables an application: its tokens are invalid, it gets none, its links and pages do not open, nobody is asked to consent to it, and
/// nothing is delivered to it. Everything is kept for [`enable_application`]; what happens in the meantime is not delivered afterwards.
///
/// # Errors
/// "Not found"; a store error.
pub fn disable_application(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    find_known_application(tx, id)?;
    if records::set_disabled(tx, id, true)? {
        record_change(tx, caller, "disabled", id, &json!({ "disabled": [false, true] }))?;
    }
    Ok(())
}

/// Undoes [`disable_application`].
///
/// # Errors
/// "Not found"; a store error.
pub fn enable_application(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    find_known_application(tx, id)?;
    if records::set_disabled(tx, id, false)? {
        record_change(tx, caller, "enabled", id, &json!({ "disabled": [true, false] }))?;
    }
    Ok(())
}

/// Gives an application a new secret and a new API token; the previous ones become invalid.
///
/// # Errors
/// As [`records::rotate_secret`].
pub fn rotate_secret(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Created, Error> {
    let created = records::rotate_secret(tx, id)?;
    record_change(
        tx,
        caller,
        "rotated",
        id,
        &json!({ "client_secret": "replaced", "api_token": "replaced" }),
    )?;
    Ok(created)
}

/// Adds scopes to an application: those that a newer version of the program knows, or that it was created without. Tokens to which nobody
/// consented get these, and no others, at once; for companies that ever consented, nothing changes until they consent again. Returns the
/// added scopes, and the number of tokens that got them.
///
/// # Errors
/// "Not found"; a store error.
pub fn add_scopes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    more: Scopes,
) -> Result<(Vec<&'static str>, u64), Error> {
    let before = find_known_application(tx, id)?.scopes;
    let added = more.difference_with(before);
    let names: Vec<_> = scope::ALL.iter().copied().filter(|name| added.contains(name)).collect();
    if names.is_empty() {
        return Ok((names, 0));
    }
    records::set_scopes(tx, id, before.union_with(added))?;
    let tokens = grants::add_scopes(tx, id, added)?;
    record_change(tx, caller, "updated", id, &json!({ "scopes": { "added": names } }))?;
    Ok((names, tokens))
}

/// Ends an application's access to a company: tokens, unused codes, and the links and sessions of its pages. They stay connected: after the
/// next consent it continues as before. Returns how many tokens ended.
///
/// # Errors
/// "Not found" for the application; a store error.
pub fn sign_out_of(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<u64, Error> {
    find_known_application(tx, id)?;
    let ended = ending::end_access(tx, caller.company, id)?;
    record_change(tx, caller, "signed_out", id, &json!({ "ended": ended.by_kind }))?;
    Ok(ended.tokens)
}

/// Revokes the system tokens of an application. Its API token is kept: [`rotate_secret`] replaces it.
///
/// # Errors
/// "Not found"; a store error.
pub fn sign_out(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<u64, Error> {
    find_known_application(tx, id)?;
    let ended = grants::revoke_kind(tx, id, TokenKind::System)?;
    record_change(tx, caller, "signed_out", id, &json!({ "ended": { "tokens": ended } }))?;
    Ok(ended)
}

/// One page of the companies that an application is connected to, after a cursor.
///
/// # Errors
/// "Not found"; a store error.
pub fn companies_of(tx: &mut Tx<'_>, id: Uuid, after: Uuid) -> Result<Vec<Uuid>, Error> {
    find_known_application(tx, id)?;
    connections::of_application(tx, id, after, AT_ONCE)
}

/// The operator's caller in a company.
///
/// # Errors
/// "Not found"; a store error.
pub fn operator_in(tx: &mut Tx<'_>, company: Uuid) -> Result<Caller, Error> {
    companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
    Ok(Caller::for_operator(company, companies::time_zone(tx, company)?))
}

/// Deletes an application that is disabled and connected to no company: its subscriptions, its own tokens and its record. The audit log
/// keeps what it did.
///
/// # Errors
/// "Not found"; a violation if it is not disabled, or still connected; a store error.
pub fn delete_application(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let application = find_deletable_application(tx, id)?;
    if connections::count_connected_companies(tx, id)? > 0 {
        let why = "The application has been connected to another company in the meantime; delete it again.";
        return Err(Violation::invalid_operation(why).into());
    }
    let subscriptions = webhooks::remove_all(tx, id)?;
    let ended = [TokenKind::System, TokenKind::Api].into_iter().map(|kind| grants::revoke_kind(tx, id, kind));
    let ended: u64 = ended.sum::<Result<u64, Error>>()?;
    themes::remove_theme(tx, id)?;
    assert!(records::delete_application(tx, id)?, "it was read in this unit");
    let what = json!({ "name": [application.name, null], "ended": { "tokens": ended, "subscriptions": subscriptions } });
    record_change(tx, caller, "deleted", id, &what)
}

/// Sets the theme of an application; `None` restores the service's own theme.
///
/// # Errors
/// "Not found"; a store error.
pub fn set_theme(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, theme: Option<&Theme>) -> Result<(), Error> {
    find_known_application(tx, id)?;
    let what = match theme {
        Some(theme) => {
            themes::set_theme(tx, id, theme)?;
            json!({
                "display_name": theme.display_name,
                "accent": theme.accent.map(themes::Color::to_text),
                "accent_dark": theme.accent_dark.map(themes::Color::to_text),
                "logo": theme.logo.is_some(),
                "return_url": theme.return_url,
            })
        }
        None => {
            themes::remove_theme(tx, id)?;
            json!({})
        }
    };
    record_change(tx, caller, "theme_set", id, &what)
}

/// An application that may be deleted.
///
/// # Errors
/// "Not found"; a violation if it is not disabled; a store error.
pub fn find_deletable_application(tx: &mut Tx<'_>, id: Uuid) -> Result<Application, Error> {
    let application = find_known_application(tx, id)?;
    if application.disabled_at.is_some() {
        return Ok(application);
    }
    Err(Violation::invalid_operation(
        "Disable the application first: that can be undone, and deletion cannot.",
    )
    .into())
}
