"""A problem is one thing that is wrong with what a caller sent, said in a full sentence.

Checks return problems instead of raising, so that a caller learns of all of them at once.

Invariants: the message is never empty; `field` is the path of the offending field in the request (dotted,
with indexes), `code` is one of the error codes below, which a program may switch on, `records` are
the ids of what is in the way, and `type` and `id` name the record that was asked for and is not there.

An error code is the word by which a program distinguishes the reasons for an error response.

One table lists every code: of requests and records of any kind, and of ledgers, models and background
work. A refusal names one of them; a word that is not in the table cannot leave the service.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple


class ErrorCode(NamedTuple):
    """What a code says: the statuses it comes with, its meaning, and what the caller can do."""

    statuses: tuple[int, ...]
    meaning: str
    remedy: str


SHAPE: Final = (400,)
RULE: Final = (422,)
BOTH: Final = (400, 422)
OF_MODEL: Final = (200, 422)
"""A flaw of a model document: creating it is refused, validating it names the flaw in an answer."""


ACCOUNTING: Final[Mapping[str, ErrorCode]] = {
    "system_ledger": ErrorCode(
        RULE, "The ledger is a system ledger, or only such a ledger will do.", "Name another ledger."
    ),
    "no_system_ledger": ErrorCode(
        RULE, "The ledger takes no instruments.", "Name the system ledger of such instruments."
    ),
    "report_state": ErrorCode(
        (409,), "The report is in a state that this does not start from.", "Read the report again."
    ),
    "engagement_state": ErrorCode(
        (409,),
        "The engagement or finding is in a state that this does not start from.",
        "Read the engagement again.",
    ),
    "bundle_missing": ErrorCode(
        (404,), "The report has no proof bundle yet.", "Ask for it with POST, and wait for its task."
    ),
    "time_stamp_missing": ErrorCode(
        (404, 503),
        "No time-stamping authority vouched for the bundle.",
        "Set WEIGHBRIDGE_TIME_STAMP_URL and _CERTIFICATES, or ask again when the authority answers.",
    ),
    "not_draft": ErrorCode((409,), "The report is no draft any more.", "Restate it by another report."),
    "restated": ErrorCode(
        RULE, "Another report restates this one already.", "Restate that one, which `records` names."
    ),
    "restatement_under_way": ErrorCode(
        (409,),
        "A restatement of the report is a draft or under way, and is compared with this one.",
        "Have the report in `records` decided or withdrawn first, or remove it while it is a draft.",
    ),
    "succeeded": ErrorCode(
        RULE,
        "The report was merged or split, and others took its place.",
        "Restate one of the reports in `records`.",
    ),
    "not_accepted": ErrorCode(
        RULE,
        "The report is not complete, or owes something, so it is not merged.",
        "Name reports that were accepted and owe nothing.",
    ),
    "not_whole": ErrorCode(
        RULE,
        "The parts of a report do not come to what it holds.",
        "State what is left of it, or add a part without amounts.",
    ),
    "not_restatable": ErrorCode(
        RULE,
        "A report in this state is not restated.",
        "Wait for its end, or change it while it is a draft.",
    ),
    "several_ledgers": ErrorCode(
        RULE, "The batches are of several ledgers.", "Make a report of each ledger, which `records` names."
    ),
    "another_ledger": ErrorCode(
        RULE,
        "The batches are of ledgers that play no role in the report.",
        "Leave out batches of the ledgers in `records`.",
    ),
    "below_zero": ErrorCode(
        RULE,
        "A report of several ledgers deducts more than it claims.",
        "Take more of what counts; if an accepted claim is below zero now, restate it with a liability.",
    ),
    "not_deducted": ErrorCode(
        RULE,
        "A report of several ledgers leaves something out of what is deducted.",
        "Take all that remains of the batches in `records`.",
    ),
    "not_remaining": ErrorCode(
        RULE,
        "A report takes more of a batch or a partition than remains there at every moment.",
        "Take less, or leave the batches in `records` out.",
    ),
    "reported": ErrorCode(
        RULE,
        "A report holds what the batch credited or gave back.",
        "Restate the reports in `records` first, or wait until they are rejected.",
    ),
    "requirements": ErrorCode(
        RULE, "The report cannot be sent off as it is.", "See the other errors, one for each requirement."
    ),
    "no_batches": ErrorCode(RULE, "The report takes from no batch.", "Give it batches."),
    "batch_gone": ErrorCode(RULE, "Batches of the report were deleted.", "Leave those in `records` out."),
    "pending_proposals": ErrorCode(
        RULE, "Corrections of the data behind the report wait for approval.", "Approve or reject them."
    ),
    "stale_batches": ErrorCode(
        RULE, "Data behind batches of the report have changed.", "Generate the batches in `records` again."
    ),
    "late_data": ErrorCode(
        RULE,
        "Data of the report's time came or changed after its batches were generated.",
        "Generate the period again; `records` are the events, or the batches that wait for it.",
    ),
    "open_deficits": ErrorCode(
        RULE, "In the report's period more was drawn of the ledger than produced.", "See its deficits."
    ),
    "another_model": ErrorCode(
        RULE, "Batches were made by models that do not implement the methodology.", "Leave them out."
    ),
    "another_version": ErrorCode(
        RULE,
        "Batches were made by versions of models that the methodology does not name.",
        "Generate their period by a version that it names, or leave them out.",
    ),
    "open_alerts": ErrorCode(
        RULE, "Alerts concern the inputs of the batches.", "Put the data right, or dismiss the alerts."
    ),
    "no_evidence": ErrorCode(
        RULE, "Batches have no evidence.", "Attach evidence to events of the batches in `records`."
    ),
    "measured_share": ErrorCode(
        RULE,
        "Less of what the report takes was measured than its methodology asks for, or nobody knows how much.",
        "Put measured values in the place of others, or leave the batches in `records` out.",
    ),
    "mapping": ErrorCode(
        RULE, "A mapping cannot be read, or cannot be filled.", "Mend it at the place that `field` names."
    ),
    "schema": ErrorCode(
        RULE,
        "What is to be sent breaks its schema, or the schema cannot be used.",
        "Make a methodology with another mapping or schema.",
    ),
    "own_ledger": ErrorCode(
        RULE, "The model would draw from the ledger that it credits.", "Name another ledger."
    ),
    "unknown_ledger": ErrorCode(
        RULE, "A node draws from a ledger that the project lacks.", "Create it, or correct the name."
    ),
    "unknown_output": ErrorCode(
        RULE, "A node asks for an output that the source ledger does not have.", "Name one that it has."
    ),
    "has_batches": ErrorCode(RULE, "The ledger has batches.", "Delete those in `records` first."),
    "has_entries": ErrorCode(RULE, "The ledger had batches, whose entries stay.", "Leave the ledger."),
    "incompatible": ErrorCode(RULE, "The unit cannot be converted to the one needed.", "Use another."),
    "incompatible_unit": ErrorCode(
        RULE, "The output's unit does not fit that of the ledger.", "Keep a unit of the same kind."
    ),
    "missing_output": ErrorCode(
        RULE, "The version lacks the output that the ledger keeps.", "Keep a node of that name."
    ),
    "no_model": ErrorCode(RULE, "The ledger has no model.", "Give the ledger a model."),
    "no_ledger": ErrorCode(RULE, "No ledger runs the model.", "Link a ledger to the model."),
    "other_model": ErrorCode(
        RULE, "The version is one of another model.", "Name a version of the same model."
    ),
    "no_project": ErrorCode(RULE, "The model belongs to no project.", "Name a model of a project."),
    "no_run": ErrorCode(
        RULE, "The batch was made by no run that can be repeated.", "Name a batch of a generation."
    ),
    "not_uncertain": ErrorCode(
        RULE,
        "No model behind the batch or the report asks for uncertainty, so trials have nothing to draw from.",
        "Add the key `uncertainty` to the document of the model, and generate again.",
    ),
    "replaced": ErrorCode(
        RULE, "Another version of the model has replaced the batch's slot.", "Name the newer batch."
    ),
    "cut_slot": ErrorCode(
        RULE, "The range begins or ends inside a slot in force.", "Move it to where the slot does."
    ),
    "no_slot": ErrorCode(
        RULE, "The range holds no whole slot of the cadence.", "Ask for a longer or another range."
    ),
    "passed_over": ErrorCode(
        RULE, "Every slot of the range is left out, as the message says.", "Ask for another range."
    ),
    "outside_period": ErrorCode(
        RULE, "A data point lies outside the period.", "Leave it out, or move the period."
    ),
    "unused": ErrorCode(
        OF_MODEL, "Nothing reads this input, or a named data point.", "Leave it out, or use it."
    ),
    "incomplete": ErrorCode(
        RULE, "The event lacks a required data point.", "Complete the event in `records`."
    ),
    "not_drawn_by_hand": ErrorCode(
        RULE, "No node of the model draws from this batch's ledger by hand.", "Leave the batch out."
    ),
    "balance": ErrorCode(
        RULE, "The batch in `records` holds less than was named of it.", "Name a smaller amount."
    ),
    "draws": ErrorCode(
        OF_MODEL, "A node cannot draw what it is to draw.", "See the message; credit the source ledger first."
    ),
    "not_covered": ErrorCode(
        OF_MODEL, "The data leave time of the slot uncovered, or cover it twice.", "Complete the events."
    ),
    "unmatched": ErrorCode(
        OF_MODEL, "Elements of two inputs do not match one another.", "Complete the events."
    ),
    "changes": ErrorCode(
        OF_MODEL, "A value that is to be one changes inside the slot.", "Ask for slots that end with it."
    ),
    "untagged": ErrorCode(
        OF_MODEL,
        "Data do not say which partition they belong to.",
        "Tag the events in `records` with what the model is partitioned by.",
    ),
    "not_computable": ErrorCode(
        OF_MODEL, "All that a node needs is there, and it comes to no value.", "See the message."
    ),
    "newer_batch": ErrorCode(
        RULE, "Newer batches of the run adjust it.", "Delete those in `records` first, or with it."
    ),
    "has_model": ErrorCode(
        RULE, "The ledger has a model, and stays with it.", "Make another ledger for the other model."
    ),
    "drawn": ErrorCode(
        RULE, "What the batch credited is drawn by others.", "Delete those in `records` first, or with it."
    ),
    "given_back": ErrorCode(
        RULE, "What the batch took was given back later.", "Delete those in `records` with it."
    ),
    "slot_replaced": ErrorCode(
        RULE,
        "The batch brought its slot to zero, and others account for its time.",
        "Delete those in `records` with it.",
    ),
    "settled": ErrorCode(
        RULE, "The deficit that the batch opened was settled later.", "Delete those in `records` with it."
    ),
    "batch": ErrorCode(
        RULE,
        "A batch is what the model run came to.",
        "Delete the batch in `records`; its run goes with it.",
    ),
}
"""Why books cannot be kept as was asked."""

MODEL: Final[Mapping[str, ErrorCode]] = {
    "yaml": ErrorCode(OF_MODEL, "The document is no YAML.", "See the line and column."),
    "limit": ErrorCode(OF_MODEL, "The document has more of something than is allowed.", "Use less."),
    "unknown_key": ErrorCode(OF_MODEL, "A key is none of the model language.", "Correct it."),
    "missing_key": ErrorCode(OF_MODEL, "A key that is needed is missing.", "Write it."),
    "body": ErrorCode(OF_MODEL, "A node has none or several of the kinds of body.", "Give it one."),
    "unit": ErrorCode(OF_MODEL, "A unit is none, or does not fit.", "See the message."),
    "expression": ErrorCode(OF_MODEL, "A formula or a condition cannot be read.", "See the message."),
    "unknown_node": ErrorCode(OF_MODEL, "A name leads to no node.", "Correct the name."),
    "unknown_event_type": ErrorCode(
        OF_MODEL, "An input names an event type or a data point that the project lacks.", "Correct the name."
    ),
    "cycle": ErrorCode(
        OF_MODEL, "Nodes or ledgers need one another in a circle.", "Take one of them out of the circle."
    ),
    "case": ErrorCode(OF_MODEL, "A case does not fit the model.", "See the message."),
    "case_failed": ErrorCode(
        OF_MODEL, "A case comes to something else than it expects.", "Correct the model or the case."
    ),
    "no_cases": ErrorCode(OF_MODEL, "The model has no cases: a warning.", "Write some."),
    "twice": ErrorCode(RULE, "A value is given twice.", "Give it once."),
}
"""Flaws of model documents, and of what they are tried with."""

LOCAL: Final[Mapping[str, ErrorCode]] = {
    "invalid_setting": ErrorCode((), "A setting is outside its range.", "See the reference of settings."),
}
"""Problems that only a command says, and no answer."""


REQUEST: Final[Mapping[str, ErrorCode]] = {
    "malformed": ErrorCode(
        SHAPE,
        "The body, the query or a filter cannot be read at all.",
        "Send what the message asks for: JSON as UTF-8, or `filter[field][comparator]=value`.",
    ),
    "required": ErrorCode(
        BOTH, "Something that the request or a computation needs is missing.", "Send the field."
    ),
    "unknown": ErrorCode(
        BOTH,
        "A field, a parameter or a record of this name is not known here.",
        "Correct the name; the message lists what is taken, and the nearest name where there is one.",
    ),
    "invalid": ErrorCode(
        BOTH, "The field holds something that it does not take.", "Send what the message says is taken."
    ),
    "unsupported": ErrorCode(
        (400, 415),
        "The filter does not take this comparator, or the file is of a kind that is not taken.",
        "Use one that the message lists.",
    ),
    "unreadable": ErrorCode(
        SHAPE, "The value of a filter is not of the kind that its field holds.", "Send such a value."
    ),
    "conflict": ErrorCode(
        (400, 409, 422),
        "Two parts of the request contradict each other, or the record is in a state that does not allow it.",
        "Send one of the two, or read the record again and decide anew.",
    ),
    "too_far": ErrorCode(
        SHAPE, "The page lies behind the rows that are reached by number.", "Go on by `cursor`."
    ),
    "too_many": ErrorCode(
        BOTH,
        "There are more of these than are taken, or put in an order, at once.",
        "Send fewer at a time, or narrow the list by what the message names.",
    ),
    "unbounded": ErrorCode(
        RULE,
        "The list is sorted in this order only within filters that bound it.",
        "Add the filters that the message names.",
    ),
    "too_long": ErrorCode(RULE, "The range of time is longer than is taken.", "Ask for a shorter one."),
    "too_costly": ErrorCode(
        RULE,
        "Computing this costs more than a computation may.",
        "Shorten the pattern or the expression, or ask for fewer records.",
    ),
    "no_versions": ErrorCode(
        (410,),
        "No versions of records were kept yet at the row of the audit log that is asked for.",
        "Ask for a row since the one that the message names.",
    ),
    "cursor_expired": ErrorCode(
        (410,),
        "What comes behind the cursor of the feed of changes is not kept any more.",
        "Take a new cursor by `after=latest`, read the lists anew, and follow the feed from that cursor.",
    ),
    "link_expired": ErrorCode(
        (410,), "The link opened a report, and its time is over.", "Ask the sender for another one."
    ),
    "link_revoked": ErrorCode(
        (410,), "The link opened a report, and was revoked.", "Ask the sender for another one."
    ),
    "too_large": ErrorCode((413,), "The body or the file is over the limit.", "Send less at a time."),
    "more": ErrorCode(
        BOTH, "More is wrong than the answer lists.", "Correct what is listed and send it again."
    ),
}
"""Errors that any request can have."""

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
        "The account has no record of this `type` and `id`; records of other accounts get the same answer.",
        "Look the id up in the list of such records.",
    ),
    "no_such_path": ErrorCode((404,), "There is nothing at this path.", "See the OpenAPI document."),
    "method_not_allowed": ErrorCode(
        (405,), "The path does not take this method.", "See `Allow`, or ask the path with `OPTIONS`."
    ),
    "sign_in_refused": ErrorCode(
        (401,), "The address or the password of a person is wrong.", "Type them again, or ask for a link."
    ),
    "form_foreign": ErrorCode(
        (403,),
        "A form of the web app came from another site, or from a page of an earlier session.",
        "Open the page again and send the form from there.",
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
        "After 429 wait as long as `Retry-After` says; otherwise ask the operator for more.",
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
    "audit_key_missing": ErrorCode(
        (503,),
        "The host that answers has no key with which heads of the audit log are signed.",
        "Have the operator give it the key file of the other hosts (`WEIGHBRIDGE_AUDIT_KEY_FILE`).",
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
        RULE,
        "Another record has this name, slug or reference already, or it comes twice in the request.",
        "Choose another one; `records` may name who has it.",
    ),
    "differs": ErrorCode(
        RULE,
        "An event of the project has this client reference, and something else there than what was sent.",
        "Correct that event, which `records` names, if it is wrong; sending another one changes nothing.",
    ),
    "rolled_up": ErrorCode(
        RULE,
        "The event is made of the readings of another event type, and nobody else writes it.",
        "Send, correct or void the readings; the message names their event type.",
    ),
    "in_use": ErrorCode(
        RULE,
        "Other records depend on this one, so that it cannot be changed or removed.",
        "See `records` and the message for what is in the way.",
    ),
    "reserved": ErrorCode(RULE, "The name belongs to a standard column.", "Choose another one."),
    "reused": ErrorCode(
        RULE, "The Idempotency-Key came with another request before.", "Use a new key for a new request."
    ),
    "full": ErrorCode(RULE, "The record holds as many of these as it can.", "Remove one first."),
    "pass": ErrorCode(RULE, "The rule result passes, so there is nothing to dismiss.", "Leave its id out."),
    "never_pending": ErrorCode(
        RULE, "The rule result never held a proposal, so there is nothing to decide.", "Leave its id out."
    ),
    "own_proposal": ErrorCode(
        RULE,
        "The account requires another user to approve the proposals of one's own rule or data.",
        "Ask another person who may approve; `GET /feature_flags` says so in `approval_of_own`.",
    ),
    "decided": ErrorCode(
        RULE,
        "The proposal of the rule result is withdrawn or superseded, or its result is closed as decided.",
        "Read the result again; its `approval_state` has the state of the proposal.",
    ),
    "decision_used": ErrorCode(
        RULE,
        "Batches were generated from the correction that was approved, so that it is not rejected any more.",
        "Correct or revert the data point, which makes the batches in `records` stale, or delete them first.",
    ),
}
"""Why a record cannot be as it was sent."""


PACKAGE: Final[Mapping[str, ErrorCode]] = {
    "unreadable_package": ErrorCode(
        RULE,
        "The file is no methodology package as it is built, or its signature does not fit.",
        "Build it by `weighbridge package build`, and send it as it is.",
    ),
    "flawed_package": ErrorCode(
        RULE,
        "The package has flaws; each has its file, line and column.",
        "Correct them; `weighbridge package check` finds the same.",
    ),
    "wrong_publisher": ErrorCode(
        RULE,
        "The package names a publisher, and is signed by the key of another one.",
        "Ask whoever publishes it, and do not use it before.",
    ),
    "required_package": ErrorCode(
        RULE,
        "A package that is needed is not there, or no version of it fits all that need it.",
        "Upload or upgrade the package that the message names.",
    ),
    "differs": ErrorCode(
        RULE,
        "The project has a record of the same name that differs from what the package says.",
        "Give the record in `records` another name, or send `keep_differing` to leave it as it is.",
    ),
}
"""What is wrong with methodology packages and their installation."""


GROUPS: Final[Mapping[str, Mapping[str, ErrorCode]]] = {
    "Requests": REQUEST,
    "The service and the caller": SERVICE,
    "Records": RECORD,
    "Ledgers, batches and computations": ACCOUNTING,
    "Model documents": MODEL,
    "Methodology packages": PACKAGE,
    "Commands": LOCAL,
}
"""The catalogue as its page shows it."""

CODES: Final[Mapping[str, ErrorCode]] = {
    code: said for group in GROUPS.values() for code, said in group.items()
}
"""Every code."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal: the sentence a person reads, the field, the code and the records a program reads."""

    message: str
    field: str | None = None
    code: str | None = None
    records: tuple[str, ...] = ()
    type: str | None = None
    id: str | None = None


def limit_problems(problems: Sequence[Problem], most: int) -> list[Problem]:
    """Return the first problems and, if there are more, a problem that says so."""
    if len(problems) <= most:
        return [*problems]
    return [*problems[:most], Problem(f"More is wrong; these are the first {most:,} problems.", None, "more")]
