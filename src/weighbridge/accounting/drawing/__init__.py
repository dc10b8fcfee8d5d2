"""Drawing: what the runs of a generation may take from other ledgers, by rule or by hand.

In come the versions of a model with their slots, and the sources that a request names; out goes a pool that
the engine draws from. Nothing is posted here: what moved in the pool is proposed by `planning`. Read:

1. `version.py` - a version as it draws; `source_ledgers.py` - the ledgers that its nodes name;
2. `inventory.py` - what those ledgers have left and what the runs hold already: the pool;
3. `overdrawn.py`, `attributes.py` - source runs of which too much is drawn, and what travels along;
4. `manual_sources.py`, `manual_allocation.py` - sources named by hand, and how they are divided over runs;
5. `draws.py` - the pool and the allocation together, as one generation uses them.

The pool itself is `core/ledger/pool/pool.py`, which has a worked example.
"""
