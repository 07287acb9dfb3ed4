//! What it costs to be large: the same work with a thousand, a hundred thousand and a million employees in the store; a
//! partner's mixed traffic at a steady rate; and more of it than there is room for.
//!
//! A store grows by companies and by employees of each, and the two cost differently: rows of one company lie together,
//! so what many companies write touches more pages than what one does. Hence two stores of a thousand employees, in one
//! company and in a thousand, and each larger store is set beside both.

use std::fmt::{self, Display, Formatter};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use domain::Error;
use domain::SCHEMA;
use domain::access::scope::Scopes;
use domain::access::tokens as auth;
use domain::access::tokens::{Caller, NewToken, TokenKind};
use domain::company::companies;
use domain::patch::Patch;
use domain::people::profiles;
use domain::people::profiles::commands::CreateEmployee;
use jiff::tz::TimeZone;
use store::{Clock, MasterKeys, Options, Store, Tx};
use uuid::Uuid;

use crate::load::{self, Make, Paced};
use crate::measure::{self, Line, Plan};
use crate::process::{self, Process, stipend};
use crate::world::{EMPLOYEES, World, echo, employee, get, post, random_key, scattered};
use crate::{Outcome, megabytes};

/// The stores.
const SIZES: [Size; 5] = [
    Size { companies: 1, each: 1_000 },
    Size { companies: 1, each: 150_000 },
    Size { companies: 1_000, each: 1 },
    Size { companies: 100, each: 1_000 },
    Size { companies: 1_000, each: 1_000 },
];
/// Employees made in one unit.
const AT_ONCE: u64 = 500;
/// A list is of so many, and so is the smallest company that is asked for lists.
const LISTED: u64 = 100;
/// Pages that are asked for by their number.
const PAGES: u64 = 10;
/// How much more a request may cost with the most employees than with the fewest, in as many companies.
const GROWTH: [(&str, f64); 4] = [("read", 1.5), ("list", 1.1), ("after", 1.1), ("create", 1.2)];

/// A company with its token and its employees.
struct Company {
    id: Uuid,
    token: String,
    employees: Vec<Uuid>,
}

type Companies = Rc<Vec<Company>>;

/// What is in a store: companies, and employees of each.
#[derive(Clone, Copy)]
struct Size {
    companies: u64,
    each: u64,
}

impl Size {
    fn employees(self) -> u64 {
        self.companies * self.each
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} employees in {} companies", self.employees(), self.companies)
    }
}

/// What requests cost before: in which store, which, and how much.
type Costs = Vec<(Size, &'static str, f64)>;

/// How it is measured.
#[derive(Clone, Copy)]
pub struct Pace<'a> {
    pub folder: &'a Path,
    pub bare: &'a Process,
    pub rounds: usize,
    pub time: Duration,
}

/// Measures each size, and the mixed traffic on it; with `postgres` the same once more, on a copy in a server.
pub async fn section(pace: Pace<'_>, postgres: bool) -> Outcome<()> {
    let folder = pace.folder;
    let (mut in_files, mut in_servers) = (Costs::new(), Costs::new());
    for size in SIZES {
        let file = folder.join(format!("grown-{}-{}.db", size.companies, size.each));
        let world = World::on_file(&file).await?;
        let started = Clock::monotonic();
        let companies = Rc::new(fill(&file, &world, size).await?);
        let filled = (Clock::monotonic() - started).as_secs_f64();
        let bytes = std::fs::metadata(&file).map_or(0, |file| file.len());
        println!("{size}: {} MB, made in {filled:.0} s", bytes >> 20);
        let url = format!("sqlite:{}", file.display());
        let server = if postgres { process::postgres()? } else { None };
        if let Some((to, _)) = &server {
            copy(&url, to, folder)?;
        }
        println!("SQLite");
        one_store(pace, serve(&url, &world, folder)?, &companies, size, &mut in_files).await?;
        std::fs::remove_file(&file).ok();
        if let Some((url, _server)) = &server {
            println!("PostgreSQL (on the server's core, without fsync)");
            let mut process = serve(url, &world, folder)?;
            process.stores_in(url);
            one_store(pace, process, &companies, size, &mut in_servers).await?;
        }
    }
    Ok(())
}

