"""Rendered text -> IR. Unknown mnemonics, operands that do not fit their row and undeclared names are errors with their
place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..core.accesses import names_read, names_written
from ..core.contract import Field
from ..core.errors import TemplateError, nearest
from ..core.instructions import INSTRUCTIONS, Row, features_of
from ..core.ir import GENERAL, MASK, SHARED, STATE, VECTOR, Code, Imm, Ins, Mem, Operand, Place, Reg
from ..core.isa import Isa
from ..core.merge import merged
from ..core.stream import Claim, Stream
from .render import MARK, Rendered

_NAME = r"[A-Za-z_][\w.]*?"
_REGISTER = re.compile(r"(" + _NAME + r")(?::([xyzdq]))?$")
_MASK = re.compile(r"^([^{]*)\{(" + _NAME + r")\}(\{z\})?$")
_MEMORY = re.compile(r"(keep)?\[(.+)\](?:\{1to(\d+)\})?$")
_SUFFIX_BITS = {"x": 128, "y": 256, "z": 512, "d": 32, "q": 64}


class _Line:
    """One instruction line: knows its place and complains with it."""

    def __init__(self, places: tuple[Place, ...]):
        self.places = places

    def fail(self, message: str) -> TemplateError:
        return TemplateError(self.places[0] if self.places else "?:0", message)


def parse(
    rendered: Rendered, isa: Isa, *, name: str, algorithm: str, bytes_per_iteration: int, public: bool = False
) -> Stream:
    """The stream that ``rendered`` describes; lanes, fields and constants come from its layout."""
    parser = _Parser(rendered, isa)
    sections: dict[str, list[Ins]] = {"enter": [], "body": [], "leave": []}
    name_of_section, claims = "enter", list[Claim]()
    woven: list[list[Ins]] = []  # sequences between .weave and .woven
    for raw in rendered.text.split("\n"):
        text, _, mark = raw.partition(MARK)
        text = text.strip()
        if not text:
            continue
        places = tuple(Place(f, int(n)) for f, _, n in (p.rpartition(":") for p in mark.split()))
        if text in (".weave", ".with", ".woven"):
            if bool(woven) == (text == ".weave"):
                raise TemplateError(
                    places[0] if places else name, f"'{text}' {'within' if woven else 'without'} a .weave"
                )
            if text == ".woven":
                sections[name_of_section] += _in_one(woven)
                woven = []
            else:
                woven.append([])
            continue
        if woven and text.startswith("."):
            raise TemplateError(places[0] if places else name, f"'{text}' before the .woven of a .weave")
        if text.startswith(".claim "):
            claims.append(_claim(text, name_of_section, len(sections[name_of_section]), places))
            continue
        if text.startswith("."):
            if text[1:] not in sections:
                raise TemplateError(
                    places[0] if places else name, f"unknown section '{text}': use .enter, .body, .leave"
                )
            name_of_section = text[1:]
            continue
        (woven[-1] if woven else sections[name_of_section]).append(parser.instruction(text, places))
    if woven:
        raise TemplateError(name, "a .weave without its .woven")
    layout = rendered.layout
    return Stream(
        name,
        algorithm,
        isa.name,
        layout.lanes,
        bytes_per_iteration,
        Code(*(tuple(sections[s]) for s in ("enter", "body", "leave"))),
        layout.fields(),
        layout.constants(),
        parser.keep,
        layout.reads_input,
        frozenset(parser.features),
        public,
        tuple(claims),
    )


def _in_one(sequences: list[list[Ins]]) -> list[Ins]:
    """Returns the sequences as the weave of streams interleaves them. Raises TemplateError where one writes a register
    that another names."""
    for n, sequence in enumerate(sequences):
        others = [ins for m, other in enumerate(sequences) if m != n for ins in other]
        named = {key for ins in others for key in names_read(ins) | names_written(ins)}
        for ins in sequence:
            if shared := sorted(str(name) for _, name in names_written(ins) & named):
                raise _Line(ins.places).fail(f"woven sequences share {', '.join(shared)}, which this one writes")
    return [ins for _, ins in merged(dict(enumerate(sequences)), dict.fromkeys(range(len(sequences)), 0))]


def _claim(text: str, section: str, at: int, places: tuple[Place, ...]) -> Claim:
    """``.claim OPERATION [FACTOR,FACTOR] RESULT = OPERAND, OPERAND`` as render.claimed() writes it."""
    head, _, operands = text.partition(" = ")
    _, operation, listed, *result = head.split()
    factors = tuple(map(int, filter(None, listed.strip("[]").split(","))))
    numbers = tuple(tuple(number.split()) for number in operands.split(","))
    return Claim(section, at, operation, tuple(result), numbers, factors, places[0] if places else None)


class _Parser:
    def __init__(self, rendered: Rendered, isa: Isa):
        self.isa = isa
        self.fields: Mapping[str, Field] = {f.name: f for f in rendered.layout.fields()}
        self.constants = {c.name: c for c in rendered.layout.constants()}
        self.keep: dict[str, Mem] = {}
        self.features: set[str] = set()

    def instruction(self, text: str, places: tuple[Place, ...]) -> Ins:
        line = _Line(places)
        glue = text.endswith("&")
        op, _, rest = text.rstrip("& ").partition(" ")
        row = INSTRUCTIONS.get(op)
        if row is None:
            near = nearest(op, INSTRUCTIONS)
            raise line.fail(f"unknown instruction '{op}'" + (f"; nearest: {', '.join(near)}" if near else ""))
        texts = [o.strip() for o in rest.split(",")] if rest.strip() else []
        mask, zeroing = None, False
        masked = _MASK.match(texts[0]) if texts and row.encoding == "evex" else None
        if masked:
            texts[0], mask, zeroing = masked[1], Reg(MASK, masked[2], 64), bool(masked[3])
        slots = list(row.operands)
        if len(texts) == len(slots) + 1 and slots[0].access == "x":
            slots = [slots[0], slots[0], *slots[1:]]
        if len(texts) != len(slots):
            raise line.fail(f"'{op}' takes {len(row.operands)} operands, not {len(texts)}: {text}")
        bits = self._width(row, texts)
        operands = tuple(self._operand(row, slot.kinds, t, bits, line) for slot, t in zip(slots, texts))
        vector = bits if any("v" in s.kinds for s in row.operands) else 0
        if not vector and any(c in s.kinds for s in row.operands for c in "xy"):
            vector = self.isa.vector_bits
        self.features |= features_of(row, vector, self.isa.vectors)
        ins = Ins(op, operands, mask, zeroing, glue=glue, places=places)
        if any(written == STATE for _, written in names_written(ins)):
            raise line.fail(f"'{STATE}' holds the address of the state block and cannot be written")
        return ins

    def _width(self, row: Row, texts: list[str]) -> int:
        """Bits of the operands of kind v or g: a suffix on any of them, else the ISA's width."""
        wide = any("v" in s.kinds for s in row.operands)
        for text in texts:
            match = _REGISTER.match(text)
            if match and match[2] and (match[2] in "xyz") == wide:
                return _SUFFIX_BITS[match[2]]
        return self.isa.vector_bits if wide else 64

    def _operand(self, row: Row, kinds: str, text: str, bits: int, line: _Line) -> Operand:
        memory = _MEMORY.match(text)
        register_bits = 128 if "x" in kinds else 256 if "y" in kinds else bits
        if memory:
            if not ("m" in kinds or "a" in kinds):
                raise line.fail(f"'{row.name}' takes no memory here: {text}")
            copies = int(memory[3] or 0)
            if copies and copies * row.element != bits:
                raise line.fail(f"'{row.name}' has no broadcast {{1to{copies}}}")
            if not row.accesses:
                access = 0
            elif row.memory:
                access = row.memory
            elif row.kind == "move" and row.element:
                copies, access = 0, row.element
            else:
                access = row.element if copies else register_bits
            mem = self._memory(memory[2], access, copies, line)
            return self._kept(mem, bits, line) if memory[1] else mem
        if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text):
            if "i" not in kinds:
                raise line.fail(f"'{row.name}' takes no immediate here: {text}")
            return Imm(int(text, 0))
        register = _REGISTER.match(text)
        if not register:
            raise line.fail(f"cannot read the operand '{text}'")
        if register[1] in SHARED:
            return SHARED[register[1]]
        cls = VECTOR if any(c in kinds for c in "vxy") else MASK if "k" in kinds else GENERAL
        if cls == GENERAL and "g" not in kinds:
            raise line.fail(f"'{row.name}' takes no register here: {text}")
        width = _SUFFIX_BITS.get(register[2] or "", register_bits)
        return Reg(cls, register[1], 64 if cls == MASK else width)

    def _kept(self, mem: Mem, bits: int, line: _Line) -> Reg:
        where = (mem.symbol and f"@{mem.symbol}+{mem.disp}") or f"state+{mem.disp}"
        name = f"keep {where}"
        if self.keep.setdefault(name, mem) != mem:
            raise line.fail(f"{where} is kept with two shapes")
        return Reg(self.isa.words if bits <= 64 else VECTOR, name, bits)

    def _memory(self, text: str, bits: int, copies: int, line: _Line) -> Mem:
        base = index = symbol = None
        scale, disp = 1, 0
        for sign, term in re.findall(r"([+-]?)\s*([^\s+-]+)", text):
            if term.startswith("state."):
                field = self.fields.get(term[6:])
                if field is None:
                    raise line.fail(f"no field '{term[6:]}' in the state block; there are {', '.join(self.fields)}")
                disp, term = disp + field.offset, STATE
            if re.fullmatch(r"0x[0-9a-fA-F]+|\d+", term):
                disp += int(term, 0) * (-1 if sign == "-" else 1)
            elif sign == "-":
                raise line.fail(f"only a number can be subtracted in [{text}]")
            elif term.startswith("@"):
                symbol = term[1:]
                if symbol not in self.constants:
                    raise line.fail(f"no constant '{symbol}'")
            elif "*" in term and index is None:
                name, _, factor = term.partition("*")
                index, scale = Reg(GENERAL, name, 64), int(factor)
            elif base is None and "*" not in term:
                base = Reg(GENERAL, term, 64)
            elif index is None:
                index = Reg(GENERAL, term, 64)
            else:
                raise line.fail(f"too many registers in [{text}]")
        if base is None and symbol is None:
            raise line.fail(f"no base register in [{text}]")
        return Mem(base, disp, bits, index, scale, copies, symbol)
