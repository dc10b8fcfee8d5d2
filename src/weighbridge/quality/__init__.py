"""Whether the data can be trusted: rules, what they find, and the corrections that they make.

In come definitions of rules over HTTP, the marks that writes leave where data changed, and the data
themselves: data points and model runs. Out go rule results, of which those that stand are alerts, and
corrections, in force or proposed; and the events that are rolled up from others.

The nouns of the interface, each with its routes, records, queries, actions and tasks:

- `rules`: make, change, remove and preview a rule; undo all that it corrected
- `rule_runs`: evaluate a rule over a period when someone asks for it; reverse a run
- `rule_results`: list alerts, dismiss them, and approve or reject what they propose
- `capture_rates`: how much of what was expected of an event type's meters is valid, by period
- `gaps`: where they lack valid values, and what stands around
- `substitutions`: the values that rules put into gaps, and how each was found

The machinery below them, from the bottom up; a package imports only from those before it:

- `versions`: what is stored of a rule, and the period over which it is evaluated
- `definition`: whether a rule may be stored: which names it may use, and what is wrong with it
- `findings`: what an evaluation has found, and how the results of a rule follow it
- `correction`: how the corrections and proposals of a rule follow what it found
- `evaluation`: finding it, over a period, where data changed, or as a preview
- `approval`: what people decide on the corrections that rules propose
- `impact`: which tonnes an approval would change, before anyone decides
- `rollup`: events that are made of the readings of others, and follow them; it needs `capture` alone
- `capture`: what was expected of meters and what was seen, slot by slot; it needs none of these

The language of rules and their windows, with no database, are `core.rule`.
"""