async fn one_store(
    pace: Pace<'_>,
    process: Process,
    companies: &Companies,
    size: Size,
    costs: &mut Costs,
) -> Outcome<()> {
    let mut process = Rc::new(process);
    let rounds = measure::Rounds { count: pace.rounds, time: pace.time, warm_up: pace.time };
    println!("{}", Line::HEAD);
    for plan in plans(companies)
        .into_iter()
        .filter(|plan| !["list", "after"].contains(&plan.name) || size.each >= LISTED)
    {
        let line = measure::interleaved(&plan, &mut || Ok(Rc::clone(&process)), pace.bare, rounds).await?;
        println!("{line}");
        let cost = line.micros().0 / line.micros().1;
        for (before, name, less) in costs.iter().filter(|(_, name, _)| *name == plan.name) {
            if before.employees() < size.employees() {
                println!("           {}", growth(name, *before, size, cost / less));
            }
        }
        costs.push((size, plan.name, cost));
    }
    if size.each >= LISTED {
        mixed_traffic(pace, &process, companies).await?;
    }
    println!("  memory {}\n", megabytes(process.resident()?));
    Rc::get_mut(&mut process).map_or(Ok(()), Process::still_runs)
}

/// How much more it costs than in a smaller store, beside the goal where there is one.
fn growth(name: &str, before: Size, size: Size, times: f64) -> String {
    let goal = GROWTH.iter().find(|(of, _)| *of == name && before.companies == size.companies);
    let goal = goal.map_or(String::new(), |(_, most)| {
        format!(" (goal at most {most}: {})", measure::met(times <= *most))
    });
    format!("{times:.2} times what it costs with {before}{goal}")
}

/// Moves the store to the other engine, as an operator would.
fn copy(from: &str, to: &str, folder: &Path) -> Outcome<()> {
    let mut process = stipend(&["copy", "--from", from, "--to", to, "--json"])?;
    let (told, took) = process.first_line(folder)?;
    let told: serde_json::Value = serde_json::from_str(&told).map_err(|error| format!("{told}: {error}"))?;
    println!("{} rows copied to PostgreSQL in {:.1} s", told["rows"], took.as_secs_f64());
    Ok(())
}

fn serve(url: &str, world: &World, folder: &Path) -> Outcome<Process> {
    let mut process = stipend(&["serve", "--database-url", url])?;
    process.setting("MASTER_KEY", &world.master_key).setting("RATE_LIMIT", "1000000");
    // All of the load comes from this machine.
    process.setting("CONNECTIONS_PER_ADDRESS", "0");
    process.listen(folder)?;
    Ok(process)
}

/// Makes so many companies with so many employees each, by the service's own code.
async fn fill(file: &Path, world: &World, size: Size) -> Outcome<Vec<Company>> {
    let keys = MasterKeys::parse(&world.master_key)?;
    let options = Options::new(Clock::from_system(), keys, SCHEMA);
    let store = Store::open(&format!("sqlite:{}", file.display()), options).map_err(|e| e.to_string())?;
    let application: Uuid = world.application.parse().map_err(|_| "the application has no identifier")?;
    let mut made = Vec::new();
    for number in 0..size.companies {
        let company = store.write(move |tx| company(tx, application, number));
        let (id, token) = company.await.map_err(|error| format!("{error:?}"))?;
        let mut employees = Vec::new();
        for from in (0..size.each).step_by(usize::try_from(AT_ONCE).unwrap_or(1)) {
            let some = store.write(move |tx| {
                (from..size.each.min(from + AT_ONCE))
                    .map(|number| one_employee(tx, id, number))
                    .collect::<Result<Vec<_>, _>>()
            });
            employees.extend(some.await.map_err(|error: Error| format!("{error:?}"))?);
        }
        made.push(Company { id, token, employees });
    }
    Ok(made)
}

