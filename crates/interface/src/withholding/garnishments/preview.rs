//! Previews of garnishments: the query, and the answers on the wire.

use domain::access::tokens::Caller;
use domain::withholding::garnishments::commands;
use domain::withholding::previews as preview;
use jiff::civil::Date;
use rules::explain::Node;
use rules::payroll::garnishment::{ManualReason, PAYMENT_PERIODS, Remittance};
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Checks, Named, Rounding, check};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::Schema;
use uuid::Uuid;

use crate::error::Error;
use crate::query::{Parameter, Query, wrong};
use crate::{named, query};

query! {
    /// The pay to preview.
    PreviewPay {
        /// Gross pay in dollars; by default what the primary job pays
        gross: Dollars,
        /// `Every week`, `Every other week`, `Twice per month` or `Monthly`; by default that of the pay schedule
        pay_frequency: Frequency,
        /// Income tax of the state of work in dollars; by default what its formula gives
        state_income_tax: Dollars,
        /// The day of payment; by default today
        check_date: Option<Date>,
    }
}

/// The scope without which a token does not see what somebody earns.
const SEES_PAY: &str = "compensations:read";

impl PreviewPay {
    /// The pay to look at.
    ///
    /// # Errors
    /// The scope that is missing, where it would be what somebody earns.
    pub fn for_caller(self, caller: &Caller) -> Result<commands::PreviewPay, Error> {
        if self.gross.0.is_none() && !caller.scopes.contains(SEES_PAY) {
            return Err(Error::MissingScope(SEES_PAY));
        }
        Ok(commands::PreviewPay {
            gross: self.gross.0,
            frequency: self.pay_frequency.0,
            state_income_tax: self.state_income_tax.0,
            check_date: self.check_date,
        })
    }
}

/// Dollars and whole cents.
#[derive(Debug, Clone, Copy)]
pub struct Dollars(Option<Amount>);

impl Parameter for Dollars {
    fn read(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let fits = |amount: &Amount| {
            (Amount::ZERO..=rules::amount::MAX_AMOUNT).contains(amount)
                && amount.round_to_cents(Rounding::Down) == *amount
        };
        let Some(text) = query.text(key) else { return Self(None) };
        let amount = Amount::parse(text).ok().filter(fits);
        if amount.is_none() {
            checks.push(wrong(key, "must be an amount of at least 0.00 with at most 2 decimal places"));
        }
        Self(amount)
    }
    fn schema() -> Schema {
        Option::<String>::schema()
    }
}

/// How often pay of which garnishments can be taken comes.
#[derive(Debug, Clone, Copy)]
pub struct Frequency(Option<PayFrequency>);

impl Parameter for Frequency {
    fn read(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let names = PAYMENT_PERIODS.map(PayFrequency::as_str);
        let parse = |text: &str| PAYMENT_PERIODS.into_iter().find(|period| period.as_str() == text);
        let read = query.text(key).map(|text| check::named(key, text, &names, parse));
        Self(read.and_then(|read| checks.take(read)))
    }
    fn schema() -> Schema {
        named::schema_of_some(&PAYMENT_PERIODS)
    }
}

/// What would be taken from a pay for all garnishments of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentPreview {
    /// the pay
    pub pay: PreviewedPay,
    /// by garnishment, in the order of creation
    pub deductions: Vec<PreviewedDeduction>,
    /// all of them together
    pub total: String,
    /// what somebody has to look at
    pub warnings: Vec<PreviewWarning>,
    /// how each figure follows from others: enough to work all of them out again
    #[schema(value_type = Vec<Object>)]
    pub explanation: Vec<Value>,
}

/// What would be taken from a pay for one garnishment.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentExplanation {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// the pay
    pub pay: PreviewedPay,
    /// what would be taken
    pub deduction: PreviewedDeduction,
    /// what would be taken for the employee's other garnishments, which share the pay
    pub others: Vec<PreviewedDeduction>,
    /// what somebody has to look at
    pub warnings: Vec<PreviewWarning>,
    /// how each figure follows from others: enough to work all of them out again
    #[schema(value_type = Vec<Object>)]
    pub explanation: Vec<Value>,
}

