//! What a tax form says: who files it, and its lines; and the document that shows it.

use returns::Form1099Nec;
use returns::form_941x::TOTAL;
use returns::form_1099_nec::Recipient;
use returns::w2::{MoneyBox, W2};
use returns::{Form941X, W2c, format_dollars, w2};
use rules::Named as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::people::forms::content::Employer;
use crate::people::forms::document::{DocumentLine, LineKind, Section};

/// Tax forms.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    VariantArray,
    IntoStaticStr,
    EnumString,
)]
pub enum TaxFormKind {
    /// Form 941 of a quarter, with Schedule B
    #[strum(serialize = "US_941")]
    F941,
    /// Form 944 of a year
    #[strum(serialize = "US_944")]
    F944,
    /// Form 940 of a year, with Schedule A
    #[strum(serialize = "US_940")]
    F940,
    /// Form W-3, the sum of the Forms W-2 of a year
    #[strum(serialize = "US_W-3")]
    W3,
    /// Form W-2 of an employee
    #[strum(serialize = "US_W-2")]
    W2,
    /// Form 941-X of a quarter
    #[strum(serialize = "US_941-X")]
    F941X,
    /// Form W-3c, the sum of some Forms W-2c of a year
    #[strum(serialize = "US_W-3c")]
    W3C,
    /// Form W-2c of an employee
    #[strum(serialize = "US_W-2c")]
    W2C,
    /// the sum of the Forms 1099-NEC of a year
    #[strum(serialize = "US_1096")]
    F1096,
    /// Form 1099-NEC of a contractor
    #[strum(serialize = "US_1099")]
    F1099,
}

impl TaxFormKind {
    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::F941 => "Form 941, Employer\u{2019}s Quarterly Federal Tax Return",
            Self::F944 => "Form 944, Employer\u{2019}s Annual Federal Tax Return",
            Self::F940 => "Form 940, Employer\u{2019}s Annual Federal Unemployment (FUTA) Tax Return",
            Self::W3 => "Form W-3, Transmittal of Wage and Tax Statements",
            Self::W2 => "Form W-2, Wage and Tax Statement",
            Self::F941X => {
                "Form 941-X, Adjusted Employer\u{2019}s Quarterly Federal Tax Return or Claim for Refund"
            }
            Self::W3C => "Form W-3c, Transmittal of Corrected Wage and Tax Statements",
            Self::W2C => "Form W-2c, Corrected Wage and Tax Statement",
            Self::F1096 => "Form 1096, Annual Summary and Transmittal of U.S. Information Returns",
            Self::F1099 => "Form 1099-NEC, Nonemployee Compensation",
        }
    }

    /// Its purpose in one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::F941 => {
                "Wages, withheld taxes and the employer\u{2019}s share of a quarter, with the liability of each pay date."
            }
            Self::F944 => {
                "Wages, withheld taxes and the employer\u{2019}s share of a year, with the liability of each pay date."
            }
            Self::F940 => "Federal unemployment tax of a year, with the credit reductions of states.",
            Self::W3 => "The sum of the Forms W-2 of a year.",
            Self::W2 => "The wages of an employee in a year, and the taxes withheld from them.",
            Self::F941X => "What is corrected of Form 941 of a quarter, with the tax on each difference.",
            Self::W3C => "The sum of the Forms W-2c that were made together.",
            Self::W2C => "The boxes of an employee\u{2019}s Form W-2 that are corrected.",
            Self::F1096 => "The sum of the Forms 1099-NEC of a year.",
            Self::F1099 => "The pay of a contractor in a year, and the federal income tax withheld from it.",
        }
    }

    /// Short title, for the top of the document.
    pub const fn code(self) -> &'static str {
        match self {
            Self::F941 => "941",
            Self::F944 => "944",
            Self::F940 => "940",
            Self::W3 => "W-3",
            Self::W2 => "W-2",
            Self::F941X => "941-X",
            Self::W3C => "W-3c",
            Self::W2C => "W-2c",
            Self::F1096 => "1096",
            Self::F1099 => "1099-NEC",
        }
    }

    /// What the document is, in one sentence.
    pub const fn intro(self) -> &'static str {
        match self {
            Self::F941 | Self::F944 | Self::F940 | Self::W3 | Self::F941X | Self::W3C | Self::F1096 => {
                "The figures of the return, by the lines of the form. This is not the form of the agency: figures are filed \
                 electronically, or copied."
            }
            Self::W2 | Self::W2C | Self::F1099 => {
                "The figures of the statement, by the boxes of the form. This information is being furnished to the Internal Revenue \
                 Service."
            }
        }
    }
}

