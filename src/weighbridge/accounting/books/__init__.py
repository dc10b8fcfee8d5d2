"""The books: what has been posted, and how the rest of accounting identifies and reads it.

Read `runs` first: the identity and fingerprint of a run, and the slots in force. `balances` reads what
ledgers hold and lack, and locks them. `staleness` tells which batches are out of date, and why.
"""
