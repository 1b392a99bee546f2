#!/bin/sh
# From the Debian packages of the library to a gateway: the example of the package, compiled against it.
set -eu
root=$PWD/root
for package in libcryptostitch0 libcryptostitch-dev; do
    dpkg-deb --extract "$PACKAGES/$package"_*.deb "$root"
done
cmake -S "$root/usr/share/doc/libcryptostitch-dev/examples/packets" -B build -DCMAKE_PREFIX_PATH="$root/usr" \
    --log-level=ERROR >/dev/null
cmake --build build >/dev/null
build/packets
