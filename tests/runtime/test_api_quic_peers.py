"""Packets of other stacks: those of whole connections of aioquic and quinn, with their key updates, are opened and
sealed again to the same bytes; and aioquic opens what the library seals."""

from __future__ import annotations

import datetime
import io
import random
import shutil
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aioquic.buffer import Buffer
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.crypto import CryptoContext, CryptoError
from aioquic.quic.packet import QuicPacketType, pull_quic_header
from aioquic.tls import CipherSuite
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from cryptostitch.binding.capi import ERR_AUTH, OK, QUIC_SECRET_BYTES
from cryptostitch.binding.runtime import Context
from jobs.samples import LONG
from quic_calls import Opening, Quic, Sealing

SUITES = {
    "aes-128-gcm": CipherSuite.AES_128_GCM_SHA256,
    "aes-256-gcm": CipherSuite.AES_256_GCM_SHA384,
    "chacha20-poly1305": CipherSuite.CHACHA20_POLY1305_SHA256,
}
ADDRESS = ("127.0.0.1", 4433)
QUINN = Path(__file__).with_name("quinn_talk")


@pytest.fixture(scope="module")
def quic() -> Quic:
    return Quic(Context())


@pytest.fixture(scope="module")
def certificate() -> tuple[Any, Any]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    day, now = datetime.timedelta(1), datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
    return made.sign(key, hashes.SHA256()), key


@dataclass
class Packet:
    """One of a datagram."""

    by_client: bool
    kind: QuicPacketType
    number_at: int
    data: bytes


def split(data: bytes, by_client: bool) -> Iterator[Packet]:
    """Yields the packets of a datagram; connection IDs have 8 bytes."""
    begin = 0
    while any(data[begin:]):  # it may be filled up with zeros behind its packets
        usual = bytes([data[begin] | 0x40]) + data[begin + 1 :]  # a peer may clear the bit (RFC 9287)
        buffer = Buffer(data=usual)
        header = pull_quic_header(buffer, host_cid_length=8)
        if header.packet_type is QuicPacketType.RETRY:
            return
        size = len(usual) if header.packet_type is QuicPacketType.ONE_RTT else header.packet_length
        yield Packet(by_client, header.packet_type, buffer.tell(), data[begin : begin + size])
        begin += size


class Connection:
    """A client and a server that talk in memory, and what they sent."""

    def __init__(self, algorithm: str, version: int, certificate: tuple[Any, Any]):
        self.log, self.sent, self.now = io.StringIO(), list[Packet](), 0.0
        usual: dict[str, Any] = {"cipher_suites": [SUITES[algorithm]], "alpn_protocols": ["test"]}
        usual |= {"original_version": version, "supported_versions": [version]}
        client = QuicConfiguration(is_client=True, verify_mode=ssl.CERT_NONE, secrets_log_file=self.log, **usual)
        server = QuicConfiguration(is_client=False, **usual)
        server.certificate, server.private_key = certificate
        self.client = QuicConnection(configuration=client)
        self.connection_id = self.client.original_destination_connection_id
        self.server = QuicConnection(configuration=server, original_destination_connection_id=self.connection_id)
        self.client.connect(ADDRESS, now=self.now)

    def run(self) -> None:
        """Until both have nothing to send."""
        busy = True
        while busy:
            busy = False
            for by_client, source, other in ((True, self.client, self.server), (False, self.server, self.client)):
                for data, _ in source.datagrams_to_send(now=self.now):
                    busy = True
                    self.sent += split(data, by_client)
                    other.receive_datagram(data, ADDRESS, now=self.now)
            self.now += 0.05

    def secrets(self) -> dict[str, bytes]:
        return {line.split()[0]: bytes.fromhex(line.split()[2]) for line in self.log.getvalue().splitlines()}


def talk(connection: Connection) -> None:
    """Streams in both directions, and two key updates of each."""
    for turn in range(3):
        connection.run()
        for end in (connection.client, connection.server):
            end.send_stream_data(end.get_next_available_stream_id(), b"some text to send, " * (300 * turn + 1), True)
        connection.run()
        (connection.client if turn else connection.server).request_key_update()
    connection.run()


