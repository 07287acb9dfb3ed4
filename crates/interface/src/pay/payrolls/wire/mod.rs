//! Payrolls on the wire.

mod credit_reductions;
mod dismissals;
pub mod inputs;
mod lines;
pub mod opening;
mod others;
pub mod paycheck;
pub mod payments;
pub mod receipt;
mod settings;
mod since_calculated;
mod stubs;
mod taxes;

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::access::tokens::Caller;
use domain::pay::earning_types::rows::EarningType;
use domain::pay::payrolls::calendar::periods;
use domain::pay::payrolls::record::deadlines::submission_deadline;
use domain::pay::payrolls::record::{kinds, payroll};
use domain::pay::payrolls::service::{PayrollDetails, blockers};
use domain::pay::payrolls::views::explain;
use domain::version::Change;
use jiff::Timestamp;
use rules::Amount;
use rules::Named;
use rules::days::Days;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use uuid::Uuid;

use crate::moment::format_moment;
use crate::named::{Enum, IN_PLACE};
use crate::pay::payrolls::disbursements::PayrollReversal;
use crate::values::{BlockerKey, OffCycleReason};

pub use credit_reductions::FutaCreditReductions;
pub use dismissals::UnprocessedTerminationPayPeriod;
pub use inputs::{CreatePayroll, PreparePayroll, SubmitPayroll, UpdatePayroll};
pub use opening::{OpeningBalances, PutOpeningBalances};
pub use others::OtherWarning;
pub use paycheck::{EmployeeCompensation, Warning};
pub use payments::{CreditBlocker, PayrollSubmissionBlocker, StatusMeta};
pub use settings::{PayrollSettings, UpdatePayrollSettings};
pub use since_calculated::ChangedSinceCalculation;
pub use stubs::PayStub;
pub use taxes::{Jurisdiction, JurisdictionTaxes, Tax, TaxLine, UnworkedTax};

/// What is included with a payroll.
#[derive(Debug, Clone, Copy, Default)]
pub struct Include {
    /// benefits of each paycheck
    pub benefits: bool,
    /// deductions of each paycheck
    pub deductions: bool,
    /// taxes of each paycheck and of all together
    pub taxes: bool,
    /// taxes of all together, as numbers
    pub payroll_taxes: bool,
    /// whether it is in time
    pub status: bool,
    /// the status of its deadlines
    pub totals: bool,
    /// blockers
    pub blockers: bool,
    /// reversals
    pub reversals: bool,
    /// whether a single payroll is read: the typed clients accept deductions only as numbers when a payroll is prepared
    /// or entered into
    pub reading: bool,
}

impl Include {
    /// The includes that a query names.
    pub fn from_names<T: Named>(asked: &[Enum<T>]) -> Self {
        let named = |name: &str| asked.iter().any(|one| one.0.as_str() == name);
        Self {
            benefits: named("benefits"),
            deductions: named("deductions"),
            taxes: named("taxes"),
            payroll_taxes: named("payroll_taxes"),
            status: named("payroll_status_meta"),
            totals: named("totals"),
            blockers: named("risk_blockers"),
            reversals: named("reversals"),
            reading: false,
        }
    }
}

/// Money that is a JSON number before version 2026-06-15 and decimal text afterwards.
#[derive(Debug, Clone, Copy)]
pub struct Money {
    /// dollars
    pub amount: Amount,
    /// whether it is serialized as text
    pub text: bool,
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.amount.to_text(2);
        if self.text {
            return serializer.serialize_str(&text);
        }
        text.parse::<Number>().map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl ComposeSchema for Money {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Number])).into()
    }
}

impl ToSchema for Money {
    fn name() -> Cow<'static, str> {
        Cow::Owned(format!("{IN_PLACE}Money"))
    }
}

/// A pay period.
#[derive(Debug, Serialize, ToSchema)]
pub struct Period {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
    /// the pay schedule
    pub pay_schedule_uuid: Option<Uuid>,
}

/// A pay period with its payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayPeriod {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
    /// the pay schedule
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_schedule_uuid: Option<Uuid>,
    /// its payroll
    pub payroll: PeriodPayroll,
}

