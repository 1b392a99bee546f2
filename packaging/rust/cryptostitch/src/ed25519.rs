use std::fmt;

use crate::error::Error;
use crate::public_key::{job, job_to_verify, whole, Operation, Shared};

/// By whose rules Ed25519's signatures are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// RFC 8032, 5.1.7: canonical encodings, and the equation without the cofactor.
    Rfc8032,
    /// ZIP 215, on which all parties of a consensus agree: any encodings, and the equation with the cofactor.
    Zip215,
}

/// One signature to verify.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// The public key.
    pub key: &'a [u8; 32],
    /// What was signed.
    pub message: &'a [u8],
    /// R and S.
    pub signature: &'a [u8; 64],
}

/// One message to sign.
#[derive(Clone, Copy)]
pub struct ToSign<'a> {
    /// Of Ed25519 the seed (RFC 8032, 5.1.5), of P-256 a number, big-endian.
    pub secret_key: &'a [u8; 32],
    /// What is signed.
    pub message: &'a [u8],
}

/// Without the secret key.
impl fmt::Debug for ToSign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToSign").field("message", &self.message).finish_non_exhaustive()
    }
}

/// Whether each Ed25519 signature is right, a verdict each. Keys, messages and signatures are no secrets.
///
/// ```
/// use cryptostitch::{sign_many, verify_many, Rules, Signed, ToSign};
/// let signatures = sign_many(&[ToSign { secret_key: &[7; 32], message: b"pay 5" }])?;
/// let key = cryptostitch::public_keys(&[[7; 32]])?[0];
/// let signed = |message| Signed { key: &key, message, signature: &signatures[0] };
/// assert_eq!(verify_many(&[signed(b"pay 5"), signed(b"pay 9")], Rules::Rfc8032)?, [true, false]);
/// # Ok::<(), cryptostitch::Error>(())
/// ```
pub fn verify_many(items: &[Signed<'_>], rules: Rules) -> Result<Vec<bool>, Error> {
    static SHARED: [Shared; 2] = [Shared::new(), Shared::new()];
    let operation = match rules {
        Rules::Rfc8032 => Operation::shared(&SHARED[0], c"ed25519-verify")?,
        Rules::Zip215 => Operation::shared(&SHARED[1], c"ed25519-verify-zip215")?,
    };
    operation.verdicts(items.iter().map(|item| job_to_verify(item.key, item.message, item.signature)).collect())
}

/// An Ed25519 signature of each message, under its secret key (RFC 8032).
pub fn sign_many(items: &[ToSign<'_>]) -> Result<Vec<[u8; 64]>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = items.iter().map(|item| job(item.secret_key, item.message)).collect();
    whole(Operation::shared(&SHARED, c"ed25519-sign")?.results(jobs)?).into_iter().collect()
}

/// The Ed25519 public keys of secret keys.
pub fn public_keys(secret_keys: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = secret_keys.iter().map(|secret| job(secret, &[])).collect();
    whole(Operation::shared(&SHARED, c"ed25519-public-key")?.results(jobs)?).into_iter().collect()
}
