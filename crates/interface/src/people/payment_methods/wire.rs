//! Bank accounts and payment methods of employees on the wire. Account numbers are always masked.

use domain::people::payment_methods::{
    BankAccountDetails, PaymentDetails, PaymentMethodDetails, SplitDetails, commands, service,
};
use domain::records::version_text;
use rules::payment::Split;
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;

/// A bank account that an employee is paid to.
#[derive(Clone, Serialize, ToSchema)]
pub struct EmployeeBankAccount {
    /// identifier
    pub uuid: Uuid,
    /// whose account it is
    pub employee_uuid: Uuid,
    /// what the employee calls it
    pub name: String,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// nine digits
    pub routing_number: String,
    /// the last digits: the whole number never leaves the service
    pub hidden_account_number: String,
}

store::hidden!(EmployeeBankAccount);

impl From<BankAccountDetails> for EmployeeBankAccount {
    fn from(details: BankAccountDetails) -> Self {
        let account = details.account;
        Self {
            uuid: account.id,
            employee_uuid: account.employee,
            name: account.name,
            account_type: account.account_type.as_str(),
            routing_number: details.routing_number,
            hidden_account_number: details.hidden_account_number,
        }
    }
}

/// How an employee is paid.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmployeePaymentMethod {
    /// concurrency token, to be sent with an update; a bank account that is added or deleted changes it, too
    pub version: String,
    /// `Direct Deposit` or `Check`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `Percentage` or `Amount`; null for checks
    pub split_by: Option<&'static str>,
    /// the accounts that are paid to, in the order of their priority; null for checks
    pub splits: Option<Vec<PaymentMethodSplit>>,
}

impl From<PaymentMethodDetails> for EmployeePaymentMethod {
    fn from(PaymentMethodDetails { employee, method, splits }: PaymentMethodDetails) -> Self {
        let splits =
            method.plan.is_some().then(|| splits.into_iter().map(PaymentMethodSplit::from).collect());
        Self {
            version: version_text(service::METHOD, employee, method.version),
            kind: method.kind,
            split_by: method.plan.map(|plan| plan.by.as_str()),
            splits,
        }
    }
}

/// What one bank account gets.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PaymentMethodSplit {
    /// the bank account
    pub uuid: Uuid,
    /// what the employee calls it
    pub name: String,
    /// the last digits of its number
    pub hidden_account_number: String,
    /// from 1 on
    pub priority: i64,
    /// percent, or cents; null for the rest
    pub split_amount: Option<i64>,
}

impl From<SplitDetails> for PaymentMethodSplit {
    fn from(split: SplitDetails) -> Self {
        Self {
            uuid: split.account,
            name: split.name,
            hidden_account_number: split.hidden_account_number,
            priority: split.priority,
            split_amount: split.amount,
        }
    }
}

/// How an employee of a list is paid.
#[derive(Clone, Serialize, ToSchema)]
pub struct EmployeePaymentDetails {
    /// the employee
    pub employee_uuid: Uuid,
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// `Direct Deposit` or `Check`
    pub payment_method: &'static str,
    /// `Percentage` or `Amount`; null for checks
    pub split_by: Option<&'static str>,
    /// the accounts that are paid to, in the order of their priority; null for checks
    pub splits: Option<Vec<PaymentDetailsSplit>>,
}

store::hidden!(EmployeePaymentDetails);

/// A bank account that is paid to, and what it gets.
#[derive(Clone, Serialize, ToSchema)]
pub struct PaymentDetailsSplit {
    /// the bank account
    pub bank_account_uuid: Uuid,
    /// what the employee calls it
    pub name: String,
    /// the last digits: the whole number never leaves the service
    pub hidden_account_number: String,
    /// null: the whole number never leaves the service
    pub encrypted_account_number: Option<String>,
    /// nine digits
    pub routing_number: String,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// from 1 on
    pub priority: i64,
    /// percent, or cents; null for the rest
    pub split_amount: Option<i64>,
}

store::hidden!(PaymentDetailsSplit);

impl From<PaymentDetails> for EmployeePaymentDetails {
    fn from(PaymentDetails { employee, method, parts }: PaymentDetails) -> Self {
        let split = |(split, of): (Split<Uuid>, BankAccountDetails)| PaymentDetailsSplit {
            bank_account_uuid: of.account.id,
            name: of.account.name,
            hidden_account_number: of.hidden_account_number,
            encrypted_account_number: None,
            routing_number: of.routing_number,
            account_type: of.account.account_type.as_str(),
            priority: split.priority,
            split_amount: split.amount,
        };
        Self {
            employee_uuid: employee.id,
            first_name: employee.first_name,
            last_name: employee.last_name,
            payment_method: method.kind,
            split_by: method.plan.as_ref().map(|plan| plan.by.as_str()),
            splits: method.plan.is_some().then(|| parts.into_iter().map(split).collect()),
        }
    }
}

input! {
    /// A bank account, new or as it is to be.
    BankAccountInput => commands::BankAccountInput {
        /// what the employee calls it, at most 100 characters
        #[schema(required)]
        name: String,
        /// nine digits, the last of which checks the others
        #[schema(required)]
        routing_number: String,
        /// 1 to 17 digits
        #[schema(required)]
        account_number: String,
        /// `Checking` or `Savings`
        #[schema(required)]
        account_type: String,
    }

    /// How an employee is to be paid.
    UpdateEmployeePaymentMethod => commands::UpdatePaymentMethod {
        /// the version as last read
        #[schema(required)]
        version: String,
        /// `Direct Deposit` or `Check`; checks are not divided, and the bank accounts are kept for another time
        #[serde(rename = "type")]
        #[schema(required)]
        kind: String,
        /// `Percentage` or `Amount`; by default as it is
        #[schema(nullable)]
        split_by: String,
        /// what each account gets. Percentages add up to 100; of amounts the last one is null, for the rest. Without it
        /// pay stays divided as it is, or goes to the newest account where it was not
        splits: List<SplitInput>,
    }
}

/// What one bank account is to get.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SplitInput {
    /// one of the employee's bank accounts
    #[schema(required)]
    pub uuid: Field<String>,
    /// not read: the account keeps its name
    pub name: Field<String>,
    /// from 1 on, without gaps; by default the place in the list
    pub priority: Field<i64>,
    /// whole percent or cents; null for the rest
    #[schema(value_type = Option<f64>)]
    pub split_amount: Field<Amount>,
}

impl From<SplitInput> for commands::SplitInput {
    fn from(input: SplitInput) -> Self {
        Self {
            uuid: input.uuid.into(),
            priority: input.priority.into(),
            split_amount: input.split_amount.into(),
        }
    }
}
