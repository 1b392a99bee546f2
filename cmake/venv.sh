#!/bin/sh
# Makes .venv with the pinned requirements and this checkout's package in it. A stamp makes the next run instant.
set -eu
cd "$(dirname "$0")/.."
want=$(cat requirements.txt requirements-test.txt requirements-check.txt pyproject.toml | sha256sum)
[ -e .venv/bin/cryptostitch ] && [ "$(cat .venv/.stamp 2>/dev/null || true)" = "$want$PWD" ] && exit 0

# In a copied checkout the scripts of .venv name the Python of the first one, and run its code. The stamp is a hash,
# "  -", and the folder.
[ "$(cut -c 68- .venv/.stamp 2>/dev/null || true)" = "$PWD" ] || rm -rf .venv

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
.venv/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt -r requirements-test.txt \
    -r requirements-check.txt
.venv/bin/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e .
echo "$want$PWD" >.venv/.stamp
