"""Lines of at most 120 columns where no formatter sees to it: templates, pages, CMake, shell, assembly, and what
clang-format cannot break. Of Python ruff knows better which long lines cannot be helped. Prose and data are free."""

import subprocess
import sys
from pathlib import Path

MOST = 120
CODE = frozenset(".S .c .cmake .cpp .css .h .hpp .in .inc .ini .j2 .sh .toml .yml".split())
NAMES = frozenset(("CMakeLists.txt", "Makefile", ".clang-format", ".clang-tidy", ".gitignore"))


def long_lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [f"{path}:{n}: {len(line)} columns" for n, line in enumerate(lines, 1) if len(line) > MOST]


def main() -> int:
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    paths = [Path(name) for name in tracked.split("\0") if name]
    wrong = [
        line
        for path in paths
        if (path.suffix in CODE or path.name in NAMES) and path.is_file()
        for line in long_lines(path)
    ]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
