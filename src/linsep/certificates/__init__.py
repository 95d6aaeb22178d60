"""Certificates: what is known for sure about a learned w."""
