#!/bin/sh
# libcryptostitch.so with mock kernels: build.sh OUTPUT
# OBJECTS: the folder of an ordinary build with the object files of runtime/, which then are not compiled again.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
sources=$(find "$root/runtime" -name "*.cpp" ! -path "*/runtime/code/*")
sources="$sources $root/runtime/code/announce.cpp $root/runtime/code/codemem.cpp"
objects=
if [ -n "$OBJECTS" ]; then
    for source in $sources; do objects="$objects $OBJECTS/${source#"$root/runtime/"}.o"; done
    sources=
fi
for source in $sources "$here"/*.cpp; do
    echo "$source"
done | xargs -P 2 -I '{}' sh -c '${CXX:-g++} -std=c++17 ${CXXFLAGS:--O1 -g} -fPIC -fno-rtti -fvisibility=hidden \
    -Wall -Wextra -I"$1/include" -I"$1/runtime" -c "$2" -o "$3/$(echo "$2" | tr / _).o"' - "$root" '{}' "$work"
# shellcheck disable=SC2086  # a list
${CXX:-g++} ${CXXFLAGS:-} -shared -o "$1" $objects "$work"/*.o
rm -r "$work"
