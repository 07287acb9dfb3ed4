//! Formatting for pages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rules::Amount;
use serde_json::Value;
use uuid::Uuid;

use domain::paging::Page;
use interface::query::Query;

use super::ROWS;
use crate::money::dollars_of;

/// What comes first in a date. The words are always English; the order depends on the region of the reader's browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// `Nov 25, 2026`
    Month,
    /// `25 Nov 2026`
    Day,
    /// `2026-11-25`
    Year,
}

/// How days and moments are written: in the order of the reader's region, and in the zone of the page's company.
#[derive(Debug, Clone, Copy)]
pub struct Dates {
    order: Order,
    zone: &'static Zone,
}

/// A time zone, with its name in words.
#[derive(Debug)]
struct Zone {
    zone: TimeZone,
    name: &'static str,
}

/// The zones of companies, by their names.
static ZONES: LazyLock<BTreeMap<&'static str, Zone>> = LazyLock::new(|| {
    let names = [
        ("America/New_York", "Eastern time"),
        ("America/Detroit", "Eastern time (Detroit)"),
        ("America/Indiana/Indianapolis", "Eastern time (Indianapolis)"),
        ("America/Kentucky/Louisville", "Eastern time (Louisville)"),
        ("America/Chicago", "Central time"),
        ("America/Denver", "Mountain time"),
        ("America/Boise", "Mountain time (Boise)"),
        ("America/Phoenix", "Mountain time (Arizona)"),
        ("America/Los_Angeles", "Pacific time"),
        ("America/Anchorage", "Alaska time"),
        ("Pacific/Honolulu", "Hawaii time"),
    ];
    let zone = |(id, name)| Some((id, Zone { zone: TimeZone::get(id).ok()?, name }));
    names.into_iter().filter_map(zone).collect()
});

/// The zone of pages that belong to no company.
static UTC: Zone = Zone { zone: TimeZone::UTC, name: "UTC" };

impl Dates {
    /// From an Accept-Language header, in UTC: its first language decides, because browsers send the reader's own first.
    pub fn from_accept_language(header: &str) -> Self {
        let range = header.split([',', ';']).next().unwrap_or_default().trim();
        let mut parts = range.split('-');
        let language = parts.next().unwrap_or_default().to_lowercase();
        // A four-letter script may be between the language and the region.
        let region = parts.find(|part| part.len() == 2).map(str::to_uppercase);
        let order = match (language.as_str(), region.as_deref()) {
            ("" | "*", _) | ("en", None) | (_, Some("US")) | ("en", Some("CA" | "PH")) => Order::Month,
            ("zh" | "ja" | "ko" | "hu" | "lt" | "mn", _) => Order::Year,
            _ => Order::Day,
        };
        Self { order, zone: &UTC }
    }

    /// In a company's time zone.
    #[must_use]
    pub fn in_time_zone(self, zone: &TimeZone) -> Self {
        let known = zone.iana_name().and_then(|name| ZONES.get(name));
        Self { zone: known.unwrap_or(&UTC), ..self }
    }

    /// The zone of all moments, in words.
    pub fn zone_name(&self) -> &'static str {
        self.zone.name
    }

    /// A day.
    pub fn format_day(self, day: Date) -> String {
        day.strftime(self.date_pattern()).to_string()
    }

    /// A moment, in the zone that the page names.
    pub fn format_moment(self, at: Timestamp) -> String {
        let at = at.to_zoned(self.zone.zone.clone());
        format!("{}, {}", self.format_day(at.date()), at.strftime("%H:%M:%S"))
    }

    /// A moment until which something has to be done: to the minute.
    pub fn minute(self, at: Timestamp) -> String {
        let at = at.to_zoned(self.zone.zone.clone());
        let time = if self.order == Order::Month { "%-I:%M %p" } else { "%H:%M" };
        format!("{}, {}", self.format_day(at.date()), at.strftime(time))
    }

    const fn date_pattern(self) -> &'static str {
        match self.order {
            Order::Month => "%b %-d, %Y",
            Order::Day => "%-d %b %Y",
            Order::Year => "%Y-%m-%d",
        }
    }

    /// A date in the API's format.
    pub fn day_text(self, text: &str) -> String {
        text.parse().map_or_else(|_| text.to_owned(), |day| self.format_day(day))
    }

    /// A text of the API, with its dates written as on this page.
    pub fn within_text(self, text: &str) -> String {
        let mut words = Vec::new();
        for word in text.split(' ') {
            let (opened, plain) = word.strip_prefix('(').map_or(("", word), |plain| ("(", plain));
            let digits = plain.len().min(10);
            match plain.get(..digits).and_then(|text| text.parse::<Date>().ok()) {
                Some(day)
                    if digits == 10 && !plain[10..].starts_with(|next: char| next.is_alphanumeric()) =>
                {
                    words.push(format!("{opened}{}{}", self.format_day(day), &plain[10..]));
                }
                _ => words.push(word.to_owned()),
            }
        }
        words.join(" ")
    }

    /// A text of the API, with its dates and its amounts written as on this page, and without identifiers in parentheses: what they are
    /// of is named before them.
    pub fn rewrite_text(self, text: &str) -> String {
        let mut made = String::new();
        for word in self.within_text(text).split(' ') {
            match without_identifier(word) {
                Some(rest) => made.push_str(rest),
                None => {
                    let gap = if made.is_empty() { "" } else { " " };
                    made.push_str(gap);
                    made.push_str(&with_dollars(word));
                }
            }
        }
        made
    }

    /// A moment in the API's format.
    pub fn moment_text(self, text: &str) -> String {
        text.parse().map_or_else(|_| text.to_owned(), |at| self.format_moment(at))
    }
}

