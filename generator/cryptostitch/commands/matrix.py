"""`cryptostitch matrix`: every stream of some with every one of others."""

from __future__ import annotations

import json

import click

from .common import (
    OutputFile,
    OutputFolder,
    format_option,
    generator,
    page_folder,
    progress_bar,
    templates_option,
    timing,
)


@click.command()
@click.option(
    "--isa",
    default="native",
    show_default=True,
    metavar="ISA",
    help="native: all that this CPU has; or one of sse, avx2, avx512 (sse includes scalar hashes).",
)
@click.option(
    "--rows",
    "--ciphers",
    "rows",
    default="",
    metavar="NAME,...",
    help="Names with commas between them: of texts (globs, see `cryptostitch list`), algorithms, suites, or the "
    "families ciphers, digests, checksums, macs, readers. (default: aes128_cbc_enc, or what rows of --templates name "
    "as their pairs)",
)
@click.option(
    "--columns", "--hashes", "columns", default="", metavar="NAME,...", help="The same. (default: sha1,sha256)"
)
@click.option("--pairs", multiple=True, metavar="A+B,...", help="These cells alone; may be given more than once.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.01),
    default=0.2,
    show_default=True,
    help="How long to measure each way to stitch.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=10,
    show_default=True,
    help="Begin no other cell after so many minutes; the table says which were left out.",
)
@click.option("--html", type=OutputFile(), metavar="FILE", help="Also write one page with a heat map.")
@click.option(
    "--folder",
    type=OutputFolder(),
    metavar="DIR",
    help="Also write a folder of pages that needs no network: the heat map, and of each cell the page of "
    "`cryptostitch report`.",
)
@templates_option
@format_option
def matrix(isa, rows, columns, pairs, seconds, minutes, html, folder, templates, fmt) -> None:
    """Stitch every stream of the rows with every one of the columns that shares its loop; prove and time each: the gain
    over best apart, the fastest kernels of the two algorithms one after the other.

    A line is printed when its cell is done, the table at the end.

    \b
    Examples:
      cryptostitch matrix
      cryptostitch matrix --rows 'aes128_*' --columns readers --minutes 150
      cryptostitch matrix --rows digests --columns digests,checksums --isa avx2
      cryptostitch matrix --pairs md5+sha1 --pairs crc32c+sha256_ni
      cryptostitch matrix --ciphers 'aes*_cbc_enc' --isa avx512 --html matrix.html
      cryptostitch matrix --pairs md5+sha1 --folder pairs
    """
    from ..core.errors import UnknownName
    from ..report.pairings import cell_line, matrix_data, matrix_folder, matrix_page, matrix_text
    from ..tuning.matrix import matrix as all_cells
    from ..tuning.matrix import pairs_of

    levels = {
        "native": ("scalar", "sse", "avx2", "avx512"),
        "sse": ("scalar", "sse"),
        "avx2": ("avx2",),
        "avx512": ("avx512",),
    }
    if isa not in levels:
        raise UnknownName("ISA", isa, levels)
    made = generator(templates)
    pages = page_folder(folder, made) if folder else None
    with timing(), progress_bar("stitching") as progress:
        wanted = pairs_of(made, rows, columns, pairs)
        cells = all_cells(
            made,
            levels[isa],
            wanted,
            seconds=seconds,
            minutes=minutes,
            progress=progress,
            each=lambda cell: click.echo(cell_line(cell), err=fmt == "json"),
        )
    if html:
        html.write_text(matrix_page(cells), encoding="utf-8")
    if pages:
        with progress_bar("drawing") as progress:
            matrix_folder(cells, pages, progress)
    click.echo(
        json.dumps(matrix_data(cells), indent=1) if fmt == "json" else "\n" + matrix_text(cells), nl=fmt == "json"
    )
