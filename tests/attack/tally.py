"""What an attack counts and finds."""

from __future__ import annotations

import traceback
from collections import Counter
from contextlib import contextmanager
from typing import Any


class Tally:
    """Counts of one unit of work, and its failures as plain data."""

    def __init__(self) -> None:
        self.problems: Counter[str] = Counter()  # by estimator
        self.forged: Counter[str] = Counter()  # by kind of forgery and estimator
        self.refused: Counter[str] = Counter()  # of these, what `check` refused
        self.notes: Counter[str] = Counter()  # what is neither right nor wrong: refused ranges, open questions
        self.failures: list[dict[str, str]] = []

    def fail(self, kind: str, who: str, detail: str) -> None:
        """Note a failure; ``kind`` is a false claim, a wrong error, ..."""
        self.failures.append({"kind": kind, "who": who, "detail": detail})

    def forge(self, kind: str, who: str, verdict: Any) -> None:
        """Count a forged certificate, whose claim is false; it must have been refused."""
        self.forged[f"{kind} | {who}"] += 1
        self.refused[f"{kind} | {who}"] += not verdict
        if verdict:
            self.fail("forgery accepted", who, f"{kind}: {verdict}")

    @contextmanager
    def guarded(self, who: str, doing: str = "fit"):
        """Note what is raised inside, apart from an interruption, as a failure."""
        try:
            yield
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
            self.fail("error", who, f"{doing}: {type(error).__name__} at {place}: {str(error)[:200]}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = ("problems", "forged", "refused", "notes")
        return {**{name: dict(getattr(self, name)) for name in names}, "failures": self.failures}

    def add(self, found: dict[str, Any]) -> None:
        """Add what another tally's ``to_dict`` says."""
        for name in ("problems", "forged", "refused", "notes"):
            getattr(self, name).update(found[name])
        self.failures += found["failures"]
