//! One function for each thing that takes bytes from outside. Whatever the bytes are, it ends, and what must hold of
//! the outcome holds; else it panics.
//!
//! The first line of the bytes says what is called, so that what is found can be read; the rest is what it is called
//! with.

use std::cell::RefCell;
use std::collections::BTreeMap;

use axum::Router;
use axum::http::Uri;
use domain::pay::minimum_wages::Table as MinimumWages;
use domain::platform::reference::{Dataset, Request};
use domain::salary::occupations::data::Occupations;
use domain::salary::wages::statistics::Statistics;
use domain::salary::wages::zip_areas::ZipAreas;
use interface::examples::example_calls;
use pages::routes;
use rules_of_paths::fill;
use serde_json::json;
use stipend::tools::signature::{Verdict, check_signature};
use store::{Clock, Store};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::base::{REDIRECT, base, folder, options, settings};
use crate::wire::{Ask, Told, send_as};

/// The first line, and what comes after it.
fn split(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = data.iter().position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&data[..end]).ok()?, &data[end + 1..]))
}

/// The service with a company, and what is in it.
struct Service {
    runtime: Runtime,
    router: Router,
    ids: BTreeMap<&'static str, String>,
    _folder: TempDir,
}

thread_local! {
    static SERVICE: RefCell<Option<Service>> = const { RefCell::new(None) };
}

/// Runs with the service; one whose company has been locked out makes room for another.
fn with_service(run: impl FnOnce(&Service) -> bool) {
    SERVICE.with(|held| {
        let mut held = held.borrow_mut();
        let service = held.get_or_insert_with(Service::new);
        if !run(service) {
            *held = None;
        }
    });
}

impl Service {
    fn new() -> Self {
        let (folder, base) = (folder(), base());
        let file = folder.path().join("fuzz.db");
        std::fs::copy(&base.file, &file).unwrap();
        let store =
            Store::open(&format!("sqlite:{}", file.display()), options(Clock::standing_at(base.begins), 7));
        let (_, router) = routes::build_service(store.unwrap(), settings());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut service = Self { runtime, router, ids: BTreeMap::new(), _folder: folder };
        let tenant = &base.tenants[0];
        let (company, employee) = (tenant.id.to_string(), tenant.employees[0].clone());
        service.ids.extend([
            ("company_id", company.clone()),
            ("company_uuid", company),
            ("employee_id", employee.clone()),
            ("employee_uuid", employee.clone()),
            ("paid_employee", employee),
            ("location_id", tenant.location.clone()),
            ("location_uuid", tenant.location.clone()),
            ("company_benefit_id", tenant.benefits[0].clone()),
            ("benefit_id", "5".to_owned()),
            ("state", "TX".to_owned()),
            ("client_id", base.application.to_string()),
            ("client_secret", base.client_secret.clone()),
        ]);
        service.make();
        service
    }

