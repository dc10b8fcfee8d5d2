"""Rules of callers and their work, each file by itself.

`permission` says who may do what, `settings` which settings, features and quotas an account has, `tasks`
how a task moves from state to state, `audit` what the hash of an audit row covers and which changes clients
follow, and `webhook` how a delivery is signed.
"""
