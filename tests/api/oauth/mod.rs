//! How an application is connected with a company: the pages on which an administrator decides, codes, and tokens.

mod clients;
mod codes;
mod consent;
mod credentials;
mod ending;
mod offboarding;
mod refresh;
mod requests;
mod sign_in;

use domain::Error;
use domain::access::applications;
use domain::access::applications::NewApplication;
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::access::users::service as people;
use domain::access::users::service::RoleHolder;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::pages::value_of;
use crate::support::{Answer, Call, Company, REDIRECT_URI, World};

/// Somebody with a password.
#[derive(Clone)]
pub struct User {
    pub id: Uuid,
    pub email: String,
    pub password: String,
}

/// Makes somebody with roles in companies. The company's name tells them apart.
pub async fn user(world: &World, roles: &[(&Company, Role)]) -> User {
    let roles: Vec<_> = roles.iter().map(|(company, role)| (company.id, *role)).collect();
    let made: Result<_, Error> = world
        .app
        .store
        .write(move |tx| {
            let person = RoleHolder {
                first_name: "Ann".to_owned(),
                last_name: "Lee".to_owned(),
                email: format!("Ann.{}@Diner.example", tx.new_id().simple()),
                phone: None,
            };
            for (company, role) in &roles {
                people::give_role(
                    tx,
                    &Caller::for_service(*company, jiff::tz::TimeZone::UTC),
                    &person,
                    *role,
                )?;
            }
            let user = people::find_or_create_user(tx, &person)?;
            let password = people::new_password(tx, user.id)?;
            Ok(User { id: user.id, email: user.email, password })
        })
        .await;
    made.unwrap()
}

/// Changes what a user may do in a company.
pub async fn set_role(world: &World, company: &Company, user: &User, role: Role) {
    let (company, user) = (company.id, user.id);
    let set = world.app.store.write(move |tx| {
        tx.take_guard(company, "company_admins", company)?;
        domain::access::users::rows::set_role(tx, company, user, role)
    });
    set.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
}

/// A public client: one without a secret.
pub async fn public_client(world: &World) -> Uuid {
    let new = NewApplication { public: true, ..NewApplication::new("Phone", &[REDIRECT_URI]) };
    let made = world.app.store.write(move |tx| applications::create_application(tx, &new)).await;
    made.unwrap_or_else(|error: Error| panic!("{error:?}")).id
}

/// The address of an application's request, with these parameters changed; an empty value leaves one out.
pub fn request(world: &World, changes: &[(&str, &str)]) -> String {
    let application = world.application.to_string();
    let mut all = vec![
        ("client_id", application.as_str()),
        ("redirect_uri", REDIRECT_URI),
        ("response_type", "code"),
        ("state", "state 1"),
    ];
    for (name, value) in changes {
        all.retain(|(held, _)| held != name);
        if !value.is_empty() {
            all.push((name, value));
        }
    }
    format!("/oauth/authorize?{}", form(&all))
}

