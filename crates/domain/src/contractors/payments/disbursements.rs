//! Payments that the partner makes, if the company was configured that way when their group was created.

use std::collections::BTreeSet;

use rules::{Checks, Named as _, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows::{self, Group, Method, Payment};
use super::service::{self, GroupDetails};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{self, Patch, as_is};
use crate::pay::payrolls::closing::processing::disbursements::{DisbursementStatus, METHODS};
use crate::people::employees::rows::{CHECK, DIRECT_DEPOSIT};
use crate::platform::audit;
use crate::records::id_of;

/// Maximum payments in one request.
const AT_ONCE: usize = 100;

/// Reports the status of payments.
#[derive(Debug, Clone, Default)]
pub struct UpdateDisbursements {
    /// one for each payment
    pub disbursements: Patch<Vec<UpdateDisbursement>>,
}

/// Reports the status of a payment.
#[derive(Debug, Clone, Default)]
pub struct UpdateDisbursement {
    /// the payment
    pub contractor_payment_uuid: Patch<String>,
    /// `Direct Deposit` or `Check`
    pub payment_method: Patch<String>,
    /// its status
    pub payment_status: Patch<DisbursementStatus>,
}

/// How a contractor is paid, and how that stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disbursed {
    /// the payment
    pub payment: Uuid,
    /// the contractor
    pub contractor: Uuid,
    /// `Direct Deposit` or `Check`
    pub method: &'static str,
    /// status of the payment
    pub status: DisbursementStatus,
}

/// Whether the partner has made a payment, or had it converted to a check.
pub(super) fn is_made(payment: &Payment) -> bool {
    matches!(payment.disbursed, Some(DisbursementStatus::Paid | DisbursementStatus::ConvertedToCheck))
}

impl Disbursed {
    fn of_payment(group: &Group, payment: &Payment) -> Self {
        let is_partners = group.partner_pays && payment.method == Method::DirectDeposit;
        let status = match is_partners {
            true => payment.disbursed.unwrap_or(DisbursementStatus::Pending),
            false => DisbursementStatus::NotPartnerManaged,
        };
        let by_check =
            payment.method != Method::DirectDeposit || status == DisbursementStatus::ConvertedToCheck;
        let method = if by_check { CHECK } else { DIRECT_DEPOSIT };
        Self { payment: payment.id, contractor: payment.contractor, method, status }
    }
}

/// Returns how the contractors of a group are paid.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_disbursements(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Vec<Disbursed>, Error> {
    let GroupDetails { group, payments, .. } = service::find_group(tx, caller, id)?;
    let recorded = payments.iter().filter(|one| one.method != Method::Historical);
    Ok(recorded.map(|one| Disbursed::of_payment(&group, one)).collect())
}

/// Records the partner's reports on the payments it makes; payments that are not named are unchanged.
///
/// # Errors
/// "Not found"; 422 for a group that the service pays, and for every violation of the input; a store error.
pub fn update_disbursements(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateDisbursements,
) -> Result<(), Error> {
    let company = caller.company;
    rows::lock_group(tx, company, id)?;
    let GroupDetails { group, payments, .. } = service::find_group(tx, caller, id)?;
    if !group.partner_pays {
        return Err(Error::from(Violation::invalid_operation(
            "This service pays this group: that was the company's payment_configs setting when it was created.",
        )));
    }
    let mut checks = Checks::new();
    input.disbursements.required("disbursements", &mut checks, |_, _| Ok(()));
    let lines = patch::check_items("disbursements", &input.disbursements, AT_ONCE, &mut checks);
    let (mut changed, mut seen) = (Vec::new(), BTreeSet::new());
    for line in lines {
        let mut own = Checks::new();
        let next = one_line(&group, &payments, line, &mut own);
        own.require(next.as_ref().is_none_or(|next| seen.insert(next.id)), || {
            let message = "contractor_payment_uuid must name each payment once";
            Violation::invalid("contractor_payment_uuid", message)
        });
        if let Err(violations) = own.finish() {
            let named = line.contractor_payment_uuid.value().map(String::as_str).unwrap_or_default();
            let whose = json!({ "entity_type": "ContractorPayment", "entity_uuid": named });
            checks.push(Violation::nested("disbursements", violations).with_metadata(whose));
        }
        changed.extend(next.filter(|next| !payments.contains(next)));
    }
    checks.finish()?;
    let mut paid = Vec::new();
    for mut payment in changed {
        assert!(payment.update(tx, company)?, "the row was read under its guard");
        payment.version += 1;
        let told = json!({ "status": payment.disbursed.map(|status| status.as_str()) });
        audit::record_audit_entry(tx, caller, "disbursed", (Payment::TABLE, payment.id), &told)?;
        if is_made(&payment) {
            paid.push(payment);
        }
    }
    service::record_payments_made(tx, company, paid, false)
}

/// Returns a payment as the partner reports it; adds violations to `checks`.
fn one_line(
    group: &Group,
    payments: &[Payment],
    line: &UpdateDisbursement,
    checks: &mut Checks,
) -> Option<Payment> {
    let key = "contractor_payment_uuid";
    let id = line.contractor_payment_uuid.required(key, checks, |_, id| Ok(id_of(id)));
    let method = line
        .payment_method
        .optional("payment_method", checks, |key, sent| check::one_of(key, sent, &METHODS));
    let status = line.payment_status.optional("payment_status", checks, as_is);
    let id = id?;
    let Some(payment) = payments.iter().find(|one| one.id == id) else {
        let message = "contractor_payment_uuid must be the uuid of a payment of the group";
        checks.push(Violation::invalid(key, message));
        return None;
    };
    let before = Disbursed::of_payment(group, payment);
    if before.status == DisbursementStatus::NotPartnerManaged {
        let same =
            method.is_none_or(|one| one == before.method) && status.is_none_or(|one| one == before.status);
        checks.require(same, || {
            let message =
                "payment_status must be Not partner managed: the partner does not pay this contractor";
            Violation::invalid("payment_status", message)
        });
        return None;
    }
    let status = match (status, method) {
        (Some(status), _) => status,
        (None, Some(CHECK)) => DisbursementStatus::ConvertedToCheck,
        (None, Some(_)) if before.status == DisbursementStatus::ConvertedToCheck => {
            DisbursementStatus::Pending
        }
        (None, _) => before.status,
    };
    checks.require(status != DisbursementStatus::NotPartnerManaged, || {
        let message =
            "payment_status must be Pending, Paid or Converted to check: the partner pays this contractor";
        Violation::invalid("payment_status", message)
    });
    let by_check =
        method.is_none_or(|one| (one == CHECK) == (status == DisbursementStatus::ConvertedToCheck));
    checks.require(by_check, || {
        let message =
            "payment_method must be Check with payment_status Converted to check, and Direct Deposit without";
        Violation::invalid("payment_method", message)
    });
    Some(Payment { disbursed: Some(status), ..payment.clone() })
}
