"""Kernels tried out on this machine: timed, compared with their parts, searched for better weaves."""
