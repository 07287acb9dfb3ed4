//! Consent of employees to electronic Forms W-2 (26 CFR 31.6051-1(j)): given on the page on which they are shown, withdrawn there, and paper on
//! request. Without consent a form is furnished on paper.

use jiff::Timestamp;
use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;

use super::content::TaxFormKind;
use super::{rows, service};
use crate::access::tokens::Caller;
use crate::company::{companies, signatories};
use crate::error::Error;
use crate::people::employment::rows as employment;
use crate::platform::audit;
use crate::records::IdRange;

/// Employees that are read at a time.
const AT_ONCE: i64 = 500;

store::record! {
    /// What an employee has said about electronic statements.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Consent in "statement_consents" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
        }
        fields {
            /// when consent was given, the last time
            pub given_at: Option<Timestamp>,
            /// when it was withdrawn since
            pub withdrawn_at: Option<Timestamp>,
            /// when a paper copy was asked for, the last time
            pub paper_at: Option<Timestamp>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Consent;
    BETWEEN = store::text!(Consent::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id");
    FORGET = "DELETE FROM statement_consents WHERE company_id = $1 AND employee_id = $2";
}

/// What an employee says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// consent
    Given,
    /// no more of it
    Withdrawn,
    /// a paper copy, whatever else holds
    Paper,
}

impl Consent {
    /// Whether statements are furnished electronically, and not on paper.
    pub fn is_given(&self) -> bool {
        self.given_at.is_some() && self.withdrawn_at.is_none()
    }
}

/// To whom employees can write about their statements (26 CFR 31.6051-1(j)(3)(v)(A)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// first and last name of the signatory
    pub name: String,
    /// name of the company
    pub company: String,
    /// its filing address, in one line
    pub address: String,
    /// ten digits
    pub phone: String,
    /// e-mail address
    pub email: String,
}

/// Returns to whom the employees of a company can write: its signatory. `None` as long as a part of that is missing; without it nobody can
/// consent.
pub fn company_contact(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Contact>, Error> {
    let employer = service::form_employer(tx, company)?;
    let Some((address, signatory)) = employer.address.zip(signatories::of_company(tx, company)?) else {
        return Ok(None);
    };
    let street =
        [Some(address.street_1), address.street_2].into_iter().flatten().collect::<Vec<_>>().join(", ");
    Ok(signatory.phone.map(|phone| Contact {
        name: format!("{} {}", signatory.first_name, signatory.last_name),
        company: employer.name,
        address: format!("{street}, {}, {} {}", address.city, address.state, address.zip),
        phone,
        email: signatory.email,
    }))
}

/// Returns what an employee has said.
pub fn consent_of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<Consent>, Error> {
    Ok(Consent::find(tx, company, employee)?)
}

/// Records what an employee says. Consent that is given again, and a withdrawal without consent, change nothing.
pub fn record_consent(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, said: Said) -> Result<(), Error> {
    let (company, now) = (caller.company, tx.now());
    tx.take_guard(company, "employee", employee)?;
    let held = Consent::find(tx, company, employee)?;
    let new = Consent { employee, given_at: None, withdrawn_at: None, paper_at: None, version: 1 };
    let before = held.clone().unwrap_or(new);
    let mut after = before.clone();
    match said {
        Said::Given if before.is_given() => {}
        Said::Given => (after.given_at, after.withdrawn_at) = (Some(now), None),
        Said::Withdrawn if !before.is_given() => {}
        Said::Withdrawn => after.withdrawn_at = Some(now),
        Said::Paper => after.paper_at = Some(now),
    }
    if after == before {
        return Ok(());
    }
    match held {
        Some(_) => assert!(after.update(tx, company)?, "the row was read under the employee's guard"),
        None => after.insert(tx, company)?,
    }
    let action = match said {
        Said::Given => "given",
        Said::Withdrawn => "withdrawn",
        Said::Paper => "paper_requested",
    };
    audit::record_audit_entry(tx, caller, action, (Consent::TABLE, employee), &json!({}))
}

/// Returns the employees whose Form W-2 of a closed year is furnished on paper: without consent, who asked for paper since it was made, or
/// who have left and cannot open the page any more.
pub fn on_paper(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<Uuid>, Error> {
    let (mut paper, mut after) = (Vec::new(), Uuid::nil());
    let today = Caller::for_service(company, companies::time_zone(tx, company)?).today(tx);
    loop {
        let some = rows::statements_after(tx, company, (TaxFormKind::W2, year), after, AT_ONCE)?;
        let (Some(first), Some(last)) = (some.first(), some.last()) else { return Ok(paper) };
        let (Some(first), Some(last)) = (first.employee, last.employee) else { return Ok(paper) };
        let consents = tx.try_query(BETWEEN, params![company, first, last], Consent::read)?;
        let employments = employment::employments_of_employees(tx, company, IdRange { first, last })?;
        for form in some.iter().filter(|form| form.is_closed()) {
            let Some(employee) = form.employee else { continue };
            let consent = consents.iter().find(|one| one.employee == employee);
            let electronic = consent.is_some_and(Consent::is_given);
            let asked = consent.and_then(|one| one.paper_at).is_some_and(|at| at >= form.created_at);
            let has_left = employments.get(&employee).is_some_and(|one| one.is_terminated(today));
            if !electronic || asked || has_left {
                paper.push(employee);
            }
        }
        after = last;
    }
}

/// Deletes what an employee has said who is being deleted.
pub fn delete_consents(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let _as_many_as_there_were = tx.change_rows(FORGET, params![caller.company, employee])?.rows();
    Ok(())
}
