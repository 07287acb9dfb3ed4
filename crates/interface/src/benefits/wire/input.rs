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
use crate::values::{
    BulkAction, CatchUpName, ContributionTypeName, DateText, DecimalText, HashText, IdText, LongLineText,
    VersionText,
};

/// As [`input!`], with the amounts of a benefit in addition to the struct's own fields.
macro_rules! input_with_terms {
    ($($(#[$about:meta])* $name:ident => $command:ty { $($(#[$field_about:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$field_about])* pub $field: Field<$type>,)*
            /// whether payrolls apply it; true for a new record
            pub active: Field<bool>,
            /// dollars per pay period, or percent of gross pay; 0.00 for a new record
            #[schema(value_type = crate::values::DecimalText)]
            pub employee_deduction: Field<Amount>,
            /// whether employee_deduction is percent
            pub deduct_as_percentage: Field<bool>,
            /// the most that is deducted in a calendar year, dollars; null for no maximum
            #[schema(nullable, value_type = crate::values::DecimalText)]
            pub employee_deduction_annual_maximum: Field<Amount>,
            /// the company's contribution: type `amount`, `percentage` or `tiered`, and its value
            #[schema(nullable)]
            pub contribution: Field<ContributionInput>,
            /// whether the company contributes at most as much as the employee; always true for tiers
            pub elective: Field<bool>,
            /// the most that the company contributes in a calendar year, dollars; null for no maximum
            #[schema(nullable, value_type = crate::values::DecimalText)]
            pub company_contribution_annual_maximum: Field<Amount>,
            /// which legal limit applies: `Family` or `Individual` (health savings account), `Joint Filing or Single`
            /// or `Married and Filing Separately` (dependent care FSA)
            #[schema(nullable)]
            pub limit_option: Field<$crate::values::LimitOption>,
            /// whether the employee makes catch-up contributions because of age; only for 401(k) and Roth 401(k)
            #[schema(nullable)]
            pub catch_up: Field<bool>,
            /// insured amount in dollars; only for life and disability insurance
            #[schema(nullable, value_type = crate::values::DecimalText)]
            pub coverage_amount: Field<Amount>,
            /// insured amount as a multiple of the yearly salary; only for life and disability insurance
            #[schema(nullable, value_type = crate::values::DecimalText)]
            pub coverage_salary_multiplier: Field<Amount>,
            /// `unset` (according to the type), `reduces_taxable_income` or `does_not_reduce_taxable_income`
            #[schema(nullable)]
            pub deduction_reduces_taxable_income: Field<$crate::values::TaxableIncome>,
            /// deprecated: the value of contribution, if that is omitted
            #[schema(value_type = crate::values::DecimalText)]
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
        /// whether payrolls apply it; true by default
        #[schema(nullable)]
        active: bool,
        /// its name, at most 255 characters
        #[schema(required)]
        description: LongLineText,
        /// whether the company pays its employer taxes; false by default
        #[schema(nullable)]
        responsible_for_employer_taxes: bool,
        /// whether the company reports it on Form W-2; false by default
        #[schema(nullable)]
        responsible_for_employee_w2: bool,
        /// `elective` or `deemed`; only for retirement plans
        #[schema(nullable)]
        catch_up_type: CatchUpName,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateCompanyBenefit => commands::UpdateCompanyBenefit {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// whether payrolls apply it; must stay true while an employee is enrolled
        active: bool,
        /// its name
        description: LongLineText,
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
        /// one item per employee
        #[schema(required)]
        employee_benefits: List<BulkItem>,
    }

    /// An upcoming pay period.
    PayPeriodInput => commands::PayPeriod {
        /// YYYY-MM-DD: its last day
        #[schema(required)]
        end_date: DateText,
        /// YYYY-MM-DD: the check date; defaults to the last day of the period
        check_date: DateText,
    }

    /// The desired timeline of one benefit. Days in no window are unchanged.
    PlanInput => commands::PlanTimeline {
        /// the company benefit
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// 1 to 100 windows that do not overlap
        #[schema(required)]
        timeline: List<TimelineWish>,
        /// gross pay per payroll in dollars, for amounts in percent
        #[schema(nullable, value_type = DecimalText)]
        gross_pay: Amount,
        /// the pay periods whose payrolls are to be shown, at most 60; defaults to the upcoming periods of the
        /// company's pay schedule
        #[schema(nullable)]
        pay_periods: List<PayPeriodInput>,
    }

    /// A plan to apply.
    ApplyPlan => commands::ApplyPlan {
        /// the company benefit, as in the plan
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// the windows, as in the plan
        #[schema(required)]
        timeline: List<TimelineWish>,
        /// the hash of the plan
        #[schema(required)]
        hash: HashText,
    }

    /// A tier of a matching scheme.
    TierInput => commands::TierPatch {
        /// the company's match within the tier, in percent of the deduction
        #[schema(value_type = DecimalText, required)]
        rate: Amount,
        /// upper bound of the tier, in percent of gross pay
        #[schema(value_type = DecimalText, required)]
        threshold: Amount,
    }
}

input_with_terms! {
    /// A new record of an employee's benefit.
    CreateEmployeeBenefit => commands::CreateEmployeeBenefit {
        /// the company benefit
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// YYYY-MM-DD: the first day; defaults to 1970-01-01
        effective_date: DateText,
        /// YYYY-MM-DD: the last day; open by default
        #[schema(nullable)]
        expiration_date: DateText,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateEmployeeBenefit => commands::UpdateEmployeeBenefit {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// YYYY-MM-DD: the first day
        effective_date: DateText,
        /// YYYY-MM-DD: the last day; null makes the record open-ended
        #[schema(nullable)]
        expiration_date: DateText,
    }

    /// One item of a request for many employees.
    BulkItem => commands::BulkItem {
        /// the employee
        #[schema(required)]
        employee_uuid: IdText,
        /// `create` or `update`. Without it, an item with `uuid` and `version` is an update, and one without them a
        /// create; without a date as well, the current record of an employee who has one is updated
        action: BulkAction,
        /// the record to update
        uuid: IdText,
        /// the version as last read, of the record to update
        version: VersionText,
        /// YYYY-MM-DD: the first day
        effective_date: DateText,
        /// YYYY-MM-DD: the last day
        expiration_date: DateText,
    }

    /// A window of the desired timeline. Omitted amounts default to those of the record in force on its first day, or
    /// else of the last record before it, or else of the next one.
    TimelineWish => commands::TimelineWindow {
        /// YYYY-MM-DD: the first day
        #[schema(required)]
        effective_date: DateText,
        /// YYYY-MM-DD: the last day; open-ended without one
        expiration_date: DateText,
        /// false: the benefit is not in force in this window
        enrolled: bool,
    }
}

/// A company contribution.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ContributionInput {
    #[serde(rename = "type")]
    kind: Field<ContributionTypeName>,
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
    type Value = Self;
    const EXPECTED: &'static str = "an object with type and value";
    fn from_json(value: Value) -> Option<Self> {
        if value.is_object() { serde_json::from_value(value).ok() } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .property(
                "type",
                describe_schema(<String as Wire>::schema(), "`amount`, `percentage` or `tiered`"),
            )
            .property(
                "value",
                describe_schema(
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
fn describe_schema(schema: RefOr<Schema>, meaning: &str) -> RefOr<Schema> {
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
    type Value = Self;
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
