"""Runs hostile calls of a case in child processes, so that a call that crashes or hangs is one finding, and the rest
goes on."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import mmap
import os
import pickle
import re
import resource
import signal
import struct
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from api_table.cases import Case
from api_table.frame import FILL, Cell, Frame
from api_table.objects import Objects
from api_table.roles import EVERYWHERE, Made
from api_table.trials import Hostile, Ok, Trial
from cryptostitch.binding import capi
from jobs.memory import Guarded

CPU_SECONDS, SECONDS = 10, 120
"""A call that takes longer hangs: it computes, or it waits."""
MORE_MEMORY = 4 << 30
MOST_DEATHS = 50
NAMES = {getattr(capi, name): f"CST_{name}" for name in dir(capi) if name.startswith("ERR_") or name == "OK"}
KINDS = ("lengths", "absent", "places", "sizes")


@functools.cache
def memory_of(slots: int, pages: int, at_end: bool) -> Guarded:
    return Guarded(slots, pages, at_end)


def named(code: Any) -> str:
    return NAMES.get(code, str(code))


@dataclass
class Right:
    """A right call, and what it made."""

    case: Case
    result: Any
    outputs: dict[str, bytes]


def laid_out(case: Case, objects: Objects, at_end: bool = True, values: dict[str, Any] | None = None) -> Frame:
    return Frame(
        memory_of(case.slots, case.pages, at_end), case.entry, case.values(objects) if values is None else values
    )


def free_new(frame: Frame, objects: Objects) -> None:
    """Frees what a call that returned CST_OK has made."""
    for cell in frame.cells.values():
        if isinstance(cell.role, Made) and cell.role.free and cell.value and frame.new_object(cell) not in (0, FILLED):
            getattr(objects.lib, cell.role.free)(frame.new_object(cell))


FILLED = int.from_bytes(bytes([FILL]) * 8, "little")


def right_call(case: Case, objects: Objects, at_end: bool = True) -> Right:
    """AssertionError when the right call is refused, or changes what it may not."""
    frame = laid_out(case, objects, at_end)
    try:
        result = frame.call(objects.path)
        outputs = frame.outputs()
        if result == capi.OK:
            free_new(frame, objects)
        assert case.result is None or result == case.result, f"the right call returns {named(result)}"
        problem = frame.problem(failed=result != capi.OK and case.result is not None)
        assert not problem, f"the right call: {problem}"
        return Right(case, result, outputs)
    finally:
        objects.end()


def trials_of(case: Case, objects: Objects, kind: str) -> list[Trial]:
    frame = laid_out(case, objects)
    try:
        hostile = Hostile(frame, case.accepts(objects), case.forgeable)
        match kind:
            case "lengths":
                found = list(hostile.lengths())
            case "absent":
                found = list(hostile.absent(case.opens))
            case "places":
                found = list(hostile.places(functools.partial(shifted, frame)))
            case _:
                found = list(hostile.sizes())
        return [trial for trial in found if f"{trial.kind} {trial.path}" not in case.skip]
    finally:
        objects.end()


def shifted(frame: Frame, cell: Cell) -> int:
    """Copies a buffer to an address that misses its alignment by a quarter, and returns the address."""
    content = ctypes.string_at(cell.value, cell.size)
    ahead = bytes(max(cell.align // 2, 1))
    size = -(-(len(content) + len(ahead)) // 64) * 64
    return frame.memory.put((ahead + content).ljust(size, b"\0")) + len(ahead)


def tried(case: Case, objects: Objects, trial: Trial, right: Right, again: bool) -> list[str]:
    """Makes a hostile call, then the right one with the same objects. Returns what is wrong."""
    values = case.values(objects)
    frame = laid_out(case, objects, values=values)
    found = []
    try:
        if trial.what == "is misaligned":
            shifted(frame, frame.cells[trial.path])  # to the same address as before
        for address, content in trial.writes:
            frame.write(address, content)
        for path, value in trial.sets:
            frame.set(path, value)
        result = frame.call(objects.path)
        failed = result is not None and result < 0
        promised = {*frame.entry.errors, *EVERYWHERE, capi.OK, case.result}
        if case.result is None:
            return []
        if result not in promised:
            found.append(f"returned {named(result)}, which the header does not promise")
        elif (failed and result not in trial.errors and result != case.result) or (trial.ok is Ok.NEVER and not failed):
            found.append(f"returned {named(result)}, not {' or '.join(sorted(map(named, trial.errors)))}")
        elif trial.ok is Ok.SAME and result != case.result:
            found.append(f"returned {named(result)}, not CST_OK")
        if result == capi.OK:
            if trial.ok is Ok.SAME and not same(frame, right):
                found.append("wrote something else than the right call")
            free_new(frame, objects)
        if problem := frame.problem(failed and result != capi.ERR_AUTH):
            found.append(f"returned {named(result)}, and {problem}")
        if trial.alike:
            outputs = frame.outputs()
            found += differences(laid_out(case, objects, values=values), trial, result, outputs, objects)
        if failed and again and not found:
            frame = laid_out(case, objects, values=values)
            result = frame.call(objects.path)
            if result != right.result:
                found.append(f"the right call behind it returned {named(result)}, not {named(right.result)}")
            elif not same(frame, right):
                found.append("the right call behind it wrote something else than before")
            if result == capi.OK:
                free_new(frame, objects)
        return found
    finally:
        objects.end()


def differences(frame: Frame, trial: Trial, result: Any, outputs: dict[str, bytes], objects: Objects) -> Iterator[str]:
    """What the call does otherwise with the other values (``alike``) than with the trial's own, which gave this."""
    for path, value in trial.alike:
        frame.set(path, value)
    other = frame.call(objects.path)
    if other != result:
        yield f"returned {named(result)}, where an address with 0 gives {named(other)}"
    elif frame.outputs() != outputs and not frame.name.endswith("_submit"):  # such a job waits, in either call
        yield "wrote something else than with an address"
    if other == capi.OK:
        free_new(frame, objects)


