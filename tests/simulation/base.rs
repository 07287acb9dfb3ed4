//! The world from which every simulation begins: made once, through the interface where it has one, and copied for each
//! seed.

use std::path::PathBuf;
use std::sync::OnceLock;

use axum::Router;
use domain::Error;
use domain::SCHEMA;
use domain::access::scope::Scopes;
use domain::access::tokens as auth;
use domain::access::tokens::{Caller, NewToken, TokenKind};
use domain::access::users::Role;
use domain::access::users::service as people;
use domain::access::users::service::RoleHolder;
use domain::access::{applications, connections};
use domain::company::companies::rows as companies;
use domain::version::ApiVersion;
use interface::app::App;
use interface::config::Settings;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pages::routes;
use serde_json::{Value, json};
use store::{Clock, MasterKeys, Options, Store, Tx};
use tempfile::TempDir;
use uuid::Uuid;

use crate::wire::{Ask, send, text};

/// What a benefit that is a deferral is called here, so that it can be told apart.
pub const DEFERRAL: &str = "Deferral";

/// The moment at which the first company is made.
const START: &str = "2026-06-15T12:00:00Z";
/// Where people go back to after consent.
pub const REDIRECT: &str = "https://pos.example/callback";

/// A company with what it takes to pay people.
#[derive(Debug, Clone)]
pub struct Tenant {
    pub id: Uuid,
    pub token: String,
    pub location: String,
    /// people who have been onboarded
    pub employees: Vec<String>,
    /// what the company offers
    pub benefits: Vec<String>,
    /// the administrator who consents
    pub user: Uuid,
}

/// What every world begins with.
pub struct Base {
    _folder: TempDir,
    pub file: PathBuf,
    pub begins: Timestamp,
    pub application: Uuid,
    pub client_secret: String,
    /// the application's own token
    pub system: String,
    pub tenants: [Tenant; 2],
}

/// How every world is configured.
pub fn settings() -> Settings {
    Settings {
        rate_limit: 0,
        token_rate_limit: 0,
        address_rate_limit: 0,
        webhook_verifications: 0,
        webhook_private_addresses: true,
        public_url: Some("https://payroll.example".to_owned()),
        flow_url: Some("https://pages.example".to_owned()),
        ..Settings::default()
    }
}

/// How every store is opened: nothing in it depends on how quick the machine is.
pub fn options(clock: Clock, seed: u64) -> Options {
    let keys = MasterKeys::parse(&"5e".repeat(32)).unwrap();
    let mut options = Options::new(clock, keys, SCHEMA);
    options.threads = Some(1);
    options.seed = Some(seed);
    options.unit_limit = std::time::Duration::from_secs(600);
    options.group_time = std::time::Duration::from_secs(600);
    options
}

/// A place for files that need no disk.
pub fn folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

/// The base of all worlds.
pub fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let make = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(Maker::make())
        };
        // Whoever asks first may be on a runtime already.
        std::thread::scope(|scope| scope.spawn(make).join().unwrap())
    })
}

struct Maker {
    app: App,
    router: Router,
}

impl Maker {
    async fn make() -> Base {
        let folder = folder();
        let file = folder.path().join("base.db");
        let clock = Clock::standing_at(START.parse().unwrap());
        let url = format!("sqlite:{}", file.display());
        let store = Store::open(&url, options(clock, u64::MAX)).unwrap();
        let (app, router) = routes::build_service(store, settings());
        let maker = Self { app, router };
        let (application, client_secret, system) = maker.unit(application).await;
        let tenants = [maker.tenant(application, 0).await, maker.tenant(application, 1).await];
        let begins = maker.app.store.clock().now();
        drop(maker);
        // One file without a log.
        let whole = folder.path().join("whole.db");
        store::backup_file(&url, &whole).unwrap();
        let file = whole;
        Base { _folder: folder, file, begins, application, client_secret, system, tenants }
    }

