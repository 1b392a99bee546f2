"""`cryptostitch openssl-config`, and lines of a configuration that are wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptostitch.binding import openssl
from cryptostitch.binding.openssl import ALL, ask, configuration, left_to_default
from cryptostitch.cli import main

from integrations.openssl import configured, keys, module, system_version

CHECK = Path(openssl.__file__).with_name("openssl_check.sh")
USED = "?provider=cryptostitch"


def written(build: Path, folder: Path, **lines: str) -> Path:
    return Path(configured(build, folder, **lines)["OPENSSL_CONF"])


def test_the_lines_that_are_printed_work(build: Path, tmp_path: Path) -> None:
    file = tmp_path / "openssl.cnf"
    printed = CliRunner().invoke(main, ["openssl-config", "--module", str(module(build))])
    assert printed.exit_code == 0, printed.output
    file.write_text(printed.output)
    checked = CliRunner().invoke(main, ["openssl-config", str(file), "--format", "json"])
    assert checked.exit_code == 0, checked.output
    found = json.loads(checked.output)
    assert found["providers"] == ["cryptostitch", "default"]
    slower = left_to_default(found["openssl"].split()[1])
    assert found["ciphers"] == {name: "default" if name in slower else "cryptostitch" for name in ALL}


def test_a_file_without_default_is_told_of(build: Path, tmp_path: Path) -> None:
    file = tmp_path / "openssl.cnf"
    file.write_text(configuration(module(build)).replace("default = default_sect\n", ""))
    checked = CliRunner().invoke(main, ["openssl-config", str(file)])
    assert checked.exit_code == 1
    assert "`default` is not active" in checked.output


def test_a_file_without_the_provider_is_told_of(build: Path, tmp_path: Path) -> None:
    module(build)
    file = tmp_path / "openssl.cnf"
    file.write_text("")
    checked = CliRunner().invoke(main, ["openssl-config", str(file)])
    assert checked.exit_code == 1
    assert "`cryptostitch` is not active" in checked.output


def test_what_is_slower_comes_when_asked_for(build: Path, tmp_path: Path) -> None:
    found = ask(written(build, tmp_path, slower="yes"))
    assert found.ciphers == dict.fromkeys(ALL, "cryptostitch")


@pytest.mark.parametrize(
    "line, value, said",
    [
        ("jit", "perhaps", "jit: yes or no"),
        ("slower", "1", "slower: yes or no"),
        ("cmac", "on", "cmac: yes or no"),
        ("async", "8", "async: yes or no"),
        ("target", "z80", "target: no such"),
    ],
)
def test_a_wrong_line_is_on_the_error_queue(build: Path, tmp_path: Path, line: str, value: str, said: str) -> None:
    """As `openssl` prints it when it is told to load the provider; of one that a file activates it says nothing."""
    file = written(build, tmp_path, **{line: value})
    assert "cryptostitch" not in ask(file).providers
    before, _, own = file.read_text().partition("[cryptostitch_sect]")
    file.write_text(before + "[cryptostitch_sect]" + own.replace("activate = 1\n", ""))
    done = subprocess.run(
        ["openssl", "list", "-providers", "-provider", "cryptostitch"],
        capture_output=True,
        text=True,
        env=os.environ | {"OPENSSL_CONF": str(file)},
        check=False,
    )
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_without_jit_kernels_are_static(build: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["openssl", "list", "-providers", "-verbose"],
        capture_output=True,
        text=True,
        env=configured(build, tmp_path, jit="no"),
        check=True,
    )
    assert "static kernels" in done.stdout


def test_the_page_has_the_lines(root: Path) -> None:
    page = (root / "integrations/openssl/README.md").read_text()
    lines = configuration(Path("/usr/lib/x86_64-linux-gnu/ossl-modules/cryptostitch.so"))
    assert "".join(f"    {line}\n" if line else "\n" for line in lines.splitlines()) in page


def checked(file: Path, *before: str) -> tuple[int, str]:
    """Returns what the check without Python says of a file."""
    done = subprocess.run(["sh", CHECK, *before, file], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_check_says_whether_it_is_used(build: Path, tmp_path: Path) -> None:
    file = written(build, tmp_path, slower="yes")
    assert checked(file) == (0, "used: AES-128-CTR came from cryptostitch\n")
    text = file.read_text()
    file.write_text(text.replace(f"default_properties = {USED}", ""))
    status, said = checked(file)
    assert status == 1 and said.startswith("active, but not used")
    file.write_text(text.replace("slower = yes", "slower = always"))
    status, said = checked(file)
    assert status == 1 and said.startswith("not active")


@pytest.mark.parametrize(
    "line, without, said",
    [
        ("default = default_sect\n", "", "`default` is not active"),
        ("[default_sect]\nactivate = 1\n", "[default_sect]\n", "`default` is not active"),
        ("= ?provider", "= provider", "default_properties = provider=cryptostitch forbids it"),
    ],
)
def test_the_check_says_that_all_else_is_missing(
    build: Path, tmp_path: Path, line: str, without: str, said: str
) -> None:
    """The provider is used, and nothing else works."""
    file = written(build, tmp_path)
    assert line in file.read_text()
    file.write_text(file.read_text().replace(line, without))
    status, found = checked(file)
    assert status == 1 and found.startswith("used: ") and said in found
    assert subprocess.run(["openssl", "dgst", "-sha256", file], env=os.environ | {"OPENSSL_CONF": str(file)},
                          capture_output=True, check=False).returncode  # fmt: skip
    complaints = ask(file).complaints
    assert len(complaints) == 1 and ("default" in complaints[0])


@pytest.mark.parametrize(
    "line, value, said",
    [
        ("slower", "always", "slower: yes or no"),
        ("target", "z80", "target: no such"),
        ("module", "/none.so", "cannot open shared object file"),
        ("activate", None, "its section needs activate = 1"),
        ("cryptostitch", None, "no line `cryptostitch = SECTION`"),
    ],
)
def test_the_check_says_why_it_is_not_active(
    build: Path, tmp_path: Path, line: str, value: str | None, said: str
) -> None:
    file = written(build, tmp_path)
    before, section, own = file.read_text().partition("[cryptostitch_sect]\n")
    if line == "cryptostitch":
        before = before.replace("cryptostitch = cryptostitch_sect\n", "")
    else:
        own = re.sub(rf"^(# )?{line} = .*\n", f"{line} = {value}\n" if value else "", own, flags=re.M)
    file.write_text(before + section + own)
    status, found = checked(file)
    assert status == 1 and found.startswith("not active in ") and said in found, found


def test_a_folder_is_included(build: Path, tmp_path: Path) -> None:
    """As Red Hat's file does it: the folder's files *.cnf and *.conf, which OpenSSL reads, and no others."""
    folder = tmp_path / "openssl d"
    folder.mkdir()
    own = written(build, tmp_path).rename(folder / "own.cnf")
    (folder / "readme.txt").write_text("[cryptostitch_sect]\nslwoer = yes\n")
    file = tmp_path / "openssl.cnf"
    file.write_text(f".include = {folder}\n")
    assert ask(file).complaints == []
    assert checked(file) == (0, "used: AES-128-CTR came from cryptostitch\n")
    own.rename(folder / "own.conf").write_text(own.with_suffix(".conf").read_text() + "[cryptostitch_sect]\njti = no\n")
    status, said = checked(file)
    assert status == 1 and "own.conf: jti\n" in said


def test_what_the_check_cannot_read(tmp_path: Path) -> None:
    for file in tmp_path / "none", tmp_path:
        status, said = checked(file)
        assert (status, said) == (2, f"{file} is no file that can be read\n")
        assert checked(file, "--lines") == (status, said)
    done = subprocess.run(["sh", CHECK, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: openssl-check [FILE]\n") and "--lines FILE" in done.stdout
    wrong = subprocess.run(["sh", CHECK, "--hlep"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr, wrong.stdout) == (2, done.stdout, "")


@pytest.mark.parametrize("name", ["slwoer", "Slower", "jti", "activated", "random"])
def test_a_line_that_means_nothing_is_named(build: Path, tmp_path: Path, name: str) -> None:
    """Also where the section is in a file that is included; lines of other sections are not the provider's."""
    file = written(build, tmp_path, **{name: "yes"})
    around = tmp_path / "around.cnf"
    around.write_text(f"[other]\nslwoer = 1\n.include {file}\n")
    for each in file, around:
        status, said = checked(each)
        assert status == 1 and f"unknown line in [cryptostitch_sect] of {file}: {name}\n" in said
        assert any(name in complaint for complaint in ask(each).complaints)


