//! The content of each form, and its document.
//!
//! A signature applies to specific content: its fingerprint shows whether the data has changed since, and a sealed copy
//! is stored with the signature. Content includes only the last digits and a keyed digest of identifying numbers, so
//! neither a document nor a stored copy can reveal one.
//!
//! Each form is a module; `kind` lists the forms, and `parts` has the parts they share.

mod direct_deposit;
mod i9;
mod kind;
mod parts;
mod w4;

use serde::{Deserialize, Serialize};

pub use self::direct_deposit::{Deposit, DirectDepositContent};
pub use self::i9::{I9Answers, I9Content};
pub use self::kind::EmployeeFormKind;
use self::parts::format_masked_ssn;
pub use self::parts::{Address, Employer, Masked, Name};
pub use self::w4::{W4Answers, W4Content};
use super::document::Section;

/// The forms that apply to an employee, with their current content.
#[derive(Debug, Default)]
pub struct FormData {
    /// withholding certificate, once the federal withholding questions are answered
    pub w4: Option<W4Content>,
    /// direct deposit authorization, once pay goes to a bank account
    pub direct_deposit: Option<DirectDepositContent>,
    /// Form I-9, once the employer requests it
    pub i9: Option<I9Content>,
}

impl FormData {
    /// Returns the content of a form, if the form applies.
    pub fn get(&self, kind: EmployeeFormKind) -> Option<Content> {
        match kind {
            EmployeeFormKind::W4 => self.w4.clone().map(Content::W4),
            EmployeeFormKind::DirectDeposit => self.direct_deposit.clone().map(Content::DirectDeposit),
            EmployeeFormKind::I9 => self.i9.clone().map(Content::I9),
        }
    }
}

/// The content of a form.
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

/// The copy stored with a signature: the content and the rest of the document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// signed content
    pub content: Content,
    /// the employer
    pub employer: Employer,
    /// the company's time zone, used to show the time of signing
    pub zone: String,
}

impl Content {
    /// Returns the form that the content belongs to.
    pub fn kind(&self) -> EmployeeFormKind {
        match self {
            Self::W4(_) => EmployeeFormKind::W4,
            Self::DirectDeposit(_) => EmployeeFormKind::DirectDeposit,
            Self::I9(_) => EmployeeFormKind::I9,
        }
    }

    /// Returns the bytes that the content's fingerprint is calculated from.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_else(|error| panic!("a content is always JSON: {error}"))
    }

    /// Returns the lines that identify the employee.
    pub fn employee_lines(&self) -> Vec<String> {
        let (name, home, number) = match self {
            Self::W4(w4) => (&w4.name, w4.address.as_ref(), Some(w4.ssn.as_ref())),
            Self::DirectDeposit(deposit) => (&deposit.name, None, None),
            Self::I9(i9) => (&i9.name, i9.address.as_ref(), Some(i9.ssn.as_ref())),
        };
        let mut lines = vec![name.full_name()];
        lines.extend(home.into_iter().flat_map(Address::address_lines));
        lines.extend(number.map(|number| format!("SSN {}", format_masked_ssn(number))));
        lines
    }

    /// Returns the sections of the form.
    pub fn sections(&self) -> Vec<Section> {
        match self {
            Self::W4(w4) => w4.document_sections(),
            Self::DirectDeposit(deposit) => deposit.document_sections(),
            Self::I9(i9) => i9.document_sections(),
        }
    }
}
