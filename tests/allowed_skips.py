"""Skips that hide no loss. Under CI=true (and by --check-skips) any other one makes the session fail; what `make test`
itself installs and builds makes every session fail, where root may install it.

A pattern is matched against the beginning of the reason. ``lesser``: only where the CPU, or the one that
CRYPTOSTITCH_CPU names, has less than every kernel wants.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

PREVENTED = re.compile(
    r"not built: (?!no intel-ipsec-mb\.h of version 2\.0$)|.* (is|was) not built|cst-bench was built without |"
    r".* is not installed"
)
"""Skips for want of what cmake/tools.sh and the build make."""
CPUINFO = Path("/proc/cpuinfo")
WIDEST = frozenset("avx512vl avx512bw avx512ifma avx512_vbmi avx512_vbmi2 gfni vaes vpclmulqdq sha_ni bmi2 adx".split())
"""By the names of /proc/cpuinfo: with these every kernel of the default pack runs."""


@dataclass(frozen=True)
class Allowed:
    pattern: str
    why: str
    lesser: bool = False


ALLOWED = (
    Allowed(r".*CRYPTOSTITCH_LONG=1", "`make test-long` runs it"),
    Allowed("minutes$", "`make test-long` runs it"),
    Allowed("this CPU (has no|lacks) ", "other CPUs run it, and this one when no lesser one is asked for", lesser=True),
    Allowed("this CPU lacks (sha512|sm3|sm4) ", "instructions that no kernel has, and only few CPUs"),
    Allowed("this CPU cannot run it", "as above", lesser=True),
    Allowed("no [a-z0-9_-]+ here$", "a target that this CPU has not", lesser=True),
    Allowed("no kernel of both runs on this CPU", "as above", lesser=True),
    Allowed("got empty parameter set for ", "a test of AES's suites where there is no AES-NI", lesser=True),
    Allowed("nothing here can run ", "suites of a kernel of which another part lacks instructions", lesser=True),
    Allowed("no suite is made of these algorithms$", "kernels for programs of others, which the self-test runs"),
    Allowed("it has no numbers modulo a prime$", "a check of kernels of public keys alone"),
    Allowed("no suite runs this checksum's kernel but beside a cipher", "the stitched kernels are tested"),
    Allowed("no registry of Python packages here", "a DataFrame comes from there"),
    Allowed("zlib's header is not installed", "an example that compresses; others show the same calls"),
    Allowed(
        r"no wycheproof/(ed25519|x25519|ecd(h|sa)_secp256r1_\w+|rsa_pkcs1_2048_sig_gen)_test\.json",
        "vectors that no package has; libcrypto answers instead",
    ),
    Allowed("EVEX: Unicorn does not have it", "QEMU 5 is inside Unicorn; the model and this CPU run the kernel"),
    Allowed("SHA-NI: Unicorn does not have it", "as above"),
    Allowed("GFNI: Unicorn does not have it", "as above"),
    Allowed("VEX: Unicorn runs it wrongly", "as above"),
    Allowed("BZHI: Unicorn loses the highest bit where all bits are kept", "as above"),
    Allowed("the addresses of .* are not in general registers", "gathers and scatters; the model checks them"),
    Allowed("sha256_x8@sse is the best for this machine", "what is measured decides; other tests doctor the figures"),
    Allowed("this linker does not make it: ", "an option of newer linkers"),
    Allowed(r"not built: no intel-ipsec-mb\.h of version 2\.0", "`make peers` makes it; 1.3's tests are the same ones"),
    Allowed(r"no intel-ipsec-mb\.h of version 1\.3, but of 2\.0", "Debian 13 has 2.0, and the tests are the same ones"),
    Allowed(r"no OpenSSL \d\.\d in build/peers", "the pages say how to build them; the system's has the same tests"),
    Allowed("no dpdk-test, or no driver", "Debian's DPDK is 150 MB, and drives the jobs that the other tests do"),
    Allowed(
        "no (Go with pkg-config|Node with koffi|Java 22) here", "languages of examples, which few machines have all"
    ),
    Allowed("this road wants ", "programs by which packages are made and used; each road has its own"),
    Allowed("the kernel refuses to confine: ", "an option of the Linux kernel"),
    Allowed("no PR_SET_MDWE before Linux 6.3", "as above"),
    Allowed("perf cannot record here: ", "virtual machines without a PMU, and containers"),
    Allowed("no overlay on this file system", "containers; in a root of tests/bare its own commands are what runs"),
    Allowed("this qemu has no SHA-NI", "qemu before 8.2; CPUs that have it run the kernels"),
)


@functools.cache
def _flags() -> frozenset[str]:
    found = re.search(r"^flags\s*:(.*)$", CPUINFO.read_text(), re.MULTILINE) if CPUINFO.exists() else None
    return frozenset(found[1].split()) if found else frozenset()


def has_all() -> bool:
    """Whether every kernel can run in this session."""
    return not os.environ.get("CRYPTOSTITCH_CPU") and _flags() >= WIDEST


def refused(reasons: Counter[str], everything: bool) -> list[str]:
    """A sentence for each reason that no entry allows. ``everything``: every kernel can run."""
    patterns = [entry.pattern for entry in ALLOWED if not (entry.lesser and everything)]
    return [
        f"{number} skipped, which tests/allowed_skips.py does not allow: {reason}"
        for reason, number in sorted(reasons.items())
        if not any(re.match(pattern, reason) for pattern in patterns)
    ]


def prevented(reasons: Counter[str]) -> Counter[str]:
    """Returns the skips that `make test` prevents, where cmake/tools.sh may install packages."""
    if os.geteuid() or not shutil.which("apt-get") or os.environ.get("CRYPTOSTITCH_LIBRARY"):
        return Counter()
    return Counter({reason: number for reason, number in reasons.items() if PREVENTED.match(reason)})


# ---- the plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--check-skips", action="store_true", help="fail when a skip is not in tests/allowed_skips.py")


def _refused(config: pytest.Config) -> list[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    wanted = config.option.check_skips or os.environ.get("CI") == "true"
    if reporter is None or hasattr(config, "workerinput"):
        return []
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reporter.getreports("skipped"))
    for outcome in ("passed", "failed"):
        for report in reporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "checks" and report.when == "call" and value[1] == "skip":  # of one kernel
                    reasons[value[2]] += 1
    return refused(reasons if wanted else prevented(reasons), has_all())


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _refused(session.config) and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if lines := _refused(config):
        terminalreporter.section("skips that hide a loss")
        for line in lines:
            terminalreporter.line(f"FAILED {line}", red=True)
