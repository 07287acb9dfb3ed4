//! Records of links to hosted pages.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use super::types::FlowEntityKind;
use crate::access::tokens::Actor;
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO flow_links (hash, company_id, id, flow_types, entity_type, entity_id, created_at, used_at, redirect_url, application_id) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)";
    FIND = "SELECT l.company_id, l.id, l.flow_types, l.entity_type, l.entity_id, l.redirect_url, l.application_id, l.created_at, \
            l.used_at, l.expired_at, a.disabled_at FROM flow_links l LEFT JOIN applications a ON a.id = l.application_id \
            WHERE l.hash = $1";
    LEADS_BACK = "SELECT redirect_url, application_id FROM flow_links WHERE company_id = $1 AND id = $2";
    USE = "UPDATE flow_links SET used_at = $1, opens = opens + 1 WHERE hash = $2 AND opens < $3";
    VISIT = "UPDATE flow_links SET used_at = $1 WHERE company_id = $2 AND id = $3 AND expired_at IS NULL";
    // By id, for the job that expires a link; few links exist at a time.
    FIND_BY_ID = "SELECT created_at, used_at, expired_at FROM flow_links WHERE company_id = $1 AND id = $2";
    EXPIRE_OF_APPLICATION = "UPDATE flow_links SET expired_at = $1 WHERE company_id = $2 AND expired_at IS NULL \
                             AND (application_id = $3 OR application_id IS NULL)";
    EXPIRE_OF_PERSON = "UPDATE flow_links SET expired_at = $1 WHERE company_id = $2 AND entity_id = $3 AND expired_at IS NULL";
    EXPIRE = "UPDATE flow_links SET expired_at = $1 WHERE company_id = $2 AND id = $3 AND expired_at IS NULL";
}

/// A link.
#[derive(Debug, Clone)]
pub struct Link {
    /// the company, or the person's company
    pub company: Uuid,
    /// identifier
    pub id: Uuid,
    /// flow types, separated by commas
    pub flow_types: String,
    /// the kind of record that it is for
    pub kind: FlowEntityKind,
    /// the employee or contractor; nil for the pages of the company itself
    pub person: Uuid,
    /// return URL of the last page, if any
    pub redirect_url: Option<String>,
    /// application that created the link; `None` for links created by an older version
    pub application: Option<Uuid>,
    /// creation, last use and expiry
    pub life: Life,
    /// whether the operator disabled that application
    pub is_disabled: bool,
}

impl Link {
    /// Whether the link is for the pages of the company itself.
    pub fn is_of_company(&self) -> bool {
        self.kind == FlowEntityKind::Company
    }

    /// Returns the actor on the link's pages.
    pub fn actor(&self) -> Actor {
        actor_on_pages(self.kind, self.company, self.person)
    }
}

/// Returns the actor on hosted pages: the employee, the contractor, or the employer.
pub fn actor_on_pages(kind: FlowEntityKind, company: Uuid, person: Uuid) -> Actor {
    match kind {
        FlowEntityKind::Employee => Actor::Employee(person),
        FlowEntityKind::Contractor => Actor::Contractor(person),
        FlowEntityKind::Company => Actor::Employer(company),
    }
}

/// Creation, last use and expiry of a link.
#[derive(Debug, Clone, Copy)]
pub struct Life {
    /// time of creation
    pub created_at: Timestamp,
    /// time of last use
    pub used_at: Timestamp,
    /// time of expiry, once expired or revoked
    pub expired_at: Option<Timestamp>,
}

const TABLE: &str = "flow_links";

impl Life {
    fn read_life(next: &mut Cursor<'_, '_>) -> Result<Self, store::Error> {
        Ok(Self {
            created_at: next.read_plain("created_at")?,
            used_at: next.read_plain("used_at")?,
            expired_at: next.read_plain("expired_at")?,
        })
    }
}

/// Stores a new link.
pub fn insert_link(tx: &mut Tx<'_>, hash: &[u8; 32], link: &Link) -> Result<(), Error> {
    let Link { company, id, flow_types, kind, person, redirect_url, application, life, is_disabled: _ } =
        link;
    let entity = if link.is_of_company() { company } else { person };
    let values = params![
        hash,
        company,
        id,
        flow_types,
        kind.as_str(),
        entity,
        life.created_at,
        redirect_url,
        application
    ];
    Ok(tx.insert_row(INSERT, values)?)
}

/// Returns the link with this token hash, expired or not.
pub fn find_link(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Link>, Error> {
    Ok(tx.try_find(FIND, params![hash], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        let (company, id) = (next.read_plain("company_id")?, next.read_plain("id")?);
        let flow_types = next.read_plain("flow_types")?;
        let kind = next.read_text("entity_type", FlowEntityKind::parse)?;
        let entity = next.read_plain("entity_id")?;
        Ok::<_, store::Error>(Link {
            company,
            id,
            flow_types,
            kind,
            person: if kind == FlowEntityKind::Company { Uuid::nil() } else { entity },
            redirect_url: next.read_plain("redirect_url")?,
            application: next.read_plain("application_id")?,
            life: Life::read_life(&mut next)?,
            is_disabled: next.read_plain::<Option<Timestamp>>("disabled_at")?.is_some(),
        })
    })?)
}

/// The return URL of a link and the application that created it.
pub type LeadsBack = (Option<String>, Option<Uuid>);

/// Returns the return URL of a link's pages and the application that created the link.
pub fn leads_back(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<LeadsBack>, Error> {
    Ok(tx.try_find(LEADS_BACK, params![company, id], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>((next.read_plain("redirect_url")?, next.read_plain("application_id")?))
    })?)
}

/// Records that the link was opened; returns `false` if the maximum was already reached.
pub fn note_use(tx: &mut Tx<'_>, hash: &[u8; 32], most: i64) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(USE, params![now, hash, most])?.is_one())
}

/// Records that a page of the link was used, which does not count as opening it. No-op if it has expired.
pub fn note_visit(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _expired_before = tx.change_rows(VISIT, params![now, company, id])?.rows();
    Ok(())
}

/// Returns the creation, last use and expiry of the link with this id.
pub fn find_link_life(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Life>, Error> {
    Ok(tx
        .try_find(FIND_BY_ID, params![company, id], |row| Life::read_life(&mut Cursor::new(row, TABLE, 0)))?)
}

/// Expires every link that an application created for a company, and the company's links of unknown origin. Returns how many.
pub fn expire_of_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<u64, Error> {
    let now = tx.now();
    Ok(tx.change_rows(EXPIRE_OF_APPLICATION, params![now, company, application])?.rows())
}

/// Expires every link of an employee or contractor. Returns how many.
pub fn expire_of_person(tx: &mut Tx<'_>, company: Uuid, person: Uuid) -> Result<u64, Error> {
    let now = tx.now();
    Ok(tx.change_rows(EXPIRE_OF_PERSON, params![now, company, person])?.rows())
}

/// Expires the link. No-op if it has already expired.
pub fn expire_link(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _ended_before = tx.change_rows(EXPIRE, params![now, company, id])?.rows();
    Ok(())
}
