"""The queue behind async tasks.

In comes a task that is written with its request; out go jobs for workers. Read `jobs`, then `recovery` (no
task is left without a job), `polling` (how callers hear of the end) and `working` (a worker outlasts its
connections).
"""
