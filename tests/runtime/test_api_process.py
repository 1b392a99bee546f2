"""Threads, forks, the environment."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading

from cryptostitch.binding import runtime
from cryptostitch.binding.runtime import SEAL, Context, Job
from cryptostitch.ladder import oracle
from jobs.samples import suites_of

ETM = "aes-128-cbc+hmac-sha1-etm"


def work(context: Context, seed: int, rounds: int = 5) -> None:
    rng = random.Random(seed)
    for _ in range(rounds):
        name = rng.choice(suites_of(context))
        cases = [oracle.case(rng, name, rng.randrange(3000), rng.randrange(40)) for _ in range(rng.randrange(1, 40))]
        keys = [context.suite(name).key(c.key, c.mac_key) for c in cases]
        outs, tags = [bytearray(len(c.out)) for c in cases], [bytearray(len(c.tag)) for c in cases]
        jobs = [
            Job(k, SEAL, iv=c.iv or None, aad=c.aad or None, data=c.data, out=out if c.key else None, tag=tag)
            for k, c, out, tag in zip(keys, cases, outs, tags)
        ]
        assert context.burst(jobs) == 0
        for case, out, tag in zip(cases, outs, tags):
            assert (bytes(out), bytes(tag)) == (case.out, case.tag), name


def test_threads_share_a_context(context: Context) -> None:
    """All begin with a cold cache, so that they assemble the same kernels at the same time."""
    failures: list[BaseException] = []

    def body(seed: int) -> None:
        try:
            work(context, seed % 2)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_calls_of_all_threads_count(context: Context) -> None:
    """One after the other, so that none is left out."""
    key = context.suite("sha256").key(None)
    job = Job(key, SEAL, data=bytes(100), tag=bytearray(32))
    assert context.burst([job]) == 0
    kernel = context.kernel(context.suite("sha256").choice(1, 100).kernel)
    before = kernel.calls()
    assert context.burst([job]) == 0
    each = kernel.calls() - before
    assert each > 0
    for _ in range(20):
        thread = threading.Thread(target=context.burst, args=([job],))
        thread.start()
        thread.join()
    assert kernel.calls() == before + 21 * each


def test_fork(context: Context) -> None:
    """A child uses the parent's context, makes new code in it, and leaves the parent's alone."""
    work(context, 1, 1)
    children = []
    for seed in range(3):
        child = os.fork()
        if child == 0:
            try:
                work(context, seed + 10, 4)
                os._exit(0)
            except BaseException:
                os._exit(1)
        children.append(child)
    work(context, 2, 4)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    work(context, 1, 2)


def cpu_under(target: str, library: str) -> str:
    script = """
from cryptostitch.binding.runtime import Context, RuntimeFailure
try:
    print(Context().cpu()["features"])
except RuntimeFailure as failure:
    print(failure.code)
"""
    env = {
        **os.environ,
        "CRYPTOSTITCH_TARGET": target,
        "CRYPTOSTITCH_LIBRARY": library,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_environment_lowers(library: str) -> None:
    assert "avx512f" not in cpu_under("host-no_avx512", library)
    assert "'avx'" not in cpu_under("sse_aesni", library)
    assert cpu_under("host-nonsense", library) == str(runtime.ERR_NAME)
    assert cpu_under("", library) == cpu_under("host", library)


def test_where_pages_may_not_become_executable(library: str) -> None:
    """PR_SET_MDWE refuses mprotect to executable: another way is found, or static kernels serve."""
    script = """
import ctypes, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
    print("no PR_SET_MDWE"); sys.exit()
from cryptostitch.binding.runtime import Context
context = Context()
assert context.suite("sha256").key().digest(b"abc").hex().startswith("ba7816bf")
bad = {name: code for name, code in context.selftest().items() if code not in (0, -6, -9)}
print(context.cpu()["jit"], bad)
"""
    env = {**os.environ, "CRYPTOSTITCH_LIBRARY": library, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    assert done.stdout.startswith("no PR_SET_MDWE") or done.stdout.rstrip().endswith("{}")
