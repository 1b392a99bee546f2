"""cst_manager from Python: jobs that come one by one (cryptostitch.h, "Manager")."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p

from .capi import JobStruct, ManagerInfo, ManagerOptions
from .jobs import Job
from .runtime import Context

__all__ = ["Manager"]


class Manager:
    """Holds jobs back until lanes fill. One thread at a time; 0 stands for the library's own choice of a limit."""

    def __init__(self, context: Context, min_fill: int = 0, max_age: int = 0, capacity: int = 0):
        self.context, self.lib = context, context.lib
        self.handle = c_void_p()
        self._inside: dict[int, tuple[Job, ctypes.Structure]] = {}  # by the struct's address
        options = ManagerOptions(min_fill=min_fill, max_age=max_age, capacity=capacity)
        context.check(self.lib.cst_manager_new(context.handle, byref(options), byref(self.handle)), "manager")

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Frees the manager; jobs that still wait are not run."""
        if getattr(self, "handle", None):
            self.lib.cst_manager_free(self.handle)
            self.handle = c_void_p()

    def submit(self, job: Job) -> None:
        """Takes the job in. Raises RuntimeFailure, and then the job is not in the manager."""
        struct = JobStruct()
        job.fill(struct)
        address = ctypes.addressof(struct)
        self._inside[address] = job, struct
        code = self.lib.cst_manager_submit(self.handle, address)
        if code:
            del self._inside[address]
            job.key.check(code)

    def _out(self, address: int) -> Job:
        job, struct = self._inside.pop(address)
        job.status, job.out_len = struct.status, struct.out_len
        return job

    def take(self) -> Job | None:
        """The next finished job, with `status` and `out_len` set."""
        address = self.lib.cst_manager_take(self.handle)
        return self._out(address) if address else None

    def flush(self) -> None:
        self.context.check(self.lib.cst_manager_flush(self.handle), "flush")

    def cancel(self, job: Job) -> bool:
        """Whether the job was still waiting, and now is out again."""
        for address, (other, _) in self._inside.items():
            if other is job:
                if self.lib.cst_manager_cancel(self.handle, address):
                    return False
                self._out(address)
                return True
        return False

    def info(self) -> dict[str, int]:
        """Limits and counts by their names in cst_manager_info."""
        info = ManagerInfo()
        self.context.check(self.lib.cst_manager_info_get(self.handle, byref(info)), "manager")
        return {name: getattr(info, name) for name, *_ in ManagerInfo._fields_ if name != "size"}
