//! Employees of payrolls on the wire.

use domain::access::tokens::Caller;
use domain::benefits::service::may_see_of_pay;
use domain::pay::payrolls::entry::returned_values;
use domain::pay::payrolls::record::entered::Entered;
use domain::pay::payrolls::record::paycheck::{DeductionPaid, Paid, UncollectedPaid};
use domain::pay::payrolls::record::paycheck_inputs::GarnishmentInput;
use domain::pay::payrolls::record::taxes::TaxPaid;
use domain::pay::payrolls::record::{payroll, warning};
use domain::pay::payrolls::service::PayrollEmployee;
use domain::version::Change;
use rules::Amount;
use rules::Named;
use rules::days::Days;
use rules::payroll::benefits::BenefitType;
use serde::Serialize;
use serde_json::Number;
use utoipa::ToSchema;
use uuid::Uuid;

use super::lines::Lines;
use super::{Include, Money, Tax, TaxLine};
use crate::values::{HourlyName, TimeOffName};

/// An employee's part of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeCompensation {
    /// the employee
    pub employee_uuid: Uuid,
    /// whether the employee is excluded from the payroll
    pub excluded: bool,
    /// first name
    pub first_name: String,
    /// preferred first name
    pub preferred_first_name: Option<String>,
    /// last name
    pub last_name: String,
    /// gross pay, once calculated; a number before version 2026-06-15, decimal text afterwards
    pub gross_pay: Option<Money>,
    /// net pay, after taxes and deductions; number or text as gross_pay
    pub net_pay: Option<Money>,
    /// the amount paid: net pay and reimbursements; number or text as gross_pay
    pub check_amount: Option<Money>,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// a note on the paycheck
    pub memo: Option<String>,
    /// amounts of pay
    pub fixed_compensations: Vec<FixedCompensation>,
    /// hours and the pay for them
    pub hourly_compensations: Vec<HourlyCompensation>,
    /// hours of paid time off
    pub paid_time_off: Vec<PaidTimeOff>,
    /// reimbursed expenses
    pub reimbursements: Vec<Reimbursement>,
    /// garnishments and other deductions
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deductions: Option<Vec<Deduction>>,
    /// extension: the employer's fees for handling garnishments, once calculated; with `deductions`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub garnishment_fees: Vec<GarnishmentFee>,
    /// taxes of the employee and of the employer; with include=taxes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taxes: Option<Vec<Tax>>,
    /// extension: Social Security and Medicare tax on tips that could not be collected from pay, in this paycheck or
    /// earlier in the year; with include=taxes
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncollected_taxes_on_tips: Vec<UncollectedTax>,
    /// benefit deductions and contributions; with include=benefits, to tokens with `employee_benefits:read`, and for
    /// health plans to those with `employee_benefits:read:phi`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benefits: Option<Vec<Benefit>>,
    /// how the amount paid is split among bank accounts, once calculated; omitted for a check
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payment_splits: Vec<PaymentSplit>,
    /// conditions to review, such as a state whose tax was not withheld
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// concurrency token, to be sent with an update of this employee
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// An amount of pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct FixedCompensation {
    /// such as `Bonus`, or `Minimum Wage Adjustment` for the amount that raises pay to the minimum wage, or
    /// `Recalculated Overtime Premium` for the additional overtime that a bonus causes in workweeks paid by earlier
    /// payrolls
    pub name: String,
    /// decimal text, dollars
    pub amount: String,
    /// the job
    pub job_uuid: Uuid,
    /// true for a discretionary payment, which is not part of the regular rate; omitted otherwise (extension)
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discretionary: bool,
    /// YYYY-MM-DD: first day of the period in which it was earned, if given (extension)
    #[schema(format = Date)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earned_from: Option<String>,
    /// YYYY-MM-DD: last day of that period (extension)
    #[schema(format = Date)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earned_to: Option<String>,
    /// the amount of each workweek of the payroll, if it was entered so
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakdowns: Vec<AmountOfWorkweek>,
}

/// The part of an amount that was earned in a workweek.
#[derive(Debug, Serialize, ToSchema)]
pub struct AmountOfWorkweek {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
    /// decimal text, dollars
    pub amount: String,
}

