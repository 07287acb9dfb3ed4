//! Migration of a company to a partner: blockers and warnings.
//!
//! A blocker prevents the migration; a warning does not.

/// Tiers with services a partner does not offer: dedicated advisers and full-service payroll.
const TIERS_WITHOUT_COUNTERPART: [&str; 2] = ["premium", "concierge"];

/// Facts about a company that affect its migration.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Whether a partner already manages it.
    pub migrated: bool,
    /// Whether it is suspended.
    pub suspended: bool,
    /// Whether an administrator has accepted the current terms of service.
    pub terms_accepted: bool,
    /// Whether it has a signatory.
    pub has_signatory: bool,
    /// Tier, if any.
    pub tier: Option<String>,
    /// Benefits managed by the service.
    pub managed_benefits: Vec<String>,
    /// Time off policies accruing in the service.
    pub time_off_policies: Vec<String>,
    /// Connected applications.
    pub integrations: Vec<String>,
    /// Whether the business is cannabis-related.
    pub marijuana_business: bool,
}

impl Facts {
    /// A company with every blocker and warning, for listing all findings.
    pub fn worst_case() -> Self {
        let one = |name: &str| vec![name.to_owned()];
        Self {
            migrated: true,
            suspended: true,
            terms_accepted: false,
            has_signatory: false,
            tier: Some(TIERS_WITHOUT_COUNTERPART[0].to_owned()),
            managed_benefits: one("Medical"),
            time_off_policies: one("Vacation"),
            integrations: one("Ledger"),
            marijuana_business: true,
        }
    }
}

/// Whether a finding prevents the migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It does.
    Blocker,
    /// It does not.
    Warning,
}

/// A blocker or a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Severity.
    pub severity: Severity,
    /// Machine-readable key.
    pub key: &'static str,
    /// Message for people.
    pub message: String,
}

fn blocking_finding(key: &'static str, message: impl Into<String>) -> Finding {
    Finding { severity: Severity::Blocker, key, message: message.into() }
}

fn warning_finding(key: &'static str, message: impl Into<String>) -> Finding {
    Finding { severity: Severity::Warning, key, message: message.into() }
}

/// Returns all findings, blockers first, in a fixed order.
pub fn list_findings(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    if facts.migrated {
        found.push(blocking_finding("migrated_company", "The company was migrated already."));
    }
    if facts.suspended {
        found.push(blocking_finding(
            "company_suspended",
            "The company is suspended; that has to be settled first.",
        ));
    }
    if !facts.terms_accepted {
        let message =
            "No payroll administrator of the company has accepted the terms of service as they are now.";
        found.push(blocking_finding("terms_of_service", message));
    }
    if !facts.has_signatory {
        found.push(blocking_finding(
            "missing_signatory",
            "Nobody signs for the company; it needs a signatory.",
        ));
    }
    if !facts.managed_benefits.is_empty() {
        let message = format!(
            "These benefits are managed by the service and have to end first: {}.",
            joined_names(&facts.managed_benefits)
        );
        found.push(blocking_finding("gusto_managed_benefits", message));
    }
    if !facts.time_off_policies.is_empty() {
        let message = format!(
            "These time off policies have no counterpart: {}.",
            joined_names(&facts.time_off_policies)
        );
        found.push(blocking_finding("unsupported_time_off_policies", message));
    }
    if let Some(tier) = facts.tier.as_deref().filter(|tier| TIERS_WITHOUT_COUNTERPART.contains(tier)) {
        found.push(blocking_finding(
            "unsupported_tier",
            format!("The tier {tier} has no counterpart; the company has to leave it first."),
        ));
    }
    if facts.marijuana_business {
        let message = "The company's business is related to marijuana; not every partner may serve it.";
        found.push(warning_finding("marijuana_related_business", message));
    }
    if !facts.integrations.is_empty() {
        let message = format!("These integrations stop working: {}.", joined_names(&facts.integrations));
        found.push(warning_finding("unsupported_integrations", message));
    }
    found
}

fn joined_names(names: &[String]) -> String {
    names.join(", ")
}

/// Whether there are no blockers.
pub fn is_ready(found: &[Finding]) -> bool {
    found.iter().all(|finding| finding.severity == Severity::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fine() -> Facts {
        Facts { terms_accepted: true, has_signatory: true, tier: Some("plus".to_owned()), ..Facts::default() }
    }

    fn keys(facts: &Facts) -> Vec<&'static str> {
        list_findings(facts).iter().map(|finding| finding.key).collect()
    }

    #[test]
    fn a_company_that_uses_payroll_alone_can_move_once_the_terms_are_accepted() {
        assert!(list_findings(&fine()).is_empty());
        assert_eq!(keys(&Facts { terms_accepted: false, ..fine() }), ["terms_of_service"]);
    }

    #[test]
    fn each_obstacle_refuses_the_move_by_itself() {
        let golden = [
            ("migrated_company", Facts { migrated: true, ..fine() }),
            ("company_suspended", Facts { suspended: true, ..fine() }),
            ("terms_of_service", Facts { terms_accepted: false, ..fine() }),
            ("missing_signatory", Facts { has_signatory: false, ..fine() }),
            ("gusto_managed_benefits", Facts { managed_benefits: vec!["Medical".to_owned()], ..fine() }),
            (
                "unsupported_time_off_policies",
                Facts { time_off_policies: vec!["Unlimited".to_owned()], ..fine() },
            ),
            ("unsupported_tier", Facts { tier: Some("premium".to_owned()), ..fine() }),
        ];
        for (key, facts) in golden {
            assert_eq!(keys(&facts), [key]);
            assert!(!is_ready(&list_findings(&facts)), "{key}");
        }
    }

    #[test]
    fn a_warning_does_not_refuse_the_move_and_names_what_it_is_about() {
        let facts = Facts {
            marijuana_business: true,
            integrations: vec!["Ledger".to_owned(), "Time clock".to_owned()],
            ..fine()
        };
        let found = list_findings(&facts);
        assert!(is_ready(&found));
        assert_eq!(keys(&facts), ["marijuana_related_business", "unsupported_integrations"]);
        assert_eq!(found[1].message, "These integrations stop working: Ledger, Time clock.");
    }

    #[test]
    fn everything_that_is_found_is_reported_at_once() {
        let facts =
            Facts { suspended: true, managed_benefits: vec!["Dental".to_owned()], ..Facts::default() };
        assert_eq!(
            keys(&facts),
            ["company_suspended", "terms_of_service", "missing_signatory", "gusto_managed_benefits"]
        );
    }
}
