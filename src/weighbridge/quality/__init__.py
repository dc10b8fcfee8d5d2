"""Quality: rules about data, their results, and the corrections that they make.

Definitions of rules come in over HTTP, changed data by the marks that writes leave. Rule results,
corrections (in force or proposed) and rolled-up events go out.

Nouns:

- `rules`: create, change, remove and preview a rule; undo all of its corrections
- `rule_runs`: evaluate a rule over a period on request; reverse a run
- `rule_results`: list results, dismiss them, approve or reject what they propose
- `capture_rates`: the valid share of the expected values of an event type's meters, by period
- `gaps`: expected slots without a valid value, and the values around them
- `substitutions`: the values that rules put into gaps, and how each was found

Machinery, each folder or file importing only those below it:

- `review`: decides on proposals, and computes the impact of a change
- `evaluation`: finds results over a period, where data changed, or as a preview
- `slots`: counts expected and captured slots, and rolls readings up
- `imputation`: creates events for slots without captured ones
- `rule_corrections`: writes or proposes the corrections that follow from results
- `rule_validation`: tells whether a rule may be stored; `rule_versions`: the stored versions, made ready
- `records`: the data structures of the interface

`core.rule` has the language of rules and their windows, without a database.
"""
