//! Explanations: how a calculation arrived at its result, as a tree from which it can be recomputed.
//!
//! A calculation takes a [`Trace`]. [`NoTrace`] records nothing and costs nothing; [`Recorder`] builds a tree
//! of [`Node`]s. A node is one figure: its operation, named inputs, rounding and legal source. An input that
//! is itself a figure is explained by the node of the same name in [`Node::because`].
//!
//! The tree is self-contained: [`Operation`] is a closed list, so readers and tests can recompute every
//! figure. Explanations are recomputed on demand, never stored.
//!
//! ```
//! use rules::explain::{Operation, Recorder, Step, Trace};
//! use rules::{Amount, Rounding};
//!
//! fn half<T: Trace>(trace: &mut T, earnings: Amount) -> Option<Amount> {
//!     trace.open_figure();
//!     let half = earnings.mul_ratio(50, 100, Rounding::Down)?.round_to_cents(Rounding::Down);
//!     trace.close_figure(|| {
//!         Step::new("limit", Operation::Product, half)
//!             .input("disposable_earnings", earnings)
//!             .ratio("share", 50, 100)
//!             .rounded("0.01", Rounding::Down)
//!             .source("15 U.S.C. 1673(b)(2)")
//!     });
//!     Some(half)
//! }
//!
//! let mut recorder = Recorder::default();
//! half(&mut recorder, Amount::from_cents(85_001));
//! assert_eq!(recorder.finish()[0].to_json()["result"], "425.00");
//! ```

use std::borrow::Cow;

