"""`report.html`: a bundle for people to read and to print, made of the other parts and of nothing else.

Invariants: no script, no style or picture from elsewhere; every text is escaped; equal parts make equal
pages.

The changes between two bundles: the amounts that the reports include, run by run, and the reasons.

A run is a slot and partition on a ledger; it is compared by what its newest batch in each bundle says. Runs
that the report does not include are listed too, because included runs may depend on them.

Invariant: a run is listed if its included amount, its total or its inputs differ.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Final, NamedTuple

from weighbridge.core.bundle.books import list_reported_runs
from weighbridge.core.bundle.contents import BundleContents, BundledReport, TrustResult
from weighbridge.core.bundle.gaps import BundleGap, list_gaps
from weighbridge.core.bundle.methodology import StatedLedger
from weighbridge.core.bundle.rows import BatchRow, NodeValueRow
from weighbridge.core.bundle.tables import BatchLineage, DrawRead, parse_ranges
from weighbridge.core.model import (
    Amount,
    Constant,
    Formula,
    Input,
    Node,
    StaticInput,
    Upstream,
    list_equations,
)
from weighbridge.core.model.prepared import PreparedModel
from weighbridge.core.number import ZERO, exact_total, plain
from weighbridge.core.report import ChangeCause

RunName = tuple[str, str]
"""A ledger and what its batch is called."""


@dataclass(frozen=True, slots=True)
class RunDeviation:
    """A run in two bundles; None where it is not in one."""

    ledger: str
    name: str
    unit: str
    taken: tuple[Decimal, Decimal]
    totals: tuple[Decimal | None, Decimal | None]
    causes: tuple[ChangeCause, ...]
    details: tuple[str, ...]
    """In words: which events came and went, which versions computed it."""


@dataclass(frozen=True, slots=True)
class _RunState:
    unit: str
    taken: Decimal
    total: Decimal
    model: tuple[str, int] | None
    revision: int
    lineage: BatchLineage | None


def compare_bundles(before: BundleContents, after: BundleContents) -> list[RunDeviation]:
    """What changed from one bundle to another, by ledger and batch."""
    earlier, later = _read_run_states(before), _read_run_states(after)
    return [
        change
        for name in sorted(earlier.keys() | later.keys())
        if (change := _change(name, earlier.get(name), later.get(name))) is not None
    ]


def describe_batches_of_run(contents: BundleContents, history: Sequence[BatchRow]) -> Iterator[str]:
    """Describe a run's total with each of its batches, the oldest first, and the reasons."""
    before: _RunState | None = None
    for batch in history:
        state = _read_run_state(contents, batch.batch, ZERO)
        why = [f"{cause}: {text}" for cause, text in _list_causes(before, state)] if before else []
        of_unit = f"{plain(batch.total)} {state.unit}".strip()
        deletion = [] if batch.deleted_at is None else [f"deleted at {batch.deleted_at.text}"]
        yield "; ".join([f"{of_unit} by {batch.batch_id}", *why, *deletion])
        before = before if deletion else state


def _read_run_states(contents: BundleContents) -> dict[RunName, _RunState]:
    newest: dict[RunName, int] = {}
    amounts: dict[RunName, list[Decimal]] = {}
    for number, batch in sorted(contents.batches.items()):
        name = contents.ledgers[batch.ledger].name, batch.tracking_id
        if batch.deleted_at is None:
            newest[name] = number
        if message := contents.reported.get(batch.batch_id):
            amounts.setdefault(name, []).append(Decimal(message.amount))
    return {
        name: _read_run_state(contents, number, exact_total(amounts.get(name, ())))
        for name, number in newest.items()
    }


def _read_run_state(contents: BundleContents, number: int, amount: Decimal) -> _RunState:
    batch = contents.batches[number]
    model = None if batch.model is None else contents.models[batch.model]
    return _RunState(
        contents.ledgers[batch.ledger].unit,
        amount,
        batch.total,
        None if model is None else (model.name, model.version),
        batch.engine_revision,
        contents.lineage.get(number),
    )


def _change(name: RunName, before: _RunState | None, after: _RunState | None) -> RunDeviation | None:
    state = after or before
    assert state is not None, "the name is of one of them"  # noqa: S101
    amounts = (before.taken if before else ZERO, after.taken if after else ZERO)
    totals = (before.total if before else None, after.total if after else None)
    change_causes = list(_list_causes(before, after))
    if amounts[0] != amounts[1] and not change_causes:
        change_causes.append((ChangeCause.SELECTION, "the data are the same"))
    if not change_causes and totals[0] == totals[1]:
        return None
    causes = tuple(dict.fromkeys(cause for cause, _ in change_causes))
    return RunDeviation(*name, state.unit, amounts, totals, causes, tuple(text for _, text in change_causes))


