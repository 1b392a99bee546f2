"""Imports run one way: a room of the generator imports only rooms that stand above it in generator/README.md."""

import ast
from pathlib import Path

GENERATOR = Path(__file__).resolve().parents[2] / "generator"
ROOMS = (
    *("extras", "core", "binding", "frontend", "verify", "passes", "cpus", "pipeline", "listing", "emit", "semantics"),
    *("model", "tuning", "instruction_probe", "ladder", "mutate", "analysis", "learning", "report", "commands", "cli"),
)


def imported(file: Path) -> set[str]:
    """The modules of the package that a file imports relatively, now or later, as paths below the package."""
    package = file.relative_to(GENERATOR / "cryptostitch").parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
            names = [(*base, alias.name) for alias in node.names] if not node.module else [base]
            found |= {"/".join(filter(None, name)) for name in names}
    return found


def room(path: str) -> str:
    return path.partition("/")[0]


def test_the_rooms_are_those_of_the_readme() -> None:
    here = {p.stem for p in (GENERATOR / "cryptostitch").iterdir() if p.name[0] != "_" and p.name != "py.typed"}
    assert here == set(ROOMS)
    text = (GENERATOR / "README.md").read_text()
    places = [text.index(f"\n| `{name}/`" if f"\n| `{name}/`" in text else f"`{name}.py`") for name in ROOMS]
    assert len(set(places)) == len(ROOMS)


def test_imports_run_one_way() -> None:
    wrong = []
    for file in sorted((GENERATOR / "cryptostitch").rglob("*.py")):
        own = file.relative_to(GENERATOR / "cryptostitch").with_suffix("")
        if room(str(own)) not in ROOMS:
            continue  # the package's own door imports lazily from everywhere
        here = ROOMS.index(room(str(own)))
        wrong += [
            f"{own} imports {name}"
            for name in sorted(imported(file))
            if room(name) in ROOMS and ROOMS.index(room(name)) > here
        ]
    assert wrong == []


def test_no_module_imports_itself_by_a_circle() -> None:
    package = GENERATOR / "cryptostitch"
    files = {str(f.relative_to(package).with_suffix("")): f for f in package.rglob("*.py")}
    graph = {name: imported(file) & files.keys() for name, file in files.items() if name != "__init__"}
    while free := [name for name, needs in graph.items() if not needs & graph.keys()]:
        for name in free:
            del graph[name]
    assert not graph, f"these import one another: {sorted(graph)}"
