//! The receiving banks of tax agencies: a table of the operator's own, who has it from the agency, and confirms each account on a day.
//! The program comes with none; deposits to an agency without a confirmed account are the employer's.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use rules::payment::{AccountType, account_number, account_type, routing_number};
use store::Tx;

use crate::error::Error;
use crate::platform::reference;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage, first_lines, text_file};

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;
const COLUMNS: [&str; 7] =
    ["authority", "name", "routing_number", "account_number", "account_type", "confirmed_on", "source"];

/// The receiving bank of a tax agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxAgencyBank {
    /// name of the receiver
    pub name: String,
    /// nine digits
    pub routing: String,
    /// of the account
    pub account: String,
    /// checking or savings
    pub account_type: AccountType,
    /// when the operator confirmed it with the agency; nothing is paid to one that is not
    pub confirmed_on: Option<Date>,
    /// from where the operator has it
    pub source: String,
}

/// Receiving banks by agency, as the books name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxAgencyBanks(BTreeMap<String, TaxAgencyBank>);

impl TaxAgencyBanks {
    /// The table that comes with the program, which has no rows.
    pub const BUILT_IN_FILE: &'static [u8] = include_bytes!("../../../../data/tax_agency_banks.csv");

    /// The receiving bank of an agency, if the operator has confirmed it.
    pub fn confirmed(&self, authority: &str) -> Option<&TaxAgencyBank> {
        self.0.get(authority).filter(|bank| bank.confirmed_on.is_some())
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
            let (authority, bank) = read(&row).map_err(|why| format!("line {line}: {why}"))?;
            if banks.insert(authority, bank).is_some() {
                return Err(format!("line {line}: the authority stands there already"));
            }
        }
        Ok(Self(banks))
    }
}

fn read(row: &csv::StringRecord) -> Result<(String, TaxAgencyBank), String> {
    let text = |at: usize| row.get(at).unwrap_or_default().trim();
    // Payments to other agencies are made by nobody yet: a row for one of them would promise what is not done.
    if text(0) != "US" {
        return Err("authority must be US: deposits to other agencies are left to employers".to_owned());
    }
    if text(1).is_empty() || text(6).is_empty() {
        return Err("name and source can't be blank".to_owned());
    }
    let confirmed_on = match text(5) {
        "" => None,
        day => Some(day.parse().map_err(|_| "confirmed_on must be a day, YYYY-MM-DD, or blank".to_owned())?),
    };
    let bank = TaxAgencyBank {
        name: text(1).to_owned(),
        routing: routing_number("routing_number", text(2)).map_err(|wrong| wrong.message)?,
        account: account_number("account_number", text(3)).map_err(|wrong| wrong.message)?,
        account_type: account_type("account_type", text(4)).map_err(|wrong| wrong.message)?,
        confirmed_on,
        source: text(6).to_owned(),
    };
    Ok((text(0).to_owned(), bank))
}

/// The receiving banks in force.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn current(tx: &mut Tx<'_>) -> Result<Arc<Vintage<TaxAgencyBanks>>, Error> {
    reference::current(tx)
}

impl Dataset for TaxAgencyBanks {
    const KIND: &'static str = "tax-agency-banks";
    const BUILT_IN: Bundle = Bundle { vintage: "2026-01", bytes: Self::BUILT_IN_FILE };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<TaxAgencyBanks>>> = OnceLock::new();
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
        let changed = |(authority, bank): (&String, &TaxAgencyBank)| match before.0.get(authority) {
            None => Some(format!("{authority} is new: {}", bank.name)),
            Some(old) if old != bank => Some(format!("{authority} has changed: {}", bank.name)),
            Some(_) => None,
        };
        let gone = before.0.keys().filter(|authority| !self.0.contains_key(*authority));
        let gone = gone.map(|authority| format!("{authority} is no longer held"));
        self.0.iter().filter_map(changed).chain(gone).collect()
    }

    fn template() -> String {
        first_lines(&String::from_utf8_lossy(Self::BUILT_IN_FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(row: &str) -> Result<TaxAgencyBanks, String> {
        TaxAgencyBanks::parse(format!("{}\n{row}\n", COLUMNS.join(",")).as_bytes())
    }

    #[test]
    fn an_account_counts_once_the_operator_has_confirmed_it() {
        assert_eq!(TaxAgencyBanks::parse(TaxAgencyBanks::BUILT_IN_FILE), Ok(TaxAgencyBanks::default()));
        let open = table("US,TREASURY,021000021,123456,Checking,,handbook of the bank").unwrap();
        assert_eq!((open.rows(), open.confirmed("US")), (1, None));
        let confirmed =
            table("US,TREASURY,021000021,123456,Checking,2026-06-01,handbook of the bank").unwrap();
        assert_eq!(confirmed.confirmed("US").map(|bank| bank.routing.as_str()), Some("021000021"));
        assert_eq!(confirmed.changes(&open), ["US has changed: TREASURY"]);
    }

    #[test]
    fn a_wrong_row_is_named_by_its_line_and_no_account_is_repeated() {
        for row in [
            "CA,EDD,021000021,1,Checking,,s",
            "US,A,021000022,1,Checking,,s",
            "US,A,021000021,12x4567,Checking,,s",
            "US,A,021000021,1,Checking,soon,s",
            "US,A,021000021,1,Checking,,",
        ] {
            let error = table(row).unwrap_err();
            assert!(error.starts_with("line 2: ") && !error.contains("12x4567"), "{error}");
        }
    }
}
