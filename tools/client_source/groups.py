"""Makes `groups.py`: the operations on each kind of record as methods, to be waited for and to be awaited."""

from itertools import groupby
from typing import Any, Final

from tools.client_source.operations import answer
from tools.client_source.types import HEAD, Operation, operations

IMPORTS: Final = """\
from weighbridge.client.made import operations
from weighbridge.client.binding import Awaiting, Carrier, Group, Listed, One, Started, Waiting

"""


def source(document: dict[str, Any]) -> str:
    """The text of the file."""
    schemas = document["components"]["schemas"]
    kinds = [(tag, list(of)) for tag, of in groupby(operations(document), key=lambda each: each.tag)]
    classes = [_group(tag, of, schemas) for tag, of in kinds]
    return (
        HEAD.format(doc="The operations on each kind of record, as methods of the two clients.")
        + IMPORTS
        + "\n\n".join([*classes, _all(kinds, "", "Waiting"), _all(kinds, "Async", "Awaiting")])
    )


def _group(tag: str, of: list[Operation], schemas: dict[str, Any]) -> str:
    noun = of[0].spec["tags"][0].lower()
    lines = [f"class {_class(tag)}(Group[Carrier]):", f'    """Operations on {noun}."""', ""]
    lines += [f"    {each.verb} = {_binding(each, schemas)}(operations.{tag}_{each.verb})" for each in of]
    return "\n".join(lines) + "\n"


def _binding(operation: Operation, schemas: dict[str, Any]) -> str:
    _, shape = answer(operation, schemas)
    if shape.startswith("Listing"):
        return "Listed"
    started = shape == "Call[records.AsyncTask]" and operation.tag != "async_tasks"
    return "Started" if started else "One"


def _all(kinds: list[tuple[str, list[Operation]]], prefix: str, protocol: str) -> str:
    lines = [
        f"class {prefix}Groups:",
        '    """Every kind of record, each as an attribute."""',
        "",
        f"    def __init__(self, client: {protocol}) -> None:",
    ]
    lines += [f"        self.{tag} = {_class(tag)}(client)" for tag, _ in kinds]
    return "\n".join(lines) + "\n"


def _class(tag: str) -> str:
    return "".join(word.capitalize() for word in tag.split("_")) + "Operations"
