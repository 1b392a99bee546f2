"""The ladder itself: what a failing, a skipped, a raising and a crashing check look like in the results, and the three
forms of the report."""

from __future__ import annotations

import html.parser
import json
import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.cli import main
from cryptostitch.core.errors import UnknownName
from cryptostitch.ladder import climb, statements, steps
from cryptostitch.ladder.result import FAIL, PASS, SKIP, Effort, Evidence, Result, Skip
from cryptostitch.ladder.steps import LADDER, rungs
from cryptostitch.listing import Catalogue
from cryptostitch.report.evidence import Report, page, table

KERNEL = "sha1_x1@scalar"
QUICK = ["--check", "values", "--check", "weave", "--seed", "7", "--jobs", "1"]


def double(monkeypatch: pytest.MonkeyPatch, check) -> None:
    """Puts ``check`` in the place of the ladder's first."""
    monkeypatch.setattr(statements, "values", check)


def climbed(*checks: str) -> dict[str, Result]:
    (found,) = climb.climb(climb.Plan(checks=checks), climb.tasks(Catalogue(), KERNEL))
    assert found.kernel == KERNEL
    return found.checks


def test_every_rung_has_its_check() -> None:
    """A misspelt module or function would be noticed only when it is run."""
    import importlib

    for rung in LADDER:
        assert callable(getattr(importlib.import_module(f"cryptostitch.ladder.{rung.module}"), rung.function)), (
            rung.name
        )
    with pytest.raises(KeyError):
        rungs(("vlaues",))


def test_a_failure_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    double(monkeypatch, lambda subject, effort: Result.of(["the sky is green"]))
    found = climbed("values", "weave")
    assert found["values"].status == FAIL and found["values"].problems == ("the sky is green",)
    assert found["weave"].status == PASS


def test_an_exception_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(subject, effort):
        raise ZeroDivisionError("by nothing")

    double(monkeypatch, check)
    assert climbed("values")["values"] == Result(FAIL, problems=("ZeroDivisionError: by nothing",))


def test_what_cannot_run_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(subject, effort):
        raise Skip("no moon tonight")

    double(monkeypatch, check)
    found = climbed("values")["values"]
    assert found.text == "skip: no moon tonight"


def test_a_module_that_is_not_installed_is_a_skip_and_one_of_ours_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str):
        def check(subject, effort):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

        return check

    double(monkeypatch, absent("unicorn"))
    assert climbed("values")["values"].status == SKIP
    double(monkeypatch, absent("cryptostitch.ladder.nothing"))
    assert climbed("values")["values"].status == FAIL


def test_a_crash_is_a_failure_of_the_check_that_crashed(monkeypatch: pytest.MonkeyPatch) -> None:
    double(monkeypatch, lambda subject, effort: os.kill(os.getpid(), signal.SIGKILL))
    found = climbed("values", "weave")
    assert found["values"].status == FAIL and "crash" in found["values"].problems[0]
    assert found["weave"].status == PASS


def test_unknown_kernel() -> None:
    with pytest.raises(UnknownName, match="sha1_x16@avx512"):
        climb.tasks(Catalogue(), "sha1_x61@avx512")


class Cells(html.parser.HTMLParser):
    """Whether all tags are closed in order, and the texts of the cells with a class."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.marks, self.links = [], [], []

    def handle_starttag(self, tag: str, attributes: list) -> None:
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)
        named = dict(attributes)
        self.links += [named[k] for k in ("src", "href") if not named.get(k, "data:").startswith("data:")]
        if tag == "td" and named.get("class", "").startswith("mark"):
            self.marks.append(named["class"].split()[1])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page() -> None:
    kernels = [
        Evidence("a<b", {"values": Result(PASS, "9 instructions"), "weave": Result.of(["it's <b>wrong</b>"])}),
        Evidence("c", {"values": Result(SKIP, "no moon"), "weave": Result(PASS)}),
    ]
    text = page(Report(kernels, {"cpu": "none"}))
    cells = Cells()
    cells.feed(text)
    assert cells.open == [] and cells.links == [] and cells.marks == ["pass", "fail", "skip", "pass"]
    assert "<b>wrong" not in text and "1: no moon" in text and "some checks FAILED" in text


def test_table_names_what_failed_and_what_was_skipped() -> None:
    kernels = [Evidence("one", {"values": Result.of(["it is wrong"]), "trace": Result(SKIP, "no moon")})]
    text = table(Report(kernels, {"cpu": "none"}))
    assert (
        "one: values FAILED\n  it is wrong" in text
        and "trace: 1 skipped: no moon" in text
        and text.endswith("1 kernels: 1 FAILED")
    )


def test_command(tmp_path: Path) -> None:
    file = tmp_path / "evidence.html"
    result = CliRunner().invoke(main, ["verify", KERNEL, *QUICK, "--format", "json", "--html", str(file)])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["kernels"][0]["kernel"] == KERNEL and data["kernels"][0]["checks"] == {
        "values": "pass",
        "weave": "pass",
    }
    assert data["environment"]["seed"] == "7" and file.read_text().startswith("<!doctype html>")


def test_command_fails_with_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    double(monkeypatch, lambda subject, effort: Result.of(["the sky is green"]))
    result = CliRunner().invoke(main, ["verify", KERNEL, *QUICK])
    assert result.exit_code == 1 and "the sky is green" in result.output


def test_command_explains_bad_input() -> None:
    for arguments, said in (([KERNEL, "--check", "bound"], "did you mean bounds?"), (["sha3_x1@scalar"], "nearest: ")):
        result = CliRunner().invoke(main, ["verify", *arguments])
        assert result.exit_code == 1 and said in result.output + result.stderr


def test_the_seed_is_printed_and_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []
    double(monkeypatch, lambda subject, effort: Result(PASS, str(effort.seed)))
    for arguments in ([], ["--seed", "5"]):
        result = CliRunner().invoke(main, ["verify", KERNEL, "--check", "values", "--format", "json", *arguments])
        data = json.loads(result.stdout)
        seeds.append(data["environment"]["seed"])
        assert data["kernels"][0]["details"]["values"] == seeds[-1] and f"--seed {seeds[-1]}" in data["environment"][
            "again"
        ] + " ".join(arguments)
    assert seeds[1] == "5" and steps.LADDER and Effort().seed == 1
