//! Managers: what comes back, in which order, and who owns it meanwhile.

use std::cell::Cell;
use std::collections::VecDeque;
use std::mem;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use cryptostitch::{default_context, Context, Direction, Done, Error, Job, Key, Kind, Manager, ManagerOptions, Suite};

fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + 1) * (2 * seed + 7) % 251) as u8).collect()
}

fn key_of(context: &Context, suite: &str) -> Arc<Key> {
    let suite = context.suite(suite).unwrap();
    Arc::new(suite.key(&pattern(suite.key_len(), 3)).unwrap())
}

fn gcm() -> Arc<Key> {
    key_of(default_context().unwrap(), "aes-128-gcm")
}

fn sealing<T>(key: &Arc<Key>, number: usize, data: T) -> Job<T> {
    Job::seal(key, pattern(12, number), pattern(number % 20, 1), pattern(30 * number, 2), data)
}

fn manager<T>(min_fill: usize, max_age: usize, capacity: usize) -> Manager<T> {
    Manager::new(default_context().unwrap(), ManagerOptions { min_fill, max_age, capacity }).unwrap()
}

fn all<T>(manager: &mut Manager<T>) -> Vec<Done<T>> {
    std::iter::from_fn(|| manager.take()).collect()
}

#[test]
fn jobs_come_back_once_in_the_order_of_their_bursts() {
    let (key, hash) = (gcm(), key_of(default_context().unwrap(), "sha256"));
    let mut manager = manager(4, 100, 50);
    let data = |manager: &mut Manager<usize>| all(manager).iter().map(|done| done.job.data).collect::<Vec<_>>();
    for number in 0..10 {
        manager.submit(sealing(&key, number, number)).unwrap();
        if number == 5 {
            manager.submit(Job::digest(&hash, b"abc", 77)).unwrap();
        }
    }
    assert_eq!(data(&mut manager), (0..8).collect::<Vec<_>>());
    assert!(manager.take().is_none());
    manager.flush();
    assert_eq!(data(&mut manager), [77, 8, 9]);
    manager.flush();
    assert!(manager.take().is_none());
    let counts = manager.counts();
    assert_eq!((counts.waiting, counts.done, counts.jobs, counts.bursts), (0, 0, 11, 4));
    assert_eq!((counts.full, counts.aged, counts.flushed), (2, 0, 2));
    assert_eq!(counts.limits, ManagerOptions { min_fill: 4, max_age: 100, capacity: 50 });
}

#[test]
fn no_job_grows_old() {
    let (key, hash) = (gcm(), key_of(default_context().unwrap(), "sha256"));
    let mut manager = manager(32, 3, 0);
    manager.submit(Job::digest(&hash, b"abc", 0)).unwrap();
    for number in 1..4 {
        manager.submit(sealing(&key, number, number)).unwrap();
        assert_eq!(manager.take().is_some(), number == 3, "{number}");
    }
    assert_eq!((manager.counts().aged, manager.counts().waiting), (1, 3));
}

#[test]
fn limits() {
    let context = default_context().unwrap();
    let new = |min_fill, capacity| {
        Manager::<()>::new(context, ManagerOptions { min_fill, max_age: 0, capacity }).map(|made| made.counts().limits)
    };
    assert_eq!(new(0, 0), Ok(ManagerOptions { min_fill: 32, max_age: 256, capacity: 1024 }));
    for (min_fill, capacity) in [(1025, 0), (2, 1), (usize::MAX, 0), (0, usize::MAX), (0, 31)] {
        assert_eq!(new(min_fill, capacity), Err(Error::Argument), "{min_fill} {capacity}");
    }
}

/// A key of any suite.
fn any_key(suite: &Suite) -> Arc<Key> {
    let key = pattern(suite.key_len(), 5);
    let macs = [0, 16, 32].map(|mac_len| suite.key_and_mac_key(&key, &pattern(mac_len, 6)));
    Arc::new(macs.into_iter().flatten().next().unwrap())
}

