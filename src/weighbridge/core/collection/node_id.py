"""The form of the id of a node of an OPC UA server, as OPC 10000-6 writes it (5.3.1.10).

Invariant: what has this form can be sent to a server, so that a wrong id is a node that is not there, and
nothing that keeps others from being read.
"""

import base64
import binascii
import re
from typing import Final

NODE_ID_FORM: Final = "the id of a node, such as ns=2;s=Kiln.Temperature or nsu=urn:plant;i=1001"
"""What such an id is, in words."""

MAPPED_VARIABLES_MAX: Final = 1_000
"""Variables that the mapping of one agent has, at most."""

NAMESPACE_MAX: Final = 65_535
"""The greatest number of a namespace."""

NUMBER_MAX: Final = 4_294_967_295
"""The greatest number of a node."""

_NODE_ID: Final = re.compile(
    r"((ns=(?P<namespace>[0-9]{1,5})|nsu=.+?);)?"
    r"(i=(?P<number>[0-9]{1,10})|s=.+|g=[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|b=(?P<opaque>.+))",
    re.DOTALL,
)


def is_node_id(text: str) -> bool:
    """Whether a text is the id of a node."""
    found = _NODE_ID.fullmatch(text)
    if found is None:
        return False
    if int(found["namespace"] or 0) > NAMESPACE_MAX or int(found["number"] or 0) > NUMBER_MAX:
        return False
    try:
        base64.b64decode(found["opaque"] or "", validate=True)
    except (ValueError, binascii.Error):
        return False
    return True
