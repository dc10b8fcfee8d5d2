"""Taking: what reports may take of batches, and what they hold.

In come a report's amounts by batch; out go what is wrong with them, and entries on the ledger. Read in this
order:

1. `batches.py` - the batches that a report names, and the accounts that they belong to;
2. `holdings.py` - what a chain of reports has posted and reserved;
3. `remaining.py` - what may be taken beside that, at every moment;
4. `entries.py` - the entries that make what is held what should be.

Invariant: nothing is taken beyond what remains, at any moment from the latest slot's end on.
"""
