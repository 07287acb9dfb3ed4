//! A company of the demo world with a past: Juniper Table, a restaurant in four states, whose payrolls of up to a year
//! were run and paid, with everything that happened to the company in that time.
//!
//! The past is simulated, not inserted: the store's clock starts at the beginning of the story, everybody acts through
//! the use cases on the appropriate day, and the test clock's own worker runs what falls due on the way. So payments,
//! journal entries, deliveries and the audit log have the dates on which they happened, and everything shown is what
//! the service did. At the end the clock shows the present.
//!
//! `people` lists the employees, `course` what happens in a pay period and on which day something else does.

mod course;
mod people;

use std::sync::Arc;

use background::delivery::Courier;
use background::worker::{Terms, Worker};
use domain::Error;
use domain::access::connections;
use domain::access::oauth::tokens::{self, Holder};
use domain::access::scope;
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::access::users::service as users;
use domain::events::delivery::address::Policy;
use domain::salary::estimates::check::Tables;
use domain::salary::reference::Reference;
use interface::demo::{Company, User};
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use store::{Store, Tx};
use uuid::Uuid;

use super::staff::hire_employee;
use super::world::{self, Founding};
use super::{contractors, setup};
use people::{OWNER, PLACES, STAFF};

/// The longest time that the story goes back.
const LENGTH_DAYS: i64 = 365;
/// The first day covered by every table of law: nobody was paid before it.
const FIRST_DAY: Date = date(2026, 1, 2);
/// The shortest duration of a story; in less time too little happens.
const LEAST_DAYS: i64 = 45;
/// Numbers of the story's units, so that those of the rest of the world are the same with and without it.
const UNITS: u64 = 1 << 32;

static FOUNDING: Founding = Founding {
    name: "Juniper Table, Inc.",
    entity_type: "S-Corporation",
    embedded: true,
    state: "CA",
    ein: "741852098",
    signatory: OWNER,
    email: "ruth.calloway@junipertable.example",
    ssn: "412551024",
};

/// The beginning of a story that ends in the present; `None` if the present is too early for one.
pub fn story_start(present: Timestamp) -> Option<Timestamp> {
    let first = FIRST_DAY.at(16, 0, 0, 0).in_tz("UTC").ok()?.timestamp();
    let begins = (present - (LENGTH_DAYS * 24).hours()).max(first);
    has_room(begins, present).then_some(begins)
}

/// Whether there is enough time between two moments for a story.
pub(super) fn has_room(begins: Timestamp, present: Timestamp) -> bool {
    present.duration_since(begins).as_hours() >= LEAST_DAYS * 24
}

/// The company in the present, and its administrator, who can sign in.
///
/// # Errors
/// A store error; a violation would be a bug in the story.
pub(super) async fn build_story_company(
    store: &Store,
    application: Uuid,
    present: Timestamp,
) -> Result<(Company, User), Error> {
    let before = store.randomness().continue_at(UNITS);
    let lived = found_and_live(store, application, present).await;
    store.randomness().continue_at(before);
    lived
}

async fn found_and_live(
    store: &Store,
    application: Uuid,
    present: Timestamp,
) -> Result<(Company, User), Error> {
    let mut company = store.write(move |tx| create_connected_company(tx, &FOUNDING, application)).await?;
    let caller = world::caller_in(company.uuid, FOUNDING.state);
    let (contracting, zone) = (caller.clone(), caller.zone.clone());
    let began = store.clock().now().to_zoned(zone).date();
    for place in PLACES {
        let caller = caller.clone();
        company.locations.push(store.write(move |tx| world::create_location(tx, &caller, place)).await?);
    }
    for person in &STAFF {
        let (caller, work) = (caller.clone(), company.locations[person.location].uuid);
        company.employees.push(store.write(move |tx| hire_employee(tx, &caller, person, work)).await?);
    }
    let (employer, staff) = (caller.clone(), employee_ids(&company));
    company.company_benefits = store.write(move |tx| people::add_benefits(tx, &employer, &staff)).await?;
    let employer = caller.clone();
    let (schedule, _) = store.write(move |tx| world::pay_schedule(tx, &employer)).await?;
    company.pay_schedule_uuid = Some(schedule);
    let (employer, owner) = (caller.clone(), format!("{} {}", OWNER.0, OWNER.1));
    let restaurants = ("722511", "Full-Service Restaurants");
    store
        .write(move |tx| setup::finish_company_setup(tx, &employer, restaurants, "90126600434", &owner))
        .await?;
    let tables = Arc::new(Tables::newest_tables(&Reference::new(store)).await?);
    let mut course = course::Course::new(store, local_worker(store), (caller, application), tables, present);
    course.run_story(&mut company).await?;
    let owner = company.uuid;
    let user = store.write(move |tx| create_administrator(tx, &FOUNDING, owner)).await?;
    // Last, so that the hours of the past are the same without them.
    store.write(move |tx| contractors::of_past(tx, &contracting, began)).await?;
    Ok((company, user))
}

/// Runs what is due at once.
pub(super) async fn run_due_work(store: &Store) -> Result<(), Error> {
    local_worker(store).advance_clock(store.clock().now()).await.map(drop)
}

/// The worker that runs what falls due, as under `stipend dev`: deliveries go to this machine.
fn local_worker(store: &Store) -> Worker {
    let courier = Courier::new(Policy { private: true, ports: Vec::new() });
    let terms = Terms { overdue_after_days: 0, delivery_days: 30, bank_pickup: Vec::new() };
    Worker::new(store, Arc::new(courier), terms)
}

fn employee_ids(company: &Company) -> Vec<Uuid> {
    company.employees.iter().map(|employee| employee.uuid).collect()
}

/// A company that is connected with the application.
pub(super) fn create_connected_company(
    tx: &mut Tx<'_>,
    founding: &'static Founding,
    application: Uuid,
) -> Result<Company, Error> {
    let mut company = world::create_company(tx, founding)?;
    let scopes = scope::Scopes::ALL.to_text();
    let pair = tokens::issue_lasting(tx, &Holder { application, company: company.uuid, user: None, scopes })?;
    connections::record_managing_application(tx, company.uuid, application)?;
    (company.access_token, company.refresh_token) = (Some(pair.access), Some(pair.refresh));
    Ok(company)
}

/// A company's signatory, as a user who can sign in.
pub(super) fn create_administrator(
    tx: &mut Tx<'_>,
    founding: &'static Founding,
    company: Uuid,
) -> Result<User, Error> {
    let person = users::RoleHolder {
        first_name: founding.signatory.0.to_owned(),
        last_name: founding.signatory.1.to_owned(),
        email: founding.email.to_owned(),
        phone: None,
    };
    let caller: Caller = world::caller_in(company, founding.state);
    users::give_role(tx, &caller, &person, Role::Primary)?;
    let user = users::find_or_create_user(tx, &person)?;
    Ok(User {
        email: person.email,
        password: users::new_password(tx, user.id)?,
        role: rules::Named::as_str(Role::Primary).to_owned(),
        companies: vec![company],
    })
}
