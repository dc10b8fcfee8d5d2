"""The proof bundle of a report, as the service makes it: one file with all that the report rests on.

In comes a report and the key of the service; out goes a file that is checked without either, by
`core/bundle`, which says what every byte of it means. Read in this order:

- `closure`: which batches the report rests on
- `written_rows`, `written_entries`, `written_events`, `audit_parts`: what of them stands in which part
- `making`: the parts put into one file, and signed
- `keeping`: the file kept with its report, made once when the report is sent off
"""
