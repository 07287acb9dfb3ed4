//! Facts about a company that affect its migration to a partner: its tier, the type of its business, managed benefits,
//! time off policies, integrations.
//!
//! The operator records them (`stipend company note`) for companies that ran payroll elsewhere. The API writes them in an
//! operation for developers only.

use rules::Named;
use serde_json::json;
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::records::room_for;

store::record! {
    /// A fact about a company.
    #[derive(Debug, Clone)]
    pub struct Fact in "company_traits" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the type of fact
            pub kind: Trait as text = "trait",
            /// its name, such as that of the connected software
            pub name: String,
        }
        times { created_at }
    }
}

store::statements! {
    records Fact;
    OF_COMPANY = store::text!(Fact::SELECT, " ORDER BY id");
    FORGET = "DELETE FROM company_traits WHERE company_id = $1 AND trait = $2 AND name = $3";
}

/// Table of the record, in audit entries, and the guard of a company's facts.
const TABLE: &str = Fact::TABLE;

/// Maximum facts of one company.
const MOST: usize = 100;

/// Kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Trait {
    /// the edition of the service that it pays for
    #[strum(serialize = "tier")]
    Tier,
    /// a benefit that the service manages for it
    #[strum(serialize = "managed_benefit")]
    ManagedBenefit,
    /// a time off policy that accrues in the service
    #[strum(serialize = "time_off_policy")]
    TimeOffPolicy,
    /// connected software
    #[strum(serialize = "integration")]
    Integration,
    /// its business is related to marijuana
    #[strum(serialize = "marijuana_business")]
    MarijuanaBusiness,
    /// few banks serve its type of business
    #[strum(serialize = "high_risk_business")]
    HighRiskBusiness,
}

/// The facts of a company, in the order in which they were recorded.
#[derive(Debug, Clone, Default)]
pub struct Traits(Vec<Fact>);

impl Traits {
    /// Whether there is a fact of this kind.
    pub fn has(&self, kind: Trait) -> bool {
        self.0.iter().any(|fact| fact.kind == kind)
    }

    /// The names of the facts of a kind.
    pub fn names(&self, kind: Trait) -> Vec<String> {
        self.0.iter().filter(|fact| fact.kind == kind).map(|fact| fact.name.clone()).collect()
    }

    /// The tier that was recorded last.
    pub fn tier(&self) -> Option<String> {
        self.names(Trait::Tier).pop()
    }
}

/// The company's facts.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Traits, Error> {
    Ok(Traits(tx.try_query(OF_COMPANY, params![company], Fact::read)?))
}

/// Records a fact unless it is known, and emits an event for a kind of business.
///
/// # Errors
/// 422 when there are too many; a store error.
pub fn record_fact(tx: &mut Tx<'_>, caller: &Caller, kind: Trait, name: &str) -> Result<(), Error> {
    let company = caller.company;
    tx.take_guard(company, TABLE, company)?;
    let known = of_company(tx, company)?.0;
    if known.iter().any(|fact| fact.kind == kind && fact.name == name) {
        return Ok(());
    }
    room_for("facts about the company", known.len(), MOST)?;
    let fact = Fact { id: tx.new_id(), kind, name: name.to_owned() };
    fact.insert(tx, company)?;
    audit::record_audit_entry(
        tx,
        caller,
        "noted",
        (TABLE, fact.id),
        &json!({ kind.as_str(): [null, name] }),
    )?;
    match kind {
        Trait::MarijuanaBusiness => {
            events::emit_event(tx, company, events::COMPANY_MARKED_AS_MARIJUANA, company)
        }
        Trait::HighRiskBusiness => {
            events::emit_event(tx, company, events::COMPANY_MARKED_AS_HIGH_RISK, company)
        }
        _ => Ok(()),
    }
}

/// Deletes a fact.
///
/// # Errors
/// "Not found" for one that was not recorded; a store error.
pub fn delete_fact(tx: &mut Tx<'_>, caller: &Caller, kind: Trait, name: &str) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    if tx.change_rows(FORGET, params![caller.company, kind.as_str(), name])?.rows() == 0 {
        return Err(Error::NotFound);
    }
    let changes = json!({ kind.as_str(): [name, null] });
    audit::record_audit_entry(tx, caller, "forgotten", (TABLE, caller.company), &changes)
}
