//! The flow types and the kind of record each is for.

use rules::{Named, Violation};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The kind of record that a flow is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FlowEntityKind {
    /// one employee
    Employee,
    /// one contractor
    Contractor,
    /// the employer, acting for the company itself
    Company,
}

impl FlowEntityKind {
    /// Returns the flow types for this kind of record.
    pub const fn flow_types(self) -> &'static [&'static str] {
        match self {
            Self::Employee => &[
                "employee_self_management",
                "employee_form_signing",
                "employee_federal_setup",
                "employee_state_setup",
                "deductions",
                "time_off",
                "pay_stubs",
                "tax_forms",
            ],
            Self::Contractor => &["contractor_self_management"],
            Self::Company => &[
                "company_onboarding",
                "add_addresses",
                "federal_tax_setup",
                "select_industry",
                "add_bank_info",
                "add_employees",
                "state_setup",
                "payroll_schedule",
                "manage_pay_schedules",
                "sign_all_forms",
                "company_forms",
                "verify_bank_info",
                "time_off_management",
                "run_payroll",
                "add_contractors",
                "contractor_payments",
            ],
        }
    }
}

/// The kind of record that stored flow types are for.
pub fn kind_of(flow_types: &str) -> FlowEntityKind {
    let first = flow_types.split(',').next().unwrap_or_default();
    FlowEntityKind::ALL
        .iter()
        .copied()
        .find(|kind| kind.flow_types().contains(&first))
        .unwrap_or(FlowEntityKind::Employee)
}

/// Lists every flow type by kind of record, for error messages.
fn all_flow_types() -> String {
    let of = |kind: FlowEntityKind| kind.flow_types().join(", ");
    let [employee, contractor, company] =
        [FlowEntityKind::Employee, FlowEntityKind::Contractor, FlowEntityKind::Company].map(of);
    format!("{employee} for an Employee, {contractor} for a Contractor, or {company} for a Company")
}

/// Parses comma-separated flow types and drops duplicates. All of them must be for the same kind of record.
pub(super) fn parse_flow_types(key: &str, text: &str) -> Result<(FlowEntityKind, String), Violation> {
    let mut of = None;
    let mut named: Vec<&'static str> = Vec::new();
    for word in text.split(',').map(str::trim) {
        let found = FlowEntityKind::ALL.iter().find_map(|kind| {
            kind.flow_types().iter().find(|known| **known == word).map(|known| (*kind, *known))
        });
        let Some((kind, known)) = found else {
            return Err(Violation::invalid(
                key,
                format!("{key} may contain only {}, separated by commas", all_flow_types()),
            ));
        };
        if of.is_some_and(|before| before != kind) {
            return Err(Violation::invalid(
                key,
                format!("{key} must not combine flows of an Employee, of a Contractor and of a Company"),
            ));
        }
        of = Some(kind);
        if !named.contains(&known) {
            named.push(known);
        }
    }
    // `split` yields at least one word.
    Ok((of.unwrap_or(FlowEntityKind::Employee), named.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_flow_types_can_be_joined_and_an_unknown_one_is_refused_with_the_known_ones() {
        assert_eq!(
            parse_flow_types("flow_type", "deductions, employee_form_signing,deductions"),
            Ok((FlowEntityKind::Employee, "deductions,employee_form_signing".to_owned()))
        );
        assert_eq!(
            parse_flow_types("flow_type", "run_payroll,company_onboarding"),
            Ok((FlowEntityKind::Company, "run_payroll,company_onboarding".to_owned()))
        );
        let refused = parse_flow_types("flow_type", "reverse_wire_accounts").unwrap_err().message;
        assert!(refused.contains("employee_self_management") && refused.contains("run_payroll"), "{refused}");
        assert!(parse_flow_types("flow_type", "").is_err());
    }

    #[test]
    fn a_link_is_for_one_person_or_for_the_company_and_never_for_both() {
        let refused = parse_flow_types("flow_type", "deductions,run_payroll").unwrap_err().message;
        assert!(refused.contains("must not combine"), "{refused}");
        for kind in FlowEntityKind::ALL {
            for one in kind.flow_types() {
                assert_eq!(kind_of(one), *kind, "{one} is a flow of one kind of record");
            }
        }
    }
}
