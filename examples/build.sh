#!/bin/sh
# build.sh NAME [cmake option...]: installs the built library into build/prefix and builds examples/NAME against it, as
# a user would.
set -eu
cd "$(dirname "$0")/.."
NAME=${1:-}
[ -e "examples/$NAME/CMakeLists.txt" ] || {
    echo "usage: examples/build.sh NAME [cmake option...]; NAME is one of" examples/*/CMakeLists.txt |
        sed 's:examples/\([a-z_]*\)/CMakeLists.txt:\1:g' >&2
    exit 2
}
shift
[ -e build/libcryptostitch.so ] || { echo "nothing is built here: run \`make\` first" >&2; exit 1; }
PATH="$PWD/.venv/bin:$PATH"
log=build/examples/$NAME.log
mkdir -p build/examples
exec 9>build/examples/.lock # one installation at a time
flock 9
{
    cmake --install build --prefix "$PWD/build/prefix" --component library &&
        cmake -S "examples/$NAME" -B "build/examples/$NAME" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_PREFIX_PATH="$PWD/build/prefix" -DCST_PYTHON="$PWD/.venv/bin/python" "$@" &&
        cmake --build "build/examples/$NAME"
} >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
