//! Known answers, and many buffers against one after the other.

use cryptostitch::{default_context, hash_many, Burst, Checksum, Context, ErasureCode, Error, Kind, Matrix};
use cryptostitch::{p256, rsa, update_many, x25519, Options, Texts};
use cryptostitch::{public_keys, sign_many, verify_many, Rules, Signed, ToSign};

mod rsa_vector;

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// Bytes that differ from one another.
fn pattern(len: usize, seed: u32) -> Vec<u8> {
    let mut x = seed.wrapping_mul(2654435761).wrapping_add(1);
    (0..len)
        .map(|_| {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            (x >> 24) as u8
        })
        .collect()
}

#[test]
fn digests_are_those_of_fips_180() {
    let digests = hash_many("sha256", &["abc", ""]).unwrap();
    assert_eq!(digests[0], *hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    assert_eq!(digests[1], *hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    assert_eq!(digests.iter().count(), 2);
    assert!(hash_many::<&str>("sha256", &[]).unwrap().is_empty());
}

/// Answers with a short slice, and then with long ones.
struct Unsteady(std::cell::Cell<bool>, Vec<u8>);

impl AsRef<[u8]> for Unsteady {
    fn as_ref(&self) -> &[u8] {
        if self.0.replace(true) {
            &self.1
        } else {
            &self.1[..1]
        }
    }
}

/// What safe code may do: the bytes that are hashed are those of one answer.
#[test]
fn an_item_is_asked_once() {
    let items: Vec<_> = (0..20).map(|_| Unsteady(false.into(), vec![0; 1 << 20])).collect();
    assert_eq!(hash_many("sha256", &items).unwrap(), hash_many("sha256", &[[0u8]; 20]).unwrap());
}

#[test]
fn a_hash_has_no_key() {
    for keyed in ["hmac-sha256", "aes-128-cmac", "blake3-keyed", "aes-128-gcm"] {
        assert_eq!(hash_many(keyed, &["abc"]).err(), Some(Error::Argument), "{keyed}");
    }
}

#[test]
fn gcm_is_that_of_sp_800_38d() {
    // test case 4 of the submission of GCM (McGrew, Viega)
    let key = hex("feffe9928665731c6d6a8f9467308308");
    let (iv, aad) = (hex("cafebabefacedbaddecaf888"), hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
    let text = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
                    b16aedf5aa0de657ba637b39");
    let key = Context::new().unwrap().suite("aes-128-gcm").unwrap().key(&key).unwrap();
    let (mut sealed, mut tag) = (vec![0; text.len()], [0; 16]);
    assert_eq!(key.seal(&iv, &aad, &text, &mut sealed, &mut tag), Ok(text.len()));
    assert_eq!(
        sealed,
        hex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05\
             1ba30b396a0aac973d58e091")
    );
    assert_eq!(tag, *hex("5bc94fbc3221a5db94fae95ae7121a47"));
    let mut opened = vec![1; text.len()];
    assert_eq!(key.open(&iv, &aad, &sealed, &mut opened, &tag), Ok(text.len()));
    assert_eq!(opened, text);
    tag[3] ^= 1;
    assert_eq!(key.open(&iv, &aad, &sealed, &mut opened, &tag), Err(Error::Authentication));
    assert!(opened.iter().all(|&byte| byte == 0));
}

/// Messages of many lengths and two suites in one burst are those of single calls; a forged one fails alone.
#[test]
fn a_burst_is_its_jobs() {
    let context = Context::new().unwrap();
    let etm = context.suite("aes-128-cbc+hmac-sha1-etm").unwrap();
    let gcm = context.suite("aes-256-gcm").unwrap();
    assert_eq!((etm.kind(), gcm.key_len(), gcm.iv_len(), gcm.tag_len()), (Kind::Aead, 32, 12, 16));
    let keys: Vec<_> = (0..7)
        .map(|i| match i % 2 {
            0 => etm.key_and_mac_key(&pattern(16, i), &pattern(20, i + 100)).unwrap().with_open_tag_len(16),
            _ => gcm.key(&pattern(32, i)).unwrap(),
        })
        .collect();
    let (iv, aad) = (pattern(16, 1), pattern(12, 2));
    let iv_of = |i: usize| if i % 2 == 0 { &iv[..] } else { &iv[..12] };
    let texts: Vec<_> = (0..7).map(|i| pattern(16 * (i * i * i), i as u32)).collect();
    let mut sealed: Vec<_> = texts.iter().map(|text| vec![0; text.len()]).collect();
    let mut tags = vec![[0; 16]; 7];
    let mut burst = Burst::new(&context);
    for (i, (out, tag)) in sealed.iter_mut().zip(&mut tags).enumerate() {
        burst.seal(&keys[i], iv_of(i), &aad, &texts[i], out, tag);
    }
    assert_eq!(burst.len(), 7);
    for (i, result) in burst.run().unwrap().into_iter().enumerate() {
        assert_eq!(result, Ok(texts[i].len()));
        let (mut out, mut tag) = (vec![0; texts[i].len()], [0; 16]);
        keys[i].seal(iv_of(i), &aad, &texts[i], &mut out, &mut tag).unwrap();
        assert_eq!((&out, tag), (&sealed[i], tags[i]), "job {i}");
    }
    tags[3][0] ^= 1;
    let mut burst = Burst::new(&context);
    for (i, (text, tag)) in sealed.iter_mut().zip(&tags).enumerate() {
        burst.open_in_place(&keys[i], iv_of(i), &aad, text, tag);
    }
    for (i, result) in burst.run().unwrap().into_iter().enumerate() {
        assert_eq!(result, if i == 3 { Err(Error::Authentication) } else { Ok(texts[i].len()) });
    }
    assert_eq!(sealed[2], texts[2]);
    assert!(sealed[3].iter().all(|&byte| byte == 0));
}

#[test]
fn in_place_is_as_apart() {
    let context = Context::new().unwrap();
    for name in ["aes-256-gcm", "chacha20-poly1305", "aes-128-ccm", "aes-128-cbc+hmac-sha1-etm", "aes-128-ctr"] {
        let suite = context.suite(name).unwrap();
        let key =
            suite.key_and_mac_key(&pattern(suite.key_len(), 1), &[2; 20][..if name.contains('+') { 20 } else { 0 }]);
        let (key, iv) = (key.unwrap(), pattern(suite.iv_len(), 4));
        for len in [0, 16, 320] {
            let text = pattern(len, 5);
            let (mut sealed, mut tag) = (vec![0; len], vec![0; suite.tag_len()]);
            let (mut place, mut its_tag) = (text.clone(), tag.clone());
            assert_eq!(key.seal(&iv, b"", &text, &mut sealed, &mut tag), Ok(len));
            assert_eq!(key.seal_in_place(&iv, b"", &mut place, &mut its_tag), Ok(len));
            assert_eq!((&place, &its_tag), (&sealed, &tag));
            assert_eq!(key.open_in_place(&iv, b"", &mut place, &tag), Ok(len));
            assert_eq!(place, text);
            if let Some(first) = tag.first_mut() {
                *first ^= 1;
                assert_eq!(key.open_in_place(&iv, b"", &mut sealed, &tag), Err(Error::Authentication));
                assert!(sealed.iter().all(|&byte| byte == 0));
                assert_eq!(key.open_in_place(&iv, b"", &mut place, &tag[1..]), Err(Error::Length));
                assert_eq!(place, text);
            }
        }
    }
    let padded = context.suite("a128cbc-hs256").unwrap().key(&pattern(32, 1)).unwrap();
    let mut text = *b"text";
    assert_eq!(padded.seal_in_place(&[1; 16], b"", &mut text, &mut [0; 16]), Err(Error::Length));
    let digest = context.suite("sha256").unwrap().key(&[]).unwrap();
    assert_eq!(digest.seal_in_place(&[], b"", &mut text, &mut [0; 32]), Err(Error::Argument));
    assert_eq!(&text, b"text");
}

/// Under an empty MAC key everybody makes tags.
#[test]
fn a_mac_key_that_is_not_given_is_an_error() {
    let context = Context::new().unwrap();
    for name in ["aes-128-cbc+hmac-sha256-etm", "aes-128-cbc+hmac-sha1-96", "hmac-sha256", "aes-128-cmac"] {
        let suite = context.suite(name).unwrap();
        let key = pattern(suite.key_len(), 1);
        assert_eq!(suite.key(&key).err(), Some(Error::Argument), "{name}");
        let empty = suite.key_and_mac_key(&key, &[]).err();
        assert_eq!(empty, if name == "hmac-sha256" { None } else { Some(Error::Length) }, "{name}");
    }
}

/// Who chooses the length of a tag chooses how easily it is guessed.
#[test]
fn a_short_tag_is_an_error() {
    let context = Context::new().unwrap();
    for (name, iv_len, mac_key_len, whole) in
        [("aes-128-gcm", 12, 0, 16), ("aes-128-cbc+hmac-sha1-etm", 16, 20, 20), ("hmac-sha256", 0, 32, 32)]
    {
        let (iv, mac_key) = (&[3; 16][..iv_len], &[2; 32][..mac_key_len]);
        let text: &[u8] = if iv_len == 0 { &[] } else { &[5; 32] };
        let suite = context.suite(name).unwrap();
        let key = suite.key_and_mac_key(&[1; 16][..suite.key_len()], mac_key).unwrap();
        let (mut sealed, mut tag, mut opened) = (vec![0; text.len()], vec![0; whole], vec![9; text.len()]);
        key.seal(iv, b"", text, &mut sealed, &mut tag).unwrap();
        for short in [0, 4, 12, whole - 1] {
            assert_eq!(key.open(iv, b"", &sealed, &mut opened, &tag[..short]), Err(Error::Length));
            let mut burst = Burst::new(&context);
            burst.open(&key, iv, b"", &sealed, &mut opened, &tag[..short]);
            assert_eq!(burst.run(), Err(Error::Length));
            let mut burst = Burst::new(&context);
            burst.open_in_place(&key, iv, b"", &mut opened, &tag[..short]);
            assert_eq!(burst.run(), Err(Error::Length));
            assert!(opened.iter().all(|&byte| byte == 9));
        }
        assert_eq!(key.open(iv, b"", &sealed, &mut opened, &tag), Ok(text.len()));
        let key = key.with_open_tag_len(12);
        assert_eq!(key.open(iv, b"", &sealed, &mut opened, &tag[..12]), Ok(text.len()));
        assert_eq!(key.open(iv, b"", &sealed, &mut opened, &tag), Err(Error::Length));
    }
}

#[test]
fn bad_arguments_are_errors() {
    let context = default_context().unwrap();
    assert_eq!(context.suite("sha257").err(), Some(Error::Name));
    assert_eq!(context.suite("sha\0name").err(), Some(Error::Name));
    let suite = context.suite("aes-128-gcm").unwrap();
    assert_eq!(suite.key(&[0; 15]).err(), Some(Error::Length));
    assert_eq!(suite.key(&[]).err(), Some(Error::Length));
    let key = suite.key(&[0; 16]).unwrap();
    assert_eq!(key.seal(&[0; 12], b"", b"abc", &mut [0; 2], &mut [0; 16]), Err(Error::Length));
    let (mut out, mut tag) = ([5; 3], [6; 17]);
    let mut burst = Burst::new(context);
    burst.seal(&key, &[0; 12], b"", b"abc", &mut out, &mut tag);
    assert_eq!(burst.run(), Err(Error::Length));
    assert_eq!((out, tag), ([5; 3], [6; 17]));
    assert!(Error::Length.to_string().contains("length"));
    assert_eq!(Checksum::new(context, "sha256").err(), Some(Error::Argument));
    assert!(context.suites().unwrap().contains(&"aes-128-gcm".into()));
}

#[test]
fn checksums_of_parts_combine() {
    let crc = Checksum::new(default_context().unwrap(), "crc32c").unwrap();
    let text = pattern(5000, 9);
    let whole = crc.update(0, &text).unwrap();
    let (first, second) = (crc.update(0, &text[..777]).unwrap(), crc.update(0, &text[777..]).unwrap());
    assert_eq!(crc.update(first, &text[777..]), Ok(whole));
    assert_eq!(crc.combine(first, second, 5000 - 777), Ok(whole));
    let same = Checksum::of_polynomial(default_context().unwrap(), 32, true, 0x1edc6f41, 0xffffffff, 0xffffffff);
    assert_eq!(same.unwrap().update(0, b"123456789"), Ok(0xe3069283));
}

#[test]
fn any_four_of_fourteen_blocks_are_restored() {
    let code = ErasureCode::new(default_context().unwrap(), 10, 4, Matrix::Cauchy).unwrap();
    let data: Vec<_> = (0..10).map(|i| pattern(1000, i)).collect();
    let mut parity = vec![vec![0; 1000]; 4];
    let read: Vec<&[u8]> = data.iter().map(|block| &block[..]).collect();
    code.encode(&read, &mut parity.iter_mut().map(|block| &mut block[..]).collect::<Vec<_>>()).unwrap();
    let whole: Vec<_> = data.iter().chain(&parity).cloned().collect();
    let views = |blocks: &[Vec<u8>]| code.check(&blocks.iter().map(|block| &block[..]).collect::<Vec<_>>());
    assert_eq!(views(&whole), Ok(true));
    let mut damaged = whole.clone();
    let lost: Vec<bool> = (0..14).map(|i| [0, 5, 9, 12].contains(&i)).collect();
    for (block, _) in damaged.iter_mut().zip(&lost).filter(|(_, lost)| **lost) {
        block.fill(0xee);
    }
    assert_eq!(views(&damaged), Ok(false));
    let mut blocks: Vec<&mut [u8]> = damaged.iter_mut().map(|block| &mut block[..]).collect();
    code.decode(&mut blocks, &lost).unwrap();
    assert_eq!(damaged, whole);
    let mut blocks: Vec<&mut [u8]> = damaged.iter_mut().map(|block| &mut block[..]).collect();
    assert_eq!(code.decode(&mut blocks, &[true; 14]), Err(Error::Lost));
    assert_eq!(code.encode(&read[..9], &mut []), Err(Error::Length));
}

/// One key serves several threads.
#[test]
fn threads_share_a_key() {
    let key = default_context().unwrap().suite("hmac-sha256").unwrap().key_and_mac_key(&[], &[7; 32]).unwrap();
    let items: Vec<_> = (0..200).map(|i| pattern(i, i as u32)).collect();
    let expected = key.digest_many(&items).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(key.digest_many(&items).unwrap(), expected));
        }
    });
}

