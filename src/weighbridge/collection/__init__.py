"""Collection: what a project measures, and its evidence.

Projects, event types, locations, feedstocks, assets, files and events with their values come in. The same
records go out, and the values in force. Nothing here knows models, ledgers or rules.

Nouns: `projects`, `event_types`, `locations`, `feedstocks`, `assets`, `asset_custom_fields`, `outages`,
`events`, `data_points` and `evidence`; `event_types_schema` checks an event type, and `evidence_files`
stores files. Machinery, each folder importing only those below it:

- `intake`: events on their way in
- `measurements`: values, corrections and findings
- `named_records`: the records that have names, and the asset spreadsheet
- `records`: the data structures of the interface
"""
