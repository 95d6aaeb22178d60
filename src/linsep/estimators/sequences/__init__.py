"""The classifier of sequences and what reads its data."""
