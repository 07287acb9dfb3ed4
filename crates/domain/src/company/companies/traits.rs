//! What a company has or uses beside payroll that bears on a move to a partner's product: its tier, a kind of business,
//! benefits that the service manages for it, time off policies, integrations.
//!
//! These facts come with a company that ran its payroll elsewhere. The operator notes them (`stipend company note`); of
//! the interface only an operation for developers writes them.

use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::records::room_for;

store::statements! {
    OF_COMPANY = "SELECT trait, name FROM company_traits WHERE company_id = $1 ORDER BY id";
    INSERT = "INSERT INTO company_traits (company_id, id, trait, name, created_at) VALUES ($1, $2, $3, $4, $5)";
    FORGET = "DELETE FROM company_traits WHERE company_id = $1 AND trait = $2 AND name = $3";
}

/// Table of the facts, in audit entries and as the guard of a company's facts.
const TABLE: &str = "company_traits";

/// Facts of one company at the most.
const MOST: usize = 100;

/// Kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// which edition of the service it pays for
    Tier,
    /// a benefit that the service manages for it
    ManagedBenefit,
    /// a time off policy that accrues in the service
    TimeOffPolicy,
    /// a program that is connected to it
    Integration,
    /// its business is related to marijuana
    MarijuanaBusiness,
    /// its business is of a kind that few banks serve
    HighRiskBusiness,
}

impl Trait {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Tier,
        Self::ManagedBenefit,
        Self::TimeOffPolicy,
        Self::Integration,
        Self::MarijuanaBusiness,
        Self::HighRiskBusiness,
    ];

    /// The text in the store and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tier => "tier",
            Self::ManagedBenefit => "managed_benefit",
            Self::TimeOffPolicy => "time_off_policy",
            Self::Integration => "integration",
            Self::MarijuanaBusiness => "marijuana_business",
            Self::HighRiskBusiness => "high_risk_business",
        }
    }

    /// The kind of that exact text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The facts of a company.
#[derive(Debug, Default)]
pub struct Traits(Vec<(Trait, String)>);

impl Traits {
    /// Whether there is a fact of this kind.
    pub fn has(&self, kind: Trait) -> bool {
        self.0.iter().any(|(other, _)| *other == kind)
    }

    /// The names of the facts of a kind.
    pub fn names(&self, kind: Trait) -> Vec<String> {
        self.0.iter().filter(|(other, _)| *other == kind).map(|(_, name)| name.clone()).collect()
    }

    /// The tier, as it was noted last.
    pub fn tier(&self) -> Option<String> {
        self.names(Trait::Tier).pop()
    }
}

/// The company's facts, in the order in which they were noted.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Traits, Error> {
    let found = tx.query(OF_COMPANY, params![company], |row| {
        let name = row.get::<&str>(0);
        let kind = Trait::parse(name).unwrap_or_else(|| panic!("{name} is no trait"));
        (kind, row.get::<String>(1))
    })?;
    Ok(Traits(found))
}

/// Notes a fact; a kind of business is an event, too. What is noted already is left as it is.
///
/// # Errors
/// 422 when there are too many; a store error.
pub fn note(tx: &mut Tx<'_>, caller: &Caller, kind: Trait, name: &str) -> Result<(), Error> {
    let company = caller.company;
    tx.guard(company, TABLE, company)?;
    let noted = of_company(tx, company)?.0;
    if noted.iter().any(|(other, known)| *other == kind && known == name) {
        return Ok(());
    }
    room_for("facts about the company", noted.len(), MOST)?;
    let (id, now) = (tx.new_id(), tx.now());
    tx.insert(INSERT, params![company, id, kind.as_str(), name, now])?;
    audit::record(tx, caller, "noted", (TABLE, id), &json!({ kind.as_str(): [null, name] }))?;
    match kind {
        Trait::MarijuanaBusiness => events::emit(tx, company, events::COMPANY_MARKED_AS_MARIJUANA, company),
        Trait::HighRiskBusiness => events::emit(tx, company, events::COMPANY_MARKED_AS_HIGH_RISK, company),
        _ => Ok(()),
    }
}

/// Takes a fact back.
///
/// # Errors
/// "Not found" for one that was not noted; a store error.
pub fn forget(tx: &mut Tx<'_>, caller: &Caller, kind: Trait, name: &str) -> Result<(), Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    if tx.change(FORGET, params![caller.company, kind.as_str(), name])?.rows() == 0 {
        return Err(Error::NotFound);
    }
    let changes = json!({ kind.as_str(): [name, null] });
    audit::record(tx, caller, "forgotten", (TABLE, caller.company), &changes)
}
