//! Payroll digests on the wire.

use domain::batch::Status;
use domain::pay::digests;
use domain::pay::digests::ENTITIES;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::batch::{Batch, BatchAction};
use crate::field::{Field, List};
use crate::values::IdText;
use crate::{batch_results, input, words};

/// The result for each company of a digest: companies that cannot be examined are excluded.
const SUCCESS: &str = "success";

words! {
    /// What is in a digest.
    PayrollDigestEntity = ENTITIES;
    /// How a company of a digest came out.
    CompanyDigestStatus = [SUCCESS];
    /// How a payroll of a digest stands.
    PayrollStanding = ["ready_to_start", "in_progress", "submitted", "completed", "failed"];
}

batch_results! {
    /// How payroll stood in several companies.
    PayrollDigestResults of CompanyDigest, PayrollDigestExclusion
}

/// How payroll stood in a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyDigest {
    /// place in the request, from 0
    pub idx: usize,
    /// `company`
    #[schema(value_type = PayrollDigestEntity)]
    pub entity_type: &'static str,
    /// the company
    pub uuid: Uuid,
    /// its legal name
    pub name: String,
    /// how it came out
    #[schema(value_type = CompanyDigestStatus)]
    pub status: &'static str,
    /// what stands in the way of all its payrolls
    pub blockers: Vec<DigestBlocker>,
    /// its payrolls, by pay date
    pub payrolls: Vec<DigestPayroll>,
}

/// What stands in the way of payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestBlocker {
    /// a key for programs
    pub r#type: String,
    /// what has to be done
    pub description: String,
}

/// How a payroll stood.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestPayroll {
    /// the payroll; null for a pay period that has not begun
    pub payroll_uuid: Option<Uuid>,
    /// `regular`, `bonus`, `correction`, `termination`, `transition` or `adhoc`
    pub payroll_type: String,
    /// in words
    pub display_title: String,
    /// whether it runs by itself
    pub auto_payroll: bool,
    /// how far it is
    #[schema(value_type = PayrollStanding)]
    pub status: String,
    /// its days
    pub pay_period: DigestPeriod,
    /// the schedule that it follows from
    pub pay_schedule: Option<DigestSchedule>,
    /// its sums; null until it is calculated
    pub totals: Option<DigestTotals>,
}

/// The days of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestPeriod {
    /// first day
    #[schema(format = Date)]
    pub start_date: String,
    /// last day
    #[schema(format = Date)]
    pub end_date: String,
    /// when employees are paid
    #[schema(format = Date)]
    pub check_date: String,
    /// the day until which it can be submitted, at four in the afternoon in California
    #[schema(format = Date)]
    pub run_payroll_by: String,
}

/// The schedule of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestSchedule {
    /// identifier
    pub uuid: Uuid,
    /// how often it pays
    pub frequency: String,
    /// what the company calls it
    pub custom_name: Option<String>,
}

/// The sums of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct DigestTotals {
    /// what is taken from the company's account
    pub total_debit_amount: String,
    /// what employees get
    pub net_pay: String,
    /// gross pay without tips in cash, taxes of the employer, its contributions, and reimbursements
    pub total_employer_cost: String,
}

/// A company that was not examined.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollDigestExclusion {
    /// place in the request, from 0
    pub idx: usize,
    /// `company`
    #[schema(value_type = PayrollDigestEntity)]
    pub entity_type: &'static str,
    /// the company
    pub uuid: Uuid,
    /// `failed`
    pub status: &'static str,
    /// why, for programs: `not_found` or `duplicate`
    pub category: String,
    /// why, in words
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

/// The answer for a digest: it is made when it is asked for.
pub fn told(digest: &digests::Digest) -> Batch {
    Batch::new(digest.id, digest.idempotency_key.clone(), Status::Completed)
}

/// The answer for what a digest tells.
pub fn results(digest: digests::Digest) -> PayrollDigestResults {
    let (about, at) = (told(&digest), digest.made_at);
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
    /// Companies whose payroll is asked for.
    CreatePayrollDigest => digests::CreateDigest {
        /// text of your choice, for one digest of the application
        #[schema(required)]
        idempotency_key: String,
        /// what is done
        #[schema(required)]
        batch_action: BatchAction,
        /// 1 to 25 companies
        #[schema(required)]
        batch: List<CompanyOfDigest>,
    }

    /// A company.
    CompanyOfDigest => digests::Item {
        /// what it is
        #[schema(required)]
        entity_type: PayrollDigestEntity,
        /// the company
        #[schema(required)]
        uuid: IdText,
    }
}
