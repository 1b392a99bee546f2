"""Pages that need no network: one environment, one base with the style, for every report."""

from __future__ import annotations

from typing import Any

import jinja2

# letter and shape of streams 0 to 3, beside their colours and borders
STREAM_MARKS = (("A", "●"), ("B", "▲"), ("C", "■"), ("D", "◆"))
FRAME_MARK = ("–", "")


def render_page(template: str, **names: Any) -> str:
    """A template of this folder, which extends page.html.j2."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cryptostitch", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(marks_of_streams=STREAM_MARKS, frame_mark=FRAME_MARK, **names)
