"""Reporting: reports of what ledgers contain, submitted, accepted, withdrawn, restated, merged and split.

Batches of ledgers come in. Amounts reserved and posted on those ledgers, and files for receivers, go out.

Nouns:

- `registries`: where reports go, and the secrets that authenticate the service there
- `methodologies`: the rules that reports follow, the versions of models that they name, and their submission
  requirements
- `report_links`: addresses that open a report
- `reports`: drafts, their submission, restatement, and what is decided of them (`reports_decisions`):
  acceptance as a whole or in part, rejection, withdrawal, merging and splitting
- `report_previews`: what a report would be sent as by a mapping, its flaws, and what of it was rounded
- `report_uncertainty`: how uncertain the sum of a report is, and which effects are material
- `engagements`: verifiers' work on a report, from the sample to the signed opinion

Machinery, each folder importing only those below it:

- `bundle`: one file with everything that a report rests on
- `submission`: what a report may include and the entries that this posts, requirements, the file that is
  sent, and the registries that receive it
- `engagement`: the samples, findings and opinions of verifiers
- `records`: the data structures of the interface

Start with `core/report.py`, the table of all moves, and `reports.py`.
"""
