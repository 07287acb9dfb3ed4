//! Every operation of the interface, and how to call it. What an operation needs and takes is read from its
//! description; how a right call of it looks is said in [`TABLE`]. An operation without an entry there fails the
//! tests that are made from the table, and that is what the table is for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Value, json};
use server::auth::Kind;

use super::{Answer, Call, Company, home, id_of};

/// Method, route, status of success, and the body, in which `{…}` stands for an identifier and `{version}` for the
/// version of the record that the path names. In this order all of them can be called one after the other.
const TABLE: &[(&str, &str, u16, &str)] = &[
    ("GET", "/healthz", 200, ""),
    ("GET", "/readyz", 200, ""),
    ("GET", "/metrics", 200, ""),
    ("GET", "/openapi.json", 200, ""),
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
}

/// The description of the interface, as it is served.
pub fn description() -> &'static Value {
    static API: OnceLock<Value> = OnceLock::new();
    API.get_or_init(|| serde_json::from_str(&server::routes::description_text()).unwrap())
}

/// Every operation that is described, in the order of the table.
pub fn operations() -> Vec<Operation> {
    let api = description();
    let mut described = BTreeMap::new();
    for (route, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            described.insert((method.to_uppercase(), route.clone()), operation.clone());
        }
    }
    let mut operations = Vec::new();
    for &(method, route, success, body) in TABLE {
        let description = described.remove(&(method.to_owned(), route.to_owned())).unwrap_or_else(|| {
            panic!("{method} {route} stands in the table of calls, but not in the description")
        });
        let (method, route) = (method.to_owned(), route.to_owned());
        operations.push(Operation { method, route, success, description, body });
    }
    let missing: Vec<_> = described.keys().collect();
    assert!(missing.is_empty(), "tests/api/support/calls.rs does not say how to call {missing:?}");
    operations
}

impl Operation {
    /// As it is named in messages.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    /// The tokens that it takes, and the scope that it needs.
    pub fn security(&self) -> Option<(Vec<String>, Option<String>)> {
        let entries = self.description["security"].as_array()?;
        let kinds = entries.iter().flat_map(|entry| entry.as_object().unwrap().keys().cloned()).collect();
        let scope = entries.iter().flat_map(|entry| entry.as_object().unwrap().values()).next();
        Some((kinds, scope.and_then(|scopes| scopes[0].as_str()).map(str::to_owned)))
    }

