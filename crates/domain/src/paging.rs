//! Pages of lists.
//!
//! A list without `page` and `per` is returned whole, up to [`MOST`] rows. With either, it is returned in pages, and
//! the response headers give the page and the totals. Long lists can also be paged by cursor: the thousandth page then
//! costs as much as the first, and deletions in the meantime skip no row.

use jiff::civil::Date;
use rules::{Category, Named, Violation};
use uuid::Uuid;

use crate::error::Error;

/// Maximum rows of an unpaged list. A longer one is refused with the request to read it in pages.
pub const MOST: i64 = 10_000;

fn invalid_parameter(key: &str, what: &str) -> Violation {
    Violation::new(key, Category::InvalidParameter, format!("{key} {what}"))
}

/// Which rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// all of them
    Whole,
    /// `per` rows, after those of the previous pages; pages count from 1
    Part {
        /// number of the page
        page: i64,
        /// rows on it
        per: i64,
    },
    /// `per` rows after a cursor, in the order of ids
    After {
        /// the last row of the previous page, whether or not it still exists
        last: Uuid,
        /// rows on the page
        per: i64,
    },
}

impl Page {
    /// The page, or the first one for a list that is never returned whole.
    pub fn or_first(self) -> Self {
        if self == Self::Whole { Self::Part { page: 1, per: 25 } } else { self }
    }

    /// LIMIT and OFFSET of the statement. With a cursor one extra row is read, to see whether there are more.
    pub fn limit_and_offset(self) -> (i64, i64) {
        match self {
            Self::Whole => (MOST + 1, 0),
            Self::Part { page, per } => (per, (page - 1) * per),
            Self::After { per, .. } => (per + 1, 0),
        }
    }

    /// Removes the extra row read beyond the page; returns whether there was one.
    pub fn cut_extra_row<T>(self, rows: &mut Vec<T>) -> bool {
        let Self::After { per, .. } = self else { return false };
        let most = usize::try_from(per).unwrap_or(usize::MAX);
        let more = rows.len() > most;
        rows.truncate(most);
        more
    }

    /// The cursor: the row after which the page begins.
    pub fn last_seen_row(self) -> Option<Uuid> {
        if let Self::After { last, .. } = self { Some(last) } else { None }
    }

    /// Upper bound of a count that has to visit each row: [`MOST`] beyond the page.
    pub fn count_limit(self) -> i64 {
        match self {
            Self::Whole | Self::After { .. } => MOST,
            Self::Part { page, per } => page * per + MOST,
        }
    }
}

/// How many rows a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// exactly this many
    pub rows: i64,
    /// this many or more
    pub at_least: bool,
}

impl Total {
    /// The total of a count that stopped at `most` plus one.
    pub fn up_to(most: i64, counted: i64) -> Self {
        Self { rows: counted.min(most), at_least: counted > most }
    }
}

impl From<i64> for Total {
    fn from(rows: i64) -> Self {
        Self { rows, at_least: false }
    }
}

/// The sort order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortBy<K> {
    /// the field
    pub key: K,
    /// whether the order is descending
    pub descending: bool,
}

impl<K: Named> SortBy<K> {
    /// Ascending by this field.
    pub const fn ascending(key: K) -> Self {
        Self { key, descending: false }
    }

    /// As statements know it: the name of the field, with `:desc` if descending.
    pub fn to_text(self) -> String {
        format!("{}{}", self.key.as_str(), if self.descending { ":desc" } else { "" })
    }
}

/// Page, rows per page and total rows; `None` for a list that is returned whole.
pub type Paging = Option<(i64, i64, i64)>;

/// A list, with its total if it was requested in pages.
#[derive(Debug)]
pub struct Listed<T> {
    /// the rows
    pub items: Vec<T>,
    /// which page it is
    pub paging: Paging,
    /// whether there may be more rows than `paging` says
    pub at_least: bool,
    /// cursor of the next page, if the list can be paged by cursor and there is a next page
    pub next: Option<Uuid>,
}

impl<T> Listed<T> {
    fn with_paging(items: Vec<T>, paging: Paging) -> Self {
        Self { items, paging, at_least: false, next: None }
    }

    /// Combines the rows with the count, which is computed only when needed.
    ///
    /// # Errors
    /// 422 if an unpaged list is too long; the errors of `count`.
    pub fn new<N: Into<Total>>(
        page: Page,
        items: Vec<T>,
        count: impl FnOnce() -> Result<N, Error>,
    ) -> Result<Self, Error> {
        match page {
            Page::Whole if items.len() as i64 > MOST => Err(Error::from(invalid_parameter(
                "page",
                &format!("is needed here: the list has more than {MOST} rows; read it with page and per"),
            ))),
            Page::Whole | Page::After { .. } => Ok(Self::with_paging(items, None)),
            Page::Part { page, per } => {
                let Total { rows, at_least } = count()?.into();
                Ok(Self { at_least, ..Self::with_paging(items, Some((page, per, rows))) })
            }
        }
    }

