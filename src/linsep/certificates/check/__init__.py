"""Checks: is a certificate true? They import the records and nothing else of linsep."""
