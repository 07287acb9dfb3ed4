//! The law that applies to a pay: which limit of which state governs a garnishment other than support.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jiff::civil::Date;

use super::fees::{EmployerFees, FeeKind};
use super::levy::{LevyExemption, LevyExemptions, TaxLevy, key};
use super::state_limits::{GarnishmentLimit, GarnishmentLimits, LimitKind, LimitRule, MinimumWages};
use super::terms::{GarnishmentTerms, GarnishmentType};
use super::{Garnishment, Pay};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::full_time::WEEKS_PER_YEAR;
use crate::payroll::PeriodsPaid;

/// The law on garnishments other than support at the place of work, and the minimum wages it refers to.
#[derive(Debug, Clone)]
pub struct GarnishmentLaw<'a> {
    /// State of work, two letters; empty without a work address.
    pub state: String,
    /// Pay date.
    pub check_date: Date,
    /// Limits of states.
    pub limits: &'a GarnishmentLimits,
    /// Amounts exempt from federal levies.
    pub levy_exemptions: &'a LevyExemptions,
    /// Fees that employers may take.
    pub fees: &'a EmployerFees,
    /// Minimum wages at the place of work.
    pub minimum_wages: MinimumWages,
    /// Keys of the figures in doubt that the operator has confirmed.
    pub confirmed: BTreeSet<String>,
}

/// A figure that would apply if it were in the tables, or confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotApplied {
    /// A state's limit, or the exempt amount of a federal levy, is from memory or in doubt.
    Unconfirmed {
        /// Key used to confirm it.
        key: String,
        /// Section of the law.
        section: String,
        /// What applies instead, in words.
        instead: &'static str,
    },
    /// The employer fee is not in the table for the state, or is from memory or in doubt.
    Fee {
        /// State of work.
        state: String,
        /// Key used to confirm it; `None` if the table has no fee.
        key: Option<String>,
    },
    /// The exempt amounts of a year are not in the table yet, and those of an earlier year are used.
    EarlierYear {
        /// The year.
        year: i16,
        /// The year that is used.
        used: i16,
    },
    /// The exempt amounts of a year are not in the table.
    YearNotHeld {
        /// The year.
        year: i16,
    },
}

