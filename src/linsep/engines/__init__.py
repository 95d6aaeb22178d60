"""Engines: WHERE the parts of the data are, and who computes with them. Only `dask_client` imports Dask.

An engine has two functions. ``hold`` makes something of every part that stays where it was made; it must be a pure
function of its arguments, since what is lost with a machine is made again. ``map`` computes something small from
everything that is held, and returns the answers in the order of the parts.
"""

from .base import Engine, EngineError
from .local import Serial, Threads

__all__ = ["Engine", "EngineError", "Serial", "Threads"]
