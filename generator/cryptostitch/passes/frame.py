"""Builds the whole kernel around the loop: entry, ramp, loop, drain, exit, constants. Twin of
runtime/code/frame.cpp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from ..core.contract import JOB as JOB_FIELDS
from ..core.contract import TEXT_BYTES, Contract
from ..core.ir import GENERAL, MASK, VECTOR, Imm, Ins, Mem, Reg
from ..core.kernel import Item, Kernel, PoolEntry
from ..core.program import Recipe
from ..core.registers import ABIS, RSP, Abi, Binding
from .bind import bind
from .weave import weave

POOL_ALIGN = 64
CONSTANT_SIZES = (4, 8, 16, 32, 64)
LOOP, BEHIND, JOB = "loop", "behind", "job"

# A core that has missed its op cache decodes four instructions a cycle up to the next taken branch, however much of
# what follows the op cache has. Long loops of general registers, of SHA-512 say, run faster than that: a jump to the
# next instruction, the hop, brings the core back. Measured on Zen 4: 4 % for AES-CBC with HMAC-SHA512 of one message, 7
# to 15 % for one short message of SHA-512 and SM3 where the code around the kernel displaced some of it. Loops of
# vectors are slower than the decoders.
HOP_FROM = 1024
"""A loop that has at least so many instructions of general registers alone has hops."""
HOP_EVERY = 256
"""Instructions between two hops."""


def frame(recipe: Recipe, abi: str = "sysv") -> Kernel:
    """The kernel that the recipe describes. Raises BindError when the windows do not fit the registers."""
    convention = ABIS[abi]
    binding = bind(recipe.parts, convention)
    pool, symbols = constant_pool(recipe)

    bound_already: dict[tuple[int, int], Ins] = {}  # (stream, identity): ramp, loop and drain repeat the bodies

    def bound(stream: int, ins: Ins, section: str) -> Item:
        key = (stream, id(ins))
        if key not in bound_already:
            physical = binding.apply(stream, ins)
            operands = tuple(
                replace(o, symbol=symbols[stream, o.symbol]) if isinstance(o, Mem) and o.symbol is not None else o
                for o in physical.operands
            )
            bound_already[key] = replace(physical, operands=operands)
        return Item(stream, bound_already[key], None, section)

    items: list[Item] = [Item(None, ins, None, "entry") for ins in _entry(recipe, binding, convention)]
    listed = recipe.parts[0].program.contract if recipe.is_listed else None
    if listed:
        items += next_job(binding)
    for i, part in enumerate(recipe.parts):
        items += [bound(i, ins, "enter") for ins in part.program.code.enter]

    hops = count() if has_hops(recipe) else None

    def bodies(section: str, only: list[int] | None = None) -> Iterator[Item]:
        since, glued = 0, False
        for i, ins in weave(recipe.parts, recipe.strategy, only):
            if hops and since >= HOP_EVERY and not glued:
                label, since = f"hop{next(hops)}", 0
                yield from (Item(None, Ins("jmp"), label, section), Item(None, None, label, section))
            yield bound(i, ins, section)
            since, glued = since + 1, ins.glue

    counter, lags = _general(binding.strides if listed else binding.counter), [part.lag for part in recipe.parts]
    if listed and listed.text_head:
        items += count_strides(listed, binding)
    for p in range(recipe.lag):
        items += bodies("ramp", [i for i, lag in enumerate(lags) if lag <= p])
    if recipe.lag:
        items.append(Item(None, Ins("sub", (counter, Imm(recipe.lag))), None, "ramp"))
    if recipe.skips:
        items += [Item(None, Ins("sub", (counter, Imm(0))), None, "ramp"), Item(None, Ins("jz"), BEHIND, "ramp")]
    if not listed or listed.text_head:
        items.append(Item(None, None, LOOP, "loop"))
        items += bodies("loop")
        items += [Item(None, Ins("sub", (counter, Imm(1))), None, "loop"), Item(None, Ins("jnz"), LOOP, "loop")]
    if recipe.skips or (listed and listed.text_head):
        items.append(Item(None, None, BEHIND, "drain"))
    for e in range(recipe.lag):
        items += bodies("drain", [i for i, lag in enumerate(lags) if lag > e])
    for i, part in enumerate(recipe.parts):
        items += [bound(i, ins, "leave") for ins in part.program.code.leave]
    if listed:
        items += [Item(None, Ins("sub", (_general(binding.counter), Imm(1))), None, "leave")]
        items += [Item(None, Ins("jnz"), JOB, "leave")]
    items += [Item(None, ins, None, "wipe") for ins in _wipe(binding, convention, is_avx(recipe))]
    items += [Item(None, ins, None, "exit") for ins in _exit(recipe, binding, convention)]
    return Kernel(recipe.name, abi, recipe, binding, tuple(items), pool)


def next_job(binding: Binding) -> Iterator[Item]:
    """Where a list's messages begin: the state pointer becomes the next job's, and the list's moves on."""
    job, jobs = _general(binding.generals[0][0]), _general(binding.jobs)
    yield Item(None, None, JOB, "enter")
    yield Item(None, Ins("mov", (job, Mem(jobs, 0, 64))), None, "enter")
    yield Item(None, Ins("add", (jobs, Imm(8))), None, "enter")


