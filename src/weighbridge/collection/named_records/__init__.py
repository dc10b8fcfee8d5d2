"""Named records: the feedstocks, assets and locations of a project, and the spreadsheet of its assets.

Read `nouns` first: what all named nouns have in common, and each of them. `spreadsheet` defines the file of
assets, and `exchange` exports and imports it.
"""
