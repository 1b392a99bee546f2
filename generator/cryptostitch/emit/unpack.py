"""Reads packs back, for tests and tools. The runtime's own reader, which trusts nothing, is runtime/code/pack.cpp."""

from __future__ import annotations

import itertools
import struct
import zlib
from dataclasses import dataclass

from ..core.answers import Answer
from ..core.contract import KEY_FORMS, Contract, Field
from ..core.ir import GENERAL, MASK, Code, Constant, Imm, Ins, Mem, Operand, Reg, Window
from ..core.kinds import KINDS
from ..core.program import DERIVED_MARK, FLAGS, Algorithm, CostTable, Part, Program, Recipe
from ..core.tree import Tree
from ..passes.weave import STRATEGIES
from . import pack as p
from .compress import restored

PUBLIC = {kind.number for kind in KINDS.values() if kind.public}


@dataclass(frozen=True)
class Pack:
    algorithms: tuple[Algorithm, ...]
    programs: tuple[Program, ...]
    recipes: tuple[Recipe, ...]
    costs: tuple[CostTable, ...]
    answers: tuple[Answer, ...] = ()


def read_pack(data: bytes) -> Pack:
    """Reads what `write_pack` wrote. Constants come back under the names c0, c1, ... and shared/secret flags as they
    were.

    Raises ValueError for a wrong magic, version, size or CRC; struct.error, IndexError or zstandard.ZstdError for other
    damage.
    """
    magic, version, size, crc, _, *flat = p.HEADER.unpack_from(data)
    if magic != p.MAGIC or version != p.VERSION or size != len(data) or crc != zlib.crc32(data[24:]):
        raise ValueError("not a pack of this version, or a damaged one")
    return _Reader(data, dict(zip(p.SECTIONS, zip(flat[::2], flat[1::2])))).pack()


