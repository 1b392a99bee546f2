#!/bin/sh
# header_manual.sh HEADER VERSION FOLDER: the manual pages of the header and of its functions, into the folder.
set -eu
awk_file=$(dirname "$0")/header_manual.awk
rm -rf "$3"
mkdir -p "$3"
names=$(awk -v list=1 -f "$awk_file" "$1")
for name in $names; do
    echo ".so man3/cryptostitch.3" >"$3/$name.3"
done
awk -v version="$2" -v names="$names" -f "$awk_file" "$1" >"$3/cryptostitch.3"
