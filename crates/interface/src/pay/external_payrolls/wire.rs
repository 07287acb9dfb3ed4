//! External payrolls on the wire.

use domain::pay::external_payrolls::items::{Applicable, Item, KINDS};
use domain::pay::external_payrolls::rows::ExternalPayrollStatus;
use domain::pay::external_payrolls::{commands, liabilities, numbers, rows, service};
use rules::Amount;
use rules::amount::dollars_text;
use rules::taxes::{TaxBook, TaxId};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{DateText, Decimal, ExternalEarningName, IdText};

input! {
    /// An external payroll: a check date of another provider.
    CreateExternalPayroll => commands::CreateExternalPayroll {
        /// YYYY-MM-DD: the check date, in this year and not in the future
        #[schema(required)]
        check_date: DateText,
        /// YYYY-MM-DD: first day of the pay period
        #[schema(required)]
        payment_period_start_date: DateText,
        /// YYYY-MM-DD: last day of the pay period
        #[schema(required)]
        payment_period_end_date: DateText,
    }

    /// What employees were paid on a check date of another provider.
    UpdateExternalPayroll => commands::UpdateExternalPayroll {
        /// whether what is omitted is kept; false by default
        #[schema(nullable)]
        replace_fields: bool,
        /// by employee, at most 1000
        #[schema(required)]
        external_payroll_items: List<ExternalPayrollItemInput>,
    }

    /// What an employee was paid.
    ExternalPayrollItemInput => commands::ItemFields {
        /// the employee
        #[schema(required)]
        employee_uuid: IdText,
        /// earnings
        #[schema(nullable)]
        earnings: List<ExternalEarningInput>,
        /// benefits
        #[schema(nullable)]
        benefits: List<ExternalBenefitInput>,
        /// taxes
        #[schema(nullable)]
        taxes: List<ExternalTaxInput>,
    }

    /// An earning.
    ExternalEarningInput => commands::EarningFields {
        /// `CompanyPayType` (the default) or `CompanyEarningType`
        #[schema(nullable)]
        earning_type: ExternalEarningName,
        /// number, from `applicable_earnings`
        #[schema(required)]
        earning_id: i64,
        /// dollars
        #[schema(nullable, value_type = Decimal)]
        amount: Amount,
        /// hours
        #[schema(nullable, value_type = Decimal)]
        hours: Amount,
    }

    /// The amounts of a benefit.
    ExternalBenefitInput => commands::BenefitFields {
        /// number, from `applicable_benefits`
        #[schema(required)]
        benefit_id: i64,
        /// dollars contributed by the company
        #[schema(nullable, value_type = Decimal)]
        company_contribution_amount: Amount,
        /// dollars deducted from the employee
        #[schema(nullable, value_type = Decimal)]
        employee_deduction_amount: Amount,
    }

    /// A tax as it was withheld or paid.
    ExternalTaxInput => commands::TaxFields {
        /// number, from `applicable_taxes`
        #[schema(required)]
        tax_id: i64,
        /// dollars
        #[schema(nullable, value_type = Decimal)]
        amount: Amount,
        /// wages that it was calculated on, in dollars, also 0; without those of each tax the forms of the year are incomplete
        #[schema(nullable, value_type = Decimal)]
        taxable_wages: Amount,
    }

    /// The tax liabilities of external payrolls.
    SelectTaxLiabilities => commands::SelectLiabilities {
        /// by tax, at most 500
        #[schema(required)]
        liability_selections: List<TaxLiabilitySelection>,
    }

    /// The liability for a tax.
    TaxLiabilitySelection => commands::LiabilityFields {
        /// number of the tax
        #[schema(required)]
        tax_id: i64,
        /// the last external payroll whose tax is unpaid, from `possible_liabilities`; null if nothing is owed
        #[schema(required, nullable)]
        last_unpaid_external_payroll_uuid: IdText,
        /// dollars owed up to and including that payroll
        #[schema(required, value_type = Decimal)]
        unpaid_liability_amount: Amount,
    }
}

/// An external payroll: a check date of another provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalPayrollSummary {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// the check date
    pub check_date: String,
    /// first day of the pay period
    pub payment_period_start_date: String,
    /// last day of the pay period
    pub payment_period_end_date: String,
    /// `unprocessed`, or `processed` once it is finished
    pub status: &'static str,
}

