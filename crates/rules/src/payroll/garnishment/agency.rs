//! Child support agencies: each state has one that receives payments and specifies FIPS codes and order
//! identifiers.

use std::fmt;
use std::sync::{Arc, LazyLock};

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::ManualReason;
use crate::Named;
use crate::check::STATES;
use crate::violation::Violation;
use crate::withholding::TableError;

/// Columns that are read; others are informational.
const COLUMNS: [&str; 7] = [
    "state",
    "name",
    "manual_payment_required",
    "required_attributes",
    "fips_codes",
    "remit_days",
    "remit_days_kind",
];
/// Maximum number of rows, far above the number of states and territories.
const MOST_AGENCIES: usize = 100;
/// Maximum number of codes of an agency; Texas has the most counties, 254.
const MOST_CODES: usize = 500;
/// Maximum length of a name, in characters.
const NAME_MAX: usize = 200;

static BUILT_IN: LazyLock<Arc<Agencies>> = LazyLock::new(|| {
    let table = Agencies::parse(Agencies::BUILT_IN_FILE);
    Arc::new(table.unwrap_or_else(|error| panic!("child_support_agencies.csv is not a table: {error}")))
});

/// Identifier of an order at an agency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum Identifier {
    /// Case number.
    #[strum(serialize = "case_number")]
    CaseNumber,
    /// Order number.
    #[strum(serialize = "order_number")]
    OrderNumber,
    /// Remittance number.
    #[strum(serialize = "remittance_number")]
    RemittanceNumber,
}

impl Identifier {
    /// Display label.
    pub fn label(self) -> &'static str {
        match self {
            Self::CaseNumber => "CSE Case Number",
            Self::OrderNumber => "Order Identifier",
            Self::RemittanceNumber => "Remittance Identifier",
        }
    }
}

/// FIPS code of a state or county for payments: as published by the agency, with its exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FipsCode {
    /// 5 or 7 digits
    pub code: String,
    /// County; `None` if the code applies to the whole state.
    pub county: Option<String>,
}

/// Remittance deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemitWithin {
    /// Days from the pay date.
    pub days: u8,
    /// Whether only business days count.
    pub business: bool,
}

/// A state's agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agency {
    /// Two-letter state code.
    pub state: String,
    /// Name.
    pub name: String,
    /// Why the employer has to pay the agency: it does not accept electronic payments from the service, or the service cannot make them.
    pub manual: Option<ManualReason>,
    /// Required identifiers.
    pub required: Vec<Identifier>,
    /// FIPS codes
    pub fips_codes: Vec<FipsCode>,
    /// Remittance deadline; `None` if unknown.
    pub remit_within: Option<RemitWithin>,
}

/// The agencies of all states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agencies {
    by_state: Vec<Agency>,
}

/// Payee of an order, with its identifiers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payee {
    /// State of the agency.
    pub state: String,
    /// FIPS code
    pub fips_code: String,
    /// Case number.
    pub case_number: Option<String>,
    /// Order number.
    pub order_number: Option<String>,
    /// Remittance number.
    pub remittance_number: Option<String>,
}

impl Payee {
    /// Returns an identifier.
    pub fn identifier(&self, identifier: Identifier) -> Option<&str> {
        match identifier {
            Identifier::CaseNumber => self.case_number.as_deref(),
            Identifier::OrderNumber => self.order_number.as_deref(),
            Identifier::RemittanceNumber => self.remittance_number.as_deref(),
        }
    }

    /// Returns the description of the garnishment: the case number, or the first other identifier.
    pub fn description(&self) -> String {
        let named = Identifier::ALL.iter().copied().find_map(|identifier| self.identifier(identifier));
        format!("Child support - {}", named.unwrap_or_default())
    }
}