    async fn unit<T: Send + 'static>(
        &self,
        unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.tick();
        self.app.store.write(unit).await.unwrap()
    }

    fn tick(&self) {
        let clock = self.app.store.clock();
        clock.advance_to(clock.now() + jiff::Span::new().milliseconds(1));
    }

    async fn call(&self, tenant: &Tenant, method: &'static str, path: &str, body: Value) -> Value {
        self.tick();
        let path = path.replace("{company}", &tenant.id.to_string());
        let ask = Ask::write(method, path, &tenant.token, body);
        let told = send(self.router.clone(), ask.clone()).await;
        assert!(told.good(), "{} was answered {} {}", ask.told(), told.status, told.text());
        told.json()
    }

    async fn tenant(&self, application: Uuid, number: u32) -> Tenant {
        let (id, user) = self.unit(move |tx| company(tx, application, number)).await;
        let token = self
            .unit(move |tx| {
                let scopes = Scopes::ALL.to_text();
                let (kind, company) = (TokenKind::Company, Some(id));
                let new =
                    NewToken { kind, application, company, user: None, scopes: &scopes, expires_at: None };
                Ok(auth::issue_token(tx, &new)?.text)
            })
            .await;
        let (location, employees, benefits) = (String::new(), Vec::new(), Vec::new());
        let mut tenant = Tenant { id, token, location, employees, benefits, user };
        tenant.location = self.location(&tenant, ("San Antonio", "TX", "78205")).await;
        for offered in [5, 105] {
            let offered = json!({ "benefit_type": offered, "description": "Retirement" });
            let path = "/v1/companies/{company}/company_benefits";
            tenant.benefits.push(text(&self.call(&tenant, "POST", path, offered).await, "uuid"));
        }
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        self.call(&tenant, "POST", "/v1/companies/{company}/pay_schedules", schedule).await;
        for pay in [("20.00", "Hour", "Nonexempt"), ("52000.00", "Year", "Exempt")] {
            let employee = self.onboarded(&tenant, pay, &tenant.location).await;
            tenant.employees.push(employee);
        }
        // People in other states, each with something else that bears on pay: a benefit, an order, a high salary, tips.
        for (town, pay) in [
            (("San Francisco", "CA", "94103"), ("31.50", "Hour", "Nonexempt")),
            (("Brooklyn", "NY", "11201"), ("390000.00", "Year", "Exempt")),
            (("Philadelphia", "PA", "19103"), ("18.25", "Hour", "Nonexempt")),
            (("Columbus", "OH", "43215"), ("24.00", "Hour", "Nonexempt")),
        ] {
            let location = self.location(&tenant, town).await;
            let employee = self.onboarded(&tenant, pay, &location).await;
            tenant.employees.push(employee);
        }
        self.terms(&tenant).await;
        tenant
    }

    async fn location(&self, tenant: &Tenant, (city, state, zip): (&str, &str, &str)) -> String {
        let place = json!({ "street_1": "312 Pecan Bend", "city": city, "state": state, "zip": zip,
                            "phone_number": "2105550142" });
        text(&self.call(tenant, "POST", "/v1/companies/{company}/locations", place).await, "uuid")
    }

    /// What is taken from some people's pay, and how they are paid. Clients change none of it.
    async fn terms(&self, tenant: &Tenant) {
        let [_, clerk, californian, new_yorker, _, ohioan] = tenant.employees.as_slice() else { panic!() };
        // Half of a high salary meets the yearly limit of deferrals soon.
        let deferral = json!({ "employee_deduction": "50", "deduct_as_percentage": true });
        let medical = json!({ "employee_deduction": "45.10", "company_contribution": "100.05" });
        for (kind, name, who, terms) in
            [(9, DEFERRAL, new_yorker, deferral), (1, "Medical", californian, medical)]
        {
            let offered = json!({ "benefit_type": kind, "description": name });
            let offered =
                self.call(tenant, "POST", "/v1/companies/{company}/company_benefits", offered).await;
            let mut held = terms;
            held["company_benefit_uuid"] = offered["uuid"].clone();
            held["effective_date"] = "2026-06-01".into();
            self.call(tenant, "POST", &format!("/v1/employees/{who}/employee_benefits"), held).await;
        }
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "300",
                            "child_support": { "state": "AL", "payment_period": "Every other week",
                                               "fips_code": "01000", "case_number": "AL-77" } });
        self.call(tenant, "POST", &format!("/v1/employees/{ohioan}/garnishments"), order).await;
        for number in ["90126600418", "40070045"] {
            let account = json!({ "name": number, "routing_number": "021001208", "account_number": number,
                                  "account_type": "Checking" });
            self.call(tenant, "POST", &format!("/v1/employees/{clerk}/bank_accounts"), account).await;
        }
    }

    /// Somebody who has been onboarded and is paid.
    async fn onboarded(
        &self,
        tenant: &Tenant,
        (rate, unit, flsa): (&str, &str, &str),
        location: &str,
    ) -> String {
        let person = json!({ "first_name": "Ines", "last_name": "Silva", "email": "silva@people.example",
                             "date_of_birth": "1988-08-08", "ssn": "412552001" });
        let path = "/v1/companies/{company}/employees";
        let id = text(&self.call(tenant, "POST", path, person).await, "uuid");
        let of = |rest: &str| format!("/v1/employees/{id}/{rest}");
        let work = json!({ "location_uuid": location });
        self.call(tenant, "POST", &of("work_addresses"), work).await;
        let home =
            json!({ "street_1": "19 Willow Court", "city": "San Antonio", "state": "TX", "zip": "78209" });
        self.call(tenant, "POST", &of("home_addresses"), home).await;
        let job = json!({ "title": "Cook", "hire_date": "2026-03-01" });
        let job = self.call(tenant, "POST", &of("jobs"), job).await;
        let empty = &job["compensations"][0];
        let pay =
            json!({ "version": empty["version"], "rate": rate, "payment_unit": unit, "flsa_status": flsa });
        let path = format!("/v1/compensations/{}", text(empty, "uuid"));
        self.call(tenant, "PUT", &path, pay).await;
        let steps = self.call(tenant, "GET", &of("onboarding_status"), Value::Null).await;
        let open = steps["onboarding_steps"].as_array().unwrap().iter();
        let open = open.filter(|step| step["completed"] == false && step["id"] != "admin_review");
        let marks: Vec<_> = open.map(|step| json!({ "id": step["id"], "completed": true })).collect();
        let done = json!({ "onboarding_steps": marks, "onboarding_status": "onboarding_completed" });
        self.call(tenant, "PUT", &of("onboarding_status"), done).await;
        id
    }
}

