//! Date versions of the API: how a request selects one, and the descriptions of their differences.
//!
//! A request selects its version with `X-Service-API-Version`, or with `X-Gusto-API-Version`, which existing clients
//! send; the response repeats the version under the same header name. Without the header the application's default
//! applies.

pub mod api;
mod differences;
#[cfg(test)]
#[path = "../../../../tests/support/sources.rs"]
mod sources;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::version::ApiVersion;

use crate::error::Error;

pub use differences::{Difference, describe_change, differences_between};

/// The header of the specification.
pub const HEADER: HeaderName = HeaderName::from_static("x-service-api-version");
/// Its alias.
pub const ALIAS: HeaderName = HeaderName::from_static("x-gusto-api-version");

/// The version that a request selects, with the header name for the response.
///
/// # Errors
/// 406 that lists the supported versions.
pub fn requested_version(
    headers: &HeaderMap,
    default: ApiVersion,
) -> Result<(HeaderName, ApiVersion), Error> {
    let named =
        [HEADER, ALIAS].into_iter().find_map(|name| headers.get(&name).map(|value| (name.clone(), value)));
    let Some((name, value)) = named else { return Ok((HEADER, default)) };
    match value.to_str().ok().and_then(ApiVersion::parse) {
        Some(version) => Ok((name, version)),
        None => {
            let served = ApiVersion::ALL.map(ApiVersion::as_str).join(", ");
            let asked: String = String::from_utf8_lossy(value.as_bytes()).chars().take(40).collect();
            Err(Error::Version(format!("{name} is {asked:?}; it must be one of the dates {served}.")))
        }
    }
}

/// The header value that repeats the version.
pub fn version_header(version: ApiVersion) -> HeaderValue {
    HeaderValue::from_static(version.as_str())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use domain::version::Change;

    use super::*;

    fn asked(name: &'static str, value: &'static str) -> Result<(HeaderName, ApiVersion), Error> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        requested_version(&headers, ApiVersion::NEWEST)
    }

    #[test]
    fn both_header_names_are_read_and_the_one_used_is_answered() {
        assert_eq!(
            asked("x-service-api-version", "2024-04-01").ok(),
            Some((HEADER, ApiVersion::V2024_04_01))
        );
        assert_eq!(asked("x-gusto-api-version", "2026-06-15").ok(), Some((ALIAS, ApiVersion::V2026_06_15)));
    }

    #[test]
    fn without_the_header_the_default_of_the_application_counts() {
        let none = requested_version(&HeaderMap::new(), ApiVersion::V2026_02_01);
        assert_eq!(none.ok(), Some((HEADER, ApiVersion::V2026_02_01)));
    }

    #[test]
    fn unknown_future_and_malformed_versions_are_refused_with_the_served_ones_named() {
        for wrong in ["2023-01-01", "2999-01-01", "latest", "2025-6-15", ""] {
            match asked("x-service-api-version", wrong) {
                Err(Error::Version(message)) => {
                    assert!(message.contains("2024-04-01, 2025-06-15"), "{message}")
                }
                other => panic!("{wrong} was answered {other:?}"),
            }
        }
    }

    #[test]
    fn the_list_of_differences_goes_from_the_oldest_version_to_the_newest() {
        let since: Vec<_> = Change::ALL.iter().map(|change| change.since() as u8).collect();
        assert!(since.is_sorted(), "{since:?}");
        let all = differences_between(ApiVersion::V2024_04_01, ApiVersion::V2026_06_15);
        assert_eq!(all.len(), Change::ALL.len());
        for version in ApiVersion::ALL {
            assert_eq!(differences_between(version, version), []);
        }
    }

    #[test]
    fn going_in_two_steps_tells_the_same_differences_as_going_at_once() {
        for [from, middle, to] in [[0, 1, 4], [0, 2, 3], [1, 3, 4]].map(|at| at.map(|i| ApiVersion::ALL[i])) {
            let steps = [differences_between(from, middle), differences_between(middle, to)].concat();
            assert_eq!(steps, differences_between(from, to));
        }
    }

    #[test]
    fn every_difference_is_one_that_the_code_makes_and_the_code_makes_no_other() {
        let files = sources::files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), "rs").into_iter();
        let read = |path: PathBuf| (path.display().to_string(), fs::read_to_string(&path).unwrap());
        let mut found: Vec<(String, String)> = files.map(read).collect();
        let of_tests = |path: &str| {
            let inner = path.rsplit_once("/src/").map_or("tests/", |(_, inner)| inner);
            inner.ends_with("tests.rs") || inner.contains("tests/")
        };
        found.retain(|(path, _)| !path.contains("/version") && !of_tests(path));
        for change in Change::ALL {
            let asked = format!("Change::{change:?})");
            assert!(found.iter().any(|(_, text)| text.contains(&asked)), "nobody asks for {change:?}");
        }
        for (path, text) in &found {
            assert!(!text.contains("ApiVersion::V"), "{path} names a date: put the difference into Change");
        }
    }
}
