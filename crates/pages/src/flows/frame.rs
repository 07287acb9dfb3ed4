//! The frame around every screen: the language, the list of steps, and where to go next.

use rules::company::Status;
use store::Tx;

use super::form::Form;
use super::pager::Asked;
pub use super::screen::Screen;
use super::screen::screens_of_flow;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::{companies, setup, signatories};
use domain::contractors;
use domain::language::{Language, fill_placeholders};
use domain::people::employees;
use domain::people::flows::service::{Face, link_face};
use domain::people::flows::session::Visitor;
use domain::people::flows::types::FlowEntityKind;
use domain::people::{forms, onboarding};

/// A step in the list of steps.
#[derive(Debug, Clone)]
pub struct Entry {
    /// title
    pub title: &'static str,
    /// where it is entered
    pub path: String,
    /// whether nothing is open there
    pub done: bool,
    /// the status in words
    pub mark: &'static str,
    /// whether it is the current one
    pub current: bool,
}

/// The frame of a screen.
pub struct Frame {
    /// language of the page
    pub language: Language,
    /// its texts
    pub texts: &'static Texts,
    /// the company
    pub company: String,
    /// the employee's first name; empty on the pages of the company
    pub first_name: String,
    /// sent back by each form
    pub form_token: String,
    /// the current screen
    pub current: Option<Screen>,
    /// which pages of its lists it shows
    pub pages: Asked,
    /// whether the screen shows entries kept from an ended session
    pub kept: bool,
    /// the record's version when they were entered
    kept_version: Option<String>,
    /// the theme, and the link back
    pub face: Face,
    /// whether the visitor acts for the company
    pub of_employer: bool,
    /// whether the visitor is a contractor
    pub of_contractor: bool,
    /// whether the company's onboarding is approved
    is_approved: bool,
    screens: Vec<(Screen, bool)>,
    /// steps within the screen, if it has its own
    trail: Vec<Entry>,
    /// the address within the screen, after its name
    within: String,
}

store::hidden!(Frame);

impl Frame {
    /// Reads the frame of a visitor's screens.
    pub fn load(tx: &mut Tx<'_>, visitor: &Visitor, language: Option<Language>) -> Result<Self, Error> {
        let language = language.or(visitor.language).unwrap_or(Language::English);
        let company = companies::find_company(tx, visitor.caller.company)?.ok_or(Error::NotFound)?;
        let (first_name, mut screens) = match visitor.kind {
            FlowEntityKind::Company => (String::new(), of_employer(tx, visitor)?),
            FlowEntityKind::Employee => of_employee(tx, visitor)?,
            FlowEntityKind::Contractor => of_contractor(tx, visitor)?,
        };
        // The last two are done only if nothing before them is open.
        let open = screens.iter().any(|(_, done)| !done);
        for (screen, done) in &mut screens {
            *done = *done && !(open && matches!(screen, Screen::Review | Screen::Done));
        }
        Ok(Self {
            language,
            texts: crate::flows::texts::texts_in_language(language),
            company: company.name,
            first_name,
            form_token: visitor.form_token.clone(),
            current: None,
            pages: Asked::FIRST,
            kept: false,
            kept_version: None,
            face: link_face(tx, visitor.caller.company, visitor.link)?,
            of_employer: visitor.is_employer(),
            of_contractor: visitor.kind == FlowEntityKind::Contractor,
            is_approved: company.company_status == Status::Approved,
            screens,
            trail: Vec::new(),
            within: String::new(),
        })
    }

    /// The same frame for another screen.
    #[must_use]
    pub fn at_screen(self, screen: Screen) -> Self {
        Self { current: Some(screen), ..self }
    }

    /// The same frame for other pages of the screen's lists.
    #[must_use]
    pub fn on_pages(self, pages: Asked) -> Self {
        Self { pages, ..self }
    }

    /// The address of a screen, on the same page of its list.
    pub fn path_on_page(&self, screen: Screen) -> String {
        match self.pages.page {
            1 => screen.path(),
            page => format!("{}?page={page}", screen.path()),
        }
    }

    /// The same frame for a page within its screen: `within` follows the screen's name in the address, and the page has
    /// its own steps.
    #[must_use]
    pub fn within_screen(self, within: String, trail: Vec<Entry>) -> Self {
        Self { within, trail, ..self }
    }

    /// The same frame for a page below the current one.
    #[must_use]
    pub fn below(self, segment: &str) -> Self {
        Self { within: format!("{}/{segment}", self.within), ..self }
    }

    /// The same frame, whose screen shows entries kept from an ended session, if there are any.
    #[must_use]
    pub fn showing_kept(self, kept: Option<&Form>) -> Self {
        let kept_version = kept.and_then(|form| form.get("version")).map(str::to_owned);
        Self { kept: kept.is_some(), kept_version, ..self }
    }

