//! The traits of RustCrypto: their own implementations give the same.

use std::io::Write;
use std::thread;

use cryptostitch::aead::{self, AeadInPlace, KeyInit, Payload};
use cryptostitch::digest;
use cryptostitch::hash_many;
use digest::Digest;
use hmac::digest::crypto_common::BlockSizeUser;
use hmac::digest::{DynDigest, FixedOutputReset};
use hmac::{Mac, SimpleHmac};

/// The next number of a linear congruential generator.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize
}

fn bytes(len: usize, state: &mut u64) -> Vec<u8> {
    (0..len).map(|_| next(state) as u8).collect()
}

/// In parts and whole, reset and cloned.
fn same_digests<Ours, Theirs>(seed: u64)
where
    Ours: Digest + FixedOutputReset + Clone + BlockSizeUser,
    Theirs: Digest + BlockSizeUser,
{
    let state = &mut (seed + 1);
    assert_eq!(<Ours as Digest>::output_size(), <Theirs as Digest>::output_size());
    assert_eq!(Ours::block_size(), Theirs::block_size());
    let mut used = Ours::new();
    for round in 0..100 {
        let len = if round < 20 { Ours::block_size() + round - 10 } else { next(state) % 2000 };
        let text = bytes(len, state);
        let wanted = Theirs::digest(&text);
        assert_eq!(Ours::digest(&text)[..], wanted[..], "{len}");
        let cut = next(state) % (len + 1);
        Digest::update(&mut used, &text[..cut]);
        let mut copy = used.clone();
        Digest::update(&mut copy, &text[cut..]);
        assert_eq!(copy.finalize()[..], wanted[..]);
        if round % 3 == 0 {
            Digest::reset(&mut used);
            Digest::update(&mut used, &text);
        } else {
            Digest::update(&mut used, &text[cut..]);
        }
        assert_eq!(used.finalize_reset()[..], wanted[..]);
    }
    let (key, text) = (bytes(40, state), bytes(300, state));
    let ours = <SimpleHmac<Ours> as Mac>::new_from_slice(&key).unwrap().chain_update(&text).finalize();
    let theirs = <SimpleHmac<Theirs> as Mac>::new_from_slice(&key).unwrap().chain_update(&text).finalize();
    assert_eq!(ours.into_bytes()[..], theirs.into_bytes()[..]);
}

#[test]
fn digests_are_those_of_rustcrypto() {
    same_digests::<digest::Md5, md5::Md5>(1);
    same_digests::<digest::Sha1, sha1::Sha1>(2);
    same_digests::<digest::Sha224, sha2::Sha224>(3);
    same_digests::<digest::Sha256, sha2::Sha256>(4);
    same_digests::<digest::Sha384, sha2::Sha384>(5);
    same_digests::<digest::Sha512, sha2::Sha512>(6);
    same_digests::<digest::Sha512_256, sha2::Sha512_256>(7);
    same_digests::<digest::Sha3_224, sha3::Sha3_224>(8);
    same_digests::<digest::Sha3_256, sha3::Sha3_256>(9);
    same_digests::<digest::Sha3_384, sha3::Sha3_384>(10);
    same_digests::<digest::Sha3_512, sha3::Sha3_512>(11);
    same_digests::<digest::Sm3, sm3::Sm3>(12);
    same_digests::<digest::Blake2b512, Blake2b512>(13);
    same_digests::<digest::Blake2s256, Blake2s256>(14);
}

/// BLAKE2 of RustCrypto has blocks of its own, but does not say so by BlockSizeUser.
macro_rules! with_block_size {
    ($name:ident $block:ident) => {
        #[derive(Clone, Default)]
        struct $name(blake2::$name);
        impl hmac::digest::OutputSizeUser for $name {
            type OutputSize = <blake2::$name as hmac::digest::OutputSizeUser>::OutputSize;
        }
        impl BlockSizeUser for $name {
            type BlockSize = hmac::digest::consts::$block;
        }
        impl hmac::digest::HashMarker for $name {}
        impl hmac::digest::Update for $name {
            fn update(&mut self, data: &[u8]) {
                Digest::update(&mut self.0, data);
            }
        }
        impl hmac::digest::FixedOutput for $name {
            fn finalize_into(self, out: &mut hmac::digest::Output<Self>) {
                Digest::finalize_into(self.0, out);
            }
        }
    };
}
with_block_size!(Blake2b512 U128);
with_block_size!(Blake2s256 U64);

