//! Pages of lists.
//!
//! A list without `page` and `per` is given whole, up to [`MOST`] rows; with either of them it is given in pages,
//! and the answer's headers say which page it is and how many there are.

use rules::{Category, Violation};

use crate::error::Error;

/// Maximum rows of an unpaged list. A longer one must be read in pages, and says so.
pub const MOST: i64 = 10_000;

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
    /// The page, or the first one of a list that is never given whole.
    pub fn or_first(self) -> Self {
        if self == Self::Whole { Self::Part { page: 1, per: 25 } } else { self }
    }

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

    /// The same list with each row as `f` makes it, if it can.
    ///
    /// # Errors
    /// The first of `f`.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Listed<U>, E> {
        let items = self.items.into_iter().map(f).collect::<Result<_, _>>()?;
        Ok(Listed { items, paging: self.paging })
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

    #[test]
    fn a_page_past_the_end_is_empty_and_still_says_how_many_there_are() {
        let listed = Listed::slice(Page::Part { page: 9, per: 2 }, vec![1, 2, 3]);
        assert_eq!((listed.items.len(), listed.paging), (0, Some((9, 2, 3))));
    }
}
