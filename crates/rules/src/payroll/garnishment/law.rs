//! The law that applies to a pay: which limit of which state governs a garnishment other than support.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::fees::{EmployerFee, EmployerFees, FeeKind};
use super::levy::{LevyExemption, LevyExemptions, TaxLevy, WITHOUT_STATEMENT, key_of_year};
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
    /// The hours of a salary are not known, of which a fee must leave the minimum wage; it counts as that of 40 hours a week.
    HoursOfFee,
    /// The exempt amounts of a year are not in the table yet, and those of an earlier year are used.
    EarlierYear {
        /// The year.
        year: i16,
        /// The year that is used.
        used: i16,
    },
    /// The exempt amounts of no year are in the table.
    YearNotHeld {
        /// The year.
        year: i16,
    },
    /// No limit of a state's tax levies is known, and the federal limit on creditors is used.
    NoStateLimit {
        /// The state that levies.
        state: String,
    },
}

/// The amounts exempt from a federal levy.
pub(super) enum Exempt<'a> {
    /// Known.
    Known(&'a LevyExemption),
    /// Not in the table for the year; these are from the nearest year that is.
    Earlier(&'a LevyExemption, i16),
    /// In the table for no year.
    NotHeld(i16),
    /// In the table, but not confirmed, as those of every year before; they are used all the same.
    Unconfirmed(&'a LevyExemption),
    /// In the table (second), but not confirmed; an earlier year's (first) are used.
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
        self.limit_of_state(&self.state, LimitKind::Creditor, gross, periods)
    }

    /// Returns the limit on a state's tax levies.
    pub(super) fn state_levy(&self, state: &str, gross: i64, periods: PeriodsPaid) -> Held<'_> {
        self.limit_of_state(state, LimitKind::StateLevy, gross, periods)
    }

    fn limit_of_state(&self, state: &str, kind: LimitKind, gross: i64, periods: PeriodsPaid) -> Held<'_> {
        let (weeks, of) = periods.of_year(WEEKS_PER_YEAR);
        let weekly = Amount::from_cents(gross).mul_ratio(of, weeks, Rounding::HalfUp);
        let weekly = weekly.unwrap_or(crate::amount::MAX_AMOUNT);
        match self.limits.limit_of_state(state, kind, self.check_date, weekly, &self.minimum_wages) {
            Some(limit) if !limit.is_applicable(&self.confirmed) => Held::Unconfirmed(limit),
            Some(limit) if limit.rule != LimitRule::Federal => Held::Counts(limit),
            _ => Held::None,
        }
    }

    /// Returns the exempt amounts of a federal levy that was served on a day. Whatever is missing, an exempt amount stays with the
    /// employee: the nearest year's amounts stand in for those that are not held, the newest before it first, and amounts that are not
    /// confirmed for those of which none is.
    pub(super) fn exempt_amounts(&self, levy: &TaxLevy, served: Date) -> Exempt<'a> {
        let year = levy.year.unwrap_or_else(|| served.year());
        // A missing additional amount must not count as zero, so nothing of that year is applied.
        let is_whole = |row: &&LevyExemption| levy.additional == 0 || row.additional.is_some();
        let of_status = || {
            let rows = self.levy_exemptions.iter().filter(|row| row.filing_status == levy.filing_status);
            rows.filter(is_whole)
        };
        let confirmed = || of_status().filter(|row| row.is_applicable(&self.confirmed));
        let before = || confirmed().filter(|row| row.year < year).max_by_key(|row| row.year);
        match of_status().find(|row| row.year == year) {
            Some(row) if row.is_applicable(&self.confirmed) => Exempt::Known(row),
            Some(row) => before().map_or(Exempt::Unconfirmed(row), |used| Exempt::Instead(used, row)),
            None => {
                let after = || confirmed().min_by_key(|row| row.year);
                before().or_else(after).map_or(Exempt::NotHeld(year), |row| Exempt::Earlier(row, year))
            }
        }
    }

    /// Returns the state whose law limits a state's tax levy: the one that levies, else that of work.
    pub(super) fn levying_state<'s>(&'s self, levy: Option<&'s TaxLevy>) -> &'s str {
        levy.and_then(|levy| levy.state.as_deref()).unwrap_or(&self.state)
    }

    /// Returns why a fee that the employer requests is not taken: it is not in the table, or not confirmed.
    fn fee_not_taken(&self, terms: &GarnishmentTerms) -> Option<NotApplied> {
        let kind = FeeKind::of_garnishment(terms).filter(|_| terms.employer_fee)?;
        let state = self.state.clone();
        match self.fees.fee_of_state(&self.state, kind, self.check_date) {
            None => Some(NotApplied::Fee { state, key: None }),
            Some(row) if row.is_applicable(&self.confirmed) => None,
            Some(row) => Some(NotApplied::Fee { state, key: Some(row.key()) }),
        }
    }

    /// Returns the rule by which the employer takes a fee for a garnishment; `None` if none is requested, known or confirmed.
    pub(super) fn applicable_fee(&self, terms: &GarnishmentTerms) -> Option<&EmployerFee> {
        let kind = FeeKind::of_garnishment(terms).filter(|_| terms.employer_fee)?;
        let row = self.fees.fee_of_state(&self.state, kind, self.check_date)?;
        row.is_applicable(&self.confirmed).then_some(row)
    }

    /// Returns the most that the employer can take as a fee for a garnishment, in cents; `None` if no fee is taken.
    fn largest_fee(&self, terms: &GarnishmentTerms, gross: i64, periods: PeriodsPaid) -> Option<i64> {
        let row = self.applicable_fee(terms)?;
        [true, false].into_iter().map(|is_first| row.cents(is_first, gross, periods.frequency)).max()
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
            (GarnishmentType::StateTaxLien, levy) => {
                let state = self.levying_state(levy.as_ref());
                match self.state_levy(state, gross, periods) {
                    Held::Unconfirmed(limit) => {
                        Some(unconfirmed(limit, "the federal limit on creditors was used"))
                    }
                    Held::None => Some(NotApplied::NoStateLimit { state: state.to_owned() }),
                    Held::Counts(_) => None,
                }
            }
            (GarnishmentType::FederalTaxLien, levy) => {
                match self.exempt_amounts(levy.as_ref().unwrap_or(&WITHOUT_STATEMENT), since) {
                    Exempt::Known(_) => None,
                    Exempt::Earlier(row, year) => Some(NotApplied::EarlierYear { year, used: row.year }),
                    Exempt::NotHeld(year) => Some(NotApplied::YearNotHeld { year }),
                    Exempt::Unconfirmed(row) => Some(NotApplied::Unconfirmed {
                        key: key_of_year(row.year),
                        section: "26 USC 6334(d)".to_owned(),
                        instead: "it was used all the same, because no earlier one is confirmed",
                    }),
                    Exempt::Instead(_, row) => Some(NotApplied::Unconfirmed {
                        key: key_of_year(row.year),
                        section: "26 USC 6334(d)".to_owned(),
                        instead: "the confirmed amounts of an earlier year were used",
                    }),
                }
            }
            _ => None,
        }
    }
}

