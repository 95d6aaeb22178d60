"""Plots of what was learned: decision lines, bounds of the margin, the weight space, an animation of the updates.

Every function draws on the given ``ax`` (or on new axes) and returns it; none calls ``plt.show()``.
"""

from __future__ import annotations

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as missing:
    raise ImportError("linsep.plot needs matplotlib, which is not installed: pip install linsep[plot]") from missing

from .animation import animate, animate_gaussians
from .cones import probability_cones
from .criterion import criterion
from .dichotomies import dichotomies
from .directions import directions
from .fits import fits
from .gaussians import gaussians, worst_error
from .hulls import hulls
from .lifted import lifted
from .mirrored_hull import longest_vector, mirrored_hull
from .novikoff import novikoff
from .plane import decision
from .progress import bounds, mistakes
from .radius import radius_and_margin
from .regions import regions
from .spaces import three_spaces
from .step import step
from .strategy import strategy
from .structural_risk import structural_risk
from .trellis import trellis
from .units import units
from .weight_space import weight_space

__all__ = [
    "animate", "animate_gaussians", "bounds", "criterion", "decision", "dichotomies", "directions", "fits", "gaussians",
    "hulls", "lifted", "longest_vector", "mirrored_hull", "mistakes", "novikoff", "probability_cones",
    "radius_and_margin", "regions", "step", "strategy", "structural_risk", "three_spaces", "trellis", "units",
    "weight_space", "worst_error",
]  # fmt: skip
