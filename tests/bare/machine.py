"""Finds what a bare root takes from this machine, so that apt, pip and git in it reach what they reach here: mirrors,
proxies, certificates. Nothing of it is written down anywhere in the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

CARRIED = re.compile(r".*_proxy|.*_(CERT|CERT_FILE|CERT_DIR|CA_BUNDLE|CAINFO)|PIP_(.*INDEX_URL|TRUSTED_HOST)", re.I)
"""Names of environment variables that say how to reach the network."""
FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
SETTINGS = re.compile(r'^Acquire::\S*(Proxy|CaInfo|Verify-\w+)\S* ".+";$', re.M | re.I)


def environment() -> dict[str, str]:
    """Returns the variables that CARRIED matches and that are set here."""
    return {name: value for name, value in os.environ.items() if value and CARRIED.fullmatch(name)}


def sources(of: str) -> list[str]:
    """Lines of sources.list: the Debian repositories that this machine's apt reads, of the release with that code name.
    RuntimeError without any."""
    wanted = ("Created-By: Packages", "Origin: Debian")
    form = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    command = ("apt-get", "indextargets", "--format", form, *wanted)
    for prepare in (None, ("apt-get", "-qq", "update")):
        if prepare:
            subprocess.run(prepare, check=True)
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        if found:
            return sorted({re.sub(rf"\b{release()}\b", of, line) for line in found})
    raise RuntimeError("apt here knows no repository of Debian")


def release() -> str:
    """The code name of this machine's Debian."""
    return re.search(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text(), re.M)[1]


def apt_settings() -> str:
    """Proxies and certificates of apt, as a file of apt.conf.d."""
    dumped = subprocess.run(("apt-config", "dump"), capture_output=True, text=True, check=True).stdout
    return "".join(f"{match[0]}\n" for match in SETTINGS.finditer(dumped))


def carry(root: Path) -> None:
    """Copies the files into the root, at the same paths."""
    certificates = (value for name, value in environment().items() if not name.lower().endswith("proxy"))
    for name in {*FILES, *certificates}:
        if os.path.isfile(name):
            target = root / name.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copyfile(name, target)
    (root / "etc/apt/apt.conf.d/00machine").write_text(apt_settings())
