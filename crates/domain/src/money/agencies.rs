//! The receiving banks of child support agencies: a table of the operator's own, who has it from the agencies. The program
//! comes with none, because agencies give their accounts to payers alone; payments to agencies without one are the
//! employer's, as the specification says.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rules::payment::{AccountType, account_number, account_type, routing_number};
use store::Tx;

use crate::error::Error;
use crate::platform::reference;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage, first_lines, text_file};

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;
const COLUMNS: [&str; 6] = ["state", "name", "routing_number", "account_number", "account_type", "source"];

/// The receiving bank of an agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgencyBank {
    /// name of the receiver
    pub name: String,
    /// nine digits
    pub routing: String,
    /// of the account
    pub account: String,
    /// checking or savings
    pub account_type: AccountType,
    /// from where the operator has it
    pub source: String,
}

/// Receiving banks by state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgencyBanks(BTreeMap<String, AgencyBank>);

impl AgencyBanks {
    /// The table that comes with the program, which has no rows.
    pub const BUILT_IN_FILE: &'static [u8] = include_bytes!("../../../../data/agency_banks.csv");

    /// The receiving bank of the agency of a state.
    pub fn of(&self, state: &str) -> Option<&AgencyBank> {
        self.0.get(state)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(bytes);
        let headers = reader.headers().map_err(|error| error.to_string())?;
        if !headers.iter().eq(COLUMNS) {
            return Err(format!("line 1: the columns must be {}", COLUMNS.join(",")));
        }
        let mut banks = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(|error| error.to_string())?;
            let line = row.position().map_or(0, csv::Position::line);
            let (state, bank) = read(&row).map_err(|why| format!("line {line}: {why}"))?;
            if banks.insert(state, bank).is_some() {
                return Err(format!("line {line}: the state stands there already"));
            }
        }
        Ok(Self(banks))
    }
}

fn read(row: &csv::StringRecord) -> Result<(String, AgencyBank), String> {
    let text = |at: usize| row.get(at).unwrap_or_default().trim();
    let state = text(0);
    if state.len() != 2 || !state.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return Err("state must be two capital letters".to_owned());
    }
    if text(1).is_empty() || text(5).is_empty() {
        return Err("name and source can't be blank".to_owned());
    }
    let bank = AgencyBank {
        name: text(1).to_owned(),
        routing: routing_number("routing_number", text(2)).map_err(|wrong| wrong.message)?,
        account: account_number("account_number", text(3)).map_err(|wrong| wrong.message)?,
        account_type: account_type("account_type", text(4)).map_err(|wrong| wrong.message)?,
        source: text(5).to_owned(),
    };
    Ok((state.to_owned(), bank))
}

/// The receiving banks in force.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn current(tx: &mut Tx<'_>) -> Result<Arc<Vintage<AgencyBanks>>, Error> {
    reference::current(tx)
}

impl Dataset for AgencyBanks {
    const KIND: &'static str = "agency-banks";
    const BUILT_IN: Bundle = Bundle { vintage: "2026-01", bytes: Self::BUILT_IN_FILE };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<AgencyBanks>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        Self::parse(bytes)
    }

    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let vintage =
            request.vintage.ok_or_else(|| "say of which day it is: --vintage 2026-11-30".to_owned())?;
        let bytes = text_file(request, LARGEST)?.into_bytes();
        Self::open(&bytes)?;
        Ok(Packed { vintage: vintage.to_owned(), bytes })
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let changed = |(state, bank): (&String, &AgencyBank)| match before.of(state) {
            None => Some(format!("{state} is new: {}", bank.name)),
            Some(old) if old != bank => Some(format!("{state} has changed: {}", bank.name)),
            Some(_) => None,
        };
        let gone = before.0.keys().filter(|state| self.of(state).is_none());
        let gone = gone.map(|state| format!("{state} is no longer held"));
        self.0.iter().filter_map(changed).chain(gone).collect()
    }

    fn template() -> String {
        first_lines(&String::from_utf8_lossy(Self::BUILT_IN_FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_comes_with_no_banks_and_takes_the_operators() {
        assert_eq!(AgencyBanks::parse(AgencyBanks::BUILT_IN_FILE), Ok(AgencyBanks::default()));
        let text =
            format!("{}\nOH,OHIO CSPC,021000021,123456,Checking,letter of 2 March 2026\n", COLUMNS.join(","));
        let banks = AgencyBanks::parse(text.as_bytes()).unwrap();
        assert_eq!(banks.of("OH").map(|bank| bank.routing.as_str()), Some("021000021"));
        assert_eq!(banks.of("TX"), None);
    }

    #[test]
    fn a_wrong_row_is_named_by_its_line_and_no_account_is_repeated() {
        for row in [
            "oh,A,021000021,1,Checking,s",
            "OH,A,021000022,1,Checking,s",
            "OH,A,021000021,12x4567,Checking,s",
        ] {
            let error = AgencyBanks::parse(format!("{}\n{row}\n", COLUMNS.join(",")).as_bytes()).unwrap_err();
            assert!(error.starts_with("line 2: ") && !error.contains("12x4567"), "{error}");
        }
    }
}