/// What follows an identifier in parentheses; `None` for any other word.
fn without_identifier(word: &str) -> Option<&str> {
    let (inside, rest) = word.strip_prefix('(')?.split_once(')')?;
    inside.parse::<Uuid>().is_ok().then_some(rest)
}

/// A word of a text, with its dollar sign if it is an amount of dollars and cents.
fn with_dollars(word: &str) -> String {
    let number = word.trim_end_matches([',', ';', ':', ')']);
    let (opened, number) = number.strip_prefix('(').map_or(("", number), |number| ("(", number));
    let digits = number.strip_prefix('-').unwrap_or(number);
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_amount = digits.split_once('.').is_some_and(|(whole, cents)| {
        whole.split(',').all(all_digits) && all_digits(cents) && cents.len() == 2
    });
    if !is_amount {
        return word.to_owned();
    }
    format!("{opened}{}{}", dollars_of(&number.replace(',', "")), &word[opened.len() + number.len()..])
}

/// How far away a day is, in words.
pub fn in_days(today: Date, day: Date) -> String {
    match (day - today).get_days() {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        -1 => "yesterday".to_owned(),
        days @ 2.. => format!("in {days} days"),
        days => format!("{} days ago", -days),
    }
}

/// A formatted percentage: `5.00` is `5%`.
pub fn format_percent(amount: Amount) -> String {
    format!("{}%", amount.to_text(0))
}

