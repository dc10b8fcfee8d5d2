"""Definition: the stored versions of rules, whether a rule may be stored, and its preparation for
evaluation.

Read `versions`, then `prepared_rule`, then `validation`.
"""
