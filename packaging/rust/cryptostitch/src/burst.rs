use std::marker::PhantomData;

use cryptostitch_sys as sys;

use crate::context::Context;
use crate::error::{check, Error};
use crate::key::{start_of, Key};

/// Jobs of any suites, keys, lengths and directions that run together, so that they fill lanes. Its buffers are borrowed
/// until it has run.
///
/// ```
/// use cryptostitch::{Burst, Context};
/// let context = Context::new()?;
/// let key = context.suite("aes-128-cbc+hmac-sha1-etm")?.key_and_mac_key(&[1; 16], &[2; 20])?;
/// let texts = vec![[3u8; 64]; 20];
/// let (mut sealed, mut tags) = (vec![[0u8; 64]; 20], vec![[0u8; 20]; 20]);
/// let mut burst = Burst::new(&context);
/// for ((text, out), tag) in texts.iter().zip(&mut sealed).zip(&mut tags) {
///     burst.seal(&key, &[4; 16], b"", text, out, tag);
/// }
/// assert!(burst.run()?.into_iter().all(|result| result == Ok(64)));
/// # Ok::<(), cryptostitch::Error>(())
/// ```
pub struct Burst<'a> {
    context: &'a Context,
    jobs: Vec<sys::cst_job>,
    right_tags: bool, // of all jobs that open
    buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> Burst<'a> {
    /// A burst without jobs, of keys of that context.
    pub fn new(context: &'a Context) -> Self {
        Self { context, jobs: Vec::new(), right_tags: true, buffers: PhantomData }
    }

    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Adds what [`Key::seal`] does.
    pub fn seal(
        &mut self,
        key: &'a Key,
        iv: &'a [u8],
        aad: &'a [u8],
        input: &'a [u8],
        output: &'a mut [u8],
        tag: &'a mut [u8],
    ) -> &mut Self {
        let (out, tag) = ((start_of(output), output.len()), (tag.as_mut_ptr(), tag.len()));
        self.add(sys::CST_SEAL as i32, key, iv, aad, (input.as_ptr(), input.len()), out, tag)
    }

    /// Adds what [`Key::open`] does. A tag of another length than the key opens is [`Error::Length`] when the burst runs.
    pub fn open(
        &mut self,
        key: &'a Key,
        iv: &'a [u8],
        aad: &'a [u8],
        input: &'a [u8],
        output: &'a mut [u8],
        tag: &'a [u8],
    ) -> &mut Self {
        self.right_tags &= key.opens_tag(tag);
        let (out, tag) = ((start_of(output), output.len()), (tag.as_ptr().cast_mut(), tag.len()));
        self.add(sys::CST_OPEN as i32, key, iv, aad, (input.as_ptr(), input.len()), out, tag)
    }

    /// The same in place.
    pub fn seal_in_place(
        &mut self,
        key: &'a Key,
        iv: &'a [u8],
        aad: &'a [u8],
        text: &'a mut [u8],
        tag: &'a mut [u8],
    ) -> &mut Self {
        let (out, tag) = ((start_of(text), text.len()), (tag.as_mut_ptr(), tag.len()));
        self.add(sys::CST_SEAL as i32, key, iv, aad, (out.0.cast_const(), out.1), out, tag)
    }

    /// The same in place.
    pub fn open_in_place(
        &mut self,
        key: &'a Key,
        iv: &'a [u8],
        aad: &'a [u8],
        text: &'a mut [u8],
        tag: &'a [u8],
    ) -> &mut Self {
        self.right_tags &= key.opens_tag(tag);
        let (out, tag) = ((start_of(text), text.len()), (tag.as_ptr().cast_mut(), tag.len()));
        self.add(sys::CST_OPEN as i32, key, iv, aad, (out.0.cast_const(), out.1), out, tag)
    }

    /// Adds what [`Key::digest`] does.
    pub fn digest(&mut self, key: &'a Key, message: &'a [u8], tag: &'a mut [u8]) -> &mut Self {
        let (none, tag) = ((std::ptr::null_mut(), 0), (tag.as_mut_ptr(), tag.len()));
        self.add(sys::CST_SEAL as i32, key, &[], &[], (message.as_ptr(), message.len()), none, tag)
    }

    /// Runs all jobs. Each result is the number of bytes of the job's output, or [`Error::Authentication`].
    ///
    /// Every job is checked before any runs: if one has bad arguments, nothing is written, and `run` returns the first
    /// such error.
    pub fn run(mut self) -> Result<Vec<Result<usize, Error>>, Error> {
        if !self.right_tags {
            return Err(Error::Length);
        }
        // SAFETY: all pointers were made of slices that live for 'a, and outputs of `&mut`, so that nothing overlaps.
        let code = unsafe { sys::cst_burst(self.context.raw(), self.jobs.as_mut_ptr(), self.jobs.len()) };
        if code != sys::CST_ERR_AUTH {
            check(code)?;
        }
        Ok(self.jobs.iter().map(|job| check(job.status).map(|()| job.out_len)).collect())
    }

    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        direction: i32,
        key: &'a Key,
        iv: &'a [u8],
        aad: &'a [u8],
        input: (*const u8, usize),
        output: (*mut u8, usize),
        tag: (*mut u8, usize),
    ) -> &mut Self {
        // SAFETY: a job may be all zeros.
        let mut job: sys::cst_job = unsafe { std::mem::zeroed() };
        job.size = size_of::<sys::cst_job>();
        job.key = key.raw();
        job.direction = direction;
        (job.iv, job.iv_len) = (iv.as_ptr().cast(), iv.len());
        (job.aad, job.aad_len) = (aad.as_ptr().cast(), aad.len());
        (job.in_, job.in_len) = (input.0.cast(), input.1);
        (job.out, job.out_cap) = (output.0.cast(), output.1);
        (job.tag, job.tag_len) = (tag.0.cast(), tag.1);
        self.jobs.push(job);
        self
    }
}
