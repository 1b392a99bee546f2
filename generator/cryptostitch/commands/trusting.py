"""`cryptostitch verify`: the ladder of checks, kernel by kernel."""

from __future__ import annotations

import json
import os
import secrets
import sys

import click

from .common import OutputFile, format_option, generator, progress_bar, templates_option


@click.command()
@click.argument("glob", default="*")
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="NAME",
    help="Only this check; may be given more than once. Without it: the whole ladder.",
)
@click.option("--long", is_flag=True, help="The long forms: more cases, more secrets, values of the woven code.")
@click.option(
    "--seed", type=click.IntRange(0), help="Where random choices start (default: a new one, which is printed)."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="all cores", help="Processes."
)
@click.option("--html", type=OutputFile(), metavar="FILE", help="Also write the evidence as one page.")
@templates_option
@format_option
def verify(glob, checks, long, seed, jobs, html, templates, fmt) -> None:
    """Check every kernel whose name matches GLOB (default: all), and print the evidence.

    Proofs on the generated code, a second decoder, an instruction model and an emulator as second oracles, published
    vectors and random jobs through the library with the kernel forced, guard pages, calling conventions, residue, and
    constant-time traces. What this machine cannot run is skipped, with the reason. The exit status is 1 when a check
    fails.

    \b
    Examples:
      cryptostitch verify 'sha1_x16@avx512'
      cryptostitch verify 'aes128_cbc_enc_*' --check bounds --check trace --long
      cryptostitch verify --html evidence.html
    """
    from ..core.errors import CryptostitchError, nearest
    from ..ladder.climb import Plan, climb, tasks
    from ..ladder.result import Effort
    from ..ladder.steps import LADDER
    from ..report.evidence import Report, page, table

    known = [rung.name for rung in LADDER]
    for name in checks:
        if name not in known:
            near = nearest(name, known, 1)
            raise CryptostitchError(
                f"no check '{name}'; " + (f"did you mean {near[0]}?" if near else "there are " + ", ".join(known))
            )
    made = generator(templates)
    effort = Effort(secrets.randbelow(1 << 32) if seed is None else seed, long)
    with progress_bar("verifying") as progress:
        work = tasks(made, glob)
        progress(0, len(work), work[0].name)
        found = climb(Plan(made.given, checks, effort), work, min(jobs, len(work)), progress)
    if not found:
        raise CryptostitchError(f"no kernel that matches '{glob}' fits its registers")
    report = Report.of(found, effort, sys.argv[1:])
    if html:
        html.write_text(page(report), encoding="utf-8")
    click.echo(json.dumps(report.data(), indent=1) if fmt == "json" else table(report))
    if report.failed:
        sys.exit(1)
