//! RSA's private operations (RFC 8017) with 2048, 3072 or 4096 bits, many at once. They need a CPU with AVX-512 IFMA;
//! others give [`Error::Unsupported`].

use std::ffi::CStr;
use std::ptr;

use cryptostitch_sys as sys;

use crate::error::{check, Error};
use crate::public_key::{job, Operation, Outcome, Shared};

const MOST_BYTES: usize = 512;

/// A private key, prepared. It is wiped when it is dropped.
#[derive(Debug)]
pub struct PrivateKey {
    raw: *mut sys::cst_pk_key,
}

// SAFETY: cryptostitch.h promises that several threads may use a prepared key.
unsafe impl Send for PrivateKey {}
unsafe impl Sync for PrivateKey {}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        // SAFETY: cst_pk_key_new made it, and nobody else has it.
        unsafe { sys::cst_pk_key_free(self.raw) }
    }
}

impl PrivateKey {
    /// Of an RSAPrivateKey (RFC 8017, A.1.2), or a PrivateKeyInfo of PKCS #8 with it, in DER and not encrypted.
    /// [`Error::Length`]: a modulus of another length; [`Error::Argument`]: no such encoding, or numbers that do not
    /// belong together.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        static SHARED: Shared = Shared::new();
        let operation = Operation::shared(&SHARED, c"rsa-private")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `der` has as many bytes as its length says.
        check(unsafe { sys::cst_pk_key_new(operation.raw(), der.as_ptr().cast(), der.len(), &mut raw) })?;
        Ok(Self { raw })
    }
}

/// How a message is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Pkcs1Sha256,
    /// With SHA-384.
    Pkcs1Sha384,
    /// With SHA-512.
    Pkcs1Sha512,
    /// RSASSA-PSS with SHA-256, with MGF1 by SHA-256 and the item's salt.
    PssSha256,
}

/// One message to sign.
#[derive(Clone, Copy, Debug)]
pub struct ToSign<'a> {
    /// Who signs.
    pub key: &'a PrivateKey,
    /// What is signed.
    pub message: &'a [u8],
    /// Of PSS, as a rule 32 random bytes; else empty.
    pub salt: &'a [u8],
}

/// One ciphertext to decrypt, of OAEP with SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct ToDecrypt<'a> {
    /// To whom it was encrypted.
    pub key: &'a PrivateKey,
    /// As long as the key's modulus.
    pub ciphertext: &'a [u8],
    /// Empty as a rule.
    pub label: &'a [u8],
}

/// A signature of each message, as long as its key's modulus, or [`Error::Length`] for a salt that is too long.
pub fn sign_many(items: &[ToSign<'_>], scheme: Scheme) -> Result<Vec<Result<Vec<u8>, Error>>, Error> {
    static SHARED: [Shared; 4] = [const { Shared::new() }; 4];
    let name: &CStr = match scheme {
        Scheme::Pkcs1Sha256 => c"rsa-sign-pkcs1-sha256",
        Scheme::Pkcs1Sha384 => c"rsa-sign-pkcs1-sha384",
        Scheme::Pkcs1Sha512 => c"rsa-sign-pkcs1-sha512",
        Scheme::PssSha256 => c"rsa-sign-pss-sha256",
    };
    let salted = scheme == Scheme::PssSha256;
    let jobs = items.iter().map(|item| private_job(item.key, item.message, item.salt, salted)).collect();
    Ok(lengths(Operation::shared(&SHARED[scheme as usize], name)?.results(jobs)?))
}

/// The messages, or [`Error::Authentication`] for a ciphertext that cannot be decrypted, for whatever reason.
pub fn decrypt_many(items: &[ToDecrypt<'_>]) -> Result<Vec<Result<Vec<u8>, Error>>, Error> {
    static SHARED: Shared = Shared::new();
    let jobs = items.iter().map(|item| private_job(item.key, item.ciphertext, item.label, true)).collect();
    let texts = lengths(Operation::shared(&SHARED, c"rsa-decrypt-oaep-sha256")?.results(jobs)?);
    let one_error = |error| if error == Error::Length { Error::Authentication } else { error };
    Ok(texts.into_iter().map(|text| text.map_err(one_error)).collect())
}

fn private_job(key: &PrivateKey, input: &[u8], parameter: &[u8], is_given: bool) -> sys::cst_pk_job {
    sys::cst_pk_job {
        key: ptr::null(),
        key_len: 0,
        prepared: key.raw,
        signature: if is_given { parameter.as_ptr().cast() } else { ptr::null() },
        signature_len: if is_given { parameter.len() } else { 0 },
        ..job(&[], input)
    }
}

fn lengths(outcomes: Vec<Outcome<MOST_BYTES>>) -> Vec<Result<Vec<u8>, Error>> {
    outcomes.into_iter().map(|outcome| outcome.map(|(result, length)| result[..length].to_vec())).collect()
}