def test_every_line_that_the_provider_asks_for_is_known(root: Path, build: Path, tmp_path: Path) -> None:
    """And stands in the file that is included, to be uncommented."""
    source = (root / "integrations/openssl/provider.cpp").read_text()
    asked = re.findall(r'OSSL_PARAM_utf8_ptr\("(\w+)"', source)
    assert len(asked) >= 5
    assert ask(written(build, tmp_path)).unknown_lines == []
    for name in asked:
        assert checked(written(build, tmp_path, **{name: "no"}), "--lines") == (0, ""), name
        assert f"\n# {name} = " in configuration(tmp_path), name


def test_it_is_included_into_debian_s_file(build: Path, tmp_path: Path) -> None:
    """Sections of that file go on, and what follows in none of them is not disturbed."""
    own = written(build, tmp_path)
    file = tmp_path / "whole.cnf"
    file.write_text(
        "openssl_conf = openssl_init\n[openssl_init]\nproviders = provider_sect\nssl_conf = ssl_sect\n"
        "[provider_sect]\ndefault = default_sect\n[default_sect]\n# activate = 1\n[ssl_sect]\n"
        f"system_default = system_default_sect\n[system_default_sect]\nMinProtocol = TLSv1.2\n.include {own}\n"
    )
    found = ask(file)
    assert found.complaints == []
    assert checked(file)[0] == 0


