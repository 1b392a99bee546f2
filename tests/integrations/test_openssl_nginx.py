"""nginx as distributions ship it, with the provider: workers that are forked after it was loaded, reloads under load,
multiblock. curl fetches, without the provider."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from jobs.samples import LONG

from integrations.openssl import certificate, configured, free_port, keys

pytestmark = pytest.mark.skipif(not LONG, reason="nginx under load: CRYPTOSTITCH_LONG=1")

SUITES = [
    ("--tlsv1.3", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"),
    ("--tls-max 1.2", "--ciphers", "ECDHE-RSA-AES256-GCM-SHA384"),
    ("--tls-max 1.2", "--ciphers", "AES128-SHA"),
    ("--tls-max 1.2", "--ciphers", "AES256-SHA256"),
]
CONFIGURATION = """
user root;
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
env CRYPTOSTITCH_OPENSSL_STATS;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/a;
    proxy_temp_path {folder}/b;
    fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d;
    scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:{port} ssl;
        root {folder};
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_ciphers ALL:@SECLEVEL=0;
        ssl_conf_command Options -EncryptThenMac;
        ssl_buffer_size 128k;
    }}
}}
"""


def test_nginx_serves_reloads_and_ends(build: Path, tmp_path: Path) -> None:
    if not shutil.which("nginx") or not shutil.which("curl"):
        pytest.skip("no nginx, or no curl (apt-get install nginx-light curl)")
    folder = certificate(tmp_path)
    port, stats, text = free_port(), tmp_path / "stats", os.urandom(3_000_000)
    (folder / "large").write_bytes(text)
    (tmp_path / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port))
    environment = configured(build, tmp_path, slower="yes") | {"CRYPTOSTITCH_OPENSSL_STATS": str(stats)}
    nginx = subprocess.Popen(
        ["nginx", "-p", folder, "-c", tmp_path / "nginx.conf", "-g", "daemon off;"], env=environment
    )

    curl = ["curl", "-sk", "--retry", "5", "--retry-connrefused", f"https://127.0.0.1:{port}/large"]
    fetches = [
        [*curl, *version.split(), option, suite if "TLS_" in suite else f"{suite}:@SECLEVEL=0"]
        for version, option, suite in SUITES * 50
    ]

    def fetched(arguments: list[str]) -> bytes:
        return subprocess.run(arguments, capture_output=True, timeout=60, check=True).stdout

    try:
        time.sleep(1)
        with ThreadPoolExecutor(4) as pool:
            for number, got in enumerate(pool.map(fetched, fetches)):
                assert got == text, fetches[number]
                if number % 40 == 20:
                    nginx.send_signal(signal.SIGHUP)
        nginx.send_signal(signal.SIGQUIT)
        assert nginx.wait(30) == 0
    finally:
        nginx.kill()
        nginx.wait()
    used = keys(stats)
    assert used["aes-128-gcm"] and used["aes-256-gcm"] and used["multiblock"] >= 50
