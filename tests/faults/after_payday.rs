//! kill -9 after the payday: while returns are read, while returned pay is paid by check, while pay that was not owed is reversed, and while a
//! paycheck is made void. Each is done once: one refund, one reversal, one void, and the books have nothing in transit and owe nobody anything
//! but what those with a void paycheck owe. 25 kills, or 200 with STIPEND_LONG=1.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::money::{ADVANCE, Town};

/// Two while returns are read, one each while pay is paid by check, reversed and made void.
const KILLS_OF_A_ROUND: usize = 5;
/// People of a round: whose pay comes back, whose is reversed, whose paycheck is void, and who keeps it.
const PEOPLE: usize = 4;
/// How often time goes on until everything is with the bank.
const STEPS: usize = 10;

fn cents(amount: &Value) -> i64 {
    amount.as_str().unwrap().replace('.', "").parse().unwrap()
}

/// Sends a request, and is killed meanwhile; then it is sent until it is done, and once more, which is refused.
fn once(town: &mut Town, (what, path, body): (&str, &str, &Value), wait: Duration) {
    let bearer = format!("Bearer {}", town.service.token());
    let answered = std::thread::scope(|scope| {
        let sent = scope.spawn(|| town.service.call_as(&bearer, "PUT", path, &body.to_string()).is_ok());
        std::thread::sleep(wait);
        town.service.kill_hard();
        sent.join().unwrap()
    });
    town.died();
    let end = if answered { "that was answered" } else { "without an answer" };
    town.note(&format!("{what} {end}"));
    town.service = town.home.start();
    let bearer = format!("Bearer {}", town.service.token());
    let send = || town.service.call_as(&bearer, "PUT", path, &body.to_string()).unwrap();
    let (status, told) = send();
    // What was done before the kill is refused; a paycheck that is void is found no more.
    let was_done = matches!(status, 404 | 422);
    assert!(was_done || matches!(status, 200 | 202), "{path}: {status} {told}");
    assert!(was_done || !answered, "{path} was answered, and is done again: {told}");
    let (again, told) = send();
    assert!(matches!(again, 404 | 422), "{path} is done twice: {again} {told}");
}

/// The transaction that pays an employee in a payroll.
fn entry(town: &Town, payroll: &str, employee: &str) -> String {
    let list = format!("/v1/companies/{}/ach_transactions?payroll_uuid={payroll}", town.service.company());
    let all = town.ask("GET", &list, &Value::Null);
    let mut all = all.as_array().unwrap().iter();
    let one = all.find(|one| one["recipient_uuid"] == employee).unwrap_or_else(|| panic!("{employee}"));
    one["uuid"].as_str().unwrap().to_owned()
}

/// What employees owe for void paychecks of a round.
fn round(town: &mut Town, round: usize) -> i64 {
    let people: Vec<_> = town.people[PEOPLE * round..PEOPLE * (round + 1)].to_vec();
    let (path, deadline) = town.payroll(&people, round);
    town.submitted(&path);
    town.settled(deadline + 10.minutes());
    let payroll = path.rsplit('/').next().unwrap().to_owned();
    let wait = |number: usize| Duration::from_micros((round * 3 + number) as u64 * 1_931 % 9_000);

    town.returns(&people[..1], round as u64);
    let again = format!("/v1/ach_transactions/{}/pay_again", entry(town, &payroll, &people[0].0));
    once(town, ("a payment by check", &again, &json!({ "by_check": true })), wait(0));
    let reverse = format!("/v1/ach_transactions/{}/reverse", entry(town, &payroll, &people[1].0));
    let why = json!({ "category": "not_owed", "reason": "The bonus was for somebody else" });
    once(town, ("a reversal", &reverse, &why), wait(1));
    let void = format!("{path}/employees/{}/void", people[2].0);
    once(town, ("a void", &void, &json!({ "reason": "The bonus was not owed" })), wait(2));
    let owes = town.wanted.iter().rfind(|(account, _)| *account == people[2].1).unwrap().1;
    i64::try_from(owes).unwrap()
}

/// All pages of a list, whose path ends where its pages are named.
fn all(town: &Town, path: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for page in 1.. {
        let some = town.ask("GET", &format!("{path}page={page}&per=100"), &Value::Null);
        let some = some.as_array().unwrap();
        found.extend(some.iter().cloned());
        if some.len() < 100 {
            break;
        }
    }
    found
}

/// How many transactions of a type there are.
fn count(transactions: &[Value], kind: &str) -> usize {
    transactions.iter().filter(|one| one["transaction_type"] == kind).count()
}

#[test]
fn whatever_kills_interrupt_what_follows_a_payday_is_done_once_and_the_books_come_to_nothing() {
    let rounds = if crate::long() { 40 } else { 5 };
    let mut town = Town::new((PEOPLE * rounds) as i64);
    let owed: i64 = (0..rounds).map(|number| round(&mut town, number)).sum();
    for _ in 0..STEPS {
        town.ask("POST", ADVANCE, &json!({ "seconds": 86_400 }));
        town.take();
        town.consistent();
    }
    let company = town.service.company().to_owned();
    let list = |what: &str| all(&town, &format!("/v1/companies/{company}/{what}"));
    let reversals = list("payroll_reversals?");
    assert_eq!(reversals.len(), 2 * rounds, "one reversal and one void of each round");
    let transactions = list("ach_transactions?");
    assert_eq!(count(&transactions, "Refund employer"), rounds, "what came back is refunded once");
    assert_eq!(count(&transactions, "Reverse employee pay"), rounds, "what was not owed is debited once");
    let sent = town.entries();
    let reversed =
        sent.iter().filter(|entry| entry.is_debit() && town.people.iter().any(|one| one.1 == entry.account));
    assert_eq!(reversed.count(), rounds, "each reversal is in one file");

    let mut sums = BTreeMap::<String, i64>::new();
    // The machine's clock may be near the end of a year.
    let year =
        town.ask("GET", "/v1/test_helpers/clock", &Value::Null)["now"].as_str().unwrap()[..4].to_owned();
    let year: i64 = year.parse().unwrap();
    for year in year - 1..=year + 1 {
        for line in list(&format!("journal?start_date={year}-01-01&end_date={year}-12-31&")) {
            let account = line["account"].as_str().unwrap().to_owned();
            *sums.entry(account).or_default() += cents(&line["debit"]) - cents(&line["credit"]);
        }
    }
    assert_eq!(sums.values().sum::<i64>(), 0, "{sums:?}");
    let of = |account: &str| sums.get(account).copied().unwrap_or(0);
    assert_eq!(of("funds_in_transit"), 0, "{sums:?}");
    assert_eq!(of("employee_receivables"), owed, "{sums:?}");
    println!(
        "{} kills: {rounds} payrolls, {} entries of files, {} transactions; nothing in transit, {owed} cents owed by employees",
        rounds * KILLS_OF_A_ROUND,
        sent.len(),
        transactions.len(),
    );
    println!("the kills met {:?}", town.met);
    assert_eq!(town.met.values().sum::<usize>(), rounds * KILLS_OF_A_ROUND);
    assert!(town.met.keys().any(|met| met.ends_with("without an answer")), "no request was interrupted");
}
