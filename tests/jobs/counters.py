"""Which kernels ran, by the counters that cst_kernel_info has."""

from __future__ import annotations

from collections.abc import Callable

from cryptostitch.binding.runtime import ERR_JIT, ERR_UNSUPPORTED, Context, RawKernel, RuntimeFailure


class Counters:
    """Of all kernels that the context can run. Looking them up assembles them, which takes a second or two."""

    def __init__(self, context: Context):
        self._kernels: dict[str, RawKernel] = {}
        for name in context.kernels():
            try:
                self._kernels[name] = context.kernel(name)
            except RuntimeFailure as failure:
                assert failure.code in (ERR_UNSUPPORTED, ERR_JIT)

    def during(self, call: Callable[[], object]) -> dict[str, int]:
        """How often each kernel was called by it; those that were not are left out."""
        before = {name: kernel.calls() for name, kernel in self._kernels.items()}
        call()
        after = {name: kernel.calls() - before[name] for name, kernel in self._kernels.items()}
        return {name: calls for name, calls in after.items() if calls}
