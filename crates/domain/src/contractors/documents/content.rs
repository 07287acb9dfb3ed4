//! The content of Form W-9, and its document.
//!
//! Name, address and taxpayer identification number come from the record; the signer answers the rest: the tax classification, the
//! exemptions, and whether backup withholding applies. Source: IRS, Form W-9 (Rev. March 2024) and its instructions.

use rules::contractor::ContractorType;
use rules::{Checks, Named, Violation, check};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::service::SignedField;
use crate::people::forms::content::{Address, Masked};
use crate::people::forms::document::{DocumentLine, Section};

/// The documents of a contractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ContractorDocumentKind {
    /// Form W-9
    #[strum(serialize = "taxpayer_identification_form_w_9")]
    W9,
}

impl ContractorDocumentKind {
    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::W9 => "Taxpayer Identification (Form W-9)",
        }
    }

    /// Its purpose in one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::W9 => {
                "Your taxpayer identification number and tax classification, by which your pay is reported on Form 1099-NEC."
            }
        }
    }

    /// What the document is, in one sentence.
    pub const fn intro(self) -> &'static str {
        match self {
            Self::W9 => {
                "The answers for IRS Form W-9, as the payroll service keeps them. Line numbers are those of the form."
            }
        }
    }

    /// The declaration that is signed: Part II of the form, without item 2 if it was crossed out.
    pub const fn statement(self, subject_to_backup_withholding: bool) -> &'static [&'static str] {
        match (self, subject_to_backup_withholding) {
            (Self::W9, false) => &[CORRECT_NUMBER, NOT_WITHHELD, PERSON, FATCA, CONSENT],
            (Self::W9, true) => &[CORRECT_NUMBER, PERSON, FATCA, CONSENT],
        }
    }
}

/// The certification of Form W-9, Part II.
pub const CORRECT_NUMBER: &str = "Under penalties of perjury, I certify that the number shown on this form is my correct taxpayer identification \
                                  number.";
/// Item 2 of the certification, which is crossed out by whoever is subject to backup withholding.
pub const NOT_WITHHELD: &str = "Under penalties of perjury, I certify that I am not subject to backup withholding because (a) I am exempt from \
     backup withholding, or (b) I have not been notified by the Internal Revenue Service (IRS) that I am subject to backup withholding as a \
     result of a failure to report all interest or dividends, or (c) the IRS has notified me that I am no longer subject to backup \
     withholding.";
/// Item 3 of the certification.
pub const PERSON: &str =
    "Under penalties of perjury, I certify that I am a U.S. citizen or other U.S. person.";
/// Item 4 of the certification.
pub const FATCA: &str = "Under penalties of perjury, I certify that the FATCA code entered on this form (if any) indicating that I am exempt \
                         from FATCA reporting is correct.";
/// The consent to sign electronically.
pub const CONSENT: &str = "I agree to sign this form electronically. My legal name, typed below, has the same effect as my handwritten \
                           signature.";

/// A tax classification (line 3a), by the key of its field.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Classification {
    /// individual or sole proprietor
    #[strum(serialize = "individual_proprietor")]
    IndividualProprietor,
    /// C corporation
    #[strum(serialize = "c_corporation")]
    CCorporation,
    /// S corporation
    #[strum(serialize = "s_corporation")]
    SCorporation,
    /// partnership
    #[strum(serialize = "partnership")]
    Partnership,
    /// trust or estate
    #[strum(serialize = "trust_estate")]
    TrustEstate,
    /// limited liability company, which names how it is taxed
    #[strum(serialize = "limited_liability_company")]
    LimitedLiabilityCompany,
    /// something else, which is described
    #[strum(serialize = "other")]
    Other,
}

impl Classification {
    /// As on the form.
    pub const fn label(self) -> &'static str {
        match self {
            Self::IndividualProprietor => "Individual/sole proprietor",
            Self::CCorporation => "C corporation",
            Self::SCorporation => "S corporation",
            Self::Partnership => "Partnership",
            Self::TrustEstate => "Trust/estate",
            Self::LimitedLiabilityCompany => "LLC",
            Self::Other => "Other",
        }
    }
}

