//! Form W-4: the 2020 and later revisions, and the earlier ones.

use rules::Named;
use rules::withholding::federal::{FilingStatus, W4};
use serde::{Deserialize, Serialize};

use super::parts::{Address, Masked, Name, dollars, format_address, format_masked_ssn};
use crate::people::forms::document::{DocumentLine, Section};

/// Form W-4.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct W4Content {
    /// the employee
    pub name: Name,
    /// home address
    pub address: Option<Address>,
    /// Social Security number
    pub ssn: Option<Masked>,
    /// the answers
    pub answers: W4Answers,
    /// first day back of a rehired employee, who submits a new certificate (26 USC 3402(f)(2)(A))
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehired_on: Option<String>,
    /// year for which exemption is claimed; a claim for another year must be signed again
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exempt_in: Option<i16>,
}

store::hidden!(W4Content);

/// An employee's answers on Form W-4. Amounts are text with two decimal places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edition")]
pub enum W4Answers {
    /// 2020 and later revisions
    Rev2020 {
        /// step 1(c), as chosen
        filing_status: String,
        /// step 2(c)
        two_jobs: bool,
        /// step 3
        dependents_amount: String,
        /// step 4(a)
        other_income: String,
        /// step 4(b)
        deductions: String,
        /// step 4(c)
        extra_withholding: String,
        /// whether the claim of exemption includes the required certification; absent in forms signed before it was required
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        certifies_exemption: bool,
    },
    /// 2019 and earlier revisions
    Pre2020 {
        /// line 3, as chosen
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
                certifies_exemption: filing_status == FilingStatus::Exempt,
            },
            W4::Pre2020 { filing_status, allowances, additional_withholding } => Self::Pre2020 {
                filing_status: filing_status.as_str().to_owned(),
                allowances,
                additional_withholding: additional_withholding.to_text(2),
            },
        }
    }
}

/// The certification of an employee who claims exemption (26 USC 3402(n); Form W-4, Exempt from withholding).
const EXEMPTION: &str = "I claim exemption from withholding for the year of this certificate";
const CERTIFIED: &str = "I certify that I meet both of the conditions for exemption: I had no federal income tax liability in the \
                         year before, and I expect to have no federal income tax liability in this year. I understand that I \
                         need to submit a new Form W-4 for the next year.";

fn in_dollars((number, label, amount): (&'static str, &str, &String)) -> DocumentLine {
    DocumentLine::new(number, label, dollars(amount))
}

impl W4Content {
    pub(super) fn document_sections(&self) -> Vec<Section> {
        let section = |heading: &str, lines| Section { heading: heading.to_owned(), lines };
        let person = |numbers: [&'static str; 3], status: &str| {
            let mut lines = vec![
                DocumentLine::new(numbers[0], "First name, middle initial, last name", self.name.full_name()),
                DocumentLine::new("", "Address", format_address(self.address.as_ref())),
                DocumentLine::new(numbers[1], "Social Security number", format_masked_ssn(self.ssn.as_ref())),
                DocumentLine::new(numbers[2], "Filing status", status),
            ];
            lines.extend(
                self.rehired_on
                    .as_ref()
                    .map(|day| DocumentLine::new("", "First day back at work", day.as_str())),
            );
            lines
        };
        match &self.answers {
            W4Answers::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
                certifies_exemption,
            } => {
                let two_jobs = if *two_jobs { "Yes" } else { "No" };
                let year = self
                    .exempt_in
                    .map(|year| DocumentLine::new("", "Year of this certificate", year.to_string()));
                let exemption =
                    year.into_iter().chain([DocumentLine::new("", EXEMPTION, CERTIFIED)]).collect();
                let exemption = certifies_exemption.then(|| section("Exempt from withholding", exemption));
                let credits = ("3", "Amount for dependents and other credits", dependents_amount);
                let adjustments = [
                    ("4a", "Other income, not from jobs", other_income),
                    ("4b", "Deductions other than the standard deduction", deductions),
                    ("4c", "Extra withholding each pay period", extra_withholding),
                ];
                let steps = vec![
                    section("Step 1: Personal information", person(["1a", "1b", "1c"], filing_status)),
                    section(
                        "Step 2: Multiple jobs or spouse works",
                        vec![DocumentLine::new(
                            "2c",
                            "There are two jobs in total, with similar pay",
                            two_jobs,
                        )],
                    ),
                    section("Step 3: Dependents and other credits", vec![in_dollars(credits)]),
                    section("Step 4: Other adjustments", adjustments.map(in_dollars).into()),
                ];
                steps.into_iter().chain(exemption).collect()
            }
            W4Answers::Pre2020 { filing_status, allowances, additional_withholding } => vec![
                section("Personal information", person(["1", "2", "3"], filing_status)),
                section(
                    "Allowances",
                    vec![
                        DocumentLine::new("5", "Total number of allowances", allowances.to_string()),
                        DocumentLine::new(
                            "6",
                            "Additional amount each pay period",
                            dollars(additional_withholding),
                        ),
                    ],
                ),
            ],
        }
    }
}
