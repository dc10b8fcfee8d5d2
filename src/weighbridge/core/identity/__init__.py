"""How records are named: friendly ids, names, slugs and links.

`ids` alone makes and reads ids. `names` has what people and programs may call a record, and `suggestion`
finds the name that a caller probably meant.
"""
