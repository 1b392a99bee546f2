"""A framed kernel against its programs: weave, windows, glue, counter, stack, wiping; each with the faults that must be
caught."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from cryptostitch.core.contract import HAND
from cryptostitch.core.ir import VECTOR, Ins, Window
from cryptostitch.core.kernel import Item, Kernel
from cryptostitch.core.program import Part, Recipe
from cryptostitch.passes.frame import frame
from cryptostitch.passes.verify import VerifyError, check_kernel, verify_kernel
from cryptostitch.verify.kernel import kernel_problems
from cryptostitch.verify.woven import woven_problems
from verify_samples import ALLOCATED, FROM, code, ins, sample_program, sample_recipe, spoil

ABIS = ("sysv", "win64")


def kernel(lags=(0, 1), ratios=(1, 1), abi: str = "sysv") -> Kernel:
    return frame(sample_recipe(lags, ratios), abi)


def find(items, test) -> int:
    return next(i for i, item in enumerate(items) if test(item))


def with_items(k: Kernel, items) -> Kernel:
    return replace(k, items=tuple(items))


def of_stream(stream: int, section: str, op: str):
    return lambda item: item.stream == stream and item.section == section and item.ins.op == op


def frame_op(op: str, section: str | None = None):
    return lambda i: i.stream is None and i.ins is not None and i.ins.op == op and section in (None, i.section)


@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize(
    "lags, ratios",
    [
        ((0,), (1,)),
        ((0, 0), (1, 1)),
        ((0, 1), (1, 1)),
        ((0, 2), (1, 1)),
        ((1, 0), (1, 1)),
        ((0, 1), (1, 2)),
        ((0, 1, 2), (1, 3, 1)),
    ],
)
def test_kernels_are_proved(abi: str, lags, ratios) -> None:
    parts = tuple(Part(_light(), ratio, 100 * lag, lag) for ratio, lag in zip(ratios, lags))
    k = frame(Recipe("light@avx512", "avx512", parts), abi)
    assert check_kernel(k, thorough=True) == []
    assert verify_kernel(k) is k


def _light():
    program = sample_program(
        code(
            "mov g1, 0\nvmovdqa64 v0, [g0+256]",
            "mov g2, [g0+512]:64\nvmovdqu64 v1, [g2+g1*1]\nvpaddd v1, v1, [@round]:32{16} &\nvpxord v0, v0, v1\n"
            "add g1, 64",
            "vmovdqa64 [g0+256], v0",
        )
    )
    return replace(program, window=Window(10, 3, 1))


@pytest.mark.parametrize("abi", ABIS)
def test_the_sample_pair_is_proved(abi: str) -> None:
    assert check_kernel(kernel(abi=abi), thorough=True) == []


# ---- faults of the weave: instruction lists that are not what the programs say


def renamed(k: Kernel, at: int, operand: int, cls: str, number: int) -> Kernel:
    items = list(k.items)
    operands = list(items[at].ins.operands)
    operands[operand] = replace(operands[operand], cls=cls, id=number)
    items[at] = items[at]._replace(ins=replace(items[at].ins, operands=tuple(operands)))
    return with_items(k, items)


def moved(k: Kernel, source: int, target: int) -> Kernel:
    items = list(k.items)
    items.insert(target, items.pop(source))
    return with_items(k, items)


def test_a_clobbered_live_register_is_caught() -> None:
    k = kernel()
    at = find(k.items, of_stream(1, "loop", "vpsubd"))
    bad = renamed(k, at, 0, VECTOR, k.binding.vectors[0][3])  # the first stream's key
    assert "is not what sample_x2@avx512#4 does here" in check_kernel(bad)[0]
    assert "(streams/sample.j2:205)" in check_kernel(bad)[0]
    assert woven_problems(bad)


def test_a_register_of_the_same_stream_is_caught() -> None:
    k = kernel()
    at = find(k.items, of_stream(1, "loop", "vpsubd"))
    bad = renamed(k, at, 0, VECTOR, k.binding.vectors[1][3])
    assert check_kernel(bad) and woven_problems(bad)


def test_an_instruction_out_of_order_is_caught() -> None:
    k = kernel()
    at = find(k.items, of_stream(0, "loop", "vpsubd"))
    other = find(k.items[at + 1 :], lambda i: i.stream == 0) + at + 2
    bad = moved(k, at, other)
    assert check_kernel(bad)


@pytest.mark.parametrize("section", ["enter", "ramp", "loop", "drain", "leave"])
def test_a_dropped_or_repeated_instruction_is_caught(section: str) -> None:
    k = kernel()
    at = find(k.items, lambda i: i.section == section and i.stream is not None and i.ins.op.startswith("v"))
    items = list(k.items)
    assert check_kernel(with_items(k, items[:at] + items[at + 1 :]))
    assert check_kernel(with_items(k, [*items[:at], items[at], *items[at:]]))


def test_overlapping_windows_are_caught() -> None:
    k = kernel()
    table = k.binding.vectors
    bad = replace(k, binding=replace(k.binding, vectors=(table[0], (table[0][2], *table[1][1:]))))
    assert "belongs to stream 0 and to stream 1" in check_kernel(bad)[0]


def test_a_stream_may_not_have_the_counter_or_the_stack() -> None:
    k = kernel()
    generals = k.binding.generals
    for number in (k.binding.counter, 4):
        bad = replace(k, binding=replace(k.binding, generals=(generals[0], (*generals[1][:-1], number))))
        assert check_kernel(bad)


def glued_kernel(lags=(0, 0)) -> Kernel:
    real = spoil(ALLOCATED, "body", 4, "vpaddd v1, v1, [@round]:32{16} &")
    return frame(Recipe("glued@avx512", "avx512", tuple(Part(sample_program(real), 1, 0, lag) for lag in lags)))


def test_only_a_jump_to_the_next_instruction_is_a_hop() -> None:
    k = kernel()
    at = find(k.items, of_stream(1, "loop", "vpsubd"))
    hop, label = Item(None, Ins("jmp"), "hop", "loop"), Item(None, None, "hop", "loop")

    def problems(*lines: Item) -> list[str]:
        """With these lines before one of the loop's; None: that line."""
        return check_kernel(
            with_items(k, [*k.items[:at], *(line or k.items[at] for line in lines), *k.items[at + 1 :]]), thorough=True
        )

    assert problems(hop, label, None) == []
    assert problems(hop, None, label)[0].endswith("jumps to hop, which is not the next instruction")
    assert problems(hop._replace(label="loop"), None)[0].endswith("jumps to loop, which is not the next instruction")
    assert problems(label, None)[0].endswith("a second label, hop")