    /// A record of most kinds.
    fn make(&mut self) {
        let order =
            json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "5" });
        let estimate = json!({ "zip_code": "78205", "occupations": [
            { "code": "35-1011", "experience_level": "average", "time_percentage": "1" }] });
        let benefit =
            json!({ "company_benefit_uuid": self.ids["company_benefit_id"], "effective_date": "2026-07-01" });
        let account = json!({ "name": "Household", "routing_number": "021001208", "account_number": "90126600417",
                              "account_type": "Checking" });
        let payroll = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01",
                              "end_date": "2026-06-14", "employee_uuids": [self.ids["employee_id"]] });
        for (name, path, field, body) in [
            ("garnishment_id", "/v1/employees/{employee_id}/garnishments", "uuid", order),
            ("salary_estimate_id", "/v1/employees/{employee_id}/salary_estimates", "uuid", estimate),
            ("employee_benefit_id", "/v1/employees/{employee_id}/employee_benefits", "uuid", benefit),
            ("bank_account_uuid", "/v1/employees/{employee_id}/bank_accounts", "uuid", account),
            ("payroll_id", "/v1/companies/{company_id}/payrolls", "payroll_uuid", payroll),
        ] {
            let told = self.call("POST", &fill(path, &self.ids), body.to_string().into_bytes());
            assert!(told.good(), "{path}: {}", told.text());
            self.ids.insert(name, told.json()[field].as_str().unwrap().to_owned());
        }
        for (name, path) in [
            ("pay_schedule_id", "/v1/companies/{company_id}/pay_schedules"),
            ("job_id", "/v1/employees/{employee_id}/jobs"),
            ("home_address_uuid", "/v1/employees/{employee_id}/home_addresses"),
            ("work_address_uuid", "/v1/employees/{employee_id}/work_addresses"),
        ] {
            let told = self.call("GET", &fill(path, &self.ids), Vec::new()).json();
            self.ids.insert(name, told[0]["uuid"].as_str().unwrap().to_owned());
            if name == "job_id" {
                let pay = &told[0]["compensations"][0]["uuid"];
                self.ids.insert("compensation_id", pay.as_str().unwrap().to_owned());
            }
        }
    }

    /// A call with the token that the path takes.
    fn call(&self, method: &'static str, path: &str, body: Vec<u8>) -> Told {
        let of_application = ["/v1/webhook", "/v1/events", "/v1/partner_managed_companies"];
        let of_application = of_application.iter().any(|prefix| path.starts_with(prefix))
            && !path.starts_with("/v1/partner_managed_companies/");
        let base = base();
        let token = if of_application { &base.system } else { &base.tenants[0].token };
        self.send(Ask::get(path, token), method, "application/json", body)
    }

    fn send(&self, ask: Ask, method: &'static str, content: &str, body: Vec<u8>) -> Told {
        let what = format!("{method} {}", ask.path);
        let ask = Ask { method, ..ask };
        let told = self.runtime.block_on(send_as(self.router.clone(), ask, content, body.into()));
        well(&told, &what);
        told
    }
}

mod rules_of_paths {
    use std::collections::BTreeMap;

    /// A record that nothing is.
    const NOBODY: &str = "0197a1b2-0000-7000-8000-00000000dead";

    /// A text in which the names of records stand for their identifiers.
    pub fn fill(text: &str, ids: &BTreeMap<&'static str, String>) -> String {
        let mut text =
            ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id));
        while let Some((before, rest)) = text.split_once('{') {
            let Some((name, after)) = rest.split_once('}') else { break };
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
                break;
            }
            text = format!("{before}{NOBODY}{after}");
        }
        text
    }
}

/// An answer is never a fault of the service, and a refusal says what was wrong.
fn well(told: &Told, what: &str) {
    assert!(told.status < 500, "{what} was answered {} {}", told.status, told.text());
    if told.status >= 400 {
        let text = told.text();
        let explained = ["\"errors\"", "\"error\"", "<html"].iter().any(|sign| text.contains(sign));
        assert!(explained, "{what} was answered {} {text}", told.status);
    }
}

/// The operations that take a body, as they are named in the first line.
pub fn with_body() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    example_calls()
        .iter()
        .filter(|call| !call.body.is_empty() && call.route.starts_with("/v1/"))
        .filter(|call| !call.route.contains("/test_helpers/"))
        .map(|call| (&*call.method, &*call.route, &*call.body))
}

/// The operations that read.
pub fn reading() -> impl Iterator<Item = &'static str> {
    example_calls()
        .iter()
        .filter(|call| call.method == "GET" && call.route.starts_with("/v1/"))
        .map(|call| &*call.route)
        .filter(|route| !route.contains("/test_helpers/"))
}

/// A body of JSON, or of what is not quite JSON.
pub fn json(data: &[u8]) {
    let Some((name, body)) = split(data) else { return };
    let Some((method, route, _)) = with_body().find(|(method, route, _)| name == format!("{method} {route}"))
    else {
        return;
    };
    with_service(|service| {
        let body = match std::str::from_utf8(body) {
            Ok(text) if text.contains('{') => service
                .ids
                .iter()
                .fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id)),
            _ => return service.call(method, &fill(route, &service.ids), body.to_vec()).status != 401,
        };
        service.call(method, &fill(route, &service.ids), body.into_bytes()).status != 401
    });
}

/// The query of an operation that reads.
pub fn query(data: &[u8]) {
    let Some((route, query)) = split(data) else { return };
    let Some(route) = reading().find(|known| *known == route) else { return };
    let Ok(query) = std::str::from_utf8(query) else { return };
    with_service(|service| {
        let path = format!("{}?{query}", fill(route, &service.ids));
        path.parse::<Uri>().is_err() || service.call("GET", &path, Vec::new()).status != 401
    });
}

