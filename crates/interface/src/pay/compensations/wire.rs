//! Jobs and compensations on the wire.

use std::slice;

use domain::access::tokens::Caller;
use domain::pay::compensations::rows::Pay;
use domain::pay::compensations::service::compensations::CompensationDetails;
use domain::pay::compensations::service::{COMPENSATIONS, JOBS};
use domain::pay::compensations::{commands, rows};
use domain::records::{id_of, version_text};
use jiff::civil::Date;
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{
    AgreedOvertimeRate, ClassCodeText, DateText, DecimalText, FlsaStatusName, IdText, LongLineText, MemoText,
    OccupationCode, PaymentUnitName, VersionText,
};

/// A job of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct Job {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub hire_date: String,
    /// YYYY-MM-DD: last day of work in it; null while it goes on (extension)
    #[schema(format = Date)]
    pub end_date: Option<String>,
    /// title
    pub title: Option<String>,
    /// whether it is the employee's first job
    pub primary: bool,
    /// decimal text, dollars per payment unit of the current compensation; omitted without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// payment unit of the current compensation; omitted without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_unit: Option<&'static str>,
    /// the current compensation; omitted without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_compensation_uuid: Option<Uuid>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// whether the job is covered by the state's workers' compensation
    pub state_wc_covered: Option<bool>,
    /// risk class of the state's workers' compensation
    pub state_wc_class_code: Option<String>,
    /// the section of 29 USC 207 under which it was agreed before the work that overtime is paid at the rate in effect;
    /// null without an agreement: the regular rate is then the weighted average of the workweek's rates (extension)
    pub agreed_overtime_rate: Option<String>,
    /// whether the salary covers all hours of a workweek, however many (29 CFR 778.114, fluctuating workweek): overtime
    /// then adds half of the resulting regular rate (extension)
    pub fluctuating_workweek: bool,
    /// code of the occupation in which the tips of the job are earned (26 CFR 1.224-1(h); box 14b of Form W-2); null without one
    /// (extension)
    pub tipped_occupation: Option<String>,
    /// the current compensation, or every one with include=all_compensations; omitted without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensations: Option<Vec<Compensation>>,
}

impl Job {
    /// The response for a job: with its current compensation, or with `all` every one. Without the scope
    /// `compensations:read`, pay is omitted.
    pub fn new(caller: &Caller, job: &rows::Job, pay: &Pay, today: Date, all: bool) -> Self {
        let may_see_pay = caller.scopes.contains("compensations:read");
        let current = if may_see_pay { pay.compensation_on(job.id, today) } else { None };
        let shown = if all { pay.of_job(job.id) } else { current.map_or(&[] as &[_], slice::from_ref) };
        let shown = shown.iter().map(|one| Compensation::new(one.clone(), job.title.clone()));
        Self {
            uuid: job.id,
            version: version_text(JOBS, job.id, job.version),
            employee_uuid: job.employee,
            hire_date: job.hire_date.to_string(),
            end_date: job.end_date.map(|day| day.to_string()),
            title: job.title.clone(),
            primary: job.is_primary,
            rate: current.map(|c| c.rate.to_text(2)),
            payment_unit: current.map(|c| c.payment_unit.as_str()),
            current_compensation_uuid: current.map(|c| c.id),
            two_percent_shareholder: job.two_percent_shareholder,
            state_wc_covered: job.state_wc_covered,
            state_wc_class_code: job.state_wc_class_code.clone(),
            agreed_overtime_rate: job.agreed_overtime_rate.clone(),
            fluctuating_workweek: job.fluctuating_workweek,
            tipped_occupation: job.tipped_occupation.clone(),
            compensations: may_see_pay.then(|| shown.collect()),
        }
    }
}

/// The pay of a job from its effective date on.
#[derive(Debug, Serialize, ToSchema)]
pub struct Compensation {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the job
    pub job_uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// decimal text, dollars per payment unit
    pub rate: String,
    /// `Hour`, `Week`, `Month`, `Year` or `Paycheck`
    pub payment_unit: &'static str,
    /// `Exempt`, `Salaried Nonexempt`, `Nonexempt`, `Owner`, `Commission Only Exempt` or `Commission Only Nonexempt`
    pub flsa_status: &'static str,
    /// YYYY-MM-DD: effective until the next one takes effect
    #[schema(format = Date)]
    pub effective_date: String,
    /// its own title, or the job's if it has none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// whether pay is raised to the minimum wage if tips do not reach it
    pub adjust_for_minimum_wage: bool,
    /// the selected minimum wages, with their figures at that time; a payroll uses those in force on each day
    pub minimum_wages: Vec<ChosenWage>,
}

