use std::ptr;

use cryptostitch_sys as sys;

use crate::error::{check, Error};
use crate::key::{start_of, Key};
use crate::memory::try_box;

/// What the library keeps of a message between its parts. It has secrets of the key in it.
#[repr(C, align(8))]
struct State([u8; sys::CST_STATE_BYTES as usize]);

impl State {
    fn new() -> Result<Box<Self>, Error> {
        try_box(Self([0; sys::CST_STATE_BYTES as usize])).map_err(|(error, _)| error)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: volatile, so that the compiler does not leave it out.
        unsafe { ptr::write_volatile(&mut self.0, [0; sys::CST_STATE_BYTES as usize]) }
    }
}

/// A message that comes in parts, for a digest or an HMAC.
///
/// ```
/// let key = cryptostitch::Context::new()?.suite("sha256")?.key(&[])?;
/// let mut message = key.message();
/// message.update(b"a longer ")?;
/// message.update(b"message")?;
/// let mut digest = [0; 32];
/// message.finish(&mut digest)?;
/// assert_eq!(digest, cryptostitch::hash_many("sha256", &["a longer message"])?[0]);
/// # Ok::<(), cryptostitch::Error>(())
/// ```
pub struct Message<'k> {
    key: &'k Key,
    state: Box<State>,
}

/// The copy goes on by itself. Panics where the system has no memory.
impl Clone for Message<'_> {
    fn clone(&self) -> Self {
        let mut copy = self.key.message();
        copy.state.0.copy_from_slice(&self.state.0);
        copy
    }
}

impl Key {
    /// Begins a message that comes in parts. Suites that cannot take parts, such as MACs of block ciphers, return
    /// [`Error::Unsupported`] or [`Error::Argument`] with the first one. Panics where the system has no memory.
    pub fn message(&self) -> Message<'_> {
        self.try_message().unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn try_message(&self) -> Result<Message<'_>, Error> {
        Ok(Message { key: self, state: State::new()? })
    }

    /// Begins a text that comes in parts, under AES-GCM or ChaCha20-Poly1305 ([`Error::Unsupported`]: of another suite).
    /// The IV must not have been used under the key.
    ///
    /// ```
    /// let key = cryptostitch::Context::new()?.suite("aes-128-gcm")?.key(&[7; 16])?;
    /// let (mut sealed, mut tag, mut opened) = ([0; 10], [0; 16], [0; 10]);
    /// let mut sealing = key.sealing(&[1; 12], b"header")?;
    /// sealing.update(b"hello", &mut sealed[..5])?;
    /// sealing.update(b"world", &mut sealed[5..])?;
    /// sealing.finish(&mut tag)?;
    /// let mut opening = key.opening(&[1; 12], b"header")?;
    /// opening.update(&sealed, &mut opened)?; // not authentic yet
    /// opening.finish(&tag)?;
    /// assert_eq!(&opened, b"helloworld");
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    pub fn sealing(&self, iv: &[u8], aad: &[u8]) -> Result<Sealing<'_>, Error> {
        Ok(Sealing(Text::begin(self, sys::CST_SEAL as i32, iv, aad)?))
    }

    /// Begins to open such a text. Nothing that [`update`](Opening::update) returns is authentic before
    /// [`finish`](Opening::finish) has succeeded.
    pub fn opening(&self, iv: &[u8], aad: &[u8]) -> Result<Opening<'_>, Error> {
        Ok(Opening(Text::begin(self, sys::CST_OPEN as i32, iv, aad)?))
    }
}

impl Message<'_> {
    /// Takes the next part in. After an error the message can go on.
    pub fn update(&mut self, part: &[u8]) -> Result<(), Error> {
        update_many(std::slice::from_mut(self), &[part])
    }

    /// Ends the message, and writes its digest or MAC.
    pub fn finish(mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.end(tag)
    }

    /// Does what [`finish`](Self::finish) does; the next message may begin then.
    pub(crate) fn end(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        let mut part = self.part(&[]);
        part.last = 1;
        (part.tag, part.tag_len) = (tag.as_mut_ptr().cast(), tag.len());
        // SAFETY: the state is this message's, and the tag a slice of its own.
        check(unsafe { sys::cst_digest_parts(self.key.context().raw(), &part, 1) })
    }

    /// Forgets all parts.
    #[cfg(feature = "digest")]
    pub(crate) fn restart(&mut self) {
        self.state.0.fill(0);
    }

    fn part(&mut self, input: &[u8]) -> sys::cst_part {
        // SAFETY: a struct of numbers and pointers may be all zeros.
        let mut part: sys::cst_part = unsafe { std::mem::zeroed() };
        part.size = size_of::<sys::cst_part>();
        part.key = self.key.raw();
        part.state = (&raw mut *self.state).cast();
        (part.in_, part.in_len) = (input.as_ptr().cast(), input.len());
        part
    }
}

