//! Form W-4.

use jiff::civil::Date;
use rules::company::LegalForm;
use rules::payroll::FicaExemption;
use rules::withholding::federal::{self, FilingStatus, W4};
use rules::{Amount, Checks, Named, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::taxes::federal::legal_form;
use crate::error::Error;
use crate::events;
use crate::patch::{self, as_is};
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::records::{Changes, version_text};
use crate::withholding::taxes::commands::UpdateFederalTaxes;
use crate::withholding::taxes::rows;
use crate::withholding::taxes::rows::{
    Columns, FEDERAL_TABLE, FederalSettings, FederalTaxes, PRE_2020, REV_2020,
};

/// The employee's Form W-4; `None` before it is answered.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_federal_taxes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Option<FederalTaxes>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    rows::find_federal(tx, caller.company, employee)
}

/// Updates what was sent and keeps the rest. A form from before 2020 is replaced as a whole. A claim of exemption that is sent again in
/// another year counts from then.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_federal_taxes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    command: &UpdateFederalTaxes,
) -> Result<Option<FederalTaxes>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let before = rows::find_federal(tx, caller.company, employee)?;
    let employer = legal_form(tx, caller.company)?;
    let (version, after) = read_update(command, before.as_ref(), &employer)?;
    store_federal_taxes(tx, caller, employee, before.as_ref(), after, Some(&version))
}

/// Stores a form from before 2020, for an employee migrated from another service: no request can create one.
///
/// # Errors
/// "Not found"; every violation of the form; a store error.
pub fn store_pre2020(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    (filing_status, allowances, additional_withholding): (FilingStatus, i64, Amount),
) -> Result<Option<FederalTaxes>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let before = rows::find_federal(tx, caller.company, employee)?;
    let w4 = W4::Pre2020 { filing_status, allowances, additional_withholding };
    let mut checks = Checks::new();
    checks.extend(federal::check_w4(&w4));
    checks.finish()?;
    let settings = before.as_ref().map(|before| before.settings).unwrap_or_default();
    store_federal_taxes(tx, caller, employee, before.as_ref(), (w4, settings), None)
}

fn store_federal_taxes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    before: Option<&FederalTaxes>,
    (w4, settings): (W4, FederalSettings),
    version: Option<&str>,
) -> Result<Option<FederalTaxes>, Error> {
    let number = before.map_or(0, |before| before.version);
    let mut changes = federal_changes(before, &w4, settings);
    let since_before = before.and_then(|before| before.exempt_since);
    let exempt_since = exempt_since(before, &w4, caller.today(tx));
    changes.record_difference("exempt_since", &since_before, &exempt_since);
    if let Some(sent) = version {
        changes.expect_version(sent, version_text(FEDERAL_TABLE, employee, number))?;
    }
    if !changes.is_empty() {
        let after =
            FederalTaxes { employee, w4, settings, exempt_since, updated_at: tx.now(), version: number };
        assert!(rows::put_federal(tx, caller.company, &after)?, "the row was read under its guard");
        let action = if number == 0 { "created" } else { "updated" };
        audit::record_audit_entry(tx, caller, action, (FEDERAL_TABLE, employee), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, employee)?;
        hooks::employee_changed(tx, caller, employee, EmployeeAspect::FederalTax)?;
    }
    get_federal_taxes(tx, caller, employee)
}

/// The day on which exemption is claimed. A claim is valid for a year: claiming it in another year is a new claim, even with the same form.
fn exempt_since(before: Option<&FederalTaxes>, w4: &W4, today: Date) -> Option<Date> {
    let held = before.filter(|before| before.claimed_on().is_some_and(|day| day.year() == today.year()));
    match held {
        _ if !w4.is_exempt() => None,
        Some(held) => held.exempt_since,
        None => Some(today),
    }
}

