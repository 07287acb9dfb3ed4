//! Applying the amounts of a command to an election.

use rules::payroll::benefits::election::{TAXABLE_INCOME, parse_taxable_income};
use rules::payroll::benefits::{BenefitElection, Contribution, Tier};
use rules::{Amount, Checks, Violation, check};

use super::commands::{ContributionPatch, ContributionValue, TermsPatch, TierPatch};
use crate::patch::{Patch, as_is, some};

impl TermsPatch {
    /// Whether a generated client filled in what its caller omitted: such clients send these six fields with every
    /// update.
    fn is_filled_in(&self) -> bool {
        let sent = [
            self.employee_deduction.value().is_some(),
            self.elective.value().is_some(),
            self.catch_up.value().is_some(),
            self.coverage_salary_multiplier.value().is_some(),
            self.company_contribution.value().is_some(),
            self.contribute_as_percentage.value().is_some(),
        ];
        sent.into_iter().all(|sent| sent)
    }

    /// Whether the command changes anything that a generated client does not fill in. `other_changes` says whether it
    /// changes anything besides the amounts.
    fn has_more(&self, other_changes: bool) -> bool {
        let nonzero = |field: &Patch<Amount>| field.value().is_some_and(|amount| *amount != Amount::ZERO);
        let yes = |field: &Patch<bool>| field.value().is_some_and(|flag| *flag);
        other_changes
            || !matches!(self.contribution, Patch::Absent)
            || !matches!(self.active, Patch::Absent)
            || !matches!(self.deduct_as_percentage, Patch::Absent)
            || !matches!(self.employee_deduction_annual_maximum, Patch::Absent)
            || !matches!(self.company_contribution_annual_maximum, Patch::Absent)
            || !matches!(self.limit_option, Patch::Absent)
            || !matches!(self.coverage_amount, Patch::Absent)
            || !matches!(self.deduction_reduces_taxable_income, Patch::Absent)
            || [&self.employee_deduction, &self.coverage_salary_multiplier, &self.company_contribution]
                .into_iter()
                .any(nonzero)
            || [&self.elective, &self.catch_up, &self.contribute_as_percentage].into_iter().any(yes)
    }

    /// Applies the given fields to `terms` and `active`.
    pub fn apply_to_terms(&self, terms: &mut BenefitElection, active: &mut bool, checks: &mut Checks) {
        self.active.update("active", checks, as_is, active);
        self.employee_deduction.update("employee_deduction", checks, as_is, &mut terms.deduction);
        self.deduct_as_percentage.update(
            "deduct_as_percentage",
            checks,
            as_is,
            &mut terms.deduct_as_percentage,
        );
        for (key, field, target) in [
            (
                "employee_deduction_annual_maximum",
                &self.employee_deduction_annual_maximum,
                &mut terms.deduction_annual_maximum,
            ),
            (
                "company_contribution_annual_maximum",
                &self.company_contribution_annual_maximum,
                &mut terms.contribution_annual_maximum,
            ),
            ("coverage_amount", &self.coverage_amount, &mut terms.coverage_amount),
        ] {
            field.update_or_clear(key, checks, |_, amount| Ok(Some(*amount)), target);
        }
        self.elective.update("elective", checks, as_is, &mut terms.elective);
        self.limit_option.update_or_clear("limit_option", checks, some, &mut terms.limit_option);
        or_default(&self.catch_up, "catch_up", checks, as_is, &mut terms.catch_up);
        or_default(
            &self.coverage_salary_multiplier,
            "coverage_salary_multiplier",
            checks,
            as_is,
            &mut terms.coverage_salary_multiplier,
        );
        let reduces = &mut terms.reduces_taxable_income;
        or_default(
            &self.deduction_reduces_taxable_income,
            "deduction_reduces_taxable_income",
            checks,
            taxable_income,
            reduces,
        );
        self.apply_contribution(terms, checks);
        if matches!(terms.contribution, Contribution::Tiered(_)) {
            terms.elective = true;
        }
    }

