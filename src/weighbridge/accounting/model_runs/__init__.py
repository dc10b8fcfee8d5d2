"""Model runs: one version of a model evaluated once, with the value of every node.

A run stands alone when somebody named the data points to evaluate; its result is stored and credits
nothing. Behind every batch stands a run too, whose values are the batch's. Both are computed by one engine
and read by the same code, so over the same data they have the same digits. A run never changes; one that
stands alone may be deleted. Permission: production accounting.
"""
