use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, OnceLock};

use cryptostitch_sys as sys;

use crate::error::{check, Error};
use crate::key::{Digests, Key};

/// Owns a `cst_ctx`: what the library found out about the CPU, its kernels and their code. Clones share it, and keys
/// keep it alive.
#[derive(Clone)]
pub struct Context(Arc<Owned>);

struct Owned(*mut sys::cst_ctx);

// SAFETY: cryptostitch.h promises that a context may be used by any number of threads, but for functions that this
// crate does not call.
unsafe impl Send for Owned {}
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: nobody else has it: suites, keys and codes hold a clone of the Context.
        unsafe { sys::cst_ctx_free(self.0) }
    }
}

/// What a context may use; `Options::default()` is everything that this CPU has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Only kernels that were compiled before; no executable memory is ever asked for.
    pub without_jit: bool,
    /// Offers the legacy suites too, whose algorithms are broken or take a time that depends on secrets.
    pub legacy: bool,
    /// Lowers what is used of the CPU: `host-no_avx512`, `sse_aesni`, ... ([`Error::Name`]: there is no such name).
    pub target: Option<&'a str>,
    /// A cost file, which decides which kernels are chosen.
    pub costs: Option<&'a Path>,
}

impl Context {
    /// Makes a context for this CPU; takes some milliseconds.
    pub fn new() -> Result<Self, Error> {
        Self::with_options(&Options::default())
    }

    /// Makes a context with other settings.
    ///
    /// ```
    /// use cryptostitch::{Context, Options};
    /// let options = Options { without_jit: true, target: Some("host-no_avx512"), ..Options::default() };
    /// assert!(Context::with_options(&options)?.suite("sha256").is_ok());
    /// # Ok::<(), cryptostitch::Error>(())
    /// ```
    pub fn with_options(options: &Options<'_>) -> Result<Self, Error> {
        let target = options.target.map(CString::new).transpose().map_err(|_| Error::Name)?;
        let costs = options.costs.map(|path| CString::new(path.as_os_str().as_bytes())).transpose();
        let costs = costs.map_err(|_| Error::Argument)?;
        // SAFETY: a struct of numbers and pointers may be all zeros.
        let mut given: sys::cst_options = unsafe { std::mem::zeroed() };
        given.size = size_of::<sys::cst_options>();
        given.flags |= if options.without_jit { sys::CST_NO_JIT } else { 0 };
        given.flags |= if options.legacy { sys::CST_ALLOW_LEGACY } else { 0 };
        given.target = target.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        given.costs = costs.as_ref().map_or(ptr::null(), |path| path.as_ptr());
        let mut raw = ptr::null_mut();
        // SAFETY: the strings live during the call, which copies them.
        check(unsafe { sys::cst_ctx_new(&mut raw, &given) })?;
        Ok(Self(Arc::new(Owned(raw))))
    }

    /// Finds a suite by its name. [`Error::Name`]: there is none; [`Error::Unsupported`]: this CPU cannot run it.
    pub fn suite(&self, name: &str) -> Result<Suite, Error> {
        let name = CString::new(name).map_err(|_| Error::Name)?;
        let mut raw = ptr::null();
        // SAFETY: the suite lives as long as the context, of which the Suite holds a clone.
        check(unsafe { sys::cst_suite_get(self.raw(), name.as_ptr(), &mut raw) })?;
        Ok(Suite { raw, context: self.clone() })
    }

    /// The names of all suites, those included that this CPU cannot run.
    pub fn suites(&self) -> Result<Vec<String>, Error> {
        unsafe extern "C" fn add(name: *const c_char, names: *mut c_void) -> c_int {
            let names = unsafe { &mut *names.cast::<Vec<String>>() };
            names.push(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
            0
        }
        let mut names = Vec::<String>::new();
        // SAFETY: `add` is called during this call alone.
        check(unsafe { sys::cst_list(self.raw(), sys::CST_NAME_SUITE as c_int, Some(add), (&raw mut names).cast()) })?;
        Ok(names)
    }

    pub(crate) fn raw(&self) -> *mut sys::cst_ctx {
        self.0 .0
    }
}

/// What a suite does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Digests and checksums, which have no key.
    Digest,
    /// Tags under a key.
    Mac,
    /// Encryption without a tag.
    Cipher,
    /// Encryption with authentication.
    Aead,
}

