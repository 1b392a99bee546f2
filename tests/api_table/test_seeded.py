"""The checks of hostile calls find seeded faults: functions that misbehave in one way each, in the library's place."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest
from api_table import frame
from api_table.cases import CASES, Case
from api_table.hostile import findings, right_call, run, trials_of
from api_table.many import manyfold
from api_table.objects import Objects
from api_table.test_neighbours import forgery, refused
from cryptostitch.binding.capi import ERR_FULL, ERR_LENGTH, OK

Function = Callable[..., Any]
REAL = frame.function


def wrong_function(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[[Function, tuple[Any, ...]], Any]
) -> None:
    """`name` is what `wrong` makes of the real function and the arguments."""

    def function(path: str, wanted: str) -> Function:
        real = REAL(path, wanted)
        return (lambda *arguments: wrong(real, arguments)) if wanted == name else real

    monkeypatch.setattr(frame, "function", function)


def believes(_: Function, arguments: tuple[Any, ...]) -> int:
    return OK


def writes(real: Function, arguments: tuple[Any, ...]) -> Any:
    """Writes to the tag before it refuses."""
    result = real(*arguments)
    if result < 0 and arguments[3]:
        ctypes.memset(RIGHT_TAG[0], 7, 1)
    return result


def crashes(real: Function, arguments: tuple[Any, ...]) -> Any:
    if arguments[2] == (1 << 64) - 5:
        ctypes.string_at(1)
    return real(*arguments)


def another_error(real: Function, arguments: tuple[Any, ...]) -> Any:
    return ERR_FULL if (result := real(*arguments)) == ERR_LENGTH else result


def wrong_word(real: Function, arguments: tuple[Any, ...]) -> Any:
    return -7 if (result := real(*arguments)) == ERR_LENGTH else result


def remembers(real: Function, arguments: tuple[Any, ...]) -> Any:
    """An error changes what later calls give."""
    result = real(*arguments)
    if result < 0:
        SPOILT.append(result)
    elif SPOILT:
        ctypes.memset(arguments[3], 7, 1)
    return result


SPOILT: list[int] = []
RIGHT_TAG: list[int] = []


@pytest.mark.parametrize(
    "wrong, kind, report",
    [
        (believes, "lengths", "returned CST_OK, not CST_ERR_LENGTH"),
        (believes, "absent", "key NULL: returned CST_OK"),
        (believes, "places", "returned CST_OK, not CST_ERR_OVERLAP"),
        (writes, "lengths", "of the memory is 0x07"),
        (crashes, "lengths", "in_len = 0xfffffffffffffffb: crashes (SIGSEGV)"),
        (another_error, "lengths", "returned CST_ERR_FULL, which the header does not promise"),
        (wrong_word, "lengths", "returned CST_ERR_MEMORY, not CST_ERR_LENGTH"),
        (remembers, "lengths", "the right call behind it wrote something else"),
    ],
)
def test_a_wrong_function_is_seen(
    wrong: Callable[[Function, tuple[Any, ...]], Any],
    kind: str,
    report: str,
    objects: Objects,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = CASES["cst_digest-sha256"]
    right_call(case, objects)
    from api_table.hostile import laid_out

    RIGHT_TAG[:] = [laid_out(case, objects).cells["tag"].value]
    SPOILT.clear()
    if wrong is not believes:  # the real one stands for the right call
        wrong_function(monkeypatch, case.entry, wrong)
        found = findings(case, objects, kind)
    else:
        found = findings_of_hostile_calls(case, objects, kind, monkeypatch)
    assert any(report in each for each in found), found[:5]


def findings_of_hostile_calls(case: Case, objects: Objects, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the findings where each hostile call is believed."""
    from api_table.hostile import tried

    right, trials = right_call(case, objects), trials_of(case, objects, kind)
    wrong_function(monkeypatch, case.entry, believes)
    return run(len(trials), lambda i: tried(case, objects, trials[i], right, again=False), lambda i: str(trials[i]))


@pytest.mark.parametrize("name, kind", [("cst_pi_check", "sizes"), ("cst_code_new", "sizes")])
def test_a_size_or_value_that_is_believed_is_seen(
    name: str, kind: str, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = findings_of_hostile_calls(CASES[name], objects, kind, monkeypatch)
    assert any("size = " in each and "returned CST_OK" in each for each in found)
    assert any("= 1 << " in each or "matrix = " in each for each in found)


def test_an_opening_without_its_tag_is_seen(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cst_open-aes-128-gcm", "cst_text_parts-aes-128-gcm-open-last", "cst_burst-chacha20-poly1305-open"):
        with monkeypatch.context() as patch:
            found = findings_of_hostile_calls(CASES[name], objects, "absent", patch)
        assert any("tag NULL with 0: returned CST_OK" in each for each in found)
        assert any("tag an address with 0: returned CST_OK" in each for each in found)


def test_a_key_that_need_not_be_given_is_seen(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = ctypes.create_string_buffer(1)

    def takes_none_for_empty(real: Function, arguments: tuple[Any, ...]) -> Any:
        suite, key, key_len, mac_key, mac_key_len, out = arguments
        return real(
            suite, key, key_len, mac_key if mac_key or mac_key_len else ctypes.addressof(empty), mac_key_len, out
        )

    case = CASES["cst_key_new-hmac-sha1"]
    assert not findings(case, objects, "absent")
    wrong_function(monkeypatch, case.entry, takes_none_for_empty)
    assert any("mac_key NULL with 0: returned CST_OK" in each for each in findings(case, objects, "absent"))


def test_an_absent_buffer_that_is_no_empty_one_is_seen(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    def skips(real: Function, arguments: tuple[Any, ...]) -> Any:
        return real(*arguments) if arguments[1] else OK

    wrong_function(monkeypatch, "cst_digest", skips)
    found = findings(CASES["cst_digest-sha256"], objects, "absent")
    assert any("in NULL with 0: wrote something else than with an address" in each for each in found)


def test_a_call_that_waits_for_ever_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api_table.hostile.SECONDS", 1)

    def each(i: int) -> list[str]:
        if i == 1:
            ctypes.CDLL(None).pause()
        return [f"was tried: {i}"]

    found = run(3, each, lambda i: f"call {i}")
    assert found == ["call 0: was tried: 0", "call 1: hangs (SIGALRM)", "call 2: was tried: 2"]


def test_a_burst_that_believes_a_forgery_is_seen(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["cst_burst-aes-128-gcm-open"]
    right = right_call(manyfold(case, 3), objects).outputs
    assert not forgery(case, objects, 3, 1, right)
    wrong_function(monkeypatch, case.entry, believes)
    found = forgery(case, objects, 3, 1, right)
    assert "returned CST_OK" in found and "the status of job 1 is CST_OK" in found
    assert "job 0 wrote something else" in found and "job 2 wrote something else" in found


def test_a_burst_that_runs_neighbours_of_a_wrong_job_is_seen(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["cst_burst-sha256-seal"]
    assert not refused(case, objects, 3, 2, "key")

    def runs_those_before(real: Function, arguments: tuple[Any, ...]) -> Any:
        real(arguments[0], arguments[1], arguments[2] - 1)
        return -1

    wrong_function(monkeypatch, case.entry, runs_those_before)
    found = refused(case, objects, 3, 2, "key")
    assert any("statuses are" in each for each in found) and any("of the memory is" in each for each in found)
