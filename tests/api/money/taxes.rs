//! Deposits of federal taxes: which payrolls share one, its payment with the addendum, and the books.

use std::collections::BTreeMap;
use std::fs;

use ach::read::{ReadEntry, read_entries};
use domain::Error;
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::datasets;
use domain::money::batches::taxes;
use domain::money::deposits::{self, DepositState, TaxDeposit};
use domain::money::views::open_items;
use domain::platform::reference::rows;
use jiff::civil::date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use rules::deposits::{Form, Schedule};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{LIST, bank, employer, files_in, paid, retry, run, transactions};
use crate::console::signed_in;
use crate::oauth::user;
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

pub(super) const ACCOUNT: &str = "90126600418";
/// The account of the agency.
pub(super) const AGENCY: &str = "7770009";
/// Two banking days before Wednesday 24 June, when the taxes of Thursday 18 June are due.
pub(super) const STAGED: &str = "2026-06-22T23:00:01Z";
/// After the file of that deposit was made.
pub(super) const FILED: &str = "2026-06-22T23:05:00Z";
const OWED: &str = "/v1/companies/{company}/liabilities?as_of=2026-12-31";

/// Imports the account of the agency, confirmed on a day or not.
async fn agency(world: &World, folder: &TempDir, confirmed: &str) {
    let table = folder.path().join(".tax.csv");
    let rows = format!(
        "authority,name,routing_number,account_number,account_type,confirmed_on,source\n\
         US,US TREASURY,021000021,{AGENCY},Checking,{confirmed},handbook of the bank\n"
    );
    fs::write(&table, rows).unwrap();
    let vintage = if confirmed.is_empty() { "2026-06-01" } else { confirmed };
    let import =
        datasets::import_file(&world.app.store, "tax-agency-banks", &table, Some(vintage), false, &|_, _| ());
    import.await.unwrap();
    fs::remove_file(&table).unwrap();
}

pub(super) async fn act<T: Send + 'static>(
    company: &Company,
    act: impl Fn(&mut store::Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let caller = Caller::for_operator(company.id, TimeZone::UTC);
    company.world.app.store.write(move |tx| act(tx, &caller)).await
}

pub(super) async fn state(company: &Company, schedule: Option<Schedule>) {
    let put = act(company, move |tx, caller| {
        deposits::set_deposit_schedule(tx, caller, (date(2026, 1, 1), schedule))
    });
    put.await.unwrap_or_else(|error| panic!("{error:?}"));
}

/// The deposits of a company in the order in which they were made.
pub(super) async fn all(company: &Company) -> Vec<TaxDeposit> {
    let id = company.id;
    let found = company.world.app.store.read(move |tx| deposits::of_company(tx, id, (100, 0))).await;
    let (mut found, count) = found.unwrap_or_else(|error: Error| panic!("{error:?}"));
    assert_eq!(found.len() as i64, count);
    found.reverse();
    found
}

