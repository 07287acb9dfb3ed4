//! The company's forms, all with one signature of its signatory.

use store::Tx;

use super::super::dispatch::Saved;
use super::super::documents;
use super::super::documents::{Document, Read};
use super::super::form::{Form, Problems};
use super::super::frame::{Frame, Screen};
use super::super::review::Fact;
use super::verify::notice;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::forms::content::Kind;
use domain::company::forms::service;
use domain::company::signatories;
use domain::language::fill;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::people::forms::commands::ElectronicSignature;

/// Title and description of a form in the page's language.
fn named(t: &'static Texts, kind: Kind) -> (&'static str, &'static str) {
    let e = t.employer;
    match kind {
        Kind::ReportingAgent => (e.form_8655, e.form_8655_about),
        Kind::DirectDeposit => (e.form_debit, e.form_debit_about),
    }
}

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let forms = service::list(tx, &visitor.caller)?;
    let signatory = signatories::of_company(tx, visitor.caller.company)?;
    let signer = signatory.filter(signatories::Signatory::is_complete);
    let is_open = forms.iter().any(|form| form.requires_signing);
    let to_signatory = Some((Screen::Signatory, e.to_signatory));
    match signer {
        _ if forms.is_empty() => notice(frame, e.forms_title, e.forms_none.to_owned(), None),
        None if is_open => notice(frame, e.forms_title, e.forms_no_signatory.to_owned(), to_signatory),
        signer => {
            let name = signer.map(|one| format!("{} {}", one.first_name, one.last_name)).unwrap_or_default();
            shown(tx, visitor, frame, (entered, problems), &name)
        }
    }
}

fn shown(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    (entered, problems): (Option<&Form>, Problems),
    name: &str,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let mut listed = Vec::new();
    for form in service::list(tx, &visitor.caller)? {
        let (title, description) = named(t, form.kind);
        let preview = match form.requires_signing {
            true => Some(service::document(tx, &visitor.caller, &form)?),
            false => None,
        };
        let read = fill(t.document_open, &[("name", title)]);
        listed.push(Document::new((form.id, title, description), read, preview));
    }
    let lead = fill(e.forms_text, &[("name", name)]);
    documents::page(frame, (e.forms_title, &lead), (listed, Vec::new(), None), (entered, &problems))
}

/// Which forms are signed, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let forms = service::list(tx, &visitor.caller)?.into_iter();
    let told = |signed: bool| Some(if signed { t.document_signed } else { t.step_open });
    Ok(forms.map(|form| Fact::new(named(t, form.kind).0, told(!form.requires_signing), t)).collect())
}

/// Signs every unsigned form that the page showed; one that is new or has changed since is not signed unread.
pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let read = Read::of(form);
    // The content compared here is the content signed below.
    tx.guard(visitor.caller.company, service::TABLE, visitor.caller.company)?;
    let forms = service::list(tx, &visitor.caller)?;
    let input = ElectronicSignature {
        signature_text: form.needed("signature_text"),
        agree: Patch::Value(form.ticked("agree")),
        signed_by_ip_address: Patch::Value(visitor.caller.ip.to_string()),
    };
    let to_sign: Vec<_> = forms.iter().filter(|held| held.requires_signing && read.has(held.id)).collect();
    for held in &to_sign {
        read.expect(&service::document(tx, &visitor.caller, held)?)?;
    }
    for held in to_sign {
        service::sign(tx, &visitor.caller, held.id, &input)?;
    }
    let open = forms.iter().any(|held| held.requires_signing && !read.has(held.id));
    // A page with nothing to sign leads on.
    Ok(if open && !read.is_empty() { Saved::Stay } else { Saved::Done })
}
