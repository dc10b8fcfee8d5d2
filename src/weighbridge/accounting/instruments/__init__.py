"""Instruments: what credits a system ledger, entered by hand: certificates, fuel, embodied emissions.

An instrument is a batch without a run: it is listed, drawn from and deleted as batches are, and stands in
their lineage. Permission: production accounting.
"""