/// Runs the job by itself and returns text, tag and result. `expansion` belongs to a suite that has an output.
fn alone(job: &Job<usize>, expansion: Option<usize>) -> (Vec<u8>, Vec<u8>, Result<(), Error>) {
    let (mut text, mut tag) = (vec![0; expansion.map_or(0, |more| job.text.len() + more)], job.tag.clone());
    let Job { key, iv, aad, .. } = job;
    let result = match job.direction {
        Direction::Seal => key.seal(iv, aad, &job.text, &mut text, &mut tag),
        Direction::Open => key.open(iv, aad, &job.text, &mut text, &tag),
    };
    text.truncate(result.unwrap_or(0));
    (text, tag, result.map(|_| ()))
}

/// All suites that this CPU can run, with texts that some of them refuse or pad: sealed, opened and damaged.
#[test]
fn every_suite_gives_what_it_gives_alone() {
    let context = Context::new().unwrap();
    let mut manager = Manager::new(&context, ManagerOptions { min_fill: 3, max_age: 40, capacity: 0 }).unwrap();
    let (mut wanted, mut done, mut refused, mut longer) = (Vec::new(), Vec::new(), 0, 0);
    let names = context.suites().unwrap();
    for suite in names.iter().flat_map(|name| context.suite(name)) {
        let (key, is_text) = (any_key(&suite), matches!(suite.kind(), Kind::Cipher | Kind::Aead));
        let expansion = is_text.then_some(suite.expansion());
        for (len, aad_len) in [(0, 0), (64, 0), (64, 8), (64, 13), (37, 0), (37, 13), (512, 12)] {
            let (iv, aad) = (pattern(suite.iv_len(), len), pattern(aad_len, 2));
            let sealed = Job::seal(&key, iv, aad, pattern(len, 9), wanted.len());
            let (text, tag, result) = alone(&sealed, expansion);
            let mut jobs = VecDeque::from([sealed]);
            if result.is_ok() {
                longer += usize::from(text.len() > len);
                for damage in 0..3usize {
                    let Job { iv, aad, .. } = &jobs[0];
                    let (iv, aad) = (iv.clone(), aad.clone());
                    let text = if is_text { text.clone() } else { pattern(len, 9) };
                    let mut job = Job::open(&key, iv, aad, text, tag.clone(), wanted.len() + 1 + damage);
                    match damage {
                        1 => job.tag.iter_mut().take(1).for_each(|byte| *byte ^= 1),
                        2 => job.text.iter_mut().take(1).for_each(|byte| *byte ^= 1),
                        _ => {}
                    }
                    jobs.push_back(job);
                }
            }
            for job in jobs {
                let expected = alone(&job, expansion);
                let (direction, text) = (job.direction, job.text.clone());
                match manager.submit(job) {
                    Ok(_) => wanted.push(Some((expected, is_text, direction, text))),
                    Err(not) => {
                        assert_eq!((Err(not.error), not.job.text), (expected.2, text));
                        refused += 1;
                    }
                }
                done.extend(all(&mut manager));
            }
        }
    }
    manager.flush();
    done.extend(all(&mut manager));
    assert!(wanted.len() > 500 && refused > 100 && longer > 20, "{} {refused} {longer}", wanted.len());
    assert_eq!(done.len(), wanted.len());
    let mut forged = 0;
    for Done { job, result } in done {
        let ((text, tag, expected), is_text, direction, message) = wanted[job.data].take().expect("it comes once");
        assert_eq!(result, expected);
        assert_eq!((&job.text, &job.tag), (if is_text { &text } else { &message }, &tag), "{direction:?}");
        forged += usize::from(result == Err(Error::Authentication));
    }
    assert!(forged > 100, "{forged}");
}