def check(
    quic: Quic,
    algorithm: str,
    version: int,
    connection_id: bytes,
    secrets: dict[str, bytes],
    sent: Sequence[Packet],
    loses_first: bool = False,
) -> None:
    """Opens all packets of a connection, and seals them again. ``loses_first``: those of the first key phase of both
    sides do not arrive."""
    seen = dict[str, int]()
    initial = quic.initial_secrets(version, connection_id)
    for by_client, side in ((True, "CLIENT"), (False, "SERVER")):
        handshake = secrets[f"{side}_HANDSHAKE_TRAFFIC_SECRET"]
        secret = secrets[f"{side}_TRAFFIC_SECRET_0"]
        keys = {
            QuicPacketType.INITIAL: [quic.from_secret("aes-128-gcm", version, initial[not by_client])],
            QuicPacketType.HANDSHAKE: [quic.from_secret(algorithm, version, handshake)],
            QuicPacketType.ONE_RTT: [quic.from_secret(algorithm, version, secret)],
        }
        phases = keys[QuicPacketType.ONE_RTT]
        while len(phases) < 4:
            secret = quic.next_secret(algorithm, version, secret)
            phases.append(quic.from_secret(algorithm, version, secret, phases[-1]))
        largest, current, first = dict.fromkeys(keys, -1), 0, -1
        lost = loses_first
        for packet in (each for each in sent if each.by_client == by_client):
            its = keys[packet.kind]
            one_rtt = packet.kind is QuicPacketType.ONE_RTT
            if lost and one_rtt:
                first_phase = Opening(its[0], packet.data, packet.number_at)
                if lost := quic.open([first_phase]) == OK:
                    continue
            at = current if one_rtt else 0
            opening = Opening(its[at], packet.data, packet.number_at, largest[packet.kind])
            if one_rtt:
                opening.previous, opening.next = (its[at - 1] if at else 0), its[at + 1] if at < 3 else 0
                opening.phase, opening.phase_first = at & 1, first
            assert quic.open([opening]) == OK, (packet, current)
            if one_rtt and opening.opened_by == opening.next:
                current, first = current + 1, opening.number
                seen["updates"] = seen.get("updates", 0) + 1
            largest[packet.kind] = max(largest[packet.kind], opening.number)
            seen[packet.kind.name] = seen.get(packet.kind.name, 0) + 1
            size = len(opening.header) - packet.number_at
            again = Sealing(opening.opened_by, opening.header, opening.number, size, opening.payload)
            assert quic.seal([again]) == OK and again.packet == packet.data
    assert seen["updates"] >= 2 and seen["INITIAL"] >= 2 and seen["HANDSHAKE"] >= 2 and seen["ONE_RTT"] > 20


@pytest.mark.parametrize("algorithm", SUITES)
@pytest.mark.parametrize("version", [1, 0x6B3343CF])
def test_connections_of_aioquic(quic: Quic, algorithm: str, version: int, certificate: tuple[Any, Any]) -> None:
    connection = Connection(algorithm, version, certificate)
    talk(connection)
    for loses_first in (False, True):
        about = (algorithm, version, connection.connection_id, connection.secrets())
        check(quic, *about, connection.sent, loses_first)


@pytest.fixture(scope="module")
def quinn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of quinn_talk."""
    cargo = shutil.which("cargo")
    if not cargo:
        pytest.fail("install cargo, which compiles quinn", pytrace=False)
    folder = tmp_path_factory.mktemp("quinn")
    where = ("--target-dir", folder, "--manifest-path", QUINN / "Cargo.toml")
    subprocess.run([cargo, "build", "--quiet", "--release", "--locked", *where], check=True)
    return folder / "release/quinn-talk"


@pytest.mark.skipif(not LONG, reason="quinn is compiled, which takes minutes: CRYPTOSTITCH_LONG=1")
@pytest.mark.parametrize(("algorithm", "suite"), {each: each.upper()[:7].replace("-", "_") for each in SUITES}.items())
def test_connections_of_quinn(quic: Quic, quinn: Path, algorithm: str, suite: str) -> None:
    said = subprocess.run([quinn, suite], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = [line.split() for line in said.splitlines()]
    secrets = {line[1]: bytes.fromhex(line[2]) for line in lines if line[0] == "secret"}
    sent = [(line[0] == "client", bytes.fromhex(line[1])) for line in lines if line[0] != "secret"]
    packets = [packet for by_client, data in sent for packet in split(data, by_client)]
    first = pull_quic_header(Buffer(data=sent[0][1]), host_cid_length=8)
    check(quic, algorithm, 1, first.destination_cid, secrets, packets)


@pytest.mark.parametrize("algorithm", SUITES)
@pytest.mark.parametrize("version", [1, 0x6B3343CF])
def test_aioquic_opens_what_is_sealed(quic: Quic, algorithm: str, version: int) -> None:
    rng = random.Random(f"{algorithm} {version}")
    secret = rng.randbytes(QUIC_SECRET_BYTES[algorithm])
    key, peer = quic.from_secret(algorithm, version, secret), CryptoContext()
    peer.setup(cipher_suite=SUITES[algorithm], secret=secret, version=version)
    made = []
    for number in range(0, 40_000, 173):
        size, long = rng.randint(2, 4), rng.random() < 0.3
        header = bytes([0xC0 if long else 0x40]) + rng.randbytes(12) + bytes(size)
        made.append(Sealing(key, header, number, size, rng.randbytes(rng.randrange(4, 1200))))
    assert quic.seal(made) == OK
    for each in made:
        at = len(each.header) - each.number_len
        header, payload, number, update = peer.decrypt_packet(each.packet, at, each.number)
        assert (payload, number, update) == (each.payload, each.number, False)
        assert header[:at] == bytes([header[0]]) + each.header[1:at]
        bad = each.packet[:-1] + bytes([each.packet[-1] ^ 1])
        with pytest.raises(CryptoError):
            peer.decrypt_packet(bad, at, each.number)
        assert quic.open([Opening(key, bad, at, each.number - 1)]) == ERR_AUTH
