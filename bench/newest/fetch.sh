#!/bin/sh
# fetch.sh KIND PACKAGE VERSION SHA256 DIR: unpacks what a line of `pins` names into DIR, if its checksum is right.
set -eu
KIND=$1 PACKAGE=$2 VERSION=$3 SHA256=$4 DIR=$(realpath -m "$5")
HERE=$(cd "$(dirname "$0")" && pwd)
[ "$(cat "$DIR/.sha256" 2>/dev/null || true)" = "$SHA256" ] && exit 0
rm -rf "$DIR"
mkdir -p "$DIR"

case $KIND in
crate)
    command -v cargo >/dev/null || { echo "no cargo here, which fetches crates (Debian's package: cargo)" >&2; exit 1; }
    # A package that depends on it and is never built makes cargo fetch it.
    mkdir "$DIR/src"
    : >"$DIR/src/lib.rs"
    printf '[package]\nname = "peer"\nversion = "0.0.0"\n[workspace]\n[dependencies]\n%s = "=%s"\n' \
        "$PACKAGE" "${VERSION%%+*}" >"$DIR/Cargo.toml"
    (cd "$DIR" && cargo fetch --quiet --target x86_64-unknown-linux-gnu)
    FILE=$(ls "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$PACKAGE-$VERSION.crate" | head -n 1)
    rm -r "$DIR"/*
    ;;
deb-*)
    RELEASE=${KIND#deb-} APT=$DIR.apt
    . "$HERE/../../cmake/debian_apt.sh"
    apt update
    (cd "$APT/src" && apt download "$PACKAGE=$VERSION")
    FILE=$(ls "$APT/src/$PACKAGE"_*.deb)
    ;;
file) FILE=$PACKAGE ;;
*) echo "no way to fetch '$KIND'; there are crate, deb-RELEASE, file" >&2; exit 1 ;;
esac

echo "$SHA256  $FILE" | sha256sum --check --status - || {
    echo "$FILE: its sha256 is $(sha256sum <"$FILE" | cut -c1-64), which is not the pinned one" >&2
    exit 1
}
case $FILE in
*.deb) dpkg-deb -x "$FILE" "$DIR" ;;
*) tar -xaf "$FILE" -C "$DIR" --strip-components=1 ;;
esac
echo "$SHA256" >"$DIR/.sha256"
