"""Registries: where reports go, by which adapter, and what proves there who calls.

What proves it is written and never shown: no answer and no audit row has it. Permission: production
accounting.
"""
