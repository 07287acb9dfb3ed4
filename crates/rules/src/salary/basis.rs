//! Inputs of an estimate, and its calculation.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{Level, Wage, Wages};
use crate::amount::{Amount, Rounding};
use crate::explain::{NoTrace, Operation, Step, Trace, Value};
use crate::full_time::HOURS_PER_YEAR;

/// Kinds of area for which wages are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum AreaKind {
    /// The nation.
    #[strum(serialize = "national")]
    National,
    /// A state or territory.
    #[strum(serialize = "state")]
    State,
    /// A metropolitan area.
    #[strum(serialize = "metropolitan")]
    Metropolitan,
    /// The rest of a state, or part of it.
    #[strum(serialize = "nonmetropolitan")]
    Nonmetropolitan,
}

/// An area for which wages are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    /// Seven-digit OEWS code.
    pub code: String,
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: AreaKind,
}

/// An occupation of an estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupation {
    /// SOC code with hyphen
    pub code: String,
    /// Title.
    pub name: String,
    /// Description; may be empty.
    pub description: String,
    /// SOC code under which its wages are published, which may combine several occupations
    pub published_as: String,
    /// Experience level.
    pub level: Level,
    /// Share of working time, from 0 to 1.
    pub share: Amount,
    /// Whether it is the primary occupation.
    pub primary: bool,
    /// Wages in each area of the basis; `None` where nothing is published.
    pub wages: Vec<Option<Wages>>,
}

/// All inputs of an estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// Vintage of the wage statistics.
    pub vintage: String,
    /// SHA-256 of the vintage
    pub checksum: String,
    /// Dollars per year of a top-coded wage.
    pub floor: u32,
    /// Whether the ZIP code belongs to an area with published wages; otherwise the state comes first.
    pub in_area: bool,
    /// Areas in order of preference.
    pub areas: Vec<Area>,
    /// Occupations in the order of the request.
    pub occupations: Vec<Occupation>,
}

/// The wage used for an occupation, and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Index into [`Basis::areas`].
    pub area: usize,
    /// As published.
    pub wage: Wage,
}

/// The result if one occupation had the next lower or higher level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternative {
    /// The other level.
    pub level: Level,
    /// The result with it.
    pub result: Amount,
}

impl Occupation {
    /// Returns the wage at a level from the first area that publishes one.
    pub fn wage_at(&self, level: Level) -> Option<Finding> {
        let wages = self.wages.iter().enumerate();
        let mut found =
            wages.filter_map(|(area, wages)| Some(Finding { area, wage: (*wages)?[level.place()]? }));
        found.next()
    }

    /// Formats wage times share of time as exact decimal text.
    pub fn product_text(&self, wage: Wage, floor: u32) -> String {
        let product = exact_product(self.share, wage.dollars_per_year(floor));
        let fraction = format!("{:08}", product % PRODUCT);
        let needed = fraction.trim_end_matches('0').len().max(2);
        format!("{}.{}", product / PRODUCT, &fraction[..needed])
    }

    /// Returns a copy of the occupation at another level.
    fn at_level(&self, level: Level) -> Self {
        Self { level, ..self.clone() }
    }
}

impl Basis {
    /// Returns the estimate in dollars per year, in whole cents. `None` if no wage is published for an
    /// occupation at its level, or on overflow.
    pub fn estimated_salary(&self) -> Option<Amount> {
        self.explain_estimate(&mut NoTrace)
    }

    /// Like [`Basis::estimated_salary`], recording an explanation.
    pub fn explain_estimate<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let found: Option<Vec<Finding>> =
            self.occupations.iter().map(|occupation| occupation.wage_at(occupation.level)).collect();
        let found = found?;
        trace.open_figure();
        let mut sum = 0_i128;
        for (place, (occupation, finding)) in self.occupations.iter().zip(&found).enumerate() {
            sum =
                sum.checked_add(exact_product(occupation.share, finding.wage.dollars_per_year(self.floor)))?;
            self.explain_occupation(trace, place, occupation, *finding);
        }
        let result = Amount::from_cents_ratio(sum, PRODUCT / 100, Rounding::HalfUp)?;
        trace.close_figure(|| {
            let step = Step::new("result", Operation::Sum, result)
                .rounded("0.01", Rounding::HalfUp)
                .note("dollars a year: the wages of the occupations, each for its part of the time")
                .source("26 CFR 1.162-7(b)(3)");
            self.occupations.iter().zip(&found).enumerate().fold(
                step,
                |step, (place, (occupation, finding))| {
                    step.input(
                        figure_name(place),
                        exact_value(occupation.share, finding.wage.dollars_per_year(self.floor)),
                    )
                },
            )
        });
        Some(result)
    }

    /// Explains one occupation: its wage times its share of time.
    fn explain_occupation<T: Trace>(
        &self,
        trace: &mut T,
        place: usize,
        occupation: &Occupation,
        finding: Finding,
    ) {
        let yearly = finding.wage.dollars_per_year(self.floor);
        trace.open_figure();
        trace.add_leaf(|| {
            let step = match finding.wage {
                Wage::Yearly(_) => Step::new("yearly_wage", Operation::Given, yearly),
                Wage::Hourly(cents) => Step::new("yearly_wage", Operation::Product, yearly)
                    .input("hourly_wage", Amount::from_cents(i64::from(cents)))
                    .ratio("hours_of_a_year", HOURS_PER_YEAR, 1),
                Wage::AtLeast => Step::new("yearly_wage", Operation::Given, yearly),
            };
            let area = &self.areas[finding.area];
            step.input("occupation", occupation.published_as.clone())
                .input("area", format!("{} {}", area.code, area.name))
                .input("percentile", occupation.level.percentile().to_string())
                .note(self.reason_for_wage(occupation, finding))
                .source(format!(
                    "Bureau of Labor Statistics, Occupational Employment and Wage Statistics, {}",
                    self.vintage
                ))
        });
        trace.close_figure(|| {
            Step::new(figure_name(place), Operation::Product, exact_value(occupation.share, yearly))
                .input("occupation", format!("{} {}", occupation.code, occupation.name))
                .input("yearly_wage", yearly)
                .input("time_percentage", occupation.share)
        });
    }

    /// Explains in prose why this wage of this area was used.
    pub fn reason_for_wage(&self, occupation: &Occupation, finding: Finding) -> String {
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

    /// Returns the results with the occupation at index `place` one level lower and one higher. `None` if
    /// there is no such level, or no wage is published for it.
    pub fn alternative_estimates(&self, place: usize) -> [Option<Alternative>; 2] {
        let Some(occupation) = self.occupations.get(place) else { return [None, None] };
        [occupation.level.lower_level(), occupation.level.higher_level()].map(|level| {
            let level = level?;
            let mut moved = self.clone();
            moved.occupations[place] = occupation.at_level(level);
            Some(Alternative { level, result: moved.estimated_salary()? })
        })
    }
}

/// Scale of exact products: millionths of working time times cents.
const PRODUCT: i128 = 100_000_000;

fn exact_product(share: Amount, yearly: Amount) -> i128 {
    i128::from(share.millionths()) * i128::from(yearly.cents_half_up())
}

/// Returns the product as an amount if it is exact to the millionth, otherwise as a fraction.
fn exact_value(share: Amount, yearly: Amount) -> Value {
    let product = exact_product(share, yearly);
    match i64::try_from(product / 100) {
        Ok(millionths) if product % 100 == 0 => Value::Amount(Amount::from_millionths(millionths)),
        _ => Value::Ratio(product, PRODUCT),
    }
}

fn figure_name(place: usize) -> String {
    format!("occupation_{}", place + 1)
}