/// The version that was sent, and the form after the update.
fn read_update(
    command: &UpdateFederalTaxes,
    before: Option<&FederalTaxes>,
    employer: &LegalForm,
) -> Result<(String, (W4, FederalSettings)), Error> {
    let mut checks = Checks::new();
    let version = patch::check_version(&command.version, &mut checks);
    command.w4_data_type.required("w4_data_type", &mut checks, only_rev_2020);
    let w4 = draft_w4(command, before.map(|before| &before.w4), &mut checks);
    let settings = employer_settings(command, before.map(|before| before.settings), employer, &mut checks);
    checks.finish()?;
    Ok((version.unwrap_or_default(), (w4, settings)))
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn only_rev_2020(key: &str, value: &String) -> Result<(), Violation> {
    match value.as_str() {
        REV_2020 => Ok(()),
        PRE_2020 => Err(Violation::invalid(
            key,
            format!("{key} must be {REV_2020}: the form from before 2020 can no longer be filled in"),
        )),
        _ => Err(Violation::invalid(key, format!("{key} must be {REV_2020}"))),
    }
}

/// The form of 2020 with what was sent; the rest comes from the stored form, if that is of 2020 too.
fn draft_w4(command: &UpdateFederalTaxes, before: Option<&W4>, checks: &mut Checks) -> W4 {
    let filing_status = command.filing_status.required("filing_status", checks, filing_status);
    let mut flag = false;
    let mut amounts = [Amount::ZERO; 4];
    if let Some(&W4::Rev2020 {
        two_jobs,
        dependents_amount,
        other_income,
        deductions,
        extra_withholding,
        ..
    }) = before
    {
        flag = two_jobs;
        amounts = [dependents_amount, other_income, deductions, extra_withholding];
    }
    let two_jobs = command.two_jobs.optional("two_jobs", checks, as_is).unwrap_or(flag);
    let sent = [
        ("dependents_amount", &command.dependents_amount),
        ("other_income", &command.other_income),
        ("deductions", &command.deductions),
        ("extra_withholding", &command.extra_withholding),
    ];
    for (amount, (key, field)) in amounts.iter_mut().zip(sent) {
        *amount = field.optional(key, checks, as_is).unwrap_or(*amount);
    }
    let [dependents_amount, other_income, deductions, extra_withholding] = amounts;
    let w4 = W4::Rev2020 {
        // A violation of the status has been reported; the amounts are checked with any.
        filing_status: filing_status.unwrap_or(FilingStatus::Single),
        two_jobs,
        dependents_amount,
        other_income,
        deductions,
        extra_withholding,
    };
    checks.extend(federal::check_w4(&w4));
    w4
}

/// What the employer sets, with what was sent.
fn employer_settings(
    command: &UpdateFederalTaxes,
    before: Option<FederalSettings>,
    employer: &LegalForm,
    checks: &mut Checks,
) -> FederalSettings {
    let mut after = before.unwrap_or_default();
    let alien = command.nonresident_alien.optional("nonresident_alien", checks, as_is);
    after.nonresident_alien = alien.unwrap_or(after.nonresident_alien);
    let held = after.fica_exemption;
    let exemption = |key: &str, exemption: &FicaExemption| {
        let exemption = *exemption;
        // A setting from before the company changed its type is sent back with the rest of the record; no payroll applies it.
        if exemption.is_open_to(employer) || held == Some(exemption) {
            return Ok(Some(exemption));
        }
        let message = format!(
            "{key} must not be {} in a {}: only a sole proprietor or a partnership of both parents can employ a child so ({})",
            exemption.as_str(),
            employer.name(),
            exemption.section()
        );
        Err(Violation::invalid(key, message))
    };
    command.fica_exemption.update_or_clear("fica_exemption", checks, exemption, &mut after.fica_exemption);
    after
}

/// A filing status of the form of 2020.
#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn filing_status(key: &str, value: &String) -> Result<FilingStatus, Violation> {
    let status = FilingStatus::parse(value).filter(|status| FilingStatus::REV_2020.contains(status));
    status.ok_or_else(|| {
        let allowed = FilingStatus::REV_2020.map(FilingStatus::as_str).join(", ");
        Violation::invalid(key, format!("{key} must be one of {allowed}"))
    })
}

fn federal_changes(stored: Option<&FederalTaxes>, after: &W4, settings: FederalSettings) -> Changes {
    let before = stored.map(|stored| Columns::columns_of_w4(&stored.w4)).unwrap_or_default();
    let set_before = stored.map(|stored| stored.settings).unwrap_or_default();
    let after = Columns::columns_of_w4(after);
    let text = |amount: Option<Amount>| amount.map(|amount| amount.to_string());
    let mut changes = Changes::new();
    changes.record_difference("w4_data_type", &before.kind, &after.kind);
    changes.record_difference("filing_status", &before.filing_status, &after.filing_status);
    changes.record_difference("two_jobs", &before.two_jobs, &after.two_jobs);
    changes.record_difference(
        "dependents_amount",
        &text(before.dependents_amount),
        &text(after.dependents_amount),
    );
    changes.record_difference("other_income", &text(before.other_income), &text(after.other_income));
    changes.record_difference("deductions", &text(before.deductions), &text(after.deductions));
    changes.record_difference(
        "extra_withholding",
        &text(before.extra_withholding),
        &text(after.extra_withholding),
    );
    changes.record_difference("federal_withholding_allowance", &before.allowances, &after.allowances);
    let [old, new] = [before, after].map(|columns| text(columns.additional_withholding));
    changes.record_difference("additional_withholding", &old, &new);
    changes.record_difference(
        "nonresident_alien",
        &set_before.nonresident_alien,
        &settings.nonresident_alien,
    );
    let [old, new] =
        [set_before, settings].map(|settings| settings.fica_exemption.map(FicaExemption::as_str));
    changes.record_difference("fica_exemption", &old, &new);
    changes
}
