"""What becomes of a run of cst-bench: kept with its history, compared, put into the CPU's page. Needs Python alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH.parent / "generator"))  # its reader of these files; it needs no package for that

import history
import losses
import page
import tables
from cryptostitch.analysis.bench_results import read_data as read
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.cpus.folder import FOLDER, About, CpuFolder, Grade, Made, Part
from results import cells_of

TIERS = ("avx2", "sse")

EXAMPLES = """examples:
  python bench/summary losses build/bench.json
  python bench/summary keep build/bench.json --commit 1a2b3c4
  python bench/summary page zen4"""


def kept_in(cpus: Path, results: dict) -> tuple[CpuFolder, Path]:
    """The CPU's folder, and the file in it."""
    machine = results["machine"]
    folder = CpuFolder(cpus / machine["microarchitecture"])
    return folder, folder.bench(machine.get("tier", ""))


def say_losses(args: argparse.Namespace) -> None:
    """What changed since the run that is kept for this CPU, then where peers are faster."""
    new = read(args.file)
    _, old = kept_in(args.cpus, new)
    if args.since or old.exists():
        print(history.report(new, read(args.since or old)), end="\n\n")
    print(losses.report(cells_of(new).values()))


def keep(args: argparse.Namespace) -> None:
    new = read(args.file)
    folder, file = kept_in(args.cpus, new)
    folder.path.mkdir(parents=True, exist_ok=True)
    about = folder.about() or About(folder.name, new["machine"]["cpu"])
    history.write(file, history.merged(new, read(file) if file.exists() else None, args.commit))
    made = Made(Grade.MEASURED, "`make bench` and `make bench-tiers`", new["machine"]["date"][:10], args.commit)
    folder.write_about(about.with_part(Part.BENCH, made))
    print(f"kept in {file}")


def newest(cpus: Path) -> str:
    runs = {file.parent.name: read(file)["machine"]["date"] for file in cpus.glob("*/bench.json")}
    if not runs:
        sys.exit(f"bench/summary: nothing in {cpus}; type: make bench")
    return max(runs, key=lambda name: runs[name])


def write_page(args: argparse.Namespace) -> None:
    folder = CpuFolder(args.cpus / (args.cpu or newest(args.cpus)))
    file = folder.bench()
    if not file.exists():
        sys.exit(f"bench/summary: no {file}; type: make bench")
    text = folder.page.read_text(encoding="utf-8") if folder.page.exists() else page.begun(folder.name)
    text = page.replaced(text, "figures", tables.figures(read(file)))
    runs = {tier: read(found) for tier in TIERS if (found := folder.bench(tier)).exists()}
    if runs:
        text = page.replaced(text, "tiers", tables.tiers(runs))
    else:
        print(f"bench/summary: no runs of tiers for {folder.name}; type: make bench-tiers", file=sys.stderr)
    folder.page.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench/summary", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cpus",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help="whose folders keep the runs (default: generator/cryptostitch/cpus)",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("losses", help="what changed since the last run, and where a peer is faster")
    command.add_argument("file", type=Path)
    command.add_argument("--since", type=Path, help="compare with this run (default: the kept one)")
    command.set_defaults(run=say_losses)
    command = commands.add_parser("keep", help="keep a run as the CPU's results; the one before goes into its history")
    command.add_argument("file", type=Path)
    command.add_argument("--commit", default="", help="of what was measured")
    command.set_defaults(run=keep)
    command = commands.add_parser("page", help="rewrite the tables of a CPU's page, README.md in its folder")
    command.add_argument("cpu", nargs="?", help="the name of its folder (default: that of the newest run)")
    command.set_defaults(run=write_page)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"bench/summary: {type(error).__name__}: {error}")
    except CryptostitchError as error:
        sys.exit(f"bench/summary: {error}")