    /// As [`TermsPatch::apply_to_terms`], for an existing record: if a generated client filled in its six fields, those at their
    /// defaults are ignored, unless the command changes nothing else.
    pub fn apply_update(
        &self,
        other_changes: bool,
        terms: &mut BenefitElection,
        active: &mut bool,
        checks: &mut Checks,
    ) {
        if !(self.is_filled_in() && self.has_more(other_changes)) {
            return self.apply_to_terms(terms, active, checks);
        }
        let amount = |field| absent_if_equal(field, &Amount::ZERO);
        let flag = |field| absent_if_equal(field, &false);
        let intended = Self {
            employee_deduction: amount(&self.employee_deduction),
            elective: flag(&self.elective),
            catch_up: flag(&self.catch_up),
            coverage_salary_multiplier: amount(&self.coverage_salary_multiplier),
            company_contribution: amount(&self.company_contribution),
            contribute_as_percentage: flag(&self.contribute_as_percentage),
            ..self.clone()
        };
        intended.apply_to_terms(terms, active, checks);
    }

    fn apply_contribution(&self, terms: &mut BenefitElection, checks: &mut Checks) {
        if !matches!(self.contribution, Patch::Absent | Patch::Null) {
            // The deprecated fields are ignored, but must be valid.
            self.company_contribution.optional("company_contribution", checks, as_is);
            self.contribute_as_percentage.optional("contribute_as_percentage", checks, as_is);
            self.contribution.optional("contribution", checks, |_, _| Ok(()));
            let contribution = self.contribution.value();
            if let Some(contribution) = contribution.and_then(|c| read_contribution(c, checks)) {
                terms.contribution = contribution;
            }
            return;
        }
        let (mut value, mut as_percentage) = match &terms.contribution {
            Contribution::Amount(value) => (*value, false),
            Contribution::Percentage(value) => (*value, true),
            Contribution::Tiered(_) => (Amount::ZERO, false),
        };
        let before = (value, as_percentage);
        self.company_contribution.update("company_contribution", checks, as_is, &mut value);
        self.contribute_as_percentage.update("contribute_as_percentage", checks, as_is, &mut as_percentage);
        if (value, as_percentage) != before {
            terms.contribution =
                if as_percentage { Contribution::Percentage(value) } else { Contribution::Amount(value) };
        }
    }
}

/// The field, or `Absent` if it has this value.
fn absent_if_equal<T: PartialEq + Clone>(field: &Patch<T>, value: &T) -> Patch<T> {
    if field.value() == Some(value) { Patch::Absent } else { field.clone() }
}

/// As [`Patch::update`], but null sets the default.
fn or_default<T, R: Default>(
    field: &Patch<T>,
    key: &str,
    checks: &mut Checks,
    check: impl FnOnce(&str, &T) -> Result<R, Violation>,
    target: &mut R,
) {
    match field {
        Patch::Null => *target = R::default(),
        field => field.update(key, checks, check, target),
    }
}

fn read_contribution(input: &ContributionPatch, checks: &mut Checks) -> Option<Contribution> {
    let kind = input
        .kind
        .required("contribution.type", checks, |key, word| check::one_of(key, word, &Contribution::KINDS));
    let value = input.value.required("contribution.value", checks, |_, value| Ok(value.clone()));
    match (kind?, value?) {
        ("amount", ContributionValue::Amount(value)) => Some(Contribution::Amount(value)),
        ("percentage", ContributionValue::Amount(value)) => Some(Contribution::Percentage(value)),
        ("tiered", ContributionValue::Tiers(tiers)) => read_tiers(&tiers, checks).map(Contribution::Tiered),
        (kind, _) => {
            let what = if kind == "tiered" { "a list of rate and threshold" } else { "a decimal number" };
            let message = format!("contribution.value must be {what} where contribution.type is {kind}");
            checks.push(Violation::invalid("contribution.value", message));
            None
        }
    }
}

fn read_tiers(tiers: &[TierPatch], checks: &mut Checks) -> Option<Vec<Tier>> {
    let read = |tier: &TierPatch| {
        let rate = tier.rate.required("contribution.value.rate", checks, as_is);
        let threshold = tier.threshold.required("contribution.value.threshold", checks, as_is);
        Some(Tier { rate: rate?, threshold: threshold? })
    };
    let read: Vec<_> = tiers.iter().map(read).collect();
    read.into_iter().collect()
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn taxable_income(key: &str, word: &String) -> Result<Option<bool>, Violation> {
    check::parse_named(key, word, &TAXABLE_INCOME, parse_taxable_income)
}