impl Compensation {
    /// The response for a compensation, whose title is the job's if it has none of its own.
    pub fn new(row: rows::Compensation, job_title: Option<String>) -> Self {
        Self {
            uuid: row.id,
            version: version_text(COMPENSATIONS, row.id, row.version),
            job_uuid: row.job,
            employee_uuid: row.employee,
            rate: row.rate.to_text(2),
            payment_unit: row.payment_unit.as_str(),
            flsa_status: row.flsa_status.as_str(),
            effective_date: row.effective_date.to_string(),
            title: row.title.or(job_title),
            adjust_for_minimum_wage: row.adjust_for_minimum_wage,
            minimum_wages: row.minimum_wages.iter().map(ChosenWage::from).collect(),
        }
    }
}

impl From<CompensationDetails> for Compensation {
    fn from(details: CompensationDetails) -> Self {
        Self::new(details.compensation, details.job_title)
    }
}

/// A minimum wage selected for a compensation.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChosenWage {
    /// the minimum wage
    pub uuid: Uuid,
    /// decimal text, dollars per hour
    pub wage: String,
    /// YYYY-MM-DD: the effective date of that figure
    #[schema(format = Date)]
    pub effective_date: String,
}

impl From<&rows::ChosenWage> for ChosenWage {
    fn from(chosen: &rows::ChosenWage) -> Self {
        Self {
            uuid: chosen.rule,
            wage: chosen.wage.to_text(2),
            effective_date: chosen.effective_date.to_string(),
        }
    }
}

