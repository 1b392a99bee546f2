"""Says how the wheel's extras (pyproject.toml) are installed: from its file, because the package is on no index, and a
name alone would install whatever somebody else has put there."""

from __future__ import annotations


def how_to_install(extra: str) -> str:
    """The command that installs the wheel with the extra, for a shell: of a wheel's file, or in a checkout."""
    return f"pip install \"$(ls cryptostitch-*.whl)[{extra}]\", or in a checkout pip install '.[{extra}]'"
