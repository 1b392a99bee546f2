#!/bin/sh
# make bench: the rows of README.md; the result goes to bench/results/<microarchitecture>.json. Arguments are passed on to cst-bench.
set -eu
cd "$(dirname "$0")/.."
[ -x build/cst-bench ] || { echo "cst-bench was not built: it needs libcrypto's headers (libssl-dev)" >&2; exit 1; }
for argument in "$@"; do
    case $argument in --json|--json=*|--help|-h|--list) exec build/cst-bench "$@" ;; esac
done
new=build/bench.json
build/cst-bench --json "$new" "$@"
cpu=$(sed -n 's/.*"microarchitecture": "\([a-z0-9.-]*\)".*/\1/p' "$new" | head -n 1)
# A partial run does not replace the complete one.
if [ $# -eq 0 ]; then
    mkdir -p bench/results
    mv "$new" "bench/results/$cpu.json"
    new=bench/results/$cpu.json
fi
echo
echo "written to $new"
