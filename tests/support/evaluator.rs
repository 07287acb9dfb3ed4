//! Works each figure of an explanation out again from what the answer says, and from nothing else: it shares no
//! code with the service, not even the way in which numbers are read.

use serde_json::Value;

/// An exact fraction.
type Exact = (i128, i128);

/// Checks a node and everything beneath it; the error names the figure and both results.
pub fn check(node: &Value) -> Result<(), String> {
    let figure = text(node, "figure");
    let none = Vec::new();
    let beneath = node["because"].as_array().unwrap_or(&none);
    for input in node["inputs"].as_array().unwrap_or(&none) {
        for explained in beneath.iter().filter(|child| child["figure"] == input["name"]) {
            if explained["result"] != input["value"] {
                return Err(format!("{figure}: {} is explained as {}", input["name"], explained["result"]));
            }
        }
    }
    if text(node, "operation") != "given" {
        let worked = round(node, work(node)?)?;
        let told = number(text(node, "result"))?;
        if worked.0 * told.1 != told.0 * worked.1 {
            return Err(format!("{figure}: says {}, but comes to {}/{}", node["result"], worked.0, worked.1));
        }
    }
    beneath.iter().try_for_each(check)
}

fn work(node: &Value) -> Result<Exact, String> {
    let none = Vec::new();
    let inputs = node["inputs"].as_array().unwrap_or(&none);
    let counting = inputs.iter().filter(|input| input["counts"] == true);
    let numbers: Vec<Exact> =
        counting.map(|input| number(text(input, "value"))).collect::<Result<_, String>>()?;
    let (first, rest) = numbers.split_first().ok_or_else(|| format!("{}: no inputs", node["figure"]))?;
    let fold = |start: Exact, join: fn(Exact, Exact) -> Exact| {
        rest.iter().fold(start, |so_far, next| lowest(join(so_far, *next)))
    };
    Ok(match text(node, "operation") {
        "sum" => fold(*first, |a, b| (a.0 * b.1 + b.0 * a.1, a.1 * b.1)),
        "difference" => fold(*first, |a, b| (a.0 * b.1 - b.0 * a.1, a.1 * b.1)),
        "remaining" => {
            let left = fold(*first, |a, b| (a.0 * b.1 - b.0 * a.1, a.1 * b.1));
            if left.0 < 0 { (0, 1) } else { left }
        }
        "product" => fold(*first, |a, b| (a.0 * b.0, a.1 * b.1)),
        "quotient" => fold(*first, |a, b| {
            let sign = b.0.signum();
            (a.0 * b.1 * sign, a.1 * b.0 * sign)
        }),
        "least" => fold(*first, |a, b| if b.0 * a.1 < a.0 * b.1 { b } else { a }),
        "greatest" => fold(*first, |a, b| if b.0 * a.1 > a.0 * b.1 { b } else { a }),
        "share" => share(*first, rest)?,
        other => return Err(format!("{}: no operation {other}", node["figure"])),
    })
}

/// The part at the place given last, of a pot that is divided by weights to the cent: everybody the whole cents of the
/// exact part, then a cent each by the largest rest, the earlier of equals first.
fn share(pot: Exact, rest: &[Exact]) -> Result<Exact, String> {
    let (place, weights) = rest.split_last().ok_or("a share needs weights and a place")?;
    let place = usize::try_from(place.0 / place.1 - 1).map_err(|_| "a place from 1".to_owned())?;
    let common: i128 = weights.iter().fold(1, |common, weight| common * weight.1 / gcd(common, weight.1));
    let weights: Vec<i128> = weights.iter().map(|weight| weight.0 * (common / weight.1)).collect();
    let total: i128 = weights.iter().sum();
    let cents = pot.0 * 100 / pot.1;
    if total == 0 {
        return Ok((0, 1));
    }
    let mut parts: Vec<i128> = weights.iter().map(|weight| cents * weight / total).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&at| (-(cents * weights[at] % total), at));
    let left = usize::try_from(cents - parts.iter().sum::<i128>()).map_err(|_| "parts exceed the pot")?;
    for &at in order.iter().take(left) {
        parts[at] += 1;
    }
    parts.get(place).map(|part| (*part, 100)).ok_or_else(|| "no such place".to_owned())
}

fn round(node: &Value, exact: Exact) -> Result<Exact, String> {
    let Some(rounding) = node.get("rounding") else { return Ok(exact) };
    let unit = number(text(rounding, "unit"))?;
    let (num, den) = lowest((exact.0 * unit.1, exact.1 * unit.0));
    let (whole, rest) = (num.abs() / den, num.abs() % den);
    let away = match text(rounding, "direction") {
        "half_up" => rest * 2 >= den,
        "up" => rest > 0,
        "down" => false,
        other => return Err(format!("no direction {other}")),
    };
    let units = (whole + i128::from(away)) * num.signum();
    Ok(lowest((units * unit.0, unit.1)))
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_default()
}

fn number(text: &str) -> Result<Exact, String> {
    let read = |text: &str| text.parse::<i128>().map_err(|_| format!("{text:?} is no number"));
    if let Some((num, den)) = text.split_once('/') {
        return Ok(lowest((read(num)?, read(den)?)));
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let places = u32::try_from(fraction.len()).map_err(|_| "too long".to_owned())?;
    Ok(lowest((read(&format!("{whole}{fraction}"))?, 10_i128.pow(places))))
}

fn lowest((num, den): Exact) -> Exact {
    let divisor = gcd(num, den).max(1);
    (num / divisor, den / divisor)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
