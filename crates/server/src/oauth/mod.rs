//! OAuth 2.0: how an application gets its tokens, keeps them and loses them.
//!
//! [`tokens`] keeps pairs of an access token and a refresh token. All pairs that go back to one consent, or to the
//! creation of a company by a partner, are a family and end together.

pub mod tokens;
