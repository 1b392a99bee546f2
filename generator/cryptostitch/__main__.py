"""The door to the command line, open without what it needs: `pip install cryptostitch` brings the library and its
binding, `pip install 'cryptostitch[generator]'` the generator's dependencies too."""

from __future__ import annotations

import sys


def main() -> None:
    """The command line, or what to install for it."""
    try:
        from .cli import main as commands
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("cryptostitch"):
            raise
        sys.exit(f"the commands need {missing.name}: pip install 'cryptostitch[generator]'")
    commands()


if __name__ == "__main__":
    main()
