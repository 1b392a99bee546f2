"""Lines of at most 120 columns where no formatter sees to it: templates, prose of pages, CMake, shell, assembly, and
what clang-format cannot break. Of Python ruff knows better which long lines cannot be helped. Data is free, as are
tables, examples and HTML in pages, and pages that commands write."""

import re
import subprocess
import sys
from pathlib import Path

MOST = 120
CHECKED = frozenset(".S .c .cmake .cpp .css .h .hpp .in .inc .ini .j2 .md .sh .toml .yml".split())
NAMES = frozenset(("CMakeLists.txt", "Makefile", ".clang-format", ".clang-tidy", ".gitignore"))
WRITTEN = re.compile(r"generator/cryptostitch/cpus/\w+/README\.md")
"""Pages that commands write."""
FREE = re.compile(r"\s*(\||<|\[[^]]+\]:)")
"""Lines of pages that cannot be broken: rows of tables, HTML, and the targets of links."""


def prose(lines: list[str]) -> list[str]:
    """The lines of a page, those that are free as empty ones."""
    code, found = False, []
    for line in lines:
        fence = line.lstrip().startswith("```")
        code ^= fence
        found.append("" if code or fence or FREE.match(line) else line)
    return found


def long_lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").split("\n")
    lines = prose(lines) if path.suffix == ".md" else lines
    return [f"{path}:{n}: {len(line)} columns" for n, line in enumerate(lines, 1) if len(line) > MOST]


def main() -> int:
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    paths = [Path(name) for name in tracked.split("\0") if name]
    wrong = [
        line
        for path in paths
        if (path.suffix in CHECKED or path.name in NAMES) and path.is_file() and not WRITTEN.fullmatch(path.as_posix())
        for line in long_lines(path)
    ]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
