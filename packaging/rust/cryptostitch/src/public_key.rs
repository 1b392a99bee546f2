use std::ffi::CStr;
use std::ptr;
use std::sync::OnceLock;

use cryptostitch_sys as sys;

use crate::context::{default_context, Context};
use crate::error::{check, Error};

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
    pub key: &'a [u8; 32],
    pub message: &'a [u8],
    pub signature: &'a [u8; 64],
}

/// One message to sign.
#[derive(Clone, Copy, Debug)]
pub struct ToSign<'a> {
    pub secret_key: &'a [u8; 32],
    pub message: &'a [u8],
}

/// An operation with public keys, in lanes, for many jobs at once.
struct PublicKey {
    raw: *mut sys::cst_pk,
    _context: Context, // it must outlive the operation
}

// SAFETY: cryptostitch.h promises that several threads may use an operation.
unsafe impl Send for PublicKey {}
unsafe impl Sync for PublicKey {}

impl Drop for PublicKey {
    fn drop(&mut self) {
        // SAFETY: cst_pk_new made it, and nobody else has it.
        unsafe { sys::cst_pk_free(self.raw) }
    }
}

impl PublicKey {
    fn new(operation: &CStr) -> Result<Self, Error> {
        let context = default_context()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the operation holds a clone of the context.
        check(unsafe { sys::cst_pk_new(context.raw(), operation.as_ptr(), ptr::null(), &mut raw) })?;
        Ok(Self { raw, _context: context.clone() })
    }

    /// Whether all jobs succeeded; an error where they could not run.
    fn run(&self, jobs: &mut [sys::cst_pk_job]) -> Result<bool, Error> {
        // SAFETY: the callers' jobs have pointers to as many bytes as their lengths say.
        match check(unsafe { sys::cst_pk_burst(self.raw, jobs.as_mut_ptr(), jobs.len()) }) {
            Ok(()) => Ok(true),
            Err(Error::Authentication) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn job(key: &[u8], message: &[u8]) -> sys::cst_pk_job {
    sys::cst_pk_job {
        size: size_of::<sys::cst_pk_job>(),
        status: 0,
        key: key.as_ptr().cast(),
        key_len: key.len(),
        in_: message.as_ptr().cast(),
        in_len: message.len(),
        out: ptr::null_mut(),
        out_cap: 0,
        out_len: 0,
        signature: ptr::null(),
        signature_len: 0,
        prepared: ptr::null(),
    }
}

fn shared(at: &'static OnceLock<Result<PublicKey, Error>>, operation: &CStr) -> Result<&'static PublicKey, Error> {
    at.get_or_init(|| PublicKey::new(operation)).as_ref().map_err(|error| *error)
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
    static SHARED: [OnceLock<Result<PublicKey, Error>>; 2] = [OnceLock::new(), OnceLock::new()];
    let operation = match rules {
        Rules::Rfc8032 => shared(&SHARED[0], c"ed25519-verify")?,
        Rules::Zip215 => shared(&SHARED[1], c"ed25519-verify-zip215")?,
    };
    let mut jobs: Vec<_> = items
        .iter()
        .map(|item| sys::cst_pk_job {
            signature: item.signature.as_ptr().cast(),
            signature_len: item.signature.len(),
            ..job(item.key, item.message)
        })
        .collect();
    operation.run(&mut jobs)?;
    Ok(jobs.iter().map(|job| job.status == sys::CST_OK).collect())
}

/// An Ed25519 signature of each message, under its secret key (RFC 8032).
pub fn sign_many(items: &[ToSign<'_>]) -> Result<Vec<[u8; 64]>, Error> {
    static SHARED: OnceLock<Result<PublicKey, Error>> = OnceLock::new();
    let mut signatures = vec![[0; 64]; items.len()];
    let mut jobs: Vec<_> = items
        .iter()
        .zip(&mut signatures)
        .map(|(item, out)| sys::cst_pk_job {
            out: out.as_mut_ptr().cast(),
            out_cap: out.len(),
            ..job(item.secret_key, item.message)
        })
        .collect();
    shared(&SHARED, c"ed25519-sign")?.run(&mut jobs)?;
    Ok(signatures)
}

/// The Ed25519 public keys of secret keys.
pub fn public_keys(secret_keys: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, Error> {
    static SHARED: OnceLock<Result<PublicKey, Error>> = OnceLock::new();
    let mut keys = vec![[0; 32]; secret_keys.len()];
    let mut jobs: Vec<_> = secret_keys
        .iter()
        .zip(&mut keys)
        .map(|(secret, out)| sys::cst_pk_job { out: out.as_mut_ptr().cast(), out_cap: out.len(), ..job(secret, &[]) })
        .collect();
    shared(&SHARED, c"ed25519-public-key")?.run(&mut jobs)?;
    Ok(keys)
}
