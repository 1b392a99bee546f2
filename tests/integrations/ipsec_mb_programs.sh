#!/bin/sh
# ipsec_mb_programs.sh DIR: the test programs of intel-ipsec-mb 1.3 into DIR, from Debian's source package, for the
# header and the shared library that the system has. Needs nasm, for what of them looks at registers.
set -eu
DIR=$(realpath -m "$1") HERE=$(cd "$(dirname "$0")" && pwd)
SHA256=9469c04f5a970989628b9a64ff6785ce60b5c42d32c1f5284c4c6e0c292cd83c
RELEASE=bookworm APT=$DIR/apt
mkdir -p "$DIR"
. "$HERE/../../cmake/debian_apt.sh"
apt update
(cd "$APT/src" && apt source --download-only --tar-only intel-ipsec-mb=1.3-2)
FILE=$(ls "$APT"/src/intel-ipsec-mb_*.orig.tar.*)
echo "$SHA256  $FILE" | sha256sum --check --status - || { echo "$FILE: not the pinned one" >&2; exit 1; }
tar -xaf "$FILE" -C "$DIR" --strip-components=1
for part in test test/wycheproof; do
    make -C "$DIR/$part" -j "$(nproc)" SHARED=y INSTPATH=/usr LIB_DIR=/usr/lib/x86_64-linux-gnu INC_DIR=/usr/include
done
