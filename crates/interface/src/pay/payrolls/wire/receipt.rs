//! Receipts and grossing up, on the wire.

use std::collections::BTreeMap;

use domain::access::tokens::Caller;
use domain::company::locations::rows::Location;
use domain::pay::payrolls::record::paycheck::{DeductionPaid, Paid};
use domain::pay::payrolls::record::payroll;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::{PayrollEmployee, gross_up};
use domain::pay::payrolls::views::receipt::Receipt;
use jiff::civil::Date;
use rules::Amount;
use rules::amount::dollars_text;
use rules::taxes::insurance::program_code;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, Ids};
use crate::input;
use crate::values::{DateText, Decimal, IdText, SkippedName};

input! {
    /// The net pay to gross up, and the employee.
    GrossUp => gross_up::GrossUp {
        /// an employee of the payroll
        #[schema(required)]
        employee_uuid: IdText,
        /// dollars, more than 0
        #[schema(required, value_type = Decimal)]
        net_pay: Amount,
    }
}

input! {
    /// The payroll to skip.
    SkipPayroll => service::SkipPayroll {
        /// the kind of payroll; `Hired employee` is always refused
        #[schema(required)]
        payroll_type: SkippedName,
        /// YYYY-MM-DD: first day of the pay period
        #[schema(nullable)]
        start_date: DateText,
        /// YYYY-MM-DD: last day of the pay period; defaults to the current period
        #[schema(nullable)]
        end_date: DateText,
        /// the pay schedule
        #[schema(nullable)]
        pay_schedule_uuid: IdText,
        /// for `Dismissed employee`, the employees whose final pay periods are skipped; defaults to all of that period;
        /// empty otherwise
        #[schema(nullable)]
        employee_uuids: Ids,
    }
}

/// The gross amount for the given net pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrossUpResult {
    /// decimal text, dollars
    pub gross_up: String,
}

/// What a company pays for a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollReceipt {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// the payer: the company
    pub name_of_sender: String,
    /// the recipients
    pub name_of_recipient: &'static str,
    /// the notice for each recipient
    pub recipient_notice: &'static str,
    /// YYYY-MM-DD: when the company is debited
    #[schema(format = Date)]
    pub debit_date: String,
    /// the money transmission licence: none, because the company pays from its own account
    pub license: &'static str,
    /// URL of an explanation of that
    pub license_uri: String,
    /// URL of an explanation of cancelling a payroll
    pub right_to_refund: String,
    /// URL of an explanation of liabilities
    pub liability_of_licensee: String,
    /// totals of all employees
    pub totals: ReceiptTotals,
    /// each tax, employees' and employer's parts together
    pub taxes: Vec<ReceiptTax>,
    /// the receipt of each employee
    pub employee_compensations: Vec<ReceiptEmployee>,
    /// the payer: the company
    pub licensee: Licensee,
}

/// The amounts debited from the company's account, in decimal text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptTotals {
    /// the total
    pub company_debit: String,
    /// net pay by direct deposit
    pub net_pay_debit: String,
    /// child support paid on behalf of employees
    pub child_support_debit: String,
    /// expenses reimbursed by direct deposit
    pub reimbursement_debit: String,
    /// taxes of employees and employer
    pub tax_debit: String,
}

/// A tax of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptTax {
    /// its name; other taxes may have the same one
    pub name: String,
    /// extension: stable code, such as `US_SS`; that of the program where employee and employer have codes of their own
    pub code: String,
    /// decimal text, dollars
    pub amount: String,
}

/// The receipt of an employee, in decimal text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptEmployee {
    /// the employee
    pub employee_uuid: Uuid,
    /// first name
    pub employee_first_name: String,
    /// last name
    pub employee_last_name: String,
    /// `Direct Deposit` or `Check`
    pub payment_method: &'static str,
    /// net pay, after taxes and deductions
    pub net_pay: String,
    /// taxes of the employee
    pub total_tax: String,
    /// garnishments, including child support
    pub total_garnishments: String,
    /// child support among them
    pub child_support_garnishment: String,
    /// reimbursed expenses
    pub total_reimbursement: String,
}

