"""Kernels out: assembly text, objects, packs, headers."""