fn company(tx: &mut Tx<'_>, application: Uuid, number: u64) -> Result<(Uuid, String), Error> {
    let (id, now) = (tx.new_id(), tx.now());
    let company = companies::rows::Company {
        company_status: rules::company::Status::Approved,
        is_partner_managed: true,
        ..companies::rows::Company::new(id, format!("Bench {number}"), now)
    };
    companies::rows::insert_company(tx, &company)?;
    let scopes = Scopes::ALL.to_text();
    let token = NewToken {
        kind: TokenKind::Company,
        application,
        company: Some(id),
        user: None,
        scopes: &scopes,
        expires_at: None,
    };
    Ok((id, auth::issue_token(tx, &token)?.text))
}

fn one_employee(tx: &mut Tx<'_>, company: Uuid, number: u64) -> Result<Uuid, Error> {
    let text = |text: String| Patch::Value(text);
    let serial = 1 + number % 9_999;
    let new = CreateEmployee {
        first_name: text("Guadalupe".to_owned()),
        last_name: text("Montgomery".to_owned()),
        email: text(format!("person.{number}@example.com")),
        ssn: text(format!("30112{serial:04}")),
        ..CreateEmployee::default()
    };
    let caller = Caller::for_service(company, TimeZone::UTC);
    profiles::service::create_employee(tx, &caller, &new).map(|made| made.employee.id)
}

fn pick(companies: &Companies, number: u64) -> &Company {
    let at = usize::try_from(scattered(number) % companies.len() as u64).unwrap_or(0);
    &companies[at]
}

fn read(companies: &Companies, number: u64, request: &mut Vec<u8>) {
    let company = pick(companies, number);
    let at = usize::try_from(scattered(number ^ 0x5555) % company.employees.len() as u64).unwrap_or(0);
    let head = format!(
        "GET /v1/employees/{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
        company.employees[at], company.token
    );
    request.extend_from_slice(head.as_bytes());
}

fn list(companies: &Companies, number: u64, request: &mut Vec<u8>) {
    let company = pick(companies, number);
    // Of a large company the first pages, as somebody looks at them: whoever reads all of it goes on after an employee.
    let page = 1 + scattered(number ^ 0x5555) % (company.employees.len() as u64 / LISTED).min(PAGES);
    let head = format!(
        "GET /v1/companies/{}/employees?page={page}&per={LISTED} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
        company.id, company.token
    );
    request.extend_from_slice(head.as_bytes());
}

/// The list goes on after an employee, wherever in it.
fn after(companies: &Companies, number: u64, request: &mut Vec<u8>) {
    let company = pick(companies, number);
    let most = (company.employees.len() as u64).saturating_sub(LISTED).max(1);
    let at = usize::try_from(scattered(number ^ 0x5555) % most).unwrap_or(0);
    let head = format!(
        "GET /v1/companies/{}/employees?per={LISTED}&starting_after_uuid={} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
        company.id, company.employees[at], company.token
    );
    request.extend_from_slice(head.as_bytes());
}

fn create(companies: &Companies, run: u128, number: u64, request: &mut Vec<u8>) {
    let company = pick(companies, number);
    let head = format!(
        "HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {}\r\n",
        company.token,
        random_key(run, number)
    );
    post(
        request,
        ("POST", &format!("/v1/companies/{}/employees", company.id)),
        &head,
        &employee(EMPLOYEES + number),
    );
}

