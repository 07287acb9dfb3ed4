//! OAuth 2.0: how an application gets its tokens, keeps them and loses them (RFC 6749, 7009, 7636, 8414, 9207, 9700).
//!
//! An administrator follows an application's request to [`pages`], where [`authorize`] reads what is asked and where
//! the answer may go, [`sign_in`] and [`sessions`] find out who is there, [`consent`] says what is asked for in words,
//! and [`screens`] shows it in the language of the reader ([`texts`]). Consent gives a code ([`codes`]), which
//! [`exchange`], behind [`api`], turns into tokens.
//!
//! [`tokens`] keeps pairs of an access token and a refresh token. All pairs that go back to one consent, or to the
//! creation of a company by a partner, are a family and end together. [`params`] reads requests and writes refusals in
//! the form of OAuth.

pub mod codes;
pub mod exchange;
pub mod params;
pub mod reasons;
pub mod sessions;
pub mod shapes;
pub mod tokens;
