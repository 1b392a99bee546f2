//! Compiles the library from `vendor/`: the runtime, the parts of asmjit, libsodium and Zstandard that it needs, and
//! kernels that are already generated. It needs a C and a C++17 compiler, and neither Python, CMake nor a network.

use std::env;
use std::path::{Path, PathBuf};

/// Source files of the runtime that run once for a context: compiled for size (cmake/library.cmake of the project).
const COLD: &str = include_str!("vendor/cold.txt");
/// Definitions for asmjit and who includes it (cmake/asmjit_definitions.cmake of the project).
const ASMJIT: &str = include_str!("vendor/asmjit.txt");

/// All files below a folder whose names end like this.
fn sources(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("vendor/ is complete").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn base() -> cc::Build {
    let mut build = cc::Build::new();
    build.opt_level(2).warnings(false).pic(true);
    for flag in ["-fvisibility=hidden", "-fcf-protection", "-ffunction-sections", "-fdata-sections"] {
        build.flag_if_supported(flag);
    }
    build
}

fn cpp() -> cc::Build {
    let mut build = base();
    build.cpp(true).std("c++17").flag("-fno-rtti");
    build.flag_if_supported("-fvisibility-inlines-hidden");
    for (name, value) in ASMJIT.lines().filter_map(|line| line.split_once('=')) {
        build.define(name, value);
    }
    build
}

fn main() {
    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if os != "linux" || arch != "x86_64" {
        panic!("cryptostitch is for Linux on x86-64, not for {os} on {arch}");
    }
    let vendor = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("vendor");
    println!("cargo:rerun-if-changed=vendor");
    println!("cargo:include={}", vendor.join("include").display());

    let mut asmjit = cpp();
    asmjit.include(vendor.join("asmjit")).files(sources(&vendor.join("asmjit/asmjit"), "cpp"));
    asmjit.flag("-fno-exceptions").flag("-fno-threadsafe-statics");
    asmjit.compile("cst_asmjit");

    let cold: Vec<PathBuf> = COLD.lines().map(|name| vendor.join("runtime").join(format!("{name}.cpp"))).collect();
    for (name, hot) in [("cst_cold", false), ("cst_hot", true)] {
        let mut runtime = cpp();
        for folder in ["include", "runtime", "generated", "asmjit", "zstd/lib"] {
            runtime.include(vendor.join(folder));
        }
        let files = sources(&vendor.join("runtime"), "cpp");
        runtime.files(files.into_iter().filter(|file| cold.contains(file) != hot));
        runtime.flag_if_supported("-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign");
        if !hot {
            runtime.opt_level_str("s");
        }
        runtime.compile(name);
    }

    let mut data = base();
    data.include(vendor.join("include")).include(vendor.join("generated"));
    let pack = vendor.join("generated/default.pack");
    data.define("CST_DEFAULT_PACK", format!("\"{}\"", pack.display()).as_str());
    data.file(vendor.join("generated/default_pack.S")).file(vendor.join("generated/static_kernels.c"));
    data.object(vendor.join("generated/static_kernels.o"));
    data.compile("cst_data");

    let mut sodium = base();
    for folder in ["include", "include/sodium", "crypto_sign/ed25519/ref10"] {
        sodium.include(vendor.join("sodium").join(folder));
    }
    sodium.define("NATIVE_LITTLE_ENDIAN", "1").define("HAVE_TI_MODE", "1");
    sodium.flag("-include").flag(vendor.join("runtime/code/sodium_names.h").to_str().unwrap());
    sodium.files(sources(&vendor.join("sodium"), "c")).file(vendor.join("runtime/code/sodium_glue.c"));
    sodium.compile("cst_sodium");

    let mut zstd = base();
    zstd.include(vendor.join("zstd/lib")).opt_level_str("s");
    zstd.define("HUF_FORCE_DECOMPRESS_X1", "1").define("ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT", "1");
    zstd.define("DYNAMIC_BMI2", "0");
    zstd.flag("-include").flag(vendor.join("runtime/code/zstd_names.h").to_str().unwrap());
    zstd.file(vendor.join("zstd/build/single_file_libs/zstddeclib-in.c"));
    zstd.compile("cst_zstd");
    println!("cargo:rustc-link-lib=pthread");
}
