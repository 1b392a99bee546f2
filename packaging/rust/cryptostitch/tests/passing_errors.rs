//! A process of its own: an error that passes is not kept by what all calls share.

use cryptostitch::{default_context, hash_many, sign_many, Error, ToSign};

#[test]
fn the_next_call_tries_again() {
    let sign = || sign_many(&[ToSign { secret_key: &[7; 32], message: b"pay 5" }]);
    std::env::set_var("CRYPTOSTITCH_CPU", "no such cpu");
    assert_eq!(default_context().err(), Some(Error::Name));
    assert_eq!(hash_many("sha256", &["abc"]).err(), Some(Error::Name));
    assert_eq!(sign().err(), Some(Error::Name));
    std::env::remove_var("CRYPTOSTITCH_CPU");
    assert!(sign().is_ok());
    assert!(hash_many("sha256", &["abc"]).is_ok());
    assert!(std::ptr::eq(default_context().unwrap(), default_context().unwrap()));
}
