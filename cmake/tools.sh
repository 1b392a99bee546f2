#!/bin/sh
# tools.sh [demo | bench | test | deb]: installs what is missing of the tools for that, or for `make` alone: with apt as
# root, else as pip wheels into .venv. Quiet and quick when nothing is missing.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
use=${1:-build}

required=
for pair in c++:g++ cmake:cmake ninja:ninja-build; do
    command -v "${pair%:*}" >/dev/null || required="$required ${pair#*:}"
done
case $use in deb | test) with_git=git ;; *) with_git= ;; esac
[ -z "$with_git" ] || command -v git >/dev/null || required="$required git"
if [ "$use" = deb ]; then
    command -v dh >/dev/null || required="$required debhelper"
    command -v lintian >/dev/null || required="$required lintian"
    # dpkg asks for the packages that it builds with by their names, whatever compilers and tools there are
    for package in build-essential cmake ninja-build libssl-dev libipsec-mb-dev; do
        dpkg -s $package >/dev/null 2>&1 || required="$required $package"
    done
fi

# has FILE_OR_PROGRAM PACKAGE...: the packages are wanted where it is missing.
optional=
has() {
    [ -e "$1" ] || command -v "$1" >/dev/null || { shift; optional="$optional $*"; }
}
has /usr/include/openssl/evp.h libssl-dev # the provider, and cst-bench
[ "$use" = demo ] || has /usr/include/intel-ipsec-mb.h libipsec-mb-dev # the drop-in
case $use in
    bench | test)
        has /usr/include/isa-l/crc64.h libisal-dev # a peer
        ;;
esac
if [ "$use" = test ]; then
    has gdb gdb # whether it sees kernels, as perf does
    has perf linux-perf
    has qemu-x86_64 qemu-user # other CPUs
    has nasm nasm # intel-ipsec-mb's own test programs
    has clang++ clang libclang-rt-dev # fuzzing with libFuzzer
    has chromium chromium fonts-dejavu-core # the pages that commands write
    has chromedriver chromium-driver
    has mmdebstrap mmdebstrap # the first commands in a minimal Debian
    has fsverity fsverity # compared with
    has /usr/lib/x86_64-linux-gnu/libisal.so.2 libisal2
fi

install() {
    {
        apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" ||
            { apt-get -qq update && apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"; }
    } >build/tools.log 2>&1
}
mkdir -p build
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    if [ -n "$required" ]; then
        echo "installing$required"
        install $required || { cat build/tools.log >&2; exit 1; }
    fi
    # The stamp keeps later runs from asking apt again for packages that it could not install.
    if [ -n "$optional" ] && [ ! -e "build/tools.$use" ]; then
        echo "installing$optional (not required)"
        install $optional || for package in $optional; do
            install "$package" || echo "  $package: not to be had; what needs it is left out"
        done
        touch "build/tools.$use" # CMake looks for them by itself: found_later.cmake
    fi
else
    command -v cmake >/dev/null || .venv/bin/pip install -q 'cmake==3.31.*'
    command -v ninja >/dev/null || .venv/bin/pip install -q 'ninja==1.13.*'
    for tool in c++ $with_git $([ "$use" != deb ] || echo dh lintian); do
        command -v "$tool" >/dev/null || { echo "no $tool here and no right to install it" >&2; exit 1; }
    done
fi
