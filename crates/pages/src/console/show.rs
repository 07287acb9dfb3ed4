//! Formatting for pages.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Amount;
use serde_json::Value;
use uuid::Uuid;

use domain::paging::Page;
use interface::query::Query;

use super::ROWS;

/// The date format: what comes first. The words are always English; the order depends on the region of the reader's
/// browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dates {
    /// `Nov 25, 2026`
    Month,
    /// `25 Nov 2026`
    Day,
    /// `2026-11-25`
    Year,
}

impl Dates {
    /// From an Accept-Language header: its first language decides, because browsers send the reader's own first.
    pub fn accepted(header: &str) -> Self {
        let range = header.split([',', ';']).next().unwrap_or_default().trim();
        let mut parts = range.split('-');
        let language = parts.next().unwrap_or_default().to_lowercase();
        // A four-letter script may be between the language and the region.
        let region = parts.find(|part| part.len() == 2).map(str::to_uppercase);
        match (language.as_str(), region.as_deref()) {
            ("" | "*", _) | ("en", None) | (_, Some("US")) | ("en", Some("CA" | "PH")) => Self::Month,
            ("zh" | "ja" | "ko" | "hu" | "lt" | "mn", _) => Self::Year,
            _ => Self::Day,
        }
    }

    /// A day.
    pub fn day(self, day: Date) -> String {
        day.strftime(self.pattern()).to_string()
    }

    /// A moment, in UTC.
    pub fn moment(self, at: Timestamp) -> String {
        format!("{}, {}", at.strftime(self.pattern()), at.strftime("%H:%M:%S"))
    }

    const fn pattern(self) -> &'static str {
        match self {
            Self::Month => "%b %-d, %Y",
            Self::Day => "%-d %b %Y",
            Self::Year => "%Y-%m-%d",
        }
    }

    /// A date in the API's format.
    pub fn day_text(self, text: &str) -> String {
        text.parse().map_or_else(|_| text.to_owned(), |day| self.day(day))
    }

    /// A moment in the API's format.
    pub fn moment_text(self, text: &str) -> String {
        text.parse().map_or_else(|_| text.to_owned(), |at| self.moment(at))
    }
}

/// A formatted percentage: `5.00` is `5%`.
pub fn percent(amount: Amount) -> String {
    format!("{}%", amount.to_text(0))
}

/// A machine-readable moment: an attribute, or the value of a control.
pub fn moment_value(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// A code word in plain words: `admin_onboarding_incomplete` is `Admin onboarding incomplete`.
pub fn words(text: &str) -> String {
    let mut words = text.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// Truncates a page of a list in descending order, of which one row more than a page was read. Returns the page's last
/// row if there are older ones: the next page begins after it.
pub fn older<T>(found: &mut Vec<T>, id: impl Fn(&T) -> Uuid) -> Option<Uuid> {
    let page = usize::try_from(ROWS).unwrap_or(usize::MAX);
    let more = found.len() > page;
    found.truncate(page);
    found.last().map(id).filter(|_| more)
}

/// A duration.
pub fn took(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}

/// JSON with a line per field; anything else is unchanged.
pub fn pretty(json: &str) -> String {
    let parsed = serde_json::from_str::<Value>(json).and_then(|value| serde_json::to_string_pretty(&value));
    parsed.unwrap_or_else(|_| json.to_owned())
}

/// Whether a status is good or bad, as a CSS class.
pub fn mood(word: &str) -> &'static str {
    match word {
        "delivered" | "verified" | "Approved" | "processed" | "onboarding_completed" | "applies" => "good",
        "failed"
        | "abandoned"
        | "unreachable"
        | "paused"
        | "Suspended"
        | "self_onboarding_invited_overdue" => "bad",
        "open" | "pending" | "calculated" => "open",
        _ => "plain",
    }
}

/// The class of an HTTP status.
pub fn mood_of_status(status: u16) -> &'static str {
    match status {
        0..400 => "good",
        400..500 => "open",
        _ => "bad",
    }
}

