"""Batches: what a run credited to a ledger, with every node's value and the events it was made of.

A batch carries a primary output and a balance; an adjusting batch names the first batch of its run.
Permission: production accounting.
"""
