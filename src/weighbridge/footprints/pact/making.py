"""Make a footprint of what `sources.py` reads of the books, and those that follow a restated report.

Invariants: a footprint is made once and never changes; what it takes the place of is deprecated in the same
transaction; what a report takes of a run counts by the part of the run's total that it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID, uuid4

from weighbridge.core import identity
from weighbridge.core.footprint_content import (
    DeclaredProduct,
    MeasuredAmount,
    Produced,
    UnmadeFootprintError,
    rests_on_amount,
    write_footprint,
    write_moment,
    write_pcf,
)
from weighbridge.core.number import CONTEXT, exact_total
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.footprints.pact.stored import (
    FootprintKeys,
    deprecate_footprints,
    insert_footprint,
    notify_partners,
)
from weighbridge.footprints.records import FootprintProduct
from weighbridge.platform import changes

NOT_ASKED: Final = "The product does not state it."
"""Why the share of primary data is left out of a footprint whose product does not ask for it."""

NOT_OF_AMOUNT: Final = (
    "The measured share is that of the amount, and the footprint rests on other values or on constants too."
)
NOT_KNOWN: Final = "How much of the amount was measured is not known."
REPLACED: Final = "The footprint {id} took its place."


@dataclass(frozen=True, slots=True)
class FootprintSource:
    """A batch or a report that a footprint is made from."""

    project: int
    batch: int | None
    report: int | None
    produced: Produced
    predecessors: tuple[int, ...] = ()
    """The reports that this one restates or came of."""
    basis: int | None = None
    """The newest batch of the run of the batch, which has what the run came to; None of a report."""


# What was produced.


async def read_nodes_of_report(tx: Read, report: identity.Key, nodes: set[str]) -> dict[str, MeasuredAmount]:
    """What nodes came to, of each run the part that the report takes of it."""
    if not nodes:
        return {}
    parts: dict[str, list[Decimal]] = {}
    units: dict[str, str] = {}
    for slug, unit, value, taken, total in await tx.tuples(
        _NODES, {"project": report.project, "report": report.key, "nodes": sorted(nodes)}
    ):
        if units.setdefault(slug, unit) != unit:
            message = (
                f"The node {slug} is in {units[slug] or 'no unit'} in one batch, and in {unit} in another."
            )
            raise Invalid([Problem(message, "footprint.report_id", "invalid")])
        part = CONTEXT.divide(CONTEXT.multiply(value, taken), total) if total else Decimal(0)
        parts.setdefault(slug, []).append(part)
    return {slug: MeasuredAmount(exact_total(values), units[slug]) for slug, values in parts.items()}


_NODES: Final = """
    WITH taken AS (
        SELECT coalesce(b.run_id, - b.id) AS run,
               sum(coalesce(i.accepted_amount, i.amount)) AS amount,
               max(coalesce(i.basis, (
               SELECT max(newest.id) FROM batches newest
                WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                    = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL), b.id)) AS basis
          FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %(project)s AND i.report_id = %(report)s GROUP BY 1
    )
    SELECT c.slug, c.unit, c.value, taken.amount, b.total
      FROM taken JOIN batches b ON (b.project_id, b.id) = (%(project)s, taken.basis)
      JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id)
     WHERE c.slug = ANY (%(nodes)s) AND c.value IS NOT NULL ORDER BY taken.run, c.position
