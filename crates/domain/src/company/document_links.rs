//! Links to a document that need no token: a browser that shows a document cannot send headers.
//!
//! The token of a link has 256 random bits, and only its hash is stored. A link shows one form of an employee or of the
//! company itself, as it is when the link is opened, one tax form, or one attachment.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::{Caller, Token, still_holding};
use crate::company::attachments::service::File;
use crate::company::{attachments, companies, forms as company_forms};
use crate::contractors::documents::service as documents;
use crate::error::Error;
use crate::people::employees;
use crate::people::flows::session::Visitor;
use crate::people::flows::types::FlowEntityKind;
use crate::people::forms::document::Document;
use crate::people::forms::rows::Form;
use crate::people::forms::service;
use crate::platform::audit;
use crate::returns::forms::service as tax_forms;
use crate::returns::forms::service::{CompanyForm, EmployeeForm};

store::statements! {
    FIND_LINK = "SELECT l.company_id, l.employee_id, l.form_id, l.kind, l.expires_at, a.disabled_at \
                 FROM document_links l LEFT JOIN applications a ON a.id = l.application_id WHERE l.hash = $1";
    DELETE_OF_APPLICATION = "DELETE FROM document_links WHERE company_id = $1 AND (application_id = $2 OR application_id IS NULL)";
    INSERT_LINK = "INSERT INTO document_links (hash, company_id, employee_id, form_id, kind, created_at, expires_at, application_id) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
}

/// Minutes until a link expires.
const MINUTES: i64 = 10;
/// The employee of a link to a company document.
const OF_COMPANY: Uuid = Uuid::nil();
/// The kind of a link to an attachment; a link to a form has none.
const ATTACHMENT: &str = "attachment";
/// The kind of a link to a document of a contractor.
const OF_CONTRACTOR: &str = "contractor";
/// The kind of a link to a tax form.
const TAX_FORM: &str = "tax_form";

/// A link to a document.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// the company
    company: Uuid,
    /// its target
    target: Target,
    /// when it expires
    expires_at: Timestamp,
    /// whether the application for which it was created is disabled
    is_disabled: bool,
}

/// The target of a link.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// a form of an employee
    OfEmployee { employee: Uuid, form: Uuid },
    /// a form of the company itself
    OfCompany { form: Uuid },
    /// a document of a contractor
    OfContractor(Uuid),
    /// an attachment of the company
    Attachment(Uuid),
    /// a tax form of the company or of an employee
    TaxForm(Uuid),
}

impl Target {
    /// As it is stored: employee, document and kind.
    fn stored_columns(self) -> (Uuid, Uuid, Option<&'static str>) {
        match self {
            Self::OfEmployee { employee, form } => (employee, form, None),
            Self::OfCompany { form } => (OF_COMPANY, form, None),
            Self::OfContractor(id) => (OF_COMPANY, id, Some(OF_CONTRACTOR)),
            Self::Attachment(id) => (OF_COMPANY, id, Some(ATTACHMENT)),
            Self::TaxForm(id) => (OF_COMPANY, id, Some(TAX_FORM)),
        }
    }

    fn of_columns(employee: Uuid, document: Uuid, kind: Option<&str>) -> Self {
        match kind {
            Some(OF_CONTRACTOR) => Self::OfContractor(document),
            Some(ATTACHMENT) => Self::Attachment(document),
            Some(TAX_FORM) => Self::TaxForm(document),
            _ if employee == OF_COMPANY => Self::OfCompany { form: document },
            _ => Self::OfEmployee { employee, form: document },
        }
    }
}

/// The link with this token, expired or not.
fn find_link(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Link>, Error> {
    Ok(tx.try_find(FIND_LINK, params![hash], |row| {
        let mut next = Cursor::new(row, "document_links", 0);
        let company = next.read_plain("company_id")?;
        let (employee, document) = (next.read_plain("employee_id")?, next.read_plain("form_id")?);
        let kind: Option<String> = next.read_plain("kind")?;
        let target = Target::of_columns(employee, document, kind.as_deref());
        let expires_at = next.read_plain("expires_at")?;
        let is_disabled = next.read_plain::<Option<Timestamp>>("disabled_at")?.is_some();
        Ok::<_, store::Error>(Link { company, target, expires_at, is_disabled })
    })?)
}

/// Deletes every link to a document of a company and its employees that was created for an application, or on its pages, and those of
/// unknown origin; returns how many.
pub fn delete_of_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(DELETE_OF_APPLICATION, params![company, application])?.rows())
}

/// Creates a link to a form.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_form_link(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    form: Uuid,
) -> Result<Token, Error> {
    let application = still_holding(tx, caller)?;
    match tax_forms::find_of_employee(tx, caller, employee, form)? {
        EmployeeForm::Tax(form) => of_taxes(tx, caller, application, form.id),
        EmployeeForm::Signed(form) => of_employee(tx, caller, application, employee, form.id),
    }
}

fn of_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Option<Uuid>,
    employee: Uuid,
    form: Uuid,
) -> Result<Token, Error> {
    let form = service::find_form(tx, caller, employee, form)?.id;
    make_link(tx, caller, application, (service::TABLE, form), Target::OfEmployee { employee, form })
}

