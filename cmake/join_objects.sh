#!/bin/sh
# join_objects.sh LINKER OUTPUT DIR: joins the objects in DIR into one relocatable object.
set -eu
LINKER=$1 OUTPUT=$2 DIR=$3
set -- "$DIR"/*.o
[ -e "$1" ] || { echo "join_objects: the generator left no object in $DIR" >&2; exit 1; }
exec "$LINKER" -r -o "$OUTPUT" "$@"
