//! Reads a row of a table of taxes.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::read::Row;
use super::table::{Accrual, Bracket, Jurisdiction, Level, Limit, Method, Options, Span, Tax};
use crate::Named;
use crate::amount::Amount;

/// The columns of a table of taxes.
pub(super) const COLUMNS: [&str; 37] = [
    "code",
    "state",
    "level",
    "place",
    "name",
    "payer",
    "applies",
    "class",
    "filing",
    "election",
    "size_from",
    "size_to",
    "payroll_above",
    "payroll_to",
    "method",
    "rate",
    "rate_nonresident",
    "schedule",
    "amount",
    "per",
    "wage_base",
    "wage_base_per",
    "cap",
    "cap_per",
    "floor",
    "floor_per",
    "allowance",
    "deduction",
    "base",
    "tips",
    "rounding",
    "options",
    "effective_from",
    "effective_to",
    "confidence",
    "source",
    "note",
];

/// How a row calculates a tax. The figures are in other columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum Kind {
    /// A percentage of taxable wages.
    #[strum(serialize = "rate")]
    Rate,
    /// A maximum percentage; the employer's own rate counts.
    #[strum(serialize = "ceiling")]
    Ceiling,
    /// Brackets of annualized wages.
    #[strum(serialize = "schedule_annual")]
    ScheduleAnnual,
    /// Brackets of annualized wages, printed for each pay period.
    #[strum(serialize = "schedule_period")]
    SchedulePeriod,
    /// Brackets of year-to-date wages.
    #[strum(serialize = "schedule_to_date")]
    ScheduleToDate,
    /// A fixed amount per time span.
    #[strum(serialize = "amount")]
    Amount,
    /// A percentage of the state's income tax on the same pay.
    #[strum(serialize = "share_of_state_tax")]
    ShareOfStateTax,
    /// A rate that only the employer's notice states.
    #[strum(serialize = "own_rate")]
    OwnRate,
    /// Settled by the employer on its return.
    #[strum(serialize = "on_return")]
    OnReturn,
    /// The figure is not known.
    #[strum(serialize = "gap")]
    Gap,
    /// No tax on wages.
    #[strum(serialize = "none")]
    None,
}

/// Reads a row.
pub(super) fn read_tax(row: &mut Row<'_>) -> Option<Tax> {
    let code = row.required_text("code");
    let state = row.required_text("state");
    if state.len() != 2 || !state.bytes().all(|byte| byte.is_ascii_uppercase()) {
        row.record_fault("state", "must be two capital letters such as NY");
    }
    let level: Level = row.one_of("level")?;
    let place = row.column_text("place");
    if place.is_empty() && level != Level::State {
        row.record_fault("place", "must be set for every level but state");
    }
    let (from, to) = (row.read_date("effective_from"), row.read_date("effective_to"));
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        row.record_fault("effective_to", "must not be before effective_from");
    }
    let wage_base = read_limit(row);
    let cap = row.read_amount("cap").zip(row.read_named("cap_per"));
    Some(Tax {
        code,
        jurisdiction: Jurisdiction { level, state, place },
        name: row.required_text("name"),
        payer: row.one_of("payer")?,
        applies: row.one_of("applies")?,
        class: row.column_text("class"),
        filing: row.read_named("filing"),
        election: row.column_text("election"),
        sizes: (row.read_whole_number("size_from"), row.read_whole_number("size_to")),
        payroll: (row.read_amount("payroll_above"), row.read_amount("payroll_to")),
        method: read_method(row)?,
        rate_nonresident: row.read_percent("rate_nonresident"),
        wage_base,
        cap,
        floor: row.read_amount("floor"),
        allowance: row.read_amount("allowance").unwrap_or_default(),
        deduction: row.read_amount("deduction").unwrap_or_default(),
        base: row.one_of("base")?,
        tips: match row.required_text("tips").as_str() {
            "in" => true,
            "out" => false,
            _ => {
                row.record_fault("tips", "must be in or out");
                return None;
            }
        },
        rounding: row.one_of("rounding")?,
        options: read_options(row),
        from,
        to,
        confidence: row.one_of("confidence")?,
        source: row.required_text("source"),
        note: row.column_text("note"),
    })
}

