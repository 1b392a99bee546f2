"""Help that keeps to the width of the terminal, however narrow. Click's own is never narrower than 50 columns, and
leaves examples as they are."""

from __future__ import annotations

import re
import shutil

import click

MOST, LEAST = 80, 24
NARROW = 60  # columns, below which what an option does stands under its name


class Formatter(click.HelpFormatter):
    """Lines that are too long are broken between words, or behind a ``|``; a command's by a backslash."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        columns = min(shutil.get_terminal_size().columns, max_width or MOST)
        super().__init__(indent_increment, width or max(columns - 2, LEAST), max_width)

    def write_dl(self, rows, col_max: int = 30, col_spacing: int = 2) -> None:
        if self.width >= NARROW:
            super().write_dl(rows, col_max, col_spacing)
            return
        for term, text in rows:
            self.write(f"{'':>{self.current_indent}}{term}\n")
            self.indent()
            self.write_text(text)
            self.dedent()

    def getvalue(self) -> str:
        return "".join(f"{line}\n" for line in super().getvalue().splitlines() for line in self._cut(line))

    def _cut(self, line: str) -> list[str]:
        indent = len(line) - len(line.lstrip())
        command = re.match(r"\s*(Examples?: +)?cryptostitch ", line)
        end = " \\" if command else ""
        lines = [" " * indent]
        for word in re.findall(r"\S+\s*" if command else r"[^\s|]+\|?\s*|\|\s*", line):
            full = len((lines[-1] + word).rstrip()) + len(end) > self.width
            if len(line) > self.width and lines[-1].strip() and full:
                lines[-1] = lines[-1].rstrip() + end
                lines.append(" " * (indent + 4))
            lines[-1] += word
        return [each.rstrip() for each in lines]


class Context(click.Context):
    formatter_class = Formatter
