"""The whole of it: which steps, in which folder, for how long."""

from __future__ import annotations

import datetime
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..analysis.bench_run import BenchFailure
from ..binding import runtime
from ..core.errors import CryptostitchError
from ..cpus.folder import ABOUT, FOLDER, About, CpuFolder, Part
from . import steps
from .budget import Budget, Step
from .diary import PLACE, Diary, digest
from .host import MOST_BUSY, Host, check_idle, host
from .steps import Tell, Work

STEPS = {
    Part.INSTRUCTION_COSTS: Step.PROBE,
    Part.COSTS: Step.CALIBRATE,
    Part.RECIPES: Step.TUNE,
    Part.BENCH: Step.BENCH,
}


@dataclass(frozen=True)
class Wish:
    """The options of a run. ``folder``: None for the package's own. ``kernels``, ``rows``: globs."""

    minutes: float
    folder: Path | None = None
    parts: Sequence[Part] = tuple(STEPS)
    kernels: str = "*"
    rows: str = "*"
    busy: bool = False


@dataclass(frozen=True)
class Learned:
    """``searched``: gains by pair, and the pairs that there was no time for. ``notes``: what else is to be said.
    ``worse``: the cells where the measured costs select a slower kernel (steps.worse_choices)."""

    host: Host
    folder: CpuFolder
    seconds: float
    searched: dict[str, Any]
    notes: tuple[str, ...]
    worse: tuple[dict[str, Any], ...] = ()


def checkout() -> Path | None:
    """The checkout that this package belongs to."""
    root = FOLDER.parents[2]
    return root if (root / "CMakeLists.txt").exists() else None


def folder_for(wish: Wish, here: Host) -> CpuFolder:
    """Returns the folder for the results. CryptostitchError for another CPU's folder, or one that is no CPU's."""
    if wish.folder is None and not checkout():
        raise CryptostitchError(
            "this package is not a checkout, so its own folders stay as they are: give --folder DIR"
        )
    folder = CpuFolder((wish.folder or FOLDER / here.name).absolute())
    about = folder.about()
    if about and about.microarchitecture != here.name:
        raise CryptostitchError(
            f"{folder.path} is the folder of {about.microarchitecture} ({about.cpu}), and this CPU is {here.name} "
            f"({here.brand}): give another with --folder"
        )
    if not about and folder.path.exists() and any(path.name != PLACE for path in folder.path.iterdir()):
        raise CryptostitchError(f"{folder.path} has other files, and no {ABOUT}: give a CPU's folder, or a new one")
    return folder


def learn(
    wish: Wish,
    tell: Tell,
    say: Callable[[str], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> Learned:
    """Makes or refreshes the folder of this CPU; goes on where a run for the same library ended that was interrupted,
    or had no time for all searches.

    Raises CryptostitchError (Busy among them) before anything is measured, and MeasureError from what cannot be
    measured; what is whole by then stays."""
    here = host()
    folder = folder_for(wish, here)
    load = check_idle(wish.busy)
    library = Path(runtime.library_path())
    of = {"library": digest(library), "cpu": here.brand, "kernels": wish.kernels, "rows": wish.rows}
    diary = Diary(folder, of)
    if diary.resumed:
        say(f"going on where a run ended after {diary.spent:.0f} s" if diary.spent else "going on with more weaves")
    elif diary.begun_anew:
        say("an earlier run was of another library, CPU or choice of kernels: begun anew")
    if folder.about() is None:
        folder.write_about(About(here.name, here.brand))
    work = Work(
        folder=folder,
        host=here,
        diary=diary,
        budget=Budget(60 * wish.minutes, clock, clock(), diary.spent),
        kernels=wish.kernels,
        rows=wish.rows,
        when=datetime.datetime.now(datetime.UTC).date().isoformat(),
        commit=commit(),
        circumstance=f"; {load:.1f} cores had other work" if load > MOST_BUSY else "",
        tell=tell,
    )
    notes = []
    try:
        for part in STEPS:
            if part not in wish.parts or diary.done(part.value):
                continue
            say(STEPS[part].value)
            try:
                _make(part, work)
            except BenchFailure as failure:  # the rest is of use without it
                notes.append(str(failure))
            work.note(part.value, True)
    finally:
        diary.save(work.budget.used)
    searched = diary.done("searched") or {"tried": {}, "untried": []}
    if not here.detected:
        notes.append(
            f"the runtime has no name for this CPU's microarchitecture, so the table '{here.name}' is of this model "
            "alone: add a name for all its models to kMicros in runtime/select/cpu.cpp"
        )
    seconds = work.budget.used
    worse = tuple(diary.done("worse") or ())
    if searched["untried"]:
        diary.keep(part.value for part in (Part.RECIPES, Part.BENCH) if part in wish.parts)
    else:
        diary.close()
    return Learned(here, folder, seconds, searched, tuple(notes), worse)


def _make(part: Part, work: Work) -> None:
    if part is Part.INSTRUCTION_COSTS:
        steps.probe(work)
    elif part is Part.COSTS:
        steps.calibrate(work)
    elif part is Part.RECIPES:
        steps.tune(work, steps.library_costs(work))
    else:
        steps.library_costs(work)
        steps.bench(work)


def commit() -> str:
    """Returns the commit of the checkout, "" outside of one; it ends with "-dirty" where tracked files differ."""
    root, git = checkout(), shutil.which("git")
    if not root or not git:
        return ""
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