/// A form of a quarter, or of a year without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormOf {
    /// which form
    pub kind: TaxFormKind,
    /// its year
    pub year: i16,
    /// its quarter, from 1 to 4
    pub quarter: Option<i8>,
}

/// What a form says.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// who files it
    pub employer: Employer,
    /// its lines
    pub figures: Figures,
}

/// The lines of a form.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figures {
    /// of a return, in parts
    Return(Vec<Part>),
    /// of the statement of an employee
    Statement(Box<W2>),
    /// of the statement of a contractor
    Contractor(Box<Form1099Nec>),
    /// of an amended return
    Amended(Box<Form941X>),
    /// of the corrected statement of an employee
    Corrected(Box<W2c>),
}

store::hidden!(Content, Figures);

/// A part of a return, such as Schedule B.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// its heading
    pub heading: String,
    /// its lines
    pub lines: Vec<FigureLine>,
}

/// A line of a return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureLine {
    /// number or box; empty for a line without one
    pub number: String,
    /// its title
    pub title: String,
    /// its value
    pub value: Value,
}

/// The value of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// an amount
    Cents(i64),
    /// a number, or words
    Text(String),
}

impl Value {
    /// As it is shown.
    pub fn shown_text(&self) -> String {
        match self {
            Self::Cents(cents) => format_dollars(*cents),
            Self::Text(text) => text.clone(),
        }
    }
}

impl FigureLine {
    /// A line with an amount.
    pub fn with_cents(number: impl Into<String>, title: impl Into<String>, cents: i64) -> Self {
        Self { number: number.into(), title: title.into(), value: Value::Cents(cents) }
    }

    /// A line with a number or words.
    pub fn with_text(number: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { number: number.into(), title: title.into(), value: Value::Text(text.into()) }
    }
}

/// A line that says something else now than at the close.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// number or box of the line
    pub number: String,
    /// its title
    pub title: String,
    /// at the close; `None` if the form had no such line
    pub before: Option<String>,
    /// now; `None` if it has no such line any more
    pub now: Option<String>,
}