/// How a limited liability company is taxed.
const LLC: [&str; 3] = ["c", "s", "p"];
/// Maximum characters of an answer.
const TEXT: usize = 100;

/// What the signer of a Form W-9 answers.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// line 3a
    pub classification: Classification,
    /// how a limited liability company is taxed: `c`, `s` or `p`
    pub tax_classification: Option<String>,
    /// what "other" is
    pub other_text: Option<String>,
    /// line 3b
    pub foreign_partners: bool,
    /// line 4, exempt payee code
    pub exempt_payee_code: Option<String>,
    /// line 4, code of the exemption from FATCA reporting
    pub fatca_code: Option<String>,
    /// line 7
    pub account_number: Option<String>,
    /// whether item 2 of the certification is crossed out
    pub subject_to_backup_withholding: bool,
}

store::hidden!(Answers);

/// The content of a Form W-9: what comes from the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// individual or business
    pub kind: ContractorType,
    /// line 1 of an individual, line 2 of a business
    pub name: String,
    /// lines 5 and 6
    pub address: Address,
    /// Part I
    pub tin: Masked,
}

/// The copy that is stored with a signature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// what came from the record
    pub content: Content,
    /// what the signer answered
    pub answers: Answers,
    /// who asked for the form
    pub requester: String,
}

impl Content {
    /// Its bytes, for the fingerprint.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_else(|error| panic!("a content is always JSON: {error}"))
    }

    /// The number, masked in the grouping of its kind.
    pub fn masked_number(&self) -> String {
        match self.kind {
            ContractorType::Individual => format!("XXX-XX-{}", self.tin.last_digits()),
            ContractorType::Business => format!("XX-XXX{}", self.tin.last_digits()),
        }
    }

    /// The signer, as lines of a document.
    pub fn signer_lines(&self) -> Vec<String> {
        let mut lines = vec![self.name.clone()];
        lines.extend(self.address.address_lines());
        lines
    }

    /// Its document, with the answers once they are given.
    pub fn sections(&self, answers: Option<&Answers>) -> Vec<Section> {
        let (label, number) = match self.kind {
            ContractorType::Individual => ("Name of entity/individual", "Social security number"),
            ContractorType::Business => ("Name of entity/individual", "Employer identification number"),
        };
        let mut lines = vec![DocumentLine::new("1", label, self.name.clone())];
        lines.extend(answers.into_iter().flat_map(Answers::answer_lines));
        lines.push(DocumentLine::new(
            "5",
            "Address",
            self.address.address_lines()[..self.address.address_lines().len() - 1].join(", "),
        ));
        let Address { city, state, zip, .. } = &self.address;
        lines.push(DocumentLine::new("6", "City, state, and ZIP code", format!("{city}, {state} {zip}")));
        lines.extend(
            answers
                .and_then(|answers| answers.account_number.clone())
                .map(|numbers| DocumentLine::new("7", "Account numbers", numbers)),
        );
        vec![
            Section { heading: "Taxpayer".to_owned(), lines },
            Section {
                heading: "Part I: Taxpayer identification number".to_owned(),
                lines: vec![DocumentLine::new("", number, self.masked_number())],
            },
        ]
    }
}

impl Answers {
    fn answer_lines(&self) -> Vec<DocumentLine> {
        let detail = [&self.tax_classification, &self.other_text].into_iter().flatten().next();
        let classification = match detail {
            Some(detail) => format!("{} ({detail})", self.classification.label()),
            None => self.classification.label().to_owned(),
        };
        let mut lines = vec![DocumentLine::new("3a", "Federal tax classification", classification)];
        if self.foreign_partners {
            lines.push(DocumentLine::new("3b", "Has foreign partners, owners, or beneficiaries", "Yes"));
        }
        let payee =
            self.exempt_payee_code.clone().map(|code| DocumentLine::new("4", "Exempt payee code", code));
        let fatca = self.fatca_code.clone();
        lines.extend(payee);
        lines.extend(fatca.map(|code| DocumentLine::new("4", "Exemption from FATCA reporting code", code)));
        if self.subject_to_backup_withholding {
            lines.push(DocumentLine::new("", "Subject to backup withholding", "Yes"));
        }
        lines
    }

