"""What `cryptostitch mutate` prints: operators and levels, checks, survivors, and what was proved to be no fault."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import dataclass

from ..mutate.checks import ASSEMBLER, CHECKS, COMPILE, SHOWS
from ..mutate.operators import CONTROL
from ..mutate.text import LEVELS
from ..mutate.trial import EQUIVALENT, KILLED, SURVIVED, Fate, Plan
from .tables import columns

ORDER = (COMPILE, *CHECKS[:5], ASSEMBLER, *CHECKS[5:])


@dataclass(frozen=True)
class Mutants:
    """``least``: the percentage of the faults that have to be killed."""

    fates: Sequence[Fate]
    plan: Plan
    least: float

    def some(self, verdict: str) -> list[Fate]:
        return [f for f in self.fates if f.verdict == verdict]

    @property
    def faults(self) -> list[Fate]:
        return [f for f in self.fates if f.counts]

    @property
    def rate(self) -> float:
        """Percent of the faults that were killed; 0 without faults, since nothing was shown then."""
        return 100 * len(self.some(KILLED)) / len(self.faults) if self.faults else 0.0

    @property
    def lost(self) -> list[Fate]:
        """Controls that were not recognised as equivalent."""
        return [f for f in self.fates if f.operator == CONTROL and f.counts]

    @property
    def failed(self) -> bool:
        return self.rate < self.least

    def cells(self) -> list[tuple[str, str, collections.Counter, collections.Counter]]:
        """(operator, level, verdicts, first killers) of every operator and level that made a mutant."""
        found: dict[tuple[str, str], list[Fate]] = collections.defaultdict(list)
        for fate in self.fates:
            found[fate.operator, fate.level].append(fate)
        return [
            (
                operator,
                level,
                collections.Counter(f.verdict for f in cell),
                collections.Counter(next(c for c in ORDER if c in f.by) for f in cell if f.verdict == KILLED),
            )
            for (operator, level), cell in sorted(
                found.items(), key=lambda item: (item[0][0], LEVELS.index(item[0][1]))
            )
        ]

    def checks(self) -> list[tuple[str, dict[str, int], int]]:
        """(check, killed by level, killed by no other check); the last means something only when every check saw every
        mutant."""
        killed = self.some(KILLED)
        return [
            (
                check,
                {level: sum(check in f.by and f.level == level for f in killed) for level in LEVELS},
                sum(set(f.by) == {check} for f in killed),
            )
            for check in ORDER
            if any(check in f.by for f in killed) or check in self.plan.wanted
        ]

    def reasons(self) -> list[tuple[str, int]]:
        return collections.Counter(f.why for f in self.some(EQUIVALENT)).most_common()

    def data(self) -> dict:
        """Returns the data that --format json prints."""
        return {
            "seed": self.plan.seed,
            "per_kernel": self.plan.count,
            "without": list(self.plan.without),
            "all_checks": self.plan.thorough,
            "made": len(self.fates),
            "faults": len(self.faults),
            "killed": len(self.some(KILLED)),
            "equivalent": len(self.some(EQUIVALENT)),
            "survived": len(self.some(SURVIVED)),
            "rate": round(self.rate, 2),
            "least": self.least,
            "passed": not self.failed,
            "operators": [
                {
                    "operator": operator,
                    "level": level,
                    "made": sum(verdicts.values()),
                    **{v: verdicts[v] for v in (KILLED, EQUIVALENT, SURVIVED)},
                    "by": dict(by),
                }
                for operator, level, verdicts, by in self.cells()
            ],
            "checks": [
                {"check": check, "killed": by_level, "alone": alone} for check, by_level, alone in self.checks()
            ],
            "mutants": [
                {
                    "kernel": f.kernel,
                    "level": f.level,
                    "operator": f.operator,
                    "what": f.sentence,
                    "verdict": f.verdict,
                    "by": f.by,
                    **({"why": f.why} if f.why else {}),
                }
                for f in self.fates
            ],
        }


def kernel_line(kernel: str, fates: Sequence[Fate]) -> str:
    """Returns a line for one kernel, to be printed when it is done."""
    faults = [fate for fate in fates if fate.counts]
    return f"{kernel}: {sum(fate.verdict == KILLED for fate in faults)} of {len(faults)} faults found"


def table(report: Mutants) -> str:
    used = [c for c in ORDER if any(by[c] for *_, by in report.cells())]
    lines = [
        columns(
            [
                ("operator", "level", "made", KILLED, EQUIVALENT, SURVIVED, *used),
                *(
                    (
                        operator,
                        level,
                        sum(v.values()),
                        v[KILLED],
                        v[EQUIVALENT],
                        v[SURVIVED],
                        *(by[c] or "" for c in used),
                    )
                    for operator, level, v, by in report.cells()
                ),
            ]
        ),
        "",
    ]
    alone = ("by no other",) if report.plan.thorough else ()
    lines += [
        columns(
            [
                ("check", *LEVELS, *alone, "what it shows"),
                *((check, *by.values(), *((n,) if alone else ()), SHOWS[check]) for check, by, n in report.checks()),
            ]
        )
    ]
    if not report.plan.thorough:
        lines.append(
            "(each mutant is counted for the first check that finds it; --all-checks shows each check on its own)"
        )
    if report.plan.without:
        lines.append("left out: " + ", ".join(report.plan.without))
    lines += ["", *(f"{count} equivalent by {why}" for why, count in report.reasons())]
    for fate in report.some(SURVIVED):
        lines += [
            f"SURVIVED: {fate.kernel}",
            f"  {fate.level}, {fate.operator}: {fate.sentence}",
            "  not proved to be equivalent",
        ]
    kernels = len({f.kernel for f in report.fates})
    lines.append(
        f"{len(report.fates)} mutants of {kernels} kernels, seed {report.plan.seed}: {len(report.some(EQUIVALENT))} "
        f"equivalent, {len(report.some(KILLED))} of {len(report.faults)} faults killed: {report.rate:.1f} %"
        + (f", less than {report.least:g} %" if report.failed else "")
    )
    return "\n".join(lines)
