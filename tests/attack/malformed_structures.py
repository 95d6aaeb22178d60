"""Malformed sequences, graphs, networks, Gaussians and files."""

from collections.abc import Iterator


def structure_cases() -> Iterator:
    return iter(())
