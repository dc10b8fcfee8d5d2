"""The books: what has been posted, and what stays with slots; the ground of all of accounting.

The database's rows come in, values that say what a run, a batch, an account is go out. Read in this order:

1. `runs.py` - the identity of a run, and the runs of slots; `model_run_ids.py` - how callers name one;
2. `newest.py`, `fingerprint.py` - which batch speaks for a run, and how it is told from another;
3. `ledgers.py`, `balances.py`, `standings.py`, `presets.py` - ledgers, what accounts hold and lack, and when,
   system ledgers;
4. `slot_inputs.py`, `slot_digests.py` - what stays with slots;
5. `fingerprint.py`, `slots_in_force.py` - which runs count something, and which slots may not share time;
6. `locks.py`, `staleness.py`, `stale_reasons.py` - who waits for whom, and what no longer holds.
"""
