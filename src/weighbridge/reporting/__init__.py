"""What is claimed before someone outside: reports of what ledgers hold, sent off, accepted, and restated.

Batches of ledgers come in; amounts reserved and posted on those ledgers, and what receivers are sent, go out.
The nouns of the interface:

- `registries`: where reports go, and what proves there who calls;
- `methodologies`: the rules that reports follow, and what they ask for before one is sent off;
- `report_links`: addresses that open a report to whoever has them;
- `reports`: drafts, their way through submission to acceptance or rejection, and restatement.

The machinery below them, from the bottom up; a package imports only from those before it:

- `taking`: what may be taken of batches, what a chain of reports holds, and the entries that change that;
- `restating`: what a report says otherwise than the one that it restates, and why;
- `submission`: what must hold before a report is sent off, and the adapters that send it;
- `linking`: the report behind a link, and what is told of its uses.
- `rendering`: the file that is sent, as a mapping says, and the schema that it is held against.
- `bundle`: one file with all that a report rests on, made when it is sent off, for whoever checks it offline.

Start with `core/report/state.py`, the table of all moves, and `reports/actions.py`.
"""
