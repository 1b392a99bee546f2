use std::fmt;
use std::mem;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use cryptostitch_sys as sys;

use crate::context::Context;
use crate::error::{check, Error};
use crate::key::{start_of, Key};
use crate::memory::try_box;

/// Says what a [`Job`] does with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Encrypts, and writes the tag. Of a digest or MAC: writes the tag.
    Seal,
    /// Compares the tag, and decrypts. Of a digest or MAC: compares the tag.
    Open,
}

/// One message for a [`Manager`]. It owns its buffers, and `data`, which the library does not look at: whatever tells
/// the caller which message it is.
pub struct Job<T> {
    /// A key of the manager's context.
    pub key: Arc<Key>,
    /// Whether it seals or opens.
    pub direction: Direction,
    /// The IV or nonce of [`Key::seal`]; empty for digests and MACs.
    pub iv: Vec<u8>,
    /// The AAD of [`Key::seal`]; empty if there is none.
    pub aad: Vec<u8>,
    /// The message. A cipher works in place: the job comes back with the result here, of as many bytes as it has. A
    /// digest or MAC leaves the message as it is. Where the suite pads, `text` is moved if it has not
    /// [`Suite::expansion`](crate::Suite::expansion) bytes of capacity left.
    pub text: Vec<u8>,
    /// Room for as long a tag as is wanted, or the tag that is compared.
    pub tag: Vec<u8>,
    /// Comes back with the job.
    pub data: T,
}

impl<T> Job<T> {
    /// Makes a job that does what [`Key::seal`] does, with a tag of the usual length.
    pub fn seal(
        key: &Arc<Key>,
        iv: impl Into<Vec<u8>>,
        aad: impl Into<Vec<u8>>,
        text: impl Into<Vec<u8>>,
        data: T,
    ) -> Self {
        let tag = vec![0; key.tag_len()];
        Self::new(key, Direction::Seal, (iv.into(), aad.into(), text.into(), tag), data)
    }

    /// Makes a job that does what [`Key::open`] does.
    pub fn open(
        key: &Arc<Key>,
        iv: impl Into<Vec<u8>>,
        aad: impl Into<Vec<u8>>,
        text: impl Into<Vec<u8>>,
        tag: impl Into<Vec<u8>>,
        data: T,
    ) -> Self {
        Self::new(key, Direction::Open, (iv.into(), aad.into(), text.into(), tag.into()), data)
    }

    /// Makes a job that does what [`Key::digest`] does, with a tag of the usual length. The key of a cipher makes it one
    /// without an IV, which [`Manager::submit`] refuses as [`Key::seal`] does.
    pub fn digest(key: &Arc<Key>, message: impl Into<Vec<u8>>, data: T) -> Self {
        Self::seal(key, Vec::new(), Vec::new(), message, data)
    }

    fn new(key: &Arc<Key>, direction: Direction, buffers: (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>), data: T) -> Self {
        let (iv, aad, text, tag) = buffers;
        Self { key: key.clone(), direction, iv, aad, text, tag, data }
    }
}

/// Lengths alone.
impl<T> fmt::Debug for Job<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths = [self.iv.len(), self.aad.len(), self.text.len(), self.tag.len()];
        f.debug_struct("Job").field("direction", &self.direction).field("lengths", &lengths).finish_non_exhaustive()
    }
}

/// A job that is done.
#[derive(Debug)]
pub struct Done<T> {
    /// The job, with the result in `text` and `tag`.
    pub job: Job<T>,
    /// [`Error::Authentication`]: the text was forged, and `text` is empty, unless it is the message of a digest or MAC.
    pub result: Result<(), Error>,
}

/// A job that a [`Manager`] has not taken in, and why.
pub struct Refused<T> {
    /// The reason.
    pub error: Error,
    /// The job, as it was.
    pub job: Job<T>,
}

impl<T> fmt::Debug for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("error", &self.error).field("job", &self.job).finish()
    }
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<T> std::error::Error for Refused<T> {}

impl<T> From<Refused<T>> for Error {
    fn from(refused: Refused<T>) -> Self {
        refused.error
    }
}

/// Names a job that was submitted, for [`Manager::cancel`]. No two jobs have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    manager: u64,
    job: u64,
}

