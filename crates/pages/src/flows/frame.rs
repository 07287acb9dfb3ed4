//! What surrounds every screen: the language, the list of steps, and where to go next.

use rules::onboarding::Step;
use store::Tx;

use crate::flows::texts::Texts;
use domain::Error;
use domain::company::companies;
use domain::language::{Language, fill};
use domain::people::employees;
use domain::people::flows::service::{Face, face};
use domain::people::flows::session::Visitor;
use domain::people::{forms, onboarding};

/// The screens, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// what this is about
    Welcome,
    /// name, birth, Social Security number
    Personal,
    /// home address
    Address,
    /// Form W-4
    Federal,
    /// questions of the states
    State,
    /// check or bank accounts
    Payment,
    /// what was paid, to read
    PayStubs,
    /// what is taken from the pay beside taxes, to read
    Deductions,
    /// vacation and sick leave that is left, to read
    TimeOff,
    /// section 1 of Form I-9
    I9,
    /// what is to be signed
    Documents,
    /// everything once more
    Review,
    /// nothing left
    Done,
}

impl Screen {
    /// The name in the address.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Welcome => "welcome",
            Self::Personal => "personal",
            Self::Address => "address",
            Self::Federal => "federal",
            Self::State => "state",
            Self::Payment => "payment",
            Self::PayStubs => "pay_stubs",
            Self::Deductions => "deductions",
            Self::TimeOff => "time_off",
            Self::I9 => "i9",
            Self::Documents => "documents",
            Self::Review => "review",
            Self::Done => "done",
        }
    }

    /// The address.
    pub fn path(self) -> String {
        format!("/flow/{}", self.name())
    }

    fn title(self, texts: &'static Texts) -> &'static str {
        match self {
            Self::Welcome => texts.welcome,
            Self::Personal => texts.personal,
            Self::Address => texts.address,
            Self::Federal => texts.federal,
            Self::State => texts.states,
            Self::Payment => texts.payment,
            Self::PayStubs => texts.stubs,
            Self::Deductions => texts.deductions,
            Self::TimeOff => texts.time_off,
            Self::I9 => texts.i9,
            Self::Documents => texts.documents,
            Self::Review => texts.review,
            Self::Done => texts.done,
        }
    }

    /// Whether entries that come too late wait for the next session. A signature is given anew.
    pub fn keeps_drafts(self) -> bool {
        use Screen::{Address, Federal, I9, Payment, Personal, State};
        matches!(self, Personal | Address | Federal | State | Payment | I9)
    }

    /// The step of onboarding that it completes.
    fn step(self) -> Option<Step> {
        match self {
            Self::Personal => Some(Step::PersonalDetails),
            Self::Address => Some(Step::AddHomeAddress),
            Self::Federal => Some(Step::FederalTaxSetup),
            Self::State => Some(Step::StateTaxSetup),
            Self::Payment => Some(Step::DirectDepositSetup),
            Self::Documents => Some(Step::EmployeeFormSigning),
            // I-9 has no step of its own: it is among the documents to sign.
            Self::I9
            | Self::PayStubs
            | Self::Deductions
            | Self::TimeOff
            | Self::Welcome
            | Self::Review
            | Self::Done => None,
        }
    }

    /// Whether the employee enters something there.
    const fn asks(self) -> bool {
        !matches!(self, Self::Welcome | Self::Review | Self::Done) && !self.is_read()
    }

    /// Whether it only shows something of the employee's.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::PayStubs | Self::Deductions | Self::TimeOff)
    }
}