pub(super) async fn only(company: &Company) -> TaxDeposit {
    let mut found = all(company).await;
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

/// A company that deposits semiweekly, through a bank that deposits, with an employee who is paid 2,000.00.
pub(super) struct Depositor {
    pub(super) world: World,
    pub(super) folder: TempDir,
    pub(super) company: Company,
    pub(super) location: String,
    pub(super) payroll: String,
}

impl Depositor {
    pub(super) async fn new(engine: Engine) -> Self {
        let world = engine.own_world().await;
        let folder = bank(&world, |terms| terms.deposit_taxes = true).await;
        agency(&world, &folder, "2026-06-01").await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        paid(&company, &location, "Ana", "1111222233").await;
        state(&company, Some(Schedule::Semiweekly)).await;
        Self { world, folder, company, location, payroll }
    }

    pub(super) async fn wait_until(&self, moment: &str) {
        self.world.wait_until(moment.parse::<Timestamp>().unwrap()).await;
    }

    /// What is owed to the federal government, by tax: cents.
    pub(super) async fn owed(&self) -> BTreeMap<String, i64> {
        let mut sums = BTreeMap::new();
        for one in self.company.get(OWED).await.list() {
            if one["agency"] == "US" {
                *sums.entry(text(&one, "description")).or_default() += cents(&text(&one, "balance"));
            }
        }
        sums
    }
}

fn cents(text: &str) -> i64 {
    let (dollars, cents) = text.split_once('.').unwrap();
    dollars.parse::<i64>().unwrap() * 100 + cents.parse::<i64>().unwrap()
}

/// Amounts by account, into and out of it, of the transactions that are of deposits.
async fn of_deposits(company: &Company) -> Vec<[String; 4]> {
    let list = transactions(company, "").await;
    list.into_iter().filter(|one| one[0].contains("tax")).collect()
}

#[test]
fn the_taxes_of_a_pay_day_are_deposited_when_they_are_due_and_paid_in_the_books() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let planned = only(&one.company).await;
        let told = (planned.form, planned.first_day, planned.period_end, planned.due, planned.state);
        let (pay_day, quarter, due) = (date(2026, 6, 18), date(2026, 6, 30), date(2026, 6, 24));
        assert_eq!(told, (Form::F941, pay_day, quarter, due, DepositState::Scheduled));
        let before = one.owed().await;
        let withheld: i64 = before.iter().filter(|(tax, _)| *tax != "FUTA").map(|(_, cents)| cents).sum();
        assert_eq!(planned.cents, withheld);
        // Two thousand dollars: 6.2 and 1.45 percent, twice each.
        assert_eq!((before["Social Security"], before["Medicare"]), (24_800, 5_800));

        one.wait_until("2026-06-22T22:59:59Z").await;
        assert_eq!((files_in(one.folder.path()).len(), of_deposits(&one.company).await.len()), (1, 0));
        one.wait_until(FILED).await;
        let files = files_in(one.folder.path());
        assert_eq!(files.len(), 2);
        let entries = read_entries(&files[1].1).unwrap();
        let income = before["Federal Income Tax"];
        let essence = |one: &ReadEntry| (one.code, one.account.clone(), i64::try_from(one.cents).unwrap());
        let found: Vec<_> = entries.iter().map(essence).collect();
        assert_eq!(found, [(22, AGENCY.to_owned(), withheld), (27, ACCOUNT.to_owned(), withheld)]);
        let addendum = format!(r"TXP*741852096*94105*260601*1*24800*2*5800*3*{income}\");
        assert_eq!(entries[0].addenda[0][3..83].trim(), addendum);
        let days: Vec<_> =
            files[1].1.lines().filter(|line| line.starts_with('5')).map(|line| &line[69..75]).collect();
        assert_eq!(days, ["260624", "260623"], "credited when it is due, debited before");

        let sent = only(&one.company).await;
        assert_eq!((sent.state, sent.settles_on), (DepositState::Sent, Some(due)));
        assert_eq!(
            one.owed().await,
            BTreeMap::from([("FUTA".to_owned(), 1_200)]),
            "500 dollars are carried over"
        );
        let dollars = format!("{}.{:02}", withheld / 100, withheld % 100);
        let listed = of_deposits(&one.company).await;
        assert_eq!(listed[0], ["Credit tax agency", "credit", "submitted", &dollars].map(str::to_owned));
        assert_eq!(listed[1], ["Debit employer taxes", "debit", "submitted", &dollars].map(str::to_owned));
        let told = one.company.get(LIST).await;
        assert!(!told.text().contains(AGENCY) && !told.text().contains("741852096"));
        let kinds: Vec<_> = told.list().iter().map(|one| text(one, "payment_event_type")).collect();
        assert_eq!(kinds.iter().filter(|kind| *kind == "TaxDeposit").count(), 2, "{kinds:?}");
        one.world.wait(Span::new().hours(240)).await;
        assert!(of_deposits(&one.company).await.iter().all(|one| one[2] == "successful"));
        assert_eq!((files_in(one.folder.path()).len(), all(&one.company).await.len()), (2, 1));
    });
}

