//! Authenticated encryption by RustCrypto's traits (those of the crate [`aead` 0.5](https://docs.rs/aead/0.5)), for code
//! that takes any [`AeadInPlace`] or [`Aead`]. Feature `aead`.
//!
//! ```
//! use cryptostitch::aead::{Aead, Aes256Gcm, KeyInit, Payload};
//! let cipher = Aes256Gcm::new(&[7; 32].into());
//! let sealed = cipher.encrypt(&[1; 12].into(), Payload { msg: b"hello", aad: b"header" }).unwrap();
//! assert_eq!(sealed.len(), 5 + 16);
//! assert_eq!(cipher.decrypt(&[1; 12].into(), Payload { msg: &sealed, aad: b"header" }).unwrap(), b"hello");
//! ```
//!
//! These traits take one message at a time, and lanes stay empty: use a [`Burst`](crate::Burst) or a
//! [`Manager`](crate::Manager) where many messages are at hand.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ::aead::{
    consts::{U0, U12, U16, U32},
    generic_array::ArrayLength,
    KeySizeUser,
};
pub use ::aead::{Aead, AeadCore, AeadInPlace, KeyInit, Nonce, Payload, Tag};

use crate::context::default_context;
use crate::error::Error;
use crate::key::Key;

mod sealed {
    pub trait Sealed {}
}

/// An AEAD that [`Cipher`] computes: one of the types in [`algorithm`].
pub trait Algorithm: sealed::Sealed + 'static {
    /// The suite's name.
    const NAME: &'static str;
    /// Bytes of the key.
    type KeySize: ArrayLength<u8> + 'static;
}

/// A key of an AEAD, with nonces of 12 bytes and tags of 16. Clones share it; the last one wipes it.
///
/// The buffer of a forged text is zeroed.
pub struct Cipher<A: Algorithm> {
    key: Arc<Key>,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm> Cipher<A> {
    /// Makes the cipher as [`KeyInit::new`] does, but returns an error where that panics.
    pub fn try_new(key: &::aead::Key<Self>) -> Result<Self, Error> {
        let key = default_context()?.suite(A::NAME)?.key(key)?;
        Ok(Self { key: Arc::new(key), algorithm: PhantomData })
    }
}

impl<A: Algorithm> Clone for Cipher<A> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), algorithm: PhantomData }
    }
}

/// Without the key.
impl<A: Algorithm> fmt::Debug for Cipher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cipher").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}

impl<A: Algorithm> KeySizeUser for Cipher<A> {
    type KeySize = A::KeySize;
}

/// Panics where the CPU cannot run the suite, the system has no memory, or [`default_context`] fails: the trait cannot
/// return an error, [`Cipher::try_new`] does.
impl<A: Algorithm> KeyInit for Cipher<A> {
    fn new(key: &::aead::Key<Self>) -> Self {
        Self::try_new(key).unwrap_or_else(|error| panic!("{}: {error}", A::NAME))
    }
}

impl<A: Algorithm> AeadCore for Cipher<A> {
    type NonceSize = U12;
    type TagSize = U16;
    type CiphertextOverhead = U0;
}

impl<A: Algorithm> AeadInPlace for Cipher<A> {
    fn encrypt_in_place_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
    ) -> ::aead::Result<Tag<Self>> {
        let mut tag = Tag::<Self>::default();
        self.key.seal_in_place(nonce, associated_data, buffer, &mut tag).map_err(|_| ::aead::Error)?;
        Ok(tag)
    }

    fn decrypt_in_place_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &Tag<Self>,
    ) -> ::aead::Result<()> {
        self.key.open_in_place(nonce, associated_data, buffer, tag).map_err(|_| ::aead::Error)?;
        Ok(())
    }
}

macro_rules! algorithms {
    ($($type:ident $name:literal $key:ident;)*) => {
        $(
            #[doc = concat!("The suite `", $name, "`.")]
            pub type $type = Cipher<algorithm::$type>;
        )*

        /// One empty type for each suite: the type parameter of [`Cipher`].
        pub mod algorithm {
            use super::*;

            $(
                #[doc = concat!("Names the suite `", $name, "`.")]
                #[derive(Clone, Copy, Debug)]
                pub enum $type {}

                impl Algorithm for $type {
                    const NAME: &'static str = $name;
                    type KeySize = $key;
                }

                impl sealed::Sealed for $type {}
            )*
        }
    };
}

algorithms! {
    Aes128Gcm "aes-128-gcm" U16;
    Aes256Gcm "aes-256-gcm" U32;
    ChaCha20Poly1305 "chacha20-poly1305" U32;
}
