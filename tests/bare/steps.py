"""Lists what runs in a bare root, in which order: every command that the front page and the pages it links show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGES = (
    "README.md",
    "examples/README.md",
    "examples/backup/README.md",
    "examples/columns/README.md",
    "examples/foreign/README.md",
    "examples/packets/README.md",
    "examples/quic/README.md",
    "examples/new_pair/README.md",
    "examples/own_hash/README.md",
    "examples/own_cipher/README.md",
    "examples/own_tree/README.md",
    "examples/own_mac/README.md",
    "examples/own_aead/README.md",
    "examples/own_aegis/README.md",
    "packaging/README.md",
    "packaging/vendoring.md",
    "integrations/ipsec_mb/README.md",
    "integrations/openssl/README.md",
)
FRESH = "rm -rf /tmp/env && python3 -m venv /tmp/env"


@dataclass(frozen=True)
class Step:
    name: str
    script: str  # of bash, in the clone
    seconds: float = 1800  # after which it is ended


@dataclass(frozen=True)
class Block:
    """A fenced block of a page. `index`: among all of the page."""

    page: str
    index: int
    language: str
    text: str


def blocks(root: Path, page: str) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", (root / page).read_text(), re.M | re.S)
    return [Block(page, at, language, text) for at, (language, text) in enumerate(found)]


def written(path: str, text: str) -> str:
    """A line that writes the text into a file."""
    return f"printf %s {shlex.quote(text)} >{path}"


def one_by_one(block: Block) -> list[Step]:
    """A step for each of its lines but `make test`, which takes a quarter of an hour (`with_tests`)."""
    lines = [line.partition(" #")[0].strip() for line in block.text.splitlines()]
    return [Step(line, line, 3600) for line in lines if line and line != "make test"]


def c_program(block: Block) -> list[Step]:
    build = "cc /tmp/a.c -o /tmp/a -lcryptostitch\n/tmp/a"
    return [
        Step("make install", "make install && ldconfig"),
        Step("README.md: C", f"{written('/tmp/a.c', block.text)}\n{build}"),
    ]


def python_program(block: Block) -> list[Step]:
    run = f"cd /tmp\n{written('/tmp/a.py', block.text)}\n/tmp/env/bin/python -I /tmp/a.py"
    return [
        Step("pip install .", f"{FRESH}\n/tmp/env/bin/pip install -q .", 3600),
        Step("README.md: Python", run),
    ]


def cmake_project(block: Block) -> list[Step]:
    """Returns the steps that build a block in a project that finds the library below /usr/local."""
    kernel = re.search(r"KERNELS (\w+)@(\w+)", block.text)
    symbol = f"cst_k_{kernel[1]}_{kernel[2]}"
    head = "cmake_minimum_required(VERSION 3.22)\nproject(mine LANGUAGES C)\nadd_executable(my_program main.c)\n"
    main = f"extern void {symbol}(const void *);\nint main(void) {{ return {symbol} == 0; }}\n"
    script = (
        "python=$PWD/.venv/bin/python; rm -rf /tmp/mine; mkdir /tmp/mine; cd /tmp/mine",
        written("CMakeLists.txt", head + block.text),
        written("main.c", main),
        'cmake -S . -B b -DCST_PYTHON="$python" && cmake --build b && b/my_program',
    )
    return [Step("README.md: CMake", "\n".join(script))]


def commands(block: Block) -> list[Step]:
    """The lines of a page in a folder of examples, each behind the line by which the page says how one gets there."""
    text = Path(__file__).parents[2].joinpath(block.page).read_text()
    enter = re.search(r"`(export PATH=.*? && cd /tmp/\w+)`", text)[1]
    example = Path(block.page).parent.name
    if re.search(rf"^{example} ", block.text, re.M):  # its own program
        enter = f'examples/build.sh {example}\nexport PATH="$PWD/build/examples/{example}:$PATH"\n{enter}'
    return [Step(f"{block.page}: {line}", f"{enter}\n{line}") for line in block.text.splitlines()]


def lines_of(block: Block) -> list[Step]:
    """Each line of a block of the front page, in the clone."""
    return [Step(f"{block.page}: {line}", line) for line in block.text.splitlines()]


def installs(block: Block) -> list[Step]:
    """Each line, but those of Cargo: Debian's is too old, as the page says. pip installs into an empty environment."""
    lines = [line.partition(" #")[0].strip() for line in block.text.splitlines()]
    yes = "export DEBIAN_FRONTEND=noninteractive"
    path = f'{FRESH}\nexport PATH="/tmp/env/bin:$PATH"'
    return [
        Step(f"{block.page}: {line}", f"{yes}\n{path}\n{line.replace('apt-get', 'apt-get -qq -y')}")
        for line in lines
        if not line.startswith("cargo ")
    ]


def script(block: Block) -> list[Step]:
    return [Step(f"{block.page}: {block.text.splitlines()[0]}", block.text)]


