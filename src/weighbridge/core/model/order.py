"""What a node needs, and the order in which nodes can be computed.

Invariants: in an order every node stands after all it needs; among nodes that are free to come next
the document's order holds, so the same document always gives the same order.
"""

from weighbridge.core.expression import names
from weighbridge.core.model.definition import Formula, Input, Model, Node, StaticInput, Upstream


def needs(node: Node) -> tuple[str, ...]:
    """The slugs that a node refers to, in the order they are written, each once."""
    match node.body:
        case Formula(tree=tree):
            needed = [name.path[0] for name in names(tree) if name.path[0] != "partition"]
        case Input(join=join, share_by=share_by):
            needed = [slug for slug in (join and join.to, share_by) if slug]
        case StaticInput(at=str(slug)):
            needed = [slug]
        case Upstream(amount=str(slug)):
            needed = [slug]
        case _:
            needed = []
    return tuple(dict.fromkeys(needed))


def order(model: Model) -> tuple[str, ...]:
    """The slugs in an order in which they can be computed; ValueError when there is none."""
    waiting = {node.slug: set(needs(node)) for node in model.nodes}
    done: dict[str, None] = {}
    while waiting:
        ready = next((slug for slug, needed in waiting.items() if needed <= done.keys()), None)
        if ready is None:
            raise ValueError(f"the nodes {', '.join(waiting)} need one another")
        del waiting[ready]
        done[ready] = None
    return tuple(done)


def ancestors(model: Model, targets: tuple[str, ...]) -> frozenset[str]:
    """The targets and everything that they need, directly or not."""
    needed = {node.slug: needs(node) for node in model.nodes}
    reached: set[str] = set()
    waiting = list(targets)
    while waiting:
        slug = waiting.pop()
        if slug not in reached:
            reached.add(slug)
            waiting += needed[slug]
    return frozenset(reached)


def cycles(model: Model) -> list[tuple[str, ...]]:
    """Every circle of nodes that need one another, each as a path that ends where it began."""
    needed = {node.slug: [slug for slug in needs(node) if slug in model.by_slug] for node in model.nodes}
    circles: dict[frozenset[str], tuple[str, ...]] = {}
    finished: set[str] = set()
    for start in needed:
        path: list[str] = []
        steps = [iter([start])]
        while steps:
            slug = next(steps[-1], None)
            if slug is None:
                steps.pop()
                if path:
                    finished.add(path.pop())
            elif slug in path:
                circle = (*path[path.index(slug) :], slug)
                circles.setdefault(frozenset(circle), circle)
            elif slug not in finished:
                path.append(slug)
                steps.append(iter(needed[slug]))
    return list(circles.values())
