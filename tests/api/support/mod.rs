//! Worlds to test in: the service on either engine, with a clock that stands, and companies that call it.

mod client;
mod contractor_payments;
mod operations;
mod people;
mod records;
mod samples;
mod setup;
mod target;

pub use client::{Answer, Call, Refusal};
pub use operations::{Operation, description, is_for_applications, operations};
pub use people::{Hired, home, id_of, place, text};
pub use setup::signatory;
pub use target::Target;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use axum::Router;
use background::worker::Fired;
use domain::Error;
use domain::SCHEMA;
use domain::access::scope::Scopes;
use domain::access::tokens as auth;
use domain::access::tokens::{NewToken, TokenKind};
use domain::access::{applications, connections};
use domain::company::companies::rows as companies;
use domain::version::ApiVersion;
use interface::app::App;
use interface::config::Settings;
use jiff::{Span, Timestamp, ToSpan};
use pages::routes;
use store::{Clock, MasterKeys, Options, Store};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::guards::Guards;
use crate::postgres_server;

/// The moment at which every world begins: a Monday, noon in Greenwich, morning in the United States.
pub const START: &str = "2026-06-15T12:00:00Z";

/// Who the authorization server says it is.
pub const ISSUER: &str = "https://payroll.example";

/// The addresses to which people go back after consent.
pub const REDIRECT_URI: &str = "https://pos.example/callback";
pub const REDIRECT_WITH_QUERY: &str = "https://pos.example:8443/back?tenant=7";

/// An identifier that nothing has.
pub const NOBODY: &str = "0197a1b2-0000-7000-8000-00000000dead";

/// An application whose requests have a version of the specification when they name none: most tests hold its sentences.
fn of_the_specification(name: &str, redirect_uris: &[&str]) -> applications::NewApplication {
    let version = ApiVersion::V2025_06_15;
    applications::NewApplication { version, ..applications::NewApplication::new(name, redirect_uris) }
}

/// Where a world keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Runs a test on both engines; on PostgreSQL only where there is one.
pub fn on_both_engines(test: impl AsyncFn(Engine)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        if engine == Engine::Sqlite && postgres_server::citus::wanted() {
            continue;
        }
        if engine == Engine::Postgres && postgres_server::server().is_none() {
            continue;
        }
        eprintln!("on {engine:?}");
        runtime.block_on(test(engine));
    }
}

impl Engine {
    /// The world that tests share which neither move the clock nor look at what others do.
    pub async fn world(self) -> World {
        static SQLITE: OnceCell<World> = OnceCell::const_new();
        static POSTGRES: OnceCell<World> = OnceCell::const_new();
        let (cell, place) = match self {
            Self::Sqlite => (&SQLITE, Place::of_another("sqlite::memory:")),
            Self::Postgres => (&POSTGRES, Place::with_tables(self)),
        };
        cell.get_or_init(|| World::open(place, |_| {})).await.clone()
    }

    /// A world of one's own; an SQLite world has a file.
    pub async fn own_world(self) -> World {
        self.own_world_with(|_| {}).await
    }

    /// A world of one's own where it is needed, and else the shared one.
    pub async fn own_world_if(self, needed: bool) -> World {
        if needed { self.own_world().await } else { self.world().await }
    }

    /// A world of one's own with other settings.
    pub async fn own_world_with(self, change: impl FnOnce(&mut Setup)) -> World {
        World::open(Place::with_tables(self), change).await
    }

    /// The address of an empty database.
    pub fn empty_database(self) -> Place {
        Place::new(self)
    }
}

/// A database. Its data go with it: a thousand of them in memory would take all that a machine has.
pub struct Place {
    pub url: String,
    data: Data,
}

/// What goes with a place.
enum Data {
    Folder(TempDir),
    Database(#[expect(dead_code, reason = "held until it is dropped")] postgres_server::Database),
    /// Nothing: it is in the memory of this process, or somebody else's.
    Elsewhere,
}

impl Place {
    /// An empty one.
    fn new(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => {
                // What these tests ask of a file does not depend on the disk under it.
                let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
                let url = format!("sqlite:{}", folder.path().join("world.db").display());
                Self { url, data: Data::Folder(folder) }
            }
            Engine::Postgres => Self::on_server(postgres_server::server().unwrap().database()),
        }
    }

