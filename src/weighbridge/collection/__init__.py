"""Collection: what a project measures, and with which evidence.

In come projects, event types, locations, feedstocks, assets, files, and above all events with their values,
one by one or ten thousand at a time; out go the same records, and the values in force for whoever computes
with them. Nothing here knows of models, ledgers or rules.

Nouns: `projects`, `event_types`, `locations`, `feedstocks`, `assets`, `asset_custom_fields`, `outages`,
`events`, `data_points`, `evidence`, `static_inputs`. Machinery, in the order in which to read it: `tenancy`
(whose project), `named_records` (what has a name), `event_schema` (what an event type is), `intake` (events
on their way in), `measurements` (values, corrections and findings), `evidence_files`, `spreadsheets`.
"""
