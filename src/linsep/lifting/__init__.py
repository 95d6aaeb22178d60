"""Lifting: functions of the rows, and a classifier behind them (B3)."""

from .lift import Functions, Lifted, Polynomial, Quadratic

__all__ = ["Functions", "Lifted", "Polynomial", "Quadratic"]
