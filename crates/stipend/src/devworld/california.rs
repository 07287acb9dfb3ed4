//! A company of the demo world in California alone, besides the one in four states: a bakery whose first payroll is
//! ready to be calculated.

use domain::Error;
use interface::demo::{Company, User};
use store::Store;
use uuid::Uuid;

use super::hours::{self, Worked};
use super::staff::{Person, hire_employee, onboarded_person};
use super::world::{self, Founding};
use super::{setup, story};

pub(super) static FOUNDING: Founding = Founding {
    name: "Golden Poppy Bakery LLC",
    entity_type: "LLC",
    embedded: true,
    state: "CA",
    ein: "741852099",
    signatory: ("Camila", "Torres"),
    email: "camila.torres@goldenpoppy.example",
    ssn: "412551030",
};

const PLACE: (&str, &str, &str, &str, &str) =
    ("233 Manzanita Street", "Sacramento", "CA", "95814", "9165550193");

/// Its employees, with the hours of the open payroll.
static STAFF: [(Person, u16); 3] = [
    (
        onboarded_person(
            ("Rosa", "Delgado"),
            ("1982-02-11", "412551031"),
            0,
            "General Manager",
            ("84000.00", "Year", "Exempt"),
        ),
        0,
    ),
    (
        Person {
            by_check: true,
            ..onboarded_person(
                ("Kevin", "Tran"),
                ("1995-08-24", "412551032"),
                0,
                "Baker",
                ("24.00", "Hour", "Nonexempt"),
            )
        },
        76,
    ),
    (
        onboarded_person(
            ("Jasmine", "Flores"),
            ("2000-05-03", "412551033"),
            0,
            "Clerk",
            ("18.75", "Hour", "Nonexempt"),
        ),
        58,
    ),
];

/// The company, and its administrator, who may sign in.
///
/// # Errors
/// A store error; a violation would be a bug in the demo world.
pub(super) async fn build_company(store: &Store, application: Uuid) -> Result<(Company, User), Error> {
    let mut company =
        store.write(move |tx| story::create_connected_company(tx, &FOUNDING, application)).await?;
    let caller = world::caller_in(company.uuid, FOUNDING.state);
    let employer = caller.clone();
    company.locations.push(store.write(move |tx| world::create_location(tx, &employer, PLACE)).await?);
    let work = company.locations[0].uuid;
    for (person, _) in &STAFF {
        let caller = caller.clone();
        company.employees.push(store.write(move |tx| hire_employee(tx, &caller, person, work)).await?);
    }
    let employer = caller.clone();
    let (schedule, payroll) = store.write(move |tx| world::pay_schedule(tx, &employer)).await?;
    (company.pay_schedule_uuid, company.payroll_uuid) = (Some(schedule), payroll);
    let ids: Vec<Uuid> = company.employees.iter().map(|employee| employee.uuid).collect();
    let id = company.uuid;
    let user = store.write(move |tx| {
        let signatory = format!("{} {}", FOUNDING.signatory.0, FOUNDING.signatory.1);
        setup::finish_company_setup(tx, &caller, ("311811", "Retail Bakeries"), "90126600442", &signatory)?;
        let worked: Vec<_> = STAFF
            .iter()
            .zip(&ids)
            .filter(|((_, hours), _)| *hours > 0)
            .map(|((_, hours), employee)| Worked { employee: *employee, hours: *hours, tips: 0 })
            .collect();
        if let Some(payroll) = payroll {
            hours::enter_hours(tx, &caller, payroll, &worked)?;
        }
        story::create_administrator(tx, &FOUNDING, id)
    });
    Ok((company, user.await?))
}
