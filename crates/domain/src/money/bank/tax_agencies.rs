//! The receiving banks of tax agencies, each with the day on which the operator confirmed it. Employers make their own deposits to
//! agencies without a confirmed account.

use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use store::Tx;

use super::receiving_banks::{Receiver, ReceivingBank, ReceivingBanks};
use crate::error::Error;
use crate::platform::reference;
use crate::platform::reference::Vintage;

/// The receiving bank of a tax agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxAgencyBank {
    /// the account to pay
    pub bank: ReceivingBank,
    /// when the operator confirmed it with the agency; unconfirmed ones are not paid
    pub confirmed_on: Option<Date>,
}

/// Receiving banks by agency, as named in the books.
pub type TaxAgencyBanks = ReceivingBanks<TaxAgencyBank>;

impl TaxAgencyBanks {
    /// Returns the receiving bank of an agency, if the operator has confirmed it.
    pub fn confirmed_bank(&self, authority: &str) -> Option<&TaxAgencyBank> {
        self.row_of_agency(authority).filter(|row| row.confirmed_on.is_some())
    }
}

impl Receiver for TaxAgencyBank {
    const KIND: &'static str = "tax-agency-banks";
    const BUILT_IN: &'static [u8] = include_bytes!("../../../../../data/tax_agency_banks.csv");
    const COLUMNS: &'static [&'static str] =
        &["authority", "name", "routing_number", "account_number", "account_type", "confirmed_on", "source"];

    fn built_in() -> &'static OnceLock<Arc<Vintage<TaxAgencyBanks>>> {
        static CELL: OnceLock<Arc<Vintage<TaxAgencyBanks>>> = OnceLock::new();
        &CELL
    }

    fn read<'r>(cell: &dyn Fn(usize) -> &'r str) -> Result<Self, String> {
        // Payments to other agencies are not supported: a row for one of them would promise deposits that are not made.
        if cell(0) != "US" {
            return Err("authority must be US: deposits to other agencies are left to employers".to_owned());
        }
        let confirmed_on = match cell(5) {
            "" => None,
            day => {
                Some(day.parse().map_err(|_| "confirmed_on must be a day, YYYY-MM-DD, or blank".to_owned())?)
            }
        };
        Ok(Self { bank: ReceivingBank::read(cell, 6)?, confirmed_on })
    }

    fn bank(&self) -> &ReceivingBank {
        &self.bank
    }
}

/// Returns the receiving banks in use.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn current_tax_agency_banks(tx: &mut Tx<'_>) -> Result<Arc<Vintage<TaxAgencyBanks>>, Error> {
    reference::current_vintage(tx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::reference::Dataset;

    fn table(row: &str) -> Result<TaxAgencyBanks, String> {
        TaxAgencyBanks::open(format!("{}\n{row}\n", TaxAgencyBank::COLUMNS.join(",")).as_bytes())
    }

    #[test]
    fn an_account_counts_once_the_operator_has_confirmed_it() {
        assert_eq!(TaxAgencyBanks::open(TaxAgencyBank::BUILT_IN), Ok(TaxAgencyBanks::default()));
        let open = table("US,TREASURY,021000021,123456,Checking,,handbook of the bank").unwrap();
        assert_eq!((open.rows(), open.confirmed_bank("US")), (1, None));
        let confirmed =
            table("US,TREASURY,021000021,123456,Checking,2026-06-01,handbook of the bank").unwrap();
        assert_eq!(confirmed.confirmed_bank("US").map(|row| row.bank.routing.as_str()), Some("021000021"));
        assert_eq!(confirmed.changes(&open), ["US has changed: TREASURY"]);
    }

    #[test]
    fn an_invalid_row_is_reported_by_line_without_its_account() {
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