impl Content {
    /// Its bytes, as they are stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_else(|error| panic!("a content is always JSON: {error}"))
    }

    /// The SHA-256 of its bytes.
    pub fn content_digest(&self) -> Vec<u8> {
        Sha256::digest(self.to_bytes()).to_vec()
    }

    /// Its parts with their lines. Of the employee's identity, only the last digits of the Social Security number are shown, as on copies
    /// for the employee (26 CFR 31.6051-1(a)(1)(i)(B)).
    pub fn parts(&self) -> Vec<Part> {
        match &self.figures {
            Figures::Return(parts) => parts.clone(),
            Figures::Statement(form) => of_statement(form),
            Figures::Contractor(form) => of_contractor(form),
            Figures::Amended(form) => of_amended(form),
            Figures::Corrected(form) => of_corrected(form),
        }
    }

    /// The lines that differ from those of another content.
    pub fn differences(&self, now: &Self) -> Vec<Changed> {
        let all = |content: &Self| -> Vec<FigureLine> {
            content.parts().into_iter().flat_map(|part| part.lines).collect()
        };
        let (before, now) = (all(self), all(now));
        let of = |lines: &[FigureLine], like: &FigureLine| {
            let same = |line: &&FigureLine| (&line.number, &line.title) == (&like.number, &like.title);
            lines.iter().find(same).map(|line| line.value.shown_text())
        };
        let gone = before.iter().filter(|line| of(&now, line).is_none());
        let mut changed: Vec<Changed> = Vec::new();
        for line in now.iter().chain(gone) {
            let (before, now) = (of(&before, line), of(&now, line));
            if before != now {
                changed.push(Changed { number: line.number.clone(), title: line.title.clone(), before, now });
            }
        }
        changed
    }

    /// The employee or contractor whom the form is about, line by line; nothing for a return.
    pub fn person_lines(&self) -> Vec<String> {
        let form = match &self.figures {
            Figures::Return(_) | Figures::Amended(_) => return Vec::new(),
            Figures::Statement(form) => form,
            Figures::Corrected(form) => &form.corrected,
            Figures::Contractor(form) => {
                let Recipient { name, street, city, state, zip, .. } = &form.recipient;
                return vec![name.clone(), street.clone(), format!("{city}, {state} {zip}")];
            }
        };
        let w2::Person { first_name, middle_name, last_name, suffix, address, .. } = &form.person;
        let name = [first_name, middle_name, last_name, suffix].map(String::as_str);
        let mut lines = vec![name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")];
        lines.extend(
            [&address.location, &address.delivery].into_iter().filter(|line| !line.is_empty()).cloned(),
        );
        lines.push(format!("{}, {} {}", address.city, address.state, address.zip));
        lines
    }

    /// The sections of its document.
    pub fn sections(&self) -> Vec<Section> {
        let line = |line: FigureLine| {
            let kind =
                if matches!(line.value, Value::Cents(_)) { LineKind::Dollars } else { LineKind::Plain };
            // Amounts are laid out without the column of numbers.
            let parts = [line.number.as_str(), line.title.as_str()].into_iter();
            let label = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
            DocumentLine::new("", label, line.value.shown_text()).with_kind(kind)
        };
        let section =
            |part: Part| Section { heading: part.heading, lines: part.lines.into_iter().map(line).collect() };
        self.parts().into_iter().filter(|part| !part.lines.is_empty()).map(section).collect()
    }
}

/// The columns of each line that differs.
fn of_amended(form: &Form941X) -> Vec<Part> {
    let columns = form.changed_lines().map(|line| {
        let of = |title: &str, cents| FigureLine::with_cents(line.line.as_str(), title, cents);
        let mut lines = vec![
            of("Column 1: corrected amount", line.corrected),
            of("Column 2: as reported, or corrected before", line.reported),
            of("Column 3: difference", line.difference()),
        ];
        lines.extend(line.tax.map(|tax| of("Column 4: tax correction", tax)));
        Part { heading: format!("Line {}: {}", line.line, line.title), lines }
    });
    let total =
        FigureLine::with_cents(TOTAL, "Total: owed, or paid too much if it is negative", form.total_due());
    columns.chain([Part { heading: "Total".to_owned(), lines: vec![total] }]).collect()
}

/// Both columns of the boxes that differ.
fn of_corrected(form: &W2c) -> Vec<Part> {
    const COLUMNS: [&str; 2] = ["previously reported", "correct information"];
    let both = [&form.reported, &form.corrected];
    let mut person = Vec::new();
    if form.corrects_identity() {
        for (statement, column) in both.into_iter().zip(COLUMNS) {
            let w2::Person { first_name, middle_name, last_name, suffix, .. } = &statement.person;
            let name = [first_name, middle_name, last_name, suffix].map(String::as_str);
            let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            person.push(FigureLine::with_text(
                "",
                format!("Social Security number, {column}"),
                masked_ssn(statement),
            ));
            person.push(FigureLine::with_text("", format!("Name, {column}"), name));
        }
    } else {
        person.push(FigureLine::with_text("d", "Social Security number", masked_ssn(&form.corrected)));
    }
    let changes = form.changes().into_iter().flat_map(|change| {
        let of = |column: &str, cents| {
            FigureLine::with_cents(change.number.as_str(), format!("{}, {column}", change.title), cents)
        };
        [of(COLUMNS[0], change.reported), of(COLUMNS[1], change.corrected)]
    });
    let mark = |holds: bool| if holds { "yes" } else { "no" };
    let marks = form.marks().into_iter().flat_map(|(title, before, after)| {
        let of = |column: &str, holds| FigureLine::with_text("13", format!("{title}, {column}"), mark(holds));
        [of(COLUMNS[0], before), of(COLUMNS[1], after)]
    });
    vec![
        Part { heading: "Employee".to_owned(), lines: person },
        Part { heading: "Corrected boxes".to_owned(), lines: changes.chain(marks).collect() },
    ]
}

