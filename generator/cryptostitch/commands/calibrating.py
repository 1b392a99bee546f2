"""`cryptostitch cpu` and `cryptostitch calibrate`: what this machine is, what it would run, and what that costs."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path

import click

from .common import OutputFile, cpu_name, format_option, legacy_option, progress_bar


def _numbers(ctx: click.Context, param: click.Parameter, value: str) -> list[int]:
    try:
        numbers = [int(t) for t in value.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise click.BadParameter(f"'{value}' is not a list of numbers like 1,4,16,64")
    return numbers


@click.command()
@click.option(
    "--jobs", default="1,4,16,64", show_default=True, callback=_numbers, help="Numbers of equal jobs to ask about."
)
@click.option("--bytes", "size", type=click.IntRange(1), default=16384, show_default=True, help="Bytes of each job.")
@click.option("--one-key", is_flag=True, help="All jobs share a key.")
@click.option("--suites", default="*", show_default=True, metavar="GLOB", help="Which suites.")
@click.option("--target", help="Lower the level, e.g. host-no_avx512.")
@click.option(
    "--costs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Choose by the costs in this file, which `cryptostitch calibrate --costs` wrote.",
)
@legacy_option
@format_option
def cpu(jobs, size, one_key, suites, target, costs, legacy, fmt) -> None:
    """Say what was detected, and for each suite which kernel jobs would run on, and why.

    \b
    Example: cryptostitch cpu --jobs 1,64 --suites '*sha256*'
    """
    from ..binding import runtime
    from ..report.choices import choices, choices_text, machine

    try:
        context = runtime.Context(runtime.ALLOW_LEGACY * legacy, target=target, costs=costs)
    except runtime.RuntimeFailure as failure:
        if failure.code == runtime.ERR_NAME and target:
            near = runtime.Context().nearest(runtime.NAME_TARGET, target)
            raise click.BadParameter(
                f"no target '{target}'; write host-no_<feature>, or one of: {near or 'host'}", param_hint="--target"
            ) from failure
        if failure.code == runtime.ERR_COSTS:
            raise click.BadParameter(
                f"{failure}; `cryptostitch calibrate --costs {costs}` writes one anew once it is removed",
                param_hint="--costs",
            ) from failure
        raise
    if costs and not context.calibrated:
        click.echo(
            f"{costs} is left aside: it is of another CPU, of other features (--target), or of kernels that this "
            "library does not have",
            err=True,
        )
    names = [s for s in context.suites() if fnmatch.fnmatchcase(s, suites)]
    if not names:
        raise click.UsageError(f"no suite matches '{suites}'; `cryptostitch list` shows them")
    found = {"cpu": machine(context), "choices": choices(context, names, jobs, size, one_key)}
    click.echo(json.dumps(found, indent=1) if fmt == "json" else choices_text(found))


@click.command()
@click.option(
    "-o", "--output", type=OutputFile(), metavar="FILE", help="Write the table to this file (default: standard output)."
)
@click.option(
    "--kernels",
    default="*",
    show_default=True,
    metavar="GLOB",
    help="Which kernels; a file that exists keeps its other rows, and all else that it says.",
)
@click.option(
    "--microarchitecture",
    help="The table's name (default: as detected; where the library has no table yet, FILE's, or its folder's).",
)
@click.option(
    "--costs",
    type=OutputFile(),
    metavar="FILE",
    help="Have the library measure instead, and write its figures for this machine alone to a file for "
    "cst_options.costs.",
)
@click.option(
    "--seconds", type=click.FloatRange(0, 3600), help="How long --costs may take (default: about 3 for all kernels)."
)
@legacy_option
@format_option
def calibrate(output, kernels, microarchitecture, costs, seconds, legacy, fmt) -> None:
    """Measure the kernels of the library that this CPU can run, and write the cost table that the choice of kernels is
    made by.

    The table, JSON itself, holds core cycles per iteration and per call and, if all kernels are measured, of a message
    that is done in steps, beside the calls. One row takes an eighth of a second; leave the
    machine alone meanwhile. With --format json and a file, standard output says what was written.

    \b
    Examples: cryptostitch calibrate -o generator/cryptostitch/cpus/zen4/costs.json
              cryptostitch calibrate --costs /var/lib/server/kernel.costs
    """
    from ..cpus.costs import rows_of, table_text
    from ..tuning import measure

    if costs:
        if output or microarchitecture:
            raise click.UsageError("--costs is a file for one machine; -o and --microarchitecture belong to a table")
        _calibrate_library(costs, kernels, seconds or 0, legacy, fmt)
        return
    if seconds is not None:
        raise click.UsageError("--seconds goes with --costs; a table takes an eighth of a second for each row")
    with progress_bar("measuring") as progress:
        table = measure.calibrate(kernels, progress)
    if not table["kernels"]:
        raise click.UsageError(
            f"no kernel that this CPU can run matches '{kernels}'; `cryptostitch list` shows their names"
        )
    if microarchitecture or (table["microarchitecture"] == "generic" and output):
        table["microarchitecture"] = microarchitecture or cpu_name(output)
    if output and output.exists() and kernels != "*":
        kept = rows_of(output)
        table = {**json.loads(output.read_text()), **table, "kernels": dict(sorted((kept | table["kernels"]).items()))}
    text = table_text(table)
    if output:
        output.write_text(text)
    if not output:
        click.echo(text, nl=False)
    elif fmt == "json":
        click.echo(
            json.dumps(
                {
                    "file": str(output),
                    **{k: v for k, v in table.items() if k != "kernels"},
                    "kernels": len(table["kernels"]),
                },
                indent=1,
            )
        )
    click.echo(
        f"{len(table['kernels'])} kernels on {table['cpu']} at {table['ghz']} GHz, table "
        f"'{table['microarchitecture']}'",
        err=True,
    )


def _calibrate_library(costs: Path, kernels: str, seconds: float, legacy: bool, fmt: str) -> None:
    """A file of costs. One that exists keeps its other rows, if they are of this machine."""
    from ..binding import runtime

    context = runtime.Context(runtime.ALLOW_LEGACY * legacy, costs=costs if costs.exists() else None)
    try:
        with progress_bar("measuring") as progress:
            context.calibrate(kernels, seconds, progress)
    except runtime.RuntimeFailure as failure:
        if failure.code != runtime.ERR_NAME:
            raise
        raise click.UsageError(
            f"no kernel that this CPU can run matches '{kernels}'; `cryptostitch list` shows their names"
        ) from failure
    context.save_costs(costs)
    cpu = context.cpu()
    if fmt == "json":
        click.echo(
            json.dumps(
                {"file": str(costs), "cpu": cpu["brand"].strip(), "microarchitecture": cpu["microarchitecture"]},
                indent=1,
            )
        )
    click.echo(
        f"{costs}: costs of {cpu['brand'].strip()}; with them the choice is '{cpu['microarchitecture']}'", err=True
    )