def test_split_glue_is_caught() -> None:
    k = glued_kernel()
    assert check_kernel(k) == []
    at = find(k.items, lambda i: i.stream == 0 and i.section == "loop" and i.ins.glue)
    other = find(k.items[at:], lambda i: i.stream == 1) + at
    bad = moved(k, other, at + 1)
    assert "splits glued instructions" in check_kernel(bad)[0]


def test_two_streams_share_xmm0_only_within_glue() -> None:
    body = (
        "movdqa v%0:128, v0:128 &\nsha256rnds2 v1:128, v0:128 &\npshufd v%0:128, v%0:128, 14 &\n"
        "sha256rnds2 v0:128, v1:128"
    )
    loose = body.replace(" &", "")
    enter = "movdqa v0:128, [g0+256]:128\nmovdqa v1:128, [g0+272]:128"

    def made(text: str) -> Kernel:
        program = replace(sample_program(code(enter, text, "")), window=Window(2, 1, 0))
        program = replace(program, contract=replace(program.contract, features=frozenset(("sha",))))
        return frame(Recipe("sha@sse", "sse", (Part(program), Part(program))))

    assert check_kernel(made(body), thorough=True) == []
    assert woven_problems(made(loose))  # its programs are already refused by check_allocation


def test_an_iteration_that_overtakes_is_caught() -> None:
    """The consumer of a hand-over must not start before the producer's last iteration has ended."""
    k = kernel(lags=(0, 1))
    at = find(k.items, lambda i: i.section == "loop" and i.stream == 1)
    ramp_end = find(k.items, lambda i: i.section == "ramp" and i.stream == 0)
    bad = moved(k, at, ramp_end + 1)
    assert "before" in check_kernel(bad)[0]


# ---- faults of the frame


def edited(k: Kernel, at: int, *new: Item) -> Kernel:
    return with_items(k, (*k.items[:at], *new, *k.items[at + 1 :]))


FAULTS = {
    "missing endbr64": (frame_op("endbr64"), None, "endbr64"),
    "missing push": (frame_op("push"), None, "callee-saved"),
    "missing pop": (frame_op("pop"), None, "stack|restore|pops"),
    "missing wipe of the low vectors": (frame_op("vzeroall"), None, "does not wipe v0"),
    "missing wipe of a high vector": (frame_op("vpxord", "wipe"), None, "does not wipe v16"),
    "missing wipe of a general register": (frame_op("xor", "wipe"), None, "does not wipe g"),
    "missing decrement before the loop": (frame_op("sub", "ramp"), None, "not by the lag"),
    "missing decrement in the loop": (frame_op("sub", "loop"), None, "does not follow the counter"),
    "decrement by two": (frame_op("sub", "loop"), "sub COUNTER, 2", "counts by one"),
    "decrement of 32 bits": (frame_op("sub", "loop"), "sub COUNTER:32, 1", "not the loop counter's"),
    "missing jump": (frame_op("jnz"), None, "iterations|no loop"),
    "missing return": (frame_op("ret"), None, "does not return"),
    "missing argument": (frame_op("mov", "entry"), None, "not loaded"),
    "argument beyond the end": (frame_op("mov", "entry"), "mov g%1, [g%7+24]:64", "beyond the kernel's arguments"),
    "wipe in the wrong place": (
        frame_op("sub", "loop"),
        "sub COUNTER, 1\nxor g%11:32, g%11:32",
        "before the end|follow",
    ),
}


