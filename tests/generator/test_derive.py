"""Cost tables that are derived: the quotient of what bounds a kernel on either CPU, and what ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptostitch.core.errors import CryptostitchError
from cryptostitch.core.names import WEAVE, stream_name
from cryptostitch.core.program import DERIVED_MARK
from cryptostitch.cpus import costs
from cryptostitch.cpus.costs import cost_tables, left_out_message, left_out_rows, measured_message, measured_rows
from cryptostitch.cpus.derive import FIGURES, FORMAT, Published, bounding, derived, published_in
from cryptostitch.cpus.folder import Part, shipped

SLOW = {"aes_latency": 4.0, "aes_128": 1.0, "aes_512": 2.0, "sha_latency": 4.0, "sha": 4.0, "integer_512": 1.0}
FAST = {**SLOW, "aes_latency": 3.0, "aes_512": 1.0, "sha": 2.0, "integer_512": 0.5}
ROWS = {
    "aes128_cbc_enc_x1@sse_aesni": [100.0, 10.0],
    "aes128_cbc_enc_x16@avx512_vaes": [300.0, 20.0],
    "sha1_ni_x4@sse_shani": [200.0, 10.0],
    "sha1_x1@scalar": [300.0, 10.0],
    "sha1_x16@avx512": [600.0, 50.0],
    "aes128_cbc_enc_x16+sha1_x16@avx512_vaes": [900.0, 60.0],
    "aes128_cbc_enc_x16+sha1_x16@avx512_vaes~there": [800.0, 60.0],
}


def published(figures: dict[str, float], measured: dict[str, float] | None = None, lacks: tuple[str, ...] = ()):
    return Published("other", lacks, figures, measured or {}, dict.fromkeys(figures, "by hand"))


def test_what_bounds_a_kernel_decides() -> None:
    """Alone: a chain's latency, or units. In a pair each part counts by what it takes alone."""
    found = derived(published(FAST), published(SLOW), ROWS)
    assert found == {
        "aes128_cbc_enc_x1@sse_aesni": [75.0, 10.0],
        "aes128_cbc_enc_x16@avx512_vaes": [150.0, 20.0],
        "sha1_ni_x4@sse_shani": [100.0, 10.0],
        "sha1_x1@scalar": [300.0, 10.0],
        "sha1_x16@avx512": [300.0, 50.0],
        "aes128_cbc_enc_x16+sha1_x16@avx512_vaes": [450.0, 60.0],
    }
    same = derived(published(SLOW), published(SLOW), ROWS)
    assert same == {name: row for name, row in ROWS.items() if WEAVE not in name}


def test_measured_figures_are_a_relatives_only() -> None:
    better = {"sha": 1.0}
    assert derived(published(SLOW), published(SLOW, better), ROWS)["sha1_ni_x4@sse_shani"][0] == 800
    assert derived(published(SLOW, better), published(SLOW), ROWS)["sha1_ni_x4@sse_shani"][0] == 200


def test_what_is_not_known_of_both_changes_nothing() -> None:
    none = published({})
    assert derived(none, published(SLOW), ROWS)["sha1_x16@avx512"] == ROWS["sha1_x16@avx512"]
    assert derived(published(FAST), none, ROWS)["sha1_x16@avx512"] == ROWS["sha1_x16@avx512"]


def test_a_call_and_what_the_cpu_lacks() -> None:
    found = derived(published({"call": 2.0}, lacks=("avx512",)), published({"call": 1.0}), ROWS)
    assert set(found) == {"aes128_cbc_enc_x1@sse_aesni", "sha1_ni_x4@sse_shani", "sha1_x1@scalar"}
    assert found["sha1_x1@scalar"] == [300.0, 20.0]


def test_every_stream_has_its_bound() -> None:
    def names(stream: str, level: str) -> list[str]:
        return [name for name, _ in bounding(stream_name(stream), level)]

    assert names("ghash_x1_by32", "avx512") == ["clmul_512"]
    assert names("poly1305_word_x1_by8", "scalar") == ["multiply"] and names("poly1305_x1_by4", "avx2") == [
        "multiply_256"
    ]
    assert names("aes128_ctr_x1_by8", "avx2") == ["aes_256"]
    assert names("md5_x4", "sse") == [] and names("md5_x8", "sse") == ["integer_128"], "one vector is a chain"
    assert names("chacha20_x1_by8", "avx2") == [] and names("chacha20_x1_by16", "avx2") == ["integer_256"]
    for table in measured_rows().values():
        for name in table:
            streams, _, target = name.partition("@")
            for stream in streams.split("+"):
                assert set(names(stream, target.split("_")[0])) <= set(FIGURES), name


# ---- what ships


def test_every_cpu_has_a_relative_that_was_measured() -> None:
    there = {name: folder for name, folder in shipped().items() if folder.file(Part.PUBLISHED).exists()}
    without = {"zen5"}  # nobody has entered its published figures, so no table is derived from it
    assert set(measured_rows()) - without <= set(there), "relatives of others"
    for name in there:
        relative, rows = left_out_rows(name)
        assert relative != name and rows
        assert all(iteration > 0 and call >= 0 for iteration, call in rows.values())
        assert not any(WEAVE in kernel for kernel in rows)
    alder_lake, skylake = left_out_rows("alderlake")[1], left_out_rows("skylake_server")[1]
    assert not any("avx512" in kernel for kernel in alder_lake)
    assert not any("vaes" in kernel or "shani" in kernel for kernel in skylake) and "sha1_x16@avx512" in skylake


def test_the_pack_has_derived_tables_where_nobody_measured() -> None:
    tables = {table.microarchitecture: table for table in cost_tables(["sha1_x4@sse"])}
    assert tables["zen3"].derived and tables["zen3"].name == f"{DERIVED_MARK}zen3" and tables["zen3"].costs
    assert not tables["zen4"].derived and tables["zen4"].name == "zen4"


def test_a_message_in_steps_costs_what_it_costs_the_relative() -> None:
    assert measured_message("zen4") > 0 == measured_message("zen9")
    tables = {table.microarchitecture: table for table in cost_tables([])}
    assert tables["zen4"].message == round(100 * measured_message("zen4"))
    assert left_out_rows("zen3")[0] == "zen4" and tables["zen3"].message == round(100 * left_out_message("zen3")) > 0


def test_an_unknown_relative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "measured_rows", lambda: {"zen4": ROWS})
    with pytest.raises(CryptostitchError, match="no measured CPU named 'sapphire_rapids'"):
        left_out_rows("icelake")


WHOLE = {
    "format": FORMAT,
    "relative": "zen4",
    "lacks": [],
    "figures": {"aes_128": 1},
    "measured": {},
    "sources": {"aes_128": "by hand"},
}


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "published.json"
    path.write_text(json.dumps(WHOLE))
    assert published_in(path).figures == {"aes_128": 1}
    for change in (
        {"format": "x"},
        {"figures": {"aes_64": 1}, "sources": {"aes_64": "by hand"}},
        {"sources": {}},
        {"figures": {"aes_128": 0}},
        {"figures": {"aes_128": "one"}},
        {"lacks": None},
    ):
        path.write_text(json.dumps({**WHOLE, **change}))
        with pytest.raises(CryptostitchError, match="does not hold published figures"):
            published_in(path)
    path.write_text("{")
    with pytest.raises(CryptostitchError, match="does not hold published figures"):
        published_in(path)
