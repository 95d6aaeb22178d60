"""Max-sum engines for chains and networks, usable by themselves.

`Network.of` makes a network of tables, `read_uai` reads one; `solve` finds its best labelling, and proves it if it can.
"""

from __future__ import annotations

from .elimination import elimination
from .forest import forest
from .mincut import cut
from .network import Answer, Network
from .rival import best_rival
from .solve import ENGINES, solve
from .toulbar2 import toulbar2
from .trws import trws
from .uai import read_uai, write_uai

__all__ = ["ENGINES", "Answer", "Network", "best_rival", "cut", "elimination", "forest"]
__all__ += ["read_uai", "solve", "toulbar2", "trws", "write_uai"]
