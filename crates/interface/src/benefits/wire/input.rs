//! Benefits in requests.

use domain::benefits::commands;
use rules::Amount;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::field::{Field, List, Wire};
use crate::input;
use crate::values::{BulkAction, CatchUpName, DateText, IdText};

/// As [`input!`], with the amounts of a benefit beside the fields of its own.
macro_rules! input_with_terms {
    ($($(#[$about:meta])* $name:ident => $command:ty { $($(#[$field_about:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$field_about])* pub $field: Field<$type>,)*
            /// whether it counts in payrolls; true for a new record
            pub active: Field<bool>,
            /// dollars of each pay period, or percent of gross pay; 0.00 for a new record
            #[schema(value_type = String)]
            pub employee_deduction: Field<Amount>,
            /// whether employee_deduction is percent
            pub deduct_as_percentage: Field<bool>,
            /// dollars that are deducted in a calendar year at most; null for no maximum
            #[schema(value_type = Option<String>)]
            pub employee_deduction_annual_maximum: Field<Amount>,
            /// what the company gives: type `amount`, `percentage` or `tiered`, and its value
            #[schema(nullable)]
            pub contribution: Field<ContributionInput>,
            /// whether the company gives at most what the employee does; always true for tiers
            pub elective: Field<bool>,
            /// dollars that the company gives in a calendar year at most; null for no maximum
            #[schema(value_type = Option<String>)]
            pub company_contribution_annual_maximum: Field<Amount>,
            /// which legal limit counts: `Family` or `Individual` (health savings account), `Joint Filing or Single` or
            /// `Married and Filing Separately` (dependent care FSA)
            #[schema(nullable)]
            pub limit_option: Field<$crate::values::LimitOptionName>,
            /// whether the employee defers more because of age; only for 401(k) and Roth 401(k)
            #[schema(nullable)]
            pub catch_up: Field<bool>,
            /// dollars that are insured; only for life and disability insurance
            #[schema(value_type = Option<String>)]
            pub coverage_amount: Field<Amount>,
            /// yearly salaries that are insured; only for life and disability insurance
            #[schema(value_type = Option<String>)]
            pub coverage_salary_multiplier: Field<Amount>,
            /// `unset` (as the type says), `reduces_taxable_income` or `does_not_reduce_taxable_income`
            #[schema(nullable)]
            pub deduction_reduces_taxable_income: Field<$crate::values::TaxableIncome>,
            /// deprecated: the value of contribution, where that is left out
            #[schema(value_type = String)]
            pub company_contribution: Field<Amount>,
            /// deprecated: whether company_contribution is percent
            pub contribute_as_percentage: Field<bool>,
        }

        impl From<$name> for $command {
            fn from(body: $name) -> Self {
                Self {
                    $($field: body.$field.into(),)*
                    terms: commands::TermsPatch {
                        active: body.active.into(),
                        employee_deduction: body.employee_deduction.into(),
                        deduct_as_percentage: body.deduct_as_percentage.into(),
                        employee_deduction_annual_maximum: body.employee_deduction_annual_maximum.into(),
                        contribution: body.contribution.into(),
                        elective: body.elective.into(),
                        company_contribution_annual_maximum: body.company_contribution_annual_maximum.into(),
                        limit_option: body.limit_option.into(),
                        catch_up: body.catch_up.into(),
                        coverage_amount: body.coverage_amount.into(),
                        coverage_salary_multiplier: body.coverage_salary_multiplier.into(),
                        deduction_reduces_taxable_income: body.deduction_reduces_taxable_income.into(),
                        company_contribution: body.company_contribution.into(),
                        contribute_as_percentage: body.contribute_as_percentage.into(),
                    },
                }
            }
        }
    )+};
}
#[cfg(test)]
pub(super) use input_with_terms;

input! {
    /// A new company benefit.
    CreateCompanyBenefit => commands::CreateCompanyBenefit {
        /// number of a supported type
        #[schema(required)]
        benefit_type: i64,
        /// whether it counts in payrolls; true when left out
        #[schema(nullable)]
        active: bool,
        /// what the company calls it, at most 255 characters
        #[schema(required)]
        description: String,
        /// whether the company pays its employer taxes; false when left out
        #[schema(nullable)]
        responsible_for_employer_taxes: bool,
        /// whether the company reports it on Form W-2; false when left out
        #[schema(nullable)]
        responsible_for_employee_w2: bool,
        /// `elective` or `deemed`; only for retirement plans
        #[schema(nullable)]
        catch_up_type: CatchUpName,
    }

    /// What an update changes; what is left out stays.
    UpdateCompanyBenefit => commands::UpdateCompanyBenefit {
        /// the version as last read
        #[schema(required)]
        version: String,
        /// whether it counts in payrolls; stays true while an employee is enrolled
        active: bool,
        /// what the company calls it
        description: String,
        /// whether the company pays its employer taxes
        responsible_for_employer_taxes: bool,
        /// whether the company reports it on Form W-2
        responsible_for_employee_w2: bool,
        /// `elective` or `deemed`; null clears it
        #[schema(nullable)]
        catch_up_type: CatchUpName,
    }

    /// Records of many employees.
    UpdateManyEmployeeBenefits => commands::UpdateManyEmployeeBenefits {
        /// one action for each employee
        #[schema(required)]
        employee_benefits: List<BulkItem>,
    }

    /// A pay period to come.
    PayPeriodInput => commands::PayPeriod {
        /// YYYY-MM-DD: its last day
        #[schema(required)]
        end_date: DateText,
        /// YYYY-MM-DD: the day of payment; the last day when left out
        check_date: DateText,
    }

    /// The days of one benefit as they are wished. Days that are not named keep what they have.
    PlanInput => commands::PlanTimeline {
        /// which of the company's benefits
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// what is wished for which days, 1 to 100 windows that do not overlap
        #[schema(required)]
        timeline: List<TimelineWish>,
        /// dollars of gross pay in each payroll, for amounts that are percentages
        #[schema(value_type = Option<String>)]
        gross_pay: Amount,
        /// the pay periods whose payrolls are to be shown, at most 60; those to come of the company's pay schedule when left
        /// out
        #[schema(nullable)]
        pay_periods: List<PayPeriodInput>,
    }

    /// A plan that is to be carried out.
    ApplyPlan => commands::ApplyPlan {
        /// which of the company's benefits, as in the plan
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// what is wished for which days, as in the plan
        #[schema(required)]
        timeline: List<TimelineWish>,
        /// the hash that the plan was answered with
        #[schema(required)]
        hash: String,
    }

    /// A tier of a matching scheme.
    TierInput => commands::TierPatch {
        /// percent of the deduction that the company gives within the tier
        #[schema(value_type = String, required)]
        rate: Amount,
        /// percent of gross pay up to which the tier goes
        #[schema(value_type = String, required)]
        threshold: Amount,
    }
}