def _list_causes(before: _RunState | None, after: _RunState | None) -> Iterator[tuple[ChangeCause, str]]:
    if before is None or after is None:
        yield ChangeCause.LATE_DATA, "it is new" if before is None else "it is gone"
        return
    if before.model != after.model:
        yield (
            ChangeCause.NEW_VERSION,
            f"computed by {_describe_version(before)} before, by {_describe_version(after)} after",
        )
    if before.revision != after.revision:
        yield (
            ChangeCause.NEW_VERSION,
            f"by revision {before.revision} of the engine before, {after.revision} after",
        )
    if before.lineage is not None and after.lineage is not None:
        yield from _list_lineage_causes(before.lineage, after.lineage)


def _describe_version(state: _RunState) -> str:
    return "nothing" if state.model is None else f"{state.model[0]} version {state.model[1]}"


def _list_lineage_causes(before: BatchLineage, after: BatchLineage) -> Iterator[tuple[ChangeCause, str]]:
    was, now = _list_events_by_source(before), _list_events_by_source(after)
    for event_type in sorted(was.keys() | now.keys()):
        removed, added = was.get(event_type, set()), now.get(event_type, set())
        if removed != added:
            text = f"{event_type}: {len(added - removed):,} events more, {len(removed - added):,} fewer"
            yield ChangeCause.LATE_DATA, text
    old, new = set(parse_ranges(before.corrections)), set(parse_ranges(after.corrections))
    if old != new:
        text = f"{len(new - old):,} corrections more, {len(old - new):,} fewer"
        yield ChangeCause.CORRECTION, text
    if before.static_inputs != after.static_inputs:
        yield ChangeCause.OTHER_INPUTS, "other static inputs were in force"
    if [_select_draw_fields(draw) for draw in before.draws] != [
        _select_draw_fields(draw) for draw in after.draws
    ]:
        yield ChangeCause.OTHER_INPUTS, f"{len(before.draws):,} draws before, {len(after.draws):,} after"


def _list_events_by_source(lineage: BatchLineage) -> dict[str, set[int]]:
    events: dict[str, set[int]] = {}
    for input_read in lineage.inputs:
        events.setdefault(input_read.event_type, set()).update(parse_ranges(input_read.events))
    return events


def _select_draw_fields(draw: DrawRead) -> tuple[object, ...]:
    return draw.node, draw.source, draw.amount, draw.attributes


# The calculation of a batch, as lines that people can follow with a pencil.
#
#     `delivered = 5 t`                          sum of delivery.mass over 2 events
#     `dry = delivered * (1 - moisture)`
#     `    = 5 t * (1 - 0.2) = 4 t`
#
# Invariant: every number has all its digits, as in `node_values.csv`.


class EquationLine(NamedTuple):
    """A node of a batch: how it is written, with numbers, what it comes to, and where that is from."""

    node: str
    written: str
    filled: str
    result: str
    origin: str


def list_batch_equations(
    contents: BundleContents, number: int, prepared: PreparedModel | None
) -> Iterator[EquationLine]:
    """The nodes of a batch in the order of computing; of an instrument, its figures."""
    values = contents.values.get(number, {})
    if prepared is None:
        for value in values.values():
            yield EquationLine(value.node, "", "", _show_result(value), "as it was bought or entered")
        return
    batch = contents.batches[number]
    amounts = {slug: amount for slug, value in values.items() if (amount := _parse_amount(value)) is not None}
    partition = {"tracking_id": batch.run_tracking_id, "feedstock": batch.feedstock, "asset": batch.asset}
    tags = {name: value for name, value in partition.items() if value is not None}
    equations = {equation.slug: equation for equation in list_equations(prepared, amounts, tags)}
    for node in prepared.nodes:
        if node.slug not in values:
            continue
        node_equation = equations.get(node.slug)
        yield EquationLine(
            node.slug,
            node_equation.written if node_equation else "",
            node_equation.filled if node_equation else "",
            _show_result(values[node.slug]),
            _describe_origin(contents, number, node),
        )


def _parse_amount(value: NodeValueRow) -> Amount:
    if value.element_count is None:
        return value.value
    return None if value.elements is None else tuple(map(Decimal, value.elements))


