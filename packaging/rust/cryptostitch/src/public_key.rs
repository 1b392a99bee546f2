use std::ffi::CStr;
use std::ptr;
use std::sync::OnceLock;

use cryptostitch_sys as sys;

use crate::context::{default_context, made_once, Context};
use crate::error::{check, Error};

/// An operation with public keys, in lanes, for many jobs at once.
pub(crate) struct Operation {
    raw: *mut sys::cst_pk,
    _context: Context, // it must outlive the operation
}

// SAFETY: cryptostitch.h promises that several threads may use an operation.
unsafe impl Send for Operation {}
unsafe impl Sync for Operation {}

impl Drop for Operation {
    fn drop(&mut self) {
        // SAFETY: cst_pk_new made it, and nobody else has it.
        unsafe { sys::cst_pk_free(self.raw) }
    }
}

/// Where an operation is kept that all calls share.
pub(crate) type Shared = OnceLock<Operation>;

/// The status of a job that was right, but not begun because another was not.
const NOT_RUN: i32 = 1;

impl Operation {
    pub(crate) fn shared(at: &'static Shared, name: &CStr) -> Result<&'static Operation, Error> {
        made_once(at, || Operation::new(name))
    }

    fn new(name: &CStr) -> Result<Self, Error> {
        let context = default_context()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the operation holds a clone of the context.
        check(unsafe { sys::cst_pk_new(context.raw(), name.as_ptr(), ptr::null(), &mut raw) })?;
        Ok(Self { raw, _context: context.clone() })
    }

    pub(crate) fn raw(&self) -> *const sys::cst_pk {
        self.raw
    }

    /// Runs jobs that write nothing: whether each is right.
    pub(crate) fn verdicts(&self, mut jobs: Vec<sys::cst_pk_job>) -> Result<Vec<bool>, Error> {
        self.run(&mut jobs)?;
        Ok(jobs.iter().map(|job| job.status == sys::CST_OK).collect())
    }

    /// Runs jobs with results of at most `N` bytes: each one's result and how many bytes it has, or its error.
    pub(crate) fn results<const N: usize>(&self, mut jobs: Vec<sys::cst_pk_job>) -> Result<Vec<Outcome<N>>, Error> {
        let mut results = vec![[0; N]; jobs.len()];
        for (job, result) in jobs.iter_mut().zip(&mut results) {
            job.out = result.as_mut_ptr().cast();
            job.out_cap = N;
        }
        self.run(&mut jobs)?;
        Ok(jobs.iter().zip(results).map(|(job, result)| check(job.status).map(|()| (result, job.out_len))).collect())
    }

    /// An error if the jobs could not be run. That of one job alone, a wrong length too, is its status.
    fn run(&self, jobs: &mut [sys::cst_pk_job]) -> Result<(), Error> {
        match self.burst(jobs) {
            Err(Error::Length) => {}
            all => return all,
        }
        let mut right: Vec<_> = jobs.iter().copied().filter(|job| job.status == NOT_RUN).collect();
        self.burst(&mut right)?;
        for (job, done) in jobs.iter_mut().filter(|job| job.status == NOT_RUN).zip(right) {
            *job = done;
        }
        Ok(())
    }

    fn burst(&self, jobs: &mut [sys::cst_pk_job]) -> Result<(), Error> {
        // SAFETY: the callers' jobs have pointers to as many bytes as their lengths say.
        match check(unsafe { sys::cst_pk_burst(self.raw, jobs.as_mut_ptr(), jobs.len()) }) {
            Err(Error::Authentication | Error::Point | Error::SelfTest) => Ok(()),
            all => all,
        }
    }
}

pub(crate) type Outcome<const N: usize> = Result<([u8; N], usize), Error>;

/// The results of jobs that all have `N` bytes.
pub(crate) fn whole<const N: usize>(outcomes: Vec<Outcome<N>>) -> Vec<Result<[u8; N], Error>> {
    outcomes.into_iter().map(|outcome| outcome.map(|(result, _)| result)).collect()
}

pub(crate) fn job(key: &[u8], message: &[u8]) -> sys::cst_pk_job {
    sys::cst_pk_job {
        size: size_of::<sys::cst_pk_job>(),
        status: 0,
        key: key.as_ptr().cast(),
        key_len: key.len(),
        in_: message.as_ptr().cast(),
        in_len: message.len(),
        out: ptr::null_mut(),
        out_cap: 0,
        out_len: 0,
        signature: ptr::null(),
        signature_len: 0,
        prepared: ptr::null(),
    }
}

pub(crate) fn job_to_verify(key: &[u8], message: &[u8], signature: &[u8]) -> sys::cst_pk_job {
    sys::cst_pk_job { signature: signature.as_ptr().cast(), signature_len: signature.len(), ..job(key, message) }
}
