"""`cryptostitch emit`: kernels as files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click

from .common import OutputFile, OutputFolder, generator, progress_bar, templates_option

OBJECTS = ("elf", "coff", "macho")


@click.command()
@click.argument("kernels", nargs=-1)
@click.option("--default-pack", type=OutputFile(), help="Write the default pack to this file.")
@click.option("--pack", type=OutputFile(), help="Write a pack of KERNELS to this file.")
@click.option(
    "--recipe",
    "recipe_files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A recipe of `cryptostitch tune`, one more of the KERNELS; may be given more than once.",
)
@click.option(
    "--static",
    "folder",
    type=OutputFolder(),
    help="Write objects, table and header of KERNELS (default: those of --static-kernels) to this folder.",
)
@click.option(
    "--static-kernels",
    "which",
    type=click.Choice(["none", "default", "all"]),
    default="default",
    show_default=True,
    help="Without KERNELS: none, those that the catalogue says, or all of the default pack.",
)
@click.option(
    "--columns",
    "columns_folder",
    type=OutputFolder(),
    help="Write digests of columns, of each --hash, to this folder: C files, objects and a header, for programs that "
    "link no library.",
)
@click.option("--hash", "hashes", multiple=True, metavar="HASH", help="One of --columns; may be given more than once.")
@click.option(
    "--targets",
    metavar="ISA,ISA,...",
    help="Instruction sets that --columns has lanes for; what of them a CPU has is asked at run time.  [default: all: "
    "avx512,avx2,sse]",
)
@click.option(
    "--prefix",
    metavar="NAME",
    help="Begins the names of the functions of --columns, so that two copies fit into one program.  [default: "
    "cst_column_]",
)
@click.option(
    "--columns-assembly", is_flag=True, help="Write the kernels of --columns as assembly text, not as an object."
)
@click.option(
    "--assembly", type=OutputFile(allow_dash=True), help="Write the assembly text of KERNELS; - is standard output."
)
@click.option("--object", "object_", type=OutputFile(), help="Write one object of KERNELS.")
@click.option(
    "--sign",
    "key_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="KEY.pem",
    help="Sign the packs with this Ed25519 private key (PKCS#8, PEM).",
)
@click.option("--abi", type=click.Choice(["sysv", "win64"]), help="Calling convention; win64 makes COFF objects.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(["text", "json", *OBJECTS]),
    multiple=True,
    help="Format of the objects (default: elf, or coff with --abi win64). json: list what was written on standard "
    "output; may be given beside an object's format.",
)
@templates_option
def emit(
    kernels,
    default_pack,
    pack,
    recipe_files,
    folder,
    which,
    columns_folder,
    hashes,
    targets,
    prefix,
    columns_assembly,
    assembly,
    object_,
    key_file,
    abi,
    formats,
    templates,
) -> None:
    """Write kernels as assembly text, objects (ELF, COFF, Mach-O) or packs, or as digests of columns in C.

    \b
    Examples:
      cryptostitch emit --static out aes128_cbc_enc_x16+sha1_x16@avx512_vaes
      cryptostitch emit --format macho --format json --object sha256.o sha256_x8@avx2
      cryptostitch emit --columns out --hash sha256 --hash md5 --targets avx512,avx2
    """
    from ..core.answers import known_answers
    from ..emit import artefacts, columns
    from ..emit.assembly import FORMATS, file_text, symbol_name
    from ..emit.objects import object_bytes
    from ..emit.signature import read_key, signed
    from ..passes.frame import frame
    from ..tuning.tune import read_recipe

    objects = [f for f in dict.fromkeys(formats) if f in OBJECTS]
    if len(objects) > 1:
        raise click.UsageError(f"--format takes one of {', '.join(OBJECTS)} at a time, and json beside it")
    if "json" in formats and str(assembly) == "-":
        raise click.UsageError("standard output is the assembly's; with --format json name a file: --assembly FILE")
    fmt = FORMATS[objects[0] if objects else "coff" if abi == "win64" else "elf"]
    if abi and abi != ("win64" if fmt.name == "coff" else "sysv"):
        raise click.UsageError(f"{fmt.name} objects do not use the {abi} calling convention")
    if not (default_pack or pack or folder or columns_folder or assembly or object_):
        raise click.UsageError("say what to write: --default-pack, --pack, --static, --columns, --assembly or --object")
    if bool(columns_folder) != bool(hashes) or (targets and not columns_folder):
        raise click.UsageError("--columns DIR wants a --hash, and --hash and --targets want --columns DIR")
    if (prefix is not None or columns_assembly) and not columns_folder:
        raise click.UsageError("--prefix and --columns-assembly go with --columns DIR")
    if prefix is not None and not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", prefix):
        raise click.UsageError(f"--prefix begins names in C: '{prefix}' cannot")
    if columns_folder and (kernels or recipe_files) and not (pack or folder or assembly or object_):
        raise click.UsageError("--columns chooses its kernels: name a --hash, no KERNELS")
    if (pack or assembly or object_) and not kernels and not recipe_files:
        raise click.UsageError("name at least one kernel; `cryptostitch list` shows them")
    if which != "default" and (kernels or recipe_files or not folder):
        raise click.UsageError("--static-kernels goes with --static and without KERNELS")
    if key_file and not (default_pack or pack):
        raise click.UsageError("--sign needs a pack to sign: --pack or --default-pack")
    key = read_key(key_file) if key_file else None
    made = generator(templates)
    chosen = []
    with progress_bar("compiling") as progress:
        for done, name in enumerate(kernels):
            progress(done, len(kernels), name)
            chosen.append(made.recipe(name))
        for path in recipe_files:
            chosen.append(read_recipe(path, made))
    named_by: dict[str, str] = {}
    for recipe in chosen:
        symbol = symbol_name(recipe.name)
        if symbol in named_by:
            other = named_by[symbol]
            raise click.UsageError(
                f"{other} is named twice"
                if other == recipe.name
                else f"{other} and {recipe.name} are both {symbol} in C"
            )
        named_by[symbol] = recipe.name
    every = []
    if default_pack or (folder and not chosen and which != "none"):
        with progress_bar("compiling") as progress:
            every = made.default_recipes(progress, processes=len(os.sched_getaffinity(0)))
    written: list[tuple[Path, list]] = []
    packs = ((default_pack, default_pack and every, known_answers()), (pack, chosen, ()))
    for path, recipes, answers in packs:
        if path:
            written.append((path, recipes))
            made_pack = artefacts.pack_of(made, recipes, answers)
            path.write_bytes(signed(made_pack, key) if key else made_pack)
    if folder:
        with progress_bar("assembling") as progress:
            wanted = chosen or [r for r in every if which == "all" or (which == "default" and r.static)]
            named = kernels or ["--static-kernels", which] * (which != "default")
            written += [
                (path, wanted)
                for path in artefacts.write_static(
                    folder, wanted, fmt, " ".join(["cryptostitch emit --static DIR", *named]), progress
                )
            ]
    if columns_folder:
        rows = [columns.hash_named(name, made) for name in dict.fromkeys(hashes)]
        isas = columns.targets_named(targets.split(",") if targets else columns.TARGETS)
        named = [f"--hash {row.name}" for row in rows]
        named += ["--prefix", prefix] if prefix is not None else []
        named += ["--columns-assembly"] if columns_assembly else []
        command = " ".join(["cryptostitch emit --columns DIR", *named, "--targets", ",".join(isas)])
        with progress_bar("compiling") as progress:
            written += columns.write_columns(
                *(columns_folder, rows, isas, made, fmt, command, progress),
                prefix=columns.PREFIX if prefix is None else prefix,
                assembly=columns_assembly,
            )
    if assembly or object_:
        framed = [frame(r, "win64" if fmt.name == "coff" else "sysv") for r in chosen]
        if assembly:
            with click.open_file(str(assembly), "w", encoding="utf-8") as file:
                file.write(file_text(framed, fmt))
            written.append((assembly, chosen))
        if object_:
            object_.write_bytes(object_bytes(framed, fmt))
            written.append((object_, chosen))
    if "json" in formats:
        click.echo(
            json.dumps(
                {
                    "objects": fmt.name,
                    "files": [
                        {"file": str(path), "bytes": path.stat().st_size, "kernels": [r.name for r in recipes]}
                        for path, recipes in written
                    ],
                },
                indent=1,
            )
        )
