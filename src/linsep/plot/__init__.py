"""Plots of what was learned: decision lines, bounds of the margin, the weight space, an animation of the updates.

Every function draws on the given ``ax`` (or on new axes) and returns it; none calls ``plt.show()``.
"""

from __future__ import annotations

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as missing:
    raise ImportError("linsep.plot needs matplotlib, which is not installed: pip install linsep[plot]") from missing

from .animation import animate, animate_gaussians
from .gaussians import gaussians, worst_error
from .hulls import hulls
from .plane import decision
from .progress import bounds, mistakes
from .regions import regions
from .strategy import strategy
from .structural_risk import structural_risk
from .weight_space import weight_space

__all__ = [
    "animate", "animate_gaussians", "bounds", "decision", "gaussians", "hulls", "mistakes", "regions", "strategy",
    "structural_risk", "weight_space", "worst_error",
]  # fmt: skip
