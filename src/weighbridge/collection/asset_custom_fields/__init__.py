"""Asset custom fields: what a project keeps of its assets beside the standard columns.

Label and value type never change, because values are kept by them; a field that no asset has a value for
can be removed. Permission: data collection.
"""
