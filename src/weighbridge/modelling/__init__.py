"""How measurements become claims: model documents with their versions, checked, compared and tried out.

In come YAML documents and static inputs; out go versions that never change, which accounting runs. The nouns
are `models` and `static_inputs`. Behind them: `document` (read and judged), `versions` (as stored),
`simulation` (tried out).
"""
