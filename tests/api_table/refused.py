"""A program for a process with libcst-refused-calls before libc: in each of the named cases, when its objects are
there, the n-th request to the system is refused, or a limit of the process is at its lowest. Prints findings and, last,
how many requests of each kind were refused, as JSON.

    python -m api_table.refused HELPER LIBRARY NUMBER CASE ...

NUMBER: how many requests of a kind are refused in a case; of more, as many are taken. "+17" behind a case makes it one
of 17 jobs.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import json
import resource
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from api_table.cases import CASES, Case
from api_table.frame import Frame, function
from api_table.hostile import free_new, laid_out, named, run
from api_table.many import manyfold
from api_table.objects import Objects
from cryptostitch.binding.capi import ERR_JIT, ERR_MEMORY, ERR_UNSUPPORTED, OK
from cryptostitch.binding.failures import RuntimeFailure

KINDS = ("malloc", "mmap", "mprotect", "memfd_create", "write", "ftruncate", "fcntl")
"""The kinds of refusals.hpp. With SEALED behind them, mprotect gives no executable memory, so that the sealed file is
the way."""
SEALED = len(KINDS)
LIMITS = {"RLIMIT_AS": 0, "RLIMIT_FSIZE": 1024, "RLIMIT_NOFILE": 0}
ERRORS = {ERR_MEMORY, ERR_JIT, ERR_UNSUPPORTED}
ARGUMENTS = 12


def caller(path: str) -> Callable[..., tuple[Any, int]]:
    """A function that makes the call of a frame while a request is refused, and returns the result and how many
    requests of the kind there were."""
    made = ctypes.CDLL(path).call_refused
    made.restype = ctypes.c_int64
    made.argtypes = [*[ctypes.c_void_p] * 2, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_void_p]

    def call(frame: Frame, library: str, kind: int, n: int, sealed: bool) -> tuple[Any, int]:
        entry = function(library, frame.name)
        arguments = (ctypes.c_uint64 * ARGUMENTS)(*[int(each) % (1 << 64) for each in frame.arguments()])
        requests = ctypes.c_long()
        result = made(ctypes.cast(entry, ctypes.c_void_p), arguments, kind, n, sealed, ctypes.byref(requests))
        return (None if entry.restype is None else ctypes.c_int(result).value), requests.value

    return call


def once(case: Case, objects: Objects, call: Callable[[Frame], Any]) -> list[str]:
    """Makes a call under a refusal, and then without. Returns what is wrong."""
    frame = laid_out(case, objects)
    result = call(frame)
    if case.result is None:
        return []
    outputs, found = frame.outputs(), []
    if result not in ERRORS and result != case.result:
        found.append(f"returned {named(result)}")
    if problem := frame.problem(failed=result in ERRORS and not frame.entry.ends_without_memory):
        found.append(f"returned {named(result)}, and {problem}")
    if result == OK:
        free_new(frame, objects)
    objects.end()
    frame = laid_out(case, objects)
    again = frame.call(objects.path)
    if again != case.result and not result == again == ERR_JIT:
        found.append(f"returned {named(result)}, then, with nothing refused, {named(again)}")
    elif result == again and outputs != frame.outputs() and case.entry not in TELLS:
        found.append("wrote something else than with nothing refused")
    return found


TELLS = {"cst_kernel_info_get", "cst_suite_choice"}
"""They tell of kernels, which are others then."""


def under_limit(name: str, call: Callable[[Frame], Any], frame: Frame) -> Any:
    grow_stack()
    which = getattr(resource, name)
    soft, hard = resource.getrlimit(which)
    resource.setrlimit(which, (LIMITS[name], hard))
    try:
        return call(frame)
    finally:
        resource.setrlimit(which, (soft, hard))


def grow_stack() -> None:
    """Makes the stack some hundred KiB longer, which a call may need and RLIMIT_AS would not let it have."""
    nested: list[Any] = []
    for _ in range(900):
        nested = [nested]
    repr(nested)


def check(
    case: Case, objects: Objects, call: Callable[..., tuple[Any, int]], most: int
) -> tuple[list[str], Counter[str]]:
    case.values(objects)  # makes what the case needs, before anything is refused
    objects.end()

    def count(i: int) -> list[str]:
        return [str(call(laid_out(case, objects), objects.path, i % SEALED, 0, i >= SEALED)[1])]

    counted = [line.rpartition(": ")[2] for line in run(2 * SEALED, count, str)]
    found: list[str] = []
    refused: Counter[str] = Counter()
    for i, requests in enumerate(counted):
        if not requests.isdigit():
            found.append(f"{case}: {requests}")
            continue
        step = max(-(-int(requests) // most), 1)
        for n in range(1, int(requests) + 1, step):
            refused[KINDS[i % SEALED]] += 1
            asked = functools.partial(call, library=objects.path, kind=i % SEALED, n=n, sealed=i >= SEALED)
            found += run(
                1,
                lambda _, asked=asked: once(case, objects, lambda frame: asked(frame)[0]),
                lambda _, i=i, n=n: f"{case}: {KINDS[i % SEALED]} {n} refused{', sealed' * (i >= SEALED)}",
            )
    for name, sealed in itertools.product(LIMITS, (False, True)):
        limited = functools.partial(call, library=objects.path, kind=SEALED, n=0, sealed=sealed)
        found += run(
            1,
            lambda _, name=name, its=limited: once(
                case, objects, lambda frame: under_limit(name, lambda f: its(f)[0], frame)
            ),
            lambda _, name=name, sealed=sealed: f"{case}: {name} at its lowest{', sealed' * sealed}",
        )
    return found, refused


def main() -> None:
    helper, library, most, *names = sys.argv[1:]
    call, total = caller(helper), Counter[str]()
    objects = Objects(library)
    for name in names:
        case = CASES[name.partition("+17")[0]]
        try:
            found, refused = check(manyfold(case, 17) if name.endswith("+17") else case, objects, call, int(most))
        except RuntimeFailure as failure:
            if failure.code != ERR_UNSUPPORTED:
                raise
            continue
        total += refused
        print("\n".join(found), end="\n" * bool(found), flush=True)
    print(json.dumps(total))


if __name__ == "__main__":
    main()
