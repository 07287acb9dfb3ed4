//! Digests over several parts, for whatever must be distinguishable from everything else: audit entries, requests with an idempotency key.

use sha2::{Digest, Sha256};

/// Adds a part prefixed with its length, so that the boundaries of parts are unambiguous.
pub fn hash_part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}