def wide_kernel() -> Kernel:
    """Two streams whose windows reach callee-saved registers and vectors above 15."""
    program = replace(sample_program(), window=Window(10, 6, 0))
    real = spoil(
        program.code,
        "enter",
        5,
        "vmovdqa64 v3, [g0+384]\n" + "\n".join(f"vmovdqa64 v{n}, v3" for n in range(4, 10)) + "\nmov g5, 0",
    )
    program = replace(program, code=real)
    return frame(Recipe("wide@avx512", "avx512", (Part(program), Part(program, 1, 0, 1))))


def test_the_wide_kernel_is_proved() -> None:
    assert check_kernel(wide_kernel(), thorough=True) == []


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_faults_of_the_frame_are_caught(fault: str) -> None:
    test, text, said = FAULTS[fault]
    k = wide_kernel()
    at = find(k.items, test)
    counter = f"g%{k.binding.counter}"
    new = [k.items[at]._replace(ins=ins(line.replace("COUNTER", counter))) for line in (text or "").split("\n") if line]
    problems = check_kernel(edited(k, at, *new))
    assert problems and any(word in problems[0] for word in said.split("|")), problems


def test_pops_in_the_wrong_order_are_caught() -> None:
    k = wide_kernel()
    pops = [i for i, item in enumerate(k.items) if item.ins is not None and item.ins.op == "pop"]
    assert len(pops) > 1
    assert "restore" in check_kernel(moved(k, pops[0], pops[1] + 1))[0]


def test_the_argument_pointer_dies_last() -> None:
    k = wide_kernel()
    loads = [i for i, item in enumerate(k.items) if item.section == "entry" and item.ins.op == "mov"]
    last = [i for i in loads if k.items[i].ins.operands[0].id == 7]
    if last:
        assert "does not load an argument" in check_kernel(moved(k, last[0], loads[0]))[0]


def test_win64_saves_its_vectors() -> None:
    program = replace(sample_program(), window=Window(4, 5, 0))
    k = frame(Recipe("w@avx512", "avx512", (Part(program), Part(program))), "win64")
    assert check_kernel(k) == []
    stores = [i for i, item in enumerate(k.items) if item.ins is not None and item.ins.op == "vmovups"]
    assert stores
    assert "was not saved" in check_kernel(edited(k, stores[0]))[0]
    assert "restore" in check_kernel(edited(k, stores[-1]))[0]


def test_a_moved_constant_is_caught() -> None:
    k = kernel()
    bad = replace(k, pool=tuple(replace(e, offset=e.offset + 4) for e in k.pool))
    assert "constant" in check_kernel(bad)[0]
    small = next(e for e in k.pool if len(e.data) == 4)
    bad = replace(k, pool=tuple(replace(e, data=b"\1\2\3\4") if e is small else e for e in k.pool))
    assert check_kernel(bad)


def test_a_hand_over_needs_its_lag_and_size() -> None:
    producer = sample_program()
    contract = producer.contract
    fields = tuple(f for f in contract.fields if f.name != HAND)
    taking = replace(
        producer,
        code=code("mov g1, [g0+544]:64", "vmovdqa64 v0, [g1+0]\nxor g1, 128", ""),
        contract=replace(contract, fields=(*fields, FROM)),
    )

    def pair(lag: int, consumer=taking) -> Kernel:
        return frame(Recipe("pair@avx512", "avx512", (Part(producer), Part(consumer, 1, 0, lag))))

    assert check_kernel(pair(1)) == []
    assert "has to run one iteration behind" in check_kernel(pair(0))[0]
    assert "has to run one iteration behind" in check_kernel(pair(2))[0]
    other = replace(taking, contract=replace(taking.contract, lanes=4))
    assert "reads halves of 256" in check_kernel(pair(1, other))[0]


def test_the_error_lists_the_problems() -> None:
    k = kernel()
    with pytest.raises(VerifyError, match="does not return") as error:
        verify_kernel(with_items(k, k.items[:-1]))
    assert len(error.value.problems) == 1


def test_it_is_fast_enough() -> None:
    real = replace(ALLOCATED, body=ALLOCATED.body[:-1] * 30 + ALLOCATED.body[-1:])
    k = frame(Recipe("long@avx512", "avx512", tuple(Part(sample_program(real), 1, 0, lag) for lag in (0, 1))))
    started = time.process_time()
    assert kernel_problems(k) == []
    assert (time.process_time() - started) / len(k.items) < 100e-6