/// Takes the next part of each message in, side by side in lanes. [`Error::Length`]: there are not as many parts as
/// messages; [`Error::Argument`]: their keys are of different contexts. After an error all messages can go on.
pub fn update_many(messages: &mut [Message<'_>], parts: &[&[u8]]) -> Result<(), Error> {
    if messages.len() != parts.len() {
        return Err(Error::Length);
    }
    let Some(first) = messages.first() else { return Ok(()) };
    let context = first.key.context().clone();
    let parts: Vec<_> = messages.iter_mut().zip(parts).map(|(message, part)| message.part(part)).collect();
    // SAFETY: each state is that of one message, of which `messages` is the only borrower.
    check(unsafe { sys::cst_digest_parts(context.raw(), parts.as_ptr(), parts.len()) })
}

struct Text<'k> {
    key: &'k Key,
    state: Box<State>,
    direction: i32,
}

impl<'k> Text<'k> {
    fn begin(key: &'k Key, direction: i32, iv: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let mut text = Self { key, state: State::new()?, direction };
        let mut part = text.part();
        (part.iv, part.iv_len) = (iv.as_ptr().cast(), iv.len());
        (part.aad, part.aad_len) = (aad.as_ptr().cast(), aad.len());
        text.run(part)?;
        Ok(text)
    }

    fn part(&mut self) -> sys::cst_text_part {
        // SAFETY: a struct of numbers and pointers may be all zeros.
        let mut part: sys::cst_text_part = unsafe { std::mem::zeroed() };
        part.size = size_of::<sys::cst_text_part>();
        part.key = self.key.raw();
        part.direction = self.direction;
        part.state = (&raw mut *self.state).cast();
        part
    }

    fn run(&mut self, mut part: sys::cst_text_part) -> Result<(), Error> {
        // SAFETY: the callers set pointers and lengths of slices that live during the call.
        check(unsafe { sys::cst_text_parts(self.key.context().raw(), &mut part, 1) })
    }

    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        if output.len() != input.len() {
            return Err(Error::Length);
        }
        let mut part = self.part();
        (part.in_, part.in_len) = (input.as_ptr().cast(), input.len());
        (part.out, part.out_cap) = (start_of(output).cast(), output.len());
        self.run(part)
    }

    fn finish(mut self, tag: (*mut u8, usize)) -> Result<(), Error> {
        let mut part = self.part();
        part.last = 1;
        (part.tag, part.tag_len) = (tag.0.cast(), tag.1);
        self.run(part)
    }
}

/// A text that is sealed in parts.
pub struct Sealing<'k>(Text<'k>);

impl Sealing<'_> {
    /// Encrypts the next part into `output`, which is as long.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.0.update(input, output)
    }

    /// Ends the text, and writes its tag.
    pub fn finish(self, tag: &mut [u8]) -> Result<(), Error> {
        self.0.finish((tag.as_mut_ptr(), tag.len()))
    }
}

/// A text that is opened in parts.
pub struct Opening<'k>(Text<'k>);

impl Opening<'_> {
    /// Decrypts the next part into `output`, which is as long. It is not authentic yet.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.0.update(input, output)
    }

    /// Ends the text, and compares its tag. [`Error::Authentication`]: it was forged, and nothing of it is to be used.
    /// [`Error::Length`]: also a tag of another length than [`Key::open`] takes.
    pub fn finish(self, tag: &[u8]) -> Result<(), Error> {
        if !self.0.key.opens_tag(tag) {
            return Err(Error::Length);
        }
        self.0.finish((tag.as_ptr().cast_mut(), tag.len()))
    }
}
