//! How each operation is called: the one table from which the tests call all of them, and from which `/docs` shows
//! examples.
//!
//! An example is a script of a few requests. What the path and the body of an operation name (`{garnishment_id}`) comes
//! from the demo world where that has it, and else from the answer of a request before: [`source`] says of which. A
//! test runs every script in a shell against `stipend dev`. Answers were given by the tests' own calls; `answers.json`
//! holds them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::demo::World;

/// Method, route, status of success, and the body, in which `{…}` stands for an identifier and `{version}` for the
/// version of the record that the path names. In this order all of them can be called one after the other.
pub const CALLS: &[(&str, &str, u16, &str)] = &[
    ("GET", "/healthz", 200, ""),
    ("GET", "/readyz", 200, ""),
    ("GET", "/metrics", 200, ""),
    ("GET", "/openapi.json", 200, ""),
    ("GET", "/v1/versions/diff", 200, ""),
    ("GET", "/v1/test_helpers/clock", 200, ""),
    ("POST", "/v1/test_helpers/clock/advance", 200, r#"{"seconds": 60}"#),
    ("GET", "/v1/companies/{company_id}", 200, ""),
    // Payrolls first: the company of this table is later one of contractors alone, which runs none.
    ("GET", "/v1/companies/{company_id}/payrolls", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/payrolls",
        200,
        r#"{"off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01", "end_date": "2026-06-30", "employee_uuids": ["{paid_employee}"]}"#,
    ),
    ("GET", "/v1/companies/{company_uuid}/payrolls/blockers", 200, ""),
    ("GET", "/v1/companies/{company_id}/payrolls/{payroll_id}", 200, ""),
    ("GET", "/v1/companies/{company_id}/payrolls/{payroll_id}/employees/{employee_id}/explain", 200, ""),
    ("GET", "/v1/companies/{company_id}/payrolls/{payroll_id}/employees/{employee_id}/pay_stub", 200, ""),
    ("PUT", "/v1/companies/{company_id}/payrolls/{payroll_id}/cancel", 200, ""),
    ("PUT", "/v1/companies/{company_id}/payrolls/{payroll_id}/submit", 202, r"{ }"),
    (
        "PUT",
        "/v1/companies/{company_id}/payrolls/{payroll_id}/prepare",
        200,
        r#"{"employee_uuids": ["{paid_employee}"]}"#,
    ),
    (
        "PUT",
        "/v1/companies/{company_id}/payrolls/{payroll_id}",
        200,
        r#"{"employee_compensations": [{"employee_uuid": "{paid_employee}", "version": "{input_version}", "memo": "Thank you"}]}"#,
    ),
    ("PUT", "/v1/companies/{company_id}/payrolls/{payroll_id}/calculate", 202, ""),
    ("DELETE", "/v1/companies/{company_id}/payrolls/{payroll_id}", 204, ""),
    ("PUT", "/v1/companies/{company_id}", 200, r#"{"contractor_only": true}"#),
    ("GET", "/v1/companies/{company_uuid}/onboarding_status", 200, ""),
    ("GET", "/v1/companies/{company_id}/federal_tax_details", 200, ""),
    (
        "PUT",
        "/v1/companies/{company_id}/federal_tax_details",
        200,
        r#"{"version": "{version}", "legal_name": "Blue Heron Diners", "ein": "74-1852098", "tax_payer_type": "LLC", "filing_form": "944", "taxable_as_scorp": false}"#,
    ),
    ("GET", "/v1/companies/{company_id}/industry_selection", 200, ""),
    (
        "PUT",
        "/v1/companies/{company_id}/industry_selection",
        201,
        r#"{"naics_code": "722511", "sic_codes": ["5812"], "title": "Full-service restaurants"}"#,
    ),
    ("GET", "/v1/companies/{company_uuid}/tax_requirements", 200, ""),
    ("GET", "/v1/companies/{company_uuid}/tax_requirements/{state}", 200, ""),
    (
        "PUT",
        "/v1/companies/{company_uuid}/tax_requirements/{state}",
        200,
        r#"{"requirement_sets": [{"state": "TX", "key": "taxrates", "requirements": [{"key": "unemployment_rate", "value": "0.027"}]}]}"#,
    ),
    ("GET", "/v1/companies/{company_id}/bank_accounts", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}/send_test_deposits",
        200,
        "",
    ),
    (
        "PUT",
        "/v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}/verify",
        200,
        r#"{"deposit_1": "{first_deposit}", "deposit_2": "{second_deposit}"}"#,
    ),
    ("GET", "/v1/companies/{company_id}/forms", 200, ""),
    ("GET", "/v1/forms/{company_form_id}", 200, ""),
    ("GET", "/v1/forms/{company_form_id}/pdf", 200, ""),
    (
        "PUT",
        "/v1/forms/{company_form_id}/sign",
        200,
        r#"{"signature_text": "Susan Whitfield", "agree": true, "signed_by_ip_address": "203.0.113.7"}"#,
    ),
    ("PUT", "/v1/companies/{company_uuid}/finish_onboarding", 200, ""),
    ("PUT", "/v1/companies/{company_uuid}/approve", 200, ""),
    ("PUT", "/v1/companies/{company_uuid}/suspend", 200, ""),
    ("PUT", "/v1/companies/{company_uuid}/reinstate", 200, ""),
    ("POST", "/v1/companies/{company_uuid}/traits", 200, r#"{"trait": "integration", "name": "Ledger"}"#),
    (
        "POST",
        "/v1/companies/{company_id}/bank_accounts",
        201,
        r#"{"routing_number": "121000374", "account_number": "7700190021", "account_type": "Savings"}"#,
    ),
    ("GET", "/v1/companies/{company_id}/admins", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/admins",
        200,
        r#"{"first_name": "Lena", "last_name": "Fischer", "email": "lena@people.example"}"#,
    ),
    ("GET", "/v1/partner_managed_companies/{company_uuid}/terms_of_service", 200, ""),
    (
        "PUT",
        "/v1/partner_managed_companies/{company_uuid}/terms_of_service",
        200,
        r#"{"email": "susan@people.example"}"#,
    ),
    (
        "POST",
        "/v1/partner_managed_companies/{company_uuid}/terms_of_service",
        200,
        r#"{"email": "susan@people.example", "ip_address": "203.0.113.7", "external_user_id": "user-7"}"#,
    ),
    (
        "POST",
        "/v1/partner_managed_companies/{company_uuid}/accept_terms_of_service",
        200,
        r#"{"email": "susan@people.example", "ip_address": "203.0.113.7", "external_user_id": "user-7"}"#,
    ),
    (
        "POST",
        "/v1/partner_managed_companies/{company_uuid}/retrieve_terms_of_service",
        200,
        r#"{"email": "susan@people.example"}"#,
    ),
    ("GET", "/v1/partner_managed_companies/{company_uuid}/migration_readiness", 200, ""),
    (
        "PUT",
        "/v1/partner_managed_companies/{company_uuid}/migrate",
        200,
        r#"{"email": "susan@people.example", "ip_address": "203.0.113.7", "external_user_id": "user-7"}"#,
    ),
    ("GET", "/v1/companies/{company_uuid}/signatories", 200, ""),
    (
        "PUT",
        "/v1/companies/{company_uuid}/signatories/{signatory_uuid}",
        200,
        r#"{"version": "{version}", "title": "President"}"#,
    ),
    ("DELETE", "/v1/companies/{company_uuid}/signatories/{signatory_uuid}", 204, ""),
    (
        "POST",
        "/v1/companies/{company_uuid}/signatories/invite",
        200,
        r#"{"first_name": "Susan", "last_name": "Whitfield", "email": "susan@people.example"}"#,
    ),
    (
        "POST",
        "/v1/companies/{company_uuid}/signatories",
        200,
        r#"{"first_name": "Susan", "last_name": "Whitfield", "title": "Owner", "phone": "2105550100", "birthday": "1971-01-22", "email": "susan@people.example", "ssn": "412551004", "home_address": {"street_1": "19 Willow Court", "city": "San Antonio", "state": "TX", "zip": "78209"}}"#,
    ),
    ("GET", "/v1/companies/{company_id}/locations", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/locations",
        201,
        r#"{"phone_number": "7185550117", "street_1": "88 Wythe Corner", "city": "Brooklyn", "state": "NY", "zip": "11201"}"#,
    ),
    ("GET", "/v1/locations/{location_id}", 200, ""),
    ("PUT", "/v1/locations/{location_id}", 200, r#"{"version": "{version}", "street_2": "Suite 7"}"#),
    ("GET", "/v1/locations/{location_uuid}/minimum_wages", 200, ""),
    ("GET", "/v1/companies/{company_id}/pay_schedules", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/pay_schedules",
        201,
        r#"{"frequency": "Monthly", "anchor_pay_date": "2026-06-30", "anchor_end_of_pay_period": "2026-06-30"}"#,
    ),
    ("GET", "/v1/companies/{company_id}/pay_schedules/preview", 200, ""),
    ("GET", "/v1/companies/{company_id}/pay_schedules/{pay_schedule_id}", 200, ""),
    (
        "PUT",
        "/v1/companies/{company_id}/pay_schedules/{pay_schedule_id}",
        200,
        r#"{"version": "{version}", "custom_name": "Everybody"}"#,
    ),
    ("GET", "/v1/companies/{company_id}/pay_periods", 200, ""),
    ("GET", "/v1/employees/{employee_id}/opening_balances", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_id}/opening_balances",
        200,
        r#"{"year": 2026, "wages": [{"name": "gross", "amount": "1000.00"}]}"#,
    ),
    ("GET", "/v1/companies/{company_id}/employees", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/employees",
        201,
        r#"{"first_name": "Ana", "last_name": "Lee", "email": "ana@people.example", "self_onboarding": true}"#,
    ),
    ("GET", "/v1/employees/{employee_id}", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_id}",
        200,
        r#"{"version": "{version}", "preferred_first_name": "Gracie"}"#,
    ),
    ("GET", "/v1/employees/{employee_id}/home_addresses", 200, ""),
    (
        "POST",
        "/v1/employees/{employee_id}/home_addresses",
        201,
        r#"{"street_1": "4 Elm Street", "city": "Austin", "state": "TX", "zip": "78701", "effective_date": "2027-05-01"}"#,
    ),
    ("GET", "/v1/home_addresses/{home_address_uuid}", 200, ""),
    ("PUT", "/v1/home_addresses/{home_address_uuid}", 200, r#"{"version": "{version}", "city": "Dallas"}"#),
    ("DELETE", "/v1/home_addresses/{home_address_uuid}", 204, ""),
    ("GET", "/v1/employees/{employee_id}/work_addresses", 200, ""),
    (
        "POST",
        "/v1/employees/{employee_id}/work_addresses",
        201,
        r#"{"location_uuid": "{location_id}", "effective_date": "2027-06-01"}"#,
    ),
    ("GET", "/v1/work_addresses/{work_address_uuid}", 200, ""),
    (
        "PUT",
        "/v1/work_addresses/{work_address_uuid}",
        200,
        r#"{"version": "{version}", "location_uuid": "{location_id}", "effective_date": "2027-07-01"}"#,
    ),
    ("DELETE", "/v1/work_addresses/{work_address_uuid}", 204, ""),
    ("GET", "/v1/employees/{employee_id}/bank_accounts", 200, ""),
    (
        "POST",
        "/v1/employees/{employee_id}/bank_accounts",
        201,
        r#"{"name": "Savings", "routing_number": "121000374", "account_number": "40070045", "account_type": "Savings"}"#,
    ),
    (
        "PUT",
        "/v1/employees/{employee_id}/bank_accounts/{bank_account_uuid}",
        200,
        r#"{"name": "Joint", "routing_number": "121000374", "account_number": "52190031", "account_type": "Checking"}"#,
    ),
    ("GET", "/v1/employees/{employee_id}/payment_method", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_id}/payment_method",
        200,
        r#"{"version": "{version}", "type": "Direct Deposit", "split_by": "Amount", "splits": [{"uuid": "{bank_account_uuid}", "name": "Joint", "priority": 1, "split_amount": null}]}"#,
    ),
    ("DELETE", "/v1/employees/{employee_id}/bank_accounts/{bank_account_uuid}", 204, ""),
    ("GET", "/v1/employees/{employee_id}/onboarding_status", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_id}/onboarding_status",
        200,
        r#"{"onboarding_steps": [{"id": "federal_tax_setup", "completed": true}]}"#,
    ),
    (
        "POST",
        "/v1/companies/{company_uuid}/flows",
        201,
        r#"{"flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": "{employee_id}"}"#,
    ),
    ("GET", "/v1/salary_estimates/occupations", 200, ""),
    ("GET", "/v1/salary_estimates/{salary_estimate_id}", 200, ""),
    (
        "PUT",
        "/v1/salary_estimates/{salary_estimate_id}",
        200,
        r#"{"zip_code": "78205", "annual_net_revenue": "500000.00", "occupations": [{"code": "151252", "experience_level": "skilled", "time_percentage": "0.6", "primary": true}, {"code": "11-1021", "experience_level": "average", "time_percentage": 0.4}]}"#,
    ),
    ("GET", "/v1/salary_estimates/{salary_estimate_id}/explain", 200, ""),
    ("GET", "/v1/salary_estimates/{salary_estimate_id}/report", 200, ""),
    ("POST", "/v1/salary_estimates/{salary_estimate_id}/accept", 200, "{ }"),
    (
        "POST",
        "/v1/employees/{employee_id}/salary_estimates",
        201,
        r#"{"zip_code": "11201", "occupations": [{"code": "11-1021", "experience_level": "expert", "time_percentage": "1"}]}"#,
    ),
    ("GET", "/v1/employees/{employee_id}/jobs", 200, ""),
    ("POST", "/v1/employees/{employee_id}/jobs", 201, r#"{"title": "Host", "hire_date": "2026-08-01"}"#),
    ("GET", "/v1/jobs/{job_id}", 200, ""),
    ("PUT", "/v1/jobs/{job_id}", 200, r#"{"version": "{version}", "title": "Head Waiter"}"#),
    ("GET", "/v1/jobs/{job_id}/compensations", 200, ""),
    (
        "POST",
        "/v1/jobs/{job_id}/compensations",
        201,
        r#"{"rate": "21.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2027-09-01"}"#,
    ),
    ("GET", "/v1/compensations/{compensation_id}", 200, ""),
    (
        "PUT",
        "/v1/compensations/{compensation_id}",
        200,
        r#"{"version": "{version}", "rate": "20.25", "payment_unit": "Hour", "flsa_status": "Nonexempt"}"#,
    ),
    ("DELETE", "/v1/compensations/{compensation_id}", 204, ""),
    ("DELETE", "/v1/jobs/{job_id}", 204, ""),
    ("GET", "/v1/garnishments/child_support", 200, ""),
    ("GET", "/v1/employees/{employee_id}/garnishments", 200, ""),
    (
        "POST",
        "/v1/employees/{employee_id}/garnishments",
        201,
        r#"{"court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "120.00", "recurring": true}"#,
    ),
    ("GET", "/v1/garnishments/{garnishment_id}", 200, ""),
    (
        "PUT",
        "/v1/garnishments/{garnishment_id}",
        200,
        r#"{"version": "{version}", "amount": "45", "child_support": {"case_number": "AL-124"}}"#,
    ),
    ("GET", "/v1/garnishments/{garnishment_id}/explain", 200, ""),
    ("GET", "/v1/employees/{employee_id}/garnishments/preview", 200, ""),
    ("GET", "/v1/companies/{company_id}/child_support_remittances", 200, ""),
    ("GET", "/v1/employees/{employee_uuid}/federal_taxes", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_uuid}/federal_taxes",
        200,
        r#"{"version": "{version}", "w4_data_type": "rev_2020_w4", "filing_status": "Single", "extra_withholding": "10.00"}"#,
    ),
    ("GET", "/v1/employees/{employee_uuid}/state_taxes", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_uuid}/state_taxes",
        200,
        r#"{"states": [{"state": "TX", "questions": [{"key": "file_new_hire_report", "answers": [{"value": true}]}]}]}"#,
    ),
    ("PUT", "/v1/employees/{employee_id}/onboarding_documents_config", 200, r#"{"i9_document": true}"#),
    (
        "PUT",
        "/v1/employees/{employee_id}/i9_authorization",
        200,
        r#"{"version": "{version}", "authorization_status": "citizen"}"#,
    ),
    ("GET", "/v1/employees/{employee_id}/i9_authorization", 200, ""),
    ("GET", "/v1/employees/{employee_id}/forms", 200, ""),
    ("GET", "/v1/employees/{employee_id}/forms/{form_id}", 200, ""),
    ("GET", "/v1/employees/{employee_id}/forms/{form_id}/pdf", 200, ""),
    (
        "PUT",
        "/v1/employees/{employee_id}/forms/{form_id}/sign",
        200,
        r#"{"signature_text": "Grace Kim", "agree": true, "signed_by_ip_address": "203.0.113.7"}"#,
    ),
    ("GET", "/v1/benefits", 200, ""),
    ("GET", "/v1/benefits/{benefit_id}", 200, ""),
    ("GET", "/v1/benefits/{benefit_id}/requirements", 200, ""),
    ("GET", "/v1/companies/{company_id}/company_benefits", 200, ""),
    (
        "POST",
        "/v1/companies/{company_id}/company_benefits",
        201,
        r#"{"benefit_type": 105, "description": "Roth 401(k)", "catch_up_type": "deemed"}"#,
    ),
    ("GET", "/v1/company_benefits/{company_benefit_id}", 200, ""),
    (
        "PUT",
        "/v1/company_benefits/{company_benefit_id}",
        200,
        r#"{"version": "{version}", "description": "401(k) of everybody"}"#,
    ),
    ("GET", "/v1/company_benefits/{company_benefit_id}/summary", 200, ""),
    ("GET", "/v1/company_benefits/{company_benefit_id}/employee_benefits", 200, ""),
    (
        "PUT",
        "/v1/company_benefits/{company_benefit_id}/employee_benefits",
        200,
        r#"{"employee_benefits": [{"employee_uuid": "{employee_id}", "action": "create", "effective_date": "2028-01-01", "employee_deduction": "75.00"}]}"#,
    ),
    ("GET", "/v1/employees/{employee_id}/employee_benefits", 200, ""),
    (
        "POST",
        "/v1/employees/{employee_id}/employee_benefits",
        201,
        r#"{"company_benefit_uuid": "{company_benefit_id}", "effective_date": "2029-01-01", "employee_deduction": "4.5", "deduct_as_percentage": true, "contribution": {"type": "tiered", "value": [{"rate": "100", "threshold": "3"}, {"rate": "50", "threshold": "5"}]}}"#,
    ),
    ("GET", "/v1/employee_benefits/{employee_benefit_id}", 200, ""),
    (
        "PUT",
        "/v1/employee_benefits/{employee_benefit_id}",
        200,
        r#"{"version": "{version}", "employee_deduction": "55.00", "expiration_date": "2026-12-31"}"#,
    ),
    ("GET", "/v1/employees/{employee_id}/employee_benefits/timeline", 200, ""),
    (
        "POST",
        "/v1/employees/{employee_id}/employee_benefits/plan",
        200,
        r#"{"company_benefit_uuid": "{company_benefit_id}", "timeline": [{"effective_date": "2026-08-01", "expiration_date": "2026-08-31", "employee_deduction": "0.00"}], "gross_pay": "2000.00"}"#,
    ),
    (
        "POST",
        "/v1/employees/{employee_id}/employee_benefits/plan/apply",
        200,
        r#"{"company_benefit_uuid": "{company_benefit_id}", "timeline": [{"effective_date": "2026-08-01", "expiration_date": "2026-08-31", "employee_deduction": "0.00"}], "hash": "{plan_hash}"}"#,
    ),
    ("DELETE", "/v1/employee_benefits/{employee_benefit_id}", 204, ""),
    ("GET", "/v1/webhook_subscriptions", 200, ""),
    (
        "POST",
        "/v1/webhook_subscriptions",
        201,
        r#"{"url": "http://127.0.0.1:9/events", "subscription_types": ["Employee", "Location"]}"#,
    ),
    ("GET", "/v1/webhook_subscriptions/{webhook_subscription_uuid}", 200, ""),
    (
        "PUT",
        "/v1/webhook_subscriptions/{webhook_subscription_uuid}",
        200,
        r#"{"subscription_types": ["Payroll", "Location"]}"#,
    ),
    (
        "PUT",
        "/v1/webhook_subscriptions/{webhook_subscription_uuid}/verify",
        200,
        r#"{"verification_token": "{verification_token}"}"#,
    ),
    ("GET", "/v1/webhook_subscriptions/{webhook_subscription_uuid}/request_verification_token", 200, ""),
    ("GET", "/v1/webhooks/health_check", 200, ""),
    ("GET", "/v1/events", 200, ""),
    ("GET", "/v1/events/{event_uuid}/deliveries", 200, ""),
    ("GET", "/v1/webhook_subscriptions/{webhook_subscription_uuid}/deliveries", 200, ""),
    (
        "POST",
        "/v1/webhook_subscriptions/{webhook_subscription_uuid}/deliveries/{event_uuid}/redeliver",
        200,
        "",
    ),
    (
        "POST",
        "/v1/webhook_subscriptions/{webhook_subscription_uuid}/replay",
        200,
        r#"{"from": "2026-06-15T00:00:00Z", "to": "2026-06-16T00:00:00Z", "event_type": "location.*"}"#,
    ),
    (
        "POST",
        "/v1/webhook_subscriptions/{webhook_subscription_uuid}/rotate_secret",
        200,
        r#"{"overlap_seconds": 3600}"#,
    ),
    ("DELETE", "/v1/webhook_subscriptions/{webhook_subscription_uuid}", 204, ""),
    ("DELETE", "/v1/employees/{employee_id}", 204, ""),
    ("DELETE", "/v1/company_benefits/{company_benefit_id}", 204, ""),
    ("GET", "/.well-known/oauth-authorization-server", 200, ""),
    (
        "POST",
        "/oauth/token",
        200,
        r#"{"grant_type": "system_access", "client_id": "{client_id}", "client_secret": "{client_secret}"}"#,
    ),
    (
        "POST",
        "/oauth/revoke",
        200,
        r#"{"token": "unknown", "client_id": "{client_id}", "client_secret": "{client_secret}"}"#,
    ),
    ("GET", "/v1/token_info", 200, ""),
    (
        "POST",
        "/v1/partner_managed_companies",
        200,
        r#"{"user": {"first_name": "Nora", "last_name": "Lind", "email": "nora@people.example"}, "company": {"name": "Lind and Daughters", "ein": "301852096"}}"#,
    ),
    // The last one: it withdraws the tokens of the application.
    ("PUT", "/v1/partner_managed_companies/{company_uuid}/disassociate", 200, ""),
];

/// What a route cannot be called without.
pub fn query_of(route: &str) -> &'static str {
    match route {
        "/v1/companies/{company_id}/pay_schedules/preview" => {
            "?frequency=Every%20week&anchor_pay_date=2026-06-26&anchor_end_of_pay_period=2026-06-21"
        }
        "/v1/versions/diff" => "?from=2025-11-15&to=2026-06-15",
        _ => "",
    }
}

