//! The C functions of Cryptostitch, as `cryptostitch.h` declares and documents them. The crate `cryptostitch` has a
//! safe interface to them.
#![allow(non_camel_case_types, non_upper_case_globals)]

mod bindings;
pub use bindings::*;
