//! Records of every kind, for calls to name.

use domain::money::batches::lifecycle;
use std::collections::BTreeMap;

use domain::access::tokens::Caller;
use domain::money::bank::settings::OPERATOR;
use domain::money::deposits::{self, TaxDeposit};
use domain::money::funding::{self, Funding, Mode};
use domain::money::funding::{cases, wires};
use domain::money::ledger::purpose::Subject;
use domain::money::ledger::rows::{self, BankFile, Batch, BatchState, Entry, EntryState, FileState, Heading};
use domain::money::returns::{corrections, recovery};
use domain::people::payment_methods::rows as accounts;
use jiff::civil::date;
use rules::deposits::Form;
use serde_json::{Value, json};

use super::{Company, NOBODY, home, id_of, text};

/// A verified subscription of the application, its token, and an event that is on its way to it.
pub(super) async fn webhook(company: &Company, location: &str) -> [(&'static str, String); 3] {
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
pub(super) async fn support_order(company: &Company, employee: &str) -> Value {
    let support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                          "deduct_as_percentage": true, "pay_period_maximum": "400",
                          "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000",
                                             "case_number": "AL-123" } });
    company.post(format!("/v1/employees/{employee}/garnishments"), support).await.created()
}

/// An estimate that can be changed and accepted, of an owner of its own.
pub(super) async fn open_estimate(company: &Company) -> Value {
    let owner = id_of(&company.employee("Olga").await);
    let estimate = json!({ "zip_code": "78205", "occupations": [
        { "code": "35-1011", "experience_level": "average", "time_percentage": "1" } ] });
    company.post(format!("/v1/employees/{owner}/salary_estimates"), estimate).await.created()
}

/// Payrolls of people who have been onboarded: one that is entered into, one that is not prepared yet, one that is
/// calculated and one that is processed.
pub(super) async fn payrolls(company: &Company, location: &str) -> BTreeMap<&'static str, String> {
    // First of all: a payroll is cancelled before those that it rests on.
    let (disbursed, paula) = disbursed(company, location).await;
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
        ("disbursed_payroll", disbursed),
        ("disbursed_employee", paula),
        ("fresh_payroll", fresh),
        ("payroll_id", payroll),
        ("calculated_payroll", calculated),
        ("processed_payroll", processed),
        ("processed_employee", ivan),
        ("paid_employee", ines),
    ])
}

/// A processed payroll that the partner pays out, and whom it pays.
async fn disbursed(company: &Company, location: &str) -> (String, String) {
    let (paula, _) = company.onboarded("Paula", location, ("20.00", "Hour", "Nonexempt")).await;
    let account = json!({ "name": "Main", "routing_number": "021000021", "account_number": "1111222233", "account_type": "Checking" });
    company.post(format!("/v1/employees/{paula}/bank_accounts"), account).await.created();
    let payroll = company.off_cycle(&[&paula]).await;
    let path = format!("/v1/companies/{{company}}/payrolls/{payroll}");
    let prepared = company.put(format!("{path}/prepare"), json!({})).await.ok();
    let bonus = json!({ "employee_uuid": paula, "version": prepared["employee_compensations"][0]["version"],
                        "fixed_compensations": [{ "name": "Bonus", "amount": "500.00" }] });
    company.put(&path, json!({ "employee_compensations": [bonus] })).await.ok();
    let configs = "/v1/companies/{company}/payment_configs";
    company.put(configs, json!({ "partner_owned_disbursement": true })).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    company.put(configs, json!({ "partner_owned_disbursement": false })).await.ok();
    (payroll, paula)
}

