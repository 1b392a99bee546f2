"""A second decoder (iced-x86) reads the final bytes: the same instructions as the framed kernel's, and nothing else.

Besides the comparison, rules hold that do not look at the kernel at all: which mnemonics may occur, which control flow,
which CPU features, no legacy SSE instruction while the upper halves of vector registers may be dirty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iced_x86 import (
    CpuidFeature,
    Decoder,
    EncodingKind,
    FlowControl,
    Formatter,
    FormatterSyntax,
    Instruction,
    MemorySizeExt,
    Mnemonic,
    OpKind,
    Register,
    RegisterExt,
)

from ..core.instructions import INSTRUCTIONS
from ..core.ir import GENERAL, MASK, VECTOR, Imm, Ins, Mem, Reg
from ..core.kernel import Kernel
from ..emit.assembly import instruction_text, operand_text, register_name
from ..passes.frame import POOL_ALIGN
from .result import Effort, Result, Skip
from .subject import Subject

MNEMONICS: dict[int, str] = {v: k.lower() for k, v in vars(Mnemonic).items() if isinstance(v, int)}
FEATURES: dict[int, str] = {v: k for k, v in vars(CpuidFeature).items() if isinstance(v, int)}
BASELINE = {"INTEL8086", "INTEL186", "INTEL386", "INTEL486", "X64", "SSE", "SSE2", "CET_IBT", "FPU"}
"""What every x86-64 CPU has (endbr64 is a no-operation where CET is absent)."""

IMPLIED = {
    "vaes": {"aes", "avx"},
    "vpclmulqdq": {"avx", "pclmul"},
    "avx2": {"avx"},
    "avx512f": {"avx", "avx2"},
    "avx512bw": {"avx512f"},
    "avx512vl": {"avx512f"},
    "avx512ifma": {"avx512f"},
    "avx512vbmi": {"avx512bw"},
}
"""A feature, and those that no CPU lacks that has it: the rules of runtime/select/features.cpp."""

FRAME = frozenset("endbr64 push pop sub add mov movups vmovups jz jnz jmp vzeroall vpxord pxor kxorw xor ret".split())
"""The mnemonics that the frame adds around the streams' code."""

SAME_NAME = {"jne": "jnz", "je": "jz"}
SAME_FEATURE = {"avx512.ifma": "avx512ifma", "avx512.vbmi": "avx512vbmi", "pclmulqdq": "pclmul"}
ALLOWED = frozenset(INSTRUCTIONS) | FRAME
IMMEDIATES = {
    getattr(OpKind, name)
    for name in (
        "IMMEDIATE8",
        "IMMEDIATE8_2ND",
        "IMMEDIATE16",
        "IMMEDIATE32",
        "IMMEDIATE64",
        "IMMEDIATE8TO16",
        "IMMEDIATE8TO32",
        "IMMEDIATE8TO64",
        "IMMEDIATE32TO64",
    )
}
_FORMATTER = Formatter(FormatterSyntax.INTEL)
_GENERAL_BASE = {64: Register.RAX, 32: Register.EAX, 16: Register.AX}
_VECTOR_BASE = {128: Register.XMM0, 256: Register.YMM0, 512: Register.ZMM0}
FEW = 5  # problems of one kind that are worth reading


def mnemonic(instruction: Instruction) -> str:
    name = MNEMONICS[instruction.mnemonic]
    return SAME_NAME.get(name, name)


def features_of(instruction: Instruction) -> frozenset[str]:
    """The CPU features that the instruction needs, by this project's names; the base level needs none."""
    names = {FEATURES[f].lower().replace("_", ".") for f in instruction.cpuid_features() if FEATURES[f] not in BASELINE}
    found = {SAME_FEATURE.get(name, name) for name in names}
    if any(f.startswith("avx512") for f in found):
        found.add("avx512f")
    return frozenset(found)


def decoded(code: bytes) -> list[Instruction]:
    """Decodes from the first byte up to and including the first return, or up to what cannot be decoded."""
    found = []
    for instruction in Decoder(64, code):
        found.append(instruction)
        if instruction.is_invalid or instruction.flow_control == FlowControl.RETURN:
            break
    return found


def check(subject: Subject, effort: Effort) -> Result:
    try:
        code, whose = subject.assembled().code, "the library's"
    except Skip:
        code, whose = subject.code, "LLVM MC's"
    problems = compare(subject.kernel, code) + rules(code, subject.recipe.features)
    return Result.of(problems, f"{whose} {len(code)} bytes, {len(decoded(code))} instructions")


# ---- the rules that do not look at the kernel


def rules(code: bytes, declared: Iterable[str]) -> list[str]:
    """Returns sentences about what the code has that is forbidden in any kernel."""
    instructions = decoded(code)
    return [
        problem
        for found in (
            _forbidden(instructions),
            _flow(instructions),
            _undeclared(instructions, frozenset(declared)),
            _transitions(instructions),
        )
        for problem in list(found)[:FEW]
    ]


def _at(instruction: Instruction) -> str:
    return f"at byte {instruction.ip}: {_FORMATTER.format(instruction)}"


