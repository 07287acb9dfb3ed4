//! Links to one document that need no token: a browser that shows a document cannot send headers.
//!
//! The token of a link has 256 random bits, and only its hash is stored. A link shows one form of an employee or of the
//! company itself, as it is when the link is opened, or one attachment.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::{Caller, Token};
use crate::company::attachments::service::File;
use crate::company::{attachments, companies, forms as company_forms};
use crate::error::Error;
use crate::people::employees;
use crate::people::forms::document::Document;
use crate::people::forms::rows::Form;
use crate::people::forms::service;
use crate::platform::audit;

store::statements! {
    FIND_LINK = "SELECT company_id, employee_id, form_id, kind, expires_at FROM document_links WHERE hash = $1";
    DELETE_ALL = "DELETE FROM document_links WHERE company_id = $1";
    INSERT_LINK = "INSERT INTO document_links (hash, company_id, employee_id, form_id, kind, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7)";
}

/// Minutes until a link expires.
const MINUTES: i64 = 10;
/// The employee of a link to a document of the company itself.
const OF_COMPANY: Uuid = Uuid::nil();
/// The kind of a link to an attachment; one to a form has none.
const ATTACHMENT: &str = "attachment";

/// A link to a document.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// the company
    company: Uuid,
    /// what it leads to
    target: Target,
    /// when it expires
    expires_at: Timestamp,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// a form of an employee
    OfEmployee { employee: Uuid, form: Uuid },
    /// a form of the company itself
    OfCompany { form: Uuid },
    /// an attachment of the company
    Attachment(Uuid),
}

impl Target {
    /// As it is stored: employee, document and kind.
    fn columns(self) -> (Uuid, Uuid, Option<&'static str>) {
        match self {
            Self::OfEmployee { employee, form } => (employee, form, None),
            Self::OfCompany { form } => (OF_COMPANY, form, None),
            Self::Attachment(id) => (OF_COMPANY, id, Some(ATTACHMENT)),
        }
    }

    fn of_columns(employee: Uuid, document: Uuid, kind: Option<&str>) -> Self {
        match kind {
            Some(ATTACHMENT) => Self::Attachment(document),
            _ if employee == OF_COMPANY => Self::OfCompany { form: document },
            _ => Self::OfEmployee { employee, form: document },
        }
    }
}

/// The link of a token, expired or not.
fn find(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Link>, Error> {
    Ok(tx.try_find(FIND_LINK, params![hash], |row| {
        let mut next = Cursor::new(row, "document_links", 0);
        let company = next.plain("company_id")?;
        let (employee, document) = (next.plain("employee_id")?, next.plain("form_id")?);
        let kind: Option<String> = next.plain("kind")?;
        let target = Target::of_columns(employee, document, kind.as_deref());
        Ok::<_, store::Error>(Link { company, target, expires_at: next.plain("expires_at")? })
    })?)
}

/// Deletes every link to a document of a company and its employees; how many there were.
///
/// # Errors
/// A store error.
pub fn delete_all(tx: &mut Tx<'_>, company: Uuid) -> Result<u64, Error> {
    Ok(tx.change(DELETE_ALL, params![company])?.rows())
}

/// Stores a new link.
fn insert(tx: &mut Tx<'_>, hash: &[u8; 32], new: &Link) -> Result<(), Error> {
    let now = tx.now();
    let (employee, document, kind) = new.target.columns();
    Ok(tx.insert(INSERT_LINK, params![hash, new.company, employee, document, kind, now, new.expires_at])?)
}

/// Makes a link to a form.
///
/// # Errors
/// "Not found"; a store error.
pub fn create(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, form: Uuid) -> Result<Token, Error> {
    let form = service::find(tx, caller, employee, form)?.id;
    make(tx, caller, (service::TABLE, form), Target::OfEmployee { employee, form })
}

/// Makes a link to a form of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_company(tx: &mut Tx<'_>, caller: &Caller, form: Uuid) -> Result<Token, Error> {
    let form = company_forms::service::find(tx, caller, form)?.id;
    make(tx, caller, (company_forms::service::TABLE, form), Target::OfCompany { form })
}

/// Makes a link to an attachment of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_attachment(tx: &mut Tx<'_>, caller: &Caller, attachment: Uuid) -> Result<Token, Error> {
    let id = attachments::service::find(tx, caller, attachment)?.id;
    make(tx, caller, (attachments::service::TABLE, id), Target::Attachment(id))
}

fn make(
    tx: &mut Tx<'_>,
    caller: &Caller,
    record: (&'static str, Uuid),
    target: Target,
) -> Result<Token, Error> {
    let token = Token::new(tx);
    let link = Link { company: caller.company, target, expires_at: tx.now() + MINUTES.minutes() };
    insert(tx, &token.hash, &link)?;
    audit::record(tx, caller, "document_requested", record, &json!({}))?;
    Ok(token)
}

/// Result of opening a link.
#[derive(Debug)]
pub enum Opened {
    /// its document
    Document(Box<Document>),
    /// a file, as it was handed in
    File(Box<File>),
    /// the link has expired
    Expired,
    /// there is no such link
    Unknown,
}

/// Opens a link.
///
/// # Errors
/// A store error.
pub fn open(tx: &mut Tx<'_>, token: &str) -> Result<Opened, Error> {
    let Some(link) = find(tx, &Token::hash_of(token))? else { return Ok(Opened::Unknown) };
    if link.expires_at <= tx.now() {
        return Ok(Opened::Expired);
    }
    // What was deleted since is unknown.
    match show(tx, link) {
        Err(Error::NotFound) => Ok(Opened::Unknown),
        shown => shown,
    }
}

fn show(tx: &mut Tx<'_>, Link { company, target, .. }: Link) -> Result<Opened, Error> {
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    let document = match target {
        Target::OfEmployee { employee, form } => {
            let employee = employees::Employee::find(tx, company, employee)?.ok_or(Error::NotFound)?;
            let form = Form::find(tx, company, employee.id, form)?.ok_or(Error::NotFound)?;
            service::document(tx, &caller, &employee, &form)?
        }
        Target::OfCompany { form } => {
            let form = company_forms::service::find(tx, &caller, form)?;
            company_forms::service::document(tx, &caller, &form)?
        }
        Target::Attachment(id) => {
            let attachment = attachments::service::find(tx, &caller, id)?;
            return Ok(Opened::File(Box::new(attachments::service::file(tx, company, attachment)?)));
        }
    };
    Ok(Opened::Document(Box::new(document)))
}
