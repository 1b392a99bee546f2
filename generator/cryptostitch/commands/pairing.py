"""`cryptostitch stitch`: builds, proves and times one pairing."""

from __future__ import annotations

import json

import click

from .common import (
    MOST_LAG,
    MOST_LEAD,
    MOST_PARTS,
    MOST_RATIO,
    Numbers,
    format_option,
    generator,
    isas_of,
    progress_bar,
    streams_of,
    templates_option,
    timing,
)


@click.command()
@click.argument("streams", nargs=-1, required=True, metavar="A B [C [D]]")
@click.option(
    "--isa",
    required=True,
    metavar="ISA[:ISA]",
    help="scalar, sse, avx2 or avx512; one for each part with colons between when they differ (sse:scalar).",
)
@click.option(
    "--ratio",
    type=Numbers(least=1, most=MOST_RATIO),
    help="Bodies of each part in one iteration (default: as many as make equal numbers of bytes).",
)
@click.option(
    "--lead",
    type=Numbers(all_alike=False, least=-MOST_LEAD, most=MOST_LEAD),
    default="0",
    show_default=True,
    help="How far each part runs ahead inside an iteration, in 1/1024 of it.",
)
@click.option(
    "--lag",
    type=Numbers(all_alike=False, least=0, most=MOST_LAG),
    help="How many iterations each part runs behind (default: 1 for what stands behind a part that writes, and reads "
    "what that wrote; else 0).",
)
@click.option(
    "--budget",
    type=Numbers(least=1),
    help="Registers of one stream of each part (default: the split that costs the fewest instructions and memory "
    "accesses).",
)
@click.option(
    "--order",
    type=Numbers(all_alike=False, least=0),
    help="Order inside each part: 0 as its text has it, else the longest chain first, within a window of so many "
    "instructions (default: the catalogue's).",
)
@click.option(
    "--strategy",
    type=click.Choice(["proportional", "sequential"]),
    help="How bodies are interleaved (default: the catalogue's, for most streams proportional).",
)
@click.option("--iterations", type=click.IntRange(2), help="Iterations per call (default: 16 KiB per lane).")
@click.option("--seconds", type=click.FloatRange(0.01), default=1.0, show_default=True, help="How long to measure.")
@templates_option
@format_option
def stitch(streams, isa, ratio, lead, lag, budget, order, strategy, iterations, seconds, templates, fmt) -> None:
    """Build, verify and time the pairing of two to four streams: each alone, their sum, the larger, the fastest kernels
    of the same algorithms for the same jobs ("best apart"), and the woven kernel; and say why it gains what it does.

    The gain that decides is that over best apart: an application without the woven kernel would run those kernels.

    The lanes of a part may be multiples of a stream's lanes; the groups are then woven with themselves (sha1_x32 is
    two of sha1_x16). The name of an algorithm or suite stands for its stream: crc32c.

    \b
    Examples:
      cryptostitch stitch aes128_cbc_enc_x16 sha1_x16 --isa avx512
      cryptostitch stitch aes128_cbc_enc_x32_1key_hand sha1_x32_hand --isa avx512 --lead 0:256
      cryptostitch stitch aes128_cbc_enc_x1 sha256_ni_x1 crc32c --isa sse
    """
    from ..core.errors import DoesNotFit
    from ..report.why import why, why_text
    from ..tuning.apart import Apart
    from ..tuning.trial import trial

    made, count = generator(templates), len(streams)
    isas = isas_of(isa, count) if 2 <= count <= MOST_PARTS else [isa] * count
    names = streams_of(made, streams, isas)
    for name, level in zip(names, isas):
        _check_lanes(made, name, level)
    _check_groups(made, names, isas)
    ratio, budget = (Numbers().of_parts(n, count, option) for n, option in ((ratio, "--ratio"), (budget, "--budget")))
    lead, lag, order = (
        Numbers(all_alike=False).of_parts(n, count, option)
        for n, option in ((lead, "--lead"), (lag, "--lag"), (order, "--order"))
    )
    ratio = ratio or made.equal_bytes(list(zip(names, isas)))
    with timing(), progress_bar("stitching") as progress:
        progress(0, 4, "compiling")
        try:
            recipe = made.stitch(
                list(zip(names, isas)),
                ratios=ratio,
                leads=lead,
                lags=lag,
                budgets=budget,
                orders=order,
                strategy=strategy or "",
            )
        except DoesNotFit as error:
            raise DoesNotFit(_explained(error, isas, budget)) from error
        found = trial(made, recipe, iterations=iterations, seconds=seconds, progress=progress, apart=Apart(made))
        reasons = why(made, found)
    click.echo(
        json.dumps({**found.data(), "why": reasons}, indent=1)
        if fmt == "json"
        else f"{_text(found)}\n{why_text(reasons)}\n{_reading(made, found.recipe)}\n"
        f"a picture of it: cryptostitch report {found.recipe.name} -o page.html"
        + (f" --templates {templates}" if templates else "")
    )


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

    made_of = [groups(*pair) for pair in zip(names, isas)]
    if not set.intersection(*made_of):
        said = " and ".join(f"{name} of {min(n)}" for name, n in zip(names, made_of))
        raise CryptostitchError(
            f"{said} streams on {':'.join(dict.fromkeys(isas))}; each stream of one part works with one of the other, "
            f"so give {'both' if len(names) == 2 else 'all'} parts the same number"
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
    others = [part for part in found.apart if part not in found.parts]
    table += [(f"{name} alone", f"{c:.1f}", f"{found.per_byte(c):.4f}") for name, c in others]
    table += [
        (label, f"{c:.1f}", f"{found.per_byte(c):.4f}")
        for label, c in (
            ("sum of the parts", found.sum),
            ("larger part", found.larger),
            ("best apart", found.best_apart),
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


def _reading(made, recipe) -> str:
    """Says which bytes the parts read."""
    from ..tuning.trial import streams_of_parts

    parts = streams_of_parts(recipe)
    writers = [name for name, streams in parts if streams[0].program.contract.has("out")]
    behind = [str(name) for name, streams in parts if streams[0].lag and name not in writers]
    if writers and behind:
        return f"{' and '.join(behind)} {'read' if len(behind) > 1 else 'reads'} what {writers[0]} writes"
    sizes = [(str(name), made.message_bytes(streams[0])) for name, streams in parts]
    if len({size for _, size in sizes}) > 1:
        first, *others = (f"{name} takes {size} bytes" for name, size in sizes)
        return f"in an iteration {first} of each message, {', '.join(others)}; cycles per byte are {sizes[0][0]}'s"
    return f"{'both' if len(parts) == 2 else 'all'} read the same bytes"


def _gain(found) -> str:
    from ..tuning.measure import AGAIN

    if found.doubt:
        return f"{AGAIN} ({found.doubt})"
    best = " and ".join(name for name, _ in found.apart)
    return (
        f"speed-up over best apart ({best}, one after the other): {found.gain:.2f}\n"
        f"speed-up over the same streams one after the other: {found.speedup:.2f}"
    )