impl Agency {
    /// Returns the violations of a payee of this agency: a FIPS code that is not the agency's, or missing identifiers.
    pub fn check_payee(&self, payee: &Payee) -> Vec<Violation> {
        let mut violations = Vec::new();
        if !self.fips_codes.iter().any(|code| code.code == payee.fips_code) {
            let codes: Vec<_> = self.fips_codes.iter().map(|code| code.code.as_str()).collect();
            let message = format!("fips_code must be one of the agency's codes: {}", codes.join(", "));
            violations.push(Violation::invalid("fips_code", message));
        }
        for identifier in self.required.iter().filter(|needed| payee.identifier(**needed).is_none()) {
            let key = identifier.as_str();
            let message = format!("{key} can't be blank: {} needs the {}", self.name, identifier.label());
            violations.push(Violation::invalid(key, message));
        }
        violations
    }
}

impl Agencies {
    /// The built-in file.
    pub const BUILT_IN_FILE: &[u8] = include_bytes!("../../../../../data/child_support_agencies.csv");

    /// Returns the built-in agencies: the fifty states and the District of Columbia.
    pub fn built_in() -> &'static Arc<Self> {
        &BUILT_IN
    }

    /// Leaves the agencies that the service cannot pay to the employer, with the reason for each state. That an agency accepts no electronic
    /// payments remains the reason.
    #[must_use]
    pub fn leave_to_employer(mut self, unpayable: impl Fn(&str) -> Option<ManualReason>) -> Self {
        for agency in &mut self.by_state {
            agency.manual = agency.manual.or_else(|| unpayable(&agency.state));
        }
        self
    }

    /// Parses a CSV file with the columns of `data/child_support_agencies.csv`.
    ///
    /// # Errors
    /// Reports the first error: a missing column or a malformed value, with its line; too many agencies; or a
    /// duplicate or missing state.
    pub fn parse(csv: &[u8]) -> Result<Self, TableError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(csv);
        let unreadable = |error: csv::Error| TableError::new(error.to_string());
        let head = reader.headers().map_err(unreadable)?.clone();
        let column = |name: &str| {
            let found = head.iter().position(|column| column == name);
            found.ok_or_else(|| TableError::new(format!("line 1: there is no column {name}")))
        };
        let columns = COLUMNS.iter().map(|name| column(name)).collect::<Result<Vec<_>, _>>()?;
        let mut by_state: Vec<Agency> = Vec::new();
        for record in reader.records() {
            let record = record.map_err(unreadable)?;
            let line = record.position().map_or(0, csv::Position::line);
            let values: Vec<&str> =
                columns.iter().map(|column| record.get(*column).unwrap_or_default()).collect();
            let agency =
                read_agency(&values).map_err(|why| TableError::new(format!("line {line}: {why}")))?;
            by_state.push(agency);
            if by_state.len() > MOST_AGENCIES {
                return Err(TableError::new(format!("there are more than {MOST_AGENCIES} agencies")));
            }
        }
        by_state.sort_by(|agency, next| agency.state.cmp(&next.state));
        if let Some(pair) = by_state.windows(2).find(|pair| pair[0].state == pair[1].state) {
            return Err(TableError::new(format!("{} is there twice", pair[0].state)));
        }
        let agencies = Self { by_state };
        match STATES.iter().find(|(code, _)| agencies.agency_of_state(code).is_none()) {
            Some((code, _)) => Err(TableError::new(format!("there is no agency of {code}"))),
            None => Ok(agencies),
        }
    }

    /// Returns the agency of a state.
    pub fn agency_of_state(&self, state: &str) -> Option<&Agency> {
        self.by_state
            .binary_search_by(|agency| agency.state.as_str().cmp(state))
            .ok()
            .map(|at| &self.by_state[at])
    }

    /// Returns all agencies, by state.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Agency> {
        self.by_state.iter()
    }

    /// Returns the violations of a payee.
    pub fn check_payee(&self, payee: &Payee) -> Vec<Violation> {
        match self.agency_of_state(&payee.state) {
            Some(agency) => agency.check_payee(payee),
            None => vec![Violation::invalid("state", self.states_message())],
        }
    }

    fn states_message(&self) -> String {
        let states: Vec<_> = self.by_state.iter().map(|agency| agency.state.as_str()).collect();
        format!("state must be the state of an agency: {}", states.join(", "))
    }
}

