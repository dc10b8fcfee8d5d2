"""Methodologies: under what rules reports are made, by whose models, and what must hold of one that is sent.

A methodology never changes: another version of it is another record. Permission: production accounting.
"""
