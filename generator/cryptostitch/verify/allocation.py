"""Value numbering: the allocated code computes what the template's virtual code computes."""

from __future__ import annotations

from ..core.ir import Ins
from ..core.program import Program
from ..core.stream import Stream
from .induct import Induction, Side, induct, is_spill
from .symbolic import Machine
from .text import describe

SECTIONS = ("enter", "body", "leave")


def compare(stream: Stream, program: Program) -> Induction:
    """Runs both codes side by side; `allocation_problems` reads the result, and bounds and taint can."""
    return induct(Side.of_stream(stream), Side.of_program(program))


def contract_problems(stream: Stream, program: Program) -> list[str]:
    """Whether the contract promises what the stream declares; the allocator may only add its own fields."""
    contract = program.contract
    problems = [
        f"{program.name}: the contract lacks the field {f.name} as the stream lays it out"
        for f in stream.fields
        if f not in contract.fields
    ]
    problems += [
        f"{program.name}: the contract adds the field {f.name}"
        for f in contract.fields
        if f not in stream.fields and not is_spill(f)
    ]
    same = (
        ("lanes", stream.lanes, contract.lanes),
        ("bytes", stream.bytes, contract.bytes),
        ("constants", stream.constants, contract.constants),
        ("reads_input", stream.reads_input, contract.reads_input),
    )
    return problems + [
        f"{program.name}: the contract's {what} differ from the stream's"
        for what, mine, theirs in same
        if mine != theirs
    ]


def allocation_problems(found: Induction) -> list[str]:
    """Why the second code is not proved to compute what the first does: user stores in order, final contents of every
    field that is not the allocator's, and the loop-carried values. Empty when it is proved."""
    virtual, real = found.sides
    problems: list[str] = []
    for section in SECTIONS:
        a: Machine = getattr(virtual, section)
        b: Machine = getattr(real, section)
        found_here = _undefined(virtual.name, section, a) if not problems else []
        found_here += _stores(real.name, section, a, b, False) + _stores(real.name, section, a, b, True)
        found_here += _memory(real.name, section, a, b, real)
        for name, where in found.lost:
            if where == section:
                found_here.append(
                    f"{real.name}: the loop-carried value '{name[1]}' is in no register and no spill slot after "
                    f"{section}"
                )
        if found_here:
            found_here = _first_foreign(real, section, a, b) + found_here
        problems += found_here
        if found.lost and section == found.lost[0][1] and problems:
            break
    return problems


def _undefined(name: str, section: str, machine: Machine) -> list[str]:
    seen, problems = set(), []
    for ins, key in machine.undefined:
        if key not in seen:
            seen.add(key)
            what = (
                "flags that no glued instruction sets"
                if key[0] == "flags"
                else f"'{key[1]}', which nothing has written"
            )
            problems.append(f"{name}: {section}: {describe(ins)} reads {what}")
    return problems


def _first_foreign(real: Side, section: str, a: Machine, b: Machine) -> list[str]:
    """The first instruction whose result the virtual code never has: where the fault shows."""
    known = set(a.results)
    known.update(term for _, term, _ in a.registers.values())
    known.update(access.value for access in a.accesses)
    code: tuple[Ins, ...] = getattr(real.code, section)
    for ins, result in zip(code, b.results):
        if result not in known and b.plans[id(ins)][1].kind != "move":
            return [f"{real.name}: {section}: {describe(ins)} computes a value that the template does not"]
    return _undefined(real.name, section, b)[:1]


def _stores(name: str, section: str, a: Machine, b: Machine, table: bool) -> list[str]:
    """Compares the stores to the table, or all others, and returns the first that differs. Another order of the two
    kinds cannot be seen."""
    ours, others = ([store for store in machine.stores if store.table == table] for machine in (a, b))
    for mine, theirs in zip(ours, others):
        if mine.address != theirs.address or mine.size != theirs.size:
            return [f"{name}: {section}: {describe(theirs.ins)} stores to another address than {describe(mine.ins)}"]
        if mine.value != theirs.value:
            return [f"{name}: {section}: {describe(theirs.ins)} stores another value than {describe(mine.ins)}"]
    if len(ours) != len(others):
        longer = ours if len(ours) > len(others) else others
        extra = longer[min(len(ours), len(others))].ins
        which = "has no counterpart after allocation" if longer is ours else "is not in the template"
        return [f"{name}: {section}: the store {describe(extra)} {which}"]
    return []


def _memory(name: str, section: str, a: Machine, b: Machine, real: Side) -> list[str]:
    mine, theirs = (next(iter(m.blocks.values())).memory for m in (a, b))
    offsets = mine.difference(theirs, real.skip)
    if not offsets:
        return []
    where = next(
        (f"{f.name}+{offsets[0] - f.offset}" for f in real.fields if f.offset <= offsets[0] < f.offset + f.size),
        str(offsets[0]),
    )
    writer = next(
        (
            access.ins
            for access in reversed(b.accesses)
            if access.write and access.symbol is None and _covers(b, access, offsets[0])
        ),
        None,
    )
    return [
        f"{name}: {section}: state field {where} ends with another value"
        + (f"; last written by {describe(writer)}" if writer else "")
    ]


def _covers(machine: Machine, access, offset: int) -> bool:
    block, start = machine._where(access.address, access.size)
    return block is not None and start <= offset < start + access.size
