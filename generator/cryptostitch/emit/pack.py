"""Writes packs: programs and kernels in the compact form that the runtime replays (reader: runtime/code/pack.cpp).

All numbers are little-endian, all offsets count from the start of the pack, every record starts at a multiple of 4.
Fields and constants, of which programs have many alike, stand once, and programs name them by number. The same input
gives the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Sequence

from ..core.answers import Answer
from ..core.contract import FROM_HAND, HAND, KEY, KEY_FORMS, Contract, Field
from ..core.ir import GENERAL, MASK, RDX, VECTOR, XMM0, Imm, Ins, Operand, Reg
from ..core.program import Algorithm, CostTable, Program, Recipe
from ..core.tree import Tree
from ..passes.weave import STRATEGIES

MAGIC = b"CSTPACK\0"
VERSION = 10
SECTIONS = ("strings", "mnemonics", "algorithms", "fields", "constants", "programs", "kernels", "costs", "answers")
HEADER = struct.Struct(f"<8s4I{2 * len(SECTIONS)}I")
ALGORITHM = struct.Struct("<19I")
LEAVES = struct.Struct("<7I")
PROGRAM = struct.Struct("<6I4B10I")
FIELD = struct.Struct("<8I")
KERNEL = struct.Struct("<6I")
STREAM = struct.Struct("<IIiI")
ANSWER = struct.Struct("<8I")  # the suite, and the lengths of its parts
MEMORY = struct.Struct("<7Bi")

BY1, SHARED_KEY, IS_HAND, READS_INPUT = 1, 2, 4, 8
SECRET, SHARED, REACH_WRITTEN, FORM_SHIFT, FORM_MASK, REACH_ALIGN_SHIFT = 1, 2, 4, 4, 15, 8
STATIC = 1
GLUE, ZEROING, HAS_MASK = 1 << 4, 1 << 5, 1 << 6
WIDTHS = (
    (VECTOR, 128),
    (VECTOR, 256),
    (VECTOR, 512),
    (GENERAL, 32),
    (GENERAL, 64),
    (MASK, 64),
    (GENERAL, 8),
    (GENERAL, 16),
)
IMMEDIATES = ((16, "<b", 7), (17, "<i", 31), (18, "<q", 63))  # tag, format, bits without sign
SHARED_TAGS = {8: XMM0, 9: RDX}  # the registers themselves, shared by the streams: see passes/bind.py
MEMORY_TAG = 32
HAS_BASE, HAS_INDEX, IS_CONSTANT = 1, 2, 4
NO_ACCESS = 0xFF  # bytes log2 of an operand that is only an address (lea, hints)


def write_pack(
    algorithms: Sequence[Algorithm],
    recipes: Sequence[Recipe],
    costs: Sequence[CostTable] = (),
    programs: Sequence[Program] = (),
    store: Callable[[bytes], bytes] = bytes,
    answers: Sequence[Answer] = (),
) -> bytes:
    """The bytes of a pack: the recipes as kernels, the programs that they use, then ``programs`` that none uses.

    ``store`` says how the code of a program is stored: as it is, or shorter (`compress.compressed`).
    Raises ValueError when two different programs or two kernels bear one name, or an algorithm is missing.
    """
    return _Writer(algorithms, recipes, costs, programs, store, answers).packed()


class _Writer:
    def __init__(
        self,
        algorithms: Sequence[Algorithm],
        recipes: Sequence[Recipe],
        costs: Sequence[CostTable],
        programs: Sequence[Program],
        store: Callable[[bytes], bytes],
        answers: Sequence[Answer],
    ) -> None:
        self.algorithms, self.recipes, self.costs, self.store = algorithms, recipes, costs, store
        self.answers = answers
        self.programs: dict[str, Program] = {}
        for program in [part.program for recipe in recipes for part in recipe.parts] + list(programs):
            known = self.programs.setdefault(program.name, program)
            if known is not program and known != program:
                raise ValueError(f"two different programs are called {program.name}")
        self.algorithm_index = _indices("algorithm", [a.name for a in algorithms])
        self.program_index = {name: i for i, name in enumerate(self.programs)}
        self.kernel_index = _indices("kernel", [r.name for r in recipes])
        ops = {i.op for p in self.programs.values() for _, section in p.code.sections() for i in section}
        self.mnemonics = {op: i for i, op in enumerate(sorted(ops))}
        self.strings: dict[str, int] = {}
        self.string_bytes = bytearray()
        self.fields: dict[bytes, int] = {}
        self.constants: dict[bytes, int] = {}

    def string(self, text: str) -> int:
        if text not in self.strings:
            self.strings[text] = HEADER.size + len(self.string_bytes)
            self.string_bytes += text.encode() + b"\0"
        return self.strings[text]

    def packed(self) -> bytes:
        records = {
            "mnemonics": [struct.pack("<I", self.string(op)) for op in self.mnemonics],
            "algorithms": [self.algorithm(a) for a in self.algorithms],
            "programs": [self.program(p) for p in self.programs.values()],
            "kernels": [self.kernel(r) for r in self.recipes],
            "costs": [self.cost(c) for c in self.costs],
            "answers": [self.answer(a) for a in self.answers],
            "fields": list(self.fields),
            "constants": list(self.constants),
        }
        body = bytearray(_padded(self.string_bytes))
        sections = [(HEADER.size, len(self.string_bytes))]
        for name in SECTIONS[1:]:
            start = HEADER.size + len(body)
            sections.append((start, len(records[name])))
            if name == "mnemonics":
                body += b"".join(records[name])
                continue
            offset = start + 4 * len(records[name])
            for record in records[name]:
                body += struct.pack("<I", offset)
                offset += len(record)
            body += b"".join(records[name])
        flat = [n for pair in sections for n in pair]
        tail = struct.pack(f"<{len(flat)}I", *flat) + body
        return HEADER.pack(MAGIC, VERSION, HEADER.size + len(body), zlib.crc32(tail), 0, *flat) + body

    def algorithm(self, a: Algorithm) -> bytes:
        return ALGORITHM.pack(
            self.string(a.name),
            self.string(a.suite),
            a.kind,
            a.block_bytes,
            a.word_bytes,
            a.words,
            a.digest_bytes,
            a.flags,
            a.length_bytes,
            a.key_bytes,
            a.iv_bytes,
            a.rounds,
            self.base(a),
            a.padding,
            a.input_bytes,
            a.domain,
            a.last,
            a.squeeze_bytes,
            self.string(a.block_cipher),
        ) + _padded(struct.pack(f"<{a.words}Q", *a.initial, *(0,) * (a.words - len(a.initial))) + _leaves(a.tree))

    def base(self, a: Algorithm) -> int:
        """Index + 1, or 0."""
        if a.base and a.base not in self.algorithm_index:
            raise ValueError(f"{a.name}: no algorithm record {a.base!r}")
        return self.algorithm_index[a.base] + 1 if a.base else 0

    def program(self, p: Program) -> bytes:
        if p.algorithm not in self.algorithm_index:
            raise ValueError(f"{p.name}: no algorithm record {p.algorithm!r}")
        constants = {constant.name: i for i, constant in enumerate(p.contract.constants)}
        sections = [section for _, section in p.code.sections()]
        code = b"".join(self.instruction(ins, constants) for section in sections for ins in section)
        stored = self.store(code)
        c = p.contract
        head = PROGRAM.pack(
            self.string(p.name),
            self.string(p.stream),
            self.algorithm_index[p.algorithm],
            c.lanes,
            c.bytes,
            program_flags(p.stream, c),
            p.window.vectors,
            p.window.generals,
            p.window.masks,
            0,
            c.state_bytes,
            c.state_align,
            self.string(",".join(sorted(c.features))),
            len(c.fields),
            len(c.constants),
            *map(len, sections),
            len(code),
            len(stored),
        )
        numbers = [_number(self.fields, self.field(f)) for f in c.fields]
        numbers += [_number(self.constants, struct.pack("<I", len(k.data)) + k.data) for k in c.constants]
        return head + _padded(struct.pack(f"<{len(numbers)}H", *numbers)) + _padded(stored)

    def field(self, f: Field) -> bytes:
        lanes = struct.pack(f"<{len(f.lane_offsets)}H", *f.lane_offsets)
        flags = SECRET * f.secret | SHARED * f.shared | REACH_WRITTEN * f.reach_written
        flags |= KEY_FORMS.index(f.form) << FORM_SHIFT | f.reach_align << REACH_ALIGN_SHIFT
        return FIELD.pack(
            self.string(f.name), f.offset, f.rows, f.row_bytes, f.entry_bytes, flags, f.reach, len(f.lane_offsets)
        ) + _padded(lanes)

    def instruction(self, ins: Ins, constants: dict[str, int]) -> bytes:
        flags = len(ins.operands) | GLUE * ins.glue | ZEROING * ins.zeroing | HAS_MASK * (ins.mask is not None)
        mask = bytes([ins.mask.number]) if ins.mask is not None else b""
        operands = b"".join(_operand(o, constants, ins) for o in ins.operands)
        return struct.pack("<HB", self.mnemonics[ins.op], flags) + mask + operands

    def kernel(self, r: Recipe) -> bytes:
        head = KERNEL.pack(
            self.string(r.name),
            self.string(r.target),
            self.string(",".join(sorted(r.features))),
            STRATEGIES.index(r.strategy),
            STATIC * r.static,
            len(r.parts),
        )
        return head + b"".join(STREAM.pack(self.program_index[p.program.name], p.ratio, p.lead, p.lag) for p in r.parts)

    def cost(self, c: CostTable) -> bytes:
        entries = sorted(
            (self.kernel_index[name], *cost) for name, cost in c.costs.items() if name in self.kernel_index
        )
        return struct.pack("<III", self.string(c.name), c.message, len(entries)) + b"".join(
            struct.pack("<III", *entry) for entry in entries
        )

    def answer(self, a: Answer) -> bytes:
        return ANSWER.pack(self.string(a.suite), *map(len, a.parts)) + _padded(b"".join(a.parts))


def _leaves(tree: Tree | None) -> bytes:
    """Returns the bytes that follow the record of an algorithm with leaves; none for another algorithm."""
    if tree is None:
        return b""
    parts = (tree.behind, tree.marker, tree.end)
    numbers = (tree.leaf_bytes, tree.digest_bytes, tree.leaf_domain, tree.node_domain)
    return LEAVES.pack(*numbers, *map(len, parts)) + b"".join(parts)


def program_flags(stream: str, contract: Contract) -> int:
    """Returns the properties of a stream that the runtime asks for, as bits of one number."""
    return (
        BY1 * ("by1" in stream.split("_"))
        | SHARED_KEY * any(f.name == KEY and f.shared for f in contract.fields)
        | IS_HAND * (contract.has(HAND) or contract.has(FROM_HAND))
        | READS_INPUT * contract.reads_input
    )


def _indices(what: str, names: Iterable[str]) -> dict[str, int]:
    index: dict[str, int] = {}
    for name in names:
        if name in index:
            raise ValueError(f"two {what}s are called {name}")
        index[name] = len(index)
    return index


def _number(known: dict[bytes, int], record: bytes) -> int:
    """Returns the number of a record among the known ones, to which it adds the record."""
    return known.setdefault(record, len(known))


def _padded(data: bytes | bytearray) -> bytes:
    return bytes(data) + b"\0" * (-len(data) % 4)


def _log2(value: int, what: str, ins: Ins) -> int:
    if value <= 0 or value & (value - 1):
        raise ValueError(f"{ins.op}: {what} {value} is not a power of two")
    return value.bit_length() - 1


def _operand(operand: Operand, constants: dict[str, int], ins: Ins) -> bytes:
    for tag, shared in SHARED_TAGS.items():
        if operand == shared:
            return bytes([tag])
    if isinstance(operand, Reg):
        if operand.physical or not isinstance(operand.id, int):
            raise ValueError(f"{ins.op}: register {operand.id} is not relative to a window")
        return bytes([WIDTHS.index((operand.cls, 64 if operand.cls == MASK else operand.bits)), operand.id])
    if isinstance(operand, Imm):
        for tag, code, bits in IMMEDIATES:
            if -(1 << bits) <= operand.value < 1 << bits:
                return bytes([tag]) + struct.pack(code, operand.value)
        raise ValueError(f"{ins.op}: immediate {operand.value} exceeds 64 bits")
    flags, base, index, disp = 0, 0, 0, operand.disp
    if operand.base is not None:
        flags, base = HAS_BASE, operand.base.number
    elif operand.symbol is not None:
        if operand.disp or operand.index is not None:
            raise ValueError(f"{ins.op}: a constant takes neither displacement nor index")
        flags, disp = IS_CONSTANT, constants[operand.symbol]
    if operand.index is not None:
        flags, index = flags | HAS_INDEX, operand.index.number
    size = _log2(operand.bits // 8, "size in bytes", ins) if operand.bits else NO_ACCESS
    broadcast = _log2(operand.broadcast, "broadcast", ins) if operand.broadcast else 0
    return MEMORY.pack(MEMORY_TAG, flags, base, index, _log2(operand.scale, "scale", ins), size, broadcast, disp)
