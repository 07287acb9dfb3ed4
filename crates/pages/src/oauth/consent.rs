//! The effects of an application's scopes, in words for the administrator who decides.

use super::texts::{AREAS, Texts};
use domain::access::scope;
use domain::access::scope::Scopes;
use domain::language::fill_placeholders;

/// Resources of scopes, grouped by their meaning to a company. The catalogues list the areas in this order.
const RESOURCES: [&[&str]; AREAS] = [
    &["companies", "company_admin", "company_onboarding_status", "company_suspensions", "signatories"],
    &[
        "company_bank_accounts",
        "company_payment_configs",
        "ach_transactions",
        "recovery_cases",
        "tax_payments",
    ],
    &[
        "company_federal_taxes",
        "company_tax_requirements",
        "company_forms",
        "company_attachments",
        "company_reports",
        "generated_documents",
        "information_requests",
    ],
    &[
        "employees",
        "employments",
        "jobs",
        "compensations",
        "salary_estimates",
        "flows",
        "departments",
        "people_batches",
    ],
    &[
        "employee_federal_taxes",
        "employee_state_taxes",
        "employee_forms",
        "employee_payment_methods",
        "i9_authorizations",
        "member_portal_invitation",
    ],
    &["company_benefits", "employee_benefits", "benefits", "garnishments"],
    &["contractors", "contractor_payment_methods", "contractor_documents", "contractor_forms"],
    &[
        "pay_schedules",
        "payrolls",
        "external_payrolls",
        "payroll_syncs",
        "payroll_digests",
        "payroll_batches",
        "partner_disbursements",
        "reverse_wire_transactions",
        "pay_stubs",
        "time_sheet",
        "holiday_pay_policies",
        "reimbursements",
        "time_off_policies",
        "time_off_requests",
        "employee_time_off_activities",
    ],
    &["partner_managed_companies", "terms_of_services"],
    &["events", "webhook_subscriptions", "notifications", "invoices"],
];

/// One line for each area that the scopes cover, such as "See and change benefits and garnishments".
pub fn scope_lines(scopes: Scopes, t: &Texts) -> Vec<String> {
    let mut lines: Vec<String> = t
        .areas
        .iter()
        .zip(RESOURCES)
        .filter_map(|(area, resources)| {
            let held = || {
                scope::ALL.into_iter().filter(|name| scopes.contains(name)).filter_map(|name| {
                    let (resource, action) = name.split_once(':')?;
                    resources.contains(&resource).then_some(action)
                })
            };
            held().next()?;
            let reads_alone = held().all(|action| action.starts_with("read"));
            Some(fill_placeholders(if reads_alone { t.see } else { t.see_and_change }, &[("area", area)]))
        })
        .collect();
    if scopes.contains("payrolls:run") {
        lines.push(t.run_payroll.to_owned());
    }
    // A link shows more than the operations of its scope.
    if scopes.contains("flows:write") {
        lines.push(t.open_pages.to_owned());
    }
    if lines.is_empty() {
        lines.push(t.nothing_else.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::language::Language;

    #[test]
    fn every_scope_is_told_of_in_every_language() {
        for t in Language::ALL.map(crate::oauth::texts::texts_in_language) {
            for name in scope::ALL.into_iter().filter(|name| *name != "public") {
                let alone = scope_lines(Scopes::parse(name), t);
                assert!(alone.iter().all(|line| line != t.nothing_else), "{name} is told nowhere");
            }
            assert_eq!(scope_lines(Scopes::ALL, t).len(), AREAS + 2);
        }
    }

    #[test]
    fn who_may_only_read_is_not_said_to_change() {
        let lines_of = |scopes| {
            scope_lines(Scopes::parse(scopes), crate::oauth::texts::texts_in_language(Language::English))
        };
        assert_eq!(lines_of("garnishments:read"), ["See benefits and garnishments"]);
        assert_eq!(lines_of("employee_benefits:read:phi"), ["See benefits and garnishments"]);
        assert_eq!(lines_of("garnishments:write"), ["See and change benefits and garnishments"]);
        // Links open more pages than the scope names.
        let by_links = lines_of("flows:write");
        assert_eq!(by_links.len(), 2);
        assert!(by_links[1].contains("payroll can be run") && by_links[1].contains("bank accounts"));
        assert_eq!(lines_of("public"), ["See who is connected, and nothing else"]);
        let spanish = scope_lines(
            Scopes::parse("garnishments:read"),
            crate::oauth::texts::texts_in_language(Language::Spanish),
        );
        assert_eq!(spanish, ["Ver los beneficios y los embargos"]);
    }
}
