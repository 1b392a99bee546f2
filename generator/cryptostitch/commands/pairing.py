"""`cryptostitch stitch`: builds, proves and times one pairing."""

from __future__ import annotations

import json

import click

from .common import MOST_LAG, MOST_LEAD, MOST_RATIO, Pair, format_option, generator, progress_bar, templates_option


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--isa",
    required=True,
    metavar="ISA[:ISA]",
    help="scalar, sse, avx2 or avx512; two with a colon between when the parts differ (sse:scalar).",
)
@click.option(
    "--ratio",
    type=Pair(least=1, most=MOST_RATIO),
    default="1:1",
    show_default=True,
    help="Bodies of each part in one iteration.",
)
@click.option(
    "--lead",
    type=Pair(both=False, least=-MOST_LEAD, most=MOST_LEAD),
    default="0:0",
    show_default=True,
    help="How far each part runs ahead inside an iteration, in 1/1024 of it.",
)
@click.option(
    "--lag",
    type=Pair(both=False, least=0, most=MOST_LAG),
    help="How many iterations each part runs behind (default: 0:1, where B takes what A leaves; else 0:0).",
)
@click.option(
    "--budget",
    type=Pair(least=1),
    help="Registers of one stream of each part (default: the split that costs the fewest instructions and memory "
    "accesses).",
)
@click.option(
    "--order",
    type=Pair(both=False, least=0),
    help="Order inside each part: 0 as its text has it, else the longest chain first, within a window of so many "
    "instructions (default: the catalogue's).",
)
@click.option(
    "--strategy",
    type=click.Choice(["proportional", "sequential"]),
    default="proportional",
    show_default=True,
    help="How bodies are interleaved.",
)
@click.option("--iterations", type=click.IntRange(2), help="Iterations per call (default: 16 KiB per lane).")
@click.option("--seconds", type=click.FloatRange(0.01), default=1.0, show_default=True, help="How long to measure.")
@templates_option
@format_option
def stitch(a, b, isa, ratio, lead, lag, budget, order, strategy, iterations, seconds, templates, fmt) -> None:
    """Build, verify and time the pairing of streams A and B: each alone, their sum, the larger, and the woven kernel.

    The lanes of A and B may be multiples of a stream's lanes; the groups are then woven with themselves (sha1_x32 is
    two of sha1_x16).

    \b
    Examples:
      cryptostitch stitch aes128_cbc_enc_x16 sha1_x16 --isa avx512
      cryptostitch stitch aes128_cbc_enc_x32_1key_hand sha1_x32_hand --isa avx512 --lead 0:256
    """
    from ..core.errors import DoesNotFit, UnknownName
    from ..core.isa import ISAS
    from ..core.names import stream_name
    from ..tuning.trial import trial

    names = [stream_name(a), stream_name(b)]
    isas = isa.split(":") * (2 if ":" not in isa else 1)
    for level in isas:
        if level not in ISAS:
            raise UnknownName("ISA", level, ISAS)
    if len(isas) != 2:
        raise click.BadParameter(f"'{isa}' is not one ISA or two like sse:scalar", param_hint="--isa")
    made = generator(templates)
    for name, level in zip(names, isas):
        _check_lanes(made, name, level)
    _check_groups(made, names, isas)
    with progress_bar("stitching") as progress:
        progress(0, 4, "compiling")
        try:
            recipe = made.stitch(
                list(zip(names, isas)),
                ratios=ratio,
                leads=lead,
                lags=lag,
                budgets=budget,
                orders=order,
                strategy=strategy,
            )
        except DoesNotFit as error:
            raise DoesNotFit(_explained(error, isas, budget)) from error
        found = trial(made, recipe, iterations=iterations, seconds=seconds, progress=progress)
    click.echo(json.dumps(found.data(), indent=1) if fmt == "json" else _text(found))


def _check_lanes(made, name, isa: str) -> None:
    from ..core.errors import CryptostitchError

    _, form = made.form(name)
    there = sorted({lanes * groups for lanes in form.lanes.get(isa, ()) for groups in form.groups})
    if not there:
        raise CryptostitchError(f"{name.form} has no text for {isa}: use --isa {', '.join(form.lanes)}")
    if name.lanes not in there:
        raise CryptostitchError(
            f"{name.form} on {isa} has no {name.lanes} lanes: take {', '.join(f'{form.name}_x{n}' for n in there)}"
        )


def _check_groups(made, names, isas: list[str]) -> None:
    from ..core.errors import CryptostitchError

    def groups(name, isa: str) -> set[int]:
        _, form = made.form(name)
        return {n for lanes in form.lanes[isa] for n in (1, *form.groups) if lanes * n == name.lanes}

    a, b = (groups(*pair) for pair in zip(names, isas))
    if not a & b:
        raise CryptostitchError(
            f"{names[0]} is made of {min(a)} and {names[1]} of {min(b)} streams on {':'.join(dict.fromkeys(isas))}; "
            f"each stream of one part works with one of the other, so give both parts the same number"
        )


def _explained(error: Exception, isas: list[str], budget: list[int] | None) -> str:
    from ..core.isa import GENERALS, ISAS

    vectors = max(ISAS[i].vectors for i in isas)
    advice = "another --budget" if budget else "fewer lanes"
    wider = "" if "avx512" in isas else ", or --isa avx512 with its 32 vector registers"
    return (
        f"{error} (the streams of a kernel share {vectors} vector and {GENERALS} general registers, one of them the "
        f"loop counter's): try {advice}{wider}"
    )


def _text(found) -> str:
    from ..report.tables import columns

    data = found.data()
    unequal = len({(p.ratio, p.program.contract.lanes) for p in found.recipe.parts}) > 1
    table = [
        ("", "cycles/iteration", f"cycles/byte of {found.parts[0][0].partition('@')[0]}" if unequal else "cycles/byte")
    ]
    table += [(f"{name} alone", f"{c:.1f}", f"{found.per_byte(c):.4f}") for name, c in found.parts]
    table += [
        (label, f"{c:.1f}", f"{found.per_byte(c):.4f}")
        for label, c in (
            ("sum of the parts", found.sum),
            ("larger part", found.larger),
            ("woven", found.woven.per_iteration),
        )
    ]
    streams = columns(
        [
            ("  program", "ratio", "lead", "lag", "vectors", "generals"),
            *(
                ("  " + s["program"], s["ratio"], s["lead"], s["lag"], s["vectors"], s["generals"])
                for s in data["streams"]
            ),
        ]
    )
    return (
        f"{found.recipe.name} ({found.recipe.strategy} weave)\n{streams}\n"
        "verified: the same values as the templates, accesses within the contract, no secret in an address or a branch"
        "\n"
        f"assembled: {data['loop_instructions']} instructions in the loop ({data['loop_memory_operands']} with "
        f"memory), {data['code_bytes']} bytes, in {data['assembled_us']} us\n"
        f"timed on {found.cpu} at {found.ghz:.2f} GHz, {data['bytes_per_iteration']} bytes per iteration, spread "
        f"{100 * found.woven.spread:.1f} %\n\n"
        f"{columns(table)}\n\n{_gain(found)}"
    )


def _gain(found) -> str:
    from ..tuning.measure import AGAIN

    return f"{AGAIN} ({found.doubt})" if found.doubt else f"speed-up over the sum: {found.speedup:.2f}"
