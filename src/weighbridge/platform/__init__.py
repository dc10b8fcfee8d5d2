"""Platform: who may call, the audit log, and tasks that outlive a request.

Nouns: `users` (with accounts and sign-in), `api_tokens`, `audit_log`, `async_tasks` and `feature_flags`.
`tenancy` limits queries to the records of an account, and `queue` has the jobs of tasks. Machinery, each
folder importing only those below it:

- `audit`: the tree over the audit log, its signed heads and proofs; `authentication`: passwords, sessions,
  and who may act on whom
- `changes`: what every write leaves behind
- `records`: the data structures of the interface
"""