/// A form's body, or a query.
pub fn form(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The parameters of an address, decoded.
pub fn query(address: &str) -> Vec<(String, String)> {
    let text = address.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// The address to which the browser is sent: by a redirect, or by the page from which it leaves the service.
pub fn address_of(answer: &Answer) -> &str {
    let refresh = answer.header("refresh");
    refresh.strip_prefix("0; url=").unwrap_or_else(|| answer.header("location"))
}

/// A parameter of that address.
pub fn sent(answer: &Answer, name: &str) -> Option<String> {
    query(address_of(answer)).into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
}

/// A browser: it keeps its cookie, and sends forms as they stand on the page.
pub struct Browser {
    pub world: World,
    pub cookie: Option<String>,
    /// what the page that a refused form leads to reads
    pub answer: Option<String>,
}

impl Browser {
    pub fn new(world: &World) -> Self {
        Self { world: world.clone(), cookie: None, answer: None }
    }

    pub fn call(&self, method: &str, address: &str) -> Call {
        let call = self.world.call(method, address);
        let held = [("user", &self.cookie), ("answer", &self.answer)];
        let named = held.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let cookies: Vec<_> = named.map(|(name, value)| format!("__Host-stipend-{name}={value}")).collect();
        if cookies.is_empty() { call } else { call.header("cookie", cookies.join("; ")) }
    }

    pub fn keep(&mut self, answer: &Answer) {
        if let Some(cookie) = answer.header("set-cookie").strip_prefix("__Host-stipend-user=") {
            self.cookie = cookie.split(';').next().filter(|value| !value.is_empty()).map(str::to_owned);
        }
        if let Some(cookie) = answer.header("set-cookie").strip_prefix("__Host-stipend-answer=") {
            self.answer = cookie.split(';').next().map(str::to_owned);
        }
    }

    pub async fn get(&mut self, address: &str) -> Answer {
        let answer = self.call("GET", address).send().await;
        self.keep(&answer);
        answer
    }

    /// Presses a button on a page; the browser follows where it is sent on this host.
    pub async fn press(&mut self, page: &Answer, action: &str, fields: &[(&str, &str)]) -> Answer {
        let html = page.text();
        let (to, token) = (form_action(&html), value_of(&html, "form_token"));
        let all = [&[("form_token", token.as_str()), ("action", action)], fields].concat();
        let answer = self.post(&to, &all).send().await;
        self.keep(&answer);
        if answer.header("location").starts_with('/') {
            let next = answer.is(303).header("location").to_owned();
            return self.get(&next).await;
        }
        answer
    }

    pub fn post(&self, to: &str, fields: &[(&str, &str)]) -> Call {
        self.call("POST", to).header("content-type", "application/x-www-form-urlencoded").body(form(fields))
    }

    /// Signs in on the page of a request.
    pub async fn sign_in(&mut self, address: &str, user: &User) -> Answer {
        let page = self.get(address).await.is(200);
        self.press(&page, "sign_in", &[("email", &user.email), ("password", &user.password)]).await
    }
}

pub fn form_action(html: &str) -> String {
    html.split("action=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&")
}

/// The whole way to a code, for a user of one company or several.
pub async fn code_for(address: &str, world: &World, user: &User, company: &Company) -> String {
    let mut browser = Browser::new(world);
    let id = company.id.to_string();
    let mut page = browser.sign_in(address, user).await;
    if page.text().contains("Choose a company") {
        page = browser.press(&page, "choose", &[("company", &id)]).await;
    }
    let left = browser.press(&page.is(200), "allow", &[("company", &id)]).await.is(200);
    sent(&left, "code").unwrap()
}

/// The body with which the world's application exchanges a code.
pub fn exchange(world: &World, code: &str) -> Value {
    json!({ "grant_type": "authorization_code", "client_id": world.application, "client_secret": world.client_secret,
            "code": code, "redirect_uri": REDIRECT_URI })
}

/// The body with which the world's application asks for the next pair.
pub fn refresh_with(world: &World, token: &str) -> Value {
    json!({ "grant_type": "refresh_token", "client_id": world.application, "client_secret": world.client_secret,
            "refresh_token": token })
}

pub async fn token(world: &World, body: &Value) -> Answer {
    world.call("POST", "/oauth/token").json(body).send().await
}

/// The `error` of a refusal.
#[track_caller]
pub fn error(answer: &Answer) -> String {
    answer.json()["error"].as_str().unwrap().to_owned()
}

/// A company that was connected by its administrator, with the answer of the exchange.
pub async fn connected(world: &World) -> (Company, User, Value) {
    let company = world.company().await;
    let user = user(world, &[(&company, Role::FullAccess)]).await;
    let code = code_for(&request(world, &[]), world, &user, &company).await;
    let given = token(world, &exchange(world, &code)).await.ok();
    (company, user, given)
}

/// What a token is answered when it reads its company.
pub async fn reads(company: &Company, token: &str) -> u16 {
    let call = company.world.call("GET", format!("/v1/companies/{}", company.id)).bearer(token);
    call.send().await.status.as_u16()
}
