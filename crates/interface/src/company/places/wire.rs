//! Questions about addresses on the wire, and their answers.

use std::collections::BTreeMap;

use domain::company::locations::places::SentAnswers;
use domain::people::addresses::jurisdictions::Jurisdiction;
use rules::places::{Choice, NONE, Question};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

use crate::field::Wire;
use crate::named::Enum;
use crate::values::{PlaceQuestionKey, TaxLevel, ToldBy};

/// A county, city or district in which an address is or may be located.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AddressJurisdiction {
    /// key, such as `OH-18000`, as in `jurisdiction.place` of a tax
    pub code: String,
    /// its name
    pub name: String,
    /// its kind
    pub kind: TaxLevel,
    /// how it was determined: from the county of the ZIP code, the name of the city, an answer to the state's
    /// certificate, the answer to a question about the address, or the `jurisdiction_codes` of the address
    pub told_by: ToldBy,
    /// whether the address certainly is in it: a county with 99.5 % of the homes of the ZIP code or more, a city in
    /// which the whole ZIP code lies, or an answer
    pub certain: bool,
    /// whether its taxes are withheld: if it is certain, or the likely one until its question is answered
    pub taxed: bool,
    /// the reason, with the figures of the ZIP code
    pub reason: String,
}

impl From<Jurisdiction> for AddressJurisdiction {
    fn from(at: Jurisdiction) -> Self {
        Self {
            code: at.code,
            name: at.name,
            kind: Enum(at.kind),
            told_by: Enum(at.told_by),
            certain: at.certain,
            taxed: at.taxed,
            reason: at.reason,
        }
    }
}

/// The counties, cities and districts of an address.
pub fn address_jurisdictions(found: Vec<Jurisdiction>) -> Vec<AddressJurisdiction> {
    found.into_iter().map(Into::into).collect()
}

/// A choice of a question about an address.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaceChoice {
    /// the code that answers the question; `none` for no city or district that taxes pay, or outside Pennsylvania
    pub code: String,
    /// its name; empty for `none`
    pub name: String,
    /// how much of the ZIP code lies there, in percent with two decimals: of homes (of businesses for a place of work)
    /// for a county, of land for a district or municipality; null if no table tells
    pub percent_of_zip: Option<String>,
}

impl From<Choice> for PlaceChoice {
    fn from(choice: Choice) -> Self {
        let percent = choice.share.map(|share| format!("{}.{:02}", share.0 / 100, share.0 % 100));
        Self { code: choice.code, name: choice.name, percent_of_zip: percent }
    }
}

/// A question about an address that the tables cannot answer: the employee about the home, the employer about a location.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaceQuestion {
    /// its name in `place_answers`
    pub key: PlaceQuestionKey,
    /// the likely choices, which the ZIP code leads to, the most likely first
    pub choices: Vec<PlaceChoice>,
    /// the other choices of the county or state; only in `GET /v1/places`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_choices: Vec<PlaceChoice>,
    /// code of the answer; null if it is open
    pub answer: Option<String>,
    /// code of the choice that counts until it is answered; null if no tax is withheld until then
    pub default: Option<String>,
}

impl From<Question> for PlaceQuestion {
    fn from(question: Question) -> Self {
        Self {
            key: Enum(question.kind),
            choices: question.choices.into_iter().map(Into::into).collect(),
            other_choices: question.others.into_iter().map(Into::into).collect(),
            answer: question.answer,
            default: question.default.filter(|code| code != NONE),
        }
    }
}

/// The questions about an address.
pub fn place_questions(found: Vec<Question>) -> Vec<PlaceQuestion> {
    found.into_iter().map(Into::into).collect()
}

/// Answers to the questions about an address, by their keys.
#[derive(Debug, ToSchema)]
#[schema(value_type = Object)]
pub struct PlaceAnswers(());

impl Wire for PlaceAnswers {
    type Value = SentAnswers;
    const EXPECTED: &'static str = "an object of at most 10 codes by the keys of questions";
    fn from_json(value: Value) -> Option<SentAnswers> {
        let answers: BTreeMap<String, Option<String>> = serde_json::from_value(value).ok()?;
        (answers.len() <= 10).then_some(answers)
    }
    fn schema() -> RefOr<Schema> {
        let code = ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Null]));
        ObjectBuilder::new().additional_properties(Some(Schema::from(code.build()))).build().into()
    }
}
