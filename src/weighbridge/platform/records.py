"""Records of the platform: accounts with users, sessions and tokens; async tasks; the audit log; staleness.

Why a batch can be stale is listed here, because the records of batches and the marks both name the reasons.

Invariants: a secret (a token, the address of a link) is part of the response that creates it and of no
other record.
"""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity import id_pattern
from weighbridge.core.platform.permission import (
    ALL_PERMISSIONS,
    IN_PROJECT,
    LIFETIME_DAYS_DEFAULT,
    LIFETIMES_DAYS,
    PROJECT_PERMISSIONS,
    Actor,
)
from weighbridge.core.platform.tasks import AREA_OF_KIND, TaskState
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import Name, at_most, one_of, told

_ADMINISTERED: Final = "|".join(one for one in ALL_PERMISSIONS if one not in PROJECT_PERMISSIONS)
_LIMITABLE: Final = "|".join(PROJECT_PERMISSIONS)

Permission = Annotated[
    str,
    told(
        pattern=f"^({_ADMINISTERED}|({_LIMITABLE})({IN_PROJECT}{id_pattern('project')})?)$",
        examples=["data_collection:read"],
    ),
]
"""A permission, of the account or of one project."""

EMAIL_LENGTH_MAX: Final = 255
"""Characters of an address that a user is known by, at most."""

ADMINISTERS: Final = "administration:write"
"""What one person of an account keeps at least who can sign in."""

LINK_HOURS: Final = {"first": 24 * 7, "join": 24 * 7, "password": 24, "sign_in": 1}
"""How many hours a link of a kind lasts."""


class User(msgspec.Struct, frozen=True):
    """One user of the account."""

    id: int
    name: str
    email: str
    permissions: list[str]
    signs_in: bool
    """Whether the user is a person who signs in."""
    keeps_password: bool
    """Whether they sign in with a password whatever an identity provider says."""
    provider: str | None
    """The identity provider by which they sign in; null for a password."""
    created_at: Instant
    signed_in_at: Instant | None
    disabled_at: Instant | None


class AccessLink(msgspec.Struct, frozen=True):
    """One link that lets somebody in, as long as nobody has used it."""

    id: int
    kind: str
    account_id: int
    user_id: int | None
    email: str | None
    permissions: list[str]
    made_by: int
    created_at: Instant
    expires_at: Instant


IDLE_HOURS: Final = 12
"""After how many hours without use a session ends."""

SESSION_DAYS: Final = 7
"""After how many days a session ends, however much it is used."""


CHECK_MINUTES: Final = 3
"""How often an identity provider is asked whether somebody who signed in there may still."""

OUTAGE_MINUTES: Final = 60
"""How long a session stays that its identity provider does not confirm, because it cannot be reached."""

UNCHECKED_MINUTES: Final = 15
"""How long a session stays where the identity provider gives nothing by which it can be asked again."""


class ProviderSession(msgspec.Struct, frozen=True):
    """A session that begins by an identity provider: what that calls it, and how long it lasts."""

    provider: int
    session: str | None
    minutes: int


class Person(msgspec.Struct, frozen=True):
    """Who has signed in, by which session, and for whom that acts."""

    actor: Actor
    session_id: int
    name: str
    email: str
    account: str


class TokenUser(msgspec.Struct, frozen=True):
    """The user whom a token acts for."""

    id: int
    """The number of the user."""
    name: str
    """What the user is called, a person or a program."""
    email: str
    """The address that the user is known by, such as `operator@example.com`."""
    disabled_at: Instant | None
    """When the user was shut out: what is theirs waits to be ended or handed over; null for anybody else."""


LISTS_WITH_VIEWS: Final = (
    "events", "data_points", "event_types", "assets", "locations", "feedstocks", "outages", "static_inputs",
    "batches", "rules", "reports",
)  # fmt: skip
"""Lists of the web app whose views are saved, by the last part of their addresses."""


VIEW_NAME_LENGTH_MAX: Final = 60
"""Characters of the name of a saved view, at most."""

