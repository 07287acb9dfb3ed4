//! Payroll digests on the wire.

use domain::batch::BatchStatus;
use domain::pay::digests;
use domain::pay::digests::ENTITIES;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::batch::{Batch, BatchAction};
use crate::field::{Field, List};
use crate::values::{IdText, LongLineText};
use crate::{batch_results, input, words};

/// The results by company: companies that cannot be examined are excluded.
const SUCCESS: &str = "success";

words! {
    /// The kind of items in a digest.
    PayrollDigestEntity = ENTITIES;
    /// The result for a company in a digest.
    CompanyDigestStatus = [SUCCESS];
    /// The status of a payroll in a digest.
    PayrollStanding = ["ready_to_start", "in_progress", "submitted", "completed", "failed"];
}

batch_results! {
    /// The status of payroll in several companies.
    PayrollDigestResults of CompanyDigest, PayrollDigestExclusion
}

/// The status of payroll in a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyDigest {
    /// index in the request, from 0
    pub idx: usize,
    /// `company`
    #[schema(value_type = PayrollDigestEntity)]
    pub entity_type: &'static str,
    /// the company
    pub uuid: Uuid,
    /// its legal name
    pub name: String,
    /// the result
    #[schema(value_type = CompanyDigestStatus)]
    pub status: &'static str,
    /// what blocks all its payrolls
    pub blockers: Vec<DigestBlocker>,
    /// its payrolls, by check date
    pub payrolls: Vec<DigestPayroll>,
}

/// Something that blocks payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestBlocker {
    /// machine-readable key
    pub r#type: String,
    /// what to do
    pub description: String,
}

/// The status of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestPayroll {
    /// the payroll; null if its pay period has not begun
    pub payroll_uuid: Option<Uuid>,
    /// `regular`, `bonus`, `correction`, `termination`, `transition` or `adhoc`
    pub payroll_type: String,
    /// the kind in words
    pub display_title: String,
    /// whether it runs automatically
    pub auto_payroll: bool,
    /// the status
    #[schema(value_type = PayrollStanding)]
    pub status: String,
    /// its dates
    pub pay_period: DigestPeriod,
    /// its pay schedule
    pub pay_schedule: Option<DigestSchedule>,
    /// its totals; null until it is calculated
    pub totals: Option<DigestTotals>,
}

/// The dates of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestPeriod {
    /// first day
    #[schema(format = Date)]
    pub start_date: String,
    /// last day
    #[schema(format = Date)]
    pub end_date: String,
    /// the check date
    #[schema(format = Date)]
    pub check_date: String,
    /// the day by which it must be submitted, by 4 p.m. Pacific time
    #[schema(format = Date)]
    pub run_payroll_by: String,
}

/// The pay schedule of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestSchedule {
    /// identifier
    pub uuid: Uuid,
    /// how often wages are paid
    pub frequency: String,
    /// its name
    pub custom_name: Option<String>,
}

/// The totals of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestTotals {
    /// the amount debited from the company's account
    pub total_debit_amount: String,
    /// the amount paid to employees
    pub net_pay: String,
    /// gross pay without cash tips, employer taxes, company contributions, and reimbursements
    pub total_employer_cost: String,
}

/// A company that was not examined.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollDigestExclusion {
    /// index in the request, from 0
    pub idx: usize,
    /// `company`
    #[schema(value_type = PayrollDigestEntity)]
    pub entity_type: &'static str,
    /// the company
    pub uuid: Uuid,
    /// `failed`
    pub status: &'static str,
    /// machine-readable reason: `not_found`, `missing_oauth_scopes` or `duplicate`
    pub category: String,
    /// the reason in words
    pub message: String,
}

impl From<digests::CompanyDigest> for CompanyDigest {
    fn from(one: digests::CompanyDigest) -> Self {
        let blocker = |(r#type, description): (String, String)| DigestBlocker { r#type, description };
        Self {
            idx: one.index,
            entity_type: ENTITIES[0],
            uuid: one.company,
            name: one.name,
            status: SUCCESS,
            blockers: one.blockers.into_iter().map(blocker).collect(),
            payrolls: one.payrolls.into_iter().map(DigestPayroll::from).collect(),
        }
    }
}

impl From<digests::PayrollDigest> for DigestPayroll {
    fn from(one: digests::PayrollDigest) -> Self {
        Self {
            payroll_uuid: one.payroll,
            payroll_type: one.kind,
            display_title: one.title,
            auto_payroll: one.auto,
            status: one.status,
            pay_period: DigestPeriod {
                start_date: one.start.to_string(),
                end_date: one.end.to_string(),
                check_date: one.check_date.to_string(),
                run_payroll_by: one.deadline.to_string(),
            },
            pay_schedule: one.schedule.map(|(uuid, frequency, custom_name)| DigestSchedule {
                uuid,
                frequency,
                custom_name,
            }),
            totals: one.sums.map(|[total_debit_amount, net_pay, total_employer_cost]| DigestTotals {
                total_debit_amount,
                net_pay,
                total_employer_cost,
            }),
        }
    }
}

/// The response to a request: the digest is complete.
pub fn digest_summary(digest: &digests::Digest) -> Batch {
    Batch::of_items::<digests::DigestItem>(digest.id, digest.idempotency_key.clone(), BatchStatus::Completed)
}

/// The response with the content of a digest.
pub fn digest_results(digest: digests::Digest) -> PayrollDigestResults {
    let (about, at) = (digest_summary(&digest), digest.made_at);
    let digests::Results { companies, excluded } = digest.results;
    let exclusion = |one: digests::Excluded| PayrollDigestExclusion {
        idx: one.index,
        entity_type: ENTITIES[0],
        uuid: one.company,
        status: "failed",
        category: one.category,
        message: one.message,
    };
    let companies = companies.into_iter().map(CompanyDigest::from).collect();
    PayrollDigestResults::new(about, at, companies, excluded.into_iter().map(exclusion).collect())
}

input! {
    /// The companies of a digest.
    CreatePayrollDigest => digests::CreateDigest {
        /// idempotency key of your choice, unique per application
        #[schema(required)]
        idempotency_key: LongLineText,
        /// the action
        #[schema(required)]
        batch_action: BatchAction,
        /// 1 to 25 companies
        #[schema(required)]
        batch: List<CompanyOfDigest>,
    }

    /// A company to examine.
    CompanyOfDigest => digests::DigestItem {
        /// the kind of item
        #[schema(required)]
        entity_type: PayrollDigestEntity,
        /// the company
        #[schema(required)]
        uuid: IdText,
    }
}
