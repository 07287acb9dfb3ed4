//! The demo world, created through the same use cases as requests.
//!
//! One embedded company with employees of every kind of pay in four states, which can run payroll; one that is not
//! connected yet, which needs only to accept the terms of service; and one in California alone. One thread builds it,
//! unit after unit, so that with a seed every id and token is reproducible. Names, numbers and addresses are invented;
//! the Social Security numbers follow the rules of valid ones.

use std::time::Duration;

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::Named;
use rules::calendar::time_zone_of_state;
use rules::company::Status;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{Clock, Store, Tx};
use uuid::Uuid;

use super::hours::Worked;
use super::staff::{BOOKSELLER, HIRED_DAYS_AGO, PEOPLE, hire_employee};
use super::{california, contractors, hours, leavers, setup, story};
use domain::Error;
use domain::access::applications::NewApplication;
use domain::access::oauth::tokens;
use domain::access::oauth::tokens::Holder;
use domain::access::tokens as auth;
use domain::access::tokens::{Caller, NewToken, TokenKind};
use domain::access::users::Role;
use domain::access::users::service as people;
use domain::access::{applications, connections, scope};
use domain::benefits::service::{company as company_benefits, employee as employee_benefits};
use domain::company::companies::rows as companies;
use domain::company::locations::service as locations;
use domain::company::signatories::IdentityCheck;
use domain::company::signatories::service as signatories;
use domain::patch::Patch;
use domain::pay::pay_schedules::service as pay_schedules;
use domain::pay::payrolls::record::settings::UpdatePayrollSettings;
use domain::pay::payrolls::record::{rows as payrolls, settings};
use interface::benefits::wire::{CreateCompanyBenefit, CreateEmployeeBenefit};
use interface::company::locations::wire::CreateLocation;
use interface::company::signatories::wire::SignatoryInput;
use interface::demo::{Application, Benefit, Company, Location, User, World};
use interface::field;
use interface::pay::pay_schedules::wire::CreatePaySchedule;

/// The only redirect URI of the demo application.
pub const REDIRECT_URI: &str = "http://127.0.0.1:8765/callback";
/// The state in whose time zone both companies are.
const STATE: &str = "TX";
/// How long nothing is said while the world is built.
const SILENCE: Duration = Duration::from_secs(10);
/// Time part of ids in a seeded world.
const SEEDED_IDS: &str = "2026-01-01T00:00:00Z";

const LOCATIONS: [(&str, &str, &str, &str, &str); 4] = [
    ("312 Pecan Bend", "San Antonio", "TX", "78205", "2105550142"),
    ("88 Wythe Corner", "Brooklyn", "NY", "11201", "7185550117"),
    ("1450 Larkspur Street", "San Francisco", "CA", "94103", "4155550188"),
    ("905 Cottonwood Avenue", "Denver", "CO", "80202", "3035550123"),
];

/// What the company answers about its locations: ZIP code, question and choice.
const PLACE_ANSWERS: [(&str, &str, &str); 2] =
    [("98101", "city", "WA-SEATTLE"), ("97205", "metro", "OR-METRO")];

/// Hours and dollars of tips in the open payroll, by index among the company's employees.
const WORKED: [(usize, u16, u16); 4] = [(1, 76, 0), (2, 62, 540), (4, 68, 0), (8, 72, 0)];

/// The application of every demo world.
const APPLICATION: &str = "Demo point of sale";
/// Maximum of applications searched for it.
const MOST_APPLICATIONS: i64 = 1_000;

/// Whether a store has data but no demo world: a movable clock and a console without sign-in would then affect
/// somebody's data.
pub fn is_in_use(tx: &mut Tx<'_>) -> Result<bool, Error> {
    let held = applications::applications_after(tx, Uuid::nil(), MOST_APPLICATIONS)?;
    if held.iter().any(|application| application.name == APPLICATION) {
        return Ok(false);
    }
    let companies = companies::count_companies(tx)?;
    Ok(companies > 0 || !held.is_empty())
}

/// Builds the world in an empty store. If its clock is earlier than `present`, a company is added that has existed
/// since then, and the clock then shows the present.
///
/// # Errors
/// A store error; a violation would be a bug in the world.
pub async fn build_world(store: &Store, seed: Option<u64>, present: Timestamp) -> Result<World, Error> {
    let fixed: Option<Timestamp> = seed.and_then(|_| SEEDED_IDS.parse().ok());
    store.randomness().fix_id_time(fixed);
    let built = build_in_order(store, present).await;
    store.randomness().fix_id_time(None);
    built
}

/// Says what the demo world has by now where that takes a while, as on a cluster of servers.
struct Progress(Duration);

impl Progress {
    fn has(&mut self, what: &'static str) {
        if Clock::monotonic().saturating_sub(self.0) >= SILENCE {
            self.0 = Clock::monotonic();
            tracing::info!(what, "the demo world is being built");
        }
    }
}

