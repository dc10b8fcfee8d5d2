"""Records of modelling: the data structures of its interface.

`models` describes models and their versions, `documents` describes validation, comparison and
simulation of a document, and `static_inputs` describes static inputs.
"""