def _show_result(value: NodeValueRow) -> str:
    if value.element_count is not None:
        text = f"[{', '.join((value.elements or ['…'])[:4])}{', …' if value.element_count > 4 else ''}]"
    else:
        text = "" if value.value is None else plain(value.value)
    total = "" if value.whole is None else f" of {plain(value.whole)}"
    return f"{text}{total} {value.unit or ''}".strip()


def _describe_origin(contents: BundleContents, number: int, node: Node) -> str:  # noqa: PLR0911 - one for each kind
    lineage = contents.lineage[number]
    if node.slug in lineage.skipped:
        return "its data were set aside"
    match node.body:
        case Input() as body:
            counts = [
                _count(input_read.events) for input_read in lineage.inputs if node.slug in input_read.nodes
            ]
            return f"{body.aggregate} of {body.event_type}.{body.data_point_type} over {sum(counts):,} events"
        case StaticInput() as body:
            static_inputs = lineage.static_inputs.get(node.slug, [])
            return f"static input {body.slug}, value {', '.join(map(str, static_inputs)) or 'none'}"
        case Upstream() as body:
            draws = [draw for draw in lineage.draws if draw.node == node.slug]
            sources = ", ".join(
                f"{draw.amount} of {contents.batches[draw.source].tracking_id}" for draw in draws[:5]
            )
            return f"drawn of {body.ledger}: {sources or 'nothing'}{', …' if len(draws) > 5 else ''}"
        case Constant():
            return "a constant of the model"
        case Formula():
            return node.source or ""
    return f"what {node.body.ledger} had"


def _count(ranges: str) -> int:
    """How many numbers ranges name."""
    pieces = (piece.partition("-") for piece in ranges.split(",") if piece)
    return sum(int(last or first) - int(first) + 1 for first, _, last in pieces)


def find_batch(contents: BundleContents, name: str) -> int | None:
    """The batch of an id or of what people call it, the newest of several; None when there is none."""
    matches = [
        batch.batch for batch in contents.batches.values() if name in {batch.batch_id, batch.tracking_id}
    ]
    return max(matches, default=None)


def find_prepared_model(
    contents: BundleContents, prepared: Mapping[int, PreparedModel], number: int
) -> PreparedModel | None:
    """The model of a batch, ready to run; None of an instrument."""
    model = contents.batches[number].model
    return None if model is None else prepared.get(model)


BATCHES_SHOWN: Final = 200
"""Batches whose equations the page shows, reported ones first; `bundle check --show` prints any."""

ROWS_SHOWN: Final = 500
"""Rows of a table of the page; the tables of the bundle have all."""

_STYLE: Final = """
body{font:15px/1.45 system-ui,sans-serif;color:#1b1f23;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;border-bottom:1px solid #ccc;margin-top:2.2rem}
h3{font-size:1rem;margin-bottom:.3rem}table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #e3e3e3}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code,pre{font:13px ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
.f{color:#57606a}@media print{body{max-width:none;margin:0}section{break-inside:avoid}h2{break-after:avoid}}
"""


def render_page(
    contents: BundleContents, prepared: Mapping[int, PreparedModel], vouched: TrustResult
) -> Iterator[bytes]:
    """The page, some at a time."""
    report = contents.report
    title = f"{report.name}, {contents.manifest.project_name}"
    yield (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
    ).encode()
    for piece in _render_sections(contents, prepared, vouched):
        yield piece.encode()
    yield b"</body></html>\n"


def _render_sections(
    contents: BundleContents, prepared: Mapping[int, PreparedModel], vouched: TrustResult
) -> Iterator[str]:
    report = contents.report
    ledger = next(
        (ledger_row for ledger_row in contents.ledgers.values() if ledger_row.ledger_id == report.ledger_id),
        None,
    )
    unit = ledger.unit if ledger else ""
    yield "<h2>Result</h2>" + _render_pairs(
        [
            ("States", f"{report.amount} {unit}"),
            *(
                [("Of this it owes", f"{report.liability} {unit}: {report.liability_reason}")]
                if report.liability
                else []
            ),
            *_list_ledgers(contents, unit, ledger.name if ledger else ""),
            ("Period", f"{report.start_time} to {report.end_time}"),
            ("Counts from", report.effective_at or "a draft, which reserves nothing"),
            ("Report", f"{report.id}, {report.report_type}"),
            ("Restates", report.supersedes or "nothing"),
            *([("Takes the place of", ", ".join(report.predecessors))] if report.predecessors else []),
            ("Evidence", "by digests alone" if contents.manifest.is_redacted else "included"),
            *_describe_methodology(contents),
        ]
    )
    yield _render_inclusions(report, unit)
    if contents.has_whole_stories:
        yield _render_table("What the runs come to", ("Run", "It", "Its batches"), _list_runs(contents))
    yield _render_instructions(contents)
    yield "<h2>Equations</h2>"
    ordered_batches = _order_batches(contents)
    for number in ordered_batches[:BATCHES_SHOWN]:
        yield _render_batch(contents, number, find_prepared_model(contents, prepared, number))
    if len(ordered_batches) > BATCHES_SHOWN:
        yield (
            f"<p>{len(ordered_batches) - BATCHES_SHOWN:,} more batches are in node_values.csv;"
            " <code>weighbridge bundle check --show BATCH</code> prints any of them.</p>"
        )
    yield from _render_tables(contents, vouched)


