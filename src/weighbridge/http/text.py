"""Texts of requests as types: the decoder holds their limits, and the OpenAPI document tells them."""

from datetime import datetime
from typing import Annotated

import msgspec

from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.identity.name import NAME_LENGTH_MAX

Description = Annotated[str, msgspec.Meta(max_length=TEXT_LENGTH_MAX)]
"""What people write about a record."""

Line = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH_MAX)]
"""One line of an address and the like."""

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time with an offset or Z."""
