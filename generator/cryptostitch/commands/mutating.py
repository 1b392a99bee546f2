"""`cryptostitch mutate`: faults put into kernels on purpose, and which checks find them."""

from __future__ import annotations

import json
import os
import sys

import click

from .common import format_option, generator, progress_bar, templates_option


@click.command()
@click.argument("glob", required=False)
@click.option(
    "--mutants", "count", type=click.IntRange(1), default=6, show_default=True, help="Mutants of each kernel."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Where random choices start; the same seed makes the same mutants.",
)
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(["template", "program", "kernel"]),
    help="Where faults are made (default: at all three).",
)
@click.option(
    "--operator",
    "operators",
    multiple=True,
    metavar="NAME",
    help="Only this kind of fault; may be given more than once.",
)
@click.option(
    "--without", default="", metavar="CHECK,...", help="Checks that are left out, to see what the others are worth."
)
@click.option(
    "--all-checks", is_flag=True, help="Every check sees every mutant, not only what the checks before it let through."
)
@click.option(
    "--least",
    type=click.FloatRange(0, 100),
    default=95.0,
    show_default=True,
    help="Percent of the faults that must be found.",
)
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="all cores", help="Processes."
)
@templates_option
@format_option
def mutate(glob, count, seed, levels, operators, without, all_checks, least, jobs, templates, fmt) -> None:
    """Put faults into the kernels whose names match GLOB (default: a sample of every kind), and report which the quick
    ladder finds.

    A fault is made in the template's instructions, after register allocation, or in the woven kernel. Mutants that are
    proved to compute the same as the original are counted apart. The exit status is 1 when fewer than --least percent
    of the others are found. A line is printed when its kernel is done.

    \b
    Examples:
      cryptostitch mutate
      cryptostitch mutate 'sha1_x16@avx512' --mutants 200 --all-checks
      cryptostitch mutate 'aes*_hand+*' --level program --without values,bounds
    """
    from ..core.errors import CryptostitchError, nearest
    from ..mutate.campaign import chosen, run
    from ..mutate.checks import CHECKS
    from ..mutate.operators import OPERATORS
    from ..mutate.sampling import LAG
    from ..mutate.text import LEVELS
    from ..mutate.trial import Plan
    from ..report.mutants import Mutants, kernel_line, table

    def known(names, all_names, what: str) -> tuple[str, ...]:
        for name in names:
            if name not in all_names:
                near = nearest(name, all_names, 1)
                raise CryptostitchError(
                    f"no {what} '{name}'; "
                    + (f"did you mean {near[0]}?" if near else "there are " + ", ".join(all_names))
                )
        return tuple(names)

    left_out = known([name.strip() for name in without.split(",") if name.strip()], CHECKS, "check")
    kinds = known(operators, (*OPERATORS, LAG), "operator")
    made = generator(templates)
    plan = Plan(
        made.given,
        count,
        seed,
        tuple(level for level in LEVELS if not levels or level in levels),
        kinds,
        left_out,
        all_checks,
    )
    with progress_bar("mutating") as progress:
        work = chosen(made, glob)
        progress(0, len(work), work[0].name)
        each = (lambda name, fates: click.echo(kernel_line(name, fates))) if fmt == "text" else lambda *_: None
        found = run(plan, work, jobs, progress, each)
    if not found:
        raise CryptostitchError(
            "no mutant was made: no kernel fits its registers, or none has a place for such a fault"
        )
    report = Mutants(found, plan, least)
    click.echo(json.dumps(report.data(), indent=1) if fmt == "json" else table(report))
    if report.failed:
        sys.exit(1)
