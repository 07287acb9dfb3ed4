//! Which page of a list a query string requests, and the headers that describe the page in the response.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::paging::{Page, Paging};
use domain::records::id_of;
use rules::Checks;
use uuid::Uuid;

use super::{Query, parameter_violation};

/// Rows on a page when `per` is absent.
const DEFAULT_PER: i64 = 25;
/// Most rows on a page.
const MOST_PER: i64 = 100;
/// The highest page number.
const MOST_PAGES: i64 = 1_000_000;
/// The parameter that names the row after which a page begins.
const CURSOR: &str = "starting_after_uuid";

impl Query {
    /// The page that is asked for.
    pub fn page(&self, checks: &mut Checks) -> Page {
        let page = self.number("page", MOST_PAGES, checks);
        let per = self.number("per", MOST_PER, checks);
        match (page, per) {
            (None, None) => Page::Whole,
            (page, per) => Page::Part { page: page.unwrap_or(1), per: per.unwrap_or(DEFAULT_PER) },
        }
    }

    /// The page that is requested, by number or after a row.
    pub fn page_after(&self, checks: &mut Checks) -> Page {
        let page = self.page(checks);
        let Some(text) = self.text_value(CURSOR) else { return page };
        let last = id_of(text);
        if last.is_nil() {
            checks.push(parameter_violation(CURSOR, "must be a uuid, as X-Next-Cursor gives it"));
        }
        match page {
            Page::Part { per, .. } if self.text_value("page").is_none() => Page::After { last, per },
            Page::Whole | Page::After { .. } => Page::After { last, per: DEFAULT_PER },
            Page::Part { .. } => {
                checks.push(parameter_violation(CURSOR, "and page exclude each other: send one of them"));
                page
            }
        }
    }
}

/// The paging headers of a list.
pub fn paging_headers(paging: Paging) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some((page, per, total)) = paging {
        let pages = (total + per - 1) / per;
        let pairs =
            [("x-page", page), ("x-per-page", per), ("x-total-count", total), ("x-total-pages", pages)];
        for (name, number) in pairs {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(number));
        }
    }
    headers
}

/// The headers of a list: which page it is, and after which row the next one begins.
pub fn list_headers(paging: Paging, at_least: bool, next: Option<Uuid>) -> HeaderMap {
    let mut headers = paging_headers(paging);
    if at_least {
        headers.insert("x-total-count-at-least", HeaderValue::from_static("true"));
    }
    if let Some(Ok(next)) = next.map(|next| HeaderValue::from_str(&next.to_string())) {
        headers.insert("x-next-cursor", next);
    }
    headers
}

/// The described parameters of pages; each function is named like the one that reads them.
pub mod described {
    use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
    use utoipa::openapi::schema::KnownFormat;
    use utoipa::openapi::{Required, Schema};

    use super::{CURSOR, MOST_PAGES, MOST_PER};
    use crate::query::{number_up_to, text_of};

    fn query_parameter(name: &str, description: &str, schema: Schema) -> Parameter {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some(description))
            .schema(Some(schema))
            .build()
    }

    /// `page` and `per`, with an operation's own descriptions or the usual ones.
    pub fn page(words: Option<[&str; 2]>) -> Vec<Parameter> {
        let [page, per] = words.unwrap_or([
            "Number of the page, from 1",
            "Rows on a page, 1 to 100; 25 when only page is given",
        ]);
        let both = [("page", page, MOST_PAGES), ("per", per, MOST_PER)];
        both.map(|(name, words, most)| query_parameter(name, words, number_up_to(most))).into()
    }

    /// The same, and the row after which a page begins.
    pub fn page_after(words: Option<[&str; 2]>) -> Vec<Parameter> {
        let cursor = "Instead of page: the rows after this one, in the order of creation. X-Next-Cursor of the page before \
                      names it";
        let mut all = page(words);
        all.push(query_parameter(CURSOR, cursor, text_of(Some(KnownFormat::Uuid))));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
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
    fn a_page_after_a_row_is_asked_for_instead_of_one_by_number() {
        let last = "018f4f3e-0000-7000-8000-000000000001";
        let asked = |text: &str| {
            let mut checks = Checks::new();
            let page = query(text).page_after(&mut checks);
            checks.finish().map(|()| page).map_err(|violations| violations[0].key.clone())
        };
        let after = |per| Ok(Page::After { last: id_of(last), per });
        assert_eq!(asked(&format!("starting_after_uuid={last}")), after(25));
        assert_eq!(asked(&format!("starting_after_uuid={last}&per=100")), after(100));
        assert_eq!(asked("page=2"), Ok(Page::Part { page: 2, per: 25 }));
        assert_eq!(asked(""), Ok(Page::Whole));
        for wrong in [format!("starting_after_uuid={last}&page=1"), "starting_after_uuid=here".to_owned()] {
            assert_eq!(asked(&wrong), Err("starting_after_uuid".to_owned()), "{wrong}");
        }
    }

    #[test]
    fn a_page_past_the_end_still_says_how_many_there_are() {
        assert_eq!(paging_headers(Some((9, 2, 3)))["x-total-pages"], "2");
        assert!(paging_headers(None).is_empty());
    }
}
