//! What each form shows, and the document that it becomes.
//!
//! A content is what a signature is for: its fingerprint says whether the data have changed since, and a copy of it,
//! sealed, is kept with the signature. It holds identifying numbers only by their last digits and a keyed mark, so
//! that neither a document nor a kept copy can give one away.
//!
//! Each form is a module; `kind` names them, and `parts` has what they share.

mod direct_deposit;
mod i9;
mod kind;
mod parts;
mod w4;

use serde::{Deserialize, Serialize};

pub use self::direct_deposit::{Deposit, DirectDepositContent};
pub use self::i9::{I9Answers, I9Content};
pub use self::kind::Kind;
use self::parts::ssn;
pub use self::parts::{Address, Employer, Masked, Name};
pub use self::w4::{W4Answers, W4Content};
use super::document::Section;

/// The forms that apply to an employee, with what each of them shows today.
#[derive(Debug, Default)]
pub struct FormData {
    /// once the federal withholding questions are answered
    pub w4: Option<W4Content>,
    /// once pay goes to a bank account
    pub direct_deposit: Option<DirectDepositContent>,
    /// once the employer asks for it
    pub i9: Option<I9Content>,
}

impl FormData {
    /// What a form shows, if it applies.
    pub fn get(&self, kind: Kind) -> Option<Content> {
        match kind {
            Kind::W4 => self.w4.clone().map(Content::W4),
            Kind::DirectDeposit => self.direct_deposit.clone().map(Content::DirectDeposit),
            Kind::I9 => self.i9.clone().map(Content::I9),
        }
    }
}

/// What a form shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form")]
pub enum Content {
    /// see [`W4Content`]
    W4(W4Content),
    /// see [`DirectDepositContent`]
    DirectDeposit(DirectDepositContent),
    /// see [`I9Content`]
    I9(I9Content),
}

/// What is kept with a signature: the content, and around it what the document says besides.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// what was signed
    pub content: Content,
    /// for whom
    pub employer: Employer,
    /// the company's time zone, in which the moment of signing is shown
    pub zone: String,
}

impl Content {
    /// Which form it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::W4(_) => Kind::W4,
            Self::DirectDeposit(_) => Kind::DirectDeposit,
            Self::I9(_) => Kind::I9,
        }
    }

    /// The bytes whose fingerprint stands for this content.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_else(|error| panic!("a content is always JSON: {error}"))
    }

    /// Who it is about.
    pub fn employee(&self) -> Vec<String> {
        let (name, home, number) = match self {
            Self::W4(w4) => (&w4.name, w4.address.as_ref(), Some(w4.ssn.as_ref())),
            Self::DirectDeposit(deposit) => (&deposit.name, None, None),
            Self::I9(i9) => (&i9.name, i9.address.as_ref(), Some(i9.ssn.as_ref())),
        };
        let mut lines = vec![name.whole()];
        lines.extend(home.into_iter().flat_map(Address::lines));
        lines.extend(number.map(|number| format!("SSN {}", ssn(number))));
        lines
    }

    /// What it says.
    pub fn sections(&self) -> Vec<Section> {
        match self {
            Self::W4(w4) => w4.sections(),
            Self::DirectDeposit(deposit) => deposit.sections(),
            Self::I9(i9) => i9.sections(),
        }
    }
}
