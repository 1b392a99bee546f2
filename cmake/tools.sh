#!/bin/sh
# Installs the build tools that are missing: with apt as root, else as pip wheels into .venv. Quiet and quick when
# nothing is missing. `tools.sh test`: the browser that the tests of pages look with, and what others compare with, too;
# `tools.sh deb`: what makes Debian packages; `tools.sh demo`: no more than `make demo` needs.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"

missing=
if [ "${1:-}" = deb ]; then
    command -v dh >/dev/null || missing="$missing debhelper"
    command -v lintian >/dev/null || missing="$missing lintian"
    command -v git >/dev/null || missing="$missing git"
    # dpkg asks for the packages that it builds with by their names, whatever compilers and tools there are
    for package in build-essential cmake ninja-build; do
        dpkg -s $package >/dev/null 2>&1 || missing="$missing $package"
    done
    [ -e /usr/include/openssl/evp.h ] || missing="$missing libssl-dev"
    [ -e /usr/include/intel-ipsec-mb.h ] || missing="$missing libipsec-mb-dev"
fi
command -v c++ >/dev/null || missing="$missing g++"
command -v cmake >/dev/null || missing="$missing cmake"
command -v ninja >/dev/null || missing="$missing ninja-build"
command -v xz >/dev/null || missing="$missing xz-utils"
optional= # libssl-dev, libipsec-mb-dev, libisal-dev: cst-bench; clang, libclang-rt: fuzzing with libFuzzer; qemu-user:
# other CPUs; gdb, linux-perf: whether they see kernels
stamp=build/tools.optional
[ -e /usr/include/openssl/evp.h ] || optional="$optional libssl-dev"
if [ "${1:-}" = demo ]; then
    stamp=build/tools.demo
else
    command -v gdb >/dev/null || optional="$optional gdb"
    command -v perf >/dev/null || optional="$optional linux-perf"
    command -v qemu-x86_64 >/dev/null || optional="$optional qemu-user"
    command -v clang++ >/dev/null || optional="$optional clang libclang-rt-14-dev"
    [ -e /usr/include/intel-ipsec-mb.h ] || optional="$optional libipsec-mb-dev"
    [ -e /usr/include/isa-l/crc64.h ] || optional="$optional libisal-dev"
fi

beside= # for tests/pages, tests/bare, and the tests that compare with ISA-L and fsverity, which are skipped without
if [ "${1:-}" = test ]; then
    command -v chromium >/dev/null || beside="$beside chromium fonts-dejavu-core"
    command -v chromedriver >/dev/null || beside="$beside chromium-driver"
    command -v mmdebstrap >/dev/null || beside="$beside mmdebstrap"
    command -v fsverity >/dev/null || beside="$beside fsverity"
    [ -e /usr/lib/x86_64-linux-gnu/libisal.so.2 ] || beside="$beside libisal2"
fi

install() {
    {
        apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" ||
            { apt-get -qq update && apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"; }
    } >build/tools.log 2>&1
}
mkdir -p build
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    if [ -n "$missing" ]; then
        echo "installing$missing"
        install $missing || { cat build/tools.log >&2; exit 1; }
    fi
    if [ -n "$optional" ] && [ ! -e $stamp ]; then
        echo "installing$optional (for the benchmark and fuzzing; not required)"
        for package in $optional; do
            install "$package" || echo "  $package: not to be had; what needs it will do without"
        done
        touch $stamp # CMake looks for them by itself: found_later.cmake
    fi
    if [ -n "$beside" ] && [ ! -e build/tools.beside ]; then
        echo "installing$beside (for tests that are skipped without; not required)"
        install $beside || echo "  not to be had; these tests are skipped"
        touch build/tools.beside
    fi
else
    command -v cmake >/dev/null || .venv/bin/pip install -q 'cmake==3.31.*'
    command -v ninja >/dev/null || .venv/bin/pip install -q 'ninja==1.13.*'
    for tool in c++ xz $([ "${1:-}" != deb ] || echo dh lintian git); do
        command -v "$tool" >/dev/null || { echo "no $tool here and no right to install it" >&2; exit 1; }
    done
fi