"""


# A footprint is made.


async def make_footprint(
    tx: Write,
    actor: Actor,
    product: FootprintProduct,
    source: FootprintSource,
    address: str,
    *,
    replaces: Sequence[UUID] | None = None,
    comment: str | None = None,
) -> UUID:
    """Make a footprint; gives its UUID. Raises Invalid where that cannot be made of its source."""
    share, reason = choose_share(product, source.produced)
    try:
        pcf = write_pcf(declare(product), source.produced, share)
    except UnmadeFootprintError as error:
        problems = [
            Problem(problem.message, f"footprint.{problem.field}", problem.code) for problem in error.problems
        ]
        raise Invalid(problems) from None
    replaced = await find_replaced(tx, actor, product, source) if replaces is None else [*replaces]
    chain = await _read_chain(tx, actor.account_id, replaced)
    identifier, now = uuid4(), await tx.value("SELECT now()")
    validity = await compute_validity(tx, source.produced.end, product.valid_months)
    texts = write_texts(product, comment, validity)
    content = write_footprint(str(identifier), now, texts, [str(one) for one in chain], pcf)
    keys = FootprintKeys(
        actor.account_id, actor.user_id, product.id, source.project, source.batch, source.report
    )
    await insert_footprint(tx, keys, content, chain, validity, reason)
    told = {
        "product_id": product.id, "product_updated_at": product.updated_at, "report": source.report,
        "batch": source.batch, "basis": source.basis, "content": content,
    }  # fmt: skip
    changes.record(
        tx, actor, action="footprint.create", target=str(identifier), project_id=source.project, after=told
    )
    gone = await retire(tx, actor, replaced, REPLACED.format(id=identifier))
    await notify_partners(tx, actor.account_id, address, [identifier, *gone])
    return identifier


async def retire(tx: Write, actor: Actor, ids: Sequence[UUID], reason: str) -> list[UUID]:
    """Deprecate footprints that are active; gives which."""
    gone = await deprecate_footprints(tx, actor.account_id, ids, reason) if ids else []
    for identifier in gone:
        changes.record(
            tx, actor, action="footprint.deprecate", target=str(identifier),
            before={"status": "Active"}, after={"status": "Deprecated", "reason": reason},
        )  # fmt: skip
    return gone


def choose_share(product: FootprintProduct, produced: Produced) -> tuple[Decimal | None, str | None]:
    """The share of primary data, or why it is left out.

    The specification says what it is: the share of primary data in the absolute footprint without biogenic
    uptake. The formula stands in section 4.2.2 of the PACT Methodology, which is not public in a stored
    form. So it is stated only for a product that asks for it, and where the footprint is the amount whose
    measured share is known.
    """
    if not product.states_primary_data_share:
        return None, NOT_ASKED
    if not rests_on_amount(product.amounts):
        return None, NOT_OF_AMOUNT
    return produced.measured_share, None if produced.measured_share is not None else NOT_KNOWN


def declare(product: FootprintProduct) -> DeclaredProduct:
    """What a footprint says of its product, and the terms of its amounts."""
    return DeclaredProduct(
        product.declared_unit, product.declared_amount, product.mass_per_declared_unit, product.quantity,
        product.amounts, product.properties, product.geography, product.exempted_percent,
    )  # fmt: skip


def write_texts(
    product: FootprintProduct, comment: str | None, validity: tuple[datetime, datetime]
) -> Mapping[str, Any]:
    """What a footprint says of its product in words and identifiers, and while it is valid."""
    said = " ".join(text for text in (product.comment, comment) if text)
    return {
        "validityPeriodStart": write_moment(validity[0]),
        "validityPeriodEnd": write_moment(validity[1]),
        "companyName": product.company_name,
        "companyIds": product.company_ids,
        "productDescription": product.description,
        "productIds": product.product_ids,
        **(
            {"productClassifications": product.product_classifications}
            if product.product_classifications
            else {}
        ),
        "productNameCompany": product.name,
        **({"comment": said} if said else {}),
    }


async def compute_validity(tx: Read, end: datetime, months: int) -> tuple[datetime, datetime]:
    """From when until when a footprint is valid of what was produced until then."""
    until: datetime = await tx.value(
        "SELECT (%s::timestamptz AT TIME ZONE 'UTC' + make_interval(months => %s)) AT TIME ZONE 'UTC'",
        (end, months),
    )
    return end, until


async def find_replaced(
    tx: Read, actor: Actor, product: FootprintProduct, source: FootprintSource
) -> list[UUID]:
    """The active footprints of the product whose place this one takes."""
    rows = await tx.tuples(
        """
        SELECT id FROM footprints
         WHERE account_id = %s AND product_id = %s AND project_id = %s AND status = 'Active'
           AND (batch_id = %s OR report_id = ANY (%s)) ORDER BY number
        """,
        (
            actor.account_id, product.id, source.project, source.batch,
            [] if source.report is None else [source.report, *source.predecessors],
        ),
    )  # fmt: skip
    return [identifier for (identifier,) in rows]


async def _read_chain(tx: Read, account: int, replaced: Sequence[UUID]) -> list[UUID]:
    """Footprints that are replaced with those that they replaced, the newest first."""
    rows = await tx.tuples(
        "SELECT id, preceding FROM footprints WHERE account_id = %s AND id = ANY (%s) ORDER BY number DESC",
        (account, [*replaced]),
    )
    return [*dict.fromkeys([*(one for one, _ in rows), *(earlier for _, many in rows for earlier in many)])]
