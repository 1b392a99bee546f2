use std::ops::Index;
use std::ptr;

use cryptostitch_sys as sys;

use crate::context::Context;
use crate::error::{check, Error};

/// An expanded key, which is wiped when it is dropped.
pub struct Key {
    raw: *mut sys::cst_key,
    tag_len: usize,
    open_tag_len: usize,
    expansion: Option<usize>,
    context: Context, // it must outlive the key
}

// SAFETY: a key is immutable.
unsafe impl Send for Key {}
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: cst_key_new or cst_crc_new made it, and nobody else has it.
        unsafe { sys::cst_key_free(self.raw) }
    }
}

/// NULL where there are no bytes: digests and MACs, which have no output, take no other address.
pub(crate) fn start_of(output: &mut [u8]) -> *mut u8 {
    if output.is_empty() {
        ptr::null_mut()
    } else {
        output.as_mut_ptr()
    }
}

impl Key {
    /// `expansion`: most bytes by which sealing lengthens a text; `None` for digests and MACs, which have no output.
    pub(crate) fn new(raw: *mut sys::cst_key, tag_len: usize, expansion: Option<usize>, context: Context) -> Self {
        Self { raw, tag_len, open_tag_len: tag_len, expansion, context }
    }

    pub(crate) fn raw(&self) -> *mut sys::cst_key {
        self.raw
    }

    pub(crate) fn tag_len(&self) -> usize {
        self.tag_len
    }