    fn on_server(url: String) -> Self {
        let data = Data::Database(postgres_server::Database::at(&url));
        Self { url, data }
    }

    /// That of somebody else, who keeps it.
    fn of_another(url: &str) -> Self {
        Self { url: url.to_owned(), data: Data::Elsewhere }
    }

    /// One in which the tables are made already. That is done once; a copy takes a tenth of the time.
    fn with_tables(engine: Engine) -> Self {
        static SQLITE: OnceLock<Vec<u8>> = OnceLock::new();
        static POSTGRES: OnceLock<Place> = OnceLock::new();
        let make = || {
            let first = Self::new(engine);
            drop(open_store(&first.url, None));
            first
        };
        match engine {
            Engine::Sqlite => {
                let tables = SQLITE.get_or_init(|| std::fs::read(make().file()).unwrap());
                let place = Self::new(engine);
                std::fs::write(place.file(), tables).unwrap();
                place
            }
            Engine::Postgres if postgres_server::citus::wanted() => make(),
            Engine::Postgres => {
                let tables = &POSTGRES.get_or_init(make).url;
                Self::on_server(postgres_server::server().unwrap().database_like(tables))
            }
        }
    }

    /// The file of an SQLite database.
    fn file(&self) -> &str {
        self.url.strip_prefix("sqlite:").unwrap()
    }

    /// The folder of that file.
    fn folder(&self) -> Option<PathBuf> {
        let Data::Folder(folder) = &self.data else { return None };
        Some(folder.path().to_owned())
    }
}

/// What a world can be told before it begins.
pub struct Setup {
    pub settings: Settings,
    pub seed: Option<u64>,
    /// whether each request comes a millisecond after the one before
    pub time_passes: bool,
    /// the moment at which it begins
    pub begins: &'static str,
}

/// A running service; clones share it.
#[derive(Clone)]
pub struct World(Arc<Inner>);

pub struct Inner {
    pub app: App,
    pub router: Router,
    pub application: Uuid,
    /// with which the application gets its tokens
    pub client_secret: String,
    /// sent as `Authorization: Token …`
    pub api_token: String,
    /// sent as `Authorization: Bearer …`
    pub system_token: String,
    time_passes: bool,
    place: Place,
}

impl Deref for World {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// The metrics token of a world.
pub const OPERATOR: &str = "of-the-operator";

impl World {
    pub async fn open(place: Place, change: impl FnOnce(&mut Setup)) -> Self {
        let settings = Settings {
            rate_limit: 0,
            token_rate_limit: 0,
            address_rate_limit: 0,
            webhook_verifications: 0,
            test_helpers: true,
            flow_url: Some("https://pages.example".to_owned()),
            webhook_private_addresses: true,
            public_url: Some(ISSUER.to_owned()),
            metrics_token: Some(OPERATOR.to_owned()),
            ..Settings::default()
        };
        let mut setup = Setup { settings, seed: None, time_passes: true, begins: START };
        change(&mut setup);
        let store = open_store_at(&place.url, setup.begins, |options| options.seed = setup.seed);
        let created: Result<_, Error> = store
            .write(|tx| {
                let new = of_the_specification("Register", &[REDIRECT_URI, REDIRECT_WITH_QUERY]);
                let created = applications::create_application(tx, &new)?;
                let scopes = Scopes::ALL.to_text();
                let system = auth::issue_token(
                    tx,
                    &NewToken {
                        kind: TokenKind::System,
                        application: created.id,
                        company: None,
                        user: None,
                        scopes: &scopes,
                        expires_at: None,
                    },
                )?;
                let (secret, api_token) = (created.secret.unwrap(), created.api_token.unwrap());
                Ok((created.id, secret.text, api_token.text, system.text))
            })
            .await;
        let (application, client_secret, api_token, system_token) = created.unwrap();
        let (app, router) = routes::build_service(store, setup.settings);
        let time_passes = setup.time_passes;
        Self(Arc::new(Inner {
            app,
            router,
            application,
            client_secret,
            api_token,
            system_token,
            time_passes,
            place,
        }))
    }

