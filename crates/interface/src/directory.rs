//! Every path of the API with its methods, to suggest the nearest one for an unknown path.

use axum::http::Method;
use utoipa::openapi::OpenApi;

use strsim::osa_distance;

use crate::http::path_operations;

/// Letters by which a segment of a path may differ.
const OFF: usize = 3;
/// Characters of a segment that are compared.
const LONGEST: usize = 24;
/// The number of path segments that are compared.
const MOST: usize = 12;

/// See the module.
#[derive(Debug, Default)]
pub struct Directory(Vec<(String, Vec<Method>)>);

impl Directory {
    /// The paths of a description.
    pub fn from_description(api: &OpenApi) -> Self {
        let methods = |item| path_operations(item).into_iter().map(|(method, _)| method).collect();
        Self(api.paths.paths.iter().map(|(path, item)| (path.clone(), methods(item))).collect())
    }

    /// The methods of a route, as words; `None` if it has no operation.
    pub fn methods(&self, route: &str) -> Option<String> {
        let (_, methods) = self.0.iter().find(|(path, _)| path == route)?;
        let names: Vec<_> = methods.iter().map(Method::as_str).collect();
        Some(match names.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => names.concat(),
        })
    }

    /// The path nearest to an unknown one, with its methods; `None` if none is near.
    pub fn nearest_path(&self, asked: &str) -> Option<String> {
        let asked: Vec<&str> = asked.split('/').filter(|segment| !segment.is_empty()).take(MOST).collect();
        let off = |(path, _): &(String, Vec<Method>)| Some((path_distance(&asked, path)?, path.clone()));
        let (_, path) = self.0.iter().filter_map(off).min()?;
        let methods = self.methods(&path)?;
        Some(format!("{path} ({methods})"))
    }
}

/// The distance between a path and a route: differing letters, plus two for each missing or extra segment.
fn path_distance(asked: &[&str], route: &str) -> Option<usize> {
    let route: Vec<&str> = route.split('/').filter(|segment| !segment.is_empty()).collect();
    // A path without /v1 means the one with it.
    let (asked, missing) = match (asked.first(), route.first()) {
        (Some(first), Some(&"v1")) if *first != "v1" => (asked, 1),
        _ => (asked, 0),
    };
    let route = &route[missing..];
    if asked.len().abs_diff(route.len()) > 1 {
        return None;
    }
    let mut sum = missing + 2 * asked.len().abs_diff(route.len());
    let mut literals = 0;
    for (given, name) in asked.iter().zip(route) {
        if name.starts_with('{') {
            continue;
        }
        let off = osa_distance(compared_part(given), compared_part(name));
        sum += Some(off).filter(|off| *off <= OFF.min(name.len() / 3))?;
        literals += usize::from(*name != "v1");
    }
    // A path that shares nothing with a route but its length is not near it.
    (literals > 0).then_some(sum)
}

/// The part of a segment that is compared: the time to compare grows with the square of its length.
fn compared_part(segment: &str) -> &str {
    segment.char_indices().nth(LONGEST).map_or(segment, |(end, _)| &segment[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(path: &str) -> String {
        Directory::from_description(&crate::routes::published_description())
            .nearest_path(path)
            .unwrap_or_default()
    }

    const ID: &str = "0197a1b2-0000-7000-8000-00000000dead";

    #[test]
    fn a_misspelt_path_finds_the_one_that_was_meant() {
        for (asked, meant) in [
            (format!("/v1/companies/{ID}/employes"), "/v1/companies/{company_id}/employees (GET and POST)"),
            (format!("/companies/{ID}/employees"), "/v1/companies/{company_id}/employees (GET and POST)"),
            (format!("/v1/employees/{ID}/"), "/v1/employees/{employee_id} (GET, PUT and DELETE)"),
            (format!("/v1/employee/{ID}/jobs"), "/v1/employees/{employee_id}/jobs (GET and POST)"),
            ("/v1/webhook_subscription".to_owned(), "/v1/webhook_subscriptions (GET and POST)"),
            ("/v1/version/diff".to_owned(), "/v1/versions/diff (GET)"),
        ] {
            assert_eq!(nearest(&asked), meant, "{asked}");
        }
    }

    #[test]
    fn a_path_that_is_like_nothing_finds_nothing() {
        for asked in ["/", "/wp-login.php", "/v1", "/v1/zzzzzzzzzzzz", "/a/b/c/d/e/f/g/h"] {
            assert_eq!(nearest(asked), "", "{asked}");
        }
    }
}
