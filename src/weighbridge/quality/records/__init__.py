"""Records of quality: the data structures of its interface.

`rules` describes rules and their corrections, `rule_results` describes runs, results, decisions and
impact, and `availability` describes capture rates, gaps and substitutions.
"""
