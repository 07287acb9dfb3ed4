//! The amounts of a benefit in a request, and how they become terms.

use rules::Named;
use rules::payroll::benefits::election::{TAXABLE_INCOME, parse_taxable_income};
use rules::payroll::benefits::{BenefitElection, Contribution, LimitOption, Tier};
use rules::{Amount, Checks, Violation, check};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::field::{Field, Wire, as_is};

/// Makes a request body with the amounts of a benefit beside its own fields, and a way to reach them.
macro_rules! with_terms {
    ($(#[$of_body:meta])* pub struct $name:ident { $($(#[$of_field:meta])* pub $field:ident: $kind:ty,)* }) => {
        $(#[$of_body])*
        #[derive(Debug, Clone, Default, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$of_field])* pub $field: $kind,)*
            /// whether it counts in payrolls; true for a new record
            pub active: Field<bool>,
            /// dollars of each pay period, or percent of gross pay; 0.00 for a new record
            #[schema(value_type = String)]
            pub employee_deduction: Field<Amount>,
            /// whether employee_deduction is percent
            pub deduct_as_percentage: Field<bool>,
            /// dollars that are deducted in a calendar year at the most; null for no maximum
            #[schema(value_type = String)]
            pub employee_deduction_annual_maximum: Field<Amount>,
            /// what the company gives: type `amount`, `percentage` or `tiered`, and its value
            pub contribution: Field<ContributionInput>,
            /// whether the company gives at most what the employee does; always true for tiers
            pub elective: Field<bool>,
            /// dollars that the company gives in a calendar year at the most; null for no maximum
            #[schema(value_type = String)]
            pub company_contribution_annual_maximum: Field<Amount>,
            /// which legal limit counts: `Family` or `Individual` (health savings account), `Joint Filing or Single` or
            /// `Married and Filing Separately` (dependent care FSA)
            pub limit_option: Field<String>,
            /// whether the employee defers more because of age; only for 401(k) and Roth 401(k)
            pub catch_up: Field<bool>,
            /// dollars that are insured; only for life and disability insurance
            #[schema(value_type = String)]
            pub coverage_amount: Field<Amount>,
            /// yearly salaries that are insured; only for life and disability insurance
            #[schema(value_type = String)]
            pub coverage_salary_multiplier: Field<Amount>,
            /// `unset` (as the type says), `reduces_taxable_income` or `does_not_reduce_taxable_income`
            pub deduction_reduces_taxable_income: Field<String>,
            /// deprecated: the value of contribution, where that is left out
            #[schema(value_type = String)]
            pub company_contribution: Field<Amount>,
            /// deprecated: whether company_contribution is percent
            pub contribute_as_percentage: Field<bool>,
        }

        impl $name {
            /// The amounts of the body.
            pub fn terms(&self) -> $crate::benefits::input::TermsInput<'_> {
                $crate::benefits::input::TermsInput {
                    active: &self.active,
                    employee_deduction: &self.employee_deduction,
                    deduct_as_percentage: &self.deduct_as_percentage,
                    employee_deduction_annual_maximum: &self.employee_deduction_annual_maximum,
                    contribution: &self.contribution,
                    elective: &self.elective,
                    company_contribution_annual_maximum: &self.company_contribution_annual_maximum,
                    limit_option: &self.limit_option,
                    catch_up: &self.catch_up,
                    coverage_amount: &self.coverage_amount,
                    coverage_salary_multiplier: &self.coverage_salary_multiplier,
                    deduction_reduces_taxable_income: &self.deduction_reduces_taxable_income,
                    company_contribution: &self.company_contribution,
                    contribute_as_percentage: &self.contribute_as_percentage,
                }
            }
        }
    };
}
pub(super) use with_terms;

/// The amounts of a body, wherever they stand.
#[derive(Debug, Clone, Copy)]
pub struct TermsInput<'b> {
    pub active: &'b Field<bool>,
    pub employee_deduction: &'b Field<Amount>,
    pub deduct_as_percentage: &'b Field<bool>,
    pub employee_deduction_annual_maximum: &'b Field<Amount>,
    pub contribution: &'b Field<ContributionInput>,
    pub elective: &'b Field<bool>,
    pub company_contribution_annual_maximum: &'b Field<Amount>,
    pub limit_option: &'b Field<String>,
    pub catch_up: &'b Field<bool>,
    pub coverage_amount: &'b Field<Amount>,
    pub coverage_salary_multiplier: &'b Field<Amount>,
    pub deduction_reduces_taxable_income: &'b Field<String>,
    pub company_contribution: &'b Field<Amount>,
    pub contribute_as_percentage: &'b Field<bool>,
}

