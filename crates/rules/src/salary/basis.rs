//! What an estimate rests on, and what follows from it.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{HOURS, Level, Wage, Wages};
use crate::amount::{Amount, Rounding};
use crate::explain::{NoTrace, Operation, Step, Trace, Value};

/// Kinds of areas for which wages are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum AreaKind {
    /// the whole nation
    #[strum(serialize = "national")]
    National,
    /// a state or territory
    #[strum(serialize = "state")]
    State,
    /// a metropolitan area
    #[strum(serialize = "metropolitan")]
    Metropolitan,
    /// the rest of a state, or a part of it
    #[strum(serialize = "nonmetropolitan")]
    Nonmetropolitan,
}

/// An area for which wages are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    /// seven digits
    pub code: String,
    /// its name
    pub name: String,
    /// its kind
    pub kind: AreaKind,
}

/// One of the occupations of an estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupation {
    /// of the Standard Occupational Classification, with a hyphen
    pub code: String,
    /// its title
    pub name: String,
    /// what people in it do; may be empty
    pub description: String,
    /// the code under which its wages are published: its own, or that of a combination which it is a part of
    pub published_as: String,
    /// how experienced the owner is in it
    pub level: Level,
    /// part of the time, from 0 to 1
    pub share: Amount,
    /// whether it is the main one
    pub primary: bool,
    /// its wages in each of the basis's areas; `None` where none at all are published
    pub wages: Vec<Option<Wages>>,
}

/// Everything that an estimate rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// name of the wage statistics' vintage
    pub vintage: String,
    /// SHA-256 of it
    pub checksum: String,
    /// the wage in dollars a year that "at least" stands for
    pub floor: u32,
    /// whether the ZIP code lies in an area of its own; otherwise the state comes first
    pub in_area: bool,
    /// where wages are looked for, in this order
    pub areas: Vec<Area>,
    /// in the order in which they were sent
    pub occupations: Vec<Occupation>,
}

/// The wage that counts for an occupation, and where it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// place in the basis's areas
    pub area: usize,
    /// as published
    pub wage: Wage,
}

/// The result with one occupation's level moved by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternative {
    /// the level instead
    pub level: Level,
    /// the result then
    pub result: Amount,
}

impl Occupation {
    /// The wage at a level: that of the first area that has one.
    pub fn wage_at(&self, level: Level) -> Option<Finding> {
        let wages = self.wages.iter().enumerate();
        let mut found =
            wages.filter_map(|(area, wages)| Some(Finding { area, wage: (*wages)?[level.place()]? }));
        found.next()
    }

    /// A wage times the part of the time, as exact decimal text.
    pub fn product_text(&self, wage: Wage, floor: u32) -> String {
        let product = product(self.share, wage.yearly(floor));
        let fraction = format!("{:08}", product % PRODUCT);
        let needed = fraction.trim_end_matches('0').len().max(2);
        format!("{}.{}", product / PRODUCT, &fraction[..needed])
    }

    /// The same occupation at another level.
    fn at(&self, level: Level) -> Self {
        Self { level, ..self.clone() }
    }
}

impl Basis {
    /// The estimate in dollars a year, whole cents. `None` where no wage is published for an occupation at its level,
    /// not even for the nation, or where the shares are far beyond 1.
    pub fn result(&self) -> Option<Amount> {
        self.explain(&mut NoTrace)
    }

