//! Charts of amounts: a bar of parts, and a waterfall from gross pay to net pay.
//!
//! Lengths are whole units of a chart's own coordinates, calculated in integers.

use askama::Template;
use jiff::Timestamp;
use rules::Amount;

use crate::money::format_amount;

/// Width of a bar in its own units.
pub(super) const WIDTH: i64 = 1_000;

/// A part of a sum.
pub struct Part {
    /// its label
    pub name: &'static str,
    /// formatted amount
    pub amount: String,
    /// CSS class of its color
    pub class: &'static str,
    /// where it begins
    pub from: i64,
    /// its length
    pub length: i64,
}

/// A bar of the parts that are not zero; empty if there are none.
pub fn stacked_bar(parts: &[(&'static str, Amount)]) -> Vec<Part> {
    const CLASSES: [&str; 4] = ["bar-one", "bar-two", "bar-three", "bar-four"];
    let total: i64 = parts.iter().map(|(_, amount)| amount.millionths().max(0)).sum();
    let mut before = 0;
    let mut shown = Vec::new();
    for ((name, amount), class) in
        parts.iter().zip(CLASSES).filter(|((_, amount), _)| amount.millionths() > 0)
    {
        let end = before + amount.millionths();
        let (from, until) = (scaled_length(before, total), scaled_length(end, total));
        shown.push(Part { name, amount: format_amount(*amount), class, from, length: until - from });
        before = end;
    }
    shown
}

/// The length of a part, in the chart's units.
pub(super) fn scaled_length(part: i64, total: i64) -> i64 {
    let wide = i128::from(part) * i128::from(WIDTH) / i128::from(total.max(1));
    i64::try_from(wide).unwrap_or(WIDTH)
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

/// Width for the labels of a waterfall, and for its bars.
const NAMES: i64 = 190;
const BARS: i64 = 500;
/// Height of a step.
const ROW: i64 = 34;

/// A waterfall: gross pay, what is deducted, each with its colour, net pay, and what the employer pays in addition.
pub fn pay_waterfall(
    gross: Amount,
    taken: &[(&'static str, &'static str, Amount)],
    net: Amount,
    on_top: Amount,
) -> String {
    let whole = gross.millionths().max(0) + on_top.millionths().max(0);
    let mut steps = Vec::new();
    let mut push = |name, amount: Amount, class, from: i64| {
        let (start, end) =
            (scaled_length(from, whole), scaled_length(from + amount.millionths().max(0), whole));
        let y = ROW * i64::try_from(steps.len()).unwrap_or_default();
        // Names are before the bars, amounts behind them.
        let (x, length) = (NAMES + start * BARS / WIDTH, ((end - start) * BARS / WIDTH).max(2));
        steps.push(Step { name, amount: format_amount(amount), class, y, x, length });
    };
    push("Gross pay", gross, "bar-one", 0);
    let mut left = gross.millionths();
    for (name, class, amount) in taken.iter().filter(|(.., amount)| amount.millionths() > 0) {
        left -= amount.millionths();
        push(name, *amount, class, left.max(0));
    }
    push("Net pay", net, "bar-one", 0);
    if on_top.millionths() > 0 {
        push("Employer, on top", on_top, "bar-four", gross.millionths());
    }
    let told =
        steps.iter().map(|step| format!("{} {}", step.name, step.amount)).collect::<Vec<_>>().join(", ");
    let height = ROW * i64::try_from(steps.len()).unwrap_or_default();
    // The template is checked at compile time, and writing into a string cannot fail.
    Waterfall { height, told, steps }.render().unwrap_or_default()
}

/// A position on a strip.
struct Mark {
    x: i64,
    /// position of its amount, below the strip
    y: i64,
    name: String,
    amount: String,
}

#[derive(Template)]
#[template(path = "console/strip.html")]
struct Strip {
    told: String,
    marks: Vec<Mark>,
    /// beginning and length of the middle half
    middle: (i64, i64),
    estimate: Mark,
}

/// Beginning and length of a strip, in its own units; width needed for an amount's text.
const STRIP: (i64, i64) = (50, 740);
const ROOM: i64 = 84;

/// A strip of the pay for the same work from the 10th to the 90th percentile, with an estimate on it; empty if fewer
/// than two percentiles are known.
pub fn wage_strip(percentiles: &[(u8, Amount)], estimate: Amount) -> String {
    let ([(_, least), .., (_, most)], true) =
        (percentiles, percentiles.is_sorted_by_key(|(_, amount)| *amount))
    else {
        return String::new();
    };
    let (least, most) = ((*least).min(estimate).millionths(), (*most).max(estimate).millionths());
    let place =
        |amount: Amount| STRIP.0 + scaled_length(amount.millionths() - least, most - least) * STRIP.1 / WIDTH;
    let mut free = [i64::MIN; 2];
    let mut marks = Vec::new();
    for (percentile, amount) in percentiles {
        let x = place(*amount);
        // An amount that would overlap the previous one is written one line lower.
        let row = usize::from(x < free[0]);
        free[row] = x + ROOM;
        let y = 104 + 20 * i64::from(row == 1);
        marks.push(Mark { x, y, name: format!("{percentile}th"), amount: whole_dollars(*amount) });
    }
    let at =
        |wanted: u8| percentiles.iter().find(|(one, _)| *one == wanted).map(|(_, amount)| place(*amount));
    let middle = at(25).zip(at(75)).map_or((STRIP.0, 0), |(from, to)| (from, to - from));
    let told: Vec<_> = marks.iter().map(|mark| format!("{} percentile {}", mark.name, mark.amount)).collect();
    let told = format!("{}; the estimate {}", told.join(", "), format_amount(estimate));
    let estimate = Mark { x: place(estimate), y: 0, name: String::new(), amount: format_amount(estimate) };
    // The template is checked at compile time, and writing into a string cannot fail.
    Strip { told, marks, middle, estimate }.render().unwrap_or_default()
}

fn whole_dollars(amount: Amount) -> String {
    format_amount(amount).split('.').next().unwrap_or_default().to_owned()
}

/// A column of a sparkline.
struct Spike {
    x: i64,
    y: i64,
    height: i64,
    class: &'static str,
}

#[derive(Template)]
#[template(path = "console/spark.html")]
struct Spark {
    width: i64,
    told: String,
    spikes: Vec<Spike>,
}

/// Width of a column, and height of a sparkline.
const SPIKE: i64 = 9;
const SPARK: i64 = 32;

/// An attempt on a time axis.
struct Point {
    x: i64,
    class: &'static str,
    told: String,
}

#[derive(Template)]
#[template(path = "console/attempts.html")]
struct Attempts {
    told: String,
    from: String,
    until: String,
    points: Vec<Point>,
    /// where the next attempt is due
    next: Option<Point>,
}

/// Where a time axis begins, and its length.
const AXIS: (i64, i64) = (10, 700);

/// Attempts on a time axis, oldest first, each with whether it was taken and what is told of it, and when the next one is due. Empty
/// if there was none.
pub fn attempts(
    tries: &[(Timestamp, bool, String)],
    next: Option<Timestamp>,
    moment: impl Fn(Timestamp) -> String,
) -> String {
    let (Some((first, ..)), Some((last, ..))) = (tries.first(), tries.last()) else { return String::new() };
    let until = next.map_or(*last, |next| next.max(*last));
    let length = until.as_second() - first.as_second();
    let place =
        |at: Timestamp| AXIS.0 + scaled_length(at.as_second() - first.as_second(), length) * AXIS.1 / WIDTH;
    let point = |(at, taken, told): &(Timestamp, bool, String)| Point {
        x: place(*at),
        class: if *taken { "taken" } else { "failed" },
        told: format!("{}: {told}", moment(*at)),
    };
    let failed = tries.iter().filter(|(_, taken, _)| !taken).count();
    let told = format!(
        "The last {} attempts, {} to {}: {} taken, {failed} failed",
        tries.len(),
        moment(*first),
        moment(*last),
        tries.len() - failed
    );
    let next = next.map(|at| Point {
        x: place(at),
        class: "due",
        told: format!("{}: the next attempt", moment(at)),
    });
    let points = tries.iter().map(point).collect();
    Attempts { told, from: moment(*first), until: moment(until), points, next }.render().unwrap_or_default()
}

/// Amounts of several days, oldest first, as columns; empty for fewer than two.
pub fn amount_columns(of: &str, amounts: &[(String, Amount)]) -> String {
    let most = amounts.iter().map(|(_, amount)| amount.millionths()).max().unwrap_or_default().max(1);
    let [(first, _), .., (last, newest)] = amounts else { return String::new() };
    let column = |(place, (_, amount)): (i64, &(String, Amount))| {
        let height = i64::try_from(i128::from(SPARK) * i128::from(amount.millionths()) / i128::from(most))
            .unwrap_or(SPARK)
            .clamp(1, SPARK);
        Spike { x: place * SPIKE, y: SPARK - height, height, class: "taken" }
    };
    let told = format!(
        "{of} of {} payrolls, {first} to {last}: the newest {}, the highest {}",
        amounts.len(),
        format_amount(*newest),
        format_amount(Amount::from_millionths(most))
    );
    let spikes: Vec<_> = (0..).zip(amounts).map(column).collect();
    let width = SPIKE * i64::try_from(spikes.len()).unwrap_or_default();
    Spark { width, told, spikes }.render().unwrap_or_default()
}

/// A paycheck in the picture of an employee's pay.
struct Paycheck {
    x: i64,
    /// where taxes and deductions begin, and their height
    top: i64,
    taken: i64,
    /// where net pay begins, and its height
    middle: i64,
    net: i64,
}

#[derive(Template)]
#[template(path = "console/history.html")]
struct History {
    width: i64,
    told: String,
    columns: Vec<Paycheck>,
    net: String,
    taken: String,
}

/// Height of the highest paycheck, and the room of each.
const PAYCHECK: (i64, i64) = (116, 56);

/// Paychecks, oldest first, each with its day, gross and net pay: a column of net pay, and of what was taken above it. Empty for none.
pub fn paycheck_columns(paychecks: &[(String, Amount, Amount)]) -> String {
    let most = paychecks.iter().map(|(_, gross, _)| gross.millionths()).max().unwrap_or_default();
    let Some(((first, ..), (last, gross, net))) = paychecks.first().zip(paychecks.last()) else {
        return String::new();
    };
    let column = |(place, (_, gross, net)): (i64, &(String, Amount, Amount))| {
        let high = |amount: i64| scaled_length(amount.max(0), most) * PAYCHECK.0 / WIDTH;
        let (whole, net) = (high(gross.millionths()), high(net.millionths().min(gross.millionths())));
        let base = PAYCHECK.0 + 4;
        Paycheck { x: place * PAYCHECK.1 + 8, top: base - whole, taken: whole - net, middle: base - net, net }
    };
    let taken = Amount::from_millionths(gross.millionths() - net.millionths());
    let told = format!(
        "Gross pay of {} paychecks, {first} to {last}: the newest {}, of which {} net, the highest {}",
        paychecks.len(),
        format_amount(*gross),
        format_amount(*net),
        format_amount(Amount::from_millionths(most))
    );
    let columns: Vec<_> = (0..).zip(paychecks).map(column).collect();
    let width = PAYCHECK.1 * i64::try_from(columns.len()).unwrap_or_default();
    let (net, taken) = (format!("{} last", format_amount(*net)), format!("{} last", format_amount(taken)));
    History { width, told, columns, net, taken }.render().unwrap_or_default()
}

/// A piece of a stacked column.
struct Piece {
    x: i64,
    y: i64,
    height: i64,
    class: &'static str,
}

#[derive(Template)]
#[template(path = "console/stacked.html")]
struct Stacked<'a> {
    width: i64,
    told: String,
    first: &'a str,
    last: &'a str,
    most: String,
    pieces: Vec<Piece>,
    /// name, class and sum of each kind
    keys: Vec<(&'static str, &'static str, String)>,
}

/// A column for each day, oldest first, stacked of kinds of amounts, from below; each kind has its name and the class of its color.
/// Empty for fewer than two days.
pub fn stacked_columns(kinds: &[(&'static str, &'static str)], days: &[(String, Vec<Amount>)]) -> String {
    let ([(first, _), .., (last, _)], room) = (days, 28) else { return String::new() };
    let sum = |amounts: &[Amount]| -> i64 { amounts.iter().map(|amount| amount.millionths().max(0)).sum() };
    let most = days.iter().map(|(_, amounts)| sum(amounts)).max().unwrap_or_default();
    let high = |amount: i64| scaled_length(amount, most) * PAYCHECK.0 / WIDTH;
    let mut pieces = Vec::new();
    for (x, (_, amounts)) in (4..).step_by(room).zip(days) {
        let mut below = 0;
        for ((_, class), amount) in kinds.iter().zip(amounts) {
            let (from, to) = (high(below), high(below + amount.millionths().max(0)));
            pieces.push(Piece { x, y: PAYCHECK.0 + 4 - to, height: to - from, class });
            below += amount.millionths().max(0);
        }
    }
    pieces.retain(|piece| piece.height > 0);
    let of_kind = |at: usize| {
        days.iter().filter_map(|(_, amounts)| amounts.get(at)).map(|amount| amount.millionths()).sum()
    };
    let sums = (0..kinds.len()).map(|at| format_amount(Amount::from_millionths(of_kind(at))));
    let keys: Vec<_> = kinds.iter().zip(sums).map(|((name, class), sum)| (*name, *class, sum)).collect();
    let told: Vec<_> = keys.iter().map(|(name, _, sum)| format!("{name} {sum}")).collect();
    let told = format!("{} pay dates, {first} to {last}: {}", days.len(), told.join(", "));
    let width = i64::try_from(room * days.len()).unwrap_or_default();
    Stacked { width, told, first, last, most: format_amount(Amount::from_millionths(most)), pieces, keys }
        .render()
        .unwrap_or_default()
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
        let shown: Vec<_> =
            stacked_bar(&parts).into_iter().map(|part| (part.name, part.from, part.length)).collect();
        assert_eq!(shown, [("Net pay", 0, 700), ("Taxes", 700, 300)]);
        assert!(stacked_bar(&[]).is_empty());
    }

    #[test]
    fn a_strip_tells_the_percentiles_and_where_the_estimate_lies() {
        let known = [
            (10, dollars(40_000)),
            (25, dollars(44_000)),
            (50, dollars(60_000)),
            (75, dollars(80_000)),
            (90, dollars(120_000)),
        ];
        let shown = wage_strip(&known, dollars(70_000));
        assert!(shown.contains("10th percentile $40,000, 25th percentile $44,000"), "{shown}");
        assert!(shown.contains("90th percentile $120,000; the estimate $70,000.00"), "{shown}");
        assert!(
            shown.contains(">$44,000<") && shown.contains("y=\"124\""),
            "what lies close together is written on two lines"
        );
        assert!(wage_strip(&known[..1], dollars(70_000)).is_empty());
        assert!(
            wage_strip(&known, dollars(150_000)).contains("the estimate $150,000.00"),
            "also beyond the 90th"
        );
    }

    #[test]
    fn attempts_stand_on_their_axis_by_time_and_the_next_one_ends_it() {
        let at = |minute: i64| Timestamp::from_second(60 * minute).unwrap();
        let tries = [(at(0), false, "503".to_owned()), (at(30), true, "200".to_owned())];
        let shown = attempts(&tries, Some(at(60)), |at| at.to_string());
        let told = ["1 taken, 1 failed", "1970-01-01T00:30:00Z: 200", "cx=\"360\"", "the next attempt"];
        assert!(told.iter().all(|words| shown.contains(words)), "{shown}");
        assert!(attempts(&[], None, |at| at.to_string()).is_empty());
    }

    #[test]
    fn columns_are_as_high_as_their_amounts_and_told_in_words() {
        let days = [("Nov 13, 2026", 500), ("Nov 27, 2026", 1_000)];
        let amounts = days.map(|(day, whole)| (day.to_owned(), dollars(whole)));
        let shown = amount_columns("Gross pay", &amounts);
        assert!(
            shown.contains("height=\"16\"") && shown.contains("y=\"0\" width=\"7\" height=\"32\""),
            "{shown}"
        );
        let told = "Gross pay of 2 payrolls, Nov 13, 2026 to Nov 27, 2026: the newest $1,000.00, the highest $1,000.00";
        assert!(shown.contains(told), "{shown}");
        assert!(amount_columns("Gross pay", &amounts[..1]).is_empty());
    }

    #[test]
    fn the_history_of_pay_has_a_column_for_each_paycheck_and_is_told_in_words() {
        let days = [("Nov 13, 2026", 500, 400), ("Nov 27, 2026", 1_000, 750)];
        let paychecks = days.map(|(day, gross, net)| (day.to_owned(), dollars(gross), dollars(net)));
        let shown = paycheck_columns(&paychecks);
        assert_eq!(shown.matches("width=\"40\"").count(), 4, "{shown}");
        let told = "Gross pay of 2 paychecks, Nov 13, 2026 to Nov 27, 2026: the newest $1,000.00, of which $750.00 net, \
                    the highest $1,000.00";
        assert!(shown.contains(told) && shown.contains("$250.00 last"), "{shown}");
        assert!(paycheck_columns(&[]).is_empty());
    }

    #[test]
    fn stacked_columns_meet_and_tell_the_sum_of_each_kind() {
        let kinds = [("Net pay", "bar-one"), ("Taxes", "bar-three")];
        let days = [("Nov 13, 2026", [300, 200]), ("Nov 27, 2026", [600, 400])];
        let days = days.map(|(day, amounts)| (day.to_owned(), amounts.map(dollars).to_vec()));
        let shown = stacked_columns(&kinds, &days);
        assert!(
            shown.contains("2 pay dates, Nov 13, 2026 to Nov 27, 2026: Net pay $900.00, Taxes $600.00"),
            "{shown}"
        );
        assert!(
            shown.contains("the highest is $1,000.00") && shown.matches("width=\"20\"").count() == 4,
            "{shown}"
        );
        assert!(stacked_columns(&kinds, &days[..1]).is_empty());
    }

    #[test]
    fn a_waterfall_tells_in_words_what_it_shows() {
        let shown = pay_waterfall(
            dollars(1_000),
            &[("Taxes", "bar-two", dollars(200)), ("Deductions", "bar-three", dollars(0))],
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
