//! The building blocks of recipes: the calls that lead to a record or to a state. In paths and bodies `{name}` stands
//! for an earlier result (see [`super::Play`]).

/// The caller.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// the current company, with its token
    Company,
    /// the application, with its own
    Application,
}

/// One step of a recipe.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// these steps first
    First(&'static [Step]),
    /// a call; its result is stored under the name
    Call { by: By, method: &'static str, path: &'static str, body: &'static str, name: &'static str },
    /// a call of the application that may be refused: method and path
    Unless(&'static str, &'static str),
    /// polling a path until a field has this text
    Until(&'static str, &'static str, &'static str),
    /// from here on the company in this result is the current one
    Enter(&'static str),
    /// answers to a state's tax requirements
    Answer { asked: &'static str, name: &'static str },
    /// an administrator of the company that is not connected authorizes the application
    Consent(&'static str),
    /// a holder of a link fails the identity check too often: the link, and the screen that asks
    Guess(&'static str, &'static str),
}

const fn company_call(
    method: &'static str,
    path: &'static str,
    body: &'static str,
    name: &'static str,
) -> Step {
    Step::Call { by: By::Company, method, path, body, name }
}
pub(super) const fn get_call(path: &'static str, name: &'static str) -> Step {
    company_call("GET", path, "", name)
}
pub(super) const fn post_call(path: &'static str, body: &'static str, name: &'static str) -> Step {
    company_call("POST", path, body, name)
}
pub(super) const fn put_call(path: &'static str, body: &'static str, name: &'static str) -> Step {
    company_call("PUT", path, body, name)
}
pub(super) const fn delete_call(path: &'static str) -> Step {
    company_call("DELETE", path, "", "")
}

// People of the demo company.

pub(super) const LOCATION: Step = post_call(
    "/v1/companies/{company}/locations",
    r#"{"street_1":"12 Depot Street","city":"Austin","state":"TX","zip":"78701","phone_number":"5125550111"}"#,
    "location",
);
pub(super) const EMPLOYEE: Step = post_call(
    "/v1/companies/{company}/employees",
    r#"{"first_name":"Robin","last_name":"Trigger","email":"robin@people.example","self_onboarding":true}"#,
    "employee",
);
pub(super) const HOME: Step = post_call(
    "/v1/employees/{employee}/home_addresses",
    r#"{"street_1":"4 Elm Street","city":"Austin","state":"TX","zip":"78701","effective_date":"2026-01-05"}"#,
    "home",
);
pub(super) const LATER_HOME: Step = post_call(
    "/v1/employees/{employee}/home_addresses",
    r#"{"street_1":"9 Oak Street","city":"Dallas","state":"TX","zip":"75201","effective_date":"2026-02-02"}"#,
    "later",
);
/// An onboarded employee moves to where the municipality is asked.
pub(super) const MOVED: &[Step] = &[
    Step::First(ONBOARDED),
    post_call(
        "/v1/employees/{employee}/home_addresses",
        r#"{"street_1":"12 Queen Street","city":"Lancaster","state":"PA","zip":"17603","effective_date":"2026-02-02"}"#,
        "moved",
    ),
];
pub(super) const WORK: Step = post_call(
    "/v1/employees/{employee}/work_addresses",
    r#"{"location_uuid":"{location}","effective_date":"2026-01-05"}"#,
    "work",
);
pub(super) const LATER_WORK: Step = post_call(
    "/v1/employees/{employee}/work_addresses",
    r#"{"location_uuid":"{location}","effective_date":"2026-02-02"}"#,
    "later",
);
pub(super) const JOB: Step =
    post_call("/v1/employees/{employee}/jobs", r#"{"title":"Host","hire_date":"2026-01-05"}"#, "job");
pub(super) const PAY: Step = put_call(
    "/v1/compensations/{job.compensations.0}",
    r#"{"version":"{job.compensations.0.version}","rate":"21.00","payment_unit":"Hour","flsa_status":"Nonexempt"}"#,
    "pay",
);
pub(super) const RAISE: Step = post_call(
    "/v1/jobs/{job}/compensations",
    r#"{"rate":"23.00","payment_unit":"Hour","flsa_status":"Nonexempt","effective_date":"2026-02-02"}"#,
    "raise",
);
pub(super) const ACCOUNT: Step = post_call(
    "/v1/employees/{employee}/bank_accounts",
    r#"{"name":"Household","routing_number":"021001208","account_number":"40070045","account_type":"Checking"}"#,
    "account",
);
pub(super) const W4: &[Step] = &[
    EMPLOYEE,
    get_call("/v1/employees/{employee}/federal_taxes", "taxes"),
    put_call(
        "/v1/employees/{employee}/federal_taxes",
        r#"{"version":"{taxes.version}","w4_data_type":"rev_2020_w4","filing_status":"Single","extra_withholding":"10.00"}"#,
        "taxes",
    ),
];
pub(super) const SIGNED_W4: &[Step] = &[
    Step::First(W4),
    get_call("/v1/employees/{employee}/forms", "forms"),
    put_call(
        "/v1/employees/{employee}/forms/{forms.US_W-4}/sign",
        r#"{"signature_text":"Robin Trigger","agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
        "signed",
    ),
];
/// The employer handed out the paper forms and records it, so the next step is the employer's.
pub(super) const EVERY_STEP: &[Step] = &[
    EMPLOYEE,
    put_call(
        "/v1/employees/{employee}/onboarding_status",
        r#"{"onboarding_steps":[{"id":"personal_details","completed":true},{"id":"compensation_details","completed":true},
            {"id":"add_work_address","completed":true},{"id":"add_home_address","completed":true},
            {"id":"federal_tax_setup","completed":true},{"id":"state_tax_setup","completed":true},
            {"id":"direct_deposit_setup","completed":true},{"id":"employee_form_signing","completed":true},
            {"id":"file_new_hire_report","completed":true}]}"#,
        "onboarding",
    ),
];
/// An employee who can be paid.
pub(super) const ONBOARDED: &[Step] = &[
    LOCATION,
    post_call(
        "/v1/companies/{company}/employees",
        r#"{"first_name":"Robin","last_name":"Trigger","email":"robin@people.example","date_of_birth":"1988-08-08","ssn":"412552001"}"#,
        "employee",
    ),
    HOME,
    WORK,
    JOB,
    PAY,
    put_call(
        "/v1/employees/{employee}/onboarding_status",
        r#"{"onboarding_status":"onboarding_completed","onboarding_steps":[{"id":"federal_tax_setup","completed":true},
            {"id":"state_tax_setup","completed":true},{"id":"direct_deposit_setup","completed":true},
            {"id":"employee_form_signing","completed":true},{"id":"file_new_hire_report","completed":true}]}"#,
        "onboarding",
    ),
];

