"""Methodology packages: what a project begins with, as its standard says it, in files that people can read.

A package is a folder of YAML files and a page of text; built, it is one ZIP file of which every byte follows
from them. It is data alone: nothing in it is executed.

Read `contents.py` first (the files, and the limits that they hold), then `reading.py` (what they say),
`checking.py` (whether they fit one another, and whether every number has a source; `rule_checking.py` and
`rule_cases.py` for rules, `samples.py` for samples), `skeleton.py` (what a new one begins with), `schemas.py`
(how editors complete one) and `signatures.py` (who signed one). These need no service.

In a service, `methodology_packages.py` keeps the packages of an account, which `describing.py` reads in a
sandbox, and `package_installations.py` brings them into projects: `requirements.py` resolves what they need,
and `installing/` makes, compares and changes records. `library` has the packages that ship (`shipped.py`).
"""
