"""Reports: the states that one goes through, and what one that restates another changes.

Amounts of batches come in, and what is to be posted goes out; nothing here knows a database.
"""
