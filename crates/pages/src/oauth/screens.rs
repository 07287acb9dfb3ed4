//! The screens of the authorization server as HTML, in the language of the reader.

use askama::Template;
use uuid::Uuid;

use super::authorize;
use super::authorize::AuthorizationRequest;
use super::consent;
use super::texts::Texts;
use domain::Error;
use domain::access::users::rows::Administered;
use domain::language::{Language, fill_placeholders};

/// The screen after an application's request.
#[derive(Debug)]
pub enum Screen {
    /// nobody is signed in
    SignIn,
    /// the user may authorize no company
    Nowhere(String),
    /// the user administers several companies
    Choose {
        /// the user
        user: String,
        /// the companies to select from
        companies: Vec<Administered>,
    },
    /// the consent for one company
    Consent {
        /// the user
        user: String,
        /// the company
        company: Administered,
        /// whether another company could be selected
        several: bool,
    },
}

/// The frame of a screen.
pub struct Frame<'a> {
    /// language of the page
    pub language: Language,
    /// the request; `None` on a standalone page
    pub asked: Option<&'a AuthorizationRequest>,
    /// sent back by the form
    pub form_token: &'a str,
}

store::hidden!(Frame<'a>);

impl Frame<'_> {
    /// The logo of the application, if it has one.
    fn logo_path(&self) -> Option<String> {
        self.asked.and_then(AuthorizationRequest::logo_path)
    }

    /// The name above the page: the application's, as its theme has it, or the service's.
    fn brand(&self) -> &str {
        let theme = self.asked.map(|asked| &asked.theme);
        theme.and_then(|theme| theme.display_name.as_deref()).unwrap_or("stipend")
    }

    /// The form's target.
    fn form_action(&self) -> String {
        self.asked.map(AuthorizationRequest::page_url).unwrap_or_default()
    }
}

/// Messages of a page.
#[derive(Debug, Default)]
pub struct ScreenState<'a> {
    /// why the form was refused
    pub problem: Option<&'a str>,
    /// the entered e-mail address
    pub email: &'a str,
}

/// The texts of a standalone page.
#[derive(Debug)]
pub struct Message<'a> {
    /// the heading
    pub title: &'a str,
    /// what happened
    pub text: &'a str,
    /// details for a developer
    pub detail: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "oauth/sign_in.html")]
struct SignInPage<'a> {
    frame: &'a Frame<'a>,
    t: &'static Texts,
    text: String,
    problem: Option<&'a str>,
    email: &'a str,
}

#[derive(Template)]
#[template(path = "oauth/nowhere.html")]
struct NowherePage<'a> {
    frame: &'a Frame<'a>,
    t: &'static Texts,
    text: String,
}

#[derive(Template)]
#[template(path = "oauth/choose.html")]
struct ChoosePage<'a> {
    frame: &'a Frame<'a>,
    t: &'static Texts,
    text: String,
    signed_in: String,
    problem: Option<&'a str>,
    companies: &'a [Administered],
}

#[derive(Template)]
#[template(path = "oauth/consent.html")]
struct ConsentPage<'a> {
    frame: &'a Frame<'a>,
    t: &'static Texts,
    title: String,
    question: String,
    able_to: String,
    allowed: Vec<String>,
    role: String,
    afterwards: String,
    signed_in: String,
    problem: Option<&'a str>,
    company_id: Uuid,
    several: bool,
}

#[derive(Template)]
#[template(path = "oauth/message.html")]
struct MessagePage<'a> {
    frame: Frame<'a>,
    t: &'static Texts,
    title: &'a str,
    text: &'a str,
    detail: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "oauth/leave.html")]
struct LeavePage<'a> {
    frame: Frame<'a>,
    t: &'static Texts,
    text: String,
    to: &'a str,
}

/// A screen as a page.
///
/// # Errors
/// "Internal" if a template cannot be rendered.
pub fn render_screen(
    frame: &Frame<'_>,
    asked: &AuthorizationRequest,
    screen: &Screen,
    state: &ScreenState<'_>,
) -> Result<String, Error> {
    let (t, problem) = (crate::oauth::texts::texts_in_language(frame.language), state.problem);
    let application = ("application", &*asked.application.name);
    let signed_in = |user: &str| fill_placeholders(t.signed_in_as, &[("user", user)]);
    let rendered = match screen {
        Screen::SignIn => {
            let text = fill_placeholders(t.sign_in_text, &[application]);
            SignInPage { frame, t, text, problem, email: state.email }.render()
        }
        Screen::Nowhere(user) => {
            NowherePage { frame, t, text: fill_placeholders(t.nowhere_text, &[("user", user)]) }.render()
        }
        Screen::Choose { user, companies } => {
            let text = fill_placeholders(t.choose_text, &[application]);
            ChoosePage { frame, t, text, signed_in: signed_in(user), problem, companies }.render()
        }
        Screen::Consent { user, company, several } => {
            let both = [application, ("company", &*company.name)];
            let page = ConsentPage {
                frame,
                t,
                title: fill_placeholders(t.consent, &both),
                question: fill_placeholders(t.consent_title, &both),
                able_to: fill_placeholders(t.consent_allowed, &both),
                allowed: consent::scope_lines(asked.scopes, t),
                role: fill_placeholders(t.consent_role, &both),
                afterwards: fill_placeholders(t.afterwards, &[("origin", asked.redirect_origin())]),
                signed_in: signed_in(user),
                problem,
                company_id: company.company,
                several: *several,
            };
            page.render()
        }
    };
    rendered.map_err(Error::failed_operation("a page could not be written"))
}

/// A standalone page.
///
/// # Errors
/// "Internal" if the template cannot be rendered.
pub fn render_message(language: Language, message: &Message<'_>) -> Result<String, Error> {
    let Message { title, text, detail } = *message;
    let frame = Frame { language, asked: None, form_token: "" };
    let page =
        MessagePage { frame, t: crate::oauth::texts::texts_in_language(language), title, text, detail };
    page.render().map_err(Error::failed_operation("a page could not be written"))
}

/// The page from which the browser goes on to the application.
///
/// # Errors
/// "Internal" if the template cannot be rendered.
pub fn render_leaving(language: Language, to: &str) -> Result<String, Error> {
    let (frame, t) =
        (Frame { language, asked: None, form_token: "" }, crate::oauth::texts::texts_in_language(language));
    let text = fill_placeholders(t.leave_text, &[("origin", authorize::url_origin(to))]);
    LeavePage { frame, t, text, to }.render().map_err(Error::failed_operation("a page could not be written"))
}