/// The payroll of a pay period.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodPayroll {
    /// identifier; omitted while there is no payroll, because published clients reject null in a list
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_uuid: Option<Uuid>,
    /// YYYY-MM-DD: the check date
    #[schema(format = Date)]
    pub check_date: String,
    /// whether it is processed
    pub processed: bool,
    /// the deadline for submitting it
    #[schema(format = DateTime)]
    pub payroll_deadline: String,
    /// `regular` or `transition`
    pub payroll_type: &'static str,
}

/// The status of the last calculation or submission.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProcessingRequest {
    /// `calculating`, `calculate_success`, `submitting`, `submit_success` or `processing_failed`
    pub status: &'static str,
    /// why it failed
    #[schema(value_type = Vec<Object>)]
    pub errors: Value,
}

/// A name of a line of pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct FixedCompensationType {
    /// such as `Bonus`, or the name of one of the company's earning types
    pub name: String,
}

/// A payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct Payroll {
    /// the deadline for submitting it
    #[schema(format = DateTime)]
    pub payroll_deadline: String,
    /// YYYY-MM-DD: the check date
    #[schema(format = Date)]
    pub check_date: String,
    /// whether it is processed
    pub processed: bool,
    /// YYYY-MM-DD: when it was processed
    #[schema(format = Date)]
    pub processed_date: Option<String>,
    /// when it was calculated; null once something was entered afterwards
    #[schema(format = DateTime)]
    pub calculated_at: Option<String>,
    /// identifier
    pub uuid: Uuid,
    /// the same identifier
    pub payroll_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// whether it is off-cycle
    pub off_cycle: bool,
    /// the reason of an off-cycle payroll
    #[schema(value_type = Option<OffCycleReason>)]
    pub off_cycle_reason: Option<String>,
    /// whether it runs automatically; before version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_pilot: Option<bool>,
    /// whether it runs automatically; from version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_payroll: Option<bool>,
    /// whether another provider ran it: GET /v1/companies/{company_uuid}/external_payrolls/{external_payroll_id}
    /// returns what it paid
    pub external: bool,
    /// whether it is the final payroll of a terminated employee
    pub final_termination_payroll: bool,
    /// the pay frequency for withholding income tax
    pub withholding_pay_period: &'static str,
    /// whether benefits are skipped, and garnishments not ordered by a court or an agency
    pub skip_regular_deductions: bool,
    /// whether income tax is withheld at the flat rates for supplemental wages
    pub fixed_withholding_rate: bool,
    /// whether everybody is paid by check
    pub is_check_only_payroll: bool,
    /// its pay period
    pub pay_period: Period,
    /// with include=payroll_status_meta
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_status_meta: Option<StatusMeta>,
    /// totals of all employees, once calculated; with include=totals
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub totals: Option<Map<String, Value>>,
    /// extension: taxes that are due by an address, a certificate or a setting but could not be calculated, once the
    /// payroll is calculated
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taxes_not_worked_out: Vec<UnworkedTax>,
    /// extension: conditions of the calculation that hold for all of its paychecks, such as a table of an earlier year that was used
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// extension: changes made after the calculation that are not included and did not discard it; for a submitted
    /// payroll, those without which it was submitted. Calculate again to include them; omitted if there are none, and
    /// in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_since_calculation: Option<ChangedSinceCalculation>,
    /// extension: what to check of people whom this regular payroll does not pay, and who have no paycheck that could warn: days that no
    /// payroll pays, pay for days outside the employment, and what was entered for them here. As things stand, until it is submitted; absent
    /// where there is nothing, and in lists
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings_of_others: Vec<OtherWarning>,
    /// taxes of all employees together, amounts as text; with include=taxes
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub company_taxes: Option<Value>,
    /// the same with amounts as numbers before version 2026-06-15; with include=payroll_taxes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_taxes: Option<Vec<Tax>>,
    /// taxes of all employees together by taxing authority: country, states, localities; with include=taxes (an
    /// extension)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taxes_by_jurisdiction: Option<Vec<JurisdictionTaxes>>,
    /// when the record was created
    #[schema(format = DateTime)]
    pub created_at: String,
    /// accounts of its employees to which a payment was returned, and how they are paid instead; with include=risk_blockers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission_blockers: Option<Vec<PayrollSubmissionBlocker>>,
    /// what the company must do before employees are paid; with include=risk_blockers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_blockers: Option<Vec<CreditBlocker>>,
    /// always empty: what was not owed leaves the payroll itself; with include=reversals
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub reversal_payroll_uuids: Option<[(); 0]>,
    /// extension: pay of this payroll that was debited from employees' accounts again; with include=reversals
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reversals: Option<Vec<PayrollReversal>>,
    /// the status of the last calculation or submission
    pub processing_request: Option<ProcessingRequest>,
    /// whether the partner makes the payments to accounts, according to the company's setting at the time of the
    /// calculation; null until it is calculated
    pub partner_owned_disbursement: Option<bool>,
    /// the workweeks with days in the pay period, whole, with pay periods of one or two weeks; while lines can be entered
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workweeks: Option<Vec<WorkweekDays>>,
    /// the names that lines of pay can have; while lines can be entered
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_compensation_types: Option<Vec<FixedCompensationType>>,
    /// its employees; not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_compensations: Option<Vec<EmployeeCompensation>>,
}

