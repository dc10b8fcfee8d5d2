"""Reporting: reports of what ledgers contain, submitted, accepted and restated.

Batches of ledgers come in. Amounts reserved and posted on those ledgers, and files for receivers, go out.

Nouns:

- `registries`: where reports go, and the secrets that authenticate the service there
- `methodologies`: the rules that reports follow, and their submission requirements
- `report_links`: addresses that open a report
- `reports`: drafts, their submission, acceptance or rejection, and restatement

Machinery, each folder importing only those below it:

- `bundle`: one file with everything that a report rests on
- `submission`: what a report may include and the entries that this posts, requirements, the file that is
  sent, and the registries that receive it
- `records`: the data structures of the interface

Start with `core/report.py`, the table of all moves, and `reports.py`.
"""
