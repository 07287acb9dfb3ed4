//! Query strings, and pages of lists.
//!
//! A list without `page` and `per` is given whole, up to [`MOST`] rows; with either of them it is given in pages,
//! and the answer's headers say which page it is and how many there are.

use rules::{Category, Checks, Violation};
use uuid::Uuid;

use crate::error::Error;
use crate::records::id_of;

/// Rows on a page when `per` is absent.
const DEFAULT_PER: i64 = 25;
/// Most rows on a page.
const MOST_PER: i64 = 100;
/// Rows of an unpaged list at the most. A longer one must be read in pages, and says so.
pub const MOST: i64 = 10_000;
/// Characters of a query string at the most.
const LONGEST: usize = 8_192;

/// The query string, in order of its parameters.
#[derive(Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query string.
    ///
    /// # Errors
    /// It is longer than 8,192 characters, or holds a NUL character.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > LONGEST {
            return Err(Error::Unreadable(format!("The query string is longer than {LONGEST} characters.")));
        }
        let pairs: Vec<(String, String)> = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        if pairs.iter().any(|(_, value)| value.contains('\0')) {
            return Err(Error::Unreadable("The query string holds a NUL character.".to_owned()));
        }
        Ok(Self(pairs))
    }

    /// The last value of a parameter; an empty one counts as absent.
    pub fn text(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// A parameter that must be `true` or `false`.
    pub fn flag(&self, key: &str, checks: &mut Checks) -> Option<bool> {
        match self.text(key)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                checks.push(wrong(key, "must be true or false"));
                None
            }
        }
    }

    /// Identifiers separated by commas. What is no UUID names no record: it is passed on as one that finds none.
    pub fn ids(&self, key: &str) -> Option<Vec<Uuid>> {
        self.text(key).map(|text| text.split(',').map(|id| id_of(id.trim())).collect())
    }

    /// Words separated by commas, each of which must be allowed. Accepts `key` and `key[]`.
    pub fn words(&self, key: &str, allowed: &[&'static str], checks: &mut Checks) -> Vec<&'static str> {
        let bracketed = format!("{key}[]");
        let given = self.0.iter().filter(|(name, _)| name == key || *name == bracketed);
        let mut words = Vec::new();
        for word in
            given.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|word| !word.is_empty())
        {
            match allowed.iter().find(|name| **name == word) {
                Some(name) => words.push(*name),
                None => checks.push(wrong(key, &format!("may name only {}", allowed.join(", ")))),
            }
        }
        words
    }

    /// The page that is asked for.
    pub fn page(&self, checks: &mut Checks) -> Page {
        let number = |key: &str, most: i64, checks: &mut Checks| {
            let text = self.text(key)?;
            let number = text.parse::<i64>().ok().filter(|number| (1..=most).contains(number));
            if number.is_none() {
                checks.push(wrong(key, &format!("must be a whole number from 1 to {most}")));
            }
            number
        };
        let page = number("page", 1_000_000, checks);
        let per = number("per", MOST_PER, checks);
        match (page, per) {
            (None, None) => Page::Whole,
            (page, per) => Page::Part { page: page.unwrap_or(1), per: per.unwrap_or(DEFAULT_PER) },
        }
    }

    /// Refuses the call when a check failed.
    ///
    /// # Errors
    /// 422 with every violation.
    pub fn checked<T>(checks: Checks, value: T) -> Result<T, Error> {
        checks.finish().map(|()| value).map_err(Error::from)
    }
}

fn wrong(key: &str, what: &str) -> Violation {
    Violation::new(key, Category::InvalidParameter, format!("{key} {what}"))
}

/// Which rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// all of them
    Whole,
    /// `per` rows, after those of the pages before; pages count from 1
    Part {
        /// number of the page
        page: i64,
        /// rows on it
        per: i64,
    },
}

impl Page {
    /// LIMIT and OFFSET of the statement.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            Self::Whole => (MOST + 1, 0),
            Self::Part { page, per } => (per, (page - 1) * per),
        }
    }
}

/// Page, rows on a page, rows in all; nothing of a list that is given whole.
pub type Paging = Option<(i64, i64, i64)>;

/// A list, and how long it is in all when it was asked for in pages.
#[derive(Debug)]
pub struct Listed<T> {
    /// the rows
    pub items: Vec<T>,
    /// which page it is
    pub paging: Paging,
}

impl<T> Listed<T> {
    /// Joins the rows that were read with the count, which is asked for only when it is needed.
    ///
    /// # Errors
    /// 422 when an unpaged list is too long; what `count` gives.
    pub fn new(page: Page, items: Vec<T>, count: impl FnOnce() -> Result<i64, Error>) -> Result<Self, Error> {
        match page {
            Page::Whole if items.len() as i64 > MOST => Err(Error::from(wrong(
                "page",
                &format!("is needed here: the list has more than {MOST} rows; read it with page and per"),
            ))),
            Page::Whole => Ok(Self { items, paging: None }),
            Page::Part { page, per } => Ok(Self { items, paging: Some((page, per, count()?)) }),
        }
    }

    /// The same list with each row as `f` makes it.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Listed<U> {
        Listed { items: self.items.into_iter().map(f).collect(), paging: self.paging }
    }

    /// The part of a list that was read whole.
    pub fn slice(page: Page, mut items: Vec<T>) -> Self {
        let Page::Part { page, per } = page else { return Self { items, paging: None } };
        let total = items.len() as i64;
        let skip = usize::try_from((page - 1) * per).unwrap_or(usize::MAX);
        let items = if skip < items.len() { items.split_off(skip) } else { Vec::new() };
        let per_rows = usize::try_from(per).unwrap_or(usize::MAX);
        Self { items: items.into_iter().take(per_rows).collect(), paging: Some((page, per, total)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    #[test]
    fn a_list_without_page_and_per_is_given_whole() {
        let mut checks = Checks::new();
        assert_eq!(query("search_term=x").page(&mut checks), Page::Whole);
        assert_eq!(query("page=3").page(&mut checks), Page::Part { page: 3, per: 25 });
        assert_eq!(query("per=10").page(&mut checks), Page::Part { page: 1, per: 10 });
        assert!(checks.is_empty());
    }

    #[test]
    fn a_page_out_of_range_is_refused_by_name() {
        for wrong in ["page=0", "page=-1", "per=101", "per=x", "page=99999999999999999999"] {
            let mut checks = Checks::new();
            query(wrong).page(&mut checks);
            let violations = checks.finish().unwrap_err();
            assert!(wrong.starts_with(&violations[0].key), "{wrong}");
        }
    }

    #[test]
    fn include_takes_words_joined_by_commas_and_names_the_allowed_ones() {
        let mut checks = Checks::new();
        let allowed = ["all_compensations", "company_name"];
        assert_eq!(
            query("include=all_compensations%2Ccompany_name").words("include", &allowed, &mut checks),
            allowed
        );
        query("include=everything").words("include", &allowed, &mut checks);
        assert!(checks.finish().unwrap_err()[0].message.contains("all_compensations, company_name"));
    }

    #[test]
    fn a_page_past_the_end_is_empty_and_still_says_how_many_there_are() {
        let listed = Listed::slice(Page::Part { page: 9, per: 2 }, vec![1, 2, 3]);
        assert_eq!((listed.items.len(), listed.paging), (0, Some((9, 2, 3))));
    }
}
