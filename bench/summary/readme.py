"""Rewrites what stands between markers in a Markdown file."""

from __future__ import annotations


def replaced(text: str, name: str, content: str) -> str:
    """``text`` with ``content`` between ``<!-- begin: name from cst-bench -->`` and the like with ``end``, each a
    line. ValueError where they are missing."""
    begin, end = (f"<!-- {edge}: {name} from cst-bench -->\n" for edge in ("begin", "end"))
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
        raise ValueError(f"it wants the lines {begin.strip()} and {end.strip()} once each")
    before, rest = text.split(begin)
    return before + begin + content.rstrip() + "\n" + end + rest.split(end)[1]
