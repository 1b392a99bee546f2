//! Encryption, authentication, hashes, checksums and erasure codes of many buffers at once. Buffers of one call share
//! the lanes of SIMD registers, and a cipher and a hash over the same bytes run in one loop.
//!
//! ```
//! let digests = cryptostitch::hash_many("sha256", &["abc", "", "a longer message"])?;
//! assert_eq!(digests.len(), 3);
//! assert_eq!(digests[0][..4], [0xba, 0x78, 0x16, 0xbf]);
//! # Ok::<(), cryptostitch::Error>(())
//! ```
//!
//! Everything else begins with a [`Context`], which knows the CPU, and a [`Suite`] by its name: a digest (`sha256`), a
//! MAC (`hmac-sha256`), a cipher (`aes-128-ctr`), or encryption with authentication (`aes-256-gcm`,
//! `aes-128-cbc+hmac-sha1-etm`). [`Context::suites`] lists them.
//!
//! | for | use |
//! | --- | --- |
//! | one message | [`Key::seal`], [`Key::open`], [`Key::digest`] |
//! | many messages of any keys and suites | [`Burst`] |
//! | messages of any keys and suites that come one by one | [`Manager`] |
//! | many digests under one key | [`Key::digest_many`], [`hash_many`] |
//! | columns of strings, of digests or sealed texts | [`Key::digest_column`], [`Key::seal_column`], [`Key::open_column`] |
//! | messages that are not all in memory | [`Key::message`], [`update_many`], [`Key::sealing`], [`Key::opening`] |
//! | checksums as numbers | [`Checksum`] |
//! | Reed-Solomon and RAID-6 parities | [`ErasureCode`] |
//! | Ed25519 signatures of many messages | [`verify_many`], [`sign_many`] |
//! | QUIC packets | [`quic`] |
//! | other public keys | [`x25519`], [`p256`], [`rsa`] |
//! | RustCrypto's traits `Digest` and `Aead` | the modules `digest` and `aead`, by the features of these names |
//!
//! Contexts, suites, keys and codes may be shared by threads. Keys are wiped when they are dropped.
#![warn(missing_docs)]

#[cfg(feature = "aead")]
pub mod aead;
mod burst;
mod checksum;
mod code;
mod column;
mod context;
#[cfg(feature = "digest")]
pub mod digest;
mod ed25519;
mod error;
mod key;
mod manager;
mod memory;
pub mod p256;
mod parts;
mod public_key;
pub mod quic;
pub mod rsa;
pub mod x25519;

pub use burst::Burst;
pub use checksum::Checksum;
pub use code::{ErasureCode, Matrix};
pub use column::{Offset, Texts};
pub use context::{default_context, hash_many, Context, Kind, Options, Suite};
pub use ed25519::{public_keys, sign_many, verify_many, Rules, Signed, ToSign};
pub use error::Error;
pub use key::{Digests, Key};
pub use manager::{Direction, Done, Job, Manager, ManagerCounts, ManagerOptions, Refused, Ticket};
pub use parts::{update_many, Message, Opening, Sealing};

/// The examples of the crate's page are compiled and run.
#[cfg(all(doctest, feature = "aead", feature = "digest"))]
#[doc = include_str!("../README.md")]
struct Page;
