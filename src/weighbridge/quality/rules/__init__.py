"""Data rules: expressions that say what is wrong with a data point or a model run, evaluated over a project.

Where the expression is true there is an alert; a rule never blocks a write. What decides a result is a
version, which never changes. Permission: data rules.
"""
