"""Oracles: WHAT is to be separated. Each holds sets of vectors and finds the lowest one along w.

``points``, ``differences``, ``classes`` and ``ellipsoids`` make oracles of arrays and CSR matrices, in place.
"""

from .classes import Classes, classes
from .differences import Differences, differences
from .ellipsoids import Ellipsoids, ellipsoids
from .points import Dense, Sparse, points

__all__ = ["Classes", "Dense", "Differences", "Ellipsoids", "Sparse", "classes", "differences", "ellipsoids", "points"]
