"""Many TLS records opened in one burst, and what the oracle says of each."""

from __future__ import annotations

import random
from dataclasses import dataclass

from cryptostitch.binding.runtime import ERR_AUTH, OPEN, Context, Job, Key
from cryptostitch.ladder import oracle
from jobs.tls_oracle import Tls

SUITES = [f"aes-{bits}-cbc+hmac-{hash_}-tls" for bits in (128, 256) for hash_ in ("sha1", "sha256")] + [
    "aes-256-cbc+hmac-sha384-tls"
]
AT_ONCE = 200
MARGIN = b"\xc5" * 24


@dataclass
class Record:
    """``bad``: what is wrong with it; empty: nothing."""

    iv: bytes
    aad: bytes
    text: bytes
    bad: str = ""


class Connection:
    """A suite under one key. The sealer of records for tests, and their judge."""

    def __init__(self, context: Context, suite: str, seed: object = 0):
        self.rng = random.Random(f"{suite} {seed}")
        self.context, self.suite = context, suite
        key, mac_key = oracle.secrets(self.rng, suite)
        self.tls = Tls.of(suite, key, mac_key)
        self.key: Key = context.suite(suite).key(key, mac_key)
        self.sequence = self.rng.randrange(1 << 62)

    def head(self) -> bytes:
        """Returns the head of the next record: sequence number, type, version."""
        self.sequence += 1
        return self.sequence.to_bytes(8, "big") + bytes(
            [self.rng.choice((20, 21, 22, 23)), 3, self.rng.choice((1, 2, 3))]
        )

    def record(self, text: bytes, padding: int | bytes = 0, mac: bytes | None = None, bad: str = "") -> Record:
        iv, aad = self.rng.randbytes(16), self.head()
        return Record(iv, aad, self.tls.seal(iv, aad, text, padding, mac), bad)

    def judge(self, records: list[Record]) -> None:
        """Opens them, AT_ONCE in a burst, every second one in place. The library's and the oracle's opinions must be
        one; both must be what `bad` says."""
        for first in range(0, len(records), AT_ONCE):
            some = records[first : first + AT_ONCE]
            outs = [
                bytearray(record.text if at % 2 else self.rng.randbytes(len(record.text))) + MARGIN
                for at, record in enumerate(some)
            ]
            jobs = []
            for record, out in zip(some, outs):
                room = memoryview(out)[: len(record.text)]
                jobs.append(
                    Job(
                        self.key,
                        OPEN,
                        iv=record.iv,
                        aad=record.aad,
                        data=room if len(jobs) % 2 else record.text,
                        out=room,
                    )
                )
            code = self.context.burst(jobs)
            assert code == (ERR_AUTH if any(record.bad for record in some) else 0)
            for record, job, out in zip(some, jobs, outs):
                self._judge(record, job, bytes(out))

    def _judge(self, record: Record, job: Job, out: bytes) -> None:
        text = self.tls.open(record.iv, record.aad, record.text)
        where = f"{self.suite}, {len(record.text)} bytes, {record.bad or 'a good one'}"
        assert (text is None) == bool(record.bad), f"the oracle says otherwise: {where}"
        assert job.status == (ERR_AUTH if record.bad else 0), f"status {job.status}: {where}"
        assert job.out_len == len(text or b""), where
        assert out == (text or b"").ljust(len(record.text), b"\0") + MARGIN, f"wrong output: {where}"
