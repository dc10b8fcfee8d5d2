"""A name is what people call a record: 1 to 255 characters that are seen, apart from spaces around it."""

from typing import Final

from weighbridge.core.identity.unseen import problem_of_unseen
from weighbridge.core.problem import Problem

NAME_LENGTH_MAX: Final = 255


def problem_of_name(name: str, noun: str, field: str) -> Problem | None:
    """What is wrong with the name of a noun, such as `A location`, if anything is."""
    length = len(name.strip())
    if not length:
        return Problem(f"{noun} needs a name.", field, "required")
    if length > NAME_LENGTH_MAX:
        return Problem(
            f"{field} has {length} characters; a name has at most {NAME_LENGTH_MAX}.", field, "invalid"
        )
    return problem_of_unseen(name.strip(), field)
