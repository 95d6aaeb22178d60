"""Datasets: files of any size as rows, in memory that is bounded."""
