"""A circle of ledgers: each draws from the next and the last from the first, so that none comes first."""

from collections.abc import Collection, Iterable, Mapping

Draws = Mapping[str, Collection[str]]
"""The ledgers that each ledger draws from, by name."""


def circle_through(names: Iterable[str], draws: Draws) -> tuple[str, ...]:
    """A circle that goes through one of these ledgers, beginning with it; empty when there is none.

    Of several the shortest is named, and of those the first by name.
    """
    for name in sorted(names):
        paths: list[tuple[str, ...]] = [(name,)]
        reached: set[str] = set()
        while paths:
            following = []
            for path in paths:
                for source in sorted(draws.get(path[-1], ())):
                    if source == name:
                        return path
                    if source not in reached:
                        reached.add(source)
                        following.append((*path, source))
            paths = following
    return ()


def described(circle: tuple[str, ...]) -> str:
    """A circle in words: `'Char' draws from 'Wood' and 'Wood' from 'Char'`."""
    pairs = zip(circle, (*circle[1:], circle[0]), strict=True)
    first, *others = [(repr(ledger), repr(source)) for ledger, source in pairs]
    words = [f"{first[0]} draws from {first[1]}", *(f"{ledger} from {source}" for ledger, source in others)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
