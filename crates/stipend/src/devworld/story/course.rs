//! The course of the story: payrolls, each a few hours before its deadline, and other events, each on its day.

use std::sync::Arc;

use background::worker::Worker;
use domain::Error;
use domain::access::tokens::{Actor, Caller};
use domain::benefits::service::employee as employee_benefits;
use domain::events::delivery::address::Policy;
use domain::events::webhooks::service as webhooks;
use domain::pay::payrolls::closing::lifecycle;
use domain::pay::payrolls::record::commands::SubmitPayroll;
use domain::pay::payrolls::record::deadlines::submission_deadline;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::record::rows;
use domain::people::onboarding::service as onboarding;
use domain::salary::estimates::check::Tables;
use domain::salary::estimates::service as estimates;
use domain::withholding::garnishments::service as garnishments;
use interface::benefits::wire::CreateEmployeeBenefit;
use interface::demo::{Company, Employee};
use interface::events::webhooks::wire::{NewSubscription, Verification};
use interface::people::onboarding::wire::UpdateOnboardingStatus;
use interface::salary::estimates::wire::{AcceptInput, EstimateInput};
use interface::withholding::garnishments::wire::CreateGarnishment;
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::people::{NEWCOMER, OWES_SUPPORT, OWNS, SAVES};
use crate::devworld::hours::{self, Worked};
use crate::devworld::staff::hire_employee;
use crate::devworld::world::parse_input;

/// An address of this machine at which nothing listens: the port of the discard protocol.
const NOBODY_LISTENS: &str = "http://127.0.0.1:9/hooks";
/// How long before its deadline a payroll is submitted.
const AHEAD_HOURS: i64 = 5;

