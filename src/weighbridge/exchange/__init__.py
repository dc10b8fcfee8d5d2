"""Exchange: files that come in, and lists, changes and webhooks that go out.

Files become events, stored by the same actions as over HTTP. Nouns: data feeds and their uploads,
`exports`, `changes` and `webhooks`. `export` writes the rows of lists to files, `delivery` sends changes to
webhooks, and `records` has the data structures of the interface. The other folders read, map and store the
rows of files.
"""
