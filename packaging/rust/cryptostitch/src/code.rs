use std::ptr;

use cryptostitch_sys as sys;

use crate::context::Context;
use crate::error::{check, Error};

/// Factors of an erasure code; those of ISA-L's `gf_gen_cauchy1_matrix` and `gf_gen_rs_matrix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// Any blocks may be lost, as many as there are parities.
    Cauchy,
    /// The first parity is RAID-5's P, the second RAID-6's Q.
    Vandermonde,
}

/// An erasure code over GF(2^8): so many blocks of data, and so many of parity, all of one length.
///
/// ```
/// use cryptostitch::{ErasureCode, Matrix};
/// let code = ErasureCode::new(cryptostitch::default_context()?, 2, 1, Matrix::Cauchy)?;
/// let (a, b, mut parity) = (*b"first", *b"other", [0; 5]);
/// code.encode(&[&a, &b], &mut [&mut parity])?;
/// let (mut restored, mut b) = ([0; 5], b);
/// code.decode(&mut [&mut restored, &mut b, &mut parity], &[true, false, false])?;
/// assert_eq!(restored, a);
/// # Ok::<(), cryptostitch::Error>(())
/// ```
pub struct ErasureCode {
    raw: *mut sys::cst_code,
    data: usize,
    parity: usize,
    _context: Context, // it must outlive the code
}

// SAFETY: cryptostitch.h promises that several threads may use a code.
unsafe impl Send for ErasureCode {}
unsafe impl Sync for ErasureCode {}

impl Drop for ErasureCode {
    fn drop(&mut self) {
        // SAFETY: cst_code_new made it, and nobody else has it.
        unsafe { sys::cst_code_free(self.raw) }
    }
}

fn one_length<T: AsRef<[u8]>>(blocks: &[T], number: usize) -> Result<usize, Error> {
    let bytes = blocks.first().map_or(0, |block| block.as_ref().len());
    let fits = blocks.len() == number && blocks.iter().all(|block| block.as_ref().len() == bytes);
    if fits {
        Ok(bytes)
    } else {
        Err(Error::Length)
    }
}

impl ErasureCode {
    /// `data` and `parity` are at least 1, and together at most 255.
    pub fn new(context: &Context, data: usize, parity: usize, matrix: Matrix) -> Result<Self, Error> {
        let number = |n: usize| u32::try_from(n).map_err(|_| Error::Argument);
        let shape = sys::cst_code_shape {
            size: size_of::<sys::cst_code_shape>(),
            data: number(data)?,
            parity: number(parity)?,
            matrix: match matrix {
                Matrix::Cauchy => sys::CST_CODE_CAUCHY as i32,
                Matrix::Vandermonde => sys::CST_CODE_VANDERMONDE as i32,
            },
            kernel: ptr::null(),
        };
        let mut raw = ptr::null_mut();
        // SAFETY: the code holds a clone of the context.
        check(unsafe { sys::cst_code_new(context.raw(), &shape, &mut raw) })?;
        Ok(Self { raw, data, parity, _context: context.clone() })
    }

    /// Makes the parities. [`Error::Length`]: another number of blocks, or blocks of several lengths.
    pub fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Error> {
        let bytes = one_length(data, self.data)?;
        if one_length(parity, self.parity)? != bytes {
            return Err(Error::Length);
        }
        let from: Vec<_> = data.iter().map(|block| block.as_ptr().cast()).collect();
        let to: Vec<_> = parity.iter_mut().map(|block| block.as_mut_ptr().cast()).collect();
        // SAFETY: so many blocks of so many bytes each, as was checked.
        check(unsafe { sys::cst_code_encode(self.raw, bytes, from.as_ptr(), to.as_ptr()) })
    }

    /// Restores the lost blocks of all data and, behind it, all parity. [`Error::Lost`]: they are too many.
    pub fn decode(&self, blocks: &mut [&mut [u8]], lost: &[bool]) -> Result<(), Error> {
        let bytes = one_length(blocks, self.data + self.parity)?;
        if lost.len() != blocks.len() {
            return Err(Error::Length);
        }
        let lost: Vec<u8> = lost.iter().map(|&is| is.into()).collect();
        let all: Vec<_> = blocks.iter_mut().map(|block| block.as_mut_ptr().cast()).collect();
        // SAFETY: as in `encode`.
        check(unsafe { sys::cst_code_decode(self.raw, bytes, all.as_ptr(), lost.as_ptr()) })
    }

    /// Whether all parities are those of the data.
    pub fn check(&self, blocks: &[&[u8]]) -> Result<bool, Error> {
        let bytes = one_length(blocks, self.data + self.parity)?;
        let all: Vec<_> = blocks.iter().map(|block| block.as_ptr().cast()).collect();
        let mut right = 0;
        // SAFETY: as in `encode`.
        check(unsafe { sys::cst_code_check(self.raw, bytes, all.as_ptr(), &mut right) })?;
        Ok(right == 1)
    }
}
