"""Make links to reports, and revoke them."""

from collections.abc import Iterator

from msgspec.structs import asdict

from weighbridge.core.identity.link import API_PREFIX, ResourceAddress
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.platform.api_tokens.records import HandedOver
from weighbridge.platform.authentication.successor import need_user
from weighbridge.reporting.linking.entry import KEY
from weighbridge.reporting.linking.secret import LinkSecret, new_digits
from weighbridge.reporting.report_links import queries
from weighbridge.reporting.report_links.records import (
    LINK_SECONDS_MAX,
    LINK_SECONDS_MIN,
    STANDING_LINKS_MAX,
    IssuedReportLink,
    NewReportLink,
    ReportLink,
)


async def create_report_link(tx: Write, actor: Actor, named: str, new: NewReportLink) -> IssuedReportLink:
    """Make a link to a report of the actor's account; its address is not stored."""
    report = await queries.report_named(tx, actor, named)
    # Links of one report are made one after the other, so that they are counted.
    key = (report.project, report.key)
    await tx.execute("SELECT FROM reports WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", key)
    standing = await tx.value(
        """
        SELECT count(*) FROM report_links
         WHERE project_id = %s AND report_id = %s AND revoked_at IS NULL AND expires_at > now()
        """,
        key,
    )
    if problems := [*_problems(new, standing)]:
        raise Invalid(problems)
    digits = new_digits()
    number = await tx.value(
        """
        INSERT INTO report_links (project_id, report_id, name, secret_hash, created_by, expires_at)
        VALUES (%s, %s, %s, %s, %s, now() + make_interval(secs => %s)) RETURNING id
        """,
        (
            report.project, report.key, new.name.strip(), LinkSecret(0, digits).hash, actor.user_id,
            new.expires_in,
        ),
    )  # fmt: skip
    made = await queries.get_report_link(tx, report, str(number))
    changes.record(
        tx, actor, action="report_link.create", target=made.report_id, project_id=report.project,
        after=_without_person(made),
    )  # fmt: skip
    address = f"{API_PREFIX}/reports/{made.report_id}/by_link?{KEY}={LinkSecret(number, digits).text}"
    return IssuedReportLink(**asdict(made), url=ResourceAddress(address))


async def revoke_report_link(tx: Write, actor: Actor, named: str, link: str) -> None:
    """Make a link open nothing any more; one that was revoked already stays as it is."""
    report = await queries.report_named(tx, actor, named)
    before = await queries.get_report_link(tx, report, link)
    revoked = await tx.execute(
        "UPDATE report_links SET revoked_at = now(), revoked_by = %s WHERE id = %s AND revoked_at IS NULL",
        (actor.user_id, before.id),
    )
    if revoked:
        after: ReportLink = await queries.get_report_link(tx, report, link)
        changes.record(
            tx, actor, action="report_link.revoke", target=before.report_id, project_id=report.project,
            before=_without_person(before), after=_without_person(after),
        )  # fmt: skip


async def reassign_report_link(
    tx: Write, actor: Actor, named: str, link: str, wanted: HandedOver
) -> ReportLink:
    """Have another user of the account answer for a link from now on; its address stays."""
    report = await queries.report_named(tx, actor, named)
    before = await queries.get_report_link(tx, report, link)
    user_id = await need_user(tx, actor, wanted.user_email, "link.user_email")
    await tx.execute("UPDATE report_links SET user_id = %s WHERE id = %s", (user_id, before.id))
    after: ReportLink = await queries.get_report_link(tx, report, link)
    changes.record(
        tx, actor, action="report_link.reassign", target=before.report_id, project_id=report.project,
        before=_without_person(before), after=_without_person(after),
    )  # fmt: skip
    return after


def _without_person(link: ReportLink) -> dict[str, object]:
    """What the audit log keeps of a link: who answers for it by number, for it can forget nobody."""
    return {**asdict(link), "user": {"id": link.user.id}}


def _problems(new: NewReportLink, standing: int) -> Iterator[Problem]:
    if problem := problem_of_name(new.name, "A link", "link.name"):
        yield problem
    if not LINK_SECONDS_MIN <= new.expires_in <= LINK_SECONDS_MAX:
        said = (
            f"link.expires_in is {shorten(str(new.expires_in))}; it takes seconds from {LINK_SECONDS_MIN} to"
            f" {LINK_SECONDS_MAX:,}."
        )
        yield Problem(said, "link.expires_in", "invalid")
    if standing >= STANDING_LINKS_MAX:
        said = f"The report has {standing} open links, and takes {STANDING_LINKS_MAX}; revoke one first."
        yield Problem(said, "link", "too_many")
