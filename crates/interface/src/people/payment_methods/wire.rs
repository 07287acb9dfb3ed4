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
use crate::moment::format_moment;
use crate::values::{
    AccountNumberText, AccountTypeName, IdText, LineText, OptionalLineText, PaidByName, RoutingNumberText,
    SplitByName, VersionText,
};

/// A bank account of an employee.
#[derive(Clone, Serialize, ToSchema)]
pub struct EmployeeBankAccount {
    /// identifier
    pub uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// the employee's name for it
    pub name: String,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// nine digits
    pub routing_number: String,
    /// masked: the whole number never leaves the service
    pub hidden_account_number: String,
    /// extension: return code of the last payment to it, such as `R03`; while it is there, nothing more is paid to the account. Its
    /// part goes to the employee's other accounts, or is paid by check. Omitted otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned_code: Option<String>,
    /// extension: when that payment was returned
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub returned_at: Option<String>,
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
            returned_at: account.returned_at.filter(|_| account.returned_code.is_some()).map(format_moment),
            returned_code: account.returned_code,
        }
    }
}

/// How an employee is paid.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmployeePaymentMethod {
    /// concurrency token, to be sent with an update; also changes when a bank account is added or deleted
    pub version: String,
    /// `Direct Deposit` or `Check`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `Percentage` or `Amount`; null for checks
    pub split_by: Option<&'static str>,
    /// the accounts that receive pay, by priority; null for checks
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

/// The share of a bank account.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PaymentMethodSplit {
    /// the bank account
    pub uuid: Uuid,
    /// the employee's name for it
    pub name: String,
    /// its number, masked
    pub hidden_account_number: String,
    /// from 1 on
    pub priority: i64,
    /// percent, or cents; null for the remainder
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

/// How an employee is paid, in a list.
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
    /// the accounts that receive pay, by priority; null for checks
    pub splits: Option<Vec<PaymentDetailsSplit>>,
}

store::hidden!(EmployeePaymentDetails);

/// A bank account with its share.
#[derive(Clone, Serialize, ToSchema)]
pub struct PaymentDetailsSplit {
    /// the bank account
    pub bank_account_uuid: Uuid,
    /// the employee's name for it
    pub name: String,
    /// masked: the whole number never leaves the service
    pub hidden_account_number: String,
    /// null: the whole number never leaves the service
    pub encrypted_account_number: Option<String>,
    /// nine digits
    pub routing_number: String,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// from 1 on
    pub priority: i64,
    /// percent, or cents; null for the remainder
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
    /// The data of a bank account.
    BankAccountInput => commands::BankAccountInput {
        /// the employee's name for it, at most 100 characters
        #[schema(required)]
        name: LineText,
        /// nine digits, including the check digit
        #[schema(required)]
        routing_number: RoutingNumberText,
        /// 1 to 17 digits
        #[schema(required)]
        account_number: AccountNumberText,
        /// `Checking` or `Savings`
        #[schema(required)]
        account_type: AccountTypeName,
    }

    /// The payment method to set.
    UpdateEmployeePaymentMethod => commands::UpdatePaymentMethod {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// `Direct Deposit` or `Check`; a check is not split, and bank accounts are kept for later
        #[serde(rename = "type")]
        #[schema(required)]
        kind: PaidByName,
        /// `Percentage` or `Amount`; defaults to the current value
        #[schema(nullable)]
        split_by: SplitByName,
        /// the share of each account. Percentages add up to 100; with amounts the last one is null, for the remainder.
        /// If omitted, the split is unchanged, or all pay goes to the newest account if there was no split
        splits: List<SplitInput>,
    }
}

/// The share of a bank account.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SplitInput {
    /// one of the employee's bank accounts
    #[schema(required)]
    pub uuid: Field<IdText>,
    /// ignored: the account keeps its name
    pub name: Field<OptionalLineText>,
    /// from 1, without gaps; defaults to the position in the list
    pub priority: Field<i64>,
    /// whole percent, or cents; null for the remainder
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
