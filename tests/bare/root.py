"""A minimal Debian below a folder, with a clean clone of the checkout in it, in which commands run as root."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import machine

PACKAGES = ("make", "ca-certificates")
"""Packages that `make` needs before it can install anything."""
CLONE = "/root/cryptostitch"
MOUNTED = ("proc", "sys", "dev")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def cpu_seconds() -> float:
    """Returns the CPU time of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Ran:
    status: int
    seconds: float
    cpu_seconds: float
    output: str


@dataclass(frozen=True)
class Root:
    folder: Path

    def run(self, script: str, seconds: float) -> Ran:
        """A script of bash, in the clone, ended after so many seconds (status 124)."""
        environment = {**machine.environment(), "PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8"}
        settings = [f"{name}={value}" for name, value in environment.items()]
        shell = ("timeout", str(seconds), "bash", "-euo", "pipefail", "-c", f"cd {CLONE}\n{script}")
        began, worked = time.monotonic(), cpu_seconds()
        done = subprocess.run(
            ("chroot", self.folder, "/usr/bin/env", "-i", *settings, *shell),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        return Ran(done.returncode, time.monotonic() - began, cpu_seconds() - worked, done.stdout)


@contextlib.contextmanager
def mounted(folder: Path) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for name in MOUNTED:
            subprocess.run(("mount", "--rbind", "--make-rslave", f"/{name}", folder / name), check=True)
            stack.callback(subprocess.run, ("umount", "--lazy", folder / name), check=True)
        yield


@contextlib.contextmanager
def made(checkout: Path, folder: Path) -> Iterator[Root]:
    """`folder` must not exist, or be empty. CalledProcessError with mmdebstrap's own words on stderr."""
    sources = "\n".join(machine.sources()) + "\n"
    include = f"--include={','.join(PACKAGES)}"
    settings = [f"--aptopt={line}" for line in machine.apt_settings().splitlines()]
    options = ("--variant=apt", include, "--quiet", *settings)
    subprocess.run(("mmdebstrap", *options, machine.release(), folder, "-"), input=sources, text=True, check=True)
    machine.carry(folder)
    subprocess.run(("git", "clone", "-q", "--no-local", checkout, f"{folder}{CLONE}"), check=True)
    with mounted(folder):
        yield Root(folder)


@contextlib.contextmanager
def again(checkout: Path, folder: Path) -> Iterator[Root]:
    """Yields a root that `made` left, with the checkout's newest commit. CalledProcessError with git's words."""
    clone = ("git", "-C", f"{folder}{CLONE}")
    subprocess.run((*clone, "fetch", "-q", checkout, "HEAD"), check=True)
    subprocess.run((*clone, "reset", "-q", "--hard", "FETCH_HEAD"), check=True)
    with mounted(folder):
        yield Root(folder)


def removed(folder: Path) -> None:
    """Without what is still mounted below it."""
    subprocess.run(("rm", "-rf", "--one-file-system", folder), check=True)
