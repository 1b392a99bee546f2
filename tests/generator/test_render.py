"""Templates to streams: places, errors, and the parser's rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptostitch import listing
from cryptostitch.core.catalog import Algorithm, Form
from cryptostitch.core.errors import CryptostitchError, TemplateError, UnknownName
from cryptostitch.core.ir import Imm, Mem, Reg
from cryptostitch.core.names import kernel_name, stream_name, target_name
from cryptostitch.frontend.render import TEMPLATES
from cryptostitch.listing import Catalogue
from cryptostitch.pipeline import Generator


def tiny(
    tmp_path, body: str, enter: str = "{{ s.pointers('in') }}{{ v.start('position') }}", isa: str = "sse"
) -> Generator:
    """A generator whose only extra stream is ``tiny_x1``, with this text."""
    folder = tmp_path / "streams"
    folder.mkdir(exist_ok=True)
    (folder / "tiny.j2").write_text(f".enter\n{enter}\n.body\n{body}\n.leave\n")
    form = Form("tiny", "streams/tiny.j2", {isa: (1,)})
    row = Algorithm("tiny", "tiny", "hash", (form,), {"word": 32}, word_bytes=4, words=1, digest_bytes=4)
    return Generator([row], [tmp_path])


def parsed(tmp_path, body: str, **more):
    return tiny(tmp_path, body, **more).virtual(stream_name("tiny_x1"), more.get("isa", "sse"))


def test_every_instruction_knows_its_lines():
    stream = Generator().virtual(stream_name("sha1_x16"), "avx512")
    for _, code in stream.code.sections():
        for ins in code:
            assert ins.places and ins.places[0].file.startswith("streams/"), ins
            assert ins.places[-1].file.startswith(("isa/", "streams/")), ins
    rotate = next(i for i in stream.code.body if i.op == "vprold")
    source = (TEMPLATES / rotate.places[-1].file).read_text().split("\n")
    assert "vprol" in source[rotate.places[-1].line - 1]


@pytest.mark.parametrize(
    "body, line, message",
    [
        ("{{ v.add('a', 'b', 'c') }}\npadddd a, b, c", 5, "unknown instruction 'padddd'; nearest: paddd"),
        ("paddd a", 4, "takes 2 operands, not 1"),
        ("pslld a, b, c", 4, "takes no register here"),
        ("{{ v.ad('a', 'b') }}", 4, "has no 'ad'"),
        ("{{ undefined_name }}", 4, "'undefined_name' is undefined"),
        ("movdqu a, [state.nothing]", 4, "no field 'nothing' in the state block; there are in"),
        ("movdqu a, [@nothing]", 4, "no constant 'nothing'"),
        ("movdqu a, [p + q + r]", 4, "too many registers"),
        ("movdqu a, [p + q + r*2]", 4, "too many registers"),
        ("movdqu a, [p + q*2 + r*4]", 4, "too many registers"),
        ("paddd a, keep[state.in]\nadd b, keep[state.in]", 5, "state+0 is kept with two shapes"),
        ("movdqu a, [p - q]", 4, "only a number can be subtracted in [p - q]"),
        ("mov a, [state.in]\nadd state, 8", 5, "'state' holds the address of the state block and cannot be written"),
        ("add state, a, 8", 4, "cannot be written"),
        ("mov state:d, 8", 4, "cannot be written"),
        ("lea state, [p+8]", 4, "cannot be written"),
        ("movdqa state, a", 4, "cannot be written"),
        ("movdqu [p+position], 5", 4, "takes no immediate here"),
        ("paddd a, b, ?", 4, "cannot read the operand"),
        ("{% if %}", 4, ""),
        ("{{ v.add('a', 'a', nix) }}", 4, "'nix' is undefined"),
        (".bod", 4, "unknown section '.bod': use .enter, .body, .leave"),
        (".with", 4, "'.with' without a .weave"),
        (".woven", 4, "'.woven' without a .weave"),
        (".weave\npxor a, b\n.weave", 6, "'.weave' within a .weave"),
        (".weave\n.leave", 5, "'.leave' before the .woven of a .weave"),
        (".weave\npxor a, b\n.with\npxor c, a\n.woven", 5, "woven sequences share a, which this one writes"),
        (".weave\nmov p, [state.in+0]\n.with\nmovdqu a, [p]\n.woven", 5, "share p, which this one writes"),
    ],
)
def test_errors_name_file_and_line(tmp_path, body, line, message):
    with pytest.raises(TemplateError) as error:
        parsed(tmp_path, body)
    assert f"streams/tiny.j2:{line}" in str(error.value) and message in str(error.value)


def test_woven_sequences_are_spread_evenly_and_keep_their_order(tmp_path):
    one = ["pxor a, k", "pxor b, k", "pxor a, b", "pxor b, a"]
    two = ["mov x, [state.in+0]", "add y, x &", "adc z, x"]
    stream = parsed(tmp_path, "\n".join(["pxor c, k", ".weave", *one, ".with", *two, ".woven", "pxor d, k"]))
    found = ["abcdkxyz".index(ins.operands[0].id) for ins in stream.code.body]
    assert "".join("abcdkxyz"[i] for i in found) == "caxbyzabd"


def test_a_weave_ends_in_its_section(tmp_path):
    generator = tiny(tmp_path, "")
    (tmp_path / "streams" / "tiny.j2").write_text(".body\n.weave\npxor a, b\n")
    with pytest.raises(TemplateError, match="a .weave without its .woven"):
        generator.virtual(stream_name("tiny_x1"), "sse")


def test_a_field_may_be_declared_once(tmp_path):
    with pytest.raises(TemplateError, match="field 'in' is declared twice"):
        parsed(tmp_path, "", enter="{{ s.pointers('in') }}{{ s.pointers('in') }}")


def test_operands(tmp_path):
    stream = parsed(tmp_path, "mov p, [state.in+0]\nmovdqu a, [p + position*2 - 16]\npslld b, a, 0x1f\nmov w:d, 7")
    pointer, load, shift, word = stream.code.body
    assert pointer.operands == (Reg("g", "p", 64), Mem(Reg("g", "state", 64), stream.fields[0].offset, 64))
    assert load.operands == (Reg("v", "a", 128), Mem(Reg("g", "p", 64), -16, 128, Reg("g", "position", 64), 2))
    assert shift.operands[2] == Imm(31)
    assert word.operands[0] == Reg("g", "w", 32)


def test_the_state_pointer_may_be_read(tmp_path):
    stream = parsed(tmp_path, "add p, state, position\nmovdqu a, [p + state.in + 16]")
    add, load = stream.code.body
    state = Reg("g", "state", 64)
    assert add.operands[1] == state
    assert load.operands[1] == Mem(Reg("g", "p", 64), stream.fields[0].offset + 16, 128, state)


def test_kept_operands_become_pseudo_registers(tmp_path):
    stream = parsed(tmp_path, "paddd a, b, {{ s.constant(7) }}")
    kept = stream.code.body[0].operands[2]
    assert kept.id in stream.keep and stream.keep[kept.id].symbol == "w7"
    assert stream.constants[0].data == (7).to_bytes(4, "little") * 4


def test_names_survive_a_round_trip():
    for text in ("sha1_x16", "sha256_ni_x2", "aes128_cbc_enc_x16_1key_hand", "aes256_cbc_enc_x8_by1_1key"):
        assert str(stream_name(text)) == text
    parts, target = kernel_name("aes128_cbc_enc_x16+sha1_x16@avx512_vaes")
    assert [str(p) for p in parts] == ["aes128_cbc_enc_x16", "sha1_x16"] and target == "avx512_vaes"
    assert target_name(["sse", "scalar"], {"aes", "bmi2"}) == "sse_aesni_bmi2"
    for bad in ("sha1", "sha1_x", "SHA1_x4"):
        with pytest.raises(CryptostitchError):
            stream_name(bad)


def test_unknown_names_get_the_nearest():
    with pytest.raises(UnknownName, match="nearest: .*sha1_x16"):
        Generator().virtual(stream_name("shaa1_x16"), "avx512")
    with pytest.raises(UnknownName, match="nearest: .*sha1_x16@avx512"):
        Generator().recipe("sha1_x16@avx51")


def test_what_the_shipped_texts_use_is_found_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By all catalogues of a process; one with a folder of its own may have other texts."""
    kernels = Catalogue().default_kernels("md5_*")

    def rendered(*_: object) -> None:
        raise AssertionError("rendered again")

    monkeypatch.setattr(listing, "render", rendered)
    assert kernels and Catalogue().default_kernels("md5_*") == kernels
    with pytest.raises(AssertionError, match="rendered again"):
        Catalogue((), (tmp_path,)).default_kernels("md5_*")