/// Why a value of a file is invalid.
struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn read_agency(values: &[&str]) -> Result<Agency, Fault> {
    let fault = |column: usize, what: &str| Fault(format!("{} {what}", COLUMNS[column]));
    let [state, name, manual, required, codes, days, kind] = values else {
        return Err(Fault("the row has too few columns".to_owned()));
    };
    if state.len() != 2 || !state.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(fault(0, "must be two capital letters"));
    }
    let name =
        crate::check::validate_text("name", name, NAME_MAX).map_err(|violation| Fault(violation.message))?;
    let manual = match *manual {
        "true" => Some(ManualReason::Agency),
        "false" => None,
        _ => return Err(fault(2, "must be true or false")),
    };
    let identifiers: Option<Vec<_>> = required.split(';').map(Identifier::parse).collect();
    let required = identifiers
        .filter(|named| named.iter().enumerate().all(|(at, one)| !named[..at].contains(one)))
        .ok_or_else(|| fault(3, "must be case_number, order_number or remittance_number, joined by ;"))?;
    let remit_within = match (*days, *kind) {
        ("", "") => None,
        (days, "business" | "calendar") if days.parse::<u8>().is_ok() => {
            Some(RemitWithin { days: days.parse().unwrap_or_default(), business: *kind == "business" })
        }
        _ => return Err(fault(5, "must be a number with the kind business or calendar, or both are empty")),
    };
    Ok(Agency {
        state: (*state).to_owned(),
        name,
        manual,
        required,
        fips_codes: read_codes(codes)?,
        remit_within,
    })
}

