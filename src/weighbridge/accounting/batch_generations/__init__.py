"""Generations: running a ledger's model over collected data, slot by slot and partition by partition.

Preview shows a proposal and generation posts one, so they cannot disagree. A generation reconciles: it posts
the difference between what a run should have credited and what it has. Permission: production accounting.
"""
