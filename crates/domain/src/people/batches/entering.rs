//! Enters one person of a batch with all associated records, through the use cases for single records.

use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::{Account, Entered, Home, Membership, NewPerson, Pay, PersonItem};
use crate::access::tokens::Caller;
use crate::company::locations;
use crate::company::locations::commands::CreateLocation;
use crate::company::locations::rows::Location;
use crate::error::{Error, violations_json};
use crate::patch::{self, Patch, as_is};
use crate::pay::compensations;
use crate::pay::compensations::commands::UpdateCompensation;
use crate::people::addresses;
use crate::people::addresses::commands::{CreateWorkAddress, Residence};
use crate::people::addresses::rows::HomeAddress;
use crate::people::departments::rows::Department;
use crate::people::departments::service as departments;
use crate::people::employees::named;
use crate::people::payment_methods::commands::{BankAccountInput, SplitInput, UpdatePaymentMethod};
use crate::people::payment_methods::rows::DIRECT_DEPOSIT;
use crate::people::payment_methods::service as payment_methods;
use crate::people::profiles;
use crate::people::profiles::commands::CreateEmployee;
use crate::records::{id_of, version_text};

/// Maximum number of bank accounts per person.
const MOST_ACCOUNTS: usize = 10;

/// Enters a person with all associated records.
pub(super) fn enter_person(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (index, external_id): (usize, String),
    item: &PersonItem,
) -> Result<Entered, Error> {
    let mut told = Vec::new();
    let person = item.person.value().map(NewPerson::create_employee_command).unwrap_or_default();
    let made = profiles::service::create_employee(tx, caller, &person);
    let employee = result_of_part("person", made, &mut told)?.map(|profile| profile.employee.id);
    if let Some(employee) = employee {
        add_all(tx, caller, employee, item, &mut told)?;
    }
    let errors = violations_json(&told).as_array().cloned().unwrap_or_default();
    Ok(Entered { external_id, index, employee, errors })
}

/// Returns the result of a part; `None` if the part is rejected, which is reported under its name.
fn result_of_part<T>(
    key: &str,
    made: Result<T, Error>,
    told: &mut Vec<Violation>,
) -> Result<Option<T>, Error> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(Error::Violations(errors) | Error::Malformed(errors)) => {
            told.push(Violation::nested(key, errors));
            Ok(None)
        }
        Err(Error::Settled(error)) => {
            told.push(Violation::nested(key, vec![error]));
            Ok(None)
        }
        Err(Error::NotFound) => {
            told.push(Violation::invalid(key, format!("{key} must name a record of the company")));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns the value of a part, if it was sent. Null counts as omitted.
fn sent_part<'p, T>(key: &str, field: &'p Patch<T>, told: &mut Vec<Violation>) -> Option<&'p T> {
    let mut checks = Checks::new();
    field.optional(key, &mut checks, |_, _| Ok(()));
    told.extend(checks.finish().err().into_iter().flatten());
    field.value()
}