    /// The version that the screen's form sends back. Kept entries have the version that their page had: if the record
    /// has changed since, saving them reports that.
    pub fn form_version<'v>(&'v self, current: &'v str) -> &'v str {
        self.kept_version.as_deref().unwrap_or(current)
    }

    /// The screen of a name, if this flow shows it.
    pub fn find_screen(&self, name: &str) -> Option<Screen> {
        self.screens.iter().map(|(screen, _)| *screen).find(|screen| screen.name() == name)
    }

    /// Where a new visitor starts: at the introduction, or at the first open screen; an approved company that can run payrolls, there.
    pub fn next_path(&self) -> String {
        if self.is_approved && self.shows_any_of(&[Screen::Payrolls]) {
            return Screen::Payrolls.path();
        }
        let settles = |screen: Screen| screen.onboarding_step().is_some() || screen.company_step().is_some();
        let nothing_yet = self.screens.iter().all(|(screen, done)| !settles(*screen) || !done);
        if nothing_yet && self.shows_any_of(&[Screen::Welcome]) {
            Screen::Welcome.path()
        } else {
            self.first_open().path()
        }
    }

    /// Where a visitor continues after saving a screen: at the next open one, or at the end. Read-only screens are
    /// shown on the way.
    pub fn path_after(&self, saved: Screen) -> String {
        // What is managed is never finished: it only leads to the end.
        let is_end = matches!(saved, Screen::Review | Screen::Done);
        if is_end || saved.is_managed() {
            return Screen::Done.path();
        }
        let next = if self.of_employer { self.open_beside(saved) } else { self.first_open() };
        let place = |screen| self.screens.iter().position(|(shown, _)| *shown == screen);
        let (from, to) = (place(saved), place(next));
        let read = self.to_read().find(|screen| from < place(*screen) && place(*screen) < to);
        read.unwrap_or(next).path()
    }

    /// The read-only screens, in their order.
    fn to_read(&self) -> impl Iterator<Item = Screen> {
        self.screens.iter().map(|(screen, _)| *screen).filter(|screen| screen.is_read())
    }

    /// Where the button of the introduction leads: to the first open screen, or to the first read-only one.
    pub fn first_open_path(&self) -> String {
        let read = self.to_read().next().filter(|_| self.asks_nothing());
        read.unwrap_or_else(|| self.first_open()).path()
    }

    fn first_open(&self) -> Screen {
        let open = self.screens.iter().find(|(_, done)| !done).map(|(screen, _)| *screen);
        open.unwrap_or_else(|| self.last_screen())
    }

    /// The open screen after the given one, or else before it. An open screen may wait for others, such as a bank or an
    /// employee, so continuing skips it.
    fn open_beside(&self, saved: Screen) -> Screen {
        let place = self.screens.iter().position(|(screen, _)| *screen == saved).unwrap_or_default();
        let (before, after) = self.screens.split_at(place);
        let others = after.iter().skip(1).chain(before);
        let open = others.filter(|(screen, _)| screen.has_entries()).find(|(_, done)| !done);
        open.map_or_else(|| self.last_screen(), |(screen, _)| *screen)
    }

    /// Where the flow ends if nothing is open.
    fn last_screen(&self) -> Screen {
        let last = [
            Screen::Review,
            Screen::Payrolls,
            Screen::ContractorPayments,
            Screen::Policies,
            Screen::Contractors,
            Screen::Done,
        ];
        let ends = last.into_iter().find(|screen| match screen {
            Screen::Review => !self.asks_nothing(),
            Screen::Done => true,
            _ => self.shows_any_of(&[*screen]),
        });
        ends.unwrap_or(Screen::Done)
    }

    /// Whether all screens are read-only.
    pub fn asks_nothing(&self) -> bool {
        !self.screens.iter().any(|(screen, _)| screen.has_entries())
    }

    /// Whether one of these screens is among those of the flow.
    pub fn shows_any_of(&self, screens: &[Screen]) -> bool {
        self.screens.iter().any(|(screen, _)| screens.contains(screen))
    }

    /// Titles of the screens on which something is open.
    pub fn open_entries(&self) -> Vec<Entry> {
        self.step_entries()
            .into_iter()
            .filter(|entry| !entry.done && entry.path != Screen::Review.path())
            .collect()
    }

    /// The steps that the page shows: those of its screen, or those of the flow.
    pub fn shown_steps(&self) -> Vec<Entry> {
        if self.trail.is_empty() { self.step_entries() } else { self.trail.clone() }
    }

    /// Whether there is a list of steps: not for payrolls alone, nor for time off.
    pub fn has_steps(&self) -> bool {
        !self.trail.is_empty() || !self.of_employer || self.step_entries().len() > 1
    }

    /// The list of steps.
    pub fn step_entries(&self) -> Vec<Entry> {
        let listed =
            self.screens.iter().filter(|(screen, _)| !matches!(screen, Screen::Welcome | Screen::Done));
        listed
            .map(|(screen, done)| Entry {
                title: screen.title(self.texts),
                path: screen.path(),
                done: *done,
                mark: match (screen, done) {
                    (screen, _) if screen.is_read() => self.texts.step_read,
                    (screen, _) if screen.is_managed() => "",
                    (_, true) => self.texts.step_done,
                    (_, false) => self.texts.step_open,
                },
                current: self.current == Some(*screen),
            })
            .collect()
    }

