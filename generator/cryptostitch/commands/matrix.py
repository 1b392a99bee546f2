"""`cryptostitch matrix`: every cipher with every hash."""

from __future__ import annotations

import json

import click

from .common import OutputFile, format_option, generator, progress_bar, templates_option


@click.command()
@click.option(
    "--isa",
    default="native",
    show_default=True,
    metavar="ISA",
    help="native: all that this CPU has; or one of sse, avx2, avx512 (sse includes scalar hashes).",
)
@click.option(
    "--ciphers",
    "cipher_glob",
    default="aes128_*",
    show_default=True,
    metavar="GLOB",
    help="Which ciphers (names of texts, see `cryptostitch list`).",
)
@click.option("--hashes", "hash_glob", default="*", show_default=True, metavar="GLOB", help="Which hashes.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.01),
    default=0.2,
    show_default=True,
    help="How long to measure each way to stitch.",
)
@click.option("--html", type=OutputFile(), metavar="FILE", help="Also write one page with a heat map.")
@templates_option
@format_option
def matrix(isa, cipher_glob, hash_glob, seconds, html, templates, fmt) -> None:
    """Stitch every cipher with every hash that shares its loop; prove and time each: the gain over one after the other.

    \b
    Examples:
      cryptostitch matrix
      cryptostitch matrix --ciphers 'aes*_cbc_enc' --isa avx512 --html matrix.html
    """
    from ..core.errors import UnknownName
    from ..report.pairings import matrix_data, matrix_page, matrix_text
    from ..tuning.matrix import matrix as all_cells

    levels = {
        "native": ("scalar", "sse", "avx2", "avx512"),
        "sse": ("scalar", "sse"),
        "avx2": ("avx2",),
        "avx512": ("avx512",),
    }
    if isa not in levels:
        raise UnknownName("ISA", isa, levels)
    made = generator(templates)
    with progress_bar("stitching") as progress:
        cells = all_cells(
            made, levels[isa], cipher_glob=cipher_glob, hash_glob=hash_glob, seconds=seconds, progress=progress
        )
    if html:
        html.write_text(matrix_page(cells))
    click.echo(json.dumps(matrix_data(cells), indent=1) if fmt == "json" else matrix_text(cells), nl=fmt == "json")
