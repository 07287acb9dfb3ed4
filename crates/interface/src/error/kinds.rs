//! Every kind of error, with its cause and remedy: one list, from which responses take their category and the URL of
//! their explanation, and from which `/docs/errors` is generated.

use rules::Category;
use strum::VariantArray;

/// A kind of error, in the order in which a request is checked, which is also the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Kind {
    /// unknown path
    UnknownAddress,
    /// the path does not accept this method
    MethodNotAllowed,
    /// the token is missing or no longer valid
    InvalidToken,
    /// the version is not supported
    InvalidApiVersion,
    /// the token is of the wrong kind
    MissingPermissions,
    /// the token lacks a scope
    MissingScope,
    /// too many requests
    RateLimitExceeded,
    /// the body is too large
    BodyTooLarge,
    /// the body arrived too slowly
    BodyTooSlow,
    /// the body is not JSON
    NotJson,
    /// the body is not a multipart form
    NotForm,
    /// the body cannot be read
    MalformedRequest,
    /// no such record
    NotFound,
    /// the result has expired
    Expired,
    /// a value of the body is invalid
    InvalidAttributeValue,
    /// a required parameter is missing
    MissingParameter,
    /// a parameter is invalid
    InvalidParameter,
    /// the errors are in a nested part of the body
    NestedErrors,
    /// not possible in the present state
    InvalidOperation,
    /// it exists already
    DuplicateOperation,
    /// the record was changed after it was read
    InvalidResourceVersion,
    /// payroll cannot run yet
    PayrollBlocker,
    /// the company cannot be migrated yet
    MigrationBlocker,
    /// the host name of the request is unknown
    UnknownHost,
    /// temporarily unavailable
    Unavailable,
    /// it is unknown whether the change was committed
    OutcomeUnknown,
    /// an internal error
    InternalError,
}

/// The explanation of a kind.
#[derive(Debug, Clone, Copy)]
pub struct Explained {
    /// its name, and its anchor on the errors page
    pub name: &'static str,
    /// the value of `category`
    pub category: &'static str,
    /// the HTTP statuses it is returned with
    pub statuses: &'static [u16],
    /// why it occurs
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

    /// Errors found before the body is read.
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
                "The path exists, but not with this method. Records are updated with PUT (omitted fields keep their value); few \
                 operations accept PATCH.",
                "Use a method that the Allow header of the answer names.",
            ),
            Self::InvalidToken => (
                "invalid_token",
                "invalid_token",
                &[401],
                "The Authorization header is missing, has another scheme than the token, or holds a token that is unknown, expired \
                 or revoked.",
                "Send Authorization: Bearer and the access token. A company token expires after two hours: get the next \
                 one with its refresh token at /oauth/token.",
            ),
            Self::InvalidApiVersion => (
                "invalid_api_version",
                "invalid_api_version",
                &[406],
                "X-Service-API-Version (or X-Gusto-API-Version) names an unsupported version.",
                "Send one of the dates that the message names, or omit the header to get the application's default.",
            ),
            Self::MissingPermissions => (
                "missing_permissions",
                "missing_permissions",
                &[403],
                "The token is valid, but of the wrong kind: operations on a company take a company's token, and operations of the \
                 application (webhooks, creating companies) its system token.",
                "Use the kind of token named on the operation's page.",
            ),
            Self::MissingScope => (
                "missing_oauth_scopes",
                "missing_oauth_scopes",
                &[403],
                "The token was given without the scope that the operation needs.",
                "Ask for the scope in the message when the administrator authorizes your application, and use the new token. \
                 GET /v1/token_info shows the scopes of a token.",
            ),
            Self::RateLimitExceeded => (
                "rate_limit_exceeded",
                "rate_limit_exceeded",
                &[429],
                "More requests than allowed came from this application, or for this company from it, within 60 seconds, whichever of \
                 its tokens they carried; or too many without a valid token from this IP address; or one host was asked too often to verify \
                 a subscription.",
                "Wait for the seconds of the Retry-After header. X-RateLimit-Remaining says how many requests are left.",
            ),
            Self::UnknownHost => (
                "unknown_host",
                "invalid_parameter",
                &[421],
                "stipend dev was addressed by an unknown host name; it refuses these to prevent DNS rebinding.",
                "Call it as localhost or 127.0.0.1, or start it with --public-url and the name that you use.",
            ),
            _ => panic!("{self:?} is refused later"),
        }
    }

    /// Errors about the body as a whole, and about the service itself.
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
                "The body did not arrive within ten seconds, or a form within a minute. Often Content-Length is larger than the body.",
                "Check Content-Length, and send the request again.",
            ),
            Self::NotJson => (
                "not_json",
                "invalid_parameter",
                &[415],
                "Content-Type is not application/json. curl -d sends a form by default.",
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
                "The body is not a JSON object, is nested more than 32 levels deep or names a field twice, or is a form that ends too early; or a header or the query \
                 cannot be read.",
                "The message gives the line and column of the first error, or names the header.",
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
                "The connection to the database was lost during the commit: the change may or may not have been made.",
                "Send the same request again with the same Idempotency-Key: it takes effect once and gets the original response. Without \
                 a key, read the record first.",
            ),
            Self::InternalError => (
                "internal_error",
                "internal_error",
                &[500],
                "An internal error. Nothing was changed.",
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
                "No record of the token's company has this identifier. Records of other companies and malformed UUIDs get the \
                 same answer.",
                "Check that the identifier is of the kind that the path asks for, and that the token belongs to its company.",
            ),
            Self::Expired => (
                "expired",
                "not_found",
                &[410],
                "The result was temporary and has expired.",
                "Request a new one, and read it before it expires.",
            ),
            Self::InvalidAttributeValue => (
                "invalid_attribute_value",
                "invalid_attribute_value",
                &[422, 400],
                "A value of the body is blank where it must not be, of the wrong type, or breaks a rule. error_key names the field, \
                 and the message what it must be.",
                "Change the value. All errors of a body are reported together, and nothing was changed.",
            ),
            Self::MissingParameter => (
                "missing_parameter",
                "missing_parameter",
                &[422, 400],
                "A required parameter is missing, most often the version of the record to update.",
                "Send it. A version is in the answer when the record is read.",
            ),
            Self::InvalidParameter => (
                "invalid_parameter",
                "invalid_parameter",
                &[422, 400],
                "A parameter of the query, or a value that selects an action, is not one of those allowed; or an \
                 Idempotency-Key was used before with another body, version or token of other scopes.",
                "The message names what is allowed.",
            ),
            Self::NestedErrors => (
                "nested_errors",
                "nested_errors",
                &[422],
                "A part of the body has errors of its own; they are in errors, with error_key inside that part.",
                "See the errors of the item; metadata.index, if present, is its position in the list.",
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
                "The operation is not possible in the record's current state; 409 if it never will be.",
                "The message says what must happen first; metadata identifies it for programs, where there is something to identify.",
            ),
            Self::DuplicateOperation => (
                "duplicate_operation",
                "duplicate_operation",
                &[422, 409],
                "The same thing exists already; 409 where a key was used before.",
                "Update what is there instead of creating it again. metadata.request_uuid is what was created with the key.",
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
                "Something must be resolved before payroll can run. metadata.key names it.",
                "Resolve it; the list of blockers shows what is left.",
            ),
            Self::MigrationBlocker => (
                "migration_blocker",
                "migration_blocker",
                &[422],
                "Something blocks the company's migration. metadata.key names it.",
                "Resolve it; migration_readiness shows what is left.",
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
