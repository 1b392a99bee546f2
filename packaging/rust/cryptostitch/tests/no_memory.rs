//! What a call returns where the system has no memory: Rust's allocator refuses one allocation of the thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::Arc;

use cryptostitch::{default_context, Error, Job, Key, Manager, ManagerOptions};

struct Refusing;

thread_local! {
    static REFUSED: Cell<Option<usize>> = const { Cell::new(None) }; // after so many allocations
}

// SAFETY: it is the system's allocator, or refuses.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match REFUSED.replace(None) {
            Some(0) => return ptr::null_mut(),
            Some(left) => REFUSED.set(Some(left - 1)),
            None => {}
        }
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller says; all blocks are the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// The call's result when its allocation of that number is refused; `None`: it makes fewer.
fn refusing<R>(number: usize, call: impl FnOnce() -> R) -> Option<R> {
    REFUSED.set(Some(number));
    let result = call();
    REFUSED.replace(None).is_none().then_some(result)
}

fn key_of(suite: &str) -> Key {
    let suite = default_context().unwrap().suite(suite).unwrap();
    suite.key(&vec![7; suite.key_len()]).unwrap()
}

/// The call panics when its first allocation is refused, and says why.
#[track_caller]
fn panics(call: &dyn Fn()) {
    let caught = refusing(0, || catch_unwind(AssertUnwindSafe(call))).unwrap().unwrap_err();
    let said = caught.downcast::<String>().unwrap();
    assert!(said.ends_with(&Error::Memory.to_string()), "{said}");
}

#[test]
fn parts_of_messages() {
    let key = key_of("aes-128-gcm");
    let begun = || key.sealing(&[1; 12], b"header").map(|_| ());
    assert_eq!(refusing(0, begun), Some(Err(Error::Memory)));
    assert_eq!(refusing(0, || key.opening(&[1; 12], b"header").map(|_| ())), Some(Err(Error::Memory)));
    assert_eq!(refusing(1, begun), None);

    let hash = key_of("sha256");
    let message = hash.message();
    panics(&|| drop(hash.message()));
    panics(&|| drop(message.clone()));
}

#[cfg(feature = "digest")]
#[test]
fn hashers() {
    use cryptostitch::digest::Sha256;
    let hasher = Sha256::try_new().unwrap();
    assert_eq!(refusing(0, || Sha256::try_new().map(|_| ())), Some(Err(Error::Memory)));
    assert_eq!(refusing(1, || Sha256::try_new().map(|_| ())), None);
    panics(&|| drop(Sha256::default()));
    panics(&|| drop(hasher.clone()));
}

/// A manager that is out of memory gives the job back as it was, and takes it in later.
#[test]
fn jobs() {
    for (suite, iv_len, allocations) in [("aes-128-gcm", 12, 2), ("a128cbc-hs256", 16, 3)] {
        let key = Arc::new(key_of(suite));
        let sealed = |refused: Option<usize>| {
            let mut manager = Manager::new(default_context().unwrap(), ManagerOptions::default()).unwrap();
            let mut job = Job::seal(&key, vec![1; iv_len], b"header", vec![5; 31], 42);
            job.text.shrink_to_fit();
            let result = match refused {
                Some(number) => refusing(number, || manager.submit(job))?,
                None => manager.submit(job),
            };
            if let Err(refused) = result {
                assert_eq!((refused.error, refused.job.data), (Error::Memory, 42));
                assert_eq!((&refused.job.text, manager.counts().jobs), (&vec![5; 31], 0));
                manager.submit(refused.job).unwrap();
            }
            manager.flush();
            let done = manager.take().unwrap();
            assert_eq!((done.result, done.job.data, manager.counts().jobs), (Ok(()), 42, 1));
            Some((done.job.text, done.job.tag))
        };
        let wanted = sealed(None);
        let tried = (0..).map(|number| sealed(Some(number))).take_while(Option::is_some);
        assert_eq!(tried.inspect(|result| assert_eq!(result, &wanted)).count(), allocations);
    }
}
