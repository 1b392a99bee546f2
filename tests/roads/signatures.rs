// Verifies the signature of RFC 8032, 7.1, TEST 2, and the same of another message.
use cryptostitch::{verify_many, Rules, Signed};

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    let mut found = [0; N];
    for (n, byte) in found.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap();
    }
    found
}

fn main() -> Result<(), cryptostitch::Error> {
    let key = bytes::<32>("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    let signature = bytes::<64>(concat!(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ));
    let signed = |message| Signed { key: &key, message, signature: &signature };
    let mut items = vec![signed(b"\x72".as_slice()); 100];
    items[42] = signed(b"\x73".as_slice());
    let verdicts = verify_many(&items, Rules::Rfc8032)?;
    assert!(verdicts.iter().enumerate().all(|(n, &right)| right == (n != 42)), "{verdicts:?}");
    println!("99 of 100 signatures are right");
    Ok(())
}
