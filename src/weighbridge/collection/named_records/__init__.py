"""Named records: the project of a request, its feedstocks, assets and locations, and the spreadsheet of
its assets.

Read `names` first. `spreadsheet` defines the file, and `exchange` exports and imports it.
"""
