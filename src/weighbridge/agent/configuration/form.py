"""What a value of the file looks like, beside its type: a range, a list of words, a form of text."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class WholeRange:
    """The least and the greatest whole number."""

    least: int
    greatest: int


@dataclass(frozen=True, slots=True)
class TextRule:
    """What a text has to be like, and how that is said."""

    fits: Callable[[str], object]
    said: str


def _is_address(text: str, schemes: frozenset[str]) -> bool:
    address = urlsplit(text)
    try:
        return address.scheme in schemes and bool(address.hostname) and address.port != 0
    except ValueError:
        return False


NAME = TextRule(
    lambda text: text.isascii() and text.replace("-", "").replace("_", "").isalnum() and len(text) <= 40,
    "a name of letters, digits, - and _, up to 40 characters",
)
WEB_ADDRESS = TextRule(
    lambda text: _is_address(text, frozenset({"http", "https"})),
    "the address of the service, such as https://weighbridge.example",
)
OPC_UA_ADDRESS = TextRule(
    lambda text: _is_address(text, frozenset({"opc.tcp"})),
    "the address of an OPC UA server, such as opc.tcp://10.0.0.5:4840",
)
SLUG = TextRule(
    lambda text: text.replace("-", "").replace("_", "").isalnum() and text == text.lower(),
    "a slug, such as wet-mass",
)
FILLED = TextRule(lambda text: text.strip() == text != "", "a text without blanks around it")
