#!/bin/bash
set -euo pipefail
HELP="usage: make.sh [--recipes FOLDER] [--into FOLDER] [PEER...]
Builds the newest peers of cst-bench, which takes those that are in build/peers; without names all of them.

  --recipes FOLDER  where the file \`pins\` and a PEER.sh each lie (default: bench/newest)
  --into FOLDER     default: build/peers; the library of each becomes PEER/peer.so there
  --help
What is there is not built again, and what was interrupted goes on. A peer that fails is named with the reason and the
others are built; then the exit status is 1."
here=$(cd "$(dirname "$0")" && pwd)
export RECIPES=$here
into=$here/../../build/peers
while [ $# -gt 0 ]; do
    case $1 in
    --recipes) RECIPES=$(cd "${2:?--recipes wants a folder}" && pwd); shift 2 ;;
    --into) into=${2:?--into wants a folder}; shift 2 ;;
    --help | -h) echo "$HELP"; exit ;;
    -*) echo "make.sh: no option named '$1' (see --help)" >&2; exit 2 ;;
    *) break ;;
    esac
done
pins() { grep -v '^#' "$RECIPES/pins"; }
known=$(pins | awk '!seen[$1]++ { print $1 }')
for name; do
    grep -qx -- "$name" <<<"$known" || { echo "make.sh: no peer named '$name'; there are" $known >&2; exit 2; }
done
mkdir -p "$into"
into=$(cd "$into" && pwd)
export JOBS=${JOBS:-$(nproc)} LIBRARY=new.so

# A recipe's own: the program, or the Debian package that has it.
tool() {
    command -v "$1" >/dev/null && return
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "no $1 here (Debian's package: $2)"; exit 1; }
    apt-get -qq -y install --no-install-recommends "$2"
}
export -f tool

# How far it is, as long as a step takes: on a terminal a line that changes, else one each half minute.
ticker= begun=$SECONDS
progress() {
    local what=$1 recipe=$2 every=30 n all took
    [ -t 1 ] && every=2
    all=$(sed -n 's/^# objects: //p' "$recipe" 2>/dev/null || true)
    while sleep $every >/dev/null 2>&1; do # it may outlive us and must not hold our pipe
        took=$((SECONDS - begun))
        n=$(find objects -name '*.o' 2>/dev/null | wc -l)
        printf -v line '%s, %d:%02d' "$what" $((took / 60)) $((took % 60))
        [ "$n" = 0 ] || line="$line, $n${all:+ of about $all} files"
        if [ -t 1 ]; then printf '\r%s\e[K' "$line"; else echo "$line"; fi
    done
}
step() { # step WHAT COMMAND...
    local what=$1 status=0
    shift
    begun=$SECONDS
    [ -t 1 ] || echo "$what"
    progress "$what" "$RECIPES/$peer.sh" &
    ticker=$!
    "$@" >log 2>&1 </dev/null || status=$?
    stop
    return $status
}
stop() {
    [ -z "$ticker" ] || { kill "$ticker" && wait "$ticker"; } 2>/dev/null || true
    ticker=
    [ ! -t 1 ] || printf '\r\e[K'
}
trap stop EXIT

make_peer() {
    local kind package at sha256
    while read -r _ _ kind package at sha256; do
        step "$peer $version: fetching $package" \
            "$here/fetch.sh" "$kind" "$package" "$at" "$sha256" "source/$package" || return
    done < <(pins | awk -v peer="$peer" '$1 == peer')
    step "$peer $version: building" bash -euo pipefail "$RECIPES/$peer.sh" && mv new.so peer.so
}

failed=
for peer in ${@:-$known}; do
    version=$(pins | awk -v peer="$peer" '$1 == peer { print $2; exit }')
    pinned=$(pins | awk -v peer="$peer" '$1 == peer')
    mkdir -p "$into/$peer"
    cd "$into/$peer"
    if [ -e peer.so ] && [ "$(cat made 2>/dev/null)" = "$pinned" ]; then
        echo "$peer $version: there already"
        continue
    fi
    # Of another version nothing is kept.
    [ "$(cat begun 2>/dev/null)" = "$pinned" ] || rm -rf "${PWD:?}"/*
    echo "$pinned" >begun
    started=$SECONDS
    if make_peer; then
        echo "$pinned" >made
        rm -rf source objects
        echo "$peer $version: made in $((SECONDS - started)) s"
    else
        failed="$failed $peer"
        echo "$peer $version: FAILED; the end of $PWD/log:" >&2
        tail -n 5 log | sed 's/^/  /' >&2
    fi
done
[ -z "$failed" ] || { echo "not made:$failed" >&2; exit 1; }