    /// The same list, in the order of ids, with the cursor of the next page; `more` if rows were read beyond the page.
    #[must_use]
    pub fn going_on(self, more: bool, id: impl Fn(&T) -> Uuid) -> Self {
        let counted = self.paging.is_some_and(|(page, per, total)| page * per < total);
        let more = more || self.at_least || counted;
        let next = self.items.last().filter(|_| more).map(id);
        Self { next, ..self }
    }

    /// Maps each row by `f`.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Listed<U>, E> {
        let Self { items, paging, at_least, next } = self;
        let items = items.into_iter().map(f).collect::<Result<_, _>>()?;
        Ok(Listed { items, paging, at_least, next })
    }

    /// Maps each row by `f`.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Listed<U> {
        let Self { items, paging, at_least, next } = self;
        Listed { items: items.into_iter().map(f).collect(), paging, at_least, next }
    }

    /// One page of a list that was read whole.
    pub fn slice(page: Page, mut items: Vec<T>) -> Self {
        let Page::Part { page, per } = page else { return Self::with_paging(items, None) };
        let total = items.len() as i64;
        let skip = usize::try_from((page - 1) * per).unwrap_or(usize::MAX);
        let items = if skip < items.len() { items.split_off(skip) } else { Vec::new() };
        let per_rows = usize::try_from(per).unwrap_or(usize::MAX);
        Self::with_paging(items.into_iter().take(per_rows).collect(), Some((page, per, total)))
    }
}

/// The days that a list is asked for: from one to another, both included and either left open.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct AskedDays {
    /// the first
    pub from: Option<Date>,
    /// the last
    pub until: Option<Date>,
}

impl AskedDays {
    /// Whether they include a day. What has no day is listed only if no days are asked for.
    pub fn include(self, day: Option<Date>) -> bool {
        day.map_or(self.from.is_none() && self.until.is_none(), |day| {
            self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of these rows, as a statement with these bounds would return it.
    fn after(last: u128, per: i64, there: &[u128]) -> (Vec<u128>, Option<Uuid>) {
        let page = Page::After { last: Uuid::from_u128(last), per };
        let (limit, offset) = page.limit_and_offset();
        let from = there.iter().copied().filter(|row| Some(Uuid::from_u128(*row)) > page.last_seen_row());
        let mut rows: Vec<u128> = from.skip(offset as usize).take(limit as usize).collect();
        let more = page.cut_extra_row(&mut rows);
        let listed =
            Listed::new(page, rows, || -> Result<i64, Error> { panic!("nothing is counted") }).unwrap();
        assert_eq!(listed.paging, None);
        let listed = listed.going_on(more, |row| Uuid::from_u128(*row));
        (listed.items, listed.next)
    }

    #[test]
    fn a_page_after_a_cursor_has_a_next_one_only_if_there_are_more_rows() {
        let there = [1, 2, 4, 5];
        assert_eq!(after(0, 2, &there), (vec![1, 2], Some(Uuid::from_u128(2))));
        assert_eq!(after(2, 2, &there), (vec![4, 5], None));
        assert_eq!(
            after(3, 1, &there),
            (vec![4], Some(Uuid::from_u128(4))),
            "a deleted row is a valid cursor"
        );
        assert_eq!(after(5, 2, &there), (vec![], None));
    }

    #[test]
    fn a_numbered_page_has_a_next_one_until_all_rows_were_returned() {
        let next = |page, total: Total| {
            let page = Page::Part { page, per: 2 };
            let listed = Listed::new(page, vec![Uuid::max()], || Ok(total)).unwrap();
            listed.going_on(page.cut_extra_row(&mut vec![0]), |id| *id).next
        };
        assert_eq!(next(1, 3.into()), Some(Uuid::max()));
        assert_eq!(next(2, 4.into()), None);
        assert_eq!(next(2, Total::up_to(4, 5)), Some(Uuid::max()), "there are more than were counted");
    }

    #[test]
    fn a_count_that_stopped_early_says_so() {
        assert_eq!(Total::up_to(10, 10), Total { rows: 10, at_least: false });
        assert_eq!(Total::up_to(10, 11), Total { rows: 10, at_least: true });
        assert_eq!(Page::Part { page: 3, per: 100 }.count_limit(), 300 + MOST);
    }

    #[test]
    fn a_page_past_the_end_is_empty_and_still_says_how_many_there_are() {
        let listed = Listed::slice(Page::Part { page: 9, per: 2 }, vec![1, 2, 3]);
        assert_eq!((listed.items.len(), listed.paging), (0, Some((9, 2, 3))));
    }
}
