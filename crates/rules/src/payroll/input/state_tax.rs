//! How a state's income tax is determined from the tables and an employee's certificate.

use std::collections::BTreeSet;

use super::Payroll;
use crate::amount::Amount;
use crate::taxes::{
    LivesAt, SupplementalRates, SupplementalTable, TaxTable, county_within_state_tax, is_of_unknown_county,
    supplemental_key,
};
use crate::withholding::state::formula::{Claims, Formula, Formulas, Unusable};
use crate::withholding::state::{Answer, StateTables};

/// The tables that determine the income tax of a state.
#[derive(Debug, Clone, Copy)]
pub struct StateTaxTables<'a, 'c> {
    /// Formulas for regular wages.
    pub formulas: &'a Formulas,
    /// Certificates.
    pub certificates: &'c StateTables,
    /// Rates for supplemental wages.
    pub supplemental: &'a SupplementalTable,
    /// Local taxes, for the counties whose tax is part of a state's.
    pub local: &'c TaxTable,
    /// Keys of doubtful figures that the operator has confirmed.
    pub confirmed: &'c BTreeSet<String>,
}

impl StateTaxTables<'static, 'static> {
    /// Returns the built-in tables, with no doubtful figure confirmed.
    pub fn built_in() -> Self {
        static NOTHING: BTreeSet<String> = BTreeSet::new();
        Self {
            formulas: Formulas::built_in(),
            certificates: StateTables::built_in(),
            supplemental: SupplementalTable::built_in(),
            local: TaxTable::built_in_local(),
            confirmed: &NOTHING,
        }
    }
}

impl<'a> StateTaxTables<'a, '_> {
    /// Returns the state's rates for supplemental wages, if the payroll withholds at such rates and they may be used.
    fn supplemental_rates(&self, payroll: &Payroll<'_>, state: &str) -> Option<SupplementalRates<'a>> {
        self.usable_rates(
            self.supplemental
                .rates_of_state(state, payroll.check_date)
                .filter(|_| payroll.fixed_withholding_rate)?,
        )
    }

    /// Returns the state's rates for bonuses paid together with regular wages, if it has such rates and they may be used.
    fn rates_beside_wages(&self, payroll: &Payroll<'_>, state: &str) -> Option<SupplementalRates<'a>> {
        self.usable_rates(self.supplemental.beside_wages(state, payroll.check_date)?)
    }

    fn usable_rates(&self, rates: SupplementalRates<'a>) -> Option<SupplementalRates<'a>> {
        let key = supplemental_key(rates.state());
        (rates.confidence().is_enough() || self.confirmed.contains(&key)).then_some(rates)
    }
}

/// The employee's facts, apart from the certificate, that a state's income tax depends on.
#[derive(Debug, Clone, Copy)]
pub struct Taxpayer<'h> {
    /// The state, two letters.
    pub state: &'h str,
    /// Home on the last day of the pay period.
    pub home: Option<&'h LivesAt>,
}

impl<'h, S: AsRef<str> + ?Sized> From<&'h S> for Taxpayer<'h> {
    fn from(state: &'h S) -> Self {
        let state = state.as_ref();
        Self { state, home: None }
    }
}

/// How the income tax of a state is determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateTax<'a> {
    /// By the state's formula.
    Formula {
        /// Formula for the pay date and the withholding period.
        formula: &'a Formula,
        /// The employee's certificate.
        claims: Claims,
        /// Rates that bonuses bear in place of the formula.
        of_bonuses: Option<SupplementalRates<'a>>,
    },
    /// At the state's rates for supplemental wages.
    Supplemental {
        /// The formula for regular wages.
        formula: &'a Formula,
        /// The state's rates.
        rates: SupplementalRates<'a>,
        /// The employee's certificate, for the county's tax that is withheld with the state's (Maryland).
        claims: Claims,
    },
    /// The state does not tax wages.
    NoTax {
        /// Two-letter code.
        state: String,
    },
    /// Nothing is withheld for the state, though it taxes wages.
    NotWithheld {
        /// Two-letter code.
        state: String,
        /// The formula for the pay date, with the employee's certificate: local taxes may be based on wages after its
        /// exemptions. `None` if no usable formula exists.
        formula: Option<(&'a Formula, Claims)>,
    },
    /// Amount supplied by the partner.
    Supplied {
        /// Two-letter code.
        state: String,
        /// Dollars for the pay period.
        amount: Amount,
    },
    /// No applicable formula; nothing is withheld, with a warning.
    Missing {
        /// Two-letter code.
        state: String,
        /// Reason, for people.
        reason: String,
    },
}

