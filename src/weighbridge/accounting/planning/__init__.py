"""Planning: what a generation would post, all of it, and nothing written.

In comes a request: a ledger, a range, what the caller names. Out goes a `Proposal`: plans with runs and
differences, entries, deficits, exclusions, problems and what stays unchanged. Preview shows it, the task
posts it. Read in this order:

1. `propose.py` - the whole way from a request to a proposal;
2. `scope.py`, `slots.py`, `generated.py`, `explicit_inputs.py`, `input_updates.py` - which
   versions compute which slots, of what;
3. `planner.py`, `computation.py`, `differences.py`, `plan.py` - what the runs come to, and
   where that differs from what has been posted;
4. `exclusions.py`, `open_time.py`, `double_counting.py`, `pending_corrections.py` - what is not counted, not
   allowed, not yet approved or evaluated;
5. `entries.py` - what all of it comes to on ledgers.

A request selects its events in one place, the `Discovery` that `planner.py` makes: whoever wants to know what
would come of other data selects otherwise there.
"""