impl ExternalPayrollSummary {
    /// The entry in a list.
    pub fn new(company: Uuid, row: &rows::ExternalPayroll) -> Self {
        Self {
            uuid: row.id,
            company_uuid: company,
            check_date: row.check_date.to_string(),
            payment_period_start_date: row.start.to_string(),
            payment_period_end_date: row.end.to_string(),
            status: if row.status == ExternalPayrollStatus::Processed { "processed" } else { "unprocessed" },
        }
    }
}

/// An external payroll with what employees were paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalPayroll {
    #[serde(flatten)]
    #[schema(inline)]
    summary: ExternalPayrollSummary,
    /// what employees were paid
    pub external_payroll_items: Vec<ExternalPayrollItem>,
    /// earnings that lines can refer to
    pub applicable_earnings: Vec<ApplicableEarning>,
    /// benefits that lines can refer to
    pub applicable_benefits: Vec<ApplicableBenefit>,
    /// taxes that lines can refer to
    pub applicable_taxes: Vec<ApplicableTax>,
    /// what the caller can do with it
    pub metadata: ExternalPayrollMetadata,
}

/// What the caller can do with an external payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalPayrollMetadata {
    /// whether it can be deleted
    pub deletable: bool,
}

impl ExternalPayroll {
    /// The full external payroll.
    pub fn new(company: Uuid, details: service::Details) -> Self {
        let service::Details { payroll, items, applicable } = details;
        let Applicable { earnings, benefits, taxes } = applicable;
        Self {
            summary: ExternalPayrollSummary::new(company, &payroll),
            external_payroll_items: items
                .into_iter()
                .map(|(employee, item)| ExternalPayrollItem::new(employee, &item))
                .collect(),
            applicable_earnings: earnings_of(&earnings),
            applicable_benefits: benefits
                .into_iter()
                .map(|benefit| ApplicableBenefit {
                    id: numbers::of_benefit(benefit.id),
                    description: benefit.description,
                    active: benefit.active,
                })
                .collect(),
            applicable_taxes: taxes
                .into_iter()
                .map(|tax| ApplicableTax {
                    id: numbers::of_tax(&tax.id),
                    name: tax.name,
                    code: tax.id.code.clone(),
                    employer_tax: tax.id.is_of_employer(),
                    resident_tax: tax.resident,
                })
                .collect(),
            metadata: ExternalPayrollMetadata {
                deletable: payroll.status == ExternalPayrollStatus::Unprocessed,
            },
        }
    }
}

/// What an employee was paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalPayrollItem {
    /// the employee
    pub employee_uuid: Uuid,
    /// earnings
    pub earnings: Vec<ExternalEarning>,
    /// benefits
    pub benefits: Vec<ExternalBenefit>,
    /// taxes
    pub taxes: Vec<ExternalTax>,
}

/// An earning.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalEarning {
    /// decimal text, dollars
    pub amount: String,
    /// decimal text
    pub hours: String,
    /// `CompanyPayType` or `CompanyEarningType`
    pub earning_type: &'static str,
    /// number
    pub earning_id: i64,
}

/// The amounts of a benefit.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalBenefit {
    /// number
    pub benefit_id: i64,
    /// decimal text, dollars contributed by the company
    pub company_contribution_amount: String,
    /// decimal text, dollars deducted from the employee
    pub employee_deduction_amount: String,
}

/// A tax as it was withheld or paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalTax {
    /// number
    pub tax_id: i64,
    /// decimal text, dollars
    pub amount: String,
    /// decimal text, dollars: wages that it was calculated on; null if they are not known
    pub taxable_wages: Option<String>,
}

impl ExternalPayrollItem {
    fn new(employee_uuid: Uuid, item: &Item) -> Self {
        let earnings = item.earnings.iter().map(|line| ExternalEarning {
            amount: dollars_text(line.amount),
            hours: line.hours.to_text(3),
            earning_type: KINDS[usize::from(line.own)],
            earning_id: line.id,
        });
        let benefits = item.benefits.iter().map(|line| ExternalBenefit {
            benefit_id: numbers::of_benefit(line.company_benefit),
            company_contribution_amount: dollars_text(line.contribution),
            employee_deduction_amount: dollars_text(line.deduction),
        });
        let taxes = item.taxes.iter().map(|line| ExternalTax {
            tax_id: numbers::of_tax(&line.id),
            amount: dollars_text(line.amount),
            taxable_wages: line.taxable.map(dollars_text),
        });
        Self {
            employee_uuid,
            earnings: earnings.collect(),
            benefits: benefits.collect(),
            taxes: taxes.collect(),
        }
    }
}

