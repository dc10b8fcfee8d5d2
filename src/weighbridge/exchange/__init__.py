"""Exchange: what comes from outside in bulk, and goes out.

In come files, out go events. Read `tabular`, which knows rows and nothing of the service, before `feeding`,
which stores what they say for a data feed: the one way in for files, also for `weighbridge import`.
"""
