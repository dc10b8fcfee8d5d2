"""Modelling: model documents with their versions, validated, compared and simulated, and static inputs.

YAML documents and static inputs come in. Versions that never change go out, which accounting runs.

Nouns: `models` (with `models_simulation`) and `static_inputs`. Below them, `document` reads, stores and
validates a document, and `records` has the data structures of the interface.
"""
