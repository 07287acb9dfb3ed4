//! One world: the service in this process, on a store in memory's file system, with a clock that the simulation alone
//! moves, a disk and a network that do what the seed says, and clients that ask again until they are answered.
//!
//! Nothing runs beside the simulation: due work is done when it says so ([`World::work`]), and each request is answered
//! before the next is sent, but for those that are to meet in one group of the writer ([`World::together`]). So a seed
//! gives the same requests, answers and calls each time, and [`World::note`] makes one hash of all of them.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::Router;
use background::delivery::Courier;
use domain::Error;
use domain::platform::jobs;
use interface::app::App;
use jiff::{Span, Timestamp};
use pages::routes;
use sha2::{Digest, Sha256};
use store::{Clock, Store, Tx, params};
use tempfile::TempDir;

use crate::base::{Base, base, folder, options, settings};
use crate::counts::Counts;
use crate::dice::Dice;
use crate::disk::{Faulty, Mishap};
use crate::guards::Guards;
use crate::invariants;
use crate::model::Model;
use crate::network::Network;
use crate::wire::{Ask, Told, send};
use crate::{Sabotage, Tale};

store::statements! {
    // What every change leaves behind, whatever it was.
    PRINT = "SELECT (SELECT count(*) FROM audit), (SELECT COALESCE(max(seq), 0) FROM events), \
             (SELECT count(*) FROM idempotency), (SELECT count(*) FROM employees), (SELECT count(*) FROM jobs)";
}

/// A request on its way.
type Running = Pin<Box<dyn Future<Output = Told>>>;

/// Turns after which a client is in luck.
const PATIENCE: usize = 8;

/// How bad things are in a world, in hundredths of requests.
#[derive(Debug, Clone, Copy)]
struct Weather {
    /// a request or its answer is lost
    losses: usize,
    /// something is about to happen to the disk
    mishaps: usize,
}

/// What a client sees of one request.
enum Seen {
    Answer(Told),
    /// nothing; what was answered all the same, as only the simulation knows
    Nothing(Option<Told>),
}

type Print = [i64; 5];

/// See the module.
pub struct World {
    pub base: &'static Base,
    pub model: Model,
    pub dice: Dice,
    pub network: Arc<Network>,
    pub counts: Counts,
    disk: Arc<Faulty>,
    service: Option<(App, Router)>,
    clock: Clock,
    seed: u64,
    weather: Weather,
    /// whether old rows are swept and the audit log is sealed on the way
    pub housekeeping: bool,
    /// whether most of what clients do is payroll
    pub pays: bool,
    folder: TempDir,
    /// which process of this world it is
    life: u64,
    print: Option<Print>,
    keys: u64,
    pub sabotage: Sabotage,
    tale: Tale,
    hash: Sha256,
    /// calls of webhooks that have been looked at
    pub looked_at: usize,
    /// the paths of requests whose outcome nobody knows yet
    pub in_flight: Vec<String>,
}

impl World {
    /// A world that has just begun.
    pub async fn begin(seed: u64, sabotage: Sabotage, tale: Tale) -> Self {
        let base = base();
        let folder = folder();
        let mut dice = Dice::new(seed, "world");
        let weather = match dice.below(4) {
            0 => Weather { losses: 0, mishaps: 0 },
            1 => Weather { losses: 12, mishaps: 0 },
            2 => Weather { losses: 4, mishaps: 8 },
            _ => Weather { losses: 10, mishaps: 5 },
        };
        let housekeeping = dice.percent(25);
        let pays = dice.percent(25);
        let mut world = Self {
            base,
            model: Model::default(),
            dice,
            network: Arc::new(Network::new(seed)),
            counts: Counts::default(),
            disk: Arc::default(),
            service: None,
            clock: Clock::standing_at(base.begins),
            seed,
            weather,
            housekeeping,
            pays,
            folder,
            life: 0,
            print: None,
            keys: 0,
            sabotage,
            tale,
            hash: Sha256::new(),
            looked_at: 0,
            in_flight: Vec::new(),
        };
        std::fs::copy(&base.file, world.file()).unwrap();
        world
            .note(&format!("seed {seed}: {:?}, housekeeping {housekeeping}, payrolls {pays}", world.weather));
        world.open().await;
        if housekeeping {
            jobs::begin_housekeeping(&world.app().store).await.unwrap();
        }
        world
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(format!("life-{}.db", self.life))
    }