fn add_all(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    item: &PersonItem,
    told: &mut Vec<Violation>,
) -> Result<(), Error> {
    if let Some(job) = sent_part("job", &item.job, told) {
        let made = compensations::service::jobs::create_job(tx, caller, employee, job);
        let made = result_of_part("job", made, told)?;
        match (made, sent_part("compensation", &item.compensation, told)) {
            (Some(job), Some(pay)) => {
                let changed = pay_for(tx, caller, &job, pay);
                result_of_part("compensation", changed, told)?;
            }
            (Some(_), None) => {
                told.push(Violation::invalid("compensation", "compensation can't be blank with a job"));
            }
            (None, _) => {}
        }
    } else if sent_part("compensation", &item.compensation, told).is_some() {
        told.push(Violation::invalid("job", "job can't be blank with a compensation"));
    }
    let home = sent_part("home_address", &item.home_address, told);
    if let Some(home) = home {
        let made = add_home(tx, caller, employee, home);
        result_of_part("home_address", made, told)?;
    }
    if let Some(work) = sent_part("work_address", &item.work_address, told) {
        if home.is_some_and(|home| home.work_from_home.value() == Some(&true)) {
            let why =
                "work_address must be omitted with work_from_home, which creates one at the home address";
            told.push(Violation::invalid("work_address", why));
            return Ok(());
        }
        let work =
            CreateWorkAddress { location_uuid: work.location_uuid.clone(), ..CreateWorkAddress::default() };
        let made = addresses::service::create_work(tx, caller, employee, &work);
        result_of_part("work_address", made, told)?;
    }
    if let Some(department) = sent_part("department", &item.department, told) {
        let joined = join_department(tx, caller, employee, department);
        result_of_part("department", joined, told)?;
    }
    if sent_part("bank_accounts", &item.bank_accounts, told).is_some() {
        let made = add_accounts(tx, caller, employee, &item.bank_accounts);
        result_of_part("bank_accounts", made, told)?;
    }
    Ok(())
}

impl NewPerson {
    fn create_employee_command(&self) -> CreateEmployee {
        CreateEmployee {
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            middle_initial: self.middle_initial.clone(),
            preferred_first_name: self.preferred_first_name.clone(),
            email: self.email.clone(),
            work_email: self.work_email.clone(),
            ssn: match &self.ssn {
                Patch::Value(ssn) => Patch::Value(ssn.replace('-', "")),
                other => other.clone(),
            },
            date_of_birth: self.date_of_birth.clone(),
            self_onboarding: self.self_onboarding.clone(),
            ..CreateEmployee::default()
        }
    }
}

/// Sets the pay of a new job, which already has a compensation from its first day of work.
fn pay_for(
    tx: &mut Tx<'_>,
    caller: &Caller,
    job: &compensations::service::jobs::JobDetails,
    pay: &Pay,
) -> Result<(), Error> {
    let first = job.pay.of_job(job.job.id).first();
    let first = first.ok_or_else(|| Error::internal("a new job has no compensation"))?;
    let table = compensations::service::COMPENSATIONS;
    let change = UpdateCompensation {
        version: Patch::Value(version_text(table, first.id, first.version)),
        rate: pay.rate.clone(),
        payment_unit: pay.payment_unit.clone(),
        flsa_status: pay.flsa_status.clone(),
        ..UpdateCompensation::default()
    };
    let mut checks = Checks::new();
    pay.rate.required("rate", &mut checks, as_is);
    pay.payment_unit.required("payment_unit", &mut checks, |_, _| Ok(()));
    pay.flsa_status.required("flsa_status", &mut checks, |_, _| Ok(()));
    checks.finish()?;
    compensations::service::compensations::update_compensation(tx, caller, first.id, &change).map(drop)
}

/// Adds a home address and, with `work_from_home`, a work address there.
fn add_home(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, home: &Home) -> Result<(), Error> {
    let mut checks = Checks::new();
    let country = |key: &str, name: &String| check::one_of(key, name, &["USA"]).map(drop);
    home.country.optional("country", &mut checks, country);
    let works_there = home.work_from_home.optional("work_from_home", &mut checks, as_is) == Some(true);
    let held = if works_there { locations::rows::of_company(tx, caller.company)? } else { Vec::new() };
    checks.require(!works_there || !held.is_empty(), || {
        let why = "work_from_home must be false while the company has no location: create that of its filing address first";
        Violation::invalid("work_from_home", why)
    });
    checks.finish()?;
    let lives =
        addresses::service::create_home(tx, caller, employee, &home.residence.create_command())?.address;
    if works_there {
        let there = held.iter().find(|one| one.active && is_at(one, &lives)).map(|one| one.id);
        let location = match there {
            Some(location) => location,
            None => make_location(tx, caller, home, &held)?,
        };
        let location_uuid = Patch::Value(location.to_string());
        let work = CreateWorkAddress { location_uuid, ..CreateWorkAddress::default() };
        addresses::service::create_work(tx, caller, employee, &work)?;
    }
    Ok(())
}