fn read_limit(row: &mut Row<'_>) -> Option<(Limit, Span)> {
    let limit = if row.column_text("wage_base") == "ss" {
        Some(Limit::SocialSecurity)
    } else {
        row.read_amount("wage_base").map(Limit::Dollars)
    };
    let span = row.read_named("wage_base_per");
    if limit.is_some() != span.is_some() {
        row.record_fault("wage_base_per", "must be set with wage_base, and only then");
    }
    limit.zip(span)
}

fn read_method(row: &mut Row<'_>) -> Option<Method> {
    let kind: Kind = row.one_of("method")?;
    let rate = match row.read_percent("rate") {
        Some(rate) => rate,
        // Some taxes apply only to nonresidents.
        None => row.read_percent("rate_nonresident").unwrap_or_default(),
    };
    if matches!(kind, Kind::Rate | Kind::Ceiling | Kind::ShareOfStateTax)
        && row.column_text("rate").is_empty()
        && row.column_text("rate_nonresident").is_empty()
    {
        row.record_fault("rate", format!("must be set for method {}", kind.as_str()));
    }
    Some(match kind {
        Kind::Rate => Method::Rate(rate),
        Kind::Ceiling => Method::Ceiling(rate),
        Kind::ShareOfStateTax => Method::ShareOfStateTax(rate),
        Kind::ScheduleAnnual => Method::ScheduleAnnual(read_schedule(row)?),
        Kind::SchedulePeriod => Method::SchedulePeriod(read_schedule(row)?),
        Kind::ScheduleToDate => Method::ScheduleToDate(read_schedule(row)?),
        Kind::Amount => {
            row.required_text("amount");
            Method::Amount(row.read_amount("amount")?, row.one_of("per")?)
        }
        Kind::OwnRate => Method::OwnRate,
        Kind::OnReturn => Method::OnReturn(read_accrual(row)?),
        Kind::Gap => Method::Gap,
        Kind::None => Method::None,
    })
}

/// Reads the basis on which a tax accrues: with a rate, above a quarter's free amount; otherwise, the employer's own figure.
fn read_accrual(row: &mut Row<'_>) -> Option<Accrual> {
    let per: Option<Span> = row.read_named("per");
    match (row.read_percent("rate"), per) {
        (Some(percent), Some(Span::Quarter)) => {
            row.required_text("amount");
            Some(Accrual::AbovePayroll { percent, free: row.read_amount("amount")? })
        }
        (None, Some(Span::Hour)) => Some(Accrual::OwnAmountByHour),
        (None, None) => Some(Accrual::OwnPercent),
        _ => {
            row.record_fault("per", "must be quarter with a rate, hour or empty without one");
            None
        }
    }
}

/// Reads `from:tax:percent;…`, each bracket above the previous one, the first from zero.
fn read_schedule(row: &mut Row<'_>) -> Option<Vec<Bracket>> {
    const SHAPE: &str = "must be brackets from:tax:percent from 0 on, each above the one before, \
                         such as 0:0:2;50000:1000:3";
    let text = row.required_text("schedule");
    let bracket = |part: &str| {
        let mut figures = part.split(':').map(|figure| Amount::parse(figure).ok());
        let bracket = Bracket { from: figures.next()??, tax: figures.next()??, percent: figures.next()?? };
        figures.next().is_none().then_some(bracket)
    };
    let brackets: Option<Vec<Bracket>> = text.split(';').map(bracket).collect();
    let right = |list: &Vec<Bracket>| {
        list.first().is_some_and(|first| first.from == Amount::ZERO)
            && list.windows(2).all(|pair| pair[0].from < pair[1].from)
            && list.iter().all(|bracket| bracket.tax >= Amount::ZERO && bracket.percent >= Amount::ZERO)
    };
    let found = brackets.filter(right);
    if found.is_none() {
        row.record_fault("schedule", SHAPE);
    }
    found
}

fn read_options(row: &mut Row<'_>) -> Options {
    let mut options = Options::default();
    for word in row.column_text("options").split_whitespace() {
        match word {
            "bear" => options.bear = true,
            "private_plan" => options.private_plan = true,
            "exempt" => options.exempt = true,
            "own_rate" => options.own_rate = true,
            "ends" => options.ends = true,
            _ => row.record_fault(
                "options",
                format!("{word:?} must be one of bear, private_plan, exempt, own_rate, ends"),
            ),
        }
    }
    options
}