/// The names in braces of a path or a body.
pub fn parameters_of(text: &str) -> Vec<&str> {
    let opened = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    opened
        .map(|(name, _)| name)
        .filter(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
        .collect()
}

/// Answers that tests were given, by method and route.
static ANSWERS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let text = include_str!("answers.json");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("answers.json: {error}"))
});

/// What an operation answered.
pub fn answer(name: &str) -> Option<&'static Value> {
    ANSWERS.get(name)
}

/// Whether an operation's answer is nothing to be shown: figures of the process, and this description.
pub fn answers_without_json(name: &str) -> bool {
    matches!(name, "GET /metrics" | "GET /openapi.json")
}

/// Method and route, status and body of the call under this name.
pub fn call(name: &str) -> &'static (&'static str, &'static str, u16, &'static str) {
    let found = CALLS.iter().find(|(method, route, ..)| name.split_once(' ') == Some((method, route)));
    found.unwrap_or_else(|| panic!("docs/examples.rs does not say how to call {name}"))
}

/// The body in the demo world, where it is another than that of the table.
pub fn demo_body(name: &str) -> Option<&'static str> {
    DEMO_BODIES.iter().find(|(operation, _)| *operation == name).map(|(_, body)| *body)
}

/// Bodies that suit the demo world.
const DEMO_BODIES: &[(&str, &str)] = &[
    ("PUT /v1/companies/{company_id}", r#"{"contractor_only": false}"#),
    ("PUT /v1/employees/{employee_id}/i9_authorization", CITIZEN),
    (
        "PUT /v1/employee_benefits/{employee_benefit_id}",
        r#"{"version": "{version}", "employee_deduction": "55.00", "expiration_date": "2029-12-31"}"#,
    ),
    ("PUT /v1/partner_managed_companies/{company_uuid}/terms_of_service", OF_NORA),
    ("POST /v1/partner_managed_companies/{company_uuid}/retrieve_terms_of_service", OF_NORA),
    ("POST /v1/partner_managed_companies/{company_uuid}/terms_of_service", NORA_AGREES),
    ("POST /v1/partner_managed_companies/{company_uuid}/accept_terms_of_service", NORA_AGREES),
];

const CITIZEN: &str = r#"{"authorization_status": "citizen"}"#;
const OF_NORA: &str = r#"{"email": "nora@people.example"}"#;
const NORA_AGREES: &str =
    r#"{"email": "nora@people.example", "ip_address": "203.0.113.7", "external_user_id": "user-7"}"#;

/// Why a subscription of an example is not verified.
const POSTED: &str = "It needs a verified subscription, and the token that verifies one is posted to its url: \
                      `stipend listen` sets one up.";

/// Operations of which an example cannot be run in the demo world by itself, and why.
pub const APART: &[(&str, &str)] = &[
    ("PUT /v1/webhook_subscriptions/{webhook_subscription_uuid}/verify", POSTED),
    ("POST /v1/webhook_subscriptions/{webhook_subscription_uuid}/replay", POSTED),
    ("POST /v1/webhook_subscriptions/{webhook_subscription_uuid}/deliveries/{event_uuid}/redeliver", POSTED),
    (
        "PUT /v1/partner_managed_companies/{company_uuid}/migrate",
        "The company has to be connected first, by an administrator who consents on a page: docs/oauth.md goes the whole \
         way, and so does examples/migration.sh.",
    ),
    (
        "PUT /v1/companies/{company_uuid}/finish_onboarding",
        "The demo company has finished its onboarding. A new one has to complete every step of it first: \
         docs/company-setup.md names them.",
    ),
    (
        "PUT /v1/forms/{company_form_id}/sign",
        "The forms of the demo company are signed. A new bank account asks for a new signature of the authorization of \
         direct deposit.",
    ),
];

/// The status of success.
pub fn status(name: &str) -> u16 {
    call(name).2
}

/// Where a value comes from.
#[derive(Clone, Copy)]
pub enum Source {
    /// the demo world; in words, what it is
    World(&'static str, fn(&World) -> Option<String>),
    /// a field of the answer to another request, whose body may be another than the one of the table, and after which
    /// further requests are made
    Answer {
        /// the call
        call: &'static str,
        /// its body, where it is not the usual one
        body: Option<&'static str>,
        /// the field of its answer
        field: &'static str,
        /// what is done with the value
        then: &'static [Then],
    },
    /// always the same
    Fixed(&'static str),
}

/// A request between: name, and a body other than that of the table.
pub type Then = (&'static str, Option<&'static str>);

const fn of(call: &'static str, field: &'static str) -> Source {
    Source::Answer { call, body: None, field, then: &[] }
}

const fn of_body(call: &'static str, body: &'static str, field: &'static str) -> Source {
    Source::Answer { call, body: Some(body), field, then: &[] }
}

const CLOCK: Then = ("POST /v1/test_helpers/clock/advance", Some(r#"{"seconds": 1}"#));
const CALCULATE: Then = ("PUT /v1/companies/{company_id}/payrolls/{payroll_id}/calculate", None);
const SUBMIT: Then = ("PUT /v1/companies/{company_id}/payrolls/{payroll_id}/submit", None);
const NEW_PAYROLL: &str = "POST /v1/companies/{company_id}/payrolls";
const NEW_EMPLOYEE: &str = "POST /v1/companies/{company_id}/employees";
const NEW_JOB: &str = "POST /v1/employees/{employee_id}/jobs";
const MAY_WORK: Then = ("PUT /v1/employees/{employee_id}/i9_authorization", Some(CITIZEN));
const NEW_COMPANY: &str = "POST /v1/partner_managed_companies";
const PLAN: &str = "POST /v1/employees/{employee_id}/employee_benefits/plan";

/// Where a value of an operation comes from.
pub fn source(operation: &str, name: &str) -> Source {
    special(operation, name).unwrap_or_else(|| usual(name))
}

/// What an operation needs that is not the usual one.
pub fn special(operation: &str, name: &str) -> Option<Source> {
    let ends = |end: &str| operation.ends_with(end);
    let of_new_company = ends("/migrate")
        || ends("terms_of_service")
        || ends("/disassociate")
        || ends("/suspend")
        || ends("/reinstate")
        || operation.contains("/signatories")
        || operation.contains("/federal_tax_details")
        || (operation.contains("bank_accounts") && operation.contains("/v1/companies"));
    Some(match name {
        "company_id" | "company_uuid" if of_new_company => of(NEW_COMPANY, "company_uuid"),
        "token" if of_new_company && !ends("/disassociate") => of(NEW_COMPANY, "access_token"),
        "payroll_id" if ends("/submit") => {
            Source::Answer { call: NEW_PAYROLL, body: None, field: "payroll_uuid", then: &[CALCULATE, CLOCK] }
        }
        "payroll_id" if ends("/cancel") || ends("/explain") || ends("/pay_stub") => Source::Answer {
            call: NEW_PAYROLL,
            body: None,
            field: "payroll_uuid",
            then: &[CALCULATE, CLOCK, SUBMIT, CLOCK],
        },
        "employee_id" if operation.contains("{payroll_id}") => usual("paid_employee"),
        "employee_id" if operation == "DELETE /v1/jobs/{job_id}" => {
            Source::Answer { call: NEW_EMPLOYEE, body: None, field: "uuid", then: &[(NEW_JOB, None)] }
        }
        "job_id" if operation == "DELETE /v1/jobs/{job_id}" => {
            of_body(NEW_JOB, r#"{"title": "Cashier", "hire_date": "2026-08-01"}"#, "uuid")
        }
        "employee_id" if operation == "GET /v1/employees/{employee_id}/i9_authorization" => {
            Source::Answer { call: NEW_EMPLOYEE, body: None, field: "uuid", then: &[MAY_WORK] }
        }
        "employee_id" if has_an_employee_of_its_own(operation) => of(NEW_EMPLOYEE, "uuid"),
        "employee_uuid" if operation == "PUT /v1/employees/{employee_uuid}/state_taxes" => {
            Source::World("an employee in Texas", |world| {
                Some(world.companies.first()?.employees.first()?.uuid.to_string())
            })
        }
        "version" if operation.contains("/signatories") => {
            of("GET /v1/companies/{company_uuid}/signatories", "version")
        }
        _ => return None,
    })
}

/// Whether an example can be repeated only with a new employee: nobody has two jobs of a title, or two open estimates.
fn has_an_employee_of_its_own(operation: &str) -> bool {
    let reads_a_list = operation.starts_with("GET /v1/employees");
    let of_jobs = ["/jobs", "/v1/compensations", "/salary_estimates"];
    operation == "DELETE /v1/employees/{employee_id}"
        || operation.ends_with("/onboarding_status")
        || operation.ends_with("/i9_authorization")
        || (!reads_a_list && of_jobs.iter().any(|part| operation.contains(part)))
}

/// Where a value comes from.
fn usual(name: &str) -> Source {
    match name {
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
        "job_id" => of("POST /v1/employees/{employee_id}/jobs", "uuid"),
        "compensation_id" => of("POST /v1/jobs/{job_id}/compensations", "uuid"),
        "payroll_id" => of(NEW_PAYROLL, "payroll_uuid"),
        "input_version" => of("PUT /v1/companies/{company_id}/payrolls/{payroll_id}/prepare", "version"),
        "company_benefit_id" => of("POST /v1/companies/{company_id}/company_benefits", "uuid"),
        "employee_benefit_id" => of("POST /v1/employees/{employee_id}/employee_benefits", "uuid"),
        "plan_hash" => of_body(
            PLAN,
            r#"{"company_benefit_uuid": "{company_benefit_id}", "timeline": [{"effective_date": "2026-08-01", "expiration_date": "2026-08-31", "employee_deduction": "0.00"}]}"#,
            "hash",
        ),
        "home_address_uuid" => of("POST /v1/employees/{employee_id}/home_addresses", "uuid"),
        "work_address_uuid" => of("POST /v1/employees/{employee_id}/work_addresses", "uuid"),
        "bank_account_uuid" => of("POST /v1/employees/{employee_id}/bank_accounts", "uuid"),
        "form_id" => of("GET /v1/employees/{employee_id}/forms", "uuid"),
        "company_form_id" => of("GET /v1/companies/{company_id}/forms", "uuid"),
        "garnishment_id" => of_body(
            "POST /v1/employees/{employee_id}/garnishments",
            r#"{"court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true, "pay_period_maximum": "400", "child_support": {"state": "AL", "payment_period": "Monthly", "fips_code": "01000", "case_number": "AL-123"}}"#,
            "uuid",
        ),
        "salary_estimate_id" => of("POST /v1/employees/{employee_id}/salary_estimates", "uuid"),
        "signatory_uuid" => of("POST /v1/companies/{company_uuid}/signatories", "uuid"),
        "company_bank_account_uuid" => of("POST /v1/companies/{company_id}/bank_accounts", "uuid"),
        "first_deposit" => of(SEND_DEPOSITS, "deposit_1"),
        "second_deposit" => of(SEND_DEPOSITS, "deposit_2"),
        "webhook_subscription_uuid" => of("POST /v1/webhook_subscriptions", "uuid"),
        "verification_token" => Source::World("the token that was posted to the url", |_| None),
        "event_uuid" => of("GET /v1/events", "uuid"),
        _ => panic!("docs/examples.rs does not know where {name} comes from"),
    }
}

const SEND_DEPOSITS: &str =
    "POST /v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}/send_test_deposits";