def _render_inclusions(report: BundledReport, unit: str) -> str:
    """Render what the report takes of each batch."""
    return _render_table(
        "Batches that it takes of",
        ("Batch", "From", "To", f"Amount, {unit}" if report.ledgers is None else "Amount"),
        (
            (
                inclusion.tracking_id,
                inclusion.start_time,
                inclusion.end_time,
                inclusion.amount if report.ledgers is None else f"{inclusion.amount} {inclusion.unit}",
            )
            for inclusion in report.inclusions
        ),
        numbers=1,
    )


def _list_ledgers(contents: BundleContents, unit: str, name: str) -> list[tuple[str, str]]:
    """The ledger that a report takes of, or each of several."""
    if contents.report.ledgers is None:
        return [("Of ledger", name)]
    return [(one.role, _describe_ledger(one, unit)) for one in contents.report.ledgers]


def _describe_ledger(one: StatedLedger, unit: str) -> str:
    """What a report takes of one of several ledgers, and what that counts for."""
    done = "counts" if one.sign > 0 else "is deducted"
    return f"{one.amount} {one.unit} of ledger {one.ledger_id} {done}: {one.counted} {unit}"


def _describe_methodology(contents: BundleContents) -> Iterator[tuple[str, str]]:
    """The methodology, and what was made by versions of models that it does not name."""
    methodology = contents.methodology
    if methodology is None:
        return
    yield "Methodology", f"{methodology.name} {methodology.version}"
    if methodology.names_versions:
        named = [
            f"{model.name} {', '.join(map(str, model.versions)) if model.versions else 'in any'}"
            for model in methodology.models
        ]
        yield "Versions that it names", "; ".join(named)
        others = [contents.reported[one].tracking_id for one in methodology.other_batches]
        yield "Batches by other versions", f"{len(others)}: {'; '.join(others)}" if others else "none"


def _list_runs(contents: BundleContents) -> Iterator[tuple[str, str, str]]:
    """Render the runs that the report includes: their current totals, and the history of these."""
    for run in list_reported_runs(contents):
        yield run.name, run.sentence, "\n".join(describe_batches_of_run(contents, run.story))


def _render_tables(contents: BundleContents, vouched: TrustResult) -> Iterator[str]:
    """What the equations rest on."""
    if contents.is_sealed:
        yield from _render_closure(contents)
        yield _render_gaps(list_gaps(contents, vouched.rows))
    yield _render_table(
        "Corrections",
        ("Correction", "Event", "Data point", "Was", "Is", "By", "Why"),
        (
            (
                correction.correction, correction.event, correction.data_point, correction.from_value or "",
                correction.to_value, correction.origin, correction.reason or "",
            )
            for correction in contents.corrections.values()
        ),
    )  # fmt: skip
    yield _render_table(
        "Static inputs",
        ("Number", "Name", "Value", "Unit", "From"),
        (
            (
                static.static_input,
                static.slug,
                plain(static.value),
                static.unit or "",
                static.effective_from.text,
            )
            for static in contents.statics.values()
        ),
    )
    yield _render_table(
        "Models",
        ("Model", "Name", "Version", "SHA-256"),
        ((model.model_id, model.name, model.version, model.sha256) for model in contents.models.values()),
    )
    yield _render_table(
        "Evidence",
        ("Event", "Name", "SHA-256 or address"),
        (
            (evidence.event, evidence.name, evidence.sha256 or evidence.url or "")
            for evidence in contents.evidence
        ),
    )
    yield _render_table(
        "Audit log",
        ("Row", "When", "What", "Of"),
        ((row["number"], row["at"], row["action"], row["object"]) for row in vouched.rows),
    )


def _render_gaps(gaps: Sequence[BundleGap]) -> str:
    return _render_table(
        "Gaps: expected slots without a captured event that counts",
        ("Of", "From", "To", "Slots", "Filled"),
        (
            (f"{gap.event_type}{gap.of_meter}", gap.start.text, gap.end.text, gap.slots, gap.filled)
            for gap in gaps
        ),
        numbers=2,
    )


