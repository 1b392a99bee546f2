"""Prints the lesser CPU (CRYPTOSTITCH_CPU) whose turn it is: drawn by the commit's hash among those that this CPU can
stand in for."""

from __future__ import annotations

import os

from commit_draw import drawn, is_drawn
from cryptostitch.binding import runtime

CPU = "CRYPTOSTITCH_CPU"
INDEPENDENT = tuple(
    f"generator/test_{name}."
    for name in (
        *("allocate", "allocate_random", "bound", "cpus", "derive", "frame", "header", "instructions", "layout"),
        *("order", "pack", "pipeline", "predictions", "render", "rooms", "standing", "verify_arithmetic"),
        "verify_bounds",
    )
)
"""How the paths below tests/ begin of files whose tests have been seen to pass on Haswell and Westmere too: the
compiler, which runs no kernel. Every other file may end otherwise on another CPU (marker `cpu`)."""
SEEN_EVERYWHERE = (
    *(
        "engine/",
        "integrations/",
        "pages/",
        "soak/",
        "runtime/test_api_",
        "runtime/test_plan_",
        "runtime/test_lesser_cpu",
    ),
    *(
        "ladder/test_climb",
        "ladder/test_default_pack",
        "ladder/test_forced",
        "ladder/test_native",
        "ladder/test_model_",
    ),
    *(
        "bench/test_bench",
        "cli/test_bound_command",
        "cli/test_cli",
        "cli/test_defaults",
        "examples/test_examples",
        "cli/test_learn",
        "binding/test_many",
    ),
    *(
        "cli/test_matrix",
        "examples/test_new_pair",
        "cli/test_regret",
        "cli/test_report",
        "binding/test_seal_many",
        "cst_sum/test_sum",
        "cli/test_tune",
    ),
    "cli/test_unknown_cpu",
)
"""These files of the others have been seen to pass on all CPUs of PASSED."""
WHOLE: tuple[str, ...] = ()
"""CPUs for which the rest has been seen to pass, too; for others it is not marked yet. On Haswell 2,586 of 2,615 tests
were seen."""


PASSED = ("haswell", "sapphire_rapids", "unknown_avx2", "unknown_avx512", "unknown_sse", "westmere", "zen3")
"""CPUs that are drawn."""


def depends(file: str, cpu: str) -> bool:
    """Whether the tests of a file, below tests/, are to run on a lesser CPU of that name. Without a name: on any."""
    if file.startswith(INDEPENDENT):
        return False
    return not cpu or cpu in WHOLE or file.startswith(SEEN_EVERYWHERE)


def has_turn(file: str, cpu: str, of: str | None = None) -> bool:
    """Whether the tests of a file run on a lesser CPU in a commit (``of``: else this one): half of the files that
    depend on it do, so that this takes half the time of a run on all of them, `make test CPU=`."""
    return depends(file, cpu) and (not cpu or is_drawn(f"{cpu} {file}", 2, of))


def candidates() -> list[str]:
    """Returns the CPUs of PASSED whose features this CPU has."""
    found = []
    for name in PASSED:
        os.environ[CPU] = name
        try:
            runtime.Context()
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_UNSUPPORTED:
                raise
        else:
            found.append(name)
    os.environ.pop(CPU, None)
    return found


if __name__ == "__main__":
    os.environ.pop(CPU, None)
    names = drawn(candidates(), 1)
    if not names:
        raise SystemExit("this CPU can stand in for no other")
    print(names[0])
