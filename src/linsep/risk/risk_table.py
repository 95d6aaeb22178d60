"""The results of structural risk minimisation: one record per rung, and which one was chosen (A5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .bound import VCBound
from .capacity import FROM_MARGIN, Capacity

BY_BOUND, BY_CROSS_VALIDATION = "bound", "cross-validation"


@dataclass(frozen=True)
class Rung:
    """The risks of one rung of a ladder."""

    name: str
    bound: VCBound  # includes the empirical risk
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
        """The standard deviation of the risk over the folds."""
        return float(np.std(self.folds))

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row for a data frame: name, numbers and flags."""
        bound = self.bound
        return {
            "rung": self.name, **self.capacity._asdict(), "N": bound.N, "eta": bound.eta, "empirical": bound.empirical,
            "confidence": bound.confidence, "bound": bound.value, "vacuous": bound.vacuous, "valid": bound.valid,
            "cross_validated": self.cross_validated, "spread": self.spread,
        }  # fmt: skip


class RiskTable(list):
    """A list of `Rung`, from the poorest to the richest class; ``print`` shows a table and why one was chosen."""

    def __init__(self, rungs: list[Rung], choose: str):
        super().__init__(rungs)
        self.choose = choose

    def criterion(self, rung: Rung) -> float:
        """Return the number that is minimised."""
        return rung.bound.value if self.choose == BY_BOUND else rung.cross_validated

    @property
    def best(self) -> int:
        """The index of the rung with the smallest criterion; of equal ones (up to rounding) the poorest."""
        return int(np.argmin([round(self.criterion(rung), 12) for rung in self]))

    def __str__(self) -> str:
        head = ["", "rung", "capacity h", "from", "R_emp", "+ confidence", "= bound", "", "cross-validated"]
        lines = [head] + [self._format_row(rung, chosen=i == self.best) for i, rung in enumerate(self)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
        return "\n".join([*rows, "", *self.reasons()])

    def _format_row(self, rung: Rung, chosen: bool) -> list[str]:
        bound = rung.bound
        remark = "vacuous" if bound.vacuous else "" if bound.valid else "h not << N"
        crossed = f"{rung.cross_validated:.4f} ± {rung.spread:.4f}"
        numbers = [f"{bound.empirical:.4f}", f"{bound.confidence:.4f}", f"{bound.value:.4f}"]
        return [">" if chosen else "", rung.name, f"{bound.h:.4g}", rung.capacity.source, *numbers, remark, crossed]

    def reasons(self) -> list[str]:
        """Return sentences that say why this rung was chosen and what the numbers prove."""
        best = self[self.best]
        by = "the bound" if self.choose == BY_BOUND else self.choose
        sentences = [f"Chosen by {by}: {best.name}, {self._format_sum(best)}."]
        for kind, others in (("poorer", self[: self.best]), ("richer", self[self.best + 1 :])):
            if others:
                rival = min(others, key=self.criterion)
                sentences.append(f"The best {kind} rung: {rival.name}, {self._format_sum(rival)}.")
        eta, count = len(self) * best.bound.eta, f"all {len(self)} bounds hold" if len(self) > 1 else "the bound holds"
        sentences.append(f"With probability at least {1 - eta:.4g} {count} on {best.bound.N} independent examples.")
        if any(rung.capacity.source == FROM_MARGIN for rung in self):
            sentences.append("A capacity R²/m²+1 is computed from the data, which S0 (1) does not cover: no proof.")
        if all(rung.bound.vacuous for rung in self):
            sentences.append("Every bound is vacuous (1 or more) and proves nothing: see the cross-validated risk.")
        elif self.choose == BY_BOUND and not best.bound.valid:
            sentences.append("S0 (1) requires h << N, but for the chosen rung h is not much smaller than N.")
        return sentences

    def _format_sum(self, rung: Rung) -> str:
        bound = rung.bound
        if self.choose == BY_BOUND:
            return f"{bound.value:.4f} = {bound.empirical:.4f} + {bound.confidence:.4f}"
        return f"{rung.cross_validated:.4f} on the folds left out, {bound.empirical:.4f} on the training data"