def _render_closure(contents: BundleContents) -> Iterator[str]:
    """What belongs to the slots besides what the batches read."""
    yield _render_table(
        "Events that came late and do not count yet",
        ("Event", "Type", "From", "To", "Stored"),
        (
            (late.event, late.event_type, late.start_time.text, late.end_time.text, late.created_at.text)
            for late in contents.late_events.values()
        ),
    )
    yield _render_table(
        "Outages",
        ("Of", "From", "To", "Why"),
        (
            (
                outage.asset or outage.location or outage.event_type or "all",
                outage.start_time.text, outage.end_time.text if outage.end_time else "", outage.reason,
            )
            for outage in contents.outages.values()
        ),
    )  # fmt: skip
    yield _render_table(
        "Findings that were dismissed",
        ("Event", "Data point", "Value", "Dismissed", "Why"),
        (
            (
                finding.event, finding.data_point, finding.entered_value or "", finding.dismissed_at.text,
                finding.reason,
            )
            for finding in contents.findings.values()
        ),
    )  # fmt: skip


def _render_instructions(contents: BundleContents) -> str:
    lines = (
        "sha256sum -c SHA256SUMS\n"
        "ssh-keygen -Y verify -f allowed_signers -I operator -n weighbridge-bundle -s SHA256SUMS.sig"
        " &lt; SHA256SUMS\n"
        "weighbridge bundle check FILE --key KEY"
    )
    name = escape(contents.manifest.audit_log)
    return (
        "<h2>How to check it</h2><p>The first line shows that no part was changed, the second that the"
        " operator's service signed them, the third all of that, and computes every batch again. The key is"
        f" the operator's, not from this file; it is that of <code>{name}</code>.</p><pre>{lines}</pre>"
    )


def _order_batches(contents: BundleContents) -> list[int]:
    """Batches that the report takes of, then those that they rest on."""
    reported = contents.reported
    return sorted(
        contents.batches,
        key=lambda batch: (
            contents.batches[batch].batch_id not in reported,
            contents.batches[batch].start_time,
            contents.batches[batch].tracking_id,
            batch,
        ),
    )


def _render_batch(contents: BundleContents, number: int, prepared: PreparedModel | None) -> str:
    batch = contents.batches[number]
    ledger = contents.ledgers.get(batch.ledger)
    head = f"{batch.tracking_id}: {plain(batch.total)} {ledger.unit if ledger else ''}"
    message = contents.reported.get(batch.batch_id)
    use = f"the report takes {message.amount}" if message else "others rest on it"
    if contents.has_whole_stories and batch.deleted_at is not None:
        use += f"; it was deleted at {batch.deleted_at.text}"
    equations = "".join(map(_render_equation, list_batch_equations(contents, number, prepared)))
    times = f"{batch.start_time.text} to {batch.end_time.text}"
    return (
        f'<section id="{escape(batch.batch_id)}"><h3>{escape(head)}</h3>'
        f'<p class="f">{escape(batch.batch_id)}, {times}; {escape(use)}</p>'
        f"<table>{equations}</table></section>"
    )


def _render_equation(line: EquationLine) -> str:
    filled = f"<br><code>{escape(line.filled)}</code>" if line.filled else ""
    return (
        f"<tr><td><code>{escape(line.written or line.node)}</code>{filled}"
        f'<br><span class="f">{escape(line.origin)}</span></td>'
        f'<td class="n">{escape(line.result)}</td></tr>'
    )


def _render_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in pairs)
    return f"<table>{rows}</table>"


def _render_table(
    title: str, names: Sequence[str], rows: Iterable[Sequence[object]], numbers: int = 0
) -> str:
    lines, count = [], 0
    for row in rows:
        count += 1
        if count <= ROWS_SHOWN:
            last = len(row) - numbers
            cells = "".join(
                f"<td{' class=n' if at >= last else ''}>{escape(str(cell))}</td>"
                for at, cell in enumerate(row)
            )
            lines.append(f"<tr>{cells}</tr>")
    if not count:
        return f"<h2>{escape(title)}</h2><p>None.</p>"
    remainder = f"<p>{count - ROWS_SHOWN:,} more are in the tables.</p>" if count > ROWS_SHOWN else ""
    header = "".join(f"<th>{escape(name)}</th>" for name in names)
    return f"<h2>{escape(title)}</h2><table><tr>{header}</tr>{''.join(lines)}</table>{remainder}"
