//! Forms 1099-NEC of contractors: what each was paid in a year, drafts, and what prevents those of a year from being closed.
//!
//! A payment counts in the year of its check date, whether an account, a check or a historical payment made it. Reimbursed expenses do not. A year is
//! closed as that of Forms W-2 is: `returns::closing` makes the drafts final once their sum, Form 1096, is.

use std::collections::BTreeMap;

use jiff::civil::date;
use returns::Form1099Nec;
use returns::form_1099_nec::{Recipient, Sum, TinKind};
use rules::contractor::ContractorType;
use rules::contractor_pay::ContractorPayTable;
use rules::days::Days;
use rules::{Checks, Named as _, Violation};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::addresses::rows::ContractorAddress;
use super::payments::rows::{self as payments, OfYear};
use super::records;
use super::records::rows::Contractor;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::patch::Patch;
use crate::platform::audit;
use crate::platform::law;
use crate::records::{IdRange, id_of};
use crate::returns::forms::content::{Content, Figures, FormOf, TaxFormKind};
use crate::returns::forms::rows::{self, State, TaxForm};
use crate::returns::forms::service::{self, TABLE};

/// The first year for which a form can be asked for.
const FIRST_YEAR: i64 = 2_015;
/// Contractors whose forms are made in one unit of work.
const AT_ONCE: i64 = 100;
/// After every contractor.
const LAST: Uuid = Uuid::max();

/// What Form 1099-NEC is asked for.
#[derive(Debug, Clone, Default)]
pub struct Generate1099 {
    /// the contractor
    pub contractor_id: Patch<String>,
    /// the year; the previous one by default
    pub year: Patch<i64>,
}

fn days_of(year: i16) -> Days {
    Days { first: date(year, 1, 1), last: date(year, 12, 31) }
}

/// Returns the forms of a contractor, oldest first.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_tax_forms(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<Vec<TaxForm>, Error> {
    records::service::find_contractor(tx, caller, contractor)?;
    rows::of_contractor(tx, caller.company, contractor)
}

/// Returns a form of a contractor.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_tax_form(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid, id: Uuid) -> Result<TaxForm, Error> {
    records::service::find_contractor(tx, caller, contractor)?;
    let found = service::find_form(tx, caller.company, id)?;
    found.filter(|form| form.contractor == Some(contractor)).ok_or(Error::NotFound)
}

