"""`cryptostitch list` and `cryptostitch show`: what exists, and what a kernel looks like."""

from __future__ import annotations

import json

import click

from .common import coloured, format_option, generator, legacy_option, progress_bar, recipe_of, templates_option


@click.command("list")
@legacy_option
@format_option
@templates_option
def list_(legacy, fmt, templates) -> None:
    """List the streams, the kernels of the default pack, and the suites. Nothing is compiled.

    \b
    Example: cryptostitch list --format json
    """
    from ..listing import listing
    from ..report.tables import listing_text

    with progress_bar("reading templates") as progress:
        found = listing(generator(templates), progress, legacy)
    click.echo(json.dumps(found, indent=1) if fmt == "json" else listing_text(found), nl=fmt == "json")


@click.command()
@click.argument("kernel")
@click.option(
    "--abi",
    type=click.Choice(["sysv", "win64"]),
    default="sysv",
    show_default=True,
    help="Calling convention of the frame.",
)
@click.option(
    "--color/--no-color",
    default=None,
    help="Colours; the default is on a terminal only, and not with NO_COLOR or TERM=dumb.",
)
@templates_option
@format_option
def show(kernel, abi, color, templates, fmt) -> None:
    """Show the woven code of KERNEL (a name, or a recipe file of `cryptostitch tune`): a stream number and a colour for
    each instruction, and the template line that wrote it.

    The columns are the stream's number (- for what the frame adds), the instruction, and its places: the algorithm's
    line < the vocabulary's line.

    \b
    Examples:
      cryptostitch show aes128_cbc_enc_x16+sha1_x16@avx512_vaes --color | less -R
      cryptostitch show sha1_x8@avx2 --format json
    """
    from ..report.code import kernel_data
    from ..report.show import show_lines

    with progress_bar("compiling") as progress:
        progress(0, 1, kernel)
        made = generator(templates)
        framed = made.kernel(recipe_of(made, kernel), abi)
    if fmt == "json":
        click.echo(json.dumps(kernel_data(framed), indent=1))
        return
    click.echo("\n".join(show_lines(framed, click.style)), color=coloured(color))