    /// Reads the answers of a signer from the fields of the form. An individual who ticks no classification is a sole proprietor.
    pub fn read_answers(fields: &[SignedField], kind: ContractorType, checks: &mut Checks) -> Option<Self> {
        let value =
            |key: &str| fields.iter().rev().find(|field| field.key == key).map(|field| field.value.trim());
        let ticked = |key: &str| matches!(value(key), Some("1" | "true"));
        let mut text = |key: &str| {
            let read = check::optional_text(key, value(key), TEXT);
            checks.take_value(read).flatten()
        };
        let (other_text, account_number) = (text("other_text"), text("account_number"));
        let (payee, fatca) = (text("exempt_payee_code"), text("exemption_from_FATCA"));
        let tax_classification = text("tax_classification").map(|letter| letter.to_lowercase());
        let ticks: Vec<_> = Classification::ALL.iter().filter(|one| ticked(one.as_str())).collect();
        let classification = match (ticks.as_slice(), kind) {
            ([one], _) => Some(**one),
            ([], ContractorType::Individual) => Some(Classification::IndividualProprietor),
            _ => {
                let names = Classification::names().join(", ");
                checks.push(Violation::invalid("fields", format!("fields must tick exactly one of {names}")));
                None
            }
        };
        let is_llc = classification == Some(Classification::LimitedLiabilityCompany);
        let taxed = tax_classification.filter(|_| is_llc);
        checks.require(!is_llc || taxed.as_deref().is_some_and(|letter| LLC.contains(&letter)), || {
            Violation::invalid("tax_classification", "tax_classification must be c, s or p for an LLC")
        });
        let is_other = classification == Some(Classification::Other);
        checks.require(!is_other || other_text.is_some(), || {
            Violation::invalid("other_text", "other_text can't be blank if other is ticked")
        });
        Some(Self {
            classification: classification?,
            tax_classification: taxed,
            other_text: other_text.filter(|_| is_other),
            foreign_partners: ticked("foreign_partners"),
            exempt_payee_code: payee,
            fatca_code: fatca,
            account_number,
            subject_to_backup_withholding: ticked("subject_to_backup_withholding"),
        })
    }
}

/// A field of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// its key
    pub key: &'static str,
    /// what it holds; `None` if it is empty
    pub value: Option<String>,
    /// the type of its value
    pub data_type: &'static str,
    /// whether the signer must fill it in
    pub required: bool,
}

/// The fields of a Form W-9, filled in as far as they are known.
pub fn w9_fields(
    content: &Content,
    answers: Option<&Answers>,
    requester: &str,
    signature: Option<(&str, &str)>,
) -> Vec<Field> {
    let field = |key, value: Option<String>, data_type, required| Field { key, value, data_type, required };
    let is_business = content.kind == ContractorType::Business;
    let name = Some(content.name.clone());
    let mut fields = vec![
        field("name", name.clone(), "full_name", false),
        field("business_name", name.filter(|_| is_business), "text", false),
    ];
    for one in Classification::ALL {
        let ticked = answers.map(|answers| if answers.classification == *one { "1" } else { "0" });
        fields.push(field(one.as_str(), ticked.map(str::to_owned), "checkbox", false));
    }
    let text = |of: fn(&Answers) -> &Option<String>| answers.and_then(|answers| of(answers).clone());
    let tick =
        |of: fn(&Answers) -> bool| answers.map(|answers| if of(answers) { "1" } else { "0" }.to_owned());
    let Address { street_1, street_2, city, state, zip } = &content.address;
    let number = |own: bool| Some(if own { content.masked_number() } else { "N/A".to_owned() });
    fields.extend([
        field("tax_classification", text(|answers| &answers.tax_classification), "text", false),
        field("other_text", text(|answers| &answers.other_text), "text", false),
        field("foreign_partners", tick(|answers| answers.foreign_partners), "checkbox", false),
        field("exempt_payee_code", text(|answers| &answers.exempt_payee_code), "text", false),
        field("exemption_from_FATCA", text(|answers| &answers.fatca_code), "text", false),
        field("home_address_street_1", Some(street_1.clone()), "text", false),
        field("home_address_street_2", street_2.clone(), "text", false),
        field("home_address_city", Some(city.clone()), "text", false),
        field("home_address_state", Some(state.clone()), "text", false),
        field("home_address_zip", Some(zip.clone()), "text", false),
        field("company_name", Some(requester.to_owned()), "company_name", false),
        field("account_number", text(|answers| &answers.account_number), "text", false),
        field("ssn", number(!is_business), "ssn", false),
        field("ein", number(is_business), "ein", false),
        field(
            "subject_to_backup_withholding",
            tick(|answers| answers.subject_to_backup_withholding),
            "checkbox",
            false,
        ),
        field("signature_text", signature.map(|(name, _)| name.to_owned()), "signature", true),
        field("date", signature.map(|(_, day)| day.to_owned()), "date", false),
    ]);
    fields
}

