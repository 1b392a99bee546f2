#!/bin/sh
# make bench: the default cells; the result becomes bench.json in the CPU's folder, the one before goes into its
# history, the page of the CPU and the front page's picture follow. Arguments are passed on to cst-bench.
# make bench-tiers (with --tiers first): rows held to AVX2 and to SSE; bench.<tier>.json there.
set -eu
cd "$(dirname "$0")/.."
[ -x build/cst-bench ] || { echo "cst-bench was not built: it needs libcrypto's headers (libssl-dev)" >&2; exit 1; }
python=.venv/bin/python
[ -x $python ] || python=python3
commit=$(git rev-parse --short HEAD 2>/dev/null || true)
cpu=':!generator/cryptostitch/cpus/*'
kept="$cpu/bench*.json $cpu/about.json $cpu/README.md :!bench/speed-*.svg"
changed=$(set -f; git status --porcelain --untracked-files=no -- . $kept 2>/dev/null || true)
[ -z "$changed" ] || commit=$commit-dirty
new=build/bench.json

if [ "${1-}" = --tiers ]; then
    shift
    etm='aes-128-cbc+hmac-sha1-etm,aes-128-cbc+hmac-sha256-etm,aes-256-cbc+hmac-sha512-etm'
    opened='aes-128-cbc+hmac-sha1-etm/open,aes-128-cbc+hmac-sha256-etm/open,aes-256-cbc+hmac-sha512-etm/open'
    rows="sha1,sha256,sha384,sha512,hmac-md5,$etm,$opened,aes-128-cbc+hmac-sha1-96,aes-128-cbc+hmac-sha1-tls"
    rows="$rows,aes-128-cbc,aes-256-cbc,aes-128-cbc/open,aes-256-cbc/open,aes-128-ctr,aes-256-ctr,aes-128-ecb"
    rows="$rows,aes-128-gcm,aes-128-gcm/open,aes-256-gcm,aes-128-ccm,aes-128-cmac,aes-128-xcbc"
    rows="$rows,chacha20-poly1305,chacha20-poly1305/open"
    for tier in avx2 sse; do
        build/cst-bench --tier $tier --rows "$rows" --sizes 1024,16384 --jobs 64 --own-key --peers ipsec-mb \
            --json "$new" "$@"
        echo
        $python bench/summary losses "$new"
        [ $# -gt 0 ] || $python bench/summary keep "$new" --commit "$commit"
        echo
    done
    [ $# -gt 0 ] || $python bench/summary page
    exit
fi
for argument in "$@"; do
    case $argument in --json|--json=*|--help|-h|--list) exec build/cst-bench "$@" ;; esac
done
build/cst-bench --json "$new" "$@"
echo
$python bench/summary losses "$new"
# A partial run does not replace the complete one.
if [ $# -gt 0 ]; then
    echo "written to $new"
else
    $python bench/summary keep "$new" --commit "$commit"
    $python bench/summary page
    bench/speed.sh
fi
