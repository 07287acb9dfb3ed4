//! Pages of lists.
//!
//! A list without `page` and `per` is given whole, up to [`MOST`] rows; with either of them it is given in pages,
//! and the answer's headers say which page it is and how many there are. Long lists can be read after a row, too: the
//! thousandth page then costs what the first one does, and nothing is passed over where rows are deleted meanwhile.

use rules::{Category, Named, Violation};
use uuid::Uuid;

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
    /// `per` rows after one, in the order of identifiers
    After {
        /// the last row of the page before, whether it is still there or not
        last: Uuid,
        /// rows on the page
        per: i64,
    },
}

impl Page {
    /// The page, or the first one of a list that is never given whole.
    pub fn or_first(self) -> Self {
        if self == Self::Whole { Self::Part { page: 1, per: 25 } } else { self }
    }

    /// LIMIT and OFFSET of the statement. After a row one more is read than is given, which tells whether there are more.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            Self::Whole => (MOST + 1, 0),
            Self::Part { page, per } => (per, (page - 1) * per),
            Self::After { per, .. } => (per + 1, 0),
        }
    }

    /// Takes away the row that was read beyond the page; whether there was one.
    pub fn cut<T>(self, rows: &mut Vec<T>) -> bool {
        let Self::After { per, .. } = self else { return false };
        let most = usize::try_from(per).unwrap_or(usize::MAX);
        let more = rows.len() > most;
        rows.truncate(most);
        more
    }

    /// The row after which it begins.
    pub fn last(self) -> Option<Uuid> {
        if let Self::After { last, .. } = self { Some(last) } else { None }
    }

    /// How far rows are counted at most that cannot be counted otherwise than one by one: [`MOST`] beyond the page.
    pub fn counted(self) -> i64 {
        match self {
            Self::Whole | Self::After { .. } => MOST,
            Self::Part { page, per } => page * per + MOST,
        }
    }
}

/// How many rows a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// so many
    pub rows: i64,
    /// or more
    pub at_least: bool,
}

impl Total {
    /// Of rows that were counted up to `most` and one more.
    pub fn up_to(most: i64, counted: i64) -> Self {
        Self { rows: counted.min(most), at_least: counted > most }
    }
}

impl From<i64> for Total {
    fn from(rows: i64) -> Self {
        Self { rows, at_least: false }
    }
}

/// What a list is put in order by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortBy<K> {
    /// the field
    pub key: K,
    /// whether the greatest comes first
    pub descending: bool,
}

impl<K: Named> SortBy<K> {
    /// The field upwards.
    pub const fn ascending(key: K) -> Self {
        Self { key, descending: false }
    }

    /// As statements know it: the name of the field, with `:desc` where the greatest comes first.
    pub fn to_text(self) -> String {
        format!("{}{}", self.key.as_str(), if self.descending { ":desc" } else { "" })
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
    /// whether there may be more rows than `paging` says
    pub at_least: bool,
    /// the row after which the next page begins, where the list can be read so and there is a next page
    pub next: Option<Uuid>,
}

impl<T> Listed<T> {
    fn paged(items: Vec<T>, paging: Paging) -> Self {
        Self { items, paging, at_least: false, next: None }
    }

    /// Joins the rows that were read with the count, which is asked for only when it is needed.
    ///
    /// # Errors
    /// 422 when an unpaged list is too long; what `count` gives.
    pub fn new<N: Into<Total>>(
        page: Page,
        items: Vec<T>,
        count: impl FnOnce() -> Result<N, Error>,
    ) -> Result<Self, Error> {
        match page {
            Page::Whole if items.len() as i64 > MOST => Err(Error::from(wrong(
                "page",
                &format!("is needed here: the list has more than {MOST} rows; read it with page and per"),
            ))),
            Page::Whole | Page::After { .. } => Ok(Self::paged(items, None)),
            Page::Part { page, per } => {
                let Total { rows, at_least } = count()?.into();
                Ok(Self { at_least, ..Self::paged(items, Some((page, per, rows))) })
            }
        }
    }