    /// As [`Basis::result`], telling how it comes about.
    pub fn explain<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let found: Option<Vec<Finding>> =
            self.occupations.iter().map(|occupation| occupation.wage_at(occupation.level)).collect();
        let found = found?;
        trace.open();
        let mut sum = 0_i128;
        for (place, (occupation, finding)) in self.occupations.iter().zip(&found).enumerate() {
            sum = sum.checked_add(product(occupation.share, finding.wage.yearly(self.floor)))?;
            self.explain_occupation(trace, place, occupation, *finding);
        }
        let result = Amount::from_cents_ratio(sum, PRODUCT / 100, Rounding::HalfUp)?;
        trace.close(|| {
            let step = Step::new("result", Operation::Sum, result)
                .rounded("0.01", Rounding::HalfUp)
                .note("dollars a year: the wages of the occupations, each for its part of the time")
                .source("26 CFR 1.162-7(b)(3)");
            self.occupations.iter().zip(&found).enumerate().fold(
                step,
                |step, (place, (occupation, finding))| {
                    step.input(figure(place), exact(occupation.share, finding.wage.yearly(self.floor)))
                },
            )
        });
        Some(result)
    }

    /// One occupation: its wage, and the part of the time for which it counts.
    fn explain_occupation<T: Trace>(
        &self,
        trace: &mut T,
        place: usize,
        occupation: &Occupation,
        finding: Finding,
    ) {
        let yearly = finding.wage.yearly(self.floor);
        trace.open();
        trace.leaf(|| {
            let step = match finding.wage {
                Wage::Yearly(_) => Step::new("yearly_wage", Operation::Given, yearly),
                Wage::Hourly(cents) => Step::new("yearly_wage", Operation::Product, yearly)
                    .input("hourly_wage", Amount::from_cents(i64::from(cents)))
                    .ratio("hours_of_a_year", HOURS, 1),
                Wage::AtLeast => Step::new("yearly_wage", Operation::Given, yearly),
            };
            let area = &self.areas[finding.area];
            step.input("occupation", occupation.published_as.clone())
                .input("area", format!("{} {}", area.code, area.name))
                .input("percentile", occupation.level.percentile().to_string())
                .note(self.why(occupation, finding))
                .source(format!(
                    "Bureau of Labor Statistics, Occupational Employment and Wage Statistics, {}",
                    self.vintage
                ))
        });
        trace.close(|| {
            Step::new(figure(place), Operation::Product, exact(occupation.share, yearly))
                .input("occupation", format!("{} {}", occupation.code, occupation.name))
                .input("yearly_wage", yearly)
                .input("time_percentage", occupation.share)
        });
    }

    /// Why this wage of this area, in a sentence or several.
    pub fn why(&self, occupation: &Occupation, finding: Finding) -> String {
        let mut said = Vec::new();
        if occupation.published_as != occupation.code {
            said.push(format!(
                "Wages of {} are published together with others, as {}.",
                occupation.code, occupation.published_as
            ));
        }
        if !self.in_area {
            said.push("The ZIP code lies in no area with wages of its own.".to_owned());
        }
        for (area, wages) in self.areas.iter().zip(&occupation.wages).take(finding.area) {
            said.push(match wages {
                None => format!("No wages are published for {}.", area.name),
                Some(_) => format!("No wage at this percentile is published for {}.", area.name),
            });
        }
        said.push(format!("The wage of {} counts.", self.areas[finding.area].name));
        match finding.wage {
            Wage::Yearly(_) => {}
            Wage::Hourly(_) => said.push("Only an hourly wage is published: times 2,080 hours.".to_owned()),
            Wage::AtLeast => said.push(
                "Only a floor is published, that the wage is at least so much: the floor counts.".to_owned(),
            ),
        }
        said.join(" ")
    }

    /// The results with the occupation at `place` one level lower and one higher, all else the same. `None` beyond the
    /// lowest and highest level, and where no wage is published.
    pub fn sensitivity(&self, place: usize) -> [Option<Alternative>; 2] {
        let Some(occupation) = self.occupations.get(place) else { return [None, None] };
        [occupation.level.lower(), occupation.level.higher()].map(|level| {
            let level = level?;
            let mut moved = self.clone();
            moved.occupations[place] = occupation.at(level);
            Some(Alternative { level, result: moved.result()? })
        })
    }
}

/// Products are exact in this part of a dollar: millionths of the time times cents.
const PRODUCT: i128 = 100_000_000;

fn product(share: Amount, yearly: Amount) -> i128 {
    i128::from(share.millionths()) * i128::from(yearly.cents_half_up())
}

/// A product, as an amount where one can hold it and else as the fraction that it is.
fn exact(share: Amount, yearly: Amount) -> Value {
    let product = product(share, yearly);
    match i64::try_from(product / 100) {
        Ok(millionths) if product % 100 == 0 => Value::Amount(Amount::from_millionths(millionths)),
        _ => Value::Ratio(product, PRODUCT),
    }
}

fn figure(place: usize) -> String {
    format!("occupation_{}", place + 1)
}
