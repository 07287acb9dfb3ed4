//! The employees of the demo world, hired through the same use cases as any employee.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::bank::ROUTING;
use super::world::parse_input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::locations::service as locations;
use domain::pay::compensations::service::{COMPENSATIONS, compensations, jobs};
use domain::pay::minimum_wages::{Authority, service as minimum_wages};
use domain::people::addresses::service as addresses;
use domain::people::forms::service as forms;
use domain::people::onboarding::service as onboarding;
use domain::people::payment_methods::service as payment_methods;
use domain::people::profiles::service as profiles;
use domain::records::version_text;
use domain::withholding::taxes::rows::FEDERAL_TABLE;
use domain::withholding::taxes::service::federal;
use interface::demo::Employee;
use interface::pay::compensations::wire::{CreateJob, UpdateCompensation};
use interface::people::addresses::wire::{CreateHomeAddress, CreateWorkAddress};
use interface::people::employees::wire::CreateEmployee;
use interface::people::forms::wire::SignForm;
use interface::people::onboarding::wire::UpdateOnboardingStatus;
use interface::people::payment_methods::wire::BankAccountInput;
use interface::withholding::taxes::wire::UpdateFederalTaxes;

/// Days before the present on which the company's people were hired.
pub(super) const HIRED_DAYS_AGO: i64 = 200;
/// An employee of the demo world: name, date of birth, SSN, place, job, pay.
pub(super) struct Person {
    pub(super) first_name: &'static str,
    pub(super) last_name: &'static str,
    pub(super) birth: &'static str,
    pub(super) ssn: &'static str,
    pub(super) location: usize,
    pub(super) title: &'static str,
    pub(super) pay: (&'static str, &'static str, &'static str),
    pub(super) second_job: Option<(&'static str, &'static str)>,
    pub(super) shareholder: bool,
    pub(super) tipped: bool,
    /// whether forms wait for the employee's signature, because they were signed on paper
    pub(super) has_to_sign: bool,
    /// whether paid by check; all others have a bank account
    pub(super) by_check: bool,
    pub(super) onboarded: bool,
}

pub(super) const fn onboarded_person(
    (first_name, last_name): (&'static str, &'static str),
    (birth, ssn): (&'static str, &'static str),
    location: usize,
    title: &'static str,
    pay: (&'static str, &'static str, &'static str),
) -> Person {
    Person {
        first_name,
        last_name,
        birth,
        ssn,
        location,
        title,
        pay,
        second_job: None,
        shareholder: false,
        tipped: false,
        has_to_sign: false,
        by_check: false,
        onboarded: true,
    }
}

/// The employees of the company that can run payroll.
pub(super) static PEOPLE: [Person; 7] = [
    onboarded_person(
        ("Maria", "Alvarez"),
        ("1984-03-12", "412551001"),
        0,
        "General Manager",
        ("72000.00", "Year", "Exempt"),
    ),
    onboarded_person(
        ("James", "Okafor"),
        ("1991-07-30", "412551002"),
        1,
        "Line Cook",
        ("24.50", "Hour", "Nonexempt"),
    ),
    Person {
        tipped: true,
        by_check: true,
        ..onboarded_person(
            ("Daniel", "Reyes"),
            ("1998-11-05", "412551003"),
            0,
            "Server",
            ("2.13", "Hour", "Nonexempt"),
        )
    },
    Person {
        shareholder: true,
        ..onboarded_person(
            ("Susan", "Whitfield"),
            ("1971-01-22", "412551004"),
            0,
            "President",
            ("4000.00", "Paycheck", "Owner"),
        )
    },
    Person {
        second_job: Some(("Shift Lead", "23.00")),
        has_to_sign: true,
        ..onboarded_person(
            ("Grace", "Kim"),
            ("1996-05-17", "412551005"),
            2,
            "Barista",
            ("19.50", "Hour", "Nonexempt"),
        )
    },
    onboarded_person(
        ("Thomas", "Berg"),
        ("1988-09-09", "412551006"),
        3,
        "Bookkeeper",
        ("52000.00", "Year", "Salaried Nonexempt"),
    ),
    Person {
        onboarded: false,
        ..onboarded_person(("Ava", "Nguyen"), ("2001-02-28", ""), 3, "Host", ("17.00", "Hour", "Nonexempt"))
    },
];

/// The employee of the company that is not connected yet.
pub(super) static BOOKSELLER: Person = onboarded_person(
    ("Nora", "Castellano"),
    ("1993-04-18", "412551008"),
    0,
    "Bookseller",
    ("18.75", "Hour", "Nonexempt"),
);

/// Hires an employee, and completes the onboarding if the employee is to be onboarded.
pub(super) fn hire_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    person: &Person,
    location: Uuid,
) -> Result<Employee, Error> {
    let email = format!("{}.{}@people.example", person.first_name, person.last_name).to_lowercase();
    let today: Date = caller.today(tx);
    let hired = if person.onboarded {
        today.saturating_sub(HIRED_DAYS_AGO.days())
    } else {
        today.saturating_add(14.days())
    };
    let mut body = json!({
        "first_name": person.first_name, "last_name": person.last_name, "email": email,
        "self_onboarding": !person.onboarded,
    });
    if person.onboarded {
        body["date_of_birth"] = person.birth.into();
        body["ssn"] = person.ssn.into();
    }
    let id =
        profiles::create_employee(tx, caller, &parse_input::<CreateEmployee>(&body)?.into())?.employee.id;
    let work = json!({ "location_uuid": location, "effective_date": hired.to_string() });
    addresses::create_work(tx, caller, id, &parse_input::<CreateWorkAddress>(&work)?.into())?;
    let job = json!({ "title": person.title, "hire_date": hired.to_string(), "two_percent_shareholder": person.shareholder });
    let job = jobs::create_job(tx, caller, id, &parse_input::<CreateJob>(&job)?.into())?;
    let (rate, unit, flsa) = person.pay;
    let (stub, version) = stub_of(&job)?;
    let mut pay = json!({ "version": version, "rate": rate, "payment_unit": unit, "flsa_status": flsa });
    if person.tipped {
        let minimum = minimum_wages::of_location(tx, caller, location, None)?.wages;
        let state = minimum
            .iter()
            .find(|wage| wage.authority == Authority::State)
            .ok_or_else(|| Error::internal("the state has no minimum wage"))?;
        pay["adjust_for_minimum_wage"] = true.into();
        pay["minimum_wages"] = json!([{ "uuid": state.rule }]);
    }
    let pay = compensations::update_compensation(
        tx,
        caller,
        stub,
        &parse_input::<UpdateCompensation>(&pay)?.into(),
    )?;
    if let Some((title, rate)) = person.second_job {
        let second = json!({ "title": title, "hire_date": hired.to_string() });
        let second = jobs::create_job(tx, caller, id, &parse_input::<CreateJob>(&second)?.into())?;
        let (stub, version) = stub_of(&second)?;
        let pay =
            json!({ "version": version, "rate": rate, "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        compensations::update_compensation(
            tx,
            caller,
            stub,
            &parse_input::<UpdateCompensation>(&pay)?.into(),
        )?;
    }
    let status = if person.onboarded {
        onboard_employee(tx, caller, id, person, location)?
    } else {
        "self_onboarding_pending_invite".to_owned()
    };
    Ok(Employee {
        uuid: id,
        name: format!("{} {}", person.first_name, person.last_name),
        job_uuid: job.job.id,
        compensation_uuid: pay.compensation.id,
        onboarding_status: status,
    })
}

/// The empty compensation of a new job, and its version.
fn stub_of(new: &jobs::JobDetails) -> Result<(Uuid, String), Error> {
    let stub =
        new.pay.of_job(new.job.id).first().ok_or_else(|| Error::internal("a new job has no compensation"))?;
    Ok((stub.id, version_text(COMPENSATIONS, stub.id, stub.version)))
}

/// Completes the onboarding of an employee: address, Form W-4, bank account and signatures. Questions of states and the report of the new
/// hire were settled before this world began.
fn onboard_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    person: &Person,
    location: Uuid,
) -> Result<String, Error> {
    let place = locations::find_location(tx, caller, location)?;
    let home =
        json!({ "street_1": "19 Willow Court", "city": place.city, "state": place.state, "zip": place.zip });
    addresses::create_home(tx, caller, id, &parse_input::<CreateHomeAddress>(&home)?.into())?;
    let answers = json!({ "version": version_text(FEDERAL_TABLE, id, 0), "w4_data_type": "rev_2020_w4",
                          "filing_status": "Single" });
    federal::update_federal_taxes(tx, caller, id, &parse_input::<UpdateFederalTaxes>(&answers)?.into())?;
    if !person.by_check {
        let account = json!({ "name": "Checking account", "routing_number": ROUTING, "account_type": "Checking",
                              "account_number": format!("70{}", person.birth.replace('-', "")) });
        payment_methods::create_account(tx, caller, id, &parse_input::<BankAccountInput>(&account)?.into())?;
    }
    let name = format!("{} {}", person.first_name, person.last_name);
    let signature = json!({ "signature_text": name, "agree": true, "signed_by_ip_address": "203.0.113.7" });
    for form in forms::list_forms(tx, caller, id)? {
        if form.requires_signing && !person.has_to_sign {
            forms::sign_form(tx, caller, id, form.id, &parse_input::<SignForm>(&signature)?.into())?;
        }
    }
    let marks = ["state_tax_setup", "direct_deposit_setup", "employee_form_signing", "file_new_hire_report"];
    let marks = marks.map(|id| json!({ "id": id, "completed": true }));
    let done = json!({ "onboarding_steps": marks, "onboarding_status": "onboarding_completed" });
    let done = parse_input::<UpdateOnboardingStatus>(&done)?.into();
    Ok(onboarding::update_onboarding_status(tx, caller, id, &done)?.status.as_str().to_owned())
}
