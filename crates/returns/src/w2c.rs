//! Form W-2c: what is corrected of a Form W-2, box by box, and Form W-3c, the sums of both columns.
//!
//! Only boxes that differ are filled in. A changed address alone needs no form, and neither does a changed account with a state.
//!
//! Source: General Instructions for Forms W-2c and W-3c.

use std::collections::BTreeMap;

use rules::Named as _;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::line::add_cents;
use crate::w2::{Codes, MoneyBox, W2};

/// An amount that is corrected. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// number of the box, such as `1`, `12 D` or `16 NY`
    pub number: String,
    /// its title
    pub title: String,
    /// as it was reported, or corrected before
    pub reported: i64,
    /// as it is
    pub corrected: i64,
}

/// Form W-2c of a person.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct W2c {
    /// what was reported, or corrected before
    pub reported: W2,
    /// what is right
    pub corrected: W2,
}

impl W2c {
    /// The amounts that differ.
    pub fn changes(&self) -> Vec<Change> {
        let (before, after) = (keyed_amounts(&self.reported), keyed_amounts(&self.corrected));
        let mut all: BTreeMap<&Key, [i64; 2]> = BTreeMap::new();
        for (column, amounts) in [&before, &after].into_iter().enumerate() {
            for (key, cents) in amounts {
                all.entry(key).or_default()[column] = *cents;
            }
        }
        let changed = all.into_iter().filter(|(_, [reported, corrected])| reported != corrected);
        changed
            .map(|(key, [reported, corrected])| {
                let Key { number, title, .. } = key.clone();
                Change { number, title, reported, corrected }
            })
            .collect()
    }

    /// Whether the number or the name of the person is corrected (boxes d to g).
    pub fn corrects_identity(&self) -> bool {
        let of = |form: &W2| {
            let person = &form.person;
            let names = [&person.first_name, &person.middle_name, &person.last_name, &person.suffix];
            (person.ssn.clone(), names.map(|name| name.trim().to_uppercase()))
        };
        of(&self.reported) != of(&self.corrected)
    }

    /// The marks of box 13 that differ: title, as reported and corrected.
    pub fn marks(&self) -> Vec<(&'static str, bool, bool)> {
        let of = |form: &W2| {
            let person = &form.person;
            [person.is_statutory, person.has_retirement_plan, person.has_sick_pay]
        };
        let titles = ["Statutory employee", "Retirement plan", "Third-party sick pay"];
        let both = of(&self.reported).into_iter().zip(of(&self.corrected));
        titles
            .into_iter()
            .zip(both)
            .filter(|(_, (before, after))| before != after)
            .map(|(title, (before, after))| (title, before, after))
            .collect()
    }

    /// Whether the occupations of tips are corrected (box 14b).
    pub fn occupations_differ(&self) -> bool {
        self.reported.occupations != self.corrected.occupations
    }

    /// Whether anything is corrected.
    pub fn is_needed(&self) -> bool {
        self.corrects_identity() || !self.marks().is_empty() || !self.changes().is_empty()
    }
}

/// A box in the order of the form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    place: u8,
    number: String,
    title: String,
}

fn keyed_amounts(form: &W2) -> BTreeMap<Key, i64> {
    let key = |place, number: String, title: &str| Key { place, number, title: title.to_owned() };
    let mut all = BTreeMap::new();
    for (place, of) in (0_u8..).zip(MoneyBox::ALL) {
        all.insert(key(place, of.number().to_owned(), of.title()), form.amount(*of));
    }
    for (code, cents) in &form.box_12 {
        let title = Codes::built_in().get(code).map_or("", |code| code.title.as_str());
        all.insert(key(100, format!("12 {code}"), title), *cents);
    }
    for (text, cents) in &form.other {
        all.insert(key(101, "14a".to_owned(), text), *cents);
    }
    for one in &form.states {
        all.insert(key(102, format!("16 {}", one.state), "State wages, tips, etc."), one.taxed.wages);
        all.insert(key(103, format!("17 {}", one.state), "State income tax"), one.taxed.tax);
    }
    for one in &form.localities {
        let name = format!("{} {}", one.state, one.locality);
        all.insert(key(104, "18".to_owned(), &format!("{name}: local wages, tips, etc.")), one.taxed.wages);
        all.insert(key(105, "19".to_owned(), &format!("{name}: local income tax")), one.taxed.tax);
    }
    all
}

/// Form W-3c: the sums of the Forms W-2c of a year, of those boxes alone that any of them corrects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct W3c {
    /// number of Forms W-2c
    pub forms: u64,
    /// by number of the box: as reported, and corrected
    boxes: BTreeMap<String, [i64; 2]>,
}

impl W3c {
    /// Adds a Form W-2c.
    ///
    /// # Errors
    /// A sum is too large.
    pub fn add_form(&mut self, form: &W2c) -> Result<(), Error> {
        for change in form.changes() {
            let [reported, corrected] = self.boxes.entry(change.number).or_default();
            add_cents(reported, change.reported, "a box of Form W-3c")?;
            add_cents(corrected, change.corrected, "a box of Form W-3c")?;
        }
        self.forms += 1;
        Ok(())
    }

    /// The boxes: number, as reported and corrected.
    pub fn boxes(&self) -> impl Iterator<Item = (&str, i64, i64)> {
        self.boxes.iter().map(|(number, [reported, corrected])| (number.as_str(), *reported, *corrected))
    }
}