/// Makes, or makes anew, the draft of a contractor's Form 1099-NEC, whatever the pay comes to; a final one is returned as it is.
///
/// # Errors
/// 422 for an unknown contractor, and for a year that is out of range, is closed, or in which the contractor was not paid; a store error.
pub fn generate_1099(tx: &mut Tx<'_>, caller: &Caller, input: &Generate1099) -> Result<TaxForm, Error> {
    let company = caller.company;
    let mut checks = Checks::new();
    let this_year = i64::from(caller.today(tx).year());
    let id = input.contractor_id.required("contractor_id", &mut checks, |_, id| Ok(id_of(id)));
    let contractor = match id {
        Some(id) => {
            let found = Contractor::find(tx, company, id)?;
            checks.require(found.is_some(), || {
                let message = "contractor_id must be the uuid of a contractor of the company";
                Violation::invalid("contractor_id", message)
            });
            found
        }
        None => None,
    };
    let year = input.year.optional("year", &mut checks, |key, year| {
        let fits = (FIRST_YEAR..=this_year).contains(year).then(|| i16::try_from(*year).ok()).flatten();
        let message = || format!("{key} must lie between {FIRST_YEAR} and {this_year}");
        fits.ok_or_else(|| Violation::invalid(key, message()))
    });
    checks.finish()?;
    let year = year.unwrap_or_else(|| caller.today(tx).year() - 1);
    let contractor = contractor.ok_or(Error::NotFound)?;
    rows::lock_company_forms(tx, company)?;
    let mut held = rows::of_contractor(tx, company, contractor.id)?.into_iter();
    let held = held.rfind(|form| form.kind == TaxFormKind::F1099 && form.year == i64::from(year));
    if let Some(form) = held.as_ref().filter(|form| form.is_closed()) {
        return Ok(form.clone());
    }
    let of = FormOf { kind: TaxFormKind::F1096, year, quarter: None };
    if rows::of_company(tx, company)?.iter().any(|form| form.is_form(of) && form.is_closed()) {
        let message = format!("The Forms 1099-NEC of {year} are final: what was paid since is a correction.");
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let ids = IdRange::only(contractor.id);
    let sums = payments::of_year(tx, company, days_of(year), ids)?;
    let Some(of_year) = sums.get(&contractor.id) else {
        let message = format!("The contractor was not paid in {year}: there is no Form 1099-NEC.");
        return Err(Error::from(Violation::invalid_operation(message)));
    };
    let form = make_1099(tx, company, &contractor, (year, of_year))?;
    put_draft(tx, caller, held, (contractor.id, form))
}

/// Makes the form of a contractor from what was paid in a year.
fn make_1099(
    tx: &mut Tx<'_>,
    company: Uuid,
    contractor: &Contractor,
    (year, paid): (i16, &OfYear),
) -> Result<Form1099Nec, Error> {
    let (tin_kind, tin) = match contractor.kind {
        ContractorType::Individual => {
            (TinKind::Individual, records::rows::unseal_ssn(tx, company, contractor)?)
        }
        ContractorType::Business => (TinKind::Business, records::rows::unseal_ein(tx, company, contractor)?),
    };
    let address = ContractorAddress::find(tx, company, contractor.id)?;
    let (street, city, state, zip) = address.map_or_else(Default::default, |address| {
        let street = [Some(address.street_1), address.street_2].into_iter().flatten().collect::<Vec<_>>();
        (street.join(", "), address.city, address.state, address.zip)
    });
    let digits = tin.map(|tin| tin.chars().filter(char::is_ascii_digit).collect());
    Ok(Form1099Nec {
        year,
        recipient: Recipient {
            account: contractor.id.to_string(),
            name: contractor.name(),
            tin: digits,
            tin_kind,
            street,
            city,
            state,
            zip,
        },
        compensation: paid.wages.cents_half_up(),
        withheld: paid.withheld.cents_half_up(),
    })
}

/// Whether the pay of a year is reported.
fn is_reported(law: &ContractorPayTable, year: i16, paid: &OfYear) -> bool {
    law.is_reported(year, paid.wages, paid.withheld)
}

/// Makes the drafts of a year anew, in spans of contractors; those of contractors whose pay is not reported go.
pub async fn draft_all(store: &Store, company: Uuid, year: i16) -> Result<(), Error> {
    let mut after = Some(Uuid::nil());
    while let Some(last) = after {
        after = store.write(move |tx| draft_some(tx, company, year, last)).await?;
    }
    Ok(())
}

/// Makes the drafts of some contractors; returns the last of them, unless there are no more.
fn draft_some(tx: &mut Tx<'_>, company: Uuid, year: i16, after: Uuid) -> Result<Option<Uuid>, Error> {
    rows::lock_company_forms(tx, company)?;
    let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
    let all = records::rows::contractors_between(tx, company, IdRange { first: after, last: LAST })?;
    let some: Vec<&Contractor> =
        all.iter().filter(|one| one.id > after).take(usize::try_from(AT_ONCE).unwrap_or(1)).collect();
    let Some(last) = some.last().map(|one| one.id) else { return Ok(None) };
    let sums = payments::of_year(tx, company, days_of(year), IdRange { first: after, last })?;
    let law = law::in_force::<ContractorPayTable>(tx)?;
    for contractor in some {
        let mut held = rows::of_contractor(tx, company, contractor.id)?.into_iter();
        let held = held.rfind(|form| form.kind == TaxFormKind::F1099 && form.year == i64::from(year));
        match (sums.get(&contractor.id).filter(|paid| is_reported(&law, year, paid)), held) {
            (Some(paid), held) => {
                let form = make_1099(tx, company, contractor, (year, paid))?;
                put_draft(tx, &caller, held, (contractor.id, form))?;
            }
            (None, Some(form)) => {
                assert!(form.delete(tx, company)?, "the row was read under its guard");
                audit::record_audit_entry(tx, &caller, "deleted", (TABLE, form.id), &json!({}))?;
            }
            (None, None) => {}
        }
    }
    Ok(Some(last))
}

/// Stores a draft in the place of the one that is held.
fn put_draft(
    tx: &mut Tx<'_>,
    caller: &Caller,
    held: Option<TaxForm>,
    (contractor, form): (Uuid, Form1099Nec),
) -> Result<TaxForm, Error> {
    let (company, year) = (caller.company, form.year);
    let employer = service::form_employer(tx, company)?;
    let content = Content { employer, figures: Figures::Contractor(Box::new(form)) };
    let Some(mut draft) = held else {
        let of = FormOf { kind: TaxFormKind::F1099, year, quarter: None };
        let draft =
            TaxForm { contractor: Some(contractor), ..TaxForm::new_draft(tx, company, of, None, &content)? };
        draft.insert(tx, company)?;
        let told = json!({ "name": draft.kind.as_str(), "year": year, "state": State::Draft.as_str() });
        audit::record_audit_entry(tx, caller, "created", (TABLE, draft.id), &told)?;
        events::emit_of_contractor(tx, company, events::CONTRACTOR_FORM_CREATED, draft.id, contractor)?;
        return Ok(draft);
    };
    if draft.state == State::Draft && draft.digest == content.content_digest() {
        return Ok(draft);
    }
    // A final one whose Form 1096 was voided is a draft again.
    draft.state = State::Draft;
    draft.replace_content(tx, company, &content)?;
    assert!(draft.update(tx, company)?, "the row was read under its guard");
    draft.version += 1;
    let told = json!({ "digest": hex::encode(&draft.digest) });
    audit::record_audit_entry(tx, caller, "updated", (TABLE, draft.id), &told)?;
    events::emit_of_contractor(tx, company, events::CONTRACTOR_FORM_UPDATED, draft.id, contractor)?;
    Ok(draft)
}

/// Returns the drafts and final forms of a year, with what they say, in the order of contractors.
pub fn statements_of_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<Form1099Nec>, Error> {
    let (mut found, mut after) = (Vec::new(), Uuid::nil());
    loop {
        let some = rows::statements_after(tx, company, (TaxFormKind::F1099, year), after, AT_ONCE)?;
        let Some(last) = some.last().and_then(|form| form.contractor) else { return Ok(found) };
        after = last;
        for form in some {
            if let Figures::Contractor(form) = form.read_content(tx, company)?.figures {
                found.push(*form);
            }
        }
    }
}

/// Returns what the stored forms of a year come to.
pub fn sum_of_drafts(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Sum, Error> {
    let mut sum = Sum::default();
    statements_of_year(tx, company, year)?.iter().for_each(|form| sum.add_form(form));
    Ok(sum)
}

/// Returns what the forms of a year would come to if they were made now.
pub fn year_total(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Sum, Error> {
    let mut sum = Sum::default();
    for paid in reportable_payments(tx, company, year)?.into_values() {
        sum.forms += 1;
        sum.compensation += paid.wages.cents_half_up();
        sum.withheld += paid.withheld.cents_half_up();
    }
    Ok(sum)
}

fn reportable_payments(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<BTreeMap<Uuid, OfYear>, Error> {
    let mut all = payments::of_year(tx, company, days_of(year), IdRange { first: Uuid::nil(), last: LAST })?;
    let law = law::in_force::<ContractorPayTable>(tx)?;
    all.retain(|_, paid| is_reported(&law, year, paid));
    Ok(all)
}

/// Returns why the forms of a year cannot be closed yet.
pub fn closing_blockers(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<String>, Error> {
    let mut why = Vec::new();
    let all = reportable_payments(tx, company, year)?;
    if all.is_empty() {
        why.push("no contractor was paid enough to be reported".to_owned());
    }
    for (id, paid) in all {
        let Some(contractor) = Contractor::find(tx, company, id)? else { continue };
        if ContractorAddress::find(tx, company, id)?.is_none() {
            why.push(format!("contractor {id} has no address"));
        }
        if !contractor.has_tin() && paid.withheld.millionths() == 0 {
            why.push(format!(
                "contractor {id} has no taxpayer identification number, and nothing was withheld"
            ));
        }
    }
    Ok(why)
}
