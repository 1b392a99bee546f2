"""A CPU is a folder: what its instructions and its kernels cost, recipes, what cst-bench found, and ``about.json``,
which says how each came about.

{"format": "cryptostitch cpu 1", "microarchitecture": "zen4", "cpu": "AMD EPYC", "parts": {"costs": {"grade":
"measured", "how": "...", "when": "2026-11-21"}, ...}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path

from ..core.errors import CryptostitchError, UnknownName

FOLDER = Path(__file__).resolve().parent
FORMAT = "cryptostitch cpu 1"
ABOUT = "about.json"
UNNAMED = "_family_"
"""In the name of a CPU that the library knows by maker, family and model alone (runtime/select/cpu.cpp)."""


class Grade(Enum):
    """How a figure came about: on such a CPU; from published figures and the nearest measured relative; by nothing but
    the instruction set."""

    MEASURED = "measured"
    DERIVED = "derived"
    DEFAULT = "default"


class Part(Enum):
    """A part of a CPU's folder. ``file``: its name there; RECIPES is itself a folder."""

    INSTRUCTION_COSTS = "instruction_costs"
    COSTS = "costs"
    PUBLISHED = "published"
    RECIPES = "recipes"
    BENCH = "bench"

    @property
    def file(self) -> str:
        return self.value if self is Part.RECIPES else f"{self.value}.json"


@dataclass(frozen=True)
class Made:
    """How and when a part was made. ``when``: a date as 2026-11-23, in UTC. ``commit``: of the checkout it was made
    with; empty where that is not known."""

    grade: Grade
    how: str
    when: str
    commit: str = ""


@dataclass(frozen=True)
class About:
    """``cpu``: the name that the CPU bears, or a description."""

    microarchitecture: str
    cpu: str
    parts: Mapping[Part, Made] = field(default_factory=dict)

    @property
    def grade(self) -> Grade:
        """The lowest grade of the parts; published figures count only when there is nothing else. DEFAULT without
        parts."""
        others = [made for part, made in self.parts.items() if part is not Part.PUBLISHED] or self.parts.values()
        return max((made.grade for made in others), key=list(Grade).index, default=Grade.DEFAULT)

    def with_part(self, part: Part, made: Made) -> About:
        return replace(self, parts={**self.parts, part: made})

    def text(self) -> str:
        parts = {
            part.value: {**asdict(self.parts[part]), "grade": self.parts[part].grade.value}
            for part in Part
            if part in self.parts
        }
        head = {"format": FORMAT, "microarchitecture": self.microarchitecture, "cpu": self.cpu}
        return json.dumps({**head, "parts": parts}, indent=1) + "\n"


@dataclass(frozen=True)
class CpuFolder:
    """A CPU's folder, whether it is there or not."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def file(self, part: Part) -> Path:
        return self.path / part.file

    def bench(self, tier: str = "") -> Path:
        """Returns the file of cst-bench's results, on the whole CPU or held to a tier."""
        path = self.file(Part.BENCH)
        return path.with_name(f"{path.stem}.{tier}{path.suffix}") if tier else path

    @property
    def page(self) -> Path:
        """Returns the path of the page for readers: the tables that bench/summary makes of the folder's results."""
        return self.path / "README.md"

    def recipes(self) -> list[Path]:
        return sorted(self.file(Part.RECIPES).glob("*.json"))

    def about(self) -> About | None:
        """Reads about.json; None where the folder has none. CryptostitchError when it is damaged."""
        path = self.path / ABOUT
        if not path.exists():
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise ValueError(f"its format is {data['format']!r}")
            parts = {
                Part(name): Made(Grade(made["grade"]), made["how"], made["when"], made["commit"])
                for name, made in data["parts"].items()
            }
            return About(data["microarchitecture"], data["cpu"], parts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CryptostitchError(
                f"{path} does not describe a CPU's folder ({type(error).__name__}: {error}); restore it, or have "
                "`cryptostitch learn` make another folder on such a CPU"
            ) from error

    def write(self, name: str, text: str) -> Path:
        """Writes a file of the folder whole or not at all. ``name``: its path below the folder."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        return path

    def write_about(self, about: About) -> None:
        self.write(ABOUT, about.text())


def shipped() -> dict[str, CpuFolder]:
    """The folders of this package by microarchitecture, sorted."""
    return {path.parent.name: CpuFolder(path.parent) for path in sorted(FOLDER.glob(f"*/{ABOUT}"))}


def folder_of(name: str) -> CpuFolder:
    """A shipped folder. UnknownName when there is none of that name."""
    there = shipped()
    if name not in there:
        raise UnknownName("CPU", name, there)
    return there[name]
