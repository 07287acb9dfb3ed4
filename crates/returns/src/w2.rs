//! Form W-2 of a person.
//!
//! Source: General Instructions for Forms W-2 and W-3 (2026).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use rules::taxes::Confidence;
use rules::withholding::TableError;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Error;
use crate::line::{Leaf, Year, add_cents, payment_leaves};
use crate::payment::{Imputed, Lack, LocalTaxed, Payment, StateTaxed, Taxed};
use crate::table::{built_in, deserialize_yes_no, read_rows};

/// States, and localities, that a paper form has lines for.
pub const STATES_OF_A_FORM: usize = 2;
/// Codes that box 12 of a paper form has lines for.
pub const CODES_OF_A_FORM: usize = 4;
/// Text of box 14a for health insurance of a shareholder.
const SHAREHOLDER_HEALTH: &str = "S CORP HEALTH INS";

/// A code of box 12.
#[derive(Debug, Clone, Deserialize)]
pub struct Code {
    /// the code
    pub code: String,
    /// what it is for
    pub title: String,
    /// whether the file to the Social Security Administration has a position for it
    #[serde(deserialize_with = "deserialize_yes_no")]
    pub in_file: bool,
    /// whether box 12a of Form W-3 adds it up
    #[serde(deserialize_with = "deserialize_yes_no")]
    pub in_12a: bool,
    /// how far the row can be trusted
    pub confidence: Confidence,
}

/// The codes of box 12, by code.
#[derive(Debug, Clone)]
pub struct Codes(BTreeMap<String, Code>);

impl Codes {
    /// Returns the built-in table, `box_12.csv`.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<Codes> = LazyLock::new(|| {
            built_in("box_12.csv", Codes::parse(include_str!("../../../data/returns/box_12.csv")))
        });
        &TABLE
    }

    /// Parses the layout of `box_12.csv`.
    ///
    /// # Errors
    /// A row is malformed.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows: Vec<Code> = read_rows(csv)?;
        Ok(Self(rows.into_iter().map(|row| (row.code.clone(), row)).collect()))
    }

    /// Returns a code.
    pub fn get(&self, code: &str) -> Option<&Code> {
        self.0.get(code)
    }
}

/// A box with an amount, beside 12, 14 and those of states and localities.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    VariantArray,
    IntoStaticStr,
    EnumString,
    Serialize,
    Deserialize,
)]
pub enum MoneyBox {
    /// wages, tips, other compensation
    #[strum(serialize = "box_1")]
    #[serde(rename = "box_1")]
    Wages,
    /// federal income tax withheld
    #[strum(serialize = "box_2")]
    #[serde(rename = "box_2")]
    IncomeTax,
    /// Social Security wages, without tips
    #[strum(serialize = "box_3")]
    #[serde(rename = "box_3")]
    SocialSecurityWages,
    /// Social Security tax withheld
    #[strum(serialize = "box_4")]
    #[serde(rename = "box_4")]
    SocialSecurityTax,
    /// Medicare wages and tips
    #[strum(serialize = "box_5")]
    #[serde(rename = "box_5")]
    MedicareWages,
    /// Medicare tax withheld, with Additional Medicare
    #[strum(serialize = "box_6")]
    #[serde(rename = "box_6")]
    MedicareTax,
    /// Social Security tips
    #[strum(serialize = "box_7")]
    #[serde(rename = "box_7")]
    SocialSecurityTips,
    /// dependent care benefits
    #[strum(serialize = "box_10")]
    #[serde(rename = "box_10")]
    DependentCare,
}

impl MoneyBox {
    /// Its number on the form.
    pub fn number(self) -> &'static str {
        let name: &'static str = self.into();
        name.trim_start_matches("box_")
    }

    /// Its title on the form.
    pub fn title(self) -> &'static str {
        match self {
            Self::Wages => "Wages, tips, other compensation",
            Self::IncomeTax => "Federal income tax withheld",
            Self::SocialSecurityWages => "Social security wages",
            Self::SocialSecurityTax => "Social security tax withheld",
            Self::MedicareWages => "Medicare wages and tips",
            Self::MedicareTax => "Medicare tax withheld",
            Self::SocialSecurityTips => "Social security tips",
            Self::DependentCare => "Dependent care benefits",
        }
    }

    /// Returns what a payment adds to the box.
    pub fn of_payment(self, payment: &Payment) -> i64 {
        match self {
            Self::Wages => payment.federal_income.wages,
            Self::IncomeTax => payment.federal_income.tax,
            Self::SocialSecurityWages => payment.social_security.wages,
            Self::SocialSecurityTax => payment.social_security.employee,
            Self::MedicareWages => payment.medicare.wages,
            Self::MedicareTax => payment.medicare.employee + payment.additional_medicare.tax,
            Self::SocialSecurityTips => payment.social_security.tips,
            Self::DependentCare => payment.dependent_care,
        }
    }
}

