#!/bin/sh
# From the wheel to a column of a DataFrame; polars comes from the registry.
set -eu
python3 -m venv env
env/bin/pip install -q --no-index "$PACKAGES"/cryptostitch-*.whl
env/bin/pip install -q polars==2.1.0
env/bin/python -I "$SCRIPTS/frame.py"
