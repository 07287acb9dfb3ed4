//! The forms that employees sign, with their titles and declarations.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A form that employees sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum EmployeeFormKind {
    /// the employee's withholding certificate
    #[strum(serialize = "US_W-4")]
    W4,
    /// the authorization to pay into bank accounts
    #[strum(serialize = "employee_direct_deposit")]
    DirectDeposit,
    /// employment eligibility, section 1
    #[strum(serialize = "US_I-9")]
    I9,
}

impl EmployeeFormKind {
    /// Returns the form's title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::W4 => "Employee\u{2019}s Withholding Certificate",
            Self::DirectDeposit => "Direct Deposit Authorization",
            Self::I9 => "Employment Eligibility: Employee Attestation",
        }
    }

    /// Returns the form's purpose in one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::W4 => {
                "Your answers for IRS Form W-4, which determine the federal income tax withheld from your pay."
            }
            Self::DirectDeposit => "Your consent to be paid into the bank accounts that you named.",
            Self::I9 => {
                "Your answers for section 1 of USCIS Form I-9, on your right to work in the United States."
            }
        }
    }

    /// Returns the short title for the top of the document.
    pub const fn code(self) -> &'static str {
        match self {
            Self::W4 => "W-4 answers",
            Self::DirectDeposit => "Direct deposit",
            Self::I9 => "I-9, section 1",
        }
    }

    /// Returns the introduction of the document.
    pub const fn intro(self) -> &'static str {
        match self {
            Self::W4 => {
                "The employee\u{2019}s answers for IRS Form W-4, as the payroll service keeps them for the employer. Line \
                 numbers are those of the form."
            }
            Self::DirectDeposit => {
                "The bank accounts that the employee\u{2019}s pay goes to, with the consent to it."
            }
            Self::I9 => {
                "The employee\u{2019}s answers for section 1 of USCIS Form I-9, as the payroll service keeps them. Section 2 \
                 is the employer\u{2019}s, and is not part of this document."
            }
        }
    }

    /// Returns the declaration that is signed.
    pub const fn statement(self) -> &'static [&'static str] {
        match self {
            Self::W4 => &[
                "Under penalties of perjury, I declare that this certificate, to the best of my knowledge and belief, is \
                 true, correct, and complete.",
                CONSENT,
            ],
            Self::DirectDeposit => &[
                "I authorize my employer, and the payroll service that acts for it, to pay what I earn into the accounts \
                 named above, and to take back from them what was paid in error, as far as the law allows. This holds \
                 until I change it or withdraw it, and my employer has had a reasonable time to act on that.",
                CONSENT,
            ],
            Self::I9 => &[
                "I am aware that federal law provides for imprisonment and/or fines for false statements, or the use of \
                 false documents, in connection with the completion of this form. I attest, under penalty of perjury, \
                 that this information, including my selection of the box attesting to my citizenship or immigration \
                 status, is true and correct.",
                CONSENT,
            ],
        }
    }
}

const CONSENT: &str = "I agree to sign this form electronically. My legal name, typed below, has the same effect as my \
                       handwritten signature.";
