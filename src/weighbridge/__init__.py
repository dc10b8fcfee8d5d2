"""Weighbridge: measurements in, defensible tonnes out."""

__version__: str
"""The version of the package, which is read when it is first asked for: that takes a tenth of a command."""


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    globals()[name] = text = version("weighbridge")
    return text
