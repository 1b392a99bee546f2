#!/bin/sh
# From the crates to verified signatures.
set -eu
cargo new --quiet --vcs none program
cp "$SCRIPTS/signatures.rs" program/src/main.rs
cat >>program/Cargo.toml <<END
cryptostitch = { path = "$PACKAGES/rust/cryptostitch" }
END
cd program
cargo run --quiet --release
