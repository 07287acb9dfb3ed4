//! Pages of long lists: which one is asked for, and the way to those before and after it.

use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill;
use domain::paging::{Listed, Page};
use interface::query::Query;

use super::form::Form;

/// Rows of a page.
pub const ROWS: i64 = 25;

/// Which pages of a screen's lists are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// of its list, or of that which goes back in time
    pub page: i64,
    /// of the list of what is open, where a screen has both
    pub open: i64,
}

impl Asked {
    /// Without an address.
    pub const FIRST: Self = Self { page: 1, open: 1 };

    /// By an address. What is no number of a page is the first one.
    pub fn by(query: &Query) -> Self {
        Self { page: number(query.text("page")), open: number(query.text("open")) }
    }

    /// By a form, which says on which page it stood.
    pub fn of_form(form: &Form) -> Self {
        Self { page: number(form.get("page")), ..Self::FIRST }
    }
}

fn number(text: Option<&str>) -> i64 {
    text.and_then(|text| text.parse::<u32>().ok()).map_or(1, i64::from).max(1)
}

/// The number of the last page of a list.
pub fn last_page(total: i64) -> i64 {
    ((total + ROWS - 1) / ROWS).max(1)
}

/// A page of a list.
pub struct Part<T> {
    /// what is on it
    pub rows: T,
    /// its number
    pub page: i64,
    /// rows of the whole list
    pub total: i64,
}

impl<T> Part<T> {
    /// Reads the page that is asked for, or the last one where there are not as many.
    ///
    /// # Errors
    /// What `read` gives: the rows of a page, and how many there are in all.
    pub fn read(asked: i64, mut read: impl FnMut(Page) -> Result<(T, i64), Error>) -> Result<Self, Error> {
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

    /// The ways to the pages before and after; none where one page holds the whole list. `list` says which list it is, and
    /// `to` where a page lies.
    pub fn pager(&self, t: &Texts, list: &str, to: impl Fn(i64) -> String) -> Option<Pager> {
        let (page, last) = (self.page, last_page(self.total));
        let values = [("number", &*page.to_string()), ("total", &*last.to_string())];
        let words = fill(t.employer.page_of, &values);
        (last > 1).then(|| Pager {
            label: format!("{list}: {words}"),
            before: (page > 1).then(|| to(page - 1)),
            after: (page < last).then(|| to(page + 1)),
            words,
        })
    }
}

impl<T> Part<Vec<T>> {
    /// The same page with each row as `f` makes it.
    pub fn map<U>(&self, f: impl FnMut(&T) -> U) -> Part<Vec<U>> {
        Part { rows: self.rows.iter().map(f).collect(), page: self.page, total: self.total }
    }
}

/// The rows of a list that was read by page, with how many there are in all.
pub fn counted<T>(listed: Listed<T>) -> (Vec<T>, i64) {
    let total = listed.paging.map_or(0, |(.., total)| total);
    (listed.items, total)
}

/// The ways to the pages before and after one.
pub struct Pager {
    /// what it is, for those who do not see where it stands
    pub label: String,
    /// where the page before lies
    pub before: Option<String>,
    /// where the page after lies
    pub after: Option<String>,
    /// which page this is
    pub words: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(asked: i64, total: i64) -> Part<Vec<i64>> {
        let rows = |page: Page| {
            let (rows, before) = page.bounds();
            Ok(((before..total.min(before + rows)).collect(), total))
        };
        Part::read(asked, rows).unwrap()
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
        let texts = crate::flows::texts::of(domain::language::Language::English);
        let pager =
            |asked, total| read(asked, total).pager(texts, "Employees", |page| format!("?page={page}"));
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
            assert_eq!(Asked::by(&query), Asked { page, open: 1 }, "{text}");
        }
    }
}