/// The screens that a flow shows; `i9` when the employer asks for that form. Where nothing is entered there is nothing
/// to review.
fn screens(flow_types: &str, i9: bool) -> Vec<Screen> {
    use Screen::{
        Address, Deductions, Documents, Done, Federal, I9, PayStubs, Payment, Personal, Review, State,
        TimeOff, Welcome,
    };
    let mut asked = Vec::new();
    for flow_type in flow_types.split(',') {
        asked.extend_from_slice(match flow_type {
            "employee_self_management" => &[Personal, Address, Federal, State, Payment, I9, Documents],
            "employee_form_signing" => &[I9, Documents],
            "employee_federal_setup" => &[Federal],
            "employee_state_setup" => &[State],
            "deductions" => &[Deductions],
            "time_off" => &[TimeOff],
            "pay_stubs" => &[PayStubs],
            _ => &[][..],
        });
    }
    // In the order of the whole, each once, however the types are joined.
    let order = [
        Welcome, Personal, Address, Federal, State, Payment, PayStubs, Deductions, TimeOff, I9, Documents,
        Review, Done,
    ];
    let wanted = |screen: &Screen| match screen {
        Welcome | Done => true,
        Review => asked.iter().any(|screen| screen.asks()),
        I9 => i9 && asked.contains(&I9),
        _ => asked.contains(screen),
    };
    order.into_iter().filter(wanted).collect()
}

/// A step in the list of steps.
#[derive(Debug)]
pub struct Entry {
    /// shown
    pub title: &'static str,
    /// where it is entered
    pub path: String,
    /// whether nothing is open there
    pub done: bool,
    /// says so
    pub mark: &'static str,
    /// whether the visitor is there
    pub current: bool,
}

/// What surrounds a screen.
pub struct Frame {
    /// language of the page
    pub language: Language,
    /// its words
    pub texts: &'static Texts,
    /// the employer
    pub company: String,
    /// the employee's first name
    pub first_name: String,
    /// to be sent back by each form
    pub form_token: String,
    /// where the visitor is
    pub current: Option<Screen>,
    /// whether the screen shows entries that waited for this session
    pub kept: bool,
    /// how the pages look, and where they lead back to
    pub face: Face,
    screens: Vec<(Screen, bool)>,
}

store::hidden!(Frame);

impl Frame {
    /// Reads what surrounds the screens of a visitor.
    ///
    /// # Errors
    /// A store error.
    pub fn load(tx: &mut Tx<'_>, visitor: &Visitor, language: Option<Language>) -> Result<Self, Error> {
        let language = language.or(visitor.language).unwrap_or(Language::English);
        let company = companies::find(tx, visitor.caller.company)?.ok_or(Error::NotFound)?;
        let employee = employees::service::find(tx, &visitor.caller, visitor.employee)?;
        let complete = onboarding::service::completed_steps(tx, &visitor.caller, &employee)?;
        let i9_said = forms::rows::I9::find(tx, visitor.caller.company, visitor.employee)?.is_some();
        let is_done = |screen: Screen| match screen {
            Screen::I9 => i9_said,
            _ => screen.step().is_none_or(|step| complete.contains(step)),
        };
        let shown = screens(&visitor.flow_types, employee.i9_document);
        let mut screens: Vec<_> = shown.into_iter().map(|screen| (screen, is_done(screen))).collect();
        // The last two count as done only when nothing before them is open.
        let open = screens.iter().any(|(_, done)| !done);
        for (screen, done) in &mut screens {
            *done = *done && !(open && matches!(screen, Screen::Review | Screen::Done));
        }
        Ok(Self {
            language,
            texts: crate::flows::texts::of(language),
            company: company.name,
            first_name: employee.preferred_first_name.unwrap_or(employee.first_name),
            form_token: visitor.form_token.clone(),
            current: None,
            kept: false,
            face: face(tx, visitor.caller.company, visitor.link)?,
            screens,
        })
    }

    /// The same frame around a screen.
    #[must_use]
    pub fn at(self, screen: Screen) -> Self {
        Self { current: Some(screen), ..self }
    }

    /// The same frame; `kept` when its screen shows entries that waited for this session.
    #[must_use]
    pub fn showing_kept(self, kept: bool) -> Self {
        Self { kept, ..self }
    }

    /// The screen of a name, if this flow shows it.
    pub fn find(&self, name: &str) -> Option<Screen> {
        self.screens.iter().map(|(screen, _)| *screen).find(|screen| screen.name() == name)
    }

    /// Where somebody goes who has just come: to the beginning, or to where something is open.
    pub fn next_path(&self) -> String {
        let nothing_yet = self.screens.iter().all(|(screen, done)| screen.step().is_none() || !done);
        if nothing_yet { Screen::Welcome.path() } else { self.first_open().path() }
    }

