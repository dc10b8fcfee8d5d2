"""`weighbridge import`: a file becomes an upload to a data feed, and the command waits for what it comes to.

In: a file, and options that say how it is read. Out: a summary, and what is wrong with rows. Read `run.py`,
which makes the feed of the options and sums the upload up, then the two ways to a service: `direct.py`, into
a database, whose worker the command then is, and `remote.py`, over HTTP.

Invariants: nothing of a file is read here but its digest; one feed stands for one set of options, under one
name, so the same command finds it again.
"""
