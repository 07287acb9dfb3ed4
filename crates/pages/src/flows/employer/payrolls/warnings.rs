//! Warnings as the preview of a payroll tells them.

use uuid::Uuid;

use super::super::super::frame::{Frame, Screen};
use super::{days_path, hours_path};
use domain::pay::payrolls::record::entered_at::EnteredAt;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::record::warning::Warning;

/// A warning in a language, and where what it asks for is entered: an address with its label.
pub struct PreviewWarning {
    pub text: String,
    pub language: &'static str,
    pub link: Option<(String, &'static str)>,
}

impl PreviewWarning {
    /// As a page of the payroll tells it about one of its people.
    pub fn of(frame: &Frame, one: &Payroll, employee: Uuid, warning: &Warning) -> Self {
        let e = frame.texts.employer;
        let (text, language) = warning.in_language(frame.language);
        let is_open = one.submitted_at.is_none();
        let screen = |screen: Screen| {
            frame.shows_any_of(&[screen]).then(|| (screen.path(), screen.title(frame.texts)))
        };
        let link = match warning.entered_at() {
            Some(EnteredAt::HoursByDay) if is_open => Some((days_path(one.id, employee), e.to_days)),
            Some(EnteredAt::Entries) if is_open => Some((hours_path(one.id), e.change_hours)),
            Some(EnteredAt::CompanyTaxes) => screen(Screen::CompanyStates),
            Some(EnteredAt::Location) => screen(Screen::Places),
            Some(EnteredAt::Employee) => screen(Screen::Employees),
            _ => None,
        };
        Self { text, language: language.code(), link }
    }
}