def test_random_bytes_are_default_s(build: Path, tmp_path: Path) -> None:
    """Unless the section that says so is taken away: before OpenSSL 3.5, whose generators take their own provider's
    ciphers."""
    file, counts = written(build, tmp_path), tmp_path / "counts"
    without = file.read_text().replace("random = random_sect", "")
    before = tuple(map(int, system_version().split(".")[:2])) < (3, 5)
    for text, wanted in (file.read_text(), False), (without, before):
        file.write_text(text)
        more = {"OPENSSL_CONF": str(file), "CRYPTOSTITCH_OPENSSL_STATS": str(counts)}
        subprocess.run(["openssl", "rand", "-hex", "16"], capture_output=True, env=os.environ | more, check=True)
        assert ("aes-256-ctr" in keys(counts)) == wanted
        counts.unlink()


@pytest.mark.parametrize("right, wrong, section", [
    ("providers =", "provider =", "openssl_init"), ("random = random_sect", "randm = random_sect", "openssl_init"),
    ("default_properties =", "default_property =", "algorithm_sect"), ("properties =", "propertes =", "random_sect"),
])  # fmt: skip
def test_a_line_beside_the_provider_that_means_nothing_is_named(
    build: Path, tmp_path: Path, right: str, wrong: str, section: str
) -> None:
    """Sections on which depends whether the provider is used, and by the random generator."""
    file = written(build, tmp_path)
    file.write_text(re.sub(f"^{right}", wrong, file.read_text(), flags=re.M))
    status, said = checked(file)
    name = wrong.partition(" ")[0]
    assert status == 1 and f"unknown line in [{section}] of {file}: {name}\n" in said
