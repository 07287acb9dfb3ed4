//! kill -9 while payrolls are submitted, while their files for the bank are written, and while returns are read, and a
//! bank's tool that takes each file as soon as it sees it: no payment is filed twice, none is lost, and `payroll.paid` comes
//! once for each payroll, and not before its file lies in the folder. Their taxes are deposited: each deposit is in one file, is paid
//! in the books when the bank has it, and all of them come to what is owed. 24 kills, or 204 with STIPEND_LONG=1.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ach::read::{ReadEntry, read_entries};
use domain::SCHEMA;
use domain::money::files::compose::sha256_hex;
use domain::money::ledger::rows::{self, BankFile, Batch, BatchKind, FileState};
use domain::money::returns::bank_returns;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use store::{Clock, MasterKeys, Options, Store, Tx, params};
use tempfile::TempDir;
use uuid::Uuid;

use crate::binary::{Running, run, stipend};
use crate::deposits::{self, AGENCY, Standing};
use crate::sent_back;
use crate::world::{Home, call, until};

store::statements! {
    PAID = "SELECT id, entity_id FROM events WHERE event_type = 'payroll.paid'";
    TAKEN_BACK = "SELECT count(*), max(created_at) FROM bank_returns";
}

/// One while a payroll is submitted, two while its file is made, one while that of its taxes is made, two while returns are read.
const KILLS_OF_A_ROUND: usize = 6;
/// Records of a file of returns that name no payment: they make the reading long enough to be interrupted.
const STRANGERS: u64 = 18;
/// More than are made.
const MOST_FILES: i64 = 1_000;
/// Days that time goes on at once until all taxes are deposited, and how often: those of a quarter are due within four months.
const STEP: (i64, usize) = (3, 50);
pub const ADVANCE: &str = "/v1/test_helpers/clock/advance";

/// What a kill waits for.
#[derive(Debug, Clone, Copy)]
pub enum Moment {
    /// so many milliseconds
    After(u64),
    /// a file is recorded
    Recorded,
    /// a file lies in the private part of the folder
    Staged,
    /// a file lies where the bank's tool takes it
    Given,
}

/// Moments of the first and of the second kill of a round, and of that while taxes are filed, by turns.
pub const FIRST: [Moment; 4] = [Moment::Recorded, Moment::After(20), Moment::Staged, Moment::After(90)];
pub const SECOND: [Moment; 4] = [Moment::Given, Moment::Staged, Moment::After(250), Moment::After(5)];
const OF_TAXES: [Moment; 4] = [Moment::Staged, Moment::Recorded, Moment::Given, Moment::After(60)];

/// A company whose payrolls are paid through a bank, and what the bank has seen.
pub struct Town {
    pub home: Home,
    folder: TempDir,
    store: Store,
    runtime: tokio::runtime::Runtime,
    pub service: Running,
    /// employees with the number of their account; those to whom a payment came back are paid no more
    pub people: Vec<(String, String)>,
    /// what the bank's tool has taken
    taken: BTreeMap<String, String>,
    /// account and cents of each payment that payrolls want
    pub wanted: Vec<(String, u64)>,
    /// the events of each payroll
    told: BTreeMap<Uuid, BTreeSet<Uuid>>,
    payrolls: BTreeSet<Uuid>,
    /// what the kills have met, with how often
    pub met: BTreeMap<String, usize>,
    /// records of the bank's files of returns, and payments that came back
    pub records: usize,
    pub returned: usize,
    /// cents of federal taxes that were owed before they were deposited
    owed_before: i64,
}

impl Town {
    pub fn new(people: i64) -> Self {
        let (home, folder) = (Home::new(), TempDir::new().unwrap());
        let service = home.start();
        deposits::set_bank(&home, folder.path());
        deposits::turn_on(&home, folder.path(), service.company());
        home.crowd(&service, people);
        let keys = MasterKeys::parse(&std::fs::read_to_string(home.key_file()).unwrap()).unwrap();
        let mut options = Options::new(Clock::from_system(), keys, SCHEMA);
        options.threads = Some(1);
        let store = Store::open(&home.url(), options).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut town = Self {
            home,
            folder,
            store,
            runtime,
            service,
            people: Vec::new(),
            taken: BTreeMap::new(),
            wanted: Vec::new(),
            told: BTreeMap::new(),
            payrolls: BTreeSet::new(),
            met: BTreeMap::new(),
            records: 0,
            returned: 0,
            owed_before: 0,
        };
        town.owed_before = town.standing().owed();
        town.open_accounts();
        town
    }

