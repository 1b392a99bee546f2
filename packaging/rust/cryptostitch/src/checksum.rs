use std::ptr;

use cryptostitch_sys as sys;

use crate::context::Context;
use crate::error::{check, Error};
use crate::key::Key;

/// A cyclic redundancy check as a number, part by part.
///
/// ```
/// let crc = cryptostitch::Checksum::new(cryptostitch::default_context()?, "crc32c")?;
/// assert_eq!(crc.update(0, b"123456789")?, 0xe306_9283);
/// assert_eq!(crc.update(crc.update(0, b"12345")?, b"6789")?, 0xe306_9283);
/// # Ok::<(), cryptostitch::Error>(())
/// ```
pub struct Checksum(Key);

impl Checksum {
    /// One of the library's, by its name. [`Error::Argument`]: it is not a checksum.
    pub fn new(context: &Context, name: &str) -> Result<Self, Error> {
        let made = Self(context.suite(name)?.key(&[])?);
        made.update(0, &[])?;
        Ok(made)
    }

    /// Any, by the parameters of the Rocksoft model (see `cst_crc_new` in `cryptostitch.h`).
    pub fn of_polynomial(
        context: &Context,
        width: u32,
        reflected: bool,
        polynomial: u64,
        initial: u64,
        last: u64,
    ) -> Result<Self, Error> {
        let size = size_of::<sys::cst_crc>();
        let crc = sys::cst_crc { size, width, reflected: reflected.into(), polynomial, initial, final_: last };
        let mut raw = ptr::null_mut();
        // SAFETY: the Key holds a clone of the context.
        check(unsafe { sys::cst_crc_new(context.raw(), &crc, &mut raw) })?;
        Ok(Self(Key::new(raw, 8, None, context.clone())))
    }

    /// The checksum of a text whose first part has the checksum `value` (of nothing: 0, of adler32 1, or `initial ^ last`).
    pub fn update(&self, mut value: u64, part: &[u8]) -> Result<u64, Error> {
        // SAFETY: the length is that of the slice.
        check(unsafe { sys::cst_checksum_update(self.0.raw(), part.as_ptr().cast(), part.len(), &mut value) })?;
        Ok(value)
    }

    /// The checksum of two texts one behind the other, from theirs and the length of the second.
    pub fn combine(&self, first: u64, second: u64, second_len: u64) -> Result<u64, Error> {
        let mut value = 0;
        // SAFETY: all arguments are numbers.
        check(unsafe { sys::cst_checksum_combine(self.0.raw(), first, second, second_len, &mut value) })?;
        Ok(value)
    }
}
