"""The long form of the tests (CRYPTOSTITCH_LONG=1) in named parts of some ten minutes on two cores:
`make test-long PART=NAME`; `make test-long` runs one after the other.

As a program it prints the parts' names; with `--draw N` those of N parts, drawn by the commit's hash from those
whose last whole run (long_runs.md) lies furthest back.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping

from commit_draw import drawn, git

BURSTS = "engine/test_burst_model.py"
PACK = "ladder/test_default_pack.py"
PACK_PARTS, PACK_BATCHES = 10, 140
SAMPLE, MUTATED = "the_quick_ladder_kills_in_the_whole_sample", ("template", "program", "kernel")


def _batches(part: int) -> str:
    """A pattern of the node ids of one of ten shares of the default pack's batches."""
    share = PACK_BATCHES // PACK_PARTS
    numbers = "|".join(str(n) for n in range(part * share, (part + 1) * share))
    return rf"{re.escape(PACK)}::test_kernels\[({numbers})\]"


def _files(*names: str) -> tuple[str, ...]:
    return tuple(rf"{re.escape(name)}::.*" for name in names)


def _tests(file: str, *names: str) -> tuple[str, ...]:
    return tuple(rf"{re.escape(file)}::test_{name}(\[.*)?" for name in names)


def _first(pattern: str) -> str:
    return rf"bare/test_bare\.py::test_first_command\[{pattern}\]"


FIRST = {
    "bench": "make bench",
    "cmake": "cmake -S \\. -B, Python",
    "conan": "conan create packaging/conan",
    "deb": "make deb",
    "demo": "make demo",
    "generated": "(.*, generated kernels|cmake -S \\. -B|add_subdirectory|examples/build.*)",
    "install": "make install",
    "make": "make",
    "pip": "pip install .*",
    "tarball": "make tarball",
    "wheel": "make wheel",
}
"""Patterns of first commands (bare/first.py) whose parts have their names behind `bare-first-`."""

