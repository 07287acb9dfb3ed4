//! Pictures of sums of money: a bar of parts, and a waterfall from what was earned to what was paid out.
//!
//! Lengths are whole units of a picture's own coordinates, worked out in whole numbers.

use askama::Template;
use rules::Amount;

use crate::salary_report::dollars_of;

/// Width of a bar in its own units.
const WIDTH: i64 = 1_000;

/// A part of a sum.
pub struct Part {
    /// what it is
    pub name: &'static str,
    /// as people write it
    pub amount: String,
    /// class of its colour
    pub class: &'static str,
    /// where it begins
    pub from: i64,
    /// how long it is
    pub length: i64,
}

/// A bar of parts that are not nothing; empty where there are none.
pub fn bar(parts: &[(&'static str, Amount)]) -> Vec<Part> {
    const CLASSES: [&str; 4] = ["bar-one", "bar-two", "bar-three", "bar-four"];
    let total: i64 = parts.iter().map(|(_, amount)| amount.millionths().max(0)).sum();
    let mut before = 0;
    let mut shown = Vec::new();
    for ((name, amount), class) in
        parts.iter().zip(CLASSES).filter(|((_, amount), _)| amount.millionths() > 0)
    {
        let end = before + amount.millionths();
        let (from, until) = (scaled(before, total), scaled(end, total));
        shown.push(Part { name, amount: money(*amount), class, from, length: until - from });
        before = end;
    }
    shown
}

/// What something out of a total comes to in units of the picture.
fn scaled(part: i64, total: i64) -> i64 {
    let wide = i128::from(part) * i128::from(WIDTH) / i128::from(total.max(1));
    i64::try_from(wide).unwrap_or(WIDTH)
}

/// An amount as people write it.
pub fn money(amount: Amount) -> String {
    dollars_of(&amount.to_text(2))
}

/// A step of a waterfall.
struct Step {
    name: &'static str,
    amount: String,
    class: &'static str,
    /// from the top
    y: i64,
    x: i64,
    length: i64,
}

#[derive(Template)]
#[template(path = "console/waterfall.html")]
struct Waterfall {
    height: i64,
    told: String,
    steps: Vec<Step>,
}

/// Room for the names of a waterfall, and for its bars.
const NAMES: i64 = 190;
const BARS: i64 = 500;
/// Height of a step.
const ROW: i64 = 34;

/// A waterfall: what was earned, what is taken from it, what remains, and what the employer pays on top.
pub fn waterfall(gross: Amount, taken: &[(&'static str, Amount)], net: Amount, on_top: Amount) -> String {
    let whole = gross.millionths().max(0) + on_top.millionths().max(0);
    let mut steps = Vec::new();
    let mut push = |name, amount: Amount, class, from: i64| {
        let (start, end) = (scaled(from, whole), scaled(from + amount.millionths().max(0), whole));
        let y = ROW * i64::try_from(steps.len()).unwrap_or_default();
        // Names stand before the bars, amounts behind them.
        let (x, length) = (NAMES + start * BARS / WIDTH, ((end - start) * BARS / WIDTH).max(2));
        steps.push(Step { name, amount: money(amount), class, y, x, length });
    };
    push("Gross pay", gross, "bar-one", 0);
    let mut left = gross.millionths();
    for (name, amount) in taken.iter().filter(|(_, amount)| amount.millionths() > 0) {
        left -= amount.millionths();
        push(name, *amount, "bar-three", left.max(0));
    }
    push("Net pay", net, "bar-one", 0);
    if on_top.millionths() > 0 {
        push("Employer, on top", on_top, "bar-two", gross.millionths());
    }
    let told =
        steps.iter().map(|step| format!("{} {}", step.name, step.amount)).collect::<Vec<_>>().join(", ");
    let height = ROW * i64::try_from(steps.len()).unwrap_or_default();
    // The template is checked when the program is built, and writing into a text does not fail.
    Waterfall { height, told, steps }.render().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dollars(whole: i64) -> Amount {
        Amount::from_cents(whole * 100)
    }

    #[test]
    fn the_parts_of_a_bar_meet_and_fill_it() {
        let parts = [("Net pay", dollars(700)), ("Nothing", dollars(0)), ("Taxes", dollars(300))];
        let shown: Vec<_> = bar(&parts).into_iter().map(|part| (part.name, part.from, part.length)).collect();
        assert_eq!(shown, [("Net pay", 0, 700), ("Taxes", 700, 300)]);
        assert!(bar(&[]).is_empty());
    }

    #[test]
    fn a_waterfall_tells_in_words_what_it_shows() {
        let shown = waterfall(
            dollars(1_000),
            &[("Taxes", dollars(200)), ("Deductions", dollars(0))],
            dollars(800),
            dollars(80),
        );
        assert!(
            shown.contains("Gross pay $1,000.00, Taxes $200.00, Net pay $800.00, Employer, on top $80.00"),
            "{shown}"
        );
        assert!(!shown.contains("Deductions"));
    }
}