/// An onboarded employee's rate falls below the minimum wage of Texas, 7.25 an hour.
pub(super) const PAID_TOO_LITTLE: &[Step] = &[
    Step::First(ONBOARDED),
    put_call("/v1/compensations/{pay}", r#"{"version":"{pay.version}","rate":"6.50"}"#, "low"),
];

pub(super) const LEAVING: &[Step] = &[
    Step::First(ONBOARDED),
    post_call("/v1/employees/{employee}/terminations", r#"{"effective_date":"{today+30}"}"#, "termination"),
];
pub(super) const LEAVING_APART: &[Step] = &[
    Step::First(ONBOARDED),
    post_call(
        "/v1/employees/{employee}/terminations",
        r#"{"effective_date":"{today+30}","run_termination_payroll":true}"#,
        "termination",
    ),
];
// Days are counted in UTC, where it may be a day later than at the company.
pub(super) const LEFT: &[Step] = &[
    Step::First(ONBOARDED),
    post_call("/v1/employees/{employee}/terminations", r#"{"effective_date":"{today-3}"}"#, "termination"),
];

/// An employee with a vacation policy requests a day off.
/// The idempotency key of a batch can be used only once: it is that of a new employee.
pub(super) const SHEETS: &[Step] = &[
    Step::First(ONBOARDED),
    post_call(
        "/v1/companies/{company}/time_tracking/time_sheets_batches",
        r#"{"idempotency_key":"{employee}","batch":[{"external_id":"trigger","entity_uuid":"{employee}","entity_type":"Employee","time_zone":"America/Chicago","shift_started_at":"{today}T09:00:00-06:00","shift_ended_at":"{today}T17:00:00-06:00"}]}"#,
        "",
    ),
];
pub(super) const ASKED: &[Step] = &[
    Step::First(ONBOARDED),
    post_call(
        "/v1/companies/{company}/time_off_policies",
        r#"{"name":"Vacation","policy_type":"vacation","accrual_method":"unlimited","complete":true}"#,
        "policy",
    ),
    put_call("/v1/time_off_policies/{policy}/add_employees", r#"{"employees":[{"uuid":"{employee}"}]}"#, ""),
    post_call(
        "/v1/companies/{company}/time_off/requests",
        r#"{"employee_uuid":"{employee}","policy_uuid":"{policy}","start_date":"{today+30}","end_date":"{today+30}","days":{"{today+30}":"8.000"}}"#,
        "request",
    ),
];

/// An employee with a child support order has left.
pub(super) const LEFT_WITH_ORDER: &[Step] = &[
    Step::First(ONBOARDED),
    post_call(
        "/v1/employees/{employee}/garnishments",
        r#"{"court_ordered":true,"garnishment_type":"child_support","amount":"50","deduct_as_percentage":true,"pay_period_maximum":"100.00","child_support":{"state":"TX","payment_period":"Monthly","fips_code":"48000","case_number":"0012345678"}}"#,
        "order",
    ),
    post_call("/v1/employees/{employee}/terminations", r#"{"effective_date":"{today-3}"}"#, "termination"),
];

/// A deduction to which an employee agreed.
pub(super) const DEDUCTION: Step = post_call(
    "/v1/employees/{employee}/garnishments",
    r#"{"court_ordered":false,"description":"Gym","amount":"25.00","recurring":true}"#,
    "deduction",
);

pub(super) const BACK: Step = post_call(
    "/v1/employees/{employee}/rehire",
    r#"{"effective_date":"{today-1}","file_new_hire_report":false,"work_location_uuid":"{location}"}"#,
    "rehire",
);
pub(super) const BACK_SOON: Step = post_call(
    "/v1/employees/{employee}/rehire",
    r#"{"effective_date":"{today+30}","file_new_hire_report":false,"work_location_uuid":"{location}"}"#,
    "rehire",
);

// The demo company's benefits and payrolls.

pub(super) const EXTERNAL_PAYROLL: Step = post_call(
    "/v1/companies/{company}/external_payrolls",
    r#"{"check_date":"2026-01-16","payment_period_start_date":"2026-01-05","payment_period_end_date":"2026-01-11"}"#,
    "external",
);
pub(super) const BENEFIT: Step = post_call(
    "/v1/companies/{company}/company_benefits",
    r#"{"benefit_type":202,"description":"Gym and fitness"}"#,
    "benefit",
);
pub(super) const ENROLLED: &[Step] = &[
    EMPLOYEE,
    BENEFIT,
    post_call(
        "/v1/employees/{employee}/employee_benefits",
        r#"{"company_benefit_uuid":"{benefit}","effective_date":"{today}","employee_deduction":"50.00"}"#,
        "enrolled",
    ),
];
const PEOPLE: Step = get_call("/v1/companies/{company}/employees", "people");
/// Days before the first pay period of any schedule of the demo world: later days are paid by regular payrolls.
pub(super) const TRANSITION: &[Step] = &[post_call(
    "/v1/companies/{company}/payrolls",
    r#"{"off_cycle":true,"off_cycle_reason":"Transition from old pay schedule","start_date":"{today-1013}","end_date":"{today-1000}"}"#,
    "payroll",
)];
pub(super) const OFF_CYCLE: &[Step] = &[
    PEOPLE,
    post_call(
        "/v1/companies/{company}/payrolls",
        r#"{"off_cycle":true,"off_cycle_reason":"Bonus","start_date":"{today-13}","end_date":"{today}","employee_uuids":["{people.onboarding_completed}"]}"#,
        "payroll",
    ),
];
/// Paid by checks that the employer writes, and therefore on the same day.
pub(super) const CHECK_ONLY: &[Step] = &[
    PEOPLE,
    post_call(
        "/v1/companies/{company}/payrolls",
        r#"{"off_cycle":true,"off_cycle_reason":"Bonus","is_check_only_payroll":true,"start_date":"{today-13}","end_date":"{today}","employee_uuids":["{people.onboarding_completed}"]}"#,
        "payroll",
    ),
];
/// A bonus about which the agency of an order must be notified before it is paid.
pub(super) const BONUS_WITH_ORDER: &[Step] = &[
    Step::First(OFF_CYCLE),
    post_call(
        "/v1/employees/{people.onboarding_completed}/garnishments",
        r#"{"court_ordered":true,"garnishment_type":"child_support","amount":"50","deduct_as_percentage":true,"pay_period_maximum":"100.00","child_support":{"state":"TX","payment_period":"Monthly","fips_code":"48000","case_number":"0012345678"}}"#,
        "order",
    ),
    put_call("/v1/companies/{company}/payrolls/{payroll}/prepare", "{ }", "prepared"),
    put_call(
        PAYROLL,
        r#"{"employee_compensations":[{"employee_uuid":"{people.onboarding_completed}","version":"{prepared.employee_compensations.0.version}","fixed_compensations":[{"name":"Bonus","amount":"900.00"}]}]}"#,
        "",
    ),
    CALCULATE,
    CALCULATED,
];
pub(super) const PAYROLL: &str = "/v1/companies/{company}/payrolls/{payroll}";
pub(super) const CALCULATE: Step = put_call("/v1/companies/{company}/payrolls/{payroll}/calculate", "", "");
pub(super) const CALCULATED: Step = Step::Until(PAYROLL, "processing_request.status", "calculate_success");
pub(super) const SUBMIT: Step = put_call("/v1/companies/{company}/payrolls/{payroll}/submit", "{ }", "");
pub(super) const PROCESSED: Step = Step::Until(PAYROLL, "processing_request.status", "submit_success");
pub(super) const PROCESSED_PAYROLL: &[Step] =
    &[Step::First(OFF_CYCLE), CALCULATE, CALCULATED, SUBMIT, PROCESSED];

// A new company.

pub(super) const PROVISIONED: &[Step] = &[
    Step::Call {
        by: By::Application,
        method: "POST",
        path: "/v1/partner_managed_companies",
        body: r#"{"user":{"first_name":"Susan","last_name":"Trigger","email":"susan.trigger@people.example"},"company":{"name":"Trigger Foods"}}"#,
        name: "new",
    },
    Step::Enter("new"),
];
pub(super) const SIGNATORY: Step = post_call(
    "/v1/companies/{company}/signatories",
    r#"{"first_name":"Susan","last_name":"Trigger","title":"Owner","phone":"2105550100","birthday":"1971-01-22",
        "email":"susan.trigger@people.example","ssn":"412551004",
        "home_address":{"street_1":"19 Willow Court","city":"San Antonio","state":"TX","zip":"78209"}}"#,
    "signatory",
);
pub(super) const FEDERAL: &[Step] = &[
    get_call("/v1/companies/{company}/federal_tax_details", "federal"),
    put_call(
        "/v1/companies/{company}/federal_tax_details",
        r#"{"version":"{federal.version}","legal_name":"Trigger Foods LLC","ein":"74-1852098","tax_payer_type":"LLC","filing_form":"941","taxable_as_scorp":false}"#,
        "federal",
    ),
];
pub(super) const BANK: Step = post_call(
    "/v1/companies/{company}/bank_accounts",
    r#"{"routing_number":"021001208","account_number":"90126600418","account_type":"Checking"}"#,
    "bank",
);
pub(super) const OTHER_BANK: Step = post_call(
    "/v1/companies/{company}/bank_accounts",
    r#"{"routing_number":"121000374","account_number":"7700190021","account_type":"Savings"}"#,
    "bank",
);
pub(super) const DEPOSITS: Step =
    post_call("/v1/companies/{company}/bank_accounts/{bank}/send_test_deposits", "", "deposits");
pub(super) const VERIFY: Step = put_call(
    "/v1/companies/{company}/bank_accounts/{bank}/verify",
    r#"{"deposit_1":"{deposits.deposit_1}","deposit_2":"{deposits.deposit_2}"}"#,
    "bank",
);
pub(super) const SCHEDULE: Step = post_call(
    "/v1/companies/{company}/pay_schedules",
    r#"{"frequency":"Every other week","anchor_pay_date":"{today+18}","anchor_end_of_pay_period":"{today+13}"}"#,
    "schedule",
);
const FORMS: Step = get_call("/v1/companies/{company}/forms", "forms");
const SIGN_DEPOSIT_FORM: Step = put_call(
    "/v1/forms/{forms.company_direct_deposit}/sign",
    r#"{"signature_text":"Susan Trigger","agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
    "signed",
);
pub(super) const SIGNED_COMPANY_FORM: &[Step] =
    &[Step::First(PROVISIONED), Step::First(FEDERAL), SIGNATORY, BANK, FORMS, SIGN_DEPOSIT_FORM];
/// A company that has completed everything before its first payroll.
pub(super) const FINISHED: &[Step] = &[
    Step::First(PROVISIONED),
    Step::First(FEDERAL),
    put_call("/v1/companies/{company}/industry_selection", r#"{"naics_code":"722511"}"#, ""),
    SIGNATORY,
    BANK,
    DEPOSITS,
    VERIFY,
    Step::First(ONBOARDED),
    get_call("/v1/companies/{company}/tax_requirements/TX", "asked"),
    Step::Answer { asked: "asked", name: "answers" },
    put_call("/v1/companies/{company}/tax_requirements/TX", "{answers}", ""),
    SCHEDULE,
    FORMS,
    SIGN_DEPOSIT_FORM,
    put_call(
        "/v1/forms/{forms.US_8655}/sign",
        r#"{"signature_text":"Susan Trigger","agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
        "",
    ),
    put_call("/v1/companies/{company}/finish_onboarding", "", ""),
];
pub(super) const SUSPEND: Step = put_call("/v1/companies/{company}/suspend", "", "");
pub(super) const NOTE_HIGH_RISK: Step =
    post_call("/v1/companies/{company}/traits", r#"{"trait":"high_risk_business","name":"fireworks"}"#, "");
pub(super) const NOTE_MARIJUANA: Step =
    post_call("/v1/companies/{company}/traits", r#"{"trait":"marijuana_business","name":"dispensary"}"#, "");

/// A new company with a second administrator.
pub(super) const ADMINISTERED: &[Step] = &[
    Step::First(PROVISIONED),
    post_call(
        "/v1/companies/{company}/admins",
        r#"{"first_name":"Nils","last_name":"Trigger","email":"nils.trigger@people.example"}"#,
        "admin",
    ),
];
/// A new company that pays holidays.
pub(super) const PAID_HOLIDAYS: &[Step] =
    &[Step::First(PROVISIONED), post_call("/v1/companies/{company}/holiday_pay_policy", "{}", "policy")];
