"""The entries of the API that run jobs, for single steps: which function is traced, and a call that can be repeated."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_size_t
from typing import Any

from cryptostitch.binding.capi import ManagerOptions
from cryptostitch.binding.runtime import OPEN, SEAL, Context

Entry = Callable[[Context, Any], tuple[int, Callable[[], object]]]
"""(context, structs of jobs) -> (address of the function, the call)."""


def address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found
    return found


def burst(context: Context, structs: Any) -> tuple[int, Callable[[], object]]:
    lib = context.lib
    return address(lib.cst_burst), lambda: lib.cst_burst(context.handle, structs, len(structs))


def single(context: Context, structs: Any) -> tuple[int, Callable[[], object]]:
    """cst_seal or cst_open of the only job. What it returns is put where a burst puts it."""
    (job,) = structs
    function = {SEAL: context.lib.cst_seal, OPEN: context.lib.cst_open}[job.direction]
    written = c_size_t()
    arguments = (
        job.key, job.iv, job.iv_len, job.aad, job.aad_len, getattr(job, "in"), job.in_len, job.out, job.out_cap,
        byref(written), job.tag, job.tag_len,
    )  # fmt: skip

    def call() -> None:
        job.status = function(*arguments)
        job.out_len = written.value

    return address(function), call


def manager(context: Context, structs: Any) -> tuple[int, Callable[[], object]]:
    """Jobs wait until cst_manager_flush runs them. Copies do: a job that is submitted again has no outcome any more."""
    lib, handle = context.lib, ctypes.c_void_p()
    options = ManagerOptions(min_fill=len(structs) + 1, max_age=1000, capacity=len(structs) + 1)
    context.check(lib.cst_manager_new(context.handle, byref(options), byref(handle)))
    copies = type(structs).from_buffer_copy(structs)

    def call() -> None:
        for copy in copies:
            lib.cst_manager_submit(handle, ctypes.addressof(copy))
        lib.cst_manager_flush(handle)
        while lib.cst_manager_take(handle):
            pass
        for struct, copy in zip(structs, copies):
            struct.status, struct.out_len = copy.status, copy.out_len

    return address(lib.cst_manager_flush), call
