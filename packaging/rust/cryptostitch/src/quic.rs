//! Protection of QUIC packets (RFC 9001, and RFC 9369 for version 2): bursts of them under any mix of keys.
//!
//! ```
//! use cryptostitch::quic::{self, Key, Packet, Received, Version};
//! let (client, _server) = Key::initial(cryptostitch::default_context()?, Version::V1, b"8 bytes.")?;
//! let mut datagram = [0; 9 + 60 + quic::TAG_LEN];
//! datagram[0] = 0xc0; // a header of 9 bytes, which ends with a packet number of 2
//! quic::seal(&mut [Packet { key: &client, buffer: &mut datagram, header_len: 9, number: 5, number_len: 2 }])?;
//!
//! let received = Received::new(&client, &mut datagram, 7, Some(4));
//! let opened = quic::open(vec![received])?.remove(0)?;
//! assert_eq!((opened.number, opened.header.len(), &*opened.payload), (5, 9, &[0; 60][..]));
//! # Ok::<(), cryptostitch::Error>(())
//! ```

use std::ffi::CStr;
use std::ptr;

use cryptostitch_sys as sys;

use crate::context::Context;
use crate::error::{check, Error};

/// Bytes of an AEAD's tag, which a packet has behind its payload.
pub const TAG_LEN: usize = sys::CST_QUIC_TAG_BYTES as usize;
const INITIAL_SECRET_LEN: usize = sys::CST_QUIC_INITIAL_SECRET_BYTES as usize;
const NONE: u64 = u64::MAX;

/// The AEAD of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// AEAD_AES_128_GCM.
    Aes128Gcm,
    /// AEAD_AES_256_GCM.
    Aes256Gcm,
    /// AEAD_CHACHA20_POLY1305.
    ChaCha20Poly1305,
}

impl Algorithm {
    fn name(self) -> &'static CStr {
        match self {
            Algorithm::Aes128Gcm => c"aes-128-gcm",
            Algorithm::Aes256Gcm => c"aes-256-gcm",
            Algorithm::ChaCha20Poly1305 => c"chacha20-poly1305",
        }
    }
}

/// The version of QUIC, which decides labels and salts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// Version 1.
    V1,
    /// Version 2.
    V2,
}

impl Version {
    fn number(self) -> u32 {
        match self {
            Version::V1 => sys::CST_QUIC_VERSION_1,
            Version::V2 => sys::CST_QUIC_VERSION_2,
        }
    }
}

/// How many packets a key has protected, and how many it may (RFC 9001, 6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Packets that were sealed.
    pub sealed: u64,
    /// The limit of these, if there is one.
    pub most_sealed: Option<u64>,
    /// Packets that did not authenticate, those of the phases before and after included.
    pub failed: u64,
    /// The limit of these: the connection must be closed then.
    pub most_failed: u64,
}

/// The keys of one direction and key phase. They are wiped when it is dropped.
pub struct Key {
    raw: *mut sys::cst_quic_key,
    algorithm: Algorithm,
    context: Context, // it must outlive the key
}

// SAFETY: cryptostitch.h promises that several threads may use a key.
unsafe impl Send for Key {}
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: a function of the library made it, and nobody else has it.
        unsafe { sys::cst_quic_key_free(self.raw) }
    }
}

