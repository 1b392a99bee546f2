"""`cryptostitch cpu` and `cryptostitch calibrate`: what this machine is, what it would run, and what that costs."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path

import click

from .common import (
    OutputFile,
    folder_name,
    format_option,
    generator,
    legacy_option,
    progress_bar,
    templates_option,
    timing,
)


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
    "--jobs", default="1,8,64", show_default=True, callback=_numbers, help="Numbers of equal jobs to ask about."
)
@click.option("--bytes", "size", type=click.IntRange(1), default=16384, show_default=True, help="Bytes of each job.")
@click.option("--one-key", is_flag=True, help="All jobs share a key.")
@click.option("--suite", "glob", metavar="GLOB", help="Show these suites one by one, with the reasons.")
@click.option("--all", "every", is_flag=True, help="Show all suites one by one.")
@click.option("--target", help="Lower the level, e.g. host-no_avx512.")
@click.option(
    "--costs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Choose by this cost file, which `cryptostitch calibrate --costs` wrote.",
)
@legacy_option
@format_option
def cpu(jobs, size, one_key, glob, every, target, costs, legacy, fmt) -> None:
    """Say what was detected, whose costs kernels are chosen by, and which kernels jobs would run on: a line for each
    family of suites; with --suite or --all, suite by suite, and why; with --suite also from how many bytes on each
    kernel is the cheapest.

    \b
    Examples:
      cryptostitch cpu
      cryptostitch cpu --jobs 1,64 --suite '*sha256*'
    """
    from ..binding import runtime
    from ..binding.cost_file import holds_table
    from ..report.borders import borders
    from ..report.choices import choices, choices_text, machine, overview_text

    if glob and every:
        raise click.UsageError("--all shows all suites, --suite some of them: give one of the two")
    if costs:
        refuse_cost_table(costs)
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
    if costs and not context.calibrated and not holds_table(costs):
        click.echo(
            f"{costs} is left aside: it is of another CPU, of other features (--target), or of kernels that this "
            "library does not have",
            err=True,
        )
    names = [s for s in context.suites() if fnmatch.fnmatchcase(s, glob or "*")]
    if not names:
        raise click.UsageError(f"no suite matches '{glob}'; `cryptostitch list` shows them")
    found = {"cpu": machine(context), "choices": choices(context, names, jobs, size, one_key)}
    if glob:
        found["borders"] = borders(context, names, jobs, one_key)
    text = choices_text if glob or every else overview_text
    click.echo(json.dumps(found, indent=1) if fmt == "json" else text(found))


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
    help="The table's name, by which the library looks for it (default: as detected; where the library has no name for "
    "this CPU and FILE is costs.json of a CPU's folder, the folder's).",
)
@click.option(
    "--costs",
    type=OutputFile(),
    metavar="FILE",
    help="Write a cost file, which a context reads (cst_options.costs): the library measures, for this machine alone.",
)
@click.option(
    "--cost-table",
    "table_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Measure nothing, and write this cost table (costs.json of a CPU's folder) as the cost file of --costs.",
)
@click.option(
    "--seconds", type=click.FloatRange(0, 3600), help="How long --costs may take (default: about 3 for all kernels)."
)
@legacy_option
@templates_option
@format_option
def calibrate(output, kernels, microarchitecture, costs, table_file, seconds, legacy, templates, fmt) -> None:
    """Measure the kernels of the library that this CPU can run, and write the cost table that the library is built
    from, or, with --costs, a cost file, which a context reads at run time.

    The table, JSON itself, holds core cycles per iteration and per call and, if all kernels are measured, of a message
    that is done in steps, beside the calls. One row takes an eighth of a second; leave the
    machine alone meanwhile. With --format json and a file, standard output says what was written.
    With --templates the kernels of that folder's algorithms are measured, in pairs too, and no others.

    \b
    Examples: cryptostitch calibrate -o generator/cryptostitch/cpus/zen4/costs.json
              cryptostitch calibrate --costs /var/lib/server/kernel.costs
              cryptostitch calibrate --templates . --kernels 'fletcher_*' -o fletcher.costs.json
    """
    from ..cpus.costs import rows_of, table_text
    from ..cpus.folder import UNNAMED
    from ..emit.artefacts import own_pack, own_recipes
    from ..tuning import measure

    if table_file:
        if not costs or output or microarchitecture or seconds is not None or kernels != "*":
            raise click.UsageError("--cost-table goes with --costs alone: it measures nothing")
        _write_cost_file(table_file, costs)
        return
    if costs:
        if output or microarchitecture or templates:
            raise click.UsageError(
                "--costs is a file for one machine and the library's own kernels; -o, --microarchitecture and "
                "--templates belong to a table"
            )
        if costs.is_file():
            refuse_cost_table(costs)
        _calibrate_library(costs, kernels, seconds or 0, legacy, fmt)
        return
    if seconds is not None:
        raise click.UsageError("--seconds goes with --costs; a table takes an eighth of a second for each row")
    keeps = bool(output and output.exists() and (kernels != "*" or templates))
    kept = rows_of(output) if keeps else {}  # a file that is no table ends it before the work
    with timing(), progress_bar("measuring") as progress:
        pack = b""
        if templates:
            made = generator(templates)
            pack = own_pack(made, own_recipes(made, kernels, progress))
        table = measure.calibrate(kernels, progress, pack=pack)
        if not table["kernels"]:
            raise click.UsageError(
                f"no kernel that this CPU can run matches '{kernels}'; `cryptostitch list` shows their names"
            )
    if microarchitecture:
        table["microarchitecture"] = microarchitecture
    elif output and UNNAMED in table["microarchitecture"]:
        table["microarchitecture"] = folder_name(output) or table["microarchitecture"]
    if keeps:
        table = {
            **json.loads(output.read_text(encoding="utf-8")),
            **table,
            "kernels": dict(sorted((kept | table["kernels"]).items())),
        }
    text = table_text(table)
    if output:
        output.write_text(text, encoding="utf-8")
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


def refuse_cost_table(path: Path) -> None:
    """Raises CryptostitchError for a cost table in the place of a cost file."""
    from ..core.errors import CryptostitchError
    from ..cpus.costs import is_cost_table

    if is_cost_table(path):
        raise CryptostitchError(
            f"{path} is a cost table, of which the library is built, and not a cost file, which it reads: "
            f"`cryptostitch calibrate --cost-table {path} --costs FILE` makes one of it"
        )


def _write_cost_file(table_file: Path, costs: Path) -> None:
    from ..binding.cost_file import write_table
    from ..cpus.costs import message_of, rows_of

    rows = rows_of(table_file)
    name = json.loads(table_file.read_text(encoding="utf-8"))["microarchitecture"]
    write_table(costs, name, rows, message_of(table_file))
    click.echo(f"{costs}: the {len(rows)} kernels of the table '{name}'", err=True)


def _calibrate_library(costs: Path, kernels: str, seconds: float, legacy: bool, fmt: str) -> None:
    """A cost file. One that exists keeps its other rows, if they are of this machine."""
    from ..binding import runtime

    context = runtime.Context(runtime.ALLOW_LEGACY * legacy, costs=costs if costs.exists() else None)
    try:
        with timing(), progress_bar("measuring") as progress:
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
