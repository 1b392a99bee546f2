"""`cryptostitch pack`: the kernels of one's own algorithms as a file that the library loads while a program runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .common import CATALOGUE, OutputFile, catalogue_of, format_option, progress_bar


@click.command()
@click.argument("algorithms", type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", type=OutputFile(), required=True, metavar="FILE", help="Write the pack to this file.")
@click.option(
    "--kernels",
    default="*",
    show_default=True,
    metavar="GLOB",
    help="Which kernels, of all that the algorithms take part in, in pairs too.",
)
@click.option(
    "--costs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What `cryptostitch calibrate --templates` measured: the library chooses among the kernels by it, on such a "
    "CPU (default: it estimates).",
)
@click.option(
    "--sign",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="KEY",
    help="Sign the pack with this Ed25519 private key (PEM), for contexts with its public key (cst_options.pack_key).",
)
@format_option
def pack(algorithms, output, kernels, costs, key_file, fmt) -> None:
    """Compile, prove and pack the kernels of ALGORITHMS, a Python file that sets a list of that name, or a folder with
    such a file; templates are searched in its folder first.

    A program loads the file with cst_pack_load, in a context that allows packs; its suites then answer like the
    library's own. Where the library is built, the known answers of the rows are checked first.

    \b
    Examples:
      cryptostitch pack own_hash/algorithms.py -o ascon.pack
      cst-sum --pack ascon.pack -a ascon-hash256 FILE
    """
    from ..cpus.costs import cost_table_of
    from ..emit.artefacts import own_pack, own_recipes
    from ..emit.signature import read_key, signed

    key = read_key(key_file) if key_file else None
    file = algorithms / CATALOGUE if algorithms.is_dir() else algorithms
    made = catalogue_of(file)
    rows = [row for row in made.given[0] if row.kind == "hash"]
    with progress_bar("compiling") as progress:
        recipes = own_recipes(made, kernels, progress)
    data = own_pack(made, recipes, [cost_table_of(costs)] if costs else [])
    answers = _checked(rows, data)
    output.write_bytes(signed(data, key) if key else data)
    found = {
        "file": str(output),
        "bytes": output.stat().st_size,
        "suites": [row.suite for row in made.given[0]],
        "kernels": [recipe.name for recipe in recipes],
        "known_answers": answers,
    }
    click.echo(json.dumps(found, indent=1) if fmt == "json" else _text(found))


def _checked(rows, data: bytes) -> dict[str, int | None] | None:
    """How many known answers each suite gives: None of a suite whose kernels this CPU cannot run, and None alone where
    there is no library to ask. CryptostitchError where an answer is another."""
    from ..binding import runtime
    from ..core.errors import CryptostitchError

    for row in rows:
        for text, digest in row.answers:
            if row.reference and row.reference(text)[: len(digest)] != digest[: row.digest_bytes]:
                raise CryptostitchError(
                    f"{row.name}: of the message {text.hex()!r} the row's reference makes "
                    f"{row.reference(text).hex()}, and its known answer is {digest.hex()}"
                )
    try:
        context = runtime.Context(runtime.ALLOW_PACKS)
    except FileNotFoundError:
        return None
    context.load_pack(data)
    given: dict[str, int | None] = {}
    for row in rows:
        results = context.selftest(row.suite)
        wrong = [name for name, result in results.items() if result not in (runtime.OK, runtime.ERR_UNSUPPORTED)]
        if wrong:
            raise CryptostitchError(
                f"{', '.join(wrong)}: the kernels do not give the row's known answers; `cryptostitch verify` says "
                "which check fails"
            )
        given[row.suite] = None if runtime.ERR_UNSUPPORTED in results.values() else len(row.answers)
    return given


def _text(found: dict) -> str:
    answers = found["known_answers"]
    lines = [
        f"{found['file']}: {len(found['kernels'])} kernels, {found['bytes']} bytes",
        *(f"  {suite}{_said(suite, answers or {})}" for suite in found["suites"]),
    ]
    return "\n".join(lines + ([] if answers is not None else ["the library is not built: nothing was run"]))


def _said(suite: str, answers: dict[str, int | None]) -> str:
    if suite not in answers:
        return ""
    number = answers[suite]
    return ": this CPU cannot run it; nothing was checked" if number is None else f": {number} known answers are right"
