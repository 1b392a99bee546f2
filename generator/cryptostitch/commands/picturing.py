"""`cryptostitch report`: one kernel on one page."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .common import (
    OutputFile,
    chosen_table,
    format_option,
    generator,
    progress_bar,
    recipe_of,
    templates_option,
    timing,
    why_not_writable,
)


@click.command()
@click.argument("kernel")
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="Write the page to this file (default: the kernel's name with .html).",
)
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
    help="Also time the kernel and its parts, where the table is this CPU's.",
)
@click.option("--seconds", type=click.FloatRange(0.01), default=1.0, show_default=True, help="How long to measure.")
@click.option(
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Results of cst-bench to take the peers from (default: those of the CPU's folder, where there are some).",
)
@templates_option
@format_option
def report(kernel, output, cpu, measure, seconds, results, templates, fmt) -> None:
    """Draw KERNEL (a name, or a recipe file of `cryptostitch tune`) as one HTML page that needs no network.

    It shows the woven code by stream, where the cycles go, and what its parts and others need.

    A timeline tells waiting for data from waiting for a unit, from a run of the loop on a simple core with the CPU's
    instruction table. With --format json the same as data is printed, and a page is written only with -o.

    \b
    Examples:
      cryptostitch report aes128_cbc_enc_x16_hand+sha1_x16_hand@avx512_vaes -o page.html
      cryptostitch report sha1_x8@avx2 --cpu zen5 --no-measure --format json
    """
    from ..analysis.bench_results import read_results, shipped
    from ..analysis.study import study
    from ..report.picture import report_data, report_page

    chosen = chosen_table(cpu)
    path = results or shipped(chosen.costs_of)
    made = generator(templates)
    recipe = recipe_of(made, kernel)
    if output is None and fmt == "text":
        output = Path(f"{recipe.name}.html")
        if why := why_not_writable(output):
            raise click.UsageError(f"{output} cannot be written here: {why}; name another file with -o")
    with timing(measure), progress_bar("drawing") as progress:
        found = study(
            made,
            recipe,
            chosen.table,
            read_results(path) if path else None,
            seconds,
            chosen.unmeasured(measure),
            chosen.stand_in,
            progress,
        )
        progress(3, 4, "drawing")
        data = report_data(found, made.roots)
    if output:
        output.write_text(report_page(data), encoding="utf-8")
    if fmt == "json":
        click.echo(json.dumps(data, indent=1))
        return
    bound, timed = data["bound"]["bound"], data["bound"]["measured"]
    click.echo(
        f"{output}: {recipe.name} on {chosen.table.microarchitecture}: bound {bound['cycles_per_byte']:.4f} "
        f"cycles per byte ({bound['binds']}), "
        + (f"measured {timed['cycles_per_byte']:.4f}" if timed else f"not measured: {data['bound']['not_measured']}")
        + (f"\n{chosen.stand_in}" if chosen.stand_in else "")
    )