/// The limits of a [`Manager`]. 0, the default, stands for the library's own choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManagerOptions {
    /// Jobs of one suite and direction that are worth a burst, at most 1024; 0: 32.
    pub min_fill: usize,
    /// A job is run before more than this many submits have followed it; 0: 256. Time is not looked at: call
    /// [`Manager::flush`] when idle.
    pub max_age: usize,
    /// Jobs that wait and jobs that are done but not taken, together; at least `min_fill`, at most 2^24; 0: 1024.
    pub capacity: usize,
}

/// Counts the jobs that a [`Manager`] holds and has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagerCounts {
    /// The limits in force.
    pub limits: ManagerOptions,
    /// Jobs that have not run yet.
    pub waiting: usize,
    /// Jobs that have run and were not taken.
    pub done: usize,
    /// All jobs that were taken in so far, those that were cancelled among them.
    pub jobs: u64,
    /// All bursts so far. Where no job waits and none was cancelled, `jobs / bursts` is how full they were.
    pub bursts: u64,
    /// Bursts that `min_fill` began.
    pub full: u64,
    /// Bursts that `max_age` began.
    pub aged: u64,
    /// Bursts that [`Manager::flush`] began.
    pub flushed: u64,
}

/// Bytes that the text may grow by.
fn padding_of<T>(job: &Job<T>) -> usize {
    match job.direction {
        Direction::Seal => job.key.expansion().unwrap_or(0),
        Direction::Open => 0,
    }
}

/// A job where the C manager knows it. `raw` is the first field, so that its address, which the C manager gives back, is
/// that of the whole.
#[repr(C)]
struct Inside<T> {
    raw: sys::cst_job,
    job: Job<T>,
    text_len: usize,
    number: u64, // of the submit
    slot: usize, // where `Manager::inside` has it
}

impl<T> Inside<T> {
    /// Takes the addresses of the job's buffers, which do not change when the job is moved. The text has room for
    /// [`padding_of`] the job.
    fn new(mut job: Job<T>, number: u64, slot: usize) -> Self {
        let text_len = job.text.len();
        job.text.resize(text_len + padding_of(&job), 0);
        // SAFETY: a struct of numbers and pointers may be all zeros.
        let mut raw: sys::cst_job = unsafe { mem::zeroed() };
        raw.size = size_of::<sys::cst_job>();
        raw.key = job.key.raw();
        raw.direction = match job.direction {
            Direction::Seal => sys::CST_SEAL as i32,
            Direction::Open => sys::CST_OPEN as i32,
        };
        (raw.iv, raw.iv_len) = (job.iv.as_ptr().cast(), job.iv.len());
        (raw.aad, raw.aad_len) = (job.aad.as_ptr().cast(), job.aad.len());
        let room = job.text.len();
        let text = start_of(&mut job.text);
        (raw.in_, raw.in_len) = (text.cast_const().cast(), text_len);
        if job.key.expansion().is_some() {
            (raw.out, raw.out_cap) = (text.cast(), room);
        }
        (raw.tag, raw.tag_len) = (job.tag.as_mut_ptr().cast(), job.tag.len());
        Self { raw, job, text_len, number, slot }
    }

    /// The job as it was submitted, if it has not run.
    fn restored(mut self) -> Job<T> {
        self.job.text.truncate(self.text_len);
        self.job
    }

    fn done(mut self) -> Done<T> {
        if self.job.key.expansion().is_some() {
            self.job.text.truncate(self.raw.out_len);
        }
        Done { result: check(self.raw.status), job: self.job }
    }
}

