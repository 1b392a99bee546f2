"""`cryptostitch learn`: a whole folder from little work, interruptions, machines and folders that it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from cryptostitch import pipeline
from cryptostitch.analysis import bench_run
from cryptostitch.analysis.bench_results import OURS, Cell, Results
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.program import Program
from cryptostitch.core.stream import Stream
from cryptostitch.cpus.folder import ABOUT, About, CpuFolder, Grade, Made, Part
from cryptostitch.instruction_probe import measurement
from cryptostitch.learning import host, pairs, steps
from cryptostitch.learning import learn as learning
from cryptostitch.learning.budget import LEAST_PAIR, MOST_PAIR, PROBE_RUNS, Budget, Step
from cryptostitch.learning.diary import PLACE, Diary
from cryptostitch.listing import Catalogue
from cryptostitch.model.forms import all_forms
from cryptostitch.model.table import read_table
from cryptostitch.passes.verify import VerifyError
from cryptostitch.report.learned import learned_data, learned_page, learned_text
from cryptostitch.tuning.measure import Cost, Laboratory
from cryptostitch.tuning.tune import default_settings

FORMS = ("add r64 r64", "mov r64 m64", "mov m64 r64", "paddd xmm xmm", "pslld xmm i")
KERNELS = "md5_x1@scalar" if "bmi2" in runtime.Context().cpu()["features"] else "md5_x4@sse"  # which one job gets
SEVERAL = "md5_x[1-9]*"
PAIR = "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"


@pytest.fixture
def quick(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle machine, few instructions, and figures that need not be good."""
    monkeypatch.delenv(host.TARGET, raising=False)
    monkeypatch.setattr(host, "busy_cores", lambda: 0.0)
    probe, forms = measurement.probe, [form for form in all_forms() if str(form) in FORMS]
    monkeypatch.setattr(measurement, "probe", lambda progress: probe(progress, forms))
    monkeypatch.setattr(steps, "LIBRARY_COSTS", 0.1)


def learn(folder: Path, *options: object, code: int = 0) -> Any:
    arguments = ["learn", "--minutes", "0.001", "--folder", folder, "--kernels", KERNELS, "--rows", "md5", *options]
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output + result.stderr
    return result


def parts(*names: str) -> list[str]:
    return [argument for name in names for argument in ("--part", name)]


# ---- a whole folder


def test_a_folder(quick: None, build: Path, tmp_path: Path) -> None:
    folder = CpuFolder(tmp_path / "new")
    result = learn(folder.path, "--format", "json")
    data, about = json.loads(result.stdout), folder.about()
    assert about and about.microarchitecture == data["microarchitecture"] == host.host().name
    made = {Part.INSTRUCTION_COSTS, Part.COSTS} | ({Part.BENCH} if (build / "cst-bench").exists() else set())
    assert set(about.parts) == made and about.grade is Grade.MEASURED
    assert read_table(folder.file(Part.INSTRUCTION_COSTS)).microarchitecture == about.microarchitecture
    costs = json.loads(folder.file(Part.COSTS).read_text())
    assert list(costs["kernels"]) == [KERNELS] and costs["microarchitecture"] == about.microarchitecture
    page, text = ((folder.path / name).read_text() for name in ("learned.html", "learned.txt"))
    assert about.cpu in page and about.cpu in text and not (folder.path / PLACE).exists()
    assert data["untried"] == [] and data["searched"] == []
    if Part.BENCH in made:
        assert data["cells"]["all"] > 0 and {c["row"] for c in data["lost"] + data["won"]} <= {"md5"}
        assert "best peer" in page and "cycles over the best peer's" in text
        assert any(c["kernel"] == KERNELS and c["why"] for c in data["lost"] + data["won"])


def test_a_part_made_anew_leaves_the_others(quick: None, tmp_path: Path) -> None:
    folder = CpuFolder(tmp_path)
    learn(folder.path, *parts("costs"), "--kernels", SEVERAL)
    before = json.loads(folder.file(Part.COSTS).read_text())["kernels"]
    assert len(before) > 3
    path = folder.file(Part.COSTS)
    text, line = path.read_text(), f'"{KERNELS}": {json.dumps(before[KERNELS])}'
    assert text.count(line) == 1
    path.write_text(text.replace(line, f'"{KERNELS}": [1e9, 0]'))
    learn(folder.path, *parts("costs", "instruction_costs"))
    after = json.loads(folder.file(Part.COSTS).read_text())["kernels"]
    assert after[KERNELS][0] < 1e9 and {k: v for k, v in after.items() if k != KERNELS} == {
        k: v for k, v in before.items() if k != KERNELS
    }
    about = folder.about()
    assert about and set(about.parts) == {Part.COSTS, Part.INSTRUCTION_COSTS}
    how = about.parts[Part.COSTS].how
    assert how.index(SEVERAL) < how.index("since then, some: ") < how.index(KERNELS)


