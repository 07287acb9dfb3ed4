//! Deposits of taxes in a world that is killed: each is in one file at most, and the books say of each what the bank has.

use std::collections::BTreeMap;
use std::path::Path;

use ach::read::ReadEntry;
use domain::Error;
use domain::money::deposits::{self, DepositState, TaxDeposit};
use domain::money::ledger::rows;
use domain::pay::books::Account;
use domain::pay::books::journal::{self, Entry};
use domain::pay::books::rows as books;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::days::Days;
use rules::deposits::Form;
use rules::payroll::holidays;
use store::Tx;
use uuid::Uuid;

use crate::binary::{run, stipend};
use crate::world::Home;

/// The account of the agency.
pub const AGENCY: &str = "7770009";
/// More than are made.
const MOST: i64 = 5_000;

/// Says how the bank takes files, and that taxes are deposited, as the operator does.
pub fn set_bank(home: &Home, folder: &Path) {
    let mut command = stipend();
    command.args(["bank", "settings", "set", "--company-id", "1999999999", "--bank-routing", "091000019"]);
    command.args(["--bank-name", "First Example Bank", "--origin", " 091000019", "--origin-name", "Stipend"]);
    command.arg("--deposit-taxes").arg("--folder").arg(folder).args(["--database-url", &home.url()]);
    let done = run(command.env("STIPEND_MASTER_KEY_FILE", home.key_file()));
    assert_eq!(done.code, Some(0), "{}", done.err);
}

/// Imports the account of the agency, and says how often the company deposits.
pub fn turn_on(home: &Home, folder: &Path, company: &str) {
    let act = |args: &[&str]| {
        let url = home.url();
        let mut command = stipend();
        command.args(args).args(["--database-url", &url]).env("STIPEND_MASTER_KEY_FILE", home.key_file());
        let done = run(command.env("STIPEND_CLOCK_MAY_GO_BACK", "true"));
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.err);
    };
    let table = folder.join(".agency.csv");
    let rows = format!(
        "authority,name,routing_number,account_number,account_type,confirmed_on,source\n\
         US,US TREASURY,021000021,{AGENCY},Checking,2026-01-02,handbook of the bank\n"
    );
    std::fs::write(&table, rows).unwrap();
    act(&["data", "import", "tax-agency-banks", table.to_str().unwrap(), "--vintage", "2026-01-02"]);
    std::fs::remove_file(table).unwrap();
    act(&["bank", "deposits", "schedule", company, "--every", "semiweekly", "--from", "2020-01-01"]);
}

/// How deposits stand at a moment.
pub struct Standing {
    pub deposits: Vec<TaxDeposit>,
    /// for each payment to the agency that the bank has: the deposit, and cents
    filed: Vec<(Uuid, i64)>,
    /// cents that payrolls owe of the taxes of Form 941
    owed: i64,
    /// cents of deposits that are paid in the books
    paid: i64,
    /// every entry of the books
    entries: Vec<Entry>,
}