/// Returns what a payment adds to a code of box 12.
pub fn code_of_payment(payment: &Payment, code: &str) -> i64 {
    let told = payment.box_12.get(code).copied().unwrap_or_default();
    told + match code {
        "A" => payment.uncollected.social_security,
        "B" => payment.uncollected.medicare,
        "C" => payment.imputed.get(&Imputed::GroupTermLife).copied().unwrap_or_default(),
        "TP" => payment.tips,
        "TT" => payment.overtime_premium,
        _ => 0,
    }
}

/// A person, and what a form says beside amounts.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// how the caller names the person in messages: no Social Security number
    pub id: String,
    /// nine digits; `None` if it was applied for
    pub ssn: Option<String>,
    /// as on the Social Security card
    pub first_name: String,
    /// name or initial
    pub middle_name: String,
    /// without titles
    pub last_name: String,
    /// such as JR, only if it is on the card
    pub suffix: String,
    /// home
    pub address: Address,
    /// box 13: statutory employee
    pub is_statutory: bool,
    /// box 13: participant of a retirement plan in any part of the year
    pub has_retirement_plan: bool,
    /// box 13: third-party sick pay
    pub has_sick_pay: bool,
    /// codes of the occupations in which tips were earned; an empty one for an occupation that is not listed
    pub tipped_occupations: BTreeSet<String>,
    /// the employer's account with each state (box 15), by state
    pub state_accounts: BTreeMap<String, String>,
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Person").field("id", &self.id).finish_non_exhaustive()
    }
}

/// An address in the United States.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// suite or attention
    pub location: String,
    /// street or box
    pub delivery: String,
    /// city
    pub city: String,
    /// two-letter code
    pub state: String,
    /// five digits, or nine with a hyphen
    pub zip: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Form W-2 of a person. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct W2 {
    /// the year
    pub year: i16,
    /// the person
    pub person: Person,
    /// number of payments
    pub payments: u64,
    /// amounts by code of box 12, without those that come to nothing
    pub box_12: BTreeMap<String, i64>,
    /// box 14a, by text
    pub other: BTreeMap<String, i64>,
    /// box 14b: at most two codes, only with code TP
    pub occupations: Vec<String>,
    /// boxes 15 to 17, by state
    pub states: Vec<StateTaxed>,
    /// boxes 18 to 20
    pub localities: Vec<LocalTaxed>,
    /// figures that are not known of some payment; the form is incomplete
    pub lacks: BTreeSet<Lack>,
    boxes: BTreeMap<MoneyBox, i64>,
}

impl W2 {
    /// Makes the form from all payments of a person in the year.
    ///
    /// # Errors
    /// A payment is of another year, or a sum is too large.
    pub fn new(year: i16, person: Person, payments: &[Payment]) -> Result<Self, Error> {
        let (mut boxes, mut box_12, mut other) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut states: BTreeMap<&str, Taxed> = BTreeMap::new();
        let mut localities: BTreeMap<(&str, &str), Taxed> = BTreeMap::new();
        let mut lacks = BTreeSet::new();
        for payment in payments {
            Year(year).check_payment(payment)?;
            for of in <MoneyBox as rules::Named>::ALL {
                add_cents(boxes.entry(*of).or_default(), of.of_payment(payment), "a box of Form W-2")?;
            }
            for code in codes_of(payment) {
                let cents = code_of_payment(payment, &code);
                add_cents(box_12.entry(code).or_default(), cents, "a code of box 12")?;
            }
            for (text, cents) in others_of(payment) {
                add_cents(other.entry(text).or_default(), cents, "box 14a")?;
            }
            for one in &payment.states {
                add_taxed(states.entry(&one.state).or_default(), one.taxed)?;
            }
            for one in &payment.localities {
                add_taxed(localities.entry((&one.state, &one.locality)).or_default(), one.taxed)?;
            }
            lacks.extend(&payment.lacks);
        }
        box_12.retain(|_, cents| *cents != 0);
        other.retain(|_, cents| *cents != 0);
        let is_empty = |taxed: &Taxed| taxed.wages == 0 && taxed.tax == 0;
        let states = states.into_iter().filter(|(_, taxed)| !is_empty(taxed));
        let states = states.map(|(state, taxed)| StateTaxed { state: state.to_owned(), taxed });
        let localities = localities.into_iter().filter(|(_, taxed)| !is_empty(taxed));
        let localities = localities.map(|((state, locality), taxed)| LocalTaxed {
            state: state.to_owned(),
            locality: locality.to_owned(),
            taxed,
        });
        let occupations = match box_12.contains_key("TP") {
            true => crate::occupations::box_14b(&person.tipped_occupations),
            false => Vec::new(),
        };
        Ok(Self {
            year,
            payments: payments.len() as u64,
            box_12,
            other,
            occupations,
            states: states.collect(),
            localities: localities.collect(),
            lacks,
            boxes,
            person,
        })
    }

