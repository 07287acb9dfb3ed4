//! Query strings of requests, and the headers that say which page of a list an answer holds.

use std::ops::Deref;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::paging::Paging;

use crate::error::Error;

/// The query string of a request.
#[derive(Debug, Default)]
pub struct Query(domain::paging::Query);

impl Deref for Query {
    type Target = domain::paging::Query;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        Ok(Self(domain::paging::Query::parse(parts.uri.query().unwrap_or(""))?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_past_the_end_still_says_how_many_there_are() {
        assert_eq!(paging_headers(Some((9, 2, 3)))["x-total-pages"], "2");
        assert!(paging_headers(None).is_empty());
    }
}
