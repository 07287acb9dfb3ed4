//! Dispatches screens to their content, and forms to their handling.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Violation;
use store::Tx;

use super::form::{Form, Problems};
use super::frame::{Frame, Screen};
use super::{
    address, contractor, deductions, documents, employer, federal, i9, payment, personal, plain, review,
    state, stubs, tax_forms, time_off,
};
use domain::Error;
use domain::paging::Page;
use domain::pay::payrolls;
use domain::pay::payrolls::service::ListPayrolls;
use domain::people::addresses;
use domain::people::flows::session::Visitor;
use domain::people::flows::types::FlowEntityKind;
use domain::salary::wages::zip_areas::ZipAreas;

/// The content of a screen.
pub fn render_screen(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    if frame.of_employer {
        return employer::render_screen(tx, visitor, frame, entered, problems);
    }
    if frame.of_contractor {
        return contractor::render_screen(tx, visitor, frame, entered, problems);
    }
    match frame.current {
        Some(Screen::Personal) => personal::render_personal(tx, visitor, frame, entered, problems),
        Some(Screen::Address) => address::render_address(tx, visitor, frame, entered, problems),
        Some(Screen::Federal) => federal::render_w4(tx, visitor, frame, entered, problems),
        Some(Screen::State) => state::render_state_taxes(tx, visitor, frame, entered, problems),
        Some(Screen::Payment) => payment::render_payment(tx, visitor, frame, entered, problems),
        Some(Screen::Deductions) => deductions::render_deductions(tx, visitor, frame),
        Some(Screen::TimeOff) => time_off::render_time_off(tx, visitor, frame),
        Some(Screen::I9) => i9::render_i9(tx, visitor, frame, entered, problems),
        Some(Screen::Documents) => documents::render_documents(tx, visitor, frame, entered, problems),
        Some(Screen::Review) => review::render_review(tx, visitor, frame),
        Some(Screen::Done) => plain::render_done(frame, next_payday(tx, visitor)?),
        Some(Screen::PayStubs) => stubs::render_stub_list(tx, visitor, frame),
        Some(Screen::TaxForms) => tax_forms::render_tax_forms(tx, visitor, frame),
        _ => plain::render_welcome(frame),
    }
}

/// The check date of the first payroll that can pay the employee: one whose days reach the first day of work. `None` if upcoming
/// payrolls have several schedules: it is not known here which one is the employee's.
fn next_payday(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<Date>, Error> {
    let today = visitor.caller.today(tx);
    let filter = ListPayrolls {
        processed: Some(false),
        off_cycle: Some(false),
        start: Some(today),
        end: Some(today.saturating_add(2.months())),
        by_check_date: true,
        ..ListPayrolls::default()
    };
    let coming =
        payrolls::service::list_payrolls(tx, &visitor.caller, &filter, Page::Part { page: 1, per: 25 })?
            .items;
    let hired = addresses::rows::hire_date(tx, visitor.caller.company, visitor.person)?;
    let one_schedule = coming.windows(2).all(|pair| pair[0].pay_schedule == pair[1].pay_schedule);
    let pays = coming.iter().filter(|one| hired.is_none_or(|day| one.end >= day) && !one.skipped);
    Ok(pays.map(|one| one.check_date).min().filter(|_| one_schedule))
}

/// Where an accepted form leads.
pub enum Saved {
    /// to the next open screen
    Done,
    /// the same screen again, updated
    Stay,
    /// the same screen with the entries: it asked a question, and nothing was stored
    Ask,
    /// the same screen with a problem at a field: the answer was wrong, which is counted
    Unconfirmed(&'static str),
    /// the same screen with the problems: nothing is rolled back, because the attempt counts
    Refused(Violation),
}

/// Stores the form of a screen.
pub fn save_screen(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: Screen,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    if visitor.is_employer() {
        return employer::save_screen(tx, visitor, screen, form, zips);
    }
    if visitor.kind == FlowEntityKind::Contractor {
        return contractor::save_screen(tx, visitor, screen, form, zips);
    }
    let action = form.get("action").unwrap_or_default();
    if action == "show" || action.starts_with(documents::PREPARERS) {
        return Ok(Saved::Ask);
    }
    match screen {
        Screen::Personal => return personal::save_personal(tx, visitor, form),
        Screen::Address => return address::save_address(tx, visitor, form, zips),
        Screen::Federal => federal::save_w4(tx, visitor, form)?,
        Screen::State => state::save_state_taxes(tx, visitor, form)?,
        Screen::Payment => return payment::save_payment(tx, visitor, form),
        Screen::I9 => i9::save_i9(tx, visitor, form)?,
        Screen::Documents => return documents::sign_documents(tx, visitor, form),
        Screen::TaxForms => return tax_forms::save_consent(tx, visitor, form),
        // The others have no form.
        _ => {}
    }
    Ok(Saved::Done)
}
