//! Documents to read and to sign, each with a form of its own.

use askama::Template;
use store::Tx;
use uuid::Uuid;

use super::Saved;
use super::form::{Control, Form, Kind, Problems};
use super::frame::Frame;
use super::plain::render;
use super::review::Fact;
use crate::error::Error;
use crate::field::Field;
use crate::flows::session::Visitor;
use crate::flows::texts::Texts;
use crate::forms::api::SignForm;
use crate::forms::service;
use crate::language::fill;
use crate::records::id_of;

#[derive(Template)]
#[template(path = "flow/documents.html")]
struct DocumentsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    documents: Vec<Document>,
    refused: bool,
    summary: Vec<String>,
}

/// A document in the list.
struct Document {
    uuid: Uuid,
    title: &'static str,
    description: &'static str,
    /// label of the link that shows it
    read: String,
    signed: bool,
    controls: Vec<Control>,
}

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let forms = service::list(tx, &visitor.caller, visitor.employee)?;
    let sent = entered.and_then(|form| form.get("document")).map(id_of);
    let mut documents = Vec::new();
    let mut shown = Vec::new();
    for form in forms {
        // Names of controls are those of the form that was sent; the others begin empty.
        let (entered, own) = match sent == Some(form.uuid) {
            true => (entered, problems.clone()),
            false => (None, Problems::default()),
        };
        let controls = controls(t, form.uuid, entered, &own);
        shown.extend(
            controls.iter().cloned().map(|control| Control { name: plain_name(&control.name), ..control }),
        );
        documents.push(Document {
            uuid: form.uuid,
            title: form.title,
            description: form.description,
            read: fill(t.document_open, &[("name", form.title)]),
            signed: !form.requires_signing,
            controls,
        });
    }
    // The only refusal that no entry answers to: the form's questions come first.
    let summary = match problems.has("base") {
        true => vec![t.i9_first.to_owned()],
        false => super::form::unplaced(&problems, &shown, t),
    };
    render(&DocumentsPage { frame, t, documents, refused: !problems.is_empty(), summary })
}

/// Which documents are signed, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let forms = service::list(tx, &visitor.caller, visitor.employee)?.into_iter();
    let fact = |form: crate::forms::api::Form| {
        Fact::new(form.title, Some(if form.requires_signing { t.step_open } else { t.document_signed }), t)
    };
    Ok(forms.map(fact).collect())
}

/// Several documents are on one page, so a control's name carries its document.
fn controls(t: &'static Texts, document: Uuid, entered: Option<&Form>, problems: &Problems) -> Vec<Control> {
    let name = |field: &str| format!("{field}.{document}");
    let mut signature = Control::line(&name("signature_text"), t.signature, "off").holding(entered, None);
    let ticked = entered.is_some_and(|form| form.ticked(&name("agree")));
    let mut agree = Control::tick(&name("agree"), t.signature_agree, ticked);
    if problems.has("signature_text") {
        signature.problem = Some(t.wrong_signature_text.to_owned());
    }
    if problems.has("agree") {
        agree.problem = Some(t.wrong_agree.to_owned());
    }
    vec![signature, agree]
}

fn plain_name(name: &str) -> String {
    name.split('.').next().unwrap_or_default().to_owned()
}

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let document = id_of(form.get("document").unwrap_or_default());
    let name = |field: &str| format!("{field}.{document}");
    let forms = service::list(tx, &visitor.caller, visitor.employee)?;
    match forms.iter().find(|held| held.uuid == document) {
        // Sent twice, or signed in another tab: it is signed, as was wished.
        Some(held) if !held.requires_signing => return Ok(Saved::Stay),
        Some(_) => {}
        None => return Ok(Saved::Done),
    }
    let input = SignForm {
        signature_text: form.needed(&name("signature_text")),
        agree: Field::Given(form.ticked(&name("agree"))),
        signed_by_ip_address: Field::Given(visitor.caller.ip.to_string()),
        ..SignForm::default()
    };
    service::sign(tx, &visitor.caller, visitor.employee, document, &input, None)?;
    let open = forms.iter().any(|held| held.requires_signing && held.uuid != document);
    Ok(if open { Saved::Stay } else { Saved::Done })
}