def test_some_figures_do_not_lift_the_grade(quick: None, tmp_path: Path) -> None:
    folder, here = CpuFolder(tmp_path), host.host()
    folder.write_about(About(here.name, here.brand, {Part.COSTS: Made(Grade.DERIVED, "by analogy", "2026-11-23")}))
    table = {"microarchitecture": here.name, "basis": "by analogy", "kernels": {"other": [1, 2]}}
    folder.write(Part.COSTS.file, json.dumps(table))
    learn(folder.path, *parts("costs"))
    about = folder.about()
    assert about and about.grade is Grade.DERIVED and about.parts[Part.COSTS].how.startswith("by analogy; since then")
    written = json.loads(folder.file(Part.COSTS).read_text())
    assert list(written["kernels"]) == [KERNELS, "other"] and written["basis"] == "by analogy"


def test_without_cst_bench(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_run, "BUILT", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    text = learn(tmp_path / "new", *parts("costs", "bench")).stdout
    assert "cst-bench is not built" in text and "no cell was timed beside a peer" in text
    about = CpuFolder(tmp_path / "new").about()
    assert about and set(about.parts) == {Part.COSTS}


def test_what_the_probe_does_not_measure_stays(quick: None, tmp_path: Path) -> None:
    folder = CpuFolder(tmp_path)
    learn(folder.path, *parts("instruction_costs"))
    path = folder.file(Part.INSTRUCTION_COSTS)
    core = {"source": "the maker", "window": 99, "queue": 9, "registers": 50, "schedulers": [], "pipes": {}}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"core": core}))
    learn(folder.path, *parts("instruction_costs"))
    assert read_table(path).core.window == 99


def test_a_cpu_without_a_name(quick: None, unknown_cpu: None, tmp_path: Path) -> None:
    data = json.loads(learn(tmp_path, *parts("costs"), "--format", "json").stdout)
    assert not data["detected"] and re.fullmatch(
        r"[a-z0-9]+_family_[0-9a-f]+_model_[0-9a-f]+", data["microarchitecture"]
    )
    assert any("runtime/select/cpu.cpp" in note for note in data["notes"])


# ---- interruptions


