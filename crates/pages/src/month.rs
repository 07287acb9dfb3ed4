//! Calendars of months with days that matter marked: paydays, and the days until which their payrolls are submitted.

use askama::Template;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::flows::texts;
use domain::language::Language;

/// What a day is marked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// people are paid
    Payday,
    /// the last day to submit a payroll
    Deadline,
}

impl Mark {
    const fn class(self) -> &'static str {
        match self {
            Self::Payday => "payday",
            Self::Deadline => "deadline",
        }
    }
}

struct Day {
    number: i8,
    class: &'static str,
    /// what it is marked for, in words; empty for an ordinary day
    told: &'static str,
}

struct Month {
    title: String,
    /// seven days each; none where the week has days of other months
    weeks: Vec<Vec<Option<Day>>>,
}

#[derive(Template)]
#[template(path = "months.html")]
struct Months<'a> {
    months: Vec<Month>,
    weekdays: [&'static str; 7],
    legend: [(&'static str, &'static str); 2],
    label: &'a str,
}

impl Months<'_> {
    /// The first letter of a weekday.
    fn initial(name: &str) -> String {
        name.chars().take(1).flat_map(char::to_uppercase).collect()
    }
}

/// The months from the first marked day to the last, at most as many as given. Empty without marks.
pub fn months(language: Language, label: &str, marks: &[(Date, Mark)], most: usize) -> String {
    let e = texts::texts_in_language(language).employer;
    let word = |mark: Mark| match mark {
        Mark::Payday => e.payday,
        Mark::Deadline => e.submit_by,
    };
    let (Some((first, _)), Some((last, _))) = (marks.iter().min(), marks.iter().max()) else {
        return String::new();
    };
    let starts = first.first_of_month().series(1.month()).take_while(|start| start <= last).take(most);
    let day = |day: Date| {
        let mark = marks.iter().filter(|(marked, _)| *marked == day).map(|(_, mark)| *mark).min();
        Day { number: day.day(), class: mark.map_or("", Mark::class), told: mark.map_or("", word) }
    };
    let month = |start: Date| {
        let before = usize::from(start.weekday().to_sunday_zero_offset().unsigned_abs());
        let days =
            start.series(1.day()).take_while(|day| day.month() == start.month()).map(|at| Some(day(at)));
        let mut cells: Vec<Option<Day>> = (0..before).map(|_| None).chain(days).collect();
        let mut weeks = Vec::new();
        while !cells.is_empty() {
            let rest = cells.split_off(cells.len().min(7));
            cells.resize_with(7, || None);
            weeks.push(std::mem::replace(&mut cells, rest));
        }
        Month { title: language.month(start), weeks }
    };
    let months = starts.map(month).collect();
    let legend = [Mark::Payday, Mark::Deadline].map(|mark| (mark.class(), word(mark)));
    // The template is checked at compile time, and writing into a string cannot fail.
    Months { months, weekdays: e.weekdays, legend, label }.render().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_month_begins_on_its_weekday_and_a_payday_that_is_a_deadline_too_is_a_payday() {
        let marks = [
            (date(2026, 11, 24), Mark::Deadline),
            (date(2026, 11, 27), Mark::Payday),
            (date(2026, 12, 11), Mark::Payday),
            (date(2026, 12, 11), Mark::Deadline),
        ];
        let shown = months(Language::English, "Paydays", &marks, 3);
        assert_eq!(shown.matches("<caption>").count(), 2);
        assert!(shown.contains("November 2026") && shown.contains("December 2026"), "{shown}");
        // The first of November 2026 is a Sunday, that of December a Tuesday.
        assert_eq!(shown.matches("<td></td>").count(), 5 + 2 + 2);
        assert_eq!(shown.matches("class=\"payday\">").count(), 2 + 1, "two days and the legend");
        assert_eq!(months(Language::Spanish, "", &marks, 1).matches("<caption>").count(), 1);
        assert!(months(Language::English, "", &[], 3).is_empty());
    }
}
