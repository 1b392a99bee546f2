"""`cryptostitch learn`: a CPU's folder, made on such a CPU."""

from __future__ import annotations

import json

import click

from .common import OutputFolder, format_option, progress_bar

PAGE, TEXT = "learned.html", "learned.txt"


@click.command()
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="How long it may take. Instructions, kernels and the bench take up to ten of them; the rest goes to searches "
    "for better weaves.",
)
@click.option(
    "--folder",
    type=OutputFolder(),
    metavar="DIR",
    help="The CPU's folder (default: the checkout's, generator/cryptostitch/cpus/NAME).",
)
@click.option(
    "--part",
    "parts",
    type=click.Choice(["instruction_costs", "costs", "recipes", "bench"]),
    multiple=True,
    help="Only this part of the folder; may be given more than once.",
)
@click.option(
    "--kernels",
    default="*",
    show_default=True,
    metavar="GLOB",
    help="Which kernels to measure; the cost table keeps its other rows.",
)
@click.option("--rows", default="*", metavar="GLOB[,GLOB...]", show_default=True, help="Which suites to bench.")
@click.option("--busy", is_flag=True, help="Measure although the machine has other work; the folder says so.")
@format_option
def learn(minutes, folder, parts, kernels, rows, busy, fmt) -> None:
    """Make or refresh the folder of this CPU: what its instructions cost, what the kernels cost, better weaves for the
    pairs that bursts run here, and how it stands against the peers at hand.

    A run goes on where the one before was interrupted, and with searches for which that had no time. It ends with a
    page, learned.html (and learned.txt) in the folder: where this CPU wins, where it loses, and why. `make` then builds
    the folder into the library.

    \b
    Examples:
      cryptostitch learn --minutes 60
      cryptostitch learn --minutes 5 --part costs --part bench --folder ~/this_cpu
    """
    from ..analysis.bench_results import read_results
    from ..analysis.standing import extremes, loops, standings
    from ..cpus.costs import costs_in
    from ..cpus.folder import Part
    from ..learning.budget import PLANNED, Step
    from ..learning.learn import STEPS, Wish, learn
    from ..model.table import read_table
    from ..pipeline import Generator
    from ..report.learned import SHOWN, learned_data, learned_page, learned_text

    wish = Wish(minutes, folder, tuple(map(Part, parts)) or tuple(STEPS), kernels, rows, busy)
    steps = [step for step in Step if any(STEPS[part] is step for part in wish.parts)]
    whole = sum(PLANNED[step] for step in steps)
    with progress_bar("learning, of seconds") as progress:

        def tell(step: Step, part: float, name: str) -> None:
            before = sum(PLANNED[other] for other in steps[: steps.index(step)]) if step in steps else 0
            done = (before + part * PLANNED[step]) / whole
            progress(round(60 * minutes * min(done, 1)), round(60 * minutes), f"{step.value}: {name}")

        learned = learn(wish, tell, lambda line: click.echo(line, err=True))
    results, table = learned.folder.bench(), learned.folder.file(Part.INSTRUCTION_COSTS)
    found = standings(read_results(results)) if results.exists() else []
    with progress_bar("explaining") as progress:
        why = loops(
            Generator(proves=False),
            [standing.ours.variant for standing in extremes(found, SHOWN)],
            costs_in(learned.folder),
            read_table(table) if table.exists() else None,
            progress,
        )
    data = learned_data(learned, found, why)
    text = learned_text(data)
    learned.folder.write(TEXT, text)
    learned.folder.write(PAGE, learned_page(data))
    click.echo(json.dumps(data, indent=1) if fmt == "json" else text, nl=fmt == "json")
    click.echo(f"{learned.folder.path / PAGE}", err=True)
