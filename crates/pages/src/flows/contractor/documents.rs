//! Form W-9: its questions, and the signature under the certification.

use rules::Named;
use rules::contractor::ContractorType;
use store::Tx;

use super::super::dispatch::Saved;
use super::super::documents::{self, Document, Read};
use super::super::form::{Choice, Control, Form, Problems};
use super::super::frame::Frame;
use super::super::review::Fact;
use domain::Error;
use domain::contractors::documents::content::Classification;
use domain::contractors::documents::rows;
use domain::contractors::documents::service::{self, FieldInput, SignDocument};
use domain::contractors::records::service::{find_contractor, find_guarded};
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::people::forms::commands::ElectronicSignature;

/// The field of the classification, of which the form has one for each choice.
const CLASSIFICATION: &str = "classification";
/// How a limited liability company is taxed, in the order of the texts.
const LLC: [&str; 3] = ["c", "s", "p"];
/// Fields that are sent as they were entered.
const LINES: [&str; 4] = ["tax_classification", "other_text", "exempt_payee_code", "exemption_from_FATCA"];

pub fn render_documents(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, c) = (frame.texts, frame.texts.contractor);
    let held = rows::of_contractor(tx, visitor.caller.company, visitor.person)?;
    let mut listed = Vec::new();
    for document in &held {
        let preview = match document.requires_signing {
            true => Some(service::printed_document(tx, &visitor.caller, document)?),
            false => None,
        };
        listed.push(Document::new(
            (document.id, c.w9, c.w9_about),
            fill_placeholders(t.document_open, &[("name", c.w9)]),
            preview,
        ));
    }
    let kind = find_contractor(tx, &visitor.caller, visitor.person)?.kind;
    let questions = w9_controls(frame, kind, entered, &problems);
    let lead = if held.is_empty() { c.not_yet } else { t.documents_text };
    documents::documents_page(
        frame,
        (t.documents_title, lead),
        (listed, questions, None),
        (entered, &problems),
    )
}

fn w9_controls(
    frame: &Frame,
    kind: ContractorType,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let c = frame.texts.contractor;
    let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
    let kinds = Classification::ALL.iter().zip(c.classifications);
    let kinds = kinds.map(|(one, label)| choice(one.as_str(), label)).collect();
    let usual = match kind {
        ContractorType::Individual => Some(Classification::IndividualProprietor.as_str()),
        ContractorType::Business => None,
    };
    let taxed = LLC.into_iter().zip(c.llc_choices).map(|(value, label)| choice(value, label)).collect();
    let line = |name: &str, label: &str, wrong: &str| {
        Control::text_line(name, label, "off")
            .made_optional()
            .with_value(entered, None)
            .with_problem(problems, wrong)
    };
    let mut classification =
        Control::select_field(CLASSIFICATION, c.classification, kinds).with_value(entered, usual);
    if problems.has_field("fields") {
        classification.problem = Some(c.wrong_classification.to_owned());
    }
    let withheld = entered.is_some_and(|form| form.is_ticked("subject_to_backup_withholding"));
    vec![
        classification,
        Control::select_field("tax_classification", c.llc, taxed)
            .made_optional()
            .with_help(c.llc_help)
            .with_value(entered, None)
            .with_problem(problems, c.wrong_llc),
        line("other_text", c.other_text, c.wrong_other_text),
        line("exempt_payee_code", c.exempt_payee_code, c.wrong_code).with_help(c.code_help),
        line("exemption_from_FATCA", c.exemption_from_fatca, c.wrong_code).with_help(c.code_help),
        Control::checkbox_field("subject_to_backup_withholding", c.withheld, withheld)
            .with_help(c.withheld_help),
    ]
}

/// Whether the form is signed, for the review.
pub fn signature_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let held = rows::of_contractor(tx, visitor.caller.company, visitor.person)?.into_iter();
    let told = |signed: bool| Some(if signed { t.document_signed } else { t.step_open });
    Ok(held.map(|document| Fact::new(t.contractor.w9, told(!document.requires_signing), t)).collect())
}

/// Signs every unsigned document that the page showed; one that is new or has changed since is not signed unread.
pub fn sign_documents(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let read = Read::from_form(form);
    // The content compared here is the content signed below.
    find_guarded(tx, &visitor.caller, visitor.person)?;
    let held = rows::of_contractor(tx, visitor.caller.company, visitor.person)?;
    let to_sign: Vec<_> =
        held.iter().filter(|one| one.requires_signing && read.has_document(one.id)).collect();
    for document in &to_sign {
        read.require_unchanged(&service::printed_document(tx, &visitor.caller, document)?)?;
    }
    for document in to_sign {
        service::sign_document(tx, &visitor.caller, document.id, &signature_input(visitor, form))?;
    }
    let open = held.iter().any(|one| one.requires_signing && !read.has_document(one.id));
    // A page with nothing to sign leads on.
    Ok(if open && !read.is_empty() { Saved::Stay } else { Saved::Done })
}

fn signature_input(visitor: &Visitor, form: &Form) -> SignDocument {
    let field = |key: &str, value: &str| FieldInput {
        key: Patch::Value(key.to_owned()),
        value: Patch::Value(value.trim().to_owned()),
    };
    let chosen = form.get(CLASSIFICATION).and_then(Classification::parse);
    let mut fields: Vec<_> = chosen.into_iter().map(|one| field(one.as_str(), "1")).collect();
    fields.extend(LINES.map(|key| field(key, form.get(key).unwrap_or_default())));
    if form.is_ticked("subject_to_backup_withholding") {
        fields.push(field("subject_to_backup_withholding", "1"));
    }
    fields.push(field("signature_text", form.get("signature_text").unwrap_or_default()));
    SignDocument {
        fields: Patch::Value(fields),
        signature: ElectronicSignature {
            signature_text: Patch::Absent,
            agree: Patch::Value(form.is_ticked("agree")),
            signed_by_ip_address: Patch::Value(visitor.caller.ip.to_string()),
        },
    }
}