def interrupted_after(count: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes the user type Ctrl-C after ``count`` kernels. Returns the list of what is measured."""
    measure, seen = Laboratory.measure, list[str]()

    def counted(self: Laboratory, setups: Any, *rest: Any) -> Any:
        if len(seen) == count:
            raise KeyboardInterrupt
        seen.append(setups[0].kernel.name)
        return measure(self, setups, *rest)

    monkeypatch.setattr(Laboratory, "measure", counted)
    return seen


def test_an_interrupted_run_goes_on(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, options = CpuFolder(tmp_path), [*parts("instruction_costs", "costs"), "--kernels", SEVERAL]
    with monkeypatch.context() as patch:
        first = interrupted_after(2, patch)
        learn(folder.path, *options, code=1)
    about = folder.about()
    assert about and set(about.parts) == {Part.INSTRUCTION_COSTS}, "what is whole"
    assert not folder.file(Part.COSTS).exists() and (folder.path / PLACE).exists()
    with monkeypatch.context() as patch:
        patch.setattr(measurement, "probe", lambda progress: pytest.fail("it was done"))
        second = interrupted_after(-1, patch)
        assert "going on" in learn(folder.path, *options).stderr
    assert len(first) == 2 and second and not set(first) & set(second)
    assert set(json.loads(folder.file(Part.COSTS).read_text())["kernels"]) == {*first, *second}
    assert not (folder.path / PLACE).exists()


def test_what_another_library_measured_is_measured_again(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = [*parts("costs"), "--kernels", SEVERAL]
    with monkeypatch.context() as patch:
        first = interrupted_after(1, patch)
        learn(tmp_path, *options, code=1)
    page = tmp_path / PLACE / "diary.json"
    page.write_text(page.read_text().replace('"library": "', '"library": "0'))
    with monkeypatch.context() as patch:
        second = interrupted_after(-1, patch)
        assert "begun anew" in learn(tmp_path, *options).stderr
    assert set(first) < set(second)


def test_a_diary_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    folder, of = CpuFolder(tmp_path), {"library": "a"}
    Diary(folder, of).note("x", [1], 2.0)
    again = Diary(folder, of)
    assert again.resumed and again.spent == 2.0 and again.done("x") == [1] and again.done("y") is None
    again.path("diary.json").write_text("{")
    damaged = Diary(folder, of)
    assert not damaged.resumed and damaged.done("x") is None and not damaged.path("").exists()


# ---- refusals


def test_a_busy_machine_is_refused(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "busy_cores", lambda: 1.25)
    folder = CpuFolder(tmp_path / "new")
    error = learn(folder.path, code=1).stderr
    assert "keeps 1.25 cores" in error and "--busy" in error and error.count("\n") == 1
    assert not folder.path.exists()
    learn(folder.path, *parts("costs"), "--busy")
    about = folder.about()
    assert about and "1.2 cores had other work" in about.parts[Part.COSTS].how


def test_load_is_what_the_system_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = tmp_path / "stat"

    def counts(busy: int, idle: int) -> None:
        stat.write_text(f"cpu  {busy} 0 0 {idle} 0 0 0 0 7 7\ncpu0 0 0 0 0\ncpu1 0 0 0 0\nintr 5\n")

    counts(1000, 5000)
    monkeypatch.setattr(host, "time", SimpleNamespace(sleep=lambda _: counts(1150, 5050)))
    assert host.busy_cores(1.0, stat) == pytest.approx(1.5)


def test_a_part_of_a_cpu_is_refused(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(host.TARGET, "host-no_avx512")
    assert f"unset {host.TARGET}" in learn(tmp_path, code=1).stderr


@pytest.mark.parametrize(
    "name, content, said",
    [
        (ABOUT, About("zen9", "Another").text(), "is the folder of zen9"),
        (ABOUT, "{}", "does not describe a CPU's folder"),
        ("letter.txt", "Dear", f"has other files, and no {ABOUT}"),
    ],
)
def test_a_folder_that_is_not_this_cpus(quick: None, tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    assert said in learn(tmp_path, code=1).stderr
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, content)]


def test_options_that_cannot_be(tmp_path: Path) -> None:
    assert "--minutes" in learn(tmp_path, "--minutes", "0", code=2).stderr
    assert "'prices' is not one of" in learn(tmp_path, "--part", "prices", code=2).stderr
    assert list(tmp_path.iterdir()) == []


def results(cells: list[tuple[str, str, float]]) -> Results:
    """Makes results of cells (row, kernel, cycles per byte), each of 64 jobs of 1,024 bytes, with a spread of 1 %."""
    made = tuple(Cell(row, OURS, kernel, "own", "1024", 1024, 64, cycles, 0.01) for row, kernel, cycles in cells)
    return Results(Path(), {}, made)


def test_a_slower_choice_is_told(quick: None, tmp_path: Path) -> None:
    """Only where another kernel ran, and by more than the samples' spread explains."""
    before = results(
        [("md5", "a", 1.0), ("sha1", "a", 1.0), ("sha256", "a", 1.0), ("sm3", "a", 1.0), ("only", "a", 1.0)]
    )
    after = results(
        [("md5", "b", 1.5), ("sha1", "a", 1.5), ("sha256", "b", 1.11), ("sm3", "b", 1.2), ("new", "b", 9.0)]
    )
    worse = steps.worse_choices(before, after)
    assert [(cell["row"], cell["kernel"], cell["before"], cell["ratio"]) for cell in worse] == [
        ("md5", "b", "a", 1.5),
        ("sm3", "b", "a", 1.2),
    ]
    here, folder = host.host(), CpuFolder(tmp_path)
    folder.write_about(About(here.name, here.brand))
    searched: dict = {"tried": {}, "untried": []}
    data = learned_data(learning.Learned(here, folder, 1.0, searched, (), tuple(worse)), [], {})
    text, page = learned_text(data), learned_page(data)
    assert "select a slower kernel" in text and re.search(r"1\.50 +md5 +1024 +64 +own +b +a", text)
    assert "elect a slower kernel" not in learned_text({**data, "worse": []})
    assert '<td class="ratio">1.50</td><th scope="row">md5</th>' in page


# ---- weaves


@pytest.fixture
def work(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> steps.Work:
    """A folder with a cost table, and half a second for a search."""
    if not {"aes", "sha"} <= set(runtime.Context().cpu()["features"]):
        pytest.skip("this CPU has no AES-NI or SHA extensions")
    here, folder = host.host(), CpuFolder(tmp_path)
    folder.write_about(About(here.name, here.brand))
    folder.write(
        Part.COSTS.file, json.dumps({"microarchitecture": here.name, "kernels": {"other": [1, 2], PAIR: [3, 4]}})
    )
    monkeypatch.setattr(steps, "pairs_that_run", lambda context: [PAIR, "aes256_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"])
    monkeypatch.setattr(Budget, "pair", lambda self, waiting, reserve: 0.5 if waiting == 2 else 0.0)
    monkeypatch.setattr(pairs, "CONFIRM", 0.02)
    budget = Budget(60, lambda: 0.0, 0.0)
    return steps.Work(folder, here, Diary(folder, {}), budget, "*", "*", "2026-11-23", "", "", lambda *_: None)


def gaining(gains: list[float]) -> Callable[..., tuple[Cost, Cost]]:
    return lambda self, found: (Cost(100.0, 10.0), Cost(100.0 * gains.pop(), 20.0))


def other_than_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes each search end with another weave than the default, whatever it measures."""
    run = pairs.Search.run

    def changed(self: pairs.Search, *rest: Any) -> pairs.Found:
        found = run(self, *rest)
        found.best = self.neighbours(found.default)[0]
        return found

    monkeypatch.setattr(pairs.Search, "run", changed)


def test_a_weave_that_lasts_is_kept(work: steps.Work, monkeypatch: pytest.MonkeyPatch) -> None:
    other_than_default(monkeypatch)
    monkeypatch.setattr(pairs.Searches, "_timed", gaining([1.05, 1.04, 1.02]))
    steps.tune(work, runtime.Context())
    (path,) = work.folder.recipes()
    recipe = json.loads(path.read_text())
    assert path.stem == PAIR.partition("@")[0] and recipe["gain"] == 1.04 and recipe["tried"] == {}
    assert recipe["cycles_per_byte"] < recipe["default_cycles_per_byte"]
    rows = json.loads(work.folder.file(Part.COSTS).read_text())["kernels"]
    assert rows == {"other": [1, 2], PAIR: [104.0, 20.0], f"{PAIR}~{work.host.name}": [100.0, 10.0]}
    searched = work.diary.done("searched")
    kept = {PAIR: {"kept": True, "gain": 1.02, "unproved": []}}
    assert searched["tried"] == kept and len(searched["untried"]) == 1
    about = work.folder.about()
    assert about and about.parts[Part.RECIPES].how == steps.RECIPES_HOW
    steps.tune(work, runtime.Context())  # nothing is searched twice


def test_the_next_run_goes_on_with_what_is_left(
    quick: None, work: steps.Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``work`` gives the first of two pairs time, and the second none."""
    folder = tmp_path / "new"
    only = (*parts("recipes"), "--kernels", "*", "--format", "json")
    first = json.loads(learn(folder, *only).stdout)
    assert [s["kernel"] for s in first["searched"]] == [PAIR] and len(first["untried"]) == 1
    assert (folder / PLACE).exists()
    monkeypatch.setattr(Budget, "pair", lambda self, waiting, reserve: 0.5)
    searched: list[str] = []
    run = pairs.Searches.run
    monkeypatch.setattr(
        pairs.Searches, "run", lambda self, pair, *rest: searched.append(pair) or run(self, pair, *rest)
    )
    result = learn(folder, *only)
    second = json.loads(result.stdout)
    assert searched == first["untried"] and second["untried"] == []
    assert [s["kernel"] for s in second["searched"]] == [PAIR, *searched] and not (folder / PLACE).exists()


def test_the_cost_of_a_recipe_that_the_library_has_not_yet_stays(
    work: steps.Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_than_default(monkeypatch)
    monkeypatch.setattr(pairs.Searches, "_timed", gaining([1.05, 1.04, 1.02]))
    steps.tune(work, runtime.Context())
    measured = {"microarchitecture": "?", "cpu": work.host.brand, "ghz": 1.0, "kernels": {"a": [1.0, 2.0]}}
    monkeypatch.setattr(steps.measure, "calibrate", lambda *_: measured)
    steps.calibrate(work)
    table = json.loads(work.folder.file(Part.COSTS).read_text())
    assert table["microarchitecture"] == work.host.name
    assert table["kernels"] == {"a": [1.0, 2.0], f"{PAIR}~{work.host.name}": [100.0, 10.0]}


def test_a_weave_that_does_not_last_is_not_kept(work: steps.Work, monkeypatch: pytest.MonkeyPatch) -> None:
    other_than_default(monkeypatch)
    monkeypatch.setattr(pairs.Searches, "_timed", gaining([1.05, 1.005, 1.06]))
    steps.tune(work, runtime.Context())
    assert work.folder.recipes() == []
    assert work.diary.done(PAIR) == {"kept": False, "gain": 1.005, "unproved": []}
    about = work.folder.about()
    assert about and Part.RECIPES not in about.parts


@pytest.mark.parametrize("where", ["a default weave", "another order"])
def test_a_weave_that_is_not_proved_is_left_out(work: steps.Work, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Said in the diary, of which the page is made; the search goes on."""
    other = "aes256_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"
    proof = pipeline.verify_program

    def doubting(stream: Stream, program: Program) -> Program:
        wrong = "~" in program.name if where == "another order" else program.name.startswith("aes128_cbc_enc")
        if wrong:
            raise VerifyError(program.name, [f"{program.name}: is doubted"])
        return proof(stream, program)

    monkeypatch.setattr(pipeline, "verify_program", doubting)
    monkeypatch.setattr(Budget, "pair", lambda self, waiting, reserve: 2.5)
    steps.tune(work, runtime.Context())
    searched = work.diary.done("searched")
    assert set(searched["tried"]) == {PAIR, other} and searched["untried"] == []
    doubted = searched["tried"][PAIR]["unproved"]
    assert doubted and all(why.endswith("is doubted") for why in doubted)
    assert (searched["tried"][PAIR]["gain"] is None) == (where == "a default weave")
    assert searched["tried"][other]["gain"] is not None
    data = learned_data(learning.Learned(work.host, work.folder, 1.0, searched, ()), [], {})
    assert doubted[0] in data["unproved"]
    assert doubted[0] in learned_text(data) and doubted[0] in learned_page(data)


def test_a_search_confirms_what_it_found(work: steps.Work) -> None:
    catalogue = Catalogue()
    searches = pairs.Searches(catalogue, work.diary.path("searches"))
    start = searches.start(PAIR)
    assert start and searches.start("no such pair") is None
    told: list[float] = []
    outcome = searches.run(PAIR, start, 0.5, work.folder.path / "none.json", lambda done, *_: told.append(done))
    assert len(outcome.gains) in (1, pairs.CONFIRMATIONS) and outcome.gain == round(min(outcome.gains), 4)
    assert outcome.kept == (min(outcome.gains) > pairs.LASTING) and told
    tried = json.loads((work.diary.path("searches") / f"{PAIR}.json").read_text())
    assert tried["tried"] and tried["default"] == json.loads(
        json.dumps(vars(default_settings(catalogue, *zip(*searches.parts[PAIR]))))
    )


def test_pairs_are_those_that_bursts_run(build: Path) -> None:
    context = runtime.Context()
    found = pairs.pairs_that_run(context)
    assert len(found) == len(set(found)) and all("+" in name and "~" not in name for name in found)
    kernel = context.suite("aes-128-cbc+hmac-sha1-etm").choice(1, 16384, False, runtime.SEAL).kernel
    assert "+" not in kernel or kernel.partition("~")[0] in found


# ---- time


def budget(minutes: float, spent: float = 0.0, now: float = 0.0) -> Budget:
    return Budget(60 * minutes, lambda: now, 0.0, spent)


def test_time_is_shared() -> None:
    assert budget(60).probe_runs == PROBE_RUNS and budget(0.01).probe_runs == 1
    assert budget(60).row(600) == 0.12 and budget(1).row(600) == pytest.approx(0.02) and budget(0.01).row(600) == 0.01
    assert budget(1).bench == 12 and budget(600).bench == 150
    assert sum(budget(1).share(step) for step in Step if step is not Step.TUNE) < 60


def test_searches_get_what_is_left() -> None:
    assert budget(10).pair(10, reserve=100) == pytest.approx(50)
    assert budget(10).pair(1, 0) == MOST_PAIR and budget(10).pair(1000, 0) == LEAST_PAIR
    assert budget(10, spent=500, now=90).left == 10 and budget(10, spent=500, now=90).pair(1, 0) == 0
    assert budget(10, now=700).left == 0 and budget(1).pair(1, reserve=50) == 0


def test_a_wheel_has_no_folder_of_its_own(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "checkout", lambda: None)
    with pytest.raises(CryptostitchError, match="give --folder DIR"):
        learning.learn(learning.Wish(1.0), lambda *_: None)
