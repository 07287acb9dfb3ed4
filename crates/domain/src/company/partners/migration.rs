//! Assessing whether a company can be migrated to a partner, and migrating it.

use rules::company::Status;
use rules::company::migration::{Facts, Finding, Severity, list_findings};
use rules::{Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;

use super::commands::Migrate;
use super::terms;
use crate::access::connections;
use crate::access::tokens::{Actor, Caller};
use crate::company::companies;
use crate::company::companies::traits::Trait;
use crate::company::signatories;
use crate::company::signatories::Signatory;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::version::Change;

fn migration_facts(tx: &mut Tx<'_>, caller: &Caller, signatory: Option<&Signatory>) -> Result<Facts, Error> {
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let traits = companies::traits::of_company(tx, caller.company)?;
    Ok(Facts {
        migrated: company.is_partner_managed,
        suspended: company.company_status == Status::Suspended,
        terms_accepted: terms::are_terms_accepted(tx, caller)?,
        has_signatory: signatory.is_some(),
        tier: traits.tier(),
        managed_benefits: traits.names(Trait::ManagedBenefit),
        time_off_policies: traits.names(Trait::TimeOffPolicy),
        integrations: traits.names(Trait::Integration),
        marijuana_business: traits.has(Trait::MarijuanaBusiness),
    })
}

/// The blockers and warnings of migrating the company.
///
/// # Errors
/// "Not found"; a store error.
pub fn migration_findings(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Finding>, Error> {
    let signatory = signatories::of_company(tx, caller.company)?;
    Ok(list_findings(&migration_facts(tx, caller, signatory.as_ref())?))
}

/// Migrates the company, and returns the findings: warnings only. Before version 2026-02-01 the input must have the signatory's e-mail
/// address.
///
/// # Errors
/// 422 with every blocker and every violation of the input; "not found"; a store error.
pub fn migrate_company(tx: &mut Tx<'_>, caller: &Caller, input: &Migrate) -> Result<Vec<Finding>, Error> {
    connections::lock_company_access(tx, caller.company)?;
    let signatory = signatories::of_company(tx, caller.company)?;
    let findings = list_findings(&migration_facts(tx, caller, signatory.as_ref())?);
    let mut checks = Checks::new();
    let email = |key: &str, value: &String| {
        let email = check::validate_email(key, value)?;
        match &signatory {
            Some(signatory) if signatory.email.to_lowercase() == email.to_lowercase() => Ok(()),
            _ => Err(Violation::invalid(
                key,
                format!("{key} must be the e-mail address of the company's signatory"),
            )),
        }
    };
    if !caller.version.includes_change(Change::MoveWithoutEmail) {
        input.email.required("email", &mut checks, email);
    }
    let ip = input.ip_address.optional("ip_address", &mut checks, |k, v| terms::ip_address(k, v));
    let external =
        input.external_user_id.optional("external_user_id", &mut checks, |k, v| terms::external_id(k, v));
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Blocker) {
        let violation = Violation::new("base", Category::MigrationBlocker, finding.message.clone());
        checks.push(violation.with_metadata(json!({ "key": finding.key })));
    }
    checks.finish()?;

    let changed = companies::rows::set_partner_managed(tx, caller.company, true)?;
    assert!(changed, "the row was read under the guard");
    if let Actor::Application(application) = caller.actor {
        connections::record_managing_application(tx, caller.company, application)?;
    }
    let changes = json!({ "is_partner_managed": [false, true], "ip_address": [null, ip], "external_user_id": [null, external] });
    audit::record_audit_entry(tx, caller, "migrated", (companies::service::TABLE, caller.company), &changes)?;
    events::emit_event(tx, caller.company, events::COMPANY_MIGRATED, caller.company)?;
    Ok(findings)
}