/// The keys of the fields of a Form W-9.
pub const KEYS: [&str; 26] = [
    "name",
    "business_name",
    "individual_proprietor",
    "c_corporation",
    "s_corporation",
    "partnership",
    "trust_estate",
    "limited_liability_company",
    "other",
    "tax_classification",
    "other_text",
    "foreign_partners",
    "exempt_payee_code",
    "exemption_from_FATCA",
    "home_address_street_1",
    "home_address_street_2",
    "home_address_city",
    "home_address_state",
    "home_address_zip",
    "company_name",
    "account_number",
    "ssn",
    "ein",
    "subject_to_backup_withholding",
    "signature_text",
    "date",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(kind: ContractorType, fields: &[(&str, &str)]) -> Result<Answers, Vec<String>> {
        let sent =
            |(key, value): &(&str, &str)| SignedField { key: (*key).to_owned(), value: (*value).to_owned() };
        let mut checks = Checks::new();
        let read = Answers::read_answers(&fields.iter().map(sent).collect::<Vec<_>>(), kind, &mut checks);
        match checks.finish() {
            Ok(()) => Ok(read.unwrap()),
            Err(violations) => Err(violations.into_iter().map(|one| one.key).collect()),
        }
    }

    #[test]
    fn exactly_one_classification_is_ticked_and_an_individual_without_one_is_a_sole_proprietor() {
        let (person, business) = (ContractorType::Individual, ContractorType::Business);
        assert_eq!(answered(person, &[]).unwrap().classification, Classification::IndividualProprietor);
        assert_eq!(answered(business, &[]).unwrap_err(), ["fields"]);
        let s = [("s_corporation", "true"), ("c_corporation", "0")];
        assert_eq!(answered(business, &s).unwrap().classification, Classification::SCorporation);
        assert_eq!(answered(business, &[("s_corporation", "1"), ("other", "1")]).unwrap_err(), ["fields"]);
    }

    #[test]
    fn a_limited_liability_company_says_how_it_is_taxed_and_other_what_it_is() {
        let business = ContractorType::Business;
        let llc = ("limited_liability_company", "1");
        assert_eq!(answered(business, &[llc]).unwrap_err(), ["tax_classification"]);
        assert_eq!(
            answered(business, &[llc, ("tax_classification", "x")]).unwrap_err(),
            ["tax_classification"]
        );
        let told = answered(business, &[llc, ("tax_classification", "S")]).unwrap();
        assert_eq!(told.tax_classification.as_deref(), Some("s"));
        assert_eq!(answered(business, &[("other", "1")]).unwrap_err(), ["other_text"]);
    }

    #[test]
    fn every_field_of_the_form_has_a_known_key() {
        let content = Content {
            kind: ContractorType::Business,
            name: "Hill Design LLC".to_owned(),
            address: Address {
                street_1: "1 Main Street".to_owned(),
                street_2: None,
                city: "Austin".to_owned(),
                state: "TX".to_owned(),
                zip: "78701".to_owned(),
            },
            tin: Masked::from_stored("XXXXX1234", b"mark"),
        };
        let shown = w9_fields(&content, None, "Restaurant", None);
        assert_eq!(shown.iter().map(|field| field.key).collect::<Vec<_>>(), KEYS);
        let value = |key| shown.iter().find(|field| field.key == key).and_then(|field| field.value.clone());
        assert_eq!((value("ein").as_deref(), value("ssn").as_deref()), (Some("XX-XXX1234"), Some("N/A")));
    }
}
