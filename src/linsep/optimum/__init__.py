"""Solvers that are not the loop."""