#[test]
fn blake3_is_that_of_the_library() {
    let text = bytes(5000, &mut 1);
    assert_eq!(digest::Blake3::digest(&text)[..], hash_many("blake3", &[&text]).unwrap()[0]);
}

#[test]
fn hashers_are_writers_objects_and_go_to_threads() {
    let mut hasher = digest::Sha256::try_new().unwrap();
    std::io::copy(&mut &b"abc"[..], &mut hasher).unwrap();
    hasher.flush().unwrap();
    let copy = hasher.clone();
    let digest = thread::spawn(move || copy.finalize()).join().unwrap();
    assert_eq!(hasher.finalize(), digest);
    assert_eq!(digest[..], hash_many("sha256", &["abc"]).unwrap()[0]);
    let mut hashers: Vec<Box<dyn DynDigest>> = vec![Box::new(digest::Sha1::new()), Box::new(digest::Sm3::new())];
    for (hasher, name) in hashers.iter_mut().zip(["sha1", "sm3"]) {
        hasher.update(b"abc");
        assert_eq!(hasher.finalize_reset()[..], hash_many(name, &["abc"]).unwrap()[0]);
        assert!(hasher.finalize_into_reset(&mut [0; 7]).is_err());
    }
    let mut secret = digest::Sha256::new();
    Digest::update(&mut secret, b"a secret");
    assert_eq!(format!("{secret:?}"), "Hasher { algorithm: \"sha256\", .. }");
}

fn same_texts<Ours, Theirs>(seed: u64)
where
    Ours: AeadInPlace + KeyInit,
    Theirs: AeadInPlace + KeyInit,
{
    let state = &mut (seed + 1);
    for round in 0..200 {
        let key = bytes(Ours::key_size(), state);
        let ours = Ours::new_from_slice(&key).unwrap();
        let theirs = Theirs::new_from_slice(&key).unwrap();
        let len = if round < 40 { round } else { next(state) % 3000 };
        let (nonce, aad, text) = (bytes(12, state), bytes(next(state) % 40, state), bytes(len, state));
        let (mut sealed, mut wanted) = (text.clone(), text.clone());
        let nonce_of_ours = aead::Nonce::<Ours>::from_slice(&nonce);
        let tag = ours.encrypt_in_place_detached(nonce_of_ours, &aad, &mut sealed).unwrap();
        let nonce_of_theirs = aead::Nonce::<Theirs>::from_slice(&nonce);
        let wanted_tag = theirs.encrypt_in_place_detached(nonce_of_theirs, &aad, &mut wanted).unwrap();
        assert_eq!((&sealed, &tag[..]), (&wanted, &wanted_tag[..]), "{len}");

        let mut opened = sealed.clone();
        let mut forged = tag.clone();
        ours.decrypt_in_place_detached(nonce_of_ours, &aad, &mut opened, &tag).unwrap();
        assert_eq!(opened, text);
        forged[next(state) % 16] ^= 1 << (next(state) % 8);
        let refused = ours.decrypt_in_place_detached(nonce_of_ours, &aad, &mut sealed, &forged);
        assert!(refused.is_err() && sealed.iter().all(|&byte| byte == 0));
    }
    assert!(Ours::new_from_slice(&[0; 3]).is_err());
}

#[test]
fn texts_are_those_of_rustcrypto() {
    same_texts::<aead::Aes128Gcm, aes_gcm::Aes128Gcm>(1);
    same_texts::<aead::Aes256Gcm, aes_gcm::Aes256Gcm>(2);
    same_texts::<aead::ChaCha20Poly1305, chacha20poly1305::ChaCha20Poly1305>(3);
}

#[test]
fn ciphers_are_aeads_and_shared() {
    use aead::Aead;
    let cipher = aead::Aes128Gcm::try_new(&[3; 16].into()).unwrap();
    let payload = Payload { msg: b"hello", aad: b"header" };
    let sealed = cipher.encrypt(&[1; 12].into(), payload).unwrap();
    let copy = cipher.clone();
    assert_eq!(format!("{cipher:?}"), "Cipher { algorithm: \"aes-128-gcm\", .. }");
    drop(cipher);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let open = |msg| copy.decrypt(&[1; 12].into(), Payload { msg, aad: b"header" });
                assert_eq!(open(&sealed).unwrap(), b"hello");
                for cut in 0..sealed.len() {
                    assert!(open(&sealed[..cut]).is_err());
                }
            });
        }
    });
}
