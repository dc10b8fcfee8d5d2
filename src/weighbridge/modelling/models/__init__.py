"""Models: versioned calculations, each one YAML document.

A version never changes what it computes; one version of a family is active, and ledgers run that one.
Permission: production accounting.
"""
