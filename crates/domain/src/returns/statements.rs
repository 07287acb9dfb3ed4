//! Forms W-2 of employees: who each is about, and drafts. Making the statements of a year final, those of contractors included.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use returns::W2;
use returns::payment::{Exempt, Payment};
use returns::w2::{Address, Person};
use rules::{Named as _, Violation, effective};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::forms::content::{Content, Figures, FormOf, TaxFormKind};
use super::forms::rows::{self, State, TaxForm};
use super::forms::service::{self, TABLE};
use super::gather::{self, ReturnPeriod};
use super::occupations;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::taxes::rows as company_taxes;
use crate::error::Error;
use crate::events;
use crate::patch::Patch;
use crate::people::addresses;
use crate::people::employees::{self, Employee};
use crate::platform::audit;
use crate::records::id_of;

/// The first year for which a form can be asked for.
const FIRST_YEAR: i64 = 2_015;
/// Statements that are changed in one unit of work.
const AT_ONCE: i64 = 100;
/// Codes of box 12 by which an employee takes part in a retirement plan.
const PLANS: [&str; 6] = ["AA", "BB", "D", "E", "F", "S"];
/// Key of the answer that has the company's account with a state.
const ACCOUNT: &str = "withholding_account_number";

/// What Form W-2 is asked for.
#[derive(Debug, Clone, Default)]
pub struct GenerateW2 {
    /// the employee
    pub employee_id: Patch<String>,
    /// the year; the previous one by default
    pub year: Patch<i64>,
}

