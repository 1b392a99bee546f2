"""jinja2 template -> readable virtual-register assembly, every line marked with the places that wrote it.

A stream's template sees
    v      the vocabulary of the instruction set: macros of templates/isa/*.j2, the later file of VOCABULARIES winning
    g      the scalar vocabulary, of words of 64 bits, for texts that compute in general registers too
    v64    v and s for words of 64 bits, for texts whose own words are shorter
    s64
    s      the state block and the constants (layout.Layout)
    fresh  a new virtual register name
    claim  what a number in registers is, for the proof of arithmetic (verify/arithmetic.py)
and the parameters of the catalogue's row. Instruction lines that stand in a template are marked while it is loaded;
a call of a macro marks what it returns with the caller's line, so an instruction knows its algorithm's line too.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import jinja2

from ..core.errors import TemplateError
from ..core.isa import Isa
from .layout import Layout

VOCABULARIES = {
    "scalar": ("isa/general.j2", "isa/scalar.j2"),
    "sse": ("isa/general.j2", "isa/vector.j2", "isa/sse.j2"),
    "avx2": ("isa/general.j2", "isa/vector.j2", "isa/avx2.j2"),
    "avx512": ("isa/general.j2", "isa/vector.j2", "isa/avx512.j2"),
}

MARK = "  # "
_INSTRUCTION = re.compile(r"\s*(\.[a-z]+\s*$|[a-z][a-z0-9]*(\{\{[^}]*\}\})*[a-z0-9]*\s+[^\s=])")


def _template_root() -> Path:
    installed = Path(__file__).resolve().parents[1] / "templates"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[3] / "templates"


TEMPLATES = _template_root()


class _MarkingLoader(jinja2.FileSystemLoader):
    """Marks each instruction line that stands in the source with its own place."""

    def get_source(self, environment, template):
        source, filename, uptodate = super().get_source(environment, template)
        marked, depth = [], 0
        for number, line in enumerate(source.split("\n"), 1):
            outside = depth == 0
            depth += sum(line.count(o) for o in ("{{", "{%", "{#")) - sum(line.count(c) for c in ("}}", "%}", "#}"))
            if outside and depth == 0 and _INSTRUCTION.match(line) and not line.lstrip().startswith("{"):
                line = f"{line}{MARK}{template}:{number}"
            marked.append(line)
        return "\n".join(marked), filename, uptodate


class _Compiled(jinja2.BytecodeCache):
    """Compiled templates, kept for the life of the process: a stream is rendered for many lanes and options."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket):
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket):
        self._code[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def _caller() -> str:
    """``file:line`` of the innermost template line that is running."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return f"{template.name}:{_line(template, frame.f_lineno)}"
        frame = frame.f_back
    return "?:0"


@functools.lru_cache(1 << 14)
def _line(template: jinja2.Template, python_line: int) -> int:
    return template.get_corresponding_lineno(python_line)


def claimed(operation: str, result: Sequence[str], *operands: Sequence[str], factors: Sequence[int] = ()) -> str:
    """The line of a claim (core/stream.py): the limbs of ``result`` are ``operation`` of the operands' limbs."""
    numbers = ", ".join(" ".join(number) for number in operands)
    listed = ",".join(map(str, factors))
    return f".claim {operation} [{listed}] {' '.join(result)} = {numbers}{MARK}{_caller()}\n"


class _Vocabulary:
    """The macros of several files under one name."""

    def __init__(self, files: Sequence[str]):
        self._files = files
        self._modules: list = []

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        for module in self._modules:
            macro = getattr(module, name, None)
            if macro is not None:
                return self._call(macro) if callable(macro) else macro
        raise jinja2.UndefinedError(f"the vocabulary {' + '.join(self._files)} has no '{name}'")

    @staticmethod
    def _call(macro):
        def call(*args, **kwargs):
            place = _caller()
            text = str(macro(*args, **kwargs))
            if MARK not in text:
                return text.strip()
            return "".join(line.replace(MARK, f"{MARK}{place} ", 1) + "\n" for line in text.split("\n") if line.strip())

        return call


@dataclass(frozen=True)
class Rendered:
    text: str
    layout: Layout


def render(
    template: str, isa: Isa, lanes: int, parameters: Mapping[str, object], roots: Sequence[Path] = ()
) -> Rendered:
    """Renders ``template`` (a name below a template root, e.g. ``streams/sha1.j2``) for ``isa`` and ``lanes``.

    ``roots`` are searched before the project's own templates. Raises TemplateError with the template's file and line.
    """
    environment = jinja2.Environment(
        loader=_MarkingLoader([str(r) for r in (*roots, TEMPLATES)]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.do"],
        bytecode_cache=_COMPILED,
    )
    counter = itertools.count()
    word = int(str(parameters.get("word", 32)))
    layout = Layout(isa, lanes, word)
    layout_64 = layout if word == 64 else layout.of_words(64)
    files = VOCABULARIES[isa.name]
    vocabulary = _Vocabulary(files)
    vocabulary_64 = vocabulary if word == 64 else _Vocabulary(files)
    general = vocabulary if isa.name == "scalar" else _Vocabulary(VOCABULARIES["scalar"])
    names = dict(
        {"segments": 0} | dict(parameters),
        v=vocabulary,
        g=general,
        s=layout,
        v64=vocabulary_64,
        s64=layout_64,
        lanes=lanes,
        fresh=lambda stem="t": f"{stem}.{next(counter)}",
        claim=claimed,
        vector_bytes=isa.vector_bytes,
    )
    environment.globals.update(names)
    try:
        vocabulary._modules.extend(environment.get_template(f).make_module(names) for f in reversed(files))
        if general is not vocabulary:
            general._modules.extend(
                environment.get_template(f).make_module(dict(names, v=general, word=64))
                for f in reversed(VOCABULARIES["scalar"])
            )
        if vocabulary_64 is not vocabulary:
            names_64 = dict(names, v=vocabulary_64, s=layout_64, word=64)
            vocabulary_64._modules.extend(environment.get_template(f).make_module(names_64) for f in reversed(files))
        return Rendered(environment.get_template(template).render(), layout)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"{error.name}:{error.lineno}", error.message or "a syntax error") from error
    except jinja2.TemplateNotFound as error:
        raise TemplateError(error.name, "no such template") from error
    except (jinja2.UndefinedError, ArithmeticError, ValueError, TypeError, LookupError) as error:
        raise TemplateError(_failing_line(error), str(error)) from error


def _failing_line(error: BaseException) -> str:
    """Returns where a traceback enters the templates (jinja2 rewrites it to their own lines), and the vocabulary's line
    if it ends there."""
    places, trace = [], error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".j2"):
            places.append(f"{'/'.join(Path(name).parts[-2:])}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " < ".join(dict.fromkeys([places[0], places[-1]])) if places else "?:0"
