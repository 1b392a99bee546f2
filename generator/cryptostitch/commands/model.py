"""`cryptostitch probe`, `cryptostitch bound` and `cryptostitch predict`: what instructions cost here, the least that a
kernel can take, and what the model makes of it."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path

import click

from .common import (
    OutputFile,
    chosen_table,
    cpu_name,
    format_option,
    generator,
    progress_bar,
    recipe_of,
    templates_option,
    timing,
)


@click.command()
@click.option(
    "-o", "--output", type=OutputFile(), metavar="FILE", help="Write the table to this file (default: standard output)."
)
@click.option(
    "--microarchitecture",
    help="The table's name (default: as detected; where the library does not know the CPU, FILE's, or its folder's).",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Measure so many times and take the median of every figure: on a busy machine, and for tables that are kept.",
)
@format_option
def probe(output, microarchitecture, runs, fmt) -> None:
    """Measure what each instruction costs on this CPU, and write the instruction table that `cryptostitch bound` reads.

    For every form of an instruction: its latency from each operand, its throughput, and how long it keeps each group of
    units busy. All in core cycles. It takes about 10 s of an idle core.

    \b
    Example: cryptostitch probe --runs 5 -o generator/cryptostitch/cpus/zen4/instruction_costs.json
    """
    from ..instruction_probe.measurement import Progress
    from ..instruction_probe.measurement import probe as measure
    from ..model.table import median_table, table_of, tables

    with timing(), progress_bar("measuring") as progress:

        def part(run: int) -> Progress:
            return lambda done, total, name: progress(run * total + done, runs * total, name)

        table = median_table([measure(part(run)) for run in range(runs)])
    if microarchitecture or (table.microarchitecture == "generic" and output):
        table = dataclasses.replace(table, microarchitecture=microarchitecture or cpu_name(output))
    if table.microarchitecture in tables():
        table = dataclasses.replace(table, core=table_of(table.microarchitecture).core)  # no measurement
    if output:
        output.write_text(table.text(), encoding="utf-8")
    if not output:
        click.echo(table.text(), nl=False)
    elif fmt == "json":
        click.echo(
            json.dumps(
                {
                    "file": str(output),
                    "microarchitecture": table.microarchitecture,
                    "cpu": table.cpu,
                    "forms": len(table.rows),
                },
                indent=1,
            )
        )
    click.echo(f"{len(table.rows)} forms on {table.cpu}, table '{table.microarchitecture}'", err=True)


@click.command()
@click.argument("kernel")
@click.option(
    "--cpu",
    metavar="NAME",
    help="The microarchitecture whose table to use, or a file of `cryptostitch probe` (default: this CPU's; the "
    "nearest where it has none).",
)
@click.option(
    "--measure/--no-measure",
    default=True,
    show_default=True,
    help="Also time the kernel, where the table is this CPU's.",
)
@click.option("--seconds", type=click.FloatRange(0.01), default=0.5, show_default=True, help="How long to measure.")
@templates_option
@format_option
def bound(kernel, cpu, measure, seconds, templates, fmt) -> None:
    """Say how few cycles KERNEL (a name, or a recipe file of `cryptostitch tune`) can take on a CPU, what binds it, and
    how near the measured one is.

    No iteration can be shorter than its loop-carried chain, nor than the time for which it keeps any group of units,
    the load and store ports or the front end busy. The cycles of each come from the CPU's instruction table. A kernel
    that takes less than its bound shows that the table is wrong: the exit status is 1, and the rows to probe again are
    named.

    \b
    Examples:
      cryptostitch bound sha1_x16@avx512
      cryptostitch bound aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes --cpu zen5 --format json
    """
    from ..analysis.study import Measured, measured
    from ..model.bound import bound as bound_of
    from ..report.bound import bound_data, bound_text

    chosen = chosen_table(cpu)
    with timing(measure), progress_bar("bounding") as progress:
        progress(0, 3, "compiling")
        made = generator(templates)
        recipe = recipe_of(made, kernel)
        framed = made.kernel(recipe)
        progress(1, 3, "chain and pressure")
        found = bound_of(framed, chosen.table, share=made.message_share(recipe))
        progress(2, 3, "measuring")
        why_not = chosen.unmeasured(measure)
        costs = Measured(why_not=why_not) if why_not else measured(made, recipe, found, seconds)
    data = bound_data(found, costs, chosen.stand_in)
    click.echo(json.dumps(data, indent=1) if fmt == "json" else bound_text(data))
    if data["measured"] and data["measured"]["table_is_wrong"] and not chosen.stand_in:
        sys.exit(1)


@click.command()
@click.argument("glob", default="sha*")
@click.option(
    "--cpu",
    metavar="NAME",
    help="The microarchitecture whose tables to use, or a file of `cryptostitch probe` (default: this CPU's; the "
    "nearest where it has none).",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    default=len(os.sched_getaffinity(0)),
    show_default="the cores that this process may use",
    help="Processes.",
)
@click.option(
    "--cost-table",
    "costs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A cost table of `cryptostitch calibrate -o` to hold the model against (default: the shipped one).",
)
@templates_option
@format_option
def predict(glob, cpu, jobs, costs, templates, fmt) -> None:
    """Say what the model predicts for every kernel whose name matches GLOB (default: sha*; all take some twenty times
    as long) beside what the CPU's cost table has, the farthest below it first. A line is printed when its kernel is
    done.

    The model runs a kernel's loop on an out-of-order core (as `cryptostitch report` draws it); the measured figures are
    those of `cryptostitch calibrate`, the shipped ones or a file's. Nothing is timed.

    \b
    Examples:
      cryptostitch predict 'sha1*@avx512'
      cryptostitch predict '*' --jobs 4
      cryptostitch predict --cpu zen4 --format json
      cryptostitch predict --cpu here.json --cost-table costs.json
    """
    from ..analysis.predictions import predictions
    from ..cpus.costs import costs_of, shipped_costs
    from ..ladder.climb import tasks
    from ..report.predictions import prediction_line, predictions_data, predictions_text

    chosen = chosen_table(cpu)
    measured = costs_of(costs) if costs else shipped_costs(chosen.costs_of)
    made = generator(templates)
    if fmt == "text" and chosen.stand_in:
        click.echo(chosen.stand_in + "\n")
    with progress_bar("predicting") as progress:
        work = tasks(made, glob)
        progress(0, len(work), work[0].name)
        found = predictions(
            made.given,
            work,
            chosen.table,
            measured,
            min(jobs, len(work)),
            progress,
            (lambda each: click.echo(prediction_line(each))) if fmt == "text" else lambda _: None,
        )
    click.echo(
        json.dumps(predictions_data(found, chosen.table, chosen.stand_in), indent=1)
        if fmt == "json"
        else predictions_text(found, chosen.table, chosen.stand_in)
    )
