"""What exists, as data: streams, kernels of the default pack, the library's suites. Nothing is compiled for it."""

from __future__ import annotations

import contextlib
import fnmatch
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from .binding import runtime
from .core.catalog import Algorithm
from .core.errors import CryptostitchError, UnknownName
from .core.isa import ISAS
from .core.names import StreamName, stream_name, target_name
from .frontend.kept_features import KeptFeatures
from .frontend.parse import parse
from .frontend.render import MARK, Rendered, render
from .pipeline import Generator

Named = tuple[str, str, frozenset[str], list[tuple[StreamName, str]], bool]
"""Of a kernel: name, target, features, parts with their ISAs, whether it is shipped as an object."""

_Features = dict[tuple[str, str, int, bool, str], frozenset[str]]
"""Of the streams of a text, by what they are rendered with."""
_SHIPPED: _Features = {}
"""What the project's own texts use, for all catalogues of the process: to find it for all of them takes seconds."""


class Catalogue(Generator):
    """A generator that knows its kernels' names quickly."""

    def __init__(self, *given: Any):
        super().__init__(*given)
        self._features: _Features = {} if any(self.given) else _SHIPPED
        self._keeps = KeptFeatures(self.roots)

    def read_features(self) -> None:
        """Takes the features that an earlier process found, where the texts are the same."""
        self._features |= self._keeps.read()

    def write_features(self) -> None:
        """Leaves what was found for later processes."""
        self._keeps.write(self._features)

    def stream_features(self, name: StreamName, isa: str) -> frozenset[str]:
        """Returns the CPU features of a stream. One rendering with the fewest lanes and the same blocks tells them: the
        instructions depend neither on the number of lanes, nor on whose key it is, nor on the number of rounds."""
        algorithm, form = self.form(name)
        blocks = self.blocks(name, isa)
        given = algorithm.parameters_of(form, isa, blocks)
        fixed = {k: v for k, v in given.items() if k != "rounds"}
        key = form.template, isa, blocks, name.hand, repr(sorted(fixed.items()))  # lists among them
        if key not in self._features:
            parameters = dict(given, one_key=False, hand=name.hand)
            usual = algorithm.bytes // 16
            lanes = [n for n in form.lanes[isa] if blocks in form.by.get((isa, n), (usual,))] or form.lanes[isa]
            rendered = _shortened(render(form.template, ISAS[isa], min(lanes), parameters, self.roots))
            self._features[key] = parse(
                rendered, ISAS[isa], name=str(name), algorithm=algorithm.name, bytes_per_iteration=16 * blocks
            ).features
        return self._features[key]

    def default_kernels(self, glob: str = "*") -> list[Named]:
        """The kernels of the default pack whose names match, sorted by name. Pairs whose registers turn out not to fit
        are among them."""
        # a text is rendered only where the name may match by what is known before: all but the target
        literal = re.split(r"[*?\[]", glob, maxsplit=1)[0]
        found = []
        for weave in self.default_weaves:
            known = weave[2] or "+".join(str(part) for part, _ in weave[0]) + "@"
            if known.startswith(literal[: len(known)]):
                found.append(weave)
        return [kernel for kernel in self._named(found) if fnmatch.fnmatchcase(kernel[0], glob)]

    def own_kernels(self) -> list[Named]:
        """Returns the kernels in which an algorithm of the user's folder takes part."""
        own = {form.name for algorithm in self.given[0] for form in algorithm.forms}
        return self._named([weave for weave in self.default_weaves if own & {part.form for part, _ in weave[0]}])

    def _named(self, weaves: Iterable[tuple[list[tuple[StreamName, str]], bool, str]]) -> list[Named]:
        found = []
        for parts, static, tuned in weaves:
            features = frozenset().union(*(self.stream_features(p, i) for p, i in parts))
            target = target_name([i for _, i in parts], features)
            found.append((tuned or "+".join(str(p) for p, _ in parts) + "@" + target, target, features, parts, static))
        return sorted(found, key=lambda kernel: kernel[0])

    def kernel_names(self) -> list[str]:
        return [kernel[0] for kernel in self.default_kernels()]

    def stream_named(self, text: str, isa: str) -> StreamName:
        """The stream that a name means on an instruction set: a stream's own name; or that of an algorithm or a suite,
        with `_x<lanes>` or without, or that of a text (`sha256_ni`). Without lanes in its name it has the fewest.
        UnknownName, CryptostitchError."""
        with contextlib.suppress(CryptostitchError):
            if (name := stream_name(text)).form in self.forms:
                return name
        stem, _, tail = text.rpartition("_x")
        row = self.row_named(stem if stem else text) or self.row_named(text)
        if row is None and text not in self.forms:
            rows = self.algorithms.values()
            known = {*self.stream_names(), *(row.name for row in rows), *(row.suite for row in rows)}
            raise UnknownName("stream, algorithm or suite", text, known)
        forms = (self.algorithms[row.base] if row.base else row).forms if row else (self.forms[text][1],)
        form = next((form for form in forms if form.lanes.get(isa)), None)
        if form is None:
            raise CryptostitchError(f"{text} has no text for {isa}: use --isa {', '.join(forms[0].lanes)}")
        if text in self.forms or self.row_named(text) is row:
            return StreamName(form.name, min(form.lanes[isa]))
        return stream_name(f"{form.name}_x{tail}")

    def row_named(self, text: str) -> Algorithm | None:
        """The row of an algorithm or suite; None where there is none."""
        rows = self.algorithms.values()
        plain = text.replace("-", "_")
        return self.algorithms.get(text) or next((row for row in rows if plain == row.suite.replace("-", "_")), None)


