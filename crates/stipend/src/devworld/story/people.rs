//! The employees of Juniper Table, and its benefits.

use domain::Error;
use domain::access::tokens::Caller;
use domain::benefits::service::{company as company_benefits, employee as employee_benefits};
use interface::benefits::wire::{CreateCompanyBenefit, CreateEmployeeBenefit};
use interface::demo::Benefit;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::devworld::staff::{Person, onboarded_person};
use crate::devworld::world::parse_input;

/// The owner, who is also the signatory.
pub(super) const OWNER: (&str, &str) = ("Ruth", "Calloway");

pub(super) const PLACES: [(&str, &str, &str, &str, &str); 4] = [
    ("425 Juniper Street", "San Francisco", "CA", "94104", "4155550171"),
    ("1630 Blake Court", "Denver", "CO", "80202", "3035550176"),
    ("77 Alder Walk", "Portland", "OR", "97205", "5035550168"),
    ("2014 Cedar Slope", "Seattle", "WA", "98101", "2065550159"),
];

/// Indexes in [`STAFF`] of those to whom something happens.
pub(super) const OWNS: usize = 0;
pub(super) const OWES_SUPPORT: usize = 2;
pub(super) const SAVES: usize = 1;

pub(super) static STAFF: [Person; 5] = [
    Person {
        shareholder: true,
        ..onboarded_person(OWNER, ("1975-04-09", "412551024"), 0, "Owner", ("5200.00", "Paycheck", "Owner"))
    },
    onboarded_person(
        ("Elena", "Marchetti"),
        ("1986-08-21", "412551025"),
        0,
        "General Manager",
        ("94000.00", "Year", "Exempt"),
    ),
    onboarded_person(
        ("Marcus", "Boyd"),
        ("1990-02-14", "412551026"),
        3,
        "Sous Chef",
        ("31.50", "Hour", "Nonexempt"),
    ),
    Person {
        by_check: true,
        ..onboarded_person(
            ("Hannah", "Lindgren"),
            ("1999-12-03", "412551027"),
            2,
            "Server",
            ("17.50", "Hour", "Nonexempt"),
        )
    },
    onboarded_person(
        ("Luis", "Ortega"),
        ("1994-06-27", "412551028"),
        1,
        "Bartender",
        ("21.25", "Hour", "Nonexempt"),
    ),
];

/// Is invited at the end, and has begun self-onboarding.
pub(super) static NEWCOMER: Person = Person {
    onboarded: false,
    ..onboarded_person(("Noah", "Becker"), ("2003-10-30", ""), 3, "Line Cook", ("24.00", "Hour", "Nonexempt"))
};

/// The company's benefits: a retirement plan for three, and health insurance for all but the owner.
pub(super) fn add_benefits(tx: &mut Tx<'_>, caller: &Caller, staff: &[Uuid]) -> Result<Vec<Benefit>, Error> {
    let retirement = json!({ "employee_deduction": "4.00", "deduct_as_percentage": true,
                             "contribution": { "type": "percentage", "value": "3.00" } });
    let medical =
        json!({ "employee_deduction": "72.00", "contribution": { "type": "amount", "value": "210.00" } });
    let mut offered = Vec::new();
    for (benefit_type, description, terms, members) in
        [(5, "401(k)", retirement, &staff[SAVES..4]), (1, "Medical Insurance", medical, &staff[1..])]
    {
        let body = json!({ "benefit_type": benefit_type, "description": description });
        let uuid = company_benefits::create_company_benefit(
            tx,
            caller,
            &parse_input::<CreateCompanyBenefit>(&body)?.into(),
        )?
        .benefit
        .id;
        for member in members {
            let mut body = terms.clone();
            body["company_benefit_uuid"] = uuid.to_string().into();
            body["effective_date"] = caller.today(tx).to_string().into();
            employee_benefits::create_employee_benefit(
                tx,
                caller,
                *member,
                &parse_input::<CreateEmployeeBenefit>(&body)?.into(),
            )?;
        }
        offered.push(Benefit { uuid, description: description.to_owned() });
    }
    Ok(offered)
}
