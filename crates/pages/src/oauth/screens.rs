//! What the pages of the authorization server look like: each screen as HTML, in the language of its reader.

use askama::Template;
use uuid::Uuid;

use super::authorize::AuthorizationRequest;
use super::consent;
use super::texts::Texts;
use domain::Error;
use domain::access::users::rows::Administered;
use domain::language::{Language, fill};

/// What somebody sees who follows an application's request.
#[derive(Debug)]
pub enum Screen {
    /// nobody is signed in
    SignIn,
    /// signed in as somebody who may authorize nowhere
    Nowhere(String),
    /// administers several companies
    Choose {
        /// who is signed in
        user: String,
        /// those that can be chosen
        companies: Vec<Administered>,
    },
    /// one company is to be connected
    Consent {
        /// who is signed in
        user: String,
        /// the company
        company: Administered,
        /// whether another one could be chosen
        several: bool,
    },
}

/// What surrounds a screen.
pub struct Frame<'a> {
    /// language of the page
    pub language: Language,
    /// what is asked; none on a page that stands alone
    pub asked: Option<&'a AuthorizationRequest>,
    /// to be sent back by the form
    pub form_token: &'a str,
}

store::hidden!(Frame<'a>);

impl Frame<'_> {
    /// Where the form goes.
    fn form_action(&self) -> String {
        self.asked.map(AuthorizationRequest::page).unwrap_or_default()
    }
}

/// What a page says beyond itself.
#[derive(Debug, Default)]
pub struct ScreenState<'a> {
    /// why the form was not taken
    pub problem: Option<&'a str>,
    /// the address that was entered
    pub email: &'a str,
    /// seconds until the next attempt
    pub wait: Option<i64>,
}

/// What a page says that stands alone.
#[derive(Debug)]
pub struct Message<'a> {
    /// the heading
    pub title: &'a str,
    /// what happened
    pub text: &'a str,
    /// more, for a developer
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

/// A screen as a page.
///
/// # Errors
/// "Internal" when a template cannot be filled.
pub fn render(
    frame: &Frame<'_>,
    asked: &AuthorizationRequest,
    screen: &Screen,
    state: &ScreenState<'_>,
) -> Result<String, Error> {
    let (t, problem) = (crate::oauth::texts::of(frame.language), state.problem);
    let application = ("application", &*asked.application.name);
    let signed_in = |user: &str| fill(t.signed_in_as, &[("user", user)]);
    let rendered = match screen {
        Screen::SignIn => {
            let text = fill(t.sign_in_text, &[application]);
            SignInPage { frame, t, text, problem, email: state.email }.render()
        }
        Screen::Nowhere(user) => {
            NowherePage { frame, t, text: fill(t.nowhere_text, &[("user", user)]) }.render()
        }
        Screen::Choose { user, companies } => {
            let text = fill(t.choose_text, &[application]);
            ChoosePage { frame, t, text, signed_in: signed_in(user), problem, companies }.render()
        }
        Screen::Consent { user, company, several } => {
            let both = [application, ("company", &*company.name)];
            let page = ConsentPage {
                frame,
                t,
                title: fill(t.consent, &both),
                question: fill(t.consent_title, &both),
                able_to: fill(t.consent_allowed, &both),
                allowed: consent::lines(asked.scopes, t),
                role: fill(t.consent_role, &both),
                afterwards: fill(t.afterwards, &[("origin", asked.origin())]),
                signed_in: signed_in(user),
                problem,
                company_id: company.company,
                several: *several,
            };
            page.render()
        }
    };
    rendered.map_err(Error::failed("a page could not be written"))
}

/// A page that stands alone.
///
/// # Errors
/// "Internal" when the template cannot be filled.
pub fn message(language: Language, message: &Message<'_>) -> Result<String, Error> {
    let Message { title, text, detail } = *message;
    let frame = Frame { language, asked: None, form_token: "" };
    let page = MessagePage { frame, t: crate::oauth::texts::of(language), title, text, detail };
    page.render().map_err(Error::failed("a page could not be written"))
}
