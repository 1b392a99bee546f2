"""One kernel on the ladder: its recipe, its bytes, and whether this CPU can run it."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass

from ..binding import runtime
from ..core import catalog
from ..core.errors import DoesNotFit
from ..core.kernel import Kernel
from ..core.names import StreamName
from ..core.program import Recipe
from ..emit.artefacts import algorithm_records
from ..emit.objects import machine_code
from ..emit.pack import write_pack
from ..passes.frame import frame
from ..pipeline import Generator
from .result import Skip


@dataclass
class Subject:
    """``library``: a context of the C library that may load packs, or None where none is built. Not thread-safe."""

    generator: Generator
    recipe: Recipe
    library: runtime.Context | None = None

    @property
    def name(self) -> str:
        return self.recipe.name

    @functools.cached_property
    def kernel(self) -> Kernel:
        """The framed kernel (SysV), not proved yet."""
        return frame(self.recipe)

    @functools.cached_property
    def code(self) -> bytes:
        """LLVM MC's bytes, constants included. The check `bytes` shows that the library's are the same."""
        return machine_code([self.kernel])[self.name]

    @functools.cached_property
    def rows(self) -> list[catalog.Algorithm]:
        """The catalogue's row of each stream."""
        return self._rows_of(self.recipe)

    @functools.cached_property
    def vartime(self) -> list[str]:
        """The streams whose time may depend on secrets: their names say so (VARTIME.md)."""
        return sorted({p.program.stream for p in self.recipe.parts if "vartime" in p.program.stream})

    @functools.cached_property
    def missing(self) -> frozenset[str]:
        """The features that this CPU (or the context's target) lacks."""
        return self.recipe.features - frozenset(self._context().cpu()["features"])

    def _context(self) -> runtime.Context:
        if self.library is None:
            raise Skip("the C library is not built")
        return self.library

    def native(self) -> runtime.Context:
        """The library's context. Raises Skip when there is none, or when this CPU cannot run the kernel."""
        if self.missing:
            raise Skip(f"this CPU has no {', '.join(sorted(self.missing))}")
        return self._context()

    def assembled(self) -> runtime.RawKernel:
        """Returns the kernel of the library; loads a pack with it if the library's own pack lacks it. Raises Skip."""
        context = self.native()
        try:
            return context.kernel(self.name)
        except runtime.RuntimeFailure as failure:
            if failure.code != runtime.ERR_NAME:
                raise
        recipes = [self.recipe, *(other for other in self._of_its_suites() if other.name != self.name)]
        rows = {a.name: a for recipe in recipes for a in self._rows_of(recipe)}
        context.load_pack(write_pack(algorithm_records(rows.values()), recipes))
        return context.kernel(self.name)

    def _rows_of(self, recipe: Recipe) -> list[catalog.Algorithm]:
        return [self.generator.algorithms[p.program.algorithm] for p in recipe.parts]

    def _of_its_suites(self) -> list[Recipe]:
        """Returns the kernels that suites of one's own need beside the one that is verified, with the fewest lanes and
        blocks in an iteration: of a cipher the key schedule, and each mode; of a state its steps."""
        ciphers = {row.block_cipher for row in self.rows if row.cipher and row.block_cipher}
        states = {row.suite for row in self.rows if row.iteration}
        found = []
        for row, form in self.generator.forms.values():
            if row.block_cipher not in ciphers and row.suite not in states:
                continue
            for isa, many in form.lanes.items():
                by = min(form.by.get((isa, min(many)), (0,)))
                with contextlib.suppress(DoesNotFit):
                    found.append(self.generator.stitch([(StreamName(form.name, min(many), by), isa)]))
        return found
