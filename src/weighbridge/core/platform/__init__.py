"""Rules of callers and their work, each file by itself.

`permission` and `token` say who may do what, `feature_flag` what an account has, `task_state` how a task
moves, `audit_leaf` what the hash of a row of the audit log is made of, `audit_rows` how rows are
held against a head, and `audit_chain` how rows followed from one another before there was a tree.
"""
