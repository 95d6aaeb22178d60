r"""The certificate of a structured classifier :math:`\arg\max_y \langle w, \varphi(x,y)\rangle` (E4).

Its vectors are :math:`a = \varphi(x,y) - \varphi(x,y')`, an example against a rival labelling :math:`y' \ne y`, so the
margin of w is :math:`\gamma = \min \langle w, a\rangle/|w|` over all examples and rivals, and Novikoff's bound is
:math:`A^2/\gamma^2` with A the longest of the vectors. The proof of the upper bound names examples, rivals and weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import Verdict
from .margin import MarginCertificate

if TYPE_CHECKING:
    from .check.labelling import Structure


@dataclass(frozen=True, kw_only=True)
class LabellingCertificate(MarginCertificate):
    """A margin whose ``rows`` are examples; the rival of entry j is ``rivals[begins[j]:begins[j + 1]]``.

    ``violated`` counts examples that a rival beats for sure: its score is computed without rounding where that decides.
    Other rivals may beat more of them, by less than rounding shows.
    """

    bias: str = "none"
    begins: np.ndarray = field(default_factory=lambda: np.zeros(1, dtype=np.int64), repr=False)
    labellings: tuple = field(default=(), repr=False)  # if rivals are any objects: ``rivals`` are their numbers here
    sound: bool = True  # the best rival was found exactly; else more may be violated, and ``longest`` larger

    def proof(self) -> Iterator[tuple[int, Any, float]]:
        """Every example, rival and weight of the proof of the upper bound."""
        for j, (example, weight) in enumerate(zip(self.rows.tolist(), self.weights.tolist(), strict=True)):
            rival = self.rivals[self.begins[j] : self.begins[j + 1]]
            yield example, self.labellings[int(rival[0])] if self.labellings else rival, weight

    def check(self, structure: Structure) -> Verdict:  # type: ignore[override]
        """Compute every claim again from a plain statement of the problem; the answer is true or says what is wrong."""
        from .check.labelling import check_structure

        return check_structure(self, structure)

    def parts(self) -> dict[str, Any]:
        """As in the base; ``labellings`` as the user's own objects."""
        return {**super().parts(), "labellings": list(self.labellings)}

    @classmethod
    def _read(cls, plain: dict[str, Any]) -> dict[str, Any]:
        return super()._read({**plain, "labellings": tuple(map(_hashable, plain.get("labellings", ())))})

    def _words(self) -> tuple[str, str, str, str, str]:
        right, wrong = "beat every rival labelling", "do not beat every rival labelling"
        return "margin", "w", "examples", right, wrong


def _hashable(label: Any) -> Any:
    """Lists, which JSON makes of tuples, as tuples again."""
    return tuple(map(_hashable, label)) if isinstance(label, list) else label
