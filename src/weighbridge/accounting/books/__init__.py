"""The books: what has been posted, how the rest of accounting identifies and reads it, and what runs can
withdraw.

Read `runs` first: the identity and fingerprint of a run, the slots in force, and which batches are out of
date, and why. `balances` reads what ledgers hold and lack, and locks them.

`inventory` builds the pool from which the runs of a generation withdraw: the model versions with their
slots come in, and the engine draws from it. `allocation` has the sources that a request names, and how all
runs of a generation share them. Nothing is posted here; `planning` proposes the movements of the pool.
`core/ledger/pool.py` contains a worked example.
"""
