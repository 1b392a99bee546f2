"""Run by gdb: stops at the beginning of a kernel and steps through its every instruction. Prints, as JSON, how many
there were, what was ever seen of the frames (each list has one entry if the kernel's unwind table is right), and
whether the kernel's name is gone with its context."""

import json
import os

import gdb

KERNEL = os.environ["KERNEL"]
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15", "rsp")


def run(command: str) -> str:
    return gdb.execute(command, to_string=True)


def address() -> int | None:
    try:
        return int(gdb.parse_and_eval(f"(unsigned long) &'{KERNEL}'"))
    except gdb.error:
        return None


run("set pagination off")
run("set breakpoint pending on")
run("break __jit_debug_register_code")
run("run")
while address() is None:
    run("finish")
    if address() is None:
        run("continue")
run("delete")
run(f"tbreak *{address()}")
run("continue")

steps, names, depths, callers, traces = 0, set(), set(), set(), set()
first = address()
while gdb.newest_frame().pc() == first or gdb.newest_frame().name() in names:
    frame = gdb.newest_frame()
    names.add(frame.name())
    depths.add(int(frame.read_register("rsp")))
    caller = frame.older()
    callers.add((caller.pc(), *(int(caller.read_register(name)) for name in KEPT)))
    trace = []
    while frame is not None:
        trace.append(frame.pc())
        outermost, frame = frame.name(), frame.older()
    traces.add((*trace[1:], outermost))
    steps += 1
    run("stepi")
run("break puts")  # behind cst_ctx_free
run("continue")
found = {"steps": steps, "names": list(names), "callers": list(callers), "traces": list(traces), "depths": len(depths)}
map_of_perf = f"/tmp/perf-{gdb.selected_inferior().pid}.map"
with open(map_of_perf) as file:
    found["map"] = file.read()
os.unlink(map_of_perf)
print(json.dumps({**found, "gone": address() is None}))