    async fn open(&mut self) {
        let mut options = options(self.clock.clone(), self.seed ^ (self.life << 48));
        options.watch = Some(Arc::new(Guards));
        options.disk = Some(Arc::clone(&self.disk) as Arc<dyn store::Disk>);
        let store = Store::open(&format!("sqlite:{}", self.file().display()), options).unwrap();
        let settings = settings();
        let courier = Courier::answered_by(settings.webhook_policy(), Arc::clone(&self.network) as _);
        self.service = Some(routes::service_with(store, settings, courier));
    }

    pub fn app(&self) -> &App {
        &self.service.as_ref().unwrap().0
    }

    fn router(&self) -> Router {
        self.service.as_ref().unwrap().1.clone()
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Writes down what happened.
    pub fn note(&mut self, line: &str) {
        self.hash.update(line.as_bytes());
        self.hash.update(b"\n");
        self.tale.lock().unwrap().push(line.chars().take(400).collect());
    }

    /// One hash of everything that was noted.
    pub fn trace(&self) -> String {
        hex::encode(self.hash.clone().finalize())
    }

    /// Lets time pass, without anything being done about it.
    pub fn pass(&mut self, span: Span) {
        self.clock.advance_to(self.now() + span);
    }

    /// A key that was not used before.
    pub fn key(&mut self) -> String {
        self.keys += 1;
        format!("key-{}", self.keys)
    }

    /// Reads with the service's own store.
    pub async fn read<T: Send + 'static>(
        &self,
        unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.app().store.read(unit).await.unwrap()
    }

