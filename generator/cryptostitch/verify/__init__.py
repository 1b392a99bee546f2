"""Machine-checked statements about programs and kernels; `passes/verify.py` runs them. README.md says what is
proved."""
