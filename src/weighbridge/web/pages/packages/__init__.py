"""Pages of methodology packages.

Read in this order: `catalogue.py` (what there is), `package.py` (what one proves), `installations.py` (the
packages of a project: a preview, what was changed here, upgrades).
"""