/// The part paid to one bank account.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentSplit {
    /// the employee's bank account
    pub bank_account_uuid: Uuid,
    /// decimal text, dollars
    pub amount: String,
}

/// A line of hours.
#[derive(Debug, Serialize, ToSchema)]
pub struct HourlyCompensation {
    /// `Regular Hours`, `Overtime` or `Double overtime`
    #[schema(value_type = HourlyName)]
    pub name: &'static str,
    /// decimal text with three places; once calculated, as split into overtime from the hours by day or workweek. For a
    /// salary without entries, regular hours are its share of 2,080 hours a year for the days that it pays: they do not
    /// affect pay, and are not an entry if sent back as returned
    pub hours: String,
    /// the hours of each workweek, if they were entered so
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workweeks: Vec<Workweek>,
    /// the hours of each workweek of the payroll, if they were entered by workweek or by day; not where a calculation classified them otherwise
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakdowns: Vec<HoursOfWorkweek>,
    /// the lines as entered, if one of them has a date or a location; by date (extension)
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<HoursEntry>,
    /// decimal text, dollars, once calculated
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// the job
    pub job_uuid: Uuid,
    /// multiple of the rate: 1, 1.5 or 2
    #[schema(value_type = f64)]
    pub compensation_multiplier: Number,
    /// FLSA status of the job
    pub flsa_status: &'static str,
}

/// Hours of a workweek.
#[derive(Debug, Serialize, ToSchema)]
pub struct Workweek {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// decimal text with three places
    pub hours: String,
}

/// The part of a line's hours that was worked in a workweek.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoursOfWorkweek {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
    /// decimal text with three places
    pub hours: String,
}

/// Hours of a day or at a location.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoursEntry {
    /// YYYY-MM-DD: the day, if given
    #[schema(format = Date)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// YYYY-MM-DD: first day of the workweek, if given
    #[schema(format = Date)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workweek_start: Option<String>,
    /// the location, if given
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location_uuid: Option<Uuid>,
    /// decimal text with three places
    pub hours: String,
}

/// Hours of paid time off.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaidTimeOff {
    /// such as `Vacation Hours`
    #[schema(value_type = TimeOffName)]
    pub name: &'static str,
    /// decimal text with three places
    pub hours: String,
    /// decimal text with three places: unused hours that are paid out at the end of employment, as entered or as the
    /// policy and the work state require; if there are none, null from version 2025-11-15 and omitted before
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub final_payout_unused_hours_input: Option<Option<String>>,
}

/// A reimbursed expense.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reimbursement {
    /// decimal text, dollars
    pub amount: String,
    /// what it was for
    pub description: Option<String>,
    /// identifier
    pub uuid: Uuid,
    /// whether it is paid with every regular payroll; a recurring one is changed for the employee, not in a payroll
    pub recurring: bool,
}

/// The amount withheld for a garnishment.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deduction {
    /// its description
    pub name: String,
    /// dollars withheld, once calculated, and before that the garnishment's own amount, or the amount entered for this
    /// payroll: a number before version 2026-06-15, decimal text afterwards, but a number in every version when a
    /// payroll is prepared or entered into. Sent back as returned it has no effect
    pub amount: Money,
    /// `fixed`, or `percent` for an amount that is not calculated yet
    pub amount_type: &'static str,
    /// the garnishment
    pub uuid: Uuid,
    /// `automatic` or `manual`: who pays the agency; only with child support
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remittance: Option<String>,
    /// why it is manual
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remittance_reason: Option<String>,
}

/// The employer's fee for handling a garnishment; not part of what is paid to an agency or a creditor.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentFee {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// as a pay stub prints it
    pub name: String,
    /// dollars: a number before version 2026-06-15, decimal text from then on
    pub amount: Money,
}

impl GarnishmentFee {
    fn new(taken: &DeductionPaid, text: bool) -> Option<Self> {
        let (name, fee) = taken.fee_line()?;
        let amount = Money { amount: fee, text };
        Some(Self { garnishment_uuid: taken.id, name, amount })
    }
}

/// A tax on tips that could not be collected from pay: the employee pays it with the tax return.
#[derive(Debug, Serialize, ToSchema)]
pub struct UncollectedTax {
    /// code in box 12 of Form W-2: `A` for Social Security, `B` for Medicare
    pub code: String,
    /// its name
    pub name: &'static str,
    /// decimal text, dollars: uncollected in this paycheck
    pub amount: String,
    /// decimal text, dollars: uncollected in the year, including this paycheck
    pub year_to_date: String,
}

