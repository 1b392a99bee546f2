"""The door to the command line, open without what it needs: the wheel brings the library and its binding, with its
extra `generator` what the generator needs too."""

from __future__ import annotations

import sys
from pathlib import Path

from .extras import how_to_install


def main() -> None:
    """The command line, or what to install for it."""
    refuse_copy(Path(sys.argv[0]).absolute().parents[1], Path(sys.prefix))
    try:
        from .cli import main as commands
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("cryptostitch"):
            raise
        sys.exit(f"the commands need {missing.name}: {how_to_install('generator')}")
    commands()


def refuse_copy(*environments: Path) -> None:
    """Ends the process where one of the virtual environments lies in a checkout whose code this is not: a copied .venv
    still runs the checkout that it was made in."""
    code = Path(__file__).resolve().parents[2]
    for environment in environments:
        checkout = environment.resolve().parent
        is_checkout = (checkout / "generator" / "cryptostitch" / "__main__.py").exists()
        if is_checkout and (environment / "pyvenv.cfg").exists() and checkout != code:
            sys.exit(
                f"{checkout} is a copy of a checkout, and its {environment.name} still runs the code of {code}: "
                f"`make -C {checkout} venv` makes it anew"
            )


if __name__ == "__main__":
    main()
