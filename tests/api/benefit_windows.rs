//! Windows of benefits against a calendar that is filled in day by day, and many callers at once.
//!
//! `STIPEND_LONG=1` runs the full figures: 100,000 commands, and 1,000 rounds of 64 callers, on each engine.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

/// The full figure of a long run, or a share of it.
fn figure(full: usize, ordinary: usize) -> usize {
    if std::env::var_os("STIPEND_LONG").is_some() { full } else { ordinary }
}

/// Days of the calendar. The last one stands for all that come after it, so that no window ends there.
const DAYS: i64 = 60;

fn day(number: i64) -> Date {
    date(2026, 1, 1).checked_add(number.days()).unwrap()
}

/// One employee and benefit, as somebody would keep it on paper: a row of days, on each the record in force, and who
/// was told what of each record.
#[derive(Default)]
struct Calendar {
    days: Vec<Option<String>>,
    records: BTreeMap<String, Paper>,
}

/// What is known of a record.
#[derive(Clone, PartialEq, Debug)]
struct Paper {
    version: String,
    deduction: String,
}

impl Calendar {
    fn new() -> Self {
        Self { days: vec![None; usize::try_from(DAYS).unwrap()], records: BTreeMap::new() }
    }

    /// The days of a record, as a first and a last one; an open record has the last day of all.
    fn span(&self, record: &str) -> Option<(i64, Option<i64>)> {
        let on = |number: &i64| self.days[usize::try_from(*number).unwrap()].as_deref() == Some(record);
        let first = (0..DAYS).find(on)?;
        let last = (first..DAYS).take_while(on).last()?;
        Some((first, (last < DAYS - 1).then_some(last)))
    }

    fn clear(&mut self, record: &str) {
        self.days.iter_mut().filter(|on| on.as_deref() == Some(record)).for_each(|on| *on = None);
    }

    fn is_free(&self, first: i64, last: Option<i64>) -> bool {
        (first..=last.unwrap_or(DAYS - 1)).all(|number| self.days[usize::try_from(number).unwrap()].is_none())
    }

    fn fill(&mut self, record: &str, first: i64, last: Option<i64>) {
        for number in first..=last.unwrap_or(DAYS - 1) {
            self.days[usize::try_from(number).unwrap()] = Some(record.to_owned());
        }
    }

    /// The record that goes on for ever and began before this day.
    fn open_before(&self, first: i64) -> Option<String> {
        let open = self.days.last().cloned().flatten()?;
        self.span(&open).filter(|(began, _)| *began < first).map(|_| open)
    }

    /// Makes room for a new record from `first` on, by the one rule that moves another.
    fn end_open_record(&mut self, first: i64) -> Option<String> {
        let open = self.open_before(first)?;
        let from = usize::try_from(first).unwrap();
        self.days[from..].iter_mut().filter(|on| on.as_deref() == Some(&*open)).for_each(|on| *on = None);
        Some(open)
    }
}

/// A window of a command: days of the calendar, backwards at times, but never ending on the last one.
fn window(dice: &mut Dice) -> (i64, Option<i64>) {
    let first = dice.between(0, DAYS - 9);
    let length = dice.between(-1, 8);
    (first, (dice.below(4) > 0).then_some((first + length).min(DAYS - 2)))
}

fn dates(first: i64, last: Option<i64>) -> Value {
    json!({ "effective_date": day(first).to_string(), "expiration_date": last.map(|last| day(last).to_string()) })
}

/// One employee with one benefit, and the calendar beside them.
struct Story {
    company: Company,
    benefit: Value,
    employee: String,
    calendar: Calendar,
}

impl Story {
    async fn begin(world: &World) -> Self {
        let company = world.company().await;
        let benefit = company.offer(5).await;
        let employee = id_of(&company.employee("Ana").await);
        Self { company, benefit, employee, calendar: Calendar::new() }
    }