def _shortened(rendered: Rendered) -> Rendered:
    """Returns the text with one line for each mnemonic and width: the others add no feature."""
    kinds: dict[tuple[str, ...], str] = {}
    for line in rendered.text.split("\n"):
        kinds.setdefault((*line.split()[:1], *re.findall(r":([xyzdq])\b", line.partition(MARK)[0])), line)
    return replace(rendered, text="\n".join(kinds.values()))


def suite_names(legacy: bool = False) -> list[str] | None:
    """Returns the suites that the library offers on this CPU; None when it has not been built. It derives the suites
    from the kernels that it has."""
    try:
        return sorted(runtime.Context(runtime.ALLOW_LEGACY * legacy).suites())
    except FileNotFoundError:
        return None


def listing(
    catalogue: Catalogue, progress: Callable[[int, int, str], None] = lambda *_: None, legacy: bool = False
) -> dict[str, Any]:
    """{"streams": [...], "kernels": [...], "suites": [...] or None}: what `cryptostitch list --format json` prints.
    ``legacy``: legacy suites too."""
    catalogue.read_features()
    streams = []
    for done, (algorithm, form) in enumerate(catalogue.forms.values()):
        progress(done, len(catalogue.forms), form.name)
        for isa, many in form.lanes.items():
            for lanes in many:
                name = StreamName(form.name, lanes)
                streams.append(
                    {
                        "name": str(name),
                        "isa": isa,
                        "lanes": lanes,
                        "algorithm": algorithm.name,
                        "kind": algorithm.kind,
                        "suite": algorithm.suite,
                        "template": form.template,
                        "bytes": algorithm.bytes,
                        "groups": list(form.groups),
                        "features": sorted(catalogue.stream_features(name, isa)),
                    }
                )
    kernels = [
        {
            "name": name,
            "target": target,
            "features": sorted(features),
            "streams": [str(p) for p, _ in parts],
            "static": static,
        }
        for name, target, features, parts, static in catalogue.default_kernels()
    ]
    catalogue.write_features()
    return {
        "streams": sorted(streams, key=lambda s: (s["name"], s["isa"])),
        "kernels": kernels,
        "suites": suite_names(legacy),
    }