impl Key {
    /// Of the bytes that "quic key", "quic iv" and "quic hp" stand for (RFC 9001, 5.1).
    pub fn new(context: &Context, algorithm: Algorithm, key: &[u8], iv: &[u8], hp: &[u8]) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the key holds a clone of the context.
        check(unsafe {
            sys::cst_quic_key_new(
                context.raw(),
                algorithm.name().as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                iv.as_ptr().cast(),
                iv.len(),
                hp.as_ptr().cast(),
                hp.len(),
                &mut raw,
            )
        })?;
        Ok(Self { raw, algorithm, context: context.clone() })
    }

    /// Of a traffic secret: 48 bytes with AES-256-GCM, else 32.
    pub fn from_secret(
        context: &Context,
        algorithm: Algorithm,
        version: Version,
        secret: &[u8],
    ) -> Result<Self, Error> {
        Self::derived(context, algorithm, version, secret, ptr::null())
    }

    /// The key after a key update, of the secret that [`next_secret`] gives. It has the header protection of this one,
    /// and both count packets that fail together.
    pub fn updated(&self, version: Version, secret: &[u8]) -> Result<Self, Error> {
        Self::derived(&self.context, self.algorithm, version, secret, self.raw)
    }

    /// The keys of Initial packets of the client and the server, of the Destination Connection ID of the client's first
    /// packet.
    pub fn initial(context: &Context, version: Version, connection_id: &[u8]) -> Result<(Self, Self), Error> {
        let (mut client, mut server) = ([0u8; INITIAL_SECRET_LEN], [0u8; INITIAL_SECRET_LEN]);
        // SAFETY: the secrets have as many bytes as are written.
        check(unsafe {
            sys::cst_quic_initial_secrets(
                context.raw(),
                version.number(),
                connection_id.as_ptr().cast(),
                connection_id.len(),
                client.as_mut_ptr().cast(),
                server.as_mut_ptr().cast(),
            )
        })?;
        // Whoever sees the connection ID can make these secrets, so that they need no wiping.
        let key = |secret: &[u8]| Self::from_secret(context, Algorithm::Aes128Gcm, version, secret);
        Ok((key(&client)?, key(&server)?))
    }

    /// How many packets it has protected.
    pub fn counts(&self) -> Counts {
        // SAFETY: the struct may be all zeros, and has its size.
        let mut info: sys::cst_quic_key_info = unsafe { std::mem::zeroed() };
        info.size = size_of::<sys::cst_quic_key_info>();
        // SAFETY: as above; it cannot fail.
        unsafe { sys::cst_quic_key_info_get(self.raw, &mut info) };
        let most_sealed = (info.most_sealed != NONE).then_some(info.most_sealed);
        Counts { sealed: info.sealed, most_sealed, failed: info.failed, most_failed: info.most_failed }
    }

    fn derived(
        context: &Context,
        algorithm: Algorithm,
        version: Version,
        secret: &[u8],
        before: *const sys::cst_quic_key,
    ) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the key holds a clone of the context.
        check(unsafe {
            sys::cst_quic_key_from_secret(
                context.raw(),
                algorithm.name().as_ptr(),
                version.number(),
                secret.as_ptr().cast(),
                secret.len(),
                before,
                &mut raw,
            )
        })?;
        Ok(Self { raw, algorithm, context: context.clone() })
    }
}

/// Writes the traffic secret that follows `secret` at a key update, as long as it is.
pub fn next_secret(
    context: &Context,
    algorithm: Algorithm,
    version: Version,
    secret: &[u8],
    next: &mut [u8],
) -> Result<(), Error> {
    if next.len() != secret.len() {
        return Err(Error::Length);
    }
    // SAFETY: `next` is as long as the secret.
    check(unsafe {
        sys::cst_quic_next_secret(
            context.raw(),
            algorithm.name().as_ptr(),
            version.number(),
            secret.as_ptr().cast(),
            secret.len(),
            next.as_mut_ptr().cast(),
        )
    })
}

/// The Retry Integrity Tag of a Retry packet without it; `connection_id` is the Destination Connection ID of the Initial
/// packet that it answers.
pub fn retry_tag(
    context: &Context,
    version: Version,
    connection_id: &[u8],
    packet: &[u8],
) -> Result<[u8; TAG_LEN], Error> {
    let mut tag = [0; TAG_LEN];
    // SAFETY: the tag has as many bytes as are written.
    check(unsafe {
        sys::cst_quic_retry_tag(
            context.raw(),
            version.number(),
            connection_id.as_ptr().cast(),
            connection_id.len(),
            packet.as_ptr().cast(),
            packet.len(),
            tag.as_mut_ptr().cast(),
        )
    })?;
    Ok(tag)
}

/// A packet that is sealed in place.
pub struct Packet<'a> {
    /// Its key.
    pub key: &'a Key,
    /// The header, the payload, and [`TAG_LEN`] bytes behind it, which receive the tag: what is sent then.
    pub buffer: &'a mut [u8],
    /// Bytes of the header, with those of the packet number at its end.
    pub header_len: usize,
    /// The packet number, below 2^62. It is written to the header. A number that is used twice under a key lays both
    /// payloads open.
    pub number: u64,
    /// Its bytes in the header, 1 to 4; they and the payload have at least 4 together.
    pub number_len: u32,
}

