"""The friendly id of a record as an expression of SQL, for files of a million rows.

It is what `ids.of` writes, from whole numbers of 64 bits: the key has 96 bits, so it is stirred in four limbs
of 24, as one multiplies on paper.
"""

from typing import Final, LiteralString

from weighbridge.core.identity.ids import KEY_BITS, POSITION_BITS, PREFIXES, PROJECT_BITS, STIR, Owner

_LIMB: Final = 24
_LOW: Final = 2**_LIMB - 1
_HALF: Final = 2 * _LIMB
_HALF_MASK: Final = 2**_HALF - 1
_FACTORS: Final = [STIR >> _LIMB * index & _LOW for index in range(4)]


def friendly_id(
    kind: str,
    project: LiteralString,
    key: LiteralString = "0",
    position: LiteralString = "0",
    owner: Owner = Owner.EVENT,
) -> LiteralString:
    """The id of the record whose numbers these expressions give; null where one of them is."""
    limbs = _limbs(f"({project})::bigint", f"({key})::bigint", f"({position})::bigint", owner)
    sums = [
        " + ".join(f"{limbs[low]} * {_FACTORS[index - low]}" for low in range(index + 1))
        for index in range(4)
    ]
    low = f"({sums[0]} + ((({sums[1]}) & {_LOW}) << {_LIMB}))"
    carried = f"({low} >> {_HALF}) + (({sums[1]}) >> {_LIMB})"
    high = f"(({sums[2]} + {carried} + ((({sums[3]}) & {_LOW}) << {_LIMB})) & {_HALF_MASK})"
    written = f"'{PREFIXES[kind]}_' || {_digits(high)} || {_digits(f'(({low} & {_HALF_MASK}) # {high})')}"
    return f"({written})"


def _limbs(project: str, key: str, position: str, owner: Owner) -> list[str]:
    """The key in limbs, lowest first: project, key, position and owner stand beside each other in it."""
    of_project = PROJECT_BITS - _LIMB
    first = _LIMB - of_project
    second = first + _LIMB
    rest = KEY_BITS - second
    return [
        f"({project} & {_LOW})",
        f"(({project} >> {_LIMB}) | (({key} << {of_project}) & {_LOW}))",
        f"(({key} >> {first}) & {_LOW})",
        f"(({key} >> {second}) | ({position} << {rest}) | {int(owner) << (rest + POSITION_BITS)})",
    ]


def _digits(half: str) -> str:
    return f"lpad(to_hex({half}), {_HALF // 4}, '0')"
