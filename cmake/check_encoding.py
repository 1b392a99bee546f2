"""Files that are opened as text without `encoding=`, in Python that users run: under a locale that is not UTF-8 what
is written there fails, behind all the work. (Ruff's PLW1514 sees only paths whose type it can tell.)"""

import ast
import subprocess
import sys
from pathlib import Path

FOLDERS = ("bench", "cmake", "examples", "generator", "packaging", "tools")
# It reads a file of ours that is ASCII; every check of the ladder's record (tests/ladder) depends on its bytes.
LEFT_OUT = frozenset(("generator/cryptostitch/core/answers.py",))
LIKE_OPEN = frozenset((("os", "fdopen"), ("click", "open_file"), ("io", "open")))
OTHERS = frozenset(("gzip", "os", "tarfile", "webbrowser", "zipfile"))  # modules whose open() is not about text


def _strings(values: list[ast.expr]) -> list[str]:
    return [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]


def takes_the_locale(call: ast.Call) -> bool:
    """Whether a call of open, read_text or write_text takes the encoding from the locale."""
    function, given = call.func, call.args
    if any(k.arg in ("encoding", None) for k in call.keywords):
        return False
    owner = ""
    if isinstance(function, ast.Attribute):
        name = function.attr
        owner = function.value.id if isinstance(function.value, ast.Name) else "?"
    else:
        name = function.id if isinstance(function, ast.Name) else ""
    if owner == "self":  # a method of the class, which is looked at where it opens the file
        return False
    if name in ("read_text", "write_text"):
        return len(given) == (name == "write_text")
    named = [k.value for k in call.keywords if k.arg == "mode"]
    if (owner, name) in LIKE_OPEN or (name == "open" and not owner):
        return not any("b" in mode for mode in _strings(given[1:2] + named))
    if name != "open" or owner in OTHERS:
        return False
    modes = [mode for mode in _strings(given[:1] + named) if set(mode) <= set("rwxabt+")]
    is_path = bool(modes) or not (given or call.keywords)  # other things are opened, too: messages, kernels
    return is_path and not any("b" in mode for mode in modes)


def main() -> int:
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *FOLDERS]
    tracked = subprocess.run(listed, check=True, capture_output=True, encoding="utf-8").stdout
    wrong = [
        f"{name}:{call.lineno}: no encoding="
        for name in tracked.split("\0")
        if name.endswith(".py") and name not in LEFT_OUT and Path(name).is_file()
        for call in ast.walk(ast.parse(Path(name).read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and takes_the_locale(call)
    ]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