    /// The current step, and the number of steps; `None` on the first page and the last.
    pub fn current_step(&self) -> Option<(usize, usize)> {
        let entries = self.shown_steps();
        let place = entries.iter().position(|entry| entry.current)?;
        (entries.len() > 1).then_some((place + 1, entries.len()))
    }

    /// The current step in words.
    pub fn step_words(&self, place: &(usize, usize)) -> String {
        let (number, total) = (place.0.to_string(), place.1.to_string());
        fill_placeholders(self.texts.step_of, &[("number", &number), ("total", &total)])
    }

    /// The screen before this one.
    pub fn back_path(&self) -> Option<String> {
        if !self.trail.is_empty() {
            return self.current.map(Screen::path);
        }
        let place = self.screens.iter().position(|(screen, _)| Some(*screen) == self.current)?;
        let before = place.checked_sub(1)?;
        self.screens.get(before).map(|(screen, _)| screen.path())
    }

    /// The style sheet of the application's theme.
    pub fn theme_path(&self) -> Option<String> {
        let application = self.face.application?;
        let accent = self.face.theme.accent?;
        // The color in the URL lets a browser cache the sheet until the color changes.
        Some(format!("/flow-theme/{application}/style.css?{}", &accent.to_text()[1..]))
    }

    /// The application's logo.
    pub fn logo_path(&self) -> Option<String> {
        let application = self.face.application?;
        self.face.theme.logo.as_ref().map(|logo| format!("/flow-theme/{application}/logo.png?{}", logo.len()))
    }

    /// Name of the screen, for its forms.
    pub fn screen_name(&self) -> &'static str {
        self.current.map_or("", Screen::name)
    }

    /// The current page, for the form that changes the language.
    pub fn current_page(&self) -> String {
        format!("{}{}", self.screen_name(), self.within)
    }

    /// The address of a page named by [`current_page`](Self::current_page), if it belongs to this flow.
    pub fn path_of(&self, here: &str) -> Option<String> {
        let screen = self.find_screen(here.split('/').next().unwrap_or_default())?;
        let plain = here.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte));
        plain.then(|| if screen.has_pages() { format!("/flow/{here}") } else { screen.path() })
    }
}

/// The employee's first name, and the screens with their status.
fn of_employee(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<(String, Vec<(Screen, bool)>), Error> {
    let employee = employees::service::find_employee(tx, &visitor.caller, visitor.person)?;
    let complete = onboarding::service::settled_steps(tx, &visitor.caller, &employee)?;
    let i9_said = forms::rows::I9::find(tx, visitor.caller.company, visitor.person)?.is_some();
    let is_done = |screen: Screen| match screen {
        Screen::I9 => i9_said,
        _ => screen.onboarding_step().is_none_or(|step| complete.contains(step)),
    };
    let shown = screens_of_flow(&visitor.flow_types, employee.i9_document);
    let shown = shown.into_iter().map(|screen| (screen, is_done(screen))).collect();
    Ok((employee.preferred_first_name.unwrap_or(employee.first_name), shown))
}

/// The contractor's name, and the screens with their status.
fn of_contractor(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<(String, Vec<(Screen, bool)>), Error> {
    let one = contractors::records::service::find_contractor(tx, &visitor.caller, visitor.person)?;
    let facts = contractors::onboarding::onboarding_facts(tx, &visitor.caller, &one)?;
    let is_done = |screen: Screen| match screen {
        Screen::Personal => facts.basic_details,
        Screen::Address => facts.address,
        Screen::Payment => facts.payment_method,
        Screen::Documents => facts.signed,
        _ => true,
    };
    let shown =
        screens_of_flow(&visitor.flow_types, false).into_iter().map(|screen| (screen, is_done(screen)));
    let name = one.first_name.clone().unwrap_or_else(|| one.name());
    Ok((name, shown.collect()))
}

/// The screens of the employer, with their status. A step that none of the company's payrolls needs is never open.
fn of_employer(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Vec<(Screen, bool)>, Error> {
    let steps = setup::service::onboarding_status(tx, &visitor.caller, false)?.steps;
    let signatory = signatories::of_company(tx, visitor.caller.company)?;
    let signs = signatory.is_some_and(|signatory| signatory.is_complete());
    let is_done = |screen: Screen| match (screen, screen.company_step()) {
        (Screen::Signatory, _) => signs,
        (_, None) => true,
        (_, Some(step)) => {
            steps.iter().all(|one| one.step != step || one.completed_at.is_some() || !one.required)
        }
    };
    let shown = screens_of_flow(&visitor.flow_types, false);
    Ok(shown.into_iter().map(|screen| (screen, is_done(screen))).collect())
}
