//! kill -9 while groups of payments of contractors are created, while their files for the bank are written, and while returns are read: each group
//! is created once, each payment is in one file, is funded when the bank has it and not before, and is told once. 25 kills, or 200 with
//! STIPEND_LONG=1.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::money::ledger::rows::FileState;
use domain::money::returns::bank_returns;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use store::params;
use uuid::Uuid;

use crate::money::{ADVANCE, FIRST, SECOND, Town};

store::statements! {
    CREATED = "SELECT entity_id FROM events WHERE event_type = 'contractor_payment.created'";
}

/// One while a group is created, two while its file is made, two while returns are read.
const KILLS_OF_A_ROUND: usize = 5;
/// Days from the creation of a group to its check date.
const AHEAD: i64 = 7;
/// Contractors beside those to whom a payment comes back.
const STEADY: usize = 8;
/// How often time goes on until a file is with the bank.
const MOST_STEPS: usize = 20;

/// A company that pays contractors through a bank.
struct Crew {
    town: Town,
    /// contractors with the number of their account
    contractors: Vec<(String, String)>,
    /// account and cents of each payment
    wanted: Vec<(String, u64)>,
    groups: Vec<String>,
}

impl Crew {
    fn new(contractors: usize) -> Self {
        let mut crew =
            Self { town: Town::new(0), contractors: Vec::new(), wanted: Vec::new(), groups: Vec::new() };
        for number in 0..contractors {
            let account = format!("66{number:08}");
            let id = crew.enter(number, &account);
            crew.contractors.push((id, account));
        }
        crew
    }

    /// People and businesses by turns, onboarded and with an account.
    fn enter(&self, number: usize, account: &str) -> String {
        let company = self.town.service.company();
        let mut body = json!({ "type": "Business", "business_name": format!("Shop {number}"), "ein": format!("74{number:07}"),
                               "wage_type": "Fixed", "start_date": "2026-01-05" });
        if number.is_multiple_of(2) {
            body = json!({ "type": "Individual", "first_name": "Robin", "last_name": format!("Crew {number}"),
                           "ssn": format!("41256{:04}", number + 1), "wage_type": "Fixed", "start_date": "2026-01-05" });
        }
        let made = self.town.ask("POST", &format!("/v1/companies/{company}/contractors"), &body);
        let one = format!("/v1/contractors/{}", made["uuid"].as_str().unwrap());
        let version = self.town.ask("GET", &format!("{one}/address"), &Value::Null)["version"].clone();
        let address = json!({ "version": version, "street_1": "300 3rd Street", "city": "San Francisco", "state": "CA", "zip": "94107" });
        self.town.ask("PUT", &format!("{one}/address"), &address);
        let numbers = json!({ "name": "Main", "routing_number": "021000021", "account_number": account, "account_type": "Checking" });
        self.town.ask("POST", &format!("{one}/bank_accounts"), &numbers);
        let done = json!({ "onboarding_status": "onboarding_completed" });
        self.town.ask("PUT", &format!("{one}/onboarding_status"), &done);
        made["uuid"].as_str().unwrap().to_owned()
    }

    fn list(&self) -> String {
        format!("/v1/companies/{}/contractor_payment_groups", self.town.service.company())
    }

    fn today(&self) -> Date {
        let clock = self.town.ask("GET", "/v1/test_helpers/clock", &Value::Null);
        clock["now"].as_str().unwrap()[..10].parse().unwrap()
    }

    /// A previewed group of everybody from a place on; what it pays is noted.
    fn previewed(&mut self, round: usize) -> (Value, Date) {
        let day = self.today().saturating_add(AHEAD.days());
        let mut lines = Vec::new();
        for (place, (id, account)) in self.contractors.iter().enumerate().skip(round) {
            let (dollars, cents) = (500 + round as u64, place as u64 % 100);
            lines.push(json!({ "contractor_uuid": id, "wage": format!("{dollars}.{cents:02}") }));
            self.wanted.push((account.clone(), dollars * 100 + cents));
        }
        let mut body = json!({ "check_date": day.to_string(), "contractor_payments": lines });
        let preview = self.town.ask("POST", &format!("{}/preview", self.list()), &body);
        body["creation_token"] = preview["creation_token"].clone();
        (body, day)
    }

    /// Creates a group, and is killed meanwhile; it is asked for again until it is there, once.
    fn created(&mut self, (body, day): &(Value, Date), wait: Duration) {
        let (bearer, list) = (format!("Bearer {}", self.town.service.token()), self.list());
        let answered = std::thread::scope(|scope| {
            let sent =
                scope.spawn(|| self.town.service.call_as(&bearer, "POST", &list, &body.to_string()).is_ok());
            std::thread::sleep(wait);
            self.town.service.kill_hard();
            sent.join().unwrap()
        });
        self.town.died();
        self.town.note(if answered {
            "a creation that was answered"
        } else {
            "a creation without an answer"
        });
        self.town.service = self.town.home.start();
        let there = self.with_token(body, *day);
        let (status, told) = self.town.service.call_as(&bearer, "POST", &list, &body.to_string()).unwrap();
        let expected = if there.is_empty() { 201 } else { 422 };
        assert_eq!(status, expected, "{there:?} {told}");
        let groups = self.with_token(body, *day);
        assert_eq!(groups.len(), 1, "the group was created once");
        self.told_once(&groups[0]);
        self.groups.extend(groups);
    }

    /// Each payment of a group is told once.
    fn told_once(&self, group: &str) {
        let told = self.town.look(|tx| Ok(tx.query_rows(CREATED, params![], |row| row.get::<Uuid>(0))?));
        let made = self.town.ask("GET", &format!("/v1/contractor_payment_groups/{group}"), &Value::Null);
        for payment in made["contractor_payments"].as_array().unwrap() {
            let id: Uuid = payment["uuid"].as_str().unwrap().parse().unwrap();
            assert_eq!(told.iter().filter(|one| **one == id).count(), 1, "{payment} is told once");
        }
    }

