"""What an evaluation has found, and the results that follow it.

In come findings, a portion at a time, of the records of one rule in one period. They stand in a table of the
transaction, or in a statement where the database can tell them by itself; out go rule results that are
opened, closed or left as they are. How a result moves is the table of `core.rule.result`.

- `table`: the table of findings, which `correction` reads as well
- `result_updates`: what happens to the alerts of a rule when it is evaluated again
"""
