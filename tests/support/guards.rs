//! Which guards a unit must hold before it changes what is there already, by table: looked at before every statement of the
//! program, on both engines. A file store has one writer, where a guard does nothing; a unit that forgets one would be
//! right there, and wrong on PostgreSQL, at times.

use std::collections::HashSet;
use std::sync::OnceLock;

use store::{Guard, Sql, Watch};

/// Under one of which guards rows of a table are updated and deleted. New rows have names of their own, and need none.
const GUARDED: &[(&[&str], &[&str])] = &[
    (
        &["companies"],
        &["companies", "company_federal_taxes", "company_access", "company_onboarding", "locations"],
    ),
    (&["company_admins", "users"], &["company_admins"]),
    (&["company_attachments", "company_attachment_contents"], &["company_attachments"]),
    (&["company_bank_accounts"], &["company_bank_accounts"]),
    (&["company_federal_taxes"], &["company_federal_taxes", "company_onboarding"]),
    (&["company_forms", "company_form_signatures"], &["company_forms"]),
    (&["company_suspensions"], &["company_onboarding"]),
    (&["departments", "department_members"], &["departments"]),
    (&["earning_types"], &["earning_types"]),
    (&["ledger_accounts"], &["ledger_accounts"]),
    (&["liability_payments"], &["liability_payments"]),
    (&["payroll_checks", "check_settings"], &["payroll_checks"]),
    (&["payroll_reversals"], &["payment_batches"]),
    (&["voided_paychecks"], &["payrolls"]),
    // Those of an employee who is deleted go under the employee's guard.
    (&["time_sheets"], &["time_sheets", "employee"]),
    (&["external_payrolls", "external_tax_liabilities"], &["external_payrolls"]),
    // Those of an employee who is deleted go under the employee's guard.
    (&["external_payroll_items"], &["external_payrolls", "employee"]),
    (&["holiday_pay_policies", "holiday_pay_employees"], &["holiday_pay_policies"]),
    (&["company_industries"], &["company_industries"]),
    (&["company_onboarding"], &["company_onboarding"]),
    (&["company_tax_answers"], &["company_tax_answers"]),
    (&["company_traits"], &["company_traits"]),
    (&["locations"], &["locations"]),
    (&["signatories"], &["signatories"]),
    (&["time_off_policies"], &["time_off_policies"]),
    (&["terms_acceptances"], &["terms_acceptances"]),
    (
        &[
            "compensations",
            "employee_bank_accounts",
            "employee_federal_taxes",
            "employee_form_signatures",
            "employee_forms",
            "employee_i9",
            "employee_i9_reviews",
            "employee_jobs",
            "employee_payment_methods",
            "employee_state_taxes",
            "employees",
            "home_address_questions",
            "low_wages",
            "home_addresses",
            "benefit_amounts_elsewhere",
            "new_hire_filings",
            "statement_consents",
            "opening_balances",
            "section603_statuses",
            "recurring_reimbursements",
            "rehires",
            "salary_estimates",
            "terminations",
            "time_off_changes",
            "time_off_enrollments",
            "time_off_request_days",
            "time_off_requests",
            "work_addresses",
        ],
        &["employee"],
    ),
    (
        &[
            "contractors",
            "contractor_addresses",
            "contractor_bank_accounts",
            "contractor_documents",
            "contractor_document_signatures",
        ],
        &["contractor"],
    ),
    // Those of an employee who is deleted go under the employee's guard.
    (&["garnishments"], &["garnishment", "employee"]),
    (&["flow_confirmations"], &["employee", "contractor", "signatories"]),
    (&["employee_benefits"], &["employee"]),
    (&["company_benefits"], &["company_benefit"]),
    (
        &["pay_schedules", "pay_schedule_assignments", "pay_schedule_choices", "pay_schedule_stretches"],
        &["pay_schedules"],
    ),
    (&["account_corrections"], &["employee", "contractor", "company_bank_accounts"]),
    (&["bank_returns"], &["bank_returns"]),
    (&["bank_settings"], &["bank_settings"]),
    (&["wire_in_requests"], &["wire_in_requests"]),
    (&["recovery_cases"], &["recovery_cases"]),
    (&["bank_files"], &["bank_files"]),
    (&["deposit_schedules"], &["deposit_schedules"]),
    (&["tax_deposits", "tax_deposit_parts"], &["tax_deposits"]),
    (&["tax_forms", "tax_form_corrections", "year_preparations"], &["tax_forms"]),
    (&["outside_deposits"], &["outside_deposits"]),
    (&["company_fundings"], &["company_fundings"]),
    (&["payment_batches", "payment_entries"], &["payment_batches"]),
    (&["payroll_settings"], &["payroll_settings"]),
    (&["payment_configs"], &["payment_configs"]),
    (&["partner_disbursements"], &["payrolls"]),
    (&["payroll_fundings"], &["payrolls", "contractor_payment_groups"]),
    (&["contractor_payment_groups", "contractor_payments"], &["contractor_payment_groups"]),
    // A schedule whose terms change makes its open payrolls anew.
    (&["payrolls", "payroll_inputs", "lump_sum_notices"], &["payrolls", "pay_schedules"]),
    (&["payroll_postings", "payroll_posting_lines"], &["payrolls", "contractor_payment_groups"]),
    (
        &["payroll_runs", "benefit_payroll_items", "garnishment_withholdings", "last_paychecks"],
        &["payroll_runs"],
    ),
    (&["authorization_codes"], &["authorization_code", "company_access"]),
    // That of a member who is deleted goes under the member's guard.
    (&["member_portal_invitations"], &["company_access", "employee", "contractor"]),
    (&["token_pairs"], &["token_family", "company_access"]),
    (&["event_numbers", "events"], &["event_numbers"]),
    (&["audit_seals"], &["audit_seals"]),
    (&["sign_in_attempts"], &["sign_in"]),
];