/// Whether a location is at the home address.
fn is_at(location: &Location, home: &HomeAddress) -> bool {
    location.street_1.eq_ignore_ascii_case(&home.street_1)
        && location.street_2 == home.street_2
        && location.city.eq_ignore_ascii_case(&home.city)
        && (&location.state, &location.zip) == (&home.state, &home.zip)
}

/// Creates a location at a home address, with the phone number of the company's filing address (its first location if it has none).
fn make_location(tx: &mut Tx<'_>, caller: &Caller, home: &Home, held: &[Location]) -> Result<Uuid, Error> {
    let of_filing = held.iter().find(|one| one.filing_address).or(held.first());
    let Residence { street_1, street_2, city, state, zip } = home.residence.clone();
    let new = CreateLocation {
        phone_number: of_filing.map_or(Patch::Absent, |one| Patch::Value(one.phone_number.clone())),
        street_1,
        street_2,
        city,
        state,
        zip,
        ..CreateLocation::default()
    };
    Ok(locations::service::create_location(tx, caller, &new)?.id)
}

fn join_department(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, to: &Membership) -> Result<(), Error> {
    let mut checks = Checks::new();
    let id = to.department_uuid.required("department_uuid", &mut checks, |_, id| Ok(id_of(id)));
    checks.finish()?;
    let held = departments::get_department(tx, caller, id.unwrap_or_default())?.department;
    let change = departments::ChangeMembers {
        version: Patch::Value(version_text(Department::TABLE, held.id, held.version)),
        employees: Patch::Value(vec![named::NamedEmployee { uuid: Patch::Value(employee.to_string()) }]),
        contractors: Patch::Absent,
    };
    departments::change_members(tx, caller, held.id, &change, true).map(drop)
}

/// Adds the accounts and splits pay among them.
fn add_accounts(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    accounts: &Patch<Vec<Account>>,
) -> Result<(), Error> {
    let mut checks = Checks::new();
    let accounts = patch::check_items("bank_accounts", accounts, MOST_ACCOUNTS, &mut checks);
    let by = accounts.first().map_or(&Patch::Absent, |first| &first.split_by);
    for account in accounts {
        let kind = |key: &str, name: &String| check::one_of(key, name, &[DIRECT_DEPOSIT]).map(drop);
        account.kind.required("type", &mut checks, kind);
        account.split_by.required("split_by", &mut checks, |key, _| {
            let why = || Violation::invalid(key, format!("{key} must be the same for every account"));
            if account.split_by == *by { Ok(()) } else { Err(why()) }
        });
    }
    checks.finish()?;
    let mut splits = Vec::with_capacity(accounts.len());
    for (number, account) in (1..).zip(accounts) {
        let name = match &account.name {
            Patch::Absent | Patch::Null => Patch::Value(format!("Account {number}")),
            name => name.clone(),
        };
        let input = BankAccountInput {
            name,
            routing_number: account.routing_number.clone(),
            account_number: account.account_number.clone(),
            account_type: account.account_type.clone(),
        };
        let made = payment_methods::create_account(tx, caller, employee, &input)?;
        splits.push(SplitInput {
            uuid: Patch::Value(made.account.id.to_string()),
            priority: Patch::Value(number),
            split_amount: account.split_amount.clone(),
        });
    }
    if splits.is_empty() {
        return Ok(());
    }
    let method = payment_methods::get_method(tx, caller, employee)?;
    let change = UpdatePaymentMethod {
        version: Patch::Value(version_text(payment_methods::METHOD, employee, method.method.version)),
        kind: Patch::Value(DIRECT_DEPOSIT.to_owned()),
        split_by: by.clone(),
        splits: Patch::Value(splits),
    };
    payment_methods::update_method(tx, caller, employee, &change).map(drop)
}