fn plans(companies: &Companies) -> Vec<Plan> {
    let run = Clock::monotonic().as_nanos();
    let [a, b, c, d] = [0; 4].map(|_| Rc::clone(companies));
    let reads: Make = Rc::new(move |number, request: &mut Vec<u8>| read(&a, number, request));
    let lists: Make = Rc::new(move |number, request: &mut Vec<u8>| list(&b, number, request));
    let afters: Make = Rc::new(move |number, request: &mut Vec<u8>| after(&d, number, request));
    let creates: Make = Rc::new(move |number, request: &mut Vec<u8>| create(&c, run, number, request));
    let plan =
        |name, connections, status, goals, ours, bare| Plan { name, connections, status, goals, ours, bare };
    vec![
        plan("read", 64, 200, (0.28, 0.40), reads, get("/record")),
        plan("list", 16, 200, (0.15, 0.30), lists, get("/list")),
        plan("after", 16, 200, (0.15, 0.30), afters, get("/list")),
        plan("create", 64, 201, (0.15, 0.25), creates, echo()),
    ]
}

/// Reads 80 %, writes 15 %, lists 5 %: as much as is taken at once, half of that at a steady rate, and five times as much
/// as is taken, each set beside the round before it.
async fn mixed_traffic(pace: Pace<'_>, process: &Process, companies: &Companies) -> Outcome<()> {
    let (companies, run) = (Rc::clone(companies), Clock::monotonic().as_nanos());
    let mixed: Make = Rc::new(move |number, request: &mut Vec<u8>| match scattered(number ^ 0xABCD) % 100 {
        0..80 => read(&companies, number, request),
        80..95 => create(&companies, run, number, request),
        _ => list(&companies, number, request),
    });
    println!("  mixed (80 % reads, 15 % creates, 5 % lists of 100)");
    let mut sent = 0;
    let mut round = async |connections: usize, rate: Option<f64>, time: Duration| {
        let before = process.cpu()?;
        let told = load::paced(process.address, &mixed, sent, connections, rate, time).await?;
        sent += 10_000_000;
        Ok::<_, String>((told, process.cpu()? - before))
    };
    let mut kept = Vec::new();
    for number in 1..=pace.rounds {
        let (peak, cpu) = round(64, None, pace.time).await?;
        let capacity = peak.goodput();
        tell("all that 64 connections can", &peak, cpu);
        if number == 1 {
            let (half, cpu) = round(256, Some(capacity / 2.0), pace.time).await?;
            tell("half of it, at a steady rate", &half, cpu);
        }
        // Longer, for the first requests of so many connections cost more than those that follow.
        let (flood, cpu) = round(2_000, Some(capacity * 5.0), pace.time * 3).await?;
        tell("five times it, 2,000 connections", &flood, cpu);
        told_of_flood(&flood);
        kept.push(flood.goodput() / capacity);
    }
    let median = measure::median(kept.iter().copied());
    let (least, most) = measure::range(kept.iter().copied());
    println!(
        "    goodput at five times: {median:.2} of the peak before it ({least:.2}-{most:.2}; goal 0.8: {})",
        measure::met(median >= 0.8)
    );
    Ok(())
}

/// What callers see of more than there is room for. So many connections cannot send as much as that: beyond it, what is
/// due waits on this side, so times count from when a request was sent.
fn told_of_flood(flood: &Paced) {
    println!(
        "    once sent: good p50 {:.0} ms, p99 {:.0} ms; refused p50 {:.0} ms, p99 {:.0} ms (goal 250 ms: {})",
        Paced::at(&flood.answered, 500),
        Paced::at(&flood.answered, 990),
        Paced::at(&flood.refused, 500),
        Paced::at(&flood.refused, 990),
        measure::met(Paced::at(&flood.refused, 990) < 250.0)
    );
}

fn tell(what: &str, told: &Paced, cpu: Duration) {
    let all = told.good.len() + told.refused.len();
    println!(
        "    {what:<34} {:>7.0}/s good, {:>7} refused; p50 {:.1} ms, p99 {:.1} ms, p999 {:.1} ms; {:.1} us of CPU each",
        told.goodput(),
        told.refused.len(),
        Paced::at(&told.good, 500),
        Paced::at(&told.good, 990),
        Paced::at(&told.good, 999),
        cpu.as_secs_f64() * 1e6 / all.max(1) as f64,
    );
}
