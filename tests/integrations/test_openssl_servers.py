"""Apache and HAProxy as distributions ship them, with the provider; curl fetches, without it. And GnuTLS as the other
side of both of OpenSSL's ends, without encrypt-then-MAC."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.openssl import certificate, configured, free_port, keys, server

pytestmark = pytest.mark.skipif(not LONG, reason="servers under load: CRYPTOSTITCH_LONG=1")

SUITES = [
    ("--tlsv1.3", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256", "aes-128-gcm"),
    ("--tls-max 1.2", "--ciphers", "ECDHE-RSA-AES256-GCM-SHA384", "aes-256-gcm"),
    ("--tls-max 1.2", "--ciphers", "AES128-SHA", "aes-128-cbc+hmac-sha1-tls"),
    ("--tls-max 1.2", "--ciphers", "AES256-SHA256", "aes-256-cbc+hmac-sha256-tls"),
]
WITHOUT_ETM = """openssl_conf = init
[init]
ssl_conf = ssl_sect
[ssl_sect]
system_default = client_sect
[client_sect]
Options = -EncryptThenMac
"""
APACHE = """
ServerRoot {folder}
ServerName localhost
PidFile {folder}/apache.pid
ErrorLog {folder}/error.log
{modules}
User www-data
Group www-data
StartServers 2
GracefulShutdownTimeout 10
Listen 127.0.0.1:{port}
SSLSessionCache none
SSLProtocol all
SSLCipherSuite ALL:@SECLEVEL=0
DocumentRoot {folder}
<Directory {folder}>
    Require all granted
</Directory>
<VirtualHost *:{port}>
    SSLEngine on
    SSLCertificateFile {folder}/cert.pem
    SSLCertificateKeyFile {folder}/key.pem
</VirtualHost>
"""
HAPROXY = """
global
    tune.bufsize {room}
    ssl-default-bind-ciphers ALL:@SECLEVEL=0
defaults
    mode http
    timeout client 20s
    timeout server 20s
    timeout connect 20s
