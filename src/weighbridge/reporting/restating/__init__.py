"""Restating: what a report says otherwise than the one that it restates, made from what both take.

In come two reports; out goes a summary of changes, run by run and with the causes. See `summary.py`.
"""
