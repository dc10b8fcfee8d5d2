"""An error code is the word by which a program tells one reason for a refusal from another.

Every refusal carries one, and so do the problems that previews, validations and failed tasks name. The
catalogue below is the one place that lists them; the reference page of errors is made from it.

Invariants: a code keeps its meaning as long as the interface has its version; a problem has no other code
than one that stands here.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class ErrorCode(NamedTuple):
    """What a code says: the statuses it comes with, its meaning, and what the caller can do."""

    statuses: tuple[int, ...]
    meaning: str
    remedy: str


_SHAPE: Final = (400,)
_RULE: Final = (422,)
_BOTH: Final = (400, 422)
_MODEL: Final = (200, 422)
"""A flaw of a model document: creating it is refused, validating it names the flaw in an answer."""

REQUEST: Final[Mapping[str, ErrorCode]] = {
    "malformed": ErrorCode(
        _SHAPE,
        "The body, the query or a filter cannot be read at all.",
        "Send what the message asks for: JSON as UTF-8, or `filter[field][comparator]=value`.",
    ),
    "required": ErrorCode(
        _BOTH, "Something that the request or a computation needs is missing.", "Send the field."
    ),
    "unknown": ErrorCode(
        _BOTH,
        "A field, a parameter or a record of this name is not known here.",
        "Correct the name; the message lists what is taken, and the nearest name where there is one.",
    ),
    "invalid": ErrorCode(
        _BOTH, "The field holds something that it does not take.", "Send what the message says is taken."
    ),
    "unsupported": ErrorCode(
        (400, 415),
        "The filter does not take this comparator, or the file is of a kind that is not taken.",
        "Use one that the message lists.",
    ),
    "unreadable": ErrorCode(
        _SHAPE, "The value of a filter is not of the kind that its field holds.", "Send such a value."
    ),
    "conflict": ErrorCode(
        (400, 409, 422),
        "Two parts of the request contradict each other, or the record is in a state that does not allow it.",
        "Send one of the two, or read the record again and decide anew.",
    ),
    "too_far": ErrorCode(
        _SHAPE, "The page lies behind the rows that are reached by number.", "Go on by `cursor`."
    ),
    "too_many": ErrorCode(
        _RULE,
        "There are more of these than are taken, or put in an order, at once.",
        "Send fewer at a time, or narrow the list by what the message names.",
    ),
    "unbounded": ErrorCode(
        _RULE,
        "The list is sorted in this order only within filters that bound it.",
        "Add the filters that the message names.",
    ),
    "too_long": ErrorCode(_RULE, "The range of time is longer than is taken.", "Ask for a shorter one."),
    "too_costly": ErrorCode(
        _RULE,
        "Computing this costs more than a computation may.",
        "Shorten the pattern or the expression, or ask for fewer records.",
    ),
    "too_large": ErrorCode((413,), "The body or the file is over the limit.", "Send less at a time."),
    "more": ErrorCode(
        _BOTH, "More is wrong than the answer lists.", "Correct what is listed and send it again."
    ),
}
"""What is wrong with a request, whatever it asks for."""

SERVICE: Final[Mapping[str, ErrorCode]] = {
    "token_missing": ErrorCode(
        (401,), "The request carries no token.", "Send it as `Authorization: Bearer <token>`."
    ),
    "token_unknown": ErrorCode(
        (401,), "The token is not one of this service.", "Look for a slip, or have a token issued."
    ),
    "token_revoked": ErrorCode((401,), "The token has been revoked.", "Have a new one issued."),
    "token_expired": ErrorCode((401,), "The token has expired.", "Have a new one issued."),
    "unauthorized": ErrorCode((401,), "No usable token came with the request.", "Send a valid one."),
    "forbidden": ErrorCode((403,), "The token may not do this.", "Use a token that may."),
    "permission_missing": ErrorCode(
        (403,), "The token lacks the permission that the message names.", "Use a token that has it."
    ),
    "feature_off": ErrorCode(
        (403, 422),
        "The account does not have the feature that this belongs to.",
        "See `GET /feature_flags`; have the feature switched on, or leave the field out.",
    ),
    "not_found": ErrorCode(
        (404,),
        "The account has no record of this `type` and `id`; another account's is not told apart.",
        "Look the id up in the list of such records.",
    ),
    "no_such_path": ErrorCode((404,), "There is nothing at this path.", "See the OpenAPI document."),
    "method_not_allowed": ErrorCode(
        (405,), "The path does not take this method.", "See `Allow`, or ask the path with `OPTIONS`."
    ),
    "too_slow": ErrorCode((408,), "The body did not arrive in time.", "Send it again, or less at a time."),
    "overtaken": ErrorCode(
        (409,), "Another request changed what this one depends on; nothing was stored.", "Send it again."
    ),
    "in_progress": ErrorCode(
        (409,),
        "A request with the same Idempotency-Key is still under way.",
        "Send it again after `Retry-After` seconds, with the same key.",
    ),
    "account_busy": ErrorCode(
        (429,),
        "The account has as many requests at work, or under way, as one account may.",
        "Send it again after `Retry-After` seconds, and fewer at the same time.",
    ),
    "quota": ErrorCode(
        (422, 429),
        "The account would use more than its quota; the message says how much it uses and may.",
        "After 429 wait as long as `Retry-After` says; otherwise ask whoever runs the service for more.",
    ),
    "task_ended": ErrorCode(
        (409,), "The task is complete or failed, so there is nothing to cancel.", "Read the task."
    ),
    "unsupported_media_type": ErrorCode(
        (415,),
        "The body has a content type or an encoding that the path does not read.",
        "Send one that the message names.",
    ),
    "too_many_downloads": ErrorCode(
        (429,),
        "The account, or the service, is sending as many files as it can at once.",
        "Read the files that are on their way, and ask again.",
    ),
    "rate_limited": ErrorCode(
        (429,),
        "The token has made all its requests of this minute.",
        "Wait as many seconds as `Retry-After` says.",
    ),
    "too_many_failures": ErrorCode(
        (429,),
        "Too many tokens from this client's address were refused in this minute.",
        "Wait as many seconds as `Retry-After` says, and send a valid token.",
    ),
    "internal_error": ErrorCode(
        (500,),
        "The service made a mistake; it is logged under the request id.",
        "Report it with the `request_id`.",
    ),
    "damaged": ErrorCode(
        (500,), "What was stored is not what comes back.", "Report it; a backup may have the file."
    ),
    "disk_full": ErrorCode(
        (503,),
        "The disk that the message names is full; nothing was stored.",
        "Have room made; what only reads, and revoking tokens, go on.",
    ),
    "outcome_unknown": ErrorCode(
        (503,),
        "The process that worked on the request ended before it answered, and may have carried it out.",
        "Send it again with the Idempotency-Key that it had; without one, look first what there is.",
    ),
    "unavailable": ErrorCode(
        (503,), "The service cannot answer just now.", "Send it again after `Retry-After` seconds."
    ),
}
"""What a request is refused for before anybody looks at its fields."""

RECORD: Final[Mapping[str, ErrorCode]] = {
    "taken": ErrorCode(
        _RULE,
        "Another record has this name, slug or reference already, or it comes twice in the request.",
        "Choose another one; `records` may name who has it.",
    ),
    "in_use": ErrorCode(
        _RULE,
        "Other records depend on this one, so that it cannot be changed or removed.",
        "See `records` and the message for what is in the way.",
    ),
    "reserved": ErrorCode(_RULE, "The name belongs to a standard column.", "Choose another one."),
    "reused": ErrorCode(
        _RULE, "The Idempotency-Key came with another request before.", "Use a new key for a new request."
    ),
    "full": ErrorCode(_RULE, "The record holds as many of these as it can.", "Remove one first."),
    "pass": ErrorCode(_RULE, "The rule result passes, so there is nothing to dismiss.", "Leave its id out."),
    "never_pending": ErrorCode(
        _RULE, "The rule result never held a proposal, so there is nothing to decide.", "Leave its id out."
    ),
    "decided": ErrorCode(
        _RULE,
        "The proposal of the rule result waits for nobody: it was decided on otherwise, or withdrawn.",
        "Read the result again; its `approval_state` says where the proposal stands.",
    ),
}
"""Why a record cannot be as it was sent."""

ACCOUNTING: Final[Mapping[str, ErrorCode]] = {
    "system_ledger": ErrorCode(
        _RULE, "The ledger is a system ledger, or only such a ledger will do.", "Name another ledger."
    ),
    "no_system_ledger": ErrorCode(
        _RULE, "The ledger takes no instruments.", "Name the system ledger of such instruments."
    ),
    "own_ledger": ErrorCode(
        _RULE, "The model would draw from the ledger that it credits.", "Name another ledger."
    ),
    "unknown_ledger": ErrorCode(
        _RULE, "A node draws from a ledger that the project lacks.", "Create it, or correct the name."
    ),
    "unknown_output": ErrorCode(
        _RULE, "A node asks for an output that the source ledger does not have.", "Name one that it has."
    ),
    "has_batches": ErrorCode(_RULE, "The ledger has batches.", "Delete those in `records` first."),
    "has_entries": ErrorCode(_RULE, "The ledger had batches, whose entries stay.", "Leave the ledger."),
    "incompatible": ErrorCode(_RULE, "The unit cannot be converted to the one needed.", "Use another."),
    "incompatible_unit": ErrorCode(
        _RULE, "The output's unit does not fit that of the ledger.", "Keep a unit of the same kind."
    ),
    "missing_output": ErrorCode(
        _RULE, "The version lacks the output that the ledger keeps.", "Keep a node of that name."
    ),
    "no_model": ErrorCode(_RULE, "The ledger has no model.", "Give the ledger a model."),
    "no_project": ErrorCode(_RULE, "The model belongs to no project.", "Name a model of a project."),
    "no_run": ErrorCode(
        _RULE, "The batch was made by no run that can be repeated.", "Name a batch of a generation."
    ),
    "replaced": ErrorCode(
        _RULE, "Another version of the model has replaced the batch's slot.", "Name the newer batch."
    ),
    "cut_slot": ErrorCode(
        _RULE, "The range begins or ends inside a slot that stands.", "Move it to where the slot does."
    ),
    "no_slot": ErrorCode(
        _RULE, "The range holds no whole slot of the cadence.", "Ask for a longer or another range."
    ),
    "passed_over": ErrorCode(
        _RULE, "Every slot of the range is left out, as the message says.", "Ask for another range."
    ),
    "outside_period": ErrorCode(
        _RULE, "A data point lies outside the period.", "Leave it out, or move the period."
    ),
    "unused": ErrorCode(
        _MODEL, "Nothing reads this input, or a named data point.", "Leave it out, or use it."
    ),
    "incomplete": ErrorCode(
        _RULE, "The event lacks a required data point.", "Complete the event in `records`."
    ),
    "not_drawn_by_hand": ErrorCode(
        _RULE, "No node of the model draws from this batch's ledger by hand.", "Leave the batch out."
    ),
    "balance": ErrorCode(
        _RULE, "The batch in `records` holds less than was named of it.", "Name a smaller amount."
    ),
    "draws": ErrorCode(
        _MODEL, "A node cannot draw what it is to draw.", "See the message; credit the source ledger first."
    ),
    "not_covered": ErrorCode(
        _MODEL, "The data leave time of the slot uncovered, or cover it twice.", "Complete the events."
    ),
    "unmatched": ErrorCode(
        _MODEL, "Elements of two inputs do not match one another.", "Complete the events."
    ),
    "changes": ErrorCode(
        _MODEL, "A value that is to be one changes inside the slot.", "Ask for slots that end with it."
    ),
    "untagged": ErrorCode(
        _MODEL,
        "Data do not say which partition they belong to.",
        "Tag the events in `records` with what the model is partitioned by.",
    ),
    "not_computable": ErrorCode(
        _MODEL, "All that a node needs is there, and it comes to no value.", "See the message."
    ),
    "newer_batch": ErrorCode(
        _RULE, "Newer batches of the run adjust it.", "Delete those in `records` first, or with it."
    ),
    "has_model": ErrorCode(
        _RULE, "The ledger has a model, and stays with it.", "Make another ledger for the other model."
    ),
    "drawn": ErrorCode(
        _RULE, "What the batch credited is drawn by others.", "Delete those in `records` first, or with it."
    ),
    "given_back": ErrorCode(
        _RULE, "What the batch took was given back later.", "Delete those in `records` with it."
    ),
    "settled": ErrorCode(
        _RULE, "The deficit that the batch opened was settled later.", "Delete those in `records` with it."
    ),
    "batch": ErrorCode(
        _RULE,
        "A batch is what the model run came to.",
        "Delete the batch in `records`; its run goes with it.",
    ),
}
"""Why books cannot be kept as was asked."""

MODEL: Final[Mapping[str, ErrorCode]] = {
    "yaml": ErrorCode(_MODEL, "The document is no YAML.", "See the line and column."),
    "limit": ErrorCode(_MODEL, "The document has more of something than is allowed.", "Use less."),
    "unknown_key": ErrorCode(_MODEL, "A key is none of the model language.", "Correct it."),
    "missing_key": ErrorCode(_MODEL, "A key that is needed is missing.", "Write it."),
    "body": ErrorCode(_MODEL, "A node has none or several of the kinds of body.", "Give it one."),
    "unit": ErrorCode(_MODEL, "A unit is none, or does not fit.", "See the message."),
    "expression": ErrorCode(_MODEL, "A formula or a condition cannot be read.", "See the message."),
    "unknown_node": ErrorCode(_MODEL, "A name leads to no node.", "Correct the name."),
    "unknown_event_type": ErrorCode(
        _MODEL, "An input names an event type or a data point that the project lacks.", "Correct the name."
    ),
    "cycle": ErrorCode(
        _MODEL, "Nodes or ledgers need one another in a circle.", "Take one of them out of the circle."
    ),
    "case": ErrorCode(_MODEL, "A case does not fit the model.", "See the message."),
    "case_failed": ErrorCode(
        _MODEL, "A case comes to something else than it expects.", "Correct the model or the case."
    ),
    "no_cases": ErrorCode(_MODEL, "The model has no cases: a warning.", "Write some."),
    "twice": ErrorCode(_RULE, "A value is given twice.", "Give it once."),
}
"""Flaws of model documents, and of what they are tried with."""

LOCAL: Final[Mapping[str, ErrorCode]] = {
    "invalid_setting": ErrorCode((), "A setting is outside its range.", "See the reference of settings."),
}
"""Problems that only a command says, and no answer."""

GROUPS: Final[Mapping[str, Mapping[str, ErrorCode]]] = {
    "Requests": REQUEST,
    "The service and the caller": SERVICE,
    "Records": RECORD,
    "Ledgers, batches and computations": ACCOUNTING,
    "Model documents": MODEL,
    "Commands": LOCAL,
}
"""The catalogue as its page shows it."""

CODES: Final[Mapping[str, ErrorCode]] = {
    code: said for group in GROUPS.values() for code, said in group.items()
}
"""Every code."""
