//! The data that are measured on: the demo world and a thousand employees more, made over HTTP like everything else.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use store::{Clock, MasterKeys};

use crate::Outcome;
use crate::load::{Connection, Make};
use crate::measure::Plan;
use crate::mix::Hiring;
use crate::process::{Process, stipend};

/// Employees of the company without anything but their data, and as many of a mix.
pub const EMPLOYEES: u64 = 1_000;
/// Pages of a list that each of them fill.
const PAGES: u64 = EMPLOYEES / 100;
const FIRST: [&str; 8] =
    ["Guadalupe", "James", "Oluwaseun", "Mei", "Anna-Sophia", "Tariq", "Ines", "Bartholomew"];
const LAST: [&str; 8] =
    ["Castellanos-Whitfield", "Okafor", "O'Brien", "Nguyen", "van der Berg", "Alvarez", "Kim", "Montgomery"];

/// Where the data are, and what is needed to ask for them.
#[derive(Clone)]
pub struct World {
    file: PathBuf,
    /// opens its sealed fields
    pub master_key: String,
    company: String,
    token: String,
    /// the partner application
    pub application: String,
    employees: Rc<Vec<String>>,
    /// those of a company that has run for a year
    mixed: Rc<Vec<String>>,
    keys: Keys,
}

/// How the client that is measured makes its idempotency keys.
#[derive(Clone, Copy)]
enum Keys {
    /// as most do, without order
    Random,
    /// one after the other, which is cheaper: they share pages
    Counted,
}

impl World {
    /// In a new file.
    pub async fn on_file(file: &Path) -> Outcome<Self> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let url = format!("sqlite:{}", file.display());
        Ok(Self { file: file.to_owned(), ..Self::on_url(&url, folder).await? })
    }

    /// In an empty database.
    pub async fn on_url(url: &str, folder: &Path) -> Outcome<Self> {
        let master_key = MasterKeys::generate_key().to_string();
        let (mut process, report) = dev(url, &master_key, folder)?;
        let company = report["companies"].as_array().and_then(|companies| companies.first()).cloned();
        let company = company.ok_or("the demo world has no company")?;
        let text =
            |key: &str| company[key].as_str().map(str::to_owned).ok_or(format!("the company has no {key}"));
        let (company, token) = (text("uuid")?, text("access_token")?);
        let application = report["application"]["client_id"].as_str().unwrap_or_default().to_owned();
        let mut connection = Connection::open(process.address).await?;
        let mut employees = Vec::new();
        for number in 0..EMPLOYEES {
            let path = format!("/v1/companies/{company}/employees");
            let created = create(&mut connection, &path, &token, &employee(number)).await?;
            employees.push(created);
        }
        let mut hiring = Hiring { connection: &mut connection, company: &company, token: &token };
        let mixed = hiring.hire_mix().await?;
        process.still_runs()?;
        process.stop()?;
        Ok(Self {
            file: PathBuf::new(),
            master_key,
            company,
            token,
            application,
            employees: Rc::new(employees),
            mixed: Rc::new(mixed),
            keys: Keys::Random,
        })
    }

    /// The same, for a client that counts its keys.
    pub fn counting(&self) -> Self {
        Self { keys: Keys::Counted, ..self.clone() }
    }

    /// A copy in which every employee has a job, which brings its first compensation with it.
    pub async fn with_jobs(&self, folder: &Path) -> Outcome<Self> {
        let file = folder.join("jobs.db");
        copy_store(&self.file, &file)?;
        let (process, _) = dev(&format!("sqlite:{}", file.display()), &self.master_key, folder)?;
        let mut connection = Connection::open(process.address).await?;
        for id in self.employees.iter() {
            let body = r#"{"title":"Line Cook","hire_date":"2026-01-05"}"#;
            create(&mut connection, &format!("/v1/employees/{id}/jobs"), &self.token, body).await?;
        }
        process.stop()?;
        Ok(Self { file, ..self.clone() })
    }

    /// A copy of the store; its address.
    pub fn copy(&self, folder: &Path) -> Outcome<String> {
        let copy = folder.join(format!("copy-{}.db", Clock::monotonic().as_nanos()));
        copy_store(&self.file, &copy)?;
        Ok(format!("sqlite:{}", copy.display()))
    }

    /// The workloads as they are asked of a service on a database server: from fewer connections, for each waits longer.
    pub fn plans_on_a_server(&self) -> Vec<Plan> {
        let goals = [
            ("read", (0.15, 0.25)),
            ("mix", (0.15, 0.25)),
            ("list", (0.15, 0.25)),
            ("mixlist", (0.15, 0.25)),
            ("create", (0.10, 0.22)),
        ];
        let of = |plan: &Plan| {
            goals.iter().find(|(name, _)| *name == plan.name).map_or(plan.goals, |(_, goals)| *goals)
        };
        self.plans().into_iter().map(|plan| Plan { connections: 16, goals: of(&plan), ..plan }).collect()
    }

    /// The workloads.
    pub fn plans(&self) -> Vec<Plan> {
        let head = format!("HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n", self.token);
        let read = |employees: &Rc<Vec<String>>| -> Make {
            let (employees, head) = (Rc::clone(employees), head.clone());
            Rc::new(move |number: u64, request: &mut Vec<u8>| {
                let at = scattered(number) % employees.len() as u64;
                let id = &employees[usize::try_from(at).unwrap_or(0)];
                request.extend_from_slice(format!("GET /v1/employees/{id} {head}\r\n").as_bytes());
            })
        };
        let list = |first: u64| -> Make {
            let (company, head) = (self.company.clone(), head.clone());
            Rc::new(move |number: u64, request: &mut Vec<u8>| {
                let page = first + scattered(number) % PAGES;
                let path = format!("/v1/companies/{company}/employees?page={page}&per=100");
                request.extend_from_slice(format!("GET {path} {head}\r\n").as_bytes());
            })
        };
        let (plain, mixed) = (read(&self.employees), read(&self.mixed));
        let (plain_list, mixed_list) = (list(1), list(1 + PAGES));
        let (company, run, keys) = (self.company.clone(), Clock::monotonic().as_nanos(), self.keys);
        let create = move |number: u64, request: &mut Vec<u8>| {
            let key = match keys {
                Keys::Random => random_key(run, number),
                Keys::Counted => format!("run-{run}-{number:09}"),
            };
            let head = format!("{head}Idempotency-Key: {key}\r\n");
            post(
                request,
                ("POST", &format!("/v1/companies/{company}/employees")),
                &head,
                &employee(2 * EMPLOYEES + number),
            );
        };
        let plan = |name, connections, status, goals, ours: Make, bare: Make| Plan {
            name,
            connections,
            status,
            goals,
            ours,
            bare,
        };
        vec![
            plan("read", 64, 200, (0.28, 0.42), plain, get("/record")),
            plan("mix", 64, 200, (0.28, 0.42), mixed, get("/record")),
            plan("list", 16, 200, (0.15, 0.35), plain_list, get("/list")),
            plan("mixlist", 16, 200, (0.15, 0.35), mixed_list, get("/list")),
            plan("create", 64, 201, (0.15, 0.25), Rc::new(create), echo()),
        ]
    }
}

