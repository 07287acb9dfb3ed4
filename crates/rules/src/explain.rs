//! How a calculation came to its figure, as a tree that is enough to work it out again.
//!
//! A calculation takes a [`Trace`]. [`NoTrace`] keeps nothing and costs nothing; [`Recorder`] keeps a tree of
//! [`Node`]s. A node is one figure: the operation that made it, the named inputs it was made from, how it was
//! rounded, and the rule that says so. An input that is itself a figure is explained by the node of the same
//! name among [`Node::because`].
//!
//! Whoever has the tree needs nothing else: [`Operation`] is a closed list, so that a reader (and a test)
//! can do every sum again. Explanations are recomputed when somebody asks, never stored.
//!
//! ```
//! use rules::explain::{Operation, Recorder, Step, Trace};
//! use rules::{Amount, Rounding};
//!
//! fn half<T: Trace>(trace: &mut T, earnings: Amount) -> Option<Amount> {
//!     trace.open();
//!     let half = earnings.mul_ratio(50, 100, Rounding::Down)?.round_to_cents(Rounding::Down);
//!     trace.close(|| {
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

/// What a figure, or an input of one, is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// dollars, hours or any other exact decimal
    Amount(Amount),
    /// a fraction, such as a percentage (50 of 100) or pay periods of a year
    Ratio(i128, i128),
    /// words, such as the name of a state or of a filing status
    Text(Cow<'static, str>),
    /// a day
    Date(Date),
    /// yes or no
    Flag(bool),
}

impl Value {
    /// As answers show it: amounts as text with two places or more, fractions as `"50/100"`, without the zeros that
    /// both halves end in beyond hundredths.
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

/// How a figure follows from its numeric inputs, in their order. Inputs that are words, days or flags tell why
/// and do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Operation {
    /// stands as it was given; there may be inputs in words
    #[strum(serialize = "given")]
    Given,
    /// all of them together
    #[strum(serialize = "sum")]
    Sum,
    /// the first less all others
    #[strum(serialize = "difference")]
    Difference,
    /// all of them multiplied
    #[strum(serialize = "product")]
    Product,
    /// the first divided by all others
    #[strum(serialize = "quotient")]
    Quotient,
    /// the smallest
    #[strum(serialize = "least")]
    Least,
    /// the largest
    #[strum(serialize = "greatest")]
    Greatest,
    /// the first less all others, and nothing where that would be negative
    #[strum(serialize = "remaining")]
    Remaining,
    /// the first numeric input divided among weights (the other numeric inputs but the last) so that the parts
    /// add up to the cent, by largest remainder; the last numeric input is the place of this part, from 1
    #[strum(serialize = "share")]
    Share,
}

/// One figure without what lies beneath it; made only when somebody listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// what the figure is, in the words that an input elsewhere refers to it by, such as `disposable_earnings`
    pub figure: Cow<'static, str>,
    /// how it follows from the inputs
    pub operation: Operation,
    /// named, in order
    pub inputs: Vec<(Cow<'static, str>, Value)>,
    /// the unit that the result is a multiple of (such as `0.01`) and where the rest goes
    pub rounding: Option<(&'static str, Rounding)>,
    /// the figure
    pub result: Value,
    /// a sentence for people, where the operation alone does not tell
    pub note: Option<Cow<'static, str>>,
    /// the statute, publication or table that says so
    pub source: Option<Cow<'static, str>>,
}

impl Step {
    /// A figure, exact and without inputs until they are added.
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

    /// With another result.
    #[must_use]
    pub fn result(mut self, result: impl Into<Value>) -> Self {
        self.result = result.into();
        self
    }

    /// With an input.
    #[must_use]
    pub fn input(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.inputs.push((name.into(), value.into()));
        self
    }

    /// With a fraction as input.
    #[must_use]
    pub fn ratio(
        self,
        name: impl Into<Cow<'static, str>>,
        num: impl Into<i128>,
        den: impl Into<i128>,
    ) -> Self {
        self.input(name, Value::Ratio(num.into(), den.into()))
    }

    /// Rounded to a multiple of `unit`.
    #[must_use]
    pub fn rounded(mut self, unit: &'static str, rounding: Rounding) -> Self {
        self.rounding = Some((unit, rounding));
        self
    }

    /// With a sentence for people.
    #[must_use]
    pub fn note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With the rule's source.
    #[must_use]
    pub fn source(mut self, source: impl Into<Cow<'static, str>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

/// A figure with the figures that it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// the figure
    pub step: Step,
    /// the figures that were worked out for it; an input of the same name as one of them has its value
    pub because: Vec<Node>,
}

impl Node {
    /// The node as answers show it. Members without content are left out.
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

/// Where a calculation tells how it goes on.
///
/// Each figure is opened before the figures that it rests on and closed with what it is. Whatever is only needed
/// for telling belongs into the closure, which [`NoTrace`] never calls.
pub trait Trace {
    /// Begins a figure.
    fn open(&mut self);

    /// Ends the figure begun last.
    fn close(&mut self, step: impl FnOnce() -> Step);

    /// A figure that rests on no other.
    fn leaf(&mut self, step: impl FnOnce() -> Step) {
        self.open();
        self.close(step);
    }
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn open(&mut self) {}

    #[inline(always)]
    fn close(&mut self, _: impl FnOnce() -> Step) {}
}

/// Keeps every figure.
#[derive(Debug, Default)]
pub struct Recorder {
    /// what was closed inside each figure that is still open; the last is the innermost
    open: Vec<Vec<Node>>,
    roots: Vec<Node>,
}

impl Recorder {
    /// The figures that rest under no other, in the order in which they were worked out.
    ///
    /// # Panics
    /// If a figure was begun and not ended.
    pub fn finish(self) -> Vec<Node> {
        assert!(self.open.is_empty(), "each figure that is begun is ended");
        self.roots
    }
}

impl Trace for Recorder {
    fn open(&mut self) {
        self.open.push(Vec::new());
    }

    fn close(&mut self, step: impl FnOnce() -> Step) {
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
        trace.open();
        trace.open();
        let half = tax.mul_ratio(1, 3, Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp);
        trace.close(|| {
            Step::new("third_of_tax", Operation::Product, half)
                .input("tax", tax)
                .input("state", "TX")
                .ratio("third", 1, 3)
                .rounded("0.01", Rounding::HalfUp)
        });
        let net = gross.checked_sub(half)?;
        trace.close(|| {
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
