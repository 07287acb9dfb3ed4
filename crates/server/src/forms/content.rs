//! What each form shows, and the document that it becomes.
//!
//! A content is what a signature is for: its fingerprint tells whether the data have changed since, and a copy of it,
//! sealed, is kept with the signature. It holds identifying numbers only by their last digits and a keyed mark, so
//! that neither a document nor a kept copy can give one away.

use jiff::civil::Date;
use rules::Amount;
use rules::payment::SplitBy;
use rules::withholding::federal::W4;
use serde::{Deserialize, Serialize};
use store::Tx;
use uuid::Uuid;

use super::document::{Line, Section};
use crate::error::Error;

/// The forms of an employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// the employee's withholding certificate
    W4,
    /// the authorization to pay into bank accounts
    DirectDeposit,
    /// employment eligibility, section 1
    I9,
}

impl Kind {
    /// Every form, in the order in which they are made.
    pub const ALL: [Self; 3] = [Self::W4, Self::DirectDeposit, Self::I9];

    /// The name in the store and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::W4 => "US_W-4",
            Self::DirectDeposit => "employee_direct_deposit",
            Self::I9 => "US_I-9",
        }
    }

    /// The form of that exact name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// What people read.
    pub const fn title(self) -> &'static str {
        match self {
            Self::W4 => "Employee\u{2019}s Withholding Certificate",
            Self::DirectDeposit => "Direct Deposit Authorization",
            Self::I9 => "Employment Eligibility: Employee Attestation",
        }
    }

    /// One sentence on what it is for.
    pub const fn description(self) -> &'static str {
        match self {
            Self::W4 => {
                "Your answers for IRS Form W-4, by which federal income tax is withheld from your pay."
            }
            Self::DirectDeposit => "Your consent to be paid into the bank accounts that you named.",
            Self::I9 => {
                "Your answers for section 1 of USCIS Form I-9, on your right to work in the United States."
            }
        }
    }

    /// Short, for the top of the document.
    pub const fn code(self) -> &'static str {
        match self {
            Self::W4 => "W-4 answers",
            Self::DirectDeposit => "Direct deposit",
            Self::I9 => "I-9, section 1",
        }
    }

    /// What the document is, in one sentence.
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

    /// What is declared by signing it.
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
    /// the company's time zone, in which the moment of signing is told
    pub zone: String,
}

/// The employer, as a document names it. Its data are no part of what is signed: a company that moves asks nobody for
/// a new signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Employer {
    /// legal name
    pub name: String,
    /// employer identification number
    pub ein: Option<String>,
    /// from where it files
    pub address: Option<Address>,
}

impl Employer {
    /// Its lines in a document.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.name.clone()];
        lines.extend(self.address.iter().flat_map(Address::lines));
        let ein = self.ein.as_deref().and_then(|ein| ein.split_at_checked(2));
        lines.extend(ein.map(|(prefix, rest)| format!("EIN {prefix}-{}", rest.trim_start_matches('-'))));
        lines
    }
}

/// An identifying number, by its last digits. The mark is a keyed digest: equal for equal numbers of one company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Masked {
    last: String,
    mark: String,
}

impl Masked {
    /// The number as far as it may be shown: its last four characters, fewer of a short one.
    ///
    /// # Errors
    /// A store error.
    pub fn new(tx: &mut Tx<'_>, company: Uuid, number: &str) -> Result<Self, Error> {
        let mark = hex::encode(tx.fingerprint(company, "employee_forms.number", number.as_bytes())?);
        Ok(Self { last: last(number), mark })
    }

    /// A number of which another record keeps what may be shown, with crosses before it, and a fingerprint.
    pub fn known(shown: &str, fingerprint: &[u8]) -> Self {
        Self { last: shown.trim_start_matches('X').to_owned(), mark: hex::encode(fingerprint) }
    }
}

fn last(number: &str) -> String {
    let count = number.chars().count();
    number.chars().skip(count - (count / 2).min(4)).collect()
}

impl std::fmt::Display for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ending in {}", self.last)
    }
}

/// A Social Security number in its usual form.
fn ssn(number: Option<&Masked>) -> String {
    number.map_or_else(|| MISSING.to_owned(), |number| format!("XXX-XX-{}", number.last))
}

const MISSING: &str = "not given";

/// An amount as it is printed, such as `$1,500.50`.
fn dollars(amount: &str) -> String {
    let (whole, cents) = amount.split_once('.').unwrap_or((amount, "00"));
    let mut grouped = String::from("$");
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped}.{cents}")
}

/// A day as it is printed, such as `February 3, 1990`.
fn day(text: &str) -> String {
    text.parse::<Date>().map_or_else(|_| text.to_owned(), |day| day.strftime("%B %-d, %Y").to_string())
}

/// A person's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// first name
    pub first: String,
    /// one letter
    pub middle: Option<String>,
    /// last name
    pub last: String,
}

