//! Whether a payroll is on time, when its payments are expected, and what they wait for.

use domain::Error;
use domain::access::tokens::Caller;
use domain::money::funding::wires::{WireInRequest, WireStatus};
use domain::money::views::expected::{self, Expected, Ways};
use domain::pay::payrolls::closing::processing::disbursements;
use domain::pay::payrolls::closing::reversals;
use domain::pay::payrolls::record::deadlines::earliest_check_date;
use domain::pay::payrolls::record::deadlines::submission_deadline;
use domain::pay::payrolls::record::payroll;
use domain::pay::payrolls::service::submission_blockers;
use domain::pay::payrolls::service::submission_blockers::ReturnedAccount;
use domain::version::Change;
use jiff::Timestamp;
use jiff::civil::Date;
use rules::{Amount, Named};
use serde::Serialize;
use store::Tx;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Include, Payroll};
use crate::moment::format_moment;
use crate::pay::payrolls::disbursements::PayrollReversal;

/// Whether a payroll is on time, and how long it can be cancelled.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusMeta {
    /// whether it can be cancelled
    pub cancellable: bool,
    /// YYYY-MM-DD: the expected check date
    #[schema(format = Date)]
    pub expected_check_date: String,
    /// YYYY-MM-DD: the check date before the payroll was late
    #[schema(format = Date)]
    pub initial_check_date: Option<String>,
    /// when the company is expected to be debited; for payment by wire, when the wire must arrive
    pub expected_debit_time: String,
    /// whether it was or would be submitted after its deadline
    pub payroll_late: Option<bool>,
    /// the deadline for submitting it for the initial check date
    pub initial_debit_cutoff_time: String,
    /// extension: whether payments are made, as files for the operator's bank. If no bank is configured, or everybody
    /// is paid by check or by the partner, nothing is debited or credited, and `payroll.paid` is sent when the check
    /// date begins, or when the partner has reported its last payment
    pub payments_generated: bool,
    /// extension: what credits wait for besides the deadline: `none`, `debit` (until it has settled), or `wire`
    pub credits_wait_for: &'static str,
}

/// What has to be known, or decided, before a payroll is submitted.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollSubmissionBlocker {
    /// `returned_bank_account`
    pub blocker_type: &'static str,
    /// the same in words, with the employee and the account
    pub blocker_name: String,
    /// how it is resolved
    pub unblock_options: [PayAnotherWay; 1],
    /// `pay_to_other_accounts` or `pay_by_check`: the rule by which it is resolved
    pub selected_option: &'static str,
    /// `unresolved` until the payroll is calculated, `resolved` afterwards: it is then paid as selected
    pub status: &'static str,
}

/// How the part of an account that cannot be paid is paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayAnotherWay {
    /// `pay_to_other_accounts` or `pay_by_check`
    pub unblock_type: &'static str,
    /// YYYY-MM-DD: the check date
    #[schema(format = Date)]
    pub check_date: String,
    /// the account
    pub metadata: UnpayableAccount,
}

/// An account to which a payment was returned.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnpayableAccount {
    /// the employee
    pub employee_uuid: Uuid,
    /// the account
    pub bank_account_uuid: Uuid,
    /// the bank's return code
    pub returned_code: String,
}

impl From<ReturnedAccount> for PayrollSubmissionBlocker {
    fn from(one: ReturnedAccount) -> Self {
        let option = one.payment_option();
        Self {
            blocker_type: submission_blockers::RETURNED_ACCOUNT,
            blocker_name: one.message(),
            unblock_options: [PayAnotherWay {
                unblock_type: option,
                check_date: one.check_date.to_string(),
                metadata: UnpayableAccount {
                    employee_uuid: one.employee,
                    bank_account_uuid: one.account,
                    returned_code: one.code,
                },
            }],
            selected_option: option,
            status: if one.resolved { "resolved" } else { "unresolved" },
        }
    }
}

/// What a company must do before employees are paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreditBlocker {
    /// `waiting_for_wire_in`
    pub blocker_type: &'static str,
    /// the same in words
    pub blocker_name: &'static str,
    /// how to resolve it
    pub unblock_options: [SubmitWire; 1],
    /// `submit_wire`, the only option
    pub selected_option: &'static str,
    /// `unresolved`, `pending_review` once the company has reported the wire, `resolved` once it has arrived
    pub status: &'static str,
}

