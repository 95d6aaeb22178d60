"""Provers: they compute the bounds of a certificate, once, from the data."""
