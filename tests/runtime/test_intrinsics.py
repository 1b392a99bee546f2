"""Vector instructions in C++ stand where SOUNDNESS.md says so, and nowhere else: all else is done by kernels."""

from __future__ import annotations

import re
from pathlib import Path

HEADERS = re.compile(r'#include\s*[<"](?:\w*intrin|[\w./]*intrinsics)\.h(?:pp)?[>"]')
SECRET = {"suite/aes.cpp", "suite/ghash.cpp", "suite/mask.hpp", "suite/padding.hpp"}
"""What computes from secrets, by name."""
PUBLIC = {"suite/intrinsics.hpp", "api/surely_right_four.cpp", "api/surely_right_wide.cpp", "select/calibrate.cpp"}
"""What sees lengths, addresses and clocks."""
MOVED = {"storage/past_caches.hpp", "hash/tree_nodes.hpp"}
"""What moves texts, and computes nothing of them."""


def test_intrinsics(root: Path) -> None:
    runtime = root / "runtime"
    found = {
        str(path.relative_to(runtime))
        for path in runtime.rglob("*.[chi]*")
        if HEADERS.search(path.read_text(encoding="utf-8"))
    }
    assert found == SECRET | PUBLIC | MOVED
    page = (root / "SOUNDNESS.md").read_text(encoding="utf-8")
    assert all(f"`{name.partition('.')[0]}`" in page for name in SECRET)
