"""What a check of the ladder says about one kernel."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

PASS, FAIL, SKIP, WAIVED = "pass", "fail", "skip", "waived"


class Skip(Exception):
    """Raised by a check that cannot be run here; the message is the reason."""


@dataclass(frozen=True)
class Result:
    """``status`` is pass, fail, skip, or waived: nothing is wrong beside what VARTIME.md permits. ``detail``: how much
    was looked at, or the reason of a skip or a waiver, in a few words.

    ``problems`` are sentences, one for each thing that is wrong; ``cases`` how many cases ran (0: not that kind of
    check).
    """

    status: str
    detail: str = ""
    problems: tuple[str, ...] = ()
    cases: int = 0

    @classmethod
    def of(cls, problems: list[str], detail: str = "", cases: int = 0) -> Result:
        """A pass when there are no problems."""
        return cls(FAIL if problems else PASS, detail, tuple(problems), cases)

    def waived(self, streams: list[str]) -> Result:
        """Returns the result, but of a pass a waived result, if these streams may take variable time."""
        reason = f"{' and '.join(streams)} may take variable time"
        return (
            replace(self, status=WAIVED, detail=f"{reason}; {self.detail}" if self.detail else reason)
            if streams and self.status == PASS
            else self
        )

    @property
    def text(self) -> str:
        """Returns the words of the JSON form: pass, fail, or skip or waived with the reason."""
        return f"{self.status}: {self.detail}" if self.status in (SKIP, WAIVED) else self.status


@dataclass(frozen=True)
class Effort:
    """How much is done. ``long``: the long forms. ``seed`` starts every random choice and is printed with every
    report."""

    seed: int = 1
    long: bool = False


@dataclass
class Evidence:
    """All results of one kernel, in the order of the steps."""

    kernel: str
    checks: dict[str, Result] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return any(r.status == FAIL for r in self.checks.values())