/// The payer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Licensee {
    /// name
    pub name: String,
    /// house number and street
    pub address: String,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub postal_code: String,
    /// ten digits
    pub phone_number: String,
}

impl Licensee {
    /// The company with the location from which it files.
    pub fn new(name: String, place: Option<Location>) -> Self {
        let (address, city, state, postal_code, phone_number) = place
            .map(|place| (place.street_1, place.city, place.state, place.zip, place.phone_number))
            .unwrap_or_default();
        Self { name, address, city, state, postal_code, phone_number }
    }
}

impl PayrollReceipt {
    /// The response; `base` is the service's public URL.
    pub fn new(caller: &Caller, base: &str, receipt: Receipt, debited_on: Date) -> Self {
        let payroll = &receipt.details.payroll;
        let employees = receipt.details.employees.iter();
        Self {
            payroll_uuid: payroll.id,
            company_uuid: caller.company,
            name_of_sender: receipt.company.clone(),
            name_of_recipient: "The employees named below",
            recipient_notice: "Your employer pays these amounts. Ask your employer about a payment that is wrong or missing.",
            debit_date: debited_on.to_string(),
            license: "The employer pays from its own account; this service holds and transmits no money and needs no licence to do so.",
            license_uri: format!("{base}/docs"),
            right_to_refund: format!("{base}/docs"),
            liability_of_licensee: format!("{base}/docs"),
            totals: ReceiptTotals::new(payroll),
            taxes: receipt_taxes(payroll),
            employee_compensations: employees.filter_map(ReceiptEmployee::new).collect(),
            licensee: Licensee::new(receipt.company, receipt.address),
        }
    }
}

impl ReceiptTotals {
    fn new(payroll: &payroll::Payroll) -> Self {
        let stored = payroll.totals.totals.as_ref();
        let sum = |name: &str| {
            let text = stored.and_then(|totals| totals.get(name)).and_then(Value::as_str);
            text.unwrap_or("0.00").to_owned()
        };
        Self {
            company_debit: sum("company_debit"),
            net_pay_debit: sum("net_pay_debit"),
            child_support_debit: sum("child_support_debit"),
            reimbursement_debit: sum("reimbursement_debit"),
            tax_debit: sum("tax_debit"),
        }
    }
}

fn receipt_taxes(payroll: &payroll::Payroll) -> Vec<ReceiptTax> {
    let mut sums: BTreeMap<(&str, &str), Amount> = BTreeMap::new();
    for tax in &payroll.totals.taxes {
        *sums.entry((&tax.label, program_code(&tax.id.code))).or_default() += tax.amount;
    }
    let line = |((name, code), amount): ((&str, &str), Amount)| ReceiptTax {
        name: name.to_owned(),
        code: code.to_owned(),
        amount: dollars_text(amount),
    };
    sums.into_iter().map(line).collect()
}

impl ReceiptEmployee {
    /// The receipt of an employee; `None` for one who was excluded from the payroll.
    fn new(employee: &PayrollEmployee) -> Option<Self> {
        let (outcome, paid) = employee.outcome.as_ref()?;
        Some(Self {
            employee_uuid: employee.member.id,
            employee_first_name: employee.member.first_name.clone(),
            employee_last_name: employee.member.last_name.clone(),
            payment_method: if paid.splits.is_empty() { "Check" } else { "Direct Deposit" },
            net_pay: outcome.net.to_text(2),
            total_tax: dollars_text(own_taxes(paid)),
            total_garnishments: dollars_text(paid.deductions.iter().map(DeductionPaid::with_fee).sum()),
            child_support_garnishment: dollars_text(
                paid.deductions.iter().filter(|one| one.support).map(|one| one.amount).sum(),
            ),
            total_reimbursement: dollars_text(paid.reimbursements),
        })
    }
}

fn own_taxes(paid: &Paid) -> Amount {
    paid.taxes_of_employee().map(|tax| tax.amount).sum()
}
