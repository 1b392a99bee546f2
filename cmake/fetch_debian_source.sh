#!/bin/sh
# fetch_debian_source.sh PACKAGE RELEASE SHA256 DIR: puts the upstream source of a Debian source package into DIR. Exit
# status 0: it is there and its checksum is right.
#
# apt's lists, caches and sources of the system stay as they are: every folder that apt writes lies under DIR.apt.
set -eu

PACKAGE=$1 RELEASE=$2 SHA256=$3 DIR=$4
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
STAMP="$DIR/.sha256"

[ "$(cat "$STAMP" 2>/dev/null || true)" = "$SHA256" ] && exit 0
command -v apt-get >/dev/null || { echo "fetch_debian_source: no apt-get here" >&2; exit 1; }

APT="$DIR.apt"
rm -rf "$DIR" "$APT"
mkdir -p "$DIR" "$APT/lists/partial" "$APT/cache/archives/partial" "$APT/src"
trap 'rm -rf "$APT"' EXIT

# The mirror is the one that this system uses for its own release (apt knows it once its lists have been read; else its
# sources name it).
MIRROR=$({
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages'
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' | tr ' ' '\n'
} | grep -E '^[a-z+]+://?.*/debian/?$' | head -n 1)
[ -n "$MIRROR" ] || { echo "fetch_debian_source: this system has no Debian mirror" >&2; exit 1; }
echo "deb-src [signed-by=$KEYRING] $MIRROR $RELEASE main" >"$APT/sources.list"

apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$APT/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$APT/lists" -o Dir::Cache="$APT/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
(cd "$APT/src" && apt source --download-only --tar-only "$PACKAGE")

FILE=$(ls "$APT/src/$PACKAGE"_*.orig.tar.*z)
echo "$SHA256  $FILE" | sha256sum --check --quiet - || { sha256sum "$FILE" >&2; exit 1; }
tar -xaf "$FILE" -C "$DIR" --strip-components=1
echo "$SHA256" >"$STAMP"