input! {
    /// A new job.
    CreateJob => commands::CreateJob {
        /// title, at most 255 characters; unique among the employee's jobs
        #[schema(required)]
        title: LongLineText,
        /// YYYY-MM-DD
        #[schema(required)]
        hire_date: DateText,
        /// whether the employee owns more than 2 % of an S corporation; false by default
        #[schema(nullable)]
        two_percent_shareholder: bool,
        /// whether the job is covered by the state's workers' compensation
        #[schema(nullable)]
        state_wc_covered: bool,
        /// risk class of the state's workers' compensation
        #[schema(nullable)]
        state_wc_class_code: ClassCodeText,
        /// `207(g)(2)` if it was agreed before the work that overtime is paid at the rate of the job in which it is
        /// worked; none by default (extension)
        #[schema(nullable)]
        agreed_overtime_rate: AgreedOvertimeRate,
        /// whether the salary covers all hours of a workweek, however many (29 CFR 778.114, fluctuating workweek), as
        /// agreed before the work; ignored in states that prohibit it (extension)
        #[schema(nullable)]
        fluctuating_workweek: bool,
        /// code of the occupation in which the tips of the job are earned (26 CFR 1.224-1(h)), such as `102` for wait staff, or `000`
        /// for one that is not listed; kept with its paychecks for box 14b of Form W-2 (extension)
        #[schema(nullable)]
        tipped_occupation: OccupationCode,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateJob => commands::UpdateJob {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// title
        title: LongLineText,
        /// YYYY-MM-DD; a first compensation that takes effect on the hire date moves with it
        hire_date: DateText,
        /// YYYY-MM-DD: last day of work in a job other than the primary one, which is not paid after it; null: it goes on (extension)
        #[schema(nullable)]
        end_date: DateText,
        /// whether the employee owns more than 2 % of an S corporation
        two_percent_shareholder: bool,
        /// whether the job is covered by the state's workers' compensation; null clears it
        #[schema(nullable)]
        state_wc_covered: bool,
        /// risk class of the state's workers' compensation; null clears it
        #[schema(nullable)]
        state_wc_class_code: ClassCodeText,
        /// `207(g)(2)` if it was agreed before the work that overtime is paid at the rate of the job in which it is
        /// worked; null clears it (extension)
        #[schema(nullable)]
        agreed_overtime_rate: AgreedOvertimeRate,
        /// whether the salary covers all hours of a workweek, however many (29 CFR 778.114, fluctuating workweek), as
        /// agreed before the work; ignored in states that prohibit it (extension)
        #[schema(nullable)]
        fluctuating_workweek: bool,
        /// code of the occupation in which the tips of the job are earned (26 CFR 1.224-1(h)), such as `102` for wait staff, or `000`
        /// for one that is not listed; kept with its paychecks for box 14b of Form W-2 (extension)
        #[schema(nullable)]
        tipped_occupation: OccupationCode,
    }

    /// A new compensation.
    CreateCompensation => commands::CreateCompensation {
        /// dollars per payment unit, as text or number; defaults to the job's current rate
        #[schema(nullable, value_type = DecimalText)]
        rate: Amount,
        /// `Hour`, `Week`, `Month`, `Year` or `Paycheck`
        #[schema(required)]
        payment_unit: PaymentUnitName,
        /// `Exempt`, `Salaried Nonexempt`, `Nonexempt`, `Owner`, `Commission Only Exempt` or `Commission Only Nonexempt`
        #[schema(required)]
        flsa_status: FlsaStatusName,
        /// YYYY-MM-DD, not before the hire date; defaults to today
        effective_date: DateText,
        /// title while it is in effect; defaults to the job's
        #[schema(nullable)]
        title: MemoText,
        /// true: payrolls raise the pay to the minimum wage if cash wages and tips do not reach it. Only with
        /// payment_unit Hour, and not in a state without a tip credit
        #[schema(nullable)]
        adjust_for_minimum_wage: bool,
        /// one or more minimum wages of the work location, with adjust_for_minimum_wage true; the highest applies
        #[schema(nullable)]
        minimum_wages: List<ChosenMinimumWage>,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateCompensation => commands::UpdateCompensation {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// dollars per payment unit, as text or number
        #[schema(value_type = DecimalText)]
        rate: Amount,
        /// `Hour`, `Week`, `Month`, `Year` or `Paycheck`
        payment_unit: PaymentUnitName,
        /// `Exempt`, `Salaried Nonexempt`, `Nonexempt`, `Owner`, `Commission Only Exempt` or `Commission Only Nonexempt`
        flsa_status: FlsaStatusName,
        /// YYYY-MM-DD, not before the hire date
        effective_date: DateText,
        /// title while it is in effect; null resets it to the job's
        #[schema(nullable)]
        title: MemoText,
        /// true: payrolls raise the pay to the minimum wage if cash wages and tips do not reach it. Only with
        /// payment_unit Hour, and not in a state without a tip credit
        #[schema(nullable)]
        adjust_for_minimum_wage: bool,
        /// one or more minimum wages of the work location, with adjust_for_minimum_wage true; the highest applies
        #[schema(nullable)]
        minimum_wages: List<ChosenMinimumWage>,
    }
}

/// A minimum wage to which pay is raised.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ChosenMinimumWage {
    /// the minimum wage
    #[schema(value_type = IdText)]
    pub uuid: String,
}

/// Malformed ids parse as the nil UUID, which no minimum wage has.
impl From<ChosenMinimumWage> for Uuid {
    fn from(chosen: ChosenMinimumWage) -> Self {
        id_of(&chosen.uuid)
    }
}

#[cfg(test)]
mod tests {
    use domain::access::scope::Scopes;
    use jiff::civil::date;
    use jiff::tz::TimeZone;
    use rules::compensation::{FlsaStatus, PaymentUnit};

    use super::*;

    fn job_with_pay() -> (rows::Job, Pay) {
        let (employee, id) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let hire_date = date(2026, 6, 1);
        let job = rows::Job {
            employee,
            id,
            title: Some("Cook".to_owned()),
            hire_date,
            end_date: None,
            two_percent_shareholder: false,
            state_wc_covered: None,
            state_wc_class_code: None,
            agreed_overtime_rate: None,
            fluctuating_workweek: false,
            tipped_occupation: None,
            is_primary: true,
            version: 1,
        };
        let compensation = rows::Compensation {
            employee,
            job: id,
            id: Uuid::from_u128(3),
            rate: Amount::ZERO,
            payment_unit: PaymentUnit::Hour,
            flsa_status: FlsaStatus::Nonexempt,
            effective_date: hire_date,
            title: None,
            adjust_for_minimum_wage: false,
            minimum_wages: Vec::new(),
            version: 1,
        };
        let pay = Pay { jobs: vec![job.clone()], compensations: vec![compensation] };
        (job, pay)
    }

    #[test]
    fn a_job_is_shown_with_its_current_compensation_and_without_pay_lacking_the_scope() {
        let (job, pay) = job_with_pay();
        let service = Caller::for_service(Uuid::from_u128(7), TimeZone::UTC);
        let shown = Job::new(&service, &job, &pay, date(2026, 6, 15), false);
        let current = &shown.compensations.as_ref().unwrap()[0];
        assert_eq!((shown.rate.as_deref(), current.title.as_deref()), (Some("0.00"), Some("Cook")));
        assert_eq!(shown.current_compensation_uuid, Some(current.uuid));

        let caller = Caller { scopes: Scopes::parse("jobs:read jobs:write"), ..service };
        let shown = serde_json::to_value(Job::new(&caller, &job, &pay, date(2026, 6, 15), true)).unwrap();
        for hidden in ["rate", "payment_unit", "current_compensation_uuid", "compensations"] {
            assert!(shown.get(hidden).is_none(), "{hidden}");
        }
    }
}
