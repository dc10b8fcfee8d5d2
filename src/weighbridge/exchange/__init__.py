"""Exchange: what comes from outside in bulk, and goes out.

In come files, out go events, stored through the same actions as over HTTP. Read `tabular`, which knows rows
and nothing of the service, before `importing`, which stores what they say.
"""