/// Jobs that come one by one, each with its own key, suite and direction: it holds them back until enough of one suite
/// and direction are there to fill lanes, but not for long. Where all jobs are there at once, [`Burst`](crate::Burst)
/// does the same without moving buffers.
///
/// A job is moved in and comes out again by [`take`](Self::take), once, in the order in which jobs were run: those of one
/// suite and direction in the order of their submits.
///
/// ```
/// use std::sync::Arc;
/// use cryptostitch::{Context, Job, Manager, ManagerOptions};
/// let context = Context::new()?;
/// let key = Arc::new(context.suite("aes-128-gcm")?.key(&[7; 16])?);
/// let mut manager = Manager::new(&context, ManagerOptions::default())?;
/// let mut sealed = vec![Vec::new(); 100];
/// for number in 0..100u8 {
///     manager.submit(Job::seal(&key, [number; 12], b"header", b"a packet", usize::from(number)))?;
///     while let Some(done) = manager.take() {
///         done.result?;
///         sealed[done.job.data] = [done.job.text, done.job.tag].concat();
///     }
/// }
/// manager.flush(); // nothing more comes
/// while let Some(done) = manager.take() {
///     sealed[done.job.data] = [done.job.text, done.job.tag].concat();
/// }
/// assert!(sealed.iter().all(|packet| packet.len() == 8 + 16));
/// # Ok::<(), cryptostitch::Error>(())
/// ```
///
/// The manager owns what is inside, so that nothing else can read or write a buffer which the library has:
/// ```compile_fail,E0382
/// # use std::sync::Arc;
/// # use cryptostitch::{Context, Job, Manager, ManagerOptions};
/// # let context = Context::new()?;
/// # let key = Arc::new(context.suite("sha256")?.key(&[])?);
/// # let mut manager = Manager::new(&context, ManagerOptions::default())?;
/// let mut job = Job::digest(&key, b"a message", ());
/// manager.submit(job)?;
/// job.text.clear(); // borrow of moved value
/// # Ok::<(), cryptostitch::Error>(())
/// ```
///
/// It is used by one thread at a time: it may be sent to another thread, if `T` may, but not shared.
/// ```compile_fail,E0277
/// fn share<M: Sync>(_: &M) {}
/// # let context = cryptostitch::Context::new()?;
/// let manager = cryptostitch::Manager::<u32>::new(&context, Default::default())?;
/// share(&manager); // `NonNull<..>` cannot be shared between threads safely
/// # Ok::<(), cryptostitch::Error>(())
/// ```
/// ```compile_fail,E0277
/// # let context = cryptostitch::Context::new()?;
/// let manager = cryptostitch::Manager::<std::rc::Rc<u32>>::new(&context, Default::default())?;
/// std::thread::spawn(move || drop(manager)); // `Rc<u32>` cannot be sent between threads safely
/// # Ok::<(), cryptostitch::Error>(())
/// ```
///
/// Jobs that still wait when it is dropped are not run, and are dropped with their buffers, which are not wiped.
pub struct Manager<T> {
    raw: *mut sys::cst_manager,
    inside: Vec<NonNull<Inside<T>>>, // what the C manager may have the address of; each made by Box::leak
    id: u64,
    submits: u64,
    _context: Context, // it must outlive the C manager
}

// SAFETY: cryptostitch.h allows any thread to use the C manager, one at a time, which `&mut` ensures. Else a manager
// is an owner of jobs, as a Vec<Job<T>> is: their keys may be shared by threads, and `T` is asked for.
unsafe impl<T: Send> Send for Manager<T> {}

impl<T> Drop for Manager<T> {
    fn drop(&mut self) {
        // SAFETY: cst_manager_new made it, and nobody else has it.
        unsafe { sys::cst_manager_free(self.raw) }
        // All boxes are in a Vec before the first is dropped, so that a `T` that panics loses no other.
        // SAFETY: each was made by Box::leak, `inside` names it once, and the C manager is gone.
        drop(self.inside.drain(..).map(|each| unsafe { Box::from_raw(each.as_ptr()) }).collect::<Vec<_>>());
    }
}

impl<T> Manager<T> {
    /// A manager without jobs, of keys of that context. [`Error::Argument`]: limits that are out of range.
    pub fn new(context: &Context, options: ManagerOptions) -> Result<Self, Error> {
        static MANAGERS: AtomicU64 = AtomicU64::new(0);
        let ManagerOptions { min_fill, max_age, capacity } = options;
        let options =
            sys::cst_manager_options { size: size_of::<sys::cst_manager_options>(), min_fill, max_age, capacity };
        let mut raw = ptr::null_mut();
        // SAFETY: the manager holds a clone of the context.
        check(unsafe { sys::cst_manager_new(context.raw(), &options, &mut raw) })?;
        let id = MANAGERS.fetch_add(1, Ordering::Relaxed);
        Ok(Self { raw, inside: Vec::new(), id, submits: 0, _context: context.clone() })
    }

