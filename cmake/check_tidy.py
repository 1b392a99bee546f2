"""clang-tidy over runtime/ and tools/, a file per core at a time; what .clang-tidy asks for.

check_tidy.py BUILD: the build folder, configured. A file that passed is not looked at again until it, a header that it
includes, its flags, the rules or clang-tidy change: BUILD/check/tidy.json has their digests.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIDY = Path(sys.executable).with_name("clang-tidy")
GCC_ONLY = ("-mmemset-strategy=",)
"""Flags that clang does not know."""
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


@functools.cache
def included(path: Path, folders: tuple[Path, ...]) -> frozenset[Path]:
    """The project's own files that a file includes, itself among them."""
    found, waiting = {path}, [path]
    while waiting:
        file = waiting.pop()
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            for folder in (file.parent, *folders):
                header = (folder / name).resolve()
                if header.is_file() and header not in found:
                    found.add(header)
                    waiting.append(header)
    return frozenset(found)


def digest(command: list[str], path: Path, folders: tuple[Path, ...], rules: bytes) -> str:
    value = hashlib.sha256(rules + b"\0".join(part.encode() for part in command))
    for file in sorted(included(path, folders)):
        value.update(str(file).encode() + b"\0" + file.read_bytes())
    return value.hexdigest()


def tidy(build: Path, path: Path) -> tuple[Path, str]:
    """What there is to say about a file; nothing when it passes."""
    done = subprocess.run([TIDY, "-p", build, "--quiet", path], capture_output=True, text=True, check=False)
    return path, done.stdout or done.stderr if done.returncode else ""


def main(build: Path) -> int:
    known_file, database = build / "check/tidy.json", build / "check/compile_commands.json"
    database.parent.mkdir(exist_ok=True)
    rules = (ROOT / ".clang-tidy").read_bytes() + subprocess.run([TIDY, "--version"], capture_output=True).stdout
    known = json.loads(known_file.read_text(encoding="utf-8")) if known_file.exists() else {}
    wanted: dict[Path, str] = {}
    entries = []
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = Path(entry["file"])
        if path.suffix != ".cpp" or not {ROOT / "runtime", ROOT / "tools"} & set(path.parents):
            continue
        command = [part for part in shlex.split(entry["command"]) if not part.startswith(GCC_ONLY)]
        folders = tuple(Path(part[2:]) for part in command if part.startswith("-I"))
        entries.append({"directory": entry["directory"], "file": entry["file"], "arguments": command})
        wanted[path] = digest(command, path, folders, rules)
    database.write_text(json.dumps(entries), encoding="utf-8")
    passed = {str(path): value for path, value in wanted.items() if known.get(str(path)) == value}
    waiting = [path for path in wanted if str(path) not in passed]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, text in pool.map(functools.partial(tidy, database.parent), waiting):
            if text:
                wrong += 1
                print(text)
            else:
                passed[str(path)] = wanted[path]
    known_file.write_text(json.dumps(passed, indent=0), encoding="utf-8")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