/// A workweek: the seven days by which overtime is determined (29 CFR 778.105).
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkweekDays {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
}

impl From<&Days> for WorkweekDays {
    fn from(days: &Days) -> Self {
        Self { start_date: days.first.to_string(), end_date: days.last.to_string() }
    }
}

/// Something that blocks payroll.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = PayrollBlocker)]
pub struct Blocker {
    /// machine-readable key
    #[schema(value_type = BlockerKey)]
    pub key: &'static str,
    /// what to do
    pub message: String,
}

/// The explanation of a paycheck.
#[derive(Debug, Serialize, ToSchema)]
pub struct Explanation {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// decimal text, dollars
    pub gross_pay: String,
    /// decimal text, dollars
    pub net_pay: String,
    /// decimal text, dollars
    pub check_amount: String,
    /// each figure with its inputs: its name, how it was calculated, the inputs, the result, and the source of the rule
    #[schema(value_type = Vec<Object>)]
    pub figures: Vec<Value>,
    /// conditions to review
    pub warnings: Vec<Warning>,
    /// the version of the rules with which it was calculated; null if it was not recorded (extension)
    pub rules_version: Option<i64>,
    /// the vintages of the tables with which it was calculated, by kind (extension)
    pub tables: BTreeMap<String, String>,
    /// null if the current rules produce the same figures. Otherwise the explanation shows the lines that were paid,
    /// and this says with which rules, and what the current rules produce (extension)
    pub note: Option<String>,
}

impl Explanation {
    /// The response for an employee of a payroll.
    pub fn new(explanation: explain::Explanation) -> Self {
        let outcome = explanation.outcome;
        Self {
            payroll_uuid: explanation.payroll.id,
            employee_uuid: outcome.employee,
            gross_pay: outcome.gross.to_text(2),
            net_pay: outcome.net.to_text(2),
            check_amount: outcome.check_amount.to_text(2),
            figures: explanation.figures.iter().map(rules::explain::Node::to_json).collect(),
            warnings: explanation.warnings.into_iter().map(Warning::from).collect(),
            rules_version: explanation.rules.version,
            tables: explanation.rules.tables,
            note: explanation.note,
        }
    }
}

impl From<blockers::Blocker> for Blocker {
    fn from(blocker: blockers::Blocker) -> Self {
        Self { key: blocker.kind.as_str(), message: blocker.message }
    }
}

impl From<periods::PayPeriod> for PayPeriod {
    fn from(period: periods::PayPeriod) -> Self {
        Self {
            start_date: period.start.to_string(),
            end_date: period.end.to_string(),
            pay_schedule_uuid: period.pay_schedule,
            payroll: PeriodPayroll {
                payroll_uuid: period.payroll,
                check_date: period.check_date.to_string(),
                processed: period.processed,
                payroll_deadline: submission_deadline(period.check_date).to_string(),
                payroll_type: if period.transition { "transition" } else { "regular" },
            },
        }
    }
}

