//! The company's forms, all with one signature of its signatory.

use store::Tx;

use super::super::dispatch::Saved;
use super::super::documents;
use super::super::documents::{Document, Read};
use super::super::form::{Form, Problems};
use super::super::frame::{Frame, Screen};
use super::super::review::Fact;
use super::verify::notice_page;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::forms::content::CompanyFormKind;
use domain::company::forms::service;
use domain::company::signatories;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::people::forms::commands::ElectronicSignature;

/// Title and description of a form in the page's language.
fn form_title(t: &'static Texts, kind: CompanyFormKind) -> (&'static str, &'static str) {
    let e = t.employer;
    match kind {
        CompanyFormKind::ReportingAgent => (e.form_8655, e.form_8655_about),
        CompanyFormKind::DirectDeposit => (e.form_debit, e.form_debit_about),
    }
}

pub fn render_forms(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let forms = service::list_forms(tx, &visitor.caller)?;
    let signatory = signatories::of_company(tx, visitor.caller.company)?;
    let signer = signatory.filter(signatories::Signatory::is_complete);
    let is_open = forms.iter().any(|form| form.requires_signing);
    let to_signatory = Some((Screen::Signatory, e.to_signatory));
    match signer {
        _ if forms.is_empty() => notice_page(frame, e.forms_title, e.forms_none.to_owned(), None),
        None if is_open => notice_page(frame, e.forms_title, e.forms_no_signatory.to_owned(), to_signatory),
        signer => {
            let name = signer.map(|one| format!("{} {}", one.first_name, one.last_name)).unwrap_or_default();
            forms_page(tx, visitor, frame, (entered, problems), &name)
        }
    }
}

fn forms_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    (entered, problems): (Option<&Form>, Problems),
    name: &str,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let mut listed = Vec::new();
    for form in service::list_forms(tx, &visitor.caller)? {
        let (title, description) = form_title(t, form.kind);
        let preview = match form.requires_signing {
            true => Some(service::form_document(tx, &visitor.caller, &form)?),
            false => None,
        };
        let read = fill_placeholders(t.document_open, &[("name", title)]);
        listed.push(Document::new((form.id, title, description), read, preview));
    }
    let lead = fill_placeholders(e.forms_text, &[("name", name)]);
    documents::documents_page(frame, (e.forms_title, &lead), (listed, Vec::new(), None), (entered, &problems))
}

/// Which forms are signed, for the review.
pub fn signature_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let forms = service::list_forms(tx, &visitor.caller)?.into_iter();
    let told = |signed: bool| Some(if signed { t.document_signed } else { t.step_open });
    Ok(forms.map(|form| Fact::new(form_title(t, form.kind).0, told(!form.requires_signing), t)).collect())
}

/// Signs every unsigned form that the page showed; one that is new or has changed since is not signed unread.
pub fn sign_forms(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let read = Read::from_form(form);
    // The content compared here is the content signed below.
    tx.take_guard(visitor.caller.company, service::TABLE, visitor.caller.company)?;
    let forms = service::list_forms(tx, &visitor.caller)?;
    let input = ElectronicSignature {
        signature_text: form.required_text("signature_text"),
        agree: Patch::Value(form.is_ticked("agree")),
        signed_by_ip_address: Patch::Value(visitor.caller.ip.to_string()),
    };
    let to_sign: Vec<_> =
        forms.iter().filter(|held| held.requires_signing && read.has_document(held.id)).collect();
    for held in &to_sign {
        read.require_unchanged(&service::form_document(tx, &visitor.caller, held)?)?;
    }
    for held in to_sign {
        service::sign_form(tx, &visitor.caller, held.id, &input)?;
    }
    let open = forms.iter().any(|held| held.requires_signing && !read.has_document(held.id));
    // A page with nothing to sign leads on.
    Ok(if open && !read.is_empty() { Saved::Stay } else { Saved::Done })
}