async fn build_in_order(store: &Store, present: Timestamp) -> Result<World, Error> {
    let mut progress = Progress(Clock::monotonic());
    let (application, application_id, system_access_token) = store.write(create_application).await?;
    let lived = match story::has_room(store.clock().now(), present) {
        true => Some(story::build_story_company(store, application_id, present).await?),
        false => None,
    };
    progress.has("an application");
    let mut embedded = store.write(move |tx| embedded_company(tx, application_id)).await?;
    let caller = service_caller(embedded.uuid);
    for place in LOCATIONS {
        let caller = caller.clone();
        embedded.locations.push(store.write(move |tx| create_location(tx, &caller, place)).await?);
    }
    for person in &PEOPLE {
        let caller = caller.clone();
        let work = embedded.locations[person.location].uuid;
        progress.has("a company and its first people");
        embedded.employees.push(store.write(move |tx| hire_employee(tx, &caller, person, work)).await?);
    }
    let enrolled: Vec<Uuid> = embedded.employees.iter().map(|employee| employee.uuid).collect();
    let employer = caller.clone();
    embedded.company_benefits = store.write(move |tx| add_benefits(tx, &employer, &enrolled)).await?;
    let employer = caller.clone();
    let (schedule, payroll) = store.write(move |tx| pay_schedule(tx, &employer)).await?;
    (embedded.pay_schedule_uuid, embedded.payroll_uuid) = (Some(schedule), payroll);
    let restaurants = ("722511", "Full-Service Restaurants");
    store
        .write(move |tx| {
            setup::finish_company_setup(tx, &caller, restaurants, "90126600418", "Susan Whitfield")
        })
        .await?;
    progress.has("a company with a pay schedule");
    let standalone = store.write(standalone_company).await?;
    let (one, two) = (embedded.uuid, standalone.uuid);
    let mut users = store.write(move |tx| create_users(tx, one, two)).await?;
    // Last, so that the ids of everything before are the same without them.
    let (employer, places) =
        (self::service_caller(one), [embedded.locations[0].uuid, embedded.locations[1].uuid]);
    let moved = store.write(move |tx| leavers::build_leavers(tx, &employer, places)).await?;
    let vacationers = [embedded.employees[0].uuid, embedded.employees[1].uuid];
    embedded.employees.extend(moved);
    let employer = self::service_caller(one);
    store.write(move |tx| leavers::add_vacation_policy(tx, &employer, vacationers)).await?;
    let (employer, salaried) =
        (self::service_caller(one), [embedded.employees[0].uuid, embedded.employees[5].uuid]);
    store.write(move |tx| leavers::add_holiday_pay(tx, &employer, salaried)).await?;
    let worked =
        WORKED.map(|(place, hours, tips)| Worked { employee: embedded.employees[place].uuid, hours, tips });
    if let Some(payroll) = embedded.payroll_uuid {
        let employer = self::service_caller(one);
        store.write(move |tx| hours::enter_hours(tx, &employer, payroll, &worked)).await?;
    }
    progress.has("two companies");
    let californian = california::build_company(store, application_id).await?;
    let employer = self::service_caller(one);
    store.write(move |tx| contractors::build_contractors(tx, &employer)).await?;
    progress.has("three companies and contractors");
    // What falls due with the payments of contractors belongs to the world, not to whoever of its users comes first.
    story::run_due_work(store).await?;
    let mut companies = vec![embedded, standalone];
    for (company, administrator) in [lived, Some(californian)].into_iter().flatten() {
        companies.push(company);
        users.push(administrator);
    }
    Ok(World { application, system_access_token, companies, users })
}

/// The service itself, acting on a company of this file.
fn service_caller(company: Uuid) -> Caller {
    caller_in(company, STATE)
}

/// The service itself, acting on a company in the time zone of a state.
pub(super) fn caller_in(company: Uuid, state: &str) -> Caller {
    let zone = TimeZone::get(time_zone_of_state(state)).unwrap_or(TimeZone::UTC);
    Caller::for_service(company, zone)
}

/// A pay schedule of every other week, with payday on the Friday after a pay period that ends on a Sunday, and the
/// payroll of the current period. If the clock is moved into a year without tax tables, payrolls continue with
/// warnings.
pub(super) fn pay_schedule(tx: &mut Tx<'_>, caller: &Caller) -> Result<(Uuid, Option<Uuid>), Error> {
    let today = caller.today(tx);
    let end = today.saturating_add(i64::from(today.weekday().until(Weekday::Sunday)).days());
    let body = json!({ "frequency": "Every other week", "anchor_pay_date": end.saturating_add(5.days()).to_string(),
                       "anchor_end_of_pay_period": end.to_string() });
    let schedule =
        pay_schedules::create_schedule(tx, caller, &parse_input::<CreatePaySchedule>(&body)?.into())?.id;
    let go_on = UpdatePayrollSettings {
        previous_year_tables: Patch::Value(true),
        ..UpdatePayrollSettings::default()
    };
    let _settings = settings::update_settings(tx, caller, &go_on)?;
    let next = payrolls::open_of_schedule(tx, caller.company, schedule)?.first().map(|payroll| payroll.id);
    Ok((schedule, next))
}

