//! The calls that lead to each event. In paths and bodies `{name}` stands for what was answered before (see
//! [`super::Play`]). What changes a company itself happens to a new one, so that the demo world stays as it is reported.

use domain::events;
use domain::events::EventType;

/// Who calls.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// the company in hand, with its token
    Company,
    /// the application, with its own
    Application,
}

/// One step of a recipe.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// these steps first
    First(&'static [Step]),
    /// a call; its answer is remembered under the name
    Call { by: By, method: &'static str, path: &'static str, body: &'static str, name: &'static str },
    /// a call of the application that may be refused: method and path
    Unless(&'static str, &'static str),
    /// reading a path until a field has this text
    Until(&'static str, &'static str, &'static str),
    /// from here on the company of this answer is in hand
    Enter(&'static str),
    /// answers to what a state asked
    Answer { asked: &'static str, name: &'static str },
    /// an administrator of the company that is not connected lets the application in
    Consent(&'static str),
    /// somebody who holds a link guesses whose it is, too often
    Guess(&'static str),
}

const fn company(method: &'static str, path: &'static str, body: &'static str, name: &'static str) -> Step {
    Step::Call { by: By::Company, method, path, body, name }
}
const fn get(path: &'static str, name: &'static str) -> Step {
    company("GET", path, "", name)
}
const fn post(path: &'static str, body: &'static str, name: &'static str) -> Step {
    company("POST", path, body, name)
}
const fn put(path: &'static str, body: &'static str, name: &'static str) -> Step {
    company("PUT", path, body, name)
}
const fn delete(path: &'static str) -> Step {
    company("DELETE", path, "", "")
}

// People of the demo company.

const LOCATION: Step = post(
    "/v1/companies/{company}/locations",
    r#"{"street_1":"12 Depot Street","city":"Austin","state":"TX","zip":"78701","phone_number":"5125550111"}"#,
    "location",
);
const EMPLOYEE: Step = post(
    "/v1/companies/{company}/employees",
    r#"{"first_name":"Robin","last_name":"Trigger","email":"robin@people.example","self_onboarding":true}"#,
    "employee",
);
const HOME: Step = post(
    "/v1/employees/{employee}/home_addresses",
    r#"{"street_1":"4 Elm Street","city":"Austin","state":"TX","zip":"78701","effective_date":"2026-01-05"}"#,
    "home",
);
const LATER_HOME: Step = post(
    "/v1/employees/{employee}/home_addresses",
    r#"{"street_1":"9 Oak Street","city":"Dallas","state":"TX","zip":"75201","effective_date":"2026-02-02"}"#,
    "later",
);
const WORK: Step = post(
    "/v1/employees/{employee}/work_addresses",
    r#"{"location_uuid":"{location}","effective_date":"2026-01-05"}"#,
    "work",
);
const LATER_WORK: Step = post(
    "/v1/employees/{employee}/work_addresses",
    r#"{"location_uuid":"{location}","effective_date":"2026-02-02"}"#,
    "later",
);
const JOB: Step =
    post("/v1/employees/{employee}/jobs", r#"{"title":"Host","hire_date":"2026-01-05"}"#, "job");
const PAY: Step = put(
    "/v1/compensations/{job.compensations.0}",
    r#"{"version":"{job.compensations.0.version}","rate":"21.00","payment_unit":"Hour","flsa_status":"Nonexempt"}"#,
    "pay",
);
const RAISE: Step = post(
    "/v1/jobs/{job}/compensations",
    r#"{"rate":"23.00","payment_unit":"Hour","flsa_status":"Nonexempt","effective_date":"2026-02-02"}"#,
    "raise",
);
const ACCOUNT: Step = post(
    "/v1/employees/{employee}/bank_accounts",
    r#"{"name":"Household","routing_number":"021001208","account_number":"40070045","account_type":"Checking"}"#,
    "account",
);
const W4: &[Step] = &[
    EMPLOYEE,
    get("/v1/employees/{employee}/federal_taxes", "taxes"),
    put(
        "/v1/employees/{employee}/federal_taxes",
        r#"{"version":"{taxes.version}","w4_data_type":"rev_2020_w4","filing_status":"Single","extra_withholding":"10.00"}"#,
        "taxes",
    ),
];
const SIGNED_W4: &[Step] = &[
    Step::First(W4),
    get("/v1/employees/{employee}/forms", "forms"),
    put(
        "/v1/employees/{employee}/forms/{forms.US_W-4}/sign",
        r#"{"signature_text":"Robin Trigger","agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
        "signed",
    ),
];
/// The employer hands out the paper forms and says so, and it is the employer's turn.
const EVERY_STEP: &[Step] = &[
    EMPLOYEE,
    put(
        "/v1/employees/{employee}/onboarding_status",
        r#"{"onboarding_steps":[{"id":"personal_details","completed":true},{"id":"compensation_details","completed":true},
            {"id":"add_work_address","completed":true},{"id":"add_home_address","completed":true},
            {"id":"federal_tax_setup","completed":true},{"id":"state_tax_setup","completed":true},
            {"id":"direct_deposit_setup","completed":true},{"id":"employee_form_signing","completed":true},
            {"id":"file_new_hire_report","completed":true}]}"#,
        "onboarding",
    ),
];
/// Somebody who can be paid.
const ONBOARDED: &[Step] = &[
    LOCATION,
    post(
        "/v1/companies/{company}/employees",
        r#"{"first_name":"Robin","last_name":"Trigger","email":"robin@people.example","date_of_birth":"1988-08-08","ssn":"412552001"}"#,
        "employee",
    ),
    HOME,
    WORK,
    JOB,
    PAY,
    put(
        "/v1/employees/{employee}/onboarding_status",
        r#"{"onboarding_status":"onboarding_completed","onboarding_steps":[{"id":"federal_tax_setup","completed":true},
            {"id":"state_tax_setup","completed":true},{"id":"direct_deposit_setup","completed":true},
            {"id":"employee_form_signing","completed":true},{"id":"file_new_hire_report","completed":true}]}"#,
        "onboarding",
    ),
];

const LEAVING: &[Step] = &[
    Step::First(ONBOARDED),
    post("/v1/employees/{employee}/terminations", r#"{"effective_date":"{today+30}"}"#, "termination"),
];
// Days are counted from that of UTC, where it may be a day later than at the company.
const LEFT: &[Step] = &[
    Step::First(ONBOARDED),
    post("/v1/employees/{employee}/terminations", r#"{"effective_date":"{today-3}"}"#, "termination"),
];

/// An employee with a policy of vacation asks for a day off.
const ASKED: &[Step] = &[
    Step::First(ONBOARDED),
    post(
        "/v1/companies/{company}/time_off_policies",
        r#"{"name":"Vacation","policy_type":"vacation","accrual_method":"unlimited","complete":true}"#,
        "policy",
    ),
    put("/v1/time_off_policies/{policy}/add_employees", r#"{"employees":[{"uuid":"{employee}"}]}"#, ""),
    post(
        "/v1/companies/{company}/time_off/requests",
        r#"{"employee_uuid":"{employee}","policy_uuid":"{policy}","start_date":"{today+30}","end_date":"{today+30}","days":{"{today+30}":"8.000"}}"#,
        "request",
    ),
];

/// Somebody with an order for support has left.
const LEFT_WITH_ORDER: &[Step] = &[
    Step::First(ONBOARDED),
    post(
        "/v1/employees/{employee}/garnishments",
        r#"{"court_ordered":true,"garnishment_type":"child_support","amount":"50","deduct_as_percentage":true,"pay_period_maximum":"100.00","child_support":{"state":"TX","payment_period":"Monthly","fips_code":"48000","case_number":"0012345678"}}"#,
        "order",
    ),
    post("/v1/employees/{employee}/terminations", r#"{"effective_date":"{today-3}"}"#, "termination"),
];

const BACK: Step = post(
    "/v1/employees/{employee}/rehire",
    r#"{"effective_date":"{today-1}","file_new_hire_report":false,"work_location_uuid":"{location}"}"#,
    "rehire",
);
const BACK_SOON: Step = post(
    "/v1/employees/{employee}/rehire",
    r#"{"effective_date":"{today+30}","file_new_hire_report":false,"work_location_uuid":"{location}"}"#,
    "rehire",
);

// What the demo company offers and pays.

const EXTERNAL_PAYROLL: Step = post(
    "/v1/companies/{company}/external_payrolls",
    r#"{"check_date":"2026-01-16","payment_period_start_date":"2026-01-05","payment_period_end_date":"2026-01-11"}"#,
    "external",
);
const BENEFIT: Step = post(
    "/v1/companies/{company}/company_benefits",
    r#"{"benefit_type":202,"description":"Gym and fitness"}"#,
    "benefit",
);
const ENROLLED: &[Step] = &[
    EMPLOYEE,
    BENEFIT,
    post(
        "/v1/employees/{employee}/employee_benefits",
        r#"{"company_benefit_uuid":"{benefit}","effective_date":"{today}","employee_deduction":"50.00"}"#,
        "enrolled",
    ),
];
const PEOPLE: Step = get("/v1/companies/{company}/employees", "people");
const OFF_CYCLE: &[Step] = &[
    PEOPLE,
    post(
        "/v1/companies/{company}/payrolls",
        r#"{"off_cycle":true,"off_cycle_reason":"Bonus","start_date":"{today-13}","end_date":"{today}","employee_uuids":["{people.onboarding_completed}"]}"#,
        "payroll",
    ),
];
/// Paid by checks that the employer writes, and so on the same day.
const CHECK_ONLY: &[Step] = &[
    PEOPLE,
    post(
        "/v1/companies/{company}/payrolls",
        r#"{"off_cycle":true,"off_cycle_reason":"Bonus","is_check_only_payroll":true,"start_date":"{today-13}","end_date":"{today}","employee_uuids":["{people.onboarding_completed}"]}"#,
        "payroll",
    ),
];
/// A bonus of which the agency of an order is told before it is paid.
const BONUS_WITH_ORDER: &[Step] = &[
    Step::First(OFF_CYCLE),
    post(
        "/v1/employees/{people.onboarding_completed}/garnishments",
        r#"{"court_ordered":true,"garnishment_type":"child_support","amount":"50","deduct_as_percentage":true,"pay_period_maximum":"100.00","child_support":{"state":"TX","payment_period":"Monthly","fips_code":"48000","case_number":"0012345678"}}"#,
        "order",
    ),
    put("/v1/companies/{company}/payrolls/{payroll}/prepare", "{ }", "prepared"),
    put(
        PAYROLL,
        r#"{"employee_compensations":[{"employee_uuid":"{people.onboarding_completed}","version":"{prepared.employee_compensations.0.version}","fixed_compensations":[{"name":"Bonus","amount":"900.00"}]}]}"#,
        "",
    ),
    CALCULATE,
    CALCULATED,
];
const PAYROLL: &str = "/v1/companies/{company}/payrolls/{payroll}";
const CALCULATE: Step = put("/v1/companies/{company}/payrolls/{payroll}/calculate", "", "");
const CALCULATED: Step = Step::Until(PAYROLL, "processing_request.status", "calculate_success");
const SUBMIT: Step = put("/v1/companies/{company}/payrolls/{payroll}/submit", "{ }", "");
const PROCESSED: Step = Step::Until(PAYROLL, "processing_request.status", "submit_success");
const PROCESSED_PAYROLL: &[Step] = &[Step::First(OFF_CYCLE), CALCULATE, CALCULATED, SUBMIT, PROCESSED];

// A new company.

const PROVISIONED: &[Step] = &[
    Step::Call {
        by: By::Application,
        method: "POST",
        path: "/v1/partner_managed_companies",
        body: r#"{"user":{"first_name":"Susan","last_name":"Trigger","email":"susan.trigger@people.example"},"company":{"name":"Trigger Foods"}}"#,
        name: "new",
    },
    Step::Enter("new"),
];
const SIGNATORY: Step = post(
    "/v1/companies/{company}/signatories",
    r#"{"first_name":"Susan","last_name":"Trigger","title":"Owner","phone":"2105550100","birthday":"1971-01-22",
        "email":"susan.trigger@people.example","ssn":"412551004",
        "home_address":{"street_1":"19 Willow Court","city":"San Antonio","state":"TX","zip":"78209"}}"#,
    "signatory",
);
const FEDERAL: &[Step] = &[
    get("/v1/companies/{company}/federal_tax_details", "federal"),
    put(
        "/v1/companies/{company}/federal_tax_details",
        r#"{"version":"{federal.version}","legal_name":"Trigger Foods LLC","ein":"74-1852098","tax_payer_type":"LLC","filing_form":"941","taxable_as_scorp":false}"#,
        "federal",
    ),
];
const BANK: Step = post(
    "/v1/companies/{company}/bank_accounts",
    r#"{"routing_number":"021001208","account_number":"90126600418","account_type":"Checking"}"#,
    "bank",
);
const OTHER_BANK: Step = post(
    "/v1/companies/{company}/bank_accounts",
    r#"{"routing_number":"121000374","account_number":"7700190021","account_type":"Savings"}"#,
    "bank",
);
const DEPOSITS: Step =
    post("/v1/companies/{company}/bank_accounts/{bank}/send_test_deposits", "", "deposits");
const VERIFY: Step = put(
    "/v1/companies/{company}/bank_accounts/{bank}/verify",
    r#"{"deposit_1":"{deposits.deposit_1}","deposit_2":"{deposits.deposit_2}"}"#,
    "bank",
);
const SCHEDULE: Step = post(
    "/v1/companies/{company}/pay_schedules",
    r#"{"frequency":"Every other week","anchor_pay_date":"{today+18}","anchor_end_of_pay_period":"{today+13}"}"#,
    "schedule",
);
const FORMS: Step = get("/v1/companies/{company}/forms", "forms");
const SIGN_DEPOSIT_FORM: Step = put(
    "/v1/forms/{forms.company_direct_deposit}/sign",
    r#"{"signature_text":"Susan Trigger","agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
    "signed",
);
const SIGNED_COMPANY_FORM: &[Step] =
    &[Step::First(PROVISIONED), Step::First(FEDERAL), SIGNATORY, BANK, FORMS, SIGN_DEPOSIT_FORM];
/// A company that has settled everything before its first payroll.
const FINISHED: &[Step] = &[
    Step::First(PROVISIONED),
    Step::First(FEDERAL),
    put("/v1/companies/{company}/industry_selection", r#"{"naics_code":"722511"}"#, ""),
    SIGNATORY,
    BANK,
    DEPOSITS,
    VERIFY,
    Step::First(ONBOARDED),
    get("/v1/companies/{company}/tax_requirements/TX", "asked"),
    Step::Answer { asked: "asked", name: "answers" },
    put("/v1/companies/{company}/tax_requirements/TX", "{answers}", ""),
    SCHEDULE,
    FORMS,
    SIGN_DEPOSIT_FORM,
    put(
        "/v1/forms/{forms.US_8655}/sign",
        r#"{"signature_text":"Susan Trigger","agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
        "",
    ),
    put("/v1/companies/{company}/finish_onboarding", "", ""),
];
const SUSPEND: Step = put("/v1/companies/{company}/suspend", "", "");
const NOTE_HIGH_RISK: Step =
    post("/v1/companies/{company}/traits", r#"{"trait":"high_risk_business","name":"fireworks"}"#, "");
const NOTE_MARIJUANA: Step =
    post("/v1/companies/{company}/traits", r#"{"trait":"marijuana_business","name":"dispensary"}"#, "");

/// Every event with the steps that lead to it; a test compares them with those that there are.
pub const RECIPES: &[(EventType, &[Step])] = &[
    (events::COMPANY_PROVISIONED, PROVISIONED),
    (events::COMPANY_PARTNER_AUTHORIZED, &[Step::Consent("connected")]),
    (
        events::COMPANY_MIGRATED,
        &[
            Step::Consent("connected"),
            Step::Unless("PUT", "/v1/partner_managed_companies/{connected.company_uuid}/disassociate"),
            Step::Consent("connected"),
            Step::Enter("connected"),
            get("/v1/companies/{company}/signatories", "signatories"),
            post(
                "/v1/partner_managed_companies/{company}/accept_terms_of_service",
                r#"{"email":"{signatories.0.email}","ip_address":"203.0.113.7","external_user_id":"user-7"}"#,
                "",
            ),
            put(
                "/v1/partner_managed_companies/{company}/migrate",
                r#"{"email":"{signatories.0.email}","ip_address":"203.0.113.7","external_user_id":"user-7"}"#,
                "",
            ),
        ],
    ),
    (
        events::COMPANY_DEPROVISIONED,
        &[
            Step::First(PROVISIONED),
            Step::Call {
                by: By::Application,
                method: "PUT",
                path: "/v1/partner_managed_companies/{company}/disassociate",
                body: "",
                name: "",
            },
        ],
    ),
    (
        events::COMPANY_UPDATED,
        &[Step::First(PROVISIONED), put("/v1/companies/{company}", r#"{"contractor_only":true}"#, "")],
    ),
    (events::COMPANY_ONBOARDED, FINISHED),
    (events::COMPANY_NEEDS_APPROVAL, FINISHED),
    (events::COMPANY_APPROVED, &[Step::First(FINISHED), put("/v1/companies/{company}/approve", "", "")]),
    (events::COMPANY_SUSPENDED, &[Step::First(PROVISIONED), SUSPEND]),
    (
        events::COMPANY_UNSUSPENDED,
        &[Step::First(PROVISIONED), SUSPEND, put("/v1/companies/{company}/reinstate", "", "")],
    ),
    (events::COMPANY_MARKED_AS_HIGH_RISK, &[Step::First(PROVISIONED), NOTE_HIGH_RISK]),
    (events::COMPANY_MARKED_AS_MARIJUANA, &[Step::First(PROVISIONED), NOTE_MARIJUANA]),
    (events::COMPANY_BANK_ACCOUNT_CREATED, &[Step::First(PROVISIONED), BANK]),
    (events::COMPANY_BANK_ACCOUNT_UPDATED, &[Step::First(PROVISIONED), BANK, DEPOSITS]),
    (events::COMPANY_BANK_ACCOUNT_DELETED, &[Step::First(PROVISIONED), BANK, OTHER_BANK]),
    (events::COMPANY_BANK_ACCOUNT_VERIFIED, &[Step::First(PROVISIONED), BANK, DEPOSITS, VERIFY]),
    (events::COMPANY_FORM_CREATED, &[Step::First(PROVISIONED), Step::First(FEDERAL), SIGNATORY]),
    (events::COMPANY_FORM_SIGNED, SIGNED_COMPANY_FORM),
    (events::COMPANY_FORM_UPDATED, &[Step::First(SIGNED_COMPANY_FORM), OTHER_BANK]),
    (events::SIGNATORY_CREATED, &[Step::First(PROVISIONED), SIGNATORY]),
    (
        events::SIGNATORY_UPDATED,
        &[
            Step::First(PROVISIONED),
            SIGNATORY,
            put(
                "/v1/companies/{company}/signatories/{signatory}",
                r#"{"version":"{signatory.version}","title":"President"}"#,
                "",
            ),
        ],
    ),
    (
        events::SIGNATORY_DELETED,
        &[Step::First(PROVISIONED), SIGNATORY, delete("/v1/companies/{company}/signatories/{signatory}")],
    ),
    (
        events::SIGNATORY_MARKED_FOR_INVITE,
        &[
            Step::First(PROVISIONED),
            post(
                "/v1/companies/{company}/signatories/invite",
                r#"{"first_name":"Susan","last_name":"Trigger","email":"susan.trigger@people.example"}"#,
                "",
            ),
        ],
    ),
    (events::PAY_SCHEDULE_CREATED, &[Step::First(PROVISIONED), SCHEDULE]),
    (
        events::PAY_SCHEDULE_UPDATED,
        &[
            Step::First(PROVISIONED),
            SCHEDULE,
            put(
                "/v1/companies/{company}/pay_schedules/{schedule}",
                r#"{"version":"{schedule.version}","custom_name":"Everybody"}"#,
                "",
            ),
        ],
    ),
    (events::LOCATION_CREATED, &[LOCATION]),
    (
        events::LOCATION_UPDATED,
        &[
            LOCATION,
            put("/v1/locations/{location}", r#"{"version":"{location.version}","street_2":"Suite 7"}"#, ""),
        ],
    ),
    (events::EMPLOYEE_CREATED, &[EMPLOYEE]),
    (events::EMPLOYEE_MARKED_FOR_SELF_ONBOARDING, &[EMPLOYEE]),
    (
        events::EMPLOYEE_UPDATED,
        &[
            EMPLOYEE,
            put(
                "/v1/employees/{employee}",
                r#"{"version":"{employee.version}","last_name":"Triggered"}"#,
                "",
            ),
        ],
    ),
    (events::EMPLOYEE_DELETED, &[EMPLOYEE, delete("/v1/employees/{employee}")]),
    (events::EMPLOYEE_ONBOARDED, ONBOARDED),
    (events::EMPLOYEE_SELF_ONBOARDING_COMPLETED, EVERY_STEP),
    (events::NOTIFICATION_EMPLOYEE_REVIEW_CREATED, EVERY_STEP),
    (events::EMPLOYEE_TERMINATED, LEAVING),
    (events::EMPLOYEE_TERMINATED_EFFECTIVE, LEFT),
    (events::EMPLOYEE_SUPPORT_ORDER_LEAVES, LEFT_WITH_ORDER),
    (events::EMPLOYEE_LUMP_SUM_TO_REPORT, BONUS_WITH_ORDER),
    (
        events::EMPLOYEE_TERMINATION_CANCELLED,
        &[Step::First(LEAVING), delete("/v1/employees/{employee}/terminations")],
    ),
    (events::EMPLOYEE_REHIRED, &[Step::First(LEFT), BACK_SOON]),
    (events::EMPLOYEE_REHIRE_EFFECTIVE, &[Step::First(LEFT), BACK]),
    (
        events::EMPLOYEE_REHIRE_CANCELLED,
        &[Step::First(LEFT), BACK_SOON, delete("/v1/employees/{employee}/rehire")],
    ),
    (events::TIME_OFF_REQUEST_CREATED, ASKED),
    (
        events::TIME_OFF_REQUEST_UPDATED,
        &[Step::First(ASKED), put("/v1/time_off/requests/{request}/approve", "{}", "")],
    ),
    (events::TIME_OFF_REQUEST_DELETED, &[Step::First(ASKED), delete("/v1/time_off/requests/{request}")]),
    (events::HOME_ADDRESS_CREATED, &[EMPLOYEE, HOME]),
    (
        events::HOME_ADDRESS_UPDATED,
        &[
            EMPLOYEE,
            HOME,
            put("/v1/home_addresses/{home}", r#"{"version":"{home.version}","street_2":"Unit 3"}"#, ""),
        ],
    ),
    (events::HOME_ADDRESS_DELETED, &[EMPLOYEE, HOME, LATER_HOME, delete("/v1/home_addresses/{home}")]),
    (events::WORK_ADDRESS_CREATED, &[EMPLOYEE, LOCATION, WORK]),
    (
        events::WORK_ADDRESS_UPDATED,
        &[
            EMPLOYEE,
            LOCATION,
            WORK,
            LATER_WORK,
            put(
                "/v1/work_addresses/{later}",
                r#"{"version":"{later.version}","effective_date":"2026-03-02"}"#,
                "",
            ),
        ],
    ),
    (
        events::WORK_ADDRESS_DELETED,
        &[EMPLOYEE, LOCATION, WORK, LATER_WORK, delete("/v1/work_addresses/{work}")],
    ),
    (events::BANK_ACCOUNT_CREATED, &[EMPLOYEE, ACCOUNT]),
    (events::EMPLOYEE_PAYMENT_METHOD_TYPE_UPDATED, &[EMPLOYEE, ACCOUNT]),
    (
        events::BANK_ACCOUNT_UPDATED,
        &[
            EMPLOYEE,
            ACCOUNT,
            put(
                "/v1/employees/{employee}/bank_accounts/{account}",
                r#"{"name":"Joint","routing_number":"021001208","account_number":"52190031","account_type":"Savings"}"#,
                "",
            ),
        ],
    ),
    (
        events::BANK_ACCOUNT_DELETED,
        &[EMPLOYEE, ACCOUNT, delete("/v1/employees/{employee}/bank_accounts/{account}")],
    ),
    (events::COMPENSATION_CREATED, &[EMPLOYEE, JOB]),
    (events::COMPENSATION_UPDATED, &[EMPLOYEE, JOB, PAY]),
    (events::COMPENSATION_DELETED, &[EMPLOYEE, JOB, PAY, RAISE, delete("/v1/compensations/{raise}")]),
    (events::FORM_CREATED, W4),
    (events::FORM_SIGNED, SIGNED_W4),
    (
        events::FORM_UPDATED,
        &[
            Step::First(SIGNED_W4),
            put(
                "/v1/employees/{employee}/federal_taxes",
                r#"{"version":"{taxes.version}","w4_data_type":"rev_2020_w4","filing_status":"Married"}"#,
                "",
            ),
        ],
    ),
    (events::EXTERNAL_PAYROLL_CREATED, &[EXTERNAL_PAYROLL]),
    (
        events::EXTERNAL_PAYROLL_UPDATED,
        &[
            EMPLOYEE,
            EXTERNAL_PAYROLL,
            put(
                "/v1/companies/{company}/external_payrolls/{external}",
                r#"{"external_payroll_items":[{"employee_uuid":"{employee}","earnings":[{"earning_id":1,"amount":"1000.00"}]}]}"#,
                "",
            ),
        ],
    ),
    (
        events::EXTERNAL_PAYROLL_DELETED,
        &[EXTERNAL_PAYROLL, delete("/v1/companies/{company}/external_payrolls/{external}")],
    ),
    (events::COMPANY_BENEFIT_CREATED, &[BENEFIT]),
    (
        events::COMPANY_BENEFIT_UPDATED,
        &[
            BENEFIT,
            put(
                "/v1/company_benefits/{benefit}",
                r#"{"version":"{benefit.version}","description":"Gym, fitness and swimming"}"#,
                "",
            ),
        ],
    ),
    (events::COMPANY_BENEFIT_DELETED, &[BENEFIT, delete("/v1/company_benefits/{benefit}")]),
    (events::EMPLOYEE_BENEFIT_CREATED, ENROLLED),
    (
        events::EMPLOYEE_BENEFIT_UPDATED,
        &[
            Step::First(ENROLLED),
            put(
                "/v1/employee_benefits/{enrolled}",
                r#"{"version":"{enrolled.version}","employee_deduction":"55.00"}"#,
                "",
            ),
        ],
    ),
    (
        events::EMPLOYEE_CONFIRMATION_FAILED,
        &[
            post(
                "/v1/companies/{company}/employees",
                r#"{"first_name":"Robin","last_name":"Trigger","date_of_birth":"1990-04-01","ssn":"412551077"}"#,
                "employee",
            ),
            post(
                "/v1/companies/{company}/flows",
                r#"{"flow_type":"employee_self_management","entity_type":"Employee","entity_uuid":"{employee}"}"#,
                "link",
            ),
            Step::Guess("link"),
        ],
    ),
    (events::EMPLOYEE_BENEFIT_DELETED, &[Step::First(ENROLLED), delete("/v1/employee_benefits/{enrolled}")]),
    (events::PAYROLL_CREATED, OFF_CYCLE),
    (
        events::PAYROLL_UPDATED,
        &[
            Step::First(OFF_CYCLE),
            put("/v1/companies/{company}/payrolls/{payroll}/prepare", "{ }", "prepared"),
            put(
                PAYROLL,
                r#"{"employee_compensations":[{"employee_uuid":"{people.onboarding_completed}","version":"{prepared.employee_compensations.0.version}","memo":"Thank you"}]}"#,
                "",
            ),
        ],
    ),
    (events::PAYROLL_DELETED, &[Step::First(OFF_CYCLE), delete(PAYROLL)]),
    (events::PAYROLL_CALCULATED, &[Step::First(OFF_CYCLE), CALCULATE, CALCULATED]),
    (events::PAYROLL_SUBMITTED, &[Step::First(OFF_CYCLE), CALCULATE, CALCULATED, SUBMIT]),
    (events::PAYROLL_PROCESSED, PROCESSED_PAYROLL),
    (
        events::PAYROLL_CANCELLED,
        &[Step::First(PROCESSED_PAYROLL), put("/v1/companies/{company}/payrolls/{payroll}/cancel", "", "")],
    ),
    (events::PAYROLL_PAID, &[Step::First(CHECK_ONLY), CALCULATE, CALCULATED, SUBMIT, PROCESSED]),
    (
        events::PAYROLL_PROCESSING_FAILED,
        &[Step::First(OFF_CYCLE), put("/v1/companies/{company}/payrolls/{payroll}/fail", "", "")],
    ),
];