    /// The groups that were created with a token.
    fn with_token(&self, body: &Value, day: Date) -> Vec<String> {
        let listed =
            self.town.ask("GET", &format!("{}?start_date={day}&end_date={day}", self.list()), &Value::Null);
        let groups = listed.as_array().unwrap().iter();
        let own = groups.filter(|group| group["creation_token"] == body["creation_token"]);
        own.map(|group| group["uuid"].as_str().unwrap().to_owned()).collect()
    }

    /// How many payments of a group are funded, of how many.
    fn funded(&self, group: &str) -> (usize, usize) {
        let told = self.town.ask("GET", &format!("/v1/contractor_payment_groups/{group}"), &Value::Null);
        let payments = told["contractor_payments"].as_array().unwrap();
        (payments.iter().filter(|one| one["status"] == "Funded").count(), payments.len())
    }

    /// Nothing is funded that is not with the bank's tool, which takes what is there after the funded payments were counted: a service that was
    /// started again goes on with its files by itself.
    fn holds(&mut self) {
        let funded: usize = self.groups.iter().map(|group| self.funded(group).0).sum();
        self.town.take();
        let credits = self.town.entries().iter().filter(|entry| !entry.is_debit()).count();
        assert!(funded <= credits, "{funded} are funded, and the bank has {credits}");
    }

    /// Lets time pass until the bank has a group.
    fn settled(&mut self, group: &str, past: Timestamp) {
        for _ in 0..MOST_STEPS {
            let body = self.town.advance_to(past);
            self.town.ask("POST", ADVANCE, &body);
            self.town.take();
            self.town.consistent();
            self.holds();
            let (funded, all) = self.funded(group);
            if funded == all {
                return;
            }
        }
        panic!("{group} is never funded: {:?}", self.town.files());
    }

    /// Pays a group; returns when its payments are posted.
    fn round(&mut self, round: usize) -> Timestamp {
        let group = self.previewed(round);
        self.created(&group, Duration::from_micros(round as u64 * 2_777 % 16_000));
        // The cut-off is two banking days before the check date, in the afternoon in California.
        let past: Timestamp = format!("{}T01:00:00Z", group.1).parse().unwrap();
        self.town.write_killed("pay", past, FIRST[round % FIRST.len()]);
        self.holds();
        self.town.write_killed("pay", past, SECOND[round / 2 % SECOND.len()]);
        self.holds();
        let id = self.groups.last().unwrap().clone();
        self.settled(&id, past);
        // Nobody pays into an account from which a payment came back.
        let came_back = [self.contractors[round].clone()];
        self.town.returns(&came_back, round as u64);
        past + 96.hours()
    }
}

#[test]
fn whatever_kills_interrupt_each_payment_of_a_contractor_is_created_once_and_filed_once() {
    let rounds = if crate::long() { 40 } else { 5 };
    let mut crew = Crew::new(rounds + STEADY);
    let mut posted = Timestamp::MIN;
    for round in 0..rounds {
        posted = crew.round(round);
    }
    for _ in 0..MOST_STEPS {
        let body = crew.town.advance_to(posted);
        crew.town.ask("POST", ADVANCE, &body);
    }
    let sent = crew.town.entries();
    let mut credits: Vec<_> = sent
        .iter()
        .filter(|entry| !entry.is_debit())
        .map(|entry| (entry.account.clone(), entry.cents))
        .collect();
    credits.sort();
    crew.wanted.sort();
    assert_eq!(credits, crew.wanted, "each payment is in the files once");
    let traces: BTreeSet<_> = sent.iter().map(|entry| entry.trace.as_str()).collect();
    assert_eq!(traces.len(), sent.len(), "traces are unique");
    let debits: u64 = sent.iter().filter(|entry| entry.is_debit()).map(|entry| entry.cents).sum();
    assert_eq!(debits, credits.iter().map(|(_, cents)| cents).sum::<u64>(), "the company pays it once");
    assert!(crew.town.files().iter().all(|file| file.state == FileState::Written));
    let liabilities = format!("/v1/companies/{}/liabilities", crew.town.service.company());
    let liabilities = crew.town.ask("GET", &liabilities, &Value::Null);
    let owed = liabilities.as_array().unwrap().iter().filter(|one| one["account"] == "contractors_payable");
    // What came back is owed again, and nothing else.
    assert_eq!(owed.filter(|one| one["balance"] != "0.00").count(), crew.town.returned, "{liabilities}");
    let states = crew.town.look(|tx| bank_returns::list_bank_returns(tx, false, (10_000, 0)));
    let returned = states.iter().filter(|one| one.state == bank_returns::BankReturnState::Returned).count();
    assert_eq!(
        (states.len(), returned),
        (crew.town.records, crew.town.returned),
        "each record was taken once"
    );
    println!(
        "{} kills: {} groups of {} payments of contractors, each created once, filed once and told once; {} files; {} records of returns, \
         {returned} of them payments",
        rounds * KILLS_OF_A_ROUND,
        crew.groups.len(),
        credits.len(),
        crew.town.files().len(),
        crew.town.records,
    );
    println!("the kills met {:?}", crew.town.met);
    assert_eq!(crew.town.met.values().sum::<usize>(), rounds * KILLS_OF_A_ROUND);
    let interrupted = ["was recorded", "was staged", "was given, not noted"];
    let is = |met: &str| met.starts_with("a file of pay") && interrupted.iter().any(|end| met.ends_with(end));
    assert!(crew.town.met.keys().any(|met| is(met)), "no making of a file was interrupted");
}
