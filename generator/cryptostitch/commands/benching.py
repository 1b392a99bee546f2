"""`cryptostitch bench`: runs cst-bench, or reads its results; as a table, as data, as a plot."""

from __future__ import annotations

import fnmatch
import json
import tempfile
from pathlib import Path

import click

from ..analysis.bench_run import measured
from .common import OutputFile, format_option, timing


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[CST-BENCH OPTIONS]...")
@click.option(
    "--results",
    "kept",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Read this file of cst-bench instead of measuring; several are drawn side by side.",
)
@click.option(
    "--plot",
    "plots",
    type=OutputFile(),
    multiple=True,
    metavar="FILE",
    help="Draw throughput by size and by jobs against peers, or several RESULTS side by side as times as fast as the "
    "best peer: an SVG or a PNG, by the file's name; may be given more than once.",
)
@click.option("--dark", is_flag=True, help="Draw several RESULTS for a dark page.")
@click.option(
    "--rows",
    default="*",
    metavar="GLOB[,GLOB...]",
    show_default=True,
    help="Which suites; what is measured without it are the default rows.",
)
@click.option(
    "--keys",
    type=click.Choice(["own", "one"]),
    default="own",
    show_default=True,
    help="Plot jobs with a key each, or jobs that share one.",
)
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Keep what is measured in this file.")
@format_option
def bench(options, kept, plots, dark, rows, keys, output, fmt) -> None:
    """Measure this library against its peers with cst-bench, or take its RESULTS, and print or draw them.

    Other options go to cst-bench (`build/cst-bench --help`). Plots need matplotlib.

    \b
    Examples:
      cryptostitch bench --rows 'aes-128-cbc*' --sizes 64,1024,16384 --jobs 1,8,64 --plot cbc.svg
      cryptostitch bench --results build/bench.json --rows 'sha*' --plot sha.svg --plot sha.png
      cryptostitch bench --results here.json --results there.json --plot both.svg
    """
    from ..analysis.bench_results import read_results
    from ..report.plots import compared, plot

    if kept and (options or output):
        raise click.UsageError(
            f"--results reads what was measured before; leave it out to measure with {' '.join(options) or '-o'}"
        )
    if len(kept) > 1:
        return side_by_side(kept, plots, dark)
    results = kept[0] if kept else None
    with tempfile.TemporaryDirectory() as folder, timing(not results):
        found = read_results(results or measured(output or Path(folder) / "bench.json", options, rows, fmt == "json"))
    globs = rows.split(",")
    names = [row for row in found.rows if any(fnmatch.fnmatchcase(row, glob) for glob in globs)]
    if not names:
        raise click.UsageError(f"no row of {found.path} matches '{rows}'; it has {', '.join(found.rows)}")
    for path in plots:
        plot(found, names, keys, path)
    if fmt == "json":
        click.echo(json.dumps({"machine": found.machine, "cells": compared(found, names)}, indent=1))
    elif results and not plots:
        click.echo(table(found, compared(found, names)))
    for path in plots:
        click.echo(f"{path}: {len(names)} rows of {found.cpu}", err=fmt == "json")


def side_by_side(kept, plots, dark: bool) -> None:
    from ..analysis.bench_results import read_results
    from ..report.overview import overview

    if not plots:
        raise click.UsageError("several --results are drawn side by side: say --plot FILE")
    cpus = [read_results(path) for path in kept]
    for path in plots:
        overview(cpus, path, dark)
        click.echo(f"{path}: {', '.join(results.cpu for results in cpus)}")


def table(results, cells: list[dict]) -> str:
    from ..report.tables import columns

    lines = [("row", "keys", "bytes", "jobs", "cycles/byte", "best peer", "", "times as fast")]
    lines += [
        (
            c["row"],
            c["keys"],
            c["size"],
            c["jobs"],
            f"{c['cycles_per_byte']:.3f}" if c["cycles_per_byte"] else "-",
            f"{c['peer_cycles_per_byte']:.3f}" if c["peer"] else "-",
            c["peer"] or "",
            f"{c['times_as_fast']:.2f}" if c["times_as_fast"] else "-",
        )
        for c in cells
    ]
    return f"{results.cpu}, {results.path}\n{columns(lines)}"