/// What happens besides payrolls.
#[derive(Debug, Clone, Copy)]
enum Deed {
    /// a child support order from this state arrives
    Order(&'static str),
    /// a salary estimate for the owner is created and accepted
    Estimate,
    /// an employee increases a retirement contribution from this day on
    Raise(Date),
    /// the application subscribes with a URL that no longer answers
    Subscribe,
    /// an employee is invited, and begins self-onboarding
    Invite,
}

/// The story in progress.
pub(super) struct Course<'a> {
    store: &'a Store,
    worker: Worker,
    caller: Caller,
    application: Uuid,
    tables: Arc<Tables>,
    present: Timestamp,
    /// with their moments, the last one first
    deeds: Vec<(Timestamp, Deed)>,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        store: &'a Store,
        worker: Worker,
        (caller, application): (Caller, Uuid),
        tables: Arc<Tables>,
        present: Timestamp,
    ) -> Self {
        let begun = store.clock().now();
        let after = |days: i64| begun + (days * 24).hours();
        let ago = |hours: i64| present - hours.hours();
        let mut deeds = vec![
            (after(32), Deed::Order("WA")),
            (after(60), Deed::Estimate),
            (after(110), Deed::Order("OR")),
            (ago(50), Deed::Subscribe),
            (ago(48), Deed::Invite),
        ];
        // Ten days before the latest October 1.
        let today = present.to_zoned(caller.zone.clone()).date();
        let year = if today.month() >= 10 { today.year() } else { today.year() - 1 };
        let october = date(year, 10, 1);
        deeds.extend(
            october
                .to_zoned(caller.zone.clone())
                .map(|day| (day.timestamp() - 240.hours(), Deed::Raise(october))),
        );
        deeds.retain(|(at, _)| (begun..present).contains(at));
        deeds.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Self { store, worker, caller, application, tables, present, deeds }
    }

    /// Runs the story up to the present, and adds the employee hired on the way and the payroll then open to the
    /// company.
    pub(super) async fn run_story(&mut self, company: &mut Company) -> Result<(), Error> {
        let schedule = company.pay_schedule_uuid.unwrap_or_default();
        loop {
            let payroll = self.next_open_payroll(schedule).await?;
            let due = payroll.as_ref().map(|one| submission_deadline(one.check_date) - AHEAD_HOURS.hours());
            let deed = self.deeds.last().map(|(at, _)| *at);
            match (due.filter(|due| *due < self.present), deed, payroll) {
                (Some(due), deed, Some(payroll)) if deed.is_none_or(|deed| due <= deed) => {
                    self.advance_to(due).await?;
                    self.run_payroll(company, &payroll).await?;
                }
                (_, Some(at), _) => {
                    self.advance_to(at).await?;
                    let (_, deed) = self.deeds.pop().ok_or_else(|| Error::internal("a deed was lost"))?;
                    let hired = self.perform_deed(company, deed).await?;
                    company.employees.extend(hired);
                }
                (_, None, payroll) => {
                    self.advance_to(self.present).await?;
                    if let Some(payroll) = &payroll {
                        self.enter_period_hours(company, payroll).await?;
                    }
                    company.payroll_uuid = payroll.map(|payroll| payroll.id);
                    return Ok(());
                }
            }
        }
    }

    /// Lets time pass, running everything that falls due.
    async fn advance_to(&self, moment: Timestamp) -> Result<(), Error> {
        self.worker.advance_clock(moment.max(self.store.clock().now())).await.map(drop)
    }

    /// Runs what is due at once.
    async fn run_due_work(&self) -> Result<(), Error> {
        self.advance_to(self.store.clock().now()).await
    }

    async fn next_open_payroll(&self, schedule: Uuid) -> Result<Option<Payroll>, Error> {
        let company = self.caller.company;
        let open = self.store.read(move |tx| rows::open_of_schedule(tx, company, schedule)).await?;
        Ok(open.into_iter().min_by_key(|payroll| payroll.check_date))
    }

    async fn run_payroll(&self, company: &Company, payroll: &Payroll) -> Result<(), Error> {
        let id = payroll.id;
        self.enter_period_hours(company, payroll).await?;
        let caller = self.caller.clone();
        self.store.write(move |tx| lifecycle::calculate_payroll(tx, &caller, id)).await?;
        self.run_due_work().await?;
        let caller = self.caller.clone();
        self.store
            .write(move |tx| lifecycle::submit_payroll(tx, &caller, id, &SubmitPayroll::default()))
            .await?;
        self.run_due_work().await
    }

    /// Enters the hours of a pay period, and tips.
    async fn enter_period_hours(&self, company: &Company, payroll: &Payroll) -> Result<(), Error> {
        let (caller, id) = (self.caller.clone(), payroll.id);
        let staff: Vec<Uuid> = company.employees.iter().map(|employee| employee.uuid).collect();
        self.store.write(move |tx| enter_varied_hours(tx, &caller, id, &staff)).await
    }

    /// Performs a deed; returns the employee hired by it.
    async fn perform_deed(&self, company: &Company, deed: Deed) -> Result<Option<Employee>, Error> {
        let (caller, tables, application) = (self.caller.clone(), Arc::clone(&self.tables), self.application);
        let somebody = |place: usize| company.employees[place].uuid;
        let (owner, debtor, saver) = (somebody(OWNS), somebody(OWES_SUPPORT), somebody(SAVES));
        let (plan, work) = (company.company_benefits[0].uuid, company.locations[NEWCOMER.location].uuid);
        let hired = self.store.write(move |tx| match deed {
            Deed::Order(state) => add_support_order(tx, &caller, debtor, state).map(|()| None),
            Deed::Estimate => add_salary_estimate(tx, &caller, owner, &tables).map(|()| None),
            Deed::Raise(day) => schedule_benefit_raise(tx, &caller, (saver, plan), day).map(|()| None),
            Deed::Subscribe => add_subscription(tx, application).map(|()| None),
            Deed::Invite => invite_newcomer(tx, &caller, work).map(Some),
        });
        let hired = hired.await?;
        self.run_due_work().await?;
        Ok(hired)
    }
}

