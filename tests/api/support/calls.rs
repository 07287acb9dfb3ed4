//! Every operation of the interface, and how to call it. What an operation needs and takes is read from its
//! description; how a right call of it looks is said in tests/examples/calls.json. An operation without an entry there fails the
//! tests that are made from the table, and that is what the table is for.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use domain::access::tokens::{Caller, Kind};
use domain::money::funding::{self, Funding, Mode};
use domain::money::rows::{self, Batch, BatchState, Entry, EntryState};
use domain::money::{cases, corrections, prepare, recovery, wires};
use domain::pay::payrolls::processing;
use interface::examples::{self, FormPart, parameters_of, query_of};
use serde_json::{Value, json};

use super::{Answer, Call, Company, home, id_of};

/// One operation: its description and its entry in the table.
#[derive(Debug, Clone)]
pub struct Operation {
    pub method: String,
    pub route: String,
    /// status of success
    pub success: u16,
    /// what its description says
    pub description: Value,
    body: &'static str,
    form: &'static [FormPart],
}

/// The description of the interface, as it is served.
pub fn description() -> &'static Value {
    static API: OnceLock<Value> = OnceLock::new();
    API.get_or_init(|| serde_json::from_str(&pages::routes::description_text()).unwrap())
}

/// Every operation that is described, in the order of the table.
pub fn operations() -> &'static [Operation] {
    static ALL: OnceLock<Vec<Operation>> = OnceLock::new();
    ALL.get_or_init(read_operations)
}

fn read_operations() -> Vec<Operation> {
    let api = description();
    let mut described = BTreeMap::new();
    for (route, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            described.insert((method.to_uppercase(), route.clone()), operation.clone());
        }
    }
    let mut operations = Vec::new();
    for examples::Call { method, route, status: success, body, form } in examples::calls() {
        let description = described.remove(&(method.clone(), route.clone())).unwrap_or_else(|| {
            panic!("{method} {route} stands in the table of examples, but not in the description")
        });
        let (method, route, success) = (method.clone(), route.clone(), *success);
        operations.push(Operation { method, route, success, description, body, form });
    }
    let missing: Vec<_> = described.keys().collect();
    assert!(missing.is_empty(), "tests/examples/calls.json does not say how to call {missing:?}");
    operations
}

impl Operation {
    /// As it is named in messages.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    /// The tokens that it takes, and the scope that it needs.
    pub fn security(&self) -> Option<(Vec<String>, Option<String>)> {
        let entries = self.description["security"].as_array().filter(|entries| !entries.is_empty())?;
        let kinds = entries.iter().flat_map(|entry| entry.as_object().unwrap().keys().cloned()).collect();
        let scope = entries.iter().flat_map(|entry| entry.as_object().unwrap().values()).next();
        Some((kinds, scope.and_then(|scopes| scopes[0].as_str()).map(str::to_owned)))
    }

    /// Whether it takes only a token of an application.
    pub fn is_for_applications(&self) -> bool {
        self.security().is_some_and(|(kinds, _)| kinds == ["system_access"])
    }

    /// The area that it belongs to.
    pub fn tag(&self) -> &str {
        self.description["tags"][0].as_str().unwrap_or_default()
    }

    pub fn needs_a_token(&self) -> bool {
        self.security().is_some()
    }

    /// Whether what it tells or does belongs to a company. The types of benefits and the agencies are the same for all.
    pub fn is_of_a_company(&self) -> bool {
        !self.route.starts_with("/v1/benefits")
            && self.route != "/v1/garnishments/child_support"
            && self.route != "/v1/salary_estimates/occupations"
    }

    pub fn takes_a_body(&self) -> bool {
        self.takes_json() || !self.form.is_empty()
    }

    pub fn takes_json(&self) -> bool {
        !self.body.is_empty()
    }

    /// The parameters of its path.
    pub fn path_parameters(&self) -> Vec<&str> {
        parameters_of(&self.route)
    }

    /// The parameters of its query with their types.
    pub fn query_parameters(&self) -> Vec<(String, String)> {
        let all = self.description["parameters"].as_array().cloned().unwrap_or_default();
        let query = all.iter().filter(|parameter| parameter["in"] == "query");
        query.map(|parameter| (super::text(parameter, "name"), type_of(&parameter["schema"]))).collect()
    }

    /// The fields of its body with their types, as they are described.
    pub fn fields(&self) -> Vec<(String, String)> {
        let api = description();
        let schema = &self.description["requestBody"]["content"]["application/json"]["schema"];
        let schema = schema["$ref"].as_str().map_or(schema, |name| &api["components"]["schemas"][last(name)]);
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        properties.into_iter().map(|(name, schema)| (name, type_of(&schema))).collect()
    }
}

