"""The evidence of `cryptostitch verify`: as a table, as data, and as one HTML page that needs no network."""

from __future__ import annotations

import collections
import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from .. import __version__
from ..binding import runtime
from ..ladder.result import FAIL, PASS, SKIP, WAIVED, Effort, Evidence
from ..ladder.steps import LADDER
from .html import render_page
from .tables import columns

MARKS = {PASS: "ok", FAIL: "FAIL", SKIP: "-", WAIVED: "waived"}


@dataclass(frozen=True)
class Report:
    """``environment``: what the evidence was made on and with, in order."""

    kernels: Sequence[Evidence]
    environment: dict[str, str]

    @classmethod
    def of(cls, kernels: Sequence[Evidence], effort: Effort, arguments: Sequence[str]) -> Report:
        """``arguments``: of the command line, so that a reader can make the report again."""
        environment = {
            "generator": __version__,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()}",
        }
        try:
            context = runtime.Context()
            cpu = context.cpu()
            environment |= {
                "library": context.lib.cst_version().decode(),
                "cpu": cpu["brand"].strip(),
                "cpu family, model, stepping": f"{cpu['family']}, {cpu['model']}, {cpu['stepping']}",
                "features": " ".join(cpu["features"]),
            }
        except FileNotFoundError:
            environment |= {"library": "none built", "cpu": platform.processor() or platform.machine()}
        seeded = [] if "--seed" in arguments else ["--seed", str(effort.seed)]
        return cls(
            kernels,
            environment
            | {
                "effort": "long" if effort.long else "quick",
                "seed": str(effort.seed),
                "again": shlex.join(["cryptostitch", *arguments, *seeded]),
            },
        )

    @property
    def failed(self) -> bool:
        return any(kernel.failed for kernel in self.kernels)

    @property
    def checks(self) -> list[str]:
        """The checks that were asked for, in the ladder's order."""
        return [rung.name for rung in LADDER if any(rung.name in kernel.checks for kernel in self.kernels)]

    def totals(self) -> list[tuple[str, int, int, int, int, int, list[tuple[str, int]]]]:
        """Returns for each check: name, passed, failed, skipped, waived, cases, and how often each reason for a skip
        was given."""
        rows = []
        for name in self.checks:
            results = [kernel.checks[name] for kernel in self.kernels if name in kernel.checks]
            count = collections.Counter(r.status for r in results)
            reasons = collections.Counter(r.detail for r in results if r.status == SKIP)
            rows.append(
                (
                    name,
                    count[PASS],
                    count[FAIL],
                    count[SKIP],
                    count[WAIVED],
                    sum(r.cases for r in results),
                    reasons.most_common(),
                )
            )
        return rows

    def waived(self) -> list[tuple[str, list[str], str]]:
        """(kernel, its waived checks, the reason) of every kernel with streams of variable time (VARTIME.md)."""
        found = []
        for kernel in self.kernels:
            if checks := {name: r for name, r in kernel.checks.items() if r.status == WAIVED}:
                found.append((kernel.kernel, list(checks), next(iter(checks.values())).detail.partition(";")[0]))
        return found

    def problems(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(kernel, check, what is wrong) of every failure."""
        return [
            (kernel.kernel, name, r.problems or (r.detail,))
            for kernel in self.kernels
            for name, r in kernel.checks.items()
            if r.status == FAIL
        ]

    def data(self) -> dict:
        """Returns the data that --format json prints. ``checks`` says pass, fail, or skip with the reason; ``details``
        and ``problems`` say more."""
        return {
            "environment": self.environment,
            "kernels": [
                {
                    "kernel": k.kernel,
                    "checks": {name: r.text for name, r in k.checks.items()},
                    "details": {
                        name: r.detail for name, r in k.checks.items() if r.detail and r.status not in (SKIP, WAIVED)
                    },
                    "cases": {name: r.cases for name, r in k.checks.items() if r.cases},
                    "problems": {name: list(r.problems) for name, r in k.checks.items() if r.problems},
                }
                for k in self.kernels
            ],
            "totals": [
                {
                    "check": name,
                    "passed": p,
                    "failed": f,
                    "skipped": s,
                    "waived": w,
                    "cases": cases,
                    "reasons": dict(reasons),
                }
                for name, p, f, s, w, cases, reasons in self.totals()
            ],
        }


def table(report: Report) -> str:
    """Formats the report for a terminal or a pipe: a line for each kernel, then totals, reasons and problems."""
    lines = [
        columns(
            [
                ("kernel", *report.checks),
                *(
                    (k.kernel, *(MARKS[k.checks[c].status] if c in k.checks else "" for c in report.checks))
                    for k in report.kernels
                ),
            ]
        ),
        "",
    ]
    lines.append(
        columns(
            [
                ("check", "passed", "failed", "skipped", "waived", "cases"),
                *((n, p, f, s, w, c or "") for n, p, f, s, w, c, _ in report.totals()),
            ]
        )
    )
    for name, *_, reasons in report.totals():
        lines += [f"{name}: {count} skipped: {reason}" for reason, count in reasons]
    lines += [f"waived: {kernel}: {', '.join(checks)}: {reason}" for kernel, checks, reason in report.waived()]
    for kernel, check, problems in report.problems():
        lines += [f"\n{kernel}: {check} FAILED", *(f"  {p}" for p in problems[:10])]
        if len(problems) > 10:
            lines.append(f"  ... and {len(problems) - 10} more")
    lines.append("")
    lines += [f"{name}: {value}" for name, value in report.environment.items()]
    lines.append(
        f"{len(report.kernels)} kernels: "
        + (f"{sum(k.failed for k in report.kernels)} FAILED" if report.failed else "no check failed")
    )
    return "\n".join(lines)


def page(report: Report) -> str:
    """Returns the report as a self-contained HTML page."""
    return render_page(
        "evidence.html.j2",
        report=report,
        marks={PASS: "✓", FAIL: "✗ fail", SKIP: "–", WAIVED: "waived"},
        shows={rung.name: rung.shows for rung in LADDER},
    )
