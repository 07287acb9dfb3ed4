//! Passwords: Argon2id, with the recommended parameters of its reference library (19 MiB, two passes, RFC 9106).
//!
//! Hashing takes tens of milliseconds by design. So [`password_matches()`] never runs in a unit of work, where it would block the
//! only writer, but on a thread of its own, between two units.

use std::sync::OnceLock;

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

use crate::error::Error;

/// Minimum characters of a password.
pub const SHORTEST: usize = 12;
/// Maximum bytes that are hashed.
pub const LONGEST: usize = 256;

fn argon2_hasher() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::DEFAULT)
}

/// The text that is stored for a password; `salt` is random.
///
/// # Errors
/// An internal error if the library refuses the password.
pub fn hash(password: &str, salt: &[u8; 16]) -> Result<String, Error> {
    let hash = argon2_hasher()
        .hash_password_with_salt(password.as_bytes(), salt)
        .map_err(Error::failed_operation("a password could not be hashed"))?;
    Ok(hash.to_string())
}

/// Whether the password matches the hash. Without a hash it returns false after the same work, so that timing does not
/// reveal whether the user exists.
pub fn password_matches(password: &str, hashed: Option<&str>) -> bool {
    static NOBODYS: OnceLock<Option<String>> = OnceLock::new();
    let nobodys = NOBODYS.get_or_init(|| hash("nobody has this password", &[7; 16]).ok());
    let password = if password.len() <= LONGEST { password } else { "" };
    let against = hashed.or(nobodys.as_deref()).unwrap_or_default();
    let same = argon2::PasswordHash::new(against)
        .is_ok_and(|hash| argon2_hasher().verify_password(password.as_bytes(), &hash).is_ok());
    same && hashed.is_some() && !password.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_matches_its_own_hash_and_no_other() {
        let hashed = hash("correct horse", &[1; 16]).unwrap();
        assert!(hashed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hashed}");
        assert!(password_matches("correct horse", Some(&hashed)));
        for wrong in ["correct horsf", "", "correct horse ", &"x".repeat(300)] {
            assert!(!password_matches(wrong, Some(&hashed)), "{wrong}");
        }
        assert!(!password_matches("nobody has this password", None), "without a hash nobody can sign in");
        assert!(!password_matches("anything", Some("no hash at all")));
    }

    #[test]
    fn an_empty_password_never_matches() {
        let hashed = hash("", &[1; 16]).unwrap();
        assert!(!password_matches("", Some(&hashed)));
    }

    #[test]
    fn one_password_under_two_salts_has_two_hashes() {
        assert_ne!(hash("correct horse", &[1; 16]).unwrap(), hash("correct horse", &[2; 16]).unwrap());
    }
}
