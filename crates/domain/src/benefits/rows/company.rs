//! Rows of the benefits that a company offers.

use rules::Named;
use rules::payroll::benefits::BenefitType;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::TypeNumber;
use crate::error::Error;

/// How deferrals above the limit become catch-up contributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum CatchUpType {
    /// if the employee elects so
    #[strum(serialize = "elective")]
    Elective,
    /// always
    #[strum(serialize = "deemed")]
    Deemed,
}

store::record! {
    /// A benefit that a company offers.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CompanyBenefit in "company_benefits" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// whether payrolls include it
            pub active: bool,
            /// the company's name for it
            pub description: String,
            /// whether the company pays its employer taxes
            pub responsible_for_employer_taxes: bool,
            /// whether the company reports it on Form W-2
            pub responsible_for_employee_w2: bool,
            /// how deferrals above the limit become catch-up contributions
            pub catch_up_type: Option<CatchUpType> as text,
            /// earning types whose pay is excluded from percentages, by id
            pub excluded_earnings: Option<Vec<Uuid>> as json,
        }
        fixed {
            /// its type
            pub kind: &'static BenefitType as TypeNumber = "benefit_type",
        }
        times { created_at, updated_at }
        version
    }
}

/// A company benefit, and how it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyBenefitUsage {
    /// the benefit
    pub benefit: CompanyBenefit,
    /// whether an employee's benefit or an item of a payroll refers to it
    pub used: bool,
    /// number of employees with an active record that has not ended, if requested
    pub enrollment_count: Option<i64>,
}

/// Number of columns of a benefit, which `used` follows.
const COLUMNS: usize = 9;
const SELECT: &str = store::text!(
    "SELECT ",
    store::columns!(CompanyBenefit, "b."),
    ", EXISTS (SELECT 1 FROM employee_benefits e WHERE e.company_id = $1 AND e.company_benefit_id = b.id) \
     OR EXISTS (SELECT 1 FROM benefit_payroll_items i WHERE i.company_id = $1 AND i.company_benefit_id = b.id) \
     FROM company_benefits b WHERE b.company_id = $1"
);

store::statements! {
    records CompanyBenefit;
    LIST = store::text!(SELECT, " ORDER BY b.id");
    FIND = store::text!(SELECT, " AND b.id = $2");
    EXCLUDING = store::text!(CompanyBenefit::SELECT, " AND excluded_earnings IS NOT NULL ORDER BY id");
}

fn read_benefit(row: &Row<'_>) -> Result<CompanyBenefitUsage, store::Error> {
    Ok(CompanyBenefitUsage {
        benefit: CompanyBenefit::read(row)?,
        used: row.try_get(COLUMNS).map_err(|why| why.into_error(CompanyBenefit::TABLE, "used"))?,
        enrollment_count: None,
    })
}

/// All benefits of the company, in the order of creation.
pub fn list_benefits(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<CompanyBenefitUsage>, Error> {
    Ok(tx.try_query(LIST, params![company], read_benefit)?)
}

/// The benefits that leave some pay out of percentages.
pub fn benefits_with_exclusions(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<CompanyBenefit>, Error> {
    Ok(tx.try_query(EXCLUDING, params![company], CompanyBenefit::read)?)
}

/// The benefit, if it is one of the company's.
pub fn find_benefit(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<CompanyBenefitUsage>, Error> {
    Ok(tx.try_find(FIND, params![company, id], read_benefit)?)
}