/// Whether the operation at a path takes only a token of an application.
pub fn is_for_applications(path: &str) -> bool {
    static ROUTES: OnceLock<Vec<String>> = OnceLock::new();
    let of_applications = || operations().iter().filter(|o| o.is_for_applications()).map(|o| o.route.clone());
    let routes = ROUTES.get_or_init(|| of_applications().collect());
    let path = path.split('?').next().unwrap_or(path);
    let fits = |route: &String| {
        let same = |(name, given): (&str, &str)| name == given || name.starts_with('{');
        route.split('/').count() == path.split('/').count() && route.split('/').zip(path.split('/')).all(same)
    };
    routes.iter().any(fits)
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// Stands in a path where the present version of a record goes.
const NO_VERSION: &str = "no-version";

/// The type of a value, `null` left aside.
fn type_of(schema: &Value) -> String {
    let schema =
        schema["$ref"].as_str().map_or(schema, |name| &description()["components"]["schemas"][last(name)]);
    let either = schema["oneOf"].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null"));
    if let Some(one) = either {
        return type_of(one);
    }
    let named = |types: &[Value]| types.iter().find(|name| **name != "null").cloned();
    let name = schema["type"].as_array().map_or_else(|| Some(schema["type"].clone()), |types| named(types));
    name.as_ref().and_then(Value::as_str).unwrap_or("any").to_owned()
}

/// A verified subscription of the application, its token, and an event that is on its way to it.
async fn webhook(company: &Company, location: &str) -> [(&'static str, String); 3] {
    let body = json!({ "url": "http://127.0.0.1:9/events", "subscription_types": ["Location"] });
    let made = id_of(&company.post("/v1/webhook_subscriptions", body).await.created());
    let token = company.verification_token(&made).await;
    let verify = format!("/v1/webhook_subscriptions/{made}/verify");
    company.put(verify, json!({ "verification_token": token })).await.ok();
    let location = format!("/v1/locations/{location}");
    let version = company.get(&location).await.ok()["version"].clone();
    company.put(&location, json!({ "version": version, "street_2": "Second floor" })).await.ok();
    let newest = company.get("/v1/events?sort_order=desc&limit=1").await.list();
    [("webhook_subscription_uuid", made), ("verification_token", token), ("event_uuid", id_of(&newest[0]))]
}

/// An order for child support.
async fn support_order(company: &Company, employee: &str) -> Value {
    let support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                          "deduct_as_percentage": true, "pay_period_maximum": "400",
                          "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000",
                                             "case_number": "AL-123" } });
    company.post(format!("/v1/employees/{employee}/garnishments"), support).await.created()
}

/// An estimate that can be changed and accepted, of an owner of its own.
async fn open_estimate(company: &Company) -> Value {
    let owner = id_of(&company.employee("Olga").await);
    let estimate = json!({ "zip_code": "78205", "occupations": [
        { "code": "35-1011", "experience_level": "average", "time_percentage": "1" } ] });
    company.post(format!("/v1/employees/{owner}/salary_estimates"), estimate).await.created()
}

/// Payrolls of people who have been onboarded: one that is entered into, one that is not prepared yet, one that is
/// calculated and one that is processed.
async fn payrolls(company: &Company, location: &str) -> BTreeMap<&'static str, String> {
    let hourly = ("20.00", "Hour", "Nonexempt");
    let (ines, _) = company.onboarded("Ines", location, hourly).await;
    let (ivan, _) = company.onboarded("Ivan", location, hourly).await;
    let calculated = company.off_cycle(&[&ines]).await;
    company.calculate(&calculated).await;
    let processed = company.off_cycle(&[&ivan]).await;
    company.calculate(&processed).await;
    company.submit(&processed).await;
    let payroll = company.off_cycle(&[&ines]).await;
    let fresh = company.off_cycle(&[&ines]).await;
    let prepare = format!("/v1/companies/{{company}}/payrolls/{payroll}/prepare");
    company.put(prepare, json!({})).await.ok();
    BTreeMap::from([
        ("fresh_payroll", fresh),
        ("payroll_id", payroll),
        ("calculated_payroll", calculated),
        ("processed_payroll", processed),
        ("processed_employee", ivan),
        ("paid_employee", ines),
    ])
}

/// Somebody whose employment ends at the end of the year, somebody who has left, and somebody who comes back.
async fn leavers(company: &Company, location: &str) -> Vec<(&'static str, String)> {
    let mut people = Vec::new();
    for (kind, name, last_day) in [
        ("leaving_employee", "Lena", "2026-12-31"),
        ("former_employee", "Fred", "2026-05-31"),
        ("returning_employee", "Rosa", "2026-05-31"),
    ] {
        let employee = id_of(&company.employee(name).await);
        company.job(&employee, "Cook", "2026-03-01").await;
        let ends = json!({ "effective_date": last_day });
        company.post(format!("/v1/employees/{employee}/terminations"), ends).await.created();
        people.push((kind, employee));
    }
    let back = json!({ "effective_date": "2026-12-01", "file_new_hire_report": true, "work_location_uuid": location });
    company.post(format!("/v1/employees/{}/rehire", people[2].1), back).await.created();
    people
}