class _Reader:
    def __init__(self, data: bytes, sections: dict[str, tuple[int, int]]) -> None:
        self.data, self.sections = data, sections
        self.mnemonics = [self.text(o) for o in self.offsets("mnemonics")]
        self.fields = [self.field(o) for o in self.offsets("fields")]
        self.constants = [self.constant(o) for o in self.offsets("constants")]

    def offsets(self, section: str) -> tuple[int, ...]:
        offset, count = self.sections[section]
        return struct.unpack_from(f"<{count}I", self.data, offset)

    def text(self, offset: int) -> str:
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def pack(self) -> Pack:
        algorithms = tuple(self.algorithm(o) for o in self.offsets("algorithms"))
        programs = tuple(self.program(o, algorithms) for o in self.offsets("programs"))
        recipes = tuple(self.recipe(o, programs) for o in self.offsets("kernels"))
        costs = tuple(self.cost(o, recipes) for o in self.offsets("costs"))
        return Pack(algorithms, programs, recipes, costs, tuple(map(self.answer, self.offsets("answers"))))

    def algorithm(self, offset: int) -> Algorithm:
        name, suite, *n = p.ALGORITHM.unpack_from(self.data, offset)
        words = n[3]
        return Algorithm(
            self.text(name),
            self.text(suite),
            n[0],
            n[1],
            n[2],
            words,
            n[4],
            bool(n[5] & FLAGS["big_endian"]),
            n[6],
            n[7],
            n[8],
            n[9],
            struct.unpack_from(f"<{words}Q", self.data, offset + p.ALGORITHM.size),
            self.algorithm_name(n[10]) if n[10] else "",
            n[11],
            n[12],
            n[13],
            bool(n[5] & FLAGS["extendable"]),
            bool(n[5] & FLAGS["hmac"]),
            n[14],
            n[15],
            self.text(n[16]),
            self.tree(offset + p.ALGORITHM.size + 8 * words) if n[5] & FLAGS["leaves"] else None,
        )

    def tree(self, offset: int) -> Tree:
        *numbers, behind, marker, end = p.LEAVES.unpack_from(self.data, offset)
        ends = list(itertools.accumulate((behind, marker, end), initial=offset + p.LEAVES.size))
        return Tree(*numbers, *(self.data[a:b] for a, b in itertools.pairwise(ends)))

    def answer(self, offset: int) -> Answer:
        suite, *lengths = p.ANSWER.unpack_from(self.data, offset)
        ends = [offset + p.ANSWER.size, *itertools.accumulate(lengths, initial=offset + p.ANSWER.size)][1:]
        return Answer(self.text(suite), *(self.data[a:b] for a, b in itertools.pairwise(ends)))

    def algorithm_name(self, number: int) -> str:
        return self.text(struct.unpack_from("<I", self.data, self.offsets("algorithms")[number - 1])[0])

    def program(self, offset: int, algorithms: tuple[Algorithm, ...]) -> Program:
        (
            name,
            stream,
            algorithm,
            lanes,
            lane_bytes,
            flags,
            vectors,
            generals,
            masks,
            _,
            state_bytes,
            state_align,
            features,
            n_fields,
            n_constants,
            n_enter,
            n_body,
            n_leave,
            code_bytes,
            stored_bytes,
        ) = p.PROGRAM.unpack_from(self.data, offset)
        offset += p.PROGRAM.size
        numbers = struct.unpack_from(f"<{n_fields + n_constants}H", self.data, offset)
        offset += (2 * len(numbers) + 3) & ~3
        code = _Code(restored(self.data[offset : offset + stored_bytes], code_bytes), self.mnemonics)
        sections = [tuple(code.instruction() for _ in range(n)) for n in (n_enter, n_body, n_leave)]
        contract = Contract(
            lanes,
            lane_bytes,
            tuple(self.fields[i] for i in numbers[:n_fields]),
            state_bytes,
            state_align,
            bool(flags & p.READS_INPUT),
            tuple(Constant(f"c{i}", self.constants[k]) for i, k in enumerate(numbers[n_fields:])),
            frozenset(filter(None, self.text(features).split(","))),
            algorithms[algorithm].kind in PUBLIC,
        )
        full = self.text(name)
        return Program(
            full,
            self.text(stream),
            algorithms[algorithm].name,
            full.partition("@")[2].partition("#")[0],
            Code(*sections),
            Window(vectors, generals, masks),
            contract,
        )

    def field(self, offset: int) -> Field:
        name, start, rows, row_bytes, entry_bytes, flags, reach, n = p.FIELD.unpack_from(self.data, offset)
        return Field(
            self.text(name),
            start,
            rows,
            row_bytes,
            entry_bytes,
            struct.unpack_from(f"<{n}H", self.data, offset + p.FIELD.size),
            bool(flags & p.SECRET),
            bool(flags & p.SHARED),
            reach=reach,
            reach_align=flags >> p.REACH_ALIGN_SHIFT,
            reach_written=bool(flags & p.REACH_WRITTEN),
            form=KEY_FORMS[flags >> p.FORM_SHIFT & p.FORM_MASK],
        )

    def constant(self, offset: int) -> bytes:
        (size,) = struct.unpack_from("<I", self.data, offset)
        return self.data[offset + 4 : offset + 4 + size]

    def recipe(self, offset: int, programs: tuple[Program, ...]) -> Recipe:
        name, target, _, strategy, flags, n = p.KERNEL.unpack_from(self.data, offset)
        streams = [p.STREAM.unpack_from(self.data, offset + p.KERNEL.size + i * p.STREAM.size) for i in range(n)]
        parts = tuple(Part(programs[i], ratio, lead, lag) for i, ratio, lead, lag in streams)
        return Recipe(self.text(name), self.text(target), parts, STRATEGIES[strategy], bool(flags & p.STATIC))

    def cost(self, offset: int, recipes: tuple[Recipe, ...]) -> CostTable:
        name, message, n = struct.unpack_from("<III", self.data, offset)
        entries = [struct.unpack_from("<III", self.data, offset + 12 + 12 * i) for i in range(n)]
        text = self.text(name)
        costs = {recipes[k].name: (iteration, call) for k, iteration, call in entries}
        return CostTable(text.removeprefix(DERIVED_MARK), costs, text.startswith(DERIVED_MARK), message)


class _Code:
    def __init__(self, data: bytes, mnemonics: list[str]) -> None:
        self.data, self.mnemonics, self.at = data, mnemonics, 0

    def take(self, code: str) -> tuple[int, ...]:
        values = struct.unpack_from(code, self.data, self.at)
        self.at += struct.calcsize(code)
        return values

    def instruction(self) -> Ins:
        mnemonic, flags = self.take("<HB")
        mask = Reg(MASK, self.take("<B")[0], 64) if flags & p.HAS_MASK else None
        operands = tuple(self.operand() for _ in range(flags & 15))
        return Ins(self.mnemonics[mnemonic], operands, mask, bool(flags & p.ZEROING), bool(flags & p.GLUE))

    def operand(self) -> Operand:
        (tag,) = self.take("<B")
        if tag < len(p.WIDTHS):
            cls, bits = p.WIDTHS[tag]
            return Reg(cls, self.take("<B")[0], bits)
        if tag in p.SHARED_TAGS:
            return p.SHARED_TAGS[tag]
        for immediate_tag, code, _ in p.IMMEDIATES:
            if tag == immediate_tag:
                return Imm(self.take(code)[0])
        flags, base, index, scale, size, broadcast, disp = self.take("<6Bi")
        bits = 0 if size == p.NO_ACCESS else 8 << size
        copies = 1 << broadcast if broadcast else 0
        if flags & p.IS_CONSTANT:
            return Mem(None, 0, bits, broadcast=copies, symbol=f"c{disp}")
        return Mem(
            Reg(GENERAL, base, 64) if flags & p.HAS_BASE else None,
            disp,
            bits,
            Reg(GENERAL, index, 64) if flags & p.HAS_INDEX else None,
            1 << scale,
            copies,
        )
