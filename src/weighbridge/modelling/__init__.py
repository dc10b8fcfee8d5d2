"""Modelling: model documents with their versions, validated, compared and simulated, and static inputs.

YAML documents and static inputs come in. Versions that never change go out, which accounting runs.

Nouns: `models` (with `models_simulation`) and `static_inputs`. Below them, `validation` tells whether a
document is valid and can be activated, `documents` reads and stores documents, and `records` has the data
structures of the interface.
"""
