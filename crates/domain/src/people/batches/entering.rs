//! Entering one person of a batch with what belongs to it, by the use cases that enter anybody.

use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::{Account, Entered, Home, Item, Membership, Pay, Person};
use crate::access::tokens::Caller;
use crate::error::{Error, violations_json};
use crate::patch::{self, Patch, as_is};
use crate::pay::compensations;
use crate::pay::compensations::commands::UpdateCompensation;
use crate::people::addresses;
use crate::people::addresses::commands::CreateWorkAddress;
use crate::people::departments::rows::Department;
use crate::people::departments::service as departments;
use crate::people::employees::named;
use crate::people::payment_methods::commands::{BankAccountInput, SplitInput, UpdatePaymentMethod};
use crate::people::payment_methods::rows::DIRECT_DEPOSIT;
use crate::people::payment_methods::service as payment_methods;
use crate::people::profiles;
use crate::people::profiles::commands::CreateEmployee;
use crate::records::{id_of, version_text};

/// Maximum bank accounts of a person.
const MOST_ACCOUNTS: usize = 10;

/// Enters a person with what belongs to it.
pub(super) fn enter(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (index, external_id): (usize, String),
    item: &Item,
) -> Result<Entered, Error> {
    let mut told = Vec::new();
    let person = item.person.value().map(Person::employee).unwrap_or_default();
    let made = profiles::service::create(tx, caller, &person);
    let employee = part("person", made, &mut told)?.map(|profile| profile.employee.id);
    if let Some(employee) = employee {
        add_all(tx, caller, employee, item, &mut told)?;
    }
    let errors = violations_json(&told).as_array().cloned().unwrap_or_default();
    Ok(Entered { external_id, index, employee, errors })
}

/// What came of a part: nothing where it is refused, which is told under its name.
fn part<T>(key: &str, made: Result<T, Error>, told: &mut Vec<Violation>) -> Result<Option<T>, Error> {
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

/// The value of a part that was sent; null counts as left out.
fn sent<'p, T>(key: &str, field: &'p Patch<T>, told: &mut Vec<Violation>) -> Option<&'p T> {
    let mut checks = Checks::new();
    field.optional(key, &mut checks, |_, _| Ok(()));
    told.extend(checks.finish().err().into_iter().flatten());
    field.value()
}

fn add_all(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    item: &Item,
    told: &mut Vec<Violation>,
) -> Result<(), Error> {
    if let Some(job) = sent("job", &item.job, told) {
        let made = compensations::service::jobs::create(tx, caller, employee, job);
        let made = part("job", made, told)?;
        match (made, sent("compensation", &item.compensation, told)) {
            (Some(job), Some(pay)) => {
                let changed = pay_for(tx, caller, &job, pay);
                part("compensation", changed, told)?;
            }
            (Some(_), None) => {
                told.push(Violation::invalid("compensation", "compensation can't be blank with a job"));
            }
            (None, _) => {}
        }
    } else if sent("compensation", &item.compensation, told).is_some() {
        told.push(Violation::invalid("job", "job can't be blank with a compensation"));
    }
    if let Some(home) = sent("home_address", &item.home_address, told) {
        let made = add_home(tx, caller, employee, home);
        part("home_address", made, told)?;
    }
    if let Some(work) = sent("work_address", &item.work_address, told) {
        let work =
            CreateWorkAddress { location_uuid: work.location_uuid.clone(), ..CreateWorkAddress::default() };
        let made = addresses::service::create_work(tx, caller, employee, &work);
        part("work_address", made, told)?;
    }
    if let Some(department) = sent("department", &item.department, told) {
        let joined = join(tx, caller, employee, department);
        part("department", joined, told)?;
    }
    if sent("bank_accounts", &item.bank_accounts, told).is_some() {
        let made = add_accounts(tx, caller, employee, &item.bank_accounts);
        part("bank_accounts", made, told)?;
    }
    Ok(())
}

impl Person {
    fn employee(&self) -> CreateEmployee {
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

/// Sets what a new job pays: it has a compensation already, from the first day of work on.
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
    compensations::service::compensations::update(tx, caller, first.id, &change).map(drop)
}

fn add_home(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, home: &Home) -> Result<(), Error> {
    let mut checks = Checks::new();
    let country = |key: &str, name: &String| check::one_of(key, name, &["USA"]).map(drop);
    home.country.optional("country", &mut checks, country);
    home.work_from_home.optional("work_from_home", &mut checks, |key, flag| match flag {
        false => Ok(()),
        true => {
            let why =
                format!("{key} must be false: create a location at the home, and send it as work_address");
            Err(Violation::invalid(key, why))
        }
    });
    checks.finish()?;
    addresses::service::create_home(tx, caller, employee, &home.residence.create()).map(drop)
}

fn join(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, to: &Membership) -> Result<(), Error> {
    let mut checks = Checks::new();
    let id = to.department_uuid.required("department_uuid", &mut checks, |_, id| Ok(id_of(id)));
    checks.finish()?;
    let held = departments::get(tx, caller, id.unwrap_or_default())?.department;
    let change = departments::ChangeMembers {
        version: Patch::Value(version_text(Department::TABLE, held.id, held.version)),
        employees: Patch::Value(vec![named::Person { uuid: Patch::Value(employee.to_string()) }]),
        contractors: Patch::Absent,
    };
    departments::change_members(tx, caller, held.id, &change, true).map(drop)
}

/// Adds the accounts, and divides pay among them.
fn add_accounts(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    accounts: &Patch<Vec<Account>>,
) -> Result<(), Error> {
    let mut checks = Checks::new();
    let accounts = patch::items("bank_accounts", accounts, MOST_ACCOUNTS, &mut checks);
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
