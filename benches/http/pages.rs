//! The hosted pages: how large each is, and how long the server takes to make it, one after the other on one
//! connection; and the PDF of a form.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use store::Clock;

use crate::Outcome;
use crate::load::Connection;
use crate::measure::{median_time, met};
use crate::process::stipend;

/// Requests of each page.
const TIMES: usize = 300;
/// Bytes of a page at the most, without the stylesheet.
const LARGEST: usize = 30_000;
/// Time of the server's processor for a page at the most.
const LONGEST: Duration = Duration::from_millis(5);
const SCREENS: [&str; 10] = [
    "welcome",
    "personal",
    "address",
    "federal",
    "state",
    "payment",
    "deductions",
    "i9",
    "documents",
    "review",
];

/// Measures each page of one employee of the demo world.
pub async fn section(folder: &Path) -> Outcome<()> {
    let mut process = stipend(&[
        "dev",
        "--memory",
        "--seed",
        "1",
        "--without-history",
        "--json",
        "--listen",
        "127.0.0.1:0",
    ])?;
    let (line, _) = process.first_line(folder)?;
    let report: Value = serde_json::from_str(&line).map_err(|error| format!("no JSON: {error}"))?;
    let address = report["base_url"].as_str().and_then(|url| url.strip_prefix("http://"));
    process.address = address.and_then(|address| address.parse().ok()).ok_or("dev printed no base_url")?;
    let address = process.address;
    let company = &report["companies"][0];
    let token = company["access_token"].as_str().unwrap_or_default();
    let open = |employee: &&Value| {
        employee["onboarding_status"].as_str().is_some_and(|status| status.starts_with("self_onboarding"))
    };
    let employees = company["employees"].as_array().cloned().unwrap_or_default();
    let employee = employees.iter().find(open).ok_or("the demo world has nobody to onboard")?;
    let employee = employee["uuid"].as_str().unwrap_or_default();

    let company = company["uuid"].as_str().unwrap_or_default();
    let body = format!(
        r#"{{"flow_type":"employee_self_management,deductions","entity_type":"Employee","entity_uuid":"{employee}"}}"#
    );
    fill(address, employee, token)?;
    let flow = ask(address, "POST", &format!("/v1/companies/{company}/flows"), token, &body)?;
    let flow: Value = serde_json::from_str(flow.body()).unwrap_or_default();
    let link = flow["url"].as_str().and_then(|url| url.split_once("/flows/")).ok_or("no link was made")?.1;
    let cookie = ask(address, "GET", &format!("/flows/{link}"), token, "")?.cookie()?;

    println!("hosted pages, {TIMES} times each, one after the other");
    println!("  page          bytes   p50 ms   p99 ms   CPU us");
    let mut connection = Connection::open(address).await?;
    let (mut largest, mut longest) = (0, Duration::ZERO);
    for screen in SCREENS {
        let request = format!("GET /flow/{screen} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n");
        let (bytes, cpu) = measure(&mut connection, screen, &request, || process.cpu()).await?;
        largest = largest.max(bytes);
        longest = longest.max(cpu);
    }
    let forms = ask(address, "GET", &format!("/v1/employees/{employee}/forms"), token, "")?;
    let forms: Value = serde_json::from_str(forms.body()).unwrap_or_default();
    let form = forms[0]["uuid"].as_str().ok_or("there is no form")?;
    let pdf = ask(address, "GET", &format!("/v1/employees/{employee}/forms/{form}/pdf"), token, "")?;
    let pdf: Value = serde_json::from_str(pdf.body()).unwrap_or_default();
    let url = pdf["document_url"].as_str().ok_or("there is no address of the document")?;
    let path = url.splitn(4, '/').nth(3).ok_or("the document's address has no path")?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    measure(&mut connection, "PDF", &request, || process.cpu()).await?;
    println!(
        "  largest page {largest} bytes (at most {LARGEST}: {}), dearest {} us of CPU (at most {} us: {})\n",
        met(largest <= LARGEST),
        longest.as_micros(),
        LONGEST.as_micros(),
        met(longest <= LONGEST)
    );
    process.stop()
}

/// Has the employee answer what makes every form and every screen: a certificate, a bank account, and Form I-9.
fn fill(address: SocketAddr, employee: &str, token: &str) -> Outcome<()> {
    let path = |part: &str| format!("/v1/employees/{employee}/{part}");
    let held = ask(address, "GET", &path("federal_taxes"), token, "")?;
    let held: Value = serde_json::from_str(held.body()).unwrap_or_default();
    let version = held["version"].as_str().ok_or("there is no certificate to answer")?;
    let certificate = format!(
        r#"{{"version":"{version}","w4_data_type":"rev_2020_w4","filing_status":"Single","two_jobs":false,
            "dependents_amount":0,"other_income":0,"deductions":0,"extra_withholding":0}}"#
    );
    let account = r#"{"name":"Household","routing_number":"021000021","account_number":"1234567890",
                      "account_type":"Checking"}"#;
    for (method, part, body) in [
        ("PUT", "federal_taxes", certificate.as_str()),
        ("POST", "bank_accounts", account),
        ("PUT", "onboarding_documents_config", r#"{"i9_document":true}"#),
    ] {
        let answer = ask(address, method, &path(part), token, body)?;
        if !answer.0.starts_with("HTTP/1.1 2") {
            return Err(format!("{part} was refused: {}", answer.body()));
        }
    }
    Ok(())
}

/// Asks again and again; the size of an answer and the server's CPU time for one.
async fn measure(
    connection: &mut Connection,
    name: &str,
    request: &str,
    cpu: impl Fn() -> Outcome<Duration>,
) -> Outcome<(usize, Duration)> {
    let mut times = Vec::with_capacity(TIMES);
    let mut bytes = 0;
    let before = cpu()?;
    for _ in 0..TIMES {
        let began = Clock::monotonic();
        let (status, body) = connection.exchange(request.as_bytes()).await?;
        if status != 200 {
            return Err(format!("{name} was answered {status}"));
        }
        bytes = body.len();
        times.push(Clock::monotonic() - began);
    }
    let spent = (cpu()? - before) / u32::try_from(TIMES).unwrap_or(1);
    let p50 = median_time(&mut times);
    let p99 = times[times.len() * 99 / 100];
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("  {name:<12} {bytes:>6}   {:>6.2}   {:>6.2}   {:>6}", ms(p50), ms(p99), spent.as_micros());
    Ok((bytes, spent))
}

/// An answer with its head.
struct Answer(String);

impl Answer {
    fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }

    fn cookie(&self) -> Outcome<String> {
        let line = self.0.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = line.and_then(|line| line.split(';').next());
        cookie.map(str::to_owned).ok_or_else(|| format!("no session was begun: {}", self.0))
    }
}

/// One request on a connection of its own.
fn ask(address: SocketAddr, method: &str, path: &str, token: &str, body: &str) -> Outcome<Answer> {
    let failed = |error: std::io::Error| format!("{path}: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    Ok(Answer(answer))
}