/// An employee who onboards themselves, with a work and a home address that count later.
async fn self_onboarding(company: &Company, location: &str) -> (String, Value, Value) {
    let body = json!({ "first_name": "Grace", "last_name": "Kim", "email": "grace@people.example",
                       "date_of_birth": "1996-05-17", "self_onboarding": true });
    let employee = id_of(&company.post("/v1/companies/{company}/employees", body).await.created());
    company.work_address(&employee, location).await;
    let later = json!({ "location_uuid": location, "effective_date": "2027-01-01" });
    let work = company.post(format!("/v1/employees/{employee}/work_addresses"), later).await.created();
    company.home_address(&employee).await;
    let mut later = home();
    later["effective_date"] = "2027-01-01".into();
    let lives = company.post(format!("/v1/employees/{employee}/home_addresses"), later).await.created();
    (employee, work, lives)
}

/// An earning type of the company's own, and what is paid back to an employee with every payroll.
async fn extra_pay(company: &Company, employee: &str) -> [(&'static str, String); 2] {
    let gym = json!({ "name": "Gym Membership" });
    let gym = company.post("/v1/companies/{company}/earning_types", gym).await.created();
    let internet = json!({ "description": "Internet", "amount": 40 });
    let path = format!("/v1/employees/{employee}/recurring_reimbursements");
    let internet = company.post(path, internet).await.created();
    [("earning_type_uuid", id_of(&gym)), ("recurring_reimbursement_id", id_of(&internet))]
}

/// A processed payroll that pays somebody by check, what is owed because of it, a report and the checks.
async fn books(company: &Company, location: &str) -> Vec<(&'static str, String)> {
    let (carla, _) = company.onboarded("Carla", location, ("20.00", "Hour", "Nonexempt")).await;
    let payroll = company.off_cycle(&[&carla]).await;
    let path = format!("/v1/companies/{{company}}/payrolls/{payroll}");
    let prepared = company.put(format!("{path}/prepare"), json!({})).await.ok();
    let bonus = json!({ "employee_uuid": carla, "version": prepared["employee_compensations"][0]["version"],
                        "fixed_compensations": [{ "name": "Bonus", "amount": "500.00" }] });
    company.put(&path, json!({ "employee_compensations": [bonus] })).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
    let printed = company.post(print, json!({ "printing_format": "top" })).await.ok();
    let owed = company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
    let report = json!({ "columns": ["net_pay"], "groupings": [], "file_type": "csv" });
    let report = company.post("/v1/companies/{company}/reports", report).await.created();
    vec![
        ("checked_payroll", payroll),
        ("check_number", printed["employee_check_number_mapping"][0]["check_number"].to_string()),
        ("document_request", super::text(&printed, "request_uuid")),
        ("request_uuid", super::text(&report, "request_uuid")),
        ("liability_uuid", id_of(&owed[0])),
        ("report_type", "payroll_journal".to_owned()),
        ("document_type", "printable_payroll_checks".to_owned()),
    ]
}

/// A pay date of another provider, with what it paid an employee and withheld for Medicare.
async fn external_payroll(company: &Company, employee: &str) -> String {
    let path = "/v1/companies/{company}/external_payrolls";
    let days = json!({ "check_date": "2026-02-13", "payment_period_start_date": "2026-01-26",
                       "payment_period_end_date": "2026-02-08" });
    let payroll = company.post(path, days).await.ok();
    let id = id_of(&payroll);
    let taxes = payroll["applicable_taxes"].as_array().unwrap();
    let medicare =
        taxes.iter().find(|tax| tax["name"] == "Medicare" && tax["employer_tax"] == false).unwrap();
    let items = json!({ "external_payroll_items": [{
        "employee_uuid": employee,
        "earnings": [{ "earning_id": 1, "amount": "800.00", "hours": "40" }],
        "taxes": [{ "tax_id": medicare["id"], "amount": "11.60" }] }] });
    company.put(format!("{path}/{id}"), items).await.ok();
    id
}

/// A policy of vacation and one of sick leave that an employee has, and requests for hours of the first.
async fn time_off(company: &Company, employee: &str) -> [(&'static str, String); 5] {
    let mut policies = Vec::new();
    for of in ["vacation", "sick"] {
        let policy = json!({ "name": "Days off", "policy_type": of, "accrual_method": "per_pay_period",
                             "accrual_rate": "4", "complete": true });
        let path = "/v1/companies/{company}/time_off_policies";
        let policy = id_of(&company.post(path, policy).await.created());
        let joins = json!({ "employees": [{ "uuid": employee, "balance": "24" }] });
        company.put(format!("/v1/time_off_policies/{policy}/add_employees"), joins).await.ok();
        policies.push(policy);
    }
    let mut requests = Vec::new();
    for day in ["2026-09-07", "2026-09-08", "2026-09-09"] {
        let asked = json!({ "employee_uuid": employee, "policy_uuid": policies[0], "start_date": day, "end_date": day,
                            "days": { day: "8.000" } });
        let path = "/v1/companies/{company}/time_off/requests";
        requests.push(id_of(&company.post(path, asked).await.created()));
    }
    let [approved, declined, request] = requests.try_into().unwrap();
    let [vacation, sick] = policies.try_into().unwrap();
    [
        ("time_off_policy_uuid", vacation),
        ("other_policy", sick),
        ("time_off_request_uuid", request),
        ("request_to_approve", approved),
        ("request_to_decline", declined),
    ]
}

/// A 401(k) that an employee has: the benefit, and the enrollment.
async fn savings_plan(company: &Company, employee: &str) -> (Value, Value) {
    let offered = json!({ "benefit_type": 5, "description": "401(k)" });
    let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
    let enrolled = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "50.00",
                           "effective_date": "2026-07-01" });
    let enrolled =
        company.post(format!("/v1/employees/{employee}/employee_benefits"), enrolled).await.created();
    (offered, enrolled)
}