VIEW_QUERY_LENGTH_MAX: Final = 2_000
"""Characters of the query of a saved view, at most."""


class SavedView(msgspec.Struct, frozen=True):
    """One view of a list, which a user has saved for themselves."""

    id: int
    """The number of the view."""
    list_name: Annotated[str, one_of(LISTS_WITH_VIEWS)]
    """The list of the web app, by the last part of its address."""
    name: str
    """What the user calls the view."""
    query: str
    """The query of the list's address, such as `filter[slug]=delivery&group=day`."""
    is_default: bool
    """Whether the web app shows this view where the address of the list has no query."""
    created_at: Instant
    updated_at: Instant


class NewSavedView(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A view to save: the query of a list under a name."""

    list_name: Annotated[str, one_of(LISTS_WITH_VIEWS)]
    """The list of the web app, by the last part of its address."""
    name: Annotated[str, at_most(VIEW_NAME_LENGTH_MAX)]
    """What the user calls the view; no other of the list has this name."""
    query: Annotated[str, at_most(VIEW_QUERY_LENGTH_MAX)]
    """The query of the list's address, without its question mark; empty for the list as it is."""
    is_default: bool = False
    """Whether the web app shows this view where the address of the list has no query."""


class NewSavedViewBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /saved_views."""

    saved_view: NewSavedView


class SavedViewChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be different about a saved view; what is left out stays."""

    name: Annotated[str, at_most(VIEW_NAME_LENGTH_MAX)] | UnsetType = UNSET
    """What the user calls the view; no other of the list has this name."""
    query: Annotated[str, at_most(VIEW_QUERY_LENGTH_MAX)] | UnsetType = UNSET
    """The query of the list's address, without its question mark."""
    is_default: bool | UnsetType = UNSET
    """True makes it the default in place of the one before; false leaves the list without one."""


class SavedViewChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /saved_views/{saved_view_id}."""

    saved_view: SavedViewChange


class ApiToken(msgspec.Struct, frozen=True):
    """One token of the account; `last_used_at` is exact to the hour."""

    id: int
    """The number of the token, by which it is revoked."""
    name: str
    """What the token is for, in the words of whoever made it."""
    permissions: list[Permission]
    """What the token may do; `write` of an area includes `read`. One that ends in `@` and the id of a project
    holds in that project alone."""
    user: TokenUser
    created_at: Instant
    expires_at: Instant | None
    """When it stops working; null for one that does not expire."""
    revoked_at: Instant | None
    last_used_at: Instant | None
    """When it was last used, written at most once an hour; null for one that never was."""


class IssuedApiToken(ApiToken, frozen=True):
    """A new token with its text, which is shown this once."""

    token: str | UnsetType = UNSET
    """The secret text that requests carry, which begins with `wb_live_` and its account; it is shown this
    once. The answer to a request that is repeated with its Idempotency-Key has none."""


class NewApiToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a token; without `user_email` it acts for the caller's own user.

    `expires_in_days` is 30, 60, 90, 180 or 365, or null for a token that does not expire.
    """

    name: Name
    permissions: list[Permission]
    """What the token may do: no more than the token that makes it. `data_collection:read` holds in all
    projects, `data_collection:read@prj_…` in that one alone."""
    expires_in_days: Annotated[int, told(enum=[*LIFETIMES_DAYS])] | None = LIFETIME_DAYS_DEFAULT
    """How many days it lives: 30, 60, 90, 180 or 365; null for one that does not expire."""
    user_email: Annotated[str, at_most(EMAIL_LENGTH_MAX)] | None = None
    """The user whom it acts for, who is made when new; the caller's own user when left out."""


class HandedOver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who answers for a record from now on."""

    user_email: Annotated[str, at_most(EMAIL_LENGTH_MAX)]
    """The address of a user of the account who was not shut out."""


class HandedOverTokenBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /api_tokens/{token_id}."""

    api_token: HandedOver


class NewApiTokenBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /api_tokens."""

    api_token: NewApiToken


class FeatureFlags(msgspec.Struct, frozen=True):
    """Every flag that affects the interface; false for those that are off."""

    rules_engine: bool
    """Whether the account has data rules with their runs and results; without it, records show no alerts."""
    data_capture_rate: bool
    """Whether event types of the account may say how often they are measured."""
    approval_of_own: bool = True
    """Whether people may approve what a rule that they wrote, or data that they sent, proposed."""
    footprint_exchange: bool = False
    """Whether partners' clients may read footprints of the account below `/pact`, and send events there."""


class FeatureFlagChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which features are switched; what is left out stays."""

    rules_engine: bool | UnsetType = UNSET
    """Whether the account has data rules with their runs and results."""
    data_capture_rate: bool | UnsetType = UNSET
    """Whether event types of the account may say how often they are measured."""
    approval_of_own: bool | UnsetType = UNSET
    """Whether people may approve what a rule that they wrote, or data that they sent, proposed."""
    footprint_exchange: bool | UnsetType = UNSET
    """Whether partners' clients may read footprints of the account below `/pact`, and send events there."""


class FeatureFlagsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /feature_flags."""

    feature_flags: FeatureFlagChanges


class Cancellation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /async_tasks/{task_id}/cancel, which may be left out."""


class AsyncTask(msgspec.Struct, frozen=True):
    """One task that a caller polls."""

    id: int
    """The number of the task, by which it is asked for."""
    type: Annotated[str, one_of(AREA_OF_KIND)]
    """What the task does."""
    state: Annotated[str, one_of(TaskState)]
    """Where the task stands; `complete` and `failed` are for good."""
    progress: int
    """How far it is, in percent; 100 once it is complete."""
    progress_description: str | None
    """What it is doing just now; null unless it is running."""
    created_at: Instant
    """When the task was accepted."""
    started_at: Instant | None
    finished_at: Instant | None
    error_message: str | None
    """Why it failed, in a sentence; null unless it did. A failed task has changed nothing."""
    result: Any
    """What it came to, by its type, such as `{"batches": [], "created": 0}`; null until it is complete."""
    args: dict[str, Any]
    """What was asked for; projects, ledgers and batches stand in it by their `numeric_id`."""


class AuditRow(msgspec.Struct, frozen=True):
    """One write: who did what to which object, and what the object was before and after.

    `number` and `hash` are null until the row is sealed, which takes seconds. The hash is that of the row's
    leaf in the account's tree: the SHA-256 of a zero byte and the canonical JSON of all other fields but
    `user_name`.
    """

    id: int
    """The number of the row, over all accounts."""
    number: int | None
    """The place of the row in the account's log, from 1 and without gaps; null until it is sealed."""
    at: Instant
    """When the write was made."""
    project_id: str | None
    """The friendly id of the project that the object belongs to; null outside of projects."""
    user_id: int | None
    """The number of the user in whose name it was done; null where none is known."""
    user_name: str | None
    """What that user is called now; null where none is known."""
    token_id: int | None
    """The number of the token that the request carried; null for a command on the server."""
    request_id: str
    action: str
    """What was done, the noun before the verb, such as `event.create`."""
    object: str
    """The id of what it was done to, such as `evt_…` or the number of a token."""
    before: Any
    """The object before, as a record; null when there was none."""
    after: Any
    """The object after, as a record; null when there is none any more."""
    hash: str | None
    """The hash of the row's leaf in the account's tree (RFC 6962), as 64 hexadecimal digits; null until it is
    sealed.
    """


class AuditKey(msgspec.Struct, frozen=True):
    """The public key of the service, in the forms in which programs take it."""

    origin: str
    """What the account's log is called in its heads."""
    verifier_key: str
    """The key as a line of C2SP signed-note; `weighbridge audit check --key` takes it."""
    ssh_public_key: str
    """The same key as OpenSSH writes it."""


class AuditKeyStatement(msgspec.Struct, frozen=True):
    """What was said of a key of the audit log, and who signed it (SSHSIG, for `weighbridge-audit-key`)."""

    text: str
    """The statement: which key, which successor, and the head of the log at that moment."""
    key_signature: str | None
    """The signature of the key that the statement is about; null where the operator had lost it."""
    successor_signature: str
    """The signature of the key that follows it."""


class AuditKeys(msgspec.Struct, frozen=True):
    """The keys of the account's log, from the first one to the one that signs now."""

    origin: str
    """What the account's log is called in its heads."""
    verifier_key: str
    """The key that signs now, as a line of C2SP signed-note."""
    statements: list[AuditKeyStatement]
    """How each further key began, and which keys were revoked, in the order of the log's rows."""


class AuditWitness(msgspec.Struct, frozen=True):
    """A witness of the audit log, and how it fares with the log of the account."""

    name: str
    """What the witness is called in its cosignatures."""
    verifier_key: str
    """The key by which its cosignatures are verified, as a line of C2SP signed-note."""
    size: int
    """Rows of the newest head that it has cosigned; 0 for none."""
    asked_at: Instant | None
    """When it was asked last."""
    failure: str | None
    """Why it cosigned no head then; null where it did."""
    failing_since: Instant | None
    """Since when it has cosigned no head; null where it did."""


class AuditWitnesses(msgspec.Struct, frozen=True):
    """The witnesses of the audit log."""

    witnesses: list[AuditWitness]
    """Those that the operator names, by their keys."""


class SealedRow(msgspec.Struct, frozen=True):
    """What the hash of a row is made of; `number` is its place in the account's log, from 1."""

    account_id: int
    number: int
    id: int
    project_id: int | None
    at: Instant
    user_id: int | None
    token_id: int | None
    request_id: str
    action: str
    object: str
    before: Any
    after: Any


DATA_POINT_CORRECTED: Final = "data_point_corrected"
EVENT_CORRECTED: Final = "event_corrected"
EVENT_WITHDRAWN: Final = "event_withdrawn"
STATIC_INPUT_ADDED: Final = "static_input_added"
SERVICE_CHANGED: Final = "service_changed"
UNCERTAINTY_CHANGED: Final = "uncertainty_changed"
CALIBRATION_CHANGED: Final = "calibration_changed"
BATCH_DELETED: Final = "batch_deleted"
SOURCE_ADJUSTED: Final = "source_adjusted"
INPUTS_REPLACED: Final = "inputs_replaced"
ENGINE_CHANGED: Final = "engine_changed"
UPSTREAM_STALE: Final = "upstream_stale"

REASONS: Final = {
    DATA_POINT_CORRECTED: "a value that it used was corrected, or its uncertainty was; "
    "the record is the data point",
    EVENT_CORRECTED: "times or tags of an event that it used were corrected; the record is the event",
    EVENT_WITHDRAWN: "an imputed event that it used was withdrawn; the record is the event",
    STATIC_INPUT_ADDED: "a static input that its model reads has another value for its time; "
    "the record is the static input",
    SERVICE_CHANGED: "a meter whose data it used says otherwise when it was in service; "
    "the record is the asset or location",
    UNCERTAINTY_CHANGED: "something else is stated about how well values of a data point type are known; "
    "the record is the event type",
    CALIBRATION_CHANGED: "a calibration of a meter whose readings it used was added, changed or removed; "
    "the record is the calibration",
    BATCH_DELETED: "another batch of its run was deleted; the record is that batch",
    SOURCE_ADJUSTED: "a run that it draws from has another batch since; the record is that batch",
    INPUTS_REPLACED: "other inputs were named for its run on another ledger; "
    "the record is the batch made of them",
    ENGINE_CHANGED: "the arithmetic has changed since it was computed; "
    "the record is the revision of the engine that computed it",
    UPSTREAM_STALE: "a batch that it draws from is stale; the record is that batch",
}
"""What each reason means."""
