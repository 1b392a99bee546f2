"""`cryptostitch regret`: whether the choices are right, as a number."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase

import click

from .common import format_option, progress_bar, this_cpu


@click.command()
@click.option("--cpu", metavar="NAME", help="The measured CPU that judges (default: this one).")
@click.option(
    "--left-out", is_flag=True, help="Choose by the table that is derived from its relative, without its measurements."
)
@click.option("--no-table", is_flag=True, help="Choose by estimates, as on a CPU that nobody has described.")
@click.option("--suite", "suites", default="*", show_default=True, metavar="GLOB", help="Which suites.")
@format_option
def regret(cpu, left_out, no_table, suites, fmt) -> None:
    """Say what the kernels that are chosen cost on a CPU, over the least that any would cost: in geometric mean and at
    worst, over every suite, length (16 bytes to 64 KiB) and number of jobs (1 to 64).

    The library chooses by the CPU's own table, or by one that the options name; the CPU's own table tells what that
    costs. Nothing is timed. Kernels that the CPU at hand cannot run take no part. All suites take some seconds.

    \b
    Examples:
      cryptostitch regret --cpu zen4 --suite 'aes-128-*'
      cryptostitch regret --cpu sapphire_rapids --left-out --format json
    """
    from ..analysis.regret import regret as regret_of
    from ..binding import runtime
    from ..core.errors import CryptostitchError, UnknownName
    from ..cpus.costs import left_out_message, left_out_rows, measured_message, measured_rows
    from ..report.regret import regret_data, regret_text

    if left_out and no_table:
        raise click.UsageError("--left-out and --no-table are two ways to choose: give one")
    measured = measured_rows()
    here = this_cpu()
    name = cpu or (here["microarchitecture"] if here else "")
    if name not in measured:
        if cpu:
            raise UnknownName("measured CPU", cpu, measured)
        raise click.UsageError(
            f"nobody has measured the kernels on this CPU ({name or 'the library is not built'}), so nothing can "
            f"judge: give --cpu {' or --cpu '.join(measured)}"
        )
    rows, message = measured[name], measured_message(name)
    if left_out:
        (relative, by), told = left_out_rows(name), left_out_message(name)
        chosen_by = f"the table derived from {relative}"
    else:
        by, chosen_by, told = ({}, "estimates", 0.0) if no_table else (rows, "its own table", message)
    with progress_bar("judging") as progress:
        found = regret_of(name, rows, by, left_out, suites, progress, (message, told))
    if not found.judged and not found.unmeasured:
        known = runtime.Context().suites()
        if any(fnmatchcase(suite, suites) for suite in known):
            raise CryptostitchError(f"this CPU cannot run any suite that matches '{suites}'")
        raise click.UsageError(f"no suite matches '{suites}'; there are {len(known)}: `cryptostitch list` shows them")
    data = regret_data(found, name, chosen_by)
    click.echo(json.dumps(data, indent=1) if fmt == "json" else regret_text(data))
