"""`cryptostitch list` keeps what it finds of texts for the next process; what has changed is read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptostitch import listing as module
from cryptostitch.listing import Catalogue, listing

FORM = "sha1"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "cryptostitch"


class One(Catalogue):
    """A catalogue that lists one text."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)
        self._features = {}
        self.forms = {FORM: self.forms[FORM]}

    def default_kernels(self, glob: str = "*") -> list:
        return []


def rendered(monkeypatch: pytest.MonkeyPatch, *given: object) -> tuple[int, list]:
    """How many texts a listing renders, and the streams that it lists."""
    count, render = 0, module.render

    def counting(*arguments: object) -> object:
        nonlocal count
        count += 1
        return render(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(module, "render", counting)
        patch.setattr(module, "suite_names", lambda legacy: None)
        found = listing(One(*given))["streams"]
    return count, found


def test_a_second_listing_renders_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count, streams = rendered(monkeypatch)
    assert count and len(list(cache.iterdir())) == 1
    assert rendered(monkeypatch) == (0, streams)


def test_a_changed_text_is_read_again(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for text in ("{# one #}", "{# two #}"):
        (own / "some.j2").write_text(text)
        rendered(monkeypatch, (), (own,))
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("text", ["", "[", "{}", "[[1, 2]]"])
def test_a_damaged_file_is_as_none(text: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = rendered(monkeypatch)[1]
    (file,) = cache.iterdir()
    file.write_text(text)
    assert rendered(monkeypatch)[1] == right


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert rendered(monkeypatch)[1]


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert rendered(monkeypatch)[1]


def homeless() -> Path:
    raise RuntimeError("Could not determine home directory.")
