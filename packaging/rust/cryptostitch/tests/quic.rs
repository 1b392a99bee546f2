//! QUIC packets: RFC 9001's appendix A, bursts there and back, key updates, what is not opened.

use cryptostitch::quic::{next_secret, open, retry_tag, seal, seal_each, Algorithm, Key, Packet, Phase};
use cryptostitch::quic::{Received, Version, TAG_LEN};
use cryptostitch::{default_context, Context, Error};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

const SECRET: &str = "9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b";

fn chacha() -> Key {
    let context = default_context().unwrap();
    Key::from_secret(context, Algorithm::ChaCha20Poly1305, Version::V1, &hex(SECRET)).unwrap()
}

fn sealed(key: &Key, first: u8, number: u64, payload: &[u8]) -> Vec<u8> {
    let mut datagram = vec![first, 1, 2, 3, 0, 0];
    datagram.extend(payload);
    datagram.resize(6 + payload.len() + TAG_LEN, 0);
    seal(&mut [Packet { key, buffer: &mut datagram, header_len: 6, number, number_len: 2 }]).unwrap();
    datagram
}

#[test]
fn packets_of_the_appendix() {
    let context = default_context().unwrap();
    let key = chacha();
    let mut datagram = hex("40000000010000000000000000000000000000000000");
    datagram.truncate(5 + TAG_LEN);
    let number = 654360564;
    seal(&mut [Packet { key: &key, buffer: &mut datagram, header_len: 4, number, number_len: 3 }]).unwrap();
    assert_eq!(datagram, hex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb"));
    let opened = open(vec![Received::new(&key, &mut datagram, 1, Some(number - 1))]).unwrap().remove(0).unwrap();
    assert_eq!((opened.number, &*opened.header, &*opened.payload), (number, &hex("4200bff4")[..], &[1][..]));
    let mut next = [0; 32];
    next_secret(context, Algorithm::ChaCha20Poly1305, Version::V1, &hex(SECRET), &mut next).unwrap();
    assert_eq!(next[..], hex("1223504755036d556342ee9361d253421a826c9ecdf3c7148684b36b714881f9"));
    let retry = hex("ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba");
    let tag = retry_tag(context, Version::V1, &hex("8394c8f03e515708"), &retry[..20]).unwrap();
    assert_eq!(tag[..], retry[20..]);
    let retry = hex("cf6b3343cf0008f067a5502a4262b5746f6b656ec8646ce8bfe33952d955543665dcc7b6");
    let tag = retry_tag(context, Version::V2, &hex("8394c8f03e515708"), &retry[..20]).unwrap();
    assert_eq!(tag[..], retry[20..]);
}

#[test]
fn bursts_of_several_connections() {
    let context = default_context().unwrap();
    let keys = [
        Key::new(context, Algorithm::Aes128Gcm, &[1; 16], &[2; 12], &[3; 16]).unwrap(),
        Key::new(context, Algorithm::Aes256Gcm, &[4; 32], &[5; 12], &[6; 32]).unwrap(),
        chacha(),
    ];
    let mut datagrams: Vec<Vec<u8>> = (0..100).map(|i| vec![0x40; 5 + 40 + 13 * i + TAG_LEN]).collect();
    let mut packets: Vec<Packet> = datagrams
        .iter_mut()
        .enumerate()
        .map(|(i, buffer)| Packet { key: &keys[i % 3], buffer, header_len: 5, number: i as u64, number_len: 4 })
        .collect();
    assert!(seal_each(&mut packets).unwrap().into_iter().all(|result| result.is_ok()));
    datagrams[17][30] ^= 1;
    datagrams[18].truncate(10);
    let received = datagrams
        .iter_mut()
        .enumerate()
        .map(|(i, packet)| Received::new(&keys[i % 3], packet, 1, (i as u64).checked_sub(1)))
        .collect();
    for (i, result) in open(received).unwrap().into_iter().enumerate() {
        match i {
            17 => assert_eq!(result.err(), Some(Error::Authentication)),
            18 => assert_eq!(result.err(), Some(Error::Length)),
            _ => {
                let opened = result.unwrap();
                assert_eq!((opened.number, opened.phase), (i as u64, Phase::Current));
                assert_eq!(opened.payload.len(), 40 + 13 * i);
                assert!(opened.payload.iter().all(|byte| *byte == 0x40));
            }
        }
    }
    assert_eq!((keys[0].counts().sealed, keys[2].counts().failed), (34, 1));
    assert_eq!((keys[1].counts().most_sealed, keys[2].counts().most_sealed), (Some(1 << 23), None));
    assert!(open(Vec::new()).unwrap().is_empty() && seal(&mut []).is_ok());
}

#[test]
fn a_key_update() {
    let context = default_context().unwrap();
    let (mut secret, key) = ([0; 32], chacha());
    next_secret(context, Algorithm::ChaCha20Poly1305, Version::V1, &hex(SECRET), &mut secret).unwrap();
    let after = key.updated(Version::V1, &secret).unwrap();
    // Whether packets of the phase before were opened, or all were lost.
    for (phase_first, largest) in [(Some(0), Some(8)), (None, Some(8)), (None, None)] {
        for (next, expected) in [(Some(&after), Ok(Phase::Next)), (None, Err(Error::Authentication))] {
            let mut datagram = sealed(&after, 0x44, 9, b"some text");
            let mut received = Received::new(&key, &mut datagram, 4, largest);
            (received.previous, received.next) = (phase_first.map(|_| &key), next);
            received.phase_first = phase_first;
            assert_eq!(open(vec![received]).unwrap().remove(0).map(|opened| opened.phase), expected);
        }
    }
    let mut datagram = sealed(&key, 0x40, 5, b"some text");
    let mut received = Received::new(&after, &mut datagram, 4, Some(8));
    (received.previous, received.phase, received.phase_first) = (Some(&key), true, Some(9));
    let opened = open(vec![received]).unwrap().remove(0).unwrap();
    assert_eq!((opened.phase, &*opened.payload), (Phase::Previous, &b"some text"[..]));
    assert_eq!((key.counts().failed, after.counts().failed), (3, 3));
}

#[test]
fn arguments() {
    let context = default_context().unwrap();
    let key = chacha();
    let mut short = [0x40; 20];
    for (header_len, number_len, number, error) in [
        (21, 1, 0, Error::Length),
        (5, 1, 0, Error::Length),
        (3, 3, 0, Error::Length),
        (4, 0, 0, Error::Argument),
        (4, 5, 0, Error::Argument),
        (4, 1, 1 << 62, Error::Argument),
        (usize::MAX, 1, 0, Error::Length),
    ] {
        let packet = Packet { key: &key, buffer: &mut short, header_len, number, number_len };
        assert_eq!(seal(&mut [packet]), Err(error), "{header_len} {number_len} {number}");
    }
    assert_eq!(short, [0x40; 20]);
    for largest in [1 << 62, u64::MAX] {
        let received = Received::new(&key, &mut short, 1, Some(largest));
        assert_eq!(open(vec![received]).err(), Some(Error::Argument));
    }
    let other = Context::new().unwrap();
    let foreign = Key::from_secret(&other, Algorithm::ChaCha20Poly1305, Version::V1, &[1; 32]).unwrap();
    let mut datagrams = [[0x40; 60]; 2];
    let [a, b] = &mut datagrams;
    let received = vec![Received::new(&key, a, 1, None), Received::new(&foreign, b, 1, None)];
    assert_eq!(open(received).err(), Some(Error::Argument));
    assert_eq!(Key::from_secret(context, Algorithm::Aes256Gcm, Version::V1, &[1; 32]).err(), Some(Error::Length));
    assert_eq!(Key::initial(context, Version::V1, &[0; 21]).err(), Some(Error::Length));
    assert_eq!(next_secret(context, Algorithm::Aes128Gcm, Version::V1, &[0; 32], &mut [0; 31]), Err(Error::Length));
}