/// Seals the packets, whose keys have one context. [`Error::Limit`]: a key has sealed as many as it may; its packets are
/// as they were, **the others are sealed**, and [`seal_each`] says which are which.
pub fn seal(packets: &mut [Packet<'_>]) -> Result<(), Error> {
    seal_each(packets)?.into_iter().collect()
}

/// Seals the packets, and says of each whether it was: [`Error::Limit`] if not. Every packet is checked before any is
/// sealed: an error of an argument is that of the call, and nothing was written.
pub fn seal_each(packets: &mut [Packet<'_>]) -> Result<Vec<Result<(), Error>>, Error> {
    let Some(first) = packets.first() else { return Ok(Vec::new()) };
    let context = first.key.context.clone();
    let mut structs = Vec::with_capacity(packets.len());
    for packet in packets.iter_mut() {
        let text = packet.buffer.len().checked_sub(packet.header_len).and_then(|rest| rest.checked_sub(TAG_LEN));
        let Some(in_len) = text else { return Err(Error::Length) };
        let header = packet.buffer.as_mut_ptr();
        // SAFETY: header_len is within the buffer.
        let payload = unsafe { header.add(packet.header_len) };
        // SAFETY: a struct may be all zeros.
        let mut its: sys::cst_quic_packet = unsafe { std::mem::zeroed() };
        its.size = size_of::<sys::cst_quic_packet>();
        its.key = packet.key.raw;
        (its.number, its.number_len) = (packet.number, packet.number_len);
        (its.header, its.header_len) = (header.cast(), packet.header_len);
        (its.in_, its.in_len) = (payload.cast(), in_len);
        (its.out, its.out_cap) = (payload.cast(), in_len + TAG_LEN);
        structs.push(its);
    }
    // SAFETY: all pointers were made of exclusive slices, which live until the call returns.
    let code = unsafe { sys::cst_quic_seal(context.raw(), structs.as_mut_ptr(), structs.len()) };
    if code != sys::CST_ERR_LIMIT {
        check(code)?;
    }
    Ok(structs.iter().map(|its| check(its.status)).collect())
}

/// A packet that is opened in place.
pub struct Received<'a> {
    /// The key of the current key phase, or of the packet's type.
    pub key: &'a Key,
    /// The packet as it was received.
    pub packet: &'a mut [u8],
    /// Where its packet number begins.
    pub number_at: usize,
    /// The largest packet number that was opened in its packet number space, below 2^62.
    pub largest: Option<u64>,
    /// The key of the phase before, if there is one. Without it a packet of another phase is opened by `next`.
    pub previous: Option<&'a Key>,
    /// The key of the phase after it.
    pub next: Option<&'a Key>,
    /// The Key Phase bit of packets under `key`.
    pub phase: bool,
    /// The lowest packet number that was opened in that phase; `None`: none was.
    pub phase_first: Option<u64>,
}

impl<'a> Received<'a> {
    /// A packet of a connection without key updates so far.
    pub fn new(key: &'a Key, packet: &'a mut [u8], number_at: usize, largest: Option<u64>) -> Self {
        let (previous, next, phase, phase_first) = (None, None, false, None);
        Self { key, packet, number_at, largest, previous, next, phase, phase_first }
    }
}

/// By which key a packet was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The current one.
    Current,
    /// That of the phase before.
    Previous,
    /// That of the phase after it: the peer has updated its keys.
    Next,
}

/// A packet that was opened.
#[derive(Debug)]
pub struct Opened<'a> {
    /// By which key.
    pub phase: Phase,
    /// The whole packet number.
    pub number: u64,
    /// The header without protection, with the packet number at its end.
    pub header: &'a mut [u8],
    /// The payload.
    pub payload: &'a mut [u8],
}

/// Opens the packets, whose keys have one context. The result of each is [`Error::Authentication`] where it is forged or
/// damaged, or its key is not there; [`Error::Length`] where it is too short; [`Error::Limit`] where as many packets as
/// may have failed under its key. Every packet is checked before any is opened: an error of an argument is that of the
/// call.
pub fn open<'a>(mut packets: Vec<Received<'a>>) -> Result<Vec<Result<Opened<'a>, Error>>, Error> {
    let Some(first) = packets.first() else { return Ok(Vec::new()) };
    let context = first.key.context.clone();
    let raw = |key: Option<&Key>| key.map_or(ptr::null(), |key| key.raw.cast_const());
    let mut structs = Vec::with_capacity(packets.len());
    for packet in &mut packets {
        let (at, len) = (packet.packet.as_mut_ptr(), packet.packet.len());
        // SAFETY: a struct may be all zeros.
        let mut its: sys::cst_quic_received = unsafe { std::mem::zeroed() };
        its.size = size_of::<sys::cst_quic_received>();
        (its.key, its.previous, its.next) = (packet.key.raw, raw(packet.previous), raw(packet.next));
        let behind = |opened: Option<u64>| opened.map_or(0, |number| number.saturating_add(1));
        (its.phase, its.phase_opened) = (packet.phase.into(), behind(packet.phase_first));
        its.expected = behind(packet.largest);
        (its.in_, its.in_len) = (at.cast_const().cast(), len);
        (its.out, its.out_cap) = (at.cast(), len);
        its.number_at = packet.number_at;
        structs.push(its);
    }
    // SAFETY: all pointers were made of exclusive slices, which live until the call returns.
    let code = unsafe { sys::cst_quic_open(context.raw(), structs.as_mut_ptr(), structs.len()) };
    if code != sys::CST_ERR_AUTH {
        check(code)?;
    }
    let result = |(its, packet): (&sys::cst_quic_received, Received<'a>)| {
        check(its.status)?;
        let phase = match its.opened_by {
            by if by == packet.key.raw.cast_const() => Phase::Current,
            by if by == raw(packet.previous) => Phase::Previous,
            _ => Phase::Next,
        };
        let (header, rest) = packet.packet.split_at_mut(its.header_len);
        Ok(Opened { phase, number: its.number, header, payload: &mut rest[..its.payload_len] })
    };
    Ok(structs.iter().zip(packets).map(result).collect())
}