/// What the company gives, in a request.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ContributionInput {
    /// `amount`, `percentage` or `tiered`
    #[serde(rename = "type")]
    pub kind: Field<String>,
    /// dollars or percent; for tiers a list of rates and thresholds
    #[schema(value_type = Object)]
    pub value: Field<ContributionValue>,
}

/// The value of a contribution.
#[derive(Debug, Clone)]
pub enum ContributionValue {
    /// dollars or percent
    Amount(Amount),
    /// tiers, in the order of their thresholds
    Tiers(Vec<TierInput>),
}

/// A tier of a matching scheme.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct TierInput {
    /// percent of the deduction that the company gives within the tier
    #[schema(value_type = String, required)]
    pub rate: Field<Amount>,
    /// percent of gross pay up to which the tier goes
    #[schema(value_type = String, required)]
    pub threshold: Field<Amount>,
}

impl Wire for ContributionInput {
    const EXPECTED: &'static str = "an object with type and value";
    fn from_json(value: Value) -> Option<Self> {
        if value.is_object() { serde_json::from_value(value).ok() } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .property("type", described(String::schema(), "`amount`, `percentage` or `tiered`"))
            .property(
                "value",
                described(ContributionValue::schema(), "dollars or percent; for `tiered` the tiers"),
            )
            .required("type")
            .required("value")
            .into()
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <Vec<TierInput> as Wire>::schemas(schemas);
    }
}

/// A schema with what it means.
fn described(schema: RefOr<Schema>, meaning: &str) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.description = Some(meaning.to_owned());
            object.into()
        }
        RefOr::T(Schema::OneOf(mut several)) => {
            several.description = Some(meaning.to_owned());
            RefOr::T(Schema::OneOf(several))
        }
        other => other,
    }
}

impl Wire for ContributionValue {
    const EXPECTED: &'static str = "a decimal number, or for tiers a list of rate and threshold";
    fn from_json(value: Value) -> Option<Self> {
        match value {
            // As answers show them.
            Value::Object(mut object) => Vec::from_json(object.remove("tiers")?).map(Self::Tiers),
            Value::Array(_) => Vec::from_json(value).map(Self::Tiers),
            value => Amount::from_json(value).map(Self::Amount),
        }
    }
    fn schema() -> RefOr<Schema> {
        let tiers = ArrayBuilder::new().items(Ref::from_schema_name(TierInput::name()));
        OneOfBuilder::new().item(Amount::schema()).item(tiers).into()
    }
}

