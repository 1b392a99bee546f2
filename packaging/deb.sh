#!/bin/sh
# Debian packages into build/packages, of the kernels that build/ has. Debian's tools write beside the source, so it is
# copied to a folder of its own. lintian's errors and warnings are failures.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
version=$(sed -n 's/^project(cryptostitch VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=$root/build/packages/deb
source=$work/cryptostitch-$version
log=$root/build/packages/deb.log
rm -rf "$work"
mkdir -p "$source"
git ls-files -z --cached --others --exclude-standard -- . ':!tests' ':!bench' ':!.ci' |
    xargs -0 cp --parents --target-directory="$source"
mv "$source/packaging/debian" "$source/debian"
(
    cd "$source"
    # as `make` does, an already finished build is what the kernels come from
    export CST_PREGENERATED="$root/build/generated" CST_SOURCES="$root/build/_deps"
    export DEB_BUILD_OPTIONS="noautodbgsym parallel=${JOBS:-$(nproc)}"
    dpkg-buildpackage --build=binary --no-sign
) >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
as=$([ "$(id -u)" != 0 ] || echo --allow-root)
lintian $as --fail-on error,warning --profile debian "$work"/*.changes
rm -f build/packages/*.deb
mv "$work"/*.deb build/packages
ls build/packages/*.deb