#[test]
fn tax_payments_are_listed_by_jurisdiction_day_and_amount() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let listed = async |query: &str| {
            one.company.get(format!("/v1/companies/{{company}}/tax_payments?{query}")).await.list()
        };
        let all = listed("").await;
        let [payment] = all.as_slice() else { panic!("{all:?}") };
        let told = ["jurisdiction", "period_start", "period_end", "due_date", "payment_sent_on"];
        let told = told.map(|key| payment[key].clone());
        let days = ["US", "2026-04-01", "2026-06-30", "2026-06-24"].map(|text| json!(text));
        assert_eq!((&told[..4], &told[4]), (&days[..], &Value::Null));
        let amount = text(payment, "amount");
        for (query, fits) in [
            ("jurisdiction=IL,us", true),
            ("jurisdiction=IL", false),
            ("due_date_from=2026-06-24&due_date_to=2026-06-24", true),
            ("due_date_from=2026-06-25", false),
            ("due_date_to=2026-06-23", false),
            ("payment_sent_on_from=2026-01-01", false),
            ("period_start_from=2026-04-01&period_start_to=2026-04-01", true),
            ("period_start_from=2026-04-02", false),
            ("period_end_from=2026-06-30&period_end_to=2026-06-30", true),
            ("period_end_to=2026-06-29", false),
            (&format!("amount_min={amount}&amount_max={amount}"), true),
            ("amount_max=1.00", false),
            ("sort_by=amount:desc,due_date&page=1&per=5", true),
        ] {
            assert_eq!(listed(query).await.len(), usize::from(fits), "{query}");
        }
        for key in ["jurisdiction", "amount_min", "due_date_from", "sort_by"] {
            let wrong = format!("/v1/companies/{{company}}/tax_payments?{key}=colour");
            assert_eq!(one.company.get(wrong).await.refused(422).keys(), [key]);
        }
        one.wait_until(FILED).await;
        assert_eq!(listed("payment_sent_on_to=2026-06-24").await[0]["payment_sent_on"], "2026-06-24");
    });
}

#[test]
fn the_console_shows_deposits_and_looks_for_no_payroll_behind_their_payments() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        one.wait_until(FILED).await;
        let admin = user(&one.world, &[(&one.company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&one.world, &admin, "/console").await;
        let page = browser.get(&format!("/console/companies/{}/money", one.company.id)).await.is(200).text();
        for shown in [
            "Deposits of taxes",
            "Form 941",
            "paid on Jun 18, 2026",
            "Jun 24, 2026",
            ">Sent<",
            "Debit employer taxes",
        ] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        let deposit = only(&one.company).await.id;
        assert!(page.contains(&one.payroll) && !page.contains(&format!("/payrolls/{deposit}")));
    });
}

#[test]
fn without_the_option_a_schedule_or_a_confirmed_account_the_employer_deposits() {
    on_both_engines(async |engine: Engine| {
        for (option, schedule, confirmed, left) in [
            (false, Some(Schedule::Monthly), "2026-06-01", None),
            (true, None, "2026-06-01", None),
            (true, Some(Schedule::Semiweekly), "", Some(taxes::NO_AGENCY)),
        ] {
            let world = engine.own_world().await;
            let folder = bank(&world, |terms| terms.deposit_taxes = option).await;
            agency(&world, &folder, confirmed).await;
            let (company, location, payroll) = employer(&world, ACCOUNT).await;
            paid(&company, &location, "Ana", "1111222233").await;
            state(&company, schedule).await;
            run(&company, &payroll).await;
            world.wait_until(FILED.parse().unwrap()).await;
            let found: Vec<_> = all(&company).await.into_iter().map(|one| (one.state, one.reason)).collect();
            let wanted: Vec<_> =
                left.map(|why| (DepositState::Manual, Some(why.to_owned()))).into_iter().collect();
            assert_eq!(found, wanted);
            assert_eq!(files_in(folder.path()).len(), 1, "net pay alone");
            let ready = world.call("GET", "/readyz").send().await.is(200).text();
            assert_eq!(ready.contains("no account of the agency"), left.is_some(), "{ready}");
            if left.is_none() {
                continue;
            }
            // Once the account is confirmed the operator has it paid after all: on the next banking day.
            agency(&world, &folder, "2026-06-22").await;
            let id = only(&company).await.id;
            act(&company, move |tx, caller| taxes::pay_deposit_again(tx, caller, id)).await.unwrap();
            world.wait(Span::new().minutes(5)).await;
            assert_eq!((only(&company).await.state, files_in(folder.path()).len()), (DepositState::Sent, 2));
            let twice = act(&company, move |tx, caller| taxes::pay_deposit_again(tx, caller, id)).await;
            assert!(matches!(twice, Err(Error::Violations(_))), "{twice:?}");
        }
    });
}

