//! What stands in the way of a company's move to a partner's product, and the move.

use rules::Named;
use rules::company::migration::{Facts, Finding, Severity, assess, ready};
use rules::{Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;

use super::terms;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::companies::traits::Trait;
use crate::company::partners::shapes::{Migrate, MigrationFinding, Readiness};
use crate::company::signatories;
use crate::company::signatories::Signatory;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::version::Change;

/// What is guarded while a company moves.
const GUARD: &str = "company_migration";

fn facts(tx: &mut Tx<'_>, caller: &Caller, signatory: Option<&Signatory>) -> Result<Facts, Error> {
    let company = companies::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let traits = companies::traits::of_company(tx, caller.company)?;
    Ok(Facts {
        migrated: company.is_partner_managed,
        suspended: company.company_status == "Suspended",
        terms_accepted: terms::accepted(tx, caller)?,
        has_signatory: signatory.is_some(),
        tier: traits.tier(),
        managed_benefits: traits.names(Trait::ManagedBenefit),
        time_off_policies: traits.names(Trait::TimeOffPolicy),
        integrations: traits.names(Trait::Integration),
        marijuana_business: traits.has(Trait::MarijuanaBusiness),
    })
}

/// Whether the company can move, and what was found.
///
/// # Errors
/// "Not found" when it is gone; a store error.
pub fn readiness(tx: &mut Tx<'_>, caller: &Caller) -> Result<Readiness, Error> {
    let signatory = signatories::of_company(tx, caller.company)?;
    let found = assess(&facts(tx, caller, signatory.as_ref())?);
    Ok(Readiness {
        ready_to_migrate: ready(&found),
        company_uuid: caller.company,
        errors: told(&found, Severity::Blocker),
        warnings: told(&found, Severity::Warning),
    })
}

fn told(found: &[Finding], severity: Severity) -> Vec<MigrationFinding> {
    let category = match severity {
        Severity::Blocker => Category::MigrationBlocker.as_str(),
        Severity::Warning => "migration_warning",
    };
    let of_kind = found.iter().filter(|finding| finding.severity == severity);
    let told = of_kind.map(|finding| MigrationFinding {
        error_key: "base",
        category,
        message: finding.message.clone(),
        metadata: json!({ "key": finding.key }),
    });
    told.collect()
}

/// Moves the company; gives the warnings that were found. Before version 2026-02-01 the call carries the signatory's
/// e-mail address.
///
/// # Errors
/// 422 with every blocker and every violation of the input; "not found"; a store error.
pub fn migrate(tx: &mut Tx<'_>, caller: &Caller, input: &Migrate) -> Result<Vec<MigrationFinding>, Error> {
    tx.guard(caller.company, GUARD, caller.company)?;
    let signatory = signatories::of_company(tx, caller.company)?;
    let found = assess(&facts(tx, caller, signatory.as_ref())?);
    let mut checks = Checks::new();
    let email = |key: &str, value: &String| {
        let email = check::email(key, value)?;
        match &signatory {
            Some(signatory) if signatory.email.to_lowercase() == email.to_lowercase() => Ok(()),
            _ => Err(Violation::invalid(key, format!("{key} must be that of the company's signatory"))),
        }
    };
    if !caller.version.has(Change::MoveWithoutEmail) {
        input.email.required("email", &mut checks, email);
    }
    let ip = input.ip_address.optional("ip_address", &mut checks, |k, v| terms::ip_address(k, v));
    let external =
        input.external_user_id.optional("external_user_id", &mut checks, |k, v| terms::external_id(k, v));
    for finding in found.iter().filter(|finding| finding.severity == Severity::Blocker) {
        let violation = Violation::new("base", Category::MigrationBlocker, finding.message.clone());
        checks.push(violation.with_metadata(json!({ "key": finding.key })));
    }
    checks.finish()?;

    let moved = companies::rows::set_partner_managed(tx, caller.company, true)?;
    assert!(moved, "the row was read under the guard");
    let changes = json!({ "is_partner_managed": [false, true], "ip_address": [null, ip], "external_user_id": [null, external] });
    audit::record(tx, caller, "migrated", (companies::service::TABLE, caller.company), &changes)?;
    events::emit(tx, caller.company, events::COMPANY_MIGRATED, caller.company)?;
    Ok(told(&found, Severity::Warning))
}