/// A machine-readable moment: an attribute, or the value of a control.
pub fn moment_value(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// A code word in plain words: `admin_onboarding_incomplete` is `Admin onboarding incomplete`.
pub fn plain_words(text: &str) -> String {
    let mut words = text.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// Truncates a page of a list in descending order, of which one row more than a page was read. Returns the page's last
/// row if there are older ones: the next page begins after it.
pub fn truncate_to_page<T>(found: &mut Vec<T>, id: impl Fn(&T) -> Uuid) -> Option<Uuid> {
    let page = usize::try_from(ROWS).unwrap_or(usize::MAX);
    let more = found.len() > page;
    found.truncate(page);
    found.last().map(id).filter(|_| more)
}

/// A duration.
pub fn format_duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}

/// JSON with a line per field; anything else is unchanged.
pub fn pretty_json(json: &str) -> String {
    let parsed = serde_json::from_str::<Value>(json).and_then(|value| serde_json::to_string_pretty(&value));
    parsed.unwrap_or_else(|_| json.to_owned())
}

/// Whether a status is good or bad, as a CSS class.
pub fn status_mood(word: &str) -> &'static str {
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
    pub fn page_number(query: &Query) -> i64 {
        let number = query.text_value("page").and_then(|text| text.parse().ok());
        number.filter(|page| (1..=1_000_000).contains(page)).unwrap_or(1)
    }

    /// Its rows.
    pub fn rows_of_page(page: i64) -> Page {
        Page::Part { page, per: ROWS }
    }

    /// With the total number of rows; `kept` are the query parameters to keep, name and value.
    pub fn of_total(page: i64, total: i64, kept: &[(&str, &str)]) -> Self {
        let last = ((total + ROWS - 1) / ROWS).max(1);
        let kept = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(kept.iter().filter(|(_, value)| !value.is_empty()))
            .finish();
        Self { page, last, total, kept }
    }

    /// The query of another page.
    pub fn page_query(&self, page: &i64) -> String {
        if self.kept.is_empty() { format!("?page={page}") } else { format!("?{}&page={page}", self.kept) }
    }

    /// The page before.
    pub fn previous_page(&self) -> Option<i64> {
        (self.page > 1).then(|| (self.page - 1).min(self.last))
    }

    /// The page after.
    pub fn next_page(&self) -> Option<i64> {
        (self.page < self.last).then_some(self.page + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_interface_have_days_and_dollars_as_pages_write_them() {
        let dates = Dates::from_accept_language("en-US");
        for (text, written) in [
            (
                "Form 941, line 12 18860.53, deposits 0.00: due 2026-04-30",
                "Form 941, line 12 $18,860.53, deposits $0.00: due Apr 30, 2026",
            ),
            ("box 16 205936.40, its quarters (41542.00)", "box 16 $205,936.40, its quarters ($41,542.00)"),
            ("2.5 hours at 1.234 and 12", "2.5 hours at 1.234 and 12"),
            ("not reported below 2,500.00", "not reported below $2,500.00"),
            ("The window (2026-01-02 on)", "The window (Jan 2, 2026 on)"),
            (
                "no occupation of Server (019b771c-3137-74c0-8006-4f1815bafc5d): box 14b",
                "no occupation of Server: box 14b",
            ),
        ] {
            assert_eq!(dates.rewrite_text(text), written);
        }
    }

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
            assert_eq!(Dates::from_accept_language(header).format_day(day), expected, "{header:?}");
        }
        let american = Dates::from_accept_language("en-US");
        assert_eq!(american.day_text("2026-11-05"), "Nov 5, 2026");
        assert_eq!(american.day_text("soon"), "soon");
    }

    #[test]
    fn moments_are_those_of_the_company_s_clocks_and_the_zone_has_a_name() {
        // A deadline: 4 p.m. in Los Angeles.
        let at: Timestamp = "2026-11-25T00:00:00Z".parse().unwrap();
        let dates = Dates::from_accept_language("en-US");
        assert_eq!(
            (dates.format_moment(at), dates.zone_name()),
            ("Nov 25, 2026, 00:00:00".to_owned(), "UTC")
        );
        for (zone, moment, name) in [
            ("America/Los_Angeles", "Nov 24, 2026, 16:00:00", "Pacific time"),
            ("America/New_York", "Nov 24, 2026, 19:00:00", "Eastern time"),
            ("Pacific/Honolulu", "Nov 24, 2026, 14:00:00", "Hawaii time"),
        ] {
            let dates = dates.in_time_zone(&TimeZone::get(zone).unwrap());
            assert_eq!((dates.format_moment(at), dates.zone_name()), (moment.to_owned(), name));
        }
        assert_eq!(Dates::from_accept_language("en-GB").format_moment(at), "25 Nov 2026, 00:00:00");
    }

    #[test]
    fn the_zone_of_every_state_has_a_name() {
        for (state, _) in rules::check::STATES {
            let zone = rules::calendar::time_zone_of_state(state);
            assert!(ZONES.contains_key(zone), "{state}: {zone}");
        }
    }

    #[test]
    fn dates_within_a_text_of_the_api_are_written_as_on_the_page() {
        let dates = Dates::from_accept_language("en-US");
        for (text, expected) in [
            (
                "The debit for the payroll of 2026-11-27 was returned",
                "The debit for the payroll of Nov 27, 2026 was returned",
            ),
            ("from 2026-11-01, until 2026-11-14.", "from Nov 1, 2026, until Nov 14, 2026."),
            ("2026-11-01T00:00:00Z and 2026-13-01 é", "2026-11-01T00:00:00Z and 2026-13-01 é"),
        ] {
            assert_eq!(dates.within_text(text), expected);
        }
    }

    #[test]
    fn a_day_is_as_far_away_as_people_count() {
        let today = jiff::civil::date(2026, 11, 30);
        for (day, expected) in [(30, "today"), (29, "yesterday"), (27, "3 days ago")] {
            assert_eq!(in_days(today, jiff::civil::date(2026, 11, day)), expected);
        }
        assert_eq!(in_days(today, jiff::civil::date(2026, 12, 1)), "tomorrow");
        assert_eq!(in_days(today, jiff::civil::date(2027, 2, 1)), "in 63 days");
    }

    #[test]
    fn a_percentage_has_no_more_places_than_it_needs() {
        for (text, expected) in [("5.00", "5%"), ("2.50", "2.5%"), ("0", "0%"), ("100", "100%")] {
            assert_eq!(format_percent(Amount::parse(text).unwrap()), expected);
        }
    }

    #[test]
    fn words_of_a_program_become_words_for_people() {
        assert_eq!(plain_words("self_onboarding_invited"), "Self onboarding invited");
        assert_eq!(plain_words(""), "");
        assert_eq!(plain_words("état_1"), "état 1");
    }

    #[test]
    fn a_stretch_of_time_is_told_in_the_unit_that_fits() {
        let written = [999, 1_250, 45_900, 2_340_000].map(format_duration);
        assert_eq!(written, ["999 µs", "1.2 ms", "45 ms", "2.3 s"]);
    }

    #[test]
    fn pages_lead_to_one_another_and_keep_what_was_searched_for() {
        let pages = Pages::of_total(2, 51, &[("q", "a&b"), ("type", "")]);
        assert_eq!((pages.last, pages.previous_page(), pages.next_page()), (3, Some(1), Some(3)));
        assert_eq!(pages.page_query(&3), "?q=a%26b&page=3");
        let beyond = Pages::of_total(9, 0, &[]);
        assert_eq!((beyond.last, beyond.previous_page(), beyond.next_page()), (1, Some(1), None));
    }
}
