"""Mutation: generated kernels with one fault each, and which check of the quick ladder finds it. README.md says how to
read the figures."""