    /// Returns the amount of a box.
    pub fn amount(&self, of: MoneyBox) -> i64 {
        self.boxes.get(&of).copied().unwrap_or_default()
    }

    /// Returns the amount of a code of box 12.
    pub fn code(&self, code: &str) -> i64 {
        self.box_12.get(code).copied().unwrap_or_default()
    }

    /// Whether a form is furnished: tax was withheld, or there are wages or amounts to report. Nobody gets a form full of zeros.
    pub fn is_needed(&self) -> bool {
        let has_amount = self.boxes.values().chain(self.box_12.values()).any(|cents| *cents != 0);
        has_amount || !self.states.is_empty() || !self.localities.is_empty()
    }

    /// Returns what each payment adds to a box.
    pub fn explain_box<'p>(of: MoneyBox, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        payment_leaves(payments, |payment| of.of_payment(payment))
    }

    /// Returns what each payment adds to a code of box 12.
    pub fn explain_code<'p>(code: &str, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        payment_leaves(payments, |payment| code_of_payment(payment, code))
    }

    /// Returns the paper forms of the person: the first has the federal boxes, and each has at most two states, two localities and four
    /// codes of box 12.
    pub fn paper_forms(&self) -> Vec<Paper<'_>> {
        let codes: Vec<(&str, i64)> =
            self.box_12.iter().map(|(code, cents)| (code.as_str(), *cents)).collect();
        let count = [
            self.states.len().div_ceil(STATES_OF_A_FORM),
            self.localities.len().div_ceil(STATES_OF_A_FORM),
            codes.len().div_ceil(CODES_OF_A_FORM),
            1,
        ];
        let paper = |place: usize| Paper {
            has_federal_boxes: place == 0,
            box_12: chunk_at(&codes, place, CODES_OF_A_FORM).to_vec(),
            states: chunk_at(&self.states, place, STATES_OF_A_FORM),
            localities: chunk_at(&self.localities, place, STATES_OF_A_FORM),
        };
        (0..count.into_iter().max().unwrap_or(1)).map(paper).collect()
    }
}

/// A paper Form W-2 of a person who needs several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper<'w> {
    /// whether boxes 1 to 11 are filled in
    pub has_federal_boxes: bool,
    /// codes of box 12 with their amounts
    pub box_12: Vec<(&'w str, i64)>,
    /// boxes 15 to 17
    pub states: &'w [StateTaxed],
    /// boxes 18 to 20
    pub localities: &'w [LocalTaxed],
}

fn chunk_at<T>(all: &[T], place: usize, most: usize) -> &[T] {
    all.chunks(most).nth(place).unwrap_or_default()
}

fn add_taxed(sum: &mut Taxed, more: Taxed) -> Result<(), Error> {
    add_cents(&mut sum.wages, more.wages, "wages of a state or locality")?;
    add_cents(&mut sum.tax, more.tax, "tax of a state or locality")
}

/// The codes of box 12 to which a payment adds.
fn codes_of(payment: &Payment) -> BTreeSet<String> {
    let derived = ["A", "B", "C", "TP", "TT"].map(str::to_owned);
    payment.box_12.keys().cloned().chain(derived).collect()
}

/// What a payment adds to box 14a.
fn others_of(payment: &Payment) -> BTreeMap<String, i64> {
    let mut other = payment.other.clone();
    if let Some(cents) = payment.imputed.get(&Imputed::ShareholderHealth) {
        *other.entry(SHAREHOLDER_HEALTH.to_owned()).or_default() += cents;
    }
    other
}
