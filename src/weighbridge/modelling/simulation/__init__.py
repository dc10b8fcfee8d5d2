"""A model computed once from values that a caller gives; nothing is stored.

In come values by node; out come all nodes, with each equation and its values filled in.
"""