    async fn step(&mut self, dice: &mut Dice) -> &'static str {
        let known: Vec<String> = self.calendar.records.keys().cloned().collect();
        let record = dice.any(&known).cloned();
        // Few records crowd the calendar; from a dozen on more go than come.
        let crowded = known.len() > 12;
        match (dice.below(20), record) {
            (0..=7, _) if !crowded => self.create(dice).await,
            (8..=14, Some(record)) => self.update(dice, &record).await,
            (15, Some(record)) => self.update_stale(&record).await,
            (16, _) => self.bulk(dice).await,
            (17, _) if !crowded => self.plan(dice).await,
            (_, Some(record)) => self.delete(&record).await,
            _ => self.create(dice).await,
        }
    }

    fn remember(&mut self, told: &Value) {
        let paper = Paper { version: text(told, "version"), deduction: text(told, "employee_deduction") };
        self.calendar.records.insert(id_of(told), paper);
    }

    /// The versions of records that moved by themselves are read again.
    async fn read_again(&mut self, record: Option<String>) {
        if let Some(record) = record {
            let told = self.company.read("employee_benefits", &record).await;
            self.remember(&told);
        }
    }

    async fn create(&mut self, dice: &mut Dice) -> &'static str {
        let (first, last) = window(dice);
        let answer = self.company.enroll(&self.employee, &self.benefit, dates(first, last)).await;
        let told = if answer.status == 201 { answer.json() } else { Value::Null };
        self.created(first, last, &told).await
    }

    /// Compares the fate of a new record, null where it was refused, with the calendar's.
    async fn created(&mut self, first: i64, last: Option<i64>, told: &Value) -> &'static str {
        let backwards = last.is_some_and(|last| last < first);
        let before = self.calendar.days.clone();
        let ended = self.calendar.end_open_record(first);
        let fits = !backwards && self.calendar.is_free(first, last);
        assert_eq!(!told.is_null(), fits, "create {first} to {last:?} in {:?}", short(&before));
        if fits {
            self.calendar.fill(&id_of(told), first, last);
            self.remember(told);
            self.read_again(ended).await;
            "created"
        } else {
            self.calendar.days = before;
            "not created"
        }
    }

    async fn update(&mut self, dice: &mut Dice, record: &str) -> &'static str {
        let (first, last) = window(dice);
        let mut body = dates(first, last);
        body["version"] = json!(self.calendar.records[record].version);
        if dice.below(3) == 0 {
            body["employee_deduction"] = json!(format!("{}.00", dice.below(3)));
        }
        let answer = self.company.put(format!("/v1/employee_benefits/{record}"), body).await;
        let before = self.calendar.days.clone();
        self.calendar.clear(record);
        let fits = last.is_none_or(|last| last >= first) && self.calendar.is_free(first, last);
        assert_eq!(
            answer.status == 200,
            fits,
            "update {record} to {first} to {last:?} in {:?}: {}",
            short(&before),
            answer.text()
        );
        if fits {
            self.calendar.fill(record, first, last);
            self.remember(&answer.json());
            "updated"
        } else {
            answer.is(422);
            self.calendar.days = before;
            "not updated"
        }
    }

    async fn update_stale(&mut self, record: &str) -> &'static str {
        let body = json!({ "version": "0".repeat(32), "employee_deduction": "77.00" });
        self.company.put(format!("/v1/employee_benefits/{record}"), body).await.is(409);
        "stale"
    }

    async fn delete(&mut self, record: &str) -> &'static str {
        self.company.delete(format!("/v1/employee_benefits/{record}")).await.deleted();
        self.calendar.clear(record);
        self.calendar.records.remove(record);
        "deleted"
    }

    async fn bulk(&mut self, dice: &mut Dice) -> &'static str {
        let (first, last) = window(dice);
        let mut item = dates(first, last);
        item["employee_uuid"] = json!(self.employee);
        item["action"] = json!("create");
        let path = format!("/v1/company_benefits/{}/employee_benefits", id_of(&self.benefit));
        let answer = self.company.put(path, json!({ "employee_benefits": [item] })).await;
        let told = if answer.status == 200 { answer.list().remove(0) } else { Value::Null };
        self.created(first, last, &told).await
    }

    /// Plans some days and carries the plan out: afterwards each day has what was wished, or what it had.
    async fn plan(&mut self, dice: &mut Dice) -> &'static str {
        let (first, last) = window(dice);
        let last = last.map(|last| last.max(first));
        let enrolled = dice.below(3) > 0;
        let deduction = format!("{}.00", dice.below(3));
        let mut wish = dates(first, last);
        wish["enrolled"] = json!(enrolled);
        wish["employee_deduction"] = json!(deduction);
        let path = format!("/v1/employees/{}/employee_benefits/plan", self.employee);
        let mut body = json!({ "company_benefit_uuid": self.benefit["uuid"], "timeline": [wish] });
        let planned = self.company.post(&path, body.clone()).await.ok();
        body["hash"] = planned["hash"].clone();
        let applied = self.company.post(format!("{path}/apply"), body).await.ok();
        let on_paper = |story: &Self, number: i64| {
            let record = story.calendar.days[usize::try_from(number).unwrap()].as_ref()?;
            Some(story.calendar.records[record].deduction.clone())
        };
        let wished = |number: i64| number >= first && last.is_none_or(|last| number <= last);
        let expected: Vec<_> =
            (0..DAYS)
                .map(|number| {
                    if wished(number) { enrolled.then(|| deduction.clone()) } else { on_paper(self, number) }
                })
                .collect();
        self.calendar = Calendar::new();
        for told in applied["employee_benefits"].as_array().unwrap() {
            let number = |field: &str| {
                let day: Date = told[field].as_str()?.parse().unwrap();
                Some(i64::from((day - date(2026, 1, 1)).get_days()))
            };
            let (first, last) = (number("effective_date").unwrap(), number("expiration_date"));
            assert!(self.calendar.is_free(first, last), "two windows on a day: {applied}");
            self.calendar.fill(&id_of(told), first, last);
            self.remember(told);
        }
        let now: Vec<_> = (0..DAYS).map(|number| on_paper(self, number)).collect();
        assert_eq!(now, expected, "{planned}");
        "planned"
    }

    /// Holds everything that the service tells against the calendar.
    async fn compare(&self) {
        let path = format!("/v1/employees/{}/employee_benefits?include=all_benefits", self.employee);
        let told = self.company.get(path).await.list();
        let mut records = BTreeMap::new();
        for record in &told {
            let (first, last) = self.calendar.span(&id_of(record)).unwrap();
            let expected = dates(first, last);
            for field in ["effective_date", "expiration_date"] {
                assert_eq!(record[field], expected[field], "{record}");
            }
            let paper =
                Paper { version: text(record, "version"), deduction: text(record, "employee_deduction") };
            records.insert(id_of(record), paper);
        }
        assert_eq!(records, self.calendar.records);
        let path = format!(
            "/v1/employees/{}/employee_benefits/timeline?start_date={}&end_date={}",
            self.employee,
            day(0),
            day(DAYS - 1)
        );
        let mut on_days = Vec::new();
        let timeline = self.company.get(path).await.list();
        for stretch in timeline.first().map_or(&[] as &[_], |one| one["days"].as_array().unwrap()) {
            let (first, last): (Date, Date) =
                (text(stretch, "start_date").parse().unwrap(), text(stretch, "end_date").parse().unwrap());
            let record = stretch["employee_benefit_uuid"].as_str().map(str::to_owned);
            on_days.extend((0..=(last - first).get_days()).map(|_| record.clone()));
        }
        if !timeline.is_empty() {
            assert_eq!(on_days, self.calendar.days);
        }
    }
}