/// A page of a list that is counted.
#[derive(Debug, Clone)]
pub struct Pages {
    /// this page, from 1 on
    pub page: i64,
    /// the last page
    pub last: i64,
    /// rows in total
    pub total: i64,
    /// query parameters that the addresses of other pages keep
    kept: String,
}

impl Pages {
    /// The page in the query; an invalid number is the first page.
    pub fn asked(query: &Query) -> i64 {
        let number = query.text("page").and_then(|text| text.parse().ok());
        number.filter(|page| (1..=1_000_000).contains(page)).unwrap_or(1)
    }

    /// Its rows.
    pub fn rows(page: i64) -> Page {
        Page::Part { page, per: ROWS }
    }

    /// With the total number of rows; `kept` are the query parameters to keep, name and value.
    pub fn of(page: i64, total: i64, kept: &[(&str, &str)]) -> Self {
        let last = ((total + ROWS - 1) / ROWS).max(1);
        let kept = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(kept.iter().filter(|(_, value)| !value.is_empty()))
            .finish();
        Self { page, last, total, kept }
    }

    /// The query of another page.
    pub fn to(&self, page: &i64) -> String {
        if self.kept.is_empty() { format!("?page={page}") } else { format!("?{}&page={page}", self.kept) }
    }

    /// The page before.
    pub fn before(&self) -> Option<i64> {
        (self.page > 1).then(|| (self.page - 1).min(self.last))
    }

    /// The page after.
    pub fn after(&self) -> Option<i64> {
        (self.page < self.last).then_some(self.page + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_as_where_the_reader_is_at_home() {
        let day = jiff::civil::date(2026, 11, 5);
        for (header, expected) in [
            ("", "Nov 5, 2026"),
            ("*", "Nov 5, 2026"),
            ("en-US,en;q=0.9", "Nov 5, 2026"),
            ("en", "Nov 5, 2026"),
            ("es-US,es;q=0.9", "Nov 5, 2026"),
            ("en-GB,en-US;q=0.9", "5 Nov 2026"),
            ("de-DE,de;q=0.9,en;q=0.8", "5 Nov 2026"),
            ("es-MX", "5 Nov 2026"),
            ("zh-Hans-CN,zh;q=0.9", "2026-11-05"),
            ("ja", "2026-11-05"),
        ] {
            assert_eq!(Dates::accepted(header).day(day), expected, "{header:?}");
        }
        let at = day.at(9, 30, 7, 0).in_tz("UTC").unwrap().timestamp();
        assert_eq!(Dates::Day.moment(at), "5 Nov 2026, 09:30:07");
        assert_eq!(Dates::Month.day_text("2026-11-05"), "Nov 5, 2026");
        assert_eq!(Dates::Month.day_text("soon"), "soon");
    }

    #[test]
    fn a_percentage_has_no_more_places_than_it_needs() {
        for (text, expected) in [("5.00", "5%"), ("2.50", "2.5%"), ("0", "0%"), ("100", "100%")] {
            assert_eq!(percent(Amount::parse(text).unwrap()), expected);
        }
    }

    #[test]
    fn words_of_a_program_become_words_for_people() {
        assert_eq!(words("self_onboarding_invited"), "Self onboarding invited");
        assert_eq!(words(""), "");
        assert_eq!(words("état_1"), "état 1");
    }

    #[test]
    fn a_stretch_of_time_is_told_in_the_unit_that_fits() {
        let written = [999, 1_250, 45_900, 2_340_000].map(took);
        assert_eq!(written, ["999 µs", "1.2 ms", "45 ms", "2.3 s"]);
    }

    #[test]
    fn pages_lead_to_one_another_and_keep_what_was_searched_for() {
        let pages = Pages::of(2, 51, &[("q", "a&b"), ("type", "")]);
        assert_eq!((pages.last, pages.before(), pages.after()), (3, Some(1), Some(3)));
        assert_eq!(pages.to(&3), "?q=a%26b&page=3");
        let beyond = Pages::of(9, 0, &[]);
        assert_eq!((beyond.last, beyond.before(), beyond.after()), (1, Some(1), None));
    }
}