    /// Where somebody goes who has just saved a screen: to the next open one, or to the end. What is to be read is
    /// shown on the way.
    pub fn path_after(&self, saved: Screen) -> String {
        if matches!(saved, Screen::Review | Screen::Done) {
            return Screen::Done.path();
        }
        let next = self.first_open();
        let place = |screen| self.screens.iter().position(|(shown, _)| *shown == screen);
        let (from, to) = (place(saved), place(next));
        let read = self.to_read().find(|screen| from < place(*screen) && place(*screen) < to);
        read.unwrap_or(next).path()
    }

    /// The screens that only show something, in their order.
    fn to_read(&self) -> impl Iterator<Item = Screen> {
        self.screens.iter().map(|(screen, _)| *screen).filter(|screen| screen.is_read())
    }

    /// Where the button of the first page leads: to the first open screen, or to what is to be read.
    pub fn first_open_path(&self) -> String {
        let read = self.to_read().next().filter(|_| self.asks_nothing());
        read.unwrap_or_else(|| self.first_open()).path()
    }

    fn first_open(&self) -> Screen {
        let open = self.screens.iter().find(|(_, done)| !done).map(|(screen, _)| *screen);
        open.unwrap_or(if self.asks_nothing() { Screen::Done } else { Screen::Review })
    }

    /// Whether there are only things to read.
    pub fn asks_nothing(&self) -> bool {
        !self.screens.iter().any(|(screen, _)| screen.asks())
    }

    /// Whether one of these screens is among those of the flow.
    pub fn shows(&self, screens: &[Screen]) -> bool {
        self.screens.iter().any(|(screen, _)| screens.contains(screen))
    }

    /// Titles of the screens on which something is open.
    pub fn open(&self) -> Vec<Entry> {
        self.entries()
            .into_iter()
            .filter(|entry| !entry.done && entry.path != Screen::Review.path())
            .collect()
    }

    /// The list of steps.
    pub fn entries(&self) -> Vec<Entry> {
        let listed =
            self.screens.iter().filter(|(screen, _)| !matches!(screen, Screen::Welcome | Screen::Done));
        listed
            .map(|(screen, done)| Entry {
                title: screen.title(self.texts),
                path: screen.path(),
                done: *done,
                mark: match (screen, done) {
                    (screen, _) if screen.is_read() => self.texts.step_read,
                    (_, true) => self.texts.step_done,
                    (_, false) => self.texts.step_open,
                },
                current: self.current == Some(*screen),
            })
            .collect()
    }

    /// Which of the steps the visitor is at, and how many there are; none on the first page and the last.
    pub fn step(&self) -> Option<(usize, usize)> {
        let entries = self.entries();
        let place = entries.iter().position(|entry| entry.current)?;
        (entries.len() > 1).then_some((place + 1, entries.len()))
    }

    /// The step in words.
    pub fn step_words(&self, place: &(usize, usize)) -> String {
        let (number, total) = (place.0.to_string(), place.1.to_string());
        fill(self.texts.step_of, &[("number", &number), ("total", &total)])
    }

    /// The screen before this one.
    pub fn back_path(&self) -> Option<String> {
        let place = self.screens.iter().position(|(screen, _)| Some(*screen) == self.current)?;
        let before = place.checked_sub(1)?;
        self.screens.get(before).map(|(screen, _)| screen.path())
    }

    /// The style sheet of the application's theme.
    pub fn theme_path(&self) -> Option<String> {
        let application = self.face.application?;
        let accent = self.face.theme.accent?;
        // The colour in the address lets a browser keep the sheet until there is another.
        Some(format!("/flow-theme/{application}/style.css?{}", &accent.to_text()[1..]))
    }

    /// The application's logo.
    pub fn logo_path(&self) -> Option<String> {
        let application = self.face.application?;
        self.face.theme.logo.as_ref().map(|logo| format!("/flow-theme/{application}/logo.png?{}", logo.len()))
    }

    /// Name of the screen, for the form that changes the language.
    pub fn screen_name(&self) -> &'static str {
        self.current.map_or("", Screen::name)
    }
}
