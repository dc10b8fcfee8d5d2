"""Rules of callers and their work, each file by itself.

`permission` and `token` say who may do what, `feature_flag` what an account has, `task_state` how a task
moves, and `audit_chain` how one row of the audit log follows from another.
"""
