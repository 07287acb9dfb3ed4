//! What changes in a closed period: a correction is kept for each closed form that the change concerns, and the company is told. The form
//! itself stays as it was closed.

use rules::Named as _;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::forms::content::TaxFormKind;
use super::forms::rows::{self, Correction};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::platform::hooks::{PayCause, PayChange};

/// Follows a change of what was paid on a day.
pub fn pay_changed(tx: &mut Tx<'_>, company: Uuid, change: PayChange) -> Result<(), Error> {
    rows::lock_company_forms(tx, company)?;
    let year = i64::from(change.day.year());
    let quarter = i64::from((change.day.month() - 1) / 3 + 1);
    // What is known of a year alone may belong to each of its quarters.
    let concerns = |form: &rows::TaxForm| {
        let is_of_quarter =
            form.quarter.is_none_or(|of| of == quarter) || change.cause == PayCause::OpeningBalances;
        // Pay of contractors is in Forms 1099-NEC alone, and these have nothing else.
        let is_of_kind = (form.kind == TaxFormKind::F1096) == (change.cause == PayCause::Contractor);
        // A correction is of the form that was filed first; amended ones follow from it.
        let is_first = !matches!(form.kind, TaxFormKind::F941X | TaxFormKind::W3C);
        form.is_closed() && is_first && form.year == year && is_of_quarter && is_of_kind
    };
    let closed: Vec<_> = rows::of_company(tx, company)?.into_iter().filter(concerns).collect();
    if closed.is_empty() {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    for form in closed {
        let correction = Correction {
            id: tx.new_id(),
            form: form.id,
            cause: change.cause,
            record: change.record,
            day: change.day,
            settled_on: None,
            receipt: None,
            created_at: tx.now(),
            version: 1,
        };
        correction.insert(tx, company)?;
        let told = json!({ "form": form.id, "name": form.kind.as_str(), "period": form.period_text(), "cause": change.cause.as_str(),
                           "record": change.record, "day": change.day });
        audit::record_audit_entry(tx, &caller, "opened", (Correction::TABLE, correction.id), &told)?;
        events::emit_of_company(
            tx,
            company,
            events::NOTIFICATION_TAX_FORM_CORRECTION_CREATED,
            correction.id,
        )?;
    }
    Ok(())
}

/// What an amended return of a form is called.
pub fn amended_by(kind: TaxFormKind) -> &'static str {
    match kind {
        TaxFormKind::F941 | TaxFormKind::F941X => "Form 941-X",
        TaxFormKind::F944 => "Form 944-X",
        TaxFormKind::F940 => "an amended Form 940",
        TaxFormKind::W3 | TaxFormKind::W2 | TaxFormKind::W3C | TaxFormKind::W2C => "Form W-2c",
        TaxFormKind::F1096 | TaxFormKind::F1099 => "a corrected Form 1099-NEC",
    }
}
