"""Impact: which tonnes would change if events were changed, told before anyone changes them.

In come events and a change of them: proposals that would be approved, or the request of a person. Out goes
what the batches made of their data would come to without and with it, the deficits that would open, and the
batches that would be stale. All is worked out by the one plan of generation, in a transaction that is always
undone.

- `slots`: which slots of which models the change may touch
- `comparison`: their plans without and with the change; `answer` is what is said of them
- `following_rules`: the automatic rules that would evaluate what was changed
- `proposals`, `dry_runs`: the changes that are asked about
- `outdated_rules`: what evaluating rules again would change
"""
