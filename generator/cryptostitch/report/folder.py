"""A folder of pages that opens without a network: an index, and beside it a page of each kernel that it leads to."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from ..analysis.bench_results import Results
from ..analysis.study import Measured, study
from ..core.errors import CryptostitchError
from ..core.program import Recipe
from ..model.table import Table
from ..pipeline import Generator
from .picture import report_data, report_page

INDEX = "index.html"
SECONDS = 0.5  # to measure a kernel


class PageFolder:
    """Makes the folder. ``table``, ``stand_in``, ``results``: as `cryptostitch report` takes them for its pages."""

    def __init__(
        self, path: Path, generator: Generator, table: Table, stand_in: str = "", results: Results | None = None
    ) -> None:
        self.path, self.generator = path, generator
        self.table, self.stand_in, self.results = table, stand_in, results
        path.mkdir(parents=True, exist_ok=True)

    def add(self, recipe: Recipe, timed: Measured | None = None) -> str:
        """Writes the kernel's page and returns the address for the index's links; empty where there is no page, because
        the table lacks an instruction of the kernel. It is measured where it was not yet (``timed``)."""
        try:
            found = study(
                self.generator, recipe, self.table, self.results, SECONDS, stand_in=self.stand_in, timed=timed
            )
        except CryptostitchError:
            return ""
        name = f"{recipe.name}.html"
        (self.path / name).write_text(report_page(report_data(found, self.generator.roots), INDEX), encoding="utf-8")
        return quote(name)

    def index(self, page: str) -> Path:
        """Writes the index."""
        file = self.path / INDEX
        file.write_text(page, encoding="utf-8")
        return file