    /// The same list, which lies in the order of identifiers, with the row after which it goes on; `more` where rows were
    /// read beyond the page.
    #[must_use]
    pub fn going_on(self, more: bool, id: impl Fn(&T) -> Uuid) -> Self {
        let counted = self.paging.is_some_and(|(page, per, total)| page * per < total);
        let more = more || self.at_least || counted;
        let next = self.items.last().filter(|_| more).map(id);
        Self { next, ..self }
    }

    /// The same list with each row as `f` makes it, if it can.
    ///
    /// # Errors
    /// The first of `f`.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Listed<U>, E> {
        let Self { items, paging, at_least, next } = self;
        let items = items.into_iter().map(f).collect::<Result<_, _>>()?;
        Ok(Listed { items, paging, at_least, next })
    }

    /// The same list with each row as `f` makes it.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Listed<U> {
        let Self { items, paging, at_least, next } = self;
        Listed { items: items.into_iter().map(f).collect(), paging, at_least, next }
    }

    /// The part of a list that was read whole.
    pub fn slice(page: Page, mut items: Vec<T>) -> Self {
        let Page::Part { page, per } = page else { return Self::paged(items, None) };
        let total = items.len() as i64;
        let skip = usize::try_from((page - 1) * per).unwrap_or(usize::MAX);
        let items = if skip < items.len() { items.split_off(skip) } else { Vec::new() };
        let per_rows = usize::try_from(per).unwrap_or(usize::MAX);
        Self::paged(items.into_iter().take(per_rows).collect(), Some((page, per, total)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of rows that are there, as a statement with these bounds would give it.
    fn after(last: u128, per: i64, there: &[u128]) -> (Vec<u128>, Option<Uuid>) {
        let page = Page::After { last: Uuid::from_u128(last), per };
        let (limit, offset) = page.bounds();
        let from = there.iter().copied().filter(|row| Some(Uuid::from_u128(*row)) > page.last());
        let mut rows: Vec<u128> = from.skip(offset as usize).take(limit as usize).collect();
        let more = page.cut(&mut rows);
        let listed =
            Listed::new(page, rows, || -> Result<i64, Error> { panic!("nothing is counted") }).unwrap();
        assert_eq!(listed.paging, None);
        let listed = listed.going_on(more, |row| Uuid::from_u128(*row));
        (listed.items, listed.next)
    }

    #[test]
    fn a_page_after_a_row_names_the_next_one_only_where_there_are_more_rows() {
        let there = [1, 2, 4, 5];
        assert_eq!(after(0, 2, &there), (vec![1, 2], Some(Uuid::from_u128(2))));
        assert_eq!(after(2, 2, &there), (vec![4, 5], None));
        assert_eq!(
            after(3, 1, &there),
            (vec![4], Some(Uuid::from_u128(4))),
            "a row that is gone is a place, too"
        );
        assert_eq!(after(5, 2, &there), (vec![], None));
    }

    #[test]
    fn a_page_by_number_names_the_next_one_until_every_row_was_given() {
        let next = |page, total: Total| {
            let page = Page::Part { page, per: 2 };
            let listed = Listed::new(page, vec![Uuid::max()], || Ok(total)).unwrap();
            listed.going_on(page.cut(&mut vec![0]), |id| *id).next
        };
        assert_eq!(next(1, 3.into()), Some(Uuid::max()));
        assert_eq!(next(2, 4.into()), None);
        assert_eq!(next(2, Total::up_to(4, 5)), Some(Uuid::max()), "there are more than were counted");
    }

    #[test]
    fn a_count_that_was_ended_says_so() {
        assert_eq!(Total::up_to(10, 10), Total { rows: 10, at_least: false });
        assert_eq!(Total::up_to(10, 11), Total { rows: 10, at_least: true });
        assert_eq!(Page::Part { page: 3, per: 100 }.counted(), 300 + MOST);
    }

    #[test]
    fn a_page_past_the_end_is_empty_and_still_says_how_many_there_are() {
        let listed = Listed::slice(Page::Part { page: 9, per: 2 }, vec![1, 2, 3]);
        assert_eq!((listed.items.len(), listed.paging), (0, Some((9, 2, 3))));
    }
}
