"""Stored versions of rules, and the periods over which they are evaluated.

In come the number of a rule, and times of requests; out go `StoredVersion`, with all that decides a result,
and `Period`. What the interface shows of versions is read in `rules.queries`.

Read `stored_version`, then `period`.
"""
