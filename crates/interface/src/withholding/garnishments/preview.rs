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
use crate::query::{Parameter, Query, parameter_violation};
use crate::{named, query};

query! {
    /// The pay to preview.
    PreviewPay {
        /// Gross pay in dollars; defaults to the pay of the primary job
        gross: Dollars,
        /// `Every week`, `Every other week`, `Twice per month` or `Monthly`; defaults to that of the pay schedule
        pay_frequency: Frequency,
        /// Income tax of the work state in dollars; defaults to what its formula yields
        state_income_tax: Dollars,
        /// The check date; defaults to today
        check_date: Option<Date>,
    }
}

/// The scope without which a token does not see an employee's pay.
const SEES_PAY: &str = "compensations:read";

impl PreviewPay {
    /// The pay to preview.
    ///
    /// # Errors
    /// The missing scope, if the preview would reveal the employee's pay.
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
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let fits = |amount: &Amount| {
            (Amount::ZERO..=rules::amount::MAX_AMOUNT).contains(amount)
                && amount.round_to_cents(Rounding::Down) == *amount
        };
        let Some(text) = query.text_value(key) else { return Self(None) };
        let amount = Amount::parse(text).ok().filter(fits);
        if amount.is_none() {
            checks.push(parameter_violation(
                key,
                "must be an amount of at least 0.00 with at most 2 decimal places",
            ));
        }
        Self(amount)
    }
    fn schema() -> Schema {
        Option::<String>::schema()
    }
}

/// The pay frequency, for garnishments that can be previewed.
#[derive(Debug, Clone, Copy)]
pub struct Frequency(Option<PayFrequency>);

impl Parameter for Frequency {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let names = PAYMENT_PERIODS.map(PayFrequency::as_str);
        let parse = |text: &str| PAYMENT_PERIODS.into_iter().find(|period| period.as_str() == text);
        let read = query.text_value(key).map(|text| check::parse_named(key, text, &names, parse));
        Self(read.and_then(|read| checks.take_value(read)))
    }
    fn schema() -> Schema {
        named::schema_of_some(&PAYMENT_PERIODS)
    }
}

/// The withholding for all garnishments of an employee from one pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentPreview {
    /// the pay
    pub pay: PreviewedPay,
    /// by garnishment, in the order of creation
    pub deductions: Vec<PreviewedDeduction>,
    /// all of them together
    pub total: String,
    /// conditions to review
    pub warnings: Vec<PreviewWarning>,
    /// how each figure follows from others: enough to recalculate all of them
    #[schema(value_type = Vec<Object>)]
    pub explanation: Vec<Value>,
}

/// The withholding for one garnishment from one pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentExplanation {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// the pay
    pub pay: PreviewedPay,
    /// the withholding
    pub deduction: PreviewedDeduction,
    /// the withholding for the employee's other garnishments, which share the pay
    pub others: Vec<PreviewedDeduction>,
    /// conditions to review
    pub warnings: Vec<PreviewWarning>,
    /// how each figure follows from others: enough to recalculate all of them
    #[schema(value_type = Vec<Object>)]
    pub explanation: Vec<Value>,
}

/// The pay from which garnishments are withheld.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewedPay {
    /// gross pay
    pub gross: String,
    /// whether `gross` was not given, and is the pay of the primary job
    pub gross_is_assumed: bool,
    /// how often the employee is paid
    pub pay_frequency: &'static str,
    /// whether the frequency was not given, and there is no pay schedule with it
    pub pay_frequency_is_assumed: bool,
    /// the check date
    #[schema(value_type = String, format = Date)]
    pub check_date: Date,
    /// the work state, whose limits apply; null if no work address is known, and the federal ones apply
    pub state: Option<String>,
    /// taxes required by law to be withheld
    pub taxes: Vec<PreviewedTax>,
    /// disposable earnings: gross less these taxes
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

/// The withholding for a garnishment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PreviewedDeduction {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// its description
    pub description: String,
    /// the amount withheld
    pub amount: String,
    /// what it would require by itself, before limits and other garnishments
    pub asked: String,
    /// for child support: current and medical support
    pub current_support: String,
    /// for child support: arrears
    pub arrears: String,
    /// the employer's fee, in addition to `amount`
    pub employer_fee: String,
    /// only for child support: `automatic`, or `manual` if the employer pays the agency
    pub remittance: Option<&'static str>,
    /// why the employer pays
    pub remittance_reason: Option<&'static str>,
}

/// A condition to review.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewWarning {
    /// machine-readable key, such as `state_tax_not_withheld`
    pub key: String,
    /// human-readable text
    pub message: String,
}

impl From<preview::Preview> for GarnishmentPreview {
    fn from(preview: preview::Preview) -> Self {
        Self {
            pay: preview.pay.into(),
            deductions: convert_items(preview.deductions),
            total: preview.total.to_text(2),
            warnings: convert_items(preview.warnings),
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
            others: convert_items(explained.others),
            warnings: convert_items(explained.warnings),
            explanation: explained.explanation.iter().map(Node::to_json).collect(),
        }
    }
}

fn convert_items<T, U: From<T>>(items: Vec<T>) -> Vec<U> {
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
        Self { key: warning.key.into_owned(), message: warning.message }
    }
}
