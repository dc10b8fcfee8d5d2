"""Carry out a plan: make every record once, put the statement together, and submit it.

Each step is looked for before it is made, unless it is known to be there; after a lost answer it is looked
for again. So whoever goes on after a kill makes only what is missing.

What carries no reference is looked for by what it says. A call of it that comes later than the next one is
answered makes it twice, which the registry's interface cannot undo: it is a finding.

Invariants: of each reference there is one record; the statement is submitted only with the removals of the
plan and no others; what the registry has of a number is held against what was sent.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Protocol

from weighbridge.core.problem import Problem
from weighbridge.core.report import DeliveryStep
from weighbridge.errors import Invalid
from weighbridge.http.outgoing import Pause, pause_seconds
from weighbridge.reporting.isometric.calls import (
    CallJournal,
    CertifyClient,
    RefusedCallError,
    UncertainCallError,
)
from weighbridge.reporting.isometric.numbers import NumberFinding, list_findings, round_to_double
from weighbridge.reporting.isometric.plan import MADE, CertifyPlan, PlanStep, StepKind
from weighbridge.reporting.isometric.resources import WAYS, RecordFinder
from weighbridge.reporting.isometric.statement import StatementStatus
from weighbridge.reporting.submission.sending import TaskJournal

PARQUET: Final = "application/vnd.apache.parquet"
_UPLOADS: Final = "/data-upload-submissions"
_STATEMENTS: Final = "/ghg_statements"
_COUNTED_ONCE: Final = (StepKind.REMOVAL, StepKind.APPLICATION)
"""What is removed there once another one takes its place, in this order."""
_UPLOADED_ALREADY: Final = 409
_NOTHING: Final = 404


class SignedLinks(Protocol):
    """The signed links to a report, by which the registry and its verifier open it."""

    async def issue(self, statement: str) -> str:
        """Make a link for a statement; gives its whole address."""
        ...

    async def is_own(self, address: str) -> bool:
        """Whether an address is one of the links of the report."""
        ...


@dataclass(frozen=True, slots=True)
class PlanMeans:
    """What a plan is carried out with."""

    read_evidence: Callable[[int], Awaitable[bytes]]
    links: SignedLinks
    deliveries: TaskJournal
    pause: Pause


class PlanSender:
    """Carries out the plan of one report."""

    def __init__(
        self, client: CertifyClient, journal: CallJournal, plan: CertifyPlan, means: PlanMeans
    ) -> None:
        self._client = client
        self._journal = journal
        self._plan = plan
        self._means = means
        self._finder = RecordFinder(client)
        self._made: dict[str, str] = {}

    async def carry_out(self, tell: Callable[[int, int], Awaitable[None]]) -> str:
        """Make everything and submit the statement; gives its id. Invalid where that is not done.

        `tell` hears how many of all steps are done.
        """
        self._made = await self._journal.read_made()
        try:
            for done, step in enumerate(self._plan.steps):
                if step.reference not in self._made:
                    self._made[step.reference] = await self._try(self._ensure, step)
                    await tell(done + 1, len(self._plan.steps))
            await self._try(self._remove_superseded)
            return str(await self._try(self._ensure_submitted))
        except RefusedCallError as refusal:
            raise self._fail(str(refusal)) from None

    async def _try(self, work: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Do something until it is certain what became of it, as often as the registry is tried."""
        tries = self._client.registry.tries
        for count in range(1, tries + 1):
            try:
                return await work(*arguments)
            except UncertainCallError as error:
                self._finder.forget()
                if count == tries:
                    raise self._fail(str(error)) from None
                await self._means.pause(pause_seconds(count, error.retry_after))
        raise AssertionError("a registry is tried once at least")

    def _fail(self, message: str) -> Invalid:
        certainty = "is not certain" if self._means.deliveries.may_have_been_received else "is certain"
        name = self._client.registry.name
        return Invalid([Problem(f"{message} It {certainty} that no statement was submitted to {name}.")])

    # The steps of a plan.

    async def _ensure(self, step: PlanStep) -> str:
        """The registry's id of what a step makes, which is there afterwards."""
        if step.kind is StepKind.SERIES:
            return await self._ensure_series(step)
        found = await self._finder.find(step)
        body = self._fill(step.body)
        address: str | None = None
        if found is None:
            found, address = await self._make(step, body)
        record = str(found["id"])
        findings = list_findings(body, found)
        if step.evidence is not None:
            await self._journal.note_made(step.kind, step.reference, record, findings, is_held=False)
            await self._upload_evidence(step, step.evidence, record, address)
        await self._journal.note_made(step.kind, step.reference, record, findings, is_held=True)
        return record

    async def _make(self, step: PlanStep, body: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
        """Make the record of a step; gives it as the registry has it, and where the file of a source goes.

        References are unique there: an earlier request that arrived late is why one is refused.
        """
        try:
            way = WAYS[step.kind]
            path = way.made_at or way.path
            made = await self._client.write("POST", path, body, reference=step.reference)
        except RefusedCallError:
            self._finder.forget()
            found = await self._finder.find(step)
            if found is None:
                raise
            return found, None
        address = None
        if step.kind is StepKind.SOURCE:
            made, address = made["source"], made["signed_upload_url"]
        return await self._finder.read_back(step, made), address

    async def _upload_evidence(self, step: PlanStep, evidence: int, record: str, address: str | None) -> None:
        """Upload the file of a source, unless the registry has it."""
        content_type = step.body["content_type"]
        if address is None:
            wanted = {"content_type": content_type, "content_length": step.body["content_length"]}
            path = f"/sources/{record}/signed_upload_url"
            try:
                address = await self._client.write("POST", path, wanted, reference=step.reference)
            except RefusedCallError as refusal:
                if refusal.status == _UPLOADED_ALREADY:
                    return
                raise
        content = await self._means.read_evidence(evidence)
        await self._client.upload(str(address), content_type, content, step.reference)

    def _fill(self, part: Any) -> Any:
        """A part of a body, with ids in the place of references."""
        if isinstance(part, Mapping):
            return (
                self._made[part[MADE]]
                if MADE in part
                else {key: self._fill(one) for key, one in part.items()}
            )
        return [self._fill(one) for one in part] if isinstance(part, list) else part

    # Time series: a submission of a file carries no reference, so it is known by not having been there.

    async def _ensure_series(self, step: PlanStep) -> str:
        about = {name: step.body[name] for name in ("submission_type", "facility_id", "storage_location_id")}
        calls = await self._journal.read_open_notes(step.reference, _UPLOADS)
        listed = await self._list_series()
        ours = _list_new(listed, calls[0], about) if calls else []
        if len(ours) > len(calls):
            message = f"{len(ours)} time series came to the registry at once; which is ours is not certain."
            raise RefusedCallError(message, None)
        if not ours:
            ours = [await self._upload_series(step, about, [*listed])]
            if calls:  # an earlier call may have come late, while this one was made
                ours += [
                    one for one in _list_new(await self._list_series(), [*listed], about) if one != ours[0]
                ]
        record = ours[0]
        found = await self._client.read(f"{_UPLOADS}/{record}") or {}
        findings = _find_repetition("time_series", ours)
        if found.get("status") == "failed":
            findings.append(NumberFinding("status", "completed", f"failed: {found.get('error_message')}"))
        await self._journal.note_made(step.kind, step.reference, record, findings, is_held=True)
        return record

    async def _list_series(self) -> dict[str, Mapping[str, Any]]:
        return {node["id"]: node async for node in self._client.list(_UPLOADS)}

    async def _upload_series(self, step: PlanStep, about: Mapping[str, Any], known: list[str]) -> str:
        content = await asyncio.to_thread(write_series, step)
        file = {
            "file_name": f"{step.reference}.parquet",
            "content_type": PARQUET,
            "content_length": len(content),
        }
        upload = await self._client.write("POST", "/file-uploads", file, reference=step.reference)
        await self._client.upload(upload["upload_url"], PARQUET, content, step.reference)
        body = {"file_upload_id": upload["id"], **about}
        made = await self._client.write("POST", _UPLOADS, body, reference=step.reference, noted=known)
        return str(made["id"])

    # The statement.

    async def _remove_superseded(self) -> None:
        """Remove what earlier reports of the chain have made that would count beside what this one has."""
        for kind in _COUNTED_ONCE:
            own = self._plan.list_references(kind)
            for report, reference, record in await self._journal.list_superseded(kind, own):
                try:
                    path = f"{WAYS[kind].path}/{record}"
                    await self._client.write("DELETE", path, None, reference=reference)
                except RefusedCallError as refusal:
                    if refusal.status != _NOTHING:
                        raise
                await self._journal.note_removed(report, reference)

    async def _ensure_submitted(self) -> str:
        found = await self._list_statements()
        if not found:
            body = {"project_id": self._plan.project, "end_on": self._plan.end_on}
            try:
                made = [await self._client.write("POST", _STATEMENTS, body, reference=self._plan.report_id)]
            except RefusedCallError:  # as one that is there already, if an earlier call came late
                found = await self._list_statements()
                if not found:
                    raise
            else:
                found = await self._list_statements() or made
        statement = found[0]
        self._require_own_removals(statement)
        record = str(statement["id"])
        address = statement.get("ghg_statement_report_url")
        if (
            statement["status"] != StatementStatus.DRAFT
            and address
            and await self._means.links.is_own(address)
        ):
            await self._means.deliveries.note(DeliveryStep.RECEIVED, detail=record)
        else:
            await self._submit(record, is_first=statement["status"] == StatementStatus.DRAFT)
        findings = _find_repetition("ghg_statements", [str(one["id"]) for one in found])
        await self._journal.note_made("ghg_statement", self._plan.report_id, record, findings, is_held=True)
        return record

    async def _list_statements(self) -> list[Mapping[str, Any]]:
        """The statements of the period, the one to submit first; a call that came late makes a second one.

        One that was submitted comes before a draft, and one with our removals before one without.
        """
        own = {self._made[reference] for reference in self._plan.removals}
        wanted = (self._plan.project, self._plan.end_on)
        return sorted(
            [
                node
                async for node in self._client.list(_STATEMENTS)
                if (node.get("project_id"), node.get("reporting_period_end_at")) == wanted
            ],
            key=lambda one: (
                one["status"] == StatementStatus.DRAFT,
                set(one.get("removal_ids", ())) != own,
                one["id"],
            ),
        )

    def _require_own_removals(self, statement: Mapping[str, Any]) -> None:
        """Refuse a statement that has other removals: the registry takes them by their dates."""
        own = {self._made[reference] for reference in self._plan.removals}
        there = set(statement.get("removal_ids", ()))
        if there != own:
            parts = [
                f"{word} {', '.join(sorted(some))}"
                for word, some in (("has also", there - own), ("has not", own - there))
                if some
            ]
            differs = " and ".join(parts)
            message = f"Statement {statement['id']} has not the removals of the report: it {differs}."
            raise RefusedCallError(message, None)

    async def _submit(self, record: str, *, is_first: bool) -> None:
        summary = self._plan.summary_of_changes
        if not is_first and summary is None:
            message = f"Statement {record} was submitted before, and the report restates none."
            raise RefusedCallError(message, None)
        body = {"ghg_statement_report_url": await self._means.links.issue(record)}
        if not is_first and summary is not None:
            body["summary_of_changes"] = summary
        deliveries = self._means.deliveries
        await deliveries.note(DeliveryStep.SENDING)
        try:
            path = f"{_STATEMENTS}/{record}/submit"
            await self._client.write("POST", path, body, reference=self._plan.report_id)
        except RefusedCallError as refusal:
            await deliveries.note(DeliveryStep.REFUSED, http_status=refusal.status, detail=str(refusal))
            raise
        except UncertainCallError as error:
            await deliveries.note(DeliveryStep.UNANSWERED, detail=str(error))
            raise
        await deliveries.note(DeliveryStep.RECEIVED, detail=record)


def _list_new(
    listed: Mapping[str, Mapping[str, Any]], known: Sequence[str], about: Mapping[str, Any]
) -> list[str]:
    """The time series that were not known, of those that are about the same."""
    return [
        number
        for number, node in listed.items()
        if number not in known and all(node.get(name) == said for name, said in about.items())
    ]


def _find_repetition(field: str, records: Sequence[str]) -> list[NumberFinding]:
    """Of what carries no reference, that it stands there more than once."""
    if len(records) <= 1:
        return []
    return [NumberFinding(field, "1", f"{len(records)}: {', '.join(records)}")]


def write_series(step: PlanStep) -> bytes:
    """A time series as a Parquet file: a column of moments, and columns of doubles."""
    # Slow to import: no process has it before the first series is sent.
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    time_column, *names = step.body["columns"]
    moments = [datetime.fromisoformat(row[0]) for row in step.rows]
    columns = [pa.array(moments, pa.timestamp("ms", tz="UTC"))]
    for place in range(1, len(names) + 1):
        values = [None if row[place] is None else round_to_double(Decimal(row[place])) for row in step.rows]
        columns.append(pa.array(values, pa.float64()))
    target = io.BytesIO()
    pq.write_table(pa.table(columns, names=[time_column, *names]), target)
    return target.getvalue()