    /// Another node on the same database.
    pub fn second_node(&self) -> Self {
        self.second_node_with(|_| {})
    }

    /// The same with another clock, or other limits.
    pub fn second_node_with(&self, change: impl FnOnce(&mut Options)) -> Self {
        self.second_node_at(self.url(), change)
    }

    /// The same on a copy of the database.
    pub fn second_node_at(&self, url: &str, change: impl FnOnce(&mut Options)) -> Self {
        let store = open_store_at(url, START, change);
        let (app, router) = routes::build_service(store, self.app.settings.clone());
        Self(Arc::new(Inner {
            app,
            router,
            application: self.application,
            client_secret: self.client_secret.clone(),
            api_token: self.api_token.clone(),
            system_token: self.system_token.clone(),
            time_passes: self.time_passes,
            place: Place::of_another(url),
        }))
    }

    /// A company of this world's application, with a token that may do everything.
    pub async fn company(&self) -> Company {
        self.company_of(self.application).await
    }

    pub async fn company_of(&self, application: Uuid) -> Company {
        self.tick();
        let created: Result<_, Error> = self
            .app
            .store
            .write(|tx| {
                let (id, now) = (tx.new_id(), tx.now());
                let company = companies::Company {
                    ein: Some("741852096".to_owned()),
                    entity_type: Some("S-Corporation".to_owned()),
                    company_status: rules::company::Status::Approved,
                    is_partner_managed: true,
                    time_zone: "America/Chicago".to_owned(),
                    ..companies::Company::new(id, "Blue Heron Diners".to_owned(), now)
                };
                companies::insert_company(tx, &company)?;
                Ok(id)
            })
            .await;
        let id = created.unwrap();
        let token = self.token(TokenKind::Company, application, Some(id), &Scopes::ALL.to_text(), None).await;
        let noted = self
            .app
            .store
            .write(move |tx| connections::record_managing_application(tx, id, application))
            .await;
        noted.unwrap_or_else(|error: Error| panic!("{error:?}"));
        let system_token = if application == self.application {
            self.system_token.clone()
        } else {
            self.token(TokenKind::System, application, None, &Scopes::ALL.to_text(), None).await
        };
        Company { world: self.clone(), id, token, application, system_token }
    }

    /// A further application, with its API token.
    pub async fn another_application(&self) -> (Uuid, String) {
        self.tick();
        let created = self
            .app
            .store
            .write(|tx| applications::create_application(tx, &of_the_specification("Another register", &[])))
            .await;
        let created = created.unwrap_or_else(|error: Error| panic!("{error:?}"));
        (created.id, created.api_token.unwrap().text)
    }

    /// A new token.
    pub async fn token(
        &self,
        kind: TokenKind,
        application: Uuid,
        company: Option<Uuid>,
        scopes: &str,
        lifetime: Option<i64>,
    ) -> String {
        self.tick();
        let scopes = scopes.to_owned();
        let issued = self.app.store.write(move |tx| {
            let expires_at = lifetime.map(|seconds| tx.now() + seconds.seconds());
            let new = NewToken { kind, application, company, user: None, scopes: &scopes, expires_at };
            auth::issue_token(tx, &new)
        });
        issued.await.unwrap_or_else(|error: Error| panic!("{error:?}")).text
    }

    pub fn now(&self) -> Timestamp {
        self.app.store.clock().now()
    }

    /// Lets time pass; what falls due on the way happens.
    pub async fn wait(&self, span: Span) -> Vec<Fired> {
        self.wait_until(self.now() + span).await
    }

    pub async fn wait_until(&self, moment: Timestamp) -> Vec<Fired> {
        self.app.worker.advance_clock(moment).await.unwrap()
    }