input_with_terms! {
    /// A new record of an employee's benefit.
    CreateEmployeeBenefit => commands::CreateEmployeeBenefit {
        /// which of the company's benefits
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// YYYY-MM-DD: the first day; 1970-01-01 when left out
        effective_date: DateText,
        /// YYYY-MM-DD: the last day; open when left out
        #[schema(nullable)]
        expiration_date: DateText,
    }

    /// What an update changes; what is left out stays.
    UpdateEmployeeBenefit => commands::UpdateEmployeeBenefit {
        /// the version as last read
        #[schema(required)]
        version: String,
        /// YYYY-MM-DD: the first day
        effective_date: DateText,
        /// YYYY-MM-DD: the last day; null opens the record
        #[schema(nullable)]
        expiration_date: DateText,
    }

    /// One record of a request for many.
    BulkItem => commands::BulkItem {
        /// whose record it is
        #[schema(required)]
        employee_uuid: IdText,
        /// `create` or `update`; needed where a date is sent. Without it, an employee who has no record of the benefit
        /// gets one, and of any other the present record is updated
        action: BulkAction,
        /// the record to update
        uuid: IdText,
        /// the version as last read, of the record to update
        version: String,
        /// YYYY-MM-DD: the first day
        effective_date: DateText,
        /// YYYY-MM-DD: the last day
        expiration_date: DateText,
    }

    /// What is wished for some days; amounts that are left out are those of the day before the change, that is, of the
    /// record in force on the first of these days, or the last one before it, or the next one.
    TimelineWish => commands::TimelineWindow {
        /// YYYY-MM-DD: the first of the days
        #[schema(required)]
        effective_date: DateText,
        /// YYYY-MM-DD: the last of the days; without one they do not end
        expiration_date: DateText,
        /// false: the benefit is not in force on these days
        enrolled: bool,
    }
}

/// A company contribution.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ContributionInput {
    #[serde(rename = "type")]
    kind: Field<String>,
    #[schema(value_type = Object)]
    value: Field<ContributionValue>,
}

/// The value of a company contribution.
#[derive(Debug, Clone)]
pub enum ContributionValue {
    /// dollars or percent
    Amount(Amount),
    /// tiers in the order of their thresholds
    Tiers(List<TierInput>),
}

impl From<ContributionInput> for commands::ContributionPatch {
    fn from(input: ContributionInput) -> Self {
        Self { kind: input.kind.into(), value: input.value.into() }
    }
}

impl From<ContributionValue> for commands::ContributionValue {
    fn from(value: ContributionValue) -> Self {
        match value {
            ContributionValue::Amount(amount) => Self::Amount(amount),
            ContributionValue::Tiers(tiers) => Self::Tiers(tiers.into()),
        }
    }
}

impl Wire for ContributionInput {
    const EXPECTED: &'static str = "an object with type and value";
    fn from_json(value: Value) -> Option<Self> {
        if value.is_object() { serde_json::from_value(value).ok() } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .property("type", described(<String as Wire>::schema(), "`amount`, `percentage` or `tiered`"))
            .property(
                "value",
                described(
                    <ContributionValue as Wire>::schema(),
                    "dollars or percent; for `tiered` the tiers",
                ),
            )
            .required("type")
            .required("value")
            .into()
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <List<TierInput> as Wire>::schemas(schemas);
    }
}

/// Adds a description to a schema.
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
            // As in responses.
            Value::Object(mut object) => List::from_json(object.remove("tiers")?).map(Self::Tiers),
            Value::Array(_) => List::from_json(value).map(Self::Tiers),
            value => Amount::from_json(value).map(Self::Amount),
        }
    }
    fn schema() -> RefOr<Schema> {
        let tiers = ArrayBuilder::new().items(Ref::from_schema_name(TierInput::name()));
        OneOfBuilder::new().item(<Amount as Wire>::schema()).item(tiers).into()
    }
}
