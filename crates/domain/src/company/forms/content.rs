//! The content of each form of a company, and its document. A signature is for a content; a sealed copy of the content is stored with the
//! signature.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::people::forms::content::{Address, Masked};
use crate::people::forms::document::{DocumentLine, Section};

/// The forms of a company.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, VariantArray, IntoStaticStr, EnumString,
)]
pub enum CompanyFormKind {
    /// the authorization to file and pay payroll taxes
    #[strum(serialize = "US_8655")]
    ReportingAgent,
    /// the authorization to debit payroll from a bank account
    #[strum(serialize = "company_direct_deposit")]
    DirectDeposit,
}

impl CompanyFormKind {
    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ReportingAgent => "Reporting Agent Authorization",
            Self::DirectDeposit => "Bank Account Authorization",
        }
    }

    /// Its purpose in one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::ReportingAgent => {
                "Your authorization, for IRS Form 8655, to file and pay your company\u{2019}s federal payroll taxes."
            }
            Self::DirectDeposit => {
                "Your consent to debit payroll and payroll taxes from your company\u{2019}s bank account."
            }
        }
    }

    /// Short title, for the top of the document.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ReportingAgent => "8655 answers",
            Self::DirectDeposit => "Bank account",
        }
    }

    /// What the document is, in one sentence.
    pub const fn intro(self) -> &'static str {
        match self {
            Self::ReportingAgent => {
                "The company\u{2019}s answers for IRS Form 8655, as the payroll service keeps them. Line numbers are those of \
                 the form."
            }
            Self::DirectDeposit => {
                "The bank account that the company\u{2019}s payroll is paid from, with the consent to it."
            }
        }
    }

    /// The declaration that is signed.
    pub const fn statement(self) -> &'static [&'static str] {
        match self {
            Self::ReportingAgent => &[
                "I authorize the payroll service to sign and file the company\u{2019}s returns named above, to make its \
                 deposits and payments of federal payroll taxes, and to receive copies of notices about them. The company \
                 remains responsible for its returns, deposits and payments. I declare that I have the authority to give \
                 this authorization for the company. It holds until it is withdrawn.",
                CONSENT,
            ],
            Self::DirectDeposit => &[
                "I authorize the payroll service to take what payroll costs, and the taxes on it, from the account named \
                 above, and to pay back into it what was taken in error. I declare that I have the authority to give this \
                 authorization for the company. It holds until I change it or withdraw it, and there was a reasonable time \
                 to act on that.",
                CONSENT,
            ],
        }
    }
}

const CONSENT: &str = "I agree to sign this form electronically. My legal name, typed below, has the same effect as my \
                       handwritten signature.";

/// The content of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// legal name
    pub company: String,
    /// name under which it trades
    pub trade_name: Option<String>,
    /// employer identification number
    pub ein: Option<String>,
    /// filing address
    pub address: Option<Address>,
    /// the signatory
    pub signatory: Option<Signer>,
    /// the part specific to the form
    pub particular: Particular,
}

/// The company's signatory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signer {
    /// first and last name
    pub name: String,
    /// such as `Owner`
    pub title: Option<String>,
}

/// The part specific to a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form")]
pub enum Particular {
    /// the returns that are filed
    ReportingAgent {
        /// `941` or `944`
        filing_form: String,
    },
    /// the account that is debited
    DirectDeposit {
        /// nine digits
        routing_number: String,
        /// last digits
        account_number: Masked,
        /// checking or savings
        account_type: String,
    },
}

impl Content {
    /// Its form.
    pub fn kind(&self) -> CompanyFormKind {
        match self.particular {
            Particular::ReportingAgent { .. } => CompanyFormKind::ReportingAgent,
            Particular::DirectDeposit { .. } => CompanyFormKind::DirectDeposit,
        }
    }

    /// Its bytes, for the fingerprint and for storage.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_else(|error| panic!("a content is always JSON: {error}"))
    }

    /// The signatory, as lines of a document.
    pub fn signer_lines(&self) -> Vec<String> {
        match &self.signatory {
            None => vec![MISSING.to_owned()],
            Some(signer) => [Some(signer.name.clone()), signer.title.clone()].into_iter().flatten().collect(),
        }
    }

    /// The company, as lines of a document.
    pub fn company_lines(&self) -> Vec<String> {
        let mut lines = vec![self.company.clone()];
        lines.extend(self.address.iter().flat_map(Address::address_lines));
        lines
    }

    /// Its document.
    pub fn sections(&self) -> Vec<Section> {
        let ein = self.ein.as_deref().and_then(|ein| ein.split_at_checked(2));
        let ein = ein.map_or_else(|| MISSING.to_owned(), |(prefix, rest)| format!("{prefix}-{rest}"));
        match &self.particular {
            Particular::ReportingAgent { filing_form } => {
                let trade = self.trade_name.clone().unwrap_or_else(|| "none".to_owned());
                vec![
                    Section {
                        heading: "Taxpayer".to_owned(),
                        lines: vec![
                            DocumentLine::new("1a", "Name of taxpayer", self.company.clone()),
                            DocumentLine::new("1b", "Trade name", trade),
                            DocumentLine::new("2", "Employer identification number", ein),
                        ],
                    },
                    Section {
                        heading: "Authorization".to_owned(),
                        lines: vec![
                            DocumentLine::new(
                                "15",
                                "Returns that are signed and filed",
                                format!("Forms 940, {filing_form} and W-2"),
                            ),
                            DocumentLine::new(
                                "16",
                                "Deposits and payments",
                                format!("Forms 940 and {filing_form}"),
                            ),
                        ],
                    },
                ]
            }
            Particular::DirectDeposit { routing_number, account_number, account_type } => vec![Section {
                heading: "Bank account".to_owned(),
                lines: vec![
                    DocumentLine::new("", "Routing number", routing_number.clone()),
                    DocumentLine::new("", "Account number", account_number.to_string()),
                    DocumentLine::new("", "Type of account", account_type.clone()),
                ],
            }],
        }
    }
}

const MISSING: &str = "not given";