/// The amounts exempt from a federal levy.
pub(super) enum Exempt<'a> {
    /// Known.
    Known(&'a LevyExemption),
    /// Not in the table for the year yet; these are from the newest year before it.
    Earlier(&'a LevyExemption, i16),
    /// Not in the table for the year.
    NotHeld(i16),
    /// In the table, but not confirmed.
    Unconfirmed(&'a LevyExemption),
    /// In the table (second), but not confirmed; an earlier year's (first) are used, because the levy has no amount of its own.
    Instead(&'a LevyExemption, &'a LevyExemption),
}

/// A state's limit, and whether it applies.
pub(super) enum Held<'a> {
    Counts(&'a GarnishmentLimit),
    Unconfirmed(&'a GarnishmentLimit),
    /// No limit below the federal one, or none in the table.
    None,
}

impl<'a> GarnishmentLaw<'a> {
    /// Returns the built-in law of a state on a check date.
    pub fn built_in(state: &str, check_date: Date, minimum_wages: MinimumWages) -> GarnishmentLaw<'static> {
        GarnishmentLaw {
            state: state.to_owned(),
            check_date,
            limits: GarnishmentLimits::built_in(),
            levy_exemptions: LevyExemptions::built_in(),
            fees: EmployerFees::built_in(),
            minimum_wages,
            confirmed: BTreeSet::new(),
        }
    }

    /// Returns the limit on creditors in the state of work.
    pub(super) fn creditors(&self, gross: i64, periods: PeriodsPaid) -> Held<'_> {
        self.limit(&self.state, LimitKind::Creditor, gross, periods)
    }

    /// Returns the limit on a state's tax levies.
    pub(super) fn state_levy(&self, state: &str, gross: i64, periods: PeriodsPaid) -> Held<'_> {
        self.limit(state, LimitKind::StateLevy, gross, periods)
    }

    fn limit(&self, state: &str, kind: LimitKind, gross: i64, periods: PeriodsPaid) -> Held<'_> {
        let (weeks, of) = periods.of_year(WEEKS_PER_YEAR);
        let weekly = Amount::from_cents(gross).mul_ratio(of, weeks, Rounding::HalfUp);
        let weekly = weekly.unwrap_or(crate::amount::MAX_AMOUNT);
        match self.limits.of(state, kind, self.check_date, weekly, &self.minimum_wages) {
            Some(limit) if !limit.counts(&self.confirmed) => Held::Unconfirmed(limit),
            Some(limit) if limit.rule != LimitRule::Federal => Held::Counts(limit),
            _ => Held::None,
        }
    }

    /// Returns the exempt amounts of a federal levy that was served on a day.
    pub(super) fn exempt(&self, terms: &GarnishmentTerms, levy: &TaxLevy, served: Date) -> Exempt<'a> {
        let year = levy.year.unwrap_or_else(|| served.year());
        match self.levy_exemptions.of(year, levy.filing_status) {
            // A missing additional amount must not count as zero, so nothing of that year is applied.
            Some(row) if levy.additional > 0 && row.additional.is_none() => Exempt::NotHeld(year),
            Some(row) if row.counts(&self.confirmed) => Exempt::Known(row),
            Some(row) => match self.confirmed_before(levy, year).filter(|_| terms.takes_all()) {
                Some(used) => Exempt::Instead(used, row),
                None => Exempt::Unconfirmed(row),
            },
            None => {
                self.exempt_before(levy, year).map_or(Exempt::NotHeld(year), |row| Exempt::Earlier(row, year))
            }
        }
    }

    /// Returns the newest exempt amounts, if they are from a year before `year`. Exempt amounts rise from year to year, so these exempt
    /// slightly less; taking nothing would make the employer liable for the full amount (26 USC 6332(d)).
    fn exempt_before(&self, levy: &TaxLevy, year: i16) -> Option<&'a LevyExemption> {
        let newest = self.levy_exemptions.iter().map(|row| row.year).max().filter(|newest| *newest < year)?;
        self.confirmed_before(levy, year).filter(|row| row.year == newest)
    }

    /// Returns the newest applicable exempt amounts of an earlier year.
    fn confirmed_before(&self, levy: &TaxLevy, year: i16) -> Option<&'a LevyExemption> {
        let is_whole = |row: &&LevyExemption| levy.additional == 0 || row.additional.is_some();
        let earlier = self.levy_exemptions.iter().filter(|row| row.year < year);
        let of_status = earlier.filter(|row| row.filing_status == levy.filing_status);
        of_status.filter(is_whole).filter(|row| row.counts(&self.confirmed)).max_by_key(|row| row.year)
    }

    /// Returns why a fee that the employer requests is not taken: it is not in the table, or not confirmed.
    fn fee_not_taken(&self, terms: &GarnishmentTerms) -> Option<NotApplied> {
        let kind = FeeKind::of(terms).filter(|_| terms.employer_fee)?;
        let state = self.state.clone();
        match self.fees.of(&self.state, kind, self.check_date) {
            None => Some(NotApplied::Fee { state, key: None }),
            Some(row) if row.counts(&self.confirmed) => None,
            Some(row) => Some(NotApplied::Fee { state, key: Some(row.key()) }),
        }
    }

    /// Returns the figure that would apply to a garnishment if it were confirmed or in the table.
    fn not_applied(
        &self,
        terms: &GarnishmentTerms,
        since: Date,
        gross: i64,
        periods: PeriodsPaid,
    ) -> Option<NotApplied> {
        let unconfirmed = |limit: &GarnishmentLimit, instead| NotApplied::Unconfirmed {
            key: limit.key(),
            section: limit.section.clone(),
            instead,
        };
        match (terms.garnishment_type?, &terms.tax_levy) {
            (GarnishmentType::CreditorGarnishment, _) => match self.creditors(gross, periods) {
                Held::Unconfirmed(limit) => Some(unconfirmed(limit, "the federal limit was used")),
                _ => None,
            },
            (GarnishmentType::StateTaxLien, Some(levy)) => {
                match self.state_levy(levy.state.as_deref()?, gross, periods) {
                    Held::Unconfirmed(limit) => {
                        Some(unconfirmed(limit, "the amount that was entered was used"))
                    }
                    _ => None,
                }
            }
            (GarnishmentType::FederalTaxLien, Some(levy)) => match self.exempt(terms, levy, since) {
                Exempt::Known(_) => None,
                Exempt::Earlier(row, year) => Some(NotApplied::EarlierYear { year, used: row.year }),
                Exempt::NotHeld(year) => Some(NotApplied::YearNotHeld { year }),
                Exempt::Unconfirmed(row) => Some(NotApplied::Unconfirmed {
                    key: key(row.year),
                    section: "26 USC 6334(d)".to_owned(),
                    instead: if terms.takes_all() {
                        "nothing was taken, because it has no amount of its own"
                    } else {
                        "the amount that was entered was used"
                    },
                }),
                Exempt::Instead(_, row) => Some(NotApplied::Unconfirmed {
                    key: key(row.year),
                    section: "26 USC 6334(d)".to_owned(),
                    instead: "the confirmed amounts of an earlier year were used",
                }),
            },
            _ => None,
        }
    }
}