/// A Social Security number, of which only the last digits are shown.
fn masked_ssn(form: &W2) -> String {
    let last = form.person.ssn.as_deref().and_then(|ssn| ssn.get(5..));
    last.map_or_else(|| "applied for".to_owned(), |last| format!("XXX-XX-{last}"))
}

fn of_contractor(form: &Form1099Nec) -> Vec<Part> {
    let part = |heading: &str, lines| Part { heading: heading.to_owned(), lines };
    let Recipient { account, state, .. } = &form.recipient;
    vec![
        part(
            "Recipient",
            vec![
                FigureLine::with_text("", "Taxpayer identification number", form.recipient.masked_tin()),
                FigureLine::with_text("", "Account number", account.as_str()),
            ],
        ),
        part(
            "Federal",
            vec![
                FigureLine::with_cents("1", "Nonemployee compensation", form.compensation),
                FigureLine::with_cents("4", "Federal income tax withheld", form.withheld),
            ],
        ),
        part(
            "State",
            vec![
                FigureLine::with_cents("5", format!("{state}: state tax withheld"), 0),
                FigureLine::with_cents("7", format!("{state}: state income"), form.compensation),
            ],
        ),
    ]
}

fn of_statement(form: &W2) -> Vec<Part> {
    let part = |heading: &str, lines| Part { heading: heading.to_owned(), lines };
    let person = &form.person;
    let amounts =
        MoneyBox::ALL.iter().map(|of| FigureLine::with_cents(of.number(), of.title(), form.amount(*of)));
    let codes = w2::Codes::built_in();
    let of_code = |(code, cents): (&String, &i64)| {
        let title = codes.get(code).map_or("", |code| code.title.as_str());
        FigureLine::with_cents(format!("12 {code}"), title, *cents)
    };
    let mark = |holds: bool| if holds { "yes" } else { "no" };
    let marks = [
        ("Statutory employee", person.is_statutory),
        ("Retirement plan", person.has_retirement_plan),
        ("Third-party sick pay", person.has_sick_pay),
    ];
    let mut further: Vec<FigureLine> =
        marks.into_iter().map(|(title, holds)| FigureLine::with_text("13", title, mark(holds))).collect();
    further
        .extend(form.other.iter().map(|(text, cents)| FigureLine::with_cents("14a", text.as_str(), *cents)));
    if !form.occupations.is_empty() {
        further.push(FigureLine::with_text(
            "14b",
            "Treasury tipped occupation codes",
            form.occupations.join(", "),
        ));
    }
    let states = form.states.iter().flat_map(|one| {
        let account = person.state_accounts.get(&one.state).map_or("", String::as_str);
        let state = &one.state;
        [
            FigureLine::with_text("15", format!("{state}: employer\u{2019}s state ID number"), account),
            FigureLine::with_cents("16", format!("{state}: state wages, tips, etc."), one.taxed.wages),
            FigureLine::with_cents("17", format!("{state}: state income tax"), one.taxed.tax),
        ]
    });
    let localities = form.localities.iter().flat_map(|one| {
        let name = format!("{} {}", one.state, one.locality);
        [
            FigureLine::with_cents("18", format!("{name}: local wages, tips, etc."), one.taxed.wages),
            FigureLine::with_cents("19", format!("{name}: local income tax"), one.taxed.tax),
        ]
    });
    vec![
        part("Employee", vec![FigureLine::with_text("a", "Social Security number", masked_ssn(form))]),
        part("Federal", amounts.collect()),
        part("Box 12", form.box_12.iter().map(of_code).collect()),
        part("Boxes 13 and 14", further),
        part("States", states.collect()),
        part("Localities", localities.collect()),
    ]
}
