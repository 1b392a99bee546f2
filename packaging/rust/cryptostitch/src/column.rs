use std::ptr;

use cryptostitch_sys as sys;

use crate::error::{check, Error};
use crate::key::{start_of, Digests, Key};

mod sealed {
    pub trait Sealed {}
}

/// A type of a column's offsets: Arrow's `i32` and `i64`, or `u32` and `u64`.
pub trait Offset: sealed::Sealed {}

macro_rules! offsets {
    ($($number:ty)*) => { $(impl sealed::Sealed for $number {} impl Offset for $number {})* };
}
offsets!(i32 u32 i64 u64);

/// Texts that lie one behind the other: text `i` of a buffer is that from `offsets[i]` to `offsets[i + 1]`, and its
/// result has the same place. All IVs have one length, and lie one behind the other; so do the AADs.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a, O> {
    /// One more than there are texts; they do not fall.
    pub offsets: &'a [O],
    /// Those of all texts; empty where the suite has none.
    pub ivs: &'a [u8],
    /// Those of all texts; they may be empty.
    pub aads: &'a [u8],
}

/// Bytes of each of n items, of which `bytes` are all: none where there are no items.
fn each(bytes: usize, n: usize) -> Result<usize, Error> {
    match (bytes, n) {
        (0, 0) => Ok(0),
        (_, n) if n > 0 && bytes % n == 0 => Ok(bytes / n),
        _ => Err(Error::Length),
    }
}

type Function = unsafe extern "C" fn(*const sys::cst_text_column) -> i32;

impl Key {
    /// The digest or MAC, of the usual length, of each item of a column, as Arrow's binary and text arrays lie in memory:
    /// item `i` is `data[offsets[i]..offsets[i + 1]]`. [`Error::Length`]: the offsets fall, or lie beyond the data.
    ///
    /// ```
    /// let key = cryptostitch::default_context()?.suite("sha256")?.key(&[])?;
    /// let digests = key.digest_column(b"threeitems", &[0, 5, 5, 10])?;
    /// assert_eq!(digests.len(), 3);
    /// assert_eq!(&digests[1], &cryptostitch::hash_many("sha256", &[""])?[0]);
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    pub fn digest_column<O: Offset>(&self, data: &[u8], offsets: &[O]) -> Result<Digests, Error> {
        let n = offsets.len().checked_sub(1).ok_or(Error::Length)?;
        let mut digests = Digests::zeros(self.tag_len(), n);
        // SAFETY: a struct of numbers and pointers may be all zeros.
        let mut column: sys::cst_column = unsafe { std::mem::zeroed() };
        column.size = size_of::<sys::cst_column>();
        column.key = self.raw();
        (column.data, column.data_bytes) = (data.as_ptr().cast(), data.len());
        (column.offsets, column.offset_bytes, column.n) = (offsets.as_ptr().cast(), size_of::<O>(), n);
        (column.tags, column.tag_len) = (start_of(digests.bytes_mut()).cast(), self.tag_len());
        // SAFETY: the pointers and lengths are those of slices; the library checks the offsets before it uses them.
        check(unsafe { sys::cst_digest_column(&column) })?;
        Ok(digests)
    }

    /// Seals each text of `input` into its place of `output`, which is as long, and writes the tags one behind the other.
    /// [`Error::Unsupported`]: the suite pads.
    ///
    /// ```
    /// use cryptostitch::{Context, Texts};
    /// let key = Context::new()?.suite("aes-128-gcm")?.key(&[7; 16])?;
    /// let texts = Texts { offsets: &[0, 5, 10], ivs: &[1, 2].map(|i| [i; 12]).concat(), aads: &[] };
    /// let (mut sealed, mut tags, mut opened) = ([0; 10], [0; 32], [0; 10]);
    /// key.seal_column(texts, b"helloworld", &mut sealed, &mut tags)?;
    /// assert_eq!(key.open_column(texts, &sealed, &mut opened, &tags)?, [true, true]);
    /// assert_eq!(&opened, b"helloworld");
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    pub fn seal_column<O: Offset>(
        &self,
        texts: Texts<'_, O>,
        input: &[u8],
        output: &mut [u8],
        tags: &mut [u8],
    ) -> Result<(), Error> {
        let n = texts.offsets.len().checked_sub(1).ok_or(Error::Length)?;
        let tag_len = each(tags.len(), n)?;
        self.run_column(sys::cst_seal_column, texts, (input, output), (tags.as_mut_ptr(), tag_len), ptr::null_mut())
    }

    /// Opens what [`seal_column`](Self::seal_column) made. Says of each text whether its tag is right; the others are
    /// zeros. A suite without tags authenticates nothing: it says `true` of every text. [`Error::Length`]: also tags of
    /// another length than [`open`](Self::open) takes.
    pub fn open_column<O: Offset>(
        &self,
        texts: Texts<'_, O>,
        input: &[u8],
        output: &mut [u8],
        tags: &[u8],
    ) -> Result<Vec<bool>, Error> {
        let n = texts.offsets.len().checked_sub(1).ok_or(Error::Length)?;
        let tag_len = each(tags.len(), n)?;
        if n > 0 && !self.opens_tag(&tags[..tag_len]) {
            return Err(Error::Length);
        }
        let mut statuses = vec![0; n];
        let tags = (tags.as_ptr().cast_mut(), tag_len);
        match self.run_column(sys::cst_open_column, texts, (input, output), tags, start_of_statuses(&mut statuses)) {
            Ok(()) | Err(Error::Authentication) => Ok(statuses.iter().map(|&status| status == sys::CST_OK).collect()),
            Err(error) => Err(error),
        }
    }

    fn run_column<O: Offset>(
        &self,
        function: Function,
        texts: Texts<'_, O>,
        (input, output): (&[u8], &mut [u8]),
        (tags, tag_len): (*mut u8, usize),
        statuses: *mut i32,
    ) -> Result<(), Error> {
        let n = texts.offsets.len() - 1;
        if output.len() != input.len() {
            return Err(Error::Length);
        }
        let (iv_len, aad_len) = (each(texts.ivs.len(), n)?, each(texts.aads.len(), n)?);
        if n == 0 {
            return Ok(());
        }
        // SAFETY: a struct of numbers and pointers may be all zeros.
        let mut column: sys::cst_text_column = unsafe { std::mem::zeroed() };
        column.size = size_of::<sys::cst_text_column>();
        column.key = self.raw();
        (column.in_, column.out, column.bytes) = (input.as_ptr().cast(), start_of(output).cast(), input.len());
        (column.offsets, column.offset_bytes, column.n) = (texts.offsets.as_ptr().cast(), size_of::<O>(), n);
        (column.ivs, column.iv_len) = (texts.ivs.as_ptr().cast(), iv_len);
        (column.aads, column.aad_len) = (texts.aads.as_ptr().cast(), aad_len);
        (column.tags, column.tag_len) = (tags.cast(), tag_len);
        column.statuses = statuses;
        // SAFETY: all lengths are those of the slices, n times what each text has of them; outputs are `&mut`, and tags
        // are written by cst_seal_column alone. The library checks the offsets before it uses them.
        check(unsafe { function(&column) })
    }
}

fn start_of_statuses(statuses: &mut [i32]) -> *mut i32 {
    if statuses.is_empty() {
        ptr::null_mut()
    } else {
        statuses.as_mut_ptr()
    }
}
