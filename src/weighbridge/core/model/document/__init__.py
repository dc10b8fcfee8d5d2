"""From the text of a document to a model: its parts are read one by one, each flaw with its place.

In comes the tree of a document with its lines and columns; out go a model, or the flaws. Read `source` (the
tree), `reading` (taking parts of it), `parsing` (the whole), then `bodies`, `where` and `tables`.
"""