/// Tables whose rows are changed without a guard, and why that is right.
const FREE: &[(&str, &str)] = &[
    ("applications", "changed at the command line alone, each statement by itself"),
    ("application_themes", "set at the command line alone, one statement puts or removes it"),
    ("audit", "never changed"),
    ("clock_marks", "one statement puts it"),
    ("confirmed_figures", "one statement puts each, and nothing rests on another"),
    ("connections", "one statement begins or ends it, whatever was there"),
    ("past_connections", "written once, and swept"),
    ("employee_counts", "each statement adds a difference, whatever is there"),
    ("data_keys", "wrapped again by one process at a time; the row says by which key it is wrapped"),
    ("data_key_rotations", "says that a change of the data keys was begun, and how far it came"),
    ("deliveries", "its counter of claims decides between two nodes"),
    ("delivery_tries", "written once, and swept"),
    ("document_links", "written once, and swept"),
    ("file_positions", "set at the command line alone, one statement puts or removes each"),
    ("flow_drafts", "the last one counts, whoever wrote it"),
    ("flow_links", "one statement notes the use, or the end"),
    ("flow_sessions", "one statement notes the use"),
    ("guards", "the guards themselves"),
    ("idempotency", "its key decides who was first"),
    ("job_failures", "belongs to a piece of work that one node holds"),
    ("known_browsers", "one statement puts the last sign-in, or forgets them"),
    ("jobs", "its attempt decides between two nodes"),
    ("master_keys", "written at the start"),
    (
        "payroll_results",
        "written by the one calculation that knows its run, and swept when no payroll names it",
    ),
    ("report_links", "written once, and swept"),
    ("report_requests", "its version decides, and it is made once"),
    ("time_sheet_batches", "written once, under the guard of its key, and swept"),
    ("people_batches", "written once, under the guard of its key, and swept"),
    ("bulk_reports", "written once, and swept"),
    ("payroll_batches", "written once, under the guard of its key, and swept"),
    ("payroll_digests", "written once, under the guard of its key, and swept"),
    ("payroll_syncs", "its version decides, and it is done once"),
    ("reference_current", "one row, put by one statement"),
    ("reference_data", "a vintage never changes"),
    ("tokens", "withdrawn by a statement that changes nothing twice"),
    ("user_emails", "written once"),
    ("user_sessions", "one statement notes the use"),
    ("webhook_subscriptions", "each statement says in which status it counts"),
];

/// Statements on guarded tables that need no guard, and why.
const BY_THEMSELVES: &[(&str, &str)] = &[(
    "DELETE FROM sign_in_attempts WHERE subject = $1",
    "whatever was counted is forgotten after a good sign-in",
)];

/// Looks at every write of a store in a test.
pub struct Guards;

impl Watch for Guards {
    fn before_write(&self, sql: Sql, held: &[Guard]) {
        static PROGRAM: OnceLock<HashSet<&'static str>> = OnceLock::new();
        let program =
            PROGRAM.get_or_init(|| pages::routes::all_statements().iter().map(|sql| sql.text()).collect());
        // What a test writes by itself is its own affair.
        if program.contains(sql.text())
            && let Some(why) = missing(sql.text(), held)
        {
            panic!("{why}: {}", sql.text());
        }
    }
}

/// Which guard a statement lacks, if it needs one that is not held.
fn missing(sql: &str, held: &[Guard]) -> Option<String> {
    let mut words = sql.split_whitespace();
    let (verb, next) = (words.next()?, words.next()?);
    let table = if verb == "UPDATE" { next } else { words.next()? };
    let table = table.trim_end_matches('(');
    let is_new = verb == "INSERT" && !sql.contains("ON CONFLICT");
    // Sweeping asks for nothing but the age of a row, which nothing changes.
    let sweeps = verb == "DELETE" && sql.contains("LIMIT");
    if BY_THEMSELVES.iter().any(|(statement, _)| *statement == sql) {
        return None;
    }
    if is_new || sweeps || FREE.iter().any(|(free, _)| *free == table) {
        return None;
    }
    let Some((_, kinds)) = GUARDED.iter().find(|(tables, _)| tables.contains(&table)) else {
        return Some(format!("{table} is in neither list of tests/support/guards.rs"));
    };
    let guarded = held.iter().any(|guard| kinds.contains(&guard.kind));
    (!guarded).then(|| format!("{table} is changed without a guard of {kinds:?}"))
}

#[test]
fn a_change_without_its_guard_is_noticed_and_a_new_row_needs_none() {
    let guard = |kind| Guard { company: uuid::Uuid::nil(), kind, id: uuid::Uuid::nil() };
    let update = "UPDATE employees SET first_name = $1 WHERE company_id = $2 AND id = $3";
    assert!(missing(update, &[]).unwrap().contains("without a guard"));
    assert!(missing(update, &[guard("locations")]).is_some());
    assert_eq!(missing(update, &[guard("locations"), guard("employee")]), None);
    assert!(missing("DELETE FROM signatories WHERE company_id = $1", &[]).is_some());
    assert_eq!(missing("INSERT INTO employees (company_id) VALUES ($1)", &[]), None);
    let put =
        "INSERT INTO opening_balances (company_id) VALUES ($1) ON CONFLICT (company_id) DO UPDATE SET x = 1";
    assert!(missing(put, &[]).is_some());
    assert!(missing("UPDATE newcomers SET x = 1", &[]).unwrap().contains("neither list"));
}
