#!/bin/sh
# fetch_debian_source.sh PACKAGE RELEASE SHA256 DIR CMAKE: puts the upstream source of a Debian source package into DIR.
# Exit status 0: it is there and its checksum is right. CMake unpacks it: tar would want a program for xz.
set -eu

PACKAGE=$1 RELEASE=$2 SHA256=$3 DIR=$4 CMAKE=$5
STAMP="$DIR/.sha256"

[ "$(cat "$STAMP" 2>/dev/null || true)" = "$SHA256" ] && exit 0
APT="$DIR.apt"
. "$(dirname "$0")/debian_apt.sh"
rm -rf "$DIR"
apt update
(cd "$APT/src" && apt source --download-only --tar-only "$PACKAGE")

FILE=$(ls "$APT/src/$PACKAGE"_*.orig.tar.*z)
echo "$SHA256  $FILE" | sha256sum --check --quiet - || { sha256sum "$FILE" >&2; exit 1; }
mkdir "$APT/unpacked"
(cd "$APT/unpacked" && "$CMAKE" -E tar xf "$FILE")
mv "$APT/unpacked"/* "$DIR" # the archive's one folder
echo "$SHA256" >"$STAMP"
