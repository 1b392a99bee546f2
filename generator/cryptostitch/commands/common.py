"""What the commands share: progress, errors in one line, a generator with the user's own templates, values for two
parts."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..core.errors import CryptostitchError, nearest
from ..core.own import CATALOGUE, own_rows

if TYPE_CHECKING:
    from ..model.table import Table

ALIKE = 0.6  # of a command's name and a misspelt one
OUTPUT = "standard output: "
MOST_RATIO, MOST_LAG, MOST_LEAD, MOST_PARTS = 64, 8, 1 << 20, 4  # what a pack may hold: runtime/code/pack.cpp


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """Yields ``progress(done, total, name)``; draws on stderr when that is a terminal."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[name]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(title, total=None, name="")
        yield lambda done, total, name: bar.update(task, completed=done, total=total, name=name)


@contextmanager
def timing(wanted: bool = True) -> Iterator[None]:
    """Says on stderr, after a measurement, that the machine had other work."""
    from ..learning.host import OtherWork

    other = OtherWork()
    yield
    if wanted and (note := other.note):
        click.echo(note, err=True)


def coloured(wish: bool | None) -> bool | None:
    """Whether to colour standard output: as wished (None: on a terminal), but for NO_COLOR (https://no-color.org) and
    terminals that have no colours."""
    if wish is None and (os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"):
        return False
    return wish


class UsageInOneLine(click.ClickException):
    """A UsageError without the usage."""

    exit_code = click.UsageError.exit_code


class Group(click.Group):
    """Errors about input are one line that says what to do, not a traceback; a misspelt command gets the nearest
    one."""

    def invoke(self, ctx: click.Context) -> Any:
        from ..binding.runtime import RuntimeFailure
        from ..core.registers import BindError

        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click ends quietly
            raise
        except OSError as error:
            subject = f"{error.filename}: " if error.filename else ""
            if any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__)):
                subject = OUTPUT
                # what is left goes nowhere, so that Python has nothing more to say of it at its end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.ClickException(f"{subject}{error.strerror or error}") from error
        except (CryptostitchError, BindError, RuntimeFailure) as error:
            raise click.ClickException(str(error)) from error
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else ctx.command_path
            raise UsageInOneLine(f"{error.format_message().rstrip('.')}; see `{where} --help`") from error

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = nearest(args[0], self.list_commands(ctx), 1, ALIKE)
            raise click.UsageError(
                f"no command '{args[0]}'; "
                + (
                    f"did you mean `cryptostitch {near[0]}`?"
                    if near
                    else "there are " + ", ".join(self.list_commands(ctx))
                )
            )
        return super().resolve_command(ctx, args)


templates_option = click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help=f"A folder of your own: its templates are searched first, and the rows ALGORITHMS of its {CATALOGUE} are "
    "added to the catalogue.",
)

legacy_option = click.option(
    "--legacy",
    is_flag=True,
    help="The legacy suites too (CST_ALLOW_LEGACY): broken algorithms, or a time that depends on secrets.",
)

format_option = click.option(
    "--format",
    "fmt",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the result.",
)


def generator(templates: Path | None = None):
    """The generator of the project's catalogue and of the user's folder."""
    from ..listing import Catalogue

    return Catalogue() if templates is None else catalogue_of(templates / CATALOGUE)


def catalogue_of(file: Path):
    """Returns the catalogue with the rows of a file, whose folder may have templates."""
    from ..listing import Catalogue

    return Catalogue(own_rows(file), (file.absolute().parent,))


def recipe_of(made: Any, kernel: str) -> Any:
    """The recipe of a kernel's name, or of a file of `cryptostitch tune`."""
    from ..tuning.tune import read_recipe

    if not kernel.endswith(".json"):
        return made.recipe(kernel)
    if not Path(kernel).exists():
        raise CryptostitchError(f"there is no file {kernel}; `cryptostitch tune A B --isa ISA -o {kernel}` writes one")
    return read_recipe(Path(kernel), made)


def why_not_writable(path: Path) -> str:
    """Tries, and leaves no trace; empty where the file can be written. What is neither a file nor missing, a pipe for
    example, is not opened."""
    is_new = not os.path.lexists(path)
    if not is_new and not path.is_file():
        return ""
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return ""


class OutputFile(click.Path):
    """A file that is to be written: whether it can be is looked at before the work is done, not after."""

    def __init__(self, allow_dash: bool = False) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path, allow_dash=allow_dash)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        if str(path) != "-" and not path.absolute().parent.is_dir():
            self.fail(f"there is no folder '{path.parent}' for {path.name}: `mkdir -p {path.parent}`", param, ctx)
        if str(path) != "-" and (why := why_not_writable(path)):
            self.fail(f"{path} cannot be written: {why}", param, ctx)
        return path


class OutputFolder(click.Path):
    """A folder that is to be written, whether it is there or not: whether it can be is looked at before the work."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        there = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
        if not there.is_dir():
            self.fail(f"{path if path.exists() else there} is not a folder", param, ctx)
        try:
            with tempfile.TemporaryFile(dir=there):
                pass
        except OSError as error:
            self.fail(f"{there} cannot be written: {error.strerror or error}", param, ctx)
        return path


def folder_name(table: Path) -> str:
    """The name of the CPU's folder that a file is a part of; empty where it is none."""
    from ..cpus.folder import FOLDER, Part

    folder = table.absolute().parent
    return folder.name if folder.parent.name == FOLDER.name and table.name in {part.file for part in Part} else ""


