//! Random years of random companies: paid month by month over the interface, closed quarter by quarter, and corrected once. Whatever was paid,
//! Forms W-2, W-3, 941 and 941-X, the liability of the pay dates and the books say the same.
//!
//! In each company there are tips, bonuses, a salary above the wage base, both kinds of 401(k) contributions, a health savings account,
//! group-term life insurance, health insurance of a shareholder, a move to another state, a return after a dismissal, a death, a paycheck that
//! is made void in time, and one that is made void after its quarter was filed; to whom and when each happens is left to chance.
//!
//! Two years for each engine; 20 with STIPEND_LONG=1. `STIPEND_SEED=7 cargo test -p stipend --test api random_years` lives through one.

use std::collections::{BTreeMap, BTreeSet};

use domain::returns::amended::{self, Amendment};
use domain::returns::closing::{self, Filing, Period};
use domain::returns::figures;
use domain::returns::forms::content::{Content, FigureLine, TaxFormKind};
use domain::returns::forms::rows::{self as forms, TaxForm};
use jiff::civil::{Date, date};
use returns::Quarter;
use returns::reconcile::Verdict;
use serde_json::{Value, json};

use super::{cents, path};
use crate::dice::Dice;
use crate::support::{Company, Engine, Setup, id_of, on_both_engines, text};

/// Social Security wages of a person in 2026 (91 FR, Social Security Administration): 184,500.00.
const WAGE_BASE: i64 = 18_450_000;
/// Where the companies are. Each has three of these.
const STATES: [(&str, (&str, &str)); 4] = [
    ("CA", ("San Francisco", "94103")),
    ("NY", ("Brooklyn", "11201")),
    ("OR", ("Portland", "97201")),
    ("TX", ("San Antonio", "78205")),
];
/// First names of at most so many people.
const NAMES: [&str; 6] = ["Ana", "Bob", "Cora", "Dan", "Eva", "Finn"];
/// Lines of Form 941 and 941-X that the IRS compares with boxes of Form W-3.
const COMPARED: [(&str, &str, &str); 5] =
    [("1", "2", "6"), ("2", "3", "7"), ("3", "5a1", "8"), ("7", "5b1", "11"), ("5", "5c1", "12")];

/// What can be peculiar of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Peculiarity {
    /// a salary above the wage base of Social Security, and above the threshold of Additional Medicare tax
    AboveTheCap,
    Tips,
    Retirement,
    Roth,
    HealthSavings,
    LifeInsurance,
    Shareholder,
    Moves,
    Returns,
    Dies,
    /// leaves, and turns out not to be owed the last paycheck, after its quarter was filed
    Leaves,
}

use Peculiarity::{
    AboveTheCap, Dies, HealthSavings, Leaves, LifeInsurance, Moves, Retirement, Returns, Roth, Shareholder,
    Tips,
};

struct Person {
    id: String,
    has: BTreeSet<Peculiarity>,
    is_hourly: bool,
    /// where the employee works at first
    state: &'static str,
}