/// The calendar in a line: a letter for each record.
fn short(days: &[Option<String>]) -> String {
    let mut seen: Vec<String> = Vec::new();
    days.iter()
        .map(|on| match on {
            None => '.',
            Some(record) => {
                let place = seen.iter().position(|k| k == record).unwrap_or_else(|| {
                    seen.push(record.clone());
                    seen.len() - 1
                });
                char::from(b'a' + u8::try_from(place % 26).unwrap())
            }
        })
        .collect()
}

#[test]
fn the_service_answers_random_commands_as_a_calendar_filled_in_by_hand_does() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let commands = figure(100_000, 5_000);
        let mut story = Story::begin(&world).await;
        let mut dice = Dice::new(20_260_615, "commands");
        let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
        for number in 1..=commands {
            *seen.entry(story.step(&mut dice).await).or_default() += 1;
            if number % 25 == 0 {
                story.compare().await;
            }
            if number % 500 == 0 {
                story = Story::begin(&world).await;
            }
        }
        eprintln!("{engine:?}: {commands} commands: {seen:?}");
        for outcome in ["created", "not created", "updated", "not updated", "stale", "deleted", "planned"] {
            assert!(seen.get(outcome).is_some_and(|times| *times > commands / 100), "{outcome}: {seen:?}");
        }
    });
}

