use std::alloc::{alloc, Layout};

use crate::error::Error;

/// A box of the value, or the value where there is no memory.
pub(crate) fn try_box<T>(value: T) -> Result<Box<T>, (Error, T)> {
    let layout = Layout::new::<T>();
    assert_ne!(layout.size(), 0, "`alloc` makes no blocks of 0 bytes");
    // SAFETY: the block is as large and as aligned as T, and it is written before it becomes a box.
    unsafe {
        let block = alloc(layout).cast::<T>();
        if block.is_null() {
            return Err((Error::Memory, value));
        }
        block.write(value);
        Ok(Box::from_raw(block))
    }
}
