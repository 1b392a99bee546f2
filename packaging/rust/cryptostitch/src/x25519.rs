//! Key exchange by X25519 (RFC 7748, 5), many at once. Secret keys are any 32 bytes.

use std::fmt;

use crate::error::Error;
use crate::public_key::{job, whole, Operation, Shared};

/// One side's secret key and the other side's public key.
#[derive(Clone, Copy)]
pub struct Agreement<'a> {
    /// One's own.
    pub secret_key: &'a [u8; 32],
    /// The other side's.
    pub public_key: &'a [u8; 32],
}

/// Without the secret key.
impl fmt::Debug for Agreement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agreement").field("public_key", &self.public_key).finish_non_exhaustive()
    }
}

/// The secrets that both sides share, or [`Error::Point`] for a public key of small order. Hash a secret before its use
/// as a key.
pub fn agree_many(items: &[Agreement<'_>]) -> Result<Vec<Result<[u8; 32], Error>>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = items.iter().map(|item| job(item.secret_key, item.public_key)).collect();
    Ok(whole(Operation::shared(&SHARED, c"x25519")?.results(jobs)?))
}

/// The public keys of secret keys.
pub fn public_keys(secret_keys: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = secret_keys.iter().map(|secret| job(secret, &[])).collect();
    whole(Operation::shared(&SHARED, c"x25519-public-key")?.results(jobs)?).into_iter().collect()
}
