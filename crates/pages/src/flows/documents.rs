//! Documents to read and to sign, each with a form of its own. Whoever helped with Form I-9, as preparer or translator,
//! signs on the same page: the form grows by one helper when its button asks for it, and without a script.

use askama::Template;
use store::Tx;
use uuid::Uuid;

use super::Saved;
use super::form::{Control, Form, Kind, Problems, states};
use super::frame::Frame;
use super::plain::render;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::people::forms::commands::{ElectronicSignature, PreparerInput, SignForm};
use domain::people::forms::content::Kind as FormKind;
use domain::people::forms::rows;
use domain::people::forms::service;
use domain::people::forms::signing::PREFIXES;
use domain::records::id_of;

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
    /// how many preparers the form shows; none where a form knows of none
    preparers: Option<usize>,
}

impl Document {
    /// The button that asks for one preparer more.
    fn more(&self) -> Option<String> {
        self.preparers
            .filter(|count| *count < PREFIXES.len())
            .map(|count| format!("{PREPARERS}{}", count + 1))
    }

    /// The button that takes the last preparer back.
    fn fewer(&self) -> Option<String> {
        self.preparers.filter(|count| *count > 0).map(|count| format!("{PREPARERS}{}", count - 1))
    }
}

/// What the buttons send that show another number of preparers.
pub const PREPARERS: &str = "preparers:";

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
        let (entered, own) = match sent == Some(form.id) {
            true => (entered, problems.clone()),
            false => (None, Problems::default()),
        };
        let preparers = (form.kind == FormKind::I9).then(|| preparers(form.id, entered));
        let mut controls = controls(t, form.id, entered, &own);
        for place in 0..preparers.unwrap_or_default() {
            controls.extend(preparer_controls(t, (form.id, place), entered, &own));
        }
        shown.extend(
            controls.iter().cloned().map(|control| Control { name: plain_name(&control.name), ..control }),
        );
        documents.push(Document {
            uuid: form.id,
            title: form.kind.title(),
            description: form.kind.description(),
            read: fill(t.document_open, &[("name", form.kind.title())]),
            signed: !form.requires_signing,
            controls,
            preparers,
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
    let fact = |form: rows::Form| {
        Fact::new(
            form.kind.title(),
            Some(if form.requires_signing { t.step_open } else { t.document_signed }),
            t,
        )
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

/// How many preparers a form shows: as many as its button asks for, or as many as it had.
fn preparers(document: Uuid, entered: Option<&Form>) -> usize {
    let asked = entered.and_then(|form| form.get("action")?.strip_prefix(PREPARERS));
    let held = || entered.and_then(|form| form.get(&format!("preparers.{document}")));
    asked.or_else(held).and_then(|count| count.parse().ok()).unwrap_or(0).min(PREFIXES.len())
}

fn preparer_controls(
    t: &'static Texts,
    (document, place): (Uuid, usize),
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let name = |field: &str| format!("{}_{field}.{document}", PREFIXES[place]);
    let line = |field: &str, label: &str, wrong: &str| {
        let mut control = Control::line(&name(field), label, "off").holding(entered, None);
        if problems.has(&plain_name(&control.name)) {
            control.problem = Some(wrong.to_owned());
        }
        control
    };
    let title = fill(t.preparer_title, &[("number", &(place + 1).to_string())]);
    let state = line("state", t.state, t.wrong_state);
    let agrees = entered.is_some_and(|form| form.ticked(&name("agree")));
    let mut agree = Control::tick(&name("agree"), t.preparer_agree, agrees);
    agree.problem = line("agree", "", t.wrong_preparer_agree).problem;
    vec![
        Control { kind: Kind::Heading, ..Control::line(&name("title"), &title, "off") },
        line("first_name", t.preparer_first_name, t.wrong_preparer_first_name),
        line("last_name", t.preparer_last_name, t.wrong_preparer_last_name),
        line("street_1", t.street_1, t.wrong_street_1),
        line("street_2", t.street_2, t.wrong_street_2).optional(),
        line("city", t.city, t.wrong_city),
        Control { kind: Kind::Select(states()), ..state },
        line("zip", t.zip, t.wrong_zip).keyboard("numeric"),
        agree,
    ]
}

fn plain_name(name: &str) -> String {
    name.split('.').next().unwrap_or_default().to_owned()
}

/// The signature. Fields of preparers have the same names as in the interface.
fn signature(visitor: &Visitor, form: &Form, document: Uuid) -> SignForm {
    let text = |field: &str| {
        let text = form.get(&format!("{field}.{document}")).unwrap_or_default();
        Patch::Value(text.trim().to_owned())
    };
    let ticked = |field: &str| Patch::Value(form.ticked(&format!("{field}.{document}")));
    let signature = ElectronicSignature {
        signature_text: text("signature_text"),
        agree: ticked("agree"),
        signed_by_ip_address: Patch::Value(visitor.caller.ip.to_string()),
    };
    let mut sign = SignForm { signature, ..SignForm::default() };
    let shown = preparers(document, Some(form));
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

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let document = id_of(form.get("document").unwrap_or_default());
    let forms = service::list(tx, &visitor.caller, visitor.employee)?;
    match forms.iter().find(|held| held.id == document) {
        // Sent twice, or signed in another tab.
        Some(held) if !held.requires_signing => return Ok(Saved::Stay),
        Some(_) => {}
        None => return Ok(Saved::Done),
    }
    let input = signature(visitor, form, document);
    service::sign(tx, &visitor.caller, visitor.employee, document, &input)?;
    let open = forms.iter().any(|held| held.requires_signing && held.id != document);
    Ok(if open { Saved::Stay } else { Saved::Done })
}
