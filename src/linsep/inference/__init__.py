"""Max-sum engines for chains and networks, usable on their own.

`Network.from_tables` makes a network, `read_uai` reads one from a file; `solve` finds its best labelling and, where it
can, proves that it is the best; `best_rival` finds the best labelling other than a given one.
"""

from __future__ import annotations

from .answer import Answer
from .elimination import elimination
from .expansion import expansion
from .forest import forest
from .minimum_cut import cut
from .network import Network
from .rival import best_rival
from .solve import ENGINES, solve
from .toulbar2 import toulbar2
from .trws import trws
from .uai import read_uai, write_uai

__all__ = [
    "ENGINES",
    "Answer",
    "Network",
    "best_rival",
    "cut",
    "elimination",
    "expansion",
    "forest",
    "read_uai",
    "solve",
    "toulbar2",
    "trws",
    "write_uai",
]
