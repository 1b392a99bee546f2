"""cst_manager from Python: jobs that come one by one (cryptostitch.h, "Manager")."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref
from typing import Any

from .capi import ERR_ARGUMENT, JobStruct, ManagerInfo, ManagerOptions
from .handles import Handle, make
from .jobs import Job, filled
from .library import Library, wanted
from .turns import Turns

__all__ = ["Manager"]


class Manager(Handle):
    """Holds jobs back until lanes fill; 0 stands for the library's own choice of a limit. A job counts as it was when
    it was submitted; its buffers and its key live until it comes out again, whatever is closed meanwhile. Threads take
    turns; a manager for each thread is faster."""

    _what = "manager"

    def __init__(self, context: Library, min_fill: int = 0, max_age: int = 0, capacity: int = 0):
        self.context, self.lib = wanted(Library, context, "the context"), context.lib
        self._lock = Turns("the manager")
        self._inside: dict[int, tuple[Job, Any, list[Any]]] = {}  # by the struct's address
        options = ManagerOptions(min_fill=min_fill, max_age=max_age, capacity=capacity)
        owned, lock, free = context.live(), self._lock, self.lib.cst_manager_free

        def free_whole(manager: int) -> None:
            """C may not walk lists that another thread was changing when this process was forked."""
            if not lock.lost:
                free(manager)

        code, self._owned = make(self.lib.cst_manager_new, free_whole, owned, owned.pointer, byref(options))
        cause = "min_fill is at most 1024, capacity at least min_fill" if code == ERR_ARGUMENT else ""
        context.check(code, "manager", cause=cause)

    def close(self) -> None:
        """Frees the manager; jobs that still wait are not run."""
        if self._lock.lost:
            super().close()
            return
        with self._lock:
            super().close()
            self._inside.clear()

    def _in_turn(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls the function with the C manager, one thread at a time. The gate is passed before the lock: who waits
        there for a call that must be alone holds nothing that this call may want."""
        return self.live().gate.call(self._locked, function, *arguments)

    def _locked(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock:
            owned = self.live()
            return function(owned.pointer, *arguments)

    def submit(self, job: Job) -> None:
        """Takes the job in. Raises RuntimeFailure, and then the job is not in the manager."""
        struct, key = JobStruct(), wanted(Job, job, "a job").key
        kept = filled(job, struct, self.lib)
        elsewhere = kept[0].gate is not self.live().gate
        code = self._in_turn(self._submit, job, struct, kept)
        del kept
        key.check_job(code, struct, elsewhere=elsewhere)

    def _submit(self, manager: int, job: Job, struct: Any, kept: list[Any]) -> int:
        address = ctypes.addressof(struct)
        self._inside[address] = job, struct, kept
        code: int = self.lib.cst_manager_submit(manager, address)
        if code:
            del self._inside[address]
        return code

    def _out(self, address: int) -> Job:
        job, struct, _ = self._inside.pop(address)
        job.status, job.out_len = struct.status, struct.out_len
        return job

    def take(self) -> Job | None:
        """The next finished job, with `status` and `out_len` set."""
        taken: Job | None = self._in_turn(self._take)
        return taken

    def _take(self, manager: int) -> Job | None:
        address = self.lib.cst_manager_take(manager)
        return self._out(address) if address else None

    def flush(self) -> None:
        """Runs everything that waits."""
        self.context.check(self._in_turn(self.lib.cst_manager_flush), "flush")

    def cancel(self, job: Job) -> bool:
        """Whether the job was still waiting, and now is out again."""
        return bool(self._in_turn(self._cancel, job))

    def _cancel(self, manager: int, job: Job) -> bool:
        for address, (other, _, _) in list(self._inside.items()):
            if other is job and not self.lib.cst_manager_cancel(manager, address):
                self._out(address)
                return True
        return False

    def info(self) -> dict[str, int]:
        """Limits and counts by their names in cst_manager_info."""
        info = ManagerInfo()
        self.context.check(self._in_turn(self.lib.cst_manager_info_get, byref(info)), "manager")
        return {name: getattr(info, name) for name, *_ in ManagerInfo._fields_ if name != "size"}
