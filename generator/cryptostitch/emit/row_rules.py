"""The rules for records of algorithms as C++ (runtime/code/pack.cpp). Run as a module it writes the file that it is
given."""

from __future__ import annotations

import sys
from pathlib import Path

from ..core.row_rules import BASE_RULES, RULES


def rules_text() -> str:
    """The lines RULE(of, holds, says) of a record, and BASE_RULE(of, holds, says) of a record and its base."""
    lines = ["// Made by cryptostitch.emit.row_rules from core/row_rules.py."]
    for name, rules in (("RULE", RULES), ("BASE_RULE", BASE_RULES)):
        lines += [f'{name}({r.of}, {r.holds}, "{r.says}")' for r in rules]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rules_text(), encoding="utf-8")
