#!/bin/sh
# Makes .venv with the pinned requirements and this checkout's package in it; `venv.sh demo`: only with what `make demo`
# needs. A stamp makes the next run instant.
set -eu
cd "$(dirname "$0")/.."
whole=.venv/.stamp demo=.venv/.stamp.demo
want=$(cat requirements.txt requirements-test.txt requirements-check.txt pyproject.toml | sha256sum)
stamp() { cat "$1" 2>/dev/null || true; }
[ -e .venv/bin/cryptostitch ] && [ "$(stamp $whole)" = "$want$PWD" ] && exit 0
[ "${1:-}" = demo ] && [ "$(stamp $demo)" = "$want$PWD" ] && exit 0

# In a copied checkout the scripts of .venv name the Python of the first one, and run its code. The stamp is a hash,
# "  -", and the folder.
[ "$(cat $whole $demo 2>/dev/null | head -n 1 | cut -c 68-)" = "$PWD" ] || rm -rf .venv

python=${PYTHON:-python3}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    command -v "$python" >/dev/null || missing="no $python here"
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || {
        echo "${missing:-this Python has no venv module}: install python3-venv" >&2
        exit 1
    }
    echo "installing python3-venv"
    {
        apt-get -qq -y install python3-venv || { apt-get -qq update && apt-get -qq -y install python3-venv; }
    } >/dev/null
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "cryptostitch needs Python 3.11 or newer ($python is older)" >&2
    exit 1
}
[ -x .venv/bin/python ] || "$python" -m venv .venv
echo "installing the pinned Python packages into .venv"
pip() { .venv/bin/python -m pip install -q --disable-pip-version-check "$@"; }
if [ "${1:-}" = demo ]; then
    pip -r requirements.txt -c requirements-test.txt cryptography
    echo "$want$PWD" >$demo
    exit
fi
pip -r requirements.txt -r requirements-test.txt -r requirements-check.txt
pip --no-build-isolation --no-deps -e .
echo "$want$PWD" >$whole
