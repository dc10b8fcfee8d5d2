"""Withdrawals: what the runs of a generation may draw from other ledgers, by rule or by hand.

The input is the model versions with their slots, and the sources that a request names. The output is a
pool that the engine draws from. Nothing is posted here; `planning` proposes the movements of the pool.

Read `inventory` (the pool), `manual_sources` (sources named in a request), then `allocation` (how all
runs of a generation share them). `core/ledger/pool/pool.py` contains a worked example.
"""
