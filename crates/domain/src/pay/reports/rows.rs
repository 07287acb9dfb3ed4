//! Rows of report requests and of the URLs of their results.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Place, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::terms::Terms;
use crate::error::Error;

/// The status of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ReportRequestStatus {
    /// waiting for the worker, or being made
    #[strum(serialize = "pending")]
    Pending,
    /// ready for download
    #[strum(serialize = "succeeded")]
    Succeeded,
    /// could not be made
    #[strum(serialize = "failed")]
    Failed,
}

store::record! {
    /// A request for a report.
    #[derive(Debug, Clone)]
    pub struct Request in "report_requests" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the terms of the request
            pub terms: Terms as json,
        }
        fields {
            /// the status
            pub status: ReportRequestStatus as text,
            /// reason that it could not be made
            pub failure: Option<String>,
            /// result, sealed
            pub content: Option<Vec<u8>> as secret,
            /// time at which it was made, or failed
            pub finished_at: Option<Timestamp>,
        }
        times {
            /// time of the request
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records Request;
    FIND_LINK = "SELECT l.company_id, l.request_id, l.expires_at, l.application_id, a.disabled_at \
                 FROM report_links l LEFT JOIN applications a ON a.id = l.application_id WHERE l.hash = $1";
    INSERT_LINK = "INSERT INTO report_links (hash, company_id, request_id, created_at, expires_at, application_id) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
    DELETE_LINKS = "DELETE FROM report_links WHERE company_id = $1 AND (application_id = $2 OR application_id IS NULL)";
}

impl Request {
    /// Unseals the result, if there is one.
    pub fn unseal_content(
        &self,
        tx: &mut Tx<'_>,
        company: Uuid,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let Some(sealed) = &self.content else { return Ok(None) };
        Ok(Some(tx.unseal_field(content_place(company, self.id), sealed)?))
    }

    /// Seals the result into the record; the caller stores the record.
    pub fn seal_content(&mut self, tx: &mut Tx<'_>, company: Uuid, content: &[u8]) -> Result<(), Error> {
        self.content = Some(tx.seal_field(content_place(company, self.id), content)?);
        Ok(())
    }
}

fn content_place(company: Uuid, request: Uuid) -> Place {
    Place { owner: company, table: Request::TABLE, row: request, column: "content" }
}

/// A URL of a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// company of the report; nil for the reports of a bulk request
    pub(super) company: Uuid,
    /// the request, or the bulk request
    pub(super) request: Uuid,
    pub(super) expires_at: Timestamp,
    /// the application that requested it
    pub(super) application: Option<Uuid>,
    /// whether that application is disabled
    pub(super) is_disabled: bool,
}

/// Finds the URL of a token, expired or not.
pub(super) fn find_link(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Link>, Error> {
    Ok(tx.try_find(FIND_LINK, params![hash], |row| {
        let mut next = Cursor::new(row, "report_links", 0);
        Ok::<_, store::Error>(Link {
            company: next.read_plain("company_id")?,
            request: next.read_plain("request_id")?,
            expires_at: next.read_plain("expires_at")?,
            application: next.read_plain("application_id")?,
            is_disabled: next.read_plain::<Option<Timestamp>>("disabled_at")?.is_some(),
        })
    })?)
}

/// Stores a new URL.
pub(super) fn insert_link(tx: &mut Tx<'_>, hash: &[u8; 32], new: Link) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert_row(
        INSERT_LINK,
        params![hash, new.company, new.request, now, new.expires_at, new.application],
    )?)
}

/// Deletes all URLs of a company's reports that an application requested, or whose application is unknown; returns their number.
pub fn delete_links(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(DELETE_LINKS, params![company, application])?.rows())
}