#[test]
fn payrolls_of_a_month_share_the_deposit_of_a_monthly_depositor_and_a_cancelled_one_leaves_it() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        let details = one.company.get("/v1/companies/{company}/federal_tax_details").await.ok();
        assert_eq!(details["deposit_schedule"], "Semiweekly");
        state(&one.company, Some(Schedule::Monthly)).await;
        let details = one.company.get("/v1/companies/{company}/federal_tax_details").await.ok();
        assert_eq!(details["deposit_schedule"], "Monthly");
        run(&one.company, &one.payroll).await;
        let first = only(&one.company).await;
        assert_eq!((first.due, first.cents > 0), (date(2026, 7, 15), true));
        // Another payroll of June, outside the schedule, for Friday 26 June.
        let bonus = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15", "end_date": "2026-06-21",
                            "check_date": "2026-06-26" });
        let other = id_of(&one.company.post("/v1/companies/{company}/payrolls", bonus).await.ok());
        let path = format!("/v1/companies/{{company}}/payrolls/{other}");
        let prepared = one.company.put(format!("{path}/prepare"), json!({})).await.ok();
        let line = &prepared["employee_compensations"][0];
        let line = json!([{ "employee_uuid": line["employee_uuid"], "version": line["version"],
                            "fixed_compensations": [{ "name": "Bonus", "amount": "1000.00" }] }]);
        one.company.put(&path, json!({ "employee_compensations": line })).await.ok();
        one.company.calculate(&other).await;
        one.company.submit(&other).await;
        one.world.wait(Span::new().minutes(1)).await;
        let both = only(&one.company).await;
        assert_eq!((both.id, both.last_day), (first.id, date(2026, 6, 26)));
        assert!(both.cents > first.cents, "{both:?}");
        one.company.put(format!("{path}/cancel"), json!({})).await.ok();
        assert_eq!(only(&one.company).await.cents, first.cents);
        one.wait_until("2026-07-13T23:05:00Z").await;
        let sent = only(&one.company).await;
        assert_eq!(
            (sent.state, sent.cents, sent.settles_on),
            (DepositState::Sent, first.cents, Some(first.due))
        );
    });
}

#[test]
fn a_payroll_that_is_cancelled_leaves_no_deposit() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        one.company.calculate(&one.payroll).await;
        one.company.submit(&one.payroll).await;
        one.world.wait(Span::new().minutes(1)).await;
        assert_eq!(only(&one.company).await.state, DepositState::Scheduled);
        one.company
            .put(format!("/v1/companies/{{company}}/payrolls/{}/cancel", one.payroll), json!({}))
            .await
            .ok();
        let left = only(&one.company).await;
        assert_eq!((left.state, left.cents), (DepositState::Canceled, 0));
        one.wait_until(FILED).await;
        assert!(files_in(one.folder.path()).is_empty());
        // It is run again, and its taxes are deposited.
        one.wait_until("2026-06-23T00:00:00Z").await;
        run_late(&one).await;
        let states: Vec<_> = all(&one.company).await.iter().map(|one| one.state).collect();
        assert_eq!(states, [DepositState::Canceled, DepositState::Scheduled]);
    });
}

/// Calculates and submits the payroll after its deadline: it is paid on a later day.
async fn run_late(one: &Depositor) {
    one.company.calculate(&one.payroll).await;
    one.company.submit(&one.payroll).await;
    one.world.wait(Span::new().minutes(1)).await;
}

#[test]
fn readiness_tells_a_table_of_agencies_that_cannot_be_read_from_one_that_confirms_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |terms| terms.deposit_taxes = true).await;
        let ready = async || world.call("GET", "/readyz").send().await.is(200).text();
        assert!(ready().await.contains("no account of the agency"), "{}", ready().await);
        // An import refuses such bytes: they were damaged in the store, or an earlier version wrote them.
        let put = world.app.store.write(|tx| {
            let of = ("2026-06-22", "damaged");
            rows::switch_vintage(tx, "tax-agency-banks", of, (1, false), b"no table of accounts")
        });
        assert!(put.await.unwrap_or_else(|error: Error| panic!("{error:?}")));
        let told = ready().await;
        assert!(told.contains("the table of tax agencies' accounts cannot be read"), "{told}");
        assert!(!told.contains("no account of the agency"), "{told}");
    });
}

