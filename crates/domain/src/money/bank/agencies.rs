//! The receiving banks of child support agencies. The employer pays agencies without one, as the specification says.

use std::sync::{Arc, OnceLock};

use store::Tx;

use super::receiving_banks::{Receiver, ReceivingBank, ReceivingBanks};
use crate::error::Error;
use crate::platform::reference;
use crate::platform::reference::Vintage;

/// The receiving bank of a state's agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgencyBank {
    /// the account to pay
    pub bank: ReceivingBank,
}

/// Receiving banks by state.
pub type AgencyBanks = ReceivingBanks<AgencyBank>;

impl Receiver for AgencyBank {
    const KIND: &'static str = "agency-banks";
    const BUILT_IN: &'static [u8] = include_bytes!("../../../../../data/agency_banks.csv");
    const COLUMNS: &'static [&'static str] =
        &["state", "name", "routing_number", "account_number", "account_type", "source"];

    fn built_in() -> &'static OnceLock<Arc<Vintage<AgencyBanks>>> {
        static CELL: OnceLock<Arc<Vintage<AgencyBanks>>> = OnceLock::new();
        &CELL
    }

    fn read<'r>(cell: &dyn Fn(usize) -> &'r str) -> Result<Self, String> {
        let state = cell(0);
        if state.len() != 2 || !state.bytes().all(|letter| letter.is_ascii_uppercase()) {
            return Err("state must be two capital letters".to_owned());
        }
        Ok(Self { bank: ReceivingBank::read(cell, 5)? })
    }

    fn bank(&self) -> &ReceivingBank {
        &self.bank
    }
}

/// Announces the query of [`current_agency_banks`] (see [`Tx::announce`]).
pub fn announce_current(tx: &mut Tx<'_>) -> Result<(), Error> {
    reference::announce_current::<AgencyBanks>(tx)
}

/// Returns the receiving banks in use.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn current_agency_banks(tx: &mut Tx<'_>) -> Result<Arc<Vintage<AgencyBanks>>, Error> {
    reference::current_vintage(tx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::reference::Dataset;

    #[test]
    fn no_banks_are_built_in_and_those_of_the_operator_are_used() {
        assert_eq!(AgencyBanks::open(AgencyBank::BUILT_IN), Ok(AgencyBanks::default()));
        let text = format!(
            "{}\nOH,OHIO CSPC,021000021,123456,Checking,letter of 2 March 2026\n",
            AgencyBank::COLUMNS.join(",")
        );
        let banks = AgencyBanks::open(text.as_bytes()).unwrap();
        assert_eq!(banks.row_of_agency("OH").map(|row| row.bank.routing.as_str()), Some("021000021"));
        assert_eq!(banks.row_of_agency("TX"), None);
    }

    #[test]
    fn an_invalid_row_is_reported_by_line_without_its_account() {
        for row in [
            "oh,A,021000021,1,Checking,s",
            "OH,A,021000022,1,Checking,s",
            "OH,A,021000021,12x4567,Checking,s",
        ] {
            let error = AgencyBanks::open(format!("{}\n{row}\n", AgencyBank::COLUMNS.join(",")).as_bytes())
                .unwrap_err();
            assert!(error.starts_with("line 2: ") && !error.contains("12x4567"), "{error}");
        }
    }
}