/// Callers at once.
const CALLERS: usize = 64;

/// Whether two of these records have a day in common.
fn overlap(records: &[Value]) -> Option<(Value, Value)> {
    let mut windows: Vec<(String, Option<String>, &Value)> = records
        .iter()
        .map(|r| (text(r, "effective_date"), r["expiration_date"].as_str().map(str::to_owned), r))
        .collect();
    windows.sort_by(|one, next| one.0.cmp(&next.0));
    windows.windows(2).find_map(|pair| {
        let touches = pair[0].1.as_ref().is_none_or(|last| *last >= pair[1].0);
        touches.then(|| (pair[0].2.clone(), pair[1].2.clone()))
    })
}

/// One round: 64 callers create and move windows of one employee at once while others look on.
async fn round(nodes: &[Company], benefit: &Value, number: usize) -> (usize, usize) {
    let company = &nodes[0];
    let employee = id_of(&company.employee("Ana").await);
    let list = format!("/v1/employees/{employee}/employee_benefits?include=all_benefits");
    let mut dice = Dice::new(number as u64, "caller");
    let ended = json!({ "effective_date": "2025-05-01", "expiration_date": "2025-05-10" });
    company.enroll(&employee, benefit, ended).await.created();
    company.enroll(&employee, benefit, json!({ "effective_date": "2025-06-01" })).await.created();
    let mut callers = Vec::with_capacity(CALLERS);
    for caller in 0..CALLERS {
        let node = nodes[caller % nodes.len()].clone();
        let (employee, benefit, list) = (employee.clone(), benefit.clone(), list.clone());
        let (first, last) = window(&mut dice);
        let (creates, which) = (dice.below(2) == 0, dice.below(64));
        callers.push(tokio::spawn(async move {
            let answer = if creates {
                node.enroll(&employee, &benefit, dates(first, last)).await
            } else {
                let known = node.get(&list).await.list();
                let moved = &known[which % known.len()];
                let mut body = dates(first, last);
                body["version"] = moved["version"].clone();
                node.put(format!("/v1/employee_benefits/{}", id_of(moved)), body).await
            };
            let seen = node.get(list).await.list();
            assert_eq!(overlap(&seen), None, "seen after {first} to {last:?}");
            // Refused for a rule or a stale version, or done; never anything else.
            let status = answer.status.as_u16();
            assert!(matches!(status, 200 | 201 | 409 | 422), "{status}: {}", answer.text());
            status < 300
        }));
    }
    let mut accepted = 0;
    for caller in callers {
        accepted += usize::from(caller.await.unwrap());
    }
    let last = company.get(list).await.list();
    assert_eq!(overlap(&last), None);
    (accepted, last.len())
}

#[test]
fn no_caller_among_many_at_once_ever_sees_two_windows_on_a_day() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let benefit = company.offer(5).await;
        let mut nodes = vec![company.clone()];
        if engine == Engine::Postgres {
            nodes.push(Company { world: world.second_node(), ..company });
        }
        let rounds = figure(1_000, 50);
        let (mut accepted, mut windows) = (0, 0);
        for number in 0..rounds {
            let (more, left) = round(&nodes, &benefit, number).await;
            (accepted, windows) = (accepted + more, windows + left);
        }
        eprintln!(
            "{engine:?}, {} nodes: {rounds} rounds of {CALLERS} callers, {accepted} accepted, {windows} windows left",
            nodes.len()
        );
        assert!(accepted > rounds, "the callers get something done");
        assert!(accepted < rounds * CALLERS, "and stand in each other's way");
    });
}
