//! Documents to read and to sign, all with one signature. Preparers and translators of Form I-9 sign on the same page:
//! a button adds one more to the form, without a script.

use askama::Template;
use store::Tx;
use uuid::Uuid;

use super::dispatch::Saved;
use super::form::{Control, Form, Kind, Problems, state_choices};
use super::frame::Frame;
use super::plain::render_template;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::error::Stale;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::employees;
use domain::people::flows::session::Visitor;
use domain::people::forms::commands::{ElectronicSignature, PreparerInput, SignForm};
use domain::people::forms::content::EmployeeFormKind as FormKind;
use domain::people::forms::document::{Document as FormDocument, Section};
use domain::people::forms::rows;
use domain::people::forms::service;
use domain::people::forms::signing::PREFIXES;
use domain::records::id_of;

#[derive(Template)]
#[template(path = "flow/documents.html")]
struct DocumentsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    title: &'a str,
    lead: &'a str,
    documents: Vec<Document>,
    /// the signature, and the preparers' fields; `None` if everything is signed
    controls: Vec<Control>,
    /// how many preparers the form shows; `None` if no form asks for preparers
    preparers: Option<usize>,
    refused: bool,
    summary: Vec<String>,
}

/// A document in the list.
pub struct Document {
    uuid: Uuid,
    /// sent back by the form: which document, and the fingerprint of its content
    shown: String,
    title: &'static str,
    description: &'static str,
    /// label of the link to it
    read: String,
    signed: bool,
    /// its content, to read on the page; the form's own words are English
    preview: Option<Preview>,
}

struct Preview {
    sections: Vec<Section>,
    statement: &'static [&'static str],
}

impl Document {
    /// A document with an id, a title and a description; `read` is the label of its link. An unsigned document can also
    /// be read on the page.
    pub fn new(
        (uuid, title, description): (Uuid, &'static str, &'static str),
        read: String,
        to_sign: Option<FormDocument>,
    ) -> Self {
        let shown = to_sign.as_ref().map(FormDocument::fingerprint).unwrap_or_default();
        let shown = format!("{uuid}.{shown}");
        let preview = to_sign.map(|shown| Preview { sections: shown.sections, statement: shown.statement });
        Self { uuid, shown, title, description, read, signed: preview.is_none(), preview }
    }
}

/// The documents that a page showed, each with the fingerprint of its content.
pub struct Read<'f>(Vec<(Uuid, &'f str)>);

impl<'f> Read<'f> {
    /// Reads them from the form of the page.
    pub fn from_form(form: &'f Form) -> Self {
        let parts =
            form.all_values("document").take(MOST).map(|text| text.split_once('.').unwrap_or((text, "")));
        Self(parts.map(|(id, said)| (id_of(id), said)).collect())
    }

    /// Whether the page showed no document to sign.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the page showed a document.
    pub fn has_document(&self, id: Uuid) -> bool {
        self.0.iter().any(|(shown, _)| *shown == id)
    }

    /// Refuses to sign a document whose content has changed.
    pub fn require_unchanged(&self, now: &FormDocument) -> Result<(), Error> {
        let current = now.fingerprint();
        match self.0.contains(&(now.id, current.as_str())) {
            true => Ok(()),
            false => Err(Error::Stale(Stale { current, differing: vec!["document"] })),
        }
    }
}

impl DocumentsPage<'_> {
    /// The button that adds a preparer.
    fn add_preparer_action(&self) -> Option<String> {
        self.preparers
            .filter(|count| *count < PREFIXES.len())
            .map(|count| format!("{PREPARERS}{}", count + 1))
    }

    /// Whether there are no preparers yet.
    fn helpers_none(&self) -> bool {
        self.preparers == Some(0)
    }

    /// The button that removes the last preparer.
    fn remove_preparer_action(&self) -> Option<String> {
        self.preparers.filter(|count| *count > 0).map(|count| format!("{PREPARERS}{}", count - 1))
    }
}

/// Title and description of a form in the page's language.
fn form_title(t: &'static Texts, kind: FormKind) -> (&'static str, &'static str) {
    match kind {
        FormKind::W4 => (t.document_w4, t.document_w4_about),
        FormKind::DirectDeposit => (t.document_deposit, t.document_deposit_about),
        FormKind::I9 => (t.document_i9, t.document_i9_about),
    }
}

/// Maximum of documents on one page.
pub const MOST: usize = 50;
/// Sent by the buttons that change the number of preparers.
pub const PREPARERS: &str = "preparers:";

pub fn render_documents(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let forms = service::list_forms(tx, &visitor.caller, visitor.person)?;
    let employee = employees::service::find_employee(tx, &visitor.caller, visitor.person)?;
    let is_open = |kind| forms.iter().any(|form| form.requires_signing && form.kind == kind);
    let preparers = is_open(FormKind::I9).then(|| preparer_count(entered));
    let mut documents = Vec::new();
    for form in &forms {
        let (title, description) = form_title(t, form.kind);
        let preview = match form.requires_signing {
            true => Some(service::form_document(tx, &visitor.caller, &employee, form)?),
            false => None,
        };
        let read = fill_placeholders(t.document_open, &[("name", title)]);
        documents.push(Document::new((form.id, title, description), read, preview));
    }
    let shown = (documents, Vec::new(), preparers);
    documents_page(frame, (t.documents_title, t.documents_text), shown, (entered, &problems))
}

