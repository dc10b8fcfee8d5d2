"""What every area stands on: who may call, what is written down of it, and work that outlives a request.

The nouns are `accounts`, `api_tokens`, `audit_log`, `async_tasks` and `feature_flags`. Behind them: `changes`
(what a write leaves behind, which every writing action goes through), `authentication` (who a request acts
for), `tenancy` (which records an account has),
`queue` (the jobs of tasks), `audit_tree` (the tree over the audit log, its signed heads and its proofs).
"""
