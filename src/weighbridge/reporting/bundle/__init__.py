"""The proof bundle of a report, as the service makes it: one file with everything that the report rests on.

A report and the key of the service come in; a file goes out that is checked without either, by
`core/bundle`, which defines every byte of it. Read `basis` (the batches that the report rests on), `rows`
(their tables, events and journal entries), `builder` (the parts combined and signed) and `storage` (the file
stored with its report).
"""