#[test]
fn signatures_are_those_of_rfc_8032() {
    // 7.1, test 2
    let secret_key: [u8; 32] =
        hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb").try_into().unwrap();
    let key: [u8; 32] = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c").try_into().unwrap();
    let signature: [u8; 64] = hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                                   085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
    .try_into()
    .unwrap();
    assert_eq!(public_keys(&[secret_key; 9]).unwrap(), [key; 9]);
    assert_eq!(sign_many(&[ToSign { secret_key: &secret_key, message: &[0x72] }; 9]).unwrap(), [signature; 9]);
    for rules in [Rules::Rfc8032, Rules::Zip215] {
        let messages: Vec<[u8; 1]> = (0x70..0x7a).map(|byte| [byte]).collect();
        let items: Vec<_> =
            messages.iter().map(|message| Signed { key: &key, message, signature: &signature }).collect();
        let right: Vec<bool> = messages.iter().map(|message| message[0] == 0x72).collect();
        assert_eq!(verify_many(&items, rules).unwrap(), right);
    }
    assert!(verify_many(&[], Rules::Rfc8032).unwrap().is_empty());
}

fn array<const N: usize>(text: &str) -> [u8; N] {
    hex(text).try_into().unwrap()
}

#[test]
fn shared_secrets_are_those_of_rfc_7748() {
    // 5.2
    let secret_key = array("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
    let public_key = array("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
    let secret: [u8; 32] = array("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    let item = x25519::Agreement { secret_key: &secret_key, public_key: &public_key };
    let small_order = x25519::Agreement { public_key: &[0; 32], ..item };
    let secrets = x25519::agree_many(&[item, small_order, item]).unwrap();
    assert_eq!(secrets, [Ok(secret), Err(Error::Point), Ok(secret)]);
    let keys = x25519::public_keys(&[secret_key, public_key]).unwrap();
    let one = x25519::Agreement { secret_key: &secret_key, public_key: &keys[1] };
    let other = x25519::Agreement { secret_key: &public_key, public_key: &keys[0] };
    let secrets = x25519::agree_many(&[one, other]).unwrap();
    assert_eq!(secrets[0], secrets[1]);
}

#[test]
fn p256_signs_as_in_rfc_6979() {
    // A.2.5
    let secret_key = array("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
    let signature: [u8; 64] = array(
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
         f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    );
    let item = p256::ToSign { secret_key: &secret_key, message: b"sample" };
    let zero = p256::ToSign { secret_key: &[0; 32], ..item };
    assert_eq!(p256::sign_many(&[item, zero, item]).unwrap(), [Ok(signature), Err(Error::Point), Ok(signature)]);
    let key = p256::public_keys(&[secret_key]).unwrap()[0].unwrap();
    let signed = |key, message| p256::Signed { key, message, signature: &signature };
    let other_point = [4; 65];
    let items = [signed(&key[..], &b"sample"[..]), signed(&key, b"simple"), signed(&other_point, b"sample")];
    assert_eq!(p256::verify_many(&items).unwrap(), [true, false, false]);
    let some = [signed(&key[..64], b"sample"), signed(&key, b"sample"), signed(&[], b"sample")];
    assert_eq!(p256::verify_many(&some).unwrap(), [false, true, false]);
    assert_eq!(p256::verify_many(&some[..1]).unwrap(), [false]);
    let other_key = p256::public_keys(&[[7; 32]]).unwrap()[0].unwrap();
    let shared = p256::agree_many(&[
        p256::Agreement { secret_key: &secret_key, public_key: &other_key },
        p256::Agreement { secret_key: &[7; 32], public_key: &key },
        p256::Agreement { secret_key: &[7; 32], public_key: &other_point },
        p256::Agreement { secret_key: &[7; 32], public_key: &key[1..] },
    ])
    .unwrap();
    assert!(shared[0].is_ok() && shared[0] == shared[1]);
    assert_eq!(shared[2..], [Err(Error::Point), Err(Error::Length)]);
}

#[test]
fn rsa_signs_and_decrypts() {
    let key = match rsa::PrivateKey::from_der(&hex(rsa_vector::PRIVATE_KEY)) {
        Err(Error::Unsupported) => return, // without AVX-512 IFMA
        key => key.unwrap(),
    };
    let item = rsa::ToSign { key: &key, message: b"a message", salt: &[] };
    let signature = Ok(hex(rsa_vector::SIGNATURE));
    assert_eq!(rsa::sign_many(&[item; 5], rsa::Scheme::Pkcs1Sha256).unwrap(), vec![signature; 5]);
    let salted = rsa::ToSign { salt: &[7; 32], ..item };
    let made = rsa::sign_many(&[salted, salted], rsa::Scheme::PssSha256).unwrap();
    assert!(made[0].as_ref().is_ok_and(|signature| signature.len() == 256) && made[0] == made[1]);
    let ciphertext = hex(rsa_vector::CIPHERTEXT);
    let sealed = |label| rsa::ToDecrypt { key: &key, ciphertext: &ciphertext, label };
    let texts = rsa::decrypt_many(&[sealed(b"label"), sealed(b"another")]).unwrap();
    assert_eq!(texts, [Ok(b"a text".to_vec()), Err(Error::Authentication)]);
    let short = rsa::ToDecrypt { ciphertext: &ciphertext[1..], ..sealed(b"label") };
    let texts = rsa::decrypt_many(&[short, sealed(b"label")]).unwrap();
    assert_eq!(texts, [Err(Error::Authentication), Ok(b"a text".to_vec())]);
    let long = rsa::ToSign { salt: &[7; 300], ..item };
    let made = rsa::sign_many(&[salted, long], rsa::Scheme::PssSha256).unwrap();
    assert!(made[0].is_ok() && made[1] == Err(Error::Length));
    assert_eq!(rsa::PrivateKey::from_der(b"no key").err(), Some(Error::Argument));
}

#[test]
fn debug_output_has_no_secret_key() {
    let secret_key = &[0xb7; 32];
    let said = [
        format!("{:?}", ToSign { secret_key, message: b"m" }),
        format!("{:?}", p256::Agreement { secret_key, public_key: &[4; 65] }),
        format!("{:?}", x25519::Agreement { secret_key, public_key: &[9; 32] }),
    ];
    for text in said {
        assert!(!text.contains("183") && !text.contains("b7") && text.contains(".."), "{text}");
    }
}

/// Texts of several lengths, and their offsets.
fn column() -> (Vec<u8>, Vec<i32>) {
    let mut offsets = vec![3];
    offsets.extend([0, 1, 16, 17, 300, 0, 64].map({
        let mut end = 3;
        move |length| {
            end += length;
            end
        }
    }));
    (pattern(*offsets.last().unwrap() as usize + 5, 8), offsets)
}

#[test]
fn a_column_is_its_items() {
    let (data, offsets) = column();
    let wide: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
    let items: Vec<_> = offsets.windows(2).map(|pair| &data[pair[0] as usize..pair[1] as usize]).collect();
    let key = default_context().unwrap().suite("sha1").unwrap().key(&[]).unwrap();
    let wanted = key.digest_many(&items).unwrap();
    assert_eq!(key.digest_column(&data, &offsets).unwrap(), wanted);
    assert_eq!(key.digest_column(&data, &wide).unwrap(), wanted);
    assert!(key.digest_column::<u32>(&data, &[7]).unwrap().is_empty());
    assert_eq!(key.digest_column::<u32>(&data, &[]), Err(Error::Length));
    assert_eq!(key.digest_column(&data, &[0, 2, 1]), Err(Error::Length));
    assert_eq!(key.digest_column(&data, &[0, -1]), Err(Error::Length));
    assert_eq!(key.digest_column(&data, &[0, data.len() as u64 + 1]), Err(Error::Length));
    assert_eq!(key.digest_column(&data, &[u64::MAX, u64::MAX]), Err(Error::Length));
}

#[test]
fn a_column_of_texts_is_its_texts() {
    let (data, offsets) = column();
    let n = offsets.len() - 1;
    let (ivs, aads) = (pattern(12 * n, 1), pattern(5 * n, 2));
    let key = Context::new().unwrap().suite("aes-128-gcm").unwrap().key(&[9; 16]).unwrap();
    let texts = Texts { offsets: &offsets, ivs: &ivs, aads: &aads };
    let (mut sealed, mut tags) = (vec![0; data.len()], vec![0; 16 * n]);
    key.seal_column(texts, &data, &mut sealed, &mut tags).unwrap();
    for i in 0..n {
        let place = offsets[i] as usize..offsets[i + 1] as usize;
        let (mut out, mut tag) = (vec![0; place.len()], [0; 16]);
        key.seal(&ivs[12 * i..][..12], &aads[5 * i..][..5], &data[place.clone()], &mut out, &mut tag).unwrap();
        assert_eq!((&sealed[place], &tags[16 * i..][..16]), (&out[..], &tag[..]));
    }
    let mut opened = vec![0; data.len()];
    assert_eq!(key.open_column(texts, &sealed, &mut opened, &tags), Ok(vec![true; n]));
    assert_eq!(opened[3..data.len() - 5], data[3..data.len() - 5]);
    tags[16 * 4] ^= 1;
    let told = key.open_column(texts, &sealed, &mut opened, &tags).unwrap();
    assert!(told.iter().enumerate().all(|(i, &authentic)| authentic == (i != 4)));
    assert!(opened[offsets[4] as usize..offsets[5] as usize].iter().all(|&byte| byte == 0));
    // what is missing is never believed
    assert_eq!(key.open_column(texts, &sealed, &mut opened, &[]), Err(Error::Length));
    assert_eq!(key.open_column(texts, &sealed, &mut opened, &tags[..12 * n]), Err(Error::Length));
    assert_eq!(key.open_column(Texts { ivs: &ivs[1..], ..texts }, &sealed, &mut opened, &tags), Err(Error::Length));
    assert_eq!(key.open_column(texts, &sealed, &mut opened[1..], &tags), Err(Error::Length));
    let none = Texts { offsets: &[0][..], ivs: &[], aads: &[] };
    assert_eq!(key.open_column(none, &[], &mut [], &[]), Ok(vec![]));
    assert_eq!(key.open_column(none, &[], &mut [], &tags), Err(Error::Length));
    assert_eq!(key.open_column(Texts { ivs: &ivs, ..none }, &[], &mut [], &[]), Err(Error::Length));
    assert_eq!(key.seal_column(Texts { aads: &ivs, ..none }, &[], &mut [], &mut []), Err(Error::Length));
    assert_eq!(key.seal_column(none, &[], &mut [], &mut [0; 16]), Err(Error::Length));
    assert_eq!(key.seal_column(texts, &data, &mut sealed, &mut []), Err(Error::Length));
    let none = Texts { offsets: &[0u64], ivs: &[], aads: &[] };
    assert_eq!(key.open_column(none, &[], &mut [], &[]), Ok(vec![]));
}

#[test]
fn messages_in_parts_are_whole_ones() {
    let context = Context::new().unwrap();
    let (sha, mac) = (context.suite("sha256").unwrap().key(&[]).unwrap(), context.suite("hmac-sha1").unwrap());
    let mac = mac.key_and_mac_key(&[], b"key").unwrap();
    let text = pattern(1000, 4);
    let mut messages = [sha.message(), mac.message(), sha.message()];
    for part in text.chunks(130) {
        update_many(&mut messages, &[part, part, &part[..1]]).unwrap();
    }
    assert_eq!(update_many(&mut messages, &[b""]), Err(Error::Length));
    let [first, second, third] = messages;
    let (mut digest, mut tag, mut whole) = ([0; 32], [0; 20], [0; 32]);
    first.finish(&mut digest).unwrap();
    sha.digest(&text, &mut whole).unwrap();
    assert_eq!(digest, whole);
    second.finish(&mut tag).unwrap();
    let mut whole = [0; 20];
    mac.digest(&text, &mut whole).unwrap();
    assert_eq!(tag, whole);
    assert_eq!(third.finish(&mut [0; 31]), Err(Error::Length));
    let other = Context::new().unwrap().suite("sha1").unwrap().key(&[]).unwrap();
    assert_eq!(update_many(&mut [sha.message(), other.message()], &[b"a", b"b"]), Err(Error::Argument));
}

#[test]
fn texts_in_parts_are_whole_ones() {
    for name in ["aes-256-gcm", "chacha20-poly1305"] {
        let key = Context::new().unwrap().suite(name).unwrap().key(&[5; 32]).unwrap();
        let text = pattern(777, 3);
        let (mut sealed, mut tag) = (vec![0; 777], [0; 16]);
        key.seal(&[1; 12], b"head", &text, &mut sealed, &mut tag).unwrap();
        let (mut out, mut its_tag) = (vec![0; 777], [0; 16]);
        let mut sealing = key.sealing(&[1; 12], b"head").unwrap();
        for (from, to) in text.chunks(100).zip(out.chunks_mut(100)) {
            sealing.update(from, to).unwrap();
        }
        assert_eq!(sealing.update(&[1], &mut []), Err(Error::Length));
        sealing.finish(&mut its_tag).unwrap();
        assert_eq!((&out, its_tag), (&sealed, tag));
        for (wrong, error) in [(tag.to_vec(), Ok(())), (vec![0; 16], Err(Error::Authentication))]
            .into_iter()
            .chain([vec![], tag[..12].to_vec()].map(|tag| (tag, Err(Error::Length))))
        {
            let mut opening = key.opening(&[1; 12], b"head").unwrap();
            opening.update(&sealed, &mut out).unwrap();
            assert_eq!(out, text);
            assert_eq!(opening.finish(&wrong), error);
        }
    }
    let key = Context::new().unwrap().suite("aes-128-ctr").unwrap().key(&[5; 16]).unwrap();
    assert_eq!(key.sealing(&[1; 16], b"").err(), Some(Error::Unsupported));
}

#[test]
fn options_lower_what_is_used() {
    let legacy = |legacy| {
        let options = Options { legacy, ..Options::default() };
        Context::with_options(&options).unwrap().suite("rc4-vartime").map(|_| ())
    };
    assert_eq!((legacy(true), legacy(false)), (Ok(()), Err(Error::Name)));
    let options = Options { target: Some("no such target"), ..Options::default() };
    assert_eq!(Context::with_options(&options).err(), Some(Error::Name));
}
