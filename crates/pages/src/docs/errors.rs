//! Every kind of error with an example.

use rules::company::migration;
use rules::{Category, Named as _, Violation};
use serde_json::json;

use domain::error::Stale;
use domain::pay::payrolls::service::blockers::PayrollBlockerKind as Blocker;
use interface::error::{Error, Explained, Kind};

/// A kind of error as shown.
pub struct Shown {
    /// cause and remedy
    pub explained: Explained,
    /// a response of that kind
    pub example: String,
    /// keys that its metadata can contain, and their meanings
    pub keys: Vec<(&'static str, String)>,
}

/// Every kind, in the order in which a request meets them.
pub fn error_kinds(base: &str) -> Vec<Shown> {
    let shown = Kind::ALL.iter().map(|kind| Shown {
        explained: kind.explained(),
        example: serde_json::to_string_pretty(&example_error(*kind).body(base)).unwrap_or_default(),
        keys: blocker_keys(*kind),
    });
    shown.collect()
}

/// The keys of the kinds that name a blocker.
fn blocker_keys(kind: Kind) -> Vec<(&'static str, String)> {
    match kind {
        Kind::PayrollBlocker => {
            Blocker::ALL.iter().map(|kind| (kind.as_str(), kind.message().to_owned())).collect()
        }
        Kind::MigrationBlocker => {
            let found = migration::list_findings(&migration::Facts::worst_case());
            let blocking = found.into_iter().filter(|one| one.severity == migration::Severity::Blocker);
            blocking.map(|one| (one.key, one.message)).collect()
        }
        _ => Vec::new(),
    }
}

/// An error of this kind.
fn example_error(kind: Kind) -> Error {
    let of = |key: &str, category, message: &str| Error::from(Violation::new(key, category, message));
    match kind {
        Kind::InvalidAttributeValue => Error::from(vec![
            Violation::invalid("zip", "zip must have five digits, or nine as in 12345-6789"),
            Violation::invalid("first_name", "first_name can't be blank"),
        ]),
        Kind::MissingParameter => {
            let message = "version is needed: send the version of the record as you last read it";
            of("version", Category::MissingParameter, message)
        }
        Kind::InvalidParameter => {
            of("per", Category::InvalidParameter, "per must be a whole number from 1 to 100")
        }
        Kind::InvalidOperation => {
            of("base", Category::InvalidOperation, "Direct Deposit needs a bank account: add one first.")
        }
        Kind::DuplicateOperation => {
            of("base", Category::DuplicateOperation, "There is such a record already; update it instead.")
        }
        Kind::NestedErrors => {
            let inner = Violation::invalid("state", "state must be a state with a child support agency");
            Violation::nested("child_support", vec![inner]).into()
        }
        Kind::PayrollBlocker => {
            let kind = Blocker::ContractorOnlyCompany;
            Violation::new("base", Category::PayrollBlocker, kind.message())
                .with_metadata(json!({ "key": kind.as_str() }))
                .into()
        }
        Kind::MigrationBlocker => {
            let message = "Nobody signs for the company; it needs a signatory.";
            let blocker = Violation::new("base", Category::MigrationBlocker, message);
            blocker.with_metadata(json!({ "key": "missing_signatory" })).into()
        }
        Kind::InvalidResourceVersion => Error::Stale(Stale {
            current: "3c5f0a6d1b2e4f708192a3b4c5d6e7f8".to_owned(),
            differing: vec!["first_name"],
        }),
        Kind::UnknownAddress => {
            Error::UnknownAddress(Some("/v1/employees/{employee_id} (GET, PUT and DELETE)".to_owned()))
        }
        Kind::MethodNotAllowed => Error::MethodNotAllowed("GET, PUT and DELETE".to_owned()),
        Kind::InvalidToken => Error::Unauthorized("The token is unknown."),
        Kind::MissingPermissions => {
            Error::WrongToken("This operation needs a company token; this is a system token.")
        }
        Kind::InvalidApiVersion => Error::Version(
            "x-service-api-version is \"2023-01-01\"; it must be one of the dates that are served."
                .to_owned(),
        ),
        Kind::MalformedRequest => {
            Error::Unreadable("The body is not valid JSON: trailing comma (line 1, column 15).".to_owned())
        }
        other => of_service(other),
    }
}

fn of_service(kind: Kind) -> Error {
    match kind {
        Kind::MissingScope => Error::MissingScope("employees:read"),
        Kind::RateLimitExceeded => Error::TooManyRequests(12),
        Kind::BodyTooLarge => Error::TooLarge(1 << 20),
        Kind::BodyTooSlow => Error::TooSlow,
        Kind::NotJson => Error::NotJson,
        Kind::NotForm => Error::NotForm,
        Kind::Expired => Error::Expired,
        Kind::UnknownHost => Error::UnknownHost,
        Kind::Unavailable => Error::Store(store::Error::Busy),
        Kind::OutcomeUnknown => Error::Store(store::Error::Unknown),
        Kind::InternalError => Error::internal("an example"),
        _ => Error::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_an_answer_of_the_kind_that_it_explains_and_leads_to_its_explanation() {
        for kind in Kind::ALL.iter().copied() {
            let (explained, error) = (kind.explained(), example_error(kind));
            let body = error.body("https://payroll.example");
            let item = &body["errors"][0];
            assert_eq!(item["category"], explained.category, "{kind:?}");
            let place = format!("https://payroll.example/docs/errors#{}", explained.name);
            assert_eq!(item["metadata"]["docs_url"], *place, "{kind:?}");
            assert!(explained.statuses.contains(&error.status().as_u16()), "{kind:?}");
        }
    }

    #[test]
    fn each_key_of_a_blocker_is_explained_once() {
        for kind in [Kind::PayrollBlocker, Kind::MigrationBlocker] {
            let mut names: Vec<_> = blocker_keys(kind).into_iter().map(|(key, _)| key).collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert!(all >= 7 && names.len() == all, "{names:?}");
        }
    }
}
