"""A minimal Debian below a folder, with a clean clone of the checkout in it, in which commands run as root."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import machine

PACKAGES = ("make", "ca-certificates")
"""Packages that `make` needs before it can install anything."""
CLONE = "/root/cryptostitch"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ENTER = """
if [ "$BASE" ]; then
    mkdir -p "$ROOT" "$ROOT.upper" "$ROOT.work"
    mount -t overlay overlay -o "lowerdir=$BASE,upperdir=$ROOT.upper,workdir=$ROOT.work" "$ROOT"
fi
for name in proc sys dev; do mount --rbind --make-rslave /$name "$ROOT/$name"; done
exec chroot "$ROOT" "$@"
"""
"""`unshare --mount` runs this script in a mount namespace of its own. The kernel removes the mounts when the
last process of the namespace has ended, after a SIGKILL too."""


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
    """`base`: the root whose files this one begins with; what changes lies beside `folder`."""

    folder: Path
    base: Path | None = None

    def run(self, script: str, seconds: float) -> Ran:
        """A script of bash, in the clone, ended after so many seconds (status 124). Its environment is that of a login
        and what this machine needs to reach the network."""
        environment = {**machine.environment(), "PATH": PATH, "HOME": "/root"}
        settings = [f"{name}={value}" for name, value in environment.items()]
        shell = ("timeout", str(seconds), "bash", "-euo", "pipefail", "-c", f"cd {CLONE}\n{script}")
        enter = ("unshare", "--mount", "--propagation=private", "sh", "-euc", ENTER, "sh")
        began, worked = time.monotonic(), cpu_seconds()
        done = subprocess.run(
            (*enter, "/usr/bin/env", "-i", *settings, *shell),
            env={"PATH": PATH, "ROOT": str(self.folder), "BASE": str(self.base or "")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        return Ran(done.returncode, time.monotonic() - began, cpu_seconds() - worked, done.stdout)


def made(checkout: Path, folder: Path, release: str = "") -> Root:
    """`folder` must not exist, or be empty; `release`: the code name of a Debian, by default this machine's.
    CalledProcessError with mmdebstrap's own words on stderr."""
    release = release or machine.release()
    sources = "\n".join(machine.sources(release)) + "\n"
    include = f"--include={','.join(PACKAGES)}"
    settings = [f"--aptopt={line}" for line in machine.apt_settings().splitlines()]
    options = ("--variant=apt", include, "--quiet", *settings)
    subprocess.run(("mmdebstrap", *options, release, folder, "-"), input=sources, text=True, check=True)
    machine.carry(folder)
    subprocess.run(("git", "clone", "-q", "--no-local", checkout, f"{folder}{CLONE}"), check=True)
    return Root(folder)


def on(base: Root, folder: Path, files: Mapping[str, Path]) -> Root:
    """Returns a root that begins as `base` and leaves that as it is. `files`: what is copied into it before, by its
    place in the clone."""
    for name, source in files.items():
        place = Path(f"{folder}.upper{CLONE}/{name}")
        place.parent.mkdir(parents=True)
        subprocess.run(("cp", "-r", source, place), check=True)
    return Root(folder, base.folder)


def again(checkout: Path, folder: Path) -> Root:
    """Returns a root that `made` left, with the checkout's newest commit. CalledProcessError with git's words."""
    clone = ("git", "-C", f"{folder}{CLONE}")
    subprocess.run((*clone, "fetch", "-q", checkout, "HEAD"), check=True)
    subprocess.run((*clone, "reset", "-q", "--hard", "FETCH_HEAD"), check=True)
    return Root(folder)


def removed(folder: Path) -> None:
    subprocess.run(("rm", "-rf", "--one-file-system", folder), check=True)