impl Payroll {
    /// The response for a payroll, without its employees.
    pub fn new(caller: &Caller, one: &payroll::Payroll, include: Include) -> Self {
        let renamed = caller.version.includes_change(Change::AutoPayroll);
        let taxes = &one.totals.taxes;
        let company_taxes = taxes.iter().map(|tax| {
            let amount = tax.amount.to_text(2);
            let employer = tax.id.is_of_employer();
            serde_json::json!({ "name": tax.label, "code": tax.id.code, "employer": employer, "amount": amount })
        });
        let payroll_taxes = taxes.iter().map(|tax| Tax {
            name: tax.label.clone(),
            code: tax.id.code.clone(),
            employer: tax.id.is_of_employer(),
            // A number in every version, unlike the amounts of one employee.
            amount: Money { amount: tax.amount, text: false },
            line: None,
        });
        let day = |moment: Timestamp| moment.to_zoned(caller.zone.clone()).date().to_string();
        Self {
            payroll_deadline: format_moment(submission_deadline(one.check_date)),
            check_date: one.check_date.to_string(),
            processed: one.is_processed(),
            processed_date: one.processed_at.map(day),
            calculated_at: one.calculated_at.map(format_moment),
            uuid: one.id,
            payroll_uuid: one.id,
            company_uuid: caller.company,
            off_cycle: one.off_cycle,
            off_cycle_reason: one.off_cycle_reason.clone(),
            auto_pilot: (!renamed).then_some(one.auto),
            auto_payroll: renamed.then_some(one.auto),
            external: false,
            final_termination_payroll: one.is_dismissal(),
            withholding_pay_period: one.withholding_pay_period.as_str(),
            skip_regular_deductions: one.skip_regular_deductions,
            fixed_withholding_rate: one.fixed_withholding_rate,
            is_check_only_payroll: one.check_only,
            pay_period: Period {
                start_date: one.start.to_string(),
                end_date: one.end.to_string(),
                pay_schedule_uuid: one.pay_schedule,
            },
            payroll_status_meta: None,
            totals: one.totals.totals.clone().filter(|_| include.totals),
            company_taxes: include.taxes.then(|| company_taxes.collect()),
            payroll_taxes: include.payroll_taxes.then(|| payroll_taxes.collect()),
            taxes_not_worked_out: one.totals.unworked.iter().map(UnworkedTax::new).collect(),
            warnings: one.totals.warnings.iter().cloned().map(Warning::from).collect(),
            changed_since_calculation: None,
            warnings_of_others: Vec::new(),
            taxes_by_jurisdiction: include
                .taxes
                .then(|| one.totals.by_jurisdiction().iter().map(JurisdictionTaxes::from).collect()),
            created_at: format_moment(one.created_at),
            submission_blockers: include.blockers.then(Vec::new),
            credit_blockers: None,
            reversal_payroll_uuids: include.reversals.then_some([]),
            reversals: None,
            processing_request: one.request.map(|request| ProcessingRequest {
                status: request.as_str(),
                errors: one.request_errors.clone(),
            }),
            partner_owned_disbursement: one.calculated_at.map(|_| one.partner_pays),
            workweeks: None,
            fixed_compensation_types: None,
            employee_compensations: None,
        }
    }

    /// The response for a payroll with employees. The status of its payments is added separately ([`payments`]).
    pub fn with_employees(caller: &Caller, details: PayrollDetails, include: Include) -> Self {
        let PayrollDetails { payroll, employees, workweeks, .. } = details;
        let employees = employees.into_iter();
        let employees = employees
            .map(|one| EmployeeCompensation::new(caller, &payroll, one, &workweeks, include))
            .collect();
        Self { employee_compensations: Some(employees), ..Self::new(caller, &payroll, include) }
    }

    /// The response for a payroll open for entries, with employees.
    pub fn open_for_entries(caller: &Caller, details: PayrollDetails) -> Self {
        Self {
            workweeks: Some(details.workweeks.iter().map(WorkweekDays::from).collect()),
            fixed_compensation_types: Some(fixed_compensation_types(caller, &details.earning_types)),
            ..Self::with_employees(caller, details, Include::default())
        }
    }
}

/// The names that lines of pay can have: the default ones, and the company's own earning types.
fn fixed_compensation_types(caller: &Caller, own: &[EarningType]) -> Vec<FixedCompensationType> {
    let older = !caller.version.includes_change(Change::ReimbursementsApart);
    let names = kinds::FIXED.into_iter().chain(older.then_some(kinds::REIMBURSEMENT));
    let names = names.map(str::to_owned).chain(own.iter().map(|one| one.name.clone()));
    names.map(|name| FixedCompensationType { name }).collect()
}