/// Gets a path of the bare server.
pub fn get(path: &'static str) -> Make {
    Rc::new(move |_, request: &mut Vec<u8>| {
        request.extend_from_slice(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes());
    })
}

/// Lets the bare server parse and send back what creates an employee of ours.
pub fn echo() -> Make {
    Rc::new(|number, request: &mut Vec<u8>| {
        post(request, ("POST", "/echo"), "HTTP/1.1\r\nHost: localhost\r\n", &employee(EMPLOYEES + number));
    })
}

/// The service for developers on a store; what it printed.
fn dev(url: &str, master_key: &str, folder: &Path) -> Outcome<(Process, Value)> {
    let mut process = stipend(&[
        "dev",
        "--database-url",
        url,
        "--seed",
        "1",
        "--without-history",
        "--json",
        "--listen",
        "127.0.0.1:0",
    ])?;
    process.setting("MASTER_KEY", master_key);
    let (line, _) = process.first_line(folder)?;
    let report: Value =
        serde_json::from_str(&line).map_err(|error| format!("dev printed no JSON: {error}"))?;
    let address = report["base_url"].as_str().and_then(|url| url.strip_prefix("http://"));
    let address = address.and_then(|address| address.parse::<SocketAddr>().ok());
    process.address = address.ok_or("dev printed no base_url")?;
    Ok((process, report))
}

async fn create(connection: &mut Connection, path: &str, token: &str, body: &str) -> Outcome<String> {
    let mut request = Vec::new();
    let head = format!("HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n");
    post(&mut request, ("POST", path), &head, body);
    let (status, answer) = connection.exchange(&request).await?;
    let created: Value = serde_json::from_slice(answer).unwrap_or_default();
    match (status, created["uuid"].as_str()) {
        (201, Some(id)) => Ok(id.to_owned()),
        _ => Err(format!("POST {path} was answered {status}: {}", String::from_utf8_lossy(answer))),
    }
}

/// Writes a request with a body, of a method and path.
pub fn post(request: &mut Vec<u8>, (method, path): (&str, &str), head: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "{method} {path} {head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    request.extend_from_slice(head.as_bytes());
}

/// What is sent to create the n-th employee: every field, with a number that a Social Security number may be.
pub fn employee(number: u64) -> String {
    let pick = |names: [&'static str; 8], by: u64| names[usize::try_from(number / by % 8).unwrap_or(0)];
    let (first, last) = (pick(FIRST, 1), pick(LAST, 8));
    let (area, group, serial) =
        (101 + number / (99 * 9_999) % 500, 1 + number / 9_999 % 99, 1 + number % 9_999);
    format!(
        r#"{{"first_name":"{first}","middle_initial":"Q","last_name":"{last}","preferred_first_name":"Lupe","email":"person.{number}@example.com","work_email":"p.{number}@work.example.com","date_of_birth":"{}-{:02}-15","ssn":"{area:03}{group:02}{serial:04}","self_onboarding":false}}"#,
        1960 + number % 40,
        1 + number % 12,
    )
}

/// A key as most clients make them, a UUID of version 4: without order, and another one in each run.
pub fn random_key(run: u128, number: u64) -> String {
    let bits = |part: u64| u128::from(scattered(scattered(number ^ part) ^ run as u64));
    let key = (bits(0) << 64 | bits(0x5555_5555)) & !(0xf << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let text = format!("{key:032x}");
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// Numbers without order, the same in every run (`SplitMix64`).
pub const fn scattered(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Copies a store that nobody has open.
fn copy_store(from: &Path, to: &Path) -> Outcome<()> {
    for ending in ["", "-wal", ".key", ".world.json"] {
        let beside = |path: &Path| PathBuf::from(format!("{}{ending}", path.display()));
        if beside(from).exists() {
            let copied = std::fs::copy(beside(from), beside(to));
            copied.map_err(|error| format!("{} cannot be copied: {error}", from.display()))?;
        }
    }
    Ok(())
}

/// Waits until something holds; two minutes at most.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Clock::monotonic();
    while !holds() {
        assert!(Clock::monotonic() - begun < Duration::from_secs(120), "it never happened that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
