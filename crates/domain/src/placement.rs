//! The placement of each table in a distributed database. A file and a single server have none.
//!
//! A company's records are placed together, with its guards, events, audit entries and jobs, so that a change commits on one server. Rows
//! that are looked up by a secret before the company is known are placed by that secret. Tables that every request reads and that rarely
//! change are on every server.

use store::{Placement, Placements};

/// With the records of the company whose id is in the column.
const fn beside_company(column: &'static str) -> Placement {
    Placement::By { column, beside: "companies" }
}

/// With the other rows that are looked up by their hash.
const fn beside_flow_link(column: &'static str) -> Placement {
    Placement::By { column, beside: "flow_links" }
}

/// With the deliveries to the same application.
const TO_APPLICATION: Placement = Placement::By { column: "application_id", beside: "deliveries" };
const COMPANY: Placement = beside_company("company_id");
const HASH: Placement = beside_flow_link("hash");

/// Every table.
pub const PLACEMENTS: Placements = &[
    ("companies", COMPANY),
    ("account_corrections", COMPANY),
    ("audit", COMPANY),
    ("audit_seals", COMPANY),
    ("bank_files", COMPANY),
    ("bank_returns", COMPANY),
    ("benefit_amounts_elsewhere", COMPANY),
    ("benefit_payroll_items", COMPANY),
    ("check_settings", COMPANY),
    ("company_admins", COMPANY),
    ("company_attachment_contents", COMPANY),
    ("company_attachments", COMPANY),
    ("company_bank_accounts", COMPANY),
    ("company_benefits", COMPANY),
    ("company_federal_taxes", COMPANY),
    ("company_form_signatures", COMPANY),
    ("company_forms", COMPANY),
    ("company_fundings", COMPANY),
    ("company_industries", COMPANY),
    ("company_onboarding", COMPANY),
    ("company_suspensions", COMPANY),
    ("company_tax_answers", COMPANY),
    ("company_traits", COMPANY),
    ("compensations", COMPANY),
    ("contractor_addresses", COMPANY),
    ("contractor_bank_accounts", COMPANY),
    ("contractor_document_signatures", COMPANY),
    ("contractor_documents", COMPANY),
    ("contractors", COMPANY),
    ("department_members", COMPANY),
    ("departments", COMPANY),
    ("contractor_payment_groups", COMPANY),
    ("contractor_payments", COMPANY),
    ("deposit_schedules", COMPANY),
    ("earning_types", COMPANY),
    ("employee_bank_accounts", COMPANY),
    ("employee_benefits", COMPANY),
    ("employee_counts", COMPANY),
    ("employee_federal_taxes", COMPANY),
    ("employee_form_signatures", COMPANY),
    ("employee_forms", COMPANY),
    ("employee_i9", COMPANY),
    ("employee_i9_reviews", COMPANY),
    ("employee_jobs", COMPANY),
    ("employee_payment_methods", COMPANY),
    ("employee_state_taxes", COMPANY),
    ("employees", COMPANY),
    ("events", COMPANY),
    ("external_payroll_items", COMPANY),
    ("external_payrolls", COMPANY),
    ("external_tax_liabilities", COMPANY),
    ("flow_confirmations", COMPANY),
    ("flow_drafts", COMPANY),
    ("garnishment_withholdings", COMPANY),
    ("garnishments", COMPANY),
    ("guards", COMPANY),
    ("holiday_pay_employees", COMPANY),
    ("holiday_pay_policies", COMPANY),
    ("home_address_questions", COMPANY),
    ("home_addresses", COMPANY),
    ("job_failures", COMPANY),
    ("jobs", COMPANY),
    ("last_paychecks", COMPANY),
    ("ledger_accounts", COMPANY),
    ("liability_payments", COMPANY),
    ("low_wages", COMPANY),
    ("locations", COMPANY),
    ("lump_sum_notices", COMPANY),
    ("member_portal_invitations", COMPANY),
    ("new_hire_filings", COMPANY),
    ("statement_consents", COMPANY),
    ("opening_balances", COMPANY),
    ("outside_deposits", COMPANY),
    ("partner_disbursements", COMPANY),
    ("pay_schedule_assignments", COMPANY),
    ("pay_schedule_choices", COMPANY),
    ("pay_schedule_stretches", COMPANY),
    ("pay_schedules", COMPANY),
    ("payment_batches", COMPANY),
    ("payment_configs", COMPANY),
    ("payment_entries", COMPANY),
    ("payroll_checks", COMPANY),
    ("payroll_fundings", COMPANY),
    ("payroll_inputs", COMPANY),
    ("payroll_posting_lines", COMPANY),
    ("payroll_postings", COMPANY),
    ("payroll_results", COMPANY),
    ("payroll_reversals", COMPANY),
    ("payroll_runs", COMPANY),
    ("people_batches", COMPANY),
    ("payroll_settings", COMPANY),
    ("payroll_syncs", COMPANY),
    ("payrolls", COMPANY),
    ("recovery_cases", COMPANY),
    ("recurring_reimbursements", COMPANY),
    ("rehires", COMPANY),
    ("report_requests", COMPANY),
    ("salary_estimates", COMPANY),
    ("section603_statuses", COMPANY),
    ("signatories", COMPANY),
    ("tax_deposit_parts", COMPANY),
    ("tax_deposits", COMPANY),
    ("tax_form_corrections", COMPANY),
    ("tax_forms", COMPANY),
    ("terminations", COMPANY),
    ("terms_acceptances", COMPANY),
    ("time_off_changes", COMPANY),
    ("time_off_enrollments", COMPANY),
    ("time_off_policies", COMPANY),
    ("time_off_request_days", COMPANY),
    ("time_off_requests", COMPANY),
    ("time_sheet_batches", COMPANY),
    ("time_sheets", COMPANY),
    ("voided_paychecks", COMPANY),
    ("wire_in_requests", COMPANY),
    ("work_addresses", COMPANY),
    ("year_preparations", COMPANY),
    // The owner is usually a company: its keys and stored responses are placed with its records.
    ("data_keys", beside_company("owner_id")),
    ("idempotency", beside_company("owner_id")),
    // Numbers become visible together and in order, so both tables are placed with their guard.
    ("event_feed", beside_company("numbers_id")),
    ("event_numbers", beside_company("id")),
    ("deliveries", TO_APPLICATION),
    ("bulk_reports", TO_APPLICATION),
    ("payroll_batches", TO_APPLICATION),
    ("payroll_digests", TO_APPLICATION),
    ("delivery_tries", TO_APPLICATION),
    ("authorization_codes", HASH),
    ("document_links", HASH),
    ("flow_links", HASH),
    ("flow_sessions", HASH),
    ("report_links", HASH),
    ("known_browsers", HASH),
    ("sign_in_attempts", beside_flow_link("subject")),
    ("user_sessions", HASH),
    ("application_themes", Placement::Everywhere),
    ("applications", Placement::Everywhere),
    // The payrolls of every company ask whether there is a bank.
    ("bank_settings", Placement::Everywhere),
    ("clock_marks", Placement::Everywhere),
    ("confirmed_figures", Placement::Everywhere),
    ("connections", Placement::Everywhere),
    ("data_key_rotations", Placement::Everywhere),
    ("file_positions", Placement::Everywhere),
    ("master_keys", Placement::Everywhere),
    ("past_connections", Placement::Everywhere),
    ("reference_current", Placement::Everywhere),
    ("reference_data", Placement::Everywhere),
    ("schema_lease", Placement::Everywhere),
    ("schema_migrations", Placement::Everywhere),
    ("token_pairs", Placement::Everywhere),
    ("tokens", Placement::Everywhere),
    ("user_emails", Placement::Everywhere),
    ("users", Placement::Everywhere),
    ("webhook_subscriptions", Placement::Everywhere),
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::MIGRATIONS;

    /// The tables of the migrations, each with the columns of its unique keys.
    fn unique_keys() -> BTreeMap<String, Vec<Vec<String>>> {
        let columns = |list: &str| {
            let names = list.split(')').next().unwrap_or_default().split(',');
            names.map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        };
        let mut tables: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        for statement in MIGRATIONS.iter().flat_map(store::Migration::statements) {
            if let Some((_, table)) = statement.split_once("CREATE TABLE IF NOT EXISTS ") {
                let (name, rest) = table.split_once(" (").unwrap();
                let (_, key) = rest.split_once("PRIMARY KEY (").unwrap();
                tables.entry(name.to_owned()).or_default().push(columns(key));
            } else if let Some((_, index)) = statement.split_once("CREATE UNIQUE INDEX ") {
                let (table, key) = index.split_once(" ON ").unwrap().1.split_once(" (").unwrap();
                tables.get_mut(table).unwrap().push(columns(key));
            }
        }
        tables
    }

    #[test]
    fn every_table_has_one_place() {
        let placed: BTreeSet<_> = PLACEMENTS.iter().map(|(table, _)| (*table).to_owned()).collect();
        assert_eq!(placed.len(), PLACEMENTS.len(), "a table is named twice");
        let mut made: BTreeSet<_> = unique_keys().into_keys().collect();
        // Where the store records the state of the schema.
        made.extend(["schema_migrations".to_owned(), "schema_lease".to_owned()]);
        assert_eq!(placed, made);
    }

    #[test]
    fn every_unique_key_contains_the_distribution_column_of_its_table() {
        let keys = unique_keys();
        assert!(keys["compensations"].len() > 1, "unique indexes are read, too");
        for (table, placement) in PLACEMENTS {
            let Placement::By { column, beside } = placement else { continue };
            for key in &keys[*table] {
                assert!(key.iter().any(|name| name == column), "{table}: {key:?} has no {column}");
            }
            let (_, leader) = PLACEMENTS.iter().find(|(name, _)| name == beside).unwrap();
            assert!(matches!(leader, Placement::By { beside: own, .. } if own == beside), "{beside}");
        }
    }
}