impl UncollectedTax {
    fn new(tax: &UncollectedPaid) -> Self {
        let text = |amount: Amount| amount.to_text(2);
        let (amount, year_to_date) = (text(tax.amount), text(tax.year_to_date));
        Self { code: tax.code.clone(), name: tax.stub_label(), amount, year_to_date }
    }
}

/// The amounts of a benefit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Benefit {
    /// its name
    pub name: String,
    /// dollars deducted from the employee; a number before version 2026-06-15, decimal text afterwards
    pub employee_deduction: Money,
    /// dollars contributed by the company; number or text as employee_deduction
    pub company_contribution: Money,
    /// whether it is imputed income
    pub imputed: bool,
}

/// A condition to review.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Warning {
    /// machine-readable key
    pub key: String,
    /// a sentence that explains it
    pub message: String,
}

impl From<warning::Warning> for Warning {
    fn from(warning: warning::Warning) -> Self {
        Self { key: warning.key, message: warning.message }
    }
}

/// The warnings of a paycheck that are not told once for the whole payroll.
fn own_warnings(paid: Option<Paid>) -> Vec<Warning> {
    let warnings = paid.into_iter().flat_map(|paid| paid.warnings);
    warnings.filter(|warning| !warning.is_of_payroll()).map(Warning::from).collect()
}

impl EmployeeCompensation {
    /// The response for an employee of a payroll.
    pub fn new(
        caller: &Caller,
        payroll: &payroll::Payroll,
        employee: PayrollEmployee,
        workweeks: &[Days],
        include: Include,
    ) -> Self {
        let text = caller.version.includes_change(Change::AmountsAsText);
        let money = |amount: Amount| Money { amount, text };
        let version = (!payroll.is_processed()).then(|| employee.employee_version(payroll.id));
        let PayrollEmployee {
            member,
            input,
            pay,
            outcome,
            garnishments,
            recurring,
            granted,
            salaried,
            earning_types,
            make_ups,
            unused,
        } = employee;
        let excluded = input.as_ref().is_some_and(|input| input.excluded);
        let entered = input.map(|input| input.entered).unwrap_or_default();
        let entered = entered.with_granted(&granted).into_owned();
        let (outcome, paid) = outcome.unzip();
        let lines = Lines {
            payroll,
            pay: &pay,
            entered: &entered,
            paid: paid.as_ref(),
            recurring: &recurring,
            earning_types: &earning_types,
            salaried: &salaried,
            workweeks,
            make_ups: &make_ups,
            unused: &unused,
        };
        let by_default = !payroll.off_cycle && caller.version.includes_change(Change::DeductionsByDefault);
        let (shows_deductions, as_text) = (include.deductions || by_default, text && include.reading);
        Self {
            employee_uuid: member.id,
            excluded,
            gross_pay: outcome.as_ref().map(|outcome| money(outcome.gross)),
            net_pay: outcome.as_ref().map(|outcome| money(outcome.net)),
            check_amount: outcome.as_ref().map(|outcome| money(outcome.check_amount)),
            fixed_compensations: lines.fixed_compensations(caller),
            hourly_compensations: lines.hourly_compensations(),
            paid_time_off: lines.time_off(caller.version),
            reimbursements: lines.reimbursements(),
            deductions: shows_deductions.then(|| match &paid {
                Some(paid) => garnishment_deductions(paid, text),
                None => requested_deductions(&garnishments, &entered, payroll.off_cycle, as_text),
            }),
            garnishment_fees: garnishment_fees(paid.as_ref().filter(|_| shows_deductions), text),
            taxes: include
                .taxes
                .then(|| paid.as_ref().map(|paid| nonzero_taxes(paid, text)).unwrap_or_default()),
            uncollected_taxes_on_tips: uncollected_taxes(paid.as_ref().filter(|_| include.taxes)),
            benefits: include
                .benefits
                .then(|| paid.as_ref().map(|paid| visible_benefits(paid, caller)).unwrap_or_default()),
            payment_splits: paid.iter().flat_map(|paid| &paid.splits).map(PaymentSplit::new).collect(),
            version,
            payment_method: returned_values::payment_method(
                payroll,
                (&entered, &member.payment_method),
                outcome.as_ref().zip(paid.as_ref()),
            )
            .to_owned(),
            warnings: own_warnings(paid),
            memo: entered.memo,
            first_name: member.first_name,
            preferred_first_name: member.preferred_first_name,
            last_name: member.last_name,
        }
    }
}