/// Hours and tips of hourly employees, varied by the world's seed.
fn enter_varied_hours(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid, staff: &[Uuid]) -> Result<(), Error> {
    /// Index in the staff, fewest hours, fewest dollars of tips.
    const PAID_BY_HOURS: [(usize, u16, u16); 3] = [(2, 72, 0), (3, 56, 430), (4, 60, 380)];
    let worked = PAID_BY_HOURS.map(|(place, hours, tips)| {
        let [more_hours, more_tips] = tx.random::<2>().map(u16::from);
        let tips = if tips > 0 { tips + more_tips % 120 } else { 0 };
        Worked { employee: staff[place], hours: hours + more_hours % 9, tips }
    });
    hours::enter_hours(tx, caller, payroll, &worked)
}

/// A child support order; the second one shares the limit with the first.
fn add_support_order(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, state: &str) -> Result<(), Error> {
    let (fips_code, case_number, most) =
        if state == "WA" { ("53000", "2291845", "310.00") } else { ("41000", "780412550", "165.00") };
    let body = json!({
        "garnishment_type": "child_support", "court_ordered": true, "recurring": true, "deduct_as_percentage": true,
        "amount": "50", "pay_period_maximum": most,
        "child_support": { "state": state, "payment_period": "Every other week", "fips_code": fips_code,
                           "case_number": case_number },
    });
    garnishments::create_garnishment(tx, caller, employee, &parse_input::<CreateGarnishment>(&body)?.into())
        .map(drop)
}

fn add_salary_estimate(tx: &mut Tx<'_>, caller: &Caller, owner: Uuid, tables: &Tables) -> Result<(), Error> {
    let body = json!({ "zip_code": "94104", "annual_net_revenue": "640000", "occupations": [
        { "code": "111021", "experience_level": "skilled", "time_percentage": "0.7", "primary": true },
        { "code": "351011", "experience_level": "average", "time_percentage": "0.3", "primary": false },
    ] });
    let made =
        estimates::create_estimate(tx, caller, owner, tables, &parse_input::<EstimateInput>(&body)?.into())?;
    estimates::accept_estimate(tx, caller, made.id, tables, &parse_input::<AcceptInput>(&json!({}))?.into())
        .map(drop)
}

fn schedule_benefit_raise(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, plan): (Uuid, Uuid),
    day: Date,
) -> Result<(), Error> {
    let body = json!({ "company_benefit_uuid": plan, "effective_date": day.to_string(), "employee_deduction": "7.00",
                       "deduct_as_percentage": true, "contribution": { "type": "percentage", "value": "3.00" } });
    employee_benefits::create_employee_benefit(
        tx,
        caller,
        employee,
        &parse_input::<CreateEmployeeBenefit>(&body)?.into(),
    )
    .map(drop)
}

/// A verified subscription whose URL has not answered since.
fn add_subscription(tx: &mut Tx<'_>, application: Uuid) -> Result<(), Error> {
    let caller = Caller {
        actor: Actor::Application(application),
        ..Caller::for_service(Uuid::nil(), jiff::tz::TimeZone::UTC)
    };
    let body =
        json!({ "url": NOBODY_LISTENS, "subscription_types": ["Employee", "Payroll", "EmployeeBenefit"] });
    let here = Policy { private: true, ports: Vec::new() };
    let made = webhooks::create_subscription(
        tx,
        &caller,
        &here,
        false,
        &parse_input::<NewSubscription>(&body)?.into(),
    )?;
    let now = tx.now();
    let (token, _) = made.valid_secrets(tx, now)?;
    let sent = json!({ "verification_token": token.text() });
    webhooks::verify_subscription(tx, &caller, made.id, &parse_input::<Verification>(&sent)?.into()).map(drop)
}

fn invite_newcomer(tx: &mut Tx<'_>, caller: &Caller, work: Uuid) -> Result<Employee, Error> {
    let mut hired = hire_employee(tx, caller, &NEWCOMER, work)?;
    let invited = json!({ "onboarding_status": "self_onboarding_invited" });
    let invited = parse_input::<UpdateOnboardingStatus>(&invited)?.into();
    onboarding::update_onboarding_status(tx, caller, hired.uuid, &invited)?;
    let begun = onboarding::record_link_opened(tx, caller, hired.uuid)?;
    hired.onboarding_status = rules::Named::as_str(begun.status).to_owned();
    Ok(hired)
}