/// The page of documents under one signature, with the questions that they ask, and as many preparers as `preparers` says, if a form
/// asks for them.
pub fn documents_page(
    frame: &Frame,
    (title, lead): (&str, &str),
    (documents, questions, preparers): (Vec<Document>, Vec<Control>, Option<usize>),
    (entered, problems): (Option<&Form>, &Problems),
) -> Result<String, Error> {
    let t = frame.texts;
    let mut controls = Vec::new();
    if documents.iter().any(|document| !document.signed) {
        controls.extend(questions);
        for place in 0..preparers.unwrap_or_default() {
            controls.extend(preparer_controls(t, place, entered, problems));
        }
        controls.extend(signature_controls(t, entered, problems));
    }
    // The only refusal not caused by an entry: the form's questions come first.
    let summary = match problems.has_field("base") {
        true => vec![t.i9_first.to_owned()],
        false if problems.is_stale() => vec![t.documents_changed.to_owned()],
        false => super::form::unplaced_messages(problems, &controls, t),
    };
    render_template(&DocumentsPage {
        frame,
        t,
        title,
        lead,
        documents,
        controls,
        preparers,
        refused: !problems.is_empty(),
        summary,
    })
}

/// Which documents are signed, for the review.
pub fn signature_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let forms = service::list_forms(tx, &visitor.caller, visitor.person)?.into_iter();
    let fact = |form: rows::Form| {
        Fact::new(
            form_title(t, form.kind).0,
            Some(if form.requires_signing { t.step_open } else { t.document_signed }),
            t,
        )
    };
    Ok(forms.map(fact).collect())
}

fn signature_controls(t: &'static Texts, entered: Option<&Form>, problems: &Problems) -> [Control; 2] {
    let ticked = entered.is_some_and(|form| form.is_ticked("agree"));
    [
        Control::text_line("signature_text", t.signature, "name")
            .with_value(entered, None)
            .with_problem(problems, t.wrong_signature_text),
        Control::checkbox_field("agree", t.signature_agree, ticked).with_problem(problems, t.wrong_agree),
    ]
}

/// How many preparers the form shows: as its button requests, or as before.
fn preparer_count(entered: Option<&Form>) -> usize {
    let asked = entered.and_then(|form| form.get("action")?.strip_prefix(PREPARERS));
    let held = || entered.and_then(|form| form.get("preparers"));
    asked.or_else(held).and_then(|count| count.parse().ok()).unwrap_or(0).min(PREFIXES.len())
}

fn preparer_controls(
    t: &'static Texts,
    place: usize,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let name = |field: &str| format!("{}_{field}", PREFIXES[place]);
    let line = |field: &str, label: &str, wrong: &str| {
        Control::text_line(&name(field), label, "off").with_value(entered, None).with_problem(problems, wrong)
    };
    let title = fill_placeholders(t.preparer_title, &[("number", &(place + 1).to_string())]);
    let state = line("state", t.state, t.wrong_state);
    let agrees = entered.is_some_and(|form| form.is_ticked(&name("agree")));
    let mut agree = Control::checkbox_field(&name("agree"), t.preparer_agree, agrees);
    agree.problem = line("agree", "", t.wrong_preparer_agree).problem;
    vec![
        Control { kind: Kind::Heading, ..Control::text_line(&name("title"), &title, "off") },
        line("first_name", t.preparer_first_name, t.wrong_preparer_first_name),
        line("last_name", t.preparer_last_name, t.wrong_preparer_last_name),
        line("street_1", t.street_1, t.wrong_street_1),
        line("street_2", t.street_2, t.wrong_street_2).made_optional(),
        line("city", t.city, t.wrong_city),
        Control { kind: Kind::Select(state_choices()), ..state },
        line("zip", t.zip, t.wrong_zip).with_keyboard("numeric"),
        agree,
    ]
}

/// The signature. Preparers' fields have the same names as in the API.
fn signature_input(visitor: &Visitor, form: &Form, kind: FormKind) -> SignForm {
    let text = |field: &str| Patch::Value(form.get(field).unwrap_or_default().trim().to_owned());
    let ticked = |field: &str| Patch::Value(form.is_ticked(field));
    let signature = ElectronicSignature {
        signature_text: text("signature_text"),
        agree: ticked("agree"),
        signed_by_ip_address: Patch::Value(visitor.caller.ip.to_string()),
    };
    let mut sign = SignForm { signature, ..SignForm::default() };
    let shown = if kind == FormKind::I9 { preparer_count(Some(form)) } else { 0 };
    for (prefix, preparer) in PREFIXES.into_iter().zip(&mut sign.preparers).take(shown) {
        let line = |field: &str| text(&format!("{prefix}_{field}"));
        *preparer = PreparerInput {
            used: Patch::Value(true),
            first_name: line("first_name"),
            last_name: line("last_name"),
            street_1: line("street_1"),
            street_2: line("street_2"),
            city: line("city"),
            state: line("state"),
            zip: line("zip"),
            agree: ticked(&format!("{prefix}_agree")),
        };
    }
    sign
}

/// Signs every unsigned document that the page showed. A document already signed, by a repeated form or in another tab,
/// is not signed again; one that is new or has changed since is not signed unread.
pub fn sign_documents(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let read = Read::from_form(form);
    // The content compared here is the content signed below.
    let employee = employees::service::find_guarded(tx, &visitor.caller, visitor.person)?;
    let forms = service::list_forms(tx, &visitor.caller, visitor.person)?;
    let to_sign: Vec<_> =
        forms.iter().filter(|held| held.requires_signing && read.has_document(held.id)).collect();
    for held in &to_sign {
        read.require_unchanged(&service::form_document(tx, &visitor.caller, &employee, held)?)?;
    }
    for held in to_sign {
        let input = signature_input(visitor, form, held.kind);
        service::sign_form(tx, &visitor.caller, visitor.person, held.id, &input)?;
    }
    let open = forms.iter().any(|held| held.requires_signing && !read.has_document(held.id));
    Ok(if open { Saved::Stay } else { Saved::Done })
}