impl<'a> StateTax<'a> {
    /// Returns the same state, with nothing withheld for it.
    pub fn not_withheld(self) -> Self {
        let state = self.state().to_owned();
        let formula = match self {
            Self::Formula { formula, claims, .. } => Some((formula, claims)),
            _ => None,
        };
        Self::NotWithheld { state, formula }
    }

    /// Returns the two-letter code; empty without a work address.
    pub fn state(&self) -> &str {
        match self {
            Self::Formula { formula, .. } | Self::Supplemental { formula, .. } => &formula.state,
            Self::NoTax { state }
            | Self::NotWithheld { state, .. }
            | Self::Supplied { state, .. }
            | Self::Missing { state, .. } => state,
        }
    }

    /// Returns the amount that the employee asked to withhold in addition to the state's formula.
    pub fn additional_withholding(&self) -> Amount {
        match self {
            Self::Formula { claims, .. } => claims.additional_withholding(),
            _ => Amount::ZERO,
        }
    }

    /// Returns the percentage at which the tax of a county that is not known is withheld with the state's; `None` if the county is known,
    /// or there is no such tax.
    pub fn assumed_county_percent(&self) -> Option<Amount> {
        let (Self::Formula { claims, .. } | Self::Supplemental { claims, .. }) = self else { return None };
        let is_assumed = !claims.is_exempt() && claims.county().is_some_and(is_of_unknown_county);
        is_assumed.then(|| claims.highest_county_percent()).flatten()
    }

    /// Whether retirement deferrals are wages of the state.
    pub fn counts_deferrals(&self) -> bool {
        match self {
            Self::Formula { formula, .. } | Self::Supplemental { formula, .. } => {
                formula.retirement_deferrals_are_wages
            }
            _ => false,
        }
    }

    /// Determines the income tax of a state: none in a state that does not tax wages, the supplied amount if
    /// there is one, otherwise by the state's rate for supplemental wages or its formula if applicable. A doubtful rate
    /// counts only if the operator has confirmed it.
    ///
    /// `answer` returns the employee's answer to the question with the given key on the state's certificate.
    pub fn find_state_tax<'h>(
        tables: StateTaxTables<'a, '_>,
        payroll: &Payroll<'_>,
        taxpayer: impl Into<Taxpayer<'h>>,
        answer: impl Fn(&str) -> Option<Answer>,
        supplied: Option<Amount>,
    ) -> Self {
        let Taxpayer { state, home } = taxpayer.into();
        let certificate = tables.certificates.get(state);
        let state = state.to_owned();
        if certificate.is_some_and(|certificate| !certificate.wage_tax) {
            return Self::NoTax { state };
        }
        if let Some(amount) = supplied {
            return Self::Supplied { state, amount };
        }
        let found = tables.formulas.find_formula(
            &state,
            payroll.check_date,
            payroll.days(),
            payroll.withholding_period,
        );
        let claims = found.and_then(|formula| {
            let certificate = certificate.ok_or(Unusable::NotHeld)?;
            let nowhere = LivesAt::default();
            let county = formula.includes_county().then(|| {
                county_within_state_tax(tables.local, &state, home.unwrap_or(&nowhere), payroll.check_date)
            });
            Ok((formula, formula.resolve_claims(certificate, answer, county.flatten().as_ref())?))
        });
        match claims {
            Ok((formula, claims)) => match tables.supplemental_rates(payroll, &state) {
                Some(rates) => Self::Supplemental { formula, rates, claims },
                None => {
                    let of_bonuses = tables.rates_beside_wages(payroll, &state);
                    Self::Formula { formula, claims, of_bonuses }
                }
            },
            Err(why) => Self::Missing { state, reason: why.to_string() },
        }
    }
}