/// Somebody whose employment ends at the end of the year, somebody who has left, and somebody who comes back.
pub(super) async fn leavers(company: &Company, location: &str) -> Vec<(&'static str, String)> {
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
pub(super) async fn self_onboarding(company: &Company, location: &str) -> (String, Value, Value) {
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
    company.post(format!("/v1/employees/{employee}/member_portal_invitations"), json!({})).await.created();
    (employee, work, lives)
}

/// An earning type of the company's own, and what is paid back to an employee with every payroll.
pub(super) async fn extra_pay(company: &Company, employee: &str) -> [(&'static str, String); 2] {
    let gym = json!({ "name": "Gym Membership" });
    let gym = company.post("/v1/companies/{company}/earning_types", gym).await.created();
    let internet = json!({ "description": "Internet", "amount": 40 });
    let path = format!("/v1/employees/{employee}/recurring_reimbursements");
    let internet = company.post(path, internet).await.created();
    [("earning_type_uuid", id_of(&gym)), ("recurring_reimbursement_id", id_of(&internet))]
}

/// A processed payroll that pays somebody by check, what is owed because of it, a report and the checks.
pub(super) async fn books(company: &Company, location: &str) -> Vec<(&'static str, String)> {
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
        ("document_request", text(&printed, "request_uuid")),
        ("request_uuid", text(&report, "request_uuid")),
        ("liability_uuid", id_of(&owed[0])),
        ("report_type", "payroll_journal".to_owned()),
        ("document_type", "printable_payroll_checks".to_owned()),
    ]
}

/// A pay date of another provider, with what it paid an employee and withheld for Medicare.
pub(super) async fn external_payroll(company: &Company, employee: &str) -> String {
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
pub(super) async fn time_off(company: &Company, employee: &str) -> [(&'static str, String); 5] {
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
pub(super) async fn savings_plan(company: &Company, employee: &str) -> (Value, Value) {
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
pub(super) async fn may_work(company: &Company) -> [(&'static str, String); 2] {
    let employee = company.signed_i9("Vera").await;
    let passport = json!({ "documents": [{ "document_type": "us_passport", "document_title": "U.S. Passport",
                                           "document_number": "X1234567", "expiration_date": "2030-01-31",
                                           "issuing_authority": "U.S. Department of State" }] });
    let path = format!("/v1/employees/{employee}/i9_authorization/documents");
    let documents = company.put(path, passport).await.created().as_array().unwrap().clone();
    [("document_id", id_of(&documents[0])), ("examined_employee", employee)]
}

/// A shift of an employee, and a sync of the pay period.
async fn time_sheets(company: &Company, employee: &str, schedule: &str) -> [(&'static str, String); 3] {
    let shift = json!({ "entity_uuid": employee, "entity_type": "Employee", "time_zone": "America/Chicago",
                        "shift_started_at": "2026-06-15T09:00:00-05:00", "shift_ended_at": "2026-06-15T17:00:00-05:00",
                        "entries": [{ "hours_worked": "8" }] });
    let path = "/v1/companies/{company}/time_tracking";
    let sheet = company.post(format!("{path}/time_sheets"), shift).await.created();
    let batch = json!({ "idempotency_key": "first", "batch": [{
        "external_id": "a", "entity_uuid": employee, "entity_type": "Employee", "time_zone": "America/Chicago",
        "shift_started_at": "2026-06-12T09:00:00-05:00", "shift_ended_at": "2026-06-12T17:00:00-05:00" }] });
    let batch = company.post(format!("{path}/time_sheets_batches"), batch).await.created();
    let period = json!({ "kind": "regular", "pay_schedule_uuid": schedule, "pay_period_start_date": "2026-06-08",
                         "pay_period_end_date": "2026-06-21" });
    let sync = company.post(format!("{path}/payroll_syncs"), period).await.is(202).json();
    [
        ("time_sheet_uuid", id_of(&sheet)),
        ("time_sheets_batch_uuid", id_of(&batch)),
        ("payroll_sync_uuid", id_of(&sync)),
    ]
}

/// A batch of people, a digest of payroll, a batch of payrolls, and reports in bulk.
async fn batches(company: &Company) -> [(&'static str, String); 4] {
    let person = json!({ "external_id": "hr-1", "first_name": "Bea", "last_name": "Ward" });
    let batch = json!({ "idempotency_key": "0f7c2f9e-2f0e-4b63-9d0a-5f3f1a6f7e09", "batch_action": "create",
                        "batch": [{ "entity_type": "employee", "person": person }] });
    let batch = company.post("/v1/companies/{company}/people_batches", batch).await.created();
    company.hold_a_token().await;
    let digest = json!({ "idempotency_key": "first", "batch_action": "create",
                         "batch": [{ "entity_type": "company", "uuid": company.id }] });
    let digest = company.post("/v1/payroll_digests", digest).await.created();
    let cancelled = json!({ "idempotency_key": "first", "batch_action": "cancel",
                            "batch": [{ "entity_type": "payroll", "uuid": NOBODY, "company_uuid": company.id }] });
    let cancelled = company.post("/v1/payroll_batches", cancelled).await.created();
    let report = json!({ "batch": [{ "company_uuid": company.id, "report_type": "custom_report",
                                     "columns": ["net_pay"], "file_type": "csv" }] });
    let report = company.post("/v1/bulk_reports", report).await.created();
    [
        ("people_batch_uuid", id_of(&batch)),
        ("payroll_digest_uuid", id_of(&digest)),
        ("payroll_batch_uuid", id_of(&cancelled)),
        ("bulk_report_uuid", id_of(&report)),
    ]
}

/// Somebody who left before the company came to the service.
async fn historical(company: &Company, location: &str) -> String {
    let left = json!({ "first_name": "Henry", "last_name": "Stone", "date_of_birth": "1979-11-02", "ssn": "412551018",
                       "work_address": { "location_uuid": location }, "home_address": home(),
                       "job": { "hire_date": "2025-05-01" }, "termination": { "effective_date": "2026-02-27" } });
    id_of(&company.post("/v1/companies/{company}/historical_employees", left).await.created())
}

/// Form W-4 of an employee, and what the right to work rests on.
pub(super) async fn certificates(company: &Company, employee: &str) {
    let federal = format!("/v1/employees/{employee}/federal_taxes");
    let w4 = json!({ "version": company.get(&federal).await.ok()["version"], "w4_data_type": "rev_2020_w4",
                     "filing_status": "Married" });
    company.put(&federal, w4).await.ok();
    let may_work = json!({ "authorization_status": "noncitizen" });
    company.put(format!("/v1/employees/{employee}/i9_authorization"), may_work).await.ok();
}

/// A wire that the company has sent for a payroll, as it is asked for where the operator has it so.
pub(super) async fn wire(company: &Company, payroll: uuid::Uuid) -> String {
    let id = company.id;
    let asked = company.world.app.store.write(move |tx| {
        let until = tx.now() + jiff::Span::new().hours(48);
        wires::request_wire(tx, id, Subject::of_payroll(payroll, date(2026, 6, 26)), (250_000, until))?;
        wires::of_payroll(tx, id, payroll)
    });
    let asked = asked.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
    let wire = asked.unwrap().id.to_string();
    let sent =
        json!({ "date_sent": "2026-06-15", "bank_name": "First Example Bank", "amount_sent": "2500.00" });
    company.put(format!("/v1/wire_in_requests/{wire}"), sent).await.ok();
    wire
}

/// A deposit of taxes that the bank has.
pub(super) async fn tax_payment(company: &Company) -> String {
    let id = company.id;
    let made = company.world.app.store.write(move |tx| {
        let deposit = TaxDeposit {
            id: tx.new_id(),
            authority: "US".to_owned(),
            form: Form::F941,
            first_day: date(2026, 6, 5),
            last_day: date(2026, 6, 5),
            period_end: date(2026, 6, 30),
            due: date(2026, 6, 10),
            next_day: false,
            state: deposits::DepositState::Sent,
            reason: None,
            amounts: Vec::new(),
            cents: 123_456,
            batch: None,
            debit: None,
            settles_on: Some(date(2026, 6, 10)),
            version: 1,
        };
        deposit.insert(tx, id)?;
        Ok::<_, domain::Error>(deposit.id)
    });
    made.await.unwrap_or_else(|error| panic!("{error:?}")).to_string()
}

/// Somebody whose wages of the year before call for Roth catch-up contributions.
pub(super) async fn high_earner(company: &Company, employee: &str) {
    let earns = json!({ "effective_year": 2026, "is_high_earner": true });
    company.post(format!("/v1/employees/{employee}/section603_high_earner_statuses"), earns).await.created();
}

/// A payment that is held, as there was no account for it when the others of its payroll went, and a correction of the account
/// that its bank asks for.
pub(super) async fn held_payment(
    company: &Company,
    [employee, account]: [uuid::Uuid; 2],
) -> [(&'static str, String); 2] {
    let id = company.id;
    let made = company.world.app.store.write(move |tx| {
        let payroll = tx.new_id();
        rows::lock_payroll_batches(tx, id, payroll)?;
        // Its employer is debited, however later payrolls are paid for.
        tx.take_guard(id, "payrolls", payroll)?;
        funding::keep_for_payroll(tx, id, payroll)?;
        let of_payroll = Subject::of_payroll(payroll, jiff::civil::date(2026, 6, 18));
        let batch =
            Batch { state: BatchState::Filed, ..lifecycle::new_batch(tx, of_payroll, rows::BatchKind::Pay) };
        batch.insert(tx, id)?;
        let mut held = Entry {
            employee: Some(employee),
            account: Some(account),
            receiver: "E-1".to_owned(),
            ..lifecycle::new_entry(tx, &batch, 120_000, "Ana Silva")
        };
        let of = accounts::find_account(tx, id, account)?.ok_or(domain::Error::NotFound)?;
        let (routing, number) = (of.routing_number(tx, id)?, of.account_number(tx, id)?);
        held.seal_fields(tx, id, (&routing, &number), None)?;
        held.insert(tx, id)?;
        tx.take_guard(id, "employee", employee)?;
        let wanted = ach::back::Correction { account: Some("7770001234".to_owned()), ..Default::default() };
        corrections::record_correction(tx, id, &held, ("C01", &wanted))?;
        Ok::<_, domain::Error>((held.id, corrections::open_corrections(tx, id)?.remove(0).id))
    });
    let (entry, correction) = made.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
    [("ach_transaction_uuid", entry.to_string()), ("account_correction_uuid", correction.to_string())]
}

/// A payment that the bank has.
pub(super) async fn sent_payment(company: &Company, [employee, account]: [uuid::Uuid; 2]) -> String {
    let id = company.id;
    let made = company.world.app.store.write(move |tx| {
        let (payroll, day) = (tx.new_id(), date(2026, 6, 18));
        rows::lock_payroll_batches(tx, id, payroll)?;
        tx.take_guard(id, "payrolls", payroll)?;
        funding::keep_for_payroll(tx, id, payroll)?;
        let heading = Heading {
            bank_routing: "091000019".to_owned(),
            bank_name: "FIRST EXAMPLE BANK".to_owned(),
            origin: " 091000019".to_owned(),
            origin_name: "STIPEND".to_owned(),
            company_id: "1999999999".to_owned(),
            company_name: None,
        };
        let file = BankFile {
            id: tx.new_id(),
            name: "2026-06-16-A".to_owned(),
            day: date(2026, 6, 16),
            modifier: "A".to_owned(),
            header: heading,
            made: tx.now(),
            batches: 1,
            entries: 1,
            debits: 0,
            credits: 120_000,
            first_trace: 0,
            place: 0,
            digest: "0".repeat(64),
            state: FileState::Written,
            folder: None,
            attempt: None,
            written_at: Some(tx.now()),
            pickup: None,
            pickup_note: None,
            version: 1,
        };
        tx.take_guard(OPERATOR, BankFile::TABLE, OPERATOR)?;
        file.insert(tx, OPERATOR)?;
        let fresh = lifecycle::new_batch(tx, Subject::of_payroll(payroll, day), rows::BatchKind::Pay);
        let (file, number, first_trace) = (Some(file.id), Some(1), Some(0));
        let effective = Some(day);
        let batch =
            Batch { state: BatchState::Filed, effective, file, number, first_trace, entries: 1, ..fresh };
        let batch = Batch { cents: 120_000, largest: 120_000, ..batch };
        batch.insert(tx, id)?;
        let entry = lifecycle::new_entry(tx, &batch, 120_000, "Ana Silva");
        let (place, state) = (Some(1), EntryState::Sent);
        let mut sent = Entry { employee: Some(employee), account: Some(account), place, state, ..entry };
        sent.seal_fields(tx, id, ("021000021", "1111222233"), None)?;
        sent.insert(tx, id)?;
        Ok::<_, domain::Error>(sent.id)
    });
    made.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}")).to_string()
}

/// A debit of the company that came back. Its credits wait for wires, so that this keeps no payroll up.
pub(super) async fn returned_debit(company: &Company, account: uuid::Uuid) -> (&'static str, String) {
    let id = company.id;
    let made = company.world.app.store.write(move |tx| {
        let caller = Caller::for_operator(id, jiff::tz::TimeZone::UTC);
        funding::store_funding(tx, &caller, Funding { mode: Mode::Wire, days: 0 })?;
        let (payroll, day) = (tx.new_id(), jiff::civil::date(2026, 6, 11));
        rows::lock_payroll_batches(tx, id, payroll)?;
        let fresh = lifecycle::new_batch(tx, Subject::of_payroll(payroll, day), rows::BatchKind::Debit);
        let debit =
            Batch { state: BatchState::Filed, effective: Some(day), cents: 240_000, entries: 1, ..fresh };
        debit.insert(tx, id)?;
        let entry = lifecycle::new_entry(tx, &debit, 240_000, "Blue Heron");
        let (place, code) = (Some(1), Some("R01".to_owned()));
        let mut entry = Entry { account: Some(account), place, state: EntryState::Returned, code, ..entry };
        entry.seal_fields(tx, id, ("021001208", "90126600417"), None)?;
        entry.insert(tx, id)?;
        recovery::open_case(tx, &caller, &debit, "R01")?;
        cases::of_payroll(tx, id, payroll)
    });
    let case = made.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
    ("recovery_case_uuid", case.unwrap().id.to_string())
}

/// Has a bank take what waits for a file.
pub(super) async fn file_all(company: &Company) {
    let id = company.id;
    let done = company.world.app.store.write(move |tx| {
        for case in cases::pending_cases(tx, id)? {
            rows::lock_payroll_batches(tx, id, case.payroll)?;
            for batch in rows::of_payroll(tx, id, case.payroll)? {
                Batch { state: BatchState::Filed, ..batch }.update(tx, id)?;
            }
        }
        for one in rows::ready_batches(tx, 1_000)?.into_iter().filter(|one| one.company == id) {
            rows::lock_payroll_batches(tx, id, one.batch.payroll)?;
            Batch { state: BatchState::Filed, ..one.batch }.update(tx, id)?;
        }
        Ok(())
    });
    done.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
}

/// Time sheets, batches, and employees who wait for a review or left before the service came.
pub(super) async fn people_and_hours(
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