/// An employee who has done every step and waits for the review.
async fn waiting(company: &Company) -> String {
    let employee = id_of(&company.self_onboarding_employee("Wanda").await);
    let address = format!("/v1/employees/{employee}/onboarding_status");
    let steps = company.get(&address).await.ok()["onboarding_steps"].clone();
    let open = steps.as_array().unwrap().iter().filter(|step| step["id"] != "admin_review");
    let marks: Vec<_> = open.map(|step| json!({ "id": step["id"], "completed": true })).collect();
    company.put(&address, json!({ "onboarding_steps": marks })).await.ok();
    employee
}

/// An employee who has signed section 1 of Form I-9, and a document that the employer has examined.
async fn may_work(company: &Company) -> [(&'static str, String); 2] {
    let employee = company.signed_i9("Vera").await;
    let passport = json!({ "documents": [{ "document_type": "us_passport", "document_title": "U.S. Passport",
                                           "document_number": "X1234567", "expiration_date": "2030-01-31",
                                           "issuing_authority": "U.S. Department of State" }] });
    let path = format!("/v1/employees/{employee}/i9_authorization/documents");
    let documents = company.put(path, passport).await.created().as_array().unwrap().clone();
    [("document_id", id_of(&documents[0])), ("examined_employee", employee)]
}

/// A shift of an employee, and a sync of the pay period.
async fn time_sheets(company: &Company, employee: &str, schedule: &str) -> [(&'static str, String); 2] {
    let shift = json!({ "entity_uuid": employee, "entity_type": "Employee", "time_zone": "America/Chicago",
                        "shift_started_at": "2026-06-15T09:00:00-05:00", "shift_ended_at": "2026-06-15T17:00:00-05:00",
                        "entries": [{ "hours_worked": "8" }] });
    let path = "/v1/companies/{company}/time_tracking";
    let sheet = company.post(format!("{path}/time_sheets"), shift).await.created();
    let period = json!({ "kind": "regular", "pay_schedule_uuid": schedule, "pay_period_start_date": "2026-06-08",
                         "pay_period_end_date": "2026-06-21" });
    let sync = company.post(format!("{path}/payroll_syncs"), period).await.is(202).json();
    [("time_sheet_uuid", id_of(&sheet)), ("payroll_sync_uuid", id_of(&sync))]
}

/// A batch of people, and a digest of payroll.
async fn batches(company: &Company) -> [(&'static str, String); 2] {
    let person = json!({ "external_id": "hr-1", "first_name": "Bea", "last_name": "Ward" });
    let batch = json!({ "idempotency_key": "0f7c2f9e-2f0e-4b63-9d0a-5f3f1a6f7e09", "batch_action": "create",
                        "batch": [{ "entity_type": "employee", "person": person }] });
    let batch = company.post("/v1/companies/{company}/people_batches", batch).await.created();
    let digest = json!({ "idempotency_key": "first", "batch_action": "create",
                         "batch": [{ "entity_type": "company", "uuid": company.id }] });
    let digest = company.post("/v1/payroll_digests", digest).await.created();
    [("people_batch_uuid", id_of(&batch)), ("payroll_digest_uuid", id_of(&digest))]
}

/// Somebody who left before the company came to the service.
async fn historical(company: &Company, location: &str) -> String {
    let left = json!({ "first_name": "Henry", "last_name": "Stone", "date_of_birth": "1979-11-02", "ssn": "412551018",
                       "work_address": { "location_uuid": location }, "home_address": home(),
                       "job": { "hire_date": "2025-05-01" }, "termination": { "effective_date": "2026-02-27" } });
    id_of(&company.post("/v1/companies/{company}/historical_employees", left).await.created())
}

/// Form W-4 of an employee, and what the right to work rests on.
async fn certificates(company: &Company, employee: &str) {
    let federal = format!("/v1/employees/{employee}/federal_taxes");
    let w4 = json!({ "version": company.get(&federal).await.ok()["version"], "w4_data_type": "rev_2020_w4",
                     "filing_status": "Married" });
    company.put(&federal, w4).await.ok();
    let may_work = json!({ "authorization_status": "noncitizen" });
    company.put(format!("/v1/employees/{employee}/i9_authorization"), may_work).await.ok();
}

/// A wire that the company has sent for a payroll, as it is asked for where the operator has it so.
async fn wire(company: &Company, payroll: uuid::Uuid) -> String {
    let id = company.id;
    let asked = company.world.app.store.write(move |tx| {
        let until = tx.now() + jiff::Span::new().hours(48);
        wires::ask(tx, id, payroll, (250_000, until))?;
        wires::of_payroll(tx, id, payroll)
    });
    let asked = asked.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
    let wire = asked.unwrap().id.to_string();
    let sent =
        json!({ "date_sent": "2026-06-15", "bank_name": "First Example Bank", "amount_sent": "2500.00" });
    company.put(format!("/v1/wire_in_requests/{wire}"), sent).await.ok();
    wire
}

/// Somebody whose wages of the year before call for Roth catch-up contributions.
async fn high_earner(company: &Company, employee: &str) {
    let earns = json!({ "effective_year": 2026, "is_high_earner": true });
    company.post(format!("/v1/employees/{employee}/section603_high_earner_statuses"), earns).await.created();
}

/// A payment that is held, as there was no account for it when the others of its payroll went, and a correction of the account
/// that its bank asks for.
async fn held_payment(
    company: &Company,
    [employee, account]: [uuid::Uuid; 2],
) -> [(&'static str, String); 2] {
    let id = company.id;
    let made = company.world.app.store.write(move |tx| {
        let payroll = tx.new_id();
        rows::guard(tx, id, payroll)?;
        let of_payroll = (payroll, jiff::civil::date(2026, 6, 18));
        let batch = Batch { state: BatchState::Filed, ..prepare::new_batch(tx, of_payroll, rows::Kind::Pay) };
        batch.insert(tx, id)?;
        let held = Entry {
            employee: Some(employee),
            account: Some(account),
            receiver: "E-1".to_owned(),
            ..prepare::new_entry(tx, &batch, 120_000, "Ana Silva")
        };
        held.insert(tx, id)?;
        tx.guard(id, "employee", employee)?;
        let wanted = ach::back::Correction { account: Some("7770001234".to_owned()), ..Default::default() };
        corrections::note(tx, id, &held, ("C01", &wanted))?;
        Ok::<_, domain::Error>((held.id, corrections::open(tx, id)?.remove(0).id))
    });
    let (entry, correction) = made.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
    [("ach_transaction_uuid", entry.to_string()), ("account_correction_uuid", correction.to_string())]
}

/// A debit of the company that came back. Its credits wait for wires, so that this keeps no payroll up.
async fn returned_debit(company: &Company, account: uuid::Uuid) -> (&'static str, String) {
    let id = company.id;
    let made = company.world.app.store.write(move |tx| {
        let caller = Caller::operator(id, jiff::tz::TimeZone::UTC);
        funding::put(tx, &caller, Funding { mode: Mode::Wire, days: 0 })?;
        let (payroll, day) = (tx.new_id(), jiff::civil::date(2026, 6, 11));
        rows::guard(tx, id, payroll)?;
        let fresh = prepare::new_batch(tx, (payroll, day), rows::Kind::Debit);
        let debit =
            Batch { state: BatchState::Filed, effective: Some(day), cents: 240_000, entries: 1, ..fresh };
        debit.insert(tx, id)?;
        let entry = prepare::new_entry(tx, &debit, 240_000, "Blue Heron");
        let (place, code) = (Some(1), Some("R01".to_owned()));
        let mut entry = Entry { account: Some(account), place, state: EntryState::Returned, code, ..entry };
        entry.seal(tx, id, ("021001208", "90126600417"), None)?;
        entry.insert(tx, id)?;
        recovery::returned(tx, &caller, &debit, "R01")?;
        cases::of_payroll(tx, id, payroll)
    });
    let case = made.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
    ("recovery_case_uuid", case.unwrap().id.to_string())
}

/// Has a bank take what waits for a file.
async fn file_all(company: &Company) {
    let id = company.id;
    let done = company.world.app.store.write(move |tx| {
        for case in cases::pending(tx, id)? {
            rows::guard(tx, id, case.payroll)?;
            for batch in rows::of_payroll(tx, id, case.payroll)? {
                Batch { state: BatchState::Filed, ..batch }.update(tx, id)?;
            }
        }
        Ok(())
    });
    done.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
}

/// Time sheets, batches, and employees who wait for a review or left before the service came.
async fn people_and_hours(
    company: &Company,
    ids: &BTreeMap<&'static str, String>,
) -> BTreeMap<&'static str, String> {
    let mut more = BTreeMap::new();
    more.extend(time_sheets(company, &ids["employee_id"], &ids["pay_schedule_id"]).await);
    more.extend(batches(company).await);
    more.insert("notification_uuid", waiting(company).await);
    more.insert("company_attachment_uuid", id_of(&company.attach("notice.pdf", b"%PDF-1.7").await.created()));
    more.insert("historical_employee_uuid", historical(company, &ids["location_id"]).await);
    more
}

/// A company with one record of every kind that a path or a body can name; each can be updated and deleted.
pub struct Target {
    pub company: Company,
    ids: BTreeMap<&'static str, String>,
    /// the company's bank account that is to be deleted
    account: Mutex<Option<String>>,
}

impl Target {
    pub async fn of(company: Company) -> Self {
        // Lists of an application hold only what is this target's.
        let company = company.for_another_application().await;
        let location = company.location("TX").await;
        let (employee, work, lives) = self_onboarding(&company, &id_of(&location)).await;
        let barista = company.job(&employee, "Barista", "2026-07-01").await;
        company.pay(&barista, "19.50", "Hour", "Nonexempt").await;
        let waiter = company.job(&employee, "Waiter", "2026-07-01").await;
        company.pay(&waiter, "18.00", "Hour", "Nonexempt").await;
        let raise = json!({ "rate": "19.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2027-01-01" });
        let raise = company.post(format!("/v1/jobs/{}/compensations", id_of(&waiter)), raise).await.created();
        let account = json!({ "name": "Household", "routing_number": "021001208", "account_number": "90126600417", "account_type": "Checking" });
        let account =
            company.post(format!("/v1/employees/{employee}/bank_accounts"), account).await.created();
        certificates(&company, &employee).await;
        let forms = company.get(format!("/v1/employees/{employee}/forms")).await.list();
        let form = forms.iter().find(|form| form["name"] == "US_W-4").unwrap();
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        let schedule = company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let (offered, enrolled) = savings_plan(&company, &employee).await;
        let support = support_order(&company, &employee).await;
        high_earner(&company, &employee).await;
        let estimate = open_estimate(&company).await;
        let people = leavers(&company, &id_of(&location)).await;
        // No payroll that is to be cancelled may be rested on: this one comes first.
        let booked = books(&company, &id_of(&location)).await;
        let mut ids = payrolls(&company, &id_of(&location)).await;
        ids.extend([
            ("benefit_id", "5".to_owned()),
            ("effective_year", "2026".to_owned()),
            ("company_benefit_id", id_of(&offered)),
            ("employee_benefit_id", id_of(&enrolled)),
            ("garnishment_id", id_of(&support)),
            ("client_id", company.world.application.to_string()),
            ("client_secret", company.world.client_secret.clone()),
            ("pay_schedule_id", id_of(&schedule)),
            ("form_id", id_of(form)),
            ("salary_estimate_id", id_of(&estimate)),
            ("employee_uuid", employee.clone()),
            ("bank_account_uuid", id_of(&account)),
            ("company_id", company.id.to_string()),
            ("company_uuid", company.id.to_string()),
            ("location_id", id_of(&location)),
            ("location_uuid", id_of(&location)),
            ("employee_id", employee),
            ("home_address_uuid", id_of(&lives)),
            ("work_address_uuid", id_of(&work)),
            ("job_id", id_of(&waiter)),
            ("compensation_id", id_of(&raise)),
        ]);
        ids.extend(people);
        ids.extend(webhook(&company, &id_of(&location)).await);
        ids.extend(company.set_up().await.ids());
        let link = json!({ "flow_type": "deductions", "entity_type": "Employee", "entity_uuid": ids["employee_id"] });
        ids.insert("flow_uuid", id_of(&company.post("/v1/companies/{company}/flows", link).await.created()));
        ids.extend(extra_pay(&company, &ids["employee_id"]).await);
        ids.insert("external_payroll_id", external_payroll(&company, &ids["employee_id"]).await);
        company.post("/v1/companies/{company}/holiday_pay_policy", json!({})).await.ok();
        let kitchen = company.post("/v1/companies/{company}/departments", json!({ "title": "Bar" })).await;
        ids.insert("department_uuid", id_of(&kitchen.created()));
        ids.insert("wire_in_request_uuid", wire(&company, ids["payroll_id"].parse().unwrap()).await);
        let of_payment = ["employee_id", "bank_account_uuid"].map(|key| ids[key].parse().unwrap());
        ids.extend(held_payment(&company, of_payment).await);
        ids.extend([returned_debit(&company, ids["company_bank_account_uuid"].parse().unwrap()).await]);
        ids.extend(booked);
        ids.extend(time_off(&company, &ids["employee_id"]).await);
        ids.extend(may_work(&company).await);
        ids.extend(people_and_hours(&company, &ids).await);
        Self { company, ids, account: Mutex::default() }
    }

    /// The record that a parameter names.
    pub fn id(&self, parameter: &str) -> &str {
        self.ids
            .get(parameter)
            .unwrap_or_else(|| panic!("tests/api/support/calls.rs does not know {parameter}"))
    }

    /// The path of an operation on these records.
    pub fn path(&self, operation: &Operation) -> String {
        // Not every payroll can be submitted, or taken back, or explained.
        let other = match operation.route.rsplit('/').next() {
            Some("prepare") => "fresh_payroll",
            Some("submit") => "calculated_payroll",
            Some("general_ledger" | "printable_payroll_checks") => "checked_payroll",
            Some("cancel" | "explain" | "pay_stub" | "receipt" | "calculate_accruing_time_off_hours") => {
                "processed_payroll"
            }
            _ => "payroll_id",
        };
        self.path_with(operation, &|parameter| match parameter {
            "payroll_id" => self.id(other).to_owned(),
            "employee_id" if operation.route.contains("/i9_authorization/") => {
                self.id("examined_employee").to_owned()
            }
            "employee_id" if operation.route.contains("payroll_id") => {
                self.id("processed_employee").to_owned()
            }
            "employee_id" if operation.route.contains("terminations") && operation.method != "POST" => {
                self.id("leaving_employee").to_owned()
            }
            "employee_id" if operation.route.ends_with("/rehire") => {
                let who = if operation.method == "POST" { "former_employee" } else { "returning_employee" };
                self.id(who).to_owned()
            }
            "request_uuid" if operation.route.contains("/generated_documents/") => {
                self.id("document_request").to_owned()
            }
            // A policy stays in force while requests for its hours are pending.
            "time_off_policy_uuid"
                if ["/deactivate", "/remove_employees"].iter().any(|end| operation.route.ends_with(end)) =>
            {
                self.id("other_policy").to_owned()
            }
            "time_off_request_uuid" if operation.route.ends_with("/approve") => {
                self.id("request_to_approve").to_owned()
            }
            "time_off_request_uuid" if operation.route.ends_with("/decline") => {
                self.id("request_to_decline").to_owned()
            }
            "company_bank_account_uuid" if operation.method == "DELETE" => {
                let added = self.account.lock().unwrap().clone();
                added.unwrap_or_else(|| self.id(parameter).to_owned())
            }
            parameter => self.id(parameter).to_owned(),
        })
    }

    /// Adds the bank account that is to be deleted, once nothing is to be paid from the one before.
    async fn add_account(&self) {
        let open = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&payroll_types=regular,off_cycle";
        for payroll in self.company.get(open).await.list() {
            let id = super::text(&payroll, "payroll_uuid").parse().unwrap();
            let done = processing::process(&self.company.world.app.store, self.company.id, id).await;
            done.unwrap_or_else(|error| panic!("{error:?}"));
        }
        file_all(&self.company).await;
        let account = self.company.bank_account("90126600427").await;
        *self.account.lock().unwrap() = Some(id_of(&account));
    }

    pub fn path_with(&self, operation: &Operation, id: &dyn Fn(&str) -> String) -> String {
        let parameters = operation.path_parameters();
        let fill = |path: String, name: &&str| path.replace(&format!("{{{name}}}"), &id(name));
        let query = query_of(&operation.method, &operation.route).replace("{version}", NO_VERSION);
        parameters.iter().fold(operation.route.clone(), fill) + &query
    }

    /// The identifiers that the operation's body holds.
    pub fn ids_in_body(&self, operation: &Operation) -> Vec<&'static str> {
        let made =
            |name: &&str| !name.ends_with("version") && *name != "plan_hash" && !name.ends_with("_deposit");
        parameters_of(operation.body).into_iter().filter(made).collect()
    }

    /// A right body, with the record's present version.
    pub async fn body(&self, operation: &Operation) -> Value {
        self.body_with(operation, &|parameter| self.id(parameter).to_owned()).await
    }

    pub async fn body_with(&self, operation: &Operation, id: &dyn Fn(&str) -> String) -> Value {
        let mut body = operation.body.to_owned();
        for name in parameters_of(operation.body) {
            let value = match name {
                "input_version" => {
                    let paid = self.company.get(self.path(operation)).await.ok();
                    super::text(&paid["employee_compensations"][0], "version")
                }
                "version" => self.version(operation).await,
                "plan_hash" => self.plan_hash(operation).await,
                name => id(name),
            };
            body = body.replace(&format!("{{{name}}}"), &value);
        }
        if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() }
    }

    /// The hash of the plan that the operation carries out.
    async fn plan_hash(&self, operation: &Operation) -> String {
        let mut body = operation.body.to_owned();
        for name in self.ids_in_body(operation) {
            body = body.replace(&format!("{{{name}}}"), self.id(name));
        }
        let plan = self.path(operation).replace("/apply", "");
        let planned = self.company.post(plan, serde_json::from_str(&body).unwrap()).await.ok();
        super::text(&planned, "hash")
    }

    /// The version of the record that an operation is about.
    async fn version(&self, operation: &Operation) -> String {
        let path = self.path(operation);
        let path = path.split('?').next().unwrap().to_owned();
        // Who is paid for holidays is a part of the policy, if there is one.
        if let Some((policies, _)) = path.split_once("/holiday_pay_policy") {
            let held = self.company.get(format!("{policies}/holiday_pay_policy")).await;
            return if held.status == 200 { super::text(&held.json(), "version") } else { String::new() };
        }
        // The signatory is read as a list of one.
        if let Some(list) = path.strip_suffix(self.id("signatory_uuid")) {
            let list = self.company.get(list.trim_end_matches('/')).await.list();
            return list.first().map(|one| super::text(one, "version")).unwrap_or_default();
        }
        if path.contains("/historical_employees/") {
            return super::text(
                &self.company.read("employees", self.id("historical_employee_uuid")).await,
                "version",
            );
        }
        // People come into a department, and leave it, by its version.
        let record = path.trim_end_matches("/add").trim_end_matches("/remove");
        let record = record.trim_end_matches("/approve").trim_end_matches("/reject");
        super::text(&self.company.get(record).await.ok(), "version")
    }

    /// Makes room for what an operation adds where there is room for one, and a connection where one is ended.
    pub async fn prepare(&self, operation: &Operation) {
        // The application of these records is connected to the company by a token of its own.
        if ["/disassociate", "/disconnect_app_integration"].iter().any(|end| operation.route.ends_with(end)) {
            let (application, company) = (self.company.application, Some(self.company.id));
            self.company.world.token(Kind::Company, application, company, "public", None).await;
        }
        if operation.method == "DELETE" && operation.route.contains("{company_bank_account_uuid}") {
            self.add_account().await;
        }
        // A debit is presented again to an account that is verified.
        if operation.route.ends_with("/redebit") {
            let account = self.id("company_bank_account_uuid");
            let held = self.company.get("/v1/companies/{company}/bank_accounts").await.list();
            if held.iter().any(|one| one["uuid"] == account && one["verification_status"] != "verified") {
                let (first, second) = self.company.test_deposits(account).await;
                self.company.verify(account, (&first, &second)).await.is(200);
            }
        }
        // A company that is suspended is not suspended once more.
        if operation.route.ends_with("/suspend")
            || operation.name() == "POST /v1/companies/{company_uuid}/suspensions"
        {
            self.company.put("/v1/companies/{company}/reinstate", json!({})).await.ok();
        }
        if operation.route.contains("/holiday_pay_policy") && operation.method != "GET" {
            let policy = "/v1/companies/{company}/holiday_pay_policy";
            let held = self.company.get(policy).await.status == 200;
            match (operation.method == "POST", held) {
                (true, true) => self.company.delete(policy).await.deleted(),
                (false, false) => drop(self.company.post(policy, json!({})).await.ok()),
                _ => {}
            }
        }
        let signatories = "/v1/companies/{company}/signatories";
        if operation.method == "POST" && operation.route.contains("/signatories") {
            for held in self.company.get(signatories).await.list() {
                self.company.delete(format!("{signatories}/{}", super::id_of(&held))).await.is(204);
            }
        }
    }

    /// A right call, without a token.
    pub async fn call(&self, operation: &Operation) -> Call {
        let mut path = self.path(operation);
        if path.ends_with(&format!("version={NO_VERSION}")) {
            let record = path.split('?').next().unwrap().to_owned();
            let held = self.company.get(&record).await;
            // One that was deleted before has none.
            if held.status == 200 {
                path = path.replace(NO_VERSION, &super::text(&held.json(), "version"));
            }
        }
        let call = self.company.world.call(&operation.method, path);
        self.with_body(call, operation).await
    }

    /// A call with what the operation takes.
    pub async fn with_body(&self, call: Call, operation: &Operation) -> Call {
        match operation.form {
            [] if operation.takes_json() => call.json(&self.body(operation).await),
            [] => call,
            form => call.form(
                form.iter()
                    .map(|part| (part.name.as_str(), part.file_name.as_deref(), part.content.as_bytes())),
            ),
        }
    }

    /// The token that an operation takes.
    pub fn token(&self, operation: &Operation) -> &str {
        if operation.is_for_applications() { &self.company.system_token } else { &self.company.token }
    }

    /// A right call with the right token.
    pub async fn send(&self, operation: &Operation) -> Answer {
        self.prepare(operation).await;
        self.call(operation).await.bearer(self.token(operation)).send().await
    }

    /// How many entries of the audit log and how many events tell of what has changed.
    pub async fn changes_told(&self) -> (usize, usize) {
        (self.company.audit().await.len(), self.company.count_events().await)
    }

    /// Everything that can be read of the company, byte for byte.
    pub async fn all_there_is(&self) -> Vec<String> {
        let mut all = vec![format!("{:?}", self.company.count_events().await)];
        // Each address of a PDF is a new one, each request for a token has it posted, and health is found by the
        // minute.
        let others = ["/pdf", "/download_url", "/request_verification_token", "/health_check"];
        let same = |route: &str| !others.iter().any(|other| route.ends_with(other));
        let told = |o: &&Operation| o.method == "GET" && o.needs_a_token() && same(&o.route);
        for operation in operations().iter().filter(told) {
            let included = operation.query_parameters().iter().any(|(name, _)| name == "include");
            let word = match &operation.route {
                route if route.contains("benefits") => "all_benefits",
                route if route.contains("payrolls") => "totals",
                _ => "all_compensations",
            };
            let path = self.path(operation);
            let path = if included { format!("{path}?include={word}") } else { path };
            all.push(self.company.get(path).await.is(200).text());
        }
        all
    }
}
