"""Solvers outside the loop: the exact optimum, the soft margin, least squares, separability."""