/// The body that a client would send.
pub(super) fn parse_input<T: DeserializeOwned>(body: &Value) -> Result<T, Error> {
    field::read_body(body.to_string().as_bytes())
}

fn create_application(tx: &mut Tx<'_>) -> Result<(Application, Uuid, String), Error> {
    let created = applications::create_application(tx, &NewApplication::new(APPLICATION, &[REDIRECT_URI]))?;
    let system = auth::issue_token(
        tx,
        &new_token(TokenKind::System, created.id, None, &scope::Scopes::ALL.to_text()),
    )?;
    let application = Application {
        client_id: created.id.to_string(),
        client_secret: created.secret.map(|secret| secret.text).unwrap_or_default(),
        api_token: created.api_token.map(|token| token.text).unwrap_or_default(),
        redirect_uri: REDIRECT_URI.to_owned(),
    };
    Ok((application, created.id, system.text))
}

/// Tokens of the demo world never expire: moving the clock by a year must not lock its developer out.
fn new_token(kind: TokenKind, application: Uuid, company: Option<Uuid>, scopes: &str) -> NewToken<'_> {
    NewToken { kind, application, company, user: None, scopes, expires_at: None }
}

fn embedded_company(tx: &mut Tx<'_>, application: Uuid) -> Result<Company, Error> {
    let mut company = create_company(tx, &DINERS)?;
    let scopes = scope::Scopes::ALL.to_text();
    let holder = Holder { application, company: company.uuid, user: None, scopes };
    let pair = tokens::issue_lasting(tx, &holder)?;
    connections::record_managing_application(tx, company.uuid, application)?;
    company.access_token = Some(pair.access);
    company.refresh_token = Some(pair.refresh);
    Ok(company)
}

/// A company that was set up without a partner. Only the terms of service prevent its migration.
fn standalone_company(tx: &mut Tx<'_>) -> Result<Company, Error> {
    let mut company = create_company(tx, &BOOKS)?;
    let caller = service_caller(company.uuid);
    let place = ("27 Harbor Lane", "Austin", "TX", "78701", "5125550164");
    company.locations.push(create_location(tx, &caller, place)?);
    company.employees.push(hire_employee(tx, &caller, &BOOKSELLER, company.locations[0].uuid)?);
    let (schedule, payroll) = pay_schedule(tx, &caller)?;
    (company.pay_schedule_uuid, company.payroll_uuid) = (Some(schedule), payroll);
    let books = ("459210", "Book Retailers and News Dealers");
    setup::finish_company_setup(tx, &caller, books, "90126600426", "Peter Lindqvist")?;
    Ok(company)
}

/// The data with which a company is created.
pub(super) struct Founding {
    pub(super) name: &'static str,
    pub(super) entity_type: &'static str,
    /// whether a partner manages it
    pub(super) embedded: bool,
    /// its address, which determines its time zone
    pub(super) state: &'static str,
    pub(super) ein: &'static str,
    /// signatory: first and last name
    pub(super) signatory: (&'static str, &'static str),
    pub(super) email: &'static str,
    pub(super) ssn: &'static str,
}

static DINERS: Founding = Founding {
    name: "Blue Heron Diners, Inc.",
    entity_type: "S-Corporation",
    embedded: true,
    state: STATE,
    ein: "741852096",
    signatory: ("Susan", "Whitfield"),
    email: "susan.whitfield@blueheron.example",
    ssn: "412551004",
};

static BOOKS: Founding = Founding {
    name: "Harbor Lane Books LLC",
    entity_type: "LLC",
    embedded: false,
    state: STATE,
    ein: "741852097",
    signatory: ("Peter", "Lindqvist"),
    email: "peter.lindqvist@harborlane.example",
    ssn: "412551019",
};

