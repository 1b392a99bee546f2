use std::ffi::CStr;
use std::fmt;

use cryptostitch_sys as sys;

/// Why a call failed. After every error but [`Error::Authentication`], and [`Error::Limit`] of one among several packets,
/// nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// An argument that does not belong there: a key of another context or kind, or XTS keys that are equal; or a MAC
    /// key that the suite takes and that was not given.
    Argument,
    /// There is no suite of that name.
    Name,
    /// A length that the suite does not take, of a key, IV, tag, input or output.
    Length,
    /// Buffers overlap partially.
    Overlap,
    /// Authentication failed, whatever the cause; the output was wiped.
    Authentication,
    /// Neither this CPU nor this system can run it.
    Unsupported,
    /// There is not enough memory for what the C library needs, for the state of a message in parts, or for a job of a
    /// [`Manager`](crate::Manager). Where there is none for an `Arc`, or for a `Vec` of jobs, inputs or results, the
    /// program ends, as is usual in Rust.
    Memory,
    /// The system refused executable memory, and no compiled kernel does the work.
    ExecutableMemory,
    /// More blocks are lost than the erasure code restores.
    Lost,
    /// A key that must not be used: no point of the curve, one of small order, or a number out of range.
    Point,
    /// A result failed its check, because the machine erred.
    SelfTest,
    /// A key of QUIC packets has reached a limit of RFC 9001, 6.6, and must not be used any more.
    Limit,
    /// A [`Manager`](crate::Manager) holds as many jobs as it may.
    Full,
    /// Any other code of the C library.
    Other(i32),
}

impl Error {
    fn code(self) -> i32 {
        match self {
            Error::Argument => sys::CST_ERR_ARGUMENT,
            Error::Name => sys::CST_ERR_NAME,
            Error::Length => sys::CST_ERR_LENGTH,
            Error::Overlap => sys::CST_ERR_OVERLAP,
            Error::Authentication => sys::CST_ERR_AUTH,
            Error::Unsupported => sys::CST_ERR_UNSUPPORTED,
            Error::Memory => sys::CST_ERR_MEMORY,
            Error::ExecutableMemory => sys::CST_ERR_JIT,
            Error::Lost => sys::CST_ERR_LOST,
            Error::Point => sys::CST_ERR_POINT,
            Error::SelfTest => sys::CST_ERR_SELFTEST,
            Error::Limit => sys::CST_ERR_LIMIT,
            Error::Full => sys::CST_ERR_FULL,
            Error::Other(code) => code,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: cst_error_text returns a static string for every number.
        f.write_str(&unsafe { CStr::from_ptr(sys::cst_error_text(self.code())) }.to_string_lossy())
    }
}

impl std::error::Error for Error {}

/// Turns a code of the C library into a result.
pub(crate) fn check(code: i32) -> Result<(), Error> {
    Err(match code {
        sys::CST_OK => return Ok(()),
        sys::CST_ERR_ARGUMENT => Error::Argument,
        sys::CST_ERR_NAME => Error::Name,
        sys::CST_ERR_LENGTH => Error::Length,
        sys::CST_ERR_OVERLAP => Error::Overlap,
        sys::CST_ERR_AUTH => Error::Authentication,
        sys::CST_ERR_UNSUPPORTED => Error::Unsupported,
        sys::CST_ERR_MEMORY => Error::Memory,
        sys::CST_ERR_JIT => Error::ExecutableMemory,
        sys::CST_ERR_LOST => Error::Lost,
        sys::CST_ERR_POINT => Error::Point,
        sys::CST_ERR_SELFTEST => Error::SelfTest,
        sys::CST_ERR_LIMIT => Error::Limit,
        sys::CST_ERR_FULL => Error::Full,
        other => Error::Other(other),
    })
}
