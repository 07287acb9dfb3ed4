//! Opening balances on the wire.

use domain::pay::payrolls::record::sums::Withheld;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use domain::pay::payrolls::facts::opening;
use domain::pay::payrolls::facts::opening::WAGES;
use domain::pay::payrolls::record::commands;
use rules::Amount;
use rules::amount::dollars_text;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, List, Wire};
use crate::input;
use crate::values::{DecimalText, IdText, LineText};

input! {
    /// The totals of a year before the company moved to the service.
    PutOpeningBalances => commands::PutOpeningBalances {
        /// the calendar year of the check dates
        #[schema(required)]
        year: i64,
        /// year-to-date wages; or an object of names and amounts, as returned
        #[schema(nullable)]
        wages: ByName<WagesInput>,
        /// the employee's year-to-date taxes; or an object of codes and amounts, as returned
        #[schema(nullable)]
        taxes: ByName<TaxInput>,
        /// year-to-date benefit amounts
        #[schema(nullable)]
        benefits: List<BenefitInput>,
        /// year-to-date garnishments
        #[schema(nullable)]
        garnishments: List<GarnishmentInput>,
    }

    /// Wages of one kind.
    WagesInput => commands::WagesLine {
        /// `gross`, `net`, `social_security`, `medicare`, `futa` or `supplemental`
        #[schema(required)]
        name: LineText,
        /// dollars
        #[schema(required, value_type = DecimalText)]
        amount: Amount,
    }

    /// A tax withheld from the employee.
    TaxInput => commands::TaxLine {
        /// code of the tax: `US_FIT`, `US_SS`, `US_MEDICARE`, `US_MEDICARE_ADDITIONAL`, or one of GET /v1/taxes such as `NY_INCOME`
        #[schema(required)]
        code: LineText,
        /// dollars
        #[schema(required, value_type = DecimalText)]
        amount: Amount,
    }

    /// The amounts of a benefit.
    BenefitInput => commands::BenefitLine {
        /// the company's benefit
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// dollars deducted from the employee
        #[schema(value_type = DecimalText)]
        employee_deduction: Amount,
        /// dollars contributed by the company
        #[schema(value_type = DecimalText)]
        company_contribution: Amount,
    }

    /// The amount withheld for a garnishment.
    GarnishmentInput => commands::GarnishmentLine {
        /// the garnishment
        #[schema(required)]
        uuid: IdText,
        /// dollars in the year
        #[schema(value_type = DecimalText)]
        amount: Amount,
        /// dollars in all; defaults to those of the year
        #[schema(value_type = DecimalText)]
        total_amount: Amount,
        /// on how many paychecks
        times: i64,
    }
}

/// A line that an object of keys and amounts can stand for.
pub trait Keyed {
    /// The field that has the key.
    const KEY: &'static str;
    /// What is expected of a list or an object.
    const EXPECTED: &'static str;
}

impl Keyed for WagesInput {
    const KEY: &'static str = "name";
    const EXPECTED: &'static str =
        "a list of at most 1,000 objects with name and amount, or an object of names and amounts";
}

impl Keyed for TaxInput {
    const KEY: &'static str = "code";
    const EXPECTED: &'static str =
        "a list of at most 1,000 objects with code and amount, or an object of codes and amounts";
}

/// Amounts by name or code: a list of lines, or the object of keys and amounts that is returned.
#[derive(Debug)]
pub struct ByName<T>(PhantomData<T>);

impl<T: DeserializeOwned + ToSchema + Keyed> Wire for ByName<T> {
    type Value = List<T>;
    const EXPECTED: &'static str = T::EXPECTED;
    fn from_json(value: Value) -> Option<List<T>> {
        let lines = match value {
            Value::Object(amounts) => {
                amounts.into_iter().map(|(key, amount)| json!({ T::KEY: key, "amount": amount })).collect()
            }
            lines => lines,
        };
        List::from_json(lines)
    }
    fn schema() -> RefOr<Schema> {
        let amount = ObjectBuilder::new().schema_type(Type::String);
        let by_name = ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(amount));
        OneOfBuilder::new().item(<List<T> as Wire>::schema()).item(by_name).into()
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <List<T> as Wire>::schemas(schemas);
    }
}

impl<T: DeserializeOwned + ToSchema + Keyed> ComposeSchema for ByName<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        <Self as Wire>::schema()
    }
}

impl<T: DeserializeOwned + ToSchema + Keyed> ToSchema for ByName<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <Self as Wire>::schemas(schemas);
    }
}

/// The totals of a year before the company moved to the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpeningBalances {
    /// the employee
    pub employee_uuid: Uuid,
    /// the calendar year of the check dates
    pub year: i64,
    /// wages by kind: name to decimal text
    #[schema(value_type = Object)]
    pub wages: BTreeMap<&'static str, String>,
    /// taxes withheld: code to decimal text
    #[schema(value_type = Object)]
    pub taxes: BTreeMap<String, String>,
    /// by company benefit
    pub benefits: Vec<BenefitBalance>,
    /// by garnishment
    pub garnishments: Vec<GarnishmentBalance>,
}

/// The amounts of a benefit.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitBalance {
    /// the company's benefit
    pub company_benefit_uuid: Uuid,
    /// decimal text
    pub employee_deduction: String,
    /// decimal text
    pub company_contribution: String,
}

/// The amount withheld for a garnishment.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentBalance {
    /// the garnishment
    pub uuid: Uuid,
    /// decimal text, in the year
    pub amount: String,
    /// decimal text, in all
    pub total_amount: String,
    /// on how many paychecks
    pub times: i64,
}

impl From<opening::OpeningBalances> for OpeningBalances {
    fn from(balances: opening::OpeningBalances) -> Self {
        let of_year = balances.of_year;
        let wages = [
            of_year.gross,
            of_year.net,
            of_year.social_security_wages(),
            of_year.medicare_wages(),
            of_year.futa_wages(),
            of_year.supplemental_wages,
        ];
        let taxes =
            of_year.taxes_withheld().map(|(id, amount)| (id.code.clone(), dollars_text(amount))).collect();
        let benefits = of_year.benefits.into_iter();
        let garnishments = balances.garnishments.into_iter();
        Self {
            employee_uuid: balances.employee,
            year: balances.year.into(),
            wages: WAGES.into_iter().zip(wages.map(dollars_text)).collect(),
            taxes,
            benefits: benefits
                .map(|(id, paid)| BenefitBalance {
                    company_benefit_uuid: id,
                    employee_deduction: dollars_text(paid.deductions),
                    company_contribution: dollars_text(paid.contributions),
                })
                .collect(),
            garnishments: garnishments
                .map(|(id, Withheld { times, total })| GarnishmentBalance {
                    uuid: id,
                    amount: dollars_text(of_year.garnishments.get(&id).copied().unwrap_or(Amount::ZERO)),
                    total_amount: dollars_text(total),
                    times,
                })
                .collect(),
        }
    }
}