/// Returns the figures that would apply to the garnishments if they were confirmed or in the tables, without duplicates.
pub fn not_applied<K>(pay: &Pay<'_>, garnishments: &[Garnishment<K>]) -> Vec<NotApplied> {
    let gross = pay.gross_of_period();
    let mut found = Vec::new();
    for garnishment in garnishments.iter().filter(|garnishment| !garnishment.has_ended(pay.law.check_date)) {
        let one = pay.law.not_applied(&garnishment.terms, garnishment.since, gross, pay.periods);
        for one in one.into_iter().chain(pay.law.fee_not_taken(&garnishment.terms)) {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// Whether a key identifies a figure in doubt in the built-in garnishment tables.
pub fn is_key(key: &str) -> bool {
    static KEYS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| in_doubt().into_iter().map(|(key, ..)| key).collect());
    KEYS.contains(key)
}

/// A figure in doubt in the built-in tables: its key, display name, confidence, source, and contents.
pub(crate) type InDoubt = (String, String, crate::taxes::Confidence, String, String);

/// Returns the figures in doubt in the built-in tables.
pub(crate) fn in_doubt() -> Vec<InDoubt> {
    let limits = GarnishmentLimits::built_in().iter().filter(|row| !row.confidence.is_enough());
    let limits = limits.map(|row| {
        let what = match row.kind {
            LimitKind::Creditor => "limit of creditors",
            LimitKind::StateLevy => "limit of tax levies",
        };
        let source = format!("{}: {}", row.section, row.source);
        (row.key(), format!("{} {what}", row.state), row.confidence, source, format!("{row:?}"))
    });
    let exempt = LevyExemptions::built_in().iter().filter(|row| !row.confidence.is_enough());
    let exempt = exempt.map(|row| {
        let name = format!("amounts of {} exempt from federal tax levies", row.year);
        (row.key(), name, row.confidence, row.source.clone(), format!("{row:?}"))
    });
    let fees = EmployerFees::built_in().iter().filter(|row| !row.confidence.is_enough());
    let fees = fees.map(|row| {
        let name = format!("{} fee of employers for {}", row.state, row.kind.as_str());
        let source = format!("{}: {}", row.section, row.source);
        (row.key(), name, row.confidence, source, format!("{row:?}"))
    });
    limits.chain(exempt).chain(fees).collect()
}
