#!/bin/sh
# openssl_evp_test.sh DIR: OpenSSL's evp_test, of the source of this system's Debian release, in DIR: `evp_test`, which
# runs on the system's libcrypto, and `data` with its test files. What is there stays.
set -eu
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
DIR=$(cd "$1" && pwd)
[ -e "$DIR/evp_test" ] && exit 0
RELEASE=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -n "$RELEASE" ] || { echo "not a Debian release" >&2; exit 1; }
APT=$DIR/apt
. "$ROOT/cmake/debian_apt.sh"
apt update
(cd "$APT/src" && apt source --download-only --tar-only openssl)
SOURCE=$DIR/source
rm -rf "$SOURCE"
mkdir "$SOURCE"
tar -xzf "$APT"/src/openssl_*.orig.tar.gz -C "$SOURCE" --strip-components=1

# What Configure would write of the headers that libcrypto's developers keep to themselves.
mkdir -p "$SOURCE/made/crypto" "$SOURCE/objects"
echo '#define SIXTY_FOUR_BIT_LONG' >"$SOURCE/made/crypto/bn_conf.h"
printf '#define DSO_DLFCN\n#define HAVE_DLFCN_H\n#define DSO_EXTENSION ".so"\n' >"$SOURCE/made/crypto/dso_conf.h"
FLAGS="-O1 -w -DOPENSSL_SUPPRESS_DEPRECATED -I$SOURCE/made -I$SOURCE/include -I$SOURCE/apps/include -I$SOURCE"
cd "$SOURCE/objects"
cc $FLAGS -c "$SOURCE"/test/testutil/*.c "$SOURCE/apps/lib/opt.c"
ar rcs libtestutil.a ./*.o
cc $FLAGS "$SOURCE/test/evp_test.c" libtestutil.a -lcrypto -o "$DIR/evp_test.new"
ln -sfn "$SOURCE/test/recipes/30-test_evp_data" "$DIR/data"
mv "$DIR/evp_test.new" "$DIR/evp_test"