fn application(tx: &mut Tx<'_>) -> Result<(Uuid, String, String), Error> {
    let created = applications::create_application(
        tx,
        &applications::NewApplication {
            version: ApiVersion::V2025_06_15,
            ..applications::NewApplication::new("Register", &[REDIRECT])
        },
    )?;
    let scopes = Scopes::ALL.to_text();
    let (kind, application) = (TokenKind::System, created.id);
    let new = NewToken { kind, application, company: None, user: None, scopes: &scopes, expires_at: None };
    let system = auth::issue_token(tx, &new)?.text;
    Ok((created.id, created.secret.unwrap().text, system))
}

fn company(tx: &mut Tx<'_>, application: Uuid, number: u32) -> Result<(Uuid, Uuid), Error> {
    let (id, now) = (tx.new_id(), tx.now());
    let company = companies::Company {
        ein: Some(format!("74185209{number}")),
        entity_type: Some("S-Corporation".to_owned()),
        company_status: rules::company::Status::Approved,
        is_partner_managed: true,
        time_zone: "America/Chicago".to_owned(),
        ..companies::Company::new(id, format!("Blue Heron Diners {number}"), now)
    };
    companies::insert_company(tx, &company)?;
    connections::connect_application(tx, id, application)?;
    let person = RoleHolder {
        first_name: "Ann".to_owned(),
        last_name: "Lee".to_owned(),
        email: format!("ann.{number}@diner.example"),
        phone: None,
    };
    people::give_role(tx, &Caller::for_service(id, TimeZone::UTC), &person, Role::FullAccess)?;
    Ok((id, people::find_or_create_user(tx, &person)?.id))
}
