"""Tenancy: which project a request speaks of, and that the actor's account has it.

In comes what a path or a body names, out comes the project's number, by which everything else is kept. One
file: `project.py`.
"""