/// How to send a wire.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubmitWire {
    /// `submit_wire`
    pub unblock_type: &'static str,
    /// YYYY-MM-DD: the check date, if the wire arrives in time
    #[schema(format = Date)]
    pub check_date: String,
    /// the wire-in request
    pub metadata: AwaitedWire,
}

/// An expected wire.
#[derive(Debug, Serialize, ToSchema)]
pub struct AwaitedWire {
    /// decimal text, in dollars
    pub wire_in_amount: String,
    /// when it must arrive
    #[schema(format = DateTime)]
    pub wire_in_deadline: String,
    /// its recipient, and the company's report: GET and PUT /v1/wire_in_requests/{wire_in_request_uuid}
    pub wire_in_request_uuid: Uuid,
}

impl Payroll {
    /// Adds the requested information about the payroll's payments to the response.
    pub fn with_payments(
        mut self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        (one, ways): (&payroll::Payroll, &Ways),
        include: Include,
    ) -> Result<Self, Error> {
        if include.reversals {
            let reversed = reversals::of_payroll(tx, caller.company, one.id)?;
            self.reversals = Some(reversed.into_iter().map(PayrollReversal::from).collect());
        }
        if !(include.status || include.blockers) {
            return Ok(self);
        }
        let now = tx.now();
        let late = is_late(one, now);
        let planned = if one.submitted_at.is_none() && late {
            earliest_check_date(now, caller.today(tx))
        } else {
            one.check_date
        };
        let expected = expected::of_payroll(tx, caller.company, ways, (one, planned))?;
        if include.blockers {
            let returned = submission_blockers::of_payroll(tx, caller.company, one)?;
            self.submission_blockers =
                Some(returned.into_iter().map(PayrollSubmissionBlocker::from).collect());
            let wire = expected.wire.as_ref().filter(|_| expected.generated);
            let blocker = wire.and_then(|wire| CreditBlocker::new(wire, expected.check_date));
            self.credit_blockers = Some(blocker.into_iter().collect());
        }
        if include.status {
            let cancellable = one.is_cancellable(now) && !disbursements::is_made(tx, caller.company, one)?;
            self.payroll_status_meta =
                Some(StatusMeta { cancellable, ..StatusMeta::new(caller, now, one, &expected) });
        }
        Ok(self)
    }
}

/// Whether it was or would be submitted after its deadline.
fn is_late(one: &payroll::Payroll, now: Timestamp) -> bool {
    one.submitted_at.unwrap_or(now) > submission_deadline(one.initial_check_date) && !one.check_only
}

impl StatusMeta {
    fn new(caller: &Caller, now: Timestamp, one: &payroll::Payroll, expected: &Expected) -> Self {
        // From this version these are null for off-cycle payrolls.
        let shown = !(one.off_cycle && caller.version.includes_change(Change::OffCycleDatesOmitted));
        Self {
            cancellable: one.is_cancellable(now),
            expected_check_date: expected.check_date.to_string(),
            initial_check_date: shown.then(|| one.initial_check_date.to_string()),
            expected_debit_time: format_moment(expected.debit),
            payroll_late: shown.then_some(is_late(one, now)),
            initial_debit_cutoff_time: format_moment(submission_deadline(one.initial_check_date)),
            payments_generated: expected.generated,
            credits_wait_for: expected.waits_for.as_str(),
        }
    }
}

impl CreditBlocker {
    /// The blocker of a wire; empty if the wire is no longer expected.
    pub fn new(wire: &WireInRequest, check_date: Date) -> Option<Self> {
        let status = match wire.status {
            WireStatus::AwaitingFunds => "unresolved",
            WireStatus::PendingReview => "pending_review",
            WireStatus::Approved => "resolved",
            WireStatus::Canceled => return None,
        };
        let option = SubmitWire {
            unblock_type: "submit_wire",
            check_date: check_date.to_string(),
            metadata: AwaitedWire {
                wire_in_amount: Amount::from_cents(wire.requested_cents).to_text(2),
                wire_in_deadline: format_moment(wire.deadline),
                wire_in_request_uuid: wire.id,
            },
        };
        Some(Self {
            blocker_type: "waiting_for_wire_in",
            blocker_name: "Waiting for wire in",
            unblock_options: [option],
            selected_option: "submit_wire",
            status,
        })
    }
}
