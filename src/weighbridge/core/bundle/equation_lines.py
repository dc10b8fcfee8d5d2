"""How a batch came to its values, as lines that people follow with a pencil.

    delivered = 5 t                        sum of delivery.mass over 2 events
    dry = delivered * (1 - moisture)
        = 5 t * (1 - 0.2) = 4 t

Invariant: every number stands with all its digits, as it stands in `node_values.csv`.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.form.rows import NodeValueRow
from weighbridge.core.model import Amount, Constant, Formula, Input, Node, StaticInput, Upstream, equations
from weighbridge.core.model.prepared import PreparedModel
from weighbridge.core.quantity.number import plain


class EquationLine(NamedTuple):
    """A node of a batch: how it is written, with numbers, what it comes to, and where that is from."""

    node: str
    written: str
    filled: str
    result: str
    origin: str


def equation_lines(
    contents: BundleContents, number: int, prepared: PreparedModel | None
) -> Iterator[EquationLine]:
    """The nodes of a batch in the order of computing; of an instrument, its figures."""
    values = contents.values.get(number, {})
    if prepared is None:
        for value in values.values():
            yield EquationLine(value.node, "", "", _result(value), "as it was bought or entered")
        return
    batch = contents.batches[number]
    amounts = {slug: amount for slug, value in values.items() if (amount := _amount(value)) is not None}
    partition = {"tracking_id": batch.run_tracking_id, "feedstock": batch.feedstock, "asset": batch.asset}
    named = {name: value for name, value in partition.items() if value is not None}
    written = {one.slug: one for one in equations(prepared, amounts, named)}
    for node in prepared.nodes:
        if node.slug not in values:
            continue
        one = written.get(node.slug)
        yield EquationLine(
            node.slug,
            one.written if one else "",
            one.filled if one else "",
            _result(values[node.slug]),
            _origin(contents, number, node),
        )


def _amount(value: NodeValueRow) -> Amount:
    if value.element_count is None:
        return value.value
    return None if value.elements is None else tuple(map(Decimal, value.elements))


def _result(value: NodeValueRow) -> str:
    if value.element_count is not None:
        text = f"[{', '.join((value.elements or ['…'])[:4])}{', …' if value.element_count > 4 else ''}]"
    else:
        text = "" if value.value is None else plain(value.value)
    whole = "" if value.whole is None else f" of {plain(value.whole)}"
    return f"{text}{whole} {value.unit or ''}".strip()


def _origin(contents: BundleContents, number: int, node: Node) -> str:  # noqa: PLR0911 - one for each kind
    lineage = contents.lineage[number]
    if node.slug in lineage.skipped:
        return "its data were set aside"
    match node.body:
        case Input() as body:
            counts = [_count(read.events) for read in lineage.inputs if node.slug in read.nodes]
            return f"{body.aggregate} of {body.event_type}.{body.data_point_type} over {sum(counts):,} events"
        case StaticInput() as body:
            used = lineage.static_inputs.get(node.slug, [])
            return f"static input {body.slug}, value {', '.join(map(str, used)) or 'none'}"
        case Upstream() as body:
            drawn = [draw for draw in lineage.draws if draw.node == node.slug]
            named = ", ".join(
                f"{draw.amount} of {contents.batches[draw.source].tracking_id}" for draw in drawn[:5]
            )
            return f"drawn of {body.ledger}: {named or 'nothing'}{', …' if len(drawn) > 5 else ''}"
        case Constant():
            return "a constant of the model"
        case Formula():
            return node.source or ""
    return f"what {node.body.ledger} had"


def _count(ranges: str) -> int:
    """How many numbers ranges name."""
    pieces = (piece.partition("-") for piece in ranges.split(",") if piece)
    return sum(int(last or first) - int(first) + 1 for first, _, last in pieces)


def batch_named(contents: BundleContents, name: str) -> int | None:
    """The batch of an id or of what people call it, the newest of several; None when there is none."""
    found = [one.batch for one in contents.batches.values() if name in {one.batch_id, one.tracking_id}]
    return max(found, default=None)


def prepared_of(
    contents: BundleContents, prepared: Mapping[int, PreparedModel], number: int
) -> PreparedModel | None:
    """The model of a batch, ready to run; None of an instrument."""
    model = contents.batches[number].model
    return None if model is None else prepared.get(model)
