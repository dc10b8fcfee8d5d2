"""Tracing: read back how a batch came about, from what the generation stored. Nothing is written.

`input_data` reads the values behind batches page by page, `lineage` builds the tree from output to
measurements and lists withdrawals, and `ledger_activity` summarises slots and turnover for charts.
"""
