//! How benefits are told.

use rules::Amount;
use rules::Named;
use rules::payroll::benefits::election::taxable_income_word;
use rules::payroll::benefits::requirements::{self, Requirement};
use rules::payroll::benefits::{BenefitElection, BenefitType, Contribution, LimitOption};
use rules::window::Window;
use serde_json::{Map, Value, json};

use super::rows::company::CompanyBenefit;
use super::rows::employee::EmployeeBenefit;
use super::service::{COMPANY_BENEFITS, EMPLOYEE_BENEFITS, contribution};
use crate::access::tokens::Caller;
use crate::benefits::shapes;
use crate::records::version_text;

/// A type of benefit.
pub fn supported(caller: &Caller, kind: &BenefitType) -> shapes::SupportedBenefit {
    let marks = kind.marks;
    shapes::SupportedBenefit {
        benefit_type: kind.code,
        name: kind.name,
        description: kind.description,
        pretax: marks.pretax,
        posttax: marks.posttax,
        imputed: marks.imputed,
        healthcare: marks.healthcare,
        retirement: marks.retirement,
        yearly_limit: marks.yearly_limit,
        category: kind.category,
        writable_by_application: caller.scopes.contains("company_benefits:write"),
    }
}

/// What a type asks for, by field.
pub fn requirements(kind: &BenefitType) -> Value {
    let of = requirements::of(kind);
    let fields = [
        ("employee_deduction", of.employee_deduction),
        ("contribution", of.contribution),
        ("deduct_as_percentage", of.deduct_as_percentage),
        ("catch_up", of.catch_up),
        ("limit_option", of.limit_option),
        ("company_contribution_annual_maximum", of.company_contribution_annual_maximum),
        ("coverage_salary_multiplier", of.coverage_salary_multiplier),
        ("coverage_amount", of.coverage_amount),
    ];
    let told = |of: Requirement| {
        let default = of.default_value.map(|(value, kind)| json!({ "value": value, "type": kind }));
        json!({ "required": of.required, "editable": of.editable, "default_value": default, "choices": of.choices })
    };
    Value::Object(fields.into_iter().map(|(name, of)| (name.to_owned(), told(of))).collect::<Map<_, _>>())
}

/// A benefit that a company offers.
pub fn company_benefit(
    caller: &Caller,
    benefit: &CompanyBenefit,
    enrolled: Option<i64>,
) -> shapes::CompanyBenefit {
    shapes::CompanyBenefit {
        uuid: benefit.id,
        version: version_text(COMPANY_BENEFITS, benefit.id, benefit.version),
        company_uuid: caller.company,
        benefit_type: benefit.kind.code,
        active: benefit.active,
        description: benefit.description.clone(),
        source: "external",
        partner_name: None,
        deletable: !benefit.used,
        supports_percentage_amounts: benefit.kind.supports_percentages(),
        responsible_for_employer_taxes: benefit.responsible_for_employer_taxes,
        responsible_for_employee_w2: benefit.responsible_for_employee_w2,
        catch_up_type: benefit.catch_up_type.clone(),
        enrollment_count: enrolled,
    }
}

/// A window of an employee's benefit.
pub fn employee_benefit(record: &EmployeeBenefit) -> shapes::EmployeeBenefit {
    shapes::EmployeeBenefit {
        uuid: record.id,
        version: version_text(EMPLOYEE_BENEFITS, record.id, record.version),
        employee_uuid: record.employee,
        company_benefit_uuid: record.company_benefit,
        terms: terms(record.window, record.active, &record.terms),
        retirement_loan_identifier: None,
    }
}

/// As [`employee_benefit`] beside its company benefit, where generated clients take no null for the last day.
pub fn employee_benefit_beside(record: &EmployeeBenefit) -> shapes::EmployeeBenefit {
    let mut told = employee_benefit(record);
    told.terms.expiration_date = told.terms.expiration_date.filter(Option::is_some);
    told
}

/// The days and amounts of a window.
pub fn terms(window: Window, active: bool, terms: &BenefitElection) -> shapes::BenefitTerms {
    let maximum = |amount: Option<Amount>| amount.map(|amount| amount.to_text(2));
    // The older form has no word for tiers.
    let older = match &terms.contribution {
        Contribution::Amount(value) => Some((value.to_text(2), false)),
        Contribution::Percentage(value) => Some((value.to_text(2), true)),
        Contribution::Tiered(_) => None,
    };
    shapes::BenefitTerms {
        effective_date: window.effective.to_string(),
        expiration_date: Some(window.expiration.map(|day| day.to_string())),
        active,
        employee_deduction: terms.deduction.to_text(2),
        deduct_as_percentage: terms.deduct_as_percentage,
        employee_deduction_annual_maximum: maximum(terms.deduction_annual_maximum),
        contribution: contribution(&terms.contribution),
        elective: terms.elective,
        company_contribution_annual_maximum: maximum(terms.contribution_annual_maximum),
        limit_option: terms.limit_option.map(LimitOption::as_str),
        catch_up: terms.catch_up,
        coverage_amount: maximum(terms.coverage_amount),
        coverage_salary_multiplier: terms.coverage_salary_multiplier.to_text(2),
        deduction_reduces_taxable_income: taxable_income_word(terms.reduces_taxable_income),
        contribute_as_percentage: older.as_ref().map(|(_, as_percentage)| *as_percentage),
        company_contribution: older.map(|(value, _)| value),
    }
}