/// Every entry of the books, a quarter at a time: a request for more is refused.
fn all_entries(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Entry>, Error> {
    let (mut from, mut all) = (date(2024, 1, 1), Vec::new());
    while from < date(2040, 1, 1) {
        let next = from.saturating_add(3.months());
        all.extend(journal::list_entries(
            tx,
            company,
            Days { first: from, last: next.yesterday().unwrap() },
        )?);
        from = next;
    }
    Ok(all)
}

impl Standing {
    /// Looks at the deposits of a company of which the bank has these entries.
    pub fn read(tx: &mut Tx<'_>, company: Uuid, entries: &[ReadEntry]) -> Result<Self, Error> {
        let mut filed = Vec::new();
        for entry in entries.iter().filter(|entry| entry.account == AGENCY) {
            let number = entry.trace[8..].parse().unwrap();
            let (of, stored) = rows::by_trace(tx, number)?.ok_or(Error::NotFound)?;
            assert_eq!((of.company, u64::try_from(stored.cents).unwrap()), (company, entry.cents));
            filed.push((of.batch.payroll, stored.cents));
        }
        let is_tax = |owed: &books::Owed| {
            matches!(owed.account, Account::EmployeeTaxesPayable | Account::EmployerTaxesPayable)
        };
        let of_941 = |owed: &books::Owed| is_tax(owed) && owed.agency == "US" && owed.code != "US_FUTA";
        let accrued = books::accrued_until(tx, company, Date::MAX)?;
        let settled = books::paid_until(tx, company, Date::MAX)?;
        Ok(Self {
            deposits: deposits::of_company(tx, company, (MOST, 0))?.0,
            filed,
            owed: accrued.iter().filter(|(owed, _)| of_941(owed)).map(|(_, accrued)| accrued.cents).sum(),
            paid: settled.iter().filter(|(owed, _)| is_tax(owed)).map(|(_, paid)| paid.cents).sum(),
            entries: all_entries(tx, company)?,
        })
    }

    /// Cents that payrolls owe, and that no deposit was made for because deposits were not wanted yet.
    pub fn owed(&self) -> i64 {
        self.owed
    }

    /// What must hold at every moment; `before` is what was owed before taxes were deposited.
    pub fn holds(&self, before: i64) {
        for entry in &self.entries {
            assert_eq!(
                entry.lines.iter().map(|line| line.cents).sum::<i64>(),
                0,
                "it is not balanced: {entry:?}"
            );
        }
        let mut filed: BTreeMap<Uuid, Vec<i64>> = BTreeMap::new();
        for (deposit, cents) in &self.filed {
            filed.entry(*deposit).or_default().push(*cents);
        }
        for one in &self.deposits {
            let had = filed.remove(&one.id).unwrap_or_default();
            match one.state {
                DepositState::Sent => assert_eq!(had, [one.cents], "it is in one file: {one:?}"),
                // Where the file was given, and that was not noted any more.
                DepositState::Staged => assert!(had.is_empty() || had == [one.cents], "{had:?}: {one:?}"),
                DepositState::Scheduled | DepositState::Canceled => {
                    assert!(had.is_empty(), "{had:?}: {one:?}")
                }
                DepositState::Returned | DepositState::Manual => panic!("nobody returned it: {one:?}"),
            }
        }
        assert!(filed.is_empty(), "payments of no deposit: {filed:?}");
        let of = |form: Form| self.deposits.iter().filter(move |one| one.form == form);
        let planned: i64 = of(Form::F941).map(|one| one.cents).sum();
        assert_eq!(planned, self.owed - before, "deposits sum to what payrolls owe");
        let sent = self.deposits.iter().filter(|one| one.state == DepositState::Sent);
        assert_eq!(
            sent.map(|one| one.cents).sum::<i64>(),
            self.paid,
            "what the bank has is paid in the books, once"
        );
    }

    /// When the file of the next deposit is made: two banking days before it is due, at four in the afternoon in California.
    pub fn next_file(&self) -> Option<Timestamp> {
        let open = self.deposits.iter().filter(|one| one.state == DepositState::Scheduled);
        let next = open.min_by_key(|one| one.due)?;
        let day =
            holidays::banking_days_before(next.due, 2).max(holidays::banking_days_before(next.last_day, 2));
        let zone = TimeZone::get("America/Los_Angeles").unwrap();
        Some(day.at(16, 0, 1, 0).to_zoned(zone).unwrap().timestamp())
    }

    /// Whether the bank has all of them.
    pub fn is_done(&self) -> bool {
        self.deposits.iter().all(|one| matches!(one.state, DepositState::Sent | DepositState::Canceled))
    }

    /// How many entries the books have.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// How many payments to the agency the bank has.
    pub fn filed(&self) -> usize {
        self.filed.len()
    }
}
