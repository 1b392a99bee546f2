"""The C library from Python; `runtime.py` is its door."""
