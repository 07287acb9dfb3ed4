//! What an application will be able to do, in words for the administrator who decides.

use crate::scope::{self, Scopes};

/// Resources of scopes, gathered under what they mean to a company.
const AREAS: [(&str, &[&str]); 9] = [
    (
        "the company's record, its locations, administrators and signatory",
        &["companies", "company_admin", "company_onboarding_status", "signatories"],
    ),
    ("the company's bank accounts", &["company_bank_accounts"]),
    (
        "the company's taxes, forms and reports",
        &["company_federal_taxes", "company_tax_requirements", "company_forms", "company_reports"],
    ),
    (
        "employees, their addresses, jobs and pay",
        &["employees", "jobs", "compensations", "salary_estimates", "flows"],
    ),
    (
        "employees' taxes, forms and bank accounts",
        &["employee_federal_taxes", "employee_state_taxes", "employee_forms", "employee_payment_methods"],
    ),
    ("benefits and garnishments", &["company_benefits", "employee_benefits", "benefits", "garnishments"]),
    ("pay schedules and payrolls", &["pay_schedules", "payrolls"]),
    (
        "the terms of service, and the move of the company's payroll to this application",
        &["partner_managed_companies", "terms_of_services"],
    ),
    (
        "what happens in the company (events, notifications, invoices)",
        &["events", "webhook_subscriptions", "notifications", "invoices"],
    ),
];

/// One line for each area that the scopes reach, such as "See and change benefits and garnishments".
pub fn lines(scopes: Scopes) -> Vec<String> {
    let mut lines: Vec<String> = AREAS
        .iter()
        .filter_map(|(area, resources)| {
            let held = || {
                scope::ALL.into_iter().filter(|name| scopes.contains(name)).filter_map(|name| {
                    let (resource, action) = name.split_once(':')?;
                    resources.contains(&resource).then_some(action)
                })
            };
            held().next()?;
            let reads_alone = held().all(|action| action.starts_with("read"));
            Some(format!("{} {area}", if reads_alone { "See" } else { "See and change" }))
        })
        .collect();
    if scopes.contains("payrolls:run") {
        lines.push("Run payroll: pay people with the company's money".to_owned());
    }
    if lines.is_empty() {
        lines.push("See who is connected, and nothing else".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_told_of() {
        for name in scope::ALL.into_iter().filter(|name| *name != "public") {
            let alone = lines(Scopes::parse(name));
            assert!(alone.iter().all(|line| !line.contains("nothing else")), "{name} is told nowhere");
        }
        assert_eq!(lines(Scopes::ALL).len(), AREAS.len() + 1);
    }

    #[test]
    fn who_may_only_read_is_not_said_to_change() {
        assert_eq!(lines(Scopes::parse("garnishments:read")), ["See benefits and garnishments"]);
        assert_eq!(lines(Scopes::parse("employee_benefits:read:phi")), ["See benefits and garnishments"]);
        assert_eq!(lines(Scopes::parse("garnishments:write")), ["See and change benefits and garnishments"]);
        assert_eq!(lines(Scopes::parse("public")), ["See who is connected, and nothing else"]);
    }
}