/// A pay of which garnishments are taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewedPay {
    /// before anything is taken
    pub gross: String,
    /// whether `gross` was not given, and is what the primary job pays
    pub gross_is_assumed: bool,
    /// how often the employee is paid
    pub pay_frequency: &'static str,
    /// whether the frequency was not given, and no pay schedule reports it
    pub pay_frequency_is_assumed: bool,
    /// the day on which it would be paid
    #[schema(value_type = String, format = Date)]
    pub check_date: Date,
    /// the state of work, whose limits hold; null where no work address is known and the federal ones hold
    pub state: Option<String>,
    /// taxes that law requires to be withheld
    pub taxes: Vec<PreviewedTax>,
    /// gross less these taxes
    pub disposable_earnings: String,
}

/// A tax on a previewed pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewedTax {
    /// such as `social_security`
    pub name: String,
    /// dollars
    pub amount: String,
}

/// What would be taken for a garnishment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PreviewedDeduction {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// what people call it
    pub description: String,
    /// what would be taken
    pub amount: String,
    /// what it asks for on its own, before limits and other garnishments
    pub asked: String,
    /// of child support: current and medical support
    pub current_support: String,
    /// of child support: what is past due
    pub arrears: String,
    /// what the employer would keep for the work, beside `amount`
    pub employer_fee: String,
    /// only for child support: `automatic`, or `manual` where the employer pays the agency
    pub remittance: Option<&'static str>,
    /// why the employer pays
    pub remittance_reason: Option<&'static str>,
}

/// What somebody has to look at.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewWarning {
    /// for programs, such as `state_tax_not_withheld`
    pub key: &'static str,
    /// for people
    pub message: String,
}

impl From<preview::Preview> for GarnishmentPreview {
    fn from(preview: preview::Preview) -> Self {
        Self {
            pay: preview.pay.into(),
            deductions: each(preview.deductions),
            total: preview.total.to_text(2),
            warnings: each(preview.warnings),
            explanation: preview.explanation.iter().map(Node::to_json).collect(),
        }
    }
}

impl From<preview::Explanation> for GarnishmentExplanation {
    fn from(explained: preview::Explanation) -> Self {
        Self {
            garnishment_uuid: explained.deduction.deduction.id,
            pay: explained.pay.into(),
            deduction: explained.deduction.into(),
            others: each(explained.others),
            warnings: each(explained.warnings),
            explanation: explained.explanation.iter().map(Node::to_json).collect(),
        }
    }
}

fn each<T, U: From<T>>(items: Vec<T>) -> Vec<U> {
    items.into_iter().map(U::from).collect()
}

impl From<preview::PreviewedPay> for PreviewedPay {
    fn from(pay: preview::PreviewedPay) -> Self {
        let tax = |(name, amount): (String, Amount)| PreviewedTax { name, amount: amount.to_text(2) };
        Self {
            gross: pay.gross.to_text(2),
            gross_is_assumed: pay.gross_is_assumed,
            pay_frequency: pay.frequency.as_str(),
            pay_frequency_is_assumed: pay.frequency_is_assumed,
            check_date: pay.check_date,
            state: pay.state,
            taxes: pay.taxes.into_iter().map(tax).collect(),
            disposable_earnings: pay.disposable_earnings.to_text(2),
        }
    }
}

impl From<preview::PreviewedDeduction> for PreviewedDeduction {
    fn from(previewed: preview::PreviewedDeduction) -> Self {
        let preview::PreviewedDeduction { description, deduction, remittance } = previewed;
        Self {
            garnishment_uuid: deduction.id,
            description,
            amount: deduction.amount.to_text(2),
            asked: deduction.requested.to_text(2),
            current_support: deduction.current_support.to_text(2),
            arrears: deduction.arrears.to_text(2),
            employer_fee: deduction.fee.to_text(2),
            remittance: remittance.map(Remittance::as_str),
            remittance_reason: remittance.and_then(Remittance::reason).map(ManualReason::as_str),
        }
    }
}

impl From<preview::Warning> for PreviewWarning {
    fn from(warning: preview::Warning) -> Self {
        Self { key: warning.key, message: warning.message }
    }
}
