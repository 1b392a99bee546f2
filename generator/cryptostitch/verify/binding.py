"""What a kernel promises before its first instruction is read: disjoint windows, sound constants, matching
hand-over."""

from __future__ import annotations

from ..core.contract import FROM_HAND, HAND
from ..core.instructions import INSTRUCTIONS
from ..core.ir import GENERAL, MASK, SHARED, VECTOR, Reg
from ..core.kernel import Kernel
from ..core.program import Program
from ..core.registers import RSP


def binding_problems(kernel: Kernel) -> list[str]:
    """Faults of the register map, the constant pool and the pairing of hand-over buffers."""
    return _windows(kernel) or _pool(kernel) or _hand_over(kernel)


def _windows(kernel: Kernel) -> list[str]:
    problems = []
    binding = kernel.binding
    for cls, tables, legal in (
        (VECTOR, binding.vectors, range(32)),
        (GENERAL, binding.generals, range(16)),
        (MASK, binding.masks, range(1, 8)),
    ):
        owner: dict[int, int] = {}
        for stream, table in enumerate(tables):
            for number in table:
                if number in owner:
                    problems.append(
                        f"{kernel.name}: register {cls}{number} belongs to stream {owner[number]} and to stream "
                        f"{stream}"
                    )
                owner[number] = stream
                if number not in legal or (cls == GENERAL and number == RSP):
                    problems.append(f"{kernel.name}: stream {stream} may not have register {cls}{number}")
        if cls != GENERAL:
            continue
        for what, number in _of_frame(kernel):
            if number in owner or number == RSP or number not in legal:
                problems.append(f"{kernel.name}: the {what} g{number} belongs to stream {owner.get(number)}")
            owner[number] = len(tables)
    for stream, part in enumerate(kernel.recipe.parts):
        window, program = part.program.window, part.program
        sizes = len(binding.vectors[stream]), len(binding.generals[stream]), len(binding.masks[stream])
        if sizes != (window.vectors, window.generals, window.masks):
            problems.append(f"{kernel.name}: stream {stream} has a window of {sizes}, {program.name} needs {window}")
        elif "avx512f" not in program.contract.features and any(v > 15 for v in binding.vectors[stream]):
            problems.append(f"{kernel.name}: {program.name} cannot encode vector registers above 15")
        for reg in shared_registers(program):
            of_frame = tuple(number for _, number in _of_frame(kernel))
            tables = binding.vectors if reg.cls == VECTOR else (*binding.generals, of_frame)
            if reg not in SHARED.values() or any(reg.id in table for table in tables):
                problems.append(
                    f"{kernel.name}: {program.name} uses {reg.cls}{reg.id} by its own name, which lies in a stream's "
                    "window"
                )
    return problems


def _of_frame(kernel: Kernel) -> list[tuple[str, int]]:
    """The registers of the frame itself, and what each is for."""
    binding, recipe = kernel.binding, kernel.recipe
    found = [("loop counter", binding.counter)]
    if recipe.is_listed:
        found.append(("pointer to the jobs", binding.jobs))
        if recipe.parts[0].program.contract.text_head:
            found.append(("number of strides", binding.strides))
    return found


def shared_registers(program: Program) -> set[Reg]:
    """The registers that a program names physically, explicitly or not: streams share them, and use them within an atom
    only."""
    found = set()
    for _, code in program.code.sections():
        for ins in code:
            found |= {reg for reg in ins.registers() if reg.physical} | set(INSTRUCTIONS[ins.op].implicit)
    return found


def _hand_over(kernel: Kernel) -> list[str]:
    """The i-th consumer of hand-over buffers runs one iteration behind the i-th producer, over a buffer of its size."""
    producers = [p for p in kernel.recipe.parts if p.program.contract.has(HAND)]
    consumers = [p for p in kernel.recipe.parts if p.program.contract.has(FROM_HAND)]
    if not producers or not consumers:
        return []
    problems = []
    if len(producers) != len(consumers):
        problems.append(
            f"{kernel.name}: {len(producers)} streams leave blocks in a hand-over buffer, {len(consumers)} take them"
        )
    for producer, consumer in zip(producers, consumers):
        a, b = producer.program, consumer.program
        if consumer.lag != producer.lag + 1 or consumer.ratio != producer.ratio:
            problems.append(f"{kernel.name}: {b.name} has to run one iteration behind {a.name}, at the same ratio")
        if a.contract.field(HAND).size != 2 * b.contract.lanes * b.contract.bytes:
            problems.append(
                f"{kernel.name}: the hand-over buffer of {a.name} has {a.contract.field(HAND).size} bytes, {b.name} "
                f"reads halves of {b.contract.lanes * b.contract.bytes}"
            )
    return problems


def _pool(kernel: Kernel) -> list[str]:
    problems, end = [], 0
    if len({entry.label for entry in kernel.pool}) != len(kernel.pool):
        problems.append(f"{kernel.name}: two constants have one label")
    for entry in kernel.pool:
        if entry.offset != end or entry.offset % min(64, len(entry.data)):
            problems.append(
                f"{kernel.name}: the constant {entry.label} lies at {entry.offset}, not aligned to its size or not "
                "where it should"
            )
        end = entry.offset + len(entry.data)
    return problems