/// A company, and what chance does to it.
struct Town {
    company: Company,
    dice: Dice,
    people: Vec<Person>,
    /// by state
    offices: Vec<(&'static str, String)>,
    /// employees of whom a paycheck is void
    voided: BTreeSet<String>,
}

fn amount(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

impl Town {
    async fn new(engine: Engine, seed: u64) -> Self {
        let begins = |setup: &mut Setup| setup.begins = "2026-01-02T18:00:00Z";
        let company = engine.own_world_with(begins).await.company().await;
        let mut dice = Dice::new(seed, "random years");
        let mut states = STATES.to_vec();
        states.remove(dice.below(states.len()));
        let mut offices = Vec::new();
        for (state, _) in states {
            offices.push((state, id_of(&company.location(state).await)));
        }
        let schedule = json!({ "frequency": "Monthly", "day_1": 10, "anchor_pay_date": "2026-02-10",
                               "anchor_end_of_pay_period": "2026-01-31" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let mut town = Self { company, dice, people: Vec::new(), offices, voided: BTreeSet::new() };
        let count = town.dice.below(2) + 5;
        let mut dealt = vec![BTreeSet::new(); count];
        for one in [
            AboveTheCap,
            Tips,
            Retirement,
            Roth,
            HealthSavings,
            LifeInsurance,
            Shareholder,
            Moves,
            Returns,
            Dies,
            Leaves,
        ] {
            // Nobody comes back from death, and whoever is not there for months does not earn that much.
            let fits = |has: &BTreeSet<Peculiarity>| match one {
                Returns => !has.contains(&AboveTheCap),
                Dies => !has.contains(&AboveTheCap) && !has.contains(&Returns) && !has.contains(&Moves),
                Leaves => [AboveTheCap, Returns, Moves, Dies].iter().all(|other| !has.contains(other)),
                Tips => !has.contains(&AboveTheCap),
                _ => true,
            };
            let places: Vec<usize> = (0..count).filter(|place| fits(&dealt[*place])).collect();
            let place = *town.dice.of(&places);
            dealt[place].insert(one);
        }
        for (number, has) in dealt.into_iter().enumerate() {
            let person = town.hire(number, has).await;
            town.people.push(person);
        }
        town
    }

    async fn hire(&mut self, number: usize, has: BTreeSet<Peculiarity>) -> Person {
        let (state, office) = self.dice.of(&self.offices).clone();
        let company = &self.company;
        let body = json!({ "first_name": NAMES[number], "last_name": "Silva", "email": "silva@people.example",
                           "date_of_birth": format!("{}-08-08", 1960 + 7 * number), "ssn": format!("41255{:04}", 2_001 + number) });
        let id = id_of(&company.post("/v1/companies/{company}/employees", body).await.created());
        company.work_address(&id, &office).await;
        let (_, (city, zip)) = STATES.iter().find(|one| one.0 == state).unwrap();
        let home = json!({ "street_1": "19 Willow Court", "city": city, "state": state, "zip": zip });
        company.post(format!("/v1/employees/{id}/home_addresses"), home).await.created();
        let body = json!({ "title": "Cook", "hire_date": "2026-01-01", "two_percent_shareholder": has.contains(&Shareholder) });
        let job = company.post(format!("/v1/employees/{id}/jobs"), body).await.created();
        let is_hourly = !has.contains(&AboveTheCap) && (has.contains(&Tips) || self.dice.percent(50));
        let rate = match (is_hourly, has.contains(&AboveTheCap)) {
            (true, _) => self.dice.between(1_700, 6_500),
            (false, true) => self.dice.between(24_000_000, 60_000_000),
            (false, false) => self.dice.between(5_000_000, 12_000_000),
        };
        let unit = if is_hourly { ("Hour", "Nonexempt") } else { ("Year", "Exempt") };
        company.pay(&job, &amount(rate), unit.0, unit.1).await;
        let steps = company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok();
        let open = steps["onboarding_steps"].as_array().unwrap().iter();
        let open = open.filter(|step| step["completed"] == false && step["id"] != "admin_review");
        let open: Vec<String> = open.map(|step| text(step, "id")).collect();
        let open: Vec<&str> = open.iter().map(String::as_str).collect();
        company.mark_and_ask_for(&id, &open, "onboarding_completed").await.ok();
        let person = Person { id, has, is_hourly, state };
        self.enroll(&person).await;
        person
    }

    /// The benefits of an employee.
    async fn enroll(&mut self, person: &Person) {
        let mut plans = Vec::new();
        for (of, kind, least, most) in [
            (Retirement, 5, 5_000, 60_000),
            (Roth, 105, 5_000, 60_000),
            (HealthSavings, 6, 2_000, 30_000),
            (Shareholder, 1, 5_000, 40_000),
        ] {
            if person.has.contains(&of) {
                let own = amount(self.dice.between(least, most));
                let contributed =
                    json!({ "type": "amount", "value": amount(self.dice.between(1_000, 30_000)) });
                plans.push((kind, json!({ "employee_deduction": own, "contribution": contributed })));
            }
        }
        if person.has.contains(&LifeInsurance) {
            let coverage = amount(self.dice.between(60_000, 400_000) * 100);
            plans.push((107, json!({ "coverage_amount": coverage })));
        }
        for (kind, mut held) in plans {
            let offered = json!({ "benefit_type": kind, "description": format!("Plan {kind}") });
            let offered =
                self.company.post("/v1/companies/{company}/company_benefits", offered).await.created();
            held["company_benefit_uuid"] = json!(id_of(&offered));
            held["effective_date"] = json!("2026-01-01");
            self.company.post(format!("/v1/employees/{}/employee_benefits", person.id), held).await.created();
        }
    }

    async fn until(&self, day: Date) {
        self.company.world.wait_until(format!("{day}T18:00:00Z").parse().unwrap()).await;
    }

    /// What is entered for an employee of a payroll.
    fn entry(&mut self, person: usize) -> Value {
        let (dice, one) = (&mut self.dice, &self.people[person]);
        let mut entry = json!({ "employee_uuid": one.id });
        if one.is_hourly {
            let regular = json!({ "name": "Regular Hours", "hours": format!("{}.{:02}", dice.between(30, 168), dice.between(0, 99)) });
            entry["hourly_compensations"] = json!([regular]);
        }
        let mut fixed = Vec::new();
        if one.has.contains(&Tips) {
            fixed.push(json!({ "name": "Cash Tips", "amount": amount(dice.between(1, 150_000)) }));
            fixed.push(json!({ "name": "Paycheck Tips", "amount": amount(dice.between(0, 90_000)) }));
        }
        if dice.percent(20) {
            fixed.push(json!({ "name": "Bonus", "amount": amount(dice.between(1, 900_000)) }));
        }
        entry["fixed_compensations"] = json!(fixed);
        entry
    }

    /// Pays a month with the regular payroll, whose check date is the tenth of the next one.
    async fn pay(&mut self, month: i8) {
        let first = date(2026, month, 1);
        self.until(first.last_of_month().tomorrow().unwrap()).await;
        let days = format!("start_date={first}&end_date={}", first.last_of_month());
        let periods = self.company.get(format!("/v1/companies/{{company}}/pay_periods?{days}")).await.list();
        let period = periods.iter().find(|one| one["start_date"] == json!(first)).unwrap();
        let payroll = text(&period["payroll"], "payroll_uuid");
        let prepared = self.company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let mut lines = Vec::new();
        for member in prepared["employee_compensations"].as_array().unwrap() {
            let person =
                self.people.iter().position(|one| member["employee_uuid"] == one.id.as_str()).unwrap();
            let mut line = self.entry(person);
            line["version"] = member["version"].clone();
            lines.push(line);
        }
        self.company.put(path(&payroll, ""), json!({ "employee_compensations": lines })).await.ok();
        self.company.calculate(&payroll).await;
        self.company.submit(&payroll).await;
    }

    /// Makes the paycheck for a month void, of somebody who had none so far and whose wages need not reach the wage base.
    async fn void(&mut self, month: i8, is_leaver: bool) {
        let days =
            format!("start_date={}&end_date={}", date(2026, month, 1), date(2026, month, 1).last_of_month());
        let list = format!("/v1/companies/{{company}}/payrolls?processing_statuses=processed&{days}");
        let payrolls = self.company.get(list).await.list();
        let payroll = payrolls
            .iter()
            .find(|one| one["pay_period"]["start_date"] == json!(date(2026, month, 1)))
            .unwrap();
        let payroll = text(payroll, "payroll_uuid");
        let told = self.company.get(path(&payroll, "")).await.ok();
        let paid = |one: &&Person| {
            let all = told["employee_compensations"].as_array().unwrap();
            let member = all.iter().find(|line| line["employee_uuid"] == one.id.as_str());
            let is_paid =
                member.is_some_and(|line| line["gross_pay"].is_number() && cents(&line["net_pay"]) > 0);
            is_paid && one.has.contains(&Leaves) == is_leaver && !one.has.contains(&AboveTheCap)
        };
        let all: Vec<String> = self.people.iter().filter(paid).map(|one| one.id.clone()).collect();
        let who = self
            .dice
            .any(&all)
            .unwrap_or_else(|| panic!("nobody was paid for month {month}: {told:#}"))
            .clone();
        let void = path(&payroll, &format!("/employees/{who}/void"));
        self.company.put(void, json!({ "reason": "It was not owed" })).await.ok();
        self.voided.insert(who);
    }

    fn with(&self, what: Peculiarity) -> &Person {
        self.people.iter().find(|one| one.has.contains(&what)).unwrap()
    }

    /// What the books owe for Form 941 in the days of a quarter.
    async fn owed(&self, quarter: Quarter) -> i64 {
        let (from, until) = (quarter.first_day(), quarter.last_day());
        let journal = format!("/v1/companies/{{company}}/journal?start_date={from}&end_date={until}");
        let journal = self.company.get(journal).await.list();
        let of_941 = |line: &&Value| line["agency"] == "US" && line["description"] != "FUTA";
        journal.iter().filter(of_941).map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum()
    }

    async fn content(&self, form: &TaxForm) -> Content {
        let (form, id) = (form.clone(), self.company.id);
        self.company.world.app.store.read(move |tx| form.read_content(tx, id)).await.unwrap()
    }

    async fn close(&self, period: Period) -> TaxForm {
        let made =
            closing::close_period(&self.company.world.app.store, &self.company.operator().await, period)
                .await;
        made.unwrap_or_else(|error| panic!("{period:?}: {error:?}"))
    }

    async fn file(&self, form: &TaxForm, on: Date) {
        let (by, id) = (self.company.operator().await, form.id);
        let filing = Filing { on, receipt: "confirmation 4711".to_owned() };
        self.company
            .world
            .app
            .store
            .write(move |tx| closing::record_filing(tx, &by, id, &filing))
            .await
            .unwrap();
    }
}

/// The amounts of the lines with a number, in their order.
fn amounts(content: &Content, number: &str) -> Vec<i64> {
    let lines = content.parts().into_iter().flat_map(|part| part.lines);
    lines.filter(|line| line.number == number).map(|line| shown(&line)).collect()
}

fn shown(line: &FigureLine) -> i64 {
    cents(&json!(line.value.shown_text()))
}

/// What was reported for the boxes of Form W-3 by Forms 941 and 941-X.
type Reported = BTreeMap<&'static str, i64>;

/// Closes and files a quarter: line 12 is what the books owe after the cents are posted, and the liability of the pay dates.
async fn close_quarter(town: &Town, number: i8, reported: &mut Reported) -> (TaxForm, i64) {
    let quarter = Quarter::new(2026, number).unwrap();
    let form = town.close(Period::Quarter(quarter)).await;
    let content = town.content(&form).await;
    let total = amounts(&content, "12")[0];
    assert!(total > 0);
    assert_eq!(town.owed(quarter).await, total, "the books of Q{number}");
    let of_days = content.parts().into_iter().filter(|part| part.heading == "Schedule B");
    let of_days: Vec<i64> = of_days.flat_map(|part| part.lines).map(|line| shown(&line)).collect();
    assert_eq!(of_days.iter().sum::<i64>(), total, "Schedule B of Q{number}");
    assert!(of_days.iter().all(|cents| *cents > 0), "no day owes less than nothing: {of_days:?}");
    for (of_w3, line, _) in COMPARED {
        *reported.entry(of_w3).or_default() += amounts(&content, line)[0];
    }
    (form, total)
}

/// A paycheck of a filed quarter turns out not to be owed: Form 941-X follows, and the books owe both returns together.
async fn correct(town: &mut Town, (filed, total): (&TaxForm, i64), reported: &mut Reported) {
    let number = i8::try_from(filed.quarter.unwrap()).unwrap();
    let quarter = Quarter::new(2026, number).unwrap();
    // The last paycheck of whoever has left, of the tenth of the last month of the quarter.
    town.void(number * 3 - 1, true).await;
    let by = town.company.operator().await;
    let store = town.company.world.app.store.clone();
    let form = amended::close_amended_return(&store, &by, Amendment::Quarter(quarter)).await;
    let form = form.unwrap_or_else(|error| panic!("Form 941-X: {error:?}"));
    let content = town.content(&form).await;
    assert_eq!(
        town.owed(quarter).await,
        total + amounts(&content, "27")[0],
        "the books owe both returns together"
    );
    for (of_w3, _, line) in COMPARED {
        // corrected, reported, difference, and the tax on it
        let columns = amounts(&content, line);
        *reported.entry(of_w3).or_default() += columns.get(2).copied().unwrap_or_default();
    }
}

/// The year is closed: Form W-3 is the sum of the Forms W-2, and of what was reported for the quarters.
async fn close_year(town: &Town, reported: &Reported) -> BTreeMap<String, Content> {
    let id = town.company.id;
    let year = town.company.world.app.store.read(move |tx| figures::of_year(tx, id, 2026)).await.unwrap();
    for one in year.comparisons.iter().chain(year.quarters.iter().flat_map(|one| &one.comparisons)) {
        // What an amended return has changed is no longer what the first one said.
        let is_of_books = one.key == "line_12_books";
        assert!(is_of_books || !matches!(one.verdict, Verdict::Blocker(_)), "{one:?}");
    }
    let w3 = town.close(Period::Statements(2026)).await;
    let of_w3 = town.content(&w3).await;
    let mut statements = BTreeMap::new();
    for person in &town.people {
        let list = town.company.get(format!("/v1/employees/{}/forms", person.id)).await.list();
        let Some(form) = list.iter().find(|form| form["name"] == "US_W-2") else { continue };
        let form = id_of(form).parse().unwrap();
        let found =
            town.company.world.app.store.read(move |tx| TaxForm::find(tx, id, form)).await.unwrap().unwrap();
        assert_eq!(found.kind, TaxFormKind::W2);
        statements.insert(person.id.clone(), town.content(&found).await);
    }
    assert_eq!(statements.len(), town.people.len(), "everybody was paid");
    for (of_box, ..) in COMPARED {
        let of_people: i64 = statements.values().map(|one| amounts(one, of_box)[0]).sum();
        assert_eq!(amounts(&of_w3, of_box)[0], of_people, "box {of_box} of Form W-3 and of Forms W-2");
        assert_eq!(of_people, reported[of_box], "box {of_box} of Form W-3 and of Forms 941");
    }
    for content in statements.values() {
        let of = |number: &str| amounts(content, number)[0];
        assert!(of("3") + of("7") <= WAGE_BASE && of("5") >= of("3") + of("7"));
    }
    statements
}

/// What was left to chance has happened, and is where the form has it.
fn has_what_happened(town: &Town, statements: &BTreeMap<String, Content>) {
    let of = |what, number: &str| -> i64 { amounts(&statements[&town.with(what).id], number).iter().sum() };
    assert_eq!(of(AboveTheCap, "3") + of(AboveTheCap, "7"), WAGE_BASE);
    assert!(of(AboveTheCap, "5") > 20_000_000, "Additional Medicare tax is due");
    assert!(of(Tips, "7") > 0 && of(Tips, "12 TP") > 0);
    assert!(of(Retirement, "12 D") > 0 && of(Roth, "12 AA") > 0);
    assert!(of(HealthSavings, "12 W") > 0 && of(LifeInsurance, "12 C") > 0);
    assert!(of(Shareholder, "14a") > 0);
    // Health insurance of a shareholder is income alone, and can be more than these wages.
    let dead = town.with(Dies);
    let is_plain = !dead.has.contains(&Shareholder) && !town.voided.contains(&dead.id);
    assert!(!is_plain || of(Dies, "5") > of(Dies, "1"), "wages after the death are no income");
    assert!(of(Returns, "1") > 0 && !town.voided.is_empty());
}

impl Town {
    /// The employment of somebody ends.
    async fn ends(&self, who: Peculiarity, last_day: Date, separation: &str) {
        let path = format!("/v1/employees/{}/terminations", self.with(who).id);
        let body = json!({ "effective_date": last_day, "separation": separation });
        self.company.post(path, body).await.created();
    }
}

/// Lives through a year.
async fn live(engine: Engine, seed: u64) {
    let mut town = Town::new(engine, seed).await;
    let (moves, leaves, dies) = (town.dice.between(3, 8), town.dice.between(2, 5), town.dice.between(4, 10));
    let back = leaves + town.dice.between(2, 4);
    let (void_in, correct_in) = (town.dice.between(1, 9), town.dice.between(1, 3));
    let (mut reported, mut filed) = (Reported::new(), None);
    for month in 1..=11_i8 {
        let number = i64::from(month);
        let day = date(2026, month, 12);
        town.until(day).await;
        if number == moves {
            let (id, state) = (town.with(Moves).id.clone(), town.with(Moves).state);
            let others: Vec<_> = town.offices.iter().filter(|one| one.0 != state).collect();
            let body = json!({ "location_uuid": town.dice.of(&others).1, "effective_date": day });
            let path = format!("/v1/employees/{id}/work_addresses");
            town.company.post(path, body).await.created();
        }
        if number == leaves {
            town.ends(Returns, day, "quit").await;
        }
        if number == dies {
            town.ends(Dies, day, "death").await;
        }
        if number == correct_in * 3 - 1 {
            town.ends(Leaves, day.last_of_month(), "discharged").await;
        }
        if number == back {
            let body = json!({ "effective_date": date(2026, month, 14), "file_new_hire_report": false,
                               "work_location_uuid": town.offices[0].1 });
            town.company
                .post(format!("/v1/employees/{}/rehire", town.with(Returns).id), body)
                .await
                .created();
        }
        if [4, 7, 10].contains(&month) {
            let quarter = month / 3;
            let closed = close_quarter(&town, quarter, &mut reported).await;
            if i64::from(quarter) == correct_in {
                town.file(&closed.0, day).await;
                filed = Some(closed);
            }
        }
        // Some weeks later, in the next quarter.
        if let Some((form, total)) =
            filed.take_if(|(form, _)| form.quarter == Some(i64::from(month / 3)) && month % 3 == 2)
        {
            correct(&mut town, (&form, total), &mut reported).await;
        }
        town.pay(month).await;
        if number == void_in {
            town.until(date(2026, month + 1, 11)).await;
            town.void(month, false).await;
        }
    }
    town.until(date(2027, 1, 4)).await;
    close_quarter(&town, 4, &mut reported).await;
    let statements = close_year(&town, &reported).await;
    has_what_happened(&town, &statements);
    let id = town.company.id;
    let open =
        town.company.world.app.store.read(move |tx| forms::list_corrections(tx, id, true)).await.unwrap();
    assert!(
        open.iter().any(|one| i64::from(one.day.month()) <= 9),
        "the change of a closed quarter is on record"
    );
}

#[test]
fn whatever_is_paid_in_a_year_the_statements_the_returns_and_the_books_say_the_same() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let seeds = match number("STIPEND_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..if std::env::var_os("STIPEND_LONG").is_some() { 20 } else { 2 },
    };
    on_both_engines(async |engine: Engine| {
        for seed in seeds.clone() {
            eprintln!("year {seed} (STIPEND_SEED={seed})");
            live(engine, seed).await;
        }
    });
}