OUTPUT = None  # a block that shows what a command prints
FILE = None  # one that is a file of the folder, as test_newcomer.py knows
LANGUAGES = None  # one whose languages a minimal Debian has not; tests/examples/test_foreign.py runs its programs
FIRST = None  # one of first.py
RUN = {
    ("packaging/README.md", 0): installs,
    **{("packaging/vendoring.md", at): FIRST for at in range(4)},
    ("examples/backup/README.md", 0): script,
    ("examples/columns/README.md", 0): script,
    ("examples/packets/README.md", 0): script,
    ("examples/quic/README.md", 0): script,
    ("examples/foreign/README.md", 0): LANGUAGES,
    ("README.md", 0): one_by_one,
    ("README.md", 1): script,
    ("README.md", 2): c_program,
    ("README.md", 3): python_program,
    ("README.md", 4): cmake_project,
    ("README.md", 5): lines_of,
    ("README.md", 6): lines_of,
    ("examples/new_pair/README.md", 0): commands,
    ("examples/new_pair/README.md", 1): OUTPUT,
    **{("examples/new_pair/README.md", at): FILE for at in (2, 3, 4)},
    ("examples/new_pair/README.md", 5): commands,
    **{("examples/own_hash/README.md", at): FILE for at in (0, 1, 2, 3, 7)},
    **{("examples/own_hash/README.md", at): commands for at in (4, 5, 6, 8)},
    **{("examples/own_cipher/README.md", at): commands for at in (0, 1)},
    ("examples/own_tree/README.md", 0): commands,
    **{(f"examples/own_{name}/README.md", 0): commands for name in ("mac", "aead", "aegis")},
}
"""How each block runs, by page and index; a block that is missing here fails test_bare.py."""
BY_USE = ("examples/columns/README.md", "examples/packets/README.md")
"""Pages whose programs are compiled with the installed Debian packages."""
WORDS = {"FILE": "README.md", "FOLDER": "include"}


def of_blocks(root: Path, pages: tuple[str, ...]) -> Iterator[Step]:
    for page in pages:
        for block in blocks(root, page):
            yield from (RUN[page, block.index] or (lambda _: []))(block)


def of_examples(root: Path) -> Iterator[Step]:
    """The commands of the table of examples, of those that need no more than a file."""
    for line in (root / "examples/README.md").read_text().splitlines():
        for command in re.findall(r"`((?:examples/build\.sh|\.venv/bin/python) [^`]+)`", line):
            if "PACK" not in command:
                run = re.sub("|".join(WORDS), lambda match: WORDS[match[0]], command)
                yield Step(f"examples/README.md: {run}", run)


CST_SUM = """
echo -n abc >/tmp/abc
[ "$(/usr/bin/cst-sum -a md5 /tmp/abc)" = "900150983cd24fb0d6963f7d28e17f72  /tmp/abc" ]
"""
CONSUMERS = """
command -v pkg-config >/dev/null || apt-get -qq -y install pkg-config >/dev/null
cc examples/erasure_code/erasure_code.c -o /tmp/erasure_code $(pkg-config --cflags --libs cryptostitch)
/tmp/erasure_code README.md
rm -rf /tmp/embed
cmake -S examples/embed -B /tmp/embed -G Ninja && cmake --build /tmp/embed
/tmp/embed/embed README.md
"""
PROVIDER = """
command -v openssl >/dev/null || apt-get -qq -y install openssl >/dev/null
openssl list -providers -provider cryptostitch | grep -i 'status: active'
encrypt() { openssl enc -aes-128-ctr -K 00112233445566778899aabbccddeeff -iv 0123456789abcdef0123456789abcdef "$@"; }
encrypt -in README.md -out /tmp/ours -provider cryptostitch -provider default
encrypt -in README.md -out /tmp/theirs
cmp /tmp/ours /tmp/theirs
"""
DROP_IN = """
cc tests/packages/ipsec_mb_digest.c -o /tmp/digest -lIPSec_MB
export LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/cryptostitch/ipsec-mb
ldd /tmp/digest | grep "$LD_LIBRARY_PATH/libIPSec_MB.so.1"
[ "$(/tmp/digest)" = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ]
"""
WHEEL = f"""
{FRESH}
/tmp/env/bin/pip install -q --no-index build/packages/*.whl
cd /tmp
/tmp/env/bin/python -I -c 'import cryptostitch as c; print(c.hash_many("md5", [b"abc"])[0].hex())'
"""
OPENSSL = """
command -v openssl >/dev/null || apt-get -qq -y install openssl >/dev/null
.venv/bin/cryptostitch openssl-config >/tmp/openssl.cnf
.venv/bin/cryptostitch openssl-config /tmp/openssl.cnf
OPENSSL_CONF=/tmp/openssl.cnf openssl list -providers | grep -qi cryptostitch
"""
IPSEC_MB = """
original=/usr/lib/x86_64-linux-gnu/libIPSec_MB.so.1
taskset -c 0 build/integrations/ipsec_mb/cst-ipsec-mb-compare-1 \
    build/integrations/ipsec_mb/libIPSec_MB.so.1 $original
"""


def packages(root: Path) -> list[Step]:
    return [
        Step("make", "make", 3600),
        Step("make deb", "make deb", 3600),
        Step("make wheel", "make wheel"),
        *of_blocks(root, ("packaging/README.md",)),
        Step("cst-sum of cryptostitch-tools", CST_SUM),
        Step("pkg-config and CMake with libcryptostitch-dev", CONSUMERS),
        *of_blocks(root, BY_USE),
        Step("the provider of cryptostitch-openssl", PROVIDER),
        Step("the drop-in of cryptostitch-ipsec-mb", DROP_IN),
        Step("the wheel in an empty environment", WHEEL),
        Step("make tarball", "make tarball"),
    ]


def integrations() -> list[Step]:
    """DPDK's programs are left out: 150 MB of packages."""
    return [
        Step("integrations/openssl: a configuration", OPENSSL),
        Step("integrations/ipsec_mb: the comparison with Intel's", IPSEC_MB, 3600),
    ]


GROUPS = ("readme", "examples", "packages")


def steps(root: Path, group: str) -> list[Step]:
    """Returns the steps of a group. Each group begins in a root where nothing has been built."""
    first = [Step("make demo", "make demo", 3600)]
    if group == "readme":
        return [*first, *of_blocks(root, ("README.md",))]
    if group == "examples":
        pages = tuple(page for page in PAGES if page.startswith("examples/") and page not in BY_USE)
        return [Step("make", "make", 3600), *of_examples(root), *of_blocks(root, pages), *integrations()]
    return packages(root)
