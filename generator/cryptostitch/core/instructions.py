"""One row per instruction: what each operand is and does, flags, implicit registers, features.

A row's operands are written as ``access:kinds``. Access is r (read), w (written) or x (both). Kinds are

    v   vector register of the instruction's width     m   memory of the same width as the register form
    y   256-bit register                               a   memory that must be aligned (legacy SSE and aligned moves)
    x   128-bit register (memory then has 128 bits)
    g   general register                               i   immediate
    k   mask register

The rows are checked against iced-x86's operand information in tests/generator/test_instructions.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from .ir import RDX, XMM0, Reg


@dataclass(frozen=True)
class Operand:
    access: str
    kinds: str

    @property
    def reads(self) -> bool:
        return self.access in "rx"

    @property
    def writes(self) -> bool:
        return self.access in "wx"

    @property
    def memory(self) -> bool:
        return "m" in self.kinds or "a" in self.kinds


@dataclass(frozen=True)
class Row:
    """``swap`` names two operand positions that may be exchanged without changing the result."""

    name: str
    operands: tuple[Operand, ...]
    features: frozenset[str]
    swap: tuple[int, int] | None = None
    element: int = 0  # element bits of an embedded broadcast; 0: none
    flags_written: bool = False
    flags_read: bool = False
    implicit: tuple[Reg, ...] = ()  # registers read without being named
    move: bool = False  # copies its source unchanged
    kind: str = "logic"  # logic, shift, shuffle, aes, sha, clmul, galois, multiply, move, mask, scalar, hint
    vartime: bool = False  # its time depends on its operands' values; every row without this mark is constant-time
    only: tuple[int, ...] = ()  # the legal widths, when they are not those of the encoding
    memory: int = 0  # bits of the memory operand, when it has a width of its own
    accesses: bool = True  # False: a memory operand is only an address (lea, hints)

    @property
    def widths(self) -> tuple[int, ...]:
        """Legal widths in bits of the operands of kind v, or g."""
        if self.only:
            return self.only
        if self.kind == "scalar":
            return (32, 64)
        if self.encoding == "legacy":
            return (128,)
        return (128, 256, 512) if self.encoding == "evex" or self.name in EVEX_TWINS else (128, 256)

    def general_bits(self, bits: int) -> int:
        """The width of its general registers, in an instruction of ``bits``: vectors exchange 32 bits with them."""
        return bits if self.kind in ("scalar", "mask") else 32

    def broadcasts(self, bits: int) -> bool:
        """Whether the memory operand may be an embedded broadcast at this width."""
        return bool(self.element) and self.kind != "move" and (self.encoding == "evex" or bits == 512)

    @property
    def encoding(self) -> str:
        """legacy, vex or evex-capable, by the features it needs."""
        if any(f.startswith("avx512") for f in self.features):
            return "evex"
        return "vex" if self.name.startswith("v") else "legacy"


EVEX_TWINS = frozenset(
    f"v{stem}"
    for stem in (
        "paddd paddq psubd psubq pslld psrld psllq psrlq punpckldq punpckhdq punpcklqdq punpckhqdq pshufb pshufd "
        "palignr pbroadcastd pbroadcastq pmuludq psadbw pmaddwd pmaddubsw aesenc aesenclast aesdec aesdeclast pclmulqdq"
    ).split()
)
"""VEX rows whose mnemonic also has an EVEX encoding, and with it a 512-bit form and an embedded broadcast
(`element`)."""

OF_BYTES = frozenset(("vpshufb", "vpalignr", "vpsadbw", "vpmaddwd", "vpmaddubsw"))
"""EVEX mnemonics that work on bytes or words of 16 bits: they need AVX512BW."""

INSTRUCTIONS: dict[str, Row] = {}


def _rows(names: str, operands: str, features: str, **more) -> None:
    parsed = tuple(Operand(*o.split(":")) for o in operands.split())
    for name in names.split():
        INSTRUCTIONS[name] = Row(name, parsed, frozenset(features.split()), **more)


# Legacy SSE: two operands, the first is also a source, memory must be aligned.
_sse = dict(swap=(0, 1))
_rows("paddd paddq pxor pand por", "x:v r:va", "sse2", **_sse)
_rows("pmuludq", "x:v r:va", "sse2", kind="multiply", **_sse)
_rows("psadbw pmaddwd", "x:v r:va", "sse2", kind="multiply", **_sse)
_rows("pmaddubsw", "x:v r:va", "ssse3", kind="multiply")
_rows("psubd psubq pandn", "x:v r:va", "sse2")
_rows("pslld psrld psllq psrlq", "x:v r:i", "sse2", kind="shift")
_rows("punpckldq punpckhdq punpcklqdq punpckhqdq", "x:v r:va", "sse2", kind="shuffle")
_rows("pshufd", "w:v r:va r:i", "sse2", kind="shuffle")
_rows("pshufb", "x:v r:va", "ssse3", kind="shuffle")
_rows("palignr", "x:v r:va r:i", "ssse3", kind="shuffle")
_rows("pblendw", "x:v r:va r:i", "sse4.1", kind="shuffle")
_rows("movdqu", "w:vm r:vm", "sse2", move=True, kind="move")
_rows("movdqa", "w:va r:va", "sse2", move=True, kind="move")
_rows("movd", "w:x r:g", "sse2", kind="shuffle")
_rows("movq", "w:x r:m", "sse2", kind="shuffle", memory=64)
_rows("movhps", "x:x r:m", "sse2", kind="shuffle", memory=64)
_rows("pinsrd", "x:x r:gm r:i", "sse4.1", kind="shuffle", memory=32)
_rows("pextrd", "w:g r:x r:i", "sse4.1", kind="shuffle")
_rows("aesenc aesenclast aesdec aesdeclast", "x:v r:va", "aes", kind="aes")
_rows("pclmulqdq", "x:v r:va r:i", "pclmul", kind="clmul")
_rows("sha1rnds4", "x:v r:va r:i", "sha", kind="sha")
_rows("sha1nexte sha1msg1 sha1msg2 sha256msg1 sha256msg2", "x:v r:va", "sha", kind="sha")
_rows("sha256rnds2", "x:v r:va", "sha", implicit=(XMM0,), kind="sha")

# VEX: three operands. The 256-bit integer forms are AVX2.
_vex = dict(swap=(1, 2))
_rows("vpaddd", "w:v r:v r:vm", "avx2", element=32, **_vex)
_rows("vpaddq", "w:v r:v r:vm", "avx2", element=64, **_vex)
_rows("vpxor vpand vpor", "w:v r:v r:vm", "avx2", **_vex)
_rows("vpsubd vpsubq vpandn", "w:v r:v r:vm", "avx2")
_rows("vpslld vpsrld vpsllq vpsrlq", "w:v r:v r:i", "avx2", kind="shift")
_rows("vpunpckldq vpunpckhdq vpunpcklqdq vpunpckhqdq", "w:v r:v r:vm", "avx2", kind="shuffle")
_rows("vpshufb", "w:v r:v r:vm", "avx2", kind="shuffle")
_rows("vpshufd", "w:v r:vm r:i", "avx2", kind="shuffle")
_rows("vpalignr", "w:v r:v r:vm r:i", "avx2", kind="shuffle")
_rows("vpblendd", "w:v r:v r:vm r:i", "avx2")
_rows("vinserti128", "w:y r:y r:xm r:i", "avx2", kind="shuffle", only=(256,))
_rows("vextracti128", "w:xm r:y r:i", "avx2", kind="shuffle", only=(256,))
_rows("vperm2i128", "w:y r:y r:ym r:i", "avx2", kind="shuffle", only=(256,))
_rows("vbroadcasti128", "w:v r:m", "avx2", kind="move", memory=128, only=(256,))
_rows("vpbroadcastd", "w:v r:m", "avx2", element=32, kind="move", memory=32)
_rows("vpbroadcastq", "w:v r:m", "avx2", element=64, kind="move", memory=64)
_rows("vmovq", "w:v r:m", "avx", kind="shuffle", memory=64, only=(128,))
_rows("vpsadbw vpmaddwd", "w:v r:v r:vm", "avx2", kind="multiply", **_vex)
_rows("vpmaddubsw", "w:v r:v r:vm", "avx2", kind="multiply")
_rows("vpmuludq", "w:v r:v r:vm", "avx2", element=64, kind="multiply", **_vex)
_rows("vmovdqu", "w:vm r:vm", "avx", move=True, kind="move")
_rows("vmovdqa", "w:va r:va", "avx", move=True, kind="move")
_rows("vaesenc vaesenclast vaesdec vaesdeclast", "w:v r:v r:vm", "vaes", kind="aes")
_rows("vpclmulqdq", "w:v r:v r:vm r:i", "vpclmulqdq", kind="clmul")

# EVEX: 32 registers, ternary logic, rotates, embedded broadcast.
_rows("vpxord vpandd vpord", "w:v r:v r:vm", "avx512f", element=32, **_vex)
_rows("vpmadd52luq vpmadd52huq", "x:v r:v r:vm", "avx512f avx512ifma", element=64, kind="multiply")
_rows("vpermi2b", "x:v r:v r:vm", "avx512f avx512vbmi", kind="shuffle", only=(512,))
_rows("vpmultishiftqb", "w:v r:v r:vm", "avx512f avx512vbmi", kind="shuffle", only=(512,))
_rows("vgf2p8affineqb", "w:v r:v r:vm r:i", "avx512f gfni", kind="galois", only=(512,))
_rows("vpxorq vpandq vporq", "w:v r:v r:vm", "avx512f", element=64, **_vex)
_rows("vpternlogd", "x:v r:v r:vm r:i", "avx512f", element=32)
_rows("vpternlogq", "x:v r:v r:vm r:i", "avx512f", element=64)
_rows("vprold vprord", "w:v r:vm r:i", "avx512f", element=32, kind="shift")
_rows("vprolq vprorq", "w:v r:vm r:i", "avx512f", element=64, kind="shift")
_rows("vmovdqu32 vmovdqu64", "w:vm r:vm", "avx512f", move=True, kind="move")
_rows("vmovdqu8", "w:vm r:vm", "avx512f avx512bw", move=True, kind="move")
_rows("kmovq", "w:k r:gm", "avx512f avx512bw", kind="mask", only=(64,), memory=64)
_rows("vmovdqa32 vmovdqa64", "w:va r:va", "avx512f", move=True, kind="move")
_rows("vbroadcasti32x4", "w:v r:m", "avx512f", kind="move", memory=128, only=(256, 512))
_rows("vinserti32x4", "w:v r:v r:xm r:i", "avx512f", kind="shuffle", only=(256, 512))
_rows("vextracti32x4", "w:xm r:v r:i", "avx512f", kind="shuffle", only=(256, 512))
_rows("vinserti64x4", "w:v r:v r:ym r:i", "avx512f", kind="shuffle", only=(512,))
_rows("valignq", "w:v r:v r:vm r:i", "avx512f", element=64, kind="shuffle")
_rows("vshufi32x4", "w:v r:v r:vm r:i", "avx512f", element=32, kind="shuffle", only=(256, 512))
_rows("vshufi64x2", "w:v r:v r:vm r:i", "avx512f", element=64, kind="shuffle", only=(256, 512))

# General registers.
_rows("mov", "w:gm r:gmi", "", move=True, kind="scalar")
_rows("add xor and or", "x:g r:gmi", "", swap=(0, 1), flags_written=True, kind="scalar")
_rows("adc", "x:g r:gmi", "", swap=(0, 1), flags_written=True, flags_read=True, kind="scalar")
_rows("sub", "x:g r:gmi", "", flags_written=True, kind="scalar")
_rows("sbb", "x:g r:gmi", "", flags_written=True, flags_read=True, kind="scalar")
_rows("not", "x:g", "", kind="scalar")
_rows("rol ror shl shr sar", "x:g r:i", "", flags_written=True, kind="scalar")
_rows("bswap", "x:g", "", kind="scalar")
_rows("movbe", "w:g r:m", "movbe", kind="scalar")
_rows("lea", "w:g r:m", "", kind="scalar", accesses=False)
_rows("prefetcht0", "r:m", "", kind="hint", only=(64,), memory=8, accesses=False)
_rows("rorx", "w:g r:gm r:i", "bmi2", kind="scalar")
_rows("andn", "w:g r:g r:gm", "bmi1", flags_written=True, kind="scalar")
_rows("bzhi", "w:g r:gm r:g", "bmi2", flags_written=True, kind="scalar")
_rows("crc32", "x:g r:gm", "sse4.2", kind="scalar", only=(64,))
_rows("imul", "x:g r:gm", "", swap=(0, 1), flags_written=True, kind="scalar", only=(64,))
_rows("mulx", "w:g w:g r:gm", "bmi2", implicit=(RDX,), kind="scalar", only=(64,))


def memory_bits(row: Row, operand: int, bits: int) -> int:
    """The bits that operand number ``operand`` accesses if it is memory (no broadcast); ``bits`` is the instruction's
    width."""
    kinds = row.operands[operand].kinds
    if not row.accesses:
        return 0
    return row.memory or (128 if "x" in kinds else 256 if "y" in kinds else bits)


def features_of(row: Row, bits: int, registers: int = 16) -> frozenset[str]:
    """The CPUID features of ``row`` at a vector width: wide forms of VEX and VAES rows are AVX-512 instructions, and so
    are those whose registers may be beyond the first sixteen."""
    features = set(row.features)
    beyond = registers > 16 and row.encoding == "vex"
    if (row.encoding == "evex" or beyond) and 0 < bits < 512 and row.kind != "mask":
        features.add("avx512vl")
    if (bits == 512 or (beyond and bits)) and row.name in OF_BYTES:
        features.add("avx512bw")
    if bits == 512:
        features -= {"avx", "avx2"}
        features.add("avx512f")
    elif (
        bits == 128
        and row.name.startswith("v")
        and "avx2" in features
        and row.name not in ("vpblendd", "vpbroadcastd", "vpbroadcastq")
    ):
        features = (features - {"avx2"}) | {"avx"}
    if row.name.startswith("vaes"):
        features = {"vaes"} | ({"avx512f"} if bits == 512 else set()) if bits > 128 else {"aes", "avx"}
    if row.name == "vpclmulqdq":
        features = {"vpclmulqdq"} | ({"avx512f"} if bits == 512 else set()) if bits > 128 else {"pclmul", "avx"}
    features.discard("sse2")
    return frozenset(features)
