#!/bin/sh
# libcryptostitch.so with mock kernels: build.sh OUTPUT
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
for source in $(find "$root/runtime" -name "*.cpp" ! -path "*/runtime/code/*") \
              "$root/runtime/code/announce.cpp" "$root/runtime/code/codemem.cpp" "$here"/*.cpp; do
    echo "$source"
done | xargs -P 2 -I '{}' sh -c '${CXX:-g++} -std=c++17 ${CXXFLAGS:--O1 -g} -fPIC -fno-rtti -fvisibility=hidden \
    -Wall -Wextra -I"$1/include" -I"$1/runtime" -c "$2" -o "$3/$(echo "$2" | tr / _).o"' - "$root" '{}' "$work"
${CXX:-g++} ${CXXFLAGS:-} -shared -o "$1" "$work"/*.o
rm -r "$work"
