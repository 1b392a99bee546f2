"""`cryptostitch pack`: the kernels of one's own algorithms as a file that the library loads while a program runs."""

from __future__ import annotations

import collections
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
    if not file.exists():
        raise click.UsageError(f"there is no {CATALOGUE} in {algorithms}")
    made = catalogue_of(file)
    rows = list(made.given[0])
    with progress_bar("compiling") as progress:
        recipes = own_recipes(made, kernels, progress)
    data = own_pack(made, recipes, [cost_table_of(costs)] if costs else [])
    context = _loaded(data)
    answers = _checked(rows, context) if context else None
    output.write_bytes(signed(data, key) if key else data)
    found = {
        "file": str(output),
        "bytes": output.stat().st_size,
        "suites": _suites(context) if context else None,
        "kernels": [recipe.name for recipe in recipes],
        "known_answers": answers,
    }
    click.echo(json.dumps(found, indent=1) if fmt == "json" else _text(found))


def _loaded(data: bytes):
    """A context with the pack; None where there is no library."""
    from ..binding import runtime

    try:
        context = runtime.Context(runtime.ALLOW_PACKS)
    except FileNotFoundError:
        return None
    context.load_pack(data)
    return context


def _suites(context) -> list[str]:
    """The suites that the library has by the pack, on this CPU."""
    from ..binding import runtime

    return sorted(set(context.suites()) - set(runtime.Context().suites()))


def _checked(rows, context) -> dict[str, int]:
    """How many known answers each suite gives, 0 where nothing here can run that suite. CryptostitchError where one is
    another."""
    from ..binding import runtime
    from ..core.errors import CryptostitchError
    from ..emit.artefacts import row_answers

    for row in rows:
        for text, digest in row.answers:
            if row.reference and row.reference(text)[: len(digest)] != digest[: row.digest_bytes]:
                raise CryptostitchError(
                    f"{row.name}: of the message {text.hex()!r} the row's reference makes "
                    f"{row.reference(text).hex()}, and its known answer is {digest.hex()}"
                )
    given = collections.Counter(answer.suite for answer in row_answers(rows))
    for suite in given:
        try:
            context.suite(suite)
        except runtime.RuntimeFailure as failure:
            if failure.code not in (runtime.ERR_NAME, runtime.ERR_UNSUPPORTED):
                raise
            given[suite] = 0
            continue
        wrong = [name for name, result in context.selftest(suite).items() if result]
        if wrong:
            raise CryptostitchError(
                f"{', '.join(wrong)}: the kernels do not give the row's known answers; `cryptostitch verify` says "
                "which check fails"
            )
    return given


def _right(answers: int) -> str:
    if answers:
        return f"{answers} known answers are right"
    return "not checked: the pack lacks kernels that the suite needs, or this CPU runs none of them"


def _text(found: dict) -> str:
    answers, suites = found["known_answers"], found["suites"]
    lines = [f"{found['file']}: {len(found['kernels'])} kernels, {found['bytes']} bytes"]
    if suites is None:
        return "\n".join([*lines, "the library is not built: nothing was run, and its suites are not known"])
    lines += [
        f"  {suite}" + (f": {_right(answers[suite])}" if suite in answers else "")
        for suite in dict.fromkeys((*suites, *answers))
    ]
    return "\n".join(lines if suites else [*lines, "  no suite that runs on this CPU"])