    fn tick(&self) {
        if self.time_passes {
            let clock = self.app.store.clock();
            clock.advance_to(clock.now() + Span::new().milliseconds(1));
        }
    }

    pub fn url(&self) -> &str {
        &self.place.url
    }

    /// The folder of an SQLite world's file.
    pub fn folder(&self) -> Option<PathBuf> {
        self.place.folder()
    }
}

/// Opens a store whose time stands.
pub fn open_store(url: &str, seed: Option<u64>) -> Store {
    open_store_at(url, START, |options| options.seed = seed)
}

/// The same with so many connections.
pub fn open_store_with(url: &str, connections: usize) -> Store {
    open_store_at(url, START, |options| options.threads = Some(connections))
}

pub fn open_store_at(url: &str, begins: &str, change: impl FnOnce(&mut Options)) -> Store {
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let mut options = Options::new(Clock::standing_at(begins.parse().unwrap()), keys, SCHEMA);
    options.threads = Some(3);
    options.watch = Some(Arc::new(Guards));
    change(&mut options);
    Store::open(url, options).unwrap()
}

/// A company, as the partner application that calls for it.
#[derive(Clone)]
pub struct Company {
    pub world: World,
    pub id: Uuid,
    pub token: String,
    /// the application that calls
    pub application: Uuid,
    /// its own token, for what concerns no single company
    pub system_token: String,
}

impl Company {
    /// A request with the company's token, or the application's where the operation takes only that. `{company}` in
    /// the path stands for the company.
    pub fn call(&self, method: &str, path: impl AsRef<str>) -> Call {
        let path = path.as_ref().replace("{company}", &self.id.to_string());
        let token = if is_for_applications(&path) { &self.system_token } else { &self.token };
        self.world.call(method, path).bearer(token)
    }

    /// Attaches a file to the company.
    pub async fn attach(&self, file_name: &str, content: &[u8]) -> Answer {
        let parts = [("category", None, &b"compliance"[..]), ("document", Some(file_name), content)];
        self.call("POST", "/v1/companies/{company}/attachments").form(parts).send().await
    }

    pub async fn get(&self, path: impl AsRef<str>) -> Answer {
        self.call("GET", path).send().await
    }

    pub async fn post(&self, path: impl AsRef<str>, body: serde_json::Value) -> Answer {
        self.call("POST", path).json(&body).send().await
    }

    pub async fn put(&self, path: impl AsRef<str>, body: serde_json::Value) -> Answer {
        self.call("PUT", path).json(&body).send().await
    }

    pub async fn delete(&self, path: impl AsRef<str>) -> Answer {
        self.call("DELETE", path).send().await
    }

    /// Makes calls at the same time; their statuses, the lowest first.
    pub async fn at_once<F: Future<Output = Answer> + Send + 'static>(
        &self,
        count: usize,
        call: impl Fn(Self) -> F,
    ) -> Vec<u16> {
        let calls: Vec<_> = (0..count).map(|_| tokio::spawn(call(self.clone()))).collect();
        let mut statuses = Vec::with_capacity(count);
        for call in calls {
            statuses.push(call.await.unwrap().status.as_u16());
        }
        statuses.sort_unstable();
        statuses
    }

    /// The same company as a further application sees it that is connected to it.
    pub async fn for_another_application(&self) -> Self {
        let (application, _) = self.world.another_application().await;
        let company = self.id;
        let connected =
            self.world.app.store.write(move |tx| connections::connect_application(tx, company, application));
        connected.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
        let all = Scopes::ALL.to_text();
        let system_token = self.world.token(TokenKind::System, application, None, &all, None).await;
        Self { application, system_token, ..self.clone() }
    }

    /// The same company with a token that has these scopes only.
    pub async fn with_scopes(&self, scopes: &str) -> Self {
        let application = self.world.application;
        let token = self.world.token(TokenKind::Company, application, Some(self.id), scopes, None).await;
        Self { token, ..self.clone() }
    }
}
