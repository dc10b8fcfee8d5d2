"""Pages of models: the list and each version as a graph, the editor with its panel of parts, trials.

Read in this order: versions, editor, trials.
"""