impl Name {
    fn whole(&self) -> String {
        let middle = self.middle.as_ref().map(|letter| format!("{letter}. ")).unwrap_or_default();
        format!("{} {middle}{}", self.first, self.last)
    }
}

/// A postal address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
}

impl Address {
    /// Its lines on an envelope.
    pub fn lines(&self) -> Vec<String> {
        let Self { street_1, street_2, city, state, zip } = self;
        let mut lines = vec![street_1.clone()];
        lines.extend(street_2.clone());
        lines.push(format!("{city}, {state} {zip}"));
        lines
    }
}

fn address(address: Option<&Address>) -> String {
    address.map_or_else(|| MISSING.to_owned(), |address| address.lines().join(", "))
}

fn or_missing(text: Option<&String>) -> String {
    text.cloned().unwrap_or_else(|| MISSING.to_owned())
}

/// Form W-4.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct W4Content {
    /// whose certificate it is
    pub name: Name,
    /// where the employee lives
    pub address: Option<Address>,
    /// the employee's number
    pub ssn: Option<Masked>,
    /// what was answered
    pub answers: W4Answers,
}

/// What an employee answered on Form W-4. Amounts are text with two places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edition")]
pub enum W4Answers {
    /// the form of 2020 and later
    Rev2020 {
        /// 1(c), as it is chosen
        filing_status: String,
        /// 2(c)
        two_jobs: bool,
        /// 3
        dependents_amount: String,
        /// 4(a)
        other_income: String,
        /// 4(b)
        deductions: String,
        /// 4(c)
        extra_withholding: String,
    },
    /// the form of 2019 and before
    Pre2020 {
        /// line 3, as it is chosen
        filing_status: String,
        /// line 5
        allowances: i64,
        /// line 6
        additional_withholding: String,
    },
}

impl From<&W4> for W4Answers {
    fn from(w4: &W4) -> Self {
        match *w4 {
            W4::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
            } => Self::Rev2020 {
                filing_status: filing_status.as_str().to_owned(),
                two_jobs,
                dependents_amount: dependents_amount.to_text(2),
                other_income: other_income.to_text(2),
                deductions: deductions.to_text(2),
                extra_withholding: extra_withholding.to_text(2),
            },
            W4::Pre2020 { filing_status, allowances, additional_withholding } => Self::Pre2020 {
                filing_status: filing_status.as_str().to_owned(),
                allowances,
                additional_withholding: additional_withholding.to_text(2),
            },
        }
    }
}

/// The authorization to pay into bank accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectDepositContent {
    /// whose pay
    pub name: Name,
    /// where it goes, in the order in which it is filled up
    pub accounts: Vec<Deposit>,
}

/// One account that pay goes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposit {
    /// what the employee calls it
    pub name: String,
    /// the bank
    pub routing_number: String,
    /// the account
    pub account_number: Masked,
    /// `Checking` or `Savings`
    pub account_type: String,
    /// how much of the pay, such as `100 %`, `$200.00` or `the remainder`
    pub share: String,
}

impl Deposit {
    /// An account's part of the pay in words: `amount` is percent or cents, and none is the rest.
    pub fn share(by: SplitBy, amount: Option<i64>) -> String {
        match (by, amount) {
            (_, None) => "the remainder".to_owned(),
            (SplitBy::Percentage, Some(percent)) => format!("{percent} %"),
            (SplitBy::Amount, Some(cents)) => dollars(&Amount::from_cents(cents).to_text(2)),
        }
    }
}

/// Section 1 of Form I-9.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct I9Content {
    /// the employee's name
    pub name: Name,
    /// where the employee lives
    pub address: Option<Address>,
    /// YYYY-MM-DD
    pub date_of_birth: Option<String>,
    /// the employee's number
    pub ssn: Option<Masked>,
    /// personal e-mail address
    pub email: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// what is attested to; none while the question is open
    pub authorization: Option<I9Answers>,
}

/// What an employee attests to, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct I9Answers {
    /// the status
    pub status: String,
    /// what the number is
    pub document: Option<String>,
    /// the number
    pub number: Option<Masked>,
    /// the country that issued the passport
    pub country: Option<String>,
    /// YYYY-MM-DD
    pub expires: Option<String>,
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

