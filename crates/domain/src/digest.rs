//! Digests of several parts, for what must be distinguished from everything else: entries of the audit, requests with a key.

use sha2::{Digest, Sha256};

/// Adds a part with its length before it, so that parts cannot flow into each other.
pub fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}