/// Returns the figures that would apply to the garnishments if they were confirmed or in the tables, without duplicates.
pub fn not_applied<K>(pay: &Pay<'_>, garnishments: &[Garnishment<K>]) -> Vec<NotApplied> {
    let gross = pay.gross_of_period();
    // What the presumed hours leave for fees. Hours that cannot matter are not asked for.
    let spare = pay.free_and_clear.filter(|held| held.presumed);
    let spare = spare.and_then(|held| held.wages.checked_sub(held.required));
    let mut found = Vec::new();
    for garnishment in garnishments.iter().filter(|garnishment| !garnishment.has_ended(pay.law.check_date)) {
        let terms = &garnishment.terms;
        let one = pay.law.not_applied(terms, garnishment.since, gross, pay.periods);
        let cuts = |spare: Amount| {
            let largest = pay.law.largest_fee(terms, gross, pay.periods);
            largest.is_some_and(|largest| spare < Amount::from_cents(largest))
        };
        let hours = spare.is_some_and(cuts).then_some(NotApplied::HoursOfFee);
        for one in one.into_iter().chain(pay.law.fee_not_taken(terms)).chain(hours) {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// Returns the keys of the figures in doubt in tables of garnishments.
pub fn keys_in_doubt(
    limits: &GarnishmentLimits,
    exempt: &LevyExemptions,
    fees: &EmployerFees,
) -> BTreeSet<String> {
    in_doubt(limits, exempt, fees).into_iter().map(|(key, ..)| key).collect()
}

/// A figure in doubt: its key, display name, confidence, source, and contents.
pub(crate) type InDoubt = (String, String, crate::taxes::Confidence, String, String);

/// Returns the figures in doubt.
pub(crate) fn in_doubt(
    limits: &GarnishmentLimits,
    exempt: &LevyExemptions,
    fees: &EmployerFees,
) -> Vec<InDoubt> {
    let limits = limits.iter().filter(|row| !row.confidence.is_enough());
    let limits = limits.map(|row| {
        let what = match row.kind {
            LimitKind::Creditor => "limit of creditors",
            LimitKind::StateLevy => "limit of tax levies",
        };
        let source = format!("{}: {}", row.section, row.source);
        (row.key(), format!("{} {what}", row.state), row.confidence, source, format!("{row:?}"))
    });
    let exempt = exempt.iter().filter(|row| !row.confidence.is_enough());
    let exempt = exempt.map(|row| {
        let name = format!("amounts of {} exempt from federal tax levies", row.year);
        (row.key(), name, row.confidence, row.source.clone(), format!("{row:?}"))
    });
    let fees = fees.iter().filter(|row| !row.confidence.is_enough());
    let fees = fees.map(|row| {
        let name = format!("{} fee of employers for {}", row.state, row.kind.as_str());
        let source = format!("{}: {}", row.section, row.source);
        (row.key(), name, row.confidence, source, format!("{row:?}"))
    });
    limits.chain(exempt).chain(fees).collect()
}
