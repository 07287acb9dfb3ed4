//! What each form says, made of its figures.

use returns::form_941::Form941;
use returns::form_943::Form943;
use returns::form_1099_nec::Sum;
use returns::liability::{Breakdown, DayLiability};
use returns::line::Line;
use returns::w2::MoneyBox;
use returns::w2c::W3c;
use returns::{Form940, Form944, W3, format_dollars};
use rules::Named as _;

use super::forms::content::{FigureLine, Figures, Part};

fn part_of_lines(heading: &str, lines: Vec<FigureLine>) -> Part {
    Part { heading: heading.to_owned(), lines }
}

fn amount_lines(lines: &[Line]) -> impl Iterator<Item = FigureLine> {
    lines.iter().map(|line| FigureLine::with_cents(line.number, line.title.as_str(), line.cents))
}

/// Form 941 with Schedule B.
pub fn of_941(form: &Form941) -> Figures {
    let count = FigureLine::with_text(
        "1",
        "Employees with wages in the pay period of the 12th of the last month",
        form.employees.to_string(),
    );
    let answers = std::iter::once(count).chain(amount_lines(&form.lines())).collect();
    let first = form.quarter.first_day();
    let months = form.months.iter().zip(0_i8..).map(|(cents, after)| {
        FigureLine::with_cents(
            "16",
            format!("Liability of {}-{:02}", first.year(), first.month() + after),
            *cents,
        )
    });
    let liability = match form.breakdown {
        Breakdown::None => {
            vec![FigureLine::with_text("16", "Liability by date", "not reported below 2,500.00")]
        }
        Breakdown::Months | Breakdown::Days => months.collect(),
    };
    Figures::Return(vec![
        part_of_lines("Parts 1 and 2", answers),
        part_of_lines("Line 16", liability),
        part_of_lines("Schedule B", of_days(&form.days)),
        part_of_lines("Books", of_books(form.booked, form.to_post)),
    ])
}

/// Form 943 with the liability of its months.
pub fn of_943(form: &Form943) -> Figures {
    let count = FigureLine::with_text(
        "1",
        "Agricultural employees in the pay period of 12 March",
        form.employees.to_string(),
    );
    let answers = std::iter::once(count).chain(amount_lines(&form.lines())).collect();
    let liability = of_months(("17", form.year), form.breakdown, &form.months);
    Figures::Return(vec![
        part_of_lines("Lines", answers),
        part_of_lines("Line 17", liability),
        part_of_lines("Form 943-A", of_days(&form.days)),
        part_of_lines("Books", of_books(form.booked, form.to_post)),
    ])
}

/// The liability of each month of a year, if the form reports it.
fn of_months((number, year): (&str, i16), breakdown: Breakdown, months: &[i64; 12]) -> Vec<FigureLine> {
    let lines = months.iter().zip('a'..='l').zip(1_i8..).map(|((cents, letter), month)| {
        FigureLine::with_cents(format!("{number}{letter}"), format!("Liability of {year}-{month:02}"), *cents)
    });
    match breakdown {
        Breakdown::None => {
            vec![FigureLine::with_text(number, "Liability by date", "not reported below 2,500.00")]
        }
        Breakdown::Months | Breakdown::Days => lines.collect(),
    }
}

/// Form 944 with the liability of its months.
pub fn of_944(form: &Form944) -> Figures {
    let liability = of_months(("13", form.year), form.breakdown, &form.months);
    Figures::Return(vec![
        part_of_lines("Part 1", amount_lines(&form.lines()).collect()),
        part_of_lines("Line 13", liability),
        part_of_lines("Form 945-A", of_days(&form.days)),
        part_of_lines("Books", of_books(form.booked, form.to_post)),
    ])
}

/// The liability of each pay date. It is kept for every depositor: it is what the books owe.
fn of_days(days: &[DayLiability]) -> Vec<FigureLine> {
    days.iter()
        .map(|one| FigureLine::with_cents("", format!("Liability of {}", one.day), one.cents))
        .collect()
}

fn of_books(booked: i64, to_post: i64) -> Vec<FigureLine> {
    vec![
        FigureLine::with_cents("", "Taxes of the paychecks", booked),
        FigureLine::with_cents("", "Posted to the books at the close", to_post),
    ]
}

/// Form 940 with Schedule A.
pub fn of_940(form: &Form940) -> Figures {
    let exempt = form.exempt.iter().map(|(kind, cents)| {
        FigureLine::with_cents(
            kind.box_number(),
            format!("Exempt: {}", kind.as_str().replace('_', " ")),
            *cents,
        )
    });
    let states = form.states.iter().map(|one| {
        let percent =
            one.percent.map_or_else(|| "none".to_owned(), |percent| format!("{} %", percent.to_text(1)));
        let text = format!(
            "wages {}, reduction {} ({percent})",
            format_dollars(one.wages),
            format_dollars(one.reduction)
        );
        FigureLine::with_text("", one.state.as_str(), text)
    });
    Figures::Return(vec![
        part_of_lines("Lines", amount_lines(&form.lines()).collect()),
        part_of_lines("Line 4", exempt.collect()),
        part_of_lines("Schedule A", states.collect()),
    ])
}

/// Form W-3.
pub fn of_w3(form: &W3) -> Figures {
    let count = FigureLine::with_text("c", "Forms W-2", form.forms.to_string());
    let boxes =
        MoneyBox::ALL.iter().map(|of| FigureLine::with_cents(of.number(), of.title(), form.amount(*of)));
    let deferred = FigureLine::with_cents("12a", "Deferred compensation", form.deferred_compensation());
    let codes =
        form.box_12.iter().map(|(code, cents)| FigureLine::with_cents(format!("12 {code}"), "", *cents));
    let states = form.states.iter().flat_map(|(state, taxed)| {
        [
            FigureLine::with_cents("16", format!("{state}: state wages, tips, etc."), taxed.wages),
            FigureLine::with_cents("17", format!("{state}: state income tax"), taxed.tax),
        ]
    });
    Figures::Return(vec![
        part_of_lines("Boxes", std::iter::once(count).chain(boxes).chain([deferred]).collect()),
        part_of_lines("Box 12", codes.collect()),
        part_of_lines("States", states.collect()),
    ])
}

/// Form 1096, the sum of the Forms 1099-NEC.
pub fn of_1096(sum: &Sum) -> Figures {
    Figures::Return(vec![part_of_lines(
        "Forms 1099-NEC",
        vec![
            FigureLine::with_text("3", "Total number of forms", sum.forms.to_string()),
            FigureLine::with_cents("4", "Federal income tax withheld", sum.withheld),
            FigureLine::with_cents("5", "Total amount reported", sum.compensation),
        ],
    )])
}

/// Form W-3c, the sums of both columns of the Forms W-2c.
pub fn of_w3c(sums: &W3c) -> Figures {
    let count = FigureLine::with_text("c", "Forms W-2c", sums.forms.to_string());
    let boxes = sums.boxes().flat_map(|(number, reported, corrected)| {
        [
            FigureLine::with_cents(number, "previously reported", reported),
            FigureLine::with_cents(number, "correct information", corrected),
        ]
    });
    Figures::Return(vec![part_of_lines("Boxes", std::iter::once(count).chain(boxes).collect())])
}
