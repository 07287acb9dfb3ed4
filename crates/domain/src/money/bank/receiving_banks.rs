//! Tables of the banks at which agencies receive payments. The operator obtains them from the agencies. No bank is built in, because
//! agencies give their accounts only to payers.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use rules::payment::{AccountType, account_number, account_type, routing_number};

use crate::platform::reference::source::text_file;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage, first_lines};

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// A row of such a table.
pub trait Receiver: Debug + Clone + PartialEq + Send + Sync + Sized + 'static {
    /// See [`Dataset::KIND`].
    const KIND: &'static str;
    /// The built-in table, which has no rows.
    const BUILT_IN: &'static [u8];
    /// The columns, of which the first is the agency and the second the receiver.
    const COLUMNS: &'static [&'static str];

    /// See [`Dataset::built_in`].
    fn built_in() -> &'static OnceLock<Arc<Vintage<ReceivingBanks<Self>>>>;

    /// Reads a row; `cell` returns the text of a column.
    ///
    /// # Errors
    /// What is wrong with the row, without the account number.
    fn read<'r>(cell: &dyn Fn(usize) -> &'r str) -> Result<Self, String>;

    /// Returns the bank.
    fn bank(&self) -> &ReceivingBank;
}

/// A receiving bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivingBank {
    /// name of the receiver
    pub name: String,
    /// nine digits
    pub routing: String,
    /// account number
    pub account: String,
    /// checking or savings
    pub account_type: AccountType,
    /// where the operator obtained it
    pub source: String,
}

impl ReceivingBank {
    /// Reads the name and the account, in columns 1 to 4, and the source.
    ///
    /// # Errors
    /// What is wrong, without the account number.
    pub fn read<'r>(cell: &dyn Fn(usize) -> &'r str, source: usize) -> Result<Self, String> {
        if cell(1).is_empty() || cell(source).is_empty() {
            return Err("name and source can't be blank".to_owned());
        }
        Ok(Self {
            name: cell(1).to_owned(),
            routing: routing_number("routing_number", cell(2)).map_err(|wrong| wrong.message)?,
            account: account_number("account_number", cell(3)).map_err(|wrong| wrong.message)?,
            account_type: account_type("account_type", cell(4)).map_err(|wrong| wrong.message)?,
            source: cell(source).to_owned(),
        })
    }
}

/// Receiving banks by agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivingBanks<R>(BTreeMap<String, R>);

impl<R> Default for ReceivingBanks<R> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<R: Receiver> ReceivingBanks<R> {
    /// Returns the row of an agency.
    pub fn row_of_agency(&self, agency: &str) -> Option<&R> {
        self.0.get(agency)
    }
}

impl<R: Receiver> Dataset for ReceivingBanks<R> {
    const KIND: &'static str = R::KIND;
    const BUILT_IN: Bundle = Bundle { vintage: "2026-01", bytes: R::BUILT_IN };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        R::built_in()
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(bytes);
        let headers = reader.headers().map_err(|error| error.to_string())?;
        if !headers.iter().eq(R::COLUMNS.iter().copied()) {
            return Err(format!("line 1: the columns must be {}", R::COLUMNS.join(",")));
        }
        let mut banks = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(|error| error.to_string())?;
            let line = row.position().map_or(0, csv::Position::line);
            // Each row has as many cells as there are columns: the reader rejects any other row.
            let cell = |at: usize| row.get(at).unwrap_or_default().trim();
            let bank = R::read(&cell).map_err(|why| format!("line {line}: {why}"))?;
            if banks.insert(cell(0).to_owned(), bank).is_some() {
                return Err(format!("line {line}: the {} is listed twice", R::COLUMNS[0]));
            }
        }
        Ok(Self(banks))
    }

    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let vintage = request.vintage.ok_or_else(|| {
            "the vintage must be given: the day of the table, such as 2026-11-30".to_owned()
        })?;
        let bytes = text_file(request, LARGEST)?.into_bytes();
        Self::open(&bytes)?;
        Ok(Packed { vintage: vintage.to_owned(), bytes })
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let changed = |(agency, row): (&String, &R)| match before.row_of_agency(agency) {
            None => Some(format!("{agency} is new: {}", row.bank().name)),
            Some(old) if old != row => Some(format!("{agency} has changed: {}", row.bank().name)),
            Some(_) => None,
        };
        let gone = before.0.keys().filter(|agency| self.row_of_agency(agency).is_none());
        let gone = gone.map(|agency| format!("{agency} is removed"));
        self.0.iter().filter_map(changed).chain(gone).collect()
    }

    fn template() -> String {
        first_lines(&String::from_utf8_lossy(R::BUILT_IN))
    }
}