/// Parses `39000`, or `12001=Alachua County;12003=Baker County`.
fn read_codes(text: &str) -> Result<Vec<FipsCode>, Fault> {
    let mut codes: Vec<FipsCode> = Vec::new();
    for part in text.split(';') {
        let (code, county) = part.split_once('=').map_or((part, None), |(code, county)| (code, Some(county)));
        let is_code = matches!(code.len(), 5 | 7) && code.bytes().all(|byte| byte.is_ascii_digit());
        if !is_code || codes.iter().any(|known| known.code == code) || codes.len() == MOST_CODES {
            let what =
                "must be codes of 5 or 7 digits, each once, joined by ; and followed by = and the county";
            return Err(Fault(format!("fips_codes {what}: {code}")));
        }
        let county =
            county.map(|county| crate::check::validate_text("fips_codes", county, NAME_MAX)).transpose();
        let county = county.map_err(|violation| Fault(violation.message))?;
        codes.push(FipsCode { code: code.to_owned(), county });
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payee(state: &str, code: &str) -> Payee {
        Payee { state: state.to_owned(), fips_code: code.to_owned(), ..Payee::default() }
    }

    fn keys(payee: &Payee) -> Vec<String> {
        Agencies::built_in().check_payee(payee).into_iter().map(|violation| violation.key).collect()
    }

    #[test]
    fn agencies_that_cannot_be_paid_are_left_to_the_employer_beside_those_that_take_no_payments() {
        let left = Agencies::clone(Agencies::built_in())
            .leave_to_employer(|state| matches!(state, "OH" | "SC").then_some(ManualReason::NoAccount));
        let manual = |agencies: &Agencies| {
            let found = agencies.iter().filter(|agency| agency.manual.is_some());
            found.map(|agency| agency.state.clone()).collect::<Vec<_>>()
        };
        let mut expected = manual(Agencies::built_in());
        assert!(!expected.contains(&"OH".to_owned()));
        expected.push("OH".to_owned());
        expected.sort();
        let mut found = manual(&left);
        found.sort();
        assert_eq!(found, expected);
        let reason = |state: &str| left.agency_of_state(state).unwrap().manual;
        assert_eq!(reason("OH"), Some(ManualReason::NoAccount));
        assert_eq!(reason("SC"), Some(ManualReason::Agency), "it takes no electronic payments anyway");
    }

    #[test]
    fn each_state_and_the_district_have_an_agency_with_codes_of_their_own() {
        let agencies = Agencies::built_in();
        let states: Vec<_> = agencies.iter().map(|agency| agency.state.as_str()).collect();
        assert_eq!(states, STATES.map(|(code, _)| code));
        let mut codes: Vec<_> =
            agencies.iter().flat_map(|agency| &agency.fips_codes).map(|code| &code.code).collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }

    #[test]
    fn published_codes_and_identifiers_are_held() {
        let agencies = Agencies::built_in();
        let of = |state| agencies.agency_of_state(state).unwrap();
        let code = |state| of(state).fips_codes[0].code.clone();
        assert_eq!((code("AK"), code("OH"), code("AZ")), ("0200000".into(), "39000".into(), "04000".into()));
        assert_eq!((code("CA"), code("RI"), code("CT")), ("06000".into(), "44002".into(), "0900003".into()));
        assert_eq!(of("OH").required, [Identifier::CaseNumber, Identifier::OrderNumber]);
        assert_eq!(of("FL").required, [Identifier::RemittanceNumber]);
        let broward = of("FL").fips_codes.iter().find(|code| code.code == "12011").unwrap();
        assert_eq!(broward.county.as_deref(), Some("Broward County"));
        assert_eq!(["FL", "IL", "NY"].map(|state| of(state).fips_codes.len()), [67, 102, 62]);
        let manual: Vec<_> =
            agencies.iter().filter(|agency| agency.manual.is_some()).map(|agency| &agency.state).collect();
        assert_eq!(manual, ["SC"]);
    }

    #[test]
    fn an_order_needs_the_code_and_the_identifiers_of_its_agency() {
        assert_eq!(keys(&payee("OH", "39001")), ["fips_code", "case_number", "order_number"]);
        assert_eq!(keys(&payee("FL", "12011")), ["remittance_number"]);
        assert_eq!(keys(&payee("GU", "66000")), ["state"]);
        let more = Payee {
            case_number: Some("1".into()),
            remittance_number: Some("2".into()),
            ..payee("AK", "0200000")
        };
        assert_eq!(keys(&more), Vec::<String>::new());
    }

    #[test]
    fn a_garnishment_is_called_by_its_case_number_or_what_it_has_instead() {
        let mut payee = Payee { remittance_number: Some("R9".to_owned()), ..payee("FL", "12011") };
        assert_eq!(payee.description(), "Child support - R9");
        payee.case_number = Some("AL-123".to_owned());
        assert_eq!(payee.description(), "Child support - AL-123");
    }

    #[test]
    fn a_file_is_taken_whole_or_not_at_all() {
        let right = include_str!("../../../../../data/child_support_agencies.csv");
        let error = |csv: String| Agencies::parse(csv.as_bytes()).unwrap_err().to_string();
        assert!(Agencies::parse(right.as_bytes()).is_ok());
        let without_ohio: String =
            right.lines().filter(|line| !line.starts_with("OH,")).map(|line| format!("{line}\n")).collect();
        assert_eq!(error(without_ohio), "there is no agency of OH");
        let ohio = right.lines().find(|line| line.starts_with("OH,")).unwrap();
        assert_eq!(error(format!("{right}{ohio}\n")), "OH is there twice");
        for (from, to, fault) in [
            ("39000", "3900", "fips_codes must be"),
            ("case_number;order_number", "case_number;case_number", "required_attributes must be"),
            ("OH,Ohio", "Oh,Ohio", "state must be two capital letters"),
            ("required_attributes", "identifiers", "line 1: there is no column required_attributes"),
            (
                "Ohio Child Support Payment Central,false",
                "Ohio,no",
                "manual_payment_required must be true or false",
            ),
        ] {
            let message = error(right.replacen(from, to, 1));
            assert!(message.contains(fault), "{message}");
        }
        assert!(Agencies::parse(b"").is_err() && Agencies::parse(&[0xff, 0xfe, b'\n', 0xff]).is_err());
    }
}
