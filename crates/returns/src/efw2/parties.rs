//! Who submits the file, and the employers in it.

use std::fmt;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::w2::Address;

/// Who sends the file (record RA).
#[derive(Clone, PartialEq, Eq)]
pub struct Submitter {
    /// nine digits
    pub ein: String,
    /// eight characters, assigned by the Social Security Administration to the person who uploads the file
    pub user_id: String,
    /// which software wrote the file
    pub software: Software,
    /// the number on the notice about a file that was turned back, if this one replaces it
    pub resubmission: Option<String>,
    /// the company
    pub company: Party,
    /// who gets notices of a file that can't be processed
    pub submitter: Party,
    /// whom to ask
    pub contact: Contact,
    /// who prepared the file
    pub preparer: Preparer,
}

/// Shows nothing of what identifies people and companies.
macro_rules! hidden {
    ($($type:ident { $($shown:ident),* })+) => {$(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type))$(.field(stringify!($shown), &self.$shown))*.finish_non_exhaustive()
            }
        }
    )+};
}

hidden! {
    Submitter { software, preparer }
    Party {}
    Contact {}
    Employer { agent, kind, employment }
    Agent { kind }
}

/// Which software wrote a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Software {
    /// written in house
    InHouse,
    /// bought, with the four digits that the National Association of Computerized Tax Processors assigned
    Bought(String),
}

impl Software {
    /// Returns its code and its vendor's, as the record of the submitter has them.
    pub(super) fn codes(&self) -> (&'static str, &str) {
        match self {
            Self::InHouse => ("98", ""),
            Self::Bought(vendor) => ("99", vendor),
        }
    }
}

/// A name and an address.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// name
    pub name: String,
    /// address
    pub address: Address,
}

/// Whom to ask.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Contact {
    /// name
    pub name: String,
    /// digits
    pub phone: String,
    /// extension; empty without one
    pub extension: String,
    /// e-mail address
    pub email: String,
    /// fax number, digits; empty without one
    pub fax: String,
}

/// Who prepared a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Preparer {
    /// accounting firm
    #[strum(serialize = "A")]
    Accountant,
    /// the employer itself
    #[strum(serialize = "L")]
    Itself,
    /// service bureau
    #[strum(serialize = "S")]
    ServiceBureau,
    /// parent company
    #[strum(serialize = "P")]
    Parent,
    /// other
    #[strum(serialize = "O")]
    Other,
}

/// An employer (record RE).
#[derive(Clone, PartialEq, Eq)]
pub struct Employer {
    /// nine digits: under which the Forms 941 were filed
    pub ein: String,
    /// if an agent files for the employer: then `ein` is the agent's
    pub agent: Option<Agent>,
    /// whether the business ended in the year
    pub is_terminating: bool,
    /// another EIN used on Forms 94x in the year; empty without one
    pub other_ein: String,
    /// name and address
    pub party: Party,
    /// kind of employer
    pub kind: KindOfEmployer,
    /// the return on which its taxes are reported
    pub employment: Employment,
    /// whom to ask; the submitter's contact if there is none
    pub contact: Option<Contact>,
    /// tax withheld by a payer of third-party sick pay, in cents (box 14 of Form W-3)
    pub sick_pay_tax: i64,
}

/// An agent who files under its own EIN.
#[derive(Clone, PartialEq, Eq)]
pub struct Agent {
    /// kind of agent
    pub kind: AgentKind,
    /// EIN of the employer for whom it files
    pub for_ein: String,
}

/// Kind of agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum AgentKind {
    /// approved with Form 2678
    #[strum(serialize = "1")]
    Form2678,
    /// common paymaster
    #[strum(serialize = "2")]
    CommonPaymaster,
    /// agent under section 3504
    #[strum(serialize = "3")]
    Section3504,
}

/// Kind of employer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum KindOfEmployer {
    /// federal government
    #[strum(serialize = "F")]
    Federal,
    /// state or local government, exempt under section 501(c)
    #[strum(serialize = "S")]
    StateExempt,
    /// exempt under section 501(c), no government
    #[strum(serialize = "T")]
    Exempt,
    /// state or local government
    #[strum(serialize = "Y")]
    State,
    /// none of these
    #[strum(serialize = "N")]
    None,
}

/// The return on which the employer's taxes are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Employment {
    /// Form 941
    #[strum(serialize = "R")]
    F941,
    /// Form 944
    #[strum(serialize = "F")]
    F944,
    /// Form 943
    #[strum(serialize = "A")]
    F943,
    /// household employer
    #[strum(serialize = "H")]
    Household,
    /// military
    #[strum(serialize = "M")]
    Military,
    /// government employees with Medicare only
    #[strum(serialize = "Q")]
    MedicareOnly,
    /// railroad
    #[strum(serialize = "X")]
    Railroad,
}
