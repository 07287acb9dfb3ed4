//! The first and last of the employer's pages: the introduction, the review, and what happens next.

use rules::company::Status;
use store::Tx;

use super::super::dispatch::Saved;
use super::super::frame::{Frame, Screen};
use super::super::plain::{DonePage, WelcomePage, back_label, render_template};
use super::super::review::{Part, ReviewPage};
use super::super::screen::is_whole_onboarding;
use super::{bank, employees, forms, industry, places, schedule, signatory, states, taxes, verify};
use domain::Error;
use domain::company::{companies, setup};
use domain::language::fill_placeholders;
use domain::people::flows::session::Visitor;

/// The introduction.
pub fn render_welcome(frame: &Frame) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let title = fill_placeholders(e.welcome_title, &[("company", &frame.company)]);
    let asked: [(&[Screen], _); 6] = [
        (&[Screen::Places], e.welcome_places),
        (&[Screen::Signatory], e.welcome_signatory),
        (&[Screen::CompanyTaxes], e.welcome_taxes),
        (&[Screen::Bank], e.welcome_bank),
        (&[Screen::CompanyStates], e.welcome_states),
        (&[Screen::Employees], e.welcome_employees),
    ];
    let needed: Vec<_> =
        asked.into_iter().filter(|(screens, _)| frame.shows_any_of(screens)).map(|(_, what)| what).collect();
    let time = if needed.len() > 1 { e.welcome_time } else { t.welcome_time_short };
    let started = frame.step_entries().iter().any(|entry| entry.done && !entry.mark.is_empty());
    let text = e.welcome_text.to_owned();
    render_template(&WelcomePage { frame, t, title, text, needed, time, started })
}

/// The review.
pub fn render_review(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let mut parts = Vec::new();
    for entry in frame.step_entries() {
        let facts = match frame.find_screen(entry.path.rsplit('/').next().unwrap_or_default()) {
            Some(Screen::Places) => places::location_facts(tx, visitor, frame)?,
            Some(Screen::Signatory) => signatory::signatory_facts(tx, visitor, frame)?,
            Some(Screen::CompanyTaxes) => taxes::federal_tax_facts(tx, visitor, frame)?,
            Some(Screen::Industry) => industry::industry_facts(tx, visitor, frame)?,
            Some(Screen::Bank) => bank::bank_facts(tx, visitor, frame)?,
            Some(Screen::Employees) => employees::employee_facts(tx, visitor, frame)?,
            Some(Screen::CompanyStates) => states::state_facts(tx, visitor, frame)?,
            Some(Screen::Schedule) => schedule::schedule_facts(tx, visitor, frame)?,
            Some(Screen::CompanyForms) => forms::signature_facts(tx, visitor, frame)?,
            Some(Screen::Verify) => verify::verification_facts(tx, visitor, frame)?,
            _ => continue,
        };
        parts.push(Part { title: entry.title, path: Some(entry.path), facts });
    }
    let whole = is_whole_onboarding(&visitor.flow_types);
    let dear = fill_placeholders(e.review_text, &[("company", &frame.company)]);
    let end = if whole { e.review_end } else { t.letter_end };
    render_template(&ReviewPage { frame, t, dear, parts, open: frame.open_entries(), end })
}

/// Finishes the company's onboarding, if the flow includes all of it and nothing is open any more.
pub fn finish_onboarding(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Saved, Error> {
    if !is_whole_onboarding(&visitor.flow_types) {
        return Ok(Saved::Done);
    }
    let company = companies::find_company(tx, visitor.caller.company)?.ok_or(Error::NotFound)?;
    let (finished, open) = setup::service::open_steps(tx, &visitor.caller, &company)?;
    // Sent twice, or while something is still open, which the last page shows.
    if !finished && open.is_empty() {
        setup::service::finish_onboarding(tx, &visitor.caller)?;
    }
    Ok(Saved::Done)
}

/// That nothing is left to do, or what is.
pub fn render_done(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let company = companies::find_company(tx, visitor.caller.company)?.ok_or(Error::NotFound)?;
    let finished = setup::service::onboarding_status(tx, &visitor.caller, false)?.finished;
    let mut next = Vec::new();
    if is_whole_onboarding(&visitor.flow_types) && finished {
        let approved = company.company_status == Status::Approved;
        next.push(if approved { e.done_approved } else { e.done_waits }.to_owned());
        next.push(e.done_then.to_owned());
    }
    let text = t.done_text.to_owned();
    render_template(&DonePage { frame, t, text, next, back: back_label(frame), open: frame.open_entries() })
}
