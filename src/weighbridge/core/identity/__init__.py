"""How records are named: friendly ids, names, slugs and links.

Ids are made and read by `ids` and nowhere else; `name` and `slug` say what people and programs may call a
record, `link` where it opens.
"""