    /// Whether it takes only a token of an application.
    pub fn is_for_applications(&self) -> bool {
        self.security().is_some_and(|(kinds, _)| kinds == ["system_access"])
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
    let of_applications = || operations().into_iter().filter(Operation::is_for_applications).map(|o| o.route);
    let routes = ROUTES.get_or_init(|| of_applications().collect());
    let path = path.split('?').next().unwrap_or(path);
    let fits = |route: &String| {
        let (mut route, mut path) = (route.split('/'), path.split('/'));
        let same =
            route.by_ref().zip(path.by_ref()).all(|(name, given)| name == given || name.starts_with('{'));
        same && route.next().is_none() && path.next().is_none()
    };
    routes.iter().any(fits)
}

/// What a route cannot be called without.
fn query_of(route: &str) -> &'static str {
    match route {
        "/v1/companies/{company_id}/pay_schedules/preview" => {
            "?frequency=Every%20week&anchor_pay_date=2026-06-26&anchor_end_of_pay_period=2026-06-21"
        }
        _ => "",
    }
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// The type of a value, `null` left aside.
fn type_of(schema: &Value) -> String {
    let schema =
        schema["$ref"].as_str().map_or(schema, |name| &description()["components"]["schemas"][last(name)]);
    let named = |types: &[Value]| types.iter().find(|name| **name != "null").cloned();
    let name = schema["type"].as_array().map_or_else(|| Some(schema["type"].clone()), |types| named(types));
    name.as_ref().and_then(Value::as_str).unwrap_or("any").to_owned()
}

fn parameters_of(text: &str) -> Vec<&str> {
    let opened = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    opened
        .map(|(name, _)| name)
        .filter(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
        .collect()
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

/// A company with one record of every kind that a path or a body can name; each can be updated and deleted.
pub struct Target {
    pub company: Company,
    ids: BTreeMap<&'static str, String>,
}

impl Target {
    pub async fn of(company: Company) -> Self {
        // Lists of an application hold only what is this target's.
        let company = company.for_another_application().await;
        let location = company.location("TX").await;
        let body = json!({ "first_name": "Grace", "last_name": "Kim", "email": "grace@people.example",
                           "date_of_birth": "1996-05-17", "self_onboarding": true });
        let employee = id_of(&company.post("/v1/companies/{company}/employees", body).await.created());
        company.work_address(&employee, &id_of(&location)).await;
        let later = json!({ "location_uuid": id_of(&location), "effective_date": "2027-01-01" });
        let work = company.post(format!("/v1/employees/{employee}/work_addresses"), later).await.created();
        company.home_address(&employee).await;
        let mut later = home();
        later["effective_date"] = "2027-01-01".into();
        let lives = company.post(format!("/v1/employees/{employee}/home_addresses"), later).await.created();
        let barista = company.job(&employee, "Barista", "2026-07-01").await;
        company.pay(&barista, "19.50", "Hour", "Nonexempt").await;
        let waiter = company.job(&employee, "Waiter", "2026-07-01").await;
        company.pay(&waiter, "18.00", "Hour", "Nonexempt").await;
        let raise = json!({ "rate": "19.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2027-01-01" });
        let raise = company.post(format!("/v1/jobs/{}/compensations", id_of(&waiter)), raise).await.created();
        let account = json!({ "name": "Household", "routing_number": "021001208", "account_number": "90126600417", "account_type": "Checking" });
        let account =
            company.post(format!("/v1/employees/{employee}/bank_accounts"), account).await.created();
        let federal = format!("/v1/employees/{employee}/federal_taxes");
        let w4 = json!({ "version": company.get(&federal).await.ok()["version"], "w4_data_type": "rev_2020_w4",
                         "filing_status": "Married" });
        company.put(&federal, w4).await.ok();
        let may_work = json!({ "authorization_status": "noncitizen" });
        company.put(format!("/v1/employees/{employee}/i9_authorization"), may_work).await.ok();
        let forms = company.get(format!("/v1/employees/{employee}/forms")).await.list();
        let form = forms.iter().find(|form| form["name"] == "US_W-4").unwrap();
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        let schedule = company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let enrolled = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "50.00",
                               "effective_date": "2026-07-01" });
        let enrolled =
            company.post(format!("/v1/employees/{employee}/employee_benefits"), enrolled).await.created();
        let support = support_order(&company, &employee).await;
        let estimate = open_estimate(&company).await;
        let mut ids = payrolls(&company, &id_of(&location)).await;
        ids.extend([
            ("benefit_id", "5".to_owned()),
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
        ids.extend(webhook(&company, &id_of(&location)).await);
        ids.extend(company.set_up().await.ids());
        Self { company, ids }
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
            Some("cancel" | "explain" | "pay_stub") => "processed_payroll",
            _ => "payroll_id",
        };
        self.path_with(operation, &|parameter| match parameter {
            "payroll_id" => self.id(other).to_owned(),
            "employee_id" if operation.route.contains("payroll_id") => {
                self.id("processed_employee").to_owned()
            }
            parameter => self.id(parameter).to_owned(),
        })
    }

    pub fn path_with(&self, operation: &Operation, id: &dyn Fn(&str) -> String) -> String {
        let parameters = operation.path_parameters();
        let fill = |path: String, name: &&str| path.replace(&format!("{{{name}}}"), &id(name));
        parameters.iter().fold(operation.route.clone(), fill) + query_of(&operation.route)
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
        // The signatory is read as a list of one.
        if let Some(list) = path.strip_suffix(self.id("signatory_uuid")) {
            let list = self.company.get(list.trim_end_matches('/')).await.list();
            return list.first().map(|one| super::text(one, "version")).unwrap_or_default();
        }
        super::text(&self.company.get(path).await.ok(), "version")
    }

    /// Makes room for what an operation adds where there is room for one, and a connection where one is ended.
    pub async fn prepare(&self, operation: &Operation) {
        // The application of these records is connected to the company by a token of its own.
        if operation.route.ends_with("/disassociate") {
            let (application, company) = (self.company.application, Some(self.company.id));
            self.company.world.token(Kind::Company, application, company, "public", None).await;
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
        let call = self.company.world.call(&operation.method, self.path(operation));
        if operation.takes_a_body() { call.json(&self.body(operation).await) } else { call }
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

    /// Everything that can be read of the company, byte for byte.
    pub async fn all_there_is(&self) -> Vec<String> {
        let mut all = vec![format!("{:?}", self.company.count_events().await)];
        // Each address of a PDF is a new one, each request for a token has it posted, and health is found by the minute.
        let others = ["/pdf", "/request_verification_token", "/health_check"];
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