#[test]
fn what_is_refused_comes_back_as_it_was() {
    let (key, other) = (gcm(), Context::new().unwrap());
    let foreign = key_of(&other, "aes-128-gcm");
    let mut manager = manager(2, 0, 2);
    let wrong: [(Job<&str>, Error); 5] = [
        (Job::seal(&foreign, [1; 12], [], *b"text", "a"), Error::Argument),
        (Job::seal(&key, [], [], *b"text", "b"), Error::Length),
        (Job { tag: vec![0; 17], ..Job::seal(&key, [1; 12], [], *b"text", "c") }, Error::Length),
        (Job::open(&key, [1; 12], [], *b"text", [0; 4], "d"), Error::Length),
        (Job::open(&key, [1; 12], [], *b"text", [], "e"), Error::Length),
    ];
    for (job, error) in wrong {
        let (data, text, address) = (job.data, job.text.clone(), job.text.as_ptr());
        let refused = manager.submit(job).unwrap_err();
        assert_eq!((refused.error, refused.job.data, &refused.job.text), (error, data, &text));
        assert_eq!(refused.job.text.as_ptr(), address);
        assert!(!format!("{refused:?} {refused}").contains("116"), "no text is printed");
    }
    let padded = default_context().unwrap().suite("a128cbc-hs256").unwrap();
    let padded = Arc::new(padded.key(&pattern(32, 1)).unwrap());
    let refused = manager.submit(Job::seal(&padded, [1; 3], [], *b"text", "f")).unwrap_err();
    assert_eq!(refused.job.text, b"text");
    assert_eq!(Error::from(refused), Error::Length);

    assert_eq!(manager.counts().waiting, 0);
    for data in ["g", "h"] {
        manager.submit(sealing(&key, 3, data)).unwrap();
    }
    let mut refused = manager.submit(sealing(&key, 4, "i")).unwrap_err();
    assert_eq!((refused.error, refused.error.to_string().is_empty()), (Error::Full, false));
    assert_eq!(manager.take().unwrap().job.data, "g");
    manager.submit(refused.job).unwrap();
    refused = manager.submit(sealing(&key, 4, "j")).unwrap_err();
    assert_eq!(refused.error, Error::Full);
    assert_eq!(manager.take().unwrap().job.data, "h");
    manager.flush();
    assert_eq!(manager.take().unwrap().job.data, "i");
}

#[test]
fn a_forgery_is_that_of_one_job() {
    let key = gcm();
    for n in [1, 3, 8, 17, 64] {
        for bad in [0, n / 2, n - 1] {
            let mut manager = manager(n, 0, 0);
            for number in 0..n {
                let job = sealing(&key, number + 1, number);
                let (text, mut tag, _) = alone(&job, Some(0));
                tag[0] ^= u8::from(number == bad);
                manager.submit(Job::open(&key, job.iv, job.aad, text, tag, number)).unwrap();
            }
            for Done { job, result } in all(&mut manager) {
                let right = job.data != bad;
                assert_eq!(result, if right { Ok(()) } else { Err(Error::Authentication) });
                assert_eq!(job.text, if right { pattern(30 * (job.data + 1), 2) } else { vec![] });
            }
        }
    }
}

#[test]
fn buffers_stay_where_they_are() {
    let key = gcm();
    let mut manager = manager(200, 0, 0);
    let mut addresses = Vec::new();
    for number in 1..150 {
        let job = sealing(&key, number, Box::new(number));
        addresses.push([job.iv.as_ptr(), job.text.as_ptr(), job.tag.as_ptr(), (&raw const *job.data).cast()]);
        manager.submit(job).unwrap();
    }
    let mut manager = Box::new(manager); // moved
    manager.flush();
    for Done { job, result } in all(&mut manager) {
        assert_eq!(result, Ok(()));
        let there = [job.iv.as_ptr(), job.text.as_ptr(), job.tag.as_ptr(), (&raw const *job.data).cast()];
        assert_eq!(there, addresses[*job.data - 1]);
    }
}

