//! Every kind of refusal, with its cause and what to do about it: one list, of which answers take their category and
//! the address of their explanation, and from which `/docs/errors` is made.

use rules::Category;
use strum::VariantArray;

/// A kind of refusal. They stand in the order in which a request meets them, which is that of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Kind {
    /// there is no such address
    UnknownAddress,
    /// the address does not take this method
    MethodNotAllowed,
    /// the token is missing or counts no more
    InvalidToken,
    /// the version is not served
    InvalidApiVersion,
    /// the token is of the other kind
    MissingPermissions,
    /// the token lacks a scope
    MissingScope,
    /// too many requests
    RateLimitExceeded,
    /// the body is too large
    BodyTooLarge,
    /// the body came too slowly
    BodyTooSlow,
    /// the body is not JSON
    NotJson,
    /// the body is not a form
    NotForm,
    /// the body cannot be read
    MalformedRequest,
    /// there is no such record
    NotFound,
    /// it is kept no longer
    Expired,
    /// a value of the body is wrong
    InvalidAttributeValue,
    /// something needed is absent
    MissingParameter,
    /// a parameter is badly formed
    InvalidParameter,
    /// the faults lie deeper
    NestedErrors,
    /// not possible in the present state
    InvalidOperation,
    /// it exists already
    DuplicateOperation,
    /// the record was changed meanwhile
    InvalidResourceVersion,
    /// payroll cannot run yet
    PayrollBlocker,
    /// the company cannot move yet
    MigrationBlocker,
    /// the service was called by another's name
    UnknownHost,
    /// not now
    Unavailable,
    /// whether it was done is not known
    OutcomeUnknown,
    /// a mistake of the service
    InternalError,
}

/// A kind as it is explained.
#[derive(Debug, Clone, Copy)]
pub struct Explained {
    /// its name, which is its place on the page of errors
    pub name: &'static str,
    /// what stands in `category`
    pub category: &'static str,
    /// statuses with which it is answered
    pub statuses: &'static [u16],
    /// why it is answered
    pub cause: &'static str,
    /// what the caller can do about it
    pub action: &'static str,
}

impl From<Category> for Kind {
    fn from(category: Category) -> Self {
        match category {
            Category::InvalidAttributeValue => Self::InvalidAttributeValue,
            Category::MissingParameter => Self::MissingParameter,
            Category::InvalidParameter => Self::InvalidParameter,
            Category::InvalidOperation => Self::InvalidOperation,
            Category::DuplicateOperation => Self::DuplicateOperation,
            Category::NestedErrors => Self::NestedErrors,
            Category::PayrollBlocker => Self::PayrollBlocker,
            Category::MigrationBlocker => Self::MigrationBlocker,
            Category::InvalidResourceVersion => Self::InvalidResourceVersion,
        }
    }
}

impl Kind {
    /// Every kind, in the order of declaration.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its explanation.
    pub fn explained(self) -> Explained {
        let (name, category, statuses, cause, action) = match self {
            Self::UnknownAddress
            | Self::MethodNotAllowed
            | Self::InvalidToken
            | Self::InvalidApiVersion
            | Self::MissingPermissions
            | Self::MissingScope
            | Self::RateLimitExceeded
            | Self::UnknownHost => self.at_the_door(),
            Self::BodyTooLarge
            | Self::BodyTooSlow
            | Self::NotJson
            | Self::NotForm
            | Self::MalformedRequest
            | Self::Unavailable
            | Self::OutcomeUnknown
            | Self::InternalError => self.on_the_way(),
            _ => self.of_rules(),
        };
        Explained { name, category, statuses, cause, action }
    }

