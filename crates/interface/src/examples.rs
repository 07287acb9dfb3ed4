//! How each operation is called: `tests/examples/calls.json`, from which the tests call all of them and `/docs` shows
//! examples, and `answers.json` beside it, the responses that the tests received.
//!
//! An example is a script of a few requests. An identifier in an operation's path or body (`{garnishment_id}`) comes
//! from the demo world if it has one, and otherwise from the response to an earlier request; [`value_source`] says which. A
//! test runs every script in a shell against `stipend dev`.

mod contractors;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::demo::World;

/// A request that succeeds at its position in the list.
#[derive(Debug, Deserialize)]
pub struct Call {
    /// such as `GET`
    pub method: String,
    /// the path, with parameters in braces
    pub route: String,
    /// status of success
    pub status: u16,
    /// `{…}` stands for an identifier, `{version}` for the version of the record that the path names; may be empty
    #[serde(default)]
    pub body: String,
    /// the form sent instead of a body; may be empty
    #[serde(default)]
    pub form: Vec<FormPart>,
    /// the operation that makes what this one finds, where no identifier names it
    #[serde(default)]
    pub after: Option<String>,
}

/// A part of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormPart {
    /// its name
    pub name: String,
    /// the name of the file that it is; none for text
    pub file_name: Option<String>,
    /// the text, or what the file holds
    pub content: String,
}

/// The content of `tests/examples/calls.json`.
#[derive(Deserialize)]
struct Examples {
    calls: Vec<Call>,
    demo_bodies: BTreeMap<String, String>,
    not_alone: BTreeMap<String, String>,
}

static EXAMPLES: LazyLock<Examples> = LazyLock::new(|| {
    let text = include_str!("../../../tests/examples/calls.json");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("calls.json: {error}"))
});

/// Every operation once, in an order in which all of them can be called: payrolls come first, because the company later
/// pays only contractors, and revoking the application's tokens comes last.
pub fn example_calls() -> &'static [Call] {
    &EXAMPLES.calls
}

/// The required query string of an operation.
pub fn query_of(method: &str, route: &str) -> &'static str {
    match route {
        "/v1/time_tracking/time_sheets/{time_sheet_uuid}" if method == "DELETE" => "?version={version}",
        "/v1/companies/{company_id}/pay_schedules/preview" => {
            "?frequency=Every%20week&anchor_pay_date=2026-06-26&anchor_end_of_pay_period=2026-06-21"
        }
        "/v1/employees/{employee_uuid}/time_off_activities" => "?time_off_type=vacation",
        "/v1/garnishments/{garnishment_id}/explain" | "/v1/employees/{employee_id}/garnishments/preview" => {
            "?gross=2000.00"
        }
        "/v1/companies/{company_id}/contractor_payments" if method == "GET" => "?start_date=2026-01-01",
        "/v1/places" => "?zip=45458",
        "/v1/versions/diff" => "?from=2025-11-15&to=2026-06-15",
        _ => "",
    }
}

/// The names in braces in a path or a body.
pub fn parameters_of(text: &str) -> Vec<&str> {
    let opened = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    opened
        .map(|(name, _)| name)
        .filter(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
        .collect()
}

/// The responses that the tests received, by method and route.
static ANSWERS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let text = include_str!("../../../tests/examples/answers.json");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("answers.json: {error}"))
});

/// The response of an operation.
pub fn example_answer(name: &str) -> Option<&'static Value> {
    ANSWERS.get(name)
}

/// Whether an operation's response is not shown: the process's metrics, and the OpenAPI description.
pub fn answers_without_json(name: &str) -> bool {
    matches!(name, "GET /metrics" | "GET /openapi.json")
}

/// The call of an operation, such as `GET /healthz`.
pub fn example_call(operation: &str) -> &'static Call {
    let named = |call: &&Call| operation.split_once(' ') == Some((&call.method, &call.route));
    example_calls()
        .iter()
        .find(named)
        .unwrap_or_else(|| panic!("calls.json does not say how to call {operation}"))
}

/// The body in the demo world, if it differs from that of the list.
pub fn demo_body(operation: &str) -> Option<&'static str> {
    EXAMPLES.demo_bodies.get(operation).map(String::as_str)
}