#[test]
fn a_job_that_waits_can_be_taken_back() {
    let key = gcm();
    let mut manager = manager(3, 0, 0);
    let tickets = [0, 1].map(|number| manager.submit(sealing(&key, number + 1, number)).unwrap());
    let mut other = self::manager::<usize>(3, 0, 0);
    assert!(other.submit(sealing(&key, 1, 9)).unwrap() != tickets[0]);
    assert!(other.cancel(tickets[0]).is_none());
    let back = manager.cancel(tickets[0]).unwrap();
    assert_eq!((back.data, back.text), (0, pattern(30, 2)));
    assert!(manager.cancel(tickets[0]).is_none());
    let third = manager.submit(sealing(&key, 3, 2)).unwrap();
    manager.flush();
    assert!(manager.cancel(tickets[1]).is_none(), "it has run");
    assert_eq!(all(&mut manager).iter().map(|done| done.job.data).collect::<Vec<_>>(), [1, 2]);
    assert!(manager.cancel(third).is_none());
    let padded = default_context().unwrap().suite("a128cbc-hs256").unwrap();
    let padded = Arc::new(padded.key(&pattern(32, 1)).unwrap());
    let ticket = manager.submit(Job::seal(&padded, [1; 16], [], *b"text", 3)).unwrap();
    assert_eq!(manager.cancel(ticket).unwrap().text, b"text");
}

/// Counts how many were dropped; one of them panics. The alignment is more than that of a `cst_job`.
#[repr(align(256))]
struct Counted(Rc<Cell<usize>>, bool);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
        assert!(!self.1, "as the test wants it");
    }
}

fn with_jobs(dropped: &Rc<Cell<usize>>, key: &Arc<Key>, panics: usize) -> Manager<Counted> {
    let mut manager = manager(4, 0, 0);
    for number in 0..10 {
        manager.submit(sealing(key, number, Counted(dropped.clone(), number == panics))).unwrap();
    }
    assert_eq!((manager.counts().waiting, manager.counts().done), (2, 8));
    manager
}

#[test]
fn jobs_inside_are_dropped_with_the_manager() {
    let (key, dropped) = (gcm(), Rc::new(Cell::new(0)));
    drop(with_jobs(&dropped, &key, usize::MAX));
    assert_eq!((dropped.replace(0), Arc::strong_count(&key)), (10, 1));

    let mut some = with_jobs(&dropped, &key, usize::MAX);
    drop(some.take());
    mem::forget(some.take());
    drop(some);
    assert_eq!((dropped.replace(0), Arc::strong_count(&key)), (9, 2));

    let manager = with_jobs(&dropped, &key, 5);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(manager))).is_err());
    assert_eq!((dropped.replace(0), Arc::strong_count(&key)), (10, 2));

    mem::forget(with_jobs(&dropped, &key, 5));
    assert_eq!((dropped.get(), Arc::strong_count(&key)), (0, 12));
}

#[test]
fn a_panic_between_leaves_a_manager_that_works() {
    let (key, mut manager) = (gcm(), manager(4, 0, 0));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        for number in 0..6 {
            manager.submit(sealing(&key, number, number)).unwrap();
        }
        let done = manager.take();
        panic!("as the test wants it: {done:?}");
    }));
    assert!(panicked.is_err());
    manager.flush();
    assert_eq!(all(&mut manager).iter().map(|done| done.job.data).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_manager_goes_to_another_thread_and_keeps_what_it_needs() {
    let context = Context::new().unwrap();
    let key = key_of(&context, "chacha20-poly1305");
    let mut manager = Manager::new(&context, ManagerOptions::default()).unwrap();
    let jobs: Vec<_> = (0..40).map(|number| sealing(&key, number, number)).collect();
    let wanted: Vec<_> = jobs.iter().map(|job| alone(job, Some(0))).collect();
    for job in jobs {
        manager.submit(job).unwrap();
    }
    drop((key, context));
    let done = thread::spawn(move || {
        manager.flush();
        all(&mut manager)
    });
    for Done { job, result } in done.join().unwrap() {
        assert_eq!((job.text, job.tag, result), wanted[job.data]);
    }
}