    /// Does something that has no request, as the pages do; nothing happens to it.
    pub async fn directly<T: Send + 'static>(
        &mut self,
        unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.mend();
        self.print = None;
        self.app().store.write(unit).await.unwrap()
    }

    async fn fresh_print(&self) -> Print {
        self.read(|tx| {
            let read = |row: &store::Row<'_>| [0, 1, 2, 3, 4].map(|column| row.get::<i64>(column));
            Ok(tx.find_row(PRINT, params![], read)?.unwrap())
        })
        .await
    }

    /// There is room on the disk, and nothing is about to happen to it.
    pub fn mend(&mut self) {
        self.disk.mend();
    }

    /// From now on nothing goes wrong any more.
    pub fn calm_down(&mut self) {
        self.weather = Weather { losses: 0, mishaps: 0 };
        self.mend();
        self.network.calm_down();
        self.note("calm");
    }

    fn maybe_arm(&mut self) {
        if self.dice.percent(self.weather.mishaps) {
            let mishap = match self.dice.below(5) {
                0 => Mishap::Full { ended: false },
                1 => Mishap::Full { ended: true },
                2 => Mishap::Busy,
                _ => Mishap::Death,
            };
            let steps = self.dice.below(25);
            self.note(&format!("  in {steps} steps: {mishap:?}"));
            self.disk.arm(steps, mishap);
        }
    }

    /// Sends a request once.
    async fn attempt(&mut self, ask: &Ask, lucky: bool) -> Seen {
        let wait = self.dice.between(1, 2_000);
        self.pass(Span::new().milliseconds(wait));
        let losses = if lucky { 0 } else { self.weather.losses };
        if self.dice.percent(losses / 2) {
            self.counts.lost += 1;
            self.note(&format!("{} -> never arrives", ask.told()));
            return Seen::Nothing(None);
        }
        if lucky {
            self.mend();
        } else {
            self.maybe_arm();
        }
        let told = send(self.router(), ask.clone()).await;
        self.note(&format!("{} -> {} {}", ask.told(), told.status, told.text()));
        if self.disk.gone() {
            self.crash().await;
            return Seen::Nothing(None);
        }
        invariants::answer(ask, &told);
        if told.good() && self.dice.percent(losses / 2) {
            self.counts.lost += 1;
            self.note("  the answer is lost");
            return Seen::Nothing(Some(told));
        }
        Seen::Answer(told)
    }

    /// Sends a request until it is answered: again after silence, with the same key, and again when there was no room.
    /// Of all that, there is one effect and one answer; what is refused changes nothing.
    pub async fn ask(&mut self, ask: Ask) -> Told {
        self.in_flight.push(ask.path.clone());
        let told = self.ask_on(ask).await;
        self.in_flight.pop();
        told
    }

    async fn ask_on(&mut self, mut ask: Ask) -> Told {
        let writes = ask.method != "GET";
        if writes && ask.key.is_none() {
            ask.key = Some(self.key());
        }
        let mut unheard: Option<Told> = None;
        for turn in 0.. {
            assert!(turn < PATIENCE + 3, "{} is never answered", ask.told());
            if self.sabotage == Sabotage::NewKey && turn > 0 && writes {
                ask.key = Some(self.key());
            }
            let before = if writes { Some(self.known_print().await) } else { None };
            let happened = self.disk.happened();
            let seen = self.attempt(&ask, turn > PATIENCE).await;
            let told = match seen {
                Seen::Nothing(told) => {
                    self.print = None;
                    if writes && let (Some(first), Some(again)) = (&unheard, &told) {
                        assert_eq!(first, again, "{} has two answers", ask.told());
                    }
                    unheard = told.or(unheard);
                    if self.dice.percent(15) {
                        self.work(Span::new()).await;
                    }
                    continue;
                }
                Seen::Answer(told) => told,
            };
            if let (true, Some(first)) = (writes && told.status != 503, &unheard) {
                assert_eq!(*first, told, "{} has two answers", ask.told());
            }
            if let Some(before) = before {
                self.compare(&ask, &told, before, unheard.is_some()).await;
            }
            self.count(&told);
            if told.status == 503 {
                assert!(self.disk.troubled(happened), "nothing is wrong with the disk: {}", told.text());
                if self.dice.percent(40) {
                    self.mend();
                }
                continue;
            }
            return told;
        }
        unreachable!()
    }

    /// Reads without anything happening on the way, and without anybody noticing.
    pub async fn peek(&self, ask: Ask) -> Told {
        send(self.router(), ask).await
    }

    /// Sends a request that is not repeated, and loses neither it nor its answer.
    pub async fn once(&mut self, ask: Ask) -> Told {
        self.print = None;
        self.pass(Span::new().milliseconds(1));
        let told = send(self.router(), ask.clone()).await;
        self.note(&format!("{} -> {} {}", ask.told(), told.status, told.text()));
        invariants::answer(&ask, &told);
        self.count(&told);
        told
    }

    fn count(&mut self, told: &Told) {
        match told.status {
            200..300 => self.counts.good += 1,
            503 => self.counts.unavailable += 1,
            _ => self.counts.refused += 1,
        }
    }

    async fn known_print(&mut self) -> Print {
        if self.print.is_none() {
            self.print = Some(self.fresh_print().await);
        }
        self.print.unwrap()
    }

    /// What was refused, or was answered before, changed nothing.
    async fn compare(&mut self, ask: &Ask, told: &Told, before: Print, again: bool) {
        let now = self.fresh_print().await;
        self.print = Some(now);
        if !told.good() || again {
            assert_eq!(before, now, "{} was answered {}, and changed something", ask.told(), told.status);
        }
    }

    /// Sends requests that meet in one group of the writer, in their order.
    ///
    /// The disk keeps the writer waiting at the beginning of the group; each request is driven until its unit of work
    /// waits in the queue, or it is refused before it has one, and only then the next one is sent.
    pub async fn together(&mut self, mut asks: Vec<Ask>) -> Vec<Told> {
        for ask in &mut asks {
            ask.key = Some(self.key());
            self.in_flight.push(ask.path.clone());
        }
        self.pass(Span::new().milliseconds(3));
        self.maybe_arm();
        self.counts.groups += 1;
        let happened = self.disk.happened();
        self.disk.hold();
        let mut running: Vec<(usize, Running)> = Vec::new();
        let mut answers: Vec<Option<Told>> = vec![None; asks.len()];
        for (place, ask) in asks.iter().enumerate() {
            let mut request: Running = Box::pin(send(self.router(), ask.clone()));
            loop {
                if let Poll::Ready(told) = request.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    answers[place] = Some(told);
                    break;
                }
                let queued = usize::from(self.disk.waits()) + self.app().store.waiting_units().0;
                if self.disk.waits() && queued > running.len() {
                    running.push((place, request));
                    break;
                }
                // Tokens are looked up on another thread.
                tokio::time::sleep(std::time::Duration::from_micros(50)).await;
            }
        }
        self.disk.let_go();
        for (place, request) in running {
            answers[place] = Some(request.await);
        }
        self.print = None;
        let answers: Vec<Told> = answers.into_iter().map(Option::unwrap).collect();
        for (ask, told) in asks.iter().zip(&answers) {
            self.note(&format!("together {} -> {} {}", ask.told(), told.status, told.text()));
        }
        let (gone, troubled) = (self.disk.gone(), self.disk.troubled(happened));
        if gone {
            self.crash().await;
        }
        let mut told = Vec::new();
        for (ask, answer) in asks.into_iter().zip(answers) {
            // Whoever was not answered, or had no room, asks again with the same key.
            if gone || answer.status == 503 {
                assert!(troubled, "nothing is wrong with the disk: {}", answer.text());
                told.push(self.ask(ask).await);
            } else {
                invariants::answer(&ask, &answer);
                self.count(&answer);
                told.push(answer);
            }
        }
        self.in_flight.clear();
        told
    }

    /// Lets time pass, and does on the way everything that falls due; whether it came to its end.
    pub async fn work(&mut self, span: Span) -> bool {
        self.print = None;
        self.maybe_arm();
        let (to, happened) = (self.now() + span, self.disk.happened());
        let done = self.app().worker.advance_clock(to).await;
        let told = match &done {
            Ok(fired) => {
                fired.iter().map(|one| format!("  {} {} {}\n", one.at, one.kind, one.uuid)).collect()
            }
            Err(error) => format!("{error:?}"),
        };
        for line in self.network.log() {
            self.note(&line);
        }
        self.note(&format!("work until {}: {told}", self.now()));
        if self.disk.gone() {
            self.crash().await;
        } else {
            assert!(done.is_ok() || self.disk.troubled(happened), "due work: {told}");
        }
        invariants::deliveries(self).await;
        done.is_ok()
    }

    /// The process ends where it stands; another one begins with what is in the file and its log.
    pub async fn crash(&mut self) {
        self.counts.crashes += 1;
        self.print = None;
        let old = self.file();
        self.life += 1;
        let new = self.file();
        std::fs::copy(&old, &new).unwrap();
        let log = |file: &PathBuf| PathBuf::from(format!("{}-wal", file.display()));
        if let Ok(mut bytes) = std::fs::read(log(&old)) {
            match self.sabotage {
                // A disk that acknowledged what it had not written.
                Sabotage::LyingDisk => bytes.truncate(bytes.len() / 3),
                // What was being written when the process ended, and is no whole page.
                _ if self.dice.percent(50) => {
                    let torn = self.dice.below(6_000);
                    bytes.extend((0..torn).map(|_| self.dice.roll().to_le_bytes()[0]));
                }
                _ => {}
            }
            std::fs::write(log(&new), bytes).unwrap();
        }
        // Everything else of the old process ends with it.
        self.service = None;
        std::fs::remove_file(&old).unwrap();
        let down = self.dice.between(1, 60);
        self.pass(Span::new().seconds(down));
        self.disk.revive();
        self.open().await;
        self.note(&format!("another process begins at {}", self.now()));
        invariants::records(self).await;
    }

    /// What is left to count at the end.
    pub fn counted(&self) -> Counts {
        let (received, tries) = self.network.count();
        let mishaps = self.disk.happened();
        Counts { received: received as u64, tries, mishaps, ..self.counts }
    }
}
