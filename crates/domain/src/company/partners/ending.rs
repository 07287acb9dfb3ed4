//! What ends when an application loses access to a company: unused codes, tokens, links to hosted pages with their
//! sessions, and links to documents and reports. Those of other applications stay.
//!
//! It happens under the guard of the company's access ([`connections::lock_company_access`]), which is also taken for creating them:
//! one that is just being created is either found here, or refused afterwards.

use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use crate::access::connections;
use crate::access::oauth::{codes, tokens};
use crate::access::tokens as grants;
use crate::access::tokens::Caller;
use crate::company::document_links;
use crate::error::Error;
use crate::pay::reports::rows as reports;
use crate::people::flows;
use crate::platform::audit;
use crate::platform::hooks::Consents;

/// What ended.
#[derive(Debug)]
pub struct Ended {
    /// tokens
    pub tokens: u64,
    /// the counts by kind, for the audit log
    pub by_kind: Value,
}

/// Ends an application's access to a company, except for the connection itself.
pub fn end_access(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<Ended, Error> {
    connections::lock_company_access(tx, company)?;
    let mut by_kind = end_pages(tx, company, application)?;
    by_kind["codes"] = json!(codes::end_of_application(tx, company, application)?);
    let tokens = tokens::revoke_all(tx, application, company)?;
    by_kind["tokens"] = json!(tokens);
    Ok(Ended { tokens, by_kind })
}

/// The links and sessions that an application has handed out.
fn end_pages(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<Value, Error> {
    Ok(json!({
        "flow_links": flows::rows::expire_of_application(tx, company, application)?,
        "flow_sessions": flows::session::end_of_application(tx, company, application)?,
        "document_links": document_links::delete_of_application(tx, company, application)?,
        "report_links": reports::delete_links(tx, company, application)?,
    }))
}

/// Ends what is based on an administrator's consents to the caller's company. The tokens of the application that
/// manages the company are kept: they are based on that and not on a consent. An application that is left without a
/// token loses its links and sessions, too.
pub fn end_consents(tx: &mut Tx<'_>, caller: &Caller, user: Uuid) -> Result<Consents, Error> {
    let company = caller.company;
    connections::lock_company_access(tx, company)?;
    let codes = codes::end_of_user(tx, company, user)?;
    let managing = connections::managing_applications(tx, company)?;
    let mut tokens = 0;
    for application in grants::consented_applications(tx, company, user)? {
        if managing.contains(&application) {
            continue;
        }
        tokens += grants::revoke_consented(tx, company, application, user)?;
        if !grants::holds_one(tx, company, application)? {
            let pages = end_pages(tx, company, application)?;
            let ended = json!({ "ended": [null, pages] });
            audit::record_audit_entry(tx, caller, "signed_out", ("applications", application), &ended)?;
        }
    }
    Ok(Consents { codes, tokens })
}
