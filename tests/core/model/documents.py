"""Small model documents for tests: the settings around the nodes that a test is about."""

from textwrap import dedent, indent

from weighbridge.core.model import Model, ModelError
from weighbridge.modelling.documents import read_model

SETTINGS = """\
name: Test
cadence: monthly
partition_type: feedstock
primary_output: result
"""


def document(nodes: str, more: str = "", settings: str = SETTINGS) -> str:
    """A document with these nodes, each written as a YAML list item."""
    return f"{settings}{dedent(more)}nodes:\n{indent(dedent(nodes).strip(), '  ')}\n"


def model(nodes: str, more: str = "", settings: str = SETTINGS) -> Model:
    """The model of these nodes."""
    return read_model(document(nodes, more, settings))


def flaws(text: str) -> list[str]:
    """What is wrong with a document, each as `line:column sentence`."""
    try:
        read_model(text)
    except ModelError as error:
        return [f"{flaw.line}:{flaw.column} {flaw.message}" for flaw in error.flaws]
    return []


def flaws_of(nodes: str, more: str = "", settings: str = SETTINGS) -> list[str]:
    """The sentences of what is wrong with these nodes."""
    return [flaw.partition(" ")[2] for flaw in flaws(document(nodes, more, settings))]
