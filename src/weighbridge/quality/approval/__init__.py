"""What people decide on the corrections that rules propose.

In come the keys of results that hold a proposal and the actor who decides; out go corrections in force with
results that say who approved them, or results that say who rejected them and why.

- `standing`: which proposals their rules still come to, over the data as they are now
- `separation`: which proposals are the actor's own, where an account has somebody else approve these
- `decision`: hold what is decided on, then approve or reject it

Which results a request may name, and what is wrong with the others, is an action of `rule_results`.
"""
