//! Opening balances on the wire.

use std::collections::BTreeMap;

use domain::pay::payrolls::opening::WAGES;
use domain::pay::payrolls::{commands, opening};
use rules::Amount;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, List, Wire};
use crate::input;
use crate::values::IdText;

input! {
    /// Sums of a year until the company came here.
    PutOpeningBalances => commands::PutOpeningBalances {
        /// the calendar year of the pay dates
        #[schema(required)]
        year: i64,
        /// wages of the year so far; or an object of names and amounts, as they are read
        #[schema(nullable)]
        wages: ByName<WagesInput>,
        /// the employee's taxes of the year so far; or an object of names and amounts, as they are read
        #[schema(nullable)]
        taxes: ByName<TaxInput>,
        /// what benefits took and gave in the year so far
        #[schema(nullable)]
        benefits: List<BenefitInput>,
        /// what was taken for garnishments so far
        #[schema(nullable)]
        garnishments: List<GarnishmentInput>,
    }

    /// Wages as something counts them.
    WagesInput => commands::WagesLine {
        /// `gross`, `net`, `social_security`, `medicare`, `futa` or `supplemental`
        #[schema(required)]
        name: String,
        /// dollars
        #[schema(required, value_type = String)]
        amount: Amount,
    }

    /// A tax of the employee.
    TaxInput => commands::TaxLine {
        /// such as `Federal Income Tax`, `Social Security`, `Medicare`, `Additional Medicare` or `NY Withholding Tax`
        #[schema(required)]
        name: String,
        /// dollars
        #[schema(required, value_type = String)]
        amount: Amount,
    }

    /// What a benefit took and gave.
    BenefitInput => commands::BenefitLine {
        /// the company's benefit
        #[schema(required)]
        company_benefit_uuid: IdText,
        /// dollars of the employee
        #[schema(value_type = String)]
        employee_deduction: Amount,
        /// dollars of the company
        #[schema(value_type = String)]
        company_contribution: Amount,
    }

    /// What was taken for a garnishment.
    GarnishmentInput => commands::GarnishmentLine {
        /// the garnishment
        #[schema(required)]
        uuid: IdText,
        /// dollars in the year
        #[schema(value_type = String)]
        amount: Amount,
        /// dollars in all; those of the year when left out
        #[schema(value_type = String)]
        total_amount: Amount,
        /// on how many pays
        times: i64,
    }
}

/// Amounts by name: a list of lines, or what is read of them, an object of names and amounts.
#[derive(Debug, Clone, Default)]
pub struct ByName<T>(List<T>);

impl<T, C: From<T>> From<ByName<T>> for Vec<C> {
    fn from(by_name: ByName<T>) -> Self {
        by_name.0.into()
    }
}

impl<T: DeserializeOwned + ToSchema> Wire for ByName<T> {
    const EXPECTED: &'static str =
        "a list of at most 1,000 objects with name and amount, or an object of names and amounts";
    fn from_json(value: Value) -> Option<Self> {
        let lines = match value {
            Value::Object(amounts) => {
                amounts.into_iter().map(|(name, amount)| json!({ "name": name, "amount": amount })).collect()
            }
            lines => lines,
        };
        List::from_json(lines).map(Self)
    }
    fn schema() -> RefOr<Schema> {
        <List<T> as Wire>::schema()
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <List<T> as Wire>::schemas(schemas);
    }
}

impl<T: DeserializeOwned + ToSchema> ComposeSchema for ByName<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        <Self as Wire>::schema()
    }
}

impl<T: DeserializeOwned + ToSchema> ToSchema for ByName<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <Self as Wire>::schemas(schemas);
    }
}

/// Sums of a year until the company came here.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpeningBalances {
    /// the employee
    pub employee_uuid: Uuid,
    /// the calendar year of the pay dates
    pub year: i64,
    /// wages as each tax counts them: name to decimal text
    #[schema(value_type = Object)]
    pub wages: BTreeMap<&'static str, String>,
    /// taxes: name to decimal text
    #[schema(value_type = Object)]
    pub taxes: BTreeMap<String, String>,
    /// by company benefit
    pub benefits: Vec<BenefitBalance>,
    /// by garnishment
    pub garnishments: Vec<GarnishmentBalance>,
}

/// What a benefit took and gave.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitBalance {
    /// the company's benefit
    pub company_benefit_uuid: Uuid,
    /// decimal text
    pub employee_deduction: String,
    /// decimal text
    pub company_contribution: String,
}

/// What was taken for a garnishment.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentBalance {
    /// the garnishment
    pub uuid: Uuid,
    /// decimal text, in the year
    pub amount: String,
    /// decimal text, in all
    pub total_amount: String,
    /// on how many pays
    pub times: i64,
}

impl From<opening::OpeningBalances> for OpeningBalances {
    fn from(balances: opening::OpeningBalances) -> Self {
        let of_year = balances.of_year;
        let wages = [
            of_year.gross,
            of_year.net,
            of_year.social_security_wages,
            of_year.medicare_wages,
            of_year.futa_wages,
            of_year.supplemental_wages,
        ];
        let benefits = of_year.benefits.into_iter();
        let garnishments = balances.garnishments.into_iter();
        Self {
            employee_uuid: balances.employee,
            year: balances.year.into(),
            wages: WAGES.into_iter().zip(wages.map(text)).collect(),
            taxes: of_year.taxes.into_iter().map(|(name, amount)| (name, text(amount))).collect(),
            benefits: benefits
                .map(|(id, (_, deduction, contribution))| BenefitBalance {
                    company_benefit_uuid: id,
                    employee_deduction: text(deduction),
                    company_contribution: text(contribution),
                })
                .collect(),
            garnishments: garnishments
                .map(|(id, (times, total))| GarnishmentBalance {
                    uuid: id,
                    amount: text(of_year.garnishments.get(&id).copied().unwrap_or(0)),
                    total_amount: text(total),
                    times,
                })
                .collect(),
        }
    }
}

fn text(millionths: i64) -> String {
    Amount::from_millionths(millionths).to_text(2)
}