def _forbidden(instructions: list[Instruction]) -> Iterator[str]:
    for i in instructions:
        if i.is_invalid:
            yield f"at byte {i.ip}: no instruction"
        elif mnemonic(i) not in ALLOWED:
            yield f"{_at(i)}: a forbidden instruction"
        elif i.has_lock_prefix or i.has_rep_prefix or i.has_repne_prefix or i.segment_prefix != Register.NONE:
            yield f"{_at(i)}: a forbidden prefix"


def _is_hop(i: Instruction) -> bool:
    """Whether it is a jump to the next instruction."""
    return i.flow_control == FlowControl.UNCONDITIONAL_BRANCH and i.near_branch_target == i.next_ip


def _flow(instructions: list[Instruction]) -> Iterator[str]:
    """One loop, which may be skipped, and one around it and more, one entry, one return: nothing else changes the flow
    of control, but for jumps to the next instruction."""
    if not instructions or MNEMONICS[instructions[0].mnemonic] != "endbr64":
        yield "the first instruction is not endbr64"
    if not instructions or instructions[-1].flow_control != FlowControl.RETURN:
        yield "the code does not end with a return"
    elif instructions[-1].op_count:
        yield f"{_at(instructions[-1])}: the return takes arguments from the stack"
    starts = {i.ip for i in instructions}
    back, skip = list[Instruction](), None
    for i in instructions[:-1]:
        if i.flow_control == FlowControl.CONDITIONAL_BRANCH:
            if mnemonic(i) == "jz" and not back and skip is None:
                skip = i
                continue
            back.append(i)
            if i.near_branch_target not in starts or i.near_branch_target >= i.ip:
                yield f"{_at(i)}: does not go back to an instruction of the kernel"
            if (
                len(back) == 1
                and skip
                and not (skip.next_ip == i.near_branch_target and skip.near_branch_target == i.next_ip)
            ):
                yield f"{_at(skip)}: skips something else than the loop"
        elif i.flow_control != FlowControl.NEXT and not _is_hop(i):
            yield f"{_at(i)}: changes the flow of control"
    if not 1 <= len(back) <= 2:
        yield f"{len(back)} conditional jumps back, not one or two"
    elif back[-1].near_branch_target > back[0].near_branch_target:
        yield f"{_at(back[-1])}: goes back into the loop, or behind it"


def _undeclared(instructions: list[Instruction], declared: frozenset[str]) -> Iterator[str]:
    known = set(declared).union(*(IMPLIED.get(f, set()) for f in declared))
    known = known.union(*(IMPLIED.get(f, set()) for f in known))
    for i in instructions:
        if not i.is_invalid and (above := features_of(i) - known):
            yield f"{_at(i)}: needs {', '.join(sorted(above))}, which the kernel does not declare"


def _vectors(instruction: Instruction) -> list[int]:
    """The numbers of the vector registers that the instruction names; all of them for vzeroall and vzeroupper."""
    registers = (
        instruction.op_register(n) for n in range(instruction.op_count) if instruction.op_kind(n) == OpKind.REGISTER
    )
    return [RegisterExt.number(r) for r in registers if RegisterExt.is_vector_register(r)]


def _twice_through_the_loop(instructions: list[Instruction]) -> Iterator[Instruction]:
    """Whatever state the loop ends in, it begins with too."""
    for n, i in enumerate(instructions):
        yield i
        if i.flow_control == FlowControl.CONDITIONAL_BRANCH and i.near_branch_target < i.ip:
            yield from (j for j in instructions[: n + 1] if j.ip >= i.near_branch_target)


def _transitions(instructions: list[Instruction]) -> Iterator[str]:
    """Registers 16 to 31 do not count: legacy SSE cannot name them, and their upper halves cost it nothing."""
    dirty: Instruction | None = None
    said = set()
    for i in _twice_through_the_loop(instructions):
        if mnemonic(i) in ("vzeroall", "vzeroupper"):
            dirty = None
        elif i.encoding != EncodingKind.LEGACY:
            if any(n < 16 for n in _vectors(i)):
                dirty = dirty or i
        elif dirty and _vectors(i) and i.ip not in said:
            said.add(i.ip)
            yield f"{_at(i)}: legacy SSE after {_FORMATTER.format(dirty)} at byte {dirty.ip}, without vzeroupper"
        if dirty and i.flow_control == FlowControl.RETURN and i.ip not in said:
            said.add(i.ip)
            yield (
                f"{_at(i)}: returns with the upper halves that {_FORMATTER.format(dirty)} at byte {dirty.ip} may have "
                "made dirty"
            )


# ---- the comparison with the framed kernel


