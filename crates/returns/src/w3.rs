//! Form W-3, the sum of the Forms W-2 of an employer.

use std::collections::BTreeMap;

use rules::Named as _;

use crate::Error;
use crate::line::add_cents;
use crate::payment::Taxed;
use crate::w2::{Codes, MoneyBox, W2};

/// Form W-3 of a year. Forms W-2 are added one by one, so memory does not grow with their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct W3 {
    /// the year
    pub year: i16,
    /// box c: number of Forms W-2; a person with several papers counts once, as in the file
    pub forms: u64,
    /// number of payments in all of them
    pub payments: u64,
    /// amounts by code of box 12
    pub box_12: BTreeMap<String, i64>,
    /// boxes 16 and 17, by state
    pub states: BTreeMap<String, Taxed>,
    boxes: BTreeMap<MoneyBox, i64>,
}

impl W3 {
    /// Begins at zero.
    pub fn new(year: i16) -> Self {
        Self {
            year,
            forms: 0,
            payments: 0,
            box_12: BTreeMap::new(),
            states: BTreeMap::new(),
            boxes: BTreeMap::new(),
        }
    }

    /// Adds a Form W-2.
    ///
    /// # Errors
    /// It is of another year, or a sum is too large.
    pub fn add_form(&mut self, form: &W2) -> Result<(), Error> {
        if form.year != self.year {
            return Err(Error::Year { what: "Form W-2", year: form.year, known: vec![self.year] });
        }
        for of in MoneyBox::ALL {
            add_cents(self.boxes.entry(*of).or_default(), form.amount(*of), "a box of Form W-3")?;
        }
        for (code, cents) in &form.box_12 {
            add_cents(self.box_12.entry(code.clone()).or_default(), *cents, "a code of box 12")?;
        }
        for one in &form.states {
            let sum = self.states.entry(one.state.clone()).or_default();
            add_cents(&mut sum.wages, one.taxed.wages, "wages of a state")?;
            add_cents(&mut sum.tax, one.taxed.tax, "tax of a state")?;
        }
        self.forms += 1;
        self.payments += form.payments;
        Ok(())
    }

    /// Returns the amount of a box.
    pub fn amount(&self, of: MoneyBox) -> i64 {
        self.boxes.get(&of).copied().unwrap_or_default()
    }

    /// Returns the amount of a code of box 12.
    pub fn code(&self, code: &str) -> i64 {
        self.box_12.get(code).copied().unwrap_or_default()
    }

    /// Box 12a: deferred compensation, the sum of the codes that the instructions name.
    pub fn deferred_compensation(&self) -> i64 {
        let codes = Codes::built_in();
        let counted = self.box_12.iter().filter(|(code, _)| codes.get(code).is_some_and(|code| code.in_12a));
        counted.map(|(_, cents)| cents).sum()
    }
}
