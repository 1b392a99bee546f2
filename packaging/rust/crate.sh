#!/bin/sh
# The Rust crates into build/packages/rust, of the kernels that build/ has: sources of everything that is compiled, so
# that whoever uses them needs a compiler and Cargo alone. bindgen makes the declarations of the C functions.
set -eu
cd "$(dirname "$0")/../.."
out=$PWD/build/packages/rust deps=$PWD/build/_deps
bindgen_version=0.72.1 libclang_version=18.1.1
rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' packaging/rust/Cargo.toml)
command -v cargo >/dev/null || { echo "crate.sh: the crates need Cargo (https://rustup.rs)" >&2; exit 1; }

mkdir -p "$out"
find "$out" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
(cd packaging/rust && cp -r Cargo.toml rustfmt.toml cryptostitch-sys cryptostitch "$out")
sys=$out/cryptostitch-sys vendor=$out/cryptostitch-sys/vendor
mkdir -p "$vendor/generated" "$vendor/asmjit/asmjit" "$vendor/sodium" "$vendor/zstd/build/single_file_libs"
cp -r include runtime "$vendor"
find "$vendor" -name '*.md' -delete
(cd build/generated && cp default.pack static_kernels.o static_kernels.c cryptostitch_kernels.h instruction_table.inc \
    row_rules.inc "$vendor/generated")
cp cmake/default_pack.S "$vendor/generated"
# the list of cmake/library.cmake
tr '\n' ' ' <cmake/library.cmake | sed 's/.*foreach(_cold \([^)]*\)).*/\1/' | tr -s ' ' '\n' >"$vendor/cold.txt"
tr '\n' ' ' <cmake/asmjit_definitions.cmake | sed 's/.*set(CST_ASMJIT_DEFINITIONS \([^)]*\)).*/\1/' |
    tr -s ' ' '\n' >"$vendor/asmjit.txt"

for folder in core x86; do cp -r "$deps/asmjit-src/src/asmjit/$folder" "$vendor/asmjit/asmjit"; done
cp "$deps"/asmjit-src/src/asmjit/*.h "$vendor/asmjit/asmjit"
sodium=$deps/sodium-src/src/libsodium
sed -n 's/.*"${_sodium}\/\([a-z0-9_\/]*\.c\)".*"${_sodium}\/\([a-z0-9_\/]*\.c\)".*/\1 \2/p' cmake/sodium.cmake |
    tr ' ' '\n' | while read -r file; do
    mkdir -p "$vendor/sodium/$(dirname "$file")"
    cp "$sodium/$file" "$vendor/sodium/$file"
done
(cd "$sodium" && find . -name '*.h' -exec cp --parents -t "$vendor/sodium" {} +)
(cd "$deps/zstd-src" && cp -r --parents lib/common lib/decompress lib/*.h build/single_file_libs/zstddeclib-in.c \
    "$vendor/zstd")
cp LICENSE "$sys"
cp LICENSE "$out/cryptostitch"
cp "$deps/asmjit-src/LICENSE.md" "$sys/LICENSE.asmjit"
cp "$deps/sodium-src/LICENSE" "$sys/LICENSE.libsodium"
cp "$deps/zstd-src/LICENSE" "$sys/LICENSE.zstd"

tools=$PWD/build/cargo-tools
if ! "$tools/bin/bindgen" --version 2>/dev/null | grep -q " $bindgen_version$"; then
    cargo install --quiet --locked --root "$tools" "bindgen-cli@$bindgen_version"
fi
[ -d "$tools/libclang/clang" ] ||
    .venv/bin/pip install -q --no-deps --target "$tools/libclang" "libclang==$libclang_version"
LIBCLANG_PATH=$tools/libclang/clang/native "$tools/bin/bindgen" --allowlist-item '(cst|CST)_.*' --no-layout-tests \
    --rust-target "$rust" --default-enum-style consts --no-prepend-enum-name --use-core --generate-cstr \
    --rustfmt-configuration-file "$out/rustfmt.toml" \
    "$vendor/include/cryptostitch/cryptostitch.h" -o "$sys/src/bindings.rs" -- -I"$vendor/include"
# the lock has versions that the oldest compiler takes
export CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback
(cd "$out" && cargo generate-lockfile --quiet && cargo package --quiet --allow-dirty --no-verify)
ls "$out"/target/package/*.crate
