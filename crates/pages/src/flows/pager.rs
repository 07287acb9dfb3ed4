//! Pages of long lists: the current one, and links to the previous and next.

use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill_placeholders;
use domain::paging::{Listed, Page};
use interface::query::Query;

use super::form::Form;

/// Rows per page.
pub const ROWS: i64 = 25;

/// The current pages of a screen's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// of its list, or of the list of past records
    pub page: i64,
    /// of the list of open records, if a screen has both
    pub open: i64,
}

impl Asked {
    /// Without a query.
    pub const FIRST: Self = Self { page: 1, open: 1 };

    /// From a query. An invalid page number is the first page.
    pub fn from_query(query: &Query) -> Self {
        Self { page: page_number(query.text_value("page")), open: page_number(query.text_value("open")) }
    }

    /// From a form, which contains its page's numbers.
    pub fn of_form(form: &Form) -> Self {
        Self { page: page_number(form.get("page")), ..Self::FIRST }
    }
}

fn page_number(text: Option<&str>) -> i64 {
    text.and_then(|text| text.parse::<u32>().ok()).map_or(1, i64::from).max(1)
}

/// The number of the last page of a list.
pub fn last_page(total: i64) -> i64 {
    ((total + ROWS - 1) / ROWS).max(1)
}

/// A page of a list.
pub struct Part<T> {
    /// its rows
    pub rows: T,
    /// its number
    pub page: i64,
    /// number of rows in the whole list
    pub total: i64,
}

impl<T> Part<T> {
    /// Reads the requested page, or the last one if there are fewer.
    ///
    /// # Errors
    /// The error of `read`, which returns the rows of a page and the total number.
    pub fn read_page(
        asked: i64,
        mut read: impl FnMut(Page) -> Result<(T, i64), Error>,
    ) -> Result<Self, Error> {
        let mut at = |page| {
            let (rows, total) = read(Page::Part { page, per: ROWS })?;
            Ok::<_, Error>(Self { rows, page, total })
        };
        let part = at(asked)?;
        match last_page(part.total) {
            last if asked > last => at(last),
            _ => Ok(part),
        }
    }

    /// Links to the previous and next page; `None` if one page has the whole list. `list` identifies the list, and `to`
    /// returns a page's address.
    pub fn page_links(&self, t: &Texts, list: &str, to: impl Fn(i64) -> String) -> Option<Pager> {
        let (page, last) = (self.page, last_page(self.total));
        let values = [("number", &*page.to_string()), ("total", &*last.to_string())];
        let words = fill_placeholders(t.employer.page_of, &values);
        (last > 1).then(|| Pager {
            label: format!("{list}: {words}"),
            before: (page > 1).then(|| to(page - 1)),
            after: (page < last).then(|| to(page + 1)),
            words,
        })
    }
}

impl<T> Part<Vec<T>> {
    /// The same page with each row mapped by `f`.
    pub fn map_rows<U>(&self, f: impl FnMut(&T) -> U) -> Part<Vec<U>> {
        Part { rows: self.rows.iter().map(f).collect(), page: self.page, total: self.total }
    }
}

/// The rows of a page, with the total number.
pub fn rows_and_total<T>(listed: Listed<T>) -> (Vec<T>, i64) {
    let total = listed.paging.map_or(0, |(.., total)| total);
    (listed.items, total)
}

/// Links to the previous and next page.
pub struct Pager {
    /// label for screen readers
    pub label: String,
    /// address of the previous page
    pub before: Option<String>,
    /// address of the next page
    pub after: Option<String>,
    /// page number in words
    pub words: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(asked: i64, total: i64) -> Part<Vec<i64>> {
        let rows = |page: Page| {
            let (rows, before) = page.limit_and_offset();
            Ok(((before..total.min(before + rows)).collect(), total))
        };
        Part::read_page(asked, rows).unwrap()
    }

    #[test]
    fn a_page_beyond_the_last_is_the_last() {
        for (asked, total, page, rows) in
            [(1, 0, 1, 0), (7, 0, 1, 0), (2, 26, 2, 1), (9, 26, 2, 1), (2, 50, 2, 25)]
        {
            let part = read(asked, total);
            assert_eq!((part.page, part.rows.len()), (page, rows), "page {asked} of {total} rows");
        }
    }

    #[test]
    fn each_page_leads_to_its_neighbours_and_one_page_alone_has_no_pager() {
        let texts = crate::flows::texts::texts_in_language(domain::language::Language::English);
        let pager =
            |asked, total| read(asked, total).page_links(texts, "Employees", |page| format!("?page={page}"));
        assert!(pager(1, 25).is_none());
        let middle = pager(2, 60).unwrap();
        assert_eq!((middle.before.as_deref(), middle.after.as_deref()), (Some("?page=1"), Some("?page=3")));
        assert_eq!((&*middle.words, &*middle.label), ("Page 2 of 3", "Employees: Page 2 of 3"));
        assert!(pager(1, 60).unwrap().before.is_none() && pager(3, 60).unwrap().after.is_none());
    }

    #[test]
    fn what_is_no_number_of_a_page_is_the_first() {
        for (text, page) in [("3", 3), ("0", 1), ("-2", 1), ("x", 1), ("99999999999", 1), ("", 1)] {
            let query = Query::parse(&format!("page={text}")).unwrap();
            assert_eq!(Asked::from_query(&query), Asked { page, open: 1 }, "{text}");
        }
    }
}
