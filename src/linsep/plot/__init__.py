"""Pictures of what was learned: the decision line, the bounds of the margin, the weight space, a film of the updates.

Every function draws on the ``ax`` it is given (or on new axes) and returns it; none calls ``plt.show()``.
"""

from __future__ import annotations

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "linsep.plot draws with matplotlib, which is not installed: pip install linsep[plot]"
    ) from missing

from .cone import weight_space
from .decisions import strategy
from .ellipses import ellipses, worst_error
from .film import animate
from .hulls import hulls
from .ladder import structural_risk
from .plane import decision
from .progress import bounds, mistakes
from .regions import regions

__all__ = [
    "animate", "bounds", "decision", "ellipses", "hulls", "mistakes", "regions", "strategy", "structural_risk",
    "weight_space", "worst_error",
]  # fmt: skip
