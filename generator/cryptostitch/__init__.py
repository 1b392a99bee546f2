"""Cryptostitch: generates stitched and multi-buffer kernels for encryption and authentication."""

__version__ = "0.1.0"