    /// Takes a job in; may run waiting jobs, this one among them. What it does not take in it gives back:
    /// [`Error::Full`]: as many jobs as may be are inside; take some, or flush and take. Other errors are those of
    /// [`Key::seal`] and [`Key::open`]; a text that was forged is none of them, it comes back from [`take`](Self::take).
    pub fn submit(&mut self, mut job: Job<T>) -> Result<Ticket, Refused<T>> {
        if job.direction == Direction::Open && !job.key.opens_tag(&job.tag) {
            return Err(Refused { error: Error::Length, job });
        }
        let padding = padding_of(&job);
        if self.inside.try_reserve(1).and_then(|()| job.text.try_reserve_exact(padding)).is_err() {
            return Err(Refused { error: Error::Memory, job });
        }
        let number = self.submits;
        let whole = match try_box(Inside::new(job, number, self.inside.len())) {
            Ok(whole) => NonNull::from(Box::leak(whole)),
            Err((error, whole)) => return Err(Refused { error, job: whole.restored() }),
        };
        self.inside.push(whole);
        // SAFETY: the job and its buffers stay where they are, and nobody touches them, until `remove` makes a box of
        // it again: after an error here, or when the C manager has given it back or is gone. If `self` is leaked, they
        // stay for ever. The key lives as long as the job, which holds it; the context holds the key's suite.
        match check(unsafe { sys::cst_manager_submit(self.raw, whole.as_ptr().cast()) }) {
            Ok(()) => {
                self.submits += 1;
                Ok(Ticket { manager: self.id, job: number })
            }
            // SAFETY: the C manager has not taken it in.
            Err(error) => Err(Refused { error, job: unsafe { self.remove(whole) }.restored() }),
        }
    }

    /// The next job that is done, if there is one.
    pub fn take(&mut self) -> Option<Done<T>> {
        // SAFETY: `self` is borrowed alone.
        let whole = NonNull::new(unsafe { sys::cst_manager_take(self.raw) })?.cast();
        // SAFETY: `submit` gave it to the C manager, which has forgotten it now.
        Some(unsafe { self.remove(whole) }.done())
    }

    /// Runs all jobs that wait; [`take`](Self::take) gives them back.
    pub fn flush(&mut self) {
        // SAFETY: `self` is borrowed alone. It cannot fail but for an argument that is NULL.
        unsafe { sys::cst_manager_flush(self.raw) };
    }

    /// Takes back a job that still waits, as it was; `None`: it has run, or came out before, or another manager has it.
    /// It takes longer the more jobs are inside.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<Job<T>> {
        if ticket.manager != self.id {
            return None;
        }
        // SAFETY: all of `inside` are live; the C manager does not change `number`.
        let found = |whole: &NonNull<Inside<T>>| unsafe { (*whole.as_ptr()).number } == ticket.job;
        let whole = self.inside.iter().copied().find(found)?;
        // SAFETY: the C manager has it.
        check(unsafe { sys::cst_manager_cancel(self.raw, whole.as_ptr().cast()) }).ok()?;
        // SAFETY: the C manager has forgotten it now.
        Some(unsafe { self.remove(whole) }.restored())
    }

    /// The limits, and what it holds and has done.
    pub fn counts(&self) -> ManagerCounts {
        // SAFETY: all fields may be 0 but `size`, and the call cannot fail for a manager and a struct of this size.
        let info = unsafe {
            let mut info: sys::cst_manager_info = mem::zeroed();
            info.size = size_of::<sys::cst_manager_info>();
            sys::cst_manager_info_get(self.raw, &mut info);
            info
        };
        let limits = ManagerOptions { min_fill: info.min_fill, max_age: info.max_age, capacity: info.capacity };
        let sys::cst_manager_info { waiting, done, jobs, bursts, full, aged, flushed, .. } = info;
        ManagerCounts { limits, waiting, done, jobs, bursts, full, aged, flushed }
    }

    /// # Safety
    /// `whole` is in `inside`, and the C manager does not have it any more.
    unsafe fn remove(&mut self, whole: NonNull<Inside<T>>) -> Inside<T> {
        // SAFETY: `submit` made it by Box::leak, and nobody else has it, as the caller says.
        let whole = unsafe { Box::from_raw(whole.as_ptr()) };
        self.inside.swap_remove(whole.slot);
        if let Some(moved) = self.inside.get(whole.slot) {
            // SAFETY: all of `inside` are live; the C manager does not look at `slot`.
            unsafe { (*moved.as_ptr()).slot = whole.slot }
        }
        *whole
    }
}
