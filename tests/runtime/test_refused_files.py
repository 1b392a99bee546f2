"""Where the system refuses files, memory or executable pages by limits, calls return an error or do without: no signal
ends the process."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from handmade import ROOT

PROGRAM = """
import ctypes, os, resource, signal, sys
from cryptostitch.binding import runtime
costs, confined, *limits = sys.argv[1:]
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
lib = runtime.load()
text, tag = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
if os.environ.get("BLOCKED"):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXFSZ])
if int(confined) and ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
    sys.exit(77)
for limit in limits:
    name, _, value = limit.partition("=")
    resource.setrlimit(getattr(resource, name), (int(value),) * 2)
found = []
for path in (None, costs):
    options = runtime.Options(flags=runtime.CALIBRATE if path else 0, costs=path and path.encode())
    ctx, suite, key = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    found.append(lib.cst_ctx_new(ctypes.byref(ctx), ctypes.byref(options)))
    if found[-1]:
        continue
    for name, size in ((b"sha256", 0), (b"aes-128-gcm", 16), (b"blake3", 0)):
        if not lib.cst_suite_get(ctx, name, ctypes.byref(suite)):
            found.append(lib.cst_key_new(suite, text, size, None, 0, ctypes.byref(key)))
            if not size:
                found.append(lib.cst_digest(key, text, 64, tag, 32))
    found.append(lib.cst_selftest(ctx, b"sha256_x*", runtime.EACH_TEST(), None))
assert set(found) <= {0, runtime.ERR_FILE, runtime.ERR_MEMORY, runtime.ERR_JIT, runtime.ERR_UNSUPPORTED}, found
print(found, signal.SIGXFSZ in signal.sigpending())
"""
LIMITS = (
    ["RLIMIT_FSIZE=0"],
    ["RLIMIT_FSIZE=1"],
    ["RLIMIT_FSIZE=4096"],
    ["RLIMIT_FSIZE=5000"],
    ["RLIMIT_NOFILE=3"],
    ["RLIMIT_FSIZE=0", "RLIMIT_NOFILE=3"],
    ["RLIMIT_AS=1"],
)


def limited(tmp_path: Path, confined: bool, *limits: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "costs", str(int(confined)), *limits],
        env=os.environ | {"PYTHONPATH": str(ROOT / "generator")} | env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode == 77:
        pytest.skip("the kernel has no PR_SET_MDWE")
    assert done.returncode == 0, f"{done.returncode} {done.stderr}"
    return done.stdout


@pytest.mark.parametrize("confined", [False, True], ids=["free", "mdwe"])
@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: "-".join(limits))
def test_no_signal(tmp_path: Path, limits: list[str], confined: bool) -> None:
    assert limited(tmp_path, confined, *limits).endswith(" False\n"), "a signal is left pending"
    if "RLIMIT_FSIZE=0" in limits:
        assert not list(tmp_path.iterdir()), "a file is left"


def test_the_cost_file_is_not_written(tmp_path: Path) -> None:
    assert f", {-12}]" in limited(tmp_path, False, "RLIMIT_FSIZE=100")


def test_a_blocked_signal_stays_blocked_and_is_not_left(tmp_path: Path) -> None:
    assert limited(tmp_path, True, "RLIMIT_FSIZE=0", BLOCKED="1").endswith(" False\n")


def test_announcements(tmp_path: Path) -> None:
    limited(tmp_path, False, "RLIMIT_FSIZE=0", CRYPTOSTITCH_ANNOUNCE="perf")


def test_the_signal_would_end_the_process(tmp_path: Path) -> None:
    """Or else the tests above would say nothing."""
    write = f"import os, resource, signal; signal.signal({int(signal.SIGXFSZ)}, signal.SIG_DFL); "
    write += f"resource.setrlimit({resource.RLIMIT_FSIZE}, (0, 0)); os.write(os.open('file', 65), b'x')"
    done = subprocess.run([sys.executable, "-c", write], cwd=tmp_path)
    assert done.returncode == -signal.SIGXFSZ
