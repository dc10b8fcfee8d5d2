"""Reports: drafts that take amounts of a ledger's batches, and their way to acceptance.

A draft reserves nothing. Permission: production accounting.
"""