/// An earning that lines can refer to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApplicableEarning {
    /// `CompanyPayType` for the default ones, `CompanyEarningType` for the company's own
    pub earning_type: &'static str,
    /// number
    pub earning_id: i64,
    /// its name
    pub name: String,
    /// `hour` if it has hours as well as an amount, else `amount`
    pub input_type: &'static str,
    /// `default` or `custom`
    pub category: &'static str,
}

fn earnings_of(own: &[domain::pay::earning_types::rows::EarningType]) -> Vec<ApplicableEarning> {
    let of_everybody = numbers::PAY_TYPES.iter().map(|one| ApplicableEarning {
        earning_type: KINDS[0],
        earning_id: one.id,
        name: one.name.to_owned(),
        input_type: if one.hours { "hour" } else { "amount" },
        category: "default",
    });
    let own = own.iter().zip(1..).map(|(one, place)| ApplicableEarning {
        earning_type: KINDS[1],
        earning_id: place,
        name: one.name.clone(),
        input_type: "amount",
        category: "custom",
    });
    of_everybody.chain(own).collect()
}

/// A benefit that lines can refer to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApplicableBenefit {
    /// number
    pub id: i64,
    /// its name
    pub description: String,
    /// whether payrolls apply it
    pub active: bool,
}

/// A tax that lines can refer to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApplicableTax {
    /// number
    pub id: i64,
    /// as a pay stub prints it; other taxes may have the same name
    pub name: String,
    /// extension: stable code, such as `US_SS`
    pub code: String,
    /// whether the employer pays it
    pub employer_tax: bool,
    /// whether it depends on where employees live
    pub resident_tax: bool,
}

/// The calculated taxes of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalPayrollTaxSuggestions {
    /// the employee
    pub employee_uuid: Uuid,
    /// the taxes
    pub tax_suggestions: Vec<ExternalTax>,
}

impl From<(Uuid, Vec<(TaxId, Amount)>)> for ExternalPayrollTaxSuggestions {
    fn from((employee_uuid, taxes): (Uuid, Vec<(TaxId, Amount)>)) -> Self {
        let taxes = taxes.iter().map(|(id, amount)| ExternalTax {
            tax_id: numbers::of_tax(id),
            amount: amount.to_text(2),
            taxable_wages: None,
        });
        Self { employee_uuid, tax_suggestions: taxes.collect() }
    }
}

/// The possible liabilities for a tax of external payrolls, and the selected one.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxLiability {
    /// number of the tax
    pub tax_id: i64,
    /// its name; for state and local taxes its code
    pub tax_name: String,
    /// extension: stable code, such as `US_SS`
    pub code: String,
    /// who pays it
    pub description: Option<&'static str>,
    /// the last external payroll whose tax is unpaid; null if nothing is owed
    pub last_unpaid_external_payroll_uuid: Option<Uuid>,
    /// the possible liabilities
    pub possible_liabilities: Vec<PossibleLiability>,
}

/// A possible liability.
#[derive(Debug, Serialize, ToSchema)]
pub struct PossibleLiability {
    /// decimal text, dollars
    pub liability_amount: String,
    /// its check date; null for zero
    pub payroll_check_date: Option<String>,
    /// the last external payroll whose tax is unpaid; null for zero
    pub external_payroll_uuid: Option<Uuid>,
}

impl From<liabilities::Liability> for TaxLiability {
    fn from(liability: liabilities::Liability) -> Self {
        let possible = liability.possible.into_iter().map(|one| PossibleLiability {
            liability_amount: one.amount.to_text(2),
            payroll_check_date: one.payroll.as_ref().map(|payroll| payroll.check_date.to_string()),
            external_payroll_uuid: one.payroll.map(|payroll| payroll.id),
        });
        Self {
            tax_id: numbers::of_tax(&liability.id),
            description: Some(if liability.id.is_of_employer() {
                "paid by the employer"
            } else {
                "withheld from employees"
            }),
            tax_name: TaxBook::built_in()
                .get(&liability.id)
                .map_or_else(|| liability.id.code.clone(), |entry| entry.label.clone()),
            code: liability.id.code,
            last_unpaid_external_payroll_uuid: liability.last_unpaid,
            possible_liabilities: possible.collect(),
        }
    }
}
