"""A CPU's page: what stands between its markers is rewritten."""

from __future__ import annotations

PARTS = ("figures", "tiers")


def _markers(name: str) -> tuple[str, str]:
    begin, end = (f"<!-- {edge}: {name} from cst-bench -->\n" for edge in ("begin", "end"))
    return begin, end


def begun(cpu: str) -> str:
    """A page without tables yet."""
    head = f"# {cpu}\nWhat is in this folder and how it was made: [about.json](about.json), [cpus](../README.md).\n"
    return head + "".join("\n" + "".join(_markers(name)) for name in PARTS)


def replaced(text: str, name: str, content: str) -> str:
    """``text`` with ``content`` between ``<!-- begin: name from cst-bench -->`` and the like with ``end``, each a
    line. ValueError where they are missing."""
    begin, end = _markers(name)
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
        raise ValueError(f"it wants the lines {begin.strip()} and {end.strip()} once each")
    before, rest = text.split(begin)
    return before + begin + content.rstrip() + "\n" + end + rest.split(end)[1]
