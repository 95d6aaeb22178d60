"""Estimators: thin scikit-learn classes around the loop and the solvers."""