impl TermsInput<'_> {
    /// Whether a generated client filled in what its caller left out. Such clients send these six fields with every
    /// update.
    fn is_filled_in(&self) -> bool {
        let given = [
            self.employee_deduction.given().is_some(),
            self.elective.given().is_some(),
            self.catch_up.given().is_some(),
            self.coverage_salary_multiplier.given().is_some(),
            self.company_contribution.given().is_some(),
            self.contribute_as_percentage.given().is_some(),
        ];
        given.into_iter().all(|given| given)
    }

    /// Whether any amount is changed by something that a generated client does not fill in. `also` says whether the
    /// body changes anything beside the amounts.
    fn says_more(&self, also: bool) -> bool {
        let nonzero = |field: &Field<Amount>| field.given().is_some_and(|amount| *amount != Amount::ZERO);
        let yes = |field: &Field<bool>| field.given().is_some_and(|flag| *flag);
        also || !matches!(self.contribution, Field::Absent)
            || !matches!(self.active, Field::Absent)
            || !matches!(self.deduct_as_percentage, Field::Absent)
            || !matches!(self.employee_deduction_annual_maximum, Field::Absent)
            || !matches!(self.company_contribution_annual_maximum, Field::Absent)
            || !matches!(self.limit_option, Field::Absent)
            || !matches!(self.coverage_amount, Field::Absent)
            || !matches!(self.deduction_reduces_taxable_income, Field::Absent)
            || [self.employee_deduction, self.coverage_salary_multiplier, self.company_contribution]
                .into_iter()
                .any(nonzero)
            || [self.elective, self.catch_up, self.contribute_as_percentage].into_iter().any(yes)
    }

    /// Puts what was sent into `terms` and `active`, and leaves the rest.
    pub fn apply(&self, terms: &mut BenefitElection, active: &mut bool, checks: &mut Checks) {
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
                self.employee_deduction_annual_maximum,
                &mut terms.deduction_annual_maximum,
            ),
            (
                "company_contribution_annual_maximum",
                self.company_contribution_annual_maximum,
                &mut terms.contribution_annual_maximum,
            ),
            ("coverage_amount", self.coverage_amount, &mut terms.coverage_amount),
        ] {
            field.update_or_clear(key, checks, |_, amount| Ok(Some(*amount)), target);
        }
        self.elective.update("elective", checks, as_is, &mut terms.elective);
        self.limit_option.update_or_clear("limit_option", checks, limit_option, &mut terms.limit_option);
        or_default(self.catch_up, "catch_up", checks, as_is, &mut terms.catch_up);
        or_default(
            self.coverage_salary_multiplier,
            "coverage_salary_multiplier",
            checks,
            as_is,
            &mut terms.coverage_salary_multiplier,
        );
        let reduces = &mut terms.reduces_taxable_income;
        or_default(
            self.deduction_reduces_taxable_income,
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

    /// As [`TermsInput::apply`] for a record that is there, without what a generated client filled in on its own:
    /// where all of its six fields are sent, those at their defaults count only if the body says nothing else.
    pub fn apply_update(
        &self,
        also: bool,
        terms: &mut BenefitElection,
        active: &mut bool,
        checks: &mut Checks,
    ) {
        if !(self.is_filled_in() && self.says_more(also)) {
            return self.apply(terms, active, checks);
        }
        let (no_amount, no_flag) = (Field::Absent, Field::Absent);
        let amount = |field| drop_if(field, Amount::ZERO, &no_amount);
        let flag = |field| drop_if(field, false, &no_flag);
        let meant = TermsInput {
            employee_deduction: amount(self.employee_deduction),
            elective: flag(self.elective),
            catch_up: flag(self.catch_up),
            coverage_salary_multiplier: amount(self.coverage_salary_multiplier),
            company_contribution: amount(self.company_contribution),
            contribute_as_percentage: flag(self.contribute_as_percentage),
            ..*self
        };
        meant.apply(terms, active, checks);
    }

    fn apply_contribution(&self, terms: &mut BenefitElection, checks: &mut Checks) {
        if !matches!(self.contribution, Field::Absent | Field::Null) {
            // What stands beside it in the deprecated form must still be readable.
            self.company_contribution.optional("company_contribution", checks, as_is);
            self.contribute_as_percentage.optional("contribute_as_percentage", checks, as_is);
            let Some(input) =
                self.contribution.optional("contribution", checks, |_, input| Ok(input.clone()))
            else {
                return;
            };
            if let Some(contribution) = read_contribution(&input, checks) {
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

/// Nothing where the field has this value.
fn drop_if<'f, T: PartialEq>(field: &'f Field<T>, value: T, nothing: &'f Field<T>) -> &'f Field<T> {
    match field {
        Field::Given(given) if *given == value => nothing,
        field => field,
    }
}

/// As `update`, but null takes the default.
fn or_default<T: Wire, R: Default>(
    field: &Field<T>,
    key: &str,
    checks: &mut Checks,
    check: impl FnOnce(&str, &T) -> Result<R, Violation>,
    target: &mut R,
) {
    match field {
        Field::Null => *target = R::default(),
        field => field.update(key, checks, check, target),
    }
}

fn read_contribution(input: &ContributionInput, checks: &mut Checks) -> Option<Contribution> {
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

fn read_tiers(tiers: &[TierInput], checks: &mut Checks) -> Option<Vec<Tier>> {
    let read = |tier: &TierInput| {
        let rate = tier.rate.required("contribution.value.rate", checks, as_is);
        let threshold = tier.threshold.required("contribution.value.threshold", checks, as_is);
        Some(Tier { rate: rate?, threshold: threshold? })
    };
    let read: Vec<_> = tiers.iter().map(read).collect();
    read.into_iter().collect()
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn limit_option(key: &str, word: &String) -> Result<Option<LimitOption>, Violation> {
    check::named(key, word, &LimitOption::names(), LimitOption::parse).map(Some)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn taxable_income(key: &str, word: &String) -> Result<Option<bool>, Violation> {
    check::named(key, word, &TAXABLE_INCOME, parse_taxable_income)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    with_terms! {
        /// A body with nothing but amounts.
        pub struct Body {}
    }

    fn standard() -> BenefitElection {
        BenefitElection {
            deduction: Amount::from_cents(10_000),
            contribution: Contribution::Percentage(Amount::from_cents(400)),
            elective: true,
            ..BenefitElection::default()
        }
    }

    fn updated(body: Value, also: bool) -> Result<BenefitElection, Vec<String>> {
        let body: Body = serde_json::from_value(body).unwrap();
        let (mut terms, mut active, mut checks) = (standard(), true, Checks::new());
        body.terms().apply_update(also, &mut terms, &mut active, &mut checks);
        checks.finish().map(|()| terms).map_err(|v| v.into_iter().map(|v| v.key).collect())
    }

    /// What generated clients send with every update, and some more.
    fn filled_in(more: Value) -> Value {
        let mut body = json!({ "employee_deduction": "0.00", "elective": false, "catch_up": false,
            "coverage_salary_multiplier": "0.00", "company_contribution": "0.00", "contribute_as_percentage": false });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    }

    #[test]
    fn what_a_client_fills_in_on_its_own_wipes_nothing() {
        assert_eq!(updated(filled_in(json!({})), true), Ok(standard()));
        let raised = updated(filled_in(json!({ "employee_deduction": "120.00" })), false).unwrap();
        assert_eq!(raised, BenefitElection { deduction: Amount::from_cents(12_000), ..standard() });
        // Alone, they are what the caller wants.
        let zero = updated(filled_in(json!({})), false).unwrap();
        assert_eq!((zero.deduction, zero.elective), (Amount::ZERO, false));
        // A caller who sends one of them means it.
        assert_eq!(updated(json!({ "employee_deduction": 0 }), true).unwrap().deduction, Amount::ZERO);
        let none = updated(json!({ "company_contribution": "0", "contribute_as_percentage": false }), true);
        assert_eq!(none.unwrap().contribution, Contribution::Amount(Amount::ZERO));
    }

    #[test]
    fn a_contribution_is_read_in_each_of_its_forms() {
        let read = |contribution: Value| {
            updated(json!({ "contribution": contribution }), false).map(|t| t.contribution)
        };
        let amount = |cents| Amount::from_cents(cents);
        assert_eq!(
            read(json!({ "type": "amount", "value": "50.00" })),
            Ok(Contribution::Amount(amount(5_000)))
        );
        assert_eq!(
            read(json!({ "type": "percentage", "value": 3.5 })),
            Ok(Contribution::Percentage(amount(350)))
        );
        let tiers = json!([{ "rate": "100", "threshold": "3" }, { "rate": 50, "threshold": "5.0" }]);
        let expected = Contribution::Tiered(vec![
            Tier { rate: amount(10_000), threshold: amount(300) },
            Tier { rate: amount(5_000), threshold: amount(500) },
        ]);
        assert_eq!(read(json!({ "type": "tiered", "value": tiers })), Ok(expected.clone()));
        assert_eq!(read(json!({ "type": "tiered", "value": { "tiers": tiers } })), Ok(expected));
        assert_eq!(
            read(json!({ "type": "tiered", "value": "3" })),
            Err(vec!["contribution.value".to_owned()])
        );
        assert_eq!(
            read(json!({ "type": "amount", "value": [] })),
            Err(vec!["contribution.value".to_owned()])
        );
        assert_eq!(read(json!({ "type": "gift", "value": 1 })), Err(vec!["contribution.type".to_owned()]));
        assert_eq!(
            read(json!({})),
            Err(vec!["contribution.type".to_owned(), "contribution.value".to_owned()])
        );
        assert_eq!(read(json!("50")), Err(vec!["contribution".to_owned()]));
    }

    #[test]
    fn tiers_always_match() {
        let body = json!({ "elective": false, "contribution": { "type": "tiered", "value": [{ "rate": 100, "threshold": 3 }] } });
        assert!(updated(body, false).unwrap().elective);
    }

    #[test]
    fn null_clears_what_may_be_empty() {
        let cleared = json!({ "employee_deduction_annual_maximum": null, "limit_option": null, "catch_up": null,
            "coverage_amount": null, "coverage_salary_multiplier": null, "deduction_reduces_taxable_income": null });
        assert_eq!(updated(cleared, false), Ok(standard()));
        let refused = updated(json!({ "employee_deduction": null, "active": null }), false);
        assert_eq!(refused, Err(vec!["active".to_owned(), "employee_deduction".to_owned()]));
    }
}
