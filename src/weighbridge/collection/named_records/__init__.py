"""Named records: the project of a request, its feedstocks, assets and locations, and the spreadsheet of
its assets.

Read `noun` first: what all named nouns have in common. `nouns` declares them, `names` finds the project that
a request names, `spreadsheet` defines the file of assets, and `exchange` exports and imports it.
"""