    /// What is refused before the body is looked at.
    fn at_the_door(self) -> ExplanationRow {
        match self {
            Self::UnknownAddress => (
                "unknown_address",
                "not_found",
                &[404],
                "No operation has this path. A misspelt word, a missing /v1 or a trailing slash are the usual reasons.",
                "Compare the path with the operation's page; the message names the nearest path that there is.",
            ),
            Self::MethodNotAllowed => (
                "method_not_allowed",
                "invalid_parameter",
                &[405],
                "The path exists, and takes other methods than the one that was used. Records are updated with PUT, and what is \
                 left out stays; PATCH is taken by few.",
                "Use a method that the Allow header of the answer names.",
            ),
            Self::InvalidToken => (
                "invalid_token",
                "invalid_token",
                &[401],
                "The Authorization header is missing, has another scheme than the token, or holds a token that is unknown, expired \
                 or revoked.",
                "Send Authorization: Bearer and the access token. A company's token ends two hours after it was given: get the next \
                 one with its refresh token at /oauth/token.",
            ),
            Self::InvalidApiVersion => (
                "invalid_api_version",
                "invalid_api_version",
                &[406],
                "X-Service-API-Version (or X-Gusto-API-Version) holds no date version that is served.",
                "Send one of the dates that the message names, or leave the header out to get the application's default.",
            ),
            Self::MissingPermissions => (
                "missing_permissions",
                "missing_permissions",
                &[403],
                "The token is good, but of the other kind: operations on a company take a company's token, and operations of the \
                 application (webhooks, creating companies) its system token.",
                "Take the token that the operation's page names.",
            ),
            Self::MissingScope => (
                "missing_oauth_scopes",
                "missing_oauth_scopes",
                &[403],
                "The token was given without the scope that the operation needs.",
                "Ask for the scope in the message when the administrator authorizes your application, and use the new token. \
                 GET /v1/token_info tells what a token may do.",
            ),
            Self::RateLimitExceeded => (
                "rate_limit_exceeded",
                "rate_limit_exceeded",
                &[429],
                "More requests than allowed came from this application, or for this company from it, within 60 seconds, whichever of \
                 its tokens they carried; or too many without a good token from this address; or one host was asked too often to verify \
                 a subscription.",
                "Wait for the seconds of the Retry-After header. X-RateLimit-Remaining tells beforehand how many are left.",
            ),
            Self::UnknownHost => (
                "unknown_host",
                "invalid_parameter",
                &[421],
                "stipend dev was called by a name that is not its own, as a page of another site could make a browser do.",
                "Call it as localhost or 127.0.0.1, or start it with --public-url and the name that you use.",
            ),
            _ => panic!("{self:?} is refused later"),
        }
    }

    /// What concerns the body as such, and the service itself.
    fn on_the_way(self) -> ExplanationRow {
        match self {
            Self::BodyTooLarge => (
                "body_too_large",
                "invalid_parameter",
                &[413],
                "The body has more than 1 MB, or a form has a file of more than 10 MB.",
                "Send fewer items at a time, or a smaller file.",
            ),
            Self::BodyTooSlow => (
                "body_too_slow",
                "invalid_parameter",
                &[408],
                "The body did not arrive within ten seconds, or a form within a minute. Often Content-Length says more bytes than are sent.",
                "Check Content-Length, and send the request again.",
            ),
            Self::NotJson => (
                "not_json",
                "invalid_parameter",
                &[415],
                "The body does not say that it is JSON. curl -d sends a form unless it is told otherwise.",
                "Send the header Content-Type: application/json.",
            ),
            Self::NotForm => (
                "not_form",
                "invalid_parameter",
                &[415],
                "The operation takes a file, and the body does not say that it is a form with files.",
                "Send multipart/form-data, as curl -F does; let the client write the Content-Type, which names the boundary.",
            ),
            Self::MalformedRequest => (
                "malformed_request",
                "invalid_parameter",
                &[400],
                "The body is no JSON object, is nested more than 32 levels deep or names a field twice, or is a form that ends too early; or a header or the query \
                 cannot be read.",
                "The message tells line and column of the first fault, or the header.",
            ),
            Self::Unavailable => (
                "unavailable",
                "third_party_service_unavailable",
                &[503],
                "The service cannot take the request at the moment. Nothing was changed.",
                "Send it again after the seconds of the Retry-After header.",
            ),
            Self::OutcomeUnknown => (
                "outcome_unknown",
                "third_party_service_unavailable",
                &[503],
                "The connection to the database was lost while the change was made permanent: it may have been made or not.",
                "Send the same request again with the same Idempotency-Key: it is done once and answered as it was. Without \
                 a key, read the record first.",
            ),
            Self::InternalError => (
                "internal_error",
                "internal_error",
                &[500],
                "A mistake of the service. Nothing was changed.",
                "Tell the operator the X-Request-Id of the answer: the reason is in the log under it.",
            ),
            _ => panic!("{self:?} is no matter of the request as such"),
        }
    }

