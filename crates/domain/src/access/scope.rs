//! What a token may do: a set of scopes of the form `resource:action`.
//!
//! Each operation declares its scope next to its route; an application has all scopes unless it was created with fewer.

/// Every scope, in the order in which token_info lists them. The order is fixed: the position is the bit of the scope.
pub const ALL: [&str; 121] = [
    "public",
    "companies:read",
    "companies:write",
    "company_admin:read",
    "company_admin:write",
    "company_bank_accounts:read",
    "company_bank_accounts:write",
    "company_benefits:read",
    "company_benefits:read:phi",
    "company_benefits:write",
    "company_benefits:write:benefit_type_limited",
    "company_federal_taxes:read",
    "company_federal_taxes:write",
    "company_forms:read",
    "company_forms:sign",
    "company_onboarding_status:read",
    "company_tax_requirements:read",
    "company_tax_requirements:write",
    "compensations:read",
    "compensations:write",
    "employees:read",
    "employees:write",
    "employees:manage",
    "employee_benefits:read",
    "employee_benefits:read:phi",
    "employee_benefits:write",
    "employee_benefits:write:benefit_type_limited",
    "employee_federal_taxes:read",
    "employee_federal_taxes:write",
    "employee_forms:read",
    "employee_forms:sign",
    "employee_payment_methods:read",
    "employee_payment_methods:write",
    "employee_state_taxes:read",
    "employee_state_taxes:write",
    "benefits:read",
    "events:read",
    "flows:write",
    "garnishments:read",
    "garnishments:write",
    "jobs:read",
    "jobs:write",
    "partner_managed_companies:read",
    "partner_managed_companies:write",
    "partner_managed_companies:create",
    "partner_managed_companies:disassociate",
    "pay_schedules:read",
    "pay_schedules:write",
    "payrolls:read",
    "payrolls:write",
    "payrolls:run",
    "salary_estimates:read",
    "salary_estimates:write",
    "signatories:read",
    "signatories:write",
    "signatories:manage",
    "terms_of_services:read",
    "terms_of_services:write",
    "webhook_subscriptions:read",
    "webhook_subscriptions:write",
    "company_reports:read",
    "invoices:read",
    "notifications:read",
    "employments:read",
    "employments:write",
    "ach_transactions:read",
    "company_payment_configs:read",
    "company_payment_configs:write",
    "company_suspensions:read",
    "company_suspensions:write",
    "company_reports:write",
    "external_payrolls:read",
    "holiday_pay_policies:read",
    "holiday_pay_policies:write",
    "information_requests:read",
    "recovery_cases:read",
    "reverse_wire_transactions:read",
    "member_portal_invitation:read",
    "member_portal_invitation:write",
    "reimbursements:read",
    "reimbursements:write",
    "time_off_policies:read",
    "time_off_policies:write",
    "employee_time_off_activities:read",
    "departments:read",
    "departments:write",
    "time_off_requests:read",
    "generated_documents:read",
    "generated_documents:write",
    "external_payrolls:write",
    "time_off_requests:write",
    "time_off_requests:manage",
    "i9_authorizations:read",
    "i9_authorizations:manage",
    "time_sheet:read",
    "time_sheet:write",
    "time_sheet:manage",
    "payroll_syncs:read",
    "payroll_syncs:write",
    "people_batches:read",
    "people_batches:write",
    "payroll_digests:read",
    "payroll_digests:write",
    "partner_disbursements:read",
    "companies:disconnect_app_integration",
    "recovery_cases:write",
    "company_attachments:read",
    "company_attachments:write",
    "partner_disbursements:write",
    "pay_stubs:read",
    "tax_payments:read",
    "payroll_batches:read",
    "payroll_batches:write",
    "contractors:read",
    "contractors:write",
    "contractors:manage",
    "contractor_payment_methods:read",
    "contractor_payment_methods:write",
    "contractor_documents:read",
    "contractor_documents:write",
    "contractor_forms:read",
];

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes(u128);

impl Scopes {
    /// All scopes.
    pub const ALL: Self = Self((1 << ALL.len()) - 1);

    /// Parses names separated by spaces; unknown names are ignored.
    pub fn parse(text: &str) -> Self {
        Self(text.split_ascii_whitespace().filter_map(scope_bit).fold(0, |set, bit| set | bit))
    }

    /// Whether the set contains `scope`.
    pub fn contains(self, scope: &str) -> bool {
        scope_bit(scope).is_some_and(|bit| self.0 & bit != 0)
    }

    /// Whether every scope that a text names is known and in the set; false for a text that names none.
    pub fn contains_all(self, text: &str) -> bool {
        let mut names = text.split_ascii_whitespace().peekable();
        names.peek().is_some() && names.all(|name| self.contains(name))
    }

    /// Whether all scopes of the set are in the other one.
    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The scopes that are not in the other set.
    pub fn difference_with(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The union of both sets.
    pub fn union_with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// A hash that distinguishes sets, and stays the same when new scopes are added.
    pub fn fingerprint(self) -> u64 {
        let held = (0..ALL.len()).filter(|place| self.0 & (1 << place) != 0);
        held.fold(0, |all, place| all ^ HASHES[place])
    }

    /// The names, separated by spaces.
    pub fn to_text(self) -> String {
        let held = ALL.iter().filter(|scope| self.contains(scope));
        held.copied().collect::<Vec<_>>().join(" ")
    }
}

/// A hash of each name (FNV-1a).
const HASHES: [u64; ALL.len()] = {
    let (mut hashes, mut place) = ([0xcbf2_9ce4_8422_2325; ALL.len()], 0);
    while place < ALL.len() {
        let (name, mut at) = (ALL[place].as_bytes(), 0);
        while at < name.len() {
            hashes[place] = (hashes[place] ^ name[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        place += 1;
    }
    hashes
};

fn scope_bit(scope: &str) -> Option<u128> {
    ALL.iter().position(|name| *name == scope).map(|position| 1 << position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_round_trip_and_unknown_ones_are_ignored() {
        let some = Scopes::parse("employees:read everything:always companies:write");
        assert!(some.contains("employees:read") && some.contains("companies:write"));
        assert!(!some.contains("everything:always") && !some.contains("employees:write"));
        assert_eq!(Scopes::parse(&some.to_text()), some);
        assert_eq!(Scopes::parse(&Scopes::ALL.to_text()), Scopes::ALL);
    }

    #[test]
    fn sets_are_compared_and_subtracted_and_a_text_with_an_unknown_name_is_in_none() {
        let (few, more) = (Scopes::parse("jobs:read"), Scopes::parse("jobs:read jobs:write"));
        assert!(few.is_within(more) && few.is_within(few) && !more.is_within(few));
        assert_eq!(more.difference_with(few), Scopes::parse("jobs:write"));
        assert!(more.contains_all("jobs:write jobs:read") && few.contains_all("jobs:read"));
        assert!(!few.contains_all("jobs:read jobs:write"));
        assert!(!Scopes::ALL.contains_all("jobs:read everything:always") && !Scopes::ALL.contains_all(" "));
    }

    #[test]
    fn no_scope_holds_another() {
        for scope in ALL {
            let held: Vec<_> = ALL.into_iter().filter(|other| Scopes::parse(scope).contains(other)).collect();
            assert_eq!(held, [scope]);
        }
        assert_ne!(
            Scopes::parse("payrolls:read").fingerprint(),
            Scopes::parse("payrolls:read pay_stubs:read").fingerprint()
        );
        assert_ne!(Scopes::parse("pay_stubs:read").fingerprint(), Scopes::parse("").fingerprint());
    }
}
