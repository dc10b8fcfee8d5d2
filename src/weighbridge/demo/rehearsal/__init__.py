"""Rehearsal: a registry that does what is asked of it, so that integrators can practise.

In come reports as the adapter `http` posts them, and what is to become of them: by flags for all, or written
in a report for that one. Out go the answers of a registry, or none; what was received is shown, each report
once. Read `behaviour.py`, then `received.py` and `server.py`.
"""
