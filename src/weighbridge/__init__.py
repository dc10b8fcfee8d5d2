"""Weighbridge: measurements in, defensible tonnes out."""

from importlib.metadata import version

__version__ = version("weighbridge")
