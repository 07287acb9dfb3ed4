//! Fields by type of benefit, for forms.

use super::election::{Contribution, LimitOption};
use super::kind::{BenefitType, SEP_IRA};
use crate::Named;

/// Requirements of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Whether a value is required.
    pub required: bool,
    /// Whether a value may be entered.
    pub editable: bool,
    /// Default value and its kind (`currency`, `boolean` or `text`).
    pub default_value: Option<(&'static str, &'static str)>,
    /// Allowed values, if limited.
    pub choices: Option<Vec<&'static str>>,
}

/// Requirements of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirements {
    /// Deduction.
    pub employee_deduction: Requirement,
    /// Company contribution.
    pub contribution: Requirement,
    /// Whether the deduction is a percentage.
    pub deduct_as_percentage: Requirement,
    /// Catch-up flag.
    pub catch_up: Requirement,
    /// Legal limit.
    pub limit_option: Requirement,
    /// Annual maximum of the company contribution.
    pub company_contribution_annual_maximum: Requirement,
    /// Coverage as a multiple of the annual salary.
    pub coverage_salary_multiplier: Requirement,
    /// Coverage in dollars.
    pub coverage_amount: Requirement,
}

/// Returns the requirements of a type. Fields with a default are not required.
pub fn requirements_of_type(kind: &BenefitType) -> Requirements {
    let field = |editable, default_value, choices: Option<Vec<&'static str>>| Requirement {
        required: false,
        editable,
        default_value,
        choices,
    };
    let percentages = kind.supports_percentages();
    let schemes = Contribution::KINDS.into_iter().filter(|scheme| match *scheme {
        "percentage" => percentages,
        "tiered" => kind.takes_tiers(),
        _ => true,
    });
    let options: Vec<_> = LimitOption::options_of_type(kind).iter().map(|option| option.as_str()).collect();
    let boolean =
        |editable: bool| field(editable, Some(("false", "boolean")), editable.then(|| vec!["true", "false"]));
    Requirements {
        employee_deduction: field(kind.code != SEP_IRA, Some(("0.00", "currency")), None),
        contribution: field(true, Some(("0.00", "currency")), Some(schemes.collect())),
        deduct_as_percentage: boolean(percentages && kind.code != SEP_IRA),
        catch_up: boolean(kind.takes_catch_up()),
        limit_option: field(
            !options.is_empty(),
            LimitOption::by_default(kind).map(|option| (option.as_str(), "text")),
            (!options.is_empty()).then_some(options),
        ),
        company_contribution_annual_maximum: field(true, None, None),
        coverage_salary_multiplier: field(kind.takes_coverage(), Some(("0.00", "text")), None),
        coverage_amount: field(kind.takes_coverage(), None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_offers_what_the_type_takes_and_nothing_else() {
        let of = |code| requirements_of_type(BenefitType::find_by_code(code).unwrap());
        assert_eq!(of(5).contribution.choices, Some(vec!["amount", "percentage", "tiered"]));
        assert_eq!(of(1).contribution.choices, Some(vec!["amount", "percentage"]));
        assert_eq!(of(107).contribution.choices, Some(vec!["amount"]));
        assert_eq!(of(6).limit_option.default_value, Some(("Individual", "text")));
        assert_eq!(of(6).limit_option.choices, Some(vec!["Family", "Individual"]));
        assert!(of(5).catch_up.editable && !of(6).catch_up.editable);
        assert!(of(107).coverage_amount.editable && !of(5).coverage_amount.editable);
        assert!(!of(108).employee_deduction.editable);
    }
}