def compare(kernel: Kernel, code: bytes) -> list[str]:
    """Says where the bytes differ from the kernel's instructions, in order from byte 0, and from the constants behind
    them."""
    instructions = decoded(code)
    wanted = [(item.ins, item.label) for item in kernel.items if item.ins is not None]
    problems = [] if len(instructions) == len(wanted) else [f"{len(instructions)} instructions, not {len(wanted)}"]
    end = instructions[-1].next_ip if instructions else 0
    pool = -(-end // POOL_ALIGN) * POOL_ALIGN if kernel.pool else end
    if any(code[end:pool]):
        problems.append("the bytes between the code and the constants are not zero")
    if code[pool:] != kernel.pool_bytes:
        problems.append(_constants(kernel, code[pool:]))
    entries = {entry.label: pool + entry.offset for entry in kernel.pool}
    offsets = _label_offsets(kernel, instructions)
    wrong = []
    for (ins, label), instruction in zip(wanted, instructions):
        target = offsets[label] if label is not None else None
        if said := _difference(ins, instruction, entries, target):
            wrong.append(f"{_at(instruction)}, where the kernel has {instruction_text(ins, label)}: {said}")
    return problems + wrong[:FEW]


def _constants(kernel: Kernel, found: bytes) -> str:
    if len(found) != len(kernel.pool_bytes):
        return f"{len(found)} bytes of constants, not {len(kernel.pool_bytes)}"
    entry = next(e for e in kernel.pool if found[e.offset : e.offset + len(e.data)] != e.data)
    return (
        f"constant {entry.label} is {found[entry.offset : entry.offset + len(entry.data)].hex()}, not "
        f"{entry.data.hex()}"
    )


def _label_offsets(kernel: Kernel, instructions: list[Instruction]) -> dict[str, int]:
    offsets, n = {}, 0
    for item in kernel.items:
        if item.ins is not None:
            n += 1
        elif item.label is not None:
            offsets[item.label] = instructions[n].ip if n < len(instructions) else -1
    return offsets


def _difference(ins: Ins, found: Instruction, entries: dict[str, int], target: int | None) -> str:
    """The first thing that differs, or nothing."""
    if mnemonic(found) != ins.op:
        return "another mnemonic"
    if target is not None:
        return "" if found.op_count == 1 and found.near_branch_target == target else "another target"
    if (
        found.op_mask != (Register.K0 + ins.mask.number if ins.mask is not None else Register.NONE)
        or found.zeroing_masking != ins.zeroing
    ):
        return "another mask"
    row = INSTRUCTIONS.get(ins.op)
    implicit = [iced_register(reg) for reg in row.implicit] if row else []
    extra = range(len(ins.operands), found.op_count)
    if found.op_count < len(ins.operands) or [found.op_register(n) for n in extra] != implicit[: len(extra)]:
        return f"{found.op_count} operands"
    accesses = row.accesses if row else True
    operands = list(ins.operands)
    if row and row.swap and found.encoding == EncodingKind.VEX and all(isinstance(operands[n], Reg) for n in row.swap):
        # Assemblers exchange the sources of a symmetric instruction where that saves a byte of the VEX prefix.
        a, b = row.swap
        if found.op_register(a) != iced_register(ins.register(a)):
            operands[a], operands[b] = operands[b], operands[a]
    for n, operand in enumerate(operands):
        if not _same_operand(operand, n, ins, found, entries, accesses):
            return f"operand {n + 1} is not {operand_text(operand)}"
    return ""


def _same_operand(
    operand: Reg | Mem | Imm, n: int, ins: Ins, found: Instruction, entries: dict[str, int], accesses: bool
) -> bool:
    kind = found.op_kind(n)
    if isinstance(operand, Reg):
        return kind == OpKind.REGISTER and found.op_register(n) == iced_register(operand)
    if isinstance(operand, Imm):
        bits = 8 if any(isinstance(o, Reg) and o.cls == VECTOR for o in ins.operands) else _width(ins)
        return kind in IMMEDIATES and (found.immediate(n) - operand.value) % (1 << bits) == 0
    if kind != OpKind.MEMORY or found.is_broadcast != bool(operand.broadcast):
        return False
    size = 8 * MemorySizeExt.size(found.memory_size)
    if accesses and size != operand.bits:
        return False
    if operand.broadcast and operand.broadcast * operand.bits != max(
        o.bits for o in ins.operands if isinstance(o, Reg)
    ):
        return False
    if operand.symbol is not None:
        return (
            found.memory_base == Register.RIP
            and found.memory_index == Register.NONE
            and found.ip_rel_memory_address == entries[operand.symbol] + operand.disp
        )
    base = iced_register(operand.base) if operand.base is not None else Register.NONE
    index = iced_register(operand.index) if operand.index is not None else Register.NONE
    return (
        (found.memory_base, found.memory_index) == (base, index)
        and (found.memory_displacement - operand.disp) % (1 << 64) == 0
        and (operand.index is None or found.memory_index_scale == operand.scale)
    )


def _width(ins: Ins) -> int:
    """Bits of a general instruction's operation: its first operand's."""
    return getattr(ins.operands[0], "bits", 0) or 64


def iced_register(reg: Reg) -> int:
    """iced's number of a physical register. KeyError for a width that kernels do not use."""
    if not reg.physical:
        raise KeyError(register_name(reg))
    if reg.cls == MASK:
        return Register.K0 + reg.number
    return (_VECTOR_BASE if reg.cls == VECTOR else {GENERAL: _GENERAL_BASE}[reg.cls])[reg.bits] + reg.number