#[test]
fn a_deposit_that_is_held_says_why_and_readiness_that_it_is_late() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        super::set(&one.world, one.folder.path(), |terms| {
            (terms.deposit_taxes, terms.company_limit) = (true, Some(100));
        })
        .await;
        one.wait_until(FILED).await;
        let (id, deposit) = (one.company.id, only(&one.company).await);
        assert_eq!(deposit.state, DepositState::Staged);
        let told = one.world.app.store.read(move |tx| open_items::of_deposit(tx, id, deposit.clone())).await;
        let told = told.unwrap_or_else(|error: Error| panic!("{error:?}"));
        assert_eq!(told.reason.as_deref(), Some("its credits exceed the limit of a company on one day"));
        let ready = async || one.world.call("GET", "/readyz").send().await.is(200).text();
        assert!(ready().await.contains("batches of payments are held"), "{}", ready().await);
        assert!(!ready().await.contains("deposits"), "it is due on Wednesday");
        one.wait_until("2026-06-24T18:00:00Z").await;
        assert!(ready().await.contains("1 deposits of taxes are due"), "{}", ready().await);
        assert!(open_items::is_late(&told, date(2026, 6, 24)));
        let admin = user(&one.world, &[(&one.company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&one.world, &admin, "/console").await;
        let page = browser.get(&format!("/console/companies/{}/money", one.company.id)).await.is(200).text();
        for shown in ["Held payments", ">Late<", "its credits exceed the limit"] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        // The limit is raised.
        super::set(&one.world, one.folder.path(), |terms| terms.deposit_taxes = true).await;
        retry(&one.world).await;
        assert_eq!(only(&one.company).await.state, DepositState::Sent);
        assert!(!ready().await.contains("deposits"), "{}", ready().await);
    });
}

#[test]
fn a_schedule_that_is_stated_late_divides_what_is_scheduled_at_once() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        state(&one.company, Some(Schedule::Monthly)).await;
        run(&one.company, &one.payroll).await;
        assert_eq!(only(&one.company).await.due, date(2026, 7, 15));
        state(&one.company, Some(Schedule::Semiweekly)).await;
        let found: Vec<_> = all(&one.company).await.into_iter().map(|one| (one.state, one.due)).collect();
        assert_eq!(
            found,
            [(DepositState::Canceled, date(2026, 7, 15)), (DepositState::Scheduled, date(2026, 6, 24))]
        );
        one.wait_until(FILED).await;
        assert_eq!(all(&one.company).await[1].state, DepositState::Sent);
    });
}

#[test]
fn a_hundred_thousand_dollars_are_due_on_the_next_business_day() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        let (rich, _) = one.company.onboarded("Max", &one.location, ("26000000.00", "Year", "Exempt")).await;
        let account = json!({ "name": "Main", "routing_number": "121000248", "account_number": "2222333344",
                              "account_type": "Checking" });
        one.company.post(format!("/v1/employees/{rich}/bank_accounts"), account).await.created();
        run(&one.company, &one.payroll).await;
        let found = only(&one.company).await;
        // Friday 19 June is a holiday.
        assert_eq!((found.next_day, found.due), (true, date(2026, 6, 22)));
        assert!(found.cents >= 10_000_000, "{found:?}");
        one.wait_until("2026-06-17T23:05:00Z").await;
        assert_eq!(
            (only(&one.company).await.state, files_in(one.folder.path()).len()),
            (DepositState::Sent, 2)
        );
    });
}

#[test]
fn what_the_employer_has_paid_by_hand_is_not_deposited_again() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let before = only(&one.company).await.cents;
        pay_by_hand(&one, "Medicare").await;
        one.wait_until(FILED).await;
        let sent = only(&one.company).await;
        assert_eq!((sent.state, sent.cents), (DepositState::Sent, before - 5_800));
        assert!(sent.amounts.iter().all(|share| share.code != "US_MEDICARE"), "{sent:?}");
        assert_eq!(one.owed().await, BTreeMap::from([("FUTA".to_owned(), 1_200)]));
    });
}

/// Records that everything that is owed of a tax was paid.
async fn pay_by_hand(one: &Depositor, tax: &str) {
    for owed in one.company.get(OWED).await.list() {
        if owed["description"] == tax {
            let paid =
                json!({ "liability_uuid": owed["uuid"], "amount": owed["balance"], "paid_on": "2026-06-16" });
            one.company.post("/v1/companies/{company}/liability_payments", paid).await.created();
        }
    }
}

#[test]
fn a_deposit_that_is_paid_by_hand_is_made_no_more() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        for tax in ["Medicare", "Social Security", "Federal Income Tax"] {
            pay_by_hand(&one, tax).await;
        }
        one.wait_until(FILED).await;
        let left = only(&one.company).await;
        assert_eq!(
            (left.state, left.reason.as_deref()),
            (DepositState::Canceled, Some("it was paid by hand"))
        );
        assert_eq!(files_in(one.folder.path()).len(), 1);
    });
}
