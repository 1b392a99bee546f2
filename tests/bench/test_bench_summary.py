"""bench/summary: noise, history, the tables of a CPU's page, by runs written here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CPUS = ROOT / "generator/cryptostitch/cpus"
MACHINE = {
    "cpu": "AMD EPYC",
    "microarchitecture": "zen9",
    "family": 25,
    "model": 17,
    "core_ghz": 3.7,
    "date": "2026-01-02T03:04:05Z",
}


def row(
    name: str,
    impl: str,
    cycles: float,
    spread: float = 0.02,
    size: int = 1024,
    jobs: int = 64,
    keys: str = "own",
    variant: str = "v",
) -> dict[str, Any]:
    return {
        "row": name,
        "impl": impl,
        "keys": keys,
        "variant": variant,
        "size": str(size),
        "bytes": size,
        "jobs": jobs,
        "cycles_per_byte": cycles,
        "spread": spread,
    }


def results(*rows: dict[str, Any], **machine: Any) -> dict[str, Any]:
    versions = {"cryptostitch": "0.1.0", "openssl": "OpenSSL 3.0.19 27 Jan 2026", "ipsec-mb": "1.3.0"}
    return {"machine": {**MACHINE, "versions": versions, **machine}, "rows": list(rows), "threads": []}


def summary(tmp_path: Path, *options: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, ROOT / "bench/summary", "--cpus", tmp_path / "cpus", *options],
        capture_output=True,
        text=True,
    )


def written(tmp_path: Path, data: dict[str, Any], name: str = "new.json") -> Path:
    file = tmp_path / name
    file.write_text(json.dumps(data))
    return file


def test_losses_are_those_beyond_the_spread_worst_first(tmp_path: Path) -> None:
    """A peer's best variant counts; 4 % apart is a loss with 2 % of spread, and level with 10 %; a row without a peer
    is none."""
    file = written(
        tmp_path,
        results(
            row("lost-a-little", "cryptostitch", 1.04),
            row("lost-a-little", "openssl", 9.0),
            row("lost-a-little", "ipsec-mb", 1.0),
            row("level", "cryptostitch", 1.04, 0.1),
            row("level", "ipsec-mb", 1.0, 0.1),
            row("lost-a-lot", "cryptostitch", 3.0),
            row("lost-a-lot", "ipsec-mb", 2.5, variant="queue"),
            row("lost-a-lot", "ipsec-mb", 1.5, variant="direct"),
            row("won", "cryptostitch", 1.0),
            row("won", "ipsec-mb", 2.0),
            row("alone", "cryptostitch", 5.0),
        ),
    )
    done = summary(tmp_path, "losses", file)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert "where we win: 1 of 4 cells, 2.00 times" in said[0] and "won 1024 x64 own" in said[0]
    assert said[1].endswith("samples: 1")
    assert "where we lose: 2 of 4 cells" in said[2]
    assert [line.split()[:2] for line in said[5:]] == [["2.00", "lost-a-lot"], ["1.04", "lost-a-little"]]
    assert "ipsec-mb (direct)" in said[5]


def test_winning_everywhere_is_said(tmp_path: Path) -> None:
    done = summary(
        tmp_path, "losses", written(tmp_path, results(row("a", "cryptostitch", 1.0), row("a", "openssl", 2.0)))
    )
    assert done.stdout.splitlines()[-1] == "where we lose: nowhere"


def test_history_is_kept_and_bounded(tmp_path: Path) -> None:
    for run in range(20):
        data = results(
            row("sha1", "cryptostitch", 1.0 + run), row("sha1", "openssl", 2.0), date=f"2026-01-{run + 1:02}T00:00:00Z"
        )
        assert summary(tmp_path, "keep", written(tmp_path, data), "--commit", f"c{run}").returncode == 0
    text = (tmp_path / "cpus/zen9/bench.json").read_text()
    kept = json.loads(text)
    assert kept["machine"]["commit"] == "c19" and len(kept["rows"]) == 2
    assert [run["commit"] for run in kept["history"]] == [f"c{i}" for i in range(3, 19)]
    assert kept["history"][-1]["cells"] == {"sha1 1024 x64 own": 19.0} and kept["history"][-1]["date"].startswith(
        "2026-01-19"
    )
    assert sum(line.startswith('{"date"') for line in text.splitlines()) == 16  # a line each


def test_changes_are_those_beyond_the_noise_between_the_runs(tmp_path: Path) -> None:
    """Peers whose version is the same tell the noise: here 4 %, so that 3 % of ours is none, and 10 % is a change; nor
    is 10 % within a spread of 30 %."""
    peers = [row(f"p{i}", "openssl", 1.0) for i in range(10)]
    old = results(
        *peers,
        row("a", "cryptostitch", 1.0),
        row("b", "cryptostitch", 1.0),
        row("c", "cryptostitch", 1.0),
        row("d", "cryptostitch", 1.0, 0.3),
        row("a", "ipsec-mb", 1.0),
    )
    moved = [{**peer, "cycles_per_byte": 1.04} for peer in peers]
    new = results(
        *moved,
        row("a", "cryptostitch", 1.03),
        row("b", "cryptostitch", 1.1),
        row("c", "cryptostitch", 0.9),
        row("d", "cryptostitch", 1.1, 0.3),
        row("a", "ipsec-mb", 5.0),
    )
    new["machine"]["versions"]["ipsec-mb"] = "2.0.0"
    assert summary(tmp_path, "keep", written(tmp_path, old), "--commit", "abc").returncode == 0
    said = summary(tmp_path, "losses", written(tmp_path, new)).stdout.splitlines()
    assert said[0].startswith(
        "since the run of 2026-01-02 at abc: 1 cells faster, 1 slower, 2 as before; noise between the runs 4.0 %"
    )
    assert said[1].strip() == "slower  +10.0 %  b 1024 x64 own: 1.000 -> 1.100"
    assert said[2].strip() == "faster  -10.0 %  c 1024 x64 own: 1.000 -> 0.900"


def test_tables_are_rewritten_between_their_markers(tmp_path: Path) -> None:
    full = results(row("sha1", "cryptostitch", 0.4567, size=16384), row("sha1", "openssl", 12.341, size=16384))
    avx2 = results(
        row("sha1", "cryptostitch", 0.5),
        row("sha1", "ipsec-mb", 1.0),
        row("md5", "cryptostitch", 1.5),
        row("md5", "ipsec-mb", 1.0),
        tier="avx2",
    )
    assert summary(tmp_path, "keep", written(tmp_path, full)).returncode == 0
    assert summary(tmp_path, "keep", written(tmp_path, avx2)).returncode == 0
    marks = "above\n<!-- begin: {0} from cst-bench -->\nstale\n<!-- end: {0} from cst-bench -->\nbelow\n"
    page = tmp_path / "cpus/zen9/README.md"
    page.write_text(marks.format("figures") + marks.format("tiers"))
    for _ in range(2):  # the second time it stands there already, and another CPU's later run does not take its place
        assert summary(tmp_path, "page", "zen9").returncode == 0
        text = page.read_text()
        assert "stale" not in text and text.count("above\n") == text.count("below\n") == 2
        assert "| `sha1` | 0.457 | 12.34 (openssl) |" in text
        assert "2 January 2026, OpenSSL 3.0.19, ipsec-mb 1.3.0" in text
        assert "| `sha1` | 0.50 (0.500 / 1.00) |" in text and "| `md5` | **1.50** (1.50 / 1.00) |" in text
        assert "1 of 2" in text
        assert (
            summary(
                tmp_path,
                "keep",
                written(
                    tmp_path,
                    {
                        **full,
                        "machine": {**full["machine"], "microarchitecture": "other", "date": "2027-01-01T00:00:00Z"},
                    },
                ),
            ).returncode
            == 0
        )
    assert summary(tmp_path, "page").returncode == 0  # the newest run's, which had no page yet
    assert "| `sha1` | 0.457 |" in (tmp_path / "cpus/other/README.md").read_text()
    page.write_text("no markers")
    done = summary(tmp_path, "page", "zen9")
    assert (
        done.returncode == 1
        and "<!-- begin: figures from cst-bench -->" in done.stderr
        and page.read_text() == "no markers"
    )


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert "type: make bench" in summary(tmp_path, "page").stderr
    assert "there is no file" in summary(tmp_path, "losses", tmp_path / "none.json").stderr
    assert summary(tmp_path, "frobnicate").returncode == 2


@pytest.mark.parametrize("cpu", ["zen4", "zen5", "sapphire_rapids"])
def test_pages_show_the_kept_results(tmp_path: Path, cpu: str) -> None:
    """`make bench` writes both; whoever changes the tables types `python bench/summary page CPU`."""
    shutil.copytree(CPUS / cpu, tmp_path / cpu)
    done = subprocess.run(
        [sys.executable, ROOT / "bench/summary", "--cpus", tmp_path, "page", cpu], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / cpu / "README.md").read_text() == (CPUS / cpu / "README.md").read_text()


def test_the_front_page_shows_the_kept_results(tmp_path: Path) -> None:
    """Its picture in both inks; whoever changes what is drawn types bench/speed.sh."""
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    subprocess.run([ROOT / "bench/speed.sh", tmp_path], check=True, capture_output=True)
    for ink in ("light", "dark"):
        assert (tmp_path / f"speed-{ink}.svg").read_bytes() == (ROOT / f"bench/speed-{ink}.svg").read_bytes()
