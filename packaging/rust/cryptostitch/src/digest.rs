//! Digests by RustCrypto's traits (those of the crate [`digest` 0.10](https://docs.rs/digest/0.10)), for code that takes
//! any [`Digest`]. Feature `digest`.
//!
//! ```
//! use cryptostitch::digest::{Digest, Sha256};
//! let mut hasher = Sha256::new();
//! hasher.update(b"a longer ");
//! hasher.update(b"message");
//! assert_eq!(hasher.finalize()[..], cryptostitch::hash_many("sha256", &["a longer message"])?[0]);
//! # Ok::<(), cryptostitch::Error>(())
//! ```
//!
//! These traits take one message at a time, and lanes stay empty: use [`hash_many`](crate::hash_many) or
//! [`Key::digest_many`] where many messages are at hand.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::OnceLock;

pub use ::digest::Digest;
use ::digest::{
    consts::{U104, U128, U136, U144, U16, U20, U28, U32, U48, U64, U72},
    crypto_common::BlockSizeUser,
    generic_array::ArrayLength,
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update,
};

use crate::context::{default_context, made_once};
use crate::error::Error;
use crate::key::Key;
use crate::parts::Message;

mod sealed {
    pub trait Sealed {
        fn shared() -> &'static std::sync::OnceLock<crate::Key>;
    }
}

/// A digest that [`Hasher`] computes: one of the types in [`algorithm`].
pub trait Algorithm: sealed::Sealed + 'static {
    /// The suite's name.
    const NAME: &'static str;
    /// Bytes of the digest.
    type OutputSize: ArrayLength<u8> + 'static;
    /// Bytes of the hash function's block, as HMAC needs them.
    type BlockSize: ArrayLength<u8> + 'static;
}

/// A message that comes in parts, for a digest, with the key and context of all hashers of that algorithm.
///
/// Its state is wiped when it is dropped. RustCrypto's traits cannot return errors: all methods panic where the system
/// has no memory, and [`Default`] also where the CPU cannot run the suite, or [`default_context`] fails.
pub struct Hasher<A: Algorithm> {
    message: Message<'static>,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm> Hasher<A> {
    /// A hasher for the next message, or why there is none.
    pub fn try_new() -> Result<Self, Error> {
        let key = made_once(A::shared(), || default_context()?.suite(A::NAME)?.key(&[]))?;
        Ok(Self { message: key.try_message()?, algorithm: PhantomData })
    }

    fn end(&mut self, out: &mut Output<Self>) {
        wanted(A::NAME, self.message.end(out));
    }
}

#[track_caller]
fn wanted<T>(name: &str, result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("{name}: {error}"))
}

impl<A: Algorithm> Default for Hasher<A> {
    fn default() -> Self {
        wanted(A::NAME, Self::try_new())
    }
}

impl<A: Algorithm> Clone for Hasher<A> {
    fn clone(&self) -> Self {
        Self { message: self.message.clone(), algorithm: PhantomData }
    }
}

/// Without the state.
impl<A: Algorithm> fmt::Debug for Hasher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &A::NAME).finish_non_exhaustive()
    }
}

impl<A: Algorithm> HashMarker for Hasher<A> {}

impl<A: Algorithm> OutputSizeUser for Hasher<A> {
    type OutputSize = A::OutputSize;
}

impl<A: Algorithm> BlockSizeUser for Hasher<A> {
    type BlockSize = A::BlockSize;
}

impl<A: Algorithm> Update for Hasher<A> {
    fn update(&mut self, data: &[u8]) {
        wanted(A::NAME, self.message.update(data));
    }
}

impl<A: Algorithm> FixedOutput for Hasher<A> {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.end(out);
    }
}

impl<A: Algorithm> Reset for Hasher<A> {
    fn reset(&mut self) {
        self.message.restart();
    }
}

impl<A: Algorithm> FixedOutputReset for Hasher<A> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.end(out);
    }
}

/// Never fails, as a [`Hasher`] takes any number of bytes.
impl<A: Algorithm> io::Write for Hasher<A> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        Update::update(self, data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

macro_rules! algorithms {
    ($($(#[$note:meta])* $type:ident $name:literal $output:ident $block:ident;)*) => {
        $(
            #[doc = concat!("The suite `", $name, "`.")]
            $(#[$note])*
            pub type $type = Hasher<algorithm::$type>;
        )*

        /// One empty type for each suite: the type parameter of [`Hasher`].
        pub mod algorithm {
            use super::*;

            $(
                #[doc = concat!("Names the suite `", $name, "`.")]
                #[derive(Clone, Copy, Debug)]
                pub enum $type {}

                impl Algorithm for $type {
                    const NAME: &'static str = $name;
                    type OutputSize = $output;
                    type BlockSize = $block;
                }

                impl sealed::Sealed for $type {
                    fn shared() -> &'static OnceLock<Key> {
                        static SHARED: OnceLock<Key> = OnceLock::new();
                        &SHARED
                    }
                }
            )*
        }
    };
}

algorithms! {
    /// Collisions are found within seconds.
    Md5 "md5" U16 U64;
    /// Collisions have been found.
    Sha1 "sha1" U20 U64;
    Sha224 "sha224" U28 U64;
    Sha256 "sha256" U32 U64;
    Sha384 "sha384" U48 U128;
    Sha512 "sha512" U64 U128;
    Sha512_256 "sha512_256" U32 U128;
    Sha3_224 "sha3-224" U28 U144;
    Sha3_256 "sha3-256" U32 U136;
    Sha3_384 "sha3-384" U48 U104;
    Sha3_512 "sha3-512" U64 U72;
    Sm3 "sm3" U32 U64;
    Blake2b512 "blake2b-512" U64 U128;
    Blake2s256 "blake2s-256" U32 U64;
    Blake3 "blake3" U32 U64;
}
