//! Section 1 of Form I-9.

use serde::{Deserialize, Serialize};

use super::parts::{Address, Masked, Name, format_address, format_day, format_masked_ssn, or_missing};
use crate::people::forms::document::{DocumentLine, Section};

/// Section 1 of Form I-9.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct I9Content {
    /// the employee's name
    pub name: Name,
    /// home address
    pub address: Option<Address>,
    /// date of birth (YYYY-MM-DD)
    pub date_of_birth: Option<String>,
    /// Social Security number
    pub ssn: Option<Masked>,
    /// personal email address
    pub email: Option<String>,
    /// ten-digit phone number
    pub phone: Option<String>,
    /// the attestation; `None` before the employee has answered
    pub authorization: Option<I9Answers>,
    /// first day back (YYYY-MM-DD), if the form of the previous employment can no longer be used (8 CFR
    /// 274a.2(c)(1))
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehired_on: Option<String>,
}

store::hidden!(I9Content);

/// An employee's attestation, as printed on the form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct I9Answers {
    /// attested status
    pub status: String,
    /// type of the document number
    pub document: Option<String>,
    /// document number
    pub number: Option<Masked>,
    /// country that issued the passport
    pub country: Option<String>,
    /// date when the work authorization expires (YYYY-MM-DD)
    pub expires: Option<String>,
}

impl I9Content {
    pub(super) fn document_sections(&self) -> Vec<Section> {
        let mut lines = vec![
            DocumentLine::new("", "Last name (family name)", self.name.last.clone()),
            DocumentLine::new("", "First name (given name)", self.name.first.clone()),
            DocumentLine::new(
                "",
                "Middle initial",
                self.name.middle.clone().unwrap_or_else(|| "none".to_owned()),
            ),
            DocumentLine::new("", "Address", format_address(self.address.as_ref())),
            DocumentLine::new(
                "",
                "Date of birth",
                or_missing(self.date_of_birth.as_deref().map(format_day).as_ref()),
            ),
            DocumentLine::new("", "Social Security number", format_masked_ssn(self.ssn.as_ref())),
            DocumentLine::new("", "E-mail address", or_missing(self.email.as_ref())),
        ];
        lines.extend(self.phone.clone().map(|phone| DocumentLine::new("", "Telephone number", phone)));
        for (number, line) in NUMBERS.into_iter().zip(&mut lines) {
            line.number = number;
        }
        let attested = match &self.authorization {
            None => vec![DocumentLine::new("", "I am", "not answered yet")],
            Some(answers) => answers.answer_lines(),
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
    fn answer_lines(&self) -> Vec<DocumentLine> {
        let mut lines = vec![DocumentLine::new("", "I am", self.status.clone())];
        if let (Some(document), Some(number)) = (&self.document, &self.number) {
            lines.push(DocumentLine::new("", document.clone(), number.to_string()));
        }
        lines.extend(
            self.country.clone().map(|country| DocumentLine::new("", "Country of issuance", country)),
        );
        lines.extend(
            self.expires
                .as_deref()
                .map(|end| DocumentLine::new("", "Authorized to work until", format_day(end))),
        );
        lines
    }
}