pub(super) fn create_company(tx: &mut Tx<'_>, founding: &Founding) -> Result<Company, Error> {
    let Founding { name, embedded, email, .. } = *founding;
    let (id, now) = (tx.new_id(), tx.now());
    let hired = now - (HIRED_DAYS_AGO * 24).hours();
    companies::insert_company(
        tx,
        &companies::Company {
            id,
            name: name.to_owned(),
            trade_name: None,
            ein: Some(founding.ein.to_owned()),
            entity_type: Some(founding.entity_type.to_owned()),
            contractor_only: false,
            company_status: Status::NotApproved,
            is_partner_managed: embedded,
            join_date: Some(hired.to_zoned(TimeZone::UTC).date()),
            time_zone: time_zone_of_state(founding.state).to_owned(),
            version: 1,
            created_at: now,
            updated_at: now,
        },
    )?;
    let (first_name, last_name) = founding.signatory;
    let signatory = json!({
        "first_name": first_name, "last_name": last_name, "title": "Owner", "phone": "2105550100", "email": email,
        "birthday": "1971-01-22", "ssn": founding.ssn,
        "home_address": { "street_1": "19 Willow Court", "city": "San Antonio", "state": "TX", "zip": "78209" },
    });
    let caller = caller_in(id, founding.state);
    signatories::create_signatory(tx, &caller, &parse_input::<SignatoryInput>(&signatory)?.into())?;
    signatories::note_identity(tx, &caller, IdentityCheck::Pass)?;
    Ok(Company {
        uuid: id,
        name: name.to_owned(),
        kind: if embedded { "embedded" } else { "standalone" }.to_owned(),
        access_token: None,
        refresh_token: None,
        locations: Vec::new(),
        employees: Vec::new(),
        company_benefits: Vec::new(),
        pay_schedule_uuid: None,
        payroll_uuid: None,
        signatory_email: email.to_owned(),
    })
}

pub(super) fn create_location(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (street, city, state, zip, phone): (&str, &str, &str, &str, &str),
) -> Result<Location, Error> {
    let mut body =
        json!({ "street_1": street, "city": city, "state": state, "zip": zip, "phone_number": phone });
    for (_, question, answer) in PLACE_ANSWERS.iter().filter(|(of, ..)| *of == zip) {
        body["place_answers"][*question] = (*answer).into();
    }
    let made = locations::create_location(tx, caller, &parse_input::<CreateLocation>(&body)?.into())?;
    Ok(Location { uuid: made.id, state: state.to_owned(), zip: zip.to_owned() })
}

/// The company's benefits, and who has them: the first two employees both, the third the medical plan.
fn add_benefits(tx: &mut Tx<'_>, caller: &Caller, employees: &[Uuid]) -> Result<Vec<Benefit>, Error> {
    let retirement = json!({ "employee_deduction": "5.00", "deduct_as_percentage": true, "contribution": {
        "type": "tiered", "value": [{ "rate": "100.00", "threshold": "3.00" }, { "rate": "50.00", "threshold": "5.00" }] } });
    let medical =
        json!({ "employee_deduction": "85.00", "contribution": { "type": "amount", "value": "240.00" } });
    let mut benefits = Vec::new();
    for (benefit_type, description, terms, members) in
        [(5, "401(k)", retirement, 2), (1, "Medical Insurance", medical, 3)]
    {
        let body = json!({ "benefit_type": benefit_type, "description": description });
        let command = parse_input::<CreateCompanyBenefit>(&body)?.into();
        let uuid = company_benefits::create_company_benefit(tx, caller, &command)?.benefit.id;
        for employee in employees.iter().take(members) {
            let mut body = terms.clone();
            body["company_benefit_uuid"] = uuid.to_string().into();
            employee_benefits::create_employee_benefit(
                tx,
                caller,
                *employee,
                &parse_input::<CreateEmployeeBenefit>(&body)?.into(),
            )?;
        }
        benefits.push(Benefit { uuid, description: description.to_owned() });
    }
    Ok(benefits)
}

/// One administers both companies, one only the second, one has limited access.
fn create_users(tx: &mut Tx<'_>, embedded: Uuid, standalone: Uuid) -> Result<Vec<User>, Error> {
    type Roles<'a> = &'a [(Uuid, Role)];
    let team: [(&str, &str, &str, Roles<'_>); 3] = [
        (
            "Susan",
            "Whitfield",
            "susan.whitfield@blueheron.example",
            &[(embedded, Role::Primary), (standalone, Role::FullAccess)],
        ),
        ("Peter", "Lindqvist", "peter.lindqvist@harborlane.example", &[(standalone, Role::Primary)]),
        ("Lena", "Fischer", "lena.fischer@blueheron.example", &[(embedded, Role::Limited)]),
    ];
    let mut users = Vec::new();
    for (first_name, last_name, email, roles) in team {
        let person = people::RoleHolder {
            first_name: first_name.to_owned(),
            last_name: last_name.to_owned(),
            email: email.to_owned(),
            phone: None,
        };
        for (company, role) in roles {
            people::give_role(tx, &service_caller(*company), &person, *role)?;
        }
        let user = people::find_or_create_user(tx, &person)?;
        users.push(User {
            email: email.to_owned(),
            password: people::new_password(tx, user.id)?,
            role: roles[0].1.as_str().to_owned(),
            companies: roles.iter().map(|(company, _)| *company).collect(),
        });
    }
    Ok(users)
}