    /// Everybody of the crowd gets an account.
    fn open_accounts(&mut self) {
        let path = format!("/v1/companies/{}/employees", self.service.company());
        for page in 1.. {
            let some = self.ask("GET", &format!("{path}?page={page}&per=100"), &Value::Null);
            let some = some.as_array().unwrap();
            let crowd = some.iter().filter(|one| one["last_name"] == "Crowd");
            for (place, one) in crowd.enumerate() {
                let (id, number) = (one["uuid"].as_str().unwrap(), format!("77{page:03}{place:05}"));
                let account = json!({ "name": "Main", "routing_number": "021000021", "account_number": number,
                                      "account_type": "Checking" });
                self.ask("POST", &format!("/v1/employees/{id}/bank_accounts"), &account);
                self.people.push((id.to_owned(), number));
            }
            if some.len() < 100 {
                break;
            }
        }
    }

    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        call(&self.service, &format!("Bearer {}", self.service.token()), method, path, &body)
    }

    pub fn look<T: Send + 'static>(
        &self,
        unit: impl Fn(&mut Tx<'_>) -> Result<T, domain::Error> + Send + 'static,
    ) -> T {
        self.runtime.block_on(self.store.read(unit)).unwrap_or_else(|error| panic!("{error:?}"))
    }

    pub fn files(&self) -> Vec<BankFile> {
        self.look(|tx| rows::list_files(tx, MOST_FILES, 0))
    }

    /// How deposits stand by what the bank's tool has taken.
    pub fn standing(&self) -> Standing {
        let (company, entries) = (self.service.company().parse().unwrap(), self.entries());
        self.look(move |tx| Standing::read(tx, company, &entries))
    }

    /// What is looked at once the service is dead.
    pub fn died(&mut self) {
        self.take();
        self.consistent();
    }

    /// What the bank's tool does: it takes each file, which never comes back.
    pub fn take(&mut self) {
        for file in std::fs::read_dir(self.folder.path()).unwrap().map(Result::unwrap) {
            if !file.file_type().unwrap().is_file() {
                continue;
            }
            let (name, text) =
                (file.file_name().into_string().unwrap(), std::fs::read_to_string(file.path()).unwrap());
            std::fs::remove_file(file.path()).unwrap();
            assert!(!self.taken.values().any(|had| *had == text), "{name} has the text of another file");
            assert!(self.taken.insert(name.clone(), text).is_none(), "{name} was given twice");
        }
    }

    /// What must hold at every moment: the bank has what the books say that it has, and a payroll is told as paid exactly when
    /// the bank has its payments.
    pub fn consistent(&mut self) {
        let (company, payrolls) = (self.service.company().parse().unwrap(), self.payrolls.clone());
        let (files, told, batches) = self.look(move |tx| {
            let events: Vec<(Uuid, Uuid)> = tx.query_rows(PAID, params![], |row| (row.get(0), row.get(1)))?;
            let made =
                payrolls.iter().map(|payroll| Ok((*payroll, rows::of_payroll(tx, company, *payroll)?)));
            let made: Vec<(Uuid, Vec<Batch>)> = made.collect::<Result<_, domain::Error>>()?;
            Ok((rows::list_files(tx, MOST_FILES, 0)?, events, made))
        });
        for (name, text) in &self.taken {
            let file = files.iter().find(|file| file.name == *name);
            let file = file.unwrap_or_else(|| panic!("nothing is recorded of {name}"));
            assert_eq!(file.digest, sha256_hex(text), "{name}");
            assert!(matches!(file.state, FileState::Staged | FileState::Written), "{name}: {:?}", file.state);
        }
        let has = |file: &BankFile| file.state == FileState::Written;
        for file in files.iter().filter(|file| has(file)) {
            assert!(self.taken.contains_key(&file.name), "{} is written, and not there", file.name);
        }
        self.standing().holds(self.owed_before);
        for (event, payroll) in told {
            self.told.entry(payroll).or_default().insert(event);
        }
        for (payroll, made) in batches {
            let mut credits =
                made.iter().filter(|batch| batch.kind == BatchKind::Pay && batch.entries > 0).peekable();
            let some = credits.peek().is_some();
            let with_bank =
                some && credits.all(|batch| files.iter().any(|one| Some(one.id) == batch.file && has(one)));
            let events = self.told.get(&payroll).map_or(0, BTreeSet::len);
            assert_eq!(
                events,
                usize::from(with_bank),
                "{payroll} was told as paid so often, and has {made:#?}"
            );
        }
    }

    /// A payroll of a bonus for some, calculated; when it can be cancelled no more.
    pub fn payroll(&self, people: &[(String, String)], number: usize) -> (String, Timestamp) {
        let clock = self.ask("GET", "/v1/test_helpers/clock", &Value::Null);
        let today = &clock["now"].as_str().unwrap()[..10];
        let ids: Vec<_> = people.iter().map(|(id, _)| id).collect();
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": today, "end_date": today,
                           "employee_uuids": ids });
        let list = format!("/v1/companies/{}/payrolls", self.service.company());
        let made = self.ask("POST", &list, &body);
        let path = format!("{list}/{}", made["payroll_uuid"].as_str().unwrap());
        let prepared = self.ask("PUT", &format!("{path}/prepare"), &json!({}));
        let lines = prepared["employee_compensations"].as_array().unwrap().iter().enumerate();
        let lines: Vec<_> = lines
            .map(|(place, one)| {
                let bonus = json!([{ "name": "Bonus", "amount": format!("{}.{:02}", 500 + number, place % 100) }]);
                json!({ "employee_uuid": one["employee_uuid"], "version": one["version"], "fixed_compensations": bonus })
            })
            .collect();
        self.ask("PUT", &path, &json!({ "employee_compensations": lines }));
        self.ask("PUT", &format!("{path}/calculate"), &json!({}));
        until("the payroll was calculated", || self.status(&path) == "calculate_success");
        (path, made["payroll_deadline"].as_str().unwrap().parse().unwrap())
    }

    fn status(&self, path: &str) -> String {
        let told = self.ask("GET", path, &Value::Null);
        told["processing_request"]["status"].as_str().unwrap_or_default().to_owned()
    }

    /// Submits until it is processed, whatever a kill left of it; what it pays is noted.
    pub fn submitted(&mut self, path: &str) {
        until("the payroll was processed", || {
            if self.status(path) == "calculate_success" {
                self.ask("PUT", &format!("{path}/submit"), &json!({}));
            }
            self.status(path) == "submit_success"
        });
        let told = self.ask("GET", path, &Value::Null);
        for one in told["employee_compensations"].as_array().unwrap() {
            let person = self.people.iter().find(|(id, _)| one["employee_uuid"] == id.as_str()).unwrap();
            let net = one["net_pay"].as_str().unwrap();
            let (dollars, cents) = net.split_once('.').unwrap_or((net, "0"));
            let cents =
                dollars.parse::<u64>().unwrap() * 100 + format!("{cents:0<2}").parse::<u64>().unwrap();
            self.wanted.push((person.1.clone(), cents));
        }
        self.payrolls.insert(told["payroll_uuid"].as_str().unwrap().parse().unwrap());
    }

    /// Submits, and is killed meanwhile.
    fn submit_killed(&mut self, path: &str, wait: Duration) {
        let bearer = format!("Bearer {}", self.service.token());
        let answered = std::thread::scope(|scope| {
            let sent = scope.spawn(|| self.service.call_as(&bearer, "PUT", &format!("{path}/submit"), "{}"));
            std::thread::sleep(wait);
            self.service.kill_hard();
            sent.join().unwrap().is_ok()
        });
        self.died();
        self.note(if answered { "a submission that was answered" } else { "a submission without an answer" });
        self.service = self.home.start();
    }

    pub fn note(&mut self, what: &str) {
        *self.met.entry(what.to_owned()).or_default() += 1;
    }

    /// Moves the clock past the making of files of something, and is killed at a moment of it.
    pub fn write_killed(&mut self, of: &str, until: Timestamp, moment: Moment) {
        let known = self.files().len();
        let (body, ended) = (self.advance_to(until), AtomicBool::new(false));
        let bearer = format!("Bearer {}", self.service.token());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                self.service.call_as(&bearer, "POST", ADVANCE, &body.to_string()).ok();
                ended.store(true, Ordering::Relaxed);
            });
            if let Moment::After(milliseconds) = moment {
                std::thread::sleep(Duration::from_millis(milliseconds));
            } else {
                while !ended.load(Ordering::Relaxed) && !self.has_come(moment, known) {
                    std::thread::yield_now();
                }
            }
            self.service.kill_hard();
        });
        self.died();
        let met = match self.files().first() {
            Some(file) if self.files().len() > known || file.state != FileState::Written => {
                match file.state {
                    FileState::Recorded => "was recorded",
                    FileState::Staged if self.taken.contains_key(&file.name) => "was given, not noted",
                    FileState::Staged => "was staged",
                    _ => "was written",
                }
            }
            _ => "was not begun, or done",
        };
        self.note(&format!("a file of {of} that {met}"));
        self.service = self.home.start();
    }

    fn has_come(&self, moment: Moment, known: usize) -> bool {
        let holds = |path: &Path| {
            let mut all = std::fs::read_dir(path).into_iter().flatten().flatten();
            all.any(|file| file.file_name().to_string_lossy().contains(".ach"))
        };
        match moment {
            Moment::After(_) => true,
            Moment::Recorded => self.files().len() > known,
            Moment::Staged => holds(&self.folder.path().join(".stipend")),
            Moment::Given => holds(self.folder.path()),
        }
    }

    /// The body of a request that moves the clock to a moment, or by ten minutes where that is over.
    pub fn advance_to(&self, to: Timestamp) -> Value {
        let clock = self.ask("GET", "/v1/test_helpers/clock", &Value::Null);
        let now: Timestamp = clock["now"].as_str().unwrap().parse().unwrap();
        if now < to { json!({ "to": to.to_string() }) } else { json!({ "seconds": 600 }) }
    }

    /// Lets time pass until everything is with the bank.
    pub fn settled(&mut self, past: Timestamp) {
        for _ in 0..20 {
            let body = self.advance_to(past);
            self.ask("POST", ADVANCE, &body);
            self.take();
            self.consistent();
            if self.payrolls.iter().all(|payroll| self.told.contains_key(payroll)) {
                return;
            }
        }
        panic!("payrolls are never paid: {:?}", self.files());
    }

    /// Lets time pass until all taxes are deposited.
    fn deposited(&mut self) -> Standing {
        let (days, most) = STEP;
        for _ in 0..most {
            let standing = self.standing();
            if standing.is_done() {
                return standing;
            }
            self.ask("POST", ADVANCE, &json!({ "seconds": days * 86_400 }));
            self.take();
            self.consistent();
        }
        panic!("taxes are never deposited: {:?}", self.standing().deposits);
    }

    pub fn entries(&self) -> Vec<ReadEntry> {
        self.taken.values().flat_map(|text| read_entries(text).unwrap()).collect()
    }

    /// A file in which payments to some come back, among records that name no payment; it is read, killed twice, and read.
    pub fn returns(&mut self, people: &[(String, String)], round: u64) {
        let sent = self.entries();
        let mut back = Vec::new();
        for (_, account) in people {
            let entry = sent.iter().rfind(|entry| entry.account == *account).unwrap();
            back.push(("R02", entry.trace.clone(), entry.cents));
        }
        let strangers =
            (0..STRANGERS).map(|n| ("R03", format!("09100001{:07}", 9_000_000 + round * 100 + n), 100 + n));
        back.splice(1..1, strangers);
        let back: Vec<_> =
            back.iter().map(|(code, trace, cents)| (*code, trace.as_str(), *cents, "")).collect();
        let path = self.folder.path().join(".stipend").join("returns");
        std::fs::write(&path, sent_back::file(&back)).unwrap();
        let (before, all) = (self.records, back.len());
        for share in [all / 4, 3 * all / 4] {
            let mut child = self.reading(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            while matches!(child.try_wait(), Ok(None)) && self.taken_back() < before + share {
                std::thread::yield_now();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let there = self.taken_back() - before;
            self.note(if there > 0 && there < all {
                "a reading in the middle"
            } else {
                "a reading at its end"
            });
        }
        let done = run(&mut self.reading(&path));
        assert_eq!(done.code, Some(0), "{}", done.err);
        std::fs::remove_file(&path).unwrap();
        self.records += all;
        self.returned += people.len();
        assert_eq!(self.taken_back(), self.records, "each record was taken once");
    }

    fn reading(&self, path: &Path) -> std::process::Command {
        let mut command = stipend();
        command.args(["bank", "read", "--database-url", &self.home.url()]).arg(path);
        command.env("STIPEND_MASTER_KEY_FILE", self.home.key_file()).env("STIPEND_CLOCK_MAY_GO_BACK", "true");
        command
    }

    fn taken_back(&self) -> usize {
        let count: Option<(i64, Option<Timestamp>)> =
            self.look(|tx| Ok(tx.find_row(TAKEN_BACK, params![], |row| (row.get(0), row.get(1)))?));
        usize::try_from(count.unwrap().0).unwrap()
    }

    fn round(&mut self, round: usize) {
        let halves: [Vec<_>; 2] = [0, 1].map(|half| {
            let people = self.people.iter().skip(2 * round).enumerate();
            people.filter(|(place, _)| place % 2 == half).map(|(_, person)| person.clone()).collect()
        });
        let (first, deadline) = self.payroll(&halves[0], 2 * round);
        let (second, later) = self.payroll(&halves[1], 2 * round + 1);
        // It is answered within some milliseconds, and processed beside that.
        self.submit_killed(&first, Duration::from_micros(round as u64 * 1_777 % 12_000));
        self.submitted(&first);
        self.submitted(&second);
        let past = deadline.max(later) + 10.minutes();
        self.write_killed("pay", past, FIRST[round % FIRST.len()]);
        self.write_killed("pay", past, SECOND[round / 2 % SECOND.len()]);
        self.settled(past);
        let taxes = self.standing().next_file().expect("taxes of the round are to be deposited");
        self.write_killed("taxes", taxes + 10.minutes(), OF_TAXES[round % OF_TAXES.len()]);
        let came_back = [halves[0][0].clone(), halves[1][0].clone()];
        self.returns(&came_back, round as u64);
    }
}

#[test]
fn whatever_kills_interrupt_each_payment_is_filed_once_and_told_with_its_file() {
    let rounds = if crate::long() { 34 } else { 4 };
    let mut town = Town::new(2 * rounds as i64 + 20);
    for round in 0..rounds {
        town.round(round);
    }
    let standing = town.deposited();
    let sent = town.entries();
    let credits = sent.iter().filter(|entry| !entry.is_debit() && entry.account != AGENCY);
    let mut credits: Vec<_> = credits.map(|entry| (entry.account.clone(), entry.cents)).collect();
    credits.sort();
    town.wanted.sort();
    assert_eq!(credits, town.wanted, "each payment that payrolls want is in the files once");
    let traces: BTreeSet<_> = sent.iter().map(|entry| entry.trace.as_str()).collect();
    assert_eq!(traces.len(), sent.len(), "traces are unique");
    let debits: u64 = sent.iter().filter(|entry| entry.is_debit()).map(|entry| entry.cents).sum();
    let deposited: u64 = sent.iter().filter(|entry| entry.account == AGENCY).map(|entry| entry.cents).sum();
    let paid = credits.iter().map(|(_, cents)| cents).sum::<u64>() + deposited;
    assert_eq!(debits, paid, "the employer pays it once");
    assert!(standing.filed() >= rounds / 2, "{} deposits", standing.filed());
    assert!(town.files().iter().all(|file| file.state == FileState::Written));
    let states = town.look(|tx| bank_returns::list_bank_returns(tx, false, (10_000, 0)));
    let returned = states.iter().filter(|one| one.state == bank_returns::BankReturnState::Returned).count();
    assert_eq!((states.len(), returned), (town.records, town.returned), "each record was taken once");
    println!(
        "{} kills: {} payrolls of {} payments, each told once; {} deposits of taxes of {} cents, each in one file; {} files, each \
         given once; {} records of returns, {returned} of them payments; {} entries of the books, each balanced",
        rounds * KILLS_OF_A_ROUND,
        town.told.len(),
        credits.len(),
        standing.filed(),
        deposited,
        town.taken.len(),
        town.records,
        standing.entries(),
    );
    assert!(standing.entries() >= 2 * town.told.len(), "each payroll, and its payment");
    println!("the kills met {:?}", town.met);
    assert_eq!(town.met.values().sum::<usize>(), rounds * KILLS_OF_A_ROUND);
    assert!(town.met.contains_key("a reading in the middle"), "no reading was interrupted");
    for of in ["a file of pay", "a file of taxes"] {
        let interrupted = ["was recorded", "was staged", "was given, not noted"];
        let is = |met: &str| met.starts_with(of) && interrupted.iter().any(|end| met.ends_with(end));
        assert!(town.met.keys().any(|met| is(met)), "no making of {of} was interrupted");
    }
}