/// Why an operation's example cannot run by itself in the demo world, if so.
pub fn not_alone(operation: &str) -> Option<&'static str> {
    EXAMPLES.not_alone.get(operation).map(String::as_str)
}

/// The status of success.
pub fn success_status(name: &str) -> u16 {
    example_call(name).status
}

/// Where a value comes from.
#[derive(Clone, Copy)]
pub enum Source {
    /// the demo world; described in words
    World(&'static str, fn(&World) -> Option<String>),
    /// a field of the response to another request, whose body may differ from that of the table, and which may be
    /// followed by more requests
    Answer {
        /// the call
        call: &'static str,
        /// its body, where it is not the usual one
        body: Option<&'static str>,
        /// the field of its answer
        field: &'static str,
        /// the requests that follow
        then: &'static [Then],
    },
    /// a constant
    Fixed(&'static str),
}

/// An intermediate request: name, and a body other than that of the table.
pub type Then = (&'static str, Option<&'static str>);

const fn from_answer(call: &'static str, field: &'static str) -> Source {
    Source::Answer { call, body: None, field, then: &[] }
}

const fn of_body(call: &'static str, body: &'static str, field: &'static str) -> Source {
    Source::Answer { call, body: Some(body), field, then: &[] }
}

const CITIZEN: &str = r#"{"authorization_status": "citizen"}"#;
const CLOCK: Then = ("POST /v1/test_helpers/clock/advance", Some(r#"{"seconds": 1}"#));
const CALCULATE: Then = ("PUT /v1/companies/{company_id}/payrolls/{payroll_id}/calculate", None);
const SUBMIT: Then = ("PUT /v1/companies/{company_id}/payrolls/{payroll_id}/submit", None);
const NEW_PAYROLL: &str = "POST /v1/companies/{company_id}/payrolls";
const NEW_EMPLOYEE: &str = "POST /v1/companies/{company_id}/employees";
const NEW_JOB: &str = "POST /v1/employees/{employee_id}/jobs";
const NEW_HISTORICAL_EMPLOYEE: &str = "POST /v1/companies/{company_uuid}/historical_employees";
const HIRE: Then = (NEW_JOB, None);
const TERMINATE: Then = ("POST /v1/employees/{employee_id}/terminations", None);
const HAVE_LEFT: Then = (
    "POST /v1/employees/{employee_id}/terminations",
    Some(r#"{"effective_date": "2026-11-10", "run_termination_payroll": false}"#),
);
const REHIRE: Then = ("POST /v1/employees/{employee_id}/rehire", None);
const NEW_TIME_OFF_POLICY: &str = "POST /v1/companies/{company_uuid}/time_off_policies";
const JOIN_POLICY: Then = ("PUT /v1/time_off_policies/{time_off_policy_uuid}/add_employees", None);
const MAY_WORK: Then = ("PUT /v1/employees/{employee_id}/i9_authorization", Some(CITIZEN));
const NEW_HOLIDAY_PAY: &str = "POST /v1/companies/{company_uuid}/holiday_pay_policy";
const HIGH_EARNER: Then = (
    "POST /v1/employees/{employee_uuid}/section603_high_earner_statuses",
    Some(r#"{"effective_year": 2026, "is_high_earner": true}"#),
);
const NEW_EXTERNAL_PAYROLL: &str = "POST /v1/companies/{company_uuid}/external_payrolls";
const FILL_EXTERNAL_PAYROLL: Then =
    ("PUT /v1/companies/{company_uuid}/external_payrolls/{external_payroll_id}", None);
const NEW_TIME_SHEET: &str = "POST /v1/companies/{company_uuid}/time_tracking/time_sheets";
const NEW_COMPANY: &str = "POST /v1/partner_managed_companies";
const PLAN: &str = "POST /v1/employees/{employee_id}/employee_benefits/plan";

/// Where a value of an operation comes from.
pub fn value_source(operation: &str, name: &str) -> Source {
    special_source(operation, name).unwrap_or_else(|| usual_source(name))
}

/// The special sources of an operation.
pub fn special_source(operation: &str, name: &str) -> Option<Source> {
    if operation.contains("/holiday_pay_policy") {
        return of_holiday_pay(operation, name);
    }
    if let Some(source) =
        of_pay_elsewhere(operation, name).or_else(|| contractors::contractor_source(operation, name))
    {
        return Some(source);
    }
    let ends = |end: &str| operation.ends_with(end);
    let of_new_company = concerns_a_new_company(operation);
    Some(match name {
        "company_id" | "company_uuid" if of_new_company => from_answer(NEW_COMPANY, "company_uuid"),
        "token" if of_new_company && !ends("/disassociate") => from_answer(NEW_COMPANY, "access_token"),
        "payroll_id" if ends("/submit") => {
            Source::Answer { call: NEW_PAYROLL, body: None, field: "payroll_uuid", then: &[CALCULATE, CLOCK] }
        }
        "payroll_id"
            if ends("/cancel")
                || ends("/explain")
                || ends("/pay_stub")
                || ends("/receipt")
                || ends("/general_ledger")
                || ends("/printable_payroll_checks") =>
        {
            Source::Answer {
                call: NEW_PAYROLL,
                body: None,
                field: "payroll_uuid",
                then: &[CALCULATE, CLOCK, SUBMIT, CLOCK],
            }
        }
        "employee_id" if operation.contains("{payroll_id}") => usual_source("paid_employee"),
        "employee_id" if operation == "DELETE /v1/jobs/{job_id}" => {
            Source::Answer { call: NEW_EMPLOYEE, body: None, field: "uuid", then: &[(NEW_JOB, None)] }
        }
        "job_id" if operation == "DELETE /v1/jobs/{job_id}" => {
            of_body(NEW_JOB, r#"{"title": "Cashier", "hire_date": "2026-08-01"}"#, "uuid")
        }
        "employee_id"
            if operation == "GET /v1/employees/{employee_id}/i9_authorization"
                || operation.contains("/i9_authorization/") =>
        {
            Source::Answer { call: NEW_EMPLOYEE, body: None, field: "uuid", then: &[MAY_WORK] }
        }
        "employee_id" if operation.contains("/terminations") || ends("/rehire") => Source::Answer {
            call: NEW_EMPLOYEE,
            body: None,
            field: "uuid",
            then: employed_until_now(operation),
        },
        "time_off_policy_uuid"
            if ends("/balance") || ends("/remove_employees") || operation.contains("/time_off/") =>
        {
            Source::Answer { call: NEW_TIME_OFF_POLICY, body: None, field: "uuid", then: &[JOIN_POLICY] }
        }
        "employee_id" if has_an_employee_of_its_own(operation) => from_answer(NEW_EMPLOYEE, "uuid"),
        "employee_uuid" if operation == "PUT /v1/employees/{employee_uuid}/state_taxes" => {
            Source::World("an employee in Texas", |world| {
                Some(world.companies.first()?.employees.first()?.uuid.to_string())
            })
        }
        "request_uuid" if operation.contains("/generated_documents/") => {
            from_answer(PRINT_CHECKS, "request_uuid")
        }
        "version" => return version_of(operation),
        _ => return None,
    })
}

/// The source of a record's version if the record's own operation does not return it.
fn version_of(operation: &str) -> Option<Source> {
    let ends = |end: &str| operation.ends_with(end);
    Some(if operation.contains("/historical_employees/") {
        from_answer(NEW_HISTORICAL_EMPLOYEE, "version")
    } else if ends("{department_uuid}/add") || ends("{department_uuid}/remove") {
        from_answer("POST /v1/companies/{company_uuid}/departments", "version")
    } else if ends("{time_sheet_uuid}/approve") || ends("{time_sheet_uuid}/reject") {
        from_answer(NEW_TIME_SHEET, "version")
    } else if operation.contains("/signatories") {
        from_answer("GET /v1/companies/{company_uuid}/signatories", "version")
    } else {
        return None;
    })
}

/// Whether an operation's example uses its own company, because its effect would spoil the demo company for others.
fn concerns_a_new_company(operation: &str) -> bool {
    let ends = |end: &str| operation.ends_with(end);
    ends("/migrate")
        || ends("terms_of_service")
        || ends("/disassociate")
        || ends("/disconnect_app_integration")
        || ends("/suspend")
        || ends("/reinstate")
        || ends("/suspensions")
        || operation.contains("/earning_types")
        || operation.contains("/signatories")
        || operation.contains("/federal_tax_details")
        || (operation.contains("bank_accounts") && operation.contains("/v1/companies"))
}

/// The sources of an operation on external payrolls or high earners.
fn of_pay_elsewhere(operation: &str, name: &str) -> Option<Source> {
    let ends = |end: &str| operation.ends_with(end);
    Some(match name {
        "company_uuid" if ends("/finish") => Source::Answer {
            call: NEW_COMPANY,
            body: None,
            field: "company_uuid",
            then: &[(NEW_EXTERNAL_PAYROLL, None)],
        },
        "token" if ends("/finish") => from_answer(NEW_COMPANY, "access_token"),
        "external_payroll_id" if ends("/calculate_taxes") => Source::Answer {
            call: NEW_EXTERNAL_PAYROLL,
            body: None,
            field: "uuid",
            then: &[FILL_EXTERNAL_PAYROLL],
        },
        "employee_uuid" if operation.contains("/section603_high_earner_statuses") => Source::Answer {
            call: NEW_EMPLOYEE,
            body: None,
            field: "uuid",
            then: if operation.contains("{effective_year}") { &[HIGH_EARNER] } else { &[] },
        },
        _ => return None,
    })
}

/// The sources of an operation on holiday pay: its own company, because a company has at most one policy.
fn of_holiday_pay(operation: &str, name: &str) -> Option<Source> {
    let needs_one = operation.starts_with("GET") || operation.starts_with("DELETE");
    let then: &[Then] = if needs_one { &[(NEW_HOLIDAY_PAY, None)] } else { &[] };
    match name {
        "company_uuid" => Some(Source::Answer { call: NEW_COMPANY, body: None, field: "company_uuid", then }),
        "token" => Some(from_answer(NEW_COMPANY, "access_token")),
        "version" => Some(from_answer(NEW_HOLIDAY_PAY, "version")),
        _ => None,
    }
}

/// The requests that prepare a new employee for an operation on terminations or rehires.
fn employed_until_now(operation: &str) -> &'static [Then] {
    match operation {
        "POST /v1/employees/{employee_id}/terminations" => &[HIRE],
        "POST /v1/employees/{employee_id}/rehire" => &[HIRE, HAVE_LEFT],
        rehire if rehire.ends_with("/rehire") => &[HIRE, HAVE_LEFT, REHIRE],
        _ => &[HIRE, TERMINATE],
    }
}

/// Whether an example can be repeated only with a new employee: an employee cannot have two jobs with the same title,
/// or two open estimates.
fn has_an_employee_of_its_own(operation: &str) -> bool {
    let reads_a_list = operation.starts_with("GET /v1/employees");
    let of_jobs = ["/jobs", "/v1/compensations", "/salary_estimates"];
    operation == "DELETE /v1/employees/{employee_id}"
        || operation.ends_with("/onboarding_status")
        || operation.ends_with("/i9_authorization")
        || (!reads_a_list && of_jobs.iter().any(|part| operation.contains(part)))
}

/// Where a value comes from.
fn usual_source(name: &str) -> Source {
    if let Some(source) = of_the_demo(name).or_else(|| of_batches(name)) {
        return source;
    }
    match name {
        "request_uuid" => from_answer("POST /v1/companies/{company_uuid}/reports", "request_uuid"),
        "check_number" => from_answer(PRINT_CHECKS, "check_number"),
        "liability_uuid" => from_answer("GET /v1/companies/{company_uuid}/liabilities", "uuid"),
        "job_id" => from_answer("POST /v1/employees/{employee_id}/jobs", "uuid"),
        "compensation_id" => from_answer("POST /v1/jobs/{job_id}/compensations", "uuid"),
        "payroll_id" => from_answer(NEW_PAYROLL, "payroll_uuid"),
        "input_version" => {
            from_answer("PUT /v1/companies/{company_id}/payrolls/{payroll_id}/prepare", "version")
        }
        "company_benefit_id" => from_answer("POST /v1/companies/{company_id}/company_benefits", "uuid"),
        "employee_benefit_id" => from_answer("POST /v1/employees/{employee_id}/employee_benefits", "uuid"),
        "plan_hash" => of_body(
            PLAN,
            r#"{"company_benefit_uuid": "{company_benefit_id}", "timeline": [{"effective_date": "2026-08-01", "expiration_date": "2026-08-31", "employee_deduction": "0.00"}]}"#,
            "hash",
        ),
        "home_address_uuid" => from_answer("POST /v1/employees/{employee_id}/home_addresses", "uuid"),
        "work_address_uuid" => from_answer("POST /v1/employees/{employee_id}/work_addresses", "uuid"),
        "bank_account_uuid" => from_answer("POST /v1/employees/{employee_id}/bank_accounts", "uuid"),
        "earning_type_uuid" => from_answer("POST /v1/companies/{company_id}/earning_types", "uuid"),
        "recurring_reimbursement_id" => {
            from_answer("POST /v1/employees/{employee_id}/recurring_reimbursements", "uuid")
        }
        "external_payroll_id" => from_answer(NEW_EXTERNAL_PAYROLL, "uuid"),
        "department_uuid" => from_answer("POST /v1/companies/{company_uuid}/departments", "uuid"),
        "time_off_policy_uuid" => from_answer(NEW_TIME_OFF_POLICY, "uuid"),
        "time_off_request_uuid" => from_answer("POST /v1/companies/{company_uuid}/time_off/requests", "uuid"),
        "time_sheet_uuid" => from_answer(NEW_TIME_SHEET, "uuid"),
        "company_attachment_uuid" => from_answer("POST /v1/companies/{company_id}/attachments", "uuid"),
        "admin_uuid" => Source::World("an administrator other than the primary one", |_| None),
        "flow_uuid" => from_answer("POST /v1/companies/{company_uuid}/flows", "uuid"),
        "document_id" => from_answer("PUT /v1/employees/{employee_id}/i9_authorization/documents", "uuid"),
        "historical_employee_uuid" => from_answer(NEW_HISTORICAL_EMPLOYEE, "uuid"),
        "form_id" => from_answer("GET /v1/employees/{employee_id}/forms", "uuid"),
        "company_form_id" => from_answer("GET /v1/companies/{company_id}/forms", "uuid"),
        "garnishment_id" => of_body(
            "POST /v1/employees/{employee_id}/garnishments",
            r#"{"court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true, "pay_period_maximum": "400", "child_support": {"state": "AL", "payment_period": "Monthly", "fips_code": "01000", "case_number": "AL-123"}}"#,
            "uuid",
        ),
        "salary_estimate_id" => from_answer("POST /v1/employees/{employee_id}/salary_estimates", "uuid"),
        "signatory_uuid" => from_answer("POST /v1/companies/{company_uuid}/signatories", "uuid"),
        "company_bank_account_uuid" => from_answer("POST /v1/companies/{company_id}/bank_accounts", "uuid"),
        "first_deposit" => from_answer(SEND_DEPOSITS, "deposit_1"),
        "second_deposit" => from_answer(SEND_DEPOSITS, "deposit_2"),
        "webhook_subscription_uuid" => from_answer("POST /v1/webhook_subscriptions", "uuid"),
        "event_uuid" => from_answer("GET /v1/events", "uuid"),
        _ => beyond_the_demo(name),
    }
}

/// The sources of batches, each of its own key.
fn of_batches(name: &str) -> Option<Source> {
    Some(match name {
        "people_batch_uuid" => of_body(
            "POST /v1/companies/{company_id}/people_batches",
            r#"{"idempotency_key": "0f7c2f9e-2f0e-4b63-9d0a-5f3f1a6f7e02", "batch_action": "create", "batch": [{"entity_type": "employee", "person": {"external_id": "hr-205", "first_name": "Pedro", "last_name": "Alvarez", "email": "pedro@people.example", "date_of_birth": "1994-02-11"}, "home_address": {"street_1": "12 Elm Street", "city": "San Antonio", "state": "TX", "zip": "78205"}, "job": {"title": "Cook", "hire_date": "2026-06-15"}, "compensation": {"rate": "21.50", "payment_unit": "Hour", "flsa_status": "Nonexempt"}}]}"#,
            "uuid",
        ),
        "payroll_digest_uuid" => of_body(
            "POST /v1/payroll_digests",
            r#"{"idempotency_key": "tuesday-morning", "batch_action": "create", "batch": [{"entity_type": "company", "uuid": "{company_id}"}]}"#,
            "uuid",
        ),
        "time_sheets_batch_uuid" => of_body(
            "POST /v1/companies/{company_uuid}/time_tracking/time_sheets_batches",
            r#"{"idempotency_key": "tuesday-shifts", "batch": [{"external_id": "shift-2", "entity_uuid": "{employee_uuid}", "entity_type": "Employee", "time_zone": "America/Los_Angeles", "shift_started_at": "2026-06-17T09:00:00-07:00", "shift_ended_at": "2026-06-17T17:00:00-07:00", "entries": [{"hours_worked": "8"}]}]}"#,
            "uuid",
        ),
        "payroll_batch_uuid" => of_body(
            "POST /v1/payroll_batches",
            r#"{"idempotency_key": "tuesday-morning", "batch_action": "cancel", "batch": [{"entity_type": "payroll", "uuid": "{payroll_id}", "company_uuid": "{company_id}"}]}"#,
            "uuid",
        ),
        "bulk_report_uuid" => from_answer("POST /v1/bulk_reports", "uuid"),
        _ => return None,
    })
}

/// What the demo world has, and words of fixed sets.
fn of_the_demo(name: &str) -> Option<Source> {
    Some(match name {
        "company_id" | "company_uuid" => {
            Source::World("a company", |world| Some(world.companies.first()?.uuid.to_string()))
        }
        "location_id" | "location_uuid" => Source::World("a location", |world| {
            Some(world.companies.first()?.locations.first()?.uuid.to_string())
        }),
        "employee_id" | "employee_uuid" => Source::World("an employee", |world| {
            Some(world.companies.first()?.employees.get(4)?.uuid.to_string())
        }),
        "paid_employee" => Source::World("an employee who is onboarded", |world| {
            Some(world.companies.first()?.employees.get(1)?.uuid.to_string())
        }),
        "pay_schedule_id" => Source::World("a pay schedule", |world| {
            Some(world.companies.first()?.pay_schedule_uuid?.to_string())
        }),
        "client_id" => Source::World("the application", |world| Some(world.application.client_id.clone())),
        "client_secret" => Source::World("its secret", |world| Some(world.application.client_secret.clone())),
        "benefit_id" => Source::Fixed("5"),
        "state" => Source::Fixed("TX"),
        "report_type" => Source::Fixed("payroll_journal"),
        "document_type" => Source::Fixed("printable_payroll_checks"),
        "effective_year" => Source::Fixed("2026"),
        _ => return None,
    })
}

/// What the demo world does not have: it has no bank, and no receiver of webhooks.
fn beyond_the_demo(name: &str) -> Source {
    match name {
        "verification_token" => Source::World("the token that was posted to the url", |_| None),
        "notification_uuid" => Source::World("an employee who waits for a review", |_| None),
        "ach_transaction_uuid" => Source::World("a payment that came back", |_| None),
        "account_correction_uuid" => Source::World("a correction that a bank asks for", |_| None),
        "disbursed_employee" => Source::World("an employee whom the partner pays", |_| None),
        "payroll_sync_uuid" => Source::World("a payroll sync", |_| None),
        "tax_payment_uuid" => Source::World("a deposit of taxes", |_| None),
        "recovery_case_uuid" => Source::World("a debit that came back", |_| None),
        "wire_in_request_uuid" => Source::World("a wire that is awaited", |_| None),
        "disbursed_contractor_payment" => Source::World("a payment that the partner makes", |_| None),
        _ => panic!("examples.rs does not know where {name} comes from"),
    }
}

const PRINT_CHECKS: &str = "POST /v1/payrolls/{payroll_id}/generated_documents/printable_payroll_checks";
const SEND_DEPOSITS: &str =
    "POST /v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}/send_test_deposits";
