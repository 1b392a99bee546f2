"""The header and the table compile, and a C program that links nothing but the object runs a kernel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cryptostitch.core.contract import Field
from cryptostitch.core.ir import Constant
from cryptostitch.emit.header import header_text, static_table_text
from cryptostitch.emit.objects import machine_code, object_bytes
from cryptostitch.passes.frame import frame
from handmade import ROOT, program, recipe

MAIN = """
#define CST_KERNEL_TABLE
#include "cryptostitch_kernels.h"
#include <string.h>
int main(void) {
    static uint16_t lanes[] = COUNT_X4_CHAIN_LANE_OFFSETS;
    _Alignas(COUNT_X4_STATE_ALIGN) unsigned char a[COUNT_X4_STATE_BYTES] = {0}, b[COUNT_X4_STATE_BYTES] = {0};
    struct cst_kernel_args args = {5, {a, b}};
    if (lanes[3] != 12 || COUNT_X4_CHAIN_ROWS != 5) return 1;
    if (strcmp(cst_kernel_table[0].name, "count_x8@sse") || cst_kernel_table[0].streams != 2) return 2;
    cst_kernel_table[0].fn(&args);
    for (int i = 0; i < 4; i++) {
        int32_t va, vb;
        memcpy(&va, a + COUNT_X4_CHAIN_OFFSET + lanes[i], 4);
        memcpy(&vb, b + COUNT_X4_CHAIN_OFFSET + lanes[i], 4);
        if (va != 5 * (i + 1) || vb != va) return 3;
    }
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_objects_alone(tmp_path: Path) -> None:
    fields = (Field("chain", 64, 5, 64, 4, (0, 4, 8, 12)), Field("spill", 512, 1, 64, 64))
    count = program(
        "count_x4@sse#2",
        "paddd v0x, @step:128",
        enter="movdqa v0x, [g0+64]:128",
        leave="movdqa [g0+64]:128, v0x",
        fields=fields,
        constants=(Constant("step", b"".join(n.to_bytes(4, "little") for n in (1, 2, 3, 4))),),
        state_bytes=1024,
    )
    kernels = [recipe("count_x8@sse", count, count), recipe("count_x4@sse", count)]
    frames = [frame(r) for r in kernels]
    sizes = {name: len(code) for name, code in machine_code(frames).items()}
    (tmp_path / "kernels.o").write_bytes(object_bytes(frames))
    header = header_text(kernels, sizes)
    assert "SPILL" not in header and header == header_text(kernels, sizes)
    (tmp_path / "cryptostitch_kernels.h").write_text(header)
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "table.c").write_text(static_table_text(kernels, sizes))
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    subprocess.run(["cc", *flags, "main.c", "table.c", "kernels.o", "-o", "main"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "main"], check=True)
