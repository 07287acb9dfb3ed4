//! Figures of a year that were read before, and whether they are still what reading them again would say. Reading all paychecks of a large
//! company takes long; a page that is looked at several times reads them once.

use jiff::{SignedDuration, Timestamp};
use store::Tx;
use uuid::Uuid;

use super::closing::Basis;
use super::figures::{self, YearFigures};
use super::readiness::{self, Missing, season_start};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::platform::audit;
use crate::platform::law::Tables;

/// Hours after which figures are read again, whatever has changed. Of two units of work that end in another order than they began, the entry of
/// the later one can come before one that was seen.
const KEPT_HOURS: i64 = 1;

/// What figures are made of: as long as it stays the same, so do they.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    /// payrolls, deposits and forms
    basis: Basis,
    /// the newest entries of the audit log: of the company, which has one of each change of its records, and of the operator
    newest: [Option<Uuid>; 2],
    /// the tables in force
    tables: Vec<String>,
    /// whether the close of the year is prepared
    in_season: bool,
}

impl Stamp {
    fn read_stamp(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Self, Error> {
        let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
        let tables = Tables::read(tx)?;
        Ok(Self {
            basis: Basis::read_basis(tx, company, year)?,
            newest: [audit::newest_entry(tx, company)?, audit::newest_entry(tx, Uuid::nil())?],
            tables: tables.vintages().into_iter().map(|(_, name)| name.to_owned()).collect(),
            in_season: caller.today(tx) >= season_start(year),
        })
    }
}

/// Figures of a year.
#[derive(Debug)]
pub struct KnownYear {
    /// the forms of the year, and what prevents the close of each
    pub figures: YearFigures,
    /// what is missing for the close, from November on
    pub missing: Vec<Missing>,
    stamp: Stamp,
    read_at: Timestamp,
}

impl KnownYear {
    /// Reads them.
    ///
    /// # Errors
    /// "Not found"; 422 for a year whose rates are not known; a store error.
    pub fn read_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Self, Error> {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        let stamp = Stamp::read_stamp(tx, company, year)?;
        let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
        let figures = figures::of_year(tx, company, year)?;
        let missing = readiness::of_year(tx, &caller, &figures)?;
        Ok(Self { figures, missing, stamp, read_at: tx.now() })
    }

    /// Whether reading them again would say the same.
    pub fn is_current(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
        let age = tx.now().duration_since(self.read_at);
        let is_young = age < SignedDuration::from_hours(KEPT_HOURS) && !age.is_negative();
        Ok(is_young && self.stamp == Stamp::read_stamp(tx, company, self.figures.year)?)
    }
}