impl PaymentSplit {
    fn new((account, cents): &(Uuid, i64)) -> Self {
        Self { bank_account_uuid: *account, amount: Amount::from_cents(*cents).to_text(2) }
    }
}

/// The taxes that are not zero.
fn nonzero_taxes(paid: &Paid, text: bool) -> Vec<Tax> {
    let taxes = paid.taxes.iter().filter(|tax| tax.amount != Amount::ZERO);
    taxes
        .map(|tax| Tax {
            name: tax.label.clone(),
            code: tax.id.code.clone(),
            employer: tax.is_of_employer(),
            amount: Money { amount: tax.amount, text },
            line: Some(TaxLine::new(tax)),
        })
        .collect()
}

impl TaxLine {
    fn new(tax: &TaxPaid) -> Self {
        let text = |amount: Amount| amount.to_text(2);
        Self {
            code: tax.id.code.clone(),
            jurisdiction: tax.jurisdiction.clone().into(),
            subject_wages: text(tax.subject),
            taxable_wages: text(tax.taxable),
            taxable_tips: (tax.tips != Amount::ZERO).then(|| text(tax.tips)),
            year_to_date: text(tax.year_to_date),
        }
    }
}

/// The employer's fees for handling garnishments.
fn garnishment_fees(paid: Option<&Paid>, text: bool) -> Vec<GarnishmentFee> {
    let deductions = paid.into_iter().flat_map(|paid| &paid.deductions);
    deductions.filter_map(|one| GarnishmentFee::new(one, text)).collect()
}

/// Uncollected taxes on tips.
fn uncollected_taxes(paid: Option<&Paid>) -> Vec<UncollectedTax> {
    paid.into_iter().flat_map(|paid| &paid.uncollected).map(UncollectedTax::new).collect()
}

/// The benefits that a caller may see.
fn visible_benefits(paid: &Paid, caller: &Caller) -> Vec<Benefit> {
    let text = caller.version.includes_change(Change::AmountsAsText);
    let money = |amount: Amount| Money { amount, text };
    let is_seen = |code| BenefitType::find_by_code(code).is_some_and(|kind| may_see_of_pay(caller, kind));
    let benefits = paid.benefits.iter().filter(|one| is_seen(one.code)).map(|one| Benefit {
        name: one.name.clone(),
        employee_deduction: money(one.deduction),
        company_contribution: money(one.contribution),
        imputed: one.imputed > Amount::ZERO,
    });
    benefits.collect()
}

/// The amounts withheld for garnishments.
fn garnishment_deductions(paid: &Paid, text: bool) -> Vec<Deduction> {
    let lines = paid.deductions.iter().map(|one| Deduction {
        name: one.name.clone(),
        amount: Money { amount: one.amount, text },
        amount_type: "fixed",
        uuid: one.id,
        remittance: remittance_payer(one.support, one.manual.is_some()),
        remittance_reason: one.manual.clone(),
    });
    lines.collect()
}

/// The garnishments' own amounts, before the calculation.
fn requested_deductions(
    garnishments: &[GarnishmentInput],
    entered: &Entered,
    off_cycle: bool,
    text: bool,
) -> Vec<Deduction> {
    let lines = garnishments.iter().map(|one| {
        let manual = one.manual_reason(off_cycle);
        let asked = entered.deduction_of(one);
        Deduction {
            name: one.name.clone(),
            amount: Money { amount: asked.amount, text },
            amount_type: if asked.percent { "percent" } else { "fixed" },
            uuid: one.garnishment.id,
            remittance: remittance_payer(one.is_child_support(), manual.is_some()),
            remittance_reason: manual.map(|reason| reason.as_str().to_owned()),
        }
    });
    lines.collect()
}

/// Who pays the agency of child support.
fn remittance_payer(support: bool, manual: bool) -> Option<String> {
    support.then(|| if manual { "manual" } else { "automatic" }.to_owned())
}