PARTS: dict[str, tuple[str, ...]] = {
    "api-table": _files(*(f"api_table/test_{name}.py" for name in ("hostile", "neighbours", "refusals"))),
    **{
        f"bare-{group}": (rf"bare/test_bare\.py::test_group\[{group}\]",)
        for group in ("readme", "examples", "packages")
    },
    **{f"bare-first-{name}": (_first(pattern),) for name, pattern in FIRST.items()},
    "bursts-any": _tests(BURSTS, "any_burst", "every_suite_comes_up"),
    "bursts-forced": _tests(BURSTS, "any_burst_on_any_kernel", "jobs_that_are_alike"),
    "calibration": _files("runtime/test_api_calibrate.py", "cli/test_defaults.py"),
    "choices": _files("runtime/test_api_choice.py"),
    "columns": _files("runtime/test_api_column.py", "runtime/test_api_code.py", "runtime/test_api_stripe.py"),
    "constant-time": _files(
        "engine/test_constant_time.py",
        "engine/test_constant_time_pk.py",
        "engine/test_constant_time_quic.py",
        "engine/test_constant_time_rsa.py",
    ),
    "cst-sum": _files("cst_sum/test_sum.py", "cst_sum/test_sum_faults.py"),
    "digests": _files(
        *(
            "runtime/test_api_both.py",
            "runtime/test_api_checked.py",
            "runtime/test_api_checksum.py",
            "runtime/test_api_hashes.py",
        ),
        *(
            "runtime/test_api_parts.py",
            "runtime/test_api_protection.py",
            "runtime/test_api_text_parts.py",
            "runtime/test_api_chunks.py",
            "runtime/test_api_trees.py",
            "runtime/test_api_multi_hash.py",
            "examples/test_own_tree.py",
            "examples/test_own_mac.py",
            "examples/test_own_aead.py",
        ),
    ),
    "edges": _files("engine/test_edges.py", "engine/test_lane_isolation.py"),
    "fuzz": _files("runtime/test_fuzz.py", "runtime/test_fuzz_binding.py"),
    "hardening": _files("runtime/test_hardening.py", "runtime/test_api_memory.py", "runtime/test_changed_rows.py"),
    "ipsec-mb": _files("integrations/test_ipsec_mb_programs.py"),
    "managers": _files("engine/test_manager_model.py"),
    "musl": _files("packages/test_musl.py"),
    "models": _files("generator/test_allocate_random.py", "ladder/test_model_instructions.py"),
    "mutations": _tests("ladder/test_mutate.py", rf"(?!{SAMPLE}).*"),
    **{f"mutations-{level}": _tests("ladder/test_mutate.py", rf"{SAMPLE}\[{level}\]") for level in MUTATED},
    "newcomer": _files("examples/test_newcomer.py"),
    "openssl-calls": _files(
        *(f"integrations/test_openssl_{name}.py" for name in ("async", "ciphers", "evp_test", "releases")),
    ),
    "openssl-servers": _files(
        *("integrations/test_openssl_nginx.py", "integrations/test_openssl_servers.py"),
        "integrations/test_openssl_tls.py",
    ),
    "packages": _files(
        *("packages/test_conan.py", "packages/test_deb.py", "packages/test_vcpkg.py", "packages/test_wheel.py"),
        "packages/test_reproducible.py",
    ),
    **{f"pack-{part}": (_batches(part),) for part in range(PACK_PARTS)},
    "peers": _files("bench/test_bench_newest.py", "bench/test_bench_peers.py"),
    "proofs": _files("generator/test_verify_catalogue.py", "ladder/test_messages.py"),
    "public-key": _files(
        "runtime/test_api_pk.py",
        "runtime/test_api_pk_ed25519.py",
        "runtime/test_api_pk_lesser.py",
        "runtime/test_api_pk_p256.py",
        "runtime/test_api_pk_rsa.py",
    ),
    "plans-counters": _files("runtime/test_plan_counters.py", "runtime/test_plan_entries.py"),
    "plans-heads": _files("runtime/test_plan_heads.py"),
    "plans-lengths": _files("runtime/test_plan_lengths.py"),
    "plans-mixed": _files("runtime/test_plan_mixed.py"),
    "plans-numbers": _files("runtime/test_plan_numbers.py"),
    "residue": _files("runtime/test_api_residue.py", "runtime/test_api_pk_residue.py"),
    "roads": _files("roads/test_roads.py"),
    "rust": _files("packages/test_rust.py", "runtime/test_api_quic_peers.py"),
    "sanitizers": _files("runtime/test_sanitize.py"),
    "soak": _files("soak/test_soak.py"),
    "stack": _files("runtime/test_api_stack.py", "runtime/test_job_rules.py", "runtime/test_selftest.py"),
    "state-digests": _tests("runtime/test_api_state_bits.py", "digests"),
    "state-others": _tests("runtime/test_api_state_bits.py", "(?!digests).*"),
    "tls": _files("engine/test_tls.py", "engine/test_tls_write.py", "runtime/test_api_quic.py"),
}
"""By name: patterns of node ids below tests/."""

NEVER_RUN = frozenset(
    """
    bare-examples bare-first-bench bare-first-cmake bare-first-conan bare-first-deb bare-first-demo
    bare-first-generated bare-first-install bare-first-make bare-first-pip bare-first-tarball
    bare-first-wheel bare-packages bare-readme choices constant-time ipsec-mb musl mutations-kernel
    mutations-program mutations-template openssl-calls pack-0 pack-1 pack-2 pack-3 pack-4 pack-5
    pack-6 pack-7 pack-8 pack-9 packages peers soak
    """.split()
)
"""Parts of which no whole run is known: `long_runs.md` has a row of every other one."""


def part_of(node: str) -> list[str]:
    """The parts that a test belongs to, by its node id below tests/: one at most, none where both forms are the
    same."""
    return [name for name, patterns in PARTS.items() if any(re.fullmatch(each, node) for each in patterns)]


def oldest(ages: Mapping[str, int], number: int) -> list[str]:
    """The quarter of the names with the highest ages, at least ``number``, from which some are drawn: commits that
    follow one another draw different ones though none of them can write down what it ran."""
    return sorted(ages, key=lambda name: (-ages[name], name))[: max(number, -(-len(ages) // 4))]


def ages() -> dict[str, int]:
    """How many commits lie behind the last whole run of each part; all that there are where none is known."""
    import long_runs  # a plugin, which pytest wants to import itself

    runs = long_runs.read(long_runs.PAGE.read_text())
    whole = int(git("rev-list", "--count", "HEAD") or 0)
    found = {part: long_runs.commits_since(runs[part].commit) if part in runs else None for part in PARTS}
    return {part: whole if age is None else age for part, age in found.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="N")
    number = parser.parse_args().draw
    if number is None:
        print(*PARTS)
    else:
        print(*drawn(oldest(ages(), number), number))
