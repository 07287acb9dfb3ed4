//! Date versions of the interface.
//!
//! A request names its version in `X-Service-API-Version`, or in `X-Gusto-API-Version`, which existing clients
//! send; the answer repeats the version under the name that was used. Without the header the application's
//! default counts. What differs is a list ([`Change`]): code asks `caller.version.has(Change::AutoPayroll)` and knows
//! nothing about dates, and [`api`] tells the same list.

pub mod api;
mod changes;

pub use changes::{Change, Difference};

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::error::Error;

/// The header of the specification.
pub const HEADER: HeaderName = HeaderName::from_static("x-service-api-version");
/// Its alias.
pub const ALIAS: HeaderName = HeaderName::from_static("x-gusto-api-version");

/// A version that is served, in order of age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// 2024-04-01
    V2024_04_01,
    /// 2025-06-15, the default of an application that names none
    V2025_06_15,
    /// 2025-11-15
    V2025_11_15,
    /// 2026-02-01
    V2026_02_01,
    /// 2026-06-15
    V2026_06_15,
}

impl ApiVersion {
    /// Every served version, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_04_01, Self::V2025_06_15, Self::V2025_11_15, Self::V2026_02_01, Self::V2026_06_15];

    /// The default of an application that names none.
    pub const DEFAULT: Self = Self::V2025_06_15;

    /// The date as it stands in the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_04_01 => "2024-04-01",
            Self::V2025_06_15 => "2025-06-15",
            Self::V2025_11_15 => "2025-11-15",
            Self::V2026_02_01 => "2026-02-01",
            Self::V2026_06_15 => "2026-06-15",
        }
    }

    /// Whether this version has a difference, or comes after the one that brought it.
    pub const fn has(self, change: Change) -> bool {
        self as u8 >= change.since() as u8
    }

    /// Whether this version is older than another one.
    pub const fn is_before(self, other: Self) -> bool {
        (self as u8) < other as u8
    }

    /// What is different in this version from an `older` one, oldest difference first.
    pub fn differences_from(self, older: Self) -> Vec<Difference> {
        let between = |change: &Change| self.has(*change) && !older.has(*change);
        Change::ALL.into_iter().filter(between).map(Change::told).collect()
    }

    /// The version of this date, if it is served.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }
}

/// The version that a request asks for, with the header name to answer under.
///
/// # Errors
/// 406 that lists the served versions.
pub fn requested(headers: &HeaderMap, default: ApiVersion) -> Result<(HeaderName, ApiVersion), Error> {
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
pub fn echo(version: ApiVersion) -> HeaderValue {
    HeaderValue::from_static(version.as_str())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn asked(name: &'static str, value: &'static str) -> Result<(HeaderName, ApiVersion), Error> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        requested(&headers, ApiVersion::DEFAULT)
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
        let none = requested(&HeaderMap::new(), ApiVersion::V2026_02_01);
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
        let all = ApiVersion::V2026_06_15.differences_from(ApiVersion::V2024_04_01);
        assert_eq!(all.len(), Change::ALL.len());
        for version in ApiVersion::ALL {
            assert_eq!(version.differences_from(version), []);
        }
    }

    #[test]
    fn going_in_two_steps_tells_the_same_differences_as_going_at_once() {
        for [from, middle, to] in [[0, 1, 4], [0, 2, 3], [1, 3, 4]].map(|at| at.map(|i| ApiVersion::ALL[i])) {
            let steps = [middle.differences_from(from), to.differences_from(middle)].concat();
            assert_eq!(steps, to.differences_from(from));
        }
    }

    /// Text of each source file of the service, with its path.
    fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
            }
        }
    }

    #[test]
    fn every_difference_is_one_that_the_code_makes_and_the_code_makes_no_other() {
        let mut found = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        found.retain(|(path, _)| !path.contains("/version/") && !path.ends_with("_tests.rs"));
        for change in Change::ALL {
            let asked = format!("Change::{change:?})");
            assert!(found.iter().any(|(_, text)| text.contains(&asked)), "nobody asks for {change:?}");
        }
        for (path, text) in &found {
            assert!(!text.contains("ApiVersion::V"), "{path} names a date: put the difference into Change");
        }
    }
}