frontend files
    bind 127.0.0.1:{port} ssl crt {folder}/both.pem
    http-request return status 200 content-type application/octet-stream file {folder}/text
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a certificate, and readable for servers that change their user; `stats` can be written to by all."""
    with tempfile.TemporaryDirectory() as name:
        made = certificate(Path(name))
        made.chmod(0o755)
        (made / "key.pem").chmod(0o644)
        (made / "client.cnf").write_text(WITHOUT_ETM)
        (made / "stats").touch()
        (made / "stats").chmod(0o666)
        yield made


def fetch_all(folder: Path, port: int, text: bytes, each: int, between: int, server: subprocess.Popen[bytes]) -> None:
    """Many fetches of /text by all suites, four at a time; after every so many the server gets that signal."""
    curl = ["curl", "-sk", "--retry", "8", "--retry-all-errors", f"https://127.0.0.1:{port}/text"]
    fetches = [
        [*curl, *version.split(), option, suite if "TLS_" in suite else f"{suite}:@SECLEVEL=0"]
        for version, option, suite, _ in SUITES * each
    ]

    def fetched(arguments: list[str]) -> bytes:
        environment = os.environ | {"OPENSSL_CONF": str(folder / "client.cnf")}
        return subprocess.run(arguments, capture_output=True, timeout=120, check=True, env=environment).stdout

    with ThreadPoolExecutor(4) as pool:
        for number, got in enumerate(pool.map(fetched, fetches)):
            assert got == text, fetches[number]
            if between and number % 40 == 20:
                server.send_signal(between)


def test_apache_serves_restarts_and_ends(build: Path, folder: Path) -> None:
    apache = shutil.which("apache2")
    if not apache or not shutil.which("curl"):
        pytest.skip("no apache2, or no curl (apt-get install apache2-bin curl)")
    modules = Path(apache).parents[1] / "lib/apache2/modules"
    port, text = free_port(), os.urandom(3_000_000)
    (folder / "text").write_bytes(text)
    wanted = ("mpm_event", "authz_core", "socache_shmcb", "ssl")
    loads = "\n".join(f"LoadModule {name}_module {modules}/mod_{name}.so" for name in wanted)
    (folder / "apache.conf").write_text(APACHE.format(folder=folder, port=port, modules=loads))
    environment = configured(build, folder, slower="yes")
    process = subprocess.Popen([apache, "-f", folder / "apache.conf", "-DFOREGROUND"], env=environment)
    try:
        time.sleep(2)
        fetch_all(folder, port, text, 40, signal.SIGUSR1, process)
        # its children do not end libcrypto, so that they cannot tell what they used
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        mapped = [maps for pid in children if (maps := Path(f"/proc/{pid}/maps").read_text())]
        assert mapped and all("cryptostitch.so" in maps for maps in mapped)
        process.send_signal(signal.SIGWINCH)
        assert process.wait(30) == 0
    finally:
        process.terminate()  # of which its children learn
        process.wait(30)


def test_haproxy_serves_and_ends(build: Path, folder: Path) -> None:
    haproxy = shutil.which("haproxy")
    if not haproxy or not shutil.which("curl"):
        pytest.skip("no haproxy, or no curl (apt-get install haproxy curl)")
    port, text = free_port(), os.urandom(300_000)
    (folder / "text").write_bytes(text)
    (folder / "both.pem").write_bytes((folder / "cert.pem").read_bytes() + (folder / "key.pem").read_bytes())
    (folder / "haproxy.cfg").write_text(HAPROXY.format(folder=folder, port=port, room=2 * len(text)))
    environment = configured(build, folder, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(folder / "stats")}
    process = subprocess.Popen([haproxy, "-db", "-f", folder / "haproxy.cfg"], env=environment)
    try:
        time.sleep(2)
        fetch_all(folder, port, text, 40, 0, process)
        process.send_signal(signal.SIGUSR1)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    used = keys(folder / "stats")
    assert all(used[suite] for *_, suite in SUITES), used


GNUTLS = [
    ("AES-128-CBC", "SHA1", "AES128-SHA", "aes-128-cbc+hmac-sha1-tls"),
    ("AES-256-CBC", "SHA1", "AES256-SHA", "aes-256-cbc+hmac-sha1-tls"),
    ("AES-128-CBC", "SHA256", "AES128-SHA256", "aes-128-cbc+hmac-sha256-tls"),
    ("AES-128-GCM", "AEAD", "AES128-GCM-SHA256", "aes-128-gcm"),
]


def priority(version: str, cipher: str, mac: str) -> str:
    parts = ("NONE", f"+VERS-TLS{version}", "+RSA", f"+{cipher}", f"+{mac}", "+COMP-NULL", "+SIGN-ALL", "+GROUP-ALL")
    return ":".join((*parts, "%NO_ETM"))


@pytest.mark.parametrize(
    "version, cipher, mac, suite, ours",
    [(version, *row) for row in GNUTLS for version in (("1.1", "1.2") if row[1] == "SHA1" else ("1.2",))],
)
def test_gnutls_fetches(build: Path, folder: Path, version: str, cipher: str, mac: str, suite: str, ours: str) -> None:
    """Records of all lengths that s_server makes, with and without multiblock."""
    client = shutil.which("gnutls-cli")
    if not client:
        pytest.skip("no gnutls-cli (apt-get install gnutls-bin)")
    text = os.urandom(200_000)
    (folder / "text").write_bytes(text)
    here = configured(build, folder, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(folder / "stats")}
    options = ["-cipher", f"{suite}:@SECLEVEL=0", "-max_send_frag", "2048"]
    with server(folder, here, *options) as port:
        done = subprocess.run(
            [
                client,
                "--insecure",
                "--logfile=/dev/null",
                f"--priority={priority(version, cipher, mac)}",
                f"--port={port}",
                "127.0.0.1",
            ],
            input=b"GET /text HTTP/1.0\r\n\r\n",
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert done.stdout.partition(b"\r\n\r\n")[2] == text, done.stderr
    assert keys(folder / "stats")[ours] >= 2


@pytest.mark.parametrize("cipher, mac, suite, ours", GNUTLS)
def test_gnutls_serves(build: Path, folder: Path, cipher: str, mac: str, suite: str, ours: str) -> None:
    """Lines of many lengths go there and come back."""
    echo = shutil.which("gnutls-serv")
    if not echo:
        pytest.skip("no gnutls-serv (apt-get install gnutls-bin)")
    port = free_port()
    process = subprocess.Popen(
        [
            echo,
            "--echo",
            "--quiet",
            f"--port={port}",
            f"--x509certfile={folder}/cert.pem",
            f"--x509keyfile={folder}/key.pem",
            f"--priority={priority('1.2', cipher, mac)}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    here = configured(build, folder, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(folder / "stats")}
    lines = [b"x" * n + b"\n" for n in (0, 1, 15, 16, 17, 31, 100, 255, 256, 257, 1000)]
    try:
        time.sleep(1)
        with subprocess.Popen(
            [
                "openssl",
                "s_client",
                "-connect",
                f"127.0.0.1:{port}",
                "-quiet",
                "-no_ign_eof",
                "-cipher",
                f"{suite}:@SECLEVEL=0",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=here,
        ) as client:
            assert client.stdin and client.stdout
            for line in lines:
                client.stdin.write(line)
                client.stdin.flush()
                assert client.stdout.readline() == line
            client.stdin.close()
            client.wait(20)
    finally:
        process.terminate()
        process.wait()
    assert keys(folder / "stats")[ours] >= 2
