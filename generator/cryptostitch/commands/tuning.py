"""`cryptostitch tune`: the fastest way to stitch two streams on this machine."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext

import click

from .common import (
    MOST_PARTS,
    MOST_RATIO,
    Numbers,
    OutputFile,
    OutputFolder,
    format_option,
    generator,
    isas_of,
    page_folder,
    streams_of,
    templates_option,
    timing,
)


@click.command()
@click.argument("streams", nargs=-1, required=True, metavar="A B [C [D]]")
@click.option("--isa", required=True, metavar="ISA[:ISA]", help="As in `cryptostitch stitch`.")
@click.option("--seconds", type=click.FloatRange(1), default=60.0, show_default=True, help="How long to search.")
@click.option(
    "--ratio",
    type=Numbers(least=1, most=MOST_RATIO),
    help="Bodies of each part in one iteration (default: as many as make equal numbers of bytes).",
)
@click.option(
    "--fixed",
    is_flag=True,
    help="Keep the lanes and the hand-over of the streams as they are; else they are searched too.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="Write the recipe to this file; if it exists, the search goes on where it ended.",
)
@click.option(
    "--folder",
    type=OutputFolder(),
    metavar="DIR",
    help="Also write a folder of pages that needs no network: how the search went, and of the tuned and of the default "
    "kernel the page of `cryptostitch report`.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Where random choices start.")
@templates_option
@format_option
def tune(streams, isa, seconds, ratio, fixed, output, folder, seed, templates, fmt) -> None:
    """Search for the fastest way to stitch two to four streams on this CPU: lanes, hand-over, registers, order
    inside the streams, lead, lag, strategy.

    Every candidate is assembled and timed beside the best so far; what becomes the best has been proved. The recipe is
    a file that `cryptostitch emit --recipe FILE` makes packs and objects of.

    \b
    Examples:
      cryptostitch tune aes128_cbc_enc_x16 sha1_x16 --isa avx512 -o sha1.recipe.json
      cryptostitch emit --recipe sha1.recipe.json --pack sha1.pack
      cryptostitch tune md5_x8 sha1_x8 --isa avx2 --folder search
    """
    from rich.console import Console
    from rich.status import Status

    from ..core.errors import CryptostitchError
    from ..report.search import search_folder
    from ..tuning.tune import Search, default_settings, resumed

    made, count = generator(templates), len(streams)
    isas = isas_of(isa, count) if 2 <= count <= MOST_PARTS else [isa] * count
    names = streams_of(made, streams, isas)
    ratio = Numbers().of_parts(ratio, count, "--ratio") or made.equal_bytes(list(zip(names, isas)))
    start = default_settings(made, names, isas, ratio)
    if start is None:
        raise CryptostitchError(
            f"{' and '.join(streams)} cannot be stitched on {isa}; "
            f"`cryptostitch stitch {' '.join(streams)} --isa {isa}` says why"
        )
    pages = page_folder(folder, made) if folder else None
    search = Search(made, start, not fixed, seed)
    if output and output.exists():
        resumed(output, search)
    console = Console(stderr=True)
    status = Status("tuning", console=console)

    def tell(spent: float, cycles: float, kernel: str) -> None:
        if console.is_terminal:
            status.update(
                f"{spent:.0f} of {seconds:.0f} s, {len(search.tried)} tried, best {cycles:.4f} c/B: "
                f"{kernel.partition('~')[0]}"
            )

    with timing(), status if console.is_terminal else nullcontext():
        found = search.run(seconds, tell)
    data = found.data()
    if output:
        output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if pages:
        search_folder(found, pages)
    data = {**data, "tried": len(found.tried)}
    click.echo(json.dumps(data, indent=1) if fmt == "json" else _text(found), file=sys.stdout)


def _text(found) -> str:
    from ..report.tables import columns

    rows = [("", "streams", "budgets", "order", "lead", "lag", "weave", "cycles/byte")]
    rows += [
        (
            label,
            "+".join(c.streams),
            ":".join(map(str, c.budgets)),
            ":".join(map(str, c.orders)),
            ":".join(map(str, c.leads)),
            ":".join(map(str, c.lags)),
            c.strategy,
            f"{cycles:.4f}",
        )
        for label, c, cycles in (
            ("default", found.default, found.default_cycles),
            ("tuned", found.best, found.best_cycles),
        )
    ]
    return (
        f"{found.kernel} on {found.cpu}, {len(found.tried)} candidates\n{columns(rows)}\n"
        f"gain over the default weave: {100 * (found.gain - 1):.1f} %"
        + "".join(f"\nleft out, not proved right: {why}" for why in found.unproved)
    )