def cpu_name(table: Path) -> str:
    """The microarchitecture that a file's place names: that of the CPU's folder it is a part of, else its own stem."""
    return folder_name(table) or table.stem


def this_cpu() -> dict[str, Any] | None:
    """Returns the CPU that the library detects; None when the library is not built."""
    from ..binding import runtime

    try:
        return runtime.Context().cpu()
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class ChosenTable:
    """The instruction table that a command works with. ``here``: the microarchitecture of this CPU, where the library
    is built. ``stand_in``: where nobody asked for another CPU's table and this CPU has none, a sentence on whose it
    is; else empty."""

    table: Table
    here: str | None
    is_here: bool
    stand_in: str = ""

    @property
    def costs_of(self) -> str:
        """The microarchitecture whose measured figures belong beside the table's."""
        return self.here if self.here and self.stand_in else self.table.microarchitecture

    def unmeasured(self, measure: bool) -> str:
        """Why a kernel is not timed beside the table; empty when it is."""
        if not measure:
            return "--no-measure"
        if self.is_here or self.stand_in:
            return ""
        whose = self.here or "not known, because the library is not built"
        return f"the table is of {self.table.microarchitecture}, this CPU is {whose}"


def chosen_table(name: str | None) -> ChosenTable:
    """The table of ``name``, a microarchitecture or a file; without a name that of this CPU, or the nearest."""
    from ..model.nearest import nearest_table
    from ..model.table import table_of, tables

    cpu = this_cpu()
    here: str | None = cpu["microarchitecture"] if cpu else None
    if not name and cpu is None:
        raise click.UsageError("the library is not built, so this CPU is not known: run `make`, or give --cpu")
    if wanted := name or (here if here in tables() else None):
        table = table_of(wanted)
        # that of a CPU without a shipped table bears the name that its user gave it
        mine = cpu and here not in tables() and wanted not in tables() and table.cpu == cpu["brand"].strip()
        return ChosenTable(table, here, table.microarchitecture == here or bool(mine))
    assert cpu is not None
    table, why = nearest_table(cpu)
    return ChosenTable(table, here, False, why)


def page_folder(path: Path, made: Any) -> Any:
    """A folder for pages of kernels, as `cryptostitch report` draws them on this CPU."""
    from ..analysis.bench_results import read_results, shipped
    from ..report.folder import PageFolder

    chosen = chosen_table(None)
    results = shipped(chosen.costs_of)
    return PageFolder(path, made, chosen.table, chosen.stand_in, read_results(results) if results else None)


class Numbers(click.ParamType):
    """Two to four whole numbers as A:B[:C[:D]], one for each part; one number alone stands for all of them when
    ``all_alike``, else for the last part, the others then have 0."""

    name = "A:B"

    def __init__(self, all_alike: bool = True, least: int | None = None, most: int | None = None):
        self.all_alike, self.least, self.most = all_alike, least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        if isinstance(value, list):
            return value
        texts = value.split(":")
        try:
            numbers = [int(t) for t in texts]
        except ValueError:
            numbers = []
        if (
            not 1 <= len(numbers) <= MOST_PARTS
            or (self.least is not None and min(numbers) < self.least)
            or (self.most is not None and max(numbers) > self.most)
        ):
            limits = [
                f"at {word} {limit}"
                for word, limit in (("least", self.least), ("most", self.most))
                if limit is not None
            ]
            self.fail(
                f"'{value}' is not whole numbers like 1:2, one for each part"
                + (f", each {' and '.join(limits)}" if limits else ""),
                param,
                ctx,
            )
        return numbers

    def of_parts(self, numbers: list[int] | None, parts: int, option: str) -> list[int] | None:
        """Returns a number for each part. click.BadParameter where the count is wrong."""
        if numbers is None or len(numbers) == parts:
            return numbers
        if len(numbers) == 1:
            return numbers * parts if self.all_alike else [0] * (parts - 1) + numbers
        raise click.BadParameter(f"{len(numbers)} numbers for {parts} parts", param_hint=option)


def isas_of(text: str, parts: int) -> list[str]:
    """The instruction set of each part: one for all, or as many with colons between them."""
    from ..core.errors import UnknownName
    from ..core.isa import ISAS

    isas = text.split(":") * (parts if ":" not in text else 1)
    for level in isas:
        if level not in ISAS:
            raise UnknownName("ISA", level, ISAS)
    if len(isas) != parts:
        raise click.BadParameter(
            f"'{text}' is not one ISA or {('', '', 'two', 'three', 'four')[parts]} like sse:scalar", param_hint="--isa"
        )
    return isas


def streams_of(made: Any, names: Sequence[str], isas: Sequence[str]) -> list[Any]:
    """The streams that are meant, by their own names or those of algorithms and suites; what a name came to is said on
    stderr."""
    if not 2 <= len(names) <= MOST_PARTS:
        raise click.UsageError(f"name two to {MOST_PARTS} streams, not {len(names)}")
    found = [made.stream_named(name, isa) for name, isa in zip(names, isas)]
    for name, stream in zip(names, found):
        if str(stream) != name:
            click.echo(f"{name} is {stream}", err=True)
    return found