    /// What the record and the rules say.
    fn of_rules(self) -> ExplanationRow {
        match self {
            Self::NotFound => (
                "not_found",
                "not_found",
                &[404],
                "No record of the token's company has this identifier. A record of another company, and text that is no UUID, are \
                 answered the same.",
                "Check that the identifier is of the kind that the path asks for, and that the token is that of its company.",
            ),
            Self::Expired => (
                "expired",
                "not_found",
                &[410],
                "What was asked for was made in the background or for a while, and is kept no longer.",
                "Ask for a new one, and read it while it is kept.",
            ),
            Self::InvalidAttributeValue => (
                "invalid_attribute_value",
                "invalid_attribute_value",
                &[422, 400],
                "A value of the body is blank where it must not be, of the wrong type, or against a rule. error_key names the field, \
                 and the message what it must be.",
                "Change the value. Every fault of a body is listed at once, and nothing was changed.",
            ),
            Self::MissingParameter => (
                "missing_parameter",
                "missing_parameter",
                &[422, 400],
                "Something that the call needs is absent: mostly the version of the record that is updated.",
                "Send it. A version is in the answer when the record is read.",
            ),
            Self::InvalidParameter => (
                "invalid_parameter",
                "invalid_parameter",
                &[422, 400],
                "A parameter of the query, or a value that chooses what is done, is none of those that are allowed; or an \
                 Idempotency-Key was used before with another body, version or token of other scopes.",
                "The message names what is allowed.",
            ),
            Self::NestedErrors => (
                "nested_errors",
                "nested_errors",
                &[422],
                "A part of the body has faults of its own; they are in errors, with error_key inside that part.",
                "Go through errors of the item. metadata.index, where it is there, says which item of the list it is.",
            ),
            _ => self.of_state(),
        }
    }

    /// What the state of the record does not allow.
    fn of_state(self) -> ExplanationRow {
        match self {
            Self::InvalidOperation => (
                "invalid_operation",
                "invalid_operation",
                &[422, 409],
                "What was asked for is not possible in the present state of the record; 409 where it never will be.",
                "The message says what has to come first; metadata names it for programs, where there is something to name.",
            ),
            Self::DuplicateOperation => (
                "duplicate_operation",
                "duplicate_operation",
                &[422, 409],
                "The same thing exists already; 409 where a key was used before.",
                "Update what is there instead of creating it again. metadata.request_uuid names what was made with the key.",
            ),
            Self::InvalidResourceVersion => (
                "invalid_resource_version",
                "invalid_resource_version",
                &[409, 422],
                "Somebody changed the record after it was read: the version that was sent is not the current one. Nothing was changed.",
                "metadata.current_version is the one to send, and metadata.differing_fields names what differs from what you sent. \
                 Read the record again, or send the change again with the current version.",
            ),
            Self::PayrollBlocker => (
                "payroll_blocker",
                "payroll_blocker",
                &[422],
                "Something must be settled before payroll can run. metadata.key names it.",
                "Settle it; the list of blockers tells what is left.",
            ),
            Self::MigrationBlocker => (
                "migration_blocker",
                "migration_blocker",
                &[422],
                "Something stands in the way of the company's move. metadata.key names it.",
                "Settle it; migration_readiness tells what is left.",
            ),
            _ => panic!("{self:?} is refused before rules are asked"),
        }
    }
}

/// Name, category, statuses, cause and action.
type ExplanationRow = (&'static str, &'static str, &'static [u16], &'static str, &'static str);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_is_explained_under_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for kind in Kind::ALL {
            let answer = kind.explained();
            assert!(names.insert(answer.name), "{} stands for two kinds", answer.name);
            assert!(answer.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", answer.name);
            assert!(!answer.statuses.is_empty());
            for text in [answer.cause, answer.action] {
                assert!(text.ends_with('.') && text.len() > 20, "{text}");
            }
        }
    }
}
