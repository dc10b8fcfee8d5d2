"""The supervisor: the processes of a service, started, watched, measured and ended together.

Read `lifecycle.py` (the whole service under one command) and `startup.py`, then `child.py` (processes that
are kept running), `forking.py` and `template.py` (how they are started), `api.py` and `compute_process.py`
(what they are), and `process.py`, what each does for itself. `logs.py` and `metrics.py` have the tables of
log lines and counters; `loop_watch.py` finds code that blocks an event loop.
"""
