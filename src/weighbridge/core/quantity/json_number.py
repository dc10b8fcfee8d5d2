"""A number of JSON: a decimal with every digit that was sent, and never a text.

Of a plain decimal the JSON library takes texts too, `NaN` among them; of a `JsonNumber` it asks here.

Invariant: what is read is a finite decimal.
"""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    JsonNumber = Decimal
else:

    class _EveryDecimal(type):
        """Makes every decimal one of them."""

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, Decimal)

    class JsonNumber(metaclass=_EveryDecimal):
        """A decimal that comes as a number of JSON."""


def read_special(kind: type[Any], value: Any) -> Any:
    """Read a value of a type that the JSON library does not know by itself; TypeError says what it takes."""
    if kind is not JsonNumber:
        raise NotImplementedError(kind)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise TypeError(f"Expected `decimal`, got `{type(value).__name__}`")
    return Decimal(value)
