#!/bin/sh
# The picture of the front page, for light pages and dark ones, from the kept results of the CPUs that were measured.
set -eu
cd "$(dirname "$0")/.."
cpus=generator/cryptostitch/cpus
for ink in light dark; do
    .venv/bin/cryptostitch bench --results $cpus/zen5/bench.json --results $cpus/sapphire_rapids/bench.json \
        --plot "${1:-bench}/speed-$ink.svg" $([ $ink = light ] || echo --dark)
done