/// A request to the authorization server: `authorize`, `consent`, `token`, `token json` or `revoke`, and its
/// parameters.
pub fn oauth(data: &[u8]) {
    const FORM: &str = "application/x-www-form-urlencoded";
    let Some((name, parameters)) = split(data) else { return };
    with_service(|service| {
        let text = String::from_utf8_lossy(parameters);
        let text = fill(&text, &service.ids).replace("{redirect_uri}", REDIRECT);
        let nobody = |path: &str| Ask { token: String::new(), ..Ask::get(path, "") };
        let bytes = text.clone().into_bytes();
        match name {
            "authorize" => {
                let path = format!("/oauth/authorize?{text}");
                if path.parse::<Uri>().is_ok() {
                    service.send(nobody(&path), "GET", FORM, Vec::new());
                }
            }
            "consent" => drop(service.send(nobody("/oauth/authorize"), "POST", FORM, bytes)),
            "token" => drop(service.send(nobody("/oauth/token"), "POST", FORM, bytes)),
            "token json" => drop(service.send(nobody("/oauth/token"), "POST", "application/json", bytes)),
            "revoke" => drop(service.send(nobody("/oauth/revoke"), "POST", FORM, bytes)),
            _ => {}
        }
        true
    });
}

/// Reads files as an import does. What is accepted can be opened, and is not empty.
fn import<D: Dataset>(files: &[(&str, &[u8])]) {
    let folder = folder();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let path = match files {
        [(name, _)] => folder.path().join(name),
        _ => folder.path().to_owned(),
    };
    let request = Request { path: &path, vintage: Some("2027-05"), fewer: true, progress: &|_, _| {} };
    if let Ok(packed) = D::read(&request, None) {
        D::open(&packed.bytes).unwrap_or_else(|why| panic!("what was read cannot be opened: {why}"));
    }
}

/// Opens the bytes of a vintage.
fn open<D: Dataset>(bytes: &[u8]) {
    if let Ok(data) = D::open(bytes) {
        data.rows();
    }
}

/// Data files: the first line says which; files of one release are parted by a line of `%%`.
pub fn wages(data: &[u8]) {
    let Some((name, rest)) = split(data) else { return };
    let place = rest.windows(4).position(|bytes| bytes == b"\n%%\n");
    let (first, second) = place.map_or((rest, &b""[..]), |place| (&rest[..=place], &rest[place + 4..]));
    match name {
        "tables" => import::<Statistics>(&[("wages.csv", first), ("areas.csv", second)]),
        "series" => import::<Statistics>(&[("oe.data.0.Current", first), ("oe.area", second)]),
        "workbook" => import::<Statistics>(&[("all_data_M_2026.xlsx", rest)]),
        "zip" => import::<Statistics>(&[("oe.zip", rest)]),
        "gz" => import::<Statistics>(&[("oe.data.0.Current.gz", rest)]),
        "occupations" => import::<Occupations>(&[("occupations.csv", rest)]),
        "zip areas" => import::<ZipAreas>(&[("zip_areas.csv", rest)]),
        "minimum wages" => import::<MinimumWages>(&[("minimum_wages.csv", rest)]),
        "packed wages" => open::<Statistics>(rest),
        "packed zip areas" => open::<ZipAreas>(rest),
        "packed occupations" => open::<Occupations>(rest),
        "packed minimum wages" => open::<MinimumWages>(rest),
        _ => {}
    }
}

/// A signature: the value of the header, the secret, and the body. The right one is right, and nothing else is.
pub fn signature(data: &[u8]) {
    let Some((header, rest)) = split(data) else { return };
    let Some((secret, body)) = split(rest) else { return };
    let right = background::delivery::sign::service_signature(secret, body);
    assert_eq!(check_signature(secret, header, body) == Verdict::Right, header == right);
    assert_eq!(check_signature(secret, &right, body), Verdict::Right);
    for wrong in
        [right.to_uppercase(), format!("sha256={right}"), format!(" {right}"), right[..40].to_owned()]
    {
        let verdict = check_signature(secret, &wrong, body);
        assert!(matches!(verdict, Verdict::Wrong(why) if !why.is_empty()), "{wrong}");
    }
}
