"""What is known of every rung of a ladder, which one was chosen, and why (A5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .bound import VCBound
from .capacity import MARGIN, Capacity

BOUND, CROSS_VALIDATION = "bound", "cross-validation"


@dataclass(frozen=True)
class Rung:
    """What is known of one rung."""

    name: str
    bound: VCBound  # with the empirical risk in it
    capacity: Capacity
    folds: tuple[float, ...]  # the risk on each fold that was left out

    @property
    def empirical(self) -> float:
        """The mean 0/1 loss on the training data."""
        return self.bound.empirical

    @property
    def cross_validated(self) -> float:
        """The mean 0/1 loss on the folds left out."""
        return float(np.mean(self.folds))

    @property
    def spread(self) -> float:
        """The standard deviation of the risk from fold to fold."""
        return float(np.std(self.folds))

    def to_dict(self) -> dict[str, Any]:
        """One flat row: name, numbers and flags, ready for a data frame."""
        bound = self.bound
        return {
            "rung": self.name, **self.capacity._asdict(), "N": bound.N, "eta": bound.eta, "empirical": bound.empirical,
            "confidence": bound.confidence, "bound": bound.value, "vacuous": bound.vacuous, "valid": bound.valid,
            "cross_validated": self.cross_validated, "spread": self.spread,
        }  # fmt: skip


class Table(list):
    """The rungs, from poor to rich, and which one was chosen; ``print`` shows it as a table with its reasons."""

    def __init__(self, rungs: list[Rung], choose: str):
        super().__init__(rungs)
        self.choose = choose

    def criterion(self, rung: Rung) -> float:
        """The number that the chosen rung has the smallest of."""
        return rung.bound.value if self.choose == BOUND else rung.cross_validated

    @property
    def best(self) -> int:
        """The rung of the smallest criterion; of equals (up to rounding) the poorest."""
        return int(np.argmin([round(self.criterion(rung), 12) for rung in self]))

    def __str__(self) -> str:
        head = ["", "rung", "capacity h", "from", "R_emp", "+ confidence", "= bound", "", "cross-validated"]
        lines = [head] + [self._line(rung, chosen=i == self.best) for i, rung in enumerate(self)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
        return "\n".join([*rows, "", *self.reasons()])

    def _line(self, rung: Rung, chosen: bool) -> list[str]:
        bound = rung.bound
        doubt = "vacuous" if bound.vacuous else "" if bound.valid else "h not << N"
        crossed = f"{rung.cross_validated:.4f} ± {rung.spread:.4f}"
        numbers = [f"{bound.empirical:.4f}", f"{bound.confidence:.4f}", f"{bound.value:.4f}"]
        return [">" if chosen else "", rung.name, f"{bound.h:.4g}", rung.capacity.source, *numbers, doubt, crossed]

    def reasons(self) -> list[str]:
        """Why this rung, and what the numbers are worth: one sentence a line."""
        best = self[self.best]
        said = [f"Chosen by {'the ' * (self.choose == BOUND)}{self.choose}: {best.name}, {self._sum(best)}."]
        for place, others in (("poorer", self[: self.best]), ("richer", self[self.best + 1 :])):
            if others:
                rival = min(others, key=self.criterion)
                said.append(f"The best {place} rung: {rival.name}, {self._sum(rival)}.")
        sure, count = len(self) * best.bound.eta, f"all {len(self)} bounds hold" if len(self) > 1 else "the bound holds"
        said.append(f"With probability at least {1 - sure:.4g} {count} on {best.bound.N} independent examples.")
        if any(rung.capacity.source == MARGIN for rung in self):
            said.append("But a capacity R²/m²+1 was read off the data, which S0 (1) does not cover: a guide, no proof.")
        if all(rung.bound.vacuous for rung in self):
            said.append("Every bound is vacuous (1 or more): it proves nothing here. Look at the cross-validated risk.")
        elif self.choose == BOUND and not best.bound.valid:
            said.append("The chosen bound is not what S0 (1) is for: h is not much smaller than N.")
        return said

    def _sum(self, rung: Rung) -> str:
        bound = rung.bound
        if self.choose == BOUND:
            return f"{bound.value:.4f} = {bound.empirical:.4f} + {bound.confidence:.4f}"
        return f"{rung.cross_validated:.4f} on the folds left out, {bound.empirical:.4f} on the training data"