    pub(crate) fn expansion(&self) -> Option<usize> {
        self.expansion
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The key, of which [`open`](Self::open) and [`Burst::open`](crate::Burst::open) take tags of `tag_len` bytes: as
    /// long as the peers of a protocol have agreed on, if that is not the whole tag. A tag's length must not be the
    /// sender's choice: whoever guesses a tag of 4 bytes is right once in 2^32.
    ///
    /// ```
    /// let key = cryptostitch::Context::new()?.suite("aes-128-gcm")?.key(&[7; 16])?.with_open_tag_len(12);
    /// let (mut sealed, mut tag, mut opened) = ([0; 5], [0; 12], [0; 5]);
    /// key.seal(&[1; 12], b"", b"hello", &mut sealed, &mut tag)?;
    /// key.open(&[1; 12], b"", &sealed, &mut opened, &tag)?;
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    #[must_use]
    pub fn with_open_tag_len(mut self, tag_len: usize) -> Self {
        self.open_tag_len = tag_len;
        self
    }

    pub(crate) fn opens_tag(&self, tag: &[u8]) -> bool {
        tag.len() == self.open_tag_len
    }

    /// Encrypts `input` into `output`, which has room for it and for padding, and writes the tag, if the suite has
    /// one. Returns the bytes of the output.
    ///
    /// ```
    /// let key = cryptostitch::Context::new()?.suite("aes-128-gcm")?.key(&[7; 16])?;
    /// let (mut sealed, mut tag, mut opened) = ([0; 5], [0; 16], [0; 5]);
    /// key.seal(&[1; 12], b"header", b"hello", &mut sealed, &mut tag)?;
    /// key.open(&[1; 12], b"header", &sealed, &mut opened, &tag)?;
    /// assert_eq!(&opened, b"hello");
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    pub fn seal(&self, iv: &[u8], aad: &[u8], input: &[u8], output: &mut [u8], tag: &mut [u8]) -> Result<usize, Error> {
        // SAFETY: both are slices, which live during the call.
        unsafe { self.seal_raw(iv, aad, (input.as_ptr(), input.len()), (start_of(output), output.len()), tag) }
    }

    /// Encrypts `text` in place. [`Error::Length`]: also a suite that pads, for which [`seal`](Self::seal) has room.
    ///
    /// ```
    /// let key = cryptostitch::Context::new()?.suite("chacha20-poly1305")?.key(&[7; 32])?;
    /// let (mut text, mut tag) = (*b"hello", [0; 16]);
    /// key.seal_in_place(&[1; 12], b"header", &mut text, &mut tag)?;
    /// key.open_in_place(&[1; 12], b"header", &mut text, &tag)?;
    /// assert_eq!(&text, b"hello");
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    pub fn seal_in_place(&self, iv: &[u8], aad: &[u8], text: &mut [u8], tag: &mut [u8]) -> Result<usize, Error> {
        let (start, bytes) = (start_of(text), text.len());
        // SAFETY: `text` is one slice, which the library may read and write at the same address.
        unsafe { self.seal_raw(iv, aad, (start, bytes), (start, bytes), tag) }
    }

    /// # Safety
    /// `input` may be read, and `output` written, for as many bytes as they say.
    unsafe fn seal_raw(
        &self,
        iv: &[u8],
        aad: &[u8],
        input: (*const u8, usize),
        output: (*mut u8, usize),
        tag: &mut [u8],
    ) -> Result<usize, Error> {
        let mut written = 0;
        // SAFETY: the lengths of `iv`, `aad` and `tag` are those of the slices; the caller answers for the others.
        check(unsafe {
            sys::cst_seal(
                self.raw,
                iv.as_ptr().cast(),
                iv.len(),
                aad.as_ptr().cast(),
                aad.len(),
                input.0.cast(),
                input.1,
                output.0.cast(),
                output.1,
                &mut written,
                tag.as_mut_ptr().cast(),
                tag.len(),
            )
        })?;
        Ok(written)
    }

    /// Checks the tag and decrypts. [`Error::Authentication`]: it was forged, and the output is zeroed.
    /// [`Error::Length`]: also a tag that is not the suite's whole tag, unless [`with_open_tag_len`](Self::with_open_tag_len)
    /// says how long tags are.
    pub fn open(&self, iv: &[u8], aad: &[u8], input: &[u8], output: &mut [u8], tag: &[u8]) -> Result<usize, Error> {
        // SAFETY: both are slices, which live during the call.
        unsafe { self.open_raw(iv, aad, (input.as_ptr(), input.len()), (start_of(output), output.len()), tag) }
    }

    /// Checks the tag and decrypts `text` in place; the errors are those of [`open`](Self::open).
    pub fn open_in_place(&self, iv: &[u8], aad: &[u8], text: &mut [u8], tag: &[u8]) -> Result<usize, Error> {
        let (start, bytes) = (start_of(text), text.len());
        // SAFETY: `text` is one slice, which the library may read and write at the same address.
        unsafe { self.open_raw(iv, aad, (start, bytes), (start, bytes), tag) }
    }

    /// # Safety
    /// `input` may be read, and `output` written, for as many bytes as they say.
    unsafe fn open_raw(
        &self,
        iv: &[u8],
        aad: &[u8],
        input: (*const u8, usize),
        output: (*mut u8, usize),
        tag: &[u8],
    ) -> Result<usize, Error> {
        if !self.opens_tag(tag) {
            return Err(Error::Length);
        }
        let mut written = 0;
        // SAFETY: as in `seal_raw`.
        check(unsafe {
            sys::cst_open(
                self.raw,
                iv.as_ptr().cast(),
                iv.len(),
                aad.as_ptr().cast(),
                aad.len(),
                input.0.cast(),
                input.1,
                output.0.cast(),
                output.1,
                &mut written,
                tag.as_ptr().cast(),
                tag.len(),
            )
        })?;
        Ok(written)
    }

    /// Writes the digest or MAC of a message.
    pub fn digest(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the lengths are those of the slices, which cannot overlap.
        check(unsafe {
            sys::cst_digest(self.raw, message.as_ptr().cast(), message.len(), tag.as_mut_ptr().cast(), tag.len())
        })
    }

    /// The digests or MACs of many messages, of the usual length.
    pub fn digest_many<T: AsRef<[u8]>>(&self, items: &[T]) -> Result<Digests, Error> {
        // Asked once: another `as_ref` may answer with another slice.
        let slices: Vec<&[u8]> = items.iter().map(AsRef::as_ref).collect();
        let starts: Vec<_> = slices.iter().map(|slice| slice.as_ptr().cast()).collect();
        let lengths: Vec<_> = slices.iter().map(|slice| slice.len()).collect();
        let mut digests = Digests::zeros(self.tag_len, items.len());
        if items.is_empty() {
            return Ok(digests);
        }
        let tags = if digests.bytes.is_empty() { ptr::null_mut() } else { digests.bytes.as_mut_ptr().cast() };
        // SAFETY: the pointers and lengths are those of `slices`, which live during the call.
        check(unsafe {
            sys::cst_digest_many(self.raw, items.len(), starts.as_ptr(), lengths.as_ptr(), tags, self.tag_len, 0)
        })?;
        Ok(digests)
    }
}

/// Digests of one length, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    bytes: Vec<u8>,
    each: usize,
}

impl Digests {
    pub(crate) fn zeros(tag_len: usize, n: usize) -> Self {
        Self { bytes: vec![0; tag_len * n], each: tag_len.max(1) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The number of digests.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.each
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Each digest, in the order of the items.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, u8> {
        self.bytes.chunks_exact(self.each)
    }

    /// All of them, one behind the other.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Index<usize> for Digests {
    type Output = [u8];

    fn index(&self, i: usize) -> &[u8] {
        &self.bytes[i * self.each..][..self.each]
    }
}

impl<'a> IntoIterator for &'a Digests {
    type Item = &'a [u8];
    type IntoIter = std::slice::ChunksExact<'a, u8>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