def count_strides(contract: Contract, binding: Binding) -> Iterator[Item]:
    """Between a message's enter and its loop: how often the loop runs, which may be never (Contract.is_listed)."""
    job, strides = _general(binding.generals[0][0]), _general(binding.strides)
    yield Item(None, Ins("mov", (strides, Mem(job, JOB_FIELDS[TEXT_BYTES], 64))), None, "ramp")
    yield Item(None, Ins("sub", (strides, Imm(contract.text_head + 1))), None, "ramp")
    yield Item(None, Ins("shr", (strides, Imm(contract.bytes.bit_length() - 1))), None, "ramp")
    yield Item(None, Ins("jz"), BEHIND, "ramp")


def has_hops(recipe: Recipe) -> bool:
    """Whether its loop is long, and of general registers (HOP_FROM)."""
    return (
        sum(
            part.ratio * sum(all(r.cls == GENERAL for r in ins.registers()) for ins in part.program.code.body)
            for part in recipe.parts
        )
        >= HOP_FROM
    )


def is_avx(recipe: Recipe) -> bool:
    """Whether any instruction is AVX or AVX-512: exactly their mnemonics begin with a v."""
    return any(
        ins.op.startswith("v")
        for part in recipe.parts
        for _, section in part.program.code.sections()
        for ins in section
    )


def constant_pool(recipe: Recipe) -> tuple[tuple[PoolEntry, ...], dict[tuple[int, str], str]]:
    """The entries in order, and the label of each (stream, symbol). Equal bytes are stored once; large entries come
    first, which aligns each to its own size."""
    contents: list[bytes] = []
    for part in recipe.parts:
        for constant in part.program.contract.constants:
            if len(constant.data) not in CONSTANT_SIZES:
                raise ValueError(f"{part.program.name}: constant {constant.name} has {len(constant.data)} bytes")
            if constant.data not in contents:
                contents.append(constant.data)
    contents.sort(key=len, reverse=True)
    entries, offset = [], 0
    for data in contents:
        entries.append(PoolEntry(f"pool_{offset}", offset, data))
        offset += len(data)
    label = {entry.data: entry.label for entry in entries}
    symbols = {
        (i, constant.name): label[constant.data]
        for i, part in enumerate(recipe.parts)
        for constant in part.program.contract.constants
    }
    return tuple(entries), symbols


def _general(number: int, bits: int = 64) -> Reg:
    return Reg(GENERAL, number, bits, True)


def _vector(number: int, bits: int = 128) -> Reg:
    return Reg(VECTOR, number, bits, True)


def _saved(recipe: Recipe, binding: Binding, abi: Abi) -> tuple[list[int], list[int]]:
    """vzeroall wipes all sixteen, used or not."""
    generals = [g for g in binding.used_generals if g in abi.saved_generals]
    return generals, [v for v in abi.saved_vectors if v in binding.used_vectors or is_avx(recipe)]


def _save_area(generals: list[int], vectors: list[int]) -> int:
    """Bytes below the pushed registers; [rsp] is then aligned to 16, given rsp = 8 mod 16 at entry."""
    return 16 * len(vectors) + (8 if len(generals) % 2 == 0 else 0)


def _entry(recipe: Recipe, binding: Binding, abi: Abi) -> Iterator[Ins]:
    generals, vectors = _saved(recipe, binding, abi)
    move = "vmovups" if is_avx(recipe) else "movups"
    yield Ins("endbr64")
    for g in generals:
        yield Ins("push", (_general(g),))
    if vectors:
        yield Ins("sub", (_general(RSP), Imm(_save_area(generals, vectors))))
        for i, v in enumerate(vectors):
            yield Ins(move, (Mem(_general(RSP), 16 * i, 128), _vector(v)))
    args = _general(abi.args)
    pointers = [binding.jobs] if recipe.is_listed else [of_stream[0] for of_stream in binding.generals]
    loads = [(dst, 8 + 8 * i) for i, dst in enumerate(pointers)] + [(binding.counter, 0)]
    loads.sort(key=lambda load: load[0] == abi.args)  # stable; the pointer to the arguments dies last
    for dst, disp in loads:
        yield Ins("mov", (_general(dst), Mem(args, disp, 64)))


def _wipe(binding: Binding, abi: Abi, avx: bool) -> Iterator[Ins]:
    if avx:
        yield Ins("vzeroall")
        for v in binding.used_vectors:
            if v >= 16:
                yield Ins("vpxord", (_vector(v, 512),) * 3)  # narrower forms need AVX512VL
    else:
        for v in binding.used_vectors:
            yield Ins("pxor", (_vector(v),) * 2)
    for k in binding.used_masks:
        yield Ins("kxorw", (Reg(MASK, k, 64, True),) * 3)
    for g in binding.used_generals:
        if g not in abi.saved_generals:
            yield Ins("xor", (_general(g, 32),) * 2)


def _exit(recipe: Recipe, binding: Binding, abi: Abi) -> Iterator[Ins]:
    generals, vectors = _saved(recipe, binding, abi)
    move = "vmovups" if is_avx(recipe) else "movups"
    if vectors:
        for i, v in enumerate(vectors):
            yield Ins(move, (_vector(v), Mem(_general(RSP), 16 * i, 128)))
        yield Ins("add", (_general(RSP), Imm(_save_area(generals, vectors))))
    for g in reversed(generals):
        yield Ins("pop", (_general(g),))
    yield Ins("ret")