/// Creates a link to a form, for a visitor of hosted pages.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_visitor(tx: &mut Tx<'_>, visitor: &Visitor, form: Uuid) -> Result<Token, Error> {
    match visitor.kind {
        FlowEntityKind::Company => of_company(tx, &visitor.caller, visitor.application, form),
        FlowEntityKind::Employee => {
            of_employee(tx, &visitor.caller, visitor.application, visitor.person, form)
        }
        FlowEntityKind::Contractor
            if documents::find_document(tx, &visitor.caller, form)?.contractor == visitor.person =>
        {
            of_contractor(tx, &visitor.caller, visitor.application, form)
        }
        FlowEntityKind::Contractor => Err(Error::NotFound),
    }
}

/// Creates a link to a form of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_company(tx: &mut Tx<'_>, caller: &Caller, form: Uuid) -> Result<Token, Error> {
    let application = still_holding(tx, caller)?;
    match tax_forms::find_of_company(tx, caller, form)? {
        CompanyForm::Tax(form) => of_taxes(tx, caller, application, form.id),
        CompanyForm::Signed(form) => of_company(tx, caller, application, form.id),
    }
}

/// Creates a link to a tax form of a contractor, which was found for the caller.
pub fn create_for_tax_form(tx: &mut Tx<'_>, caller: &Caller, form: Uuid) -> Result<Token, Error> {
    let application = still_holding(tx, caller)?;
    of_taxes(tx, caller, application, form)
}

fn of_company(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Option<Uuid>,
    form: Uuid,
) -> Result<Token, Error> {
    let form = company_forms::service::find_form(tx, caller, form)?.id;
    make_link(tx, caller, application, (company_forms::service::TABLE, form), Target::OfCompany { form })
}

fn of_taxes(tx: &mut Tx<'_>, caller: &Caller, application: Option<Uuid>, form: Uuid) -> Result<Token, Error> {
    make_link(tx, caller, application, (tax_forms::TABLE, form), Target::TaxForm(form))
}

/// Creates a link to a document of a contractor of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_contractor(tx: &mut Tx<'_>, caller: &Caller, document: Uuid) -> Result<Token, Error> {
    let application = still_holding(tx, caller)?;
    of_contractor(tx, caller, application, document)
}

fn of_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Option<Uuid>,
    document: Uuid,
) -> Result<Token, Error> {
    let id = documents::find_document(tx, caller, document)?.id;
    make_link(tx, caller, application, (documents::TABLE, id), Target::OfContractor(id))
}

/// Creates a link to an attachment of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_attachment(tx: &mut Tx<'_>, caller: &Caller, attachment: Uuid) -> Result<Token, Error> {
    let id = attachments::service::find_attachment(tx, caller, attachment)?.id;
    let application = still_holding(tx, caller)?;
    make_link(tx, caller, application, (attachments::service::TABLE, id), Target::Attachment(id))
}

fn make_link(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Option<Uuid>,
    record: (&'static str, Uuid),
    target: Target,
) -> Result<Token, Error> {
    let (token, now) = (Token::new(tx), tx.now());
    let (employee, document, kind) = target.stored_columns();
    let end = now + MINUTES.minutes();
    let row = params![&token.hash, caller.company, employee, document, kind, now, end, application];
    tx.insert_row(INSERT_LINK, row)?;
    audit::record_audit_entry(tx, caller, "document_requested", record, &json!({}))?;
    Ok(token)
}

/// Result of opening a link.
#[derive(Debug)]
pub enum Opened {
    /// its document
    Document(Box<Document>),
    /// a file, as it was uploaded
    File(Box<File>),
    /// the link has expired
    Expired,
    /// the link does not exist
    Unknown,
}

/// Opens a link.
pub fn open_link(tx: &mut Tx<'_>, token: &str) -> Result<Opened, Error> {
    let Some(link) = find_link(tx, &Token::hash_of(token))? else { return Ok(Opened::Unknown) };
    if link.is_disabled || link.expires_at <= tx.now() {
        return Ok(Opened::Expired);
    }
    // A target that has been deleted since is unknown.
    match show_target(tx, link) {
        Err(Error::NotFound) => Ok(Opened::Unknown),
        shown => shown,
    }
}

fn show_target(tx: &mut Tx<'_>, Link { company, target, .. }: Link) -> Result<Opened, Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let document = match target {
        Target::OfEmployee { employee, form } => {
            let employee = employees::Employee::find(tx, company, employee)?.ok_or(Error::NotFound)?;
            let form = Form::find(tx, company, employee.id, form)?.ok_or(Error::NotFound)?;
            service::form_document(tx, &caller, &employee, &form)?
        }
        Target::OfCompany { form } => {
            let form = company_forms::service::find_form(tx, &caller, form)?;
            company_forms::service::form_document(tx, &caller, &form)?
        }
        Target::OfContractor(id) => {
            let found = documents::find_document(tx, &caller, id)?;
            documents::printed_document(tx, &caller, &found)?
        }
        Target::TaxForm(id) => {
            let form = tax_forms::find_form(tx, company, id)?.ok_or(Error::NotFound)?;
            tax_forms::form_document(tx, company, &form)?
        }
        Target::Attachment(id) => {
            let attachment = attachments::service::find_attachment(tx, &caller, id)?;
            return Ok(Opened::File(Box::new(attachments::service::attachment_file(
                tx, company, attachment,
            )?)));
        }
    };
    Ok(Opened::Document(Box::new(document)))
}