/// Makes, or makes anew, the draft of an employee's Form W-2; a final one is returned as it is.
///
/// # Errors
/// 422 for an unknown employee, and for a year that is out of range or in which the employee was not paid; a store error.
pub fn generate_w2(tx: &mut Tx<'_>, caller: &Caller, input: &GenerateW2) -> Result<TaxForm, Error> {
    let company = caller.company;
    let mut checks = rules::Checks::new();
    let this_year = i64::from(caller.today(tx).year());
    let employee = input.employee_id.required("employee_id", &mut checks, |_, id| Ok(id_of(id)));
    let employee = match employee {
        Some(id) => {
            let found = Employee::find(tx, company, id)?;
            checks.require(found.is_some(), || {
                Violation::invalid(
                    "employee_id",
                    "employee_id must be the uuid of an employee of the company",
                )
            });
            found
        }
        None => None,
    };
    let year =
        input.year.optional("year", &mut checks, |key, year| match (FIRST_YEAR..=this_year).contains(year) {
            true => i16::try_from(*year).map_err(|_| Violation::invalid(key, format!("{key} is too large"))),
            false => {
                Err(Violation::invalid(key, format!("{key} must lie between {FIRST_YEAR} and {this_year}")))
            }
        });
    checks.finish()?;
    let year = year.unwrap_or_else(|| caller.today(tx).year() - 1);
    let employee = employee.ok_or(Error::NotFound)?;
    rows::lock_company_forms(tx, company)?;
    let mut held = rows::of_employee(tx, company, employee.id)?.into_iter();
    let held = held.rfind(|form| form.kind == TaxFormKind::W2 && form.year == i64::from(year));
    if let Some(form) = held.as_ref().filter(|form| form.is_closed()) {
        return Ok(form.clone());
    }
    if rows::of_company(tx, company)?.iter().any(|form| is_transmittal(form, year) && form.is_closed()) {
        let message = format!("The Forms W-2 of {year} are final: what was paid since is a correction.");
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let gathered = gather::of_employee(tx, company, employee.id, year)?;
    let form = of_payments(tx, company, &employee, (year, &gathered.payments))?;
    if !form.is_needed() {
        let message = format!("The employee was not paid in {year}: there is no Form W-2.");
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    put_draft(tx, caller, held, (&employee, form))
}

fn is_transmittal(form: &TaxForm, year: i16) -> bool {
    form.is_form(FormOf { kind: TaxFormKind::W3, year, quarter: None })
}

/// Makes the drafts of a year anew, in spans of employees; those of nobody who was paid go.
///
/// # Errors
/// A paycheck can't be read; a store error.
pub(super) async fn draft_all(store: &Store, company: Uuid, year: i16) -> Result<(), Error> {
    let mut after = Some(Uuid::nil());
    while let Some(last) = after {
        after = store.write(move |tx| draft_some(tx, company, year, last)).await?;
    }
    Ok(())
}

fn draft_some(tx: &mut Tx<'_>, company: Uuid, year: i16, after: Uuid) -> Result<Option<Uuid>, Error> {
    rows::lock_company_forms(tx, company)?;
    let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
    let ReturnPeriod { found, last } = gather::payments_after(tx, company, year, after)?;
    let mut held = BTreeMap::new();
    let mut place = after;
    loop {
        let some = rows::statements_after(tx, company, (TaxFormKind::W2, year), place, AT_ONCE)?;
        let Some(furthest) = some.last().and_then(|form| form.employee) else { break };
        let within = |form: &TaxForm| form.employee.is_some_and(|one| last.is_none_or(|last| one <= last));
        held.extend(some.into_iter().filter(within).filter_map(|form| Some((form.employee?, form))));
        if last.is_some_and(|last| furthest >= last) {
            break;
        }
        place = furthest;
    }
    for (id, gathered) in found {
        let Some(employee) = Employee::find(tx, company, id)? else { continue };
        let form = of_payments(tx, company, &employee, (year, &gathered.payments))?;
        if form.is_needed() {
            put_draft(tx, &caller, held.remove(&id), (&employee, form))?;
        }
    }
    for form in held.into_values() {
        assert!(form.delete(tx, company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, &caller, "deleted", (TABLE, form.id), &json!({}))?;
    }
    Ok(last)
}

/// Makes the drafts of a year final once their transmittal is: Form W-3 for Forms W-2, Form 1096 for Forms 1099-NEC; returns that form, or `None` if
/// it is not closed.
pub(super) async fn finish_statements(
    store: &Store,
    company: Uuid,
    (kind, year): (TaxFormKind, i16),
) -> Result<Option<TaxForm>, Error> {
    let of = FormOf { kind: transmittal_of(kind), year, quarter: None };
    let closed = store.read(move |tx| {
        let mut all = rows::of_company(tx, company)?.into_iter();
        Ok::<_, Error>(all.rfind(|form| form.is_form(of) && form.is_closed()))
    });
    let Some(form) = closed.await? else { return Ok(None) };
    move_all(store, company, (kind, year), (State::Draft, State::Final)).await?;
    Ok(Some(form))
}

/// The form that sums up the statements of a kind.
fn transmittal_of(kind: TaxFormKind) -> TaxFormKind {
    if kind == TaxFormKind::F1099 { TaxFormKind::F1096 } else { TaxFormKind::W3 }
}

/// Makes the final statements of a year drafts again, after their transmittal was voided.
pub async fn reopen_statements(store: &Store, company: Uuid, of: (TaxFormKind, i16)) -> Result<(), Error> {
    move_all(store, company, of, (State::Final, State::Draft)).await
}

async fn move_all(
    store: &Store,
    company: Uuid,
    of: (TaxFormKind, i16),
    change: (State, State),
) -> Result<(), Error> {
    let mut after = Some(Uuid::nil());
    while let Some(last) = after {
        after = store.write(move |tx| move_some(tx, company, (of, change), last)).await?;
    }
    Ok(())
}

fn move_some(
    tx: &mut Tx<'_>,
    company: Uuid,
    (of, (from, to)): ((TaxFormKind, i16), (State, State)),
    after: Uuid,
) -> Result<Option<Uuid>, Error> {
    rows::lock_company_forms(tx, company)?;
    let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
    let some = rows::statements_after(tx, company, of, after, AT_ONCE)?;
    let last = some.last().and_then(TaxForm::statement_person);
    for mut form in some.into_iter().filter(|form| form.state == from) {
        form.state = to;
        form.closed_at = (to == State::Final).then(|| tx.now());
        assert!(form.update(tx, company)?, "the row was read under its guard");
        let told = json!({ "state": [from.as_str(), to.as_str()], "digest": hex::encode(&form.digest) });
        audit::record_audit_entry(tx, &caller, "updated", (TABLE, form.id), &told)?;
        if let Some(employee) = form.employee {
            events::emit_of_employee(tx, company, events::FORM_UPDATED, form.id, employee)?;
        }
        if let Some(contractor) = form.contractor {
            events::emit_of_contractor(tx, company, events::CONTRACTOR_FORM_UPDATED, form.id, contractor)?;
        }
    }
    Ok(last)
}

/// Stores a draft in the place of the one that is held.
fn put_draft(
    tx: &mut Tx<'_>,
    caller: &Caller,
    held: Option<TaxForm>,
    (employee, form): (&Employee, W2),
) -> Result<TaxForm, Error> {
    let (company, year) = (caller.company, form.year);
    let employer = service::form_employer(tx, company)?;
    let content = Content { employer, figures: Figures::Statement(Box::new(form)) };
    match held {
        Some(mut draft) => {
            if draft.state == State::Draft && draft.digest == content.content_digest() {
                return Ok(draft);
            }
            // A final one whose Form W-3 was voided is a draft again.
            draft.state = State::Draft;
            draft.replace_content(tx, company, &content)?;
            assert!(draft.update(tx, company)?, "the row was read under its guard");
            draft.version += 1;
            audit::record_audit_entry(
                tx,
                caller,
                "updated",
                (TABLE, draft.id),
                &json!({ "digest": hex::encode(&draft.digest) }),
            )?;
            events::emit_of_employee(tx, company, events::FORM_UPDATED, draft.id, employee.id)?;
            Ok(draft)
        }
        None => {
            let of = FormOf { kind: TaxFormKind::W2, year, quarter: None };
            let draft = TaxForm::new_draft(tx, company, of, Some(employee.id), &content)?;
            draft.insert(tx, company)?;
            let told =
                json!({ "name": TaxFormKind::W2.as_str(), "year": year, "state": State::Draft.as_str() });
            audit::record_audit_entry(tx, caller, "created", (TABLE, draft.id), &told)?;
            events::emit_of_employee(tx, company, events::FORM_CREATED, draft.id, employee.id)?;
            Ok(draft)
        }
    }
}

/// Makes the Form W-2 of an employee from the payments of a year.
pub fn of_payments(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: &Employee,
    (year, payments): (i16, &[Payment]),
) -> Result<W2, Error> {
    let person = form_person(tx, company, employee, (year, payments))?;
    W2::new(year, person, payments).map_err(|why| Error::internal(why.to_string()))
}

fn form_person(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: &Employee,
    (year, payments): (i16, &[Payment]),
) -> Result<Person, Error> {
    let ssn = employees::rows::unseal_ssn(tx, company, employee)?.map(|ssn| ssn.to_string());
    let homes = addresses::rows::home_addresses(tx, company, employee.id)?;
    // The last known address, also if it became effective after the year.
    let home = effective::active_record(&homes, Date::MAX, |home| home.effective_date);
    let address = home.map_or_else(Address::default, |home| Address {
        location: home.street_2.clone().unwrap_or_default(),
        delivery: home.street_1.clone(),
        city: home.city.clone(),
        state: home.state.clone(),
        zip: home.zip.clone(),
    });
    let takes_part = |payment: &Payment| {
        let by_code = PLANS.iter().any(|code| payment.box_12.contains_key(*code));
        by_code || payment.futa.exempt.contains_key(&Exempt::Retirement)
    };
    Ok(Person {
        id: format!("{} {}", employee.first_name, employee.last_name),
        ssn,
        first_name: employee.first_name.clone(),
        middle_name: employee.middle_initial.clone().unwrap_or_default(),
        last_name: employee.last_name.clone(),
        suffix: String::new(),
        address,
        is_statutory: false,
        has_retirement_plan: payments.iter().any(takes_part),
        has_sick_pay: false,
        // Those that paychecks keep, and those told since; without a code box 14b stays empty, which the check of the file tells.
        tipped_occupations: payments
            .iter()
            .flat_map(|one| one.tipped_occupations.iter().cloned())
            .chain(occupations::of_employee(tx, company, employee.id)?)
            .collect(),
        state_accounts: state_accounts(tx, company, (ACCOUNT, date(year, 12, 31)))?,
    })
}

/// The company's accounts with states on a day, by state: the answers to the question with a key.
pub(super) fn state_accounts(
    tx: &mut Tx<'_>,
    company: Uuid,
    (key, day): (&str, Date),
) -> Result<BTreeMap<String, String>, Error> {
    let mut accounts: BTreeMap<String, (Date, String)> = BTreeMap::new();
    for answer in company_taxes::list_answers(tx, company)? {
        if answer.key != key || answer.effective_from > day {
            continue;
        }
        let held = accounts.entry(answer.state).or_insert((answer.effective_from, String::new()));
        if answer.effective_from >= held.0 {
            *held = (answer.effective_from, answer.value);
        }
    }
    Ok(accounts.into_iter().map(|(state, (_, account))| (state, account)).collect())
}