use jiff::civil::Date;
use serde_json::{Value as Json, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::{Amount, Rounding};

/// The value of a figure or of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A decimal number in dollars, hours or any other unit.
    Amount(Amount),
    /// A fraction, such as a percentage (50/100) or pay periods per year.
    Ratio(i128, i128),
    /// Text, such as the name of a state or of a filing status.
    Text(Cow<'static, str>),
    /// A date.
    Date(Date),
    /// A flag.
    Flag(bool),
}

impl Value {
    /// Returns the JSON value: amounts as text with at least two decimal places, fractions as `"50/100"`
    /// without trailing zeros common to both sides (but at least hundredths).
    pub fn to_json(&self) -> Json {
        match self {
            Self::Amount(amount) => json!(amount.to_text(2)),
            Self::Ratio(num, den) => {
                let (mut num, mut den) = (*num, *den);
                while den > 100 && num % 10 == 0 && den % 10 == 0 {
                    (num, den) = (num / 10, den / 10);
                }
                json!(format!("{num}/{den}"))
            }
            Self::Text(text) => json!(text),
            Self::Date(date) => json!(date.to_string()),
            Self::Flag(flag) => json!(flag),
        }
    }
}

impl From<Amount> for Value {
    fn from(amount: Amount) -> Self {
        Self::Amount(amount)
    }
}

impl From<Date> for Value {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// How a figure follows from its numeric inputs, in their order. Text, dates and flags are informational.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Operation {
    /// The value as given; inputs are informational.
    #[strum(serialize = "given")]
    Given,
    /// The sum of all inputs.
    #[strum(serialize = "sum")]
    Sum,
    /// The first input minus all others.
    #[strum(serialize = "difference")]
    Difference,
    /// The product of all inputs.
    #[strum(serialize = "product")]
    Product,
    /// The first input divided by all others.
    #[strum(serialize = "quotient")]
    Quotient,
    /// The minimum.
    #[strum(serialize = "least")]
    Least,
    /// The maximum.
    #[strum(serialize = "greatest")]
    Greatest,
    /// The first input minus all others, but at least zero.
    #[strum(serialize = "remaining")]
    Remaining,
    /// The first numeric input allocated by weight (the other numeric inputs except the last) to the cent, by
    /// largest remainder; the last numeric input is the 1-based position of this part.
    #[strum(serialize = "share")]
    Share,
}

/// One figure without its children. Only built when a trace records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Name of the figure, such as `disposable_earnings`; other steps refer to it by this name.
    pub figure: Cow<'static, str>,
    /// How the figure follows from its inputs.
    pub operation: Operation,
    /// Named inputs, in order.
    pub inputs: Vec<(Cow<'static, str>, Value)>,
    /// Rounding unit (such as `0.01`) and direction.
    pub rounding: Option<(&'static str, Rounding)>,
    /// The value.
    pub result: Value,
    /// Human-readable note, where the operation alone does not explain the figure.
    pub note: Option<Cow<'static, str>>,
    /// Statute, publication or table.
    pub source: Option<Cow<'static, str>>,
}

impl Step {
    /// Creates a step without inputs or rounding.
    pub fn new(figure: impl Into<Cow<'static, str>>, operation: Operation, result: impl Into<Value>) -> Self {
        Self {
            figure: figure.into(),
            operation,
            inputs: Vec::new(),
            rounding: None,
            result: result.into(),
            note: None,
            source: None,
        }
    }

    /// Replaces the result.
    #[must_use]
    pub fn result(mut self, result: impl Into<Value>) -> Self {
        self.result = result.into();
        self
    }

    /// Adds an input.
    #[must_use]
    pub fn input(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.inputs.push((name.into(), value.into()));
        self
    }

    /// Adds a fraction as input.
    #[must_use]
    pub fn ratio(
        self,
        name: impl Into<Cow<'static, str>>,
        num: impl Into<i128>,
        den: impl Into<i128>,
    ) -> Self {
        self.input(name, Value::Ratio(num.into(), den.into()))
    }

    /// Sets the rounding, to a multiple of `unit`.
    #[must_use]
    pub fn rounded(mut self, unit: &'static str, rounding: Rounding) -> Self {
        self.rounding = Some((unit, rounding));
        self
    }

    /// Sets the note.
    #[must_use]
    pub fn note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Sets the legal source.
    #[must_use]
    pub fn source(mut self, source: impl Into<Cow<'static, str>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

/// A figure with the figures it is derived from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The figure.
    pub step: Step,
    /// The figures it is derived from; an input of the same name has that value.
    pub because: Vec<Node>,
}

impl Node {
    /// Returns the JSON representation. Empty members are omitted.
    pub fn to_json(&self) -> Json {
        let step = &self.step;
        let mut node = json!({ "figure": step.figure, "result": step.result.to_json(),
                               "operation": step.operation.as_str() });
        if !step.inputs.is_empty() {
            let inputs = step.inputs.iter().map(|(name, value)| {
                json!({ "name": name, "value": value.to_json(), "counts": is_numeric(value) })
            });
            node["inputs"] = inputs.collect();
        }
        if let Some((unit, rounding)) = step.rounding {
            node["rounding"] = json!({ "unit": unit, "direction": rounding.as_str() });
        }
        if let Some(note) = &step.note {
            node["note"] = json!(note);
        }
        if let Some(source) = &step.source {
            node["source"] = json!(source);
        }
        if !self.because.is_empty() {
            node["because"] = self.because.iter().map(Self::to_json).collect();
        }
        node
    }
}

fn is_numeric(value: &Value) -> bool {
    matches!(value, Value::Amount(_) | Value::Ratio(..))
}

/// Receives the steps of a calculation.
///
/// Each figure is opened before the figures it is derived from, and closed with its step. Work that is only
/// needed for the explanation belongs in the closure, which [`NoTrace`] never calls.
pub trait Trace {
    /// Opens a figure.
    fn open_figure(&mut self);

    /// Closes the figure opened last.
    fn close_figure(&mut self, step: impl FnOnce() -> Step);

    /// Records a figure without children.
    fn add_leaf(&mut self, step: impl FnOnce() -> Step) {
        self.open_figure();
        self.close_figure(step);
    }
}

/// Records nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn open_figure(&mut self) {}

    #[inline(always)]
    fn close_figure(&mut self, _: impl FnOnce() -> Step) {}
}

/// Records every figure.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Children of each open figure, innermost last.
    open: Vec<Vec<Node>>,
    roots: Vec<Node>,
}

impl Recorder {
    /// Returns the root figures, in order.
    ///
    /// # Panics
    /// Panics if a figure is still open.
    pub fn finish(self) -> Vec<Node> {
        assert!(self.open.is_empty(), "each figure that is begun is ended");
        self.roots
    }
}

impl Trace for Recorder {
    fn open_figure(&mut self) {
        self.open.push(Vec::new());
    }

    fn close_figure(&mut self, step: impl FnOnce() -> Step) {
        let because = self.open.pop().unwrap_or_else(|| panic!("a figure is ended that was not begun"));
        let node = Node { step: step(), because };
        self.open.last_mut().unwrap_or(&mut self.roots).push(node);
    }
}

#[cfg(test)]
#[path = "../../../tests/support/evaluator.rs"]
pub(crate) mod evaluator;

#[cfg(test)]
mod tests {
    use super::*;

    fn net<T: Trace>(trace: &mut T, gross: Amount, tax: Amount) -> Option<Amount> {
        trace.open_figure();
        trace.open_figure();
        let half = tax.mul_ratio(1, 3, Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp);
        trace.close_figure(|| {
            Step::new("third_of_tax", Operation::Product, half)
                .input("tax", tax)
                .input("state", "TX")
                .ratio("third", 1, 3)
                .rounded("0.01", Rounding::HalfUp)
        });
        let net = gross.checked_sub(half)?;
        trace.close_figure(|| {
            Step::new("net", Operation::Difference, net).input("gross", gross).input("third_of_tax", half)
        });
        Some(net)
    }

    fn explained() -> Json {
        let mut recorder = Recorder::default();
        assert_eq!(
            net(&mut recorder, Amount::from_cents(10_000), Amount::from_cents(1_000)),
            net(&mut NoTrace, Amount::from_cents(10_000), Amount::from_cents(1_000))
        );
        let [node] = &recorder.finish()[..] else { panic!("one figure rests under no other") };
        node.to_json()
    }

    #[test]
    fn a_fraction_is_written_without_zeros_that_say_nothing() {
        for (num, den, expected) in [
            (6_200_000, 100_000_000, "62/1000"),
            (10_000_000, 100_000_000, "10/100"),
            (0, 100_000_000, "0/100"),
            (830_769, 10_000, "830769/10000"),
            (50, 100, "50/100"),
            (10, 20, "10/20"),
            (26, 1, "26/1"),
        ] {
            assert_eq!(Value::Ratio(num, den).to_json(), expected);
        }
    }

    #[test]
    fn a_figure_contains_the_figures_it_is_derived_from() {
        let node = explained();
        assert_eq!(node["result"], "96.67");
        assert_eq!(node["because"][0]["figure"], "third_of_tax");
        assert_eq!(node["because"][0]["inputs"][2], json!({"name": "third", "value": "1/3", "counts": true}));
        assert_eq!(node["because"][0]["inputs"][1]["counts"], false);
    }

    #[test]
    fn the_evaluator_confirms_a_right_tree_and_catches_each_wrong_figure() {
        let right = explained();
        evaluator::check(&right).unwrap();
        for (pointer, wrong) in [
            ("/result", json!("96.68")),
            ("/inputs/0/value", json!("100.01")),
            ("/because/0/result", json!("3.34")),
            ("/because/0/inputs/2/value", json!("1/4")),
            ("/because/0/rounding/direction", json!("up")),
        ] {
            let mut node = right.clone();
            *node.pointer_mut(pointer).unwrap() = wrong;
            assert!(evaluator::check(&node).is_err(), "{pointer}");
        }
    }

    #[test]
    fn shares_add_up_to_the_cent_by_largest_remainder() {
        let share = |place: i64| {
            let step = Step::new("part", Operation::Share, Amount::ZERO)
                .input("pot", Amount::from_cents(17_000))
                .input("first", Amount::from_cents(7_500))
                .input("second", Amount::from_cents(6_500))
                .input("third", Amount::from_cents(9_000))
                .ratio("place", place, 1);
            Node { step, because: Vec::new() }.to_json()
        };
        for (place, part) in [(1, "55.44"), (2, "48.04"), (3, "66.52")] {
            let mut node = share(place);
            node["result"] = json!(part);
            evaluator::check(&node).unwrap();
        }
    }
}