/// One algorithm, or a cipher with a MAC.
#[derive(Clone)]
pub struct Suite {
    raw: *const sys::cst_suite,
    context: Context,
}

// SAFETY: a suite is immutable.
unsafe impl Send for Suite {}
unsafe impl Sync for Suite {}

impl Suite {
    fn info(&self) -> sys::cst_suite_info {
        // SAFETY: all fields may be 0 but `size`, and the call cannot fail for a suite and a struct of this size.
        unsafe {
            let mut info: sys::cst_suite_info = std::mem::zeroed();
            info.size = size_of::<sys::cst_suite_info>();
            sys::cst_suite_info_get(self.raw, &mut info);
            info
        }
    }

    /// What it does.
    pub fn kind(&self) -> Kind {
        match self.info().kind as _ {
            sys::CST_DIGEST => Kind::Digest,
            sys::CST_MAC => Kind::Mac,
            sys::CST_CIPHER => Kind::Cipher,
            _ => Kind::Aead,
        }
    }

    /// Bytes of the usual key, without the MAC's; 0: none.
    pub fn key_len(&self) -> usize {
        self.info().key_bytes
    }

    /// Bytes of the usual IV; 0: none.
    pub fn iv_len(&self) -> usize {
        self.info().iv_bytes
    }

    /// Bytes of the longest usual tag, MAC or digest; 0: none.
    pub fn tag_len(&self) -> usize {
        self.info().tag_max
    }

    /// Most bytes by which the output exceeds the input.
    pub fn expansion(&self) -> usize {
        self.info().expansion
    }

    /// Expands the key of a suite that takes no MAC key; of a digest, an empty one. With a suite that takes a MAC key
    /// (`hmac-*`, and a cipher with one) it is `Error::Argument`: see [`Suite::key_and_mac_key`].
    pub fn key(&self, key: &[u8]) -> Result<Key, Error> {
        self.make_key(key, None)
    }

    /// Expands the keys of a cipher and of a MAC. Of a MAC alone, `key` is empty. The MAC key of a suite that
    /// authenticates a cipher is not empty, otherwise it is `Error::Length`.
    pub fn key_and_mac_key(&self, key: &[u8], mac_key: &[u8]) -> Result<Key, Error> {
        self.make_key(key, Some(mac_key))
    }

    fn make_key(&self, key: &[u8], mac_key: Option<&[u8]>) -> Result<Key, Error> {
        let mac_start = mac_key.map_or(ptr::null(), |bytes| bytes.as_ptr().cast());
        let mac_len = mac_key.map_or(0, <[u8]>::len);
        let mut raw = ptr::null_mut();
        // SAFETY: the buffers are read during the call; the Key holds a clone of the context.
        check(unsafe { sys::cst_key_new(self.raw, key.as_ptr().cast(), key.len(), mac_start, mac_len, &mut raw) })?;
        let info = self.info();
        let enciphers = matches!(info.kind as _, sys::CST_CIPHER | sys::CST_AEAD);
        Ok(Key::new(raw, info.tag_max, enciphers.then_some(info.expansion), self.context.clone()))
    }
}

/// The context of [`hash_many`], made on its first use; for programs that need no other. After an error the next call
/// tries again.
pub fn default_context() -> Result<&'static Context, Error> {
    static DEFAULT: OnceLock<Context> = OnceLock::new();
    made_once(&DEFAULT, Context::new)
}

/// What was made by the first call that did not fail. An error is that of the call alone. `make` holds no lock, so that
/// a child which is forked meanwhile does not wait for it; of two threads' results one is dropped.
pub(crate) fn made_once<T>(at: &OnceLock<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if let Some(made) = at.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(at.get_or_init(|| made))
}

/// The digest of every item by the algorithm of that name. [`Key::digest_many`] of a digest's empty key does the same
/// without looking up the name. [`Error::Argument`]: the suite is not a digest, as `hmac-sha256`, which has a key.
pub fn hash_many<T: AsRef<[u8]>>(name: &str, items: &[T]) -> Result<Digests, Error> {
    let suite = default_context()?.suite(name)?;
    if suite.kind() != Kind::Digest {
        return Err(Error::Argument);
    }
    suite.key(&[])?.digest_many(items)
}
