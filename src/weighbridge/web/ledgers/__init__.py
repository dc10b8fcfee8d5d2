"""Ledgers and what is on them: balances, batches, how each came about, and how more of them are made."""
