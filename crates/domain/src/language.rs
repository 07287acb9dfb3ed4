//! The languages of hosted pages, pay stubs and documents. Each has its words where they are used: `flows::texts` and `oauth::texts` of
//! the pages, [`crate::pay::payrolls::views::stub`], and [`crate::people::forms::pdf`].

use jiff::civil::Date;

const ENGLISH_MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const SPANISH_MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// Languages of the hosted pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English
    English,
    /// Spanish
    Spanish,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Spanish];

    /// The code in a page's `lang` and in the store.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// The language's own name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
        }
    }

    /// The language with this code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The first supported language of an Accept-Language header; English if there is none.
    pub fn from_accept_language(header: &str) -> Self {
        let mut wanted: Vec<(&str, &str)> = header
            .split(',')
            .map(|entry| {
                let (range, weight) = entry.split_once(";q=").unwrap_or((entry, "1"));
                (range.trim(), weight.trim())
            })
            .collect();
        // Weights are "1" or "0.x", so their texts sort like their values. The sort is stable.
        wanted.sort_by(|a, b| b.1.cmp(a.1));
        let known = |range: &str| {
            Self::ALL.into_iter().find(|language| range.split('-').next() == Some(language.code()))
        };
        wanted
            .iter()
            .filter(|(_, weight)| !weight.starts_with("0.0") && *weight != "0")
            .find_map(|(range, _)| known(range))
            .unwrap_or(Self::English)
    }

    /// A day in words, such as July 31, 1990.
    pub fn format_day(self, day: Date) -> String {
        let place = usize::try_from(day.month() - 1).unwrap_or(0);
        let (words, months) = match self {
            Self::English => ("{month} {day}, {year}", ENGLISH_MONTHS),
            Self::Spanish => ("{day} de {month} de {year}", SPANISH_MONTHS),
        };
        let (number, year) = (day.day().to_string(), day.year().to_string());
        fill_placeholders(words, &[("month", months[place]), ("day", &number), ("year", &year)])
    }

    /// A month in words, such as July 1990.
    pub fn month(self, day: Date) -> String {
        let place = usize::try_from(day.month() - 1).unwrap_or(0);
        match self {
            Self::English => format!("{} {}", ENGLISH_MONTHS[place], day.year()),
            Self::Spanish => format!("{} de {}", SPANISH_MONTHS[place], day.year()),
        }
    }

    /// The languages other than this one.
    pub fn others(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |other| *other != self)
    }
}

/// A text with its placeholders filled in, in one pass: a value that looks like a placeholder is not replaced.
pub fn fill_placeholders(text: &str, values: &[(&str, &str)]) -> String {
    let mut parts = text.split('{');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.split_once('}').and_then(|(name, rest)| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, rest))
        });
        match value {
            Some((value, rest)) => made.extend([value, rest]),
            None => made.extend(["{", part]),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_supported_language_of_the_browser_is_used() {
        assert_eq!(Language::from_accept_language("es-MX,es;q=0.9,en;q=0.8"), Language::Spanish);
        assert_eq!(Language::from_accept_language("fr, es;q=0.5, en;q=0.7"), Language::English);
        assert_eq!(Language::from_accept_language("es;q=0, en"), Language::English);
        assert_eq!(Language::from_accept_language("de"), Language::English);
        assert_eq!(Language::from_accept_language(""), Language::English);
    }

    #[test]
    fn placeholders_are_replaced_by_their_values() {
        assert_eq!(
            fill_placeholders(
                "Welcome to {company}, {name}",
                &[("name", "{company}"), ("company", "X {name}")]
            ),
            "Welcome to X {name}, {company}"
        );
    }
}