impl W4Content {
    fn sections(&self) -> Vec<Section> {
        let section = |heading: &str, lines| Section { heading: heading.to_owned(), lines };
        let person = |numbers: [&'static str; 3], status: &str| {
            vec![
                Line::new(numbers[0], "First name, middle initial, last name", self.name.whole()),
                Line::new("", "Address", address(self.address.as_ref())),
                Line::new(numbers[1], "Social Security number", ssn(self.ssn.as_ref())),
                Line::new(numbers[2], "Filing status", status),
            ]
        };
        match &self.answers {
            W4Answers::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
            } => {
                let two_jobs = if *two_jobs { "Yes" } else { "No" };
                vec![
                    section("Step 1: Personal information", person(["1a", "1b", "1c"], filing_status)),
                    section(
                        "Step 2: Multiple jobs or spouse works",
                        vec![Line::new("2c", "There are two jobs in total, with similar pay", two_jobs)],
                    ),
                    section(
                        "Step 3: Dependents and other credits",
                        vec![Line::new(
                            "3",
                            "Amount for dependents and other credits",
                            dollars(dependents_amount),
                        )],
                    ),
                    section(
                        "Step 4: Other adjustments",
                        vec![
                            Line::new("4a", "Other income, not from jobs", dollars(other_income)),
                            Line::new(
                                "4b",
                                "Deductions other than the standard deduction",
                                dollars(deductions),
                            ),
                            Line::new("4c", "Extra withholding each pay period", dollars(extra_withholding)),
                        ],
                    ),
                ]
            }
            W4Answers::Pre2020 { filing_status, allowances, additional_withholding } => vec![
                section("Personal information", person(["1", "2", "3"], filing_status)),
                section(
                    "Allowances",
                    vec![
                        Line::new("5", "Total number of allowances", allowances.to_string()),
                        Line::new("6", "Additional amount each pay period", dollars(additional_withholding)),
                    ],
                ),
            ],
        }
    }
}

impl DirectDepositContent {
    fn sections(&self) -> Vec<Section> {
        let accounts = (1..).zip(&self.accounts).map(|(number, account)| Section {
            heading: format!("Account {number}: {}", account.name),
            lines: vec![
                Line::new("", "Routing number of the bank", account.routing_number.clone()),
                Line::new("", "Account number", account.account_number.to_string()),
                Line::new("", "Type of account", account.account_type.clone()),
                Line::new("", "Part of the pay", account.share.clone()),
            ],
        });
        accounts.collect()
    }
}

impl I9Content {
    fn sections(&self) -> Vec<Section> {
        let mut lines = vec![
            Line::new("", "Last name (family name)", self.name.last.clone()),
            Line::new("", "First name (given name)", self.name.first.clone()),
            Line::new("", "Middle initial", self.name.middle.clone().unwrap_or_else(|| "none".to_owned())),
            Line::new("", "Address", address(self.address.as_ref())),
            Line::new("", "Date of birth", or_missing(self.date_of_birth.as_deref().map(day).as_ref())),
            Line::new("", "Social Security number", ssn(self.ssn.as_ref())),
            Line::new("", "E-mail address", or_missing(self.email.as_ref())),
        ];
        lines.extend(self.phone.clone().map(|phone| Line::new("", "Telephone number", phone)));
        for (number, line) in NUMBERS.into_iter().zip(&mut lines) {
            line.number = number;
        }
        let attested = match &self.authorization {
            None => vec![Line::new("", "I am", "not answered yet")],
            Some(answers) => answers.lines(),
        };
        vec![
            Section { heading: "Section 1: Employee information".to_owned(), lines },
            Section {
                heading: "Section 1: Attestation of citizenship or immigration status".to_owned(),
                lines: attested,
            },
        ]
    }
}

const NUMBERS: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];

impl I9Answers {
    fn lines(&self) -> Vec<Line> {
        let mut lines = vec![Line::new("", "I am", self.status.clone())];
        if let (Some(document), Some(number)) = (&self.document, &self.number) {
            lines.push(Line::new("", document.clone(), number.to_string()));
        }
        lines.extend(self.country.clone().map(|country| Line::new("", "Country of issuance", country)));
        lines.extend(self.expires.as_deref().map(|end| Line::new("", "Authorized to work until", day(end))));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_days_are_printed_as_people_write_them() {
        for (amount, printed) in [
            ("0.00", "$0.00"),
            ("999.00", "$999.00"),
            ("1500.50", "$1,500.50"),
            ("1234567.89", "$1,234,567.89"),
        ] {
            assert_eq!(dollars(amount), printed);
        }
        assert_eq!(day("1990-02-03"), "February 3, 1990");
    }

    #[test]
    fn a_part_of_the_pay_is_told_in_words() {
        assert_eq!(Deposit::share(SplitBy::Percentage, Some(40)), "40 %");
        assert_eq!(Deposit::share(SplitBy::Amount, Some(120_000)), "$1,200.00");
        assert_eq!(Deposit::share(SplitBy::Amount, None), "the remainder");
    }

    #[test]
    fn a_number_that_another_record_masks_is_shown_alike_and_told_apart_by_its_fingerprint() {
        let known = |fingerprint: &[u8]| Masked::known("XXXXXX1207", fingerprint);
        assert_eq!(known(b"a").to_string(), "ending in 1207");
        assert_ne!(known(b"a"), known(b"b"));
    }

    #[test]
    fn a_number_shows_at_most_its_last_four_characters_and_never_more_than_half() {
        for (number, shown) in
            [("412551099", "1099"), ("1234567", "567"), ("12345", "45"), ("1", ""), ("", "")]
        {
            assert_eq!(last(number), shown);
        }
    }
}