def same(frame: Frame, right: Right) -> bool:
    """Whether the call has written what the right one does. (A job in a manager waits, and has written nothing.)"""
    made = frame.outputs()
    written = {path: content for path, content in right.outputs.items() if content.strip(bytes([FILL]))}
    return all(made[path] == content for path, content in written.items() if path in made)


def run(count: int, each: Callable[[int], list[str]], name: Callable[[int], str]) -> list[str]:
    """Calls each(0), each(1), ... in children, and returns what they found. One that dies is reported by the call that
    it was in, and another one goes on behind it."""
    found: list[str] = []
    at = mmap.mmap(-1, 16)
    first = deaths = 0
    while first < count:
        if deaths == MOST_DEATHS:
            return [*found, f"{name(first)}: and what follows was not tried after {deaths} crashes"]
        with tempfile.TemporaryFile() as report:
            at[:8] = struct.pack("<q", first)
            child = os.fork()
            if not child:
                _child(first, count, each, name, at, report)
            _, status = os.waitpid(child, 0)
            report.seek(0)
            with contextlib.suppress(EOFError):
                while True:
                    found.append(pickle.load(report))
        if status == 0:
            return found
        last = struct.unpack("<q", at[:8])[0]
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
        found.append(f"{name(last)}: {'hangs' if how in ('SIGALRM', 'SIGPROF') else 'crashes'} ({how})")
        first, deaths = last + 1, deaths + 1
    return found


def _child(
    first: int,
    count: int,
    each: Callable[[int], list[str]],
    name: Callable[[int], str],
    at: mmap.mmap,
    report: Any,
) -> None:
    code = 1
    try:
        gc.disable()
        for fatal in (
            signal.SIGALRM,
            signal.SIGPROF,
            signal.SIGSEGV,
            signal.SIGBUS,
            signal.SIGABRT,
            signal.SIGFPE,
            signal.SIGILL,
        ):
            signal.signal(fatal, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit_memory()
        for i in range(first, count):
            at[:8] = struct.pack("<q", i)
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            signal.alarm(SECONDS)
            for problem in each(i):
                pickle.dump(f"{name(i)}: {problem}", report)
                report.flush()
        code = 0
    except BaseException:
        problem = f"{name(struct.unpack('<q', at[:8])[0])}: the test fails: {traceback.format_exc(limit=-3)}"
        pickle.dump(problem, report)
        report.flush()
    finally:
        os._exit(code)


def limit_memory() -> None:
    """No more address space than MORE_MEMORY beyond the present one: a length that is believed must not fill the
    machine. AddressSanitizer's shadow wants all of it."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    most = pages * mmap.PAGESIZE + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def findings(case: Case, objects: Objects, kind: str, every: int = 1) -> list[str]:
    """Returns the findings of the hostile calls of a kind. ``every``: n tries each n-th call only."""
    right = right_call(case, objects)
    trials = trials_of(case, objects, kind)[::every]
    return run(
        len(trials),
        lambda i: tried(case, objects, trials[i], right, again=not case.slow or i % 8 == 0),
        lambda i: f"{case} {trials[i]}",
    )


def summary(found: Sequence[str]) -> list[str]:
    """Findings that differ in a value alone become one."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for each in found:
        trial, _, outcome = each.partition(": ")
        path, _, rest = outcome.partition(" = ")
        value, _, outcome = rest.partition(": ") if rest else ("", "", outcome)
        outcome = re.sub(r"byte \d+ of", "a byte of", re.sub(r"is 0x\w+, not 0x\w+", "has changed", outcome))
        grouped.setdefault((f"{trial}: {path}" if rest else trial, outcome), []).append(value)
    return [
        f"{where}{' = ' + some[0] if some[0] else ''}"
        f"{f' and {len(some) - 1} others' if len(some) > 1 else ''}: {outcome}"
        for (where, outcome), some in grouped.items()
    ]
