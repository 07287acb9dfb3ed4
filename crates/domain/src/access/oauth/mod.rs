//! OAuth 2.0: how an application gets, keeps and loses its tokens (RFC 6749, 7009, 7636, 8414, 9207, 9700).
//!
//! An administrator consents on the pages of the authorization server, where [`sessions`] knows who is signed in.
//! Consent yields a code ([`codes`]), which [`exchange`] exchanges for tokens.
//!
//! [`tokens`] stores pairs of an access token and a refresh token. All pairs that go back to one consent, or to the
//! creation of a company by a partner, form a family and are revoked together. [`refusal`] and [`reasons`] are the
//! OAuth errors.

pub mod codes;
pub mod exchange;
pub mod reasons;
pub mod refusal;
pub mod sessions;
pub mod tokens;
