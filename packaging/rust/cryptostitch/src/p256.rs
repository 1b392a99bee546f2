//! P-256 (SP 800-186, 3.2.1.3), many at once: ECDSA with SHA-256, and ECDH. Secret keys are numbers of 32 bytes,
//! big-endian; public keys are points of 65 bytes, or compressed of 33 (SEC 1, 2.3.3).

use std::fmt;

use crate::error::Error;
use crate::public_key::{job, job_to_verify, whole, Operation, Shared};

pub use crate::ed25519::ToSign;

/// One signature to verify: r and s.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// The public key, 65 or 33 bytes.
    pub key: &'a [u8],
    /// What was signed.
    pub message: &'a [u8],
    /// r and s, big-endian.
    pub signature: &'a [u8; 64],
}

/// One side's secret key and the other side's public key.
#[derive(Clone, Copy)]
pub struct Agreement<'a> {
    /// One's own.
    pub secret_key: &'a [u8; 32],
    /// The other side's, 65 or 33 bytes.
    pub public_key: &'a [u8],
}

/// Without the secret key.
impl fmt::Debug for Agreement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agreement").field("public_key", &self.public_key).finish_non_exhaustive()
    }
}

/// Whether each ECDSA signature is right (FIPS 186-5, 6.4.2), a verdict each; with a key that is no point of the curve
/// none is, nor with one of another length. Keys, messages and signatures are no secrets.
///
/// ```
/// use cryptostitch::p256::{public_keys, sign_many, verify_many, Signed, ToSign};
/// let signature = sign_many(&[ToSign { secret_key: &[7; 32], message: b"pay 5" }])?[0]?;
/// let key = public_keys(&[[7; 32]])?[0]?;
/// let signed = |message| Signed { key: &key, message, signature: &signature };
/// assert_eq!(verify_many(&[signed(b"pay 5"), signed(b"pay 9")])?, [true, false]);
/// # Ok::<(), cryptostitch::Error>(())
/// ```
pub fn verify_many(items: &[Signed<'_>]) -> Result<Vec<bool>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = items.iter().map(|item| job_to_verify(item.key, item.message, item.signature)).collect();
    Operation::shared(&SHARED, c"ecdsa-p256-verify")?.verdicts(jobs)
}

/// An ECDSA signature of each message, with the nonce of RFC 6979, or [`Error::Point`] for a secret key that is 0 or
/// not below the order.
pub fn sign_many(items: &[ToSign<'_>]) -> Result<Vec<Result<[u8; 64], Error>>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = items.iter().map(|item| job(item.secret_key, item.message)).collect();
    Ok(whole(Operation::shared(&SHARED, c"ecdsa-p256-sign")?.results(jobs)?))
}

/// What both sides share (SP 800-56A, 5.7.1.2): x of a point, or [`Error::Point`] for a key that must not be used, and
/// [`Error::Length`] for a public key of another length. Hash it before its use as a key.
pub fn agree_many(items: &[Agreement<'_>]) -> Result<Vec<Result<[u8; 32], Error>>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = items.iter().map(|item| job(item.secret_key, item.public_key)).collect();
    Ok(whole(Operation::shared(&SHARED, c"ecdh-p256")?.results(jobs)?))
}

/// The public keys of secret keys, or [`Error::Point`] as for [`sign_many`].
pub fn public_keys(secret_keys: &[[u8; 32]]) -> Result<Vec<Result<[u8; 65], Error>>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = secret_keys.iter().map(|secret| job(secret, &[])).collect();
    Ok(whole(Operation::shared(&SHARED, c"p256-public-key")?.results(jobs)?))
}
